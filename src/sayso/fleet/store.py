"""Results of many replays as one table: JSON lines, Parquet beside them, and queries over all of them (with Polars, lazily)."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sayso.errors import SaysoError
from sayso.extras import needed
from sayso.fleet.expression import Kind, parse_condition

if TYPE_CHECKING:
    import polars as pl

RECORDS = "utterances.jsonl"
PARQUET = "utterances.parquet"
KIND_NAMES: Mapping[Kind, str] = {"text": "text", "number": "number", "truth": "true or false", "list": "texts", "nothing": "no value yet"}


@dataclass(frozen=True, slots=True)
class Results:
    """The rows of some folders, not yet read, and the problems found."""

    rows: pl.LazyFrame
    columns: Mapping[str, Kind]
    files: int
    problems: tuple[str, ...] = field(default=())


def polars() -> Any:
    """The library, or how to get it."""
    try:
        import polars as pl
    except ImportError:
        raise SaysoError(needed("fleet")) from None
    return pl


def write_parquet(records: Path) -> Path:
    """Write `records` (JSON lines) as Parquet beside it, completely or not at all."""
    frame, problems = _read_lines(records)
    if problems:
        raise SaysoError(problems[0])
    target = records.with_suffix(".parquet")
    partial = target.with_suffix(f".{os.getpid()}.partial")
    frame.write_parquet(partial, compression="zstd")
    partial.replace(target)
    return target


def open_results(folders: Sequence[Path]) -> Results:
    """All results under these folders: from Parquet if it is newer than the JSON lines beside it, else from these.

    Raises:
        SaysoError: a folder is missing, or none of them holds readable results.
    """
    pl = polars()
    places: list[Path] = []
    frames: list[Any] = []
    problems: list[str] = []
    for file in _files(folders):
        try:
            if file.suffix == ".parquet":
                frame = pl.scan_parquet(file)
                frame.collect_schema()
            else:
                read, damaged = _read_lines(file)
                problems += damaged
                frame = read.lazy()
        except (OSError, pl.exceptions.PolarsError) as unreadable:
            problems.append(f"{file}: cannot be read ({str(unreadable).splitlines()[0]})")
            continue
        if frame.collect_schema().names():
            places.append(file.parent)
            frames.append(_plain(frame).with_columns(pl.lit(str(file.parent)).alias("folder")))
    if not frames:
        reason = "; ".join(problems) if problems else f"no {RECORDS}; `sayso replay BAG --out DIR` writes one"
        raise SaysoError(f"no results in {', '.join(map(str, folders))}: {reason}")
    rows = pl.concat(_of_one_kind(places, frames, problems), how="diagonal_relaxed")
    return Results(rows, {name: _kind(kind) for name, kind in rows.collect_schema().items()}, len(frames), tuple(problems))


def ask(results: Results, condition: str, columns: Sequence[str] = (), limit: int | None = None) -> pl.DataFrame:
    """The rows that meet the condition, in the order of the files, with these columns (all if empty).

    Raises:
        SaysoError: the condition is invalid, or a column is missing.
    """
    pl = polars()
    for name in columns:
        if name not in results.columns:
            raise SaysoError(f"there is no column '{name}'; there are: {', '.join(results.columns)}")
    rows = results.rows.filter(parse_condition(condition, results.columns)) if condition else results.rows
    if columns:
        rows = rows.select(columns)
    try:
        return (rows if limit is None else rows.head(limit)).collect()
    except pl.exceptions.PolarsError as refused:
        raise SaysoError(f"the query failed: {str(refused).splitlines()[0]}") from None


def by_bag(results: Results) -> pl.DataFrame:
    """A row per bag and folder: number of utterances, by decision and verdict."""
    pl = polars()
    counted = {
        "executed": ("decision", "execute"),
        "confirmed": ("decision", "confirm"),
        "asked": ("decision", "ask"),
        "rejected": ("decision", "reject"),
        "right": ("verdict", "right"),
        "wrong": ("verdict", "wrong"),
    }
    counts = [
        (pl.col(column) == value).sum().alias(name) for name, (column, value) in counted.items() if results.columns.get(column) == "text"
    ]
    keys = [name for name in ("folder", "bag") if name in results.columns]
    return (
        results.rows.group_by(keys, maintain_order=True)
        .agg(pl.len().alias("utterances"), *counts)
        .select(pl.exclude("folder"), "folder")
        .collect()
    )


def _files(folders: Sequence[Path]) -> Iterator[Path]:
    """One file per set of results, sorted by folder."""
    seen: set[Path] = set()
    for folder in folders:
        if not folder.exists():
            raise SaysoError(f"{folder}: no such file or folder")
        found = [folder] if folder.is_file() else [*folder.rglob(RECORDS), *folder.rglob(PARQUET)]
        for place in sorted({file.parent for file in found if file.name in {RECORDS, PARQUET}}):
            lines, packed = place / RECORDS, place / PARQUET
            if place.resolve() in seen:
                continue
            seen.add(place.resolve())
            yield packed if packed.exists() and (not lines.exists() or packed.stat().st_mtime_ns >= lines.stat().st_mtime_ns) else lines


def _read_lines(file: Path) -> tuple[pl.DataFrame, list[str]]:
    """The rows of a file of JSON lines. Invalid lines, which a killed run leaves, are noted and left out."""
    pl = polars()
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line) if line.strip() else None
            except ValueError:
                row = line
            if isinstance(row, dict):
                rows.append({name: value if _flat(value) else json.dumps(value) for name, value in row.items()})
            elif row is not None:
                problems.append(f"{file}, line {number}: not a JSON object; left out")
    columns = {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}
    for name, values in columns.items():
        strange = _leave_out_strange(values)
        if strange:
            problems.append(f"{file}: {strange} values of '{name}' are of another type than the rest; left out")
    return pl.DataFrame(columns, infer_schema_length=None, strict=False), problems


def _leave_out_strange(values: list[Any]) -> int:
    """Replace values that are not of the most common kind by None. Returns how many."""
    kinds = [_kind_of(value) for value in values]
    counts = Counter(kind for kind in kinds if kind != "nothing")
    if len(counts) < 2:
        return 0
    common = counts.most_common(1)[0][0]
    for index, kind in enumerate(kinds):
        if kind != common:
            values[index] = None
    return sum(counts.values()) - counts[common]


def _kind_of(value: Any) -> Kind:
    kinds: Mapping[type, Kind] = {bool: "truth", int: "number", float: "number", str: "text", list: "list"}
    return kinds.get(type(value), "nothing")


def _flat(value: Any) -> bool:
    """Whether a value fits into a column: single values and lists of texts do; anything deeper is kept as JSON."""
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return not isinstance(value, dict) and not (isinstance(value, int) and abs(value) >= 2**63)


def _of_one_kind(places: Sequence[Path], frames: list[pl.LazyFrame], problems: list[str]) -> list[pl.LazyFrame]:
    """Drop a column from the folders in which its type differs from most: one odd folder must not spoil it for all."""
    schemas = [frame.collect_schema() for frame in frames]
    counts: dict[str, Counter[Kind]] = {}
    for schema in schemas:
        for name, kind in schema.items():
            counts.setdefault(name, Counter())[_kind(kind)] += _kind(kind) != "nothing"
    common = {name: found.most_common(1)[0][0] for name, found in counts.items()}
    for index, schema in enumerate(schemas):
        odd = [name for name, kind in schema.items() if _kind(kind) not in {common[name], "nothing"}]
        if odd:
            problems.append(f"{places[index]}: {', '.join(odd)} of another type than in the rest; left out there")
            frames[index] = frames[index].drop(odd)
    return frames


def _plain(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Treat NaN as missing, not as larger than all numbers."""
    pl = polars()
    floats = [name for name, kind in frame.collect_schema().items() if kind.is_float()]
    return frame.with_columns(pl.col(floats).fill_nan(None)) if floats else frame


def _kind(kind: pl.DataType) -> Kind:
    pl = polars()
    if isinstance(kind, pl.Boolean):
        return "truth"
    if isinstance(kind, pl.List):
        return "list"
    return "number" if kind.is_numeric() else "nothing" if isinstance(kind, pl.Null) else "text"
