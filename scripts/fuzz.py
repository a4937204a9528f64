"""Read mutated files for minutes or hours, and keep each one that crashes, hangs, fills the memory or ends in a traceback: `make fuzz`."""

from __future__ import annotations

import argparse
import hashlib
import itertools
import sys
import time
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"
FINDINGS = TESTS / "fuzz" / "findings"  # a mended one moves to corpus/, where each run of the tests tries it
BATCH = 1000  # cases of a reader before it is the next one's turn
TURN = 5.0  # s, or after that time
sys.path.insert(0, str(TESTS / "support"))


def main() -> None:
    """Take turns with the readers until the time is up; exit code 1 if anything was found."""
    from fuzzed_readers import READERS, cases
    from limited import limited

    options = _options(list(READERS))
    until = time.monotonic() + options.minutes * 60
    done: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    found: dict[str, set[str]] = {name: set() for name in options.readers}
    for turn in itertools.count():
        for name in options.readers:
            if time.monotonic() > until:
                break
            every, turn_ends = cases(name, options.seed + turn, BATCH), time.monotonic() + TURN
            for outcome in limited(READERS[name].read, every):
                done[name] += 1
                refused[name] += outcome.kind == "refused"
                if outcome.is_fault and (what := f"{outcome.kind}: {_last_line(outcome.said)}") not in found[name]:
                    found[name].add(what)
                    print(f"\n{name}: {what}\n  {_kept(name, every[outcome.case])}\n{outcome.said}", flush=True)
                if time.monotonic() > turn_ends:
                    break
            left = max(0.0, until - time.monotonic()) / 60
            print(f"\r{sum(done.values())} files, {sum(map(len, found.values()))} findings, {left:.0f} min left ", end="", flush=True)
        if time.monotonic() > until:
            break
    print("\n\nreader            files  refused  findings")
    for name in options.readers:
        print(f"{name:15} {done[name]:7} {refused[name]:8} {len(found[name]):9}")
    sys.exit(any(found.values()))


def _options(names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="another seed, other files; the default is the time")
    parser.add_argument("readers", nargs="*", default=names, help=f"all by default: {', '.join(names)}")
    options = parser.parse_args()
    if unknown := set(options.readers) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(names)}")
    print(f"seed {options.seed}", flush=True)
    return options


def _last_line(said: str) -> str:
    """What tells one finding from another: the error, and the line where it was raised."""
    lines = said.strip().splitlines()
    place = next((line.strip() for line in reversed(lines) if line.strip().startswith("File ")), "")
    return f"{lines[-1][:80] if lines else ''} {place}"


def _kept(name: str, data: bytes) -> Path:
    file = FINDINGS / name / hashlib.sha256(data).hexdigest()[:12]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


if __name__ == "__main__":
    main()
