"""Readers of the public data sets, in their publishers' formats: sentences with their meaning. SAYSO_DATA names the folder."""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sayso.errors import AbsentDataError, SaysoError
from sayso.paths import work_dir


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence with its label."""

    text: str
    label: str


@dataclass(frozen=True, slots=True)
class Frame:
    """A semantic frame of a sentence: its name ("Bringing") and its elements, frame element → words."""

    name: str
    elements: Mapping[str, str]
    trigger: tuple[int, ...] = field(default=(), compare=False)  # indices of the words that evoke it
    places: tuple[tuple[str, tuple[int, ...]], ...] = field(default=(), compare=False)  # (frame element, indices of its words), all of them


@dataclass(frozen=True, slots=True)
class Framed:
    """A sentence with its frames, one for each request."""

    text: str
    frames: tuple[Frame, ...]
    words: tuple[str, ...] = field(default=(), compare=False)


def data_folder() -> Path:
    """The folder of the data sets: SAYSO_DATA, or data/ in the checkout or the current folder."""
    return Path(os.environ.get("SAYSO_DATA") or work_dir() / "data")


def clinc150(part: str) -> tuple[Labelled, ...]:
    """CLINC150 (Larson et al. 2019): train, val, test, and oos_train, oos_val, oos_test, whose label is "oos"."""
    return tuple(Labelled(text, label) for text, label in json.loads(_read("clinc150/data_full.json"))[part])


def lines(corpus: str, part: str) -> tuple[Labelled, ...]:
    """banking77, hwu64 and snips: a file of sentences beside a file of labels."""
    texts, labels = (_read(f"{corpus}/{part}/{name}").splitlines() for name in ("seq.in", "label"))
    if len(texts) != len(labels):
        raise SaysoError(f"{data_folder() / corpus / part}: {len(texts)} sentences, but {len(labels)} labels")
    return tuple(Labelled(*pair) for pair in zip(texts, labels, strict=True))


def alfred(split: str) -> tuple[Labelled, ...]:
    """ALFRED (Shridhar et al. 2020): step instructions with their actions."""
    steps = (json.loads(line) for line in _read("alfred/steps.jsonl.gz").splitlines())
    return tuple(Labelled(step["text"], step["action"]) for step in steps if step["split"] == split)


def huric() -> tuple[Framed, ...]:
    """HuRIC (Vanzo et al. 2020), the English part."""
    return tuple(
        Framed(
            each["sent"],
            tuple(
                _frame(frame["name"], frame["lu"], [(name, tuple(places)) for name, places in frame["fe"]], each["tokens"])
                for frame in each["frames"]
            ),
            tuple(each["tokens"]),
        )
        for each in json.loads(_read("huric/huric_en.json"))
    )


def tage(part: str) -> tuple[Framed, ...]:
    """The tagE corpus (Sarkar et al. 2023), "train" or "dev": "0 0 Placing ; 1 2 Theme|…", indices of words, both ends included."""
    rows = csv.DictReader(_read(f"tage/{part}.csv").splitlines())
    sentences = ((row["input"], row["input"].split(), row["tage_output"]) for row in rows)
    return tuple(Framed(text, tuple(_tage_frames(words, tags)), tuple(words)) for text, words, tags in sentences)


def _tage_frames(words: list[str], tags: str) -> Iterator[Frame]:
    for frame in tags.split("|"):
        trigger, *arguments = (part.split() for part in frame.split(";"))
        # Some elements are followed by a relation between elements ("-4 4 Relation"), which has no words and is skipped.
        spans = [(part[2], _range(part, words)) for part in arguments if len(part) >= 3 and part[0].isdigit()]
        yield _frame(trigger[2], _range(trigger, words), spans, words)


def _range(part: list[str], words: list[str]) -> tuple[int, ...]:
    return tuple(range(int(part[0]), min(int(part[1]) + 1, len(words))))


def _frame(name: str, trigger: Iterable[int], places: list[tuple[str, tuple[int, ...]]], words: list[str]) -> Frame:
    elements = {element: " ".join(words[at] for at in span) for element, span in places}
    return Frame(name, elements, tuple(trigger), tuple(places))


def _read(name: str) -> str:
    path = data_folder() / name
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    except (OSError, UnicodeDecodeError) as unreadable:
        hint = "run 'sayso data download', or set SAYSO_DATA to the folder of the data sets"
        raise unreadable_data(f"{path} cannot be read ({unreadable}): {hint}", unreadable) from None


def unreadable_data(message: str, cause: Exception) -> SaysoError:
    """The error for a file of a data set: absent if there is no such file, and a fault otherwise."""
    return AbsentDataError(message) if isinstance(cause, FileNotFoundError | NotADirectoryError) else SaysoError(message)
