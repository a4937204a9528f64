"""Skills of one's own in Python: ten lines work, and whatever they do, the robot rests and says why."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from robot_double import KinematicRobot, run, small_domain, small_scene
from sayso.domain.model import Domain, Skill
from sayso.errors import SkillPluginError
from sayso.paths import project_root
from sayso.robot import RobotMap, SkillRunner, plugins
from sayso.robot.plugins import with_plugins
from sayso.robot.runner import SKILLS
from sayso.types import SkillCall

EXAMPLE = str(project_root() / "examples" / "skills" / "wave.py")
HEAD = "from sayso.robot import SkillFailed, Step, own_skill\n@own_skill\n"
TURN = HEAD + "def wave(body, recipient):\n    body.robot.drive(0.0, 0.5)\n    yield Step('waving')\n    "


def home() -> Domain:
    domain = small_domain()
    return domain.model_copy(
        update={"skills": {**domain.skills, "wave": Skill(arguments={"recipient": "person"}, effects=("greeted(recipient)",))}}
    )


def with_own(*names: str) -> tuple[SkillRunner, KinematicRobot]:
    robot = KinematicRobot()
    return SkillRunner(RobotMap.from_scene(small_scene(), home()), robot, skills=with_plugins(home(), SKILLS, names)[0]), robot


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    def written(text: str, name: str = "mine.py") -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return written


def refused(*names: str) -> str:
    with pytest.raises(SkillPluginError) as error:
        with_plugins(home(), SKILLS, names)
    assert len(str(error.value).splitlines()) == 1
    return str(error.value)


def test_the_example_waves_and_the_robot_rests_afterwards() -> None:
    runner, robot = with_own(EXAMPLE)
    outcome = run(runner, robot, "wave", recipient="anna")
    assert outcome.succeeded, outcome.reason
    assert outcome.seconds == pytest.approx(2.0, abs=0.1)
    assert robot.said == ["Hello, anna!"]
    assert robot.speeds == (0.0, 0.0)


def test_the_example_has_ten_lines_at_most() -> None:
    assert len(Path(EXAMPLE).read_text(encoding="utf-8").split('"""')[2].strip().splitlines()) <= 10


def test_the_ten_lines_of_the_documentation_work_unchanged(write: Callable[..., str]) -> None:
    page = (project_root() / "docs" / "robots.md").read_text(encoding="utf-8")
    block = page.split("<!-- tests/robot/test_plugins.py runs this -->\n```python\n")[1].split("```")[0]
    runner, robot = with_own(write(block))
    assert run(runner, robot, "wave", recipient="anna").succeeded
    assert robot.said == ["Hello, anna!"]


def test_built_in_skills_stay_and_one_of_the_same_name_is_replaced(write: Callable[..., str]) -> None:
    made, notes = with_plugins(home(), SKILLS, [write(HEAD + "def dock(body):\n    yield Step('docking')\n")])
    assert set(made) == set(SKILLS) & set(home().skills)  # the home has no basket
    assert made["pick"] is SKILLS["pick"]
    assert made["dock"] is not SKILLS["dock"]
    assert any("skill 'dock'" in note and "in place of the built-in one" in note for note in notes)


def test_a_module_is_named_as_python_names_it(write: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(Path(EXAMPLE).read_text(encoding="utf-8"), "my_robots_skills.py")
    monkeypatch.syspath_prepend(tmp_path)
    assert "wave" in with_plugins(home(), SKILLS, ["my_robots_skills"])[0]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (HEAD + "def wav(body, recipient):\n    yield Step('')\n", "skill 'wav' is not in the home: add it to `skills:`"),
        (HEAD + "def wave(body, person):\n    yield Step('')\n", "write `def wave(body, recipient)`"),
        (HEAD + "def wave():\n    yield Step('')\n", "write `def wave(body, recipient)`"),
        (HEAD + "def wave(body, recipient):\n    pass\n", "skill 'wave' does not yield"),
        (HEAD + "class wave: pass\n", "skill 'wave' does not yield"),
        ("x = 1\n", "no function in it is marked with @own_skill"),
        ("import no_such_module\n", "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit('bye')\n", "cannot be imported: SystemExit: bye"),
        ("def (:\n", "cannot be imported: SyntaxError"),
    ],
)
def test_a_plug_in_that_does_not_fit_is_refused_in_one_line_that_says_what_to_change(
    write: Callable[..., str], text: str, complaint: str
) -> None:
    message = refused(write(text))
    assert complaint in message
    assert "mine.py" in message


