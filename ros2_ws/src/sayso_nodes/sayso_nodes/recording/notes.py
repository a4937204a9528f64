"""Metadata of a bag: versions, models, the nodes' parameters and their home."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml
from rcl_interfaces.msg import ParameterEvent, ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters, ListParameters
from rclpy.node import Node
from rclpy.qos import qos_profile_parameter_events

from sayso.errors import SaysoError
from sayso.models import manifest
from sayso.paths import default_domain
from sayso.yaml_source import read_plain, read_yaml, text_of

VERSIONS, MODELS, PARAMETERS, HOME = "sayso.versions", "sayso.models", "sayso.parameters", "sayso.home"
_VERSIONS_OF = ("sayso", "numpy", "onnxruntime", "pocketsphinx", "mujoco", "rosbags", "mcap", "ros-jazzy-rclpy")
_FIELDS = {
    ParameterType.PARAMETER_BOOL: "bool_value",
    ParameterType.PARAMETER_INTEGER: "integer_value",
    ParameterType.PARAMETER_DOUBLE: "double_value",
    ParameterType.PARAMETER_STRING: "string_value",
    ParameterType.PARAMETER_BYTE_ARRAY: "byte_array_value",
    ParameterType.PARAMETER_BOOL_ARRAY: "bool_array_value",
    ParameterType.PARAMETER_INTEGER_ARRAY: "integer_array_value",
    ParameterType.PARAMETER_DOUBLE_ARRAY: "double_array_value",
    ParameterType.PARAMETER_STRING_ARRAY: "string_array_value",
}

Note = Callable[[str, Mapping[str, str]], None]


class ParameterNotes:
    """Asks each node for its parameters once it runs, and again after a change."""

    def __init__(self, node: Node, names: Iterable[str], note: Note) -> None:
        self._node, self._note = node, note
        self._waiting = set(names)  # nodes that have not been asked yet
        self._known: dict[str, dict[str, Any]] = {}
        self._clients: dict[str, tuple[Any, Any]] = {}
        self._all = set(names)
        node.create_subscription(ParameterEvent, "/parameter_events", self._changed, qos_profile_parameter_events)

    def ask(self) -> None:
        """Ask the nodes that run; call this periodically."""
        for name in sorted(self._waiting):
            if name not in self._clients:
                kinds = ((ListParameters, "list_parameters"), (GetParameters, "get_parameters"))
                every, values = (self._node.create_client(kind, f"{name}/{service}") for kind, service in kinds)
                self._clients[name] = every, values
            every, values = self._clients[name]
            if every.service_is_ready() and values.service_is_ready():
                self._waiting.discard(name)
                every.call_async(ListParameters.Request()).add_done_callback(lambda done, name=name: self._listed(name, done))

    def _listed(self, name: str, done: Any) -> None:
        if (answer := done.result()) is None:
            self._waiting.add(name)
            return
        names = list(answer.result.names)
        future = self._clients[name][1].call_async(GetParameters.Request(names=names))
        future.add_done_callback(lambda done: self._got(name, names, done))

    def _got(self, name: str, names: list[str], done: Any) -> None:
        if (answer := done.result()) is None:
            self._waiting.add(name)
            return
        self._known[name] = {key: without_secrets(key, plain(value)) for key, value in zip(names, answer.values, strict=False)}
        self._note(PARAMETERS, {node: yaml.safe_dump(known, sort_keys=True) for node, known in sorted(self._known.items())})
        if self._known[name].get("domain") is not None:
            self._note(HOME, home(str(self._known[name]["domain"])))

    def _changed(self, event: ParameterEvent) -> None:
        name = event.node.rsplit("/", 1)[-1]
        if name in self._all and event.changed_parameters:
            self._waiting.add(name)


def circumstances() -> Iterable[tuple[str, dict[str, str]]]:
    """(name, texts) known before the recording."""
    found = {"Python": platform.python_version()}
    for name in _VERSIONS_OF:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not from a wheel"  # a ROS from apt
    yield VERSIONS, found
    try:
        yield MODELS, {name: entry.sha256 for name, entry in manifest().items()}
    except SaysoError as broken:
        yield MODELS, {"error": str(broken)}


def home(domain: str) -> dict[str, str]:
    """The domain file in that parameter and all files that it includes: name → text; "main" names the first.

    Only files that the reader of home files accepts are copied: a bag is passed on, and a home might include any file of its user.
    """
    main = Path(domain) if domain else default_domain()
    found = {"main": str(main)}
    try:
        files = [main] if isinstance(read_plain(main), dict) else []
        with suppress(SaysoError):  # where an include is invalid, the file that names it is kept
            files = read_yaml(main, "a domain file is a mapping").files
        found |= {str(file): text_of(file) for file in files}
    except SaysoError as unreadable:
        found[str(main)] = f"# cannot be read: {unreadable}"
    return found


def without_secrets(name: str, value: Any) -> Any:
    """A parameter's value as a bag may hold it: of a user's command line only the program, for its arguments may be a key or a password."""
    if name == "command" and isinstance(value, str) and len(words := value.split()) > 1:
        return f"{words[0]} …"
    return value


def plain(value: ParameterValue) -> Any:
    """A parameter's value for YAML."""
    field = _FIELDS.get(value.type)
    found = getattr(value, field) if field else None
    return list(found) if isinstance(field, str) and field.endswith("array_value") and found is not None else found
