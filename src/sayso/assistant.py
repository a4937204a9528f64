"""Sayso as a library: one object with a home and the trained models, from text or sound to a decision and a plan."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sayso.domain import load_domain
from sayso.errors import AudioError, DomainError, SaysoError
from sayso.explanation import as_data, as_text
from sayso.pictures import read_picture
from sayso.pipeline import Pipeline, Understanding
from sayso.planning import Task
from sayso.selection import WorldView
from sayso.types import AudioChunk, Context, Grounding, Image, Transcript
from sayso.yaml_source import choices

if TYPE_CHECKING:
    from sayso.grounding import VisualGrounder
    from sayso.speech.recognise import SpeechOptions, SpeechToText

Sound = Path | NDArray[np.int16] | AudioChunk  # a WAV, FLAC or OGG file, or (N,) int16 mono samples at 16 kHz
Picture = Path | NDArray[np.uint8] | Image  # a file, or (H, W, 3) red, green and blue


class Sayso(Pipeline):
    """Understands spoken commands: the pipeline from text to plan, with speech recognition, visual grounding and explanations.

    It keeps no state between calls except caches. Use it from one thread at a time.
    """

    speech: SpeechOptions | None = None  # of the recogniser, read at the first sound; None: the defaults

    @classmethod
    def load(cls, path: Path | str | None = None) -> Sayso:
        """Load a home and the trained models; without a path, the default home.

        Raises:
            DomainError: this is no path, or the file is missing or has mistakes: one line each, with file, line and field.
            ModelError: a model file is missing or altered.
        """
        if path is not None and not (isinstance(path, str | Path) and str(path).strip()):
            raise DomainError(f"{path!r} is no path of a domain file; without one, load() loads the default home")
        return cls(load_domain(path))

    @cached_property
    def recogniser(self) -> SpeechToText:
        """Sound of one utterance → Transcript; loaded at its first use."""
        from sayso.speech.recognise import SpeechToText

        return SpeechToText(self.domain, self.speech)

    @cached_property
    def grounder(self) -> VisualGrounder:
        """Image and phrase → Grounding; loaded at its first use."""
        from sayso.grounding import VisualGrounder

        return VisualGrounder()

    def context(self, at: str = "", holding: str = "", **known: Any) -> Context:
        """A context with the robot at a place, holding an object.

        Args:
            at: id of the place; empty: where the speaker usually is.
            holding: id of the object in the gripper.
            known: other fields of Context, such as `visible` or `battery`.

        Raises:
            SaysoError: the domain has no such place or object.
        """
        for name, entities, kind in ((at, self.domain.places, "place"), (holding, self.domain.objects, "object")):
            if name and name not in entities:
                raise SaysoError(f"the domain has no {kind} '{name}'; {choices(name, entities)}")
        usual = self.default_context()
        x, y, yaw = self.domain.places[at].pose if at else (usual.x, usual.y, usual.yaw)
        return Context(**{"x": x, "y": y, "yaw": yaw, "place": at, "holding": holding, **known})

    def understand(self, said: str | Transcript | Sound, context: Context | None = None, view: WorldView | None = None) -> Understanding:
        """The meaning of an utterance, and the robot's decision. A `str` is the sentence itself; a `Path` is a sound file.

        Args:
            said: the utterance.
            context: the robot's situation.
            view: what the robot believes and remembers; None: where the domain says that things usually are.

        Raises:
            AudioError: the sound cannot be read, contains several utterances, or is none.
        """
        if isinstance(said, str | Transcript):
            return super().understand(said, context, view)
        heard = self.transcribe(said)
        if len(heard) > 1:
            raise AudioError(f"the sound contains {len(heard)} utterances: call transcribe(), then understand() for each transcript")
        return super().understand(heard[0], context, view)

    def transcribe(self, sound: Sound | str) -> tuple[Transcript, ...]:
        """A transcript of each utterance in the sound, in order; without speech, a single rejected one.

        Raises:
            AudioError: the sound cannot be read, or is not 16 kHz mono int16.
        """
        if not isinstance(sound, str | Path | AudioChunk | np.ndarray):
            raise AudioError(f"{sound!r:.40} is neither a sentence nor a sound: a path, an array of int16 samples or an AudioChunk")
        from sayso.speech.files import read_sound
        from sayso.speech.utterances import transcripts

        if isinstance(sound, str | Path):
            return tuple(transcripts(read_sound(sound), self.recogniser, name=Path(sound).stem, ear=self.recogniser.ear()))
        chunk = sound if isinstance(sound, AudioChunk) else AudioChunk(sound, stamp=0.0)
        return tuple(transcripts(chunk, self.recogniser, ear=self.recogniser.ear()))

    def plan(self, understood: Understanding, context: Context | None = None) -> Task:
        """The task to carry out: run its `next` skill and pass the outcome to `after`, until `next` is None.

        Raises:
            SaysoError: the decision is not to execute.
        """
        if understood.decision != "execute":
            raise SaysoError(f"there is nothing to carry out: the decision is {understood.decision} ({understood.reason})")
        return Task.start(self.planner, understood.actions, context or self.default_context())

    def ground(self, image: Picture, phrase: str) -> Grounding:
        """The point in the image that the phrase means, with a confidence. Without depth in the image, `point` is NaN.

        Raises:
            SaysoError: the file is not a readable picture.
        """
        return self.grounder(_image(image), phrase)

    def explain(self, understood: Understanding) -> str:
        """Likelihood, prior with its factors, posterior and utility of each candidate, the decision and the plan, as plain text."""
        return as_text(understood)

    def as_data(self, understood: Understanding) -> dict[str, Any]:
        """The same as plain data for JSON, complete: the fields of `sayso ask --json`."""
        return as_data(understood)


def _image(image: Picture) -> Image:
    if isinstance(image, Image):
        return image
    if isinstance(image, Path):
        try:
            return Image(np.asarray(read_picture(image).convert("RGB")), stamp=0.0)
        except SaysoError as unreadable:
            raise SaysoError(f"{image}: not a readable picture ({unreadable})") from None
    return Image(image, stamp=0.0)
