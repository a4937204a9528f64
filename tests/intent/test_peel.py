"""Conditions, times, repetition, moods, retractions, questions and hints are taken off a sentence; plain clauses remain."""

import math
import sys
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from sayso.domain import load_domain
from sayso.intent.clauses import LINKING, words_of
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import verbs_of
from sayso.intent.meaning.lists import listed, tables
from sayso.intent.meaning.moods import negated_examples
from sayso.intent.meaning.peel import MOST_REQUESTS, Peeled, Segment, peel
from sayso.intent.normalise import normalise
from sayso.intent.repair import repaired
from sayso.representation import Condition, Modifiers, Timing

DOMAIN = load_domain()
GAZETTEER = Gazetteer(DOMAIN)
EXAMPLES = [example for spec in DOMAIN.intents.values() for example in spec.examples]
VERBS = verbs_of(EXAMPLES)
NEGATED = negated_examples(EXAMPLES, VERBS, GAZETTEER)
DATA = Path(__file__).parents[1] / "data"
TABLE: dict[str, dict[str, str]] = yaml.safe_load((DATA / "joins.yaml").read_text())
# Examples of intents that are hints, go to a place first, or hold a time or a condition → what is peeled off them, with NAMES.
NO_SINGLE_PLAIN: dict[str, str] = yaml.safe_load((DATA / "peeled_examples.yaml").read_text())
NAMES = {"object": "red cup", "place": "kitchen", "surface": "desk", "person": "anna", "number": "3", "direction": "forward"}


def peeled(sentence: str) -> Peeled:
    return peel(words_of(repaired(normalise(sentence), VERBS)), GAZETTEER, VERBS, NEGATED)


def shown(sentence: str) -> str:
    """The segments as text: "go to the kitchen {in 300; last}", a rewritten one after "→"."""
    words = words_of(repaired(normalise(sentence), VERBS))
    return " | ".join(_segment(segment, [word.text for word in words]) for segment in peeled(sentence).segments)


def _segment(segment: Segment, text: list[str]) -> str:
    core = [text[at] for at in segment.core if text[at] != ","]
    while core and core[0] in LINKING | {"but"}:
        core.pop(0)
    said = f"→ {' '.join(word.text for word in segment.rewritten)}" if segment.rewritten else " ".join(core)
    modifiers = segment.modifiers
    notes = [modifiers.mood + (" not" if segment.negated else "")] if modifiers.mood != "request" else []
    notes += [modifiers.question] if modifiers.question else []
    notes += [_condition(each) for each in modifiers.conditions] + [_timing(each) for each in modifiers.timings]
    notes += [f"x{modifiers.repeat}"] if modifiers.repeat != 1 else []
    notes += [f"! {modifiers.note}"] if modifiers.note else []
    notes += [segment.scope] if segment.scope != "all" else []
    return f"{said} {{{'; '.join(notes)}}}" if notes else said


def _condition(condition: Condition) -> str:
    parts = [condition.kind, condition.subject.text if condition.subject else "-", "not" if condition.negated else ""]
    parts += [condition.event, condition.attribute]
    if condition.relation is not None:
        parts += [f"{condition.relation.name}({', '.join(landmark.text for landmark in condition.relation.landmarks)})"]
    return " ".join(filter(None, parts))


def _timing(timing: Timing) -> str:
    clock = f"{int(timing.seconds // 3600)}:{int(timing.seconds // 60 % 60):02}" if not math.isnan(timing.seconds) else "?"
    value = clock if timing.kind in ("at", "until") else f"{timing.seconds:g}"
    parts = [timing.kind, *([value] if timing.kind != "today" else []), f"+{timing.day}" if timing.day > 0 else ""]
    return " ".join(filter(None, parts)) + (f" ! {timing.problem}" if timing.problem else "")


SENTENCES = {sentence: expected for group in TABLE.values() for sentence, expected in group.items()}


def test_sentences_are_taken_apart() -> None:
    found = {sentence: shown(sentence) for sentence in SENTENCES}
    assert {sentence: (found[sentence], expected) for sentence, expected in SENTENCES.items() if found[sentence] != expected} == {}


def test_the_table_is_long_enough() -> None:
    assert sum(map(len, TABLE.values())) >= 250


# Examples of intents in which the rules see more than a plain command.
NO_PLAIN_COMMAND = {
    "wait until i am back": "until",
    "stay there until i call you": "until",
    "the door needs to be opened": "hint",
    "the {object} goes on the {surface}": "hint",
    "the {object} belongs on the {surface}": "hint",
    "{person} needs the {object}": "hint",
    "{person} would like the {object}": "hint",
    "i could use the {object}": "hint",
    "i'd love a {object}": "hint",
}


def as_expected(example: str) -> bool:
    """Whether a plain command is left as it is, and any other example becomes what the tables say."""
    sentence = example.format(**NAMES)
    result = peeled(sentence)
    if example in NO_SINGLE_PLAIN:
        return shown(sentence) == NO_SINGLE_PLAIN[example]
    if example in NO_PLAIN_COMMAND:
        modifiers = result.segments[0].modifiers
        return NO_PLAIN_COMMAND[example] in (modifiers.mood, *(each.kind for each in modifiers.conditions))
    return result.modifying == () and all(
        segment.rewritten == () and segment.modifiers in (Modifiers(), Modifiers("question", segment.modifiers.question))
        for segment in result.segments
    )


