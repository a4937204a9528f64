"""The embedded simulation's world against Gazebo's: the apartment, the warehouse and random apartments.

Also the validity of the SDF, the bridge's coverage of the topics that nodes use, and the security policies' coverage of open endpoints.

Baseline for the SDF: the agreement after one figure in it was changed, which shows that the comparison detects it.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from sayso.console.bench import Row, unmeasured
from sayso.console.watch import counted, waiting
from sayso.errors import SaysoError
from sayso.gazebo import write_world
from sayso.gazebo.compare import agreement
from sayso.gazebo.pictures import agreeing_share, in_mujoco, in_sdf, stations
from sayso.gazebo.sdformat import check, unknown_elements
from sayso.paths import config_dir
from sayso.random_home import random_home
from sayso.scene import Scene, load_scene

SEEDS = (1, 2, 3)
ENOUGH = 0.995  # of a picture's pixels: the rest are edges of distant things
ASKEW = math.radians(2)


def run(quick: bool = False) -> Iterator[Row]:
    """Yield all rows; --quick: the apartment only."""
    with tempfile.TemporaryDirectory() as folder:
        worlds = [(scene, write_world(scene, Path(folder) / str(number))) for number, scene in enumerate(_scenes(quick, Path(folder)))]
        yield _agreement(worlds)
        yield _valid(worlds)
        yield _known(worlds)
        yield from _pictures(worlds, quick)
    yield _bridge()
    yield _policies(quick)


def _scenes(quick: bool, folder: Path) -> Iterator[Scene]:
    yield load_scene(config_dir() / "scenes" / "apartment.yaml")
    if quick:
        return
    yield load_scene(config_dir() / "scenes" / "warehouse.yaml")
    for seed in SEEDS:
        scene_file, _ = random_home(seed, folder / f"random{seed}")
        yield load_scene(scene_file)


def _agreement(worlds: list[tuple[Scene, Path]]) -> Row:
    found = [agreement(scene, world) for scene, world in worlds]
    pieces = sum(each.pieces for each in found)
    differ = sum(len(each.differences) for each in found)
    scene, world = worlds[0]
    before, name, after = world.read_text().partition('<model name="wall/0">')
    stretched = world.with_name("stretched.sdf")
    stretched.write_text(before + name + after.replace("<size>", "<size>1", 1))
    baselines = {"one wall stretched": 100 * agreement(scene, stretched).share}
    return Row("pieces with the same pose, size and colour", 100 * (1 - differ / pieces), "%", "higher", 100, baselines, n=pieces)


def _valid(worlds: list[tuple[Scene, Path]]) -> Row:
    measure = "worlds that libsdformat finds valid"
    try:
        valid = [not check(world) for _, world in worlds]
    except SaysoError as missing:
        return unmeasured(measure, "%", "higher", missing, 100)
    return Row(measure, 100 * sum(valid) / len(valid), "%", "higher", 100, n=len(valid))


def _known(worlds: list[tuple[Scene, Path]]) -> Row:
    measure = "worlds whose every element the schema knows"
    try:
        known = [not unknown_elements(world) for _, world in worlds]
    except SaysoError as missing:
        return unmeasured(measure, "%", "higher", missing, 100)
    return Row(measure, 100 * sum(known) / len(known), "%", "higher", 100, n=len(known))


def _pictures(worlds: list[tuple[Scene, Path]], quick: bool) -> Iterator[Row]:
    whole = f"camera pictures with at least {100 * ENOUGH:g} % equal pixels (MuJoCo's, and Drake's of the SDF)"
    pixels = "pixels with the same thing at the same distance (spread: worst and best picture)"
    shares, turned = [], []
    try:
        for scene, world in counted(worlds, "worlds drawn twice"):
            places = stations(scene)[:2] if quick else stations(scene)
            askew = [(x, y, yaw + ASKEW) for x, y, yaw in places]
            theirs = in_sdf(world, places)
            shares += [agreeing_share(*both) for both in zip(in_mujoco(scene, places), theirs, strict=True)]
            turned += [agreeing_share(*both) for both in zip(in_mujoco(scene, askew), theirs, strict=True)]
    except SaysoError as missing:
        yield from (unmeasured(measure, "%", "higher", missing, goal) for measure, goal in ((whole, 100), (pixels, None)))
        return
    one, other = 100 * np.array(shares), 100 * np.array(turned)
    agree, astray = (float((each >= 100 * ENOUGH).mean()) * 100 for each in (one, other))
    name = "one camera turned by 2°"
    yield Row(whole, agree, "%", "higher", 100, {name: astray}, n=len(shares))
    yield Row(
        pixels, float(one.mean()), "%", "higher", None, {name: float(other.mean())}, (float(one.min()), float(one.max())), len(shares)
    )


def _bridge() -> Row:
    from sayso_nodes.graph import load_graph
    from sayso_nodes.running.bridge import TO_GAZEBO, TO_ROS, bridged

    graph = load_graph("gazebo")
    entries = {
        (entry.ros_topic_name, entry.direction)
        for entry in bridged({"object": ("thing",), "part": ("part",), "motor": ("part",), "joint": ("lift",)})
    }
    ours = {topic for node in (*graph.nodes.values(), *graph.on_demand.values()) for topic in node.publishes}
    devices = {name for name, topic in graph.topics.items() if topic.device}
    wanted = {(topic, TO_ROS) for node in graph.nodes.values() for topic in node.subscribes if topic not in ours | devices}
    wanted |= {(topic, TO_GAZEBO) for topic in graph.elsewhere.subscribes}
    named = {(topic.format(object="thing", part="part", motor="part", joint="lift"), direction) for topic, direction in wanted}
    return Row(
        "topics in use that are bridged in the right direction", 100 * len(named & entries) / len(named), "%", "higher", 100, n=len(named)
    )


def _policies(quick: bool) -> Row:
    """The share of the running nodes' endpoints (simulation, over DDS) that their policies allow."""
    from sayso_nodes.commands.demo import free_domain
    from sayso_nodes.commands.policies import forbidden, opened, profiles
    from sayso_nodes.graph import load_graph
    from sayso_nodes.running.processes import RunningGraph

    nodes = ("motion_gate",) if quick else tuple(load_graph("sim").nodes)
    domain_id = free_domain()
    env = {"ROS_DOMAIN_ID": str(domain_id), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    allowed = {profile.node: profile for profile in profiles("sim")}
    with tempfile.TemporaryDirectory() as logs, RunningGraph("sim", nodes=nodes, env=env, log_dir=logs) as graph:
        with waiting("the nodes to become active"):
            graph.wait_active(120)
        with _observer(domain_id, nodes) as observer:
            found = {name: opened(observer, name) for name in nodes}
    refused = [line for name, has_open in found.items() for line in forbidden(allowed[name], has_open)]
    for line in refused:
        print(f"not covered: {line}", file=sys.stderr)
    count = sum(map(len, found.values()))
    return Row("endpoints of running nodes that the policies cover", 100 * (1 - len(refused) / count), "%", "higher", 100, n=count)


@contextmanager
def _observer(domain_id: int, names: tuple[str, ...]) -> Iterator[Any]:
    """A plain rclpy node that has discovered the others and had time to discover their endpoints."""
    import rclpy
    from rclpy.context import Context

    from sayso_nodes.environment import set_client_defaults

    set_client_defaults()
    context = Context()
    rclpy.init(args=[], context=context, domain_id=domain_id)
    node = rclpy.create_node("observer", context=context, start_parameter_services=False, enable_rosout=False)
    try:
        end = time.monotonic() + 30.0
        while not set(names) <= set(node.get_node_names()) and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(2.0)
        yield node
    finally:
        node.destroy_node()
        context.try_shutdown()
