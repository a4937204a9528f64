"""Skills without motion: say, wait, stop, resume, cancel."""

from __future__ import annotations

from sayso.robot.body import RobotState
from sayso.robot.moving import quantity
from sayso.robot.skill import Pending, Skill, SkillFailed, Step
from sayso.types import SkillCall

WAIT = 5.0  # s, if no extent is given
SPEECH_RATE = 14.0  # characters per second


def say(body: RobotState, call: SkillCall) -> Skill:
    """Speak; done when the message has been spoken."""
    message = call.argument("message")
    if not message:
        raise SkillFailed("there is nothing to say")
    body.robot.say(message)
    yield from _pause(body, len(message) / SPEECH_RATE, "speaking")


def wait(body: RobotState, call: SkillCall) -> Skill:
    """Do nothing for a number of seconds."""
    yield from _pause(body, quantity(call, WAIT), "waiting")


def stop(body: RobotState, call: SkillCall) -> Skill:  # noqa: ARG001 — all skills share one signature
    """Close the motion gate."""
    yield from _answered(body, body.robot.stop(), "stopping")


def resume(body: RobotState, call: SkillCall) -> Skill:  # noqa: ARG001
    """Open the motion gate."""
    yield from _answered(body, body.robot.resume(), "going on")


def cancel(body: RobotState, call: SkillCall) -> Skill:  # noqa: ARG001
    """Stand still. Starting this skill has already cancelled the one before."""
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
