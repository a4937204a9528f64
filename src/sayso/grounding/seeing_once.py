"""The grounder that encodes each picture once: for its own question, for the next phrases, and as another's view."""

from __future__ import annotations

from sayso.grounding.grounder import VisualGrounder
from sayso.grounding.views import View
from sayso.types import Image

KEPT = 9  # pictures: as many as `memory` keeps, and the newest


class SeeingOnce(VisualGrounder):
    """As `VisualGrounder`; it remembers the last pictures that it has encoded, by their identity."""

    _views: tuple[View, ...] = ()

    def view(self, image: Image) -> View:
        """What the network sees in the picture."""
        known = next((view for view in self._views if view.image is image), None)
        if known is None:
            known = super().view(image)
        self._views = (*(view for view in self._views if view is not known), known)[-KEPT:]
        return known
