"""The arguments of our launch files and their meaning. Only launching.py imports ROS's own `launch`."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf, nan
from pathlib import Path

from sayso.errors import RosError, SaysoError
from sayso.paths import config_dir
from sayso_nodes.graph import Graph, Node, load_graph
from sayso_nodes.running.gazebo_world import robot_parameters
from sayso_nodes.running.starting import Circumstances

EITHER = ("true", "false")
NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")  # of a part of a namespace, as ROS has it
MODES = ("always", "push_to_talk", "wake_word")  # of sayso.speech.listening, which needs more than the system's Python may have
LOG_LEVELS = ("debug", "info", "warn", "error", "fatal")
# Argument → the skills node's parameter `backend`; with "none" the robot's own software serves ExecuteSkill.
SKILL_SERVERS = {"nav2": "nav2", "sim": "direct", "none": ""}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a launch file, as `ros2 launch … --show-args` shows it."""

    name: str
    default: str
    description: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """The nodes and settings of a launch file, with every argument checked."""

    graph: Graph
    nodes: tuple[Node, ...]
    circumstances: Circumstances
    parameters: Mapping[str, Mapping[str, object]]  # node → parameter → value
    params_file: Path
    namespace: str
    robots: tuple[str, ...]  # namespaces of several robots in one world; empty: one, in `namespace`
    log_level: str
    respawn: bool
    record_to: Path | None  # folder of the recording
    bag: Path | None  # to play
    world: Path | None  # for Gazebo; None: made from the scene
    headless: bool
    pace: float  # of a simulation, simulated seconds a second; 0: free
    rviz: bool


def arguments(variant: str) -> tuple[Argument, ...]:
    """The arguments of that variant's launch file."""
    graph = load_graph(variant)
    names = ", ".join((*graph.nodes, *graph.on_demand))
    given = [
        Argument("domain", "", "domain file, or the name of one in config/; empty: the default home"),
        Argument("params_file", str(config_dir() / "nodes.yaml"), "parameters of the nodes"),
        Argument("namespace", "", "namespace of the robot"),
        Argument("use_sim_time", _text(graph.use_sim_time), "use /clock", EITHER),
        Argument("nodes", "all", f"which nodes, separated by commas: all, or some of {names}"),
        Argument("without", "", "nodes to leave out, separated by commas"),
        Argument("log_level", "info", "of all nodes", LOG_LEVELS),
        Argument("respawn", "true", "restart a node that died", EITHER),
        Argument("console", "false", "serve a page to talk to the robot, at the port that the parameters of web_console name", EITHER),
        Argument("rviz", "false", "show the robot's beliefs in RViz", EITHER),
    ]
    if "skills" in graph.nodes:
        driver = (
            "server of ExecuteSkill: our skills driving through Nav2, our skills driving by the scene's map, or the robot's own software"
        )
        driver_by_default = "nav2" if variant == "robot" else "sim"
        given += [
            Argument("scene", "", "scene file, or the name of one in config/scenes/; empty: the one that the domain file names"),
            Argument("skill_server", driver_by_default, driver, tuple(SKILL_SERVERS)),
            Argument("listen", "", f"when a sentence is a command: {', '.join(MODES)}; empty: as the parameters of speech_to_text say"),
            Argument("record", "false", "write every topic to a bag (MCAP)", EITHER),
            Argument("record_to", "", "folder of the recording, which must not exist yet; empty: sayso_<date>_<time> in the current one"),
        ]
    if variant in {"sim", "gazebo"}:
        given.append(Argument("real_time_factor", "1.0", "simulated seconds a second; 0: as fast as possible"))
    if variant == "gazebo":
        given += [
            Argument("world", "", "SDF file of Gazebo's world, with the objects of the scene; empty: made from the scene"),
            Argument("headless", "false", "Gazebo without a window", EITHER),
            Argument("robots", "", "namespaces of several robots in this world, separated by commas; empty: one robot, in `namespace`"),
        ]
    if variant == "replay":
        given.append(Argument("bag", "", "bag to play when the nodes are active; empty: play one yourself, with --clock"))
    return tuple(given)


def plan(variant: str, values: Mapping[str, str]) -> LaunchPlan:
    """The plan for these values of the arguments.

    Raises:
        RosError: a value is not allowed, or a domain or scene file is invalid.
    """
    known = {argument.name: argument for argument in arguments(variant)}
    given = {name: values.get(name, argument.default).strip() for name, argument in known.items()}
    for name, argument in known.items():
        if argument.choices and given[name] not in argument.choices:
            raise RosError(f"{name}:={given[name]}: one of {', '.join(argument.choices)}")
    graph = load_graph(variant)
    nodes = _nodes(graph, given)
    params_file = _path("params_file", given)
    if params_file is None:
        raise RosError("params_file:= is empty; leave it out for config/nodes.yaml")
    together = Circumstances(
        started=tuple(node.name for node in nodes),
        domain_file=_file("domain", given["domain"], config_dir()),
        scene_file=_file("scene", given.get("scene", ""), config_dir() / "scenes"),
        use_sim_time=given["use_sim_time"] == "true",
    )
    _check_home(nodes, together)
    return LaunchPlan(
        graph=graph,
        nodes=nodes,
        circumstances=together,
        parameters=_parameters(variant, given),
        params_file=params_file,
        namespace=_namespace(given["namespace"]),
        robots=_robots(given),
        log_level=given["log_level"],
        respawn=given["respawn"] == "true",
        record_to=_record_to(given),
        bag=_path("bag", given),
        world=_path("world", given),
        headless=given.get("headless") == "true",
        pace=_pace(given.get("real_time_factor", "1.0")),
        rviz=given["rviz"] == "true",
    )


