"""Beam search in Moonshine's probabilities and the domain's n-gram together: shallow fusion (Gulcehre et al. 2015).

The score of a text is ln P(text | sound) + λ ln P(text in the domain) + β |words|. β makes up for the probability that each word costs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sayso.speech.moonshine import BEGIN, END, Moonshine, chosen
from sayso.speech.pieces import MoonshinePieces
from sayso.speech.word_ngram import WordNgram
from sayso.speech.wording import Opinion, Scribe, Wording, repeats
from sayso.types import SAMPLE_RATE

PAUSE = 0.2  # s of silence added before and after: sound that begins or ends within a word is misheard
PEAK = 0.7  # of the sound: the loudness of the training data
LETTERS = 12  # by which a text may be longer in any case
TOKENS_PER_S, TOKENS = 8.0, 10  # the longest text: people say up to 6 tokens a second


@dataclass(frozen=True, slots=True)
class FusionOptions:
    """Parameters of the search, chosen on the tuning voices of `sayso train speech`."""

    beam: int = 8
    language: float = 0.8  # λ
    word: float = 2.5  # β, nats
    pieces: int = 30  # most likely tokens after each text that are tried
    unlikely: float = 10.0  # nats below the likeliest token, or the best text, at which another is dropped
    end: float = 2.0  # nats below the likeliest token at which the text may still end: short texts would be too cheap
    cut: float = 0.5  # share of the letters of the free text below which a text is one that broke off
    most: float = 2.0  # and above which it is one that went on after the speech had ended
    told: int = 1  # texts of the other recogniser that are followed to their end, however unlikely
    behind: float = 8.0  # nats by which the best unfinished text is behind the best finished one when the search ends


@dataclass(frozen=True, slots=True)
class FusedText:
    """A text with its scores, all natural logarithms."""

    text: str
    score: float  # of both together
    acoustic: float  # ln P(text | sound)
    language: float  # ln P(text in the domain)
    worst: float  # ln P of its least likely word given the sound

    @property
    def count(self) -> int:
        """Number of words."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Fused:
    """The texts of one sound."""

    texts: tuple[FusedText, ...]  # best first, each wording once
    free: FusedText  # the most likely one without the domain, by greedy decoding; its score is its acoustic one


@dataclass(frozen=True, slots=True)
class _Text:
    """An unfinished text in the beam."""

    tokens: tuple[int, ...]
    log_ps: tuple[float, ...]  # of each token
    acoustic: float
    wording: Wording
    score: float
    row: int  # of the text it continues


class FusedDecoder:
    """Sound → texts."""

    def __init__(self, moonshine: Moonshine, pieces: list[str], ngram: WordNgram, options: FusionOptions | None = None) -> None:
        """`pieces` as from `read_pieces`."""
        self._moonshine, self._ngram, self._pieces = moonshine, ngram, MoonshinePieces(pieces)
        self.options = options or FusionOptions()

    def __call__(self, vectors: NDArray[np.float32], seconds: float, opinion: Opinion | None = None) -> Fused:
        """The texts of a sound of that duration, given as Moonshine's (1, T, 288) vectors."""
        told = opinion.texts[: self.options.told] if opinion else ()
        search = _Search(self._pieces, Scribe(self._ngram, opinion), self.options, told)
        past = self._moonshine.no_past
        for _ in range(TOKENS + round(TOKENS_PER_S * seconds)):
            rows = search.rows
            if search.begun:
                past = chosen(past, [text.row for text in rows])
            logits, past = self._moonshine.step(vectors, np.array([[text.tokens[-1]] for text in rows]), past)
            if not search.advanced(log_softmax(logits[:, -1])):
                break
        return search.result()


