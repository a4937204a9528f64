"""A command with many options takes them as one frozen dataclass.

Typer reads a command's options from its signature. `takes(Options)` gives it the fields of the dataclass as that signature, in their
order, and passes the values on as one object:

    @dataclass(frozen=True, slots=True, kw_only=True)
    class PourOptions:
        cups: Annotated[int, typer.Option("--cups", help="How many.")] = 1

    @takes(PourOptions)
    def pour(what: Annotated[str, typer.Argument()], options: PourOptions) -> None: ...

Options that several commands share are a dataclass of their own: `@takes(PourOptions, CupOptions)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from inspect import Parameter, signature
from typing import Any, get_type_hints

Command = Callable[..., None]


def takes(*kinds: type[Any]) -> Callable[[Command], Command]:
    """Let Typer see the fields of the dataclasses `kinds`, each with a default, in place of the command's last parameters."""
    options = [option for kind in kinds for option in _options(kind)]

    def decorate(command: Command) -> Command:
        parameters = list(signature(command, eval_str=True).parameters.values())
        own, taken = parameters[: -len(kinds)], parameters[-len(kinds) :]

        @wraps(command)
        def expanded(**values: Any) -> None:
            given = {
                each.name: kind(**{field.name: values.pop(field.name) for field in fields(kind)})
                for each, kind in zip(taken, kinds, strict=True)
            }
            command(**values, **given)

        expanded.__signature__ = signature(command).replace(parameters=[*own, *options])  # type: ignore[attr-defined]
        expanded.__annotations__ = {each.name: each.annotation for each in (*own, *options)}
        return expanded

    return decorate


def _options(kind: type[Any]) -> list[Parameter]:
    hints = get_type_hints(kind, include_extras=True)
    return [Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=hints[each.name]) for each in fields(kind)]
