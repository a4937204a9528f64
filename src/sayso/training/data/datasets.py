"""Which public data sets there are, and whether a folder has them; datasets.yaml says where each is published."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from sayso.errors import SaysoError

LISTED = Path(__file__).with_name("datasets.yaml")


class RemoteFile(BaseModel):
    """A file that is taken as it is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str = Field(alias="from")
    size: int = Field(ge=0)  # bytes
    sha256: str = Field(pattern="[0-9a-f]{64}")


class DataSet(BaseModel):
    """A data set: files of the publisher's, or an archive that one file is made of."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    what: str
    licence: str
    publisher: str  # address of the project
    citation: str
    files: dict[str, RemoteFile] = {}  # by path in the set's own folder
    archive: str = ""  # address
    convert: Literal["", "huric", "alfred"] = ""
    result: str = ""  # the file that the archive becomes
    sentences: int = 0  # that it must hold at least

    def present(self, folder: Path) -> bool:
        """Whether all of it is in that folder; sizes are looked at, contents are not."""
        if self.result:
            return (folder / self.result).is_file()
        return all(_size(folder / name) == file.size for name, file in self.files.items())


class _Listed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    bases: dict[str, str]
    sets: dict[str, DataSet]


@lru_cache(maxsize=1)
def datasets() -> dict[str, DataSet]:
    """All of them by name, with whole addresses."""
    listed = _Listed.model_validate(yaml.safe_load(LISTED.read_text(encoding="utf-8")))

    def whole(file: RemoteFile) -> RemoteFile:
        base, _, path = file.url.partition(":")
        return file.model_copy(update={"url": f"{listed.bases[base]}/{path}"})

    return {
        name: each.model_copy(update={"files": {path: whole(file) for path, file in each.files.items()}})
        for name, each in listed.sets.items()
    }


def chosen(names: list[str]) -> dict[str, DataSet]:
    """The sets of those names; all of them where none is named.

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
