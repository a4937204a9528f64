"""Attention between points of space: which patches of other frames show the same spot (equation 18).

The score of a query at x for a key at y is −|x − y|² / 2σ² + b, with σ the width of the query and b the bias of the key. That is a scaled
dot product: Q = √d (x, 1) / (σ², 2σ²) and K = (y, −|y|²), up to a term of the query alone, which softmax ignores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
CHUNK = 256  # queries at once, of full attention
NEIGHBOURS = 24  # keys of a query, of sparse attention
REACH = 3.0  # widths: what is farther away has less than 1.2 % of the weight of what is there
FEATURES = 256  # random features, of linear attention


@dataclass(frozen=True, slots=True)
class Points:
    """Places of queries and keys.

    Shapes: (m, 3) queries, m; (m,) widths, m; (n, 3) keys, m; (n,) biases of the keys.
    """

    queries: Floats
    widths: Floats
    keys: Floats
    biases: Floats


SpatialAttention = Callable[[Points, Floats], Floats]


def full_attention(at: Points, values: Floats) -> Floats:
    """softmax(Q Kᵀ / √d) V with every key for every query: (n, d) → (m, d)."""
    squares = (at.keys**2).sum(axis=1)
    attended = np.empty((len(at.queries), values.shape[1]), np.float32)
    for start in range(0, len(at.queries), CHUNK):
        some = slice(start, start + CHUNK)
        precision = 1.0 / at.widths[some, None] ** 2
        scores = precision * (at.queries[some] @ at.keys.T - 0.5 * squares) + at.biases
        scores -= scores.max(axis=1, keepdims=True)
        weights = np.exp(scores, out=scores)
        attended[some] = (weights @ values) / weights.sum(axis=1, keepdims=True)
    return attended


def sparse_attention(at: Points, values: Floats) -> Floats:
    """softmax((Q Kᵀ)_sparse / √d) V: the nearest keys within reach. A query that reaches none gets zeros."""
    from scipy.spatial import cKDTree

    count = min(NEIGHBOURS, len(at.keys))
    distances, found = cKDTree(at.keys).query(at.queries, count, distance_upper_bound=REACH * float(at.widths.max()))
    distances, found = distances.reshape(-1, count), found.reshape(-1, count)
    reached = distances <= REACH * at.widths[:, None]
    index = np.where(reached, found, 0)
    scores = np.where(reached, at.biases[index] - 0.5 * (distances / at.widths[:, None]) ** 2, -np.inf)
    top = scores.max(axis=1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(top), top, 0.0)).astype(np.float32)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
    attended: Floats = np.einsum("mk,mkd->md", weights, values[index])
    return attended


def linear_attention(at: Points, values: Floats) -> Floats:
    """φ(Q) (φ(K)ᵀ V) / φ(Q) Σ φ(K), where φ is the cell of a grid as wide as the median width: time and memory grow with m + n.

    A query in a cell without a key gets zeros.
    """
    side = 2.0 * float(np.median(at.widths))
    cells = np.floor(np.concatenate((at.keys, at.queries)) / side).astype(np.int64)
    _, cell = np.unique(cells, axis=0, return_inverse=True)
    of_keys, of_queries = cell.ravel()[: len(at.keys)], cell.ravel()[len(at.keys) :]
    weights = np.exp(at.biases - at.biases.max())
    return _from_cells(of_keys, of_queries, weights, values)


def _from_cells(of_keys: NDArray[np.int64], of_queries: NDArray[np.int64], weights: Floats, values: Floats) -> Floats:
    from scipy.sparse import csr_matrix

    count = int(max(of_keys.max(initial=0), of_queries.max(initial=0))) + 1
    into = csr_matrix((weights, (of_keys, np.arange(len(of_keys)))), shape=(count, len(of_keys)))  # φ(K)ᵀ
    sums, total = into @ values, np.asarray(into.sum(axis=1)).ravel()
    attended: Floats = (sums[of_queries] / np.maximum(total[of_queries], 1e-12)[:, None]).astype(np.float32)
    return attended


def random_feature_attention(at: Points, values: Floats) -> Floats:
    """The same with positive random features for φ, which estimate exp(Q Kᵀ) for any queries and keys (Choromanski et al. 2021).

    All queries take the median width.
    """
    width = float(np.median(at.widths))
    middle = at.keys.mean(axis=0)
    directions = np.random.default_rng(0).normal(size=(3, FEATURES)).astype(np.float32)
    q, k = (at.queries - middle) / width, (at.keys - middle) / width
    phi_q, phi_k = q @ directions, k @ directions - (k**2).sum(axis=1, keepdims=True) + at.biases[:, None]
    phi_q, phi_k = np.exp(phi_q - phi_q.max(axis=1, keepdims=True)), np.exp(phi_k - phi_k.max())
    attended: Floats = (phi_q @ (phi_k.T @ values)) / np.maximum(phi_q @ phi_k.sum(axis=0), 1e-30)[:, None]
    return attended.astype(np.float32)
