"""What became of the single skills of a recorded run, told from the states of its plans.

The planner publishes its state before each skill and after the last one. A skill that succeeded is among those that the next state calls
done; one that did not is missing there. It ended early if the task was dropped meanwhile, which the last state says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sayso.bags import messages
from sayso.bags.definitions import decoding
from sayso.bags.reading import Bag
from sayso.bags.topics import find_topics
from sayso.errors import SaysoError
from sayso.types import Context, PlanState, SkillOutcome

TOPICS = ("plan_state", "context")


@dataclass(frozen=True, slots=True)
class SkillRun:
    """One skill of a recorded run."""

    utterance_id: str
    stamp: float  # s, ROS time at its beginning
    recorded: float  # s since 1970, when its beginning was recorded
    before: Context | None  # the robot's situation at its beginning; None if it was not recorded
    after: Context | None  # … and at its end
    outcome: SkillOutcome  # `seconds` also count the planning after it, some tenths of a second


def skill_runs(bag: Bag, namespace: str = "") -> Iterator[SkillRun]:
    """The skills of the run, in order. Damaged messages, and those of another version, are left out, and the bag's problems name them."""
    topics = find_topics(bag, namespace)
    names, situation = topics.names(), None
    state: PlanState | None = None  # the last one, if its next skill runs
    begun: tuple[float, Context | None] = 0.0, None
    for connection, time, raw in bag.messages(topics.among(TOPICS)) if topics.among(TOPICS) else ():
        try:
            message = bag.deserialize(raw, connection)
            with decoding(connection.msgtype):
                if names[connection.topic] == "context":
                    situation = messages.context(message)
                    continue
                now = messages.plan_state(message)
        except SaysoError as unknown:
            bag.complain(connection.topic, str(unknown))
            continue
        if state is not None and now.utterance_id == state.utterance_id and now.stamp >= state.stamp and now.status != "asking":
            yield SkillRun(state.utterance_id, state.stamp, *begun, situation, _outcome(state, now))
        state = now if now.status == "running" and now.ahead else None
        begun = 1e-9 * time, situation


def _outcome(before: PlanState, after: PlanState) -> SkillOutcome:
    succeeded = len(after.done) > len(before.done)
    interrupted = not succeeded and after.status == "cancelled"
    return SkillOutcome(before.ahead[0], succeeded, "", after.stamp - before.stamp, interrupted)
