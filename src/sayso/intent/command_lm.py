"""The command language model: P(t) = ∏ P(w_i | w_1 … w_{i−1}) of what people say to robots, by a small causal transformer (equations 2–7).

It tells which of the texts that a recogniser wavers between is something that a person would say. `sayso train lm` makes it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sayso.errors import ModelError
from sayso.models import model_path, onnx_session
from sayso.types import FloatArray

MODEL = "command_lm.onnx"
METADATA = "sayso"  # the vocabulary and the fitted numbers, as JSON, are kept in the file under this name
UNKNOWN, START, END = 0, 1, 2
SPECIAL = ("[UNK]", "[CLS]", "[SEP]")  # as the tokenizer of the encoder names them
LONGEST = 64  # pieces that are read; what follows them changes nothing
MAX_WORDS = 100


class Pieces:
    """Text → numbers of word pieces: a subset of the encoder's pieces, with every letter, so that names never met are spelt."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        """`vocabulary` begins with SPECIAL; pieces inside a word begin with ##."""
        from tokenizers import Tokenizer
        from tokenizers.models import WordPiece
        from tokenizers.pre_tokenizers import BertPreTokenizer

        self.vocabulary = tuple(vocabulary)
        numbers = {piece: number for number, piece in enumerate(self.vocabulary)}
        self._tokenizer = Tokenizer(WordPiece(numbers, unk_token=SPECIAL[UNKNOWN], max_input_chars_per_word=40))
        self._tokenizer.pre_tokenizer = BertPreTokenizer()

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __call__(self, text: str) -> list[int]:
        """[START, …, END], at most LONGEST numbers after START; of a longer text the first ones, without an END."""
        words = " ".join(text[: 20 * MAX_WORDS].split()[:MAX_WORDS])
        ids: list[int] = self._tokenizer.encode(words).ids
        return [START, *ids, END][: LONGEST + 1]


class Tree:
    """Numbered texts as a tree: what several begin with alike is read once. A node is a beginning, a step leads from it by one piece.

    A text's steps are the same whatever the other texts are, so a batch changes nothing.
    """

    def __init__(self, rows: Sequence[Sequence[int]]) -> None:
        """Each row begins with START; there must be one that goes on after it."""
        nodes: list[int] = [-1]  # the step that leads to each node; the root is START
        steps: dict[tuple[int, int], int] = {}  # (node, piece) → number of the step
        node_after: dict[int, int] = {}  # step → node; a step that nothing follows has none
        self.paths: list[list[int]] = []  # of each row, its steps
        for row in rows:
            node, path = 0, []
            for at, piece in enumerate(row[1:], start=1):
                step = steps.setdefault((node, piece), len(steps))
                path.append(step)
                if at < len(row) - 1:
                    node = node_after.setdefault(step, len(nodes))
                    if node == len(nodes):
                        nodes.append(step)
            self.paths.append(path)
        parents, targets = np.array(list(steps), np.int64).T
        depths, see = np.zeros(len(nodes), np.int64), np.eye(len(nodes), dtype=np.bool_)
        for node, step in enumerate(nodes[1:], start=1):
            depths[node] = depths[parents[step]] + 1
            see[node] |= see[parents[step]]
        ids = np.array([START, *(targets[step] for step in nodes[1:])], np.int64)
        # (M,) piece and depth of each node, (M, M) which nodes it follows; (P,) from which node each step leads, and by which piece.
        self.inputs = {"ids": ids, "depths": depths, "see": see, "parents": parents.copy(), "targets": targets.copy()}


class CommandLanguageModel:
    """Texts → ln P(t), with onnxruntime on one core, all texts at once."""

    def __init__(self, path: Path | None = None) -> None:
        """The model of models/, or another file that `sayso train lm` wrote.

        Raises:
            ModelError: the file is missing, altered, or something else.
        """
        path = path or model_path(MODEL)
        try:
            self._session: Any = onnx_session(path)
            about = json.loads(self._session.get_modelmeta().custom_metadata_map[METADATA])
            self.pieces = Pieces(about["vocabulary"])
            self.weight, self.per_word = float(about["weight"]), float(about["per_word"])  # fitted α and γ: see hypotheses.py
        except Exception as unreadable:  # onnxruntime's errors share no base of their own
            raise ModelError(f"{path} is no command language model: make one with 'sayso train lm'") from unreadable

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        """(N,) ln P of normalised texts, their end included; what comes after LONGEST pieces is not looked at."""
        if not texts:
            return np.zeros(0)
        tree = Tree([self.pieces(text) for text in texts])
        log_p = self._session.run(["log_p"], tree.inputs)[0].astype(np.float64)
        return np.array([log_p[path].sum() for path in tree.paths])

    def next_piece(self, text: str) -> FloatArray:
        """(V,) P(w | text): what may come next, a distribution over the pieces; of a long text, what follows its LONGEST first ones."""
        ids = self.pieces(text)[:LONGEST]
        begun = ids if ids[-1] != END else ids[:-1]
        return np.asarray(np.exp(self._session.run(["last"], Tree([[*begun, END]]).inputs)[0]), np.float64)


def perplexity(log_p: FloatArray, pieces: int) -> float:
    """2^(−(1/N) Σ log₂ P), equation 8 with the 1/N that it needs, of texts of N pieces in all, ends included; ln P each."""
    return float(2.0 ** (-np.sum(log_p) / np.log(2.0) / pieces))
