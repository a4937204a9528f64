"""The dialogue between a question and its answer."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from hand_made import CUPS, belief, clause, role
from sayso.domain import load_domain
from sayso.representation import Modifiers
from sayso.selection import ActionSelector, Dialogue, DialogueOptions, Turn
from sayso.types import ActionBelief, Clause, Context, IntentBelief, ObjectBelief, Transcript, TranscriptAlternative

DOMAIN = load_domain()
SELECT = ActionSelector(DOMAIN)
CUP = clause(DOMAIN, "bring", role("theme", "the cup", *CUPS))
PUT = clause(DOMAIN, "put", role("theme", "the red cup", "red_cup"))
RED = clause(DOMAIN, "bring", role("theme", "the red cup", "red_cup"))
KITCHEN = clause(DOMAIN, "go_to", role("goal", "the kitchen", "kitchen", kind="place"))
MILK = clause(DOMAIN, {"put": 0.75, "pour": 0.2}, role("theme", "milk", "milk"), role("goal", "sink", "sink", kind="place"))
CHATTER = clause(DOMAIN, "go_to", out_of_scope=3.0)


class Talk:
    """A dialogue with a person, with one second between utterances."""

    def __init__(self, *clauses: Clause, **options: float) -> None:
        self.dialogue = Dialogue(DOMAIN, DialogueOptions(**options))
        self.now = 10.0
        self.turns: list[Turn] = []
        if clauses:
            self.says("words", *clauses)

    def says(
        self, text: str, *clauses: Clause, others: tuple[tuple[str, float], ...] = (), confidence: float = 1.0, stamp: float = 0.0
    ) -> list[Turn]:
        """The turns after an utterance; `clauses` is the classifier's result (default: chatter), `others` the alternative texts."""
        self.now += 1.0
        name = f"u{self.now:g}"
        said = replace(belief(DOMAIN, *(clauses or (CHATTER,))), utterance_id=name, stamp=stamp or self.now, text=text)
        if confidence < 0.5:
            said = replace(said, clauses=(), rejected="not a sentence of this home")
        rest = 1.0 - sum(p for _, p in others)
        texts = tuple(TranscriptAlternative(words, math.log(p)) for words, p in ((text, rest), *others))
        heard = Transcript(name, said.stamp, texts, confidence, rejected=said.rejected)
        self.turns = self.dialogue.hear(said, heard, lambda: SELECT(said, Context()), self.now)
        return self.turns

    @property
    def last(self) -> ActionBelief:
        return self.turns[-1].belief

    @property
    def aloud(self) -> list[str]:
        return [turn.belief.question for turn in self.turns if turn.belief.question]

    @property
    def executed(self) -> list[str]:
        return [str(action) for turn in self.turns if turn.belief.decision == "execute" for action in turn.belief.chosen]


def test_a_question_of_the_person_leaves_the_question_of_the_robot_open():
    talk = Talk(CUP)
    why = replace(CHATTER, out_of_scope=-3.0, modifiers=Modifiers(mood="question", question="why_asked"))
    talk.says("why do you ask", why)
    assert (talk.last.decision, talk.executed) == ("answer", [])
    talk.says("the red one")
    assert talk.executed == ["bring(recipient=operator, theme=red_cup)"]


def test_questions_are_worded_unlike_the_command():
    assert Talk(CUP).aloud == ["Do you want me to bring the red cup, the blue cup or the white cup to you?"]
    assert Talk(MILK).aloud == ["Should the milk end up on the sink?"]
    assert Talk(PUT).aloud == ["Where should I put the red cup?"]


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "Yeah.",
        "yep",
        "sure",
        "yes please",
        "yes, do it",
        "that's right",
        "OK",
        "of course",
        "go ahead",
        "um, yes",
        "yes yes",
        "exactly",
    ],
)
def test_yes_has_many_wordings(text):
    talk = Talk(MILK)
    talk.says(text)
    assert talk.executed == ["put(goal=sink, theme=milk)"]
    assert talk.turns[0].answered is not None
    assert (talk.turns[0].answered.how, str(talk.turns[0].answered.action)) == ("confirmed", "put(goal=sink, theme=milk)")


