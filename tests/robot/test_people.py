"""What the robot makes of the reports of a person tracker, and that it runs into nobody."""

from __future__ import annotations

import math

import pytest

from robot_double import KinematicRobot, at_home, run, small_map
from sayso.domain import load_domain
from sayso.looks import PersonLook
from sayso.robot import RobotMap, SkillRunner
from sayso.robot.detour import around
from sayso.robot.glances import posterior
from sayso.robot.path import PathPlanner
from sayso.robot.people import FRESH, GLANCE, REMEMBERED, SILENT, PeopleMemory
from sayso.scene import load_scene
from sayso.types import People

KNOWN = ("anna", "ben")
NOW = 10.0  # s
NAN = math.nan


def report(stamp: float, **people: tuple[float, float, float]) -> People:
    return People(stamp, people)


def test_a_sighting_is_fresh_then_remembered_then_worth_nothing() -> None:
    memory = PeopleMemory()
    memory.update(report(10.0, anna=(1.0, 2.0, 0.05)), KNOWN, NOW)
    assert memory.in_view("anna", 10.0 + FRESH) == memory.last("anna", 10.0 + REMEMBERED) == (1.0, 2.0)
    assert memory.in_view("anna", 10.1 + FRESH) is None
    assert memory.last("anna", 10.1 + REMEMBERED) is None
    assert memory.in_view("ben", 10.0) is None


@pytest.mark.parametrize(
    "people",
    [
        {"stranger": (1.0, 2.0, 0.0)},
        {"anna": (NAN, 2.0, 0.0)},
        {"anna": (1.0, math.inf, 0.0)},
        {"anna": (1.0, 2.0, 3.0)},
        {"anna": (1.0, 2.0, NAN)},
    ],
)
def test_strangers_positions_that_are_no_numbers_and_vague_ones_are_left_out(people: dict[str, tuple[float, float, float]]) -> None:
    memory = PeopleMemory()
    memory.update(report(1.0, **people, ben=(0.5, 0.5, 0.0)), KNOWN, NOW)
    assert [name for name in (*KNOWN, "stranger") if memory.in_view(name, 1.0)] == ["ben"]


def test_strangers_are_driven_around_and_nothing_else_counts_of_them() -> None:
    memory, home = PeopleMemory(), RobotMap.from_scene(load_scene(), load_domain())
    memory.update(report(1.0, person_17=(1.0, 2.0, 0.1)), KNOWN, NOW)
    assert memory.astray(home, 1.0) == {"person_17": (1.0, 2.0)}
    assert memory.around(home, (1.0, 2.0), 1.0) == ()
    assert memory.last("person_17", 1.0) is None
    memory.update(report(1.2 + FRESH), KNOWN, NOW)
    assert memory.astray(home, 1.2 + FRESH) == {}


def test_a_report_with_a_time_that_is_no_number_of_the_past_or_of_the_future_changes_nothing() -> None:
    memory = PeopleMemory()
    memory.update(report(5.0, anna=(1.0, 2.0, 0.0)), KNOWN, NOW)
    for stamp in (NAN, math.inf, 4.0, NOW + 2 * FRESH):
        memory.update(report(stamp, anna=(3.0, 3.0, 0.0)), KNOWN, NOW)
    assert memory.in_view("anna", 5.0) == (1.0, 2.0)


def test_a_tracker_that_says_nothing_is_silent_and_one_that_sees_nobody_is_not() -> None:
    memory = PeopleMemory()
    memory.update(None, KNOWN, NOW)
    assert memory.silent(0.0)
    memory.update(report(1.0), KNOWN, NOW)
    assert not memory.silent(1.0 + SILENT)
    assert memory.silent(1.1 + SILENT)


def test_it_counts_for_how_long_a_person_stands_still_in_spite_of_noise() -> None:
    memory = PeopleMemory()
    for tick in range(50):
        walked = min(0.05 * tick, 1.0)
        memory.update(report(0.1 * tick, anna=(walked + 0.03 * (-1) ** tick, 0.0, 0.03)), KNOWN, NOW)
    assert memory.still_for("anna", 4.9) == pytest.approx(2.9, abs=0.7)
    assert memory.still_for("anna", 4.9 + 2 * FRESH) == 0.0


def test_the_robot_drives_to_a_person_where_it_sees_them_and_not_where_they_usually_are() -> None:
    runner, robot = at_home(seen={"anna": (6.0, 3.0, 0.03)})
    assert run(runner, robot, "approach", recipient="anna").succeeded
    assert 0.65 < math.dist((robot.x, robot.y), (6.0, 3.0)) < 1.05
    assert abs(robot.pose().bearing((6.0, 3.0))) < 0.1


