"""Which turns of a dialogue are stored: confirmed, chosen and corrected actions, with the situation of their command."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hand_made import CUPS, belief, clause, role
from sayso.domain import load_domain
from sayso.selection import ActionSelector, Dialogue, Feedback, Memory
from sayso.types import Action, Clause, Context

HOME = load_domain()
CUP = clause(HOME, "bring", role("theme", "the cup", *CUPS))
RED = clause(HOME, "bring", role("theme", "the red cup", "red_cup"))
CHATTER = clause(HOME, "go_to", out_of_scope=3.0)
KITCHEN, DESK = Context(place="kitchen_table"), Context(place="desk", holding="pen", last_action="find")


def bring(thing: str) -> Action:
    return Action("bring", (("recipient", "operator"), ("theme", thing)))


class Home:
    """Selector, dialogue, feedback and memory, wired as in the node action_selector."""

    def __init__(self) -> None:
        self.memory = Memory(HOME, None)
        self.feedback, self.dialogue = Feedback(self.memory), Dialogue(HOME)
        self.select = ActionSelector(HOME, learnt=self.memory)
        self.now = 0.0
        self.decision = ""

    def says(self, text: str, *clauses: Clause, context: Context | None = KITCHEN) -> None:
        self.now += 1.0
        said = replace(belief(HOME, *(clauses or (CHATTER,))), utterance_id=f"u{self.now:g}", text=text)

        def decide():  # type: ignore[no-untyped-def]
            self.feedback.note_context(said.utterance_id, context)
            return self.select(said, context)

        turns = self.dialogue.hear(said, None, decide, self.now)
        self.decision = turns[-1].belief.decision if turns else ""
        self.feedback.learn(turns, said.utterance_id)

    @property
    def learnt(self) -> list[tuple[Action, str, str]]:
        return [(event.action, event.how, event.situation.room) for event in self.memory.events]


@pytest.fixture
def home() -> Home:
    return Home()


def test_commands_that_run_without_a_question_are_not_learnt(home: Home) -> None:
    home.says("bring me the red cup", RED)
    assert home.decision == "execute"
    assert home.learnt == []


def test_a_choice_is_learnt_in_the_situation_of_the_command(home: Home) -> None:
    home.says("bring me the cup", CUP)
    home.says("the red one", context=DESK)
    assert home.decision == "execute"
    assert home.learnt == [(bring("red_cup"), "chosen", "kitchen")]


def test_declined_and_unanswered_questions_teach_nothing(home: Home) -> None:
    for answer in ("no", "never mind"):
        home.says("bring me the cup", CUP)
        home.says(answer)
    home.says("bring me the cup", CUP)
    home.feedback.learn(home.dialogue.check_timeout(home.now + 100.0))
    assert home.learnt == []


def test_a_later_correction_replaces_a_choice(home: Home) -> None:
    home.says("bring me the cup", CUP)
    home.says("the red one")
    home.says("no, the blue one", context=DESK)
    assert home.learnt == [(bring("blue_cup"), "corrected", "kitchen")]


def test_a_correction_of_a_running_command_is_learnt(home: Home) -> None:
    home.says("bring me the red cup", RED, context=DESK)
    home.says("no, the blue one")
    assert home.learnt == [(bring("blue_cup"), "corrected", HOME.room_of("desk"))]


def test_a_choice_that_is_cancelled_is_forgotten(home: Home) -> None:
    home.says("bring me the cup", CUP)
    home.says("the red one")
    home.says("no")
    assert home.learnt == []


def test_without_a_context_the_situation_is_empty(home: Home) -> None:
    home.says("bring me the cup", CUP, context=None)
    home.says("the red one")
    assert home.learnt == [(bring("red_cup"), "chosen", "")]


def test_the_robot_stops_asking_once_it_knows_the_habit(home: Home) -> None:
    asked = []
    for _ in range(8):
        home.says("bring me the cup", CUP)
        asked.append(home.decision)
        home.says("the red one" if home.decision == "ask" else "yes")
        home.now += 100.0  # too late for a correction of the last command
    assert asked[0] == "ask"
    assert asked[-1] == "confirm"  # a mistake with a cup costs three times the utility of success
    assert {action for action, _, _ in home.learnt} == {bring("red_cup")}
