"""Questions about the robot itself and its clock: "what time is it", "what did you just do", "tell me your name"."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import cast

from sayso.intent.meaning.lists import listed, tables
from sayso.representation import QuestionName

_WORD = re.compile(r"<(\w+)>")


def own_question(text: str) -> QuestionName | None:
    """The question that the whole text asks of the robot; None for any other text.

    Args:
        text: of a clause, normalised. One word more, "what time is it in london", makes it another question.
    """
    plain = " ".join(text.replace(",", " ").split())
    found = _pattern().fullmatch(plain)
    if found is None or found.lastgroup is None:
        return None
    return cast("QuestionName", found.lastgroup.removeprefix("told_"))


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    """All questions as one expression with a group for each kind: one look instead of a hundred.

    Repetitions are bounded: "please tell me" can be read in two ways, and a sentence may consist of nothing else.
    """
    table = tables("own_questions.yaml")
    words: dict[str, str] = table["words"]
    asking = _any_of(listed(tables("questions.yaml")["leads"]))
    telling = f"(?:{asking}|{_any_of(listed(table['askings']))})"
    lead = f"(?:{_any_of(listed(table['leads']))}|{asking})"
    asked = [f"(?P<{kind}>{'|'.join(expressions)})" for kind, expressions in table["questions"].items()]
    told = [f"(?P<told_{kind}>{expression})" for kind, expression in table["told"].items()]
    whole = f"(?:(?:{lead} ){{0,4}}(?:{'|'.join(asked)})|(?:{lead} ){{0,3}}{telling} (?:{'|'.join(told)}))(?:{table['ends']}){{0,3}}"
    return re.compile(_WORD.sub(lambda name: words.get(name[1], name[0]), whole))


def _any_of(phrases: list[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(phrases, key=len, reverse=True)))})"
