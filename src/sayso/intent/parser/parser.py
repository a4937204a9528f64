"""Text → its likeliest structures, each with its probability: the network of models/parser.onnx and the chart."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.encoder.layers import ENCODER_KEY
from sayso.encoder.pieces import word_pieces
from sayso.errors import ModelError
from sayso.intent.parser.chart import Grammar, Structure, k_best, log_sum, spans_of
from sayso.intent.parser.labels import JOIN, LabelSet
from sayso.intent.parser.tree import ParsedSentence, Place, nesting, tree_of
from sayso.models import model_path, onnx_session, sha256_once

PARSER = "parser.onnx"
MOST_WORDS = 60  # a longer sentence is not read: time grows with the cube
MOST_PIECES = 256  # word pieces: a word of 200 letters has a hundred
READINGS, LEAST = 16, 3e-3  # structures of a sentence that are considered, and least P of a second one
VALUES, LIKELY = 2, 0.05  # intents of an act, or kinds of a question, that are considered, and least P of a second one
ASSIGNMENTS = 8  # of intents and kinds to a structure


class StructureParser:
    """The readings of a normalised text, the likeliest first."""

    def __init__(self) -> None:
        """Load the model.

        Raises:
            ModelError: a file is missing, altered, or belongs to another encoder.
        """
        own, encoder = model_path(PARSER), model_path("encoder.onnx")
        try:
            self._session: Any = onnx_session(own)
            held = self._session.get_modelmeta().custom_metadata_map
            if json.loads(held[ENCODER_KEY]) != sha256_once(encoder):  # whose weights its lowest layers map
                raise ModelError(f"{own} was not made for this {encoder.name}: make it again with 'sayso train parser'")
            labels = LabelSet(tuple(json.loads(held["labels"])))
            self._grammar = Grammar.of(labels, np.array(json.loads(held["within"]), np.float32))
            self.intents: tuple[str, ...] = tuple(json.loads(held["intents"]))  # that an act may have
            self.kinds: tuple[str, ...] = tuple(json.loads(held["kinds"]))  # of questions
            self.nested = frozenset((outer, inner) for outer, inner in json.loads(held["nested"]))  # labels that people mark within others
            self._temperature = float(held["temperature"])
            self._tokenizer, _ = word_pieces(model_path("tokenizer.json"))
        except ModelError:
            raise
        except Exception as unreadable:  # both libraries raise bare Exceptions
            raise ModelError(f"{own} cannot be read: restore it with 'git checkout -- models/{PARSER}'") from unreadable

    @property
    def labels(self) -> LabelSet:
        """What a span may be called."""
        return self._grammar.labels

    def is_word(self, text: str) -> bool:
        """Whether the language model that the encoder comes from knows it as one word: not "kithen"."""
        return self._tokenizer.token_to_id(text) is not None

    def __call__(self, text: str, most: int = READINGS) -> tuple[ParsedSentence, ...]:
        """Readings of a text: of at most that many structures, each with its likely intents; none if it has no words or too many.

        P(y | words) = exp(s(y) / τ) / Σ exp(s / τ), times P(intent) of each act and P(kind) of each question; given that y is one of the
        structures that people mark, if any of those considered is.
        """
        words = tuple(text.replace(",", " , ").split())
        if not 0 < len(words) <= MOST_WORDS or len(encoded := self._tokenizer.encode(list(words), is_pretokenized=True)) > MOST_PIECES:
            return ()
        scores, intents, kinds = self._scores(words, encoded)
        scores = scores / np.float32(self._temperature)
        grammar = Grammar(self._grammar.labels, self._grammar.within / np.float32(self._temperature))
        total = log_sum(scores, len(words), grammar)
        first, last = spans_of(len(words))
        place = {span: at for at, span in enumerate(zip(first.tolist(), last.tolist(), strict=True))}
        found = k_best(scores, len(words), grammar, most, total + math.log(LEAST))
        weighed = [(math.exp(min(score - total, 0.0)), structure) for score, structure in found]
        # Scores of single spans do not tell which spans people mark within which others.
        marked = [each for each in weighed if self.nested.issuperset(nesting(tree_of(each[1], {})))] or weighed
        unmarked = math.fsum(p for p, _ in weighed) - math.fsum(p for p, _ in marked)
        readings = []
        for p_structure, structure in marked:
            for values, p in self._values(structure, place, intents, kinds):
                readings.append(ParsedSentence(words, tree_of(structure, values), min(p_structure / (1.0 - unmarked), 1.0) * p))
        return tuple(sorted(readings, key=lambda each: -each.p))

    def _scores(self, words: Sequence[str], encoded: Any) -> tuple[NDArray[np.float32], ...]:
        """(S, L) of the labels, (S, K) of the intents and (S, Q) of the kinds of all spans."""
        ids = np.array([encoded.ids], np.int64)
        first, last = spans_of(len(words))
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "pool": pooling(encoded.word_ids, len(words)),
            "first": first,
            "last": last,
        }
        found: tuple[NDArray[np.float32], ...] = tuple(self._session.run(["spans", "intents", "kinds"], given))
        return found

    def _values(
        self, structure: Structure, place: dict[Place, int], intents: NDArray[np.float32], kinds: NDArray[np.float32]
    ) -> Iterator[tuple[dict[Place, str], float]]:
        """The likely intents of the acts together with the likely kinds of the questions, and the probability of all of them."""
        options: list[list[tuple[Place, str, float]]] = []
        for span, chain in structure.items():
            labels = chain.split(JOIN)
            names, scores = (self.intents, intents) if "act" in labels or "hint" in labels else (self.kinds, kinds)
            if "act" in labels or "hint" in labels or "question" in labels:
                row = scores[place[span]].astype(np.float64)
                p = np.exp(row - np.logaddexp.reduce(row))
                best = np.argsort(-p)[:VALUES].tolist()
                options.append([(span, names[at], float(p[at])) for at in best if at == best[0] or p[at] >= LIKELY])
        for chosen in islice(product(*options), ASSIGNMENTS):
            yield {span: name for span, name, _ in chosen}, math.prod(p for _, _, p in chosen)


def pooling(word_ids: Sequence[int | None], words: int) -> NDArray[np.float32]:
    """(words + 2, T) the mean over the pieces of [CLS], of each word, and of [SEP]."""
    found = np.zeros((words + 2, len(word_ids)), np.float32)
    for piece, word in enumerate(word_ids):
        found[word + 1 if word is not None else (0 if piece == 0 else words + 1), piece] = 1.0
    return np.asarray(found / np.maximum(found.sum(1, keepdims=True), 1.0), np.float32)
