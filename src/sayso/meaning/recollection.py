"""What the robot remembers of a moment: what it saw, did, asked and refused. Answers to questions about itself come from here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sayso.agenda import Now
from sayso.types import Action

# decided: to be done, and nothing is known of a beginning. running: being done.
DeedState = Literal["decided", "running", "done", "failed"]


@dataclass(frozen=True, slots=True)
class LastSeen:
    """Where and when the robot last had to do with a thing."""

    place: str  # id of the place, or of the person whom it was given to; empty: on the way
    stamp: float  # s, ROS time
    how: Literal["seen", "put", "given"] = "seen"


@dataclass(frozen=True, slots=True)
class Deed:
    """A command that the robot decided to carry out."""

    what: str  # in the robot's words: "bring the red cup to you"
    said: str  # the words that asked for it
    probability: float  # posterior of the least certain action in it
    stamp: float  # s, ROS time of the newest state
    state: DeedState = "decided"
    reason: str = ""  # why it failed, one line
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """The last question of the robot, and what it was unsure of."""

    question: str
    said: str  # the words that it was about
    reason: str  # one line
    options: tuple[tuple[str, float], ...] = ()  # (action in the robot's words, posterior), likeliest first


@dataclass(frozen=True, slots=True)
class RefusedCommand:
    """The last sentence that the robot did not act on."""

    said: str
    reason: str  # what the robot said
    stamp: float  # s, ROS time


@dataclass(frozen=True, slots=True)
class Recollection:
    """What is remembered at one moment; the defaults mean nothing."""

    now: Now | None = None  # None: no clock
    last_seen: Mapping[str, LastSeen] = field(default_factory=dict)  # by object or person
    deeds: tuple[Deed, ...] = ()  # oldest first
    asked: AskedQuestion | None = None
    refused: RefusedCommand | None = None

    def of_now(self) -> Recollection:
        """The moment without the memory."""
        return Recollection(self.now)

    @property
    def running(self) -> Deed | None:
        """What the robot is doing; None for nothing."""
        return next((deed for deed in reversed(self.deeds) if deed.state == "running"), None)