class _Search:
    """The search in one sound: a beam, and beside it, in the same batch, the greedy text without the domain."""

    def __init__(self, pieces: MoonshinePieces, scribe: Scribe, options: FusionOptions, told: tuple[str, ...]) -> None:
        self._pieces, self._scribe, self._options, self._told = pieces, scribe, options, told
        self._free = _Text((BEGIN,), (), 0.0, scribe.nothing, 0.0, 0)
        self._alive = [self._free]
        self._finished: dict[str, FusedText] = {}

    @property
    def begun(self) -> bool:
        """Whether the first token is chosen."""
        return len(self._free.tokens) > 1

    @property
    def rows(self) -> list[_Text]:
        """The texts that need a next token."""
        free = [] if self._free.tokens[-1] == END else [self._free]
        return [*self._alive, *free] if self.begun else free

    def advanced(self, log_p: NDArray[np.float32]) -> bool:
        """Add a token to each text, given (rows, 32768) ln P of every token; False if the search is over."""
        if self._free.tokens[-1] != END:
            self._free = self._likeliest(self._free, log_p[-1], len(log_p) - 1)
        self._alive = self._next(log_p)
        if not self._alive or self._free.tokens[-1] != END:
            return bool(self._alive)
        best = max((text.score for text in self._long()), default=-math.inf)
        return self._alive[0].score >= best - self._options.behind

    def result(self) -> Fused:
        """The texts so far; unfinished ones only if none is finished."""
        if not self._finished:
            for text in self._alive:
                self._finish(text, 0.0)
        texts = self._long() or self._finished.values()
        return Fused(tuple(sorted(texts, key=lambda text: -text.score)), self._whole(self._free))

    def _long(self) -> list[FusedText]:
        """The finished texts that neither broke off nor went on: a word that is likely in the domain gains more than it costs, or less."""
        free = len(self._free.wording.text)
        least, most = self._options.cut * free, self._options.most * free + LETTERS
        return [text for text in self._finished.values() if least <= len(text.text) <= most]

    def _likeliest(self, text: _Text, log_p: NDArray[np.float32], row: int) -> _Text:
        token = int(log_p.argmax())
        if repeats(text.wording.words):
            token = END
        gained = float(log_p[token])
        wording = text.wording if token == END else self._scribe.extended(text.wording, self._pieces.plain[token])
        return _Text((*text.tokens, token), (*text.log_ps, gained), text.acoustic + gained, wording, 0.0, row)

    def _next(self, log_p: NDArray[np.float32]) -> list[_Text]:
        """The next beam, best first; texts that may end here are finished."""
        options, found = self._options, dict[str, _Text]()
        for row, text in enumerate(self._alive):
            top = float(log_p[row].max())
            if log_p[row, END] > top - options.end or text.wording.text in self._told:
                self._finish(text, float(log_p[row, END]))
            likely = _likely(log_p[row], top - options.unlikely, options.pieces)
            for token in {*likely, *self._as_told(text)}:
                new = self._continued(text, token, float(log_p[row, token]), row)
                key = new.wording.text  # the same words in other pieces, or with other punctuation, are one text
                if key not in found or found[key].score < new.score:
                    found[key] = new
        every = sorted((text for text in found.values() if not repeats(text.wording.words)), key=lambda text: -text.score)
        best = [text for text in every[: options.beam] if text.score > every[0].score - options.unlikely]
        for said in self._told:
            # The longest beginning: one that ends with a full stop is often likelier, and never gets further.
            begun = [text for text in every if f"{said} ".startswith(text.wording.text)]
            followed = max(begun, key=lambda text: (len(text.wording.text), text.score), default=None)
            if followed and followed not in best:
                best.append(followed)
        return best

    def _as_told(self, text: _Text) -> list[int]:
        """The tokens with which the text stays the beginning of one that the other recogniser heard."""
        written = text.wording.text
        rest = {f"{said} "[len(written) :] for said in self._told if f"{said} ".startswith(written)}
        return [token for each in rest for token in self._pieces.beginning(each if written else f" {each}")]

    def _continued(self, text: _Text, token: int, gained: float, row: int) -> _Text:
        wording, acoustic = self._scribe.extended(text.wording, self._pieces.plain[token]), text.acoustic + gained
        count = len(wording.words) + bool(wording.begun)
        score = acoustic + self._options.language * wording.log_p + self._options.word * count
        return _Text((*text.tokens, token), (*text.log_ps, gained), acoustic, wording, score, row)

    def _finish(self, text: _Text, log_p_end: float) -> None:
        whole = self._whole(replace(text, acoustic=text.acoustic + log_p_end))
        score = whole.acoustic + self._options.language * whole.language + self._options.word * whole.count
        known = self._finished.get(whole.text)
        if whole.text and not repeats(tuple(whole.text.split())) and (known is None or known.score < score):
            self._finished[whole.text] = replace(whole, score=score)

    def _whole(self, text: _Text) -> FusedText:
        wording = self._scribe.ended(text.wording)
        worst, word = 0.0, 0.0
        for token, log_p in zip(text.tokens[1:], text.log_ps, strict=True):
            word = log_p if self._pieces.plain[token].startswith(" ") else word + log_p
            worst = min(worst, word)
        return FusedText(" ".join(wording.words), text.acoustic, text.acoustic, wording.log_p, worst)


def prepared(samples: NDArray[np.int16]) -> NDArray[np.float32]:
    """(N,) → (M,) without offset, of the loudness that Moonshine knows, with a pause before and after."""
    sound = samples.astype(np.float32) - np.float32(samples.mean())
    pause = round(PAUSE * SAMPLE_RATE)
    return np.pad(sound * np.float32(PEAK / max(float(np.abs(sound).max()), 1.0)), (pause, pause))


def log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """(B, V) → ln P."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p: NDArray[np.float32] = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return log_p


def _likely(log_p: NDArray[np.float32], least: float, most: int) -> list[int]:
    tokens = np.flatnonzero(log_p > least)
    if len(tokens) > most:
        tokens = tokens[np.argpartition(-log_p[tokens], most)[:most]]
    return [int(token) for token in tokens if token != END]
