"""Recognise sounds with one backend on one core, and print times and memory as JSON; a separate process, so both are the recogniser's.

Usage: python _speech_process.py BACKEND[=WEIGHTS] FILE.npz, a file of (N,) int16 arrays.
"""

import json
import os
import sys
import time
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "CT2_INTER_THREADS": "1"}
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np  # noqa: E402

from _speech_backends import chosen_backends  # noqa: E402
from sayso.domain import load_domain  # noqa: E402


def main() -> None:
    """Print CPU seconds and duration of each sound, and the peak memory in MB."""
    (backend,) = chosen_backends(sys.argv[1])
    with np.load(sys.argv[2]) as file:
        sounds = [file[name] for name in file.files]
    recognise = backend(load_domain())
    recognise(sounds[0])  # warm-up: the first call loads some parts
    taken = []
    for samples in sounds:
        began = time.process_time()
        recognise(samples)
        taken.append([time.process_time() - began, len(samples) / 16_000])
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()  # getrusage reports the parent's peak if that is higher
    peak = next(int(line.split()[1]) / 1e3 for line in status if line.startswith("VmHWM"))
    print(json.dumps({"taken": taken, "peak_mb": peak}))


if __name__ == "__main__":
    main()
