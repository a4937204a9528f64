"""The expected result of each utterance: from a YAML file beside the bag, or from the names of sound files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from sayso.errors import SaysoError
from sayso.replay.sounds import is_sounds, sentence_of, sound_files
from sayso.replay.types import UtteranceRecord
from sayso.types import Decision
from sayso.yaml_source import read_yaml

BESIDE = (".expected.yaml", ".accepted.jsonl")  # endings of the files beside a bag
FIELDS = ("text", "intent", "decision", "action", "grounded", "plan", "chosen", "outcome")
HEADING = """\
# Expected results: `sayso replay` compares with them, and `sayso replay --accept` writes them from a run that you have checked.
# t: seconds from the start of the bag to the end of the speech (or file: the sound file). Only the given fields are compared.
# In a list of values, any one is right. nothing: true: nothing must be understood there. More in docs/replay.md.
"""

Values = Annotated[tuple[str, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)]


class Expectation(BaseModel):
    """One utterance."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    t: float | None = None  # s; below 0 if the bag starts after the end of the speech
    file: str = ""
    nothing: bool = False
    text: Values = ()
    intent: Values = ()
    decision: Values = ()
    action: Values = ()
    grounded: Values = ()
    plan: Values = ()
    chosen: Values = ()
    outcome: Values = ()

    @model_validator(mode="after")
    def _says_something(self) -> Expectation:
        if (self.t is None) == (not self.file):
            raise ValueError("give t (seconds from the start of the bag), or file for a sound file")
        if self.nothing and self.stated:
            raise ValueError(f"nothing: true excludes {', '.join(self.stated)}")
        if unknown := set(self.decision) - set(get_args(Decision)):
            raise ValueError(f"decision: {', '.join(get_args(Decision))}, not {', '.join(sorted(unknown))}")
        return self

    @property
    def stated(self) -> dict[str, tuple[str, ...]]:
        """Given field → its right values."""
        return {name: getattr(self, name) for name in FIELDS if getattr(self, name)}


class Thresholds(BaseModel):
    """The thresholds of a run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    exact: float = Field(default=1.0, ge=0.0, le=1.0)  # share of the expectations that are met


class Expected(BaseModel):
    """Of one bag."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tolerance: float = Field(default=2.0, gt=0.0, le=60.0)  # s between t and the end of the speech
    others: Literal["nothing", "anything"] = "nothing"  # what may follow from unlisted utterances
    thresholds: Thresholds = Thresholds()
    utterances: tuple[Expectation, ...] = ()


@dataclass(frozen=True, slots=True)
class Beside:
    """The files that go with a bag."""

    expected: Path
    accepted: Path  # the last accepted run: its records and times


def beside(bag: Path, folder: Path | None = None) -> Beside:
    """The files beside a bag, named after it; in its folder or another one."""
    bag = bag.absolute()
    stem = bag.name if bag.is_dir() else bag.name.split(".")[0] if bag.suffix == ".zstd" else bag.stem
    at = folder or bag.parent
    return Beside(at / f"{stem}{BESIDE[0]}", at / f"{stem}{BESIDE[1]}")


def read_expected(bag: Path, folder: Path | None = None) -> Expected | None:
    """The expectations for a bag; for sound files not listed in the YAML, from their names. None if there are none.

    Raises:
        SaysoError: the YAML is invalid; the message has file and line.
    """
    file = beside(bag, folder).expected
    expected = read_yaml(file, "an expectation file is a mapping with the key utterances").checked(Expected) if file.is_file() else None
    if not is_sounds(bag):
        return expected
    listed = {one.file for one in expected.utterances} if expected else set()
    implied = [_implied(sound.name) for sound in sound_files(bag) if sound.name not in listed]
    expected = expected or Expected()
    return expected.model_copy(update={"utterances": (*expected.utterances, *implied)})


def _implied(file: str) -> Expectation:
    sentence = sentence_of(file)
    return Expectation(file=file, nothing=True) if sentence is None else Expectation(file=file, text=(sentence,))


def accepted(records: Sequence[UtteranceRecord], before: Expected | None) -> Expected:
    """The expectations that an accepted run gives: its values for the fields given before, or for all."""
    expected = before or Expected()
    utterances: list[Expectation] = []
    for record in records:
        if record.verdict == "missing" or (record.file and any(one.file == record.file for one in utterances)):
            continue
        utterances.append(_as_it_is(record, _held(expected, record)))
    silent = [one for one in expected.utterances if one.nothing and not any(_about(one, record, expected) for record in records)]
    return expected.model_copy(update={"utterances": tuple(sorted((*utterances, *silent), key=lambda one: (one.t or 0.0, one.file)))})


def _as_it_is(record: UtteranceRecord, held: Expectation | None) -> Expectation:
    where: dict[str, Any] = {"file": record.file} if record.file else {"t": round(record.t, 2)}
    named = held is not None and record.file and held == _implied(record.file)  # by the file's name alone
    stated = tuple(held.stated) if held and not named else ()
    if (record.decision == "reject" and not stated) or (held and held.nothing and named):
        return Expectation(**where, nothing=True)
    values: dict[str, Any] = {name: value for name in stated or FIELDS if (value := str(getattr(record, name)))}
    if named and held:
        values["text"] = held.text  # the file's name is the true text; the recogniser's may be wrong
    return Expectation(**where, **values) if values else Expectation(**where, nothing=True)


def _held(expected: Expected, record: UtteranceRecord) -> Expectation | None:
    """The previous expectation for an utterance."""
    near = [one for one in expected.utterances if _about(one, record, expected)]
    return min(near, key=lambda one: abs((one.t or 0.0) - record.t), default=None)


def _about(one: Expectation, record: UtteranceRecord, expected: Expected) -> bool:
    return one.file == record.file if one.file else one.t is not None and abs(one.t - record.t) <= expected.tolerance


def write_expected(expected: Expected, file: Path) -> None:
    """Write the expectations as YAML; the file appears complete.

    Raises:
        SaysoError: it cannot be written there.
    """
    plain: dict[str, Any] = {}
    for name in ("tolerance", "others", "thresholds"):
        value = getattr(expected, name)
        if value != Expected.model_fields[name].default:
            plain[name] = value.model_dump() if isinstance(value, BaseModel) else value
    plain["utterances"] = [_plain(one) for one in expected.utterances]
    text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=140)
    partial = file.with_name(f".{file.name}.partial")
    try:
        partial.write_text(HEADING + text, encoding="utf-8")
        partial.replace(file)
    except OSError as unwritable:
        raise SaysoError(f"{file}: cannot be written ({unwritable.strerror}); --expect FOLDER names another place") from None


def _plain(one: Expectation) -> Mapping[str, Any]:
    plain: dict[str, Any] = {"file": one.file} if one.file else {"t": one.t}
    if one.nothing:
        plain["nothing"] = True
    return plain | {name: values[0] if len(values) == 1 else list(values) for name, values in one.stated.items()}
