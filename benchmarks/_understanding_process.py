"""Classify sentences one by one on one core and print times and memory as JSON; a separate process, so the memory is the classifier's.

Usage: python _understanding_process.py, sentences on standard input, one a line.
"""

import json
import os
import sys
import time
from pathlib import Path


def main() -> None:
    """Print milliseconds of each sentence and of the encoder alone, peak memory in MB, and whether torch was loaded."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    from sayso.domain import load_domain
    from sayso.encoder import SentenceEncoder
    from sayso.intent import IntentClassifier
    from sayso.types import Transcript, TranscriptAlternative

    sentences = sys.stdin.read().splitlines()
    began = time.perf_counter()
    classify = IntentClassifier(load_domain())
    start = time.perf_counter() - began
    transcripts = [Transcript(str(number), 0.0, (TranscriptAlternative(text, 0.0),), 1.0) for number, text in enumerate(sentences)]
    classify(Transcript("", 0.0, (TranscriptAlternative("hello there my robot", 0.0),), 1.0))  # warm-up: the first call loads some parts
    taken = []
    for transcript in transcripts:
        began = time.perf_counter()
        classify(transcript)
        taken.append(1e3 * (time.perf_counter() - began))
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()  # getrusage reports the parent's peak if that is higher
    peak = next(int(line.split()[1]) / 1e3 for line in status if line.startswith("VmHWM"))
    encode, alone = SentenceEncoder(), []
    for text in sentences:
        began = time.perf_counter()
        encode([text])
        alone.append(1e3 * (time.perf_counter() - began))
    print(json.dumps({"ms": taken, "encoder_ms": alone, "start_s": start, "peak_mb": peak, "torch": "torch" in sys.modules}))


if __name__ == "__main__":
    main()
