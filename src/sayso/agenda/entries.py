"""What the agenda holds, and what it needs to know about a moment: plain frozen data."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sayso.types import Action, Context

# ros: the robot's clock, simulated or not ("in five minutes"). wall: s since 1970 ("at six").
ClockName = Literal["ros", "wall"]
# due: its time has come, and it waits until the robot is free.
TaskState = Literal["waiting", "due", "done", "taken back", "missed"]
RuleState = Literal["in force", "over", "taken back"]
# seen: a person or an object is in view. before, finished: an action is about to run, has succeeded.
ObservableName = Literal["seen", "robot_at", "object_at", "holding", "battery_low", "battery_full", "idle", "finished", "before"]


@dataclass(frozen=True, slots=True)
class Now:
    """The same moment on both clocks."""

    ros: float  # s of ROS time
    wall: float  # s since 1970

    @classmethod
    def at(cls, ros: float) -> Now:
        """This moment, at that ROS time."""
        return cls(ros, time.time())

    def on(self, clock: ClockName) -> float:
        """The time of that clock."""
        return self.ros if clock == "ros" else self.wall


@dataclass(frozen=True, slots=True)
class Facts:
    """What the robot observes at a moment; the defaults mean that it knows nothing."""

    place: str = ""  # id of the innermost place that contains the robot
    visible: tuple[str, ...] = ()  # ids of people and objects seen recently
    holding: str | None = None  # id of the object in the gripper; empty: none; None: unknown
    battery: float = math.nan  # charge in [0, 1]
    idle: bool = False  # no command is being carried out
    stopped: bool = False  # the robot was told to stop, and not yet to go on
    finished: tuple[str, ...] = ()  # names of the actions that have succeeded since the last look
    whereabouts: Mapping[str, str] = field(default_factory=dict)  # object → its place, where that is nearly certain

    @classmethod
    def of(cls, context: Context | None, **others: object) -> Facts:
        """The facts of a context, and those that it lacks."""
        if context is None:
            return cls(**others)  # type: ignore[arg-type]
        return cls(context.place, context.visible, context.holding, context.battery, **others)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Observable:
    """A state or an event that the robot can notice."""

    name: ObservableName
    entity: str = ""  # person, object or place; the action of `before` and `finished`, empty for any
    place: str = ""  # of object_at
    negated: bool = False
    event: bool = False  # it must become true; a state may be true already
    text: str = ""  # the robot's words for it: "Anna comes"


@dataclass(frozen=True, slots=True)
class DeferredTask:
    """Actions to carry out later: at a time, at an event, or both in this order."""

    id: str  # unique in the agenda
    utterance_id: str
    text: str  # as said
    what: str  # in the robot's words: "go to the kitchen"
    actions: tuple[Action, ...]  # in order
    created: float  # s since 1970
    created_ros: float = 0.0  # s of ROS time
    due: float = -math.inf  # s on `clock`; −inf: as soon as its trigger comes
    clock: ClockName = "wall"
    period: float = 0.0  # s until it is due again; 0: once
    until: float = math.inf  # s since 1970, end of the repetitions
    trigger: Observable | None = None  # to wait for
    guards: tuple[Observable, ...] = ()  # must all hold when it is due; their texts begin with "if" or "unless"
    permitted: tuple[str, ...] = ()  # ids of standing rules that a person has overruled for it
    standing: bool = False  # it is done each time that its trigger comes: "whenever anna comes"
    state: TaskState = "waiting"
    reason: str = ""  # why it is in this state, one line

    @property
    def open(self) -> bool:
        """Whether it is still to be done."""
        return self.state in ("waiting", "due")


@dataclass(frozen=True, slots=True)
class StandingRule:
    """What the robot must not do without asking."""

    id: str  # unique in the agenda
    utterance_id: str
    text: str  # as said
    what: str  # in the robot's words, what it must not do: "go to the bedroom"
    action: str  # name; empty: any action with these arguments
    arguments: tuple[tuple[str, str], ...]  # those that were said, by role
    created: float  # s since 1970
    until: float = math.inf  # s since 1970; inf: until it is taken back
    ends: Observable | None = None  # "until anna comes"
    state: RuleState = "in force"
    reason: str = ""

    @property
    def open(self) -> bool:
        """Whether it is in force."""
        return self.state == "in force"


@dataclass(frozen=True, slots=True)
class AgendaEntry:
    """A task or a rule in the robot's words: a row of `sayso tasks`."""

    id: str
    kind: Literal["task", "rule"]
    what: str  # "go to the kitchen"; of a rule: "not go to the bedroom"
    when: str  # "today at 18:00", "when Anna comes", "until midnight"
    text: str  # as said
    created: float  # s since 1970
    due: float  # s since 1970; of a rule: its end, inf for none; NaN: at an event
    state: str
    reason: str = ""
