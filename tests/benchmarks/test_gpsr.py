"""Commands of the competition's grammars: made for the home, set up in its world, and judged by what happened."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from drawing import picture_of
from sayso.bags.messages import GroundTruth
from sayso.cli import main
from sayso.console.bench import load_benchmark
from sayso.domain import Domain, load_domain
from sayso.evaluation.execution import Performance, SkillEnd
from sayso.paths import project_root
from sayso.scene import load_scene
from sayso.scene.scene import Scene
from sayso.sim.simulation import Simulation
from sayso.types import Outcome, SkillCall, SkillOutcome

BENCHMARK = load_benchmark(project_root() / "benchmarks" / "gpsr.py")
labels = sys.modules["_meaning_labels"]


@pytest.fixture(scope="module")
def home() -> tuple[Domain, Scene]:
    return load_domain(), load_scene()


def test_commands_speak_of_what_the_home_has(home: tuple[Domain, Scene]) -> None:
    made = BENCHMARK.commands(*home, 3, 60)
    assert len(made) == 60
    assert len({command.form for command in made}) > 25  # of all forms alike
    for command in made:
        assert set(command.world) <= set(home[1].objects)
        assert all(home[0].places[place].surface for place in command.world.values())
    assert made[:20] == BENCHMARK.commands(*home, 3, 20)


def judged(home: tuple[Domain, Scene], act: Any, *keep: Any, world: GroundTruth, looks: tuple[str, ...] = ()) -> str:
    """The verdict on a command that the robot says to have done, in the home as the ground truth shows it before and after."""
    command = BENCHMARK.GpsrCommand(labels.Label("", do=((act,),), keep=keep), {}, {}, looks=looks)
    done = SimpleNamespace(decision="execute", question="")
    before = replace(world, locations={**world.locations, "lemon": "counter", "sponge": "counter"}, people={"anna": (3.0, 3.0)})
    moments = (SkillEnd(SkillOutcome(SkillCall("guide", (("recipient", "anna"),)), succeeded=True), world, ()),)
    outcome = Outcome("u", 1.0, succeeded=True, action="")
    played = Performance(done, asked=False, before=before, moments=moments, after=world, outcome=outcome, found={})  # type: ignore[arg-type]
    return str(BENCHMARK.judged_command(*home, command, played).verdict)


@pytest.mark.parametrize(("given", "verdict"), [("lemon", "done"), ("sponge", "wrong")])
def test_something_to_eat_is_whatever_can_be_eaten(home: tuple[Domain, Scene], given: str, verdict: str) -> None:
    act = labels.LabelledAct(("give",), ((("theme",), (labels.FREE,)), (("recipient",), ("anna",))))
    world = GroundTruth(0.0, 0.0, 0.0, 0.0, {"lemon": "counter", "sponge": "counter", given: "anna"}, {})
    keep = labels.Expression("purpose", ("eat",)), labels.Expression("described", ("women",))
    assert judged(home, act, *keep, world=world, looks=("female",)) == verdict


@pytest.mark.parametrize(("far", "verdict"), [(1.0, "done"), (9.0, "wrong")])
def test_who_stands_in_the_room_with_the_robot_was_guided_there(home: tuple[Domain, Scene], far: float, verdict: str) -> None:
    x0, y0, x1, _ = home[1].rooms["living_room"].area
    act = labels.LabelledAct(("guide",), ((("recipient",), ("anna",)), (("goal",), ("living_room",))))
    assert x1 - x0 > 3.5
    at = x0 + 0.2 + 2.1 * far, y0 + 0.2
    world = GroundTruth(0.0, x0 + 0.2, y0 + 0.2, 0.0, {}, {}, people={"anna": at})
    assert judged(home, act, world=world) == verdict


def of_people(home: tuple[Domain, Scene], *acts: Any, say: str, moments: tuple[SkillEnd, ...], introduced: str = "", **after: str) -> str:
    """The verdict on a command about people; `after`: object → who has it."""
    command = BENCHMARK.GpsrCommand(labels.Label(say, do=(acts,)), {}, {}, introduced=introduced)
    world = GroundTruth(0.0, 0.0, 0.0, 0.0, {"lemon": "counter", "bread": "counter"} | after, {}, people={"anna": (0.5, 0.5)})
    done = SimpleNamespace(decision="execute", question="")
    before = replace(world, locations={"lemon": "counter", "bread": "counter"})
    outcome = Outcome("u", 1.0, succeeded=True, action="")
    ends = tuple(replace(each, world=world) for each in moments)
    played = Performance(done, asked=False, before=before, moments=ends, after=world, outcome=outcome, found={})  # type: ignore[arg-type]
    return str(BENCHMARK.judged_command(*home, command, played).verdict)


def said(words: str, to: str) -> SkillEnd:
    call = SkillCall("tell", (("message", words), ("recipient", to)))
    return SkillEnd(SkillOutcome(call, succeeded=True), GroundTruth(0.0, 0.0, 0.0, 0.0, {}, {}), (words,))


@pytest.mark.parametrize(("having", "verdict"), [({"lemon": "anna", "bread": "ben"}, "done"), ({"lemon": "anna"}, "wrong")])
def test_all_of_a_group_must_get_something(home: tuple[Domain, Scene], having: dict[str, str], verdict: str) -> None:
    things, who = (("theme",), ("lemon", "bread", "snacks")), ("anna", "ben")
    acts = [labels.LabelledAct(("bring", "give"), (things, (("recipient",), (person,)))) for person in who]
    assert of_people(home, *acts, say="give snacks to everyone in the kitchen", moments=(), **having) == verdict


@pytest.mark.parametrize(
    ("words", "to", "verdict"), [("This is Anna.", "ben", "done"), ("Hello.", "ben", "wrong"), ("This is Anna.", "carla", "wrong")]
)
def test_who_is_introduced_is_named_to_the_right_person(home: tuple[Domain, Scene], words: str, to: str, verdict: str) -> None:
    act = labels.LabelledAct(("tell", "greet"), ((("recipient",), ("ben",)),))
    assert of_people(home, act, say="introduce her to ben", moments=(said(words, to),), introduced="anna") == verdict


@pytest.mark.parametrize("asked", ["what time is it", "what is your name"])
def test_a_question_is_answered_by_what_was_asked(home: tuple[Domain, Scene], asked: str) -> None:
    say = next(
        f"answer a question {n}" for n in range(99) if BENCHMARK.GpsrCommand(labels.Label(f"answer a question {n}"), {}, {}).asks == asked
    )
    act, right = labels.LabelledAct(("answer",)), {"what time is it": "It is 10:42 am.", "what is your name": "My name is Robbie."}
    verdicts = {answer: of_people(home, act, say=say, moments=(said(answer, "operator"),)) for answer in right.values()}
    assert verdicts[right[asked]] == "done"
    assert set(verdicts.values()) == {"done", "wrong"}


@pytest.mark.parametrize(("order", "who"), [("oldest", ["anna"]), ("youngest", ["ben"]), ("slimmest", ["anna", "ben"])])
def test_the_oldest_is_known_by_age_and_the_slimmest_by_nothing(home: tuple[Domain, Scene], order: str, who: list[str]) -> None:
    figures = home[1].people
    ages = {"anna": figures["anna"].model_copy(update={"age": "elder"}), "ben": figures["ben"].model_copy(update={"age": "child"})}
    scene = home[1].model_copy(update={"people": {**figures, **ages}})
    assert sys.modules["_gpsr_people"].fitting(scene, ["anna", "ben"], (), order) == who


def answers(home: tuple[Domain, Scene], command: Any, words: str, before: dict[str, str]) -> bool:
    """Whether these words answer the command's question."""
    return bool(sys.modules["_gpsr_answers"].SpokenAnswer(*home, command, before, words).is_right())


