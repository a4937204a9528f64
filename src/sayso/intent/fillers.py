"""What the noun phrases of a clause add to its roles: people described, goals beside things, and where somebody or something is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.domain import Domain
from sayso.domain.intents import IntentSpec
from sayso.intent.discourse import RecentMentions
from sayso.intent.meaning.describe import NounPhrase
from sayso.intent.meaning.noun_words import OPEN
from sayso.representation import Description, Relation, RelationName
from sayso.types import Role

SOMEWHERE = "somewhere"  # pronoun of a place that is described by what is there: "beside the laptop"
_BESIDE: frozenset[RelationName] = frozenset(("under", "above", "left_of", "right_of", "behind", "in_front_of", "between"))
_THERE: frozenset[RelationName] = frozenset(("at", "in", "on", "next_to"))
_TO_PEOPLE = frozenset(("", "to", "for", "with", "after", "behind"))
_TOWARDS: dict[str, RelationName] = {"to": "at", "into": "in", "onto": "on"}
_THIRD = frozenset(("her", "him", "them"))
_IT = frozenset(("it", "them", "this", "that", "these", "those", "both"))
_DESCRIBED = frozenset((*OPEN, "something", "anything", "thing", "object", "item", "stuff"))


def completed(
    domain: Domain, intent: IntentSpec, phrases: Sequence[NounPhrase], roles: Sequence[Role], recent: RecentMentions
) -> tuple[Role, ...]:
    """The roles of a clause, with what its noun phrases add.

    Args:
        domain: the home.
        intent: of the clause.
        phrases: of the clause.
        roles: with their places in the whole text and their descriptions.
        recent: mentions of the previous clauses.
    """
    found = _Fillers(domain, intent, roles)
    for phrase in phrases:
        found.take_theme(phrase, recent)
    for phrase in phrases:
        found.add(_resolved(phrase, recent))
    found.name_owners(phrases)
    found.contain(phrases)
    found.receive()
    return tuple(sorted((all_of(role, recent.fixtures) for role in found.roles), key=lambda role: (role.start, role.name)))


def all_of(role: Role, fixtures: tuple[Description, ...]) -> Role:
    """The role; "them" after "the fridge and the wardrobe" is both."""
    described = role.description
    if described is None or described.pronoun != "them" or role.kind != "place" or len(fixtures) < 2:
        return role
    return replace(role, description=replace(described, parts=fixtures, joined="and", candidates=()))


class _Fillers:
    """The roles of a clause while phrases are added."""

    def __init__(self, domain: Domain, intent: IntentSpec, roles: Sequence[Role]) -> None:
        self._domain, self._intent = domain, intent
        self.roles = list(roles)

    def take_theme(self, phrase: NounPhrase, recent: RecentMentions) -> None:
        """Make a bare phrase the theme: "it", "something cold", "the kitchen roll", whatever its words were taken for."""
        theme = self._intent.roles.get("theme")
        if phrase.preposition or theme is None or "object" not in theme.kinds or phrase.joined:
            return
        described = phrase.description
        filled = self._filled(phrase)
        held = next((role for role in self.roles if role.name == "theme"), None)
        if (
            described.pronoun in _IT
            and filled is not None
            and filled.name in ("source", "goal")
            and (held is None or held.start > described.start)
        ):
            links = tuple((link.entity, link.score) for link in recent.theme)
            self._put(filled, _role("theme", "object", replace(phrase_described(described), candidates=links)), held)
        elif held is None and (self._is_open(phrase, filled) or self._is_strange(described, filled)):
            self._put(filled, _role("theme", "object", described), None)
        elif held is not None and held.start >= described.end and filled is not held and self._is_open(phrase, filled):
            self._put(filled, _role("theme", "object", described), held)  # "put everything next to the plate"

    @staticmethod
    def _is_open(phrase: NounPhrase, filled: Role | None) -> bool:
        """Whether it is "something cold", and no role but a source has it."""
        return (
            phrase.description.pronoun in _DESCRIBED
            and phrase.kind == "object"
            and (filled is None or filled.name == "source" or (filled.name == "goal" and not filled.entity))
        )

    @staticmethod
    def _is_strange(described: Description, filled: Role | None) -> bool:
        """Whether it is unknown, though a part of it names a place: "the kitchen roll"."""
        return filled is not None and filled.kind == "place" and bool(described.unknown) and not described.candidates

    def _put(self, filled: Role | None, role: Role, held: Role | None) -> None:
        """Replace a role that has the phrase of another; the one that held its place is free again."""
        self.roles = [each for each in self.roles if each is not filled and each is not held]
        self.roles.append(role)

    def add(self, phrase: NounPhrase) -> None:
        """Add what the phrase says of the clause."""
        name, filled = _relation(phrase), self._filled(phrase)
        if filled is None and _is_person(phrase) and phrase.preposition in _TO_PEOPLE and (free := self._free_person()):
            self.roles.append(_role(free, "person", phrase.description))
        elif name and self._best(phrase) in self._domain.objects and self._takes_goal(filled):
            self.roles = [role for role in self.roles if role is not filled and role.name != "goal"]
            self.roles.append(_beside("goal", name, phrase))
        elif filled is None and name in {*_BESIDE, "next_to"} and phrase.preposition and (goal := self._placed_goal(phrase)) is not None:
            beside = Relation(name, (phrase.description,))  # "put it down near the bowl on the table"
            there = goal.description or Description(goal.text, goal.start, goal.end, candidates=goal.candidates)
            self.roles[self.roles.index(goal)] = replace(goal, description=replace(there, relations=(*there.relations, beside)))
        elif name in _BESIDE and filled is not None and filled.name in ("goal", "source") and filled.kind == "place" and filled.entity:
            place = _beside(filled.name, name, phrase)
            self.roles[self.roles.index(filled)] = replace(filled, description=place.description)
        elif filled is None and name and phrase.preposition not in _TOWARDS and self._best(phrase) in self._domain.places:
            self._attach(name, phrase.description)
        elif filled is None and name in _THERE and not phrase.kind and phrase.description.unknown:
            self._attach(name, phrase.description, frozenset(("person",)))  # "greet anna at the back door", which the home doesn't know

    def _filled(self, phrase: NounPhrase) -> Role | None:
        """The role that has words of the phrase."""
        described = phrase.description
        return next((role for role in self.roles if role.start < described.end and described.start < role.end), None)

    @staticmethod
    def _best(phrase: NounPhrase) -> str:
        first = phrase.description.parts[0] if phrase.description.parts else phrase.description
        return first.candidates[0][0] if first.candidates else ""

    def _free_person(self) -> str:
        """A role of the intent for a person that nothing fills; empty for none."""
        filled = {role.name for role in self.roles}
        return next((name for name, spec in self._intent.roles.items() if "person" in spec.kinds and name not in filled), "")

    def _takes_goal(self, filled: Role | None) -> bool:
        """Whether a thing is put beside the phrase's thing: the intent has a goal that no place fills, and another theme."""
        goal = self._intent.roles.get("goal")
        themes = any(role.name == "theme" and role is not filled for role in self.roles)
        placed = any(role.name == "goal" and role.kind == "place" and role.entity for role in self.roles)
        return (
            goal is not None
            and "place" in goal.kinds
            and themes
            and not placed
            and (filled is None or filled.name == "goal" or (filled.name == "source" and filled.kind == "object"))
        )

    def name_owners(self, phrases: Sequence[NounPhrase]) -> None:
        """Let "her" of "take anna's book to her" be Anna."""
        owners = [word.removesuffix("'s") for phrase in phrases for word in _attributes(phrase.description) if word.endswith("'s")]
        names = {name.lower(): person for person, spec in self._domain.people.items() for name in (*spec.names, person)}
        known = [names[owner] for owner in owners if owner in names]
        for index, role in enumerate(self.roles):
            if known and role.text in _THIRD and not role.candidates and role.kind == "person":
                self.roles[index] = replace(role, entity=known[0], score=1.0, candidates=((known[0], 1.0),), description=None)

    def contain(self, phrases: Sequence[NounPhrase]) -> None:
        """Make a thing from which another is taken a restriction of it: "take the apple out of the bowl"."""
        theme = next((role for role in self.roles if role.name == "theme" and role.description is not None), None)
        source = next((role for role in self.roles if role.name == "source" and role.description is not None), None)
        if theme is None or source is None or theme.description is None or source.description is None:
            return
        within = source.description
        if not any(phrase.preposition and phrase.description.start == within.start for phrase in phrases):
            return
        if within.candidates and all(entity in self._domain.objects for entity, _ in within.candidates):
            held = replace(theme.description, relations=(*theme.description.relations, Relation("in", (within,))))
            self.roles = [replace(theme, description=held) if role is theme else role for role in self.roles if role is not source]

    def receive(self) -> None:
        """Make a vessel in which the thing is said to be the goal of pouring: "serve some orange juice in a bowl"."""
        goal = self._intent.roles.get("goal")
        theme = next((role for role in self.roles if role.name == "theme" and role.description is not None), None)
        open_goal = goal is not None and "object" in goal.kinds and "place" not in goal.kinds
        if not open_goal or theme is None or theme.description is None or any(role.name == "goal" for role in self.roles):
            return
        poured = {entity for entity, _ in theme.candidates}
        for relation in theme.description.relations:
            vessel = relation.landmarks[0] if relation.landmarks else None
            if relation.name != "in" or relation.negated or vessel is None:
                continue
            vessels = {entity for entity, _ in vessel.candidates}
            if vessels - poured and all(self._domain.able(entity, "fills") for entity in vessels):
                rest = replace(theme.description, relations=tuple(each for each in theme.description.relations if each is not relation))
                self.roles[self.roles.index(theme)] = replace(theme, description=rest)
                self.roles.append(_role("goal", "object", vessel))
                return

    def _placed_goal(self, phrase: NounPhrase) -> Role | None:
        """The place where a thing is to be put, if the phrase is a thing that may stand there."""
        placing = self._best(phrase) in self._domain.objects and any(role.name == "theme" for role in self.roles)
        goals = (role for role in self.roles if role.name == "goal" and role.kind == "place" and role.entity)
        return next(goals, None) if placing else None

    def _attach(self, name: RelationName, place: Description, kinds: frozenset[str] = frozenset(("object", "person"))) -> None:
        """Add where the thing or person before the phrase is: "accompany john from the sink to the door"."""
        before = [role for role in self.roles if role.end <= place.start and role.kind in kinds and role.description]
        last = max(before, key=lambda role: role.end, default=None)
        if last is None or last.description is None or last.description.pronoun in ("me", "us"):
            return
        between = any(last.end <= role.start < place.start for role in self.roles if role is not last)
        relation = Relation("at" if name == "from" and last.kind == "person" else name, (place,))
        located = replace(last.description, relations=(*last.description.relations, relation))
        self.roles[self.roles.index(last)] = replace(last, description=located, end=last.end if between else place.end)


