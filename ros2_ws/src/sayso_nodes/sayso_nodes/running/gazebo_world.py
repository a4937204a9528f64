"""Writes the world for Gazebo and the file of its bridge: `python -m sayso_nodes.running.gazebo_world FOLDER --domain home.yaml`.

A command of its own, because the Python that runs `ros2 launch` may lack the libraries of the nodes.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from sayso.errors import SaysoError

BRIDGE = "bridge.yaml"


def write(folder: Path, domain_file: str = "", scene_file: str = "", namespaces: Sequence[str] = ("",), pace: float = 1.0) -> None:
    """Write the world of the scene, with a pace in simulated seconds a second (0: free), and the bridge for its objects.

    `namespaces` are those of the robots in ROS.

    Raises:
        SaysoError: the domain, the scene or a robot is invalid.
        OSError: the folder cannot be written.
    """
    from sayso.gazebo import write_world
    from sayso.gazebo.families import members
    from sayso.gazebo.topics import ROBOT
    from sayso_nodes.homes import load_home
    from sayso_nodes.running.bridge import bridged, write_bridge

    _, scene = load_home(domain_file, scene_file)
    folder.mkdir(parents=True, exist_ok=True)
    robots = [_model(namespace) for namespace in namespaces] if len(namespaces) > 1 else [ROBOT]
    write_world(scene, folder, pace, robots)
    entries = (
        entry
        for namespace, robot in zip(namespaces, robots, strict=True)
        for entry in bridged(members(scene, (other for other in robots if other != robot)), namespace, robot)
    )
    write_bridge(entries, folder / BRIDGE)


def robot_parameters(namespaces: Sequence[str]) -> dict[str, dict[str, object]]:
    """Parameters of each robot's node `gazebo`, by namespace: the models of the others; people walk at the word of the first."""
    return {
        namespace: {"robots": [_model(other) for other in namespaces if other != namespace], "walks": namespace == namespaces[0]}
        for namespace in namespaces
    }


def _model(namespace: str) -> str:
    """The name of a robot's model, in a world of several."""
    return namespace.strip("/").replace("/", "_")


def _pace(text: str) -> float:
    pace = float(text)
    if not 0.0 <= pace < math.inf:
        raise argparse.ArgumentTypeError("a number, 0 or more")
    return pace


def main() -> None:
    """Write the files, or print one line that says why not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--domain", default="", help="domain file; empty: the default home")
    parser.add_argument("--scene", default="", help="scene file; empty: the one that the domain file names")
    parser.add_argument("--namespace", action="append", help="of a robot in ROS; once for each robot")
    pace = "simulated seconds a second; 0: as fast as possible"
    parser.add_argument("--real-time-factor", type=_pace, default=1.0, metavar="FACTOR", help=pace)
    options = parser.parse_args()
    try:
        write(options.folder, options.domain, options.scene, options.namespace or [""], options.real_time_factor)
    except (SaysoError, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
