"""The graph of nodes, topics, services and actions, read from graph.yaml and checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from rclpy.qos import QoSProfile

SOURCE = Path(__file__).with_name("graph.yaml")
VARIANTS = ("robot", "sim", "gazebo", "replay")


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic and its quality of service."""

    name: str  # relative to the robot's namespace, or absolute; with "{object}": a family, one topic for each object
    type: str  # "sayso_msgs/msg/Transcript"
    publish: str  # "reliable" or "best_effort"
    depth: int
    why: str  # the reason for this quality of service
    subscribe: str = ""  # as `publish` where empty
    latched: bool = False
    remembered: bool = False  # as latched, for subscribers that ask for it
    lifespan: float | None = None  # s
    where_installed: bool = False  # not opened if the package of its type is missing
    device: bool = False  # of an optional device: it may have no publisher

    @property
    def is_there(self) -> bool:
        """True if its type is installed."""
        return not self.where_installed or _is_installed(self.type)

    def qos(self, *, subscriber: bool = False, remembered: bool = False) -> QoSProfile:
        """The profile for a publisher, or for a subscriber, which also gets what was published before it came if `remembered`."""
        from rclpy.duration import Duration
        from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

        reliability = (self.subscribe or self.publish) if subscriber else self.publish
        kept = self.latched or (self.remembered and (remembered or not subscriber))
        profile = QoSProfile(
            depth=self.depth,
            reliability=ReliabilityPolicy.RELIABLE if reliability == "reliable" else ReliabilityPolicy.BEST_EFFORT,
            durability=DurabilityPolicy.TRANSIENT_LOCAL if kept else DurabilityPolicy.VOLATILE,
        )
        if self.lifespan is not None and not subscriber:
            profile.lifespan = Duration(seconds=self.lifespan)
        return profile


@dataclass(frozen=True, slots=True)
class Node:
    """A node and all that it may open."""

    name: str
    does: str  # one line for a person
    publishes: tuple[str, ...] = ()
    subscribes: tuple[str, ...] = ()
    serves: tuple[str, ...] = ()  # services
    calls: tuple[str, ...] = ()  # services of others
    performs: tuple[str, ...] = ()  # actions
    requests: tuple[str, ...] = ()  # actions of others
    where_installed: tuple[str, ...] = ()  # packages: started if one of them is installed, on demand if none is
    if_asked: tuple[str, ...] = ()  # names from the lists above that a parameter, or a client, must ask for
    after: tuple[str, ...] = ()  # nodes that become active first, besides those whose services and actions it uses
    priority: int = 0  # niceness, if the system permits it
    domain: bool = False  # has a parameter `domain`
    scene: bool = False  # has a parameter `scene`
    large_messages: bool = False  # publishes images: needs a larger shared-memory segment

    @property
    def module(self) -> str:
        """The module to run with python -m."""
        return f"sayso_nodes.nodes.{self.name}"


@dataclass(frozen=True, slots=True)
class Graph:
    """The nodes of one variant and the topics, services and actions between them."""

    variant: str
    nodes: Mapping[str, Node]  # to start, in this order
    on_demand: Mapping[str, Node]  # that may join
    elsewhere: Node  # other software
    topics: Mapping[str, Topic]  # used in this variant, without families
    services: Mapping[str, str]  # name → type
    actions: Mapping[str, str]
    families: Mapping[str, Topic] = field(default_factory=dict)  # by their pattern
    use_sim_time: bool = False

    def publishers(self, topic: str) -> tuple[str, ...]:
        """The nodes that may publish on it, including those on demand."""
        return tuple(node.name for node in self._all() if topic in node.publishes)

    def subscribers(self, topic: str) -> tuple[str, ...]:
        """The nodes that may subscribe to it."""
        return tuple(node.name for node in self._all() if topic in node.subscribes)

    def before(self, name: str) -> tuple[str, ...]:
        """The nodes that must be active before that one: it uses their services and actions, or names them."""
        node = self.nodes.get(name) or self.on_demand[name]
        return tuple(
            other.name
            for other in self.nodes.values()
            if other.name != name and (other.name in node.after or {*node.calls} & {*other.serves} or {*node.requests} & {*other.performs})
        )

    def _all(self) -> Iterator[Node]:
        yield from self.nodes.values()
        yield from self.on_demand.values()


@dataclass(frozen=True, slots=True)
class _Description:
    topics: dict[str, Topic]
    services: dict[str, str]
    actions: dict[str, str]
    nodes: dict[str, Node]
    variants: dict[str, dict[str, Any]] = field(default_factory=dict)


