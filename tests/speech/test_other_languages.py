"""A home in German: its sentences hold no English word, and none of them is refused as foreign."""

from __future__ import annotations

import logging
import random
from pathlib import Path

import pytest

from sayso.domain import Domain, load_domain
from sayso.domain.sentences import sentences
from sayso.intent.reject import why_rejected
from sayso.speech.domain_words import DomainWords
from sayso.speech.language_model import corpus
from sayso.speech.recognise import SpeechOptions, SpeechToText
from sayso.speech.stopping.words import is_stop
from sayso.types import Transcript, TranscriptAlternative

ENGLISH = {"the", "a", "my", "please", "robot", "and", "yes", "stop"}


@pytest.fixture(scope="module")
def zuhause() -> Domain:
    return load_domain(Path(__file__).parents[2] / "examples" / "german" / "zuhause.yaml")


def test_its_language_model_holds_no_english(zuhause: Domain) -> None:
    assert not ENGLISH & {word for line in corpus(zuhause) for word in line.split()}


def test_its_sentences_are_understood_as_german_only_where_the_home_says_so(zuhause: Domain) -> None:
    texts = [sentence.text for sentence in random.Random(1).sample(list(sentences(zuhause, 5, 0)), 20)]
    assert not [text for text in texts if why_rejected(text, zuhause.language)]
    assert "not look like English" in why_rejected("bring mir bitte die tasse aus der küche")


def test_its_words_decide_between_texts(zuhause: Domain) -> None:
    log_p = DomainWords(zuhause)
    assert log_p("geh in die küche") > log_p("geh in die kirche") + 5.0


@pytest.mark.parametrize("text", ["halt", "stopp", "bleib stehen"])
def test_its_stop_words_stop(zuhause: Domain, text: str) -> None:
    assert is_stop(Transcript("u", 0.0, (TranscriptAlternative(text, 0.0),), 1.0, 0.0), zuhause)


def test_a_recogniser_that_knows_only_english_says_so(zuhause: Domain, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        SpeechToText(zuhause, SpeechOptions("pocketsphinx"))
    assert "the domain is in 'de': take the backend whisper or faster_whisper" in caplog.text
