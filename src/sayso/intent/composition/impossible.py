"""Acts that contradict themselves: "forward 2 meters backwards"."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.intent.meaning.sentence_words import Reading
from sayso.intent.normalise import UNITS


def problem(reading: Reading, core: Sequence[int]) -> str:
    """Why what the clause says is impossible, one line; empty if it isn't."""
    text = [reading.word(at) for at in core]
    if ways := _opposite(text):
        return f"{ways} at once makes no sense"
    for at, word in enumerate(text):
        if word == "minus" and text[at + 1 : at + 2] and text[at + 1][0].isdigit():
            return f"{' '.join(text[at : at + 3])} makes no sense"
        if word == "not" and at > 1 and text[at - 1] in ("and", "but", ","):
            phrase = text[at + 1 :]
            size = len(phrase)
            if size > 1 and any(text[start : start + size] == phrase for start in range(max(0, at - 12), at - size)):
                return f"both {' '.join(phrase)} and not {' '.join(phrase)} makes no sense"
    return ""


_WAYS = {"forward": 1, "forwards": 1, "ahead": 1, "backward": -1, "backwards": -1}
_SIDES = {"left": 1, "right": -1}
_NO_SIDE = frozenset(("of", "side", "hand", "now", "away", "here", "there", "next", "in", "on", "by"))  # after "right"


def _opposite(text: list[str]) -> str:
    """Two opposite ways without "and" or "then" between them: "forward 2 meters backwards"; empty if there are none."""
    for axis in (_WAYS, _SIDES):
        for at, word in enumerate(text):
            after = next((n for n in range(at + 1, len(text)) if not (text[n][0].isdigit() or text[n] in UNITS)), len(text))
            other = text[after] if after < len(text) else ""
            follows = text[after + 1] if after + 1 < len(text) else ""
            if word in axis and axis.get(other, axis[word]) != axis[word] and not (axis is _SIDES and follows in _NO_SIDE):
                return f"{word} and {other}"
    return ""
