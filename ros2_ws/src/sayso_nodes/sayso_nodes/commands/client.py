"""`sayso say`, `listen`, `answer`, `stop` and `resume`: talk to the running nodes."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from sayso.console.options import takes
from sayso.errors import RosError

# As in sayso.speech, whose import would slow the other commands down.
Mode = Literal["always", "push_to_talk", "wake_word"]
WAKE_WORDS = ("okay_nabu", "hey_jarvis", "hey_mycroft", "alexa")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenOptions:
    """Options of `sayso listen`."""

    file: Annotated[Path | None, typer.Option("--file", help="Hear this sound file instead of the microphone.", dir_okay=False)] = None
    device: Annotated[str, typer.Option(help="Microphone: its number or a part of its name; see sayso audio devices.")] = ""
    channel: Annotated[int, typer.Option(min=0, max=32, help="The only channel to use, counted from 1; 0: the mean of all.")] = 0
    when: Annotated[Mode, typer.Option(help="When it listens; push_to_talk: between two presses of the space bar.")] = "always"
    wake_word: Annotated[str, typer.Option(help=f"One of {', '.join(WAKE_WORDS)}, or the .json file of another one.")] = WAKE_WORDS[0]
    domain: Annotated[Path | None, typer.Option("--domain", "-d", help="Domain file of another home.", show_default=False)] = None
    wav: Annotated[Path | None, typer.Option(help="Play this sound file to the running nodes.", exists=True, dir_okay=False)] = None
    mic: Annotated[bool, typer.Option("--mic", help="Let the running nodes hear the microphone until Ctrl-C.")] = False
    timeout: Timeout = 600.0
    namespace: Namespace = ""
    json: Json = False


@takes(ListenOptions)
def listen(options: ListenOptions) -> None:
    """Show what the microphone hears and what it means, without a robot; or let the running nodes hear it, or a sound file.

    Without --wav and --mic, no ROS and no robot is needed, and nothing moves: a live line shows level and state, and each sentence is
    shown with its confidence and the robot's decision, until Ctrl-C.

    With --wav or --mic, the running nodes hear the sound and act on it, and the result of each stage is shown. The parameter `listen` of
    the node `speech_to_text` says when they listen; with push_to_talk, the space bar is the button.

    Examples:

    - `sayso listen`

    - `sayso listen --file order.wav`

    - `sayso listen --when wake_word --wake-word hey_jarvis --device USB`

    - `sayso listen --wav order.wav`

    - `sayso listen --mic`
    """
    if options.wav is not None and options.mic:
        raise RosError("sayso listen: --wav FILE or --mic, not both")
    if options.wav is None and not options.mic:
        _listen_here(options)
        return
    if options.wav is not None:
        from sayso.speech.files import read_sound

        read_sound(options.wav)  # reports an unreadable file before it looks for nodes
    with _listener(options.json, options.namespace) as listener:
        listener.require("speech_to_text")
        listener.meet()
        if options.wav is None:
            from sayso.console.listening_view import keyboard

            listener.join("microphone", {"device": options.device, "channel": options.channel})
            with keyboard() as pressed:
                listener.follow_all(pressed)
        else:
            player = listener.join("wav_player", {"files": [str(options.wav.resolve())]})
            _leave_with(listener.follow_file(player, options.timeout))


def _listen_here(options: ListenOptions) -> None:
    from sayso.console import listen as here
    from sayso.speech.listening import ListeningOptions

    source = here.SoundSource(options.file, options.device, options.channel)
    here.listen(source, ListeningOptions(options.when, options.wake_word), options.domain, options.json)


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
    from sayso_nodes.commands.listener import Listener

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
