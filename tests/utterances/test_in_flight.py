"""What is lost between the stages is found, and what is not lost is left alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.supervision import OtherNode
from sayso.types import Action, ActionBelief, ActionCandidate, Choice, IntentBelief, Outcome, PlanState, Transcript, TranscriptAlternative
from sayso.utterances import Followed
from sayso.utterances.in_flight import PLANNER_GONE, RECOVERED_WITHIN, STAGE_WITHIN, InFlight

HEARD = Transcript("u", 5.0, (TranscriptAlternative("go to the kitchen", 0.0),), 1.0)
MEANT = IntentBelief("u", 5.0, "go to the kitchen", (), ())
GO = ActionCandidate(0, Action("go_to", (("goal", "kitchen"),)), 1.0, 1.0, 1.0, 1.0)
DECIDED = ActionBelief("u", 5.0, (GO,), "execute", "100% sure")
RUNNING = PlanState("u", 5.0, "go_to(goal=kitchen)", "running")
ARRIVED = Outcome("u", 9.0, succeeded=True, action="go_to(goal=kitchen)")
LATE = STAGE_WITHIN + 0.1


@pytest.fixture
def planner() -> OtherNode:
    node = OtherNode()
    node.beat("a", 0.0)
    return node


@pytest.fixture
def flights(planner: OtherNode) -> InFlight:
    made = InFlight(planner, OtherNode())
    made.transcript(HEARD, 0.0)
    return made


def test_a_sentence_that_no_stage_takes_up_is_lost_once(flights: InFlight) -> None:
    assert flights.lost(STAGE_WITHIN - 0.1) == []
    (lost,) = flights.lost(LATE)
    assert (lost.utterance_id, lost.stamp, lost.reason) == ("u", 5.0, "intent_classifier did not answer")
    assert flights.lost(100.0) == []


@pytest.mark.parametrize("messages", [(), (MEANT,), (MEANT, DECIDED), (MEANT, DECIDED, replace(RUNNING, status="succeeded"))])
def test_each_stage_has_its_own_deadline(flights: InFlight, messages: tuple[object, ...]) -> None:
    now = 0.0
    for message in messages:
        now += STAGE_WITHIN - 1.0
        feed(flights, message, now)
        assert flights.lost(now) == []
    assert len(flights.lost(now + LATE)) == 1


def feed(flights: InFlight, message: object, now: float) -> None:
    if isinstance(message, IntentBelief):
        flights.understood(message, now)
    elif isinstance(message, ActionBelief):
        flights.decided(message, now)
    elif isinstance(message, PlanState):
        flights.planned(message, now)
    elif isinstance(message, Outcome):
        flights.outcome(message)


def test_a_long_drive_is_not_lost_while_the_planner_lives(flights: InFlight, planner: OtherNode) -> None:
    feed(flights, RUNNING, 1.0)
    for second in range(1, 600):
        planner.beat("a", float(second))
        assert flights.lost(second + 0.5) == []


def test_what_the_planner_was_doing_is_lost_when_it_is_silent_or_starts_anew(flights: InFlight, planner: OtherNode) -> None:
    feed(flights, RUNNING, 1.0)
    planner.beat("a", 1.0)
    assert flights.lost(1.0 + PLANNER_GONE - 0.1) == []
    assert len(flights.lost(1.0 + PLANNER_GONE + 0.1)) == 1
    flights.transcript(replace(HEARD, utterance_id="v"), 10.0)
    planner.beat("a", 10.0)
    feed(flights, replace(RUNNING, utterance_id="v"), 10.0)
    planner.beat("b", 10.1)
    assert [each.reason for each in flights.lost(10.2)] == ["the planner was lost"]


def test_a_question_ends_it_and_its_answer_begins_it_anew(flights: InFlight) -> None:
    feed(flights, replace(DECIDED, decision="ask"), 1.0)
    assert flights.lost(100.0) == []
    flights.transcript(replace(HEARD, utterance_id="yes"), 100.0)
    feed(flights, replace(DECIDED, notes=("answered by utterance yes",)), 101.0)
    assert flights.followed.on_its_way == ("u",)
    assert len(flights.lost(101.0 + LATE)) == 1


def test_after_a_look_another_decision_is_due(flights: InFlight) -> None:
    feed(flights, replace(DECIDED, then="bring it"), 1.0)
    feed(flights, RUNNING, 2.0)
    feed(flights, replace(RUNNING, status="succeeded"), 3.0)
    feed(flights, DECIDED, 4.0)
    assert [each.reason for each in flights.lost(4.0 + LATE)] == ["planner did not answer"]


def test_what_the_recogniser_rejects_promises_nothing(planner: OtherNode) -> None:
    made = InFlight(planner, OtherNode())
    made.transcript(replace(HEARD, rejected="noise"), 0.0)
    assert made.lost(100.0) == []


def test_late_messages_do_not_begin_anew_what_was_given_up(flights: InFlight) -> None:
    assert flights.lost(LATE)
    flights.transcript(HEARD, 20.0)
    feed(flights, DECIDED, 21.0)
    assert flights.followed.on_its_way == ()


def test_what_an_earlier_watcher_followed_is_lost_unless_it_gives_a_sign(planner: OtherNode) -> None:
    made = InFlight(planner, OtherNode())
    made.recover(Followed(("runs", "ended", "gone")), 0.0)
    made.planned(replace(RUNNING, utterance_id="runs"), 0.1)
    made.outcome(replace(ARRIVED, utterance_id="ended"))
    planner.beat("a", RECOVERED_WITHIN)
    assert [each.utterance_id for each in made.lost(RECOVERED_WITHIN + 0.1)] == ["gone"]
    assert made.followed.on_its_way == ("runs",)


def test_what_ended_or_was_asked_about_is_not_lost_though_its_transcript_is_remembered_longer_than_its_end(planner: OtherNode) -> None:
    before = InFlight(planner, OtherNode())
    for name in ("over", "asked", "flies"):
        before.transcript(replace(HEARD, utterance_id=name), 0.0)
    before.outcome(replace(ARRIVED, utterance_id="over"))
    before.decided(replace(DECIDED, utterance_id="asked", decision="ask"), 0.0)
    for early in (True, False):  # remembered messages come before the journal is read, or after
        made = InFlight(planner, OtherNode())
        if not early:
            made.recover(before.followed, 0.0)
        for name in ("over", "asked", "flies"):
            made.transcript(replace(HEARD, utterance_id=name), 0.1)
        if early:
            made.recover(before.followed, 0.2)
        assert [each.utterance_id for each in made.lost(100.0)] == ["flies"]
        assert made.followed == Followed((), ("asked",), ("over", "flies"))


MESSAGES = st.sampled_from((HEARD, MEANT, DECIDED, replace(DECIDED, decision="ask"), RUNNING, replace(RUNNING, status="failed"), ARRIVED))


@given(st.lists(st.tuples(MESSAGES, st.floats(0.0, 15.0))))
def test_in_whatever_order_and_however_late_the_stages_answer_nothing_stays_for_ever(events: list[tuple[object, float]]) -> None:
    node = OtherNode()
    node.beat("a", 0.0)
    made, now, lost = InFlight(node, OtherNode()), 0.0, []
    for message, pause in events:
        now += pause
        node.beat("a", now)
        if isinstance(message, Transcript):
            made.transcript(message, now)
        feed(made, message, now)
        lost += made.lost(now)
    lost += made.lost(now + 100.0)
    assert made.followed.on_its_way == ()
    assert len(lost) == len({each.utterance_id for each in lost})


def test_a_watcher_that_starts_late_and_hears_the_question_first_does_not_take_its_sentence_for_lost(planner: OtherNode) -> None:
    made = InFlight(planner, OtherNode())
    made.decided(replace(DECIDED, decision="ask"), 1.0)
    made.transcript(HEARD, 1.1)
    assert made.lost(LATE + 2.0) == []


@pytest.mark.parametrize("restarted", [False, True])
def test_a_question_is_lost_with_the_action_selector_that_asked_it(planner: OtherNode, restarted: bool) -> None:
    selector = OtherNode()
    made = InFlight(planner, selector)
    made.transcript(HEARD, 0.0)
    made.decided(replace(DECIDED, decision="ask"), 1.0)
    selector.beat("first", 1.1)  # its sign of life may come after its question
    assert made.lost(2.0) == []
    selector.beat("second" if restarted else "first", 3.0)
    assert [each.reason for each in made.lost(3.1)] == ["action_selector was started again and has forgotten its question"] * restarted
    assert made.lost(4.0) == []


@pytest.mark.parametrize("over", [replace(DECIDED, decision="reject"), ActionBelief("other", 6.0, (), "reject", ""), ARRIVED])
def test_a_question_that_is_over_cannot_be_lost(planner: OtherNode, over: ActionBelief | Outcome) -> None:
    selector = OtherNode()
    made = InFlight(planner, selector)
    selector.beat("first", 0.0)
    made.decided(replace(DECIDED, decision="ask"), 1.0)
    if isinstance(over, Outcome):
        made.outcome(over)
    else:
        made.decided(over, 2.0)
    selector.beat("second", 3.0)
    assert [each for each in made.lost(3.1) if "question" in each.reason] == []


LOOKED = replace(RUNNING, status="asking")
WHICH = replace(DECIDED, decision="ask", options=(GO.action,), choices=(Choice("the left one", (1.0, 0.0, 0.9)),) * 2)
CHOSEN = replace(WHICH, decision="execute", reason="the left one", options=())


def asking(flights: InFlight) -> InFlight:
    for message in (MEANT, DECIDED, RUNNING, LOOKED):
        feed(flights, message, 1.0)
    return flights


def test_an_errand_that_waits_for_an_answer_is_not_lost(flights: InFlight, planner: OtherNode) -> None:
    feed(asking(flights), WHICH, 2.0)
    planner.beat("a", 200.0)
    assert flights.lost(200.0) == []
    feed(flights, CHOSEN, 200.0)
    assert flights.lost(201.0) == []
    feed(flights, RUNNING, 202.0)
    planner.beat("a", 300.0)
    assert flights.lost(300.0) == []
    assert "u" in flights


def test_an_errand_goes_on_even_if_the_plan_is_heard_before_the_answer(flights: InFlight, planner: OtherNode) -> None:
    feed(asking(flights), WHICH, 2.0)
    feed(flights, RUNNING, 3.0)
    feed(flights, CHOSEN, 3.1)
    planner.beat("a", 100.0)
    assert flights.lost(100.0) == []
    assert "u" in flights


def test_a_question_that_nobody_asks_is_lost(flights: InFlight) -> None:
    (lost,) = asking(flights).lost(1.0 + LATE)
    assert lost.reason == "action_selector did not ask which thing is meant"


@pytest.mark.parametrize("restarted", [True, False])
def test_an_errand_whose_planner_is_gone_while_it_waits_is_lost(flights: InFlight, planner: OtherNode, restarted: bool) -> None:
    planner.beat("a", 2.0)
    feed(asking(flights), WHICH, 2.0)
    assert flights.lost(2.0 + PLANNER_GONE / 2) == []
    if restarted:
        planner.beat("b", 3.0)
    (lost,) = flights.lost(3.0 if restarted else 2.1 + PLANNER_GONE)
    assert (lost.utterance_id, lost.reason) == ("u", "the planner was lost")
    assert flights.lost(100.0) == []


def test_a_question_before_the_plan_does_not_wait_for_a_planner(flights: InFlight, planner: OtherNode) -> None:
    feed(flights, replace(WHICH, choices=()), 1.0)
    planner.beat("b", 100.0)
    assert flights.lost(100.0) == []
