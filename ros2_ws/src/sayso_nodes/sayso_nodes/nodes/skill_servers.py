"""Which node serves which skill: the skills node, as it says itself, and servers of one skill each, as ROS's graph shows them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from time import monotonic
from typing import Any

from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient

from sayso.domain.model import Skill
from sayso.supervision import SERVER_GONE, OtherNode
from sayso_nodes.alive import Alive
from sayso_nodes.graph import interface
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.unserved import NONE, SERVERS, UNSERVED, warning

ACTION = "execute_skill"  # of the skills node
SERVER = "skills"
LOOK = 1.0  # s between two looks at ROS's graph
FORGOTTEN = 20.0  # s of silence after which what is still in ROS's graph is another server, without signs of life: DDS's lease is over
DISCOVERED = 0.5  # s after which a server that is discovered has discovered its client too; before, its answers may be lost
SETTLED = 5.0  # s after the start until servers that start at the same time have been found


class SkillServer:
    """A server of ExecuteSkill, as its client sees it.

    Args:
        node: the client.
        alive: hears signs of life. A server that sends none is dead when it has left ROS's graph.
        action: its name.
        sign: its name on `alive`.
        longest: how long its skill may take, s.
    """

    def __init__(self, node: SaysoNode, alive: Alive, action: str, sign: str, longest: float = math.inf) -> None:
        self.action, self.longest = action, longest
        self.name = "the skills node" if action == ACTION else f"the server of {action}"  # for a person
        self.client = ActionClient(node, interface(ACTION), action)
        self.signs = alive.others.setdefault(sign, OtherNode())
        self.seen = -math.inf  # steady s
        self._ready_since = math.inf  # the same
        self._node, self._alive = node, alive
        self._every_goal = node.create_client(CancelGoal, f"{action}/_action/cancel_goal")
        self._cleared = False  # have the goals of an earlier planner been cancelled?
        node.on_close(self.client.destroy)
        node.on_close(lambda: node.destroy_client(self._every_goal))

    @property
    def is_own(self) -> bool:
        """Whether it serves one skill alone."""
        return self.action != ACTION

    @property
    def count(self) -> int:
        """How many processes serve the action. Two would both carry out every goal."""
        return int(self._node.count_services(f"{self.action}/_action/send_goal"))

    @property
    def _silent(self) -> float:
        return self.signs.silent(self._alive.now)

    def look(self, now: float) -> None:
        """Note whether it is there, and end what an earlier planner began."""
        there = self.count
        self._is_ready(now)
        if there and self._silent < SERVER_GONE:
            self.seen = now
        if self.is_own and (not there or self._silent > FORGOTTEN):
            self.signs.forget()
        if not self._cleared and self._every_goal.service_is_ready():
            self._cleared = True
            self.cancel_every_goal()

    def is_here(self, now: float) -> bool:
        """Whether it can take a goal."""
        return self._is_ready(now) and self._silent < SERVER_GONE and (not self.is_own or self.count == 1)

    def is_lost(self, life: str) -> bool:
        """Whether it is silent, or another process than that `life`; without signs of life, whether it has left ROS's graph."""
        if life:
            return self.signs.life != life or self._silent > SERVER_GONE
        return not self.client.server_is_ready()

    def _is_ready(self, now: float) -> bool:
        """Whether it and its client have discovered each other."""
        self._ready_since = min(self._ready_since, now) if self.client.server_is_ready() else math.inf
        return now - self._ready_since > DISCOVERED

    def cancel_every_goal(self) -> None:
        """Cancel all goals of the server, of whichever client."""
        self._every_goal.call_async(CancelGoal.Request())  # with neither id nor time: all of them


