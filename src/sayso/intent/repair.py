"""Self-corrections within a sentence: "go to the kitchen, no, the study" → "go to the study".

The words after the marker replace the last phrase that begins alike (a "rough copy": Shriberg 1994): preposition for preposition,
article for article. A verb replaces the whole request.
"""

from __future__ import annotations

import re

from sayso.intent.grammar import DETERMINERS, PREPOSITIONS, after_lead_in, word_set
from sayso.intent.normalise import normalise

_MARKER = re.compile(
    r",? (?P<marker>(?:wait )?no(?: no)*(?: wait| sorry| actually)?|no i (?:mean|meant|said)|sorry i (?:mean|meant)|i mean|i meant"
    r"|(?:or )?no make (?:that|it)|(?:or |no )?(?:even )?better (?:still|yet)|(?:or|no) (?:even )?better|(?:or|no) rather"
    r"|(?:oops|whoops|my mistake|my bad)(?:,? sorry)?(?:,? i (?:mean|meant))?"
    r"|(?:or )?let's (?:say|make it)|scratch that|correction|make (?:that|it)|sorry|wait|actually)(?P<comma> ?,)? (?P<after>.+)$"
)
_BARE = frozenset(("no", "sorry", "no no"))  # without a comma, markers only at the beginning of a phrase
_WEAK = frozenset(("wait", "actually", "make it"))  # also words of a command; never markers before other words
_NO_REPAIR = frozenset(("one", "it", "that", "don't"))  # "no one", "i mean it", "i mean that"
_NOUNS_OF_NO = word_set("idea clue telling rush hurry need problem problems worries doubt matter way wonder time point")  # "no idea where"
_STATING = word_set("i i'm i've i'd we we're we've he he's she she's they they're it's there's my")  # "sorry, i had the radio on"
_TAKEN_BACK = frozenset((("forget", "it"), ("forget", "that"), ("never", "mind"), ("cancel", "that"), ("cancel", "it"), ("leave", "it")))
_DIRECTIONS = word_set("left right forward forwards backward backwards back around")
_ANSWERS = word_set("thanks thank please no yes wait stop sorry okay")
_LINKS = frozenset(("and", "then", ","))


def repaired(text: str, verbs: frozenset[str]) -> str:
    """The normalised text without retracted words; unchanged if there are none.

    Args:
        text: normalised.
        verbs: that begin commands.
    """
    for match in _MARKER.finditer(text):
        before, after = text[: match.start()].split(), _not_but(match["after"].replace(",", " ,").split())
        if (
            not before
            or before[0] in {"no", "don't"}
            or not _is_repair(match["marker"], before, bool(match["comma"]) or "," in match[0][:2], after, verbs)
        ):
            continue
        kept = _kept(before, after, verbs)
        if kept is not None:
            counted = before[len(kept) + 1 :] if len(after) == 1 and after[0][0].isdigit() else []  # "two cups, make that three"
            return repaired(normalise(" ".join([*kept, *_with_noun(after, before), *counted])), verbs)
    return text


def _is_repair(marker: str, before: list[str], comma: bool, after: list[str], verbs: frozenset[str]) -> bool:
    if after[0] in _STATING or (marker.endswith("no") and after[0] in _NOUNS_OF_NO):
        return False
    if after[0] in _NO_REPAIR or tuple(after[:2]) in _TAKEN_BACK:
        return False
    opens = after[0] in DETERMINERS | PREPOSITIONS.keys()
    if marker in _WEAK:
        if before[-1] in _LINKS:
            return False
        if marker == "wait":  # "wait for me", "wait 5 seconds" are commands
            return after[0] in DETERMINERS or after[0] == "to" or (_same_kind(before, after) and after[0] in _DIRECTIONS)
        return opens or _same_kind(before, after) or (marker == "actually" and after[0] in verbs)
    if marker not in _BARE or comma:
        return True
    return opens or (marker == "no" and after[0] in verbs) or _same_kind(before, after) or _renames(before, after, verbs)


def _same_kind(before: list[str], after: list[str]) -> bool:
    """Whether a number follows a number, or a direction a direction."""
    return (after[0][0].isdigit() and any(word[0].isdigit() for word in before)) or (after[0] in _DIRECTIONS and before[-1] in _DIRECTIONS)


def _renames(before: list[str], after: list[str], verbs: frozenset[str]) -> bool:
    """Whether one word replaces the recipient: "bring it to anna sorry ben"."""
    return len(after) == 1 and before[-2:-1] in (["to"], ["for"]) and after[0] not in verbs | _ANSWERS


def _not_but(after: list[str]) -> list[str]:
    """The replacement in "not the red one but the blue one"."""
    if after[0] != "not":
        return after
    start = next((at for at, word in enumerate(after) if at > 1 and (word == "but" or word in DETERMINERS)), 0)
    return after[start + (after[start] == "but") :] or after if start else after


def _kept(before: list[str], after: list[str], verbs: frozenset[str]) -> list[str] | None:
    """The words before the marker that stay; None if no phrase there begins like the words after it."""
    if after[0][0].isdigit():
        last = max((at for at, word in enumerate(before) if word[0].isdigit()), default=0)
        return before[:last] if last else None
    verb = after[after_lead_in(after)]
    if verb in verbs and after[0] not in DETERMINERS | PREPOSITIONS.keys():
        start = max((at for at, word in enumerate(before) if word in _LINKS), default=-1) + 1
        return before[:start]
    if after[0] not in DETERMINERS | PREPOSITIONS.keys() and before[-2:-1] and before[-2] in PREPOSITIONS:
        return before[:-1]  # "take the milk to ben, i mean anna"
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
