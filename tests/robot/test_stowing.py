"""The skills stow and unstow on the embedded simulation, and what the robot knows of its basket, also after a restart."""

from collections.abc import Iterator

import pytest

from sayso.domain import load_domain
from sayso.evaluation.simulated_robot import SimulatedRobot
from sayso.paths import config_dir
from sayso.robot import RobotMap, SkillRunner
from sayso.scene import load_scene
from sayso.scene.scene import GripperSpec
from sayso.sim.simulation import Simulation
from sayso.types import Grounding, Image, SkillCall, SkillOutcome

DOMAIN, SCENE = load_domain(config_dir() / "home_basket.yaml"), load_scene()
MAP = RobotMap.from_scene(SCENE, DOMAIN)


def blind(image: Image, phrase: str, object_id: str) -> Grounding:
    raise AssertionError("these skills need no picture")


@pytest.fixture(scope="module")
def simulation() -> Iterator[Simulation]:
    made = Simulation(SCENE.model_copy(update={"gripper": GripperSpec(fails={})}))
    yield made
    made.close()


@pytest.fixture
def robot(simulation: Simulation) -> SimulatedRobot:
    """The robot with the red cup in its hand."""
    simulation.reset()
    x, y, *_ = simulation.odometry
    simulation.put("red_cup", (x + 0.4, y, 0.01))
    assert simulation.grip("grasp", tuple(map(float, simulation.middle("red_cup"))))[0]
    return SimulatedRobot(simulation, blind)


def do(runner: SkillRunner, robot: SimulatedRobot, name: str, theme: str, stop_after: float = 60.0) -> SkillOutcome:
    runner.start(SkillCall(name, (("theme", theme),)))
    began = robot.simulation.time
    while (outcome := runner.tick(robot.simulation.time)) is None:
        if robot.simulation.time - began >= stop_after:
            robot.stop()
        robot.simulation.step(0.06)
    return outcome


def test_a_restarted_robot_knows_what_is_in_its_basket(robot: SimulatedRobot) -> None:
    assert do(SkillRunner(MAP, robot), robot, "stow", "red_cup").succeeded
    restarted = SkillRunner(MAP, robot)
    outcome = do(restarted, robot, "unstow", "red_cup")
    assert outcome.succeeded, outcome.reason
    assert restarted.context(robot.simulation.time).holding == "red_cup"


def test_the_context_tells_what_is_in_the_basket(robot: SimulatedRobot) -> None:
    runner = SkillRunner(MAP, robot)
    assert do(runner, robot, "stow", "red_cup").succeeded
    context = runner.context(robot.simulation.time)
    assert (context.holding, context.facts) == ("", ("stowed(red_cup)",))


def test_what_is_not_there_cannot_be_moved(robot: SimulatedRobot) -> None:
    runner = SkillRunner(MAP, robot)
    assert do(runner, robot, "stow", "bread").reason == "the robot does not hold the bread: it holds the red cup"
    assert do(runner, robot, "stow", "red_cup").succeeded
    assert do(runner, robot, "unstow", "bread").reason == "the bread is not in the basket"


def test_a_stop_leaves_the_thing_in_the_hand(robot: SimulatedRobot) -> None:
    runner = SkillRunner(MAP, robot)
    outcome = do(runner, robot, "stow", "red_cup", stop_after=0.5)
    assert outcome.interrupted
    assert outcome.reason == "the robot was told to stop"
    robot.simulation.step(3.0)
    assert robot.simulation.holding == "red_cup"
    assert robot.simulation.truth().location("red_cup") == "gripper"
