"""The files of action_selector: memory and agenda are written by its worker, and what cannot be read or written is diagnosed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sayso.agenda import Agenda
from sayso_nodes.lifecycle_node import SaysoNode

if TYPE_CHECKING:
    from sayso.selection import Memory


class KeptFiles:
    """Memory and agenda of a node, from its start to its end."""

    def __init__(self, node: SaysoNode, memory: Memory, agenda: Agenda) -> None:
        self._node, self._memory, self._stored = node, memory, agenda.stored
        node.on_close(lambda: self._note_loss(memory.finish()))
        node.on_close(lambda: self._note_loss(agenda.stored.finish()))
        node.later(self.write_down)

    @property
    def trouble(self) -> str:
        """Why memory and agenda cannot be read or written, in one line."""
        return "; ".join(filter(None, (self._memory.trouble, self._stored.trouble)))

    @property
    def is_due(self) -> bool:
        """Whether something is to be written, or the diagnosis is out of date."""
        return bool(self._memory.waiting) or self.trouble != self._node.health.concern

    def write_down(self) -> None:
        """Synchronise memory and file, and diagnose the result. It may take a while."""
        self._memory.catch_up()
        self._memory.refresh()
        self.diagnose_memory()

    def diagnose_memory(self) -> None:
        """Diagnose the number of stored answers and of those not written yet."""
        values = self._node.health.values
        values["learnt"] = f"{self._memory}, {self._memory.file.path if self._memory.file else 'kept until the node ends'}"
        if self._memory.set_aside:
            values["damaged memory"] = str(self._memory.set_aside)
        self._warn()

    def diagnose_agenda(self, entries: int) -> None:
        """Diagnose the number of open tasks and rules, after writing what waits."""
        self._stored.catch_up()
        if self._stored.set_aside:
            self._node.health.values["damaged agenda"] = str(self._stored.set_aside)
        self._warn()
        self._node.health.values["agenda"] = f"{entries} open tasks and rules"

    def _warn(self) -> None:
        """Warn for as long as memory or agenda cannot be read or written."""
        if self._node.health.worry(trouble := self.trouble):
            self._node.get_logger().warning(trouble)

    def _note_loss(self, lost: str) -> None:
        """Log what could not be written to the end."""
        if lost:
            self._node.get_logger().error(lost)
