"""A node's parameters as a table of rows with description and range. A wrong value is refused in one line that says why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from sayso.errors import RosError

if TYPE_CHECKING:
    from rcl_interfaces.msg import ParameterDescriptor
    from rclpy.node import Node

Value = bool | int | float | str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a node. Its type is that of the default."""

    name: str
    default: Value
    description: str  # one line, with the unit
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    dynamic: bool = False  # may be set while the node runs

    def checked(self, value: object, node: str) -> Value:
        """The value in the parameter's own type.

        Raises:
            RosError: it is of another type or out of range.
        """
        if isinstance(self.default, float) and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)  # "-p speed:=2" is an integer to ROS
        if isinstance(self.default, tuple):
            if not isinstance(value, Sequence) or isinstance(value, str | bytes) or not all(isinstance(item, str) for item in value):
                raise self._error(node, value, "is not a list of strings")
            return tuple(value)
        if type(value) is not type(self.default):
            raise self._error(node, value, f"is not a {type(self.default).__name__}")
        if self.choices and value not in self.choices:
            raise self._error(node, value, f"is none of {', '.join(self.choices)}")
        if isinstance(value, int | float) and not isinstance(value, bool) and not self._in_range(value):
            raise self._error(node, value, f"is not in [{_number(self.minimum)}, {_number(self.maximum)}]")
        return value

    def _in_range(self, value: float) -> bool:
        return (self.minimum is None or value >= self.minimum) and (self.maximum is None or value <= self.maximum) and isfinite(value)

    def _error(self, node: str, value: object, complaint: str) -> RosError:
        return RosError(f"{node}: parameter {self.name}: {value!r} {complaint} ({self.description})")

    def descriptor(self) -> ParameterDescriptor:
        """The descriptor that `ros2 param describe` shows."""
        from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor

        descriptor = ParameterDescriptor(description=self.description, read_only=not self.dynamic)
        if self.choices:
            descriptor.additional_constraints = f"one of {', '.join(self.choices)}"
        if self.minimum is None or self.maximum is None:
            return descriptor
        if isinstance(self.default, float):
            descriptor.floating_point_range = [FloatingPointRange(from_value=float(self.minimum), to_value=float(self.maximum))]
        elif isinstance(self.default, int):
            descriptor.integer_range = [IntegerRange(from_value=int(self.minimum), to_value=int(self.maximum))]
        return descriptor


def _number(bound: float | None) -> str:
    return "…" if bound is None else f"{bound:g}"


# ROS itself declares these, if given.
_OF_ROS = ("use_sim_time", "start_type_description_service", "qos_overrides")


def declare(node: Node, table: Sequence[Parameter]) -> None:
    """Declare the table's parameters on a node that was made with automatically_declare_parameters_from_overrides.

    Raises:
        RosError: a given value is wrong, or the table has no parameter of that name.
    """
    known = {parameter.name for parameter in table}
    given = {name: parameter.value for name, parameter in node.get_parameters_by_prefix("").items()}
    for name in given:
        if name not in known and name.split(".")[0] not in _OF_ROS:
            raise RosError(f"{node.get_name()}: no parameter '{name}'; it has {', '.join(sorted(known))}")
    for parameter in table:
        value = parameter.checked(given.get(parameter.name, parameter.default), node.get_name())
        if parameter.name in given:
            node.undeclare_parameter(parameter.name)  # ROS declared it from the given value, without description and range
        node.declare_parameter(parameter.name, _ros_value(value), parameter.descriptor(), ignore_override=True)


def checked_values(table: Sequence[Parameter], given: Sequence[Any], node: str) -> list[tuple[Parameter, Value]]:
    """The rows of the table that are given a value (rclpy's Parameter), with it.

    Raises:
        RosError: a value is wrong.
    """
    rows = {row.name: row for row in table}
    checked = [(row, row.checked(each.value, node)) for each in given if (row := rows.get(each.name)) is not None]
    return [(row, tuple(item for item in value if item) if isinstance(value, tuple) else value) for row, value in checked]


def _ros_value(value: Value) -> object:
    """The value for rclpy. An empty list has no type in ROS, so it becomes one empty string."""
    return (list(value) or [""]) if isinstance(value, tuple) else value
