"""The home: the robot's map as an occupancy grid, and markers for rooms, furniture, people and the robot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from nav_msgs.msg import OccupancyGrid

from sayso.domain import Domain
from sayso.robot.map import CELL, RADIUS, RobotMap
from sayso_nodes.conversions import MAP, header, point, to_time
from sayso_nodes.views.markers import INK, Color, instead, label, marker

OCCUPIED, FREE, UNKNOWN = 100, 0, -1  # nav_msgs/OccupancyGrid
BESIDE = 0.2  # m: cells further outside every room are unknown; doorways are known
LOW = 1.0  # m: walls are drawn no higher, to leave the rooms visible
WALL, FURNITURE, PERSON, BODY, EYE = (0.24, 0.26, 0.30), (0.80, 0.76, 0.68), (0.73, 0.50, 0.37), (0.16, 0.62, 0.75), (0.1, 0.1, 0.12)
FAINT: Color = (0.42, 0.44, 0.48)


def occupancy_grid(robot_map: RobotMap, stamp: float) -> Any:
    """The robot's map: occupied, free, and unknown outside the home. Cells of 5 cm, row by row from the lower left corner."""
    x, y = robot_map.centres
    known = robot_map.occupied.copy()
    for room in robot_map.rooms:
        known |= (x >= room.x0 - BESIDE) & (x <= room.x1 + BESIDE) & (y >= room.y0 - BESIDE) & (y <= room.y1 + BESIDE)
    if not robot_map.rooms:
        known[:] = True
    cells = np.where(robot_map.occupied, OCCUPIED, np.where(known, FREE, UNKNOWN)).astype(np.int8)
    grid = OccupancyGrid(header=header(stamp, MAP))
    grid.info.map_load_time = to_time(stamp)
    grid.info.resolution = CELL
    grid.info.height, grid.info.width = robot_map.shape
    grid.info.origin.position = point((*robot_map.origin, 0.0))
    grid.info.origin.orientation.w = 1.0
    grid.data.frombytes(cells.tobytes())
    return grid


def home_markers(robot_map: RobotMap) -> Any:
    """Everything fixed, and the robot, which moves with its frame."""
    return instead([*_solids(robot_map), *_rooms(robot_map), *_places(robot_map), *_people(robot_map), *_robot(robot_map.domain)])


def _solids(robot_map: RobotMap) -> Iterator[Any]:
    people = {person.name for person in robot_map.people}
    for box in robot_map.boxes:
        if box.name in people:
            continue
        top = min(box.top, LOW) if box.wall else box.top
        kind, color, alpha = ("walls", WALL, 0.6) if box.wall else ("furniture", FURNITURE, 0.5)
        yield marker("CUBE", kind, (box.x, box.y, top / 2), (box.length, box.width, top), color, alpha=alpha, yaw=box.yaw)


def _rooms(robot_map: RobotMap) -> Iterator[Any]:
    for room in robot_map.rooms:
        text = robot_map.domain.spoken(room.name).removeprefix("the ")
        yield label("rooms", text, ((room.x0 + room.x1) / 2, room.y1 - 0.3, 0.05), 0.32, FAINT)


def _places(robot_map: RobotMap) -> Iterator[Any]:
    """The name over the furniture, and the robot's pose there."""
    for name, place in robot_map.domain.places.items():
        if place.kind == "room":
            continue
        x, y, yaw = place.pose
        boxes = [box for box in robot_map.boxes if box.name == name]
        at = (boxes[0].x, boxes[0].y, boxes[0].top + 0.1) if boxes else (x, y, 0.1)
        yield label("places", place.spoken(name), at, 0.16)
        yield marker("ARROW", "poses", (x, y, 0.02), (0.25, 0.05, 0.02), FAINT, alpha=0.5, yaw=yaw)


def _people(robot_map: RobotMap) -> Iterator[Any]:
    for person in robot_map.people:
        yield marker("CYLINDER", "people", (person.x, person.y, 0.7), (0.36, 0.36, 1.4), PERSON, alpha=0.7)
        yield marker("SPHERE", "people", (person.x, person.y, 1.55), (0.28, 0.28, 0.28), PERSON)
        yield marker("SPHERE", "people", person.hand, (0.1, 0.1, 0.1), PERSON)
        yield label("people", robot_map.domain.people[person.name].spoken(person.name), (person.x, person.y, 1.9), 0.22)


def _robot(domain: Domain) -> Iterator[Any]:
    """A disc of the robot's footprint with a column and an eye."""
    yield marker("CYLINDER", "robot", (0.0, 0.0, 0.15), (2 * RADIUS, 2 * RADIUS, 0.3), BODY, frame="base_link")
    yield marker("CYLINDER", "robot", (0.0, 0.0, 0.75), (0.12, 0.12, 0.9), BODY, frame="base_link")
    yield marker("CUBE", "robot", (0.06, 0.0, 1.25), (0.1, 0.22, 0.12), EYE, frame="base_link")
    yield marker("ARROW", "robot", (0.1, 0.0, 0.32), (0.4, 0.07, 0.07), INK, frame="base_link")
    yield label("robot", domain.robot, (0.0, 0.0, 1.5), 0.18, frame="base_link")