def of_each_robot(chosen: LaunchPlan) -> tuple[LaunchPlan, ...]:
    """The plan of each robot in the world: its nodes know the others, people walk at the word of the first one's."""
    plans = []
    for robot, own in robot_parameters(chosen.robots).items():
        parameters = {**chosen.parameters, "gazebo": {**chosen.parameters.get("gazebo", {}), **own}}
        record_to = None if chosen.record_to is None else chosen.record_to / robot.replace("/", "_")
        plans.append(replace(chosen, namespace=robot, robots=(), parameters=parameters, record_to=record_to))
    return tuple(plans) or (chosen,)


def _nodes(graph: Graph, given: Mapping[str, str]) -> tuple[Node, ...]:
    known = {**graph.nodes, **graph.on_demand}
    wanted, unwanted = _names(given["nodes"]), _names(given["without"])
    for argument, names in (("nodes", wanted - {"all"}), ("without", unwanted)):
        for name in sorted(names - set(known)):
            raise RosError(f"{argument}:={given[argument]}: no node '{name}' here; there are {', '.join(known)}")
    if "all" in wanted:
        wanted |= set(graph.nodes)
    if given.get("skill_server") == "none":
        unwanted |= {"skills"}
    if given.get("console") == "true":
        wanted |= {"web_console"}
    nodes = tuple(node for name, node in known.items() if name in wanted - unwanted)
    if not nodes:
        raise RosError(f"nodes:={given['nodes']} without:={given['without']}: nothing is left to start; there are {', '.join(known)}")
    return nodes


def _names(text: str) -> set[str]:
    return {name for part in text.split(",") if (name := part.strip())}


def _at_home(text: str) -> Path:
    """The path with ~ expanded; unchanged for an unknown user, where Path.expanduser raises."""
    return Path(os.path.expanduser(text))  # noqa: PTH111


def _file(argument: str, text: str, ours: Path) -> str:
    """The path of a file, named by its path or by the name of one of ours."""
    if not text:
        return ""
    path = _at_home(text)
    if not path.is_file() and path.name == text and (ours / f"{text}.yaml").is_file():
        path = ours / f"{text}.yaml"
    if not path.is_file():
        raise RosError(f"{argument}:={text}: no such file, and none of ours in {ours}")
    return str(path.resolve())


def _path(argument: str, given: Mapping[str, str]) -> Path | None:
    text = given.get(argument)
    if not text:
        return None
    path = _at_home(text)
    if not path.exists() or (argument == "params_file" and not path.is_file()):
        raise RosError(f"{argument}:={text}: no such file")
    return path.resolve()


def _check_home(nodes: Iterable[Node], together: Circumstances) -> None:
    """Refuse a wrong home once, before any node starts."""
    try:
        from sayso_nodes.homes import check_home
    except ImportError:
        return  # the system's Python, which runs `ros2 launch`, may lack libraries of the nodes: they check it then
    try:
        check_home(nodes, together.domain_file, together.scene_file)
    except SaysoError as error:
        raise RosError(str(error)) from None


def _parameters(variant: str, given: Mapping[str, str]) -> dict[str, dict[str, object]]:
    values: dict[str, dict[str, object]] = {}
    if given.get("listen"):
        if given["listen"] not in MODES:
            raise RosError(f"listen:={given['listen']}: one of {', '.join(MODES)}")
        values["speech_to_text"] = {"listen": given["listen"]}
    if "skill_server" in given:
        values["skills"] = {"backend": SKILL_SERVERS[given["skill_server"]]}
    if variant == "sim":
        values["simulation"] = {"real_time_factor": _pace(given["real_time_factor"])}
    return values


def _pace(text: str) -> float:
    try:
        pace = float(text)
    except ValueError:
        pace = nan
    if not 0.0 <= pace < inf:
        raise RosError(f"real_time_factor:={text}: a number, 0 or more")
    return pace


def _namespace(text: str, argument: str = "namespace") -> str:
    namespace = text.strip("/")
    if namespace and not all(NAME.fullmatch(part) for part in namespace.split("/")):
        raise RosError(f"{argument}:={text}: letters, digits and _, not beginning with a digit; / between parts")
    return namespace


def _robots(given: Mapping[str, str]) -> tuple[str, ...]:
    text = given.get("robots", "")
    names = tuple(_namespace(name.strip(), "robots") for name in text.split(",")) if text else ()
    if text and given["namespace"]:
        raise RosError("namespace:= is of one robot, robots:= of several: leave one out")
    if not all(names) or len(set(names)) < len(names):
        raise RosError(f"robots:={text}: a name for each, all different")
    return names


def _record_to(given: Mapping[str, str]) -> Path | None:
    if given.get("record") != "true":
        return None
    folder = _at_home(given["record_to"] or time.strftime("sayso_%Y-%m-%d_%H-%M-%S")).resolve()
    if folder.exists():
        raise RosError(f"record_to:={folder}: is there already; name a new folder")
    return folder


def _text(value: bool) -> str:
    return "true" if value else "false"
