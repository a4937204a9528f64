"""Signs of life between nodes, and jumps of time. docs/faults.md has the design: who notices whose death, and what then.

A node says "alive" 20 times a second, or four times while it has nothing to do, with its name and a word that no other run of it uses (its
*life*). Another node that waits for it notices a death by silence, and a restart by another life. All times are steady seconds, except
where they are called ROS time; silences are measured in `SupervisionTime`.
"""

from __future__ import annotations

import math

BEAT = 0.05  # s between two signs of life
REST_BEAT = 0.25  # s, the same of a node that has nothing to do, and that nobody waits for
CLIENT_GONE = 0.25  # s of silence of the planner after which the skills end its goal
SERVER_GONE = 1.0  # s of silence of the skills after which the planner gives a goal up
SKILLS_AWAY = 0.8  # s between two looks at its own clock after which the skills were frozen: the planner may have given them up
PLANNER_AWAY = 1.8  # s, the same for the planner; after shorter ones it sends the goal that the skills ended again
NODE_AWAY = 6.0  # s, the same for any node: it ends and is started again
NODE_HANGS = 10.0  # s without a look at its clock after which a node is ended by a thread of its own, and started again
NODE_STARTS = 15.0  # s that making a node may take until it is ended and started again: Fast DDS waits for ever for a port of a killed node
ACCEPTED_WITHIN = 5.0  # s for a server of a skill to accept or refuse a goal; it may be tried again
ANSWER_WITHIN = 10.0  # s for an answer of a node that lives, or of one that sends no signs of life
ABANDONED = "the planner was silent"  # why the skills ended the goal of a planner that seemed dead; a living one sends it again
LOOKED = 2  # beats that one look counts at most: who waits for the processor hears nobody
SLOWEST, FASTEST = 0.1, 100.0  # limits of a simulation's pace: in a paused one, a death is noticed still, and a velocity's lease ends
SMOOTHED = 1.0  # s over which the pace is averaged
SET_BACK = 0.5  # s that ROS time goes back before it counts as a jump: threads see it in slightly different orders


class Pace:
    """Seconds of ROS time in a steady second: other than 1 where a simulation is faster or slower."""

    def __init__(self) -> None:
        self.value = 1.0
        self._looked: tuple[float, float] | None = None

    @property
    def slow(self) -> float:
        """The pace, 1 at most."""
        return min(self.value, 1.0)

    def look(self, now: float, ros: float) -> None:
        """Compare the steady time with ROS time; to be called periodically."""
        before, self._looked = self._looked or (now, ros), (now, ros)
        if (passed := now - before[0]) > 0.0:
            pace = min(max((ros - before[1]) / passed, SLOWEST), FASTEST)
            self.value += (1.0 - math.exp(-passed / SMOOTHED)) * (pace - self.value)


class SupervisionTime:
    """Seconds in which a silence counts: steady ones in which this process looks, at the pace of a slow simulation.

    A computer with too much to do keeps the nodes of a simulation from the processor, sender and hearer alike. The simulated robot goes no
    further meanwhile.
    """

    def __init__(self, now: float, beat: float = BEAT) -> None:
        """`beat`: s between two looks; it may change."""
        self.pace, self.beat = Pace(), beat
        self._seconds, self._looked = 0.0, now

    def look(self, now: float, ros: float) -> None:
        """Look at the steady time and ROS time; to be called with every beat. Without a simulation, both are the same."""
        self._seconds, self._looked = self.at(now), now
        self.pace.look(now, ros)

    def at(self, now: float) -> float:
        """This time at a steady time since the last look."""
        return self._seconds + min(now - self._looked, LOOKED * self.beat) * self.pace.slow


class OtherNode:
    """What is known of the life of another node. One that was never heard is not missed: a foreign node may send no signs of life."""

    def __init__(self) -> None:
        self.life = ""  # of its current process; empty: never heard
        self._heard = math.nan

    def beat(self, life: str, now: float) -> None:
        """Note a sign of life."""
        self.life, self._heard = life, now

    def forget(self) -> None:
        """Begin anew: it has left, and what takes its place may send no signs of life."""
        self.life = ""

    def silent(self, now: float) -> float:
        """Seconds of silence; 0 if it was never heard."""
        return now - self._heard if self.life else 0.0


class Client:
    """The client of one goal. It is known by its first sign of life after the goal began, or by its last one shortly before."""

    def __init__(self, node: OtherNode, now: float) -> None:
        self._node = node
        self._life = node.life if node.silent(now) <= CLIENT_GONE else ""

    def gone(self, now: float) -> bool:
        """Whether it is silent, or another process has taken its name."""
        silent = self._node.silent(now) > CLIENT_GONE
        if not self._life and not silent:
            self._life = self._node.life
        return bool(self._life) and (silent or self._node.life != self._life)


class OwnPulse:
    """Whether this process was frozen, such as by SIGSTOP or a machine that sleeps."""

    def __init__(self, now: float, longest: float, pace: Pace | None = None) -> None:
        """`longest` is the time between two calls of `away` from which it counts, s, at the `pace` of a slow simulation."""
        self._looked, self._longest, self._pace = now, longest, pace or Pace()

    def away(self, now: float) -> float:
        """Seconds since the last call if they are too many, else 0. Call it with every beat, and before acting."""
        gap, self._looked = now - self._looked, now
        return gap if gap * self._pace.slow > self._longest else 0.0


class RosTime:
    """Notices that ROS time was set back: a clock that was corrected, or a simulation that started anew."""

    def __init__(self) -> None:
        self._newest = -math.inf

    def set_back(self, now: float) -> float:
        """Seconds by which ROS time has gone back since the last call, 0 if it has not."""
        back = self._newest - now
        if 0.0 < back <= SET_BACK:
            return 0.0
        self._newest = now
        return back if back > 0.0 else 0.0


class LastStop:
    """When the robot was last told to stop, in a ROS time that may be set back."""

    def __init__(self) -> None:
        self._at = -math.inf
        self._time = RosTime()
        self._back = 0.0  # s of the last jump

    def look(self, now: float) -> None:
        """Notice jumps of ROS time; to be called periodically."""
        if back := self._time.set_back(now):
            self._at, self._back = self._at - back, back

    def stop(self, now: float) -> None:
        """The robot is told to stop."""
        self.look(now)
        self._at = now

    def comes_after(self, stamp: float, now: float) -> bool:
        """Whether what was said at `stamp` was said before the stop. A stamp from before a jump is read in the time before it."""
        self.look(now)
        if stamp > now + SET_BACK:
            stamp -= self._back
        return stamp < self._at
