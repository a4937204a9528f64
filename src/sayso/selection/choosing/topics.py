"""Messages that only name what to speak of: "tell me a joke", "tell anna about the party". The robot can pass on words, and invent none."""

from __future__ import annotations

import re

MESSAGE = "message"  # the role of words to pass on; other roles of words are what an act is about: a drink, a title
OWN = (".", "!", "?")  # ends what the robot says in its own words; words that were heard have no punctuation
_OWNER = "(?:a|an|another|one more|some|the|your|his|her|their|my|our)"
_SUBJECT = (
    "(?:jokes?|stor(?:y|ies)|tales?|secrets?|poems?|riddles?|songs?|news|truth|time|date|weather|names?|day|way|reasons?|answer|score|"
    "results?|plans?|forecast|traffic)"
)
_NAMED = re.compile(
    rf"(?:about|of|something|anything|everything|more)\b.*|(?:{_OWNER}\s+)?(?:[\w']+\s+){{0,2}}{_SUBJECT}(?:\s+(?:of|about|for|please)\b.*)?"
)
_VERBATIM = re.compile(r"\b(?:say|announce|that)\b")


def is_topic(message: str, clause: str, *, to_speaker: bool) -> bool:
    """Whether the message holds no words to pass on.

    Args:
        message: of the role, normalised.
        clause: the whole clause.
        to_speaker: whether who gave the command is to be told; then only "say …", "… that …" and a reminder, "… to …", are words to repeat.
    """
    if message.endswith(OWN):
        return False
    if _NAMED.fullmatch(message):
        return True
    return to_speaker and not message.startswith("to ") and _VERBATIM.search(clause) is None
