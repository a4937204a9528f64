"""Visual grounding: image + phrase → attention, confidence and a point in space. `draw` visualises it."""

from sayso.grounding.grounder import VisualGrounder

__all__ = ["VisualGrounder"]