def test_a_thing_is_named_also_at_the_beginning_of_an_answer(home: tuple[Domain, Scene]) -> None:
    keep = labels.Expression("biggest", ()), labels.Expression("where", ("counter",))
    question = (labels.Expression("what|which", ("lemon|bread",)),)
    command = BENCHMARK.GpsrCommand(labels.Label("", keep=keep, question=question), {}, {})
    before = {"lemon": "desk", "bread": "counter"}
    assert answers(home, command, "The bread: 93% sure.", before)
    assert not answers(home, command, "The lemon: 93% sure.", before)


def test_a_person_is_described_and_not_the_things_beside_them(home: tuple[Domain, Scene]) -> None:
    domain, scene = home
    x, y, _ = domain.places["counter"].pose
    lying = scene.people["anna"].model_copy(update={"at": (x, y), "pose": "lying", "wears": {"shirt": "pink"}})
    cast = scene.model_copy(update={"people": {**scene.people, "anna": lying}})
    act = labels.LabelledAct(("describe",), ((("theme",), ("anna",)),))
    label = labels.Label("describe the person lying down at the counter", do=((act,),), keep=(labels.Expression("where", ("counter",)),))
    command = BENCHMARK.GpsrCommand(label, {}, {}, looks=("lying",), cast=cast)
    assert answers((domain, cast), command, "Anna is lying down and wearing a pink shirt (100%).", {"lemon": "counter"})
    assert not answers((domain, cast), command, "Anna is lying down and wearing a blue shirt (100%).", {"lemon": "counter"})


def test_spoken_commands_need_a_synthesiser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BENCHMARK, "voices", lambda: ())
    [row] = BENCHMARK.run(quick=True, only="spoken")
    assert (row.value, row.reason) == (None, "no synthesiser: apt install flite espeak-ng")


def test_the_rows_of_spoken_commands_name_the_voices_and_the_programs_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    done = SimpleNamespace(verdict="done", smooth=True, command=SimpleNamespace(describes_people=False, form="greet"))
    monkeypatch.setattr(BENCHMARK, "_carried_out", lambda *_, **__: [done])
    monkeypatch.setattr("shutil.which", lambda program: f"/usr/bin/{program}")
    assert {row.reason for row in BENCHMARK.run(limit=15, only="spoken")} == {"said by flite rms, flite kal16"}
    monkeypatch.setattr("shutil.which", lambda program: None if program == "flite" else f"/usr/bin/{program}")
    alone = "said by espeak-ng en-us+f4, espeak-ng en-gb+m7; flite not installed"
    assert {row.reason for row in BENCHMARK.run(limit=50, only="spoken")} == {alone}
    assert {row.reason for row in BENCHMARK.run(limit=50, only="text")} == {""}


@pytest.mark.long("runs a benchmark")
def test_a_quick_run_has_a_row_for_each_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(load_scene())
    try:
        picture_of(simulation)
    finally:
        simulation.close()
    file = tmp_path / "gpsr.json"
    monkeypatch.setattr(sys, "argv", ["sayso", "bench", "gpsr", "--quick", "--set", "text", "--json", str(file)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    rows = {row["measure"]: row for row in json.loads(file.read_text())["rows"]}
    assert rows["commands done, from text"]["n"] == 3
    shares = [rows[f"{name}, from text"]["value"] for name in (
        "commands done", "not started: asked or declined", "started, and said to have failed", "said to be done, and not done",
    )]  # fmt: skip
    assert sum(shares) == pytest.approx(100.0)
