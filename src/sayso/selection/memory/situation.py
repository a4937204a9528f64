"""The features of a context that are stored with a confirmed action: readable, and coarse enough to recur."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime

from sayso.domain.model import Domain
from sayso.types import Context

HOURS = ((6.0, "morning"), (11.0, "noon"), (14.0, "afternoon"), (18.0, "evening"), (22.0, "night"))  # start in local time
WALL_CLOCK = 1e9  # s; a stamp before 2001 comes from a simulated clock, without a time of day


@dataclass(frozen=True, slots=True)
class Situation:
    """The features of a context on which habits may depend; empty if unknown."""

    room: str = ""  # id of the robot's room, or of its place if that is in no room
    time: str = ""  # time of day
    speaker: str = ""  # id of the person
    after: str = ""  # name of the last action, or "nothing"
    hand: str = ""  # "full" or "empty"

    def __str__(self) -> str:
        after, hand = self.after and f"after {self.after}", self.hand and f"hand {self.hand}"
        return ", ".join(filter(None, (self.room, self.time, self.speaker, after, hand))) or "anywhere"

    def features(self) -> tuple[tuple[str, str], ...]:
        """(name, value) of each feature, in the order of the fields."""
        return tuple((name, getattr(self, name)) for name in FEATURES)


FEATURES = tuple(field.name for field in fields(Situation))


def situation_of(domain: Domain, context: Context) -> Situation:
    """The situation of a context."""
    return Situation(
        room=domain.room_of(context.place) if context.place in domain.places else context.place,
        time=time_of_day(context.stamp),
        speaker=context.speaker or domain.speaker,
        after=context.last_action or "nothing",
        hand="full" if context.holding else "empty",
    )


def time_of_day(stamp: float) -> str:
    """The part of the day, in local time; empty if the stamp is not from a wall clock."""
    if not stamp >= WALL_CLOCK:
        return ""
    local = datetime.fromtimestamp(stamp).astimezone()
    hour = local.hour + local.minute / 60.0
    return next((name for start, name in reversed(HOURS) if hour >= start), HOURS[-1][1])
