"""The list of public data sets (datasets.yaml), and the check whether a folder has them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from sayso.errors import SaysoError
from sayso.yaml_source import read_plain

LISTED = Path(__file__).with_name("datasets.yaml")


class RemoteFile(BaseModel):
    """A file that is used as published."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str = Field(alias="from")
    size: int = Field(ge=0)  # bytes
    sha256: str = Field(pattern="[0-9a-f]{64}")


class DataSet(BaseModel):
    """A data set: published files, or an archive that is converted into one file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    what: str
    licence: str
    publisher: str  # address of the project
    citation: str
    files: dict[str, RemoteFile] = {}  # by path in the set's own folder
    archive: str = ""  # address
    convert: Literal["", "huric", "alfred", "coco128", "bottles_and_cups", "kitchen_containers"] = ""
    result: str = ""  # the file that the archive is converted into
    sentences: int = 0  # the least number in the result
    photographs: int = 0  # the same, of a set of pictures

    @property
    def least(self) -> tuple[int, str]:
        """How much the result must hold at least, and of what."""
        return (self.photographs, "photographs") if self.photographs else (self.sentences, "sentences")

    def present(self, folder: Path) -> bool:
        """Whether the folder has all of it; compares sizes, not contents."""
        if self.result:
            return (folder / self.result).is_file()
        return all(_size(folder / name) == file.size for name, file in self.files.items())


class _Listed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    bases: dict[str, str]
    sets: dict[str, DataSet]


@lru_cache(maxsize=1)
def datasets() -> dict[str, DataSet]:
    """All data sets by name, with full URLs."""
    listed = _Listed.model_validate(read_plain(LISTED))

    def full(file: RemoteFile) -> RemoteFile:
        base, _, path = file.url.partition(":")
        return file.model_copy(update={"url": f"{listed.bases[base]}/{path}"})

    return {
        name: each.model_copy(update={"files": {path: full(file) for path, file in each.files.items()}})
        for name, each in listed.sets.items()
    }


def chosen(names: list[str]) -> dict[str, DataSet]:
    """The sets with these names; without names, all sets.

    Raises:
        SaysoError: there is no such set.
    """
    known = datasets()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SaysoError(f"no data set '{unknown[0]}'; there are: {', '.join(known)}")
    return {name: known[name] for name in names or known}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
