"""The command language model: P(t) = ∏ P(w_i | w_1 … w_{i−1}) of commands to robots, by a small causal transformer (equations 2–7).

It rescores a recogniser's alternative texts. `sayso train lm` trains it.
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
METADATA = "sayso"  # metadata key in the file; its value is JSON with the vocabulary and the fitted numbers
UNKNOWN, START, END = 0, 1, 2
SPECIAL = ("[UNK]", "[CLS]", "[SEP]")  # as in the encoder's tokenizer
LONGEST = 64  # pieces that are read; the rest is ignored
MAX_WORDS = 100


class Pieces:
    """Text → ids of word pieces: a subset of the encoder's pieces, including all letters, so that unknown names can be spelt."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        """`vocabulary` starts with SPECIAL; pieces inside a word start with ##."""
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
        """[START, …, END], with at most LONGEST ids after START; a longer text is cut, and then has no END."""
        words = " ".join(text[: 20 * MAX_WORDS].split()[:MAX_WORDS])
        ids: list[int] = self._tokenizer.encode(words).ids
        return [START, *ids, END][: LONGEST + 1]


class Tree:
    """A batch of tokenised texts as a prefix tree, so that shared prefixes are computed once.

    A node is a prefix; a step extends a node by one piece. The result for a text does not depend on the rest of the batch.
    """

    def __init__(self, rows: Sequence[Sequence[int]]) -> None:
        """Each row starts with START; at least one must be longer."""
        nodes: list[int] = [-1]  # the step that leads to each node; the root is START
        steps: dict[tuple[int, int], int] = {}  # (node, piece) → number of the step
        node_after: dict[int, int] = {}  # step → node; final steps have none
        self.paths: list[list[int]] = []  # steps of each row
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
        # (M,) piece and depth of each node, (M, M) mask of its ancestors; (P,) parent node and piece of each step.
        self.inputs = {"ids": ids, "depths": depths, "see": see, "parents": parents.copy(), "targets": targets.copy()}


class CommandLanguageModel:
    """Texts → ln P(t), with onnxruntime on one core, all texts at once."""

    def __init__(self, path: Path | None = None) -> None:
        """Load the shipped model, or another file written by `sayso train lm`.

        Raises:
            ModelError: the file is missing, altered, or no such model.
        """
        path = path or model_path(MODEL)
        try:
            self._session: Any = onnx_session(path)
            about = json.loads(self._session.get_modelmeta().custom_metadata_map[METADATA])
            self.pieces = Pieces(about["vocabulary"])
            self.weight, self.per_word = float(about["weight"]), float(about["per_word"])  # fitted α and γ: see hypotheses.py
        except Exception as unreadable:  # onnxruntime's errors have no common base class
            raise ModelError(f"{path} is not a command language model: make one with 'sayso train lm'") from unreadable

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        """(N,) ln P of normalised texts including their end; ignores everything after LONGEST pieces."""
        if not texts:
            return np.zeros(0)
        tree = Tree([self.pieces(text) for text in texts])
        log_p = self._session.run(["log_p"], tree.inputs)[0].astype(np.float64)
        return np.array([log_p[path].sum() for path in tree.paths])

    def next_piece(self, text: str) -> FloatArray:
        """(V,) P(w | text), the distribution of the next piece; for a long text, the piece after the first LONGEST."""
        ids = self.pieces(text)[:LONGEST]
        prefix = ids if ids[-1] != END else ids[:-1]
        return np.asarray(np.exp(self._session.run(["last"], Tree([[*prefix, END]]).inputs)[0]), np.float64)


def perplexity(log_p: FloatArray, pieces: int) -> float:
    """2^(−(1/N) Σ log₂ P), equation 8 with the missing 1/N, from ln P of texts with N pieces in total, ends included."""
    return float(2.0 ** (-np.sum(log_p) / np.log(2.0) / pieces))
