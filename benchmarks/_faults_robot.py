"""The running graph under faults: says sentences, sees what becomes of them, and lets nodes die, freeze and restart."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from _faults_sentences import SaidSentence
from sayso.console.watch import progress, waiting

if TYPE_CHECKING:
    from sayso_nodes.running.processes import RunningGraph

DOMAIN_ID = os.environ.get("ROS_DOMAIN_ID", "47")
STARTED_WITHIN = 300.0  # s
LEFT_OUT = ("visualisation",)  # nothing waits for it, and it takes a third of the machine
SILENT_WITHIN = 60.0  # s for a sentence to end; the stages' own deadlines are 10 s each
BEGIN = {"simulation": {"clock_offset": 10_000.0}}  # so that the clock can be set back
DEAF = 15.0  # s
PRESENT = 2.5  # s between two messages of a living node, which sends one a second
MET = 1.0  # s for a node that restarted to find the others


class ObservedRobot:
    """The simulated robot, all of its nodes as processes, and an observer."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.sentences: dict[str, SaidSentence] = {}
        self.velocity = self.seconds = 0.0  # m/s asked of the wheels; ROS time
        self.moved_at = 0.0  # monotonic s of the last velocity other than 0
        self.rested_at = 0.0  # and of the first 0 after it
        self.speed = 0.0  # m/s, odometry
        self.stopped, self.held, self.lives = False, "", dict[str, str]()
        self.truth: Any = None  # last world_state
        self.number = 0
        self.seen: dict[str, float] = {}  # node → monotonic s at which it last said that it is active
        self.absences: list[tuple[float, str]] = []  # s between two such messages, where that is more than `PRESENT`, and the node
        self.connect()

    def connect(self) -> None:
        """Begin to listen; what was said remains."""
        import rclpy
        from rclpy.executors import SingleThreadedExecutor

        from sayso_nodes.environment import set_client_defaults

        set_client_defaults()
        self.context = rclpy.Context()
        rclpy.init(args=[], context=self.context, domain_id=int(DOMAIN_ID))
        self.node = rclpy.create_node("faults", context=self.context, start_parameter_services=False, enable_rosout=False)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        for topic, callback in (
            ("transcript", self._on_transcript),
            ("action_belief", self._on_action_belief),
            ("plan_state", self._on_plan_state),
            ("outcome", self._on_outcome),
            ("cmd_vel", self._on_velocity),
            ("odom", lambda message: setattr(self, "speed", message.twist.twist.linear.x)),
            ("stopped", lambda message: setattr(self, "stopped", message.data)),
            ("context", lambda message: setattr(self, "held", message.holding)),
            ("world_state", lambda message: setattr(self, "truth", message)),
            ("alive", lambda message: self.lives.__setitem__(message.key, message.value)),
            ("/diagnostics", self._on_diagnostics),
            ("/clock", lambda message: setattr(self, "seconds", message.clock.sec + message.clock.nanosec * 1e-9)),
        ):
            self.hear(topic, callback)
        self.heard_at = time.monotonic()  # anything
        self.beliefs = self.publisher("action_belief")
        self.clients: dict[str, Any] = {}
        self.node.create_timer(0.1, self._mind)

    def close(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()
        self.context.try_shutdown()

    @property
    def is_deaf(self) -> bool:
        """Whether it has heard nothing for long: a killed node may have left the shared memory of a survivor locked."""
        return time.monotonic() - self.heard_at > DEAF

    def hear(self, topic: str, callback: Callable[[Any], None]) -> None:
        from sayso_nodes.graph import find_topic, interface

        self.node.create_subscription(interface(topic), topic, callback, find_topic(topic).qos(subscriber=True, remembered=True))

    def publisher(self, topic: str) -> Any:
        from sayso_nodes.graph import find_topic, interface

        return self.node.create_publisher(interface(topic), topic, find_topic(topic).qos())

    def until(self, condition: Callable[[], Any], timeout: float) -> bool:
        """Whether the condition came to hold."""
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > end:
                return False
            self.executor.spin_once(0.01)
        progress()
        return True

    def spin(self, seconds: float) -> None:
        self.until(lambda: False, seconds)

    def call(self, service: str, request: Any = None, timeout: float = 2.0, kind: Any = None) -> Any:
        """The answer, None if none came in time: the node may be dead. `kind`: of a service that is not in the graph."""
        from sayso_nodes.graph import interface

        kind = kind or interface(service)
        client = self.clients.setdefault(service, None) or self.node.create_client(kind, service)
        self.clients[service] = client
        future = client.call_async(request or kind.Request())
        self.until(future.done, timeout)
        if not future.done():
            client.remove_pending_request(future)
        return future.result() if future.done() else None

    def say(self, text: str, timeout: float = 60.0) -> str:
        """Say a sentence until speech_to_text accepts it; its utterance_id, empty if that took too long."""
        from sayso_msgs.srv import Say

        end = time.monotonic() + timeout
        while time.monotonic() < end:
            answer = self.call("say", Say.Request(text=text))
            if answer is not None and answer.accepted:
                self.sentences.setdefault(answer.utterance_id, SaidSentence(text))
                return str(answer.utterance_id)
            self.spin(0.2)
        return ""

    def go(self, place: str) -> str:
        """Decide to drive somewhere, in place of the stages before the planner; the utterance_id."""
        from sayso.types import Action, ActionBelief, ActionCandidate
        from sayso_nodes.conversions import to_message

        self.number += 1
        name = f"go{self.number}"
        self.sentences[name] = SaidSentence(f"go to {place}")
        go = ActionCandidate(0, Action("go_to", (("goal", place),)), 1.0, 1.0, 1.0, 1.0)
        self.beliefs.publish(to_message(ActionBelief(name, self.seconds, (go,), "execute", "100% sure")))
        return name

    def drives(self, within: float = 40.0) -> bool:
        """Drive, to one end of the home or the other; False if the robot does not move."""
        for place in ("bedroom", "kitchen"):
            self.resumed()
            self.velocity = 0.0
            self.go(place)
            if self.until(lambda: abs(self.velocity) > 0.1, within / 2):
                return True
        return False

    def resumed(self) -> bool:
        """Let the gate pass velocities, as a person would."""
        end = time.monotonic() + 15.0
        while self.stopped and time.monotonic() < end:
            self.call("resume")
            self.spin(0.2)
        return not self.stopped

    def ended(self, name: str, timeout: float = SILENT_WITHIN) -> bool:
        """Whether that utterance came to an end."""
        return self.until(lambda: self.sentences[name].ended, timeout)

    def works(self) -> bool:
        """Whether a command is carried out now: a turn to the left."""
        for _ in range(2):  # the gate may have stopped meanwhile
            self.resumed()
            name = self.say("turn left")
            if name and self.ended(name) and True in self.sentences[name].outcomes:
                return True
        return False

    def signal(self, node: str, number: int) -> None:
        """Send a signal to a node's process."""
        held = self.graph.processes[node]
        if held.process.poll() is None:
            held.process.send_signal(number)

    def kill(self, node: str) -> None:
        """Kill -9."""
        self.signal(node, signal.SIGKILL)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes that may die."""
        return tuple(name for name in self.graph.processes if name != "recorder")

    def pid(self, node: str) -> int:
        """Of a node's process."""
        return int(self.graph.processes[node].process.pid)

    def set(self, node: str, name: str, value: float) -> bool:
        """Set a parameter of a node; False if it does not answer."""
        from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
        from rcl_interfaces.srv import SetParameters

        wanted = Parameter(name=name, value=ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value))
        answer = self.call(f"{node}/set_parameters", SetParameters.Request(parameters=[wanted]), 10.0, SetParameters)
        return answer is not None and bool(answer.results[0].successful)

    def alive(self) -> int:
        """The number of living processes."""
        return sum(self.graph.processes[name].process.poll() is None for name in self.nodes)

    def whole(self, timeout: float = 60.0) -> bool:
        """Wait until every process lives, and has had time to start."""
        complete = self.until(lambda: self.alive() == len(self.nodes), timeout)
        return complete and self.until(lambda: all(self._active(name) for name in self.nodes), timeout)

    def _active(self, name: str) -> bool:
        from lifecycle_msgs.srv import GetState

        client = self.clients.get(name) or self.node.create_client(GetState, f"{name}/get_state")
        self.clients[name] = client
        future = client.call_async(GetState.Request())
        self.until(future.done, 1.0)
        return future.done() and future.result().current_state.label == "active"

    def _mind(self) -> None:
        self.graph.poll()

    def _on_transcript(self, message: Any) -> None:
        if not message.rejected:
            text = message.alternatives[0].text if message.alternatives else ""
            self.sentences.setdefault(message.utterance_id, SaidSentence(text))

    def _on_action_belief(self, message: Any) -> None:
        if message.decision in ("ask", "confirm") and message.utterance_id in self.sentences:
            self.sentences[message.utterance_id].asked = True

    def _on_plan_state(self, message: Any) -> None:
        sentence = self.sentences.get(message.utterance_id)
        if sentence is not None:
            sentence.begun += message.status == "running" and not sentence.planned
            sentence.planned = message.status == "running"

    def _on_outcome(self, message: Any) -> None:
        sentence, stamp = self.sentences.get(message.utterance_id), message.header.stamp
        if sentence is not None and (when := (stamp.sec, stamp.nanosec)) not in sentence.ended_at:  # remembered ones come again
            sentence.ended_at.add(when)
            sentence.outcomes.append(bool(message.succeeded))

    def _on_diagnostics(self, message: Any) -> None:
        now = self.heard_at = time.monotonic()
        for status in message.status:
            if any(value.key == "state" and value.value == "active" for value in status.values):
                before, self.seen[status.name] = self.seen.get(status.name, now), now
                if now - before > PRESENT:
                    self.absences.append((now - before, status.name))

    def _on_velocity(self, message: Any) -> None:
        self.velocity = message.linear.x
        if message.linear.x or message.angular.z:
            self.moved_at = time.monotonic()
        elif self.rested_at < self.moved_at:
            self.rested_at = time.monotonic()


