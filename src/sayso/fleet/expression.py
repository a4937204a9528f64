"""A condition in Python syntax, `decision == "reject" and p > 0.4`, as a Polars expression. Only the operations below are allowed.

The text is parsed (`ast.parse`), never evaluated: each known node becomes an expression over the columns. No attribute, call or
import can reach a file. Polars' own SQL (`pl.sql_expr`, 1.44) would: `p in (select * from read_csv('/etc/passwd'))` opens the file.
It also compares `0.5 <= p < 0.9` as a truth with a number, and drops rows without a value where they differ from the one asked for.
"""

from __future__ import annotations

import ast
import difflib
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sayso.errors import SaysoError

if TYPE_CHECKING:
    import polars as pl

Kind = Literal["text", "number", "truth", "list", "nothing"]
LONGEST = 2_000  # characters; Python's parser is recursive

SYNTAX = (
    "compare columns with == != < <= > >=, join with and, or, not; also x in [1, 2], 'cup' in text, x == None, + - * / %, "
    "and the functions lower(text), length(text), startswith(text, 'bring'), endswith(text, 'cup'), abs(x)"
)

_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}


@dataclass(frozen=True, slots=True)
class _Term:
    """A part of the condition and its kind."""

    value: Any  # pl.Expr, or a tuple of constants for a literal list
    kind: Kind
    constant: Any = None  # the value of a constant
    source: str = ""  # as it was written


def parse_condition(condition: str, columns: Mapping[str, Kind]) -> pl.Expr:
    """The expression that is true for the matching rows, never null.

    A missing value is unequal to all others, and neither greater nor less.

    Raises:
        SaysoError: the condition is invalid; the message names the position, the allowed syntax and the columns.
    """
    if len(condition) > LONGEST:
        raise SaysoError(f"the condition has {len(condition)} characters; at most {LONGEST} are read")
    try:
        tree = ast.parse(condition.strip(), mode="eval").body
        term = _Parser(condition.strip(), columns).term(tree)
    except SyntaxError as error:
        raise SaysoError(f"cannot read the condition at character {error.offset}: {error.msg}. You can {SYNTAX}") from None
    except (RecursionError, MemoryError):
        raise SaysoError("the condition is nested too deeply") from None
    except ValueError as error:  # a null byte, or an integer of more digits than Python reads
        raise SaysoError(f"cannot read the condition: {error}") from None
    if term.kind != "truth":
        raise SaysoError(f"the condition must be true or false for each row; '{term.source}' is a {term.kind}. You can {SYNTAX}")
    value: pl.Expr = term.value
    return value