@pytest.mark.parametrize(
    "text", ["no", "Nope.", "no thanks", "no, don't do that", "never mind", "no, leave it", "forget it", "that's wrong", "none of them"]
)
@pytest.mark.parametrize("question", [CUP, MILK, PUT])
def test_no_and_never_mind_have_many_wordings(text, question):
    talk = Talk(question)
    talk.says(text)
    assert (talk.last.decision, talk.aloud, talk.dialogue.open) == ("reject", ["All right, I won't."], None)
    assert talk.turns[0].answered is not None
    assert (talk.turns[0].answered.how, talk.turns[0].answered.action) == ("declined", None)


@pytest.mark.parametrize("text", ["don't stop", "no way to the kitchen", "yes sir no sir", "what a day", "now", "the right one is there"])
def test_a_sentence_that_only_begins_like_a_reply_is_no_reply(text):
    talk = Talk(MILK)
    talk.says(text)
    assert talk.executed == []
    assert talk.dialogue.open is not None


@pytest.mark.parametrize(
    ("text", "cup"),
    [
        ("the second one", "blue"),
        ("the last one", "white"),
        ("the blue one", "blue"),
        ("blue", "blue"),
        ("yes, the red one", "red"),
        ("I think the white cup", "white"),
    ],
)
def test_an_option_is_picked_by_ordinal_or_distinguishing_words(text, cup):
    talk = Talk(CUP)
    talk.says(text)
    assert talk.executed == [f"bring(recipient=operator, theme={cup}_cup)"]
    assert talk.turns[0].answered is not None
    assert talk.turns[0].answered.how == "chosen"


def test_the_one_on_the_table_is_resolved_by_known_places():
    talk = Talk(CUP)
    for cup, place in (("red_cup", "counter"), ("blue_cup", "coffee_table"), ("white_cup", "desk")):
        talk.dialogue.whereabouts[cup] = ObjectBelief(cup, (place, "sofa"), np.array([0.99, 0.01]))
    talk.says("the one on the table")
    assert talk.executed == ["bring(recipient=operator, theme=blue_cup)"]


def test_the_one_in_the_kitchen_stays_open_when_only_usual_places_are_known():
    talk = Talk(CUP)
    talk.says("the one in the kitchen")  # red 8/9, blue 7/8, white 1/3 by the domain file
    assert (talk.executed, talk.last.decision) == ([], "ask")
    assert "the red cup or the blue cup" in talk.last.question or "the red cup, the blue cup" in talk.last.question
    assert talk.turns[0].answered is not None
    assert talk.turns[0].answered.how == "open"


def test_both_of_three_is_asked_again():
    talk = Talk(CUP)
    talk.says("both of them")
    assert talk.aloud == ["There are 3. Do you want me to bring the red cup, the blue cup or the white cup to you?"]
    talk.says("the blue one")
    assert talk.executed == ["bring(recipient=operator, theme=blue_cup)"]


@pytest.mark.parametrize(
    ("text", "cups"),
    [
        ("all of them", ["red_cup", "blue_cup", "white_cup"]),
        ("all three", ["red_cup", "blue_cup", "white_cup"]),
        ("the red one and the white one", ["red_cup", "white_cup"]),
        ("the blue one and the red one please", ["blue_cup", "red_cup"]),
    ],
)
def test_several_options_are_all_executed(text, cups):
    talk = Talk(CUP)
    talk.says(text)
    assert talk.executed == [f"bring(recipient=operator, theme={cup})" for cup in cups]


def test_of_several_places_only_one_at_a_time():
    table = role("goal", "the table", ("coffee_table", 0.95), ("dining_table", 0.95), kind="place")
    talk = Talk(clause(DOMAIN, "go_to", table))
    question = talk.last.question
    talk.says("both")
    assert talk.aloud == [f"I can do only one of them at a time. {question}"]


@pytest.mark.parametrize("text", ["what?", "pardon", "I don't know", "say that again", "sorry, what did you say?"])
def test_the_question_is_repeated_on_request_without_limit(text):
    talk = Talk(CUP)
    question = talk.last.question
    for _ in range(5):
        talk.says(text)
        assert (talk.aloud, talk.last.decision) == ([question], "ask")