@contextmanager
def running_robot(kind: type[RunningGraph] | None = None) -> Iterator[ObservedRobot]:
    """All nodes of the simulation but the views; `kind` starts them."""
    from sayso_nodes.graph import load_graph
    from sayso_nodes.running.processes import RunningGraph

    kind = kind or RunningGraph
    nodes = tuple(name for name in load_graph("sim").nodes if name not in LEFT_OUT)
    own = {"ROS_DOMAIN_ID": DOMAIN_ID, "SAYSO_MEMORY": "", "SAYSO_AGENDA": ""}
    before = os.environ.get("ROS_DOMAIN_ID")
    os.environ["ROS_DOMAIN_ID"] = DOMAIN_ID
    try:
        with tempfile.TemporaryDirectory() as logs, kind("sim", parameters=BEGIN, nodes=nodes, env=own, log_dir=logs) as graph:
            with waiting("the nodes to become active"):
                graph.wait_active(STARTED_WITHIN)
            robot = ObservedRobot(graph)
            try:
                robot.until(lambda: robot.seconds > 0.0, 20.0)
                robot.spin(MET)
                yield robot
            finally:
                robot.close()
    finally:
        if before is None:
            del os.environ["ROS_DOMAIN_ID"]
        else:
            os.environ["ROS_DOMAIN_ID"] = before
