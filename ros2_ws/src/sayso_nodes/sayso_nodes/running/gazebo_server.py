"""A headless Gazebo and its bridge as processes, for tests and measurements. `python -m sayso_nodes.running.gazebo_server` looks for one.

The variable SAYSO_GAZEBO names a folder with `bin/gz-server WORLD -r` and `python/ros_bridge.py BRIDGE_FILE`. Without it, `gz sim` and
ros_gz_bridge are taken, if they are on the PATH.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sayso.errors import AbsentGazeboError, RosError
from sayso_nodes.running.ending import signals_held

VARIABLE = "SAYSO_GAZEBO"
NONE = f"no Gazebo: {VARIABLE} is not set, and `gz` and `ros2` are not both on the PATH"
SERVER, BRIDGE = "bin/gz-server", "python/ros_bridge.py"
FAILED = ("failed to load", "failed to find", "error while loading", "unable to load")  # a system, the physics or the renderer is missing
PROBED_FOR = 60.0  # s, at most
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # as it writes its errors, also to a file
BRIDGE_LIVES = 4.0  # s after which a bridge that runs still is taken to work
LAST = ("nice", "-n", "10")  # the server takes what the nodes leave: starved of the processor, they miss each other's signs of life
PATIENCE = 5.0  # s from SIGINT to SIGKILL
# Mesa's software renderer (22.3) may filter one steep pixel of a floor's picture for seconds, and simulated time stands meanwhile.
PLAIN_FILTER = {"MESA_EXTENSION_OVERRIDE": "-GL_EXT_texture_filter_anisotropic -GL_ARB_texture_filter_anisotropic"}
# A camera and physics: the two parts that an incomplete installation lacks.
PROBE = """<sdf version="1.9"><world name="probe">
<plugin filename="gz-sim-physics-system" name="gz::sim::systems::Physics"/>
<plugin filename="gz-sim-sensors-system" name="gz::sim::systems::Sensors"><render_engine>ogre2</render_engine></plugin>
<model name="eye"><static>true</static><link name="link"><sensor name="camera" type="camera"><topic>eye</topic><always_on>true</always_on>
<update_rate>5</update_rate><camera name="camera"><horizontal_fov>1</horizontal_fov><image><width>32</width><height>24</height></image>
<clip><near>0.1</near><far>10</far></clip></camera></sensor></link></model></world></sdf>
"""
PROBE_BRIDGE = (
    "- {ros_topic_name: probe, gz_topic_name: /probe, ros_type_name: std_msgs/msg/String, gz_type_name: gz.msgs.StringMsg, "
    "direction: GZ_TO_ROS}\n"
)


@dataclass(frozen=True, slots=True)
class GazeboPrograms:
    """How to start the server and the bridge; the name of the world's file comes last."""

    name: str
    server: tuple[str, ...]
    bridge: tuple[str, ...]
    bridge_file: str = "{file}"

    def of_bridge(self, file: Path) -> list[str]:
        """The command of the bridge with this file."""
        return [*self.bridge, self.bridge_file.format(file=file)]


def gazebo_programs(environment: Mapping[str, str] = os.environ) -> GazeboPrograms:
    """The Gazebo of this machine.

    Raises:
        RosError: there is none; one line says why.
    """
    folder = environment.get(VARIABLE, "")
    if not folder:
        if shutil.which("gz") is None or shutil.which("ros2") is None:
            raise AbsentGazeboError(NONE)
        bridge = ("ros2", "run", "ros_gz_bridge", "parameter_bridge", "--ros-args", "-p")
        return GazeboPrograms("gz sim", ("gz", "sim", "-s", "--headless-rendering", "-r"), bridge, "config_file:={file}")
    server, script = (Path(folder).resolve() / name for name in (SERVER, BRIDGE))
    for file in (server, script):
        if not file.is_file():
            raise AbsentGazeboError(f"{VARIABLE}={folder}: it holds no {file.relative_to(Path(folder).resolve())}")
    return GazeboPrograms(folder, (str(server), "-r"), (sys.executable, str(script)))


