"""The picture of wrong executions against questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

LOOKS = {  # colours distinguishable in grey and by the colour-blind: Okabe and Ito (2008)
    "ours": ("#009e73", "o", "Sayso: P(c|a) × P(a|ctx)"),
    "posterior × prior": ("#e69f00", "s", "posterior × prior"),
    "posterior only": ("#56b4e9", "^", "posterior only"),
}


def draw(panels: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]], path: Path) -> None:
    """Draw classifier → method → (questions, wrong executions) in %: one panel for each classifier, one curve for each method."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, every = plt.subplots(1, len(panels), figsize=(4.8 * len(panels), 4.2), dpi=140, squeeze=False)
    for axes, (title, curves) in zip(every[0], panels.items(), strict=True):
        for name, points in curves.items():
            colour, marker, label = LOOKS[name]
            # Ours is drawn on top with smaller marks, so that both curves are visible where methods agree.
            size, order = (4, 3) if name == "ours" else (7, 2)
            asked, wrong = zip(*points, strict=True)
            axes.plot(asked, wrong, color=colour, marker=marker, markersize=size, zorder=order, label=label)
        goal = plt.Rectangle((0.0, 0.0), 12.0, 0.5, color="#00000022", linewidth=0, label="goal of the real classifier")
        if title.startswith("real"):
            axes.add_patch(goal)
        axes.set(title=title, xlabel="questions, % of interactions", ylabel="wrong executions, %", xlim=(0.0, None), ylim=(0.0, None))
        axes.grid(alpha=0.25)
        axes.legend(frameon=False, loc="upper right")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
