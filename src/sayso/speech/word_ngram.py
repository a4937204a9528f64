"""The domain's sentences → a word 4-gram with Witten–Bell smoothing (Witten & Bell 1991), which also scores the beginning of a word.

A decoder that writes words in pieces needs to know after "kit" already that "kitchen" is likely. All words that begin with the piece stand
next to each other in the sorted vocabulary, so their probability is a difference of two cumulative sums. Words outside the vocabulary
stay possible: a bias, not a cage.
"""

from __future__ import annotations

import hashlib
import io
import logging
import math
import zipfile
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.domain.numbers import number_words
from sayso.errors import DomainError
from sayso.speech import language_model
from sayso.types import FloatArray

ORDER = 4
P_UNKNOWN = 0.02  # of a word outside the vocabulary, in any context
LETTER = 2.0  # nats a letter of such a word costs; less than ln 26, since letters are not independent
MOST_WORDS = 65_000
LARGEST = 999  # number that may be written in digits
LARGEST_FILE = 100_000_000  # bytes of the arrays in a file of the cache; the default home's have 2 MB
_BITS = np.uint64(16)  # of a word's id in a key; an n-gram's key holds its ids, the last word lowest

Keys = NDArray[np.uint64]
Context = tuple[int, ...]  # ids of the last words, at most ORDER − 1

# What a damaged file of the cache raises; RuntimeError: zipfile's, for a password or another version of the format.
UNREADABLE = (OSError, KeyError, ValueError, TypeError, EOFError, RuntimeError, MemoryError, zlib.error, zipfile.BadZipFile)

_LOG = logging.getLogger(__name__)


class WordNgram:
    """P(word | the last three words), and P(word begins with these letters | the last three words).

    Witten–Bell: P(w | h) = (c(hw) + t(h) P(w | h')) / (c(h) + t(h)), where t(h) counts the different words after h, and h' lacks the first
    word of h; the recursion ends with equal probabilities.
    """

    def __init__(self, words: Sequence[str], keys: Sequence[Keys], counts: Sequence[FloatArray]) -> None:
        """`words` sorted; for each order from 1, the sorted keys of its n-grams and their counts."""
        self.words = tuple(words)
        self.end, self.begin = len(words), len(words) + 1  # ids; `begin` is never predicted
        self._ids = {word: index for index, word in enumerate(words)}
        self._keys, self._counts = tuple(keys), tuple(counts)
        self._after = lru_cache(maxsize=1_000)(self._distribution)
        self._range = lru_cache(maxsize=10_000)(self._beginning_with)
        self._numerals = _numerals(self._ids)

    @property
    def start(self) -> Context:
        """The context of the first word."""
        return (self.begin,) * (ORDER - 1)

    def followed(self, context: Context, word: str) -> Context:
        """The context after one more word; an unknown word hides what was before it."""
        found = self._ids.get(word)
        return (*context, found)[-(ORDER - 1) :] if found is not None else ()

    def distribution(self, context: Context) -> FloatArray:
        """(V + 1,) P(w | context) of the words in order and of the end; it sums to 1 − P_UNKNOWN."""
        return np.diff(self._after(context), prepend=0.0)

    def p_word(self, context: Context, word: str) -> float:
        """P(word | context)."""
        found = self._ids.get(word)
        known = self._between(context, found, found + 1) if found is not None else 0.0
        return known + P_UNKNOWN * math.exp(-LETTER * len(word))

    def p_prefix(self, context: Context, letters: str) -> float:
        """P(the next word begins with these letters | context); digits stand for the numbers that begin with them."""
        if letters.isdecimal():
            known = math.fsum(self._between(context, word, word + 1) for word in self._numerals.get(letters, ()))
        else:
            known = self._between(context, *self._range(letters))
        return known + P_UNKNOWN * math.exp(-LETTER * len(letters))

    def p_end(self, context: Context) -> float:
        """P(the sentence ends here | context)."""
        return self._between(context, self.end, self.end + 1)

    def begins(self, word: str, letters: str) -> bool:
        """Whether the word begins with these letters, or is the first of a number that begins with these digits."""
        return self._ids.get(word) in self._numerals.get(letters, ()) if letters.isdecimal() else word.startswith(letters)

    def as_bytes(self) -> bytes:
        """The content of a file that `word_ngram` reads."""
        arrays: dict[str, Any] = {
            f"{name}{order}": each[order] for name, each in (("keys", self._keys), ("counts", self._counts)) for order in range(ORDER)
        }
        buffer = io.BytesIO()
        np.savez(buffer, words=np.array(self.words), **arrays)
        return buffer.getvalue()

    def log_p(self, text: str) -> float:
        """Ln P of the whole text with its end."""
        context, total = self.start, 0.0
        for word in text.split():
            total += math.log(self.p_word(context, word))
            context = self.followed(context, word)
        return total + math.log(self.p_end(context))

    def _between(self, context: Context, low: int, high: int) -> float:
        sums = self._after(context)
        return float(sums[high - 1] - (sums[low - 1] if low else 0.0)) if high > low else 0.0

    def _beginning_with(self, letters: str) -> tuple[int, int]:
        return bisect_left(self.words, letters), bisect_left(self.words, letters + "\U0010ffff")

    def _distribution(self, context: Context) -> FloatArray:
        """(V + 1,) cumulative sums of P(w | context)."""
        p = np.full(self.end + 1, 1.0 / (self.end + 1))
        for order in range(min(len(context), ORDER - 1) + 1):
            history = context[len(context) - order :] if order else ()
            words, counts = self._followers(history)
            if not len(words):
                break  # a context that was never seen: longer ones were not seen either
            kinds, total = len(words), counts.sum()
            p *= kinds / (total + kinds)
            p[words] += counts / (total + kinds)
        sums: FloatArray = np.cumsum(p) * (1.0 - P_UNKNOWN)
        return sums

    def _followers(self, history: Context) -> tuple[NDArray[np.int64], FloatArray]:
        keys = self._keys[len(history)]
        prefix = np.uint64(0)
        for word in history:
            prefix = (prefix << _BITS) | np.uint64(word)
        low, high = np.searchsorted(keys, [prefix << _BITS, (prefix + np.uint64(1)) << _BITS]) if history else (0, len(keys))
        return (keys[low:high] & np.uint64(0xFFFF)).astype(np.int64), self._counts[len(history)][low:high]


