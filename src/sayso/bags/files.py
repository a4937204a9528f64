"""The files of a bag, in order: first the ones that metadata.yaml lists, then the others in its folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sayso.bags.definitions import first_line
from sayso.errors import SaysoError
from sayso.yaml_source import read_plain

METADATA = "metadata.yaml"
KINDS = (".mcap", ".db3")


def files_of(bag: Path, complain: Callable[[str, str], None]) -> list[Path]:
    """The files of a bag, or the one file that it is; `complain(file, problem)` is called for missing ones.

    Raises:
        SaysoError: there is no such file or folder, or it cannot be listed.
    """
    try:
        if not bag.exists():
            raise SaysoError(f"{bag}: no such file or folder")
        if bag.is_file():
            return [bag]
        present = sorted((file for file in bag.iterdir() if kind_of(file)), key=_natural)
    except OSError as closed:
        raise SaysoError(f"{bag}: {refusal(closed)}") from None
    listed = _listed(bag / METADATA, complain)
    missing = [name for name in listed if not (bag / name).exists()]
    for name in missing:
        complain(name, f"is listed in {METADATA}, but missing")
    named = [bag / name for name in listed if name not in missing]
    # A recorder that was killed has not yet listed the file that it was writing.
    return [*named, *(file for file in present if file not in named)]


def kind_of(file: Path) -> str:
    """.mcap or .db3, also of a file compressed as a whole; empty for any other."""
    suffix = file.with_suffix("").suffix if file.suffix == ".zstd" else file.suffix
    return suffix if suffix in KINDS else ""


def refusal(error: OSError) -> str:
    """Why a file cannot be read, for a person."""
    return "no permission to read it" if isinstance(error, PermissionError) else f"cannot be read ({error.strerror})"


def _listed(metadata: Path, complain: Callable[[str, str], None]) -> list[str]:
    """The file names in metadata.yaml; none if it cannot be read."""
    if not metadata.exists():
        return []
    try:
        content = read_plain(metadata)
        return [Path(name).name for name in content["rosbag2_bagfile_information"]["relative_file_paths"]]
    except (SaysoError, KeyError, TypeError) as unreadable:
        complain(METADATA, f"cannot be read ({first_line(unreadable)}); the files beside it are used")
    return []


def _natural(file: Path) -> list[tuple[int, str]]:
    """A sort key that puts bag_2 before bag_10."""
    parts = file.name.replace(".", "_").split("_")
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]