class _Parser:
    def __init__(self, condition: str, columns: Mapping[str, Kind]) -> None:
        self._condition = condition
        self._columns = columns

    def term(self, node: ast.expr) -> _Term:
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name():
                return self._column(node)
            case ast.List() | ast.Tuple() | ast.Set():
                return self._list(node)
            case ast.BoolOp():
                return self._joined(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.BinOp():
                return self._arithmetic(node)
            case ast.Compare():
                return self._compared(node)
            case ast.Call():
                return self._called(node)
        raise SaysoError(f"'{self._said(node)}' is not supported. You can {SYNTAX}")

    def _said(self, node: ast.AST) -> str:
        return ast.get_source_segment(self._condition, node) or type(node).__name__

    def _constant(self, node: ast.Constant) -> _Term:
        import polars as pl

        value = node.value
        said = self._said(node)
        if value is None:
            return _Term(pl.lit(None), "nothing", None, said)
        kinds: Mapping[type, Kind] = {bool: "truth", int: "number", float: "number", str: "text"}
        kind = kinds.get(type(value))
        if kind is None:
            raise SaysoError(f"'{said}' is neither a number, a text, True, False nor None")
        if isinstance(value, int) and abs(value) >= 2**63:
            raise SaysoError(f"'{said}' is too large a number")
        return _Term(pl.lit(value), kind, value, said)

    def _column(self, node: ast.Name) -> _Term:
        import polars as pl

        if node.id in self._columns:
            return _Term(pl.col(node.id), self._columns[node.id], source=node.id)
        if node.id in {"true", "false"}:
            return _Term(pl.lit(node.id == "true"), "truth", node.id == "true", node.id)
        if node.id == "null":
            return _Term(pl.lit(None), "nothing", None, node.id)
        close = difflib.get_close_matches(node.id, self._columns, 1)
        meant = f" (did you mean '{close[0]}'?)" if close else ""
        raise SaysoError(f"there is no column '{node.id}'{meant}; there are: {', '.join(self._columns)}. Texts need quotes")

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> _Term:
        terms = [self.term(item) for item in node.elts]
        if not terms or any(term.constant is None for term in terms) or len({term.kind for term in terms}) > 1:
            raise SaysoError(f"'{self._said(node)}': a list holds constants of one kind, and at least one")
        return _Term(tuple(term.constant for term in terms), "list", source=self._said(node))

    def _joined(self, node: ast.BoolOp) -> _Term:
        terms = [self._expect(item, "truth") for item in node.values]
        value = terms[0].value
        for term in terms[1:]:
            value = value & term.value if isinstance(node.op, ast.And) else value | term.value
        return _Term(value, "truth", source=self._said(node))

    def _unary(self, node: ast.UnaryOp) -> _Term:
        if isinstance(node.op, ast.Not):
            return _Term(~self._expect(node.operand, "truth").value, "truth", source=self._said(node))
        if isinstance(node.op, (ast.USub, ast.UAdd)):
            term = self._expect(node.operand, "number")
            sign = -1 if isinstance(node.op, ast.USub) else 1
            constant = None if term.constant is None else sign * term.constant
            return _Term(term.value * sign, "number", constant, self._said(node))
        raise SaysoError(f"'{self._said(node)}' is not supported: write not instead of ~")

    def _arithmetic(self, node: ast.BinOp) -> _Term:
        if type(node.op) in {ast.BitAnd, ast.BitOr}:
            raise SaysoError(f"'{self._said(node)}' is not supported: write and, or instead of &, |")
        operation = _ARITHMETIC.get(type(node.op))
        if operation is None:
            raise SaysoError(f"'{self._said(node)}' is not supported. You can {SYNTAX}")
        left, right = self._expect(node.left, "number"), self._expect(node.right, "number")
        return _Term(operation(left.value, right.value), "number", source=self._said(node))

    def _compared(self, node: ast.Compare) -> _Term:
        """A comparison, or a chain of them: 0.4 < p <= 0.9."""
        terms = [self.term(item) for item in (node.left, *node.comparators)]
        value = None
        for operation, left, right in zip(node.ops, terms, terms[1:], strict=False):
            link = self._link(operation, left, right).fill_null(value=False)
            value = link if value is None else value & link
        return _Term(value, "truth", source=self._said(node))

    def _link(self, operation: ast.cmpop, left: _Term, right: _Term) -> Any:
        import polars as pl

        match operation:
            case ast.In():
                return self._within(left, right)
            case ast.NotIn():
                return ~self._within(left, right).fill_null(value=False)
            case ast.Is() | ast.IsNot() if "nothing" not in {left.kind, right.kind}:
                raise SaysoError(f"'{left.source} is {right.source}': write == instead of is")
            case ast.Eq() | ast.Is():
                self._alike(left, right)
                return left.value.eq_missing(right.value)
            case ast.NotEq() | ast.IsNot():
                self._alike(left, right)
                return left.value.ne_missing(right.value)
        if "nothing" in {left.kind, right.kind}:
            return pl.lit(value=False)
        if left.kind != right.kind or left.kind not in {"number", "text"}:
            raise SaysoError(f"'{left.source}' is a {left.kind} and '{right.source}' a {right.kind}: they cannot be compared")
        return _COMPARISONS[type(operation)](left.value, right.value)

    @staticmethod
    def _alike(left: _Term, right: _Term) -> None:
        if "list" in {left.kind, right.kind}:
            raise SaysoError(f"'{left.source}' and '{right.source}': use in with a list")
        if left.kind != right.kind and "nothing" not in {left.kind, right.kind}:
            raise SaysoError(f"'{left.source}' is a {left.kind} and '{right.source}' a {right.kind}: they are never equal")

    @staticmethod
    def _within(left: _Term, right: _Term) -> Any:
        """`x in [1, 2]`, `"cup" in text`, `"red_cup" in objects`."""
        if isinstance(right.value, tuple):
            kinds = {bool: "truth", int: "number", float: "number", str: "text"}
            if left.kind != kinds[type(right.value[0])]:
                raise SaysoError(f"'{left.source}' is a {left.kind}, and {right.source} holds none")
            return left.value.is_in(list(right.value))
        if right.kind == "text" and left.kind == "text":
            return right.value.str.contains(left.value, literal=True)
        if right.kind == "list" and left.kind != "list":
            return right.value.list.contains(left.value)
        raise SaysoError(f"'{left.source} in {right.source}': the right side is neither a list nor a text that could hold the left one")

    def _called(self, node: ast.Call) -> _Term:
        functions: Mapping[str, tuple[tuple[Kind, ...], Kind, Callable[..., Any]]] = {
            "lower": (("text",), "text", lambda text: text.str.to_lowercase()),
            "length": (("text",), "number", lambda text: text.str.len_chars().cast(int)),
            "startswith": (("text", "text"), "truth", lambda text, start: text.str.starts_with(start).fill_null(value=False)),
            "endswith": (("text", "text"), "truth", lambda text, end: text.str.ends_with(end).fill_null(value=False)),
            "abs": (("number",), "number", lambda number: number.abs()),
        }
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in functions or node.keywords:
            raise SaysoError(f"'{self._said(node)}' is not supported. You can {SYNTAX}")
        kinds, result, function = functions[name]
        if len(node.args) != len(kinds):
            raise SaysoError(f"'{self._said(node)}': {name} takes {len(kinds)} arguments")
        values = [self._expect(argument, kind).value for argument, kind in zip(node.args, kinds, strict=True)]
        return _Term(function(*values), result, source=self._said(node))

    def _expect(self, node: ast.expr, kind: Kind) -> _Term:
        import polars as pl

        term = self.term(node)
        if term.kind == "nothing":  # a column with no value in it
            types = {"truth": pl.Boolean, "number": pl.Float64, "text": pl.String}
            term = _Term(term.value.cast(types[kind]), kind, source=term.source)
        if term.kind != kind:
            raise SaysoError(f"'{term.source}' is a {term.kind}; a {kind} is needed here. You can {SYNTAX}")
        if kind == "truth" and isinstance(node, ast.Name):
            return _Term(term.value.fill_null(value=False), "truth", source=term.source)  # `judged and not right`
        return term
