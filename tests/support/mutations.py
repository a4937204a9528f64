"""Mutated copies of valid files: bytes flipped, cut, repeated, exchanged, numbers made extreme, words of the format thrown in."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

EXTREME = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 2**63 - 1, 2**64 - 1)
YAML_WORDS = tuple((Path(__file__).parents[1] / "fuzz" / "yaml_words.txt").read_text().split())
JSON_WORDS = ("[", "]", "{", "}", ":", ",", '"', "null", "true", "NaN", "Infinity", "-1", "1e999", "9" * 20, "\\u0000", "\\ud800")


def mutated(seeds: Sequence[bytes], words: Sequence[str], chance: random.Random) -> bytes:
    """One of the seeds, changed in one to eight places."""
    data = chance.choice(seeds)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 5, 8))):
        data = chance.choice(_CHANGES)(data, seeds, words, chance)
    return data


def _place(data: bytes, chance: random.Random) -> tuple[int, int]:
    """Start and end of a part; mostly short."""
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + int(2 ** chance.uniform(0, 8)))


def _flip(data: bytes, _: Sequence[bytes], __: Sequence[str], chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _cut(data: bytes, _: Sequence[bytes], __: Sequence[str], chance: random.Random) -> bytes:
    start, end = _place(data, chance)
    return data[:start] if chance.random() < 0.2 else data[:start] + data[end:]


def _repeat(data: bytes, _: Sequence[bytes], __: Sequence[str], chance: random.Random) -> bytes:
    start, end = _place(data, chance)
    return data[:end] + data[start:end] * min(chance.choice((1, 2, 30, 1000)), 1 + 200_000 // (end - start + 1)) + data[end:]


def _exchange(data: bytes, seeds: Sequence[bytes], _: Sequence[str], chance: random.Random) -> bytes:
    start, end = _place(data, chance)
    other = chance.choice(seeds)
    low, high = _place(other, chance)
    return data[:start] + other[low:high] + data[end:]


def _number(data: bytes, _: Sequence[bytes], __: Sequence[str], chance: random.Random) -> bytes:
    start, size = chance.randrange(len(data) + 1), chance.choice((1, 2, 4, 8))
    number = (chance.choice(EXTREME) + chance.choice((0, 0, -1, 1))) % 256**size
    return data[:start] + number.to_bytes(size, chance.choice(("little", "big"))) + data[start + size :]


def _word(data: bytes, _: Sequence[bytes], words: Sequence[str], chance: random.Random) -> bytes:
    if not words:
        return _number(data, (), (), chance)
    start, end = _place(data, chance)
    return data[:start] + chance.choice(words).encode("utf-8", "surrogatepass") + data[start if chance.random() < 0.5 else end :]


def _line(data: bytes, _: Sequence[bytes], __: Sequence[str], chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one] = chance.choice((b"", lines[other], b"  " + lines[one], lines[one].lstrip()))
    return b"\n".join(lines)


_CHANGES: tuple[Callable[[bytes, Sequence[bytes], Sequence[str], random.Random], bytes], ...] = (
    _flip, _cut, _repeat, _exchange, _number, _word, _word, _line,
)  # fmt: skip
