"""Marks of people's sentences, kept without the sentences, which stay their publishers'.

A line of marks/people/<set>.tsv has the line number in the set's sentences.jsonl, the beginning of the text's SHA-256, and the marks, in
which each run of words is the number of its characters without spaces: `[go_to 4[goal 10]]6` of "go to the kitchen please".
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from sayso.errors import SaysoError
from sayso.training.data.corpora import data_folder, unreadable_data
from sayso.training.parser.marks import MarkedSentence, read_marks

FOLDER = Path(__file__).with_name("marks") / "people"
_PIECE = re.compile(r"(?P<open>\[[a-z_]+(?::[^\s\]\[]+)?)(?=[\s\]\[])|(?P<end>\])|(?P<words>[^\[\]]+)")
_COUNTED = re.compile(r"(?P<open>\[[a-z_]+(?::[a-z_]+)?)|(?P<end>\])|(?P<count>\d+)|\s")


def without_words(marked: str) -> str:
    """The marks alone: "[go_to go to [goal the kitchen]]" → "[go_to 4[goal 10]]"."""
    found = []
    for piece in _PIECE.finditer(marked):
        if piece["words"]:
            count = len("".join(piece["words"].split()))
            found.append(str(count) if count else "")
        else:
            found.append(f"{piece['open']} " if piece["open"] else "]")
    return "".join(found)


def with_words(marks: str, text: str) -> str:
    """The marked sentence again.

    Raises:
        ValueError: the text has another length than the marks.
    """
    found: list[str] = []
    at = 0
    for piece in _COUNTED.finditer(marks):
        if piece["open"]:
            found.append(f" {piece['open']} ")
        elif piece["end"]:
            found.append("]")
        elif piece["count"]:
            left, start = int(piece["count"]), at
            while left:
                if at >= len(text):
                    raise ValueError(f"the marks are longer than “{text}”")
                left -= not text[at].isspace()
                at += 1
            found.append(text[start:at].strip().replace("[", "(").replace("]", ")"))
            if at < len(text) and text[at].isspace():
                found.append(" ")
    if text[at:].strip():
        raise ValueError(f"the marks are shorter than “{text}”")
    return "".join(found)


def digest(text: str) -> str:
    """The beginning of the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def read_people(folder: Path = FOLDER) -> Iterator[MarkedSentence]:
    """The marked sentences of all sets.

    Raises:
        SaysoError: a set is missing, or its sentences are others than those that were marked.
    """
    for path in sorted(folder.glob("*.tsv")):
        texts = _texts(path.stem)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            at, known, marks = line.split("\t")
            text = texts[int(at)] if int(at) < len(texts) else ""
            if digest(text) != known:
                raise SaysoError(
                    f"{path.name}:{number}: line {at} of the set “{path.stem}” is not the sentence that was marked: fetch the set again"
                )
            sentence = read_marks(with_words(marks, text), f"{path.stem}:{at}")
            if sentence.words:
                yield sentence


def sentence(name: str, line: int) -> str:
    """One sentence of a set.

    Raises:
        SaysoError: the set cannot be read or is shorter.
    """
    texts = _texts(name)
    if line >= len(texts):
        raise SaysoError(f"the set “{name}” has no line {line}: fetch it again")
    return texts[line]


@lru_cache(maxsize=64)
def _texts(name: str) -> list[str]:
    """The sentences of a set.

    Raises:
        SaysoError: it cannot be read.
    """
    path = data_folder() / "commands" / name / "sentences.jsonl"
    try:
        return [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError, KeyError) as unreadable:
        hint = "SAYSO_DATA must name the folder of the data sets"
        raise unreadable_data(f"{path} cannot be read ({unreadable}): {hint}", unreadable) from None
