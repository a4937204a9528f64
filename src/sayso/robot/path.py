"""Path planning: the cheapest path over the grid (Dijkstra), shortened and smoothed, always clear of obstacles."""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sayso.robot.geometry import Point2
from sayso.robot.map import CELL, RobotMap
from sayso.robot.skill import SkillFailed
from sayso.types import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

COMFORT = 0.60  # m: nearer than this to an obstacle, a metre of path costs more …
NEARNESS = 4.0  # … up to 1 + NEARNESS times as much where the robot just fits
NEAR_GOAL = 0.6  # m from a blocked goal within which the path may end
NEAR_START = 0.5  # m from a start inside the margin within which the path may begin
SPACING = 0.05  # m between the points of a path
_SMOOTHINGS = 30


class PathPlanner:
    """Plans on one map; caches the search tree of each goal."""

    def __init__(self, robot_map: RobotMap) -> None:
        from scipy.sparse.csgraph import dijkstra

        self.map = robot_map
        self._dijkstra = dijkstra
        self._towards = lru_cache(maxsize=32)(self._search)
        self._graph = self._joined()  # built now, so that the first goal need not wait for it

    def __call__(self, start: Point2, goal: Point2) -> FloatArray:
        """(N, 2) points every 5 cm from `start` to `goal`, or to the nearest free cell if the goal is blocked.

        Raises:
            SkillFailed: there is no path, or no free floor near the goal.
        """
        end = self.map.nearest_free(goal, NEAR_GOAL)
        if end is None:
            raise SkillFailed(f"there is no free floor within {NEAR_GOAL} m of ({goal[0]:.1f}, {goal[1]:.1f})")
        begin = self.map.nearest_free(start, NEAR_START)
        if begin is None:
            raise SkillFailed("the robot is not on free floor of its map")
        cells = self._cells(self._node(begin), self._node(end))
        if not cells:
            raise SkillFailed(f"there is no way to ({goal[0]:.1f}, {goal[1]:.1f})")
        corners = [start, begin, *(self.map.centre(cell) for cell in cells[1:-1]), end]
        return self._smooth(_resample(self._pull(np.array(corners))))

    def costs(self, start: Point2) -> FloatArray:
        """(rows, columns): cost of the path from `start` to each cell, in metres of open floor; inf if there is none."""
        costs = np.full(self.map.shape, np.inf)
        begin = self.map.nearest_free(start, NEAR_START)
        if begin is not None:
            costs[self.map.free] = self._dijkstra(self._graph, directed=True, indices=self._node(begin))
        return costs

    def cheapest(self, start: Point2, cells: NDArray[np.bool_]) -> Point2 | None:
        """The centre of the cell that is cheapest to reach from `start` among these (rows, columns); None if there is no way to any."""
        costs = np.where(cells, self.costs(start), np.inf)
        row, column = divmod(int(np.argmin(costs)), costs.shape[1])
        return self.map.centre((row, column)) if np.isfinite(costs[row, column]) else None

    @cached_property
    def _numbers(self) -> NDArray[np.int32]:
        """(rows, columns): node number of each free cell, −1 elsewhere."""
        numbers = np.full(self.map.shape, -1, dtype=np.int32)
        numbers[self.map.free] = np.arange(int(self.map.free.sum()), dtype=np.int32)
        return numbers

    @cached_property
    def _free_cells(self) -> NDArray[np.intp]:
        """(nodes, 2): row and column of each node."""
        return np.argwhere(self.map.free)

    def _joined(self) -> csr_matrix:
        """The grid as an 8-connected graph; an edge costs its length times a factor for nearby obstacles."""
        from scipy.sparse import csr_matrix

        numbers, count = self._numbers, len(self._free_cells)
        closeness = np.clip((COMFORT - self.map.clearance) / (COMFORT - self.map.radius), 0.0, 1.0)
        price = 1.0 + NEARNESS * closeness**2
        sources, targets, costs = [], [], []
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            here = (slice(0, self.map.shape[0] - down), slice(max(0, -right), self.map.shape[1] - max(0, right)))
            there = (slice(down, None), slice(max(0, right), self.map.shape[1] - max(0, -right)))
            joined = (numbers[here] >= 0) & (numbers[there] >= 0)
            sources.append(numbers[here][joined])
            targets.append(numbers[there][joined])
            costs.append(CELL * math.hypot(down, right) * (price[here][joined] + price[there][joined]) / 2)
        a, b, cost = np.concatenate(sources), np.concatenate(targets), np.concatenate(costs)
        both = (np.concatenate([cost, cost]), (np.concatenate([a, b]), np.concatenate([b, a])))
        return csr_matrix(both, shape=(count, count))

    def _node(self, point: Point2) -> int:
        return int(self._numbers[self.map.cell(point)])

    def _search(self, goal: int) -> NDArray[Any]:
        """(nodes,): next node on the cheapest path from each node to the goal, negative if there is none."""
        # 10 ms in compiled code for the whole apartment; A* in Python took 160 ms for one long path.
        _, after = self._dijkstra(self._graph, directed=True, indices=goal, return_predecessors=True)
        return np.asarray(after)

    def _cells(self, start: int, goal: int) -> list[tuple[int, int]]:
        after = self._towards(goal)
        nodes = [start]
        while nodes[-1] != goal:
            if after[nodes[-1]] < 0:
                return []
            nodes.append(int(after[nodes[-1]]))
        return [(int(row), int(column)) for row, column in self._free_cells[nodes]]

    def _pull(self, corners: FloatArray) -> FloatArray:
        """The same path with as few corners as possible, never nearer to obstacles than before or than COMFORT."""
        clearance = self.map.clearances(corners)
        kept, at = [0], 0
        while at < len(corners) - 1:
            # Bisection: the next corner is always reachable, past the last is too far; the straight line to the last is tried first.
            good, beyond, middle = at + 1, len(corners), len(corners) - 1
            while beyond - good > 1:
                if self._shortens(corners, clearance, at, middle):
                    good = middle
                else:
                    beyond = middle
                middle = (good + beyond) // 2
            at = good
            kept.append(at)
        return np.asarray(corners[kept])

    def _shortens(self, corners: FloatArray, clearance: FloatArray, first: int, last: int) -> bool:
        needed = max(min(float(clearance[first : last + 1].min()), COMFORT), self.map.radius)
        way = corners[last] - corners[first]
        count = max(2, math.ceil(math.hypot(way[0], way[1]) / (CELL / 2)))
        straight = corners[first] + np.arange(1, count)[:, None] * (way / count)
        return bool(self.map.clearances(straight).min() >= needed - 1e-9)

    def _smooth(self, path: FloatArray) -> FloatArray:
        """Round the corners: each inner point moves halfway to the midpoint of its neighbours, unless that is too near an obstacle."""
        safe = self.map.radius + CELL
        clearance = self.map.clearances(path)
        for _ in range(_SMOOTHINGS if len(path) > 2 else 0):
            moved = path.copy()
            moved[1:-1] = (path[:-2] + 2 * path[1:-1] + path[2:]) / 4
            then = self.map.clearances(moved)
            accepted = then >= np.minimum(clearance, safe)
            path, clearance = np.where(accepted[:, None], moved, path), np.where(accepted, then, clearance)
        return path


def _resample(corners: FloatArray) -> FloatArray:
    """(N, 2) corners → points about every 5 cm along the same lines, including both ends."""
    lengths = np.hypot(*np.diff(corners, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    count = max(2, math.ceil(along[-1] / SPACING) + 1)
    at = np.linspace(0.0, along[-1], count)
    return np.column_stack([np.interp(at, along, corners[:, 0]), np.interp(at, along, corners[:, 1])])
