"""Self-corrections within a sentence: "go to the kitchen, no, the study" → "go to the study".

The words after the marker replace the last phrase that begins alike (a "rough copy": Shriberg 1994): preposition for preposition,
article for article. A verb replaces the whole request.
"""

from __future__ import annotations

import re

from sayso.intent.grammar import DETERMINERS, PREPOSITIONS, after_lead_in
from sayso.intent.normalise import normalise

_MARKER = re.compile(
    r",? (?P<marker>(?:wait )?no(?: no)*(?: wait| sorry)?|no i (?:mean|meant|said)|sorry i (?:mean|meant)|i mean|i meant|or rather"
    r"|scratch that|correction|make that|sorry)(?P<comma> ?,)? (?P<after>.+)$"
)
_BARE = frozenset(("no", "sorry", "no no"))  # without a comma, markers only at the beginning of a phrase
_NO_REPAIR = frozenset(("one", "it", "that"))  # "no one", "i mean it", "i mean that"
_LINKS = frozenset(("and", "then", ","))


def repaired(text: str, verbs: frozenset[str]) -> str:
    """The normalised text without retracted words; unchanged if there are none.

    Args:
        text: normalised.
        verbs: that begin commands.
    """
    for match in _MARKER.finditer(text):
        before, after = text[: match.start()].split(), match["after"].replace(",", " ,").split()
        if (
            not before
            or before[0] in {"no", "don't"}
            or not _is_repair(match["marker"], bool(match["comma"]) or "," in match[0][:2], after, verbs)
        ):
            continue
        kept = _kept(before, after, verbs)
        if kept is not None:
            return repaired(normalise(" ".join([*kept, *_with_noun(after, before)])), verbs)
    return text


def _is_repair(marker: str, comma: bool, after: list[str], verbs: frozenset[str]) -> bool:
    if after[0] in _NO_REPAIR:
        return False
    if marker not in _BARE or comma:
        return True
    return after[0] in DETERMINERS | PREPOSITIONS.keys() or (marker == "no" and after[0] in verbs)


def _kept(before: list[str], after: list[str], verbs: frozenset[str]) -> list[str] | None:
    """The words before the marker that stay; None if no phrase there begins like the words after it."""
    verb = after[after_lead_in(after)]
    if verb in verbs and after[0] not in DETERMINERS | PREPOSITIONS.keys():
        start = max((at for at, word in enumerate(before) if word in _LINKS), default=-1) + 1
        return before[:start]
    kinds = PREPOSITIONS.keys() if after[0] in PREPOSITIONS else DETERMINERS
    wanted = PREPOSITIONS.get(after[0])
    alike = [at for at, word in enumerate(before) if word in kinds and (wanted is None or PREPOSITIONS[word] == wanted)]
    if alike and alike[-1]:
        return before[: alike[-1]]
    if after[0] in kinds or len(before) < 2:
        return None
    return before[:-1]  # "bring it to anna no ben"


def _with_noun(after: list[str], before: list[str]) -> list[str]:
    """The replacement with "one" resolved: after "the red cup", "the blue one" becomes "the blue cup"."""
    return [*after[:-1], before[-1]] if len(after) > 1 and after[-1] == "one" else after
