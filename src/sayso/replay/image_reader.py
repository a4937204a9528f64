"""The pictures of a replay, read from the bag only if something is looked for in them; and the sounds that it keeps."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.bags.definitions import decoding
from sayso.bags.images import image_of, stamp_of
from sayso.bags.reading import Bag
from sayso.bags.topics import Topics
from sayso.errors import SaysoError
from sayso.replay.recorded import RecordedLook
from sayso.replay.sounds import write_sound
from sayso.replay.stages import Stages
from sayso.replay.types import Media
from sayso.replay.understand import UtteranceResult
from sayso.types import Grounding, Image

BEFORE = 5_000_000_000  # ns: longest time between recording a picture and its grounding
AFTER = 500_000_000
PARTS = ("camera/image", "camera/depth", "camera/camera_info", "camera/pose")


@dataclass(slots=True)
class NewGroundings:
    """What the grounder finds in the recorded pictures."""

    found: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    confidence: float | None = None  # of the least certain one found
    media: list[Media] = field(default_factory=list)
    took: float | None = None  # s


class ImageReader:
    """Runs the grounder on the pictures it ran on before; if there were none, on the last picture before the utterance."""

    def __init__(self, bag: Bag, topics: Topics, stages: Stages, folder: Path | None) -> None:
        self._bag, self._topics, self._stages, self._folder = bag, topics, stages, folder
        self._there = bool(topics["camera/image"]) and stages.config.grounding

    def look(self, utterance: UtteranceResult, looks: Sequence[RecordedLook], number: int) -> NewGroundings:
        """Ground the phrases of the utterance."""
        seen = NewGroundings()
        if not self._there or utterance.record.decision in ("", "reject"):
            return seen
        phrases = dict(utterance.referents)
        wanted = [RecordedLook(look.object_id, phrases.get(look.object_id, look.phrase), look.stamp, look.came) for look in looks]
        others = [(name, phrase) for name, phrase in utterance.referents if name not in {look.object_id for look in looks}]
        wanted += [RecordedLook(name, phrase, 0, utterance.came) for name, phrase in others]
        for look in wanted:
            self._ground(look, utterance, number, seen)
        seen.missed = [name for name in dict.fromkeys(seen.missed) if name not in seen.found]
        return seen

    def keep_sound(self, samples: NDArray[np.int16], at: float, number: int) -> list[Media]:
        """Write an utterance's sound to a file in the folder, if there is any."""
        if self._folder is None or not samples.size:
            return []
        return [Media(number, "sound", write_sound(self._folder, f"{at:010.3f}.wav", samples))]

    def _ground(self, look: RecordedLook, utterance: UtteranceResult, number: int, seen: NewGroundings) -> None:
        try:
            image = self._picture(look)
        except SaysoError as unreadable:
            self._bag.complain(self._topics["camera/image"][0].topic, str(unreadable))
            return
        if image is None:
            return
        ground = self._stages.ground  # loading it does not count as grounding
        began = time.perf_counter()
        try:
            grounding = ground(image, look.phrase, look.object_id, utterance.record.utterance_id)
        except SaysoError as refused:
            self._bag.complain(self._topics["camera/image"][0].topic, str(refused))
            return
        seen.took = (seen.took or 0.0) + time.perf_counter() - began
        name = look.object_id or look.phrase
        if grounding.found and name not in seen.found:
            seen.found.append(name)
            seen.confidence = min(grounding.confidence, 1.0 if seen.confidence is None else seen.confidence)
        elif not grounding.found:
            seen.missed.append(name)
        if self._folder is not None:
            seen.media.append(self._drawn(image, grounding, f"{utterance.record.t:010.3f}-{len(seen.media) + 1:02d}.jpg", number))

    def _drawn(self, image: Image, grounding: Grounding, file: str, number: int) -> Media:
        from PIL import Image as Picture

        from sayso.grounding.draw import described, draw_grounding

        assert self._folder is not None
        self._folder.mkdir(parents=True, exist_ok=True)
        Picture.fromarray(draw_grounding(image, grounding)).save(self._folder / file, quality=85)
        return Media(number, "picture", file, described(grounding))

    def _picture(self, look: RecordedLook) -> Image | None:
        """The recorded picture with that stamp, or without a stamp the last one before the words; None if it is not in the bag."""
        parts: dict[int, dict[str, Any]] = {}
        names = {connection.topic: name for name in PARTS for connection in self._topics[name]}
        stop = look.came + (AFTER if look.stamp else 1)
        for connection, _, raw in self._bag.messages(self._topics.among(PARTS), look.came - BEFORE, stop):
            stamp = stamp_of(raw)
            if look.stamp and stamp != look.stamp:
                continue
            parts.setdefault(stamp, {})[names[connection.topic]] = (raw, connection)
            if not look.stamp and len(parts) > 2:  # the last one, and the one still arriving
                del parts[min(parts)]
        whole = [stamp for stamp, held in parts.items() if "camera/image" in held]
        if not whole:
            return None
        best = max(whole, key=lambda stamp: (len(parts[stamp]), stamp))
        held = {name: self._bag.deserialize(raw, connection) for name, (raw, connection) in parts[best].items()}
        with decoding("picture"):
            return image_of(*(held.get(name) for name in PARTS))