def _attributes(description: Description) -> tuple[str, ...]:
    return (*description.attributes, *(word for part in description.parts for word in part.attributes))


def _resolved(phrase: NounPhrase, recent: RecentMentions) -> NounPhrase:
    """The phrase with what "it" means as a landmark: "put the plate on the table and the fork to the left of it"."""
    beside = _relation(phrase) in _BESIDE | {"next_to"} and phrase.description.pronoun in _IT and not phrase.description.candidates
    links = tuple((link.entity, link.score) for link in recent.theme) if beside else ()
    return replace(phrase, description=replace(phrase.description, candidates=links)) if links else phrase


def phrase_described(description: Description) -> Description:
    """A pronoun as one thing, whatever quantity stands before it."""
    return replace(description, quantity="the") if description.quantity == "all" and description.pronoun == "it" else description


def _relation(phrase: NounPhrase) -> RelationName | None:
    """The relation of the phrase's preposition; that of a goal is where it ends."""
    return phrase.relation or _TOWARDS.get(phrase.preposition)


def _is_person(phrase: NounPhrase) -> bool:
    """Whether it describes a person without a name: "the woman in the kitchen"."""
    return phrase.kind == "person" and phrase.description.pronoun == "person"


def _role(name: str, kind: str, described: Description) -> Role:
    best = described.candidates[0] if described.candidates else ("", 0.0)
    return Role(name, described.text, described.start, described.end, best[0], kind, best[1], described.candidates, description=described)


def somewhere(name: str, relation: RelationName, landmark: Description, words: str, start: int) -> Role:
    """The role of a place that is described by a thing or a place beside it, in those words from that character on."""
    marks = landmark.parts[:2] if relation == "between" and landmark.parts else (landmark,)
    place = Description(words, landmark.start, landmark.end, pronoun=SOMEWHERE, relations=(Relation(relation, marks),))
    return Role(name, words, start, landmark.end, kind="place", description=place)


def _beside(name: str, relation: RelationName, phrase: NounPhrase) -> Role:
    """The role of the place beside what a phrase denotes."""
    landmark = phrase.description
    start = max(0, landmark.start - len(phrase.preposition) - 1)
    return somewhere(name, relation, landmark, f"{phrase.preposition} {landmark.text}", start)
