"""Simulate the replay of a day of 1,000 robots, from the unit costs that `sayso bench replay --json FILE` measured.

    .venv/bin/python scripts/fleet_plan.py replay.json            # print the tables
    .venv/bin/python scripts/fleet_plan.py replay.json --write    # write them into docs/scale.md, between the two marks

No robot and no cluster is involved: tasks of random length go to simulated workers one by one, as in Ray.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "scale.md"
BEGIN, END = "<!-- scripts/fleet_plan.py: begin -->", "<!-- scripts/fleet_plan.py: end -->"
CORES = 16, 64, 256


@dataclass(frozen=True)
class Day:
    """The assumed load."""

    robots: int = 1000
    hours: float = 8.0  # of recording by each robot
    utterances: float = 30.0  # an hour, including talk that is not for the robot
    bag: float = 1.0  # median duration of a bag in hours; log-normal, e^0.5 either way
    stored: float = 0.47  # MB/s on disk: the bag of `sayso demo`, pictures and depth twice a second
    pictures: float = 4.3  # MB/s of messages, unpacked: 640x480 colour and depth twice a second
    words: float = 0.1  # MB/s without pictures: sound, context, odometry


@dataclass(frozen=True)
class Costs:
    """The measured costs on one core."""

    task: float  # s for an almost empty bag, Ray included
    utterance: float  # s, from the transcript on
    sound: float  # s for a second of sound with a command every 8 s
    read: float  # MB/s of messages
    shared: float  # throughput of each of two workers, relative to one alone
    start: float  # s, Ray's own
    query: float  # s for each utterance searched
    line: float  # kB of results for each utterance

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, object]]) -> Costs:
        """Read the costs from the benchmark's rows.

        Raises:
            SystemExit: a measure is missing or has no value.
        """
        return cls(
            task=2.0 / _value(rows, "bags of one utterance a second")[0],
            utterance=_value(rows, "CPU time of an utterance, from the transcript")[0] / 1e3,
            sound=1.0 / _value(rows, "× real time per core, from sound")[0],
            read=_value(rows, "bag read, MB/s")[0],
            shared=min(_value(rows, "2 Ray workers against one")[0] / 2.0, 1.0),
            start=_value(rows, "Ray's own start")[0],
            query=_value(rows, "a query over")[0] / float(_value(rows, "a query over")[1].split()[3]),
            line=_value(rows, "results of an utterance")[0],
        )


def _value(rows: Sequence[Mapping[str, object]], begins: str) -> tuple[float, str]:
    """The value and the full name of the first measure that begins like this."""
    for row in rows:
        if str(row["measure"]).startswith(begins):
            if not isinstance(row["value"], int | float):
                raise SystemExit(f"'{row['measure']}' was not measured: {row.get('reason')}")
            return float(row["value"]), str(row["measure"])
    raise SystemExit(f"no measure that begins with '{begins}': is it a file of 'sayso bench replay --json'?")


def tasks(day: Day, costs: Costs, *, sound: bool, pictures: bool) -> list[float]:
    """Seconds of one core for each bag of the day; the same in every call."""
    chance = random.Random(1)
    seconds = day.robots * day.hours * 3600.0
    lengths = [day.bag * 3600.0 * chance.lognormvariate(0.0, 0.5) for _ in range(round(day.robots * day.hours / day.bag))]
    scale = seconds / sum(lengths)
    a_second = (day.pictures if pictures else day.words) / costs.read
    a_second += costs.sound if sound else day.utterances / 3600.0 * costs.utterance
    return [costs.task + scale * length * a_second for length in lengths]


def makespan(work: Sequence[float], cores: int, costs: Costs) -> float:
    """Seconds until the last task is done, when each free worker takes the next task."""
    free = [costs.start] * cores
    for seconds in work:
        heapq.heappush(free, heapq.heappop(free) + seconds / costs.shared)
    return max(free)


def tables(day: Day, costs: Costs) -> str:
    """Both tables, as Markdown."""
    bags, utterances = round(day.robots * day.hours / day.bag), day.robots * day.hours * day.utterances
    lines = [
        "| unit | measured |",
        "|---|---|",
        f"| a task (a bag of one utterance, Ray included) | {1e3 * costs.task:.0f} ms of a core |",
        f"| an utterance, from the transcript on | {1e3 * costs.utterance:.1f} ms of a core |",
        f"| an hour of sound, from sound on (PocketSphinx) | {3600 * costs.sound:.0f} s of a core |",
        f"| reading messages | {costs.read:.0f} MB/s a core |",
        f"| throughput of a worker beside another one | {costs.shared:.0%} of its throughput alone |",
        f"| a query | {1e6 * costs.query:.2f} µs an utterance |",
        "",
        f"| {bags:,} bags, {utterances:,.0f} utterances | hours of one core | {' | '.join(f'{cores} cores' for cores in CORES)} |",
        f"|---|---|{'---|' * len(CORES)}",
    ]
    kinds = (
        ("from the transcript on, no pictures in the bags", False, False),
        ("from the transcript on, with pictures", False, True),
        ("from sound on, with pictures", True, True),
    )
    for name, sound, pictures in kinds:
        work = tasks(day, costs, sound=sound, pictures=pictures)
        spans = " | ".join(_time(makespan(work, cores, costs)) for cores in CORES)
        lines.append(f"| {name} | {sum(work) / 3600:.1f} | {spans} |")
    stored = day.robots * day.hours * 3600 * day.stored / 1e6
    week = 7 * utterances
    lines += [
        "",
        f"The bags take {stored:.1f} TB a day on disk: {stored * 8e3 / 10 / 60:.0f} min through one 10 Gbit/s link. The results take "
        f"{utterances * costs.line / 1e6:.2f} GB a day as JSON lines; a query over a week of them ({week / 1e6:.1f} million utterances) "
        f"takes {week * costs.query:.1f} s.",
    ]
    return "\n".join(lines)


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def main() -> None:
    """Print the tables, or write them into docs/scale.md."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("file", type=Path, help="the result of 'sayso bench replay --json FILE'")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/scale.md")
    options = parser.parse_args()
    try:
        results = json.loads(options.file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as unreadable:
        raise SystemExit(f"{options.file}: {unreadable}") from None
    if options.write and results.get("quick"):
        raise SystemExit(f"{options.file}: figures of a quick run are not representative; run 'sayso bench replay' without --quick")
    made = tables(Day(), Costs.of(results["rows"]))
    if not options.write:
        sys.stdout.write(f"{made}\n")
        return
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{made}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