def counted(lines: Iterable[str]) -> WordNgram:
    """The n-gram of these sentences.

    Raises:
        DomainError: they have more different words than fit into 16 bits.
    """
    sentences = [line.split() for line in lines]
    words = sorted({word for sentence in sentences for word in sentence})
    if len(words) > MOST_WORDS:
        raise DomainError(f"the sentences have {len(words):,} different words; the recogniser takes {MOST_WORDS:,}")
    ids = {word: index for index, word in enumerate(words)}
    end, begin = len(words), len(words) + 1
    stream = np.array(
        [each for sentence in sentences for each in (*[begin] * (ORDER - 1), *(ids[word] for word in sentence), end)], np.uint64
    )
    predicted = np.flatnonzero(stream != begin)
    keys, counts = [], []
    packed = np.zeros(len(predicted), np.uint64)
    for order in range(ORDER):
        packed = packed | (stream[predicted - order] << np.uint64(16 * order))
        found, number = np.unique(packed, return_counts=True)
        keys.append(found)
        counts.append(number.astype(np.float64))
    return WordNgram(words, keys, counts)


def word_ngram(domain: Domain) -> WordNgram:
    """The n-gram of the domain, from the cache beside the trigram model, or counted now (some seconds, once per domain)."""
    model, lines = language_model.with_sentences(domain)
    code = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    path = model.arpa.with_name(f"words.{code}.npz")
    try:
        return cached(path)
    except FileNotFoundError:
        pass
    except UNREADABLE as broken:
        _LOG.warning("%s: cannot be read (%s); the n-gram is counted again", path, type(broken).__name__)
    ngram = counted(lines or language_model.corpus(domain))
    try:
        language_model.write_atomically(path, ngram.as_bytes())
    except OSError as unwritable:
        _LOG.warning("%s: cannot cache the n-gram (%s); it will be counted at every start", path, unwritable.strerror)
    return ngram


def cached(path: Path) -> WordNgram:
    """The n-gram in a file of the cache; raises one of `UNREADABLE`."""
    with zipfile.ZipFile(path) as parts:
        if sum(part.file_size for part in parts.infolist()) > LARGEST_FILE:
            raise ValueError("too large")
    with np.load(path) as file:
        keys, counts = ([file[f"{name}{order}"] for order in range(ORDER)] for name in ("keys", "counts"))
        words = file["words"].tolist()
    if not all(key.dtype == np.uint64 and key.shape == count.shape == (len(key),) for key, count in zip(keys, counts, strict=True)):
        raise ValueError("arrays of another form")
    if len(words) > MOST_WORDS or not all(isinstance(word, str) for word in words):
        raise ValueError("words of another form")
    return WordNgram(words, keys, counts)


def _numerals(ids: dict[str, int]) -> dict[str, tuple[int, ...]]:
    """Digits → ids of the words with which the numbers begin that are written with these digits first: "9" → nine, ninety."""
    found: dict[str, set[int]] = {}
    for number in range(LARGEST + 1):
        word = ids.get(number_words(number).split(" ", 1)[0])
        if word is not None:
            for length in range(1, len(str(number)) + 1):
                found.setdefault(str(number)[:length], set()).add(word)
    return {digits: tuple(sorted(words)) for digits, words in found.items()}