def test_no_preference_takes_the_most_probable_option_and_teaches_nothing():
    talk = Talk(CUP)
    talk.says("I don't care")
    assert talk.executed == ["bring(recipient=operator, theme=red_cup)"]
    assert talk.turns[0].answered is not None
    assert talk.turns[0].answered.action is None


def test_a_question_without_an_answer_is_withdrawn_aloud():
    talk = Talk(CUP, answer_within=30.0)
    assert talk.dialogue.check_timeout(talk.now + 29.9) == []
    (turn,) = talk.dialogue.check_timeout(talk.now + 30.1)
    assert (turn.belief.decision, turn.belief.question) == ("reject", "Nobody answered, so I leave it.")
    talk.now += 31.0
    talk.says("the blue one")
    assert talk.executed == []


def test_another_command_withdraws_the_question():
    talk = Talk(CUP)
    talk.says("go to the kitchen", KITCHEN)
    assert [turn.belief.decision for turn in talk.turns] == ["reject", "execute"]
    assert talk.turns[0].belief.reason == "another command came instead of an answer"
    assert talk.executed == ["go_to(goal=kitchen)"]


def test_a_yes_after_a_stop_does_nothing():
    talk = Talk(CUP)
    talk.turns = talk.dialogue.stop()
    assert [(turn.belief.decision, turn.belief.reason) for turn in talk.turns] == [("reject", "the robot was told to stop")]
    assert talk.dialogue.open is None
    talk.says("the red one")
    assert talk.executed == []


@pytest.mark.parametrize(
    "text",
    ["no, I said the kitchen", "I meant the kitchen", "no, the kitchen", "not the study, the kitchen please", "actually the kitchen"],
)
def test_a_place_can_be_corrected_while_it_is_in_question(text):
    talk = Talk(clause(DOMAIN, {"go_to": 0.72, "pour": 0.25}, role("goal", "the study", "study", kind="place")))
    assert talk.aloud == ["Should I drive to the study?"]
    talk.says(text)
    assert talk.executed == ["go_to(goal=kitchen)"]
    assert talk.turns[-1].answered is not None
    assert talk.turns[-1].answered.how == "corrected"


def test_a_choice_can_be_corrected():
    talk = Talk(CUP)
    talk.says("no, the blue one")
    assert talk.executed == ["bring(recipient=operator, theme=blue_cup)"]
    assert talk.turns[0].answered is not None
    assert talk.turns[0].answered.how == "corrected"


def test_options_ruled_out_are_not_offered_again():
    talk = Talk(CUP)
    talk.says("not the red one")
    assert talk.aloud == ["Do you want me to bring the blue cup or the white cup to you?"]
    talk.says("not the white one")
    assert talk.executed == ["bring(recipient=operator, theme=blue_cup)"]


def test_an_answer_that_fits_nothing_gets_suggestions():
    talk = Talk(PUT)
    talk.says("on the garage")
    assert talk.aloud == [
        "I can't use “on the garage” here. I know the hallway shelf, the sofa, the coffee table, the tv stand and 14 more. "
        "Where should I put the red cup?"
    ]
    talk.says("on the desk")
    assert talk.executed == ["put(goal=desk, theme=red_cup)"]


def test_after_two_more_tries_it_gives_up_politely():
    talk = Talk(PUT)
    for _ in range(2):
        talk.says("on the garage")
        assert talk.turns[0].belief.decision == "ask"
    talk.says("on the garage")
    assert talk.aloud == ["I'm sorry, I still don't understand, so I leave it."]
    assert talk.dialogue.open is None
    talk.says("on the desk")
    assert talk.executed == []


def test_me_is_the_speaker():
    give = clause(DOMAIN, "give", role("theme", "the red cup", "red_cup"), role("recipient", "anna", "anna", kind="person"))
    talk = Talk(give)
    talk.says("no, to me")
    assert talk.executed == ["give(recipient=operator, theme=red_cup)"]


def test_an_alternative_text_may_be_the_answer():
    talk = Talk(CUP)
    talk.says("glue", others=(("blue", 0.4),))
    assert talk.executed == ["bring(recipient=operator, theme=blue_cup)"]