def test_plain_commands_stay_as_they_are() -> None:
    assert [(example, shown(example.format(**NAMES))) for example in EXAMPLES if not as_expected(example)] == []


def keeps_its_act(segment: Segment) -> bool:
    return segment.modifiers.mood in ("request", "question", "hint") and not segment.negated and not segment.modifiers.timings


def test_plain_spoken_commands_keep_their_act() -> None:
    commands = yaml.safe_load((DATA / "commands.yaml").read_text())["development"]["commands"]
    assert len(commands) > 50
    assert [(sentence, shown(sentence)) for sentence in commands if not all(map(keeps_its_act, peeled(sentence).segments))] == []


def accounts(result: Peeled, count: int) -> bool:
    """Whether each word is in one place."""
    core = [at for segment in result.segments for at in segment.core]
    return sorted([*core, *result.markers, *result.modifying]) == list(range(count))


WORDS = sorted(
    {
        word
        for text in (*TABLE["conditions"], *TABLE["times"], *TABLE["moods"], *TABLE["retractions"], *TABLE["hints"], "40 minus times , , ,")
        for word in normalise(text).replace(",", " ,").split()
    }
)


@examples(400)
@given(st.lists(st.sampled_from(WORDS), max_size=40))
def test_every_word_is_in_one_place(words: list[str]) -> None:
    text = words_of(" ".join(words))
    result = peel(text, GAZETTEER, VERBS, NEGATED)
    assert accounts(result, len(text))
    for segment in result.segments:
        assert list(segment.core) == sorted(segment.core)


@examples(100)
@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    words = words_of(normalise(text))
    assert accounts(peel(words, GAZETTEER, VERBS), len(words))


def test_every_word_of_the_table_is_in_one_place() -> None:
    lengths = {sentence: len(words_of(repaired(normalise(sentence), VERBS))) for sentence in SENTENCES}
    assert [sentence for sentence, length in lengths.items() if not accounts(peeled(sentence), length)] == []


def seconds(sentence: str, times: int) -> float:
    words = words_of(normalise(sentence))
    peel(words, GAZETTEER, VERBS, NEGATED)
    taken = []
    for _ in range(times):
        start = time.process_time()  # of this process alone, however busy the machine is
        peel(words, GAZETTEER, VERBS, NEGATED)
        taken.append(time.process_time() - start)
    return min(taken)


@pytest.mark.timed
def test_a_sentence_of_twelve_words_takes_less_than_half_a_millisecond() -> None:
    assert seconds("if the phone is in the bedroom bring it to me twice", 50) < 0.0005


def calls(sentence: str) -> int:
    """How many functions are called to peel a sentence; unlike time, the same on a busy machine."""
    words = words_of(normalise(sentence))
    peel(words, GAZETTEER, VERBS, NEGATED)  # fills the caches
    count = 0

    def counted(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(counted)
    try:
        peel(words, GAZETTEER, VERBS, NEGATED)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "sentence", ["if the phone is in the bedroom bring it to me in five minutes and then ", "if ", "no ", "don't ", "the cup in the sink "]
)
def test_time_is_linear_in_the_length(sentence: str) -> None:
    assert calls(sentence * 160) < 5 * calls(sentence * 40)
    assert seconds(sentence * 20, 3) < 0.1


def test_many_requests_are_noted() -> None:
    result = peeled(" and ".join(f"turn {way} twice and go to the kitchen" for way in ("left", "right") * 20))
    assert all(f"{MOST_REQUESTS} at most" in segment.modifiers.note for segment in result.segments)


def test_rewritten_words_are_words_of_the_sentence_or_have_no_extent() -> None:
    words = words_of("the plate can go back to the sink")
    rewritten = peel(words, GAZETTEER, VERBS).segments[0].rewritten
    assert [word.text for word in rewritten] == ["put", "the", "plate", "on", "the", "sink"]
    assert [word for word in rewritten if word.start < word.end and word.text != "on"] == [words[0], words[1], words[6], words[7]]


def test_subjects_and_landmarks_are_linked_to_the_home() -> None:
    condition = peeled("if the phone is in the bedroom bring it to me").segments[0].modifiers.conditions[0]
    assert condition.subject is not None
    assert condition.subject.head == "phone"
    assert condition.subject.candidates[0] == ("phone", 1.0)
    assert condition.relation is not None
    assert condition.relation.landmarks[0].candidates[0][0] == "bedroom"
    assert (condition.start, condition.end) == (0, 30)


def test_relations_and_questions_have_the_names_of_the_representation() -> None:
    names = {"on", "in", "under", "above", "next_to", "left_of", "right_of", "behind", "in_front_of", "between", "with", "at", "from"}
    assert set(tables("joins.yaml")["relations"]) <= names
    assert set(tables("questions.yaml")["fixed"]) <= {"abilities", "activity", "colour", "how_many"}
    assert "never mind" in listed(tables("joins.yaml")["retractions"])
