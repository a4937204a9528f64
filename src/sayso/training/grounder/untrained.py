"""Fits the judgement by pixels of colours that the training does not have, on trained colours that are treated as if it did not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sayso.grounding.calibration import log_p
from sayso.grounding.grounder import VisualGrounder
from sayso.grounding.untrained_colors import color_evidence
from sayso.training.grounder.evaluation import Examination, logistic
from sayso.types import FloatArray


def fitted_pixels(examination: Examination, grounder: VisualGrounder, survey: Mapping[str, str]) -> tuple[float, ...]:
    """`CandidateCalibration.pixels`.

    Each trained colour counts as what most people call so, not as what the scenes paint, since that is what is known of any other
    colour. The network's own opinion of it is not asked. Colours that are held out are in no question that counts.

    Args:
        examination: of tuning pictures.
        grounder: with the trained network.
        survey: trained colour → "#rrggbb" that most people call so.
    """
    values = {name: np.frombuffer(bytes.fromhex(code.lstrip("#")), np.uint8) for name, code in survey.items()}
    rows, right = list[FloatArray](), list[bool]()
    for color, noun, pixels, fits in examination.regions_of_nouns(grounder):
        if color in values:
            rows.append(np.append(log_p(noun), color_evidence(*pixels, values[color], color)))
            right.append(fits)
    weights, shift = logistic(np.stack(rows), np.array(right), signed=True)
    return (*weights.tolist(), shift)
