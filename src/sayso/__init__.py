"""Sayso: spoken commands for robots, understood with a measure of doubt. The names in `__all__` are the public API; the rest may change.

`docs/python.md` shows them. Each is loaded when it is first used, so that `import sayso` costs next to nothing.
ROS is not used in this package; see `sayso_nodes` for that.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sayso.assistant import Sayso
    from sayso.domain import Domain, load_domain
    from sayso.errors import AudioError, DomainError, ModelError, SaysoError
    from sayso.grounding import VisualGrounder
    from sayso.intent import IntentClassifier
    from sayso.pipeline import Understanding
    from sayso.planning import Planner, Task
    from sayso.selection import ActionSelector
    from sayso.speech.files import read_sound
    from sayso.speech.recognise import SpeechOptions, SpeechToText
    from sayso.speech.stopping.spotter import StopHeard, StopSpotter
    from sayso.types import (
        Action,
        ActionBelief,
        ActionCandidate,
        AudioChunk,
        Clause,
        Context,
        Grounding,
        Image,
        IntentBelief,
        PlanState,
        Role,
        SkillCall,
        SkillOutcome,
        Transcript,
        TranscriptAlternative,
    )

# Nothing is sent anywhere: onnxruntime reads this when it is imported, writes no device id, and starts no uploader. Set it to 0
# to send telemetry to its makers. This package is imported before any of its modules, so it holds for all of them.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
# NumPy's matrices are small here: its other threads would only wait for each other, at the processor's full cost. Read when it is imported.
if "OMP_NUM_THREADS" not in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.1.0"
__all__ = [
    "Action",
    "ActionBelief",
    "ActionCandidate",
    "ActionSelector",
    "AudioChunk",
    "AudioError",
    "Clause",
    "Context",
    "Domain",
    "DomainError",
    "Grounding",
    "Image",
    "IntentBelief",
    "IntentClassifier",
    "ModelError",
    "PlanState",
    "Planner",
    "Role",
    "Sayso",
    "SaysoError",
    "SkillCall",
    "SkillOutcome",
    "SpeechOptions",
    "SpeechToText",
    "StopHeard",
    "StopSpotter",
    "Task",
    "Transcript",
    "TranscriptAlternative",
    "Understanding",
    "VisualGrounder",
    "__version__",
    "load_domain",
    "read_sound",
]
_MODULES = {
    "ActionSelector": "selection",
    "AudioError": "errors",
    "Domain": "domain",
    "DomainError": "errors",
    "IntentClassifier": "intent",
    "ModelError": "errors",
    "Planner": "planning",
    "Sayso": "assistant",
    "SaysoError": "errors",
    "SpeechOptions": "speech.recognise",
    "SpeechToText": "speech.recognise",
    "StopHeard": "speech.stopping.spotter",
    "StopSpotter": "speech.stopping.spotter",
    "Task": "planning",
    "Understanding": "pipeline",
    "VisualGrounder": "grounding",
    "load_domain": "domain",
    "read_sound": "speech.files",
}  # where each name is defined; the others are in types


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module 'sayso' has no attribute '{name}'")
    value = getattr(import_module(f"sayso.{_MODULES.get(name, 'types')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
