"""Runs one skill at a time at 20 Hz and reports the robot's own context."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from sayso.domain.vocabulary import MOTIONLESS
from sayso.domain.wording import called
from sayso.errors import SaysoError
from sayso.robot import cleaning, escorting, handling, looking, moving, operating, pointing, pouring, stowing, surveying, telling
from sayso.robot.battery import Battery
from sayso.robot.body import MakeSkill, RobotState
from sayso.robot.choosing import SkillAmbiguous
from sayso.robot.considerate import Considerate
from sayso.robot.follow import Limits
from sayso.robot.hand import HandReading
from sayso.robot.map import RobotMap
from sayso.robot.path import PathPlanner
from sayso.robot.people import PeopleMemory
from sayso.robot.skill import Navigator, Robot, Skill, SkillFailed, SkillInterrupted, SkillStuck
from sayso.supervision import RosTime
from sayso.types import Choice, Context, FloatArray, SkillCall, SkillOutcome

LEASE = 0.5  # s: the robot must not drive on older odometry

SKILLS: Mapping[str, MakeSkill] = {
    "navigate_to": moving.navigate_to,
    "approach": moving.approach,
    "dock": moving.dock,
    "move": moving.move,
    "turn": moving.turn,
    "look_for": looking.look_for,
    "survey": surveying.survey,
    "pick": handling.pick,
    "place": handling.place,
    "hand_over": handling.hand_over,
    "stow": stowing.stow,
    "unstow": stowing.unstow,
    "open": operating.open_up,
    "close": operating.close_up,
    "switch_on": operating.switch_on,
    "switch_off": operating.switch_off,
    "clean": cleaning.clean,
    "pour": pouring.pour,
    "point": pointing.point,
    "point_to_place": pointing.point_to_place,
    "point_to_person": pointing.point_to_person,
    "follow": escorting.follow,
    "guide": escorting.guide,
    "say": telling.say,
    "greet": telling.greet,
    "tell": telling.tell,
    "wait": telling.wait,
    "stop": telling.stop,
    "resume": telling.resume,
    "cancel": telling.cancel,
}

# Not repeated if their end is unknown: half a turn and a turn are too much.
ONCE = frozenset({"say", "greet", "tell", "wait", "move", "turn"})


class SkillRunner:
    """SkillCall → SkillOutcome. Idle until `start`; then call `tick` at 20 Hz until it returns the outcome."""

    def __init__(
        self,
        robot_map: RobotMap,
        robot: Robot,
        limits: Limits | None = None,
        navigator: Navigator | None = None,
        skills: Mapping[str, MakeSkill] = SKILLS,
    ) -> None:
        """`navigator` drives to points of the map; without one, the runner plans and drives itself. `skills` are those that it has."""
        self.skills = skills
        people = PeopleMemory()
        self._considerate = Considerate(robot, people, robot_map)
        self._body = RobotState(
            robot_map.domain,
            robot_map,
            PathPlanner(robot_map),
            self._considerate,
            limits or Limits(),
            people=people,
            navigator=navigator,
        )
        self.battery = Battery(robot_map.domain)
        self._hand, self._time = HandReading(robot.hand), RosTime()
        self._basket = HandReading(partial(stowing.contents, self._body))
        self._call: SkillCall | None = None
        self._skill: Skill | None = None
        self._started: float | None = None
        self._jumped = False  # has ROS time been set back during the current skill?
        self.progress = 0.0  # of the current skill, in [0, 1]
        self.status = "idle"  # one line for a person

    @property
    def call(self) -> SkillCall | None:
        """The call that is running, None while idle."""
        return self._call

    @property
    def path(self) -> FloatArray | None:
        """(N, 2) m, map frame: the path being driven, None if there is none."""
        return self._body.path

    def start(self, call: SkillCall, choices: tuple[Choice, ...] = ()) -> None:
        """Start a skill and cancel the running one. An invalid call fails at the first tick.

        Args:
            call: the skill.
            choices: if a person has chosen one of several things that its theme may be: that one, then the others.
        """
        self.cancel()
        theme = call.argument("theme")
        self._body.choices.pop(theme, None)
        if choices:
            self._body.choices[theme] = choices
        if call != self._body.letting_go:
            self._body.letting_go = None
        self._call, self._started, self._jumped = call, None, False
        self.progress, self.status = 0.0, f"starting {call.name}"
        self._hand.begin()
        self._basket.begin()
        make = self.skills.get(call.name)
        self._skill = make(self._body, call) if make else None

    def cancel(self) -> SkillOutcome | None:
        """Cancel the running skill; its outcome, or None while idle."""
        return self._finish("cancelled", interrupted=True) if self._call else None

    def tick(self, now: float) -> SkillOutcome | None:
        """Continue the skill; its outcome once it is over, None before that and while idle. `now` is ROS time, s."""
        self._sense(now)
        if self._call is None:
            return None
        if self._started is None:
            self._started = now
        if self._skill is None:
            return self._finish(f"the robot has no skill '{self._call.name}'", interrupted=True)
        hindrance = self._hindrance(now)
        if hindrance:
            return self._finish(hindrance, interrupted=True)
        if self._hand.needed or self._basket.needed:
            self.status = "reading the gripper"
            return None
        try:
            step = next(self._skill)
        except StopIteration:
            return self._finish("")
        except SkillAmbiguous as several:
            return self._finish(str(several), interrupted=True, choices=several.choices)
        except (SkillFailed, SaysoError) as failed:
            who = self._considerate.in_the_way(now) if isinstance(failed, SkillStuck) else ""
            reason = f"{called(self._body.domain, who)} stood in the way" if who else str(failed)
            return self._finish(reason, interrupted=isinstance(failed, (SkillInterrupted, SaysoError)))
        self.progress, self.status = max(self.progress, min(step.progress, 1.0)), step.status
        return None

    def context(self, now: float, last_action: str = "", speaker: str = "") -> Context:
        """The context for the action selector and the planner; the caller provides the last action and the speaker."""
        body = self._body
        around = body.people.around(body.map, body.pose.xy, now)
        return Context(
            stamp=now,
            x=body.pose.x,
            y=body.pose.y,
            yaw=body.pose.yaw,
            place=body.map.place_at(body.pose.xy),
            holding=body.holding,
            battery=self.battery.charge,
            visible=(*body.sightings.visible(now), *around),
            last_action=last_action,
            speaker=speaker,
            facts=tuple(sorted(f"{state}({thing})" for state, thing in body.states)),
            looks=body.people.looks(around, now),
        )

    def _sense(self, now: float) -> None:
        body, pose = self._body, self._body.robot.pose()
        self._look_anew(now)
        body.people.update(body.robot.people(), body.domain.people, now)
        body.now, body.pose = now, pose or body.pose
        if pose:
            self.battery.spend(now, pose.xy)

    def _look_anew(self, now: float) -> None:
        """Read the gripper. After ROS time was set back, as by a new simulation, nothing that was seen counts any more."""
        if self._time.set_back(now):
            self._body.sightings.clear()
            operating.forget(self._body)
            self._body.people.clear()
            self._jumped = self._call is not None
            self._hand.forget(now)
            self._basket.forget(now)
        if self._body.doubtful:
            self._body.doubtful = False
            self._hand.forget(now, self._body.unanswered)
            self._basket.forget(now, self._body.unanswered)
        inside = self._basket.read(now, idle=self._call is None)
        if inside is not None:
            stowing.learn_contents(self._body, inside)
        held = self._hand.read(now, idle=self._call is None)
        if held is not None and (not held or held in self._body.domain.objects):
            self._body.holding = held

    def _hindrance(self, now: float) -> str:
        """Why the skill must not continue, empty if it may."""
        assert self._call is not None
        if self._call.name in MOTIONLESS:
            return ""
        if self._jumped:
            return "the clock was set back"
        if self._body.robot.stopped:
            return "the robot was told to stop"
        pose = self._body.robot.pose()
        if pose is None:
            return "there is no odometry yet"
        return f"no odometry for {now - pose.stamp:.1f} s" if now - pose.stamp > LEASE else ""

    def _finish(self, reason: str, *, interrupted: bool = False, choices: tuple[Choice, ...] = ()) -> SkillOutcome:
        assert self._call is not None
        if self._call.name not in MOTIONLESS:
            self._body.robot.drive(0.0, 0.0)
        if self._skill is not None:
            self._skill.close()
        seconds = self._body.now - self._started if self._started is not None else 0.0
        outcome = SkillOutcome(self._call, not reason, reason, seconds, interrupted, choices)
        self._call = self._skill = None
        self.status = f"{outcome.call.name} {'succeeded' if outcome.succeeded else 'failed: ' + reason}"
        self.progress = 1.0 if outcome.succeeded else self.progress
        return outcome
