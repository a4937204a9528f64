"""The stages in order: from a sentence to a decision and a plan."""

import pytest

from hand_made import CUPS, belief, clause, role
from loaded import default_pipeline
from sayso.domain import load_domain
from sayso.pipeline import Pipeline, Understanding
from sayso.types import Clause, Context, IntentBelief, Transcript

DOMAIN = load_domain()


def understood(*clauses: Clause, rejected: str = "", context: Context | None = None) -> tuple[Pipeline, Understanding]:
    """A pipeline whose classifier returns these clauses, and its result."""

    def classify(transcript: Transcript) -> IntentBelief:
        return belief(DOMAIN, *clauses, rejected=rejected)

    pipeline = Pipeline(DOMAIN, classify)
    return pipeline, pipeline.understand("words", context)


def test_a_clear_command_gets_a_plan():
    _, result = understood(clause(DOMAIN, "bring", role("theme", "the red cup", "red_cup")))
    assert result.plan is not None
    assert [call.name for call in result.plan.ahead] == ["navigate_to", "look_for", "pick", "approach", "hand_over"]
    assert (result.plan.utterance_id, result.plan.stamp, result.plan.status) == ("u1", 12.5, "running")


def test_no_plan_before_the_question_is_answered():
    pipeline, result = understood(clause(DOMAIN, "bring", role("theme", "the cup", *CUPS)))
    assert result.plan is None
    answered = pipeline.answer(result, "the blue one")
    assert answered is not None
    assert answered.plan is not None
    assert answered.plan.ahead[0].argument("goal") == "kitchen_table"


def test_an_unrelated_sentence_is_not_an_answer():
    pipeline, result = understood(clause(DOMAIN, "bring", role("theme", "the cup", *CUPS)))
    assert pipeline.answer(result, "the weather is nice") is None


def test_a_rejected_utterance_gets_no_plan():
    _, result = understood(rejected="the sentence is empty")
    assert (result.plan, result.action_belief.decision) == (None, "reject")


def test_says_that_it_is_already_there():
    x, y, _ = DOMAIN.places["counter"].pose
    kitchen = clause(DOMAIN, "go_to", role("goal", "kitchen", "kitchen", kind="place"))
    _, result = understood(kitchen, context=Context(x=x, y=y, place="counter"))
    assert result.plan is not None
    assert (result.plan.status, result.plan.ahead, result.plan_reason) == ("succeeded", (), "I am at the kitchen.")


def test_a_battery_at_three_per_cent_declines_an_errand_with_the_reason_and_still_goes_to_charge():
    x, y, _ = DOMAIN.places["sofa"].pose
    low = Context(stamp=12.0, x=x, y=y, place="sofa", battery=0.03)
    _, errand = understood(clause(DOMAIN, "bring", role("theme", "the red cup", "red_cup")), context=low)
    assert errand.plan is not None
    assert (errand.plan.status, errand.plan.ahead) == ("failed", ())
    assert errand.plan_reason == "My battery is at 3%. That would take about 1%, and I keep 5% in reserve: I should charge first."
    _, charging = understood(clause(DOMAIN, "dock"), context=low)
    assert charging.plan is not None
    assert [call.name for call in charging.plan.ahead] == ["dock"]


def test_each_sentence_gets_its_own_id():
    pipeline, first = understood(clause(DOMAIN, "stop"))
    assert first.transcript.utterance_id != pipeline.understand("words").transcript.utterance_id


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    """With the trained classifier of models/."""
    return default_pipeline()


@pytest.mark.parametrize(
    ("sentence", "decision", "spoken"),
    [
        ("bring me the red cup from the kitchen", "execute", ""),
        ("go to the kitchen and bring me the blue book", "execute", ""),
        ("bring me the cup", "ask", "Do you want me to bring the red cup, the blue cup or the white cup to you?"),
        ("put the red cup", "ask", "Where should I put the red cup?"),
        ("go to the garage", "reject", "I don't know the garage."),
        ("don't go to the kitchen", "reject", "All right, I won't go to the kitchen."),
        ("pour me some milk", "ask", "What should I pour the milk into?"),
        ("tidy up the kitchen", "reject", "I can't tidy up."),
        ("the weather is nice today", "reject", "I don't think that was meant for me."),
        ("stop", "execute", ""),
    ],
)
def test_sentences_are_decided_as_people_expect(pipeline, sentence, decision, spoken):
    result = pipeline.understand(sentence)
    assert (result.action_belief.decision, result.action_belief.question) == (decision, spoken)


@pytest.mark.parametrize(
    ("sentence", "actions"),
    [
        ("get to know ben and introduce him to anna", "greet tell"),
        ("go to the desk and meet anna and go after her", "go_to greet follow"),
        ("pinpoint the red cup and bring it to me", "bring"),
        ("welcome anna and lead her to the sofa", "greet guide"),
        ("conduct anna to the kitchen", "guide"),
        ("come after ben", "follow"),
        ("distribute snacks to all the people in the kitchen", "go_to"),  # to see who is there
        ("count the cups on the kitchen table and report to me", "survey"),
        ("tell me what is the right most object on the desk", "survey"),
    ],
)
def test_what_the_recogniser_expects_beyond_the_examples_is_understood(pipeline, sentence, actions):
    result = pipeline.understand(sentence)
    assert (result.decision, " ".join(action.name for action in result.actions)) == ("execute", actions)


@pytest.mark.parametrize("sentence", ["", "   ", "?!", "word " * 10_000, "\x00\ufffd"])
def test_bad_input_is_rejected_with_a_reason(pipeline, sentence):
    result = pipeline.understand(sentence)
    assert result.action_belief.decision == "reject"
    assert result.action_belief.reason