def test_ambiguous_alternatives_repeat_the_question():
    talk = Talk(CUP)
    question = talk.last.question
    talk.says("the red one", others=(("the white one", 0.45),))
    assert talk.executed == ["bring(recipient=operator, theme=red_cup)"]  # the best one answers
    talk = Talk(CUP)
    talk.says("the bread one", others=(("the red one", 0.3), ("the white one", 0.29)))
    assert (talk.executed, talk.aloud) == ([], [question])


def test_a_rejected_yes_still_counts():
    talk = Talk(MILK)
    talk.says("yes", confidence=0.3)
    assert talk.executed == ["put(goal=sink, theme=milk)"]


def test_a_faint_yes_is_queried_and_noise_is_ignored():
    talk = Talk(MILK)
    talk.says("yes", confidence=0.1)
    assert (talk.executed, talk.aloud) == ([], ["I'm not sure what you said. Should the milk end up on the sink?"])
    talk.says("go left and", confidence=0.1)
    assert talk.aloud == []
    talk.says("no", confidence=0.01)
    assert len(talk.aloud) == 1
    for _ in range(5):  # asks again twice only: the voice may come from a television
        talk.says("yes", confidence=0.01)
        assert (talk.executed, talk.aloud) == ([], [])
    talk.says("yes", confidence=0.3)
    assert talk.executed == ["put(goal=sink, theme=milk)"]


@pytest.mark.parametrize("text", ["no, the blue one", "I said the blue cup", "not the red one, the blue one", "no I meant the blue mug"])
def test_a_running_command_can_be_corrected_for_a_time(text):
    talk = Talk(RED, correct_within=30.0)
    assert talk.executed == ["bring(recipient=operator, theme=red_cup)"]
    first = talk.last.utterance_id
    talk.says(text)
    assert talk.executed == ["bring(recipient=operator, theme=blue_cup)"]
    assert talk.last.utterance_id != first
    assert talk.turns[-1].answered is not None
    assert (talk.turns[-1].answered.how, str(talk.turns[-1].answered.action)) == ("corrected", talk.executed[0])
    talk.now += 31.0
    talk.says("no, the white one")
    assert talk.executed == []


def test_an_alternative_text_may_correct_if_the_best_is_no_command():
    talk = Talk(RED)
    talk.says("help the blue one", others=(("no the blue one", 0.48),))
    assert talk.executed == ["bring(recipient=operator, theme=blue_cup)"]
    talk.says("go to the kitchen", KITCHEN, others=(("no the white one", 0.4),))
    assert talk.executed == ["go_to(goal=kitchen)"]


def test_a_correction_changes_one_clause_only():
    talk = Talk(KITCHEN, RED)
    talk.says("no, I said the study")
    assert talk.executed == ["go_to(goal=study)", "bring(recipient=operator, theme=red_cup)"]


def test_ruling_out_the_running_goal_cancels_it_and_asks():
    talk = Talk(KITCHEN)
    first = talk.last.utterance_id
    talk.says("not the kitchen")
    assert [(turn.belief.utterance_id, turn.belief.decision) for turn in talk.turns] == [(first, "reject"), ("u12", "ask")]
    assert talk.aloud == ["Where should I go?"]
    talk.says("the study")
    assert talk.executed == ["go_to(goal=study)"]


@pytest.mark.parametrize("text", ["no", "No, that's wrong!", "nope"])
def test_no_cancels_the_running_command(text):
    talk = Talk(RED)
    first = talk.last.utterance_id
    talk.says(text)
    assert [(turn.belief.utterance_id, turn.belief.decision) for turn in talk.turns] == [(first, "reject")]
    talk.says(text)  # takes back only once
    assert talk.aloud == ["I have not asked anything."] or talk.last.decision == "reject"


def test_repeating_the_running_command_gets_an_acknowledgement():
    talk = Talk(RED)
    talk.says("no, I said the red cup")
    assert (talk.executed, talk.aloud) == ([], ["Yes, that is what I am doing."])


def test_a_negated_command_cancels_the_running_one():
    talk = Talk(KITCHEN)
    first = talk.last.utterance_id
    talk.says("don't go to the kitchen", replace(KITCHEN, negated=True))
    assert (talk.turns[0].belief.utterance_id, talk.turns[0].belief.decision) == (first, "reject")
    assert talk.aloud == ["All right, I won't go to the kitchen."]


