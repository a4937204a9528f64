"""Words that answer a question and ask for nothing by themselves."""

from __future__ import annotations

import re

YES = frozenset({"yes", "yeah", "yep", "yup", "sure", "ok", "okay", "right", "correct", "exactly", "do it", "do that", "go ahead",
                 "yes please", "please do", "of course", "that is right", "that's right", "affirmative"})  # fmt: skip
NO = frozenset({"no", "nope", "nah", "no thanks", "no thank you", "don't", "do not", "wrong", "negative"})
NEVER_MIND = frozenset({"never mind", "nevermind", "forget it", "forget about it", "cancel", "nothing", "none", "neither", "none of them",
                        "neither of them", "leave it", "stop"})  # fmt: skip


def plain(text: str) -> str:
    """Lower case, without punctuation."""
    return " ".join(re.sub(r"[^\w' ]", " ", text.lower()).split())


def is_reply(text: str) -> bool:
    """Is that a yes or a no, and nothing else?"""
    return plain(text) in YES | NO
