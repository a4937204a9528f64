"""Spoken tasks in one process, judged by the ground truth: done, done in spite of failing skills, honest when not done."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from drawing import picture_of
from hand_made import transcript
from sayso.console.bench import load_benchmark
from sayso.console.transcribe import transcripts
from sayso.domain import load_domain
from sayso.errors import SimulationError
from sayso.evaluation.circumstances import Troubles
from sayso.evaluation.execution import Execution, Rehearsal
from sayso.grounding import VisualGrounder
from sayso.paths import config_dir, project_root
from sayso.scene import load_scene
from sayso.scene.layout import surfaces_of
from sayso.speech.recognise import SpeechToText
from sayso.types import Transcript
from sayso.yaml_source import read_yaml


@pytest.fixture(scope="module")
def warehouse() -> Iterator[Rehearsal]:
    domain = load_domain(config_dir() / "warehouse.yaml")
    rehearsal = Rehearsal(domain, load_scene(config_dir() / domain.scene), VisualGrounder())
    picture_of(rehearsal.simulation)
    yield rehearsal
    rehearsal.close()


def said(text: str) -> Transcript:
    return transcript((text, 1.0))


def skills(execution: Execution) -> list[str]:
    return [outcome.call.name + ("" if outcome.succeeded else "!") for outcome in execution.outcomes]


def test_a_spoken_task_is_done_in_the_warehouse(warehouse: Rehearsal) -> None:
    file = config_dir() / "sentences" / "put_the_blue_book_on_the_desk.flac"
    heard = next(transcripts(file, SpeechToText(warehouse.domain)))
    execution = warehouse(heard)
    assert execution.done, execution.checks
    assert skills(execution) == ["navigate_to", "look_for", "pick", "navigate_to", "place"]
    assert warehouse.simulation.truth().location("blue_book") == "desk"


def test_an_interrupted_skill_is_tried_again_and_the_task_succeeds(warehouse: Rehearsal) -> None:
    execution = warehouse(said("find the phone"), seed=2, troubles=Troubles({"navigate_to": 0.6, "look_for": 0.3}))
    assert execution.failed_skills >= 1
    assert "something is in the way" in {outcome.reason for outcome in execution.outcomes}
    assert execution.done, execution.checks


def test_a_task_that_cannot_succeed_is_not_said_to_be_done(warehouse: Rehearsal) -> None:
    execution = warehouse(said("go to the office"), troubles=Troubles({"navigate_to": 1.0}))
    assert not execution.done
    assert skills(execution) == ["navigate_to!"] * 3
    assert execution.outcome is not None and "something is in the way" in execution.outcome.reason


def test_what_was_not_understood_is_no_task_done(warehouse: Rehearsal) -> None:
    execution = warehouse(said("bring me the box"))  # there are several
    assert execution.outcomes == ()
    assert not execution.done


def test_a_person_who_is_asked_for_a_word_says_it_and_the_task_is_done(warehouse: Rehearsal) -> None:
    doubtful = transcript(("go to the dock", 0.8), ("go to the desk", 0.2))
    unanswered, answered = warehouse(doubtful), warehouse(doubtful, meant="go to the dock")
    assert (unanswered.done, unanswered.asked, unanswered.outcomes) == (False, False, ())
    assert answered.asked
    assert answered.done, answered.checks


@pytest.mark.long("acts out one more errand")
def test_a_person_names_the_word_also_if_the_robot_heard_another_one_better(warehouse: Rehearsal) -> None:
    execution = warehouse(transcript(("go to the desk", 0.8), ("go to the dock", 0.2)), meant="go to the dock")
    assert execution.asked
    assert execution.done, execution.checks


def test_a_question_about_something_else_is_not_answered(warehouse: Rehearsal) -> None:
    execution = warehouse(transcript(("go to the desk", 0.6), ("go to the dock", 0.4)), meant="go to the office")
    assert (execution.done, execution.asked, execution.outcomes) == (False, False, ())


@pytest.mark.long("acts out one more errand")
def test_an_unintended_task_done_without_a_question_does_not_count_as_done(warehouse: Rehearsal) -> None:
    execution = warehouse(said("go to the desk"), meant="go to the dock")
    assert execution.outcome is not None and execution.outcome.succeeded
    assert not execution.done


@pytest.mark.long("acts out one more errand")
def test_the_same_seed_gives_the_same_task(warehouse: Rehearsal) -> None:
    one, other = (warehouse(said("go to the dock"), seed=3, troubles=Troubles({"dock": 0.5})) for _ in range(2))
    assert one.outcomes == other.outcomes


def test_every_task_of_the_benchmark_is_recorded_and_makes_sense_in_both_worlds() -> None:
    settings = read_yaml(config_dir() / "tasks.yaml", "tasks").value
    assert len(settings["tasks"]) == 10
    assert all((config_dir() / name).is_file() for name in settings["tasks"])
    home = load_domain()
    assert set(settings["needed"]) <= {*home.places, *home.objects}
    assert set(settings["troubles"]["interrupted"]) <= set(home.skills)


@pytest.mark.long("acts out one more errand")
def test_a_tally_counts_tasks_done_and_tasks_done_at_the_first_try(warehouse: Rehearsal) -> None:
    benchmark = load_benchmark(project_root() / "benchmarks" / "tasks.py")
    smooth, rough = warehouse(said("go to the dock")), warehouse(said("go to the dock"), seed=3, troubles=Troubles({"dock": 0.9}))
    row = benchmark._row("tasks", [benchmark.HomeTally((smooth, rough))], goal=2)
    assert (smooth.failed_skills, rough.failed_skills > 0) == (0, True)
    assert row.value == 1 + rough.done
    assert row.baselines == {"giving up at the first failure": 1.0}


@pytest.mark.long("acts out one more errand")
def test_a_performance_tells_what_was_seen_and_decided_after_a_look(warehouse: Rehearsal) -> None:
    usual = warehouse.domain.objects["blue_book"].usual
    surfaces = [name for name, place in warehouse.domain.places.items() if place.surface and name in warehouse.scene.furniture]
    unusual = next(name for name in surfaces if name not in usual)
    words = f"give me the blue book from {warehouse.domain.spoken(unusual)}"
    played = warehouse.perform(said(words), lambda *_: None, {"blue_book": unusual}, seed=1)
    assert played.before.locations["blue_book"] == unusual
    assert [moment.outcome.call.name for moment in played.moments][:2] == ["navigate_to", "survey"]
    assert "blue_book" in played.found
    assert played.after.locations["blue_book"] == warehouse.domain.speaker


def test_a_world_with_more_things_than_room_is_refused(warehouse: Rehearsal) -> None:
    small = min(
        warehouse.scene.furniture, key=lambda name: sum(4 * area.half[0] * area.half[1] for area in surfaces_of(warehouse.scene, name)) or 9
    )
    with pytest.raises(SimulationError, match="there is no room for"):
        warehouse.perform(said("stop"), lambda *_: None, dict.fromkeys(warehouse.scene.objects, small))