def trouble(programs: GazeboPrograms) -> str:
    """One line that says why this Gazebo does not work; empty if it does. Takes some seconds."""
    with tempfile.TemporaryDirectory() as name:
        world, file = Path(name) / "probe.sdf", Path(name) / "probe.yaml"
        world.write_text(PROBE)
        file.write_text(PROBE_BRIDGE)
        command = [*programs.server, "--iterations", "100", str(world)]
        try:
            ran = subprocess.run(command, env=_apart(), capture_output=True, text=True, timeout=PROBED_FOR, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{programs.name}: the server does not run ({error})"
        said = [line for line in _COLOUR.sub("", ran.stdout + ran.stderr).splitlines() if any(word in line.lower() for word in FAILED)]
        if said or ran.returncode:
            return f"{programs.name}: the server does not work ({said[0] if said else f'exit code {ran.returncode}'})"
        with subprocess.Popen(programs.of_bridge(file), env=_apart(), stderr=subprocess.PIPE, text=True, start_new_session=True) as bridge:
            try:
                _, words = bridge.communicate(timeout=BRIDGE_LIVES)
            except subprocess.TimeoutExpired:
                _end(bridge)
                return ""
            return f"{programs.name}: the bridge ends at once ({(words.strip().splitlines() or ['it says nothing'])[-1]})"


def _apart() -> dict[str, str]:
    """The environment of processes that hear no other simulation on this machine, and draw without stalls."""
    apart = f"sayso-{os.getpid()}"
    return {**os.environ, **PLAIN_FILTER, "IGN_PARTITION": apart, "GZ_PARTITION": apart}


class RunningGazebo:
    """A world in Gazebo, and its bridge. Both end with the context.

    Args:
        programs: the Gazebo.
        folder: as gazebo_world.py writes it.
        env: environment variables on top of this process's, ROS_DOMAIN_ID for one.
        log_dir: for `gazebo_server.log` and `gazebo_bridge.log`.
    """

    def __init__(self, programs: GazeboPrograms, folder: Path, env: Mapping[str, str], log_dir: Path) -> None:
        self._programs, self._folder, self._log_dir = programs, folder, log_dir
        self._env = {**_apart(), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", **env}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> RunningGazebo:
        self._log_dir.mkdir(parents=True, exist_ok=True)
        self._start("gazebo_server", [*LAST, *self._programs.server, str(self._folder / "world.sdf")])
        self._start("gazebo_bridge", self._programs.of_bridge(self._folder / "bridge.yaml"))
        return self

    def __exit__(self, *_: object) -> None:
        with signals_held():
            for process in reversed(self.processes.values()):
                _end(process)

    def check(self) -> None:
        """Look whether both run.

        Raises:
            RosError: one ended.
        """
        for name, process in self.processes.items():
            if process.poll() is not None:
                lines = [line for line in (self._log_dir / f"{name}.log").read_text(errors="replace").splitlines() if line.strip()]
                raise RosError(f"{name} ended: {lines[-1] if lines else 'it wrote nothing'}")

    def kill_server(self) -> None:
        """End the server as a crash would."""
        _kill(self.processes["gazebo_server"], signal.SIGKILL)

    def _start(self, name: str, command: list[str]) -> None:
        with signals_held(), (self._log_dir / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(command, env=self._env, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)


def _end(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    _kill(process, signal.SIGINT)
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    _kill(process, signal.SIGKILL)  # also what it has started and left behind
    process.wait()


def _kill(process: subprocess.Popen[bytes] | subprocess.Popen[str], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def main() -> None:
    """Print which Gazebo works; exit code 1 and one line if none does."""
    try:
        programs = gazebo_programs()
    except RosError as error:
        sys.exit(str(error))
    if why := trouble(programs):
        sys.exit(why)
    sys.stdout.write(f"{programs.name} works\n")


if __name__ == "__main__":
    main()
