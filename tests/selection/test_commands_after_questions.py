"""A command that follows a question is carried out as said; an answer that names or describes what is meant still is one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loaded import default_pipeline
from sayso.selection import Dialogue
from sayso.types import ActionBelief, Decision


def question(command: str, decision: Decision = "confirm") -> ActionBelief:
    """The robot asks whether it should do that."""
    belief = default_pipeline().understand(command).action_belief
    assert len(belief.chosen) == 1, command
    return replace(belief, decision=decision, options=belief.chosen, question=f"Should I {command}?")


def heard(about: ActionBelief, *texts: str) -> list[ActionBelief]:
    """What comes of the texts, one after another, said after that question or while that command runs."""
    dialogue, now = Dialogue(default_pipeline().domain, describe=default_pipeline().describe), 10.0
    dialogue.begin(about, now)
    found: list[ActionBelief] = []
    for text in texts:
        now += 1.0
        understood = default_pipeline().understand(text)
        said = replace(understood.intent_belief, utterance_id=f"u{now:g}", stamp=now)
        transcript = replace(understood.transcript, utterance_id=said.utterance_id, stamp=now)
        turns = dialogue.hear(
            said, transcript, lambda said=said: default_pipeline().select(said, default_pipeline().default_context()), now
        )  # type: ignore[misc]
        found += [turn.belief for turn in turns]
    return found


def done(beliefs: list[ActionBelief]) -> list[str]:
    return [str(action) for belief in beliefs if belief.decision == "execute" for action in belief.chosen]


COMMANDS = [
    ("look for the blue book", "bring me the red cup", "bring(recipient=operator, theme=red_cup)"),
    ("look for the blue book", "could you bring me the red cup please", "bring(recipient=operator, theme=red_cup)"),
    ("look for the blue book", "no, bring me the red cup", "bring(recipient=operator, theme=red_cup)"),
    ("look for the blue book", "i want the red cup", "bring(recipient=operator, theme=red_cup)"),
    ("bring me the red cup", "look for the blue book", "find(theme=blue_book)"),
    ("bring me the red cup", "go to the kitchen", "go_to(goal=kitchen)"),
    ("go to the kitchen", "bring me the apple", "bring(recipient=operator, theme=apple)"),
    ("put the milk on the desk", "go to the desk", "go_to(goal=desk)"),
    ("open the fridge", "go to the fridge", "go_to(goal=fridge)"),
    ("turn left", "go to the bedroom", "go_to(goal=bedroom)"),
]


@pytest.mark.parametrize(("asked", "said", "action"), COMMANDS)
def test_a_command_after_a_question_is_carried_out_as_said(asked: str, said: str, action: str) -> None:
    beliefs = heard(question(asked), said)
    assert all(str(each) == action for belief in beliefs[1:] for each in (*belief.chosen, *belief.options)), beliefs
    assert beliefs[0].decision == "reject"  # the question is withdrawn
    assert str(question(asked).chosen[0]) not in done(beliefs)


def test_a_command_that_cannot_be_done_is_no_answer() -> None:
    assert done(heard(question("go to the kitchen"), "pour me a glass of water")) == []


@pytest.mark.parametrize(("asked", "said", "action"), COMMANDS)
def test_a_command_with_no_before_it_is_not_taken_for_a_correction(asked: str, said: str, action: str) -> None:
    running = replace(question(asked), decision="execute", options=(), question="")
    beliefs = heard(running, f"no, {said.removeprefix('no, ')}")
    assert {str(each) for belief in beliefs for each in belief.chosen} - {str(running.chosen[0])} <= {action}


@pytest.mark.parametrize(
    ("asked", "said", "action"),
    [
        ("look for the blue book", "yes", "find(theme=blue_book)"),
        ("look for the blue book", "the red cup", "find(theme=red_cup)"),
        ("look for the blue book", "no, the red cup", "find(theme=red_cup)"),
        ("bring me the red cup", "no, the blue one", "bring(recipient=operator, theme=blue_cup)"),
        ("bring me the red cup", "the blue cup", "bring(recipient=operator, theme=blue_cup)"),
        ("bring me the red cup", "bring me the blue cup", "bring(recipient=operator, theme=blue_cup)"),
        ("go to the kitchen", "the bedroom", "go_to(goal=bedroom)"),
        ("go to the kitchen", "no, to the bedroom", "go_to(goal=bedroom)"),
    ],
)
def test_an_answer_that_names_what_is_meant_is_an_answer(asked: str, said: str, action: str) -> None:
    assert done(heard(question(asked), said)) == [action]


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("the red one", "red_cup"),
        ("the second one", "blue_cup"),
        ("bring me the blue cup", "blue_cup"),
        ("blue", "blue_cup"),
        ("i mean the white one", "white_cup"),
    ],
)
def test_an_answer_that_picks_an_option_is_an_answer(said: str, action: str) -> None:
    asked = default_pipeline().understand("bring me the cup").action_belief
    assert asked.decision == "ask"
    assert done(heard(asked, said)) == [f"bring(recipient=operator, theme={action})"]


def test_a_typed_command_is_no_answer_either() -> None:
    asked = default_pipeline().understand("bring me the cup")
    assert default_pipeline().answer(asked, "go to the kitchen") is None
    asked = replace(asked, action_belief=question("look for the blue book"))
    assert default_pipeline().answer(asked, "bring me the red cup") is None
    answered = default_pipeline().answer(asked, "the red cup")
    assert answered is not None
    assert [str(action) for action in answered.actions] == ["find(theme=red_cup)"]
