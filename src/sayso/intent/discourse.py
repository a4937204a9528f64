"""What "it", "there", "her" and "the other one" mean: what was spoken of, in this utterance and in the last ones."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.intent.gazetteer import EntityLink
from sayso.types import IntentBelief, Role

REFERRED_WITHIN = 20.0  # s between two utterances of which the second may still speak of what the first named


@dataclass(frozen=True, slots=True)
class RecentMentions:
    """What was spoken of last, as far as it may be meant again."""

    theme: tuple[EntityLink, ...] = ()
    place: tuple[EntityLink, ...] = ()
    person: tuple[EntityLink, ...] = ()

    def after(self, roles: tuple[Role, ...]) -> RecentMentions:
        """With what a clause's roles have added."""
        latest = {"object": self.theme, "place": self.place, "person": self.person}
        for kind, names in (("object", ("theme",)), ("place", ("source", "goal", "theme")), ("person", ("theme", "recipient"))):
            for name in names:
                for role in roles:
                    if role.name == name and role.kind == kind and role.text not in {"me", "us", "myself"}:
                        latest[kind] = tuple(EntityLink(entity, kind, score) for entity, score in role.candidates)
        return RecentMentions(latest["object"], latest["place"], latest["person"])


class Discourse:
    """Remembers from one utterance to the next, for as long as people do."""

    def __init__(self) -> None:
        self._said, self._at = RecentMentions(), float("-inf")

    def spoken_of(self, stamp: float) -> RecentMentions:
        """What an utterance that ended then may refer to."""
        return self._said if 0.0 <= stamp - self._at <= REFERRED_WITHIN else RecentMentions()

    def heard(self, belief: IntentBelief) -> None:
        """Take note of what an utterance spoke of; what was not meant for the robot, or named nothing, changes nothing."""
        before = said = self.spoken_of(belief.stamp)
        for clause in belief.clauses if not belief.rejected else ():
            if clause.out_of_scope <= 0.0:
                said = said.after(clause.roles)
        if said is not before and said != before:
            self._said, self._at = said, belief.stamp
