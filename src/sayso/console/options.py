"""A command with many options takes them as one frozen dataclass.

Typer reads a command's options from its signature. `takes(Options)` gives it the fields of the dataclass as that signature, in their
order, and passes the values on as one object:

    @dataclass(frozen=True, slots=True, kw_only=True)
    class PourOptions:
        cups: Annotated[int, typer.Option("--cups", help="How many.")] = 1

    @takes(PourOptions)
    def pour(what: Annotated[str, typer.Argument()], options: PourOptions) -> None: ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from inspect import Parameter, signature
from typing import Any, get_type_hints

Command = Callable[..., None]


def takes(kind: type[Any]) -> Callable[[Command], Command]:
    """Let Typer see the fields of the dataclass `kind`, each with a default, in place of the command's last parameter."""
    hints = get_type_hints(kind, include_extras=True)
    options = [Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=hints[each.name]) for each in fields(kind)]

    def decorate(command: Command) -> Command:
        *own, last = signature(command, eval_str=True).parameters.values()

        @wraps(command)
        def expanded(**values: Any) -> None:
            given = {each.name: values.pop(each.name) for each in own}
            command(**given, **{last.name: kind(**values)})

        expanded.__signature__ = signature(command).replace(parameters=[*own, *options])  # type: ignore[attr-defined]
        expanded.__annotations__ = {each.name: each.annotation for each in (*own, *options)}
        return expanded

    return decorate
