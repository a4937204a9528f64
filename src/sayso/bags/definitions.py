"""Message types: from the definitions in the bag, or our own if it has none (sqlite3 bags from before ROS 2 Iron)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from rosbags.interfaces import Connection, MessageDefinitionFormat
from rosbags.typesys import Stores, get_types_from_idl, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from sayso.errors import SaysoError
from sayso.paths import project_root
from sayso.yaml_source import read_plain

LARGEST_DEFINITION = 200_000  # bytes of the text of a message type with all that it contains; the longest of ROS has 20,000
FOREIGN = Path(__file__).with_name("foreign_messages.yaml")
_IDL = "=" * 80 + "\n"


def store_of(connection: Connection) -> Typestore:
    """The types to decode its messages with.

    Raises:
        SaysoError: the bag does not define the type and we do not know it, or its definition cannot be read.
    """
    definition = connection.msgdef
    if definition.format == MessageDefinitionFormat.NONE or not (definition.data or "").strip():
        if connection.msgtype in known_types().fielddefs:
            return known_types()
        raise SaysoError(f"the bag does not define {connection.msgtype}, and we do not know the type")
    if len(definition.data) > LARGEST_DEFINITION:
        raise SaysoError(f"the definition of {connection.msgtype[:80]} is too long to be one")
    try:
        return _defined(connection.msgtype, definition.data, definition.format == MessageDefinitionFormat.IDL)
    except Exception as unreadable:  # noqa: BLE001 - rosbags' parsers raise errors of several kinds
        raise SaysoError(f"the definition of {connection.msgtype} cannot be read ({first_line(unreadable)})") from None


@contextmanager
def decoding(kind: str) -> Iterator[None]:
    """Turn errors in reading the fields of a message into errors of the bag: missing fields or impossible values.

    Raises:
        SaysoError: one line that names the field or value.
    """
    try:
        yield
    except AttributeError as missing:
        raise SaysoError(f"this bag's {kind} has no field '{missing.name}': it is another version of the type") from None
    except (TypeError, ValueError, OverflowError) as impossible:
        raise SaysoError(f"a {kind} holds an invalid value ({first_line(impossible)})") from None


@lru_cache(maxsize=256)
def _defined(kind: str, text: str, idl: bool) -> Typestore:
    """A store for a single definition: bags or topics may define the same name differently."""
    found: dict[str, Any] = {}
    if not idl:
        found.update(get_types_from_msg(text, kind))
    elif text.startswith(f"{_IDL}IDL: "):
        for part in text.split(_IDL)[1:]:
            found.update(get_types_from_idl(part.split("\n", 1)[1]))
    else:
        found.update(get_types_from_idl(text))
    store = get_typestore(Stores.EMPTY)
    store.register(found)
    store.get_msgdef(kind)  # fails here rather than at the first message if a nested type is missing
    return store


@lru_cache(maxsize=1)
def known_types() -> Typestore:
    """The types of Jazzy, of Sayso, and of other packages that we read."""
    store = get_typestore(Stores.ROS2_JAZZY)
    found: dict[str, Any] = {}
    for name, text in read_plain(FOREIGN).items():
        found.update(get_types_from_msg(text, name))
    for folder in _message_folders():
        for file in sorted(folder.glob("*.msg")):
            found.update(get_types_from_msg(file.read_text(encoding="utf-8"), f"sayso_msgs/msg/{file.stem}"))
    store.register(found)
    return store


def _message_folders() -> list[Path]:
    """The folder of sayso_msgs: in the checkout, in the wheel, else installed by ROS."""
    prefixes = [Path(prefix) for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if prefix]
    ours = [project_root() / folder for folder in ("ros2_ws/src/sayso_msgs/msg", "sayso_msgs/msg")]
    folders = [*ours, *(prefix / "share/sayso_msgs/msg" for prefix in prefixes)]
    return [folder for folder in folders if folder.is_dir()][:1]


def first_line(error: BaseException) -> str:
    """The first line of its message; its type if there is none."""
    return (str(error).splitlines() or [""])[0].rstrip(".") or type(error).__name__
