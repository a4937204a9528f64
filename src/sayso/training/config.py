"""Reading of training configurations: YAML, checked."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from sayso.errors import SaysoError
from sayso.yaml_source import read_plain

Config = TypeVar("Config", bound=BaseModel)


def read_config(path: Path, kind: type[Config]) -> Config:
    """Read the file as that model.

    Raises:
        SaysoError: the file is missing or has an invalid value.
    """
    try:
        return kind.model_validate(read_plain(path))
    except ValidationError as invalid:
        first = invalid.errors(include_url=False)[0]
        raise SaysoError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
