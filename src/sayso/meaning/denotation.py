"""P(referent | description, belief): which entities a noun phrase means, and where to look if the belief cannot tell (docs/meaning.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, product

from sayso.domain.model import Domain
from sayso.domain.wording import called, is_or_are, listed, plural
from sayso.meaning.looks import p_looks
from sayso.meaning.members import PossibleReferent, members, unexplained
from sayso.meaning.ordering import UNSEEN, ordered
from sayso.meaning.world_view import PlaceBeliefs, WorldView
from sayso.representation import Description, Relation

SURE = 0.8  # P(best) from which no look is needed
MEMBER = 0.5  # least P of a member of "all the …"
NEGLIGIBLE = 1e-6  # λ · P(restrictions) below which an entity is left out
LIKELY = 0.05  # P from which a referent counts as one that may be meant
COMBINATIONS = 10_000  # most sets of several that are compared
MOST = 200  # referents that are returned
LOOKS = 4  # places to look at
UNKNOWN_LANDMARK = 0.5  # P(relation) to something that the home does not know
_FREE = frozenset(("a", "some", "any", "other", "exactly"))


@dataclass(frozen=True, slots=True)
class Denotation:
    """What a description means."""

    referents: tuple[tuple[tuple[str, ...], float], ...]  # (entity ids, P), best first; sums to at most 1
    look: tuple[str, ...] = ()  # places where the robot must look, because the belief cannot settle it
    why: str = ""  # why it is not settled, one line
    none: str = ""  # why nothing fits (all of) it, one line; `referents` then holds what fits in part
    free: bool = False  # "a cup": any of the referents is right, P is only the choice among them
    holds: float = 1.0  # P(the best one is where the description says), by the belief

    @property
    def best(self) -> tuple[str, ...]:
        """The most probable referent."""
        return self.referents[0][0] if self.referents else ()

    @property
    def probability(self) -> float:
        """P of the most probable referent."""
        return self.referents[0][1] if self.referents else 0.0


def denotation(domain: Domain, description: Description, view: WorldView) -> Denotation:
    """The sets of entities that the description may mean."""
    return _Evaluation(domain, view).of(description)


class _Evaluation:
    """One evaluation: the belief is read once for a description with all its landmarks."""

    def __init__(self, domain: Domain, view: WorldView) -> None:
        self._domain, self._view = domain, view
        self._where = PlaceBeliefs(domain, view)

    def of(self, description: Description) -> Denotation:
        """The sets of entities that the description may mean."""
        if description.parts:
            return self._coordinated(description)
        if description.quantity == "no":
            return Denotation((((), 1.0),))
        found = members(self._domain, description, self._view)
        if not found:
            return Denotation((), none=unexplained(self._domain, description, self._view))
        held = self._restricted(description, found)
        if not held:
            return Denotation((), look=self._places_of(found, description), none=self._nothing(description, found))
        if description.plural or (description.quantity == "exactly" and description.count != 1):
            return self._several(description, held)
        return self._one(description, held)

    def _restricted(self, description: Description, found: Sequence[PossibleReferent]) -> list[PossibleReferent]:
        """The members with P(all relations hold, not excluded); those for which that is negligible are left out."""
        relations = description.relations
        if description.order in {"nearest", "farthest"}:  # "the cup nearest to the sofa": a distance, not a relation
            relations = tuple(relation for relation in relations if relation.name != "next_to")
        landmarks = [self._landmarks(relation) for relation in relations]
        excluded = [self._excluded(other, found) for other in description.excluded]
        held = []
        for member in found:
            p = math.prod(self._holds(relation, member.entity, marks) for relation, marks in zip(relations, landmarks, strict=True))
            p *= math.prod(1.0 - out.get(member.entity, 0.0) for out in excluded) * p_looks(description, member.entity, self._view)
            if p * member.weight > NEGLIGIBLE:
                held.append(replace(member, p=p))
        return held

    def _landmarks(self, relation: Relation) -> list[tuple[tuple[str, ...], float]]:
        """The combinations of landmarks, with probabilities that sum to 1; empty if one is not known."""
        options = []
        for landmark in relation.landmarks:
            whole = self.of(replace(landmark, quantity="the"))
            singles = [(entities[0], p) for entities, p in whole.referents if len(entities) == 1]
            total = sum(p for _, p in singles)
            if total <= 0.0:
                return []
            options.append([(entity, p / total) for entity, p in singles[:20]])
        if relation.name == "between" and len(options) == 1:  # "between the cups"
            pairs = [((a, b), p * q) for (a, p), (b, q) in combinations(options[0], 2)]
            total = sum(p for _, p in pairs)
            return [(pair, p / total) for pair, p in pairs]
        return [(tuple(e for e, _ in chosen), math.prod(p for _, p in chosen)) for chosen in islice(product(*options), COMBINATIONS)]

    def _holds(self, relation: Relation, entity: str, landmarks: Sequence[tuple[tuple[str, ...], float]]) -> float:
        if not landmarks:
            return UNKNOWN_LANDMARK
        p = min(1.0, sum(weight * self._where.probability(relation.name, entity, marks) for marks, weight in landmarks))
        return 1.0 - p if relation.negated else p

    def _excluded(self, other: Description, found: Sequence[PossibleReferent]) -> dict[str, float]:
        """P(excluded) of each member."""
        if other.pronoun in {"them", "it", "that", "this", "those"}:
            return dict.fromkeys(self._view.spoken_of, 1.0)
        if other.parts:
            return {entity: p for part in other.parts for entity, p in self._excluded(part, found).items()}
        if other.order:
            return dict.fromkeys(self.of(replace(other, quantity="the")).best, 1.0)
        among = {member.entity for member in found}
        inner = replace(other, quantity="the")
        named = [member.entity for member in members(self._domain, inner, self._view) if member.entity in among]
        held = {member.entity: member.p for member in self._restricted(inner, [m for m in found if m.entity in named])}
        total = sum(held.values())
        if total <= 0.0:
            return dict.fromkeys(named, 1.0)
        one = bool(other.relations) and not other.plural  # "except the one on the table": there is one
        return {entity: p / total for entity, p in held.items()} if one else held

    def _one(self, description: Description, held: list[PossibleReferent]) -> Denotation:
        why = ""
        if description.order:
            held, why = ordered(self._domain, description, held, self._where, self._view)
        weights = {member.entity: member.weight * member.p for member in held}
        total = sum(weights.values())
        p = {entity: weight / total for entity, weight in weights.items() if total > 0.0}
        ranked = sorted(p, key=lambda entity: -p[entity])[:MOST]
        free = description.quantity in _FREE and not description.order
        referents = tuple(((entity,), p[entity]) for entity in ranked)
        if not referents:
            return Denotation((), none=self._nothing(description, held))
        doubtful = self._doubtful(description, *referents[0], bool(why))
        look = self._places_of(held, description) if doubtful else ()
        if not why and (strange := self._unknown_landmark(description)):
            why = f"I don't know {strange}"
        if doubtful and not why and len(referents) > 1:
            likely = max(2, sum(p >= LIKELY for _, p in referents))
            why = f"{_count(likely)} {_noun(description, likely)} may be meant"
        if description.relations and not why and doubtful:
            why = f"I have not seen whether {self._domain.spoken(ranked[0])} is there"
        holds = next(member.p for member in held if member.entity == ranked[0])
        none = self._nothing(description, held) if ranked[0] in self._domain.places and holds < LIKELY and not look and why else ""
        return Denotation(referents, look, why, none, free=free, holds=holds)

    def _doubtful(self, description: Description, best: tuple[str, ...], p: float, unordered: bool) -> bool:
        """Whether a look can help: an order or a relation that the belief does not settle."""
        if unordered:
            return description.order not in UNSEEN
        if not description.relations:
            return False
        settled = True
        for relation in description.relations:
            marks = self._landmarks(relation)
            settled = settled and bool(marks) and self._where.settled(relation.name, best[0], marks[0][0])
        held = math.prod(self._holds(relation, best[0], self._landmarks(relation)) for relation in description.relations)
        return p < SURE or held < SURE or not settled

    def _several(self, description: Description, held: list[PossibleReferent]) -> Denotation:
        best = max(member.weight for member in held)
        meant = [member for member in held if member.weight > 0.2 * best]
        why = ""
        if description.order:
            meant, why = ordered(self._domain, description, meant, self._where, self._view)
        count = 2 if description.quantity == "both" else description.count if description.quantity == "exactly" else 0
        if description.quantity == "some":
            count = min(description.count, len(meant))
        if count and (len(meant) != count or description.order):
            return self._sets_of(count, description, meant, why)
        inside = [member for member in meant if member.p >= MEMBER]
        p = math.prod(member.p if member in inside else 1.0 - member.p for member in meant)
        unsure = [member for member in meant if 1.0 - SURE < member.p < SURE]
        look = self._places_of(unsure or meant, description) if unsure or (not inside and meant) else ()
        why = why or (f"I have not seen which of {_count(len(unsure))} {_noun(description, len(unsure))} are there" if unsure else "")
        if not inside:
            return Denotation((), look, why, none=self._nothing(description, meant))
        return Denotation(((tuple(member.entity for member in inside), p),), look, why)

    def _sets_of(self, count: int, description: Description, meant: list[PossibleReferent], why: str) -> Denotation:
        """The sets of exactly that many."""
        if count <= 0:
            return Denotation((), none=f"{description.text} make no sense")
        if len(meant) < count:
            known = f"I know only {_count(len(meant))} {_noun(description, len(meant))}"
            everything = tuple(member.entity for member in meant)
            return Denotation(((everything, math.prod(member.p for member in meant)),), none=known)
        meant = sorted(meant, key=lambda member: -member.p * member.weight)
        few = meant if math.comb(len(meant), count) <= COMBINATIONS else meant[: count + 2]
        if math.comb(len(few), count) > COMBINATIONS:
            few = meant[:count]
        sets = [(tuple(m.entity for m in chosen), math.prod(m.p * m.weight for m in chosen)) for chosen in combinations(few, count)]
        total = sum(p for _, p in sets)
        sets.sort(key=lambda pair: -pair[1])
        referents = tuple((entities, p / total) for entities, p in sets[:MOST] if total > 0.0)
        doubtful = bool(description.relations or why) and bool(referents) and referents[0][1] < SURE
        return Denotation(referents, self._places_of(meant, description) if doubtful else (), why, free=not description.order)

    def _coordinated(self, description: Description) -> Denotation:
        found = [self.of(part) for part in description.parts]
        look = tuple(dict.fromkeys(place for one in found for place in one.look))[:LOOKS]
        why = "; ".join(one.why for one in found if one.why)
        none = "; ".join(one.none for one in found if one.none)
        if description.joined == "or":
            known = [one for one in found if one.referents]
            pairs = [(entities, p / len(known)) for one in known for entities, p in one.referents]
            none = "" if known else none
            return Denotation(tuple(sorted(pairs, key=lambda pair: -pair[1])), look, why, none, free=True)
        known = [one for one in found if one.referents]
        most = max(1, int(COMBINATIONS ** (1.0 / max(1, len(known)))))
        sets: dict[tuple[str, ...], float] = {}
        for chosen in islice(product(*(one.referents[:most] for one in known)), COMBINATIONS):
            entities = tuple(dict.fromkeys(entity for part, _ in chosen for entity in part))
            sets[entities] = sets.get(entities, 0.0) + math.prod(p for _, p in chosen)
        referents = tuple(sorted(sets.items(), key=lambda pair: -pair[1]))[:MOST] if known else ()
        return Denotation(referents, look, why, none, free=any(one.free for one in known))

    def _places_of(self, found: Sequence[PossibleReferent], description: Description) -> tuple[str, ...]:
        """The places where a look tells most: of the landmarks if they are known, else of the members; none where all of it never moves."""
        beside = [mark.candidates[0][0] for relation in description.relations for mark in relation.landmarks if mark.candidates]
        if all(each in self._domain.places for each in (*(member.entity for member in found), *beside)):
            return ()
        mass: dict[str, float] = {}
        for relation in description.relations:
            for marks, weight in self._landmarks(relation):
                for entity in marks:
                    for place, p in self._where.places(entity).items():
                        mass[place] = mass.get(place, 0.0) + weight * p
        if not mass:
            for member in found:
                for place, p in self._where.places(member.entity).items():
                    mass[place] = mass.get(place, 0.0) + member.weight * member.p * p
        ranked = sorted(mass, key=lambda place: -mass[place])
        return tuple(place for place in ranked[:LOOKS] if mass[place] > 0.05)

    def _nothing(self, description: Description, found: Sequence[PossibleReferent]) -> str:
        """Why no member fits."""
        what = description.text or _noun(description, 1)
        if description.quantity == "other" or description.excluded:
            return f"I know no other {_noun(description, 1)}"
        strange = self._unknown_landmark(description)
        if strange:
            return f"I don't know {strange}"
        known = listed([called(self._domain, member.entity) for member in found[:3]])
        verb = is_or_are(self._domain, found[0].entity) if len(found) == 1 else "are"
        return f"I think that {known} {verb} not there" if known else f"I know no {what}"

    def _unknown_landmark(self, description: Description) -> str:
        """A landmark that the home does not know, as said; empty if there is none."""
        marks = (mark for relation in description.relations for mark in relation.landmarks)
        return next((mark.text for mark in marks if not self.of(mark).referents), "")


def _noun(description: Description, count: int) -> str:
    noun = description.head or ("person" if description.pronoun in {"person", "everyone"} else "thing")
    return noun if count == 1 else plural(noun)


def _count(count: int) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[count] if count < len(words) else str(count)