def test_a_file_that_is_not_there_is_named() -> None:
    assert refused("/nowhere/mine.py") == "skill plug-in /nowhere/mine.py: no such file"


def test_two_plug_ins_of_one_name_are_refused(write: Callable[..., str]) -> None:
    other = write(Path(EXAMPLE).read_text(encoding="utf-8"))
    assert refused(EXAMPLE, other) == f"skill 'wave': both {EXAMPLE} and {other} have it; leave one out"


@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        ("raise ValueError('the arm\\nis cold')", "failed: ValueError: the arm is cold"),
        ("raise SystemExit(1)", "failed: SystemExit: 1"),
        ("raise SkillFailed('my battery is empty')", "my battery is empty"),
        ("yield 0.5", "yielded 0.5 instead of a Step"),
        ("yield Step('', float('nan'))", "yielded Step(status='', progress=nan) instead of a Step"),
        ("yield", "yielded None instead of a Step"),
    ],
)
def test_a_plug_in_that_fails_ends_its_goal_with_the_reason_and_the_next_skill_works(
    write: Callable[..., str], ending: str, reason: str
) -> None:
    runner, robot = with_own(write(TURN + ending + "\n"))
    outcome = run(runner, robot, "wave", recipient="anna")
    assert (outcome.succeeded, robot.speeds) == (False, (0.0, 0.0))
    assert reason in outcome.reason
    assert len(outcome.reason.splitlines()) == 1
    assert run(runner, robot, "say", message="hello").succeeded


@pytest.mark.parametrize(
    "ending", ["while True: yield Step('')", "try:\n        while True: yield Step('')\n    finally: raise ValueError"]
)
def test_one_that_never_ends_is_cancelled_and_the_robot_rests(write: Callable[..., str], ending: str) -> None:
    runner, robot = with_own(write(TURN + ending + "\n"))
    runner.start(SkillCall("wave", (("recipient", "anna"),)))
    for _ in range(20):
        assert runner.tick(robot.time) is None
        robot.advance()
    outcome = runner.cancel()
    assert outcome is not None
    assert (outcome.reason, robot.speeds, runner.call) == ("cancelled", (0.0, 0.0), None)
    assert not math.isclose(robot.yaw, 0.0)


def test_a_stop_ends_it(write: Callable[..., str]) -> None:
    runner, robot = with_own(write(TURN + "while True: yield Step('waving')\n"))
    runner.start(SkillCall("wave", (("recipient", "anna"),)))
    runner.tick(robot.time)
    robot.stopped = True
    outcome = runner.tick(robot.time)
    assert outcome is not None
    assert (outcome.reason, robot.speeds) == ("the robot was told to stop", (0.0, 0.0))


def test_an_installed_package_brings_its_skills_to_the_homes_that_have_them(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [EntryPoint("wave", "tests_wave:wave", plugins.GROUP), EntryPoint("juggle", "tests_wave:wave", plugins.GROUP)]
    monkeypatch.setattr(plugins, "entry_points", lambda group: entries)
    monkeypatch.setattr(EntryPoint, "load", lambda _: next(plugins._marked(plugins._imported(EXAMPLE), EXAMPLE)).function)
    made, notes = with_plugins(home(), SKILLS, [])
    assert "wave" in made
    assert any("'juggle'" in note and "left out: the home has no such skill" in note for note in notes)


def test_an_installed_package_that_is_broken_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "entry_points", lambda group: [EntryPoint("wave", "no_such_module:wave", plugins.GROUP)])
    assert refused().startswith("skill plug-in wave of no_such_module:wave cannot be imported: ModuleNotFoundError")
