"""Visual grounding: image + phrase → where the words point, how sure, and the point in space. `draw` shows it to a person."""

from sayso.grounding.grounder import VisualGrounder

__all__ = ["VisualGrounder"]
