"""The nodes of the graph as processes of one launcher, for `sayso up`, `sayso demo` and the tests."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import yaml

from sayso.errors import RosError
from sayso.paths import config_dir
from sayso_nodes.environment import node_environment, remove_dead_segments, shared_memory_segments
from sayso_nodes.graph import Node, load_graph
from sayso_nodes.running.ending import signals_held
from sayso_nodes.running.forked import ForkServer, Process
from sayso_nodes.running.starting import Circumstances, cause, own_parameters, remappings, restart_after, restart_parameters, still_counted

Parameters = Mapping[str, Mapping[str, object]]  # node → parameter → value
PATIENCE = 5.0  # s from SIGTERM to SIGKILL
FEW = 2  # nodes that are spawned: to import what all need would take longer


@dataclass
class NodeProcess:
    """A node and its process."""

    node: Node
    process: Process
    log: Path | None
    started: float = field(default_factory=time.monotonic)  # monotonic s
    restarts: int = 0  # that count still
    restart_at: float | None = None  # monotonic s
    given_up: bool = False
    once: bool = False  # never started again: the recorder's bag exists
    parameters: dict[str, object] = field(default_factory=dict)

    def last_words(self) -> str:
        """The last line of its log."""
        if self.log is None or not self.log.exists():
            return "see above"
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return lines[-1] if lines else f"it wrote nothing to {self.log}"


class RunningGraph:
    """The nodes of a variant, each its own process. All end with the context.

        with RunningGraph("sim", log_dir=folder) as graph:
            graph.wait_active(30)
            …

    Args:
        variant: "robot", "sim" or "replay".
        domain_file: of the nodes that have one; None: the default home.
        parameters: node → parameter → value, on top of `params_file`.
        params_file: a ROS parameter file; None: config/nodes.yaml.
        env: environment variables on top of this process's, ROS_DOMAIN_ID for one.
        log_dir: one file for each node; None: they write to this process's stderr.
        nodes: only these of the variant.
        namespace: of the robot.
    """

    def __init__(
        self,
        variant: str = "sim",
        *,
        domain_file: Path | str | None = None,
        parameters: Parameters | None = None,
        params_file: Path | str | None = None,
        env: Mapping[str, str] | None = None,
        log_dir: Path | str | None = None,
        nodes: tuple[str, ...] | None = None,
        namespace: str = "",
    ) -> None:
        self.graph = load_graph(variant)
        self.namespace = namespace
        self.env = dict(env or {})
        self.log_dir = Path(log_dir) if log_dir is not None else None
        self.processes: dict[str, NodeProcess] = {}
        self._names = tuple(self.graph.nodes) if nodes is None else nodes
        self._domain_file = Path(domain_file).resolve() if domain_file else None
        self._parameters = parameters or {}
        self._params_file = Path(params_file) if params_file else config_dir() / "nodes.yaml"
        self._segments: frozenset[str] = frozenset()  # of others
        self._suspects: frozenset[str] = frozenset()  # segments among which a killed node's are
        self._folder: Path | None = None
        self._server: ForkServer | None = None

    def __enter__(self) -> RunningGraph:
        if not self._params_file.is_file():
            raise RosError(f"no parameter file {self._params_file}")
        self._check_home()
        remove_dead_segments(frozenset())  # of a robot that was killed together with its launcher
        self._segments = shared_memory_segments()
        self._folder = Path(tempfile.mkdtemp(prefix="sayso-"))
        if self.log_dir is not None:
            self.log_dir.mkdir(parents=True, exist_ok=True)
        try:
            if len(self._names) > FEW:
                with signals_held():
                    self._server = ForkServer(str(self._domain_file or ""), self._names, self._environment(Node("", "")))
            for name in self._names:
                self.start(name)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_home(self) -> None:
        """Refuse a home before any process is started; parameters of the user's own may name another scene for each node."""
        if self._domain_file is None or self._params_file != config_dir() / "nodes.yaml":
            return
        from sayso_nodes.homes import check_home

        scenes = [str(values["scene"]) for values in self._parameters.values() if values.get("scene")]
        nodes = [node for name in self._names if (node := self.graph.nodes.get(name) or self.graph.on_demand.get(name))]
        check_home(nodes, str(self._domain_file), *scenes[:1])

    def start(self, name: str, parameters: Mapping[str, object] | None = None) -> NodeProcess:
        """Start one node of the variant, or one that may join on demand (wav_player, microphone)."""
        node = self.graph.nodes.get(name) or self.graph.on_demand.get(name)
        if node is None:
            known = ", ".join((*self.graph.nodes, *self.graph.on_demand))
            raise RosError(f"no node '{name}' in the variant {self.graph.variant}: {known}")
        chosen = {**self._parameters.get(name, {}), **(parameters or {})}
        log = self.log_dir / f"{name}.log" if self.log_dir is not None else None
        with signals_held():  # a process must not start without being noted, or it could never be ended
            self.processes[name] = NodeProcess(node, self._spawn(node, chosen, log), log, parameters=chosen)
        return self.processes[name]

    def record(self, folder: Path | str) -> Path:
        """Record every topic to the bag `folder`/bag, which is complete after `close`."""
        bag = Path(folder) / "bag"
        log = self.log_dir / "recorder.log" if self.log_dir is not None else None
        parameters: dict[str, object] = {"folder": str(bag), "variant": self.graph.variant}
        recorder = Node("recorder", "every topic to a bag")
        with signals_held():
            self.processes["recorder"] = NodeProcess(recorder, self._spawn(recorder, parameters, log), log, once=True)
        return bag

    def wait_active(
        self, timeout: float = 60.0, active: Callable[[str], None] = lambda _: None, meanwhile: Callable[[], None] = lambda: None
    ) -> None:
        """Return when every node is active; call `active` with each node that becomes active, and `meanwhile` periodically.

        Raises:
            RosError: a node ended, or was not active in time.
        """
        from sayso_nodes.environment import set_client_defaults
        from sayso_nodes.states import StateWatch

        set_client_defaults()
        domain = self.env.get("ROS_DOMAIN_ID")
        with StateWatch(self._names, self.namespace, int(domain) if domain else None) as watch:

            def look() -> None:
                meanwhile()
                self._raise_if_ended()

            watch.wait_active(timeout, look, active)

    def poll(self) -> list[str]:
        """Restart nodes that died, a little later each time. Returns the events, one line each."""
        events = []
        if self._suspects:
            remove_dead_segments(self._segments, self._suspects)
            self._suspects = frozenset()
        for held in self.processes.values():
            code = held.process.poll()
            if code in (None, 0) or held.given_up:
                continue
            if held.restart_at is None:
                self._suspects = shared_memory_segments()  # a killed node leaves its own behind
                held.restarts = still_counted(held.restarts, time.monotonic() - held.started)
                wait = None if held.once else restart_after(held.node.name, code, held.restarts)
                if wait is None:
                    held.given_up = True
                    events.append(f"{held.node.name} ended ({cause(code)}) and is not started again: {held.last_words()}")
                    continue
                held.restart_at = time.monotonic() + wait
                events.append(f"{held.node.name} ended ({cause(code)}), is started again in {wait:g} s")
            if time.monotonic() >= held.restart_at:
                held.restarts, held.restart_at, held.started = held.restarts + 1, None, time.monotonic()
                with signals_held():
                    held.process = self._spawn(held.node, {**held.parameters, **restart_parameters(held.node.name)}, held.log)
        return events

    def close(self) -> None:
        """End all nodes with SIGTERM, then SIGKILL. No process and no shared memory stays."""
        with signals_held():
            self._close()

    def _close(self) -> None:
        running = [held.process for held in self.processes.values()]
        for process in running:
            _signal(process, signal.SIGTERM)
        end = time.monotonic() + PATIENCE
        for process in running:
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, end - time.monotonic()))
        for process in running:
            _signal(process, signal.SIGKILL)  # the whole group, its children included
            process.wait()
        self.processes.clear()
        if self._server is not None:
            self._server.close()
            self._server = None
        remove_dead_segments(self._segments)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _raise_if_ended(self) -> None:
        for held in self.processes.values():
            code = held.process.poll()
            if code is not None:
                raise RosError(f"{held.node.name} ended ({cause(code)}) while starting: {held.last_words()}")

    def _spawn(self, node: Node, parameters: Mapping[str, object], log: Path | None) -> Process:
        output = log.open("ab") if log is not None else None
        try:
            return self._forked(node, parameters, output) or subprocess.Popen(
                self.command(node, parameters),
                env=self._environment(node),
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        finally:
            if output is not None:
                output.close()

    def _forked(self, node: Node, parameters: Mapping[str, object], output: BinaryIO | None) -> Process | None:
        """The node out of the fork server; None if there is none, or none any more."""
        if self._server is None:
            return None
        arguments = ["--ros-args", *self._ros_arguments(node, parameters)]
        try:
            return self._server.fork(node.module, arguments, self._environment(node), output.fileno() if output is not None else None)
        except OSError:
            self._server.close()
            self._server = None
            return None

    def _environment(self, node: Node) -> dict[str, str]:
        return node_environment(node, self.env, self.log_dir)

    def command(self, node: Node, parameters: Mapping[str, object]) -> list[str]:
        """The command line of a node, with the parameters of the graph and the caller."""
        return [sys.executable, "-m", node.module, "--ros-args", *self._ros_arguments(node, parameters)]

    def _ros_arguments(self, node: Node, parameters: Mapping[str, object]) -> list[str]:
        values: dict[str, object] = {"use_sim_time": self.graph.use_sim_time}
        if node.name != "recorder":
            domain = str(self._domain_file or "")
            together = Circumstances(self._names, domain_file=domain, use_sim_time=self.graph.use_sim_time)
            values = own_parameters(self.graph, node, together)
        assert self._folder is not None
        if node.name == "utterance_watch":
            values["journal"] = str(self._folder / "in_flight.sqlite")
        own = self._folder / f"{node.name}.yaml"
        own.write_text(yaml.safe_dump({f"/**/{node.name}": {"ros__parameters": {**values, **parameters}}}))
        arguments = ["--params-file", str(self._params_file), "--params-file", str(own)]
        if self.namespace:
            arguments += ["-r", f"__ns:=/{self.namespace.strip('/')}"]
            for from_name, to_name in remappings(self.graph):
                arguments += ["-r", f"{from_name}:={to_name}"]
        return arguments


def _signal(process: Process, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