def test_without_a_tracker_it_drives_to_where_people_usually_are() -> None:
    runner, robot = at_home()
    assert run(runner, robot, "approach", recipient="anna").succeeded
    assert math.dist((robot.x, robot.y), small_map().person("anna").hand[:2]) < 0.8


def test_it_says_so_if_a_person_is_not_where_they_were() -> None:
    runner, robot = at_home(seen={})
    outcome = run(runner, robot, "approach", recipient="anna")
    assert outcome.reason == "Anna is not near the west"


def test_it_hands_things_over_where_the_person_stands_now() -> None:
    runner, robot = at_home(seen={"anna": (6.0, 3.0, 0.03)}, things={"red_cup": (7.0, 2.0, 0.95)}, in_hand="red_cup")
    assert run(runner, robot, "hand_over", theme="red_cup", recipient="anna").succeeded
    command, target = robot.gripped[-1]
    assert command == "hand_over"
    assert math.dist(target[:2], (6.0, 3.0)) == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize("aside", [0.0, 0.3])
def test_it_stops_before_a_person_in_its_way_and_says_who_it_was(aside: float) -> None:
    runner, robot = at_home(x=0.8, y=2.0, seen={"ben": (2.4, 2.0 + aside, 0.03)})
    outcome = run(runner, robot, "move", direction="forward", extent="2.4")
    assert outcome.reason == "Ben stood in the way"
    assert min(math.dist(at, (2.4, 2.0 + aside)) for at in robot.track) > 0.5  # a robot and a person, each 25 cm in radius


def test_it_drives_on_once_the_person_has_stepped_aside() -> None:
    class SteppingAside(KinematicRobot):
        def people(self) -> People:
            return report(self.time, ben=(2.4, 2.0 if self.time < 4.0 else 3.0, 0.03))

    robot = SteppingAside(x=0.8, y=2.0)
    runner = SkillRunner(small_map(), robot)
    assert run(runner, robot, "move", direction="forward", extent="2.4").succeeded


def test_a_person_beside_its_way_does_not_stop_it() -> None:
    runner, robot = at_home(x=0.8, y=2.0, seen={"ben": (2.4, 2.7, 0.03)})
    assert run(runner, robot, "move", direction="forward", extent="2.4").succeeded


def test_it_plans_its_way_around_a_person() -> None:
    runner, robot = at_home(seen={"ben": (2.6, 2.2, 0.03)})
    assert run(runner, robot, "navigate_to", goal="counter").succeeded
    assert min(math.dist(at, (2.6, 2.2)) for at in robot.track) > 0.5


def test_a_way_that_nobody_stands_on_stays_and_so_does_one_without_another() -> None:
    plan = PathPlanner(small_map())
    path = plan((1.5, 2.0), (6.4, 2.0))
    assert around(plan, path, []) is path
    assert around(plan, path, [(0.5, 0.8)]) is path
    assert around(plan, path, [(4.0, 3.05)]) is path  # in the only door


def glance(stamp: float, *looks: tuple[str, float]) -> People:
    return People(stamp, {"anna": (1.0, 2.0, 0.0)}, tuple(PersonLook("anna", look, p) for look, p in looks))


def test_looks_are_told_with_the_probability_after_all_glances() -> None:
    memory = PeopleMemory()
    for stamp, look in ((9.0, "waving"), (9.5, "waving"), (10.0, "pointing_left")):
        memory.update(glance(stamp, (look, 0.9)), KNOWN, NOW)
    told = {each.look: each.probability for each in memory.looks(("anna",), NOW)}
    assert told == posterior([(9.0, "waving", 0.9), (9.5, "waving", 0.9), (10.0, "pointing_left", 0.9)])
    assert memory.looks(("ben",), NOW) == ()


def test_a_look_of_a_few_seconds_ago_no_longer_counts() -> None:
    memory = PeopleMemory()
    memory.update(glance(9.0, ("waving", 0.9)), KNOWN, NOW)
    assert memory.looks(("anna",), 9.0 + GLANCE)
    assert memory.looks(("anna",), 9.1 + GLANCE) == ()


def test_looks_of_strangers_and_without_a_probability_are_left_out() -> None:
    memory = PeopleMemory()
    report_ = People(
        9.0, {}, (PersonLook("stranger", "waving", 0.9), PersonLook("anna", "waving", NAN), PersonLook("anna", "sitting", 2.0))
    )
    memory.update(report_, KNOWN, NOW)
    assert memory.looks(("anna", "stranger"), NOW) == ()
