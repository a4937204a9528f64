"""motion_gate: cmd_vel_request → cmd_vel. The last node before the wheels, and the only one that publishes velocities.

It passes a request on if it is fresh and nothing has been stopped. `stop` latches: zero is on the wire before the service answers, again
and again afterwards, and nothing else passes until `resume`. It depends on no stage and on no other node, and keeps time by the steady
clock: a paused simulation or a jump of ROS time must not keep a wheel turning.
"""

from __future__ import annotations

from math import isfinite
from time import monotonic
from typing import Any

from geometry_msgs.msg import Twist
from std_msgs.msg import Bool

from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run


class MotionGateNode(SaysoNode):
    """Requests in, velocities out; `stop` and `resume` in between."""

    NAME = "motion_gate"
    PARAMETERS = (
        Parameter("lease", 0.3, "for how long a velocity counts after it was requested, s", 0.15, 0.5),
        Parameter("rate", 20.0, "how often zero is repeated while nothing may move, Hz", 1.0, 100.0),
        Parameter("stopped", False, "begin stopped: for a gate that is started again and cannot know whether it was"),
        Parameter("max_linear", 0.6, "fastest straight motion that passes, m/s", 0.0, 2.0, dynamic=True),
        Parameter("max_angular", 1.5, "fastest turn that passes, rad/s", 0.0, 4.0, dynamic=True),
    )

    def open(self) -> None:
        """Standing still."""
        self.is_stopped: bool = self.value("stopped")
        self.moving_until = float("-inf")  # monotonic s: end of the lease of what was passed on last
        self.lease: float = self.value("lease")
        self.limits = (self.value("max_linear"), self.value("max_angular"))
        self.velocity = self.publisher("cmd_vel")
        self.stopped = self.publisher("stopped")
        self.subscription("cmd_vel_request", self.on_request)
        self.service("stop", self.on_stop)
        self.service("resume", self.on_resume)
        self.every(1.0 / self.value("rate"), self.on_time, steady=True)

    def on_activate(self, state: Any) -> Any:
        """Say whether anything is stopped, and begin at rest."""
        result = super().on_activate(state)
        self.stopped.publish(Bool(data=self.is_stopped))
        self.velocity.publish(Twist())
        return result

    def on_deactivate(self, state: Any) -> Any:
        """Leave no velocity behind."""
        self.velocity.publish(Twist())
        return super().on_deactivate(state)

    def on_change(self, name: str, value: Any) -> None:
        """A limit has been set."""
        linear, angular = self.limits
        self.limits = (value, angular) if name == "max_linear" else (linear, value)

    def on_request(self, request: Any) -> None:
        """Pass it on, unless something is stopped or it is older than its lease."""
        if self.is_stopped or self._age(request.header.stamp) > self.lease:
            return
        twist = request.twist
        linear, angular = self.limits
        self.moving_until = monotonic() + self.lease
        passed = Twist()
        passed.linear.x = _within(twist.linear.x, linear)
        passed.angular.z = _within(twist.angular.z, angular)
        self.velocity.publish(passed)

    def on_stop(self, _request: Any, response: Any) -> Any:
        """Zero first, then everything else."""
        self.velocity.publish(Twist())
        self.is_stopped = True
        self.moving_until = float("-inf")
        self.stopped.publish(Bool(data=True))
        response.success, response.message = True, "stopped until resumed"
        return response

    def on_resume(self, _request: Any, response: Any) -> Any:
        """Let requests pass again."""
        response.success, response.message = True, "resumed" if self.is_stopped else "was not stopped"
        self.is_stopped = False
        self.stopped.publish(Bool(data=False))
        return response

    def on_time(self) -> None:
        """Repeat zero unless a lease runs: whoever missed one, or joins late, gets the next."""
        if monotonic() > self.moving_until:
            self.velocity.publish(Twist())

    def _age(self, stamp: Any) -> float:
        """Seconds of ROS time since the request was made; one without a stamp counts as made when it came."""
        made = stamp.sec + stamp.nanosec * 1e-9
        return self.seconds() - made if made else 0.0


def _within(value: float, limit: float) -> float:
    """The value, cut to [−limit, limit]; what is no number is no motion."""
    return max(-limit, min(limit, value)) if isfinite(value) else 0.0


def main() -> None:
    """Run the node."""
    run(MotionGateNode)


if __name__ == "__main__":
    main()
