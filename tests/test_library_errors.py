"""The library says what is wrong with what it is given, in one line: a SaysoError."""

from __future__ import annotations

from typing import Any

import pytest

from sayso import Sayso
from sayso.errors import SaysoError


@pytest.fixture(scope="module")
def sayso() -> Sayso:
    return Sayso.load()


@pytest.mark.parametrize("path", ["", " ", 5, b"home.yaml", []])
def test_what_is_no_path_is_no_home(path: Any) -> None:
    with pytest.raises(SaysoError, match="no path of a domain file"):
        Sayso.load(path)


@pytest.mark.parametrize("said", [5, 1.5, None, b"stop", ["stop"]])
def test_what_is_neither_a_sentence_nor_a_sound_is_not_understood(sayso: Sayso, said: Any) -> None:
    for take in (sayso.understand, sayso.transcribe):
        with pytest.raises(SaysoError, match="neither a sentence nor a sound"):
            take(said)