def test_an_empty_sentence_does_nothing():
    for talk in (Talk(RED), Talk(MILK)):
        said = IntentBelief("empty", 20.0, "", tuple(DOMAIN.intents), (), rejected="the sentence is empty")
        heard = Transcript("empty", 20.0, (), 1.0)
        turns = talk.dialogue.hear(said, heard, lambda said=said: SELECT(said, Context()), 20.0)
        assert [turn.belief.decision for turn in turns] == ["reject"]
    assert talk.dialogue.open is not None


def test_an_answer_without_a_question_does_nothing():
    talk = Talk()
    talk.says("yes")
    assert talk.executed == []
    assert talk.dialogue.answer("yes", 20.0) == []


def test_a_cough_is_ignored_and_an_unclear_sentence_is_answered():
    talk = Talk()
    talk.says("go left and", confidence=0.1)
    assert (talk.last.decision, talk.aloud) == ("reject", [])
    talk.says("bring me the", confidence=0.4)
    assert (talk.last.decision, talk.aloud) == ("reject", ["I'm sorry, I didn't understand that."])


def test_of_two_commands_at_once_the_last_one_counts():
    talk = Talk()
    talk.says("bring me the red cup", RED, stamp=5.0)
    assert talk.executed == ["bring(recipient=operator, theme=red_cup)"]
    talk.says("go to the kitchen", KITCHEN, stamp=5.0)
    assert talk.executed == ["go_to(goal=kitchen)"]
    talk = Talk(CUP)
    talk.says("bring me the cup", CUP, stamp=5.0)
    assert [turn.belief.decision for turn in talk.turns] == ["reject", "ask"]


def test_a_yes_from_before_the_question_is_no_answer():
    talk = Talk(MILK)
    talk.says("yes", stamp=9.0)
    assert (talk.executed, talk.aloud) == ([], [])
    assert talk.dialogue.open is not None


def test_a_second_yes_does_not_answer_the_next_question():
    book = clause(DOMAIN, "bring", role("theme", "the book", "red_book", "blue_book"))
    talk = Talk(CUP, book)
    spoken = talk.now + 0.5
    talk.says("the first one", stamp=spoken)
    assert talk.last.decision == "ask"
    talk.says("yes", stamp=spoken)
    assert (talk.executed, talk.aloud) == ([], [])


def test_a_duplicate_message_is_ignored():
    talk = Talk()
    said = replace(belief(DOMAIN, KITCHEN), utterance_id="twice")
    decide = lambda: SELECT(said, Context())  # noqa: E731
    assert [turn.belief.decision for turn in talk.dialogue.hear(said, None, decide, 11.0)] == ["execute"]
    assert talk.dialogue.hear(said, None, decide, 11.1) == []


def test_the_transcript_of_another_utterance_is_ignored():
    talk = Talk(MILK)
    said = IntentBelief("mine", 20.0, "the sky", tuple(DOMAIN.intents), (CHATTER,))
    other = Transcript("other", 20.0, (TranscriptAlternative("yes", 0.0),), 1.0)
    turns = talk.dialogue.hear(said, other, lambda: SELECT(said, Context()), 20.0)
    assert all(turn.belief.decision != "execute" for turn in turns)


@pytest.mark.parametrize("word", ["no ", "yes ", "please ", "not ", "word "])
def test_a_very_long_sentence_is_no_reply(word):
    for talk in (Talk(MILK), Talk(RED)):
        talk.says(word * 10_000)
        assert talk.executed == []
        assert all(len(line) < 200 for line in talk.aloud)


WORDS = (
    "yes",
    "no",
    "don't",
    "not",
    "never",
    "mind",
    "stop",
    "do",
    "it",
    "the",
    "milk",
    "sink",
    "table",
    "right",
    "what",
    "i",
    "said",
    "go",
    "on",
    "both",
    "ü",
)


@examples(50)
@given(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join))
def test_no_answer_executes_without_a_yes_or_a_new_value(text):
    talk = Talk(MILK)
    for turn in talk.dialogue.answer(text, 12.0):
        if turn.belief.decision == "execute":
            assert turn.answered is not None
            assert turn.answered.how in ("confirmed", "corrected")
            assert "don't" not in text
            assert set(text.split()) & {"yes", "do", "right", "go", "milk", "sink", "table"}
