"""What a decision makes of times, conditions and standing rules, through the dialogue, as the node does it."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest

from hand_made import CUPS, belief, clause, role
from sayso.agenda import Agenda, Now
from sayso.domain import load_domain
from sayso.representation import Condition, ConditionName, Description, Modifiers, Mood, Relation, Timing, TimingName
from sayso.selection import ActionSelector, AgendaKeeper, Dialogue, Turn
from sayso.types import ActionBelief, Clause, Context, ObjectBelief, Outcome, PlanState

HOME = load_domain()
SELECT = ActionSelector(HOME)
START = datetime(2026, 11, 23, 17, 0).timestamp()
KITCHEN, BEDROOM, BED = (
    clause(HOME, "go_to", role("goal", f"the {place}", place, kind="place")) for place in ("kitchen", "bedroom", "bed")
)
CUP = clause(HOME, "bring", role("theme", "the red cup", "red_cup"))
ANY_CUP = clause(HOME, "bring", role("theme", "the cup", *CUPS))
DOCK = clause(HOME, "dock")
ANNA = Description("anna", 0, 0, head="anna", candidates=(("anna", 1.0),))
DOORBELL = Description("the doorbell", 0, 0, head="doorbell", unknown=("doorbell",))
YOU = Description("you", 0, 0, pronoun="you")


def timing(kind: TimingName, seconds: float = math.nan, text: str = "", problem: str = "") -> Timing:
    return Timing(kind, text or kind, 0, 0, seconds, problem=problem)


def condition(kind: ConditionName, text: str, subject: Description = ANNA, **fields: object) -> Condition:
    return Condition(kind, f"{kind} {text}", 0, 0, subject, **fields)  # type: ignore[arg-type]


IN_FIVE, AT_SIX, TODAY = timing("in", 300.0), timing("at", 6 * 3600.0, "at six"), timing("today", text="today")
COMES, HERE = condition("when", "anna comes", event="come"), condition("if", "anna is here", attribute="here")
BEFORE = condition("before", "you charge", YOU, event="charge")


def said(what: Clause, *modifying: Timing | Condition, mood: Mood = "request", negated: bool = False) -> Clause:
    timings = tuple(each for each in modifying if isinstance(each, Timing))
    conditions = tuple(each for each in modifying if isinstance(each, Condition))
    return replace(what, modifiers=Modifiers(mood=mood, conditions=conditions, timings=timings), negated=negated)


class Robot:
    """Selector, dialogue and agenda, joined as in the node. Both clocks start together."""

    def __init__(self) -> None:
        self.keeper = AgendaKeeper(HOME, Agenda(HOME))
        self.dialogue = Dialogue(HOME)
        self.dialogue.settle = lambda belief, now: self.keeper(belief, self.at(now))
        self.now = START
        self.context = Context(place="sofa")
        self.count = 0

    def at(self, ros: float) -> Now:
        return Now(ros, ros)

    def hears(self, *clauses: Clause, text: str = "words") -> ActionBelief:
        """The last decision on this utterance."""
        return self.turns(*clauses, text=text)[-1].belief

    def turns(self, *clauses: Clause, text: str = "words") -> list[Turn]:
        self.count += 1
        utterance = replace(belief(HOME, *clauses), utterance_id=f"u{self.count}", text=text, stamp=self.now)
        self.look()
        self.keeper.note(utterance)
        return self.taken(self.dialogue.hear(utterance, None, lambda: SELECT(utterance, None), self.now))

    def answers(self, text: str) -> ActionBelief:
        return self.taken(self.dialogue.answer(text, self.now))[-1].belief

    def taken(self, turns: list[Turn]) -> list[Turn]:
        for turn in turns:
            if turn.belief.decision == "reject":
                self.keeper.rejected(turn.belief)
        return turns

    def look(self) -> None:
        self.keeper.observe(self.context, self.dialogue.whereabouts, self.at(self.now))

    def waits(self, seconds: float) -> ActionBelief | None:
        """What the robot begins after that time, if anything."""
        self.now += seconds
        self.look()
        begun = self.keeper.next_task(self.at(self.now), self.keeper.facts)
        return self.taken(self.dialogue.begin(begun, self.now))[-1].belief if begun else None

    def finishes(self, done: ActionBelief, succeeded: bool = True, reason: str = "") -> None:
        self.keeper.concluded(Outcome(done.utterance_id, self.now, succeeded, "", reason))

    def listed(self) -> list[str]:
        return [f"{entry.what} {entry.when}".strip() for entry in self.keeper.entries(self.at(self.now))]


@pytest.fixture
def robot() -> Robot:
    return Robot()


def names(decided: ActionBelief | None) -> list[str]:
    assert decided is not None
    return [str(action) for action in decided.chosen]


def test_a_command_without_time_or_condition_is_not_touched(robot: Robot) -> None:
    decided = robot.hears(KITCHEN)
    assert (decided.decision, decided.question, decided.notes) == ("execute", "", ("the robot's context is unknown: neutral prior",))
    assert robot.listed() == []


def test_in_five_minutes_is_kept_acknowledged_and_carried_out(robot: Robot) -> None:
    decided = robot.hears(said(KITCHEN, IN_FIVE), text="go to the kitchen in five minutes")
    assert decided.decision == "defer"
    assert decided.question == "All right: in 5 minutes I will go to the kitchen."
    assert robot.listed() == ["go to the kitchen in 5 minutes"]
    assert robot.waits(299.0) is None
    begun = robot.waits(1.0)
    assert begun is not None
    assert (begun.decision, names(begun)) == ("execute", ["go_to(goal=kitchen)"])
    assert begun.utterance_id != decided.utterance_id
    assert begun.question == "It is time: I will go to the kitchen."
    assert begun.notes == ("due: task 1, said “go to the kitchen in five minutes”",)
    assert robot.listed() == []
    assert robot.waits(1000.0) is None


@pytest.mark.parametrize(
    ("modifying", "when"),
    [
        ((AT_SIX,), "at 6 pm"),
        ((COMES,), "when Anna comes"),
        ((BEFORE,), "before I charge"),
        ((timing("every", 86400.0, "every morning"), timing("at", 8 * 3600.0, "at eight")), "every day at 8 am"),
        ((AT_SIX, HERE), "at 6 pm if Anna is here"),
        ((timing("in", 300.0), COMES), "in 5 minutes when Anna comes"),
        ((condition("when", "you are done", YOU, attribute="done"),), "when I am done"),
    ],
)
def test_the_acknowledgement_says_when(robot: Robot, modifying: tuple[Timing | Condition, ...], when: str) -> None:
    assert robot.hears(said(KITCHEN, *modifying)).question == f"All right: {when} I will go to the kitchen."
    assert robot.listed() == [f"go to the kitchen {when}"]


@pytest.mark.parametrize(
    ("modifying", "line"),
    [
        (timing("at", problem="yesterday has passed"), "Yesterday has passed."),
        (timing("in", -300.0), "I can't do that: that time has passed."),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_said_at_once_and_nothing_is_done(robot: Robot, modifying: Timing | Condition, line: str) -> None:
    decided = robot.hears(said(CUP, modifying))
    assert (decided.decision, decided.question) == ("reject", line)
    assert robot.listed() == []


@pytest.mark.parametrize(
    ("modifying", "question"),
    [
        (condition("when", "the doorbell rings", DOORBELL, event="ring"), "I can't notice when the doorbell rings. {} now?"),
        (condition("if", "anna is hungry", attribute="hungry"), "I can't tell whether Anna is hungry. {} anyway?"),
        (condition("after", "dinner", Description("dinner", 0, 0)), "I can't notice when dinner is. {} now?"),
    ],
)  # fmt: skip
def test_a_condition_that_cannot_be_noticed_is_asked_about(robot: Robot, modifying: Condition, question: str) -> None:
    decided = robot.hears(KITCHEN, said(CUP, modifying))
    both = "Shall I go to the kitchen and bring the red cup to you"
    assert (decided.decision, decided.question) == ("confirm", question.format(both))
    assert robot.listed() == []
    answered = robot.answers("yes")
    assert (answered.decision, names(answered)) == ("execute", ["go_to(goal=kitchen)", "bring(recipient=operator, theme=red_cup)"])


def test_a_declined_question_about_a_condition_does_nothing(robot: Robot) -> None:
    assert robot.hears(said(CUP, condition("if", "anna is hungry", attribute="hungry"))).decision == "confirm"
    assert robot.answers("no").decision == "reject"
    assert robot.listed() == []


def test_whenever_is_done_each_time(robot: Robot) -> None:
    decided = robot.hears(said(KITCHEN, COMES, mood="rule"))
    assert decided.question == "All right: whenever Anna comes I will go to the kitchen."
    for _ in range(2):
        robot.context = Context(place="sofa")
        assert robot.waits(60.0) is None
        robot.context = Context(place="sofa", visible=("anna",))
        begun = robot.waits(60.0)
        assert names(begun) == ["go_to(goal=kitchen)"]
        assert begun is not None
        robot.finishes(begun)
    assert robot.listed() == ["go to the kitchen whenever Anna comes"]


def test_a_habit_without_a_time_is_asked_about(robot: Robot) -> None:
    decided = robot.hears(said(KITCHEN, mood="rule"), text="always go to the kitchen")
    line = "I can't keep that as a habit: I don't know when to do it. Shall I go to the kitchen now?"
    assert (decided.decision, decided.question) == ("confirm", line)


def test_a_rule_with_a_condition_is_kept_and_named_when_it_counts(robot: Robot) -> None:
    works = condition("while", "anna's working", event="work")
    decided = robot.hears(said(BEDROOM, works, mood="rule", negated=True))
    assert decided.question == "All right: from now on I won't go to the bedroom while Anna's working."
    robot.now += 60.0
    assert robot.hears(BED).question.startswith("You told me not to go to the bedroom while Anna's working. Shall I ")


@pytest.mark.parametrize(
    "tested",
    [
        condition("if", "there's any milk left", Description("any milk", 0, 0)),
        condition("if", "you find it", YOU, event="find"),
    ],
)
def test_a_condition_that_acting_tells_needs_no_question(robot: Robot, tested: Condition) -> None:
    assert robot.hears(said(CUP, tested)).decision == "execute"


def test_a_condition_of_now_is_checked_now(robot: Robot) -> None:
    decided = robot.hears(said(KITCHEN, HERE))
    assert (decided.decision, decided.question) == ("answer", "I leave it: you wanted it only if Anna is here.")
    robot.context = Context(place="sofa", visible=("anna",))
    assert robot.hears(said(KITCHEN, HERE)).decision == "execute"
    unless = condition("unless", "anna is here", attribute="here")
    assert robot.hears(said(KITCHEN, unless)).decision == "answer"
    kitchen = Relation("in", (Description("the kitchen", 0, 0, candidates=(("kitchen", 1.0),)),))
    robot.context = Context()
    unknown = robot.hears(said(CUP, condition("if", "you are in the kitchen", YOU, relation=kitchen)))
    line = "I can't tell if I am in the kitchen. Shall I bring the red cup to you anyway?"
    assert (unknown.decision, unknown.question) == ("confirm", line)


def test_one_clause_now_and_one_later(robot: Robot) -> None:
    decided = robot.hears(CUP, said(KITCHEN, AT_SIX))
    assert (decided.decision, names(decided)) == ("execute", ["bring(recipient=operator, theme=red_cup)"])
    assert decided.question == "All right: at 6 pm I will go to the kitchen."
    assert "kept as task 1: at 6 pm" in decided.notes
    both = robot.hears(said(CUP, AT_SIX), said(BEDROOM, AT_SIX))
    assert both.question == "All right: at 6 pm I will bring the red cup to you and go to the bedroom."
    assert robot.listed()[1:] == ["bring the red cup to you and go to the bedroom at 6 pm"]


def test_the_time_counts_after_an_answer_too(robot: Robot) -> None:
    assert robot.hears(said(ANY_CUP, AT_SIX)).decision == "ask"
    assert robot.listed() == []
    decided = robot.answers("the blue one")
    assert (decided.decision, decided.question) == ("defer", "All right: at 6 pm I will bring the blue cup to you.")
    assert robot.listed() == ["bring the blue cup to you at 6 pm"]


def test_a_task_waits_until_the_robot_is_free_and_no_question_delays_it_for_ever(robot: Robot) -> None:
    robot.hears(said(KITCHEN, IN_FIVE))
    running = robot.hears(CUP)
    robot.keeper.planned(PlanState(running.utterance_id, robot.now, "bring", "running"))
    assert robot.waits(400.0) is None
    robot.keeper.planned(PlanState(running.utterance_id, robot.now, "bring", "succeeded"))
    robot.finishes(running)
    assert names(robot.waits(1.0)) == ["go_to(goal=kitchen)"]


def test_two_tasks_at_once_are_carried_out_one_after_the_other(robot: Robot) -> None:
    robot.hears(said(KITCHEN, IN_FIVE))
    robot.hears(said(CUP, IN_FIVE))
    first = robot.waits(300.0)
    assert names(first) == ["go_to(goal=kitchen)"]
    assert robot.waits(1.0) is None
    assert first is not None
    robot.finishes(first)
    assert names(robot.waits(1.0)) == ["bring(recipient=operator, theme=red_cup)"]


def test_a_decision_that_no_planner_takes_up_does_not_block_the_tasks(robot: Robot) -> None:
    robot.hears(said(KITCHEN, IN_FIVE))
    robot.hears(CUP)
    assert robot.waits(300.0) is not None


def test_while_stopped_nothing_begins_and_what_was_missed_is_said(robot: Robot) -> None:
    robot.hears(said(KITCHEN, IN_FIVE))
    robot.keeper.stopped = True
    told = robot.waits(300.0)
    assert told is not None
    assert (told.decision, told.question, told.chosen) == ("answer", "I did not go to the kitchen: the robot was stopped.", ())
    robot.keeper.stopped = False
    assert robot.waits(1.0) is None


def test_when_anna_comes(robot: Robot) -> None:
    robot.hears(said(CUP, COMES))
    assert robot.waits(60.0) is None
    robot.context = Context(visible=("anna",))
    assert names(robot.waits(60.0)) == ["bring(recipient=operator, theme=red_cup)"]


def test_after_an_outcome(robot: Robot) -> None:
    running = robot.hears(CUP)
    robot.keeper.planned(PlanState(running.utterance_id, robot.now, "bring", "running"))
    robot.hears(said(KITCHEN, condition("after", "you brought it", YOU, event="bring")))
    assert robot.waits(60.0) is None
    robot.finishes(running)
    assert names(robot.waits(1.0)) == ["go_to(goal=kitchen)"]


def test_before_charging_comes_the_task(robot: Robot) -> None:
    robot.hears(said(CUP, BEFORE), text="bring me the red cup before you charge")
    assert robot.waits(60.0) is None
    decided = robot.hears(KITCHEN, DOCK)
    assert names(decided) == ["go_to(goal=kitchen)", "bring(recipient=operator, theme=red_cup)", "dock()"]
    assert decided.question == "Before that, I will bring the red cup to you."
    assert robot.listed() == []
    assert names(robot.hears(DOCK)) == ["dock()"]


def test_a_task_that_fails_is_listed_with_the_reason(robot: Robot) -> None:
    robot.hears(said(KITCHEN, IN_FIVE))
    begun = robot.waits(300.0)
    assert begun is not None
    robot.finishes(begun, succeeded=False, reason="the way is blocked")
    (row,) = robot.keeper.entries(robot.at(robot.now), everything=True)
    assert (row.state, row.reason) == ("missed", "the way is blocked")


def test_never_mind_takes_the_task_back(robot: Robot) -> None:
    robot.hears(said(KITCHEN, IN_FIVE))
    assert robot.hears(clause(HOME, "go_to", out_of_scope=3.0), text="never mind").question == "All right, I leave it."
    assert robot.listed() == []
    assert robot.waits(300.0) is None


def test_a_prohibition_takes_the_same_action_back(robot: Robot) -> None:
    robot.hears(said(KITCHEN, AT_SIX))
    robot.now += 100.0
    decided = robot.hears(said(KITCHEN, negated=True), text="don't go to the kitchen")
    assert (decided.decision, decided.question) == ("defer", "All right: I won't go to the kitchen at 6 pm.")
    assert robot.listed() == []
    assert robot.hears(said(KITCHEN, negated=True)).question == "All right, I won't go to the kitchen."


@pytest.mark.parametrize("mood", ["rule", "prohibition"])
def test_a_rule_for_today_is_kept_asked_about_and_ends(robot: Robot, mood: Mood) -> None:
    decided = robot.hears(said(BEDROOM, TODAY, mood=mood, negated=True), text="don't go into the bedroom today")
    assert (decided.decision, decided.question) == ("defer", "All right: I won't go to the bedroom today.")
    assert robot.listed() == ["not go to the bedroom today"]
    robot.now += 60.0
    asked = robot.hears(BED)
    assert asked.decision == "confirm"
    assert asked.question == "You told me not to go to the bedroom today. Shall I go to the bed anyway?"
    assert robot.answers("no").decision == "reject"
    assert robot.hears(BEDROOM).question == "You told me not to go to the bedroom today. Shall I do it anyway?"
    done = robot.answers("yes")
    assert (done.decision, names(done)) == ("execute", ["go_to(goal=bedroom)"])
    robot.finishes(done)
    robot.now += 60.0
    assert robot.hears(BED).decision == "confirm"  # "yes" counted once
    robot.answers("no")
    robot.now += 86400.0
    assert robot.hears(BED).decision == "execute"


def test_a_rule_is_not_lifted_by_saying_it_again(robot: Robot) -> None:
    robot.hears(said(BEDROOM, mood="rule", negated=True))
    robot.now += 60.0
    assert robot.hears(said(BEDROOM, negated=True)).decision == "reject"
    assert robot.listed() == ["not go to the bedroom"]


def test_a_prohibition_beside_a_command_is_kept_and_never_carried_out(robot: Robot) -> None:
    """As from a selector that lets the command alone decide."""
    both = replace(belief(HOME, CUP, said(BEDROOM, mood="rule", negated=True)), utterance_id="u")
    decided = replace(SELECT(replace(both, clauses=(CUP, BEDROOM)), None), utterance_id="u")
    assert (decided.decision, len(decided.chosen)) == ("execute", 2)
    robot.keeper.note(both)
    (turn,) = robot.dialogue.begin(decided, robot.now)
    assert (turn.belief.decision, names(turn.belief)) == ("execute", ["bring(recipient=operator, theme=red_cup)"])
    assert turn.belief.question == "All right: from now on I won't go to the bedroom."
    alone = replace(belief(HOME, said(KITCHEN, mood="prohibition")), utterance_id="v")
    robot.keeper.note(alone)
    (turn,) = robot.dialogue.begin(SELECT(alone, None), robot.now)
    assert (turn.belief.decision, turn.belief.question) == ("reject", "All right, I won't go to the kitchen.")


def test_a_prohibition_withdraws_an_open_question(robot: Robot) -> None:
    assert robot.hears(ANY_CUP).decision == "ask"
    turns = robot.turns(said(BEDROOM, TODAY, negated=True), text="don't go into the bedroom today")
    assert [turn.belief.decision for turn in turns] == ["reject", "defer"]
    assert robot.listed() == ["not go to the bedroom today"]


def test_a_rule_without_an_end(robot: Robot) -> None:
    decided = robot.hears(said(BEDROOM, mood="rule", negated=True), text="never go into the bedroom")
    assert decided.question == "All right: from now on I won't go to the bedroom."
    robot.now += 1e8
    assert robot.hears(BED).decision == "confirm"


def test_dont_touch_covers_every_action_with_the_thing(robot: Robot) -> None:
    touch = replace(clause(HOME, "pick_up", role("theme", "the red cup", "red_cup")), text="don't touch the red cup")
    decided = robot.hears(said(touch, mood="rule", negated=True))
    assert decided.question == "All right: from now on I won't do anything with the red cup."
    robot.now += 60.0
    assert robot.hears(CUP).question == "You told me not to do anything with the red cup. Shall I bring the red cup to you anyway?"


def test_until_an_event_or_a_time(robot: Robot) -> None:
    until = timing("until", 6 * 3600.0, "until six")
    assert robot.hears(said(BEDROOM, until, negated=True)).question == "All right: I won't go to the bedroom until 6 pm."
    event = condition("until", "anna comes", event="come")
    assert robot.hears(said(KITCHEN, event, negated=True)).question == "All right: I won't go to the kitchen until Anna comes."
    ring = condition("until", "the phone rings", Description("the phone", 0, 0), event="ring")
    assert robot.hears(said(CUP, ring, negated=True)).question == "I can't notice when the phone rings."
    past = timing("until", problem="yesterday has passed")
    assert robot.hears(said(CUP, past, negated=True)).question == "Yesterday has passed."


def test_a_thing_in_a_forbidden_room_is_not_fetched_without_asking(robot: Robot) -> None:
    robot.hears(said(BEDROOM, mood="rule", negated=True))
    robot.now += 60.0
    robot.dialogue.whereabouts["red_cup"] = ObjectBelief("red_cup", ("nightstand", "counter"), np.array([0.95, 0.05]))
    assert robot.hears(CUP).question == "You told me not to go to the bedroom. Shall I bring the red cup to you anyway?"


def test_a_task_against_a_rule_is_asked_about_when_it_is_said(robot: Robot) -> None:
    robot.hears(said(BEDROOM, TODAY, negated=True))
    robot.now += 60.0
    assert robot.hears(said(BED, AT_SIX)).decision == "confirm"
    assert robot.answers("yes").question == "All right: at 6 pm I will go to the bed."
    assert names(robot.waits(3600.0)) == ["go_to(goal=bed)"]  # and not again when it is due
    tomorrow = replace(AT_SIX, day=1, text="tomorrow at six am")
    assert robot.hears(said(BED, tomorrow)).decision == "defer"  # the rule has ended by then


def test_a_task_that_a_later_rule_forbids_is_asked_about_when_it_is_due(robot: Robot) -> None:
    robot.hears(said(BED, AT_SIX))
    robot.now += 60.0
    robot.hears(said(BEDROOM, TODAY, negated=True))
    asked = robot.waits(3600.0)
    assert asked is not None
    assert (asked.decision, asked.question) == ("confirm", "You told me not to go to the bedroom today. Shall I go to the bed anyway?")
    assert robot.answers("no").decision == "reject"
    assert robot.listed() == ["not go to the bedroom today"]


def test_a_correction_that_a_rule_forbids_is_asked_about_and_ends_the_running_command(robot: Robot) -> None:
    robot.hears(said(BEDROOM, mood="rule", negated=True))
    robot.now += 60.0
    robot.hears(KITCHEN)
    turns = robot.turns(clause(HOME, "go_to", out_of_scope=3.0), text="no, to the bed")
    assert [turn.belief.decision for turn in turns] == ["reject", "confirm"]


def test_programs_list_and_take_back(robot: Robot) -> None:
    robot.hears(said(KITCHEN, AT_SIX))
    robot.hears(said(BEDROOM, mood="rule", negated=True))
    now = robot.at(robot.now)
    succeeded, message, entries = robot.keeper.requested("list", "", now)
    assert (succeeded, message, [entry.kind for entry in entries]) == (True, "2 tasks and rules", ["task", "rule"])
    assert robot.keeper.requested("take_back", "7", now) == (False, "no open task or rule has the id '7'", ())
    assert [entry.id for entry in robot.keeper.requested("take_back", "1", now)[2]] == ["1"]
    assert [entry.id for entry in robot.keeper.requested("take_back", "all", now)[2]] == ["2"]
    assert robot.keeper.requested("take_back", "all", now) == (True, "taken back: 0", ())
    assert [entry.state for entry in robot.keeper.requested("list_all", "", now)[2]] == ["taken back", "taken back"]
    assert robot.keeper.requested("sing", "", now) == (False, "no command 'sing': list, list_all, take_back", ())


def test_a_full_agenda_says_so(robot: Robot) -> None:
    for _ in range(100):
        robot.hears(said(KITCHEN, AT_SIX))
    assert robot.hears(said(KITCHEN, AT_SIX)).question == "My agenda is full: take a task back first."
    assert robot.hears(said(BEDROOM, mood="rule", negated=True)).question == "My agenda is full: take a task back first."
    assert len(robot.listed()) == 100
