"""Conditions that repeat a question or a check: "is the phone on the desk? if it is …", "check if the milk is there, and if so …"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.intent.meaning.conditions import COPULAS, finite_verb, parsed
from sayso.intent.meaning.sentence_words import LINKS, Reading
from sayso.representation import Condition


def condition_asked(reading: Reading, core: Sequence[int], again: Condition) -> Condition | None:
    """The condition that "if it is" repeats after a question: "is the phone on the desk? if it is …"; None if the question has no state."""
    words = [reading.words[at] for at in core if reading.word(at) not in LINKS]
    if len(words) < 3 or words[0].text not in COPULAS:
        return None
    parts = Reading(tuple(words), reading.lexicon)
    state = next((at for at in range(2, len(words)) if parts.relation(at, len(words)) is not None), len(words) - 1)
    return _again(Reading((*words[1:state], words[0], *words[state:]), reading.lexicon), again)


def condition_said(reading: Reading, core: Sequence[int], again: Condition) -> Condition | None:
    """The condition that "if so" repeats after "check if the milk is there"; None if there is no state."""
    words = tuple(reading.words[at] for at in core if reading.word(at) not in LINKS)
    statement = Reading(words, reading.lexicon)
    return _again(statement, again) if finite_verb(statement, 0, len(words)) > 0 else None


def _again(statement: Reading, again: Condition) -> Condition:
    found = parsed(statement, again.kind, 0, 0, len(statement))
    return replace(found, text=f"{again.kind} {found.text}", start=again.start, end=again.end, negated=found.negated != again.negated)
