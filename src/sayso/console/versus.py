"""`sayso replay --against`: compare two configurations on the same bags."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sayso.errors import DomainError, SaysoError
from sayso.yaml_source import read_plain

if TYPE_CHECKING:
    from rich.console import Console

    from sayso.replay.compare import Comparison
    from sayso.replay.paired import Interval
    from sayso.replay.types import ReplayConfig

FOLDER, FILE = "against", "comparison.json"
SHOWN, LISTED = 20, 300  # differing utterances: on the console, in the report


def other_configuration(config: ReplayConfig, changed: Iterable[Path]) -> ReplayConfig:
    """`config` with another domain file, parameter file or folder of models.

    Raises:
        SaysoError: a path is none of these, or cannot be read.
    """
    from sayso.replay.stages import parameters

    for path in changed:
        if _is_folder(path):
            if not (path / "manifest.yaml").is_file():
                raise SaysoError(f"--against {path}: a folder of models needs a manifest.yaml; this one has none")
            config = replace(config, models=path)
        elif _sets_parameters(path):
            config = replace(config, **parameters(path))
        else:
            config = replace(config, domain=path)
    return config


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError as closed:
        raise SaysoError(f"--against {path}: {closed.strerror}") from None


def _sets_parameters(file: Path) -> bool:
    """Whether the file holds node parameters rather than a domain."""
    try:
        content = read_plain(file)
    except DomainError as unreadable:
        raise SaysoError(f"--against {unreadable}") from None
    return isinstance(content, dict) and any(isinstance(entry, dict) and "ros__parameters" in entry for entry in content.values())


def write_comparison(comparison: Comparison, folder: Path) -> None:
    """Write comparison.json into the folder.

    Raises:
        SaysoError: it cannot be written.
    """
    try:
        (folder / FILE).write_text(json.dumps(comparison.data(), indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
    except OSError as unwritable:
        raise SaysoError(f"{folder / FILE}: cannot be written ({unwritable.strerror})") from None


def show_comparison(console: Console, comparison: Comparison) -> None:
    """Print the table, the differences and the verdict."""
    from rich.table import Table

    table = Table("", *comparison.names, "difference", "95 % interval", box=None, header_style="bold", pad_edge=False)
    for name, *cells in measures(comparison):
        table.add_row(name, *cells)
    console.print(table)
    differing = comparison.data()["differing"]
    for one in differing[:SHOWN]:
        console.print(f"    {one['bag']}, {_where(one)}: {'; '.join(differences(one))}", soft_wrap=True)
    if len(differing) > SHOWN:
        console.print(f"    … and {len(differing) - SHOWN} more in {FILE}")
    console.print(comparison.verdict(), soft_wrap=True)


def measures(comparison: Comparison) -> list[tuple[str, str, str, str, str]]:
    """Rows of (measure, first, second, difference, interval), as text."""
    rows = [("utterances that differ", "", "", f"{len(comparison.differing)} of {len(comparison.pairs)}", "")]
    if comparison.agreement and comparison.accuracy and comparison.gain:
        agreement, gain = comparison.agreement, comparison.gain
        before, after = (f"{one.value:.1%}" for one in comparison.accuracy)
        rows.append((f"right, of {agreement.n}", before, after, f"{gain.value:+.1%}", _between(gain, "{:+.1%}")))
        rows.append(
            ("right in one only", str(agreement.only_first), str(agreement.only_second), f"McNemar p = {agreement.p_value:.3g}", "")
        )
    if comparison.milliseconds and comparison.slower:
        first, second = (f"{one:.1f} ms" for one in comparison.milliseconds)
        slower = comparison.slower
        rows.append(("speech end to plan", first, second, f"{slower.value:+.2f} ms", _between(slower, "{:+.2f} ms")))
    return rows


def shown(comparison: Comparison) -> dict[str, Any]:
    """The comparison for the report's template."""
    differing = comparison.data()["differing"]
    return {
        "names": comparison.names,
        "measures": measures(comparison),
        "verdict": comparison.verdict(),
        "differing": [{"where": f"{one['bag']}, {_where(one)}", "differences": differences(one)} for one in differing[:LISTED]],
        "left_out": max(len(differing) - LISTED, 0),
    }


def _where(differing: Mapping[str, Any]) -> str:
    return differing["file"] or f"at {differing['t']:.1f} s"


def differences(differing: Mapping[str, Any]) -> Sequence[str]:
    """The differences in an utterance, field by field."""
    first, second = differing["first"], differing["second"]
    if first is None or second is None:
        heard = first or second or {}
        return [f"“{heard.get('text', '')}” was heard by {'the first' if first else 'the second'} only"]
    return [f"{name} {_quoted(first[name])} → {_quoted(second[name])}" for name in differing["differs"]]


def _quoted(value: object) -> str:
    return "nothing" if value in ("", None) else f"“{value}”"


def _between(interval: Interval, form: str) -> str:
    if not math.isfinite(interval.low):
        return "– (too few)"
    return f"{form.format(interval.low)} … {form.format(interval.high)}"
