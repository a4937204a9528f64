"""The skills open, close, switch_on and switch_off on the embedded simulation, and what the robot knows afterwards."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from sayso.domain import load_domain
from sayso.evaluation.simulated_robot import SimulatedRobot
from sayso.robot import RobotMap, SkillRunner
from sayso.robot.map import RADIUS
from sayso.scene import load_scene
from sayso.scene.scene import GripperSpec
from sayso.sim.simulation import Simulation
from sayso.types import Grounding, Image, SkillCall, SkillOutcome

DOMAIN, SCENE = load_domain(), load_scene()
MAP = RobotMap.from_scene(SCENE, DOMAIN)
TICK = 0.06  # s


def blind(image: Image, phrase: str, object_id: str) -> Grounding:
    raise AssertionError("these skills need no picture")


class Household:
    """A robot with its skills in the apartment."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.robot = SimulatedRobot(self.simulation, blind)
        self.runner = SkillRunner(MAP, self.robot)

    def do(self, name: str, theme: str, until: float = math.inf, role: str = "theme") -> SkillOutcome:
        """Run a skill to its end, or until a stop after so many seconds."""
        self.runner.start(SkillCall(name, ((role, theme),)))
        began = self.simulation.time
        while self.simulation.time - began < 90.0:
            if self.simulation.time - began >= until:
                self.robot.stop()
            outcome = self.runner.tick(self.simulation.time)
            if outcome is not None:
                return outcome
            self.simulation.step(TICK)
        raise AssertionError(self.runner.status)

    def knows(self) -> tuple[str, ...]:
        return self.runner.context(self.simulation.time).facts

    def facts(self) -> set[str]:
        return set(self.simulation.truth().facts)


@pytest.fixture(scope="module")
def shared() -> Iterator[Simulation]:
    simulation = Simulation(SCENE.model_copy(update={"gripper": GripperSpec(fails={})}))
    yield simulation
    simulation.close()


@pytest.fixture
def home(shared: Simulation) -> Household:
    shared.reset()
    return Household(shared)


def beside(home: Household, place: str) -> None:
    home.simulation.put_robot(*DOMAIN.places[place].pose)


@pytest.mark.parametrize("place", ["front_door", "fridge", "sideboard", "nightstand", "filing_cabinet", "wardrobe"])
def test_opens_and_closes_every_door_and_drawer_of_the_apartment(home, place):
    beside(home, place)
    opened = home.do("open", place)
    assert opened.succeeded, opened.reason
    assert f"open({place})" in home.facts()
    assert home.knows() == (f"open({place})",)
    closed = home.do("close", place)
    assert closed.succeeded, closed.reason
    assert f"closed({place})" in home.facts()
    assert home.knows() == (f"closed({place})",)


@pytest.mark.parametrize("place", ["lamp", "tv_stand"])
def test_switches_every_appliance_of_the_apartment_on_and_off(home, place):
    beside(home, place)
    assert home.do("switch_on", place).succeeded
    assert f"powered({place})" in home.facts()
    assert home.knows() == (f"powered({place})",)
    assert home.do("switch_off", place).succeeded
    assert f"unpowered({place})" in home.facts()
    assert home.knows() == (f"unpowered({place})",)


def test_stands_aside_of_the_door(home):
    beside(home, "fridge")
    assert home.do("open", "fridge").succeeded
    fridge = MAP.fitting("fridge")
    x, y = home.robot.pose().xy
    assert np.hypot(fridge.swept[:, 0] - x, fridge.swept[:, 1] - y).min() >= RADIUS


def test_drives_around_an_open_door(home):
    beside(home, "fridge")
    assert home.do("open", "fridge").succeeded
    assert home.do("navigate_to", "stove", role="goal").succeeded
    assert home.do("navigate_to", "fridge", role="goal").succeeded
    assert "open(fridge)" in home.facts(), "the robot has pushed the door"


def test_a_door_found_open_is_known_to_be_open(home):
    beside(home, "nightstand")
    assert home.do("open", "nightstand").succeeded
    restarted = SkillRunner(MAP, home.robot)
    assert restarted.context(home.simulation.time).facts == ()
    home.runner = restarted
    assert home.do("open", "nightstand").succeeded
    assert home.knows() == ("open(nightstand)",)


def test_a_stop_lets_go_of_the_door_and_the_robot_no_longer_knows_its_state(home):
    home.simulation.put_robot(12.43, 2.19, 0.18)
    outcome = home.do("open", "fridge", until=1.0)
    assert (outcome.succeeded, outcome.reason) == (False, "the robot was told to stop")
    assert outcome.interrupted
    home.simulation.step(3.0)
    assert not {"open(fridge)", "closed(fridge)"} & home.facts()
    assert home.knows() == ()


def test_a_full_hand_is_said(home):
    home.simulation.put_robot(*DOMAIN.places["counter"].pose)
    assert home.simulation.grip("grasp", tuple(home.simulation.middle("red_cup")))[0]
    outcome = home.do("open", "fridge")
    assert (outcome.succeeded, outcome.reason) == (False, "the hand is full: it holds the red cup")


def test_what_has_no_door_or_switch_fails_with_its_name(home):
    assert home.do("open", "sofa").reason == "the robot knows no door or drawer of the sofa"
    assert home.do("switch_on", "sofa").reason == "the robot knows no switch of the sofa"


def test_nothing_is_known_after_a_new_simulation(home):
    beside(home, "lamp")
    assert home.do("switch_on", "lamp").succeeded
    home.simulation.reset()
    home.runner.tick(home.simulation.time)
    assert home.knows() == ()


def test_a_gripper_that_does_not_know_handles_fails_with_its_words(home, monkeypatch):
    beside(home, "lamp")
    monkeypatch.setattr(home.simulation, "request", lambda command, target: Refusal())
    outcome = home.do("switch_on", "lamp")
    assert (outcome.succeeded, outcome.reason) == (False, "'switch_on' is not a gripper command")


class Refusal:
    """The answer of a gripper that grasps only."""

    def done(self) -> bool:
        return True

    def result(self) -> tuple[bool, str]:
        return False, "'switch_on' is not a gripper command"
