"""What of a context is remembered with a confirmed action: a few words that a person can read, and that come again."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime

from sayso.domain.model import Domain
from sayso.types import Context

HOURS = ((6.0, "morning"), (11.0, "noon"), (14.0, "afternoon"), (18.0, "evening"), (22.0, "night"))  # local time from which
WALL_CLOCK = 1e9  # s; a stamp before 2001 is of a simulation's clock and tells no time of day


@dataclass(frozen=True, slots=True)
class Situation:
    """The features of a context by which habits may differ; empty where it is not known."""

    room: str = ""  # id of the room that the robot is in, or of the place where it is in none
    time: str = ""  # of day
    speaker: str = ""  # id of the person
    after: str = ""  # name of the last action, "nothing" where there was none
    hand: str = ""  # "full" or "empty"

    def __str__(self) -> str:
        after, hand = self.after and f"after {self.after}", self.hand and f"hand {self.hand}"
        return ", ".join(filter(None, (self.room, self.time, self.speaker, after, hand))) or "anywhere"

    def features(self) -> tuple[tuple[str, str], ...]:
        """(name, value) of each, in the order of the fields."""
        return tuple((name, getattr(self, name)) for name in FEATURES)


FEATURES = tuple(field.name for field in fields(Situation))


def situation_of(domain: Domain, context: Context) -> Situation:
    """The situation that the context is."""
    return Situation(
        room=domain.room_of(context.place) if context.place in domain.places else context.place,
        time=time_of_day(context.stamp),
        speaker=context.speaker or domain.speaker,
        after=context.last_action or "nothing",
        hand="full" if context.holding else "empty",
    )


def time_of_day(stamp: float) -> str:
    """The part of the day, in local time; empty where the stamp is not of a wall clock."""
    if not stamp >= WALL_CLOCK:
        return ""
    local = datetime.fromtimestamp(stamp).astimezone()
    hour = local.hour + local.minute / 60.0
    return next((name for start, name in reversed(HOURS) if hour >= start), HOURS[-1][1])