def load_graph(variant: str = "sim") -> Graph:
    """The graph of that variant: "robot", "sim", "gazebo" or "replay"."""
    description = _description()
    if variant not in description.variants:
        raise ValueError(f"no variant '{variant}' of the graph: {', '.join(description.variants)}")
    chosen = description.variants[variant]
    elsewhere = Node("elsewhere", "the robot's own software, or the bag", **_names(chosen.get("elsewhere", {})))
    wanted = [description.nodes[name] for name in chosen["nodes"]]
    idle = [node.name for node in wanted if node.where_installed and not any(map(_is_installed, node.where_installed))]
    there = {*description.topics, *description.actions}
    elsewhere = replace(elsewhere, publishes=_those(elsewhere.publishes, there), performs=_those(elsewhere.performs, there))
    on_demand = {name: description.nodes[name] for name in (*chosen.get("on_demand", ()), *idle)}
    used = {topic for node in (*wanted, *on_demand.values(), elsewhere) for topic in (*node.publishes, *node.subscribes)}
    topics = {name: topic for name, topic in description.topics.items() if name in used}
    return Graph(
        variant=variant,
        nodes={node.name: node for node in wanted if node.name not in idle},
        on_demand=on_demand,
        elsewhere=elsewhere,
        topics={name: topic for name, topic in topics.items() if "{" not in name},
        families={name: topic for name, topic in topics.items() if "{" in name},
        services=description.services,
        actions=description.actions,
        use_sim_time=chosen.get("use_sim_time", False),
    )


def find_node(name: str) -> Node:
    """The node of that name, whatever the variant."""
    return _description().nodes[name]


def find_topic(name: str) -> Topic:
    """The topic of that name."""
    return _description().topics[name]


def members_of(name: str, families: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The names of a family, such as "gazebo/pose/{object}" with the members of "object"; a plain name stands for itself."""
    family = next((each for each in families if f"{{{each}}}" in name), "")
    return tuple(name.format(**{family: member}) for member in families[family]) if family else (name,)


def interface(name: str) -> Any:
    """The class of a type: "sayso_msgs/msg/Transcript" → sayso_msgs.msg.Transcript; or of a topic, a service or an action by name."""
    description = _description()
    if name in description.topics:
        name = description.topics[name].type
    name = description.services.get(name) or description.actions.get(name) or name
    package, kind, class_name = name.split("/")
    return getattr(import_module(f"{package}.{kind}"), class_name)


def every_interface() -> Iterator[Any]:
    """The classes of all types of topics, services and actions."""
    description = _description()
    yield from map(interface, (*description.topics, *description.services, *description.actions))


@lru_cache(maxsize=1)
def _description() -> _Description:
    # PyYAML's C loader, if there is one: every node reads this file when it starts.
    data = yaml.load(SOURCE.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe
    topics = {name: Topic(name, **entry) for name, entry in data["topics"].items()}
    everywhere = _names(data["every_node"])
    nodes = {}
    for name, entry in data["nodes"].items():
        lists = _names(entry)
        publishes = (*lists.pop("publishes", ()), *everywhere["publishes"])
        rest = {"priority": data["every_node"]["priority"]} | {key: value for key, value in entry.items() if not isinstance(value, list)}
        nodes[name] = Node(name, publishes=publishes, **lists, **rest)
    description = _Description(
        topics=topics,
        services={name: entry["type"] for name, entry in data["services"].items()},
        actions={name: entry["type"] for name, entry in data["actions"].items()},
        nodes=nodes,
        variants=data["variants"],
    )
    _check(description)
    absent = {name for name, entry in data["actions"].items() if entry.get("where_installed") and not _is_installed(entry["type"])}
    return _without(description, absent | {name for name, topic in topics.items() if not topic.is_there})


def _without(description: _Description, missing: set[str]) -> _Description:
    """The description without topics and actions whose types are missing."""
    topics = {name: topic for name, topic in description.topics.items() if name not in missing}
    actions = {name: kind for name, kind in description.actions.items() if name not in missing}
    there = {*topics, *actions, *description.services}
    lists = ("publishes", "subscribes", "performs", "requests", "if_asked")
    nodes: dict[str, Node] = {}
    for name, node in description.nodes.items():
        remaining: dict[str, Any] = {each: _those(getattr(node, each), there) for each in lists}
        nodes[name] = replace(node, **remaining)
    return replace(description, topics=topics, actions=actions, nodes=nodes)


def _those(names: Iterable[str], there: set[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name in there)


def _is_installed(kind: str) -> bool:
    """True if the package of that type is installed."""
    return find_spec(kind.partition("/")[0]) is not None


def _names(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The lists of names in an entry, as fields of Node."""
    return {key: tuple(value) for key, value in entry.items() if isinstance(value, list)}


def _check(description: _Description) -> None:
    """Raise ValueError if a node uses a name that is not described."""
    known: dict[str, Iterable[str]] = {
        "publishes": description.topics,
        "subscribes": description.topics,
        "serves": description.services,
        "calls": description.services,
        "performs": description.actions,
        "requests": description.actions,
        "after": description.nodes,
    }
    for node in description.nodes.values():
        for what, names in known.items():
            for name in getattr(node, what):
                if name not in names:
                    raise ValueError(f"{SOURCE}: node {node.name} {what} '{name}', which is not described")
