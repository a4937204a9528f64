"""Pronunciations in the phones of the CMU dictionary: looked up, composed of two words, or guessed from the spelling."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from sayso.paths import config_dir
from sayso.yaml_source import read_plain

_LETTERS = Path(__file__).with_name("letters.yaml")
_LOG = logging.getLogger(__name__)


def sources() -> tuple[Path, ...]:
    """The files with pronunciations, besides pocketsphinx's own."""
    return tuple(path for path in (_LETTERS, _own_words()) if path.is_file())


def dictionary(words: Iterable[str]) -> str:
    """A dictionary of these words for pocketsphinx, one pronunciation per line.

    Words are looked up in config/pronunciations.dict (the user's own, optional), then in pocketsphinx's copy of the CMU dictionary.
    Other words get the "s" of a known one ("remotes", "wardrobe's"), are composed of two ("work" + "top"), or are guessed from their
    spelling, with a warning.
    """
    known = _known()
    lines = []
    for word in dict.fromkeys(words):
        sounds = known.get(word) or _with_s(word, known) or _compound(word, known)
        if sounds is None:
            sounds = (by_letters(word),)
            _LOG.warning("no known pronunciation of '%s'; guessed %s; add a line to %s to correct it", word, sounds[0], _own_words())
        lines += [f"{word}{f'({number})' if number > 1 else ''} {phones}" for number, phones in enumerate(sounds, 1) if phones]
    return "\n".join(lines) + "\n"


def by_letters(word: str) -> str:
    """A guess from the spelling: the longest known letter groups from left to right, with silent final e."""
    table = _letters()
    phones: list[str] = []
    at = 0
    while at < len(word):
        silent_e = at + 2 < len(word) and word[at] in "aeiou" and word[at + 1] not in "aeiouwxy" and word[at + 2 :] in {"e", "es", "ed"}
        size = next(size for size in range(min(5, len(word) - at), 0, -1) if size == 1 or word[at : at + size] in table["groups"])
        group = word[at : at + size]
        if size == 1 and silent_e:
            phones.append(table["long"][group])
        elif not (size == 1 and group == "e" and at == len(word) - 1 and len(word) > 2):
            phones += table["groups"].get(group, "").split()
        at += 2 if size == 1 and word[at : at + 2] == group * 2 and group not in "aeiou" else size
    return " ".join(phones)


def _with_s(word: str, known: dict[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """The pronunciation of a plural or possessive of a known word."""
    base = word.removesuffix("s").removesuffix("'") if word.endswith("s") else ""
    sounds = known.get(base) or _compound(base, known) or ()
    return tuple(f"{each} {_s_after(each.split()[-1])}" for each in sounds) or None


def _s_after(phone: str) -> str:
    if phone in {"S", "Z", "SH", "ZH", "CH", "JH"}:
        return "IH Z"
    return "S" if phone in {"P", "T", "K", "F", "TH"} else "Z"


def _compound(word: str, known: dict[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """The pronunciation as a compound of two known words of at least three letters, split as evenly as possible."""
    splits = sorted(range(3, len(word) - 2), key=lambda split: abs(2 * split - len(word)))
    for split in splits:
        if word[:split] in known and word[split:] in known:
            return (f"{known[word[:split]][0]} {known[word[split:]][0]}",)
    return None


@lru_cache(maxsize=1)
def _known() -> dict[str, tuple[str, ...]]:
    from pocketsphinx import get_model_path

    known = _read(Path(get_model_path("en-us/cmudict-en-us.dict")))
    known |= {word: (sounds,) for word, sounds in _letters()["words"].items()}
    own = _own_words()
    return {**known, **_read(own)} if own.is_file() else known


def _read(path: Path) -> dict[str, tuple[str, ...]]:
    sounds: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        word, _, phones = line.partition(" ")
        if phones and not word.startswith(("#", ";")):
            sounds.setdefault(word.split("(", 1)[0], []).append(phones.strip())
    return {word: tuple(phones) for word, phones in sounds.items()}


def _own_words() -> Path:
    return config_dir() / "pronunciations.dict"


@lru_cache(maxsize=1)
def _letters() -> dict[str, dict[str, str]]:
    table: dict[str, dict[str, str]] = read_plain(_LETTERS)
    return table
