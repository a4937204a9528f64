"""speech_to_text: audio → transcript, and partial_transcript while it is said.

A sentence that is only a stop word stops the robot first, whether the node listens or not.
"""

from __future__ import annotations

import uuid
from pathlib import Path
from time import monotonic
from typing import Any

from std_msgs.msg import Bool

from sayso.domain import load_domain
from sayso.speech.listening import MODES, Heard, Listening, ListeningOptions, says_more
from sayso.speech.wake_word import WAKE_WORDS
from sayso.types import SAMPLE_RATE, AudioChunk, Transcript, TranscriptAlternative
from sayso_nodes.conversions import from_message, to_message
from sayso_nodes.lifecycle_node import DOMAIN, WORTH_A_WORD, SaysoNode
from sayso_nodes.nodes.stop_call import StopCall
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run

LISTENING = (
    Parameter("listen", "always", "when a sentence is a command", choices=MODES),
    Parameter("wake_word", WAKE_WORDS[0], f"{', '.join(WAKE_WORDS)}, or the .json file of another one for microWakeWord"),
    Parameter("window", 6.0, "time after the wake word, or after a question of the robot, in which a sentence begins, s", 1.0, 60.0),
)
CHECKED = 0.1  # s between two looks whether the sound paused or the listening ended


class SpeechToTextNode(SaysoNode):
    """Turns sound or typed text into transcripts."""

    NAME = "speech_to_text"
    PARAMETERS = (
        DOMAIN,
        Parameter("backend", "moonshine", "which recogniser", choices=("moonshine", "pocketsphinx", "whisper", "faster_whisper")),
        Parameter("whisper_weights", "", "whisper: a .pt file, empty: its own cache; faster_whisper: a folder"),
        Parameter("early", True, "a complete sentence ends sooner, one that breaks off later; false: each after 0.45 s of silence"),
        *LISTENING,
    )
    QUEUE = 1500  # chunks of 0.04 s: nothing is lost while a sentence of a minute is recognised

    def open(self) -> None:
        """Load the recogniser."""
        from sayso.speech.condition import SoundCondition
        from sayso.speech.own_voice import OwnVoice
        from sayso.speech.recognise import SpeechOptions, SpeechToText
        from sayso.speech.stopping.words import is_stop

        self.domain = load_domain(self.value("domain") or None)
        self.is_stop = is_stop
        self.own_voice, self.condition = OwnVoice(), SoundCondition()
        weights = self.value("whisper_weights")
        options = SpeechOptions(self.value("backend"), whisper_weights=Path(weights) if weights else None)
        self.recognise = SpeechToText(self.domain, options)
        when = ListeningOptions(self.value("listen"), self.value("wake_word"), self.value("window"))
        self.listening = Listening(when, self.recognise.ear() if self.value("early") else None)
        self.next_id, self.shown = utterance_id(), ""  # of the utterance to come; what was last published of it
        self.before: Transcript | None = None  # the last one from sound
        self.transcripts, self.partials = self.publisher("transcript"), self.publisher("partial_transcript")
        self.stop = StopCall(self)
        self.listens = self.publisher("listening")
        self.told: bool | None = None  # what was last published there
        self.subscription("speaking", self.on_speaking)
        self.subscription("question", self.on_question)
        self.subscription("talk_button", self.on_button)
        self.subscription("audio", self.on_audio)
        self.service("say", self.on_say)
        self.every(CHECKED, self.on_time, steady=True)

    def on_audio(self, message: Any) -> None:
        """Take a piece of sound, which may end an utterance. Sound is ignored while the robot speaks."""
        chunk = from_message(message)
        if chunk.sample_rate != SAMPLE_RATE:
            wrong = f"audio comes at {chunk.sample_rate} Hz, and is ignored: it must be {SAMPLE_RATE} Hz, mono"
            self.health.failed(wrong)
            self.get_logger().error(wrong, throttle_duration_sec=WORTH_A_WORD)
            return
        self.condition.feed(chunk.samples, monotonic())
        if not self.own_voice.covers(chunk):
            self.later(lambda: self.follow(chunk))

    def on_speaking(self, message: Any) -> None:
        """Note that the robot begins or stops speaking. It drops a sentence begun before: half a command may be another command."""
        now = self.seconds()
        self.own_voice.update(message.data, now)
        self.later(lambda: self.listening.own_voice(message.data, now))

    def on_question(self, _message: Any) -> None:
        """Listen for the answer."""
        now = self.seconds()
        self.later(lambda: self.listening.asked(now))

    def on_button(self, message: Any) -> None:
        """Note that the button is pressed or released."""
        now = self.seconds()
        self.later(lambda: self.listening.press(message.data, now))

    def on_time(self) -> None:
        """Show whether it listens, and end what the button's release ended."""
        now = self.seconds()
        if self.value("listen") == "push_to_talk":
            self.later(lambda: self.hear(self.listening.pause(now)))
        listens = self.listening.listens_at(now) and not self.own_voice.speaks_at(now)
        if listens != self.told:
            self.told = listens
            self.listens.publish(Bool(data=listens))
        stuck = "talk_button is held for too long: it counts as released" if self.listening.stuck(now) else ""
        poor = self.condition.poor()
        self.health.concern = stuck or poor
        self.health.values |= {
            "listening": "no: the robot speaks" if self.own_voice.speaks_at(now) else self.listening.state(now),
            "sound": self.condition.deaf(monotonic()) or poor or "good",
            "wake words": str(self.listening.wakes),
            "sentences without an end": str(self.listening.interrupted),
        }

    def follow(self, chunk: AudioChunk) -> None:
        """Listen to a piece of sound, and show what was said so far."""
        self.hear(self.listening.feed(chunk))
        text = self.listening.partial
        if text != self.shown:
            alternatives = (TranscriptAlternative(text, 0.0),) if text else ()
            said = Transcript(self.next_id, self.seconds(), alternatives, confidence=0.0, rejected="it is still being said")
            self.partials.publish(to_message(said))
        self.shown = text

    def hear(self, heard: list[Heard]) -> None:
        """Recognise utterances. One that was not meant for the robot, or says nothing new, is not published, unless it says stop."""
        for each in heard:
            transcript = self.recognise.transcript(each.utterance, self.next_id)
            self.next_id = utterance_id()
            new, self.before = says_more(each.utterance, transcript, self.before), transcript
            if (each.addressed and new) or self.is_stop(transcript, self.domain):
                self.publish(transcript)
            if each.addressed and not transcript.rejected:
                self.listening.taken()

    def on_say(self, request: Any, response: Any) -> Any:
        """Take a sentence as text, as if it had just been spoken."""
        if not self.active:
            response.message = "speech_to_text is not active"
            return response
        now = self.seconds()
        alternatives = (TranscriptAlternative(request.text, 0.0),) if request.text.strip() else ()
        typed = Transcript(utterance_id(), now, alternatives, confidence=1.0, started=now)
        self.publish(typed)
        response.accepted, response.utterance_id = True, typed.utterance_id
        return response

    def publish(self, transcript: Transcript) -> None:
        """Publish a transcript. If it says "stop", stop first."""
        if self.is_stop(transcript, self.domain):
            self.stop()
        self.transcripts.publish(to_message(transcript))


def utterance_id() -> str:
    """A unique name for an utterance."""
    return uuid.uuid4().hex[:12]


def main() -> None:
    """Run the node."""
    run(SpeechToTextNode)


if __name__ == "__main__":
    main()
