"""`sayso say`, `listen`, `answer`, `stop` and `resume`: talk to the running nodes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from sayso.errors import RosError

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object per line and nothing else.")]
Namespace = Annotated[str, typer.Option(help="ROS namespace of the robot, if there are several.")]
Timeout = Annotated[float, typer.Option(min=0.1, help="Give up after this many seconds.")]


def say(
    text: Annotated[str, typer.Argument(help="The sentence.")],
    wait: Annotated[bool, typer.Option(help="Follow it until the robot reports the outcome; --no-wait: only send it.")] = True,
    timeout: Timeout = 600.0,
    namespace: Namespace = "",
    json: Json = False,
) -> None:
    """Say a sentence to the running nodes and show the result of each stage.

    Exit code: 0 if it is done or the robot asks a question; 1 if it is not done.

    Examples:

    - `sayso say "go to the kitchen"`

    - `sayso say --no-wait stop`

    - `sayso say --json "bring me the red cup"`
    """
    from sayso_msgs.srv import Say

    with _listener(json, namespace) as listener:
        if wait:
            listener.meet()
        answer = listener.call("say", Say.Request(text=text))
        if not answer.accepted:
            raise RosError(answer.message)
        if not wait:
            listener.view.note(f"utterance {answer.utterance_id}", utterance_id=answer.utterance_id)
            return
        _leave_with(listener.follow(answer.utterance_id, timeout))


def listen(
    wav: Annotated[Path | None, typer.Option(help="Play this sound file to the robot.", exists=True, dir_okay=False)] = None,
    mic: Annotated[bool, typer.Option("--mic", help="Listen to the microphone until Ctrl-C.")] = False,
    timeout: Timeout = 600.0,
    namespace: Namespace = "",
    json: Json = False,
) -> None:
    """Play a sound file to the running nodes, or let them hear the microphone, and show the result of each stage.

    Examples:

    - `sayso listen --wav order.wav`

    - `sayso listen --mic`
    """
    if (wav is None) == (not mic):
        raise RosError("sayso listen: either --wav FILE or --mic")
    if wav is not None:
        from sayso.speech.files import read_sound

        read_sound(wav)  # reports an unreadable file before it looks for nodes
    with _listener(json, namespace) as listener:
        listener.require("speech_to_text")
        listener.meet()
        if wav is None:
            listener.join("microphone", {})
            listener.follow_all()
        else:
            player = listener.join("wav_player", {"files": [str(wav.resolve())]})
            _leave_with(listener.follow_file(player, timeout))


def answer(
    text: Annotated[str, typer.Argument(help="yes, no, the number of an option, or its name.")],
    wait: Annotated[bool, typer.Option(help="Follow the command that it answers.")] = True,
    timeout: Timeout = 600.0,
    namespace: Namespace = "",
    json: Json = False,
) -> None:
    """Answer the question that the robot has asked.

    Examples:

    - `sayso answer yes`

    - `sayso answer 2`

    - `sayso answer "the blue one"`
    """
    from sayso_msgs.srv import Answer

    with _listener(json, namespace) as listener:
        if wait:
            listener.meet()
        reply = listener.call("answer", Answer.Request(text=text))
        if not reply.accepted:
            raise RosError(reply.message)
        listener.view.note(reply.message, accepted=True)
        if wait:
            _leave_with(listener.follow_answer(timeout))


def stop(namespace: Namespace = "", json: Json = False) -> None:
    """Stop the robot at once. It moves again after `sayso resume` or the words "go on".

    Example: `sayso stop`
    """
    from sayso_nodes.caller import trigger

    reply = trigger("stop", namespace)
    _tell(reply.message, json, stopped=bool(reply.success))


def resume(namespace: Namespace = "", json: Json = False) -> None:
    """Let the robot move again after a stop. Dropped commands stay dropped.

    Exit code: 2 if something still prevents it, such as a pressed button.

    Example: `sayso resume`
    """
    from sayso_nodes.caller import trigger

    reply = trigger("resume", namespace)
    if not reply.success:
        raise RosError(reply.message)
    _tell(reply.message, json, stopped=False)


def _listener(json: bool, namespace: str) -> Any:
    """A client. ROS takes a third of a second to import, so `sayso --help` does without it."""
    from sayso_nodes.listener import Listener

    return Listener(json, namespace)


def _tell(message: str, as_json: bool, **values: object) -> None:
    """The message for a person, or the values for a program."""
    if as_json:
        from json import dumps

        message = dumps(values)
    typer.echo(message)


def _leave_with(succeeded: bool) -> None:
    if not succeeded:
        sys.stdout.flush()
        raise typer.Exit(1)