class SkillServers:
    """The servers of the home's skills. A server of one skill alone goes before the skills node.

    Args:
        node: the planner.
        alive: hears signs of life: those of the skills node, and of `skill/NAME` if that server sends any.
        skills: of the home, by name.
        patience: how long a server may be away before it no longer counts, s.
        longest: how much longer than the home expects a skill with a server of its own may take, s.
    """

    def __init__(self, node: SaysoNode, alive: Alive, skills: Mapping[str, Skill], patience: float, longest: float) -> None:
        node._allow("requests", ACTION)
        node._allow("requests", SERVERS)
        self._node, self._alive, self._skills, self._patience, self._longest = node, alive, skills, patience, longest
        self._all = SkillServer(node, alive, ACTION, SERVER)
        self._own: dict[str, SkillServer] = {}
        self._announced: frozenset[str] | None = None  # what the skills node says that it serves; None: it says nothing
        self._looked, self._began = -math.inf, math.nan
        self._told: tuple[str, ...] = ()  # what nobody serves, as last said
        self._doubtful: set[str] = set()  # names that were told
        self._prefix = re.compile(rf"{re.escape(node.get_namespace().rstrip('/'))}/skill/(\w+)/_action/send_goal")
        node.subscription("served_skills", self._on_served)

    def look(self, now: float) -> None:
        """Look at ROS's graph once a second; called 20 times a second."""
        if now - self._looked > LOOK:
            self.find(now)
            self._tell(now)

    def find(self, now: float) -> None:
        """Find servers of single skills."""
        self._looked = now
        self._began = now if math.isnan(self._began) else self._began
        for name, _ in self._node.get_service_names_and_types():
            served = self._prefix.fullmatch(name)
            if served is None:
                continue
            if served[1] not in self._skills:
                self._warn(served[1], f"skill/{served[1]} is served, but the home has no skill '{served[1]}': add it, or rename the action")
            elif served[1] not in self._own and self._node.count_services(name):
                self._meet(served[1])
        for server in (self._all, *self._own.values()):
            server.look(now)

    def server(self, skill: str) -> SkillServer:
        """The server of that skill."""
        own = self._own.get(skill)
        return own if own is not None and self._is_known(own) else self._all

    def served(self) -> frozenset[str] | None:
        """The skills of the home that have a server; None: it cannot be told, so all may have one."""
        if self._announced is None:
            return None
        return self._announced | {name for name, server in self._own.items() if self._is_known(server)}

    def _is_known(self, server: SkillServer) -> bool:
        """Whether it is there, or may be starting again."""
        return monotonic() - server.seen < self._patience

    def _meet(self, skill: str) -> None:
        action = SERVERS.format(skill=skill)
        longest = self._skills[skill].seconds + self._longest
        self._own[skill] = SkillServer(self._node, self._alive, action, action, longest)
        instead = ", instead of the skills node" if self._announced is None or skill in self._announced else ""
        self._node.get_logger().info(f"skill '{skill}' is served by {action}{instead}")

    def _on_served(self, message: Any) -> None:
        self._announced = frozenset(entry.key for entry in message.values) & self._skills.keys()

    def _tell(self, now: float) -> None:
        """Say which skills nobody serves, when that has changed, and which have two servers."""
        for skill, server in self._own.items():
            if server.count > 1:
                self._warn(skill, f"{server.count} nodes serve {server.action}: end all but one. One that was killed counts for up to 20 s")
            elif self._is_known(server):
                self._doubtful.discard(skill)
        served = self.served()
        if served is None and now - self._began < SETTLED:  # the skills node may be about to say it
            return
        lacking = tuple(name for name in self._skills if served is not None and name not in served)
        self._node.health.values[UNSERVED] = ", ".join(lacking) or NONE
        if lacking == self._told or now - self._began < SETTLED:
            return
        if lacking:
            self._node.get_logger().warning(warning(lacking))
        else:
            self._node.get_logger().info("all skills of the home are served")
        self._told = lacking

    def _warn(self, skill: str, text: str) -> None:
        """Say it once."""
        if skill not in self._doubtful:
            self._doubtful.add(skill)
            self._node.get_logger().warning(text)
