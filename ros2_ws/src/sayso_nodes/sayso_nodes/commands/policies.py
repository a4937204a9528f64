"""Policies in SROS2's language (version 0.2.0), made from the graph: what each node may open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from xml.etree import ElementTree as ET

from sayso.gazebo.topics import ARM
from sayso_nodes.graph import Graph, Node, load_graph, members_of
from sayso_nodes.running.starting import enclave, remappings

Access = Literal["publish", "subscribe", "reply", "request", "execute", "call"]
VERSION = "0.2.0"
# Access → kind of name, in the order of the policy's elements.
KINDS: dict[Access, str] = {
    "publish": "topics",
    "subscribe": "topics",
    "reply": "services",
    "request": "services",
    "execute": "actions",
    "call": "actions",
}
# ROS opens these for every lifecycle node of rclpy.
OF_ROS: dict[Access, tuple[str, ...]] = {
    "publish": ("/rosout", "/parameter_events", "~/transition_event"),
    "subscribe": (),
    "reply": (
        "~/describe_parameters",
        "~/get_parameter_types",
        "~/get_parameters",
        "~/get_type_description",
        "~/list_parameters",
        "~/set_parameters",
        "~/set_parameters_atomically",
        "~/change_state",
        "~/get_available_states",
        "~/get_available_transitions",
        "~/get_state",
        "~/get_transition_graph",
    ),
    "request": (),
    "execute": (),
    "call": (),
}


@dataclass(frozen=True, slots=True)
class Profile:
    """The names that one node may open, fully qualified."""

    node: str
    namespace: str  # "/" or "/robot1"
    allowed: Mapping[Access, tuple[str, ...]]

    @property
    def enclave(self) -> str:
        """Its enclave, with its keys."""
        return enclave(self.namespace, self.node)

    def allows(self, access: Access, name: str) -> bool:
        """True if it may open that name (fully qualified)."""
        return name in self.allowed[access]


def profiles(variant: str, namespace: str = "", names: Mapping[str, tuple[str, ...]] | None = None) -> tuple[Profile, ...]:
    """The profiles of all nodes of the variant, including those on demand and the recorder.

    Args:
        variant: of the graph.
        namespace: of the robot.
        names: of the families: "object" → ids of the objects that can be grasped, for topics of each; "skill" → those of the home, each
            of which may have a server of its own; for Gazebo all of gazebo.families.members.
    """
    graph = load_graph(variant)
    root = f"/{namespace.strip('/')}"
    nodes = (*graph.nodes.values(), *graph.on_demand.values())
    members = dict.fromkeys(("object", "skill", "part", "motor"), ()) | {"joint": ARM} | dict(names or {})
    made = [_profile(graph, node, root, members) for node in nodes]
    return (*made, _recorder(graph, root))


def policy_xml(allowed: Iterable[Profile]) -> str:
    """The policy file, with an enclave for each node."""
    root = ET.Element("policy", version=VERSION)
    enclaves = ET.SubElement(root, "enclaves")
    for profile in allowed:
        own = ET.SubElement(enclaves, "enclave", path=profile.enclave)
        element = ET.SubElement(ET.SubElement(own, "profiles"), "profile", ns=profile.namespace, node=profile.node)
        for access, kind in KINDS.items():
            if names := profile.allowed[access]:
                listed = ET.SubElement(element, kind, {access: "ALLOW"})
                for name in names:
                    ET.SubElement(listed, kind.removesuffix("s")).text = name
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def opened(observer: Any, name: str, namespace: str = "/") -> set[tuple[Access, str]]:
    """The names that a running node has open, as `observer`, any rclpy node, sees them."""
    from rclpy.action import get_action_client_names_and_types_by_node, get_action_server_names_and_types_by_node

    asked: dict[Access, Any] = {
        "publish": observer.get_publisher_names_and_types_by_node,
        "subscribe": observer.get_subscriber_names_and_types_by_node,
        "reply": observer.get_service_names_and_types_by_node,
        "request": observer.get_client_names_and_types_by_node,
        "execute": lambda *of: get_action_server_names_and_types_by_node(observer, *of),
        "call": lambda *of: get_action_client_names_and_types_by_node(observer, *of),
    }
    # An action's own topics and services belong to the action.
    return {(access, each) for access, ask in asked.items() for each, _ in ask(name, namespace) if "/_action/" not in each}


def forbidden(profile: Profile, has_open: Iterable[tuple[Access, str]]) -> list[str]:
    """The names that a node has open against its policy."""
    return sorted(f"{profile.node} {access} {name}" for access, name in has_open if not profile.allows(access, name))


def _profile(graph: Graph, node: Node, root: str, members: Mapping[str, tuple[str, ...]]) -> Profile:
    renamed = dict(remappings(graph))
    clock = ("/clock",) if graph.use_sim_time and "/clock" not in node.publishes else ()
    # A node asks those before it for their state.
    asks = tuple(f"{other}/get_state" for other in graph.before(node.name))
    of_graph: dict[Access, tuple[str, ...]] = {
        "publish": node.publishes,
        "subscribe": (*node.subscribes, *clock),
        "reply": node.serves,
        "request": (*node.calls, *asks),
        "execute": node.performs,
        "call": node.requests,
    }
    allowed: dict[Access, tuple[str, ...]] = {}
    for access, names in of_graph.items():
        expanded = [member for name in (*OF_ROS[access], *names) for member in members_of(renamed.get(name, name), members)]
        allowed[access] = tuple(dict.fromkeys(qualified(name, root, node.name) for name in expanded))
    return Profile(node.name, root, allowed)


def _recorder(graph: Graph, root: str) -> Profile:
    """The recorder's profile: it subscribes to every topic and isn't a lifecycle node."""
    renamed = dict(remappings(graph))
    parameters = tuple(name for name in OF_ROS["reply"] if "parameter" in name or "type_description" in name)
    allowed: dict[Access, tuple[str, ...]] = dict.fromkeys(KINDS, ())
    heard = (renamed.get(name, name) for name in (*graph.topics, *(("/clock",) if graph.use_sim_time else ())))
    allowed["subscribe"] = tuple(dict.fromkeys(qualified(name, root, "recorder") for name in heard))
    allowed["publish"] = ("/rosout", "/parameter_events")
    allowed["reply"] = tuple(qualified(name, root, "recorder") for name in parameters)
    return Profile("recorder", root, allowed)


def qualified(name: str, namespace: str, node: str) -> str:
    """A name as ROS resolves it: "~/x" is the node's own, "x" the namespace's, "/x" is absolute."""
    prefix = namespace.rstrip("/")
    if name.startswith("~/"):
        return f"{prefix}/{node}/{name[2:]}"
    return name if name.startswith("/") else f"{prefix}/{name}"
