"""The skill trials in `sayso memory`: read, chosen and shown beside the confirmed commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sayso.console.memory_rows import local
from sayso.domain import load_domain
from sayso.planning.trials import SkillTrial
from sayso.training.learnt_skills import LearntSkill, learnt_skills


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which trials; all conditions must fit. Numbers and actions are of confirmed commands, and no trial has one."""

    commands_only: bool = False
    person: str = ""
    home: str = ""
    since: float = 0.0  # s since 1970

    def those(self, trials: Sequence[SkillTrial]) -> list[SkillTrial]:
        """The trials that fit."""
        return [
            trial
            for trial in trials
            if not self.commands_only
            and (not self.person or self.person in (trial.place, *(value for _, value in trial.call.arguments)))
            and (not self.home or self.home == trial.home)
            and trial.time >= self.since
        ]


def rows_of(trials: Sequence[SkillTrial], domain: Path | None) -> list[LearntSkill]:
    """What these trials teach; the constants of the given home, else of the default one, are set beside it."""
    if not trials:
        return []
    home = load_domain(domain)
    return list(learnt_skills(trials, {home.name: home}))


def trial_as_data(trial: SkillTrial) -> dict[str, object]:
    """A trial for JSON and YAML."""
    return {
        "id": trial.id,
        "time": local(trial.time),
        "home": trial.home,
        "utterance_id": trial.utterance_id,
        "skill": trial.call.name,
        "arguments": dict(trial.call.arguments),
        "place": trial.place,
        "metres": round(trial.metres, 2),
        "succeeded": trial.succeeded,
        "seconds": round(trial.seconds, 2),
        "reason": trial.reason,
    }


def counted(number: int) -> str:
    """So many trials, in words."""
    return f"{number} skill {'trial' if number == 1 else 'trials'}"
