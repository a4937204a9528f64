"""The field reference of home files (docs/home-reference.md) and their JSON Schemas for editors, made from the models."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sayso.domain.model import Domain
from sayso.domain.sentences import SLOTS
from sayso.scene.scene import Scene
from sayso.yaml_source.docstrings import field_docs
from sayso.yaml_source.words import bare

FILES: Mapping[str, type[BaseModel]] = {"domain": Domain, "scene": Scene}
SCHEMAS = Path(__file__).parent / "schemas"
INCLUDE = "Files whose entries are part of this one: relative to it, or files that come with Sayso, such as sayso:skills.yaml."
HEAD = """\
# Field reference of domain and scene files

Made from the models in `src/sayso/domain/model.py` and `src/sayso/scene/`: `python scripts/write_home_reference.py` writes it again.
[The domain file](domain-file.md) and [scenes](scenes.md) explain the fields by examples.

Both kinds of files may begin with `include`, a list of files whose entries are part of them: relative to the file, or files that come with
Sayso (`sayso:skills.yaml`). Entries of the including file replace included ones of the same name. "id → …" is a mapping from names that you
choose. Editors complete and check fields when a file begins with the line that `sayso new home` and `sayso new scene` write.
"""


def schema_of(kind: str) -> str:
    """The JSON Schema of a kind of file, "domain" or "scene", as text."""
    schema = FILES[kind].model_json_schema()
    for part in _parts(FILES[kind]):
        described = schema if part is FILES[kind] else schema["$defs"][part.__name__]
        for name, doc in field_docs(part).items():
            described["properties"][name] = dict(sorted({**described["properties"][name], "description": doc}.items()))
    schema["properties"]["include"] = {"type": "array", "items": {"type": "string"}, "description": INCLUDE}
    del schema["required"]  # may stand in included files
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=1, ensure_ascii=False) + "\n"


def schema_file(kind: str) -> Path:
    """The installed JSON Schema of a kind of file."""
    return SCHEMAS / f"{kind}.schema.json"


def reference() -> str:
    """The page docs/home-reference.md."""
    parts = [HEAD]
    for kind, model in FILES.items():
        parts.append(f"## The {kind} file\n")
        for part in _parts(model):
            title = "" if part is model else f"### {part.__name__}\n\n"
            parts.append(f"{title}{_summary(part)}\n\n{_table(part)}")
        if kind == "domain":
            parts.append(f"Placeholders of example sentences: {', '.join(f'`{{{slot}}}`' for slot in SLOTS)}.\n")
    return "\n".join(parts)


def _parts(model: type[BaseModel]) -> list[type[BaseModel]]:
    """The model and every model in it, in the order of their fields."""
    found = [model]
    for part in found:  # grows while it is read
        for field in part.model_fields.values():
            found.extend(inner for inner in _models(field.annotation) if inner not in found)
    return found


def _models(kind: Any) -> Iterator[type[BaseModel]]:
    kind = bare(kind)
    if get_args(kind):
        for inner in get_args(kind):
            yield from _models(inner)
    elif isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind


def _summary(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").strip().split("\n\n", maxsplit=1)[0]


def _table(model: type[BaseModel]) -> str:
    rows = ["| field | value | default | |", "|---|---|---|---|"]
    docs = field_docs(model)
    for name, field in model.model_fields.items():
        cells = (f"`{name}`", _type(field.annotation, *field.metadata), _default(field), docs.get(name, "").rstrip("."))
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(rows) + "\n"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "**required**"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ("", (), {}) or isinstance(value, BaseModel):
        return ""
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def _type(kind: Any, *limits: Any) -> str:
    """The type of a value, in words."""
    if hasattr(kind, "__metadata__"):
        return _type(kind.__origin__, *kind.__metadata__, *limits)
    arguments = get_args(kind)
    if NoneType in arguments:
        return _type(next(part for part in arguments if part is not NoneType), *limits)
    origin = get_origin(kind)
    if origin is Literal:
        return " | ".join(f"`{choice}`" for choice in arguments)
    if origin is dict:
        return f"{'id' if arguments[0] is str else _type(arguments[0])} → {_type(arguments[1])}"
    if origin is tuple and Ellipsis in arguments:
        return f"list of {_type(arguments[0])}"
    if origin is tuple:
        return f"[{', '.join(_type(part) for part in arguments)}]"
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return f"[{kind.__name__}](#{kind.__name__.lower()})"
    return {str: "text", float: "number", int: "whole number", bool: "`true` | `false`"}[kind] + _range(limits)


def _range(limits: tuple[Any, ...]) -> str:
    signs = {"gt": "> ", "ge": "≥ ", "lt": "< ", "le": "≤ "}
    flat = [part for limit in limits for part in getattr(limit, "metadata", None) or [limit]]
    said = [f"{sign}{getattr(limit, name):g}" for limit in flat for name, sign in signs.items() if getattr(limit, name, None) is not None]
    return f" {', '.join(said)}" if said else ""
