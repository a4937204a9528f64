"""The stages in the terminal: what a person reads while the robot listens, thinks and acts."""

import io
import math
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from sayso.console.drawing import BAR, bar
from sayso.console.stages import RobotSpeech, SkillProgress, StageView, plain_console
from sayso.representation import Condition, Description, Modifiers, Relation, Timing
from sayso.types import (
    Action,
    ActionBelief,
    ActionCandidate,
    Clause,
    Grounding,
    IntentBelief,
    ObjectBelief,
    Outcome,
    PlanState,
    Role,
    SkillCall,
    SkillOutcome,
    Transcript,
    TranscriptAlternative,
)

TEXT = "bring me the red cup from the kitchen"
RED = Action("bring", (("recipient", "operator"), ("theme", "red_cup")))
BLUE = Action("bring", (("recipient", "operator"), ("theme", "blue_cup")))
WHAT = (("theme", "red_cup"),)
CALLS = (SkillCall("navigate_to", (("goal", "counter"),)), SkillCall("look_for", WHAT), SkillCall("pick", WHAT))

HEARD = Transcript("u", 1.0, (TranscriptAlternative(TEXT, math.log(0.8)), TranscriptAlternative("bring me the cup", math.log(0.2))), 0.94)
NOISE = Transcript("u", 1.0, (), 0.1, rejected="too unlike a sentence of this home")
ROLES = (
    Role("theme", "the red cup", 9, 20, "red_cup", "object", 0.98, (("red_cup", 0.98), ("coke", 0.3))),
    Role("extent", "two meters", 0, 3, kind="quantity", value=2.0, unit="m"),
    Role("goal", "the castle", 0, 3, kind="place"),
)
CLAUSE = Clause(TEXT, 0, 37, "bring", np.array([0.1, 0.899, 0.001]), ROLES, -3.0)
INTENTS = IntentBelief("u", 1.0, TEXT, ("go_to", "bring", "stop"), (CLAUSE,))
STRANGE = IntentBelief("u", 1.0, "x", ("a", "b"), (Clause("x", 0, 1, "a", np.array([0.6, 0.4]), (), 2.5),), rejected="no command")
CANDIDATES = (ActionCandidate(0, RED, 1.0, 0.5, 0.93, 0.9), ActionCandidate(0, BLUE, 1.0, 0.5, 0.07, -3.0))
EXECUTE = ActionBelief("u", 1.0, CANDIDATES, "execute", "sure enough")
ASK = ActionBelief("u", 1.0, CANDIDATES, "ask", "two cups fit", "Which cup do you mean?", (RED, BLUE))
SEEN = Grounding("u", 1.0, "red_cup", "the red cup", np.full((2, 2), 0.25), math.log(4), 0.93, True, (1.0, 2.0), (10.2, 0.5, 0.95))
UNSEEN = Grounding("u", 1.0, "red_cup", "the red cup", np.full((2, 2), 0.25), math.log(4), 0.03, False)
PLAN = PlanState("u", 1.0, str(RED), "running", CALLS[:1], CALLS[1:], 0.72, 0.81)
FAILED = SkillOutcome(CALLS[2], False, "nothing within 6 cm", 2.3)
DONE = Outcome("u", 1.0, True, str(RED), "", 71.2)
ALL = (
    HEARD,
    NOISE,
    INTENTS,
    STRANGE,
    EXECUTE,
    ASK,
    SEEN,
    UNSEEN,
    PLAN,
    SkillProgress(CALLS[0], 0.4, "2.3 m to go"),
    FAILED,
    SkillOutcome(CALLS[0], True, "", 12.3),
    ObjectBelief("red_cup", ("counter", "sink"), np.array([0.8, 0.2])),
    DONE,
    RobotSpeech("Here you are."),
)


