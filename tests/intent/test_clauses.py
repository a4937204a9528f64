import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.domain import load_domain
from sayso.domain.sentences import commands
from sayso.intent.clauses import Splitter
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import verbs_of, word_set
from sayso.intent.normalise import normalise

DOMAIN = load_domain()
SPLIT = Splitter(verbs_of(example for spec in DOMAIN.intents.values() for example in spec.examples), Gazetteer(DOMAIN))

COMPOUND = {
    "go to the kitchen and bring me the cup": ["go to the kitchen", "bring me the cup"],
    "go to the kitchen then come back": ["go to the kitchen", "come back"],
    "go to the kitchen, after that turn around": ["go to the kitchen", "turn around"],
    "turn left, move two meters, and stop": ["turn left", "move 2 meters", "stop"],
    "Go to the study. Find the blue book! Bring it to Anna.": ["go to the study", "find the blue book", "bring it to anna"],
    "go to the kitchen bring me the red cup": ["go to the kitchen", "bring me the red cup"],
    "find the toy car and place it on the desk": ["find the toy car", "place it on the desk"],
    "where is anna and where is ben": ["where is anna", "where is ben"],
    "stop and turn around": ["stop", "turn around"],
}
ELLIPTIC = {
    "go to the kitchen and then to the study": ["go to the kitchen", "go to the study"],
    "bring me the red cup and then the plate": ["bring me the red cup", "bring me the plate"],
}
SINGLE = [
    "bring me the salt and pepper",
    "bring me the bread and the milk",
    "go and get me the cup",
    "put it next to the lamp",
    "please come here",
    "tell anna to come here and bring the cup",
    "the door needs to be opened",
    "i want you to go to the kitchen",
    "put the cup and the plate on the table",
]


@pytest.mark.parametrize(("text", "clauses"), (COMPOUND | ELLIPTIC).items())
def test_a_compound_command_is_split_in_order(text: str, clauses: list[str]) -> None:
    assert [piece.text for piece in SPLIT(normalise(text))] == clauses


@pytest.mark.parametrize("text", SINGLE)
def test_one_request_stays_whole(text: str) -> None:
    assert [piece.text for piece in SPLIT(text)] == [text]


@pytest.mark.parametrize("text", ["", "and", "and then", "then , and"])
def test_linking_words_alone_are_no_clause(text: str) -> None:
    assert SPLIT(text) == ()


def test_a_trailing_link_is_dropped() -> None:
    assert [piece.text for piece in SPLIT("put it next to the lamp and")] == ["put it next to the lamp"]


VOCABULARY = sorted(word_set("go bring the cup kitchen and then , to me it stop after that you could please where"))


@given(st.lists(st.sampled_from(VOCABULARY), max_size=14))
def test_clauses_lie_in_order_within_the_text(words: list[str]) -> None:
    text = normalise(" ".join(words))
    at = 0
    for piece in SPLIT(text):
        assert at <= piece.start < piece.end <= len(text)
        assert text[piece.start : piece.end].startswith(piece.words[0].text)
        at = piece.end


def test_most_generated_compounds_are_split_where_they_were_joined() -> None:
    made = [command for command in commands(DOMAIN, 300, seed=3) if len(command.clauses) == 2]
    right = sum(len(SPLIT(normalise(command.text))) == 2 for command in made)
    assert right / len(made) > 0.8
