"""What was learnt about the robot's skills, in rows for a person: how often, and what the next plan expects instead of the constants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from math import hypot

from rich.table import Table

from sayso.domain.model import Domain
from sayso.planning import Experience
from sayso.planning.trials import DRIVE, SkillTrial, Tried, expected_seconds, tried


@dataclass(frozen=True, slots=True)
class LearntSkill:
    """One skill with one object at one place."""

    home: str
    skill: str
    thing: str  # object; empty: none
    place: str  # place or person; empty: none
    trials: int
    succeeded: int
    last: float  # s since 1970
    success_before: float | None  # of the domain; None: the home is not known here, or success is not learnt, since the skill looks
    success_after: float | None  # expected now
    seconds_before: float | None  # of the domain; of a skill that drives, for a drive of 4 m
    seconds_after: float | None
    ends: tuple[float, float] | None = None  # (x, y) m from the place, where the next plan expects a drive to it to end


def learnt_skills(trials: Sequence[SkillTrial], homes: dict[str, Domain]) -> Iterator[LearntSkill]:
    """The rows by home and skill, most frequent first; `homes` by name: only in these the constants are known."""
    for home in sorted({trial.home for trial in trials}):
        domain, of_home = homes.get(home), [trial for trial in trials if trial.home == home]
        experience = Experience.of(domain, of_home) if domain else None
        kinds: dict[Tried, list[SkillTrial]] = defaultdict(list)
        for trial in of_home:
            known = domain is not None and trial.call.name in domain.skills
            what = tried(domain, trial.call, trial.place) if domain and known else Tried(trial.call.name, str(trial.call), trial.place)
            kinds[what].append(trial)
        for what, met in sorted(kinds.items(), key=lambda kind: (kind[0].skill, -len(kind[1]), kind[0])):
            yield _row(home, what, met, domain, experience)


def _row(home: str, what: Tried, met: Sequence[SkillTrial], domain: Domain | None, experience: Experience | None) -> LearntSkill:
    counted = (home, *what, len(met), sum(trial.succeeded for trial in met), max(trial.time for trial in met))
    skill = domain.skills.get(what.skill) if domain else None
    if skill is None or experience is None:
        return LearntSkill(*counted, None, None, None, None)
    seconds = expected_seconds(skill, DRIVE)
    before, after = (None, None) if skill.senses else (skill.success, experience.expected_success(what, skill.success))
    displacement = experience.ends.get(what.place) if skill.speed and not what.thing else None
    ends = displacement.mean if displacement is not None else None
    return LearntSkill(*counted, before, after, seconds, seconds * experience.pace(what), ends)


def skills_table(rows: Sequence[LearntSkill]) -> Table:
    """The rows as a table."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    several = len({row.home for row in rows}) > 1
    for name in (*(("home",) if several else ()), "skill", "with", "where"):
        table.add_column(name, overflow="fold")
    for name in ("n", "success", "seconds", "ends beside it"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        success, seconds = (
            _change(row.success_before, row.success_after, "{:.0%}"),
            _change(row.seconds_before, row.seconds_after, "{:.1f}"),
        )
        beside = f"{hypot(*row.ends):.2f} m" if row.ends is not None else ""
        table.add_row(*((row.home,) if several else ()), row.skill, row.thing, row.place, str(row.trials), success, seconds, beside)
    return table


def learnt_skill_as_data(row: LearntSkill) -> dict[str, object]:
    """A row for JSON."""
    return {**asdict(row), "last": datetime.fromtimestamp(row.last).astimezone().isoformat(timespec="seconds")}


def _change(before: float | None, after: float | None, form: str) -> str:
    return "" if before is None or after is None else f"{form.format(before)} → {form.format(after)}"
