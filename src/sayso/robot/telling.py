"""Skills without motion: say, greet, tell, wait, stop, resume, cancel."""

from __future__ import annotations

from sayso.domain.wording import capitalised
from sayso.robot.body import RobotState
from sayso.robot.moving import quantity
from sayso.robot.skill import Pending, Skill, SkillFailed, Step
from sayso.types import SkillCall

WAIT = 5.0  # s, if no extent is given
SPEECH_RATE = 14.0  # characters per second
OWN_WORDS = (".", "!", "?")  # end what the robot tells of itself; a message of somebody's, as it was heard, has no punctuation
# Words that begin what somebody is asked: "whether …", "where …", "for the keys".
ASKING = frozenset({"whether", "if", "what", "which", "who", "where", "when", "why", "how", "for"})


def say(body: RobotState, call: SkillCall) -> Skill:
    """Speak; done when the message has been spoken."""
    yield from _spoken(body, call.argument("message"))


def greet(body: RobotState, call: SkillCall) -> Skill:
    """Greet a person by name."""
    yield from _spoken(body, greeting(call.argument("message"), _name(body, call.argument("recipient"))))


def tell(body: RobotState, call: SkillCall) -> Skill:
    """Pass a message on. It is in the words of the speaker, so that the robot says that they are not its own."""
    yield from _spoken(body, passed_on(call.argument("message"), _name(body, call.argument("recipient"))))


def greeting(message: str, name: str) -> str:
    """The words for a greeting to a person of that name, or to the speaker if it is empty."""
    return capitalised(f"{message}, {name}" if message and name else message)


def passed_on(message: str, name: str) -> str:
    """The words for a message to a person of that name, or to the speaker if it is empty."""
    if message.endswith(OWN_WORDS):
        return f"{name}: {message}" if name else message
    if not name:
        return f"You asked me to remind you: {message.removeprefix('to ')}." if message.startswith("to ") else capitalised(message)
    if message.startswith("to "):
        return f"{name}, I was asked to tell you {message}."
    if message.split(" ", 1)[0] in ASKING:
        return f"{name}, I was asked to ask you {message}."
    return f"{name}, I have a message for you: {message}." if message else ""


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


def _name(body: RobotState, person: str) -> str:
    """How to address the person; empty for the speaker."""
    return "" if person == body.domain.speaker else capitalised(body.spoken(person))


def _spoken(body: RobotState, words: str) -> Skill:
    if not words:
        raise SkillFailed("there is nothing to say")
    body.robot.say(words)
    yield from _pause(body, len(words) / SPEECH_RATE, "speaking")


def _answered(body: RobotState, gate: Pending[tuple[bool, str]], status: str) -> Skill:
    done, message = yield from body.answer(gate, status, "the motion gate")
    if not done:
        raise SkillFailed(message)


def _pause(body: RobotState, seconds: float, status: str) -> Skill:
    start = body.now
    while body.now - start < seconds:
        yield Step(status, (body.now - start) / seconds)
