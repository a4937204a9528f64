"""Fits the judgement by pixels of colours that the training does not have, on trained colours that are treated as if it did not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.grounding.calibration import log_p
from sayso.grounding.colors import lab
from sayso.grounding.grounder import VisualGrounder
from sayso.grounding.phrase import PhraseUnit
from sayso.grounding.untrained_colors import color_evidence
from sayso.grounding.words import COLOR, UnitReader
from sayso.training.grounder.evaluation import Examination, logistic
from sayso.types import FloatArray


class SurveyReader(UnitReader):
    """Reads a colour as what most people call so, not as what the scenes paint: that is all that is known of any other colour."""

    def __init__(self, values: Mapping[str, NDArray[np.uint8]]) -> None:
        super().__init__()
        self._values = {name: lab(value[None])[0] / 100.0 for name, value in values.items()}

    def __call__(self, unit: PhraseUnit) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """As `UnitReader`, with the survey's colour."""
        vectors, keep = super().__call__(unit)
        if unit.color and unit.text in self._values:
            vectors = vectors.copy()
            vectors[0, 1 - COLOR :] = self._values[unit.text]
        return vectors, keep


def fitted_pixels(examination: Examination, network: Path, survey: Mapping[str, str]) -> tuple[float, ...]:
    """`CandidateCalibration.pixels`. Colours that are held out are in no question that counts.

    Args:
        examination: of tuning pictures.
        network: folder of the trained network.
        survey: trained colour → "#rrggbb" that most people call so.
    """
    values = {name: np.frombuffer(bytes.fromhex(code.lstrip("#")), np.uint8) for name, code in survey.items()}
    rows, right = list[FloatArray](), list[bool]()
    for region in examination.colored_regions(VisualGrounder(network, SurveyReader(values))):
        if region.color in values:
            rows.append(np.append(log_p(region.others), color_evidence(*region.pixels, values[region.color], region.color)))
            right.append(region.right)
    weights, shift = logistic(np.stack(rows), np.array(right), signed=True)
    return (*weights.tolist(), shift)
