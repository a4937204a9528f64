"""Skills that move nothing: say, wait, stop, resume, cancel."""

from __future__ import annotations

from sayso.robot.body import RobotState
from sayso.robot.moving import quantity
from sayso.robot.skill import Pending, Skill, SkillFailed, Step
from sayso.types import SkillCall

WAIT = 5.0  # s, where no extent is said
SPEECH_RATE = 14.0  # characters a second: how long saying it takes


def say(body: RobotState, call: SkillCall) -> Skill:
    """Speak, and be done when it has been said."""
    message = call.argument("message")
    if not message:
        raise SkillFailed("there is nothing to say")
    body.robot.say(message)
    yield from _pause(body, len(message) / SPEECH_RATE, "speaking")


def wait(body: RobotState, call: SkillCall) -> Skill:
    """Do nothing for so many seconds."""
    yield from _pause(body, quantity(call, WAIT), "waiting")


def stop(body: RobotState, call: SkillCall) -> Skill:  # noqa: ARG001 — every skill is called alike
    """Close the motion gate."""
    yield from _answered(body, body.robot.stop(), "stopping")


def resume(body: RobotState, call: SkillCall) -> Skill:  # noqa: ARG001
    """Open the motion gate."""
    yield from _answered(body, body.robot.resume(), "going on")


def cancel(body: RobotState, call: SkillCall) -> Skill:  # noqa: ARG001
    """Stand still. What ran before was cancelled when this skill was started."""
    body.robot.drive(0.0, 0.0)
    yield Step("cancelled", 1.0)


def _answered(body: RobotState, gate: Pending[tuple[bool, str]], status: str) -> Skill:
    done, message = yield from body.answer(gate, status, "the motion gate")
    if not done:
        raise SkillFailed(message)


def _pause(body: RobotState, seconds: float, status: str) -> Skill:
    start = body.now
    while body.now - start < seconds:
        yield Step(status, (body.now - start) / seconds)