def printed(*stages: object, width: int = 80, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    console = Console(file=file, width=width, highlight=False, emoji=False, markup=False)
    view = StageView(console)
    for stage in stages:
        view.show(stage, 0.25)  # type: ignore[arg-type]
    return raw.getvalue().decode(encoding)


def test_shows_what_was_heard_with_the_probability_of_each_text() -> None:
    text = printed(HEARD)
    assert f"heard    “{TEXT}”" in text
    assert f"0.80 {TEXT}" in text
    assert "0.20 bring me the cup" in text
    assert "confidence 0.94" in text
    assert "+0.25 s" in text


def test_says_why_nothing_was_heard() -> None:
    assert "✗ too unlike a sentence of this home" in printed(NOISE)


def test_orders_intents_by_probability_and_leaves_out_what_rounds_to_nothing() -> None:
    text = printed(INTENTS)
    assert text.index("0.90 bring") < text.index("0.10 go_to")
    assert "stop" not in text


def test_links_roles_to_entities_and_quantities() -> None:
    text = printed(INTENTS)
    assert "theme “the red cup” → red_cup  0.98  or coke 0.30" in text
    assert "extent “two meters” → 2 m" in text
    assert "goal “the castle” → ?" in text


def test_says_how_far_out_of_scope_a_clause_is() -> None:
    assert "out of scope by 2.5 nats" in printed(STRANGE)
    assert "out of scope" not in printed(INTENTS)


def test_shows_the_decision_and_numbers_the_options_of_a_question() -> None:
    text = printed(ASK)
    assert "0.93 bring(recipient=operator, theme=red_cup)" in text
    assert "ask: two cups fit" in text
    assert "“Which cup do you mean?”" in text
    assert f"2 {BLUE}" in text
    assert "execute: sure enough" in printed(EXECUTE)


def test_shows_moods_conditions_and_descriptions_in_words() -> None:
    bread = Description("the bread", 24, 33, "bread")
    described = Description("the cup next to the bread", 9, 33, "cup", relations=(Relation("next_to", (bread,)),))
    what = Role("theme", "the cup", 9, 16, "red_cup", "object", 0.95, description=described)
    waits = Condition("when", "when anna comes", 34, 49, Description("anna", 39, 43, "anna"), event="come")
    modifiers = Modifiers("hint", conditions=(waits,), timings=(Timing("in", "in five minutes", 50, 65, 300.0),), repeat=2)
    clause = Clause(TEXT, 0, 37, "bring", np.array([0.1, 0.899, 0.001]), (what,), -3.0, modifiers=modifiers, left_over=("jazzy",))
    text = printed(IntentBelief("u", 1.0, TEXT, ("go_to", "bring", "stop"), (clause,)))
    assert "theme “the cup next to the bread” → the cup, next to (the bread)" in " ".join(text.split())
    assert [line.strip() for line in text.splitlines()[-5:]] == [
        "a hint",
        "when (anna) come",
        "in 5 min",
        "2 times",
        "not understood: “jazzy”",
    ]


def test_shows_what_is_decided_after_a_look() -> None:
    assert "then decides about “bring me the cup”" in printed(replace(EXECUTE, then="bring me the cup"))


def test_shows_the_best_action_of_each_part_of_a_clause() -> None:
    both = (*CANDIDATES, ActionCandidate(0, BLUE, 1.0, 0.5, 0.9, 0.9, part=1), ActionCandidate(0, RED, 1.0, 0.5, 0.1, -3.0, part=1))
    text = printed(replace(EXECUTE, candidates=both))
    assert (text.count(str(RED)), text.count(str(BLUE))) == (1, 1)


def test_the_options_of_a_confirmation_have_no_numbers() -> None:
    assert f"1 {RED}" not in printed(replace(ASK, decision="confirm"))


def test_shows_doubt_as_a_share_of_the_greatest_entropy() -> None:
    text = printed(SEEN)
    assert "0.93 sure" in text
    assert "1.00 doubt (entropy 1.39 nats)" in text
    assert "at (10.20, 0.50, 0.95) m" in text
    assert "not here" in printed(UNSEEN)


def test_marks_what_is_done_now_and_ahead() -> None:
    assert "✓ navigate_to(counter)  ▶ look_for(red_cup)  · pick(red_cup)" in printed(PLAN)
    assert "value 0.72, at most 0.81" in printed(PLAN)


def test_says_why_a_skill_failed() -> None:
    assert "✗ pick(red_cup): nothing within 6 cm  2.3 s" in printed(FAILED)


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal_or_ends_in_blanks(width: int) -> None:
    for line in printed(*ALL, width=width).splitlines():
        assert len(line) <= min(width, 100)
        assert line == line.rstrip()


def test_a_pipe_gets_no_colour_codes_and_80_columns() -> None:
    file = io.StringIO()
    view = StageView(plain_console(file))
    for stage in ALL:
        view.show(stage)
    assert "\x1b" not in file.getvalue()
    assert max(map(len, file.getvalue().splitlines())) <= 80


def test_text_of_users_is_never_taken_for_markup() -> None:
    assert "[red]x[/red] :smile:" in printed(Outcome("u", 1.0, False, "", "[red]x[/red] :smile:"))


def test_prints_on_an_ascii_only_output() -> None:
    assert "# " in printed(*ALL, encoding="ascii")


def test_bar_is_as_long_as_the_probability() -> None:
    assert bar(0.0) == ""
    assert bar(1.0) == "█" * BAR
    assert len(bar(0.5)) == BAR // 2
    assert bar(7.0) == bar(1.0)
