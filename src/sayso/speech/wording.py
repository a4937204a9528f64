"""The plain words of a text that is being written piece by piece, with their probability in the domain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sayso.speech.pieces import in_words
from sayso.speech.word_ngram import Context, WordNgram

MEMORY = 2  # words before, in the other recogniser's opinion
SHARE = 0.4  # of that opinion in the probability of a word
CLAUSE = 3  # words at least, without articles, of a clause that is said twice
ARTICLES = frozenset(("a", "an", "the", "my"))
LINKING = frozenset(("and", "then"))
LEAST = 1e-4  # weight of its least probable text, relative to its best


@dataclass(frozen=True, slots=True)
class Wording:
    """Words so far and the beginning of one more."""

    words: tuple[str, ...]  # complete
    begun: str  # letters of the word that is being written
    context: Context  # of the word that is being written
    complete: float  # ln P(words)
    log_p: float  # ln P(words and beginning)

    @property
    def text(self) -> str:
        """All of it, with a space after complete words."""
        return "".join(f"{word} " for word in self.words) + self.begun


class Opinion:
    """The texts of another recogniser, as the words that follow each pair of words in them.

    A pair, not all words before: where it misheard one word, it may have heard the rest well.
    """

    def __init__(self, texts: Sequence[tuple[str, float]]) -> None:
        """(text, log score)."""
        self.texts = tuple(text for text, _ in sorted(texts, key=lambda each: -each[1]))
        top = max((score for _, score in texts), default=0.0)
        follows: dict[tuple[str, ...], dict[str, float]] = {}
        for text, score in texts:
            weight = math.exp(score - top) + LEAST
            words = (*[""] * MEMORY, *text.split(), "")
            for place in range(MEMORY, len(words)):
                after = follows.setdefault(words[place - MEMORY : place], {})
                after[words[place]] = after.get(words[place], 0.0) + weight
        self._follows = {before: _shares(after) for before, after in follows.items()}

    def next(self, words: tuple[str, ...]) -> dict[str, float]:
        """P(next word), "" for the end, after these words; empty if no text has them."""
        return self._follows.get((("",) * MEMORY + words)[-MEMORY:], {})


class Scribe:
    """Adds pieces to wordings, with probabilities of the n-gram and, where there is one, of another recogniser's opinion."""

    def __init__(self, ngram: WordNgram, opinion: Opinion | None = None) -> None:
        self._ngram, self._opinion = ngram, opinion or Opinion(())
        self.nothing = Wording((), "", ngram.start, 0.0, 0.0)

    def extended(self, wording: Wording, piece: str) -> Wording:
        """The wording with one more piece; a space in it completes a word."""
        first, *others = piece.split(" ")
        if first:
            wording = self._begun(wording, wording.begun + first)
        for letters in others:
            wording = self._completed(wording)
            if letters:
                wording = self._begun(wording, letters)
        return wording

    def ended(self, wording: Wording) -> Wording:
        """The whole sentence; `log_p` includes its end."""
        whole = self._completed(wording)
        said = self._opinion.next(whole.words)
        log_p = whole.complete + _log_mixed(self._ngram.p_end(whole.context), said, said.get("", 0.0))
        return Wording(whole.words, "", whole.context, whole.complete, log_p)

    def _begun(self, wording: Wording, letters: str) -> Wording:
        said = self._opinion.next(wording.words)
        other = math.fsum(p for word, p in said.items() if self._ngram.begins(word, letters))
        log_p = wording.complete + _log_mixed(self._ngram.p_prefix(wording.context, letters), said, other)
        return Wording(wording.words, letters, wording.context, wording.complete, log_p)

    def _completed(self, wording: Wording) -> Wording:
        if not wording.begun:
            return wording
        words, context, log_p = wording.words, wording.context, wording.complete
        for word in in_words(wording.begun):
            said = self._opinion.next(words)
            log_p += _log_mixed(self._ngram.p_word(context, word), said, said.get(word, 0.0))
            words, context = (*words, word), self._ngram.followed(context, word)
        return Wording(words, "", context, log_p, log_p)


def repeats(words: tuple[str, ...]) -> bool:
    """Whether the words end in a loop, as decoders do on noise: one word five times, several three times, or a clause twice.

    "go to the dock and then go to my dock": nobody asks for the same twice, so a linking word or another article does not make it new.
    """
    if len(words) >= 5 and words[-5:] == words[-1:] * 5:
        return True
    if any(words[-n:] == words[-2 * n : -n] == words[-3 * n : -2 * n] for n in range(2, len(words) // 3 + 1)):
        return True
    plain = tuple(word for word in words if word not in ARTICLES)
    return any(_twice(plain, n, between) for n in range(CLAUSE, len(plain) // 2 + 1) for between in range(3))


def _twice(words: tuple[str, ...], n: int, between: int) -> bool:
    first = words[-2 * n - between : -n - between] if len(words) >= 2 * n + between else ()
    return first == words[-n:] and LINKING.issuperset(words[len(words) - n - between : len(words) - n])


def _log_mixed(p: float, said: dict[str, float], other: float) -> float:
    return math.log((1.0 - SHARE) * p + SHARE * other if said else p)


def _shares(weights: dict[str, float]) -> dict[str, float]:
    total = math.fsum(weights.values())
    return {word: weight / total for word, weight in weights.items()}
