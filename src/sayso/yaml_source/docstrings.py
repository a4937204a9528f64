"""The docstrings under the fields of a model, read when a message or a page needs them: that takes longer than making the model."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from textwrap import dedent

from pydantic import BaseModel


@cache
def field_docs(model: type[BaseModel]) -> Mapping[str, str]:
    """Field → the docstring under it, of a model and those that it is derived from."""
    found: dict[str, str] = {}
    for part in reversed(model.__mro__):
        if issubclass(part, BaseModel) and part is not BaseModel:
            definition = ast.parse(dedent(inspect.getsource(part))).body[0]
            assert isinstance(definition, ast.ClassDef)
            for field, after in pairwise(definition.body):
                text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, str):
                    found[field.target.id] = inspect.cleandoc(text)
    return found
