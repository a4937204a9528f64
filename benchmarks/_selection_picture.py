"""The trade between wrong executions and questions, as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

LOOKS = {  # colours that are told apart in grey and by the colour-blind as well: Okabe and Ito (2008)
    "ours": ("#009e73", "o", "Sayso: P(c|a) × P(a|ctx)"),
    "posterior × prior": ("#e69f00", "s", "posterior × prior"),
    "posterior only": ("#56b4e9", "^", "posterior only"),
}


def draw(curves: Mapping[str, Sequence[tuple[float, float]]], path: Path) -> None:
    """Method → (questions, wrong executions) in %, a curve each."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7.2, 4.4), dpi=140)
    for name, points in curves.items():
        colour, marker, label = LOOKS[name]
        axes.plot([asked for asked, _ in points], [wrong for _, wrong in points], color=colour, marker=marker, markersize=5, label=label)
    goal = plt.Rectangle((0.0, 0.0), 12.0, 0.5, color="#00000018", linewidth=0, label="goal: ≤ 0.5 % wrong at ≤ 12 % questions")
    axes.add_patch(goal)
    axes.set(xlabel="questions, % of interactions", ylabel="wrong executions, % of interactions", xlim=(0.0, None), ylim=(0.0, None))
    axes.grid(alpha=0.25)
    axes.legend(frameon=False)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
