"""The planner's experience: learns from every outcome, and keeps it in the memory file in a thread of its own."""

from __future__ import annotations

from pathlib import Path

from sayso.domain import Domain
from sayso.planning import Experience, WorldBelief
from sayso.planning.kept_experience import KeptExperience
from sayso.planning.trials import trial_of
from sayso.types import Context, SkillOutcome
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.worker import Worker

LOOK = 2.0  # s between two looks at what other processes have changed in the file
QUEUE = 4  # jobs; each of them writes all that is not written yet


class SkillLearning:
    """What the node learns about its skills. Nothing here waits for the file, which may be locked, damaged or read-only.

    Args:
        node: the planner.
        domain: its home.
        path: of the memory file; None: it learns until the node ends.
    """

    def __init__(self, node: SaysoNode, domain: Domain, path: Path | None) -> None:
        self._node, self._domain, self._kept = node, domain, KeptExperience(domain, path)
        self._worker = Worker("learning", QUEUE)
        node.on_close(self._close)
        node.every(LOOK, self._synchronise_later, steady=True)
        self._synchronise_later()

    @property
    def experience(self) -> Experience:
        """What is learnt so far."""
        return self._kept.experience

    def learn(self, before: WorldBelief, outcome: SkillOutcome, begun: tuple[str, float], now: Context) -> None:
        """Learn from the outcome of a skill.

        Args:
            before: the belief at its beginning.
            outcome: of the skill.
            begun: for which utterance_id, and when, s.
            now: the newest situation.
        """
        trial = trial_of(self._domain, outcome, before.at, before.xy, begun, now)
        if trial is not None:
            self._kept.add(trial)
            self._synchronise_later()

    def _synchronise_later(self) -> None:
        self._worker.submit(self._synchronise)

    def _synchronise(self) -> None:
        try:
            self._kept.synchronise()
            self._diagnose()
        except Exception as error:  # noqa: BLE001 - a worker's job must not raise
            self._node.fail("learning", error)

    def _diagnose(self) -> None:
        """Warn for as long as the file cannot be read or written: the domain's constants count where nothing was learnt."""
        kept, health = self._kept, self._node.health
        health.values["learnt"] = f"{kept}, {kept.file.path if kept.file else 'kept until the node ends'}"
        if health.worry(trouble := kept.trouble):
            self._node.get_logger().warning(trouble)

    def _close(self) -> None:
        self._worker.close()
        if lost := self._kept.finish():
            self._node.get_logger().error(lost)
