"""What became of the sentences that were said to the robot, and the row about it."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Protocol

from sayso.console.bench import Row


@dataclass
class SaidSentence:
    """What became of one accepted utterance."""

    text: str = ""
    outcomes: list[bool] = field(default_factory=list)  # succeeded?
    ended_at: set[tuple[int, int]] = field(default_factory=set)  # stamps of the outcomes, s and ns
    asked: bool = False  # the robot asked a question
    begun: int = 0  # times that the planner began to carry it out
    planned: bool = False  # does the planner carry it out now?

    @property
    def ended(self) -> bool:
        """Whether it has an end: an outcome or a question."""
        return bool(self.outcomes) or self.asked


class HasSentences(Protocol):
    """Who said them."""

    sentences: dict[str, SaidSentence]


def said(robot: HasSentences, before: Container[str]) -> list[SaidSentence]:
    """The sentences since then."""
    return [sentence for name, sentence in robot.sentences.items() if name not in before]


def percent(part: int, whole: int) -> float | None:
    """A share, None of nothing."""
    return 100.0 * part / whole if whole else None


def ended_row(what: str, found: list[SaidSentence]) -> Row:
    """How many of the accepted sentences had an end."""
    ended = percent(sum(each.ended for each in found), len(found))
    open_ones = ", ".join(f"'{each.text}'" for each in found if not each.ended)
    return Row(f"{what}: accepted commands that ended properly", ended, "%", "higher", 100.0, n=len(found), reason=open_ones[:500])
