"""The backends by name, for commands and nodes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sayso.errors import GroundingError
from sayso.grounding.backend import Backend
from sayso.grounding.detector import Detector
from sayso.grounding.grounder import VisualGrounder

BACKENDS: dict[str, Callable[[], Backend]] = {"ours": VisualGrounder, "detector": Detector}


def backend(name: str) -> Backend:
    """The backend of that name, or of the open-vocabulary model in the folder of that name, ready to look.

    Raises:
        GroundingError: there is none.
        ModelError: its files are missing or altered.
    """
    if name in BACKENDS:
        return BACKENDS[name]()
    if Path(name).is_dir():
        from sayso.grounding.open_vocabulary import OpenVocabularyGrounder

        return OpenVocabularyGrounder(Path(name))
    raise GroundingError(f"no backend is called '{name}': choose {', '.join(BACKENDS)}, or a folder with a model like OWLv2")
