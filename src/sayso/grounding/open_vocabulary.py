"""Large open-vocabulary detectors as a grounding backend: OWLv2, Grounding DINO and their like, from weights that the user has.

They know nearly any noun and take seconds a picture on a CPU. Sayso ships none: pass the folder of a model in the format of
Hugging Face (config.json, model.safetensors, tokenizer, preprocessor).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.errors import ModelError
from sayso.grounding.backend import Look
from sayso.grounding.boxes import box_attention, distinct
from sayso.grounding.geometry import point_at
from sayso.types import Candidate, Image

THRESHOLD = 0.3  # of a score; these detectors are not calibrated, so it is no probability
FLOOR = 0.05  # scores below are left out
MOST = 20  # candidates of a phrase


class OpenVocabularyGrounder:
    """Finds things by a zero-shot object detector of the Transformers library.

    Args:
        folder: of the model. Nothing is downloaded.
        threshold: score above which a candidate counts as found.

    Raises:
        ModelError: the folder holds no such model.
        ModuleNotFoundError: PyTorch or Transformers is not installed: they come with the extra `train`.
    """

    def __init__(self, folder: Path, threshold: float = THRESHOLD) -> None:
        if not (folder / "config.json").is_file():
            raise ModelError(f"{folder} has no config.json: pass the folder of a model like OWLv2, in the format of Hugging Face")
        import torch
        from transformers import AutoModelForZeroShotObjectDetection, AutoProcessor

        self.threshold, self._torch = threshold, torch
        try:
            self._processor: Any = AutoProcessor.from_pretrained(folder, local_files_only=True)
            self._model: Any = AutoModelForZeroShotObjectDetection.from_pretrained(folder, local_files_only=True).eval()
        except Exception as broken:  # noqa: BLE001 - the library raises many kinds
            raise ModelError(f"{folder} has no zero-shot object detector that Transformers can read: {broken}") from None
        self._one_text = self._model.config.model_type == "grounding-dino"

    def look(self, image: Image, phrases: Sequence[str]) -> tuple[Look, ...]:
        """One result for each phrase, in order; the whole model runs for each."""
        rgb = np.ascontiguousarray(image.rgb[..., :3], dtype=np.uint8)
        return tuple(self._look(image, rgb, phrase) for phrase in phrases)

    def _look(self, image: Image, rgb: NDArray[np.uint8], phrase: str) -> Look:
        # Grounding DINO takes one text of sentences; OWLv2 takes a list of phrases for each picture.
        text = f"{phrase.lower()}." if self._one_text else [[phrase.lower()]]
        inputs = self._processor(images=[rgb], text=text, return_tensors="pt")
        with self._torch.inference_mode():
            outputs = self._model(**inputs)
        limits = {"threshold": FLOOR, "target_sizes": [rgb.shape[:2]]}
        if self._one_text:
            limits["text_threshold"] = FLOOR
        found = self._processor.post_process_grounded_object_detection(outputs, **limits)[0]
        corners, scores = found["boxes"].numpy().astype(np.float64), found["scores"].numpy().astype(np.float64)
        height, width = rgb.shape[:2]
        corners = np.clip(corners, 0.0, [width, height, width, height])  # OWLv2 pads pictures to squares, and finds things there too
        inside = (corners[:, 2:] - corners[:, :2]).min(axis=1) > 1.0
        corners, scores = corners[inside], scores[inside]
        candidates = []
        for at in distinct(corners, scores, MOST):
            left, top, right, bottom = (float(value) for value in corners[at])
            pixel = ((left + right) / 2, (top + bottom) / 2)
            candidates.append(Candidate(float(scores[at]), pixel, (left, top, right, bottom), point_at(image, pixel)))
        presence = candidates[0].probability if candidates else 0.0
        return Look(phrase, box_attention(candidates, presence, (height, width)), presence, tuple(candidates))
