"""Message definitions for a bag, taken from the message classes, so that no .msg file is needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, get_typestore
from rosbags.typesys.store import Typestore
from rosidl_parser.definition import (
    AbstractSequence,
    Array,
    BasicType,
    BoundedSequence,
    BoundedString,
    BoundedWString,
    NamespacedType,
    UnboundedString,
    UnboundedWString,
)

_BASIC = {"float": "float32", "double": "float64", "boolean": "bool", "octet": "byte", "char": "uint8"}  # IDL → ROS where they differ


def type_name(message: type) -> str:
    """The full name of a message class, "sayso_msgs/msg/Outcome"; parts of actions are "sayso_msgs/action/ExecuteSkill_Feedback"."""
    package, kind = message.__module__.split(".")[:2]
    return f"{package}/{kind}/{message.__name__}"


class DefinitionStore:
    """Rosbags' types for the messages of a bag: its own Jazzy definitions, and others from the classes."""

    def __init__(self) -> None:
        self.typestore: Typestore = get_typestore(Stores.ROS2_JAZZY)

    def add(self, message: type, name: str = "") -> str:
        """Add a type with its nested types, and return its name."""
        name = name or type_name(message)
        if name in self.typestore.fielddefs:
            return name
        fields = zip(message.get_fields_and_field_types(), message.SLOT_TYPES, strict=True)  # type: ignore[attr-defined]
        self.typestore.register({name: ([], [(field, self._field(slot)) for field, slot in fields])})
        return name

    def _field(self, slot: Any) -> Any:
        """A field's type as in rosbags: (node type, argument)."""
        if isinstance(slot, NamespacedType):
            nested = _class_of("/".join(slot.namespaced_name()))
            # Definitions name nested types without the folder, so parts of an action are written as if they were in msg/.
            return Nodetype.NAME, self.add(nested, type_name(nested).replace("/action/", "/msg/"))
        if isinstance(slot, BasicType):
            return Nodetype.BASE, (_BASIC.get(slot.typename, slot.typename), 0)
        if isinstance(slot, (UnboundedString, UnboundedWString)):
            return Nodetype.BASE, ("wstring" if isinstance(slot, UnboundedWString) else "string", 0)
        if isinstance(slot, (BoundedString, BoundedWString)):
            return Nodetype.BASE, ("wstring" if isinstance(slot, BoundedWString) else "string", slot.maximum_size)
        if isinstance(slot, Array):
            return Nodetype.ARRAY, (self._field(slot.value_type), slot.size)
        if isinstance(slot, AbstractSequence):
            return Nodetype.SEQUENCE, (self._field(slot.value_type), slot.maximum_size if isinstance(slot, BoundedSequence) else 0)
        raise TypeError(f"a field of type {type(slot).__name__} has no form in a bag")


def _class_of(name: str) -> type:
    """The message class of that full name; "ExecuteSkill_Feedback" of an action is its ExecuteSkill.Feedback."""
    package, kind, message = name.split("/")
    module = import_module(f"{package}.{kind}")
    if kind != "action":
        return getattr(module, message)  # type: ignore[no-any-return]
    action, _, part = message.partition("_")
    return getattr(getattr(module, action), part)  # type: ignore[no-any-return]
