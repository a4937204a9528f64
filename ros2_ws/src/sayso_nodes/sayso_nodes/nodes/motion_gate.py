"""motion_gate: cmd_vel_request → cmd_vel. The last node before the wheels, and the only one that publishes velocities.

It limits each velocity, and passes a request on if it is fresh and the robot is not stopped. The service `stop`, a button or a missing
heartbeat closes it: it sends zero before anything else, repeats it, and passes nothing until `resume`. It depends on no stage and no other
node. It uses the steady clock: a paused simulation or a jump of ROS time must not keep a wheel turning.

Nothing moves by itself after `resume`: a node that kept requesting velocities must pause first, or request zero.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

from geometry_msgs.msg import Twist
from std_msgs.msg import Bool

from sayso.supervision import Pace
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.nodes.heartbeats import Heartbeats
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run

BUTTON = "stop_button"
REST_RATE = 5.0  # Hz: how often the gate looks and repeats zero at most, once nothing has moved for a while
STILL = 1.0  # s after the last request from which nothing moves
WAKING = 0.02  # s before the end of a lease at which zero is sent: timers wake late, and zero has to travel


class MotionGateNode(SaysoNode):
    """Passes velocities on between `resume` and `stop`."""

    NAME = "motion_gate"
    PARAMETERS = (
        Parameter("lease", 0.15, "validity of a requested velocity, s", 0.05, 0.5),
        Parameter(
            "rate",
            20.0,
            "how often zero is repeated while nothing may move, Hz; after a second at rest and not stopped, 5 times a second",
            1.0,
            100.0,
        ),
        Parameter("stopped", False, "begin stopped: for a restarted gate, which cannot know its earlier state"),
        Parameter(
            "heartbeat_within",
            2.5,
            "pause of a sender on `heartbeat` after which the robot is stopped, s; 0: no limit",
            0.0,
            60.0,
            dynamic=True,
        ),
        Parameter(
            "rest_after",
            0.22,
            "pause of a sender on `heartbeat` after which nothing moves until it beats again, s; 0: none",
            0.0,
            60.0,
            dynamic=True,
        ),
        Parameter("button_within", 0.0, "longest pause of `stop_button`, s, against cut cables; 0: no limit", 0.0, 60.0, dynamic=True),
        Parameter("joy_button", -1, "which button of `joy` stops the robot, by its number from 0; -1: none", -1, 63),
        Parameter("max_linear", 0.6, "fastest straight motion that passes, m/s", 0.0, 2.0, dynamic=True),
        Parameter("max_angular", 1.5, "fastest turn that passes, rad/s", 0.0, 4.0, dynamic=True),
    )

    def open(self) -> None:
        """Open at rest."""
        self.is_stopped: bool = self.value("stopped")
        self.why = "it begins stopped" if self.is_stopped else ""  # it is stopped
        self.pressed = False  # is the button held down?
        self.moving_until = float("-inf")  # monotonic s: end of the current lease
        self.requested_at = self.began = float("-inf")  # monotonic s
        self.made_at = 0.0  # stamp of the last request, s; 0: it had none
        self.unbroken = False  # have requests gone on without a pause since before `resume`?
        self.too_old = 0  # requests that arrived after their lease
        self.simulated = bool(self.get_parameter("use_sim_time").value)
        self.pace = Pace()
        self.lease: float = self.value("lease")
        self.settings = {
            name: self.value(name) for name in ("max_linear", "max_angular", "heartbeat_within", "rest_after", "button_within")
        }
        self.beats, self.button = Heartbeats(), Heartbeats()
        self.velocity = self.publisher("cmd_vel")
        self.stopped = self.publisher("stopped")
        self.subscription("cmd_vel_request", self.on_request)
        self.subscription("heartbeat", self.on_heartbeat)
        self.subscription(BUTTON, self.on_button)
        if self.value("joy_button") >= 0:
            self.subscription("joy", self.on_joy)
        self.service("stop", self.on_stop)
        self.service("resume", self.on_resume)
        self.lease_end = self.create_timer(self.lease, self._survives(self.on_lease_end), clock=self.steady)
        self.lease_end.cancel()  # it runs while something moves
        self.on_close(lambda: self.destroy_timer(self.lease_end))
        self.resting = False
        self.looking = self.every(1.0 / self.value("rate"), self.on_time, steady=True)

    def on_activate(self, state: Any) -> Any:
        """Publish whether the robot is stopped, and begin at rest."""
        result = super().on_activate(state)
        self.health.values["stopped"] = self.why or "no"
        self.stopped.publish(Bool(data=self.is_stopped))
        self.velocity.publish(Twist())
        self.began = monotonic()
        return result

    def on_deactivate(self, state: Any) -> Any:
        """Leave no velocity behind."""
        self.velocity.publish(Twist())
        return super().on_deactivate(state)

    def on_change(self, name: str, value: Any) -> None:
        """Update a limit."""
        self.settings[name] = value

    def on_request(self, request: Any) -> None:
        """Limit a request and pass it on, unless the robot is stopped or the request is not of now."""
        now, twist = monotonic(), request.twist
        pause = self._pause(now, request.header.stamp)
        self.at_rest(False)
        left = self._left(request.header.stamp)
        passed = Twist()
        passed.linear.x = _within(twist.linear.x, self.settings["max_linear"])
        passed.angular.z = _within(twist.angular.z, self.settings["max_angular"])
        moves = passed.linear.x != 0.0 or passed.angular.z != 0.0
        if self.is_stopped:
            self.unbroken = moves
            return
        self.unbroken = self.unbroken and moves and pause <= self.lease
        if self.unbroken:
            self.get_logger().warning("a velocity that was requested while stopped, and still is, does not pass", throttle_duration_sec=5.0)
            return
        if left < 0.0:
            self.too_old += 1
            self.health.values["requests too old"] = str(self.too_old)
            return
        if self.rests():
            return
        if left == float("inf"):
            self.health.failed("velocities are stamped in the future, and do not pass: are the computers' clocks synchronised?")
            return
        self.moving_until = now + left
        self.velocity.publish(passed)
        self.lease_end.timer_period_ns = round(max(left - WAKING, 0.001) * 1e9)
        self.lease_end.reset()

    def on_lease_end(self) -> None:
        """Send zero: the velocity was not renewed."""
        if monotonic() < self.moving_until - WAKING:
            return  # it was renewed just now
        self.lease_end.cancel()
        self.velocity.publish(Twist())

    def on_stop(self, _request: Any, response: Any) -> Any:
        """Stop."""
        self.halt("the service stop was called")
        response.success, response.message = True, "stopped until resumed"
        return response

    def on_button(self, message: Any) -> None:
        """React to a button that publishes whether it is pressed. Its release resumes nothing."""
        self.button.beat(BUTTON, monotonic())
        self.press(message.data)

    def on_joy(self, message: Any) -> None:
        """React to a joystick."""
        number = self.value("joy_button")
        self.press(number < len(message.buttons) and message.buttons[number] != 0)

    def press(self, pressed: bool) -> None:
        """Note whether the button is pressed, and stop if it is."""
        if pressed and not self.pressed:
            self.halt("the button was pressed")
        self.pressed = pressed

    def on_heartbeat(self, message: Any) -> None:
        """Note a heartbeat; its sender is watched from now on."""
        if not self.beats.beat(message.data, monotonic()):
            self.get_logger().warning(f"too many heartbeats: {message.data!r} is not watched", throttle_duration_sec=10.0)

    def on_resume(self, _request: Any, response: Any) -> Any:
        """Let requests pass again, unless the reason for the stop persists."""
        response.success = not (hindrance := self.hindrance())
        response.message = f"still stopped: {hindrance}" if hindrance else "resumed" if self.is_stopped else "was not stopped"
        if response.success:
            self.is_stopped, self.why = False, ""
            self.health.values["stopped"] = "no"
        self.get_logger().info(response.message)
        self.stopped.publish(Bool(data=self.is_stopped))
        return response

    def halt(self, reason: str) -> None:
        """Send zero first, then do everything else."""
        news, self.is_stopped, self.moving_until = not self.is_stopped, True, float("-inf")
        self.unbroken = self.unbroken or news
        self.velocity.publish(Twist())
        self.stopped.publish(Bool(data=True))
        if news:
            self.why = self.health.values["stopped"] = reason
            self.get_logger().warning(f"stopped: {reason}")
            self.at_rest(False)  # zero is repeated at the full rate while the robot is stopped

    def hindrance(self) -> str:
        """Why the robot must not move; empty if it may."""
        if self.pressed:
            return "the button is pressed"
        for name, beats in (("heartbeat_within", self.beats), ("button_within", self.button)):
            if lost := beats.silent(monotonic(), self.settings[name] / self.pace.slow):
                return f"{lost[0]} has been silent for {lost[1]:.1f} s; start it again, or go on without it by {name} = 0"
        return ""

    def rests(self) -> bool:
        """Whether a heartbeat is late: nothing moves until it is back, or missing for good. Sends zero if anything moves."""
        rest_after = self.settings["rest_after"] if self.settings["heartbeat_within"] else 0.0
        late = self.beats.silent(monotonic(), rest_after / self.pace.slow)
        if late and monotonic() < self.moving_until:
            self.moving_until = float("-inf")
            self.velocity.publish(Twist())
        return late is not None

    def on_time(self) -> None:
        """Check the heartbeats. Repeat zero unless a lease runs, for subscribers that missed one or joined late."""
        self.at_rest(not self.is_stopped and monotonic() > max(self.requested_at, self.began) + STILL)
        if self.simulated:
            self.pace.look(monotonic(), self.seconds())
        self.health.lasting = self.hindrance()
        if self.health.lasting and not self.is_stopped:
            self.halt(self.health.lasting)
        elif self.rests() or monotonic() > self.moving_until:
            self.velocity.publish(Twist())

    def at_rest(self, resting: bool) -> None:
        """Look less often at rest; on the first request after it, see at once what has happened since the last look."""
        if resting == self.resting:
            return
        self.resting = resting
        rate = self.value("rate")
        self.looking.timer_period_ns = round(1e9 / (min(rate, REST_RATE) if resting else rate))
        self.looking.reset()
        self.wake()
        if not resting:
            self.on_time()

    def _pause(self, now: float, stamp: Any) -> float:
        """Seconds since the last request, as its sender made them: one that was late on its way is no pause of its sender."""
        made = stamp.sec + stamp.nanosec * 1e-9
        pause = now - self.requested_at
        if made and self.made_at:
            pause = min(pause, made - self.made_at)
        self.requested_at, self.made_at = now, made
        return pause

    def _left(self, stamp: Any) -> float:
        """Steady seconds left of a request's lease, infinity if its stamp is further in the future than clocks may differ.

        A request without a stamp counts as made just now. In a slow simulation, 20 Hz of simulated time are fewer requests a second, and
        obstacles move as slowly.
        """
        made = stamp.sec + stamp.nanosec * 1e-9
        age = (self.seconds() - made) / max(self.pace.value, 1.0) if made else 0.0
        return float("inf") if age < -self.lease else (self.lease - max(age, 0.0)) / self.pace.slow


def _within(value: float, limit: float) -> float:
    """The value, limited to [−limit, limit]; 0 for NaN and infinities."""
    return max(-limit, min(limit, value)) if float("-inf") < value < float("inf") else 0.0


def main() -> None:
    """Run the node."""
    run(MotionGateNode)


if __name__ == "__main__":
    main()
