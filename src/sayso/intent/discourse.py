"""Antecedents of "it", "there", "her" and "the other one", from this utterance and the last ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sayso.intent.gazetteer import EntityLink
from sayso.representation import Description
from sayso.types import IntentBelief, Role

REFERRED_WITHIN = 20.0  # s between two utterances within which the second may refer to the first


@dataclass(frozen=True, slots=True)
class RecentMentions:
    """The entities mentioned last, by kind: the antecedents of pronouns."""

    theme: tuple[EntityLink, ...] = ()
    place: tuple[EntityLink, ...] = ()
    person: tuple[EntityLink, ...] = ()
    fixture: tuple[EntityLink, ...] = ()  # the place with which something was to be done, if no object was named since: the fridge
    fixtures: tuple[Description, ...] = ()  # what "them" may be: "the fridge and the wardrobe", also one clause after the other

    def after(self, roles: tuple[Role, ...]) -> RecentMentions:
        """These mentions, updated by a clause's roles."""
        latest = {"object": self.theme, "place": self.place, "person": self.person}
        themes = [role for role in roles if role.name == "theme" and role.kind in ("object", "place")]
        fixture = self.fixture if not themes else tuple(_links(themes[-1])) if themes[-1].kind == "place" else ()
        for kind, names in (("object", ("theme",)), ("place", ("source", "goal", "theme")), ("person", ("theme", "recipient"))):
            for name in names:
                for role in roles:
                    if role.name == name and role.kind == kind and role.text not in {"me", "us", "myself"}:
                        latest[kind] = tuple(_links(role))
        return RecentMentions(latest["object"], latest["place"], latest["person"], fixture, self._fixtures(themes))

    def _fixtures(self, themes: list[Role]) -> tuple[Description, ...]:
        """The furniture with which something was to be done: a coordination begins anew, a single piece adds to those before."""
        described = themes[-1].description if themes and themes[-1].kind == "place" else None
        if described is None or (described.pronoun and not described.parts):
            return self.fixtures
        if described.joined:
            return described.parts
        return (*(each for each in self.fixtures if each.candidates[:1] != described.candidates[:1]), described)


def _links(role: Role) -> Iterator[EntityLink]:
    return (EntityLink(entity, role.kind, score) for entity, score in role.candidates)


class Discourse:
    """Keeps the mentions from one utterance to the next, for REFERRED_WITHIN seconds."""

    def __init__(self) -> None:
        self._recent, self._at = RecentMentions(), float("-inf")

    def recent(self, stamp: float) -> RecentMentions:
        """The mentions to which an utterance that ended at `stamp` may refer."""
        return self._recent if 0.0 <= stamp - self._at <= REFERRED_WITHIN else RecentMentions()

    def update(self, belief: IntentBelief) -> None:
        """Record the mentions of an utterance; rejected or out-of-scope speech, and speech that names nothing, is ignored."""
        before = recent = self.recent(belief.stamp)
        for clause in belief.clauses if not belief.rejected else ():
            if clause.out_of_scope <= 0.0:
                recent = recent.after(clause.roles)
        if recent is not before and recent != before:
            self._recent, self._at = recent, belief.stamp
