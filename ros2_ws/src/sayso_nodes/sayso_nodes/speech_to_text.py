"""speech_to_text: audio → transcript. A sentence that is only a stop word stops the robot first."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

from std_srvs.srv import Trigger

from sayso.domain import load_domain
from sayso.types import Transcript, TranscriptAlternative
from sayso_nodes.conversions import from_message, to_message
from sayso_nodes.lifecycle_node import DOMAIN, SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run


class SpeechToTextNode(SaysoNode):
    """Turns sound or typed text into transcripts."""

    NAME = "speech_to_text"
    PARAMETERS = (
        DOMAIN,
        Parameter("backend", "pocketsphinx", "which recogniser", choices=("pocketsphinx", "whisper", "faster_whisper")),
        Parameter("whisper_weights", "", "whisper: a .pt file, empty: its own cache; faster_whisper: a folder"),
    )
    QUEUE = 1500  # chunks of 0.04 s: nothing is lost while a sentence of a minute is recognised

    def open(self) -> None:
        """Load the recogniser."""
        from sayso.speech.endpoint import Endpointer
        from sayso.speech.own_voice import OwnVoice
        from sayso.speech.recognise import SpeechOptions, SpeechToText
        from sayso.speech.stopping.words import is_stop

        self.domain = load_domain(self.value("domain") or None)
        self.is_stop = is_stop
        self.endpointer = Endpointer()
        self.own_voice = OwnVoice()
        weights = self.value("whisper_weights")
        options = SpeechOptions(self.value("backend"), whisper_weights=Path(weights) if weights else None)
        self.recognise = SpeechToText(self.domain, options)
        self.transcripts = self.publisher("transcript")
        self.stop = self.client("stop")
        self.subscription("speaking", self.on_speaking)
        self.subscription("audio", self.on_audio)
        self.service("say", self.on_say)

    def on_audio(self, message: Any) -> None:
        """Take a piece of sound, which may end an utterance. Sound is ignored while the robot speaks."""
        chunk = from_message(message)
        if not self.own_voice.covers(chunk):
            self.later(lambda: self.hear(chunk))

    def on_speaking(self, message: Any) -> None:
        """Note that the robot begins or stops speaking. It drops a sentence begun before: half a command may be another command."""
        self.own_voice.update(message.data, self.seconds())
        if message.data:
            self.later(self.endpointer.reset)

    def hear(self, chunk: Any) -> None:
        """Recognise the utterances that this chunk ends."""
        for utterance in self.endpointer.feed(chunk):
            self.publish(self.recognise(utterance.samples, utterance.started, utterance_id(), utterance.ended))

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
            self.stop.call_async(Trigger.Request())
        self.transcripts.publish(to_message(transcript))


def utterance_id() -> str:
    """A unique name for an utterance."""
    return uuid.uuid4().hex[:12]


def main() -> None:
    """Run the node."""
    run(SpeechToTextNode)


if __name__ == "__main__":
    main()
