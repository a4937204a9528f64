"""Numbers as they are spoken: 45 → "forty five"."""

from __future__ import annotations

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
LONGEST = 6  # digits
_TENS = ("zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def number_words(value: int) -> str:
    """An integer of 0 … 999,999 in words, without hyphens and without "and": 245 → "two hundred forty five"."""
    if not 0 <= value < 1_000_000:
        raise ValueError(f"{value} is not in 0 … 999,999")
    if value < 20:
        return _ONES[value]
    if value < 100:
        tens, ones = divmod(value, 10)
        return _TENS[tens] + (f" {_ONES[ones]}" if ones else "")
    size, name = (100, "hundred") if value < 1000 else (1000, "thousand")
    many, rest = divmod(value, size)
    return f"{number_words(many)} {name}" + (f" {number_words(rest)}" if rest else "")


def spelt_out(text: str) -> str:
    """The text with its numerals as words: "90 degrees" → "ninety degrees"."""
    return " ".join(number_words(int(word)) if word.isdecimal() and len(word) <= LONGEST else word for word in text.split())
