"""Which things a description means in each possible world."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sayso.grounding.layout import Layout
from sayso.grounding.ranking import ranked
from sayso.grounding.relations import between, degrees, gaps
from sayso.grounding.wanted import comparing, inherited, is_viewer, plain_phrase, wanted
from sayso.grounding.worlds import WORLDS, Mask, PossibleWorlds
from sayso.representation import Description, Relation
from sayso.types import FloatArray


@dataclass(frozen=True, slots=True)
class Meant:
    """What a description means in each world."""

    sets: Mask  # (worlds, things) that fit all of its words
    few: NDArray[np.bool_]  # (worlds,) fewer things fit than it means
    many: NDArray[np.bool_]  # (worlds,) more do, and the words do not tell them apart


class PictureDenotation:
    """Evaluates the descriptions of one picture. `unshown` collects the orders that no picture shows ("the newest")."""

    def __init__(self, worlds: PossibleWorlds, seen: Layout) -> None:
        self._worlds, self._seen = worlds, seen
        self.unshown: list[str] = []

    def meant(self, description: Description) -> Meant:
        """The things that the whole description means."""
        if description.parts:
            return self._joined(description)
        sets = self._fitting(description)
        number, need = sets.sum(axis=1), wanted(description)
        return Meant(sets, number < need.least, number > need.most)

    def _joined(self, description: Description) -> Meant:
        """Each part with what restricts the whole: "the cup and the bottle on the table"."""
        parts = [replace(part, relations=(*part.relations, *description.relations)) for part in description.parts]
        found = [self.meant(part) for part in parts]
        sets = np.logical_or.reduce([each.sets for each in found])
        if description.joined == "or":  # any of them will do
            return Meant(sets, np.logical_and.reduce([each.few for each in found]), np.zeros(WORLDS, dtype=bool))
        return Meant(sets, np.logical_or.reduce([each.few for each in found]), np.logical_or.reduce([each.many for each in found]))

    def _fitting(self, description: Description, path: str = "") -> Mask:
        """(worlds, things) of the kind, in the relations, not excluded, of that order. The path names the draws of each relation."""
        if description.parts:
            return np.asarray(np.logical_or.reduce([self._fitting(part, f"{path}|{at}") for at, part in enumerate(description.parts)]))
        description = comparing(description)
        sets = self._worlds.fits(plain_phrase(description))
        origin = None
        for at, relation in enumerate(description.relations):
            if description.order in ("nearest", "farthest") and relation.name == "next_to":  # "nearest to the sofa": a distance
                origin = None if is_viewer(relation.landmarks[0]) else self._distances(relation.landmarks[0], f"{path}/{at}")
            else:
                sets = sets & (self._related(relation, f"{path}/{at}") ^ relation.negated)
        for at, other in enumerate(description.excluded):
            sets = sets & ~self._fitting(inherited(other, description), f"{path}-{at}")
        if origin is not None:
            sets = sets & np.isfinite(origin)
        if not description.order:
            return sets
        count = description.count if description.quantity == "exactly" else 2 if description.quantity == "both" else 1
        chosen = ranked(self._worlds, self._seen, description.order, max(count, 1), sets, origin)
        if chosen is None:
            self.unshown.append(description.order)
            return sets
        return chosen

    def _related(self, relation: Relation, path: str) -> Mask:
        """(worlds, things) Whether the relation holds to one of the landmarks of the world."""
        if any(map(is_viewer, relation.landmarks)):
            return np.ones((WORLDS, len(self._worlds.things)), dtype=bool)
        marks = [self._fitting(landmark, f"{path}.{at}") for at, landmark in enumerate(relation.landmarks)]
        if relation.name == "between":
            holds = self._worlds.holds(f"between{path}", between(self._seen))  # (worlds, things, a, b)
            return np.asarray((holds & marks[0][:, None, :, None] & marks[-1][:, None, None, :]).any(axis=(2, 3)))
        holds = self._worlds.holds(f"{relation.name}{path}", degrees(relation.name, self._seen))
        return np.asarray((holds & marks[0][:, None, :]).any(axis=2))

    def _distances(self, landmark: Description, path: str) -> FloatArray:
        """(worlds, things) distance to the nearest landmark that is another thing; inf where there is none."""
        apart = gaps(self._seen).astype(np.float64)
        np.fill_diagonal(apart, np.inf)
        marks = self._fitting(landmark, path)
        return np.asarray(np.where(marks[:, None, :], apart[None], np.inf).min(axis=2, initial=np.inf))
