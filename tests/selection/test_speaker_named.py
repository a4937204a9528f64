"""The speaker has a name: who says "bring it to Tom" may be Tom."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.domain import load_domain
from sayso.paths import project_root
from sayso.pipeline import Pipeline

HOME = """\
include: [sayso:skills.yaml, sayso:intents.yaml]
name: flat
speaker: {speaker}
places:
  kitchen: {{kind: room, pose: [0.0, 0.0, 0.0]}}
  table: {{names: [kitchen table], inside: kitchen, pose: [1.0, 0.5, 1.57], surface: true}}
  living_room: {{kind: room, pose: [4.0, 0.0, 3.14]}}
objects:
  red_cup: {{category: cup, attributes: {{color: red}}, usual: {{table: 3}}}}
  newspaper: {{category: newspaper, usual: {{table: 1}}}}
people:
  tom: {{names: [tom], usual: {{living_room: 1}}}}
  anna: {{names: [anna, mum], usual: {{kitchen: 1}}}}
"""


@pytest.fixture(scope="module", params=["tom", "anna"])
def pipeline(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    file = Path(tmp_path_factory.mktemp("home")) / "home.yaml"
    file.write_text(HOME.format(speaker=request.param), encoding="utf-8")
    return Pipeline(load_domain(file))


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("bring the newspaper to tom", "bring(recipient=tom, theme=newspaper)"),
        ("bring tom the newspaper", "bring(recipient=tom, theme=newspaper)"),
        ("give the red cup to anna", "give(recipient=anna, theme=red_cup)"),
        ("give mum the red cup", "give(recipient=anna, theme=red_cup)"),
        ("tell tom that dinner is ready", "tell(message=dinner is ready, recipient=tom)"),
        ("tell anna that dinner is ready", "tell(message=dinner is ready, recipient=anna)"),
        ("go to tom", "come_here(recipient=tom)"),
        ("follow tom", "follow(recipient=tom)"),
    ],
)
def test_each_of_the_home_can_be_named_whoever_speaks(pipeline: Pipeline, said: str, action: str) -> None:
    understood = pipeline.understand(said)
    assert (understood.decision, [str(each) for each in understood.actions]) == ("execute", [action]), understood.question


def test_me_is_who_speaks_and_a_stranger_is_nobody(pipeline: Pipeline) -> None:
    brought = pipeline.understand("bring me the newspaper")
    assert brought.actions[0].argument("recipient") == pipeline.domain.speaker
    assert pipeline.understand("bring the newspaper to tim").question == "I don't know Tim."


def test_the_words_of_a_home_for_who_speaks_are_no_names() -> None:
    eve = Pipeline(load_domain(project_root() / "examples" / "python" / "my_home.yaml"))
    assert [str(each) for each in eve.understand("tell eve that dinner is ready").actions] == [
        "tell(message=dinner is ready, recipient=eve)"
    ]
    assert eve.understand("who are you").decision == "answer"
