"""A grounder that knows the truth, for tests of what the robot does with a thing that it sees."""

from __future__ import annotations

import numpy as np

from sayso.evaluation.execution import Rehearsal
from sayso.types import Grounding, Image

SHOWN = 12  # pixels of a thing that is seen


class Seen:
    """Finds a thing that the camera shows, where it is."""

    rehearsal: Rehearsal

    def __call__(self, image: Image, phrase: str, object_id: str) -> Grounding:
        simulation = self.rehearsal.simulation
        number = tuple(simulation.scene.objects).index(object_id)
        found = bool((simulation.render_segmentation() == number).sum() >= SHOWN)
        point = tuple(simulation.middle(object_id).tolist())
        return Grounding("", image.stamp, object_id, phrase, np.ones((1, 1)), 0.0, float(found), found, (0.0, 0.0), point)
