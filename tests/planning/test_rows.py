"""Sparse rows compute what SciPy does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from sayso.planning.rows import FEW, SparseRows, rows


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 9))
def test_products_sums_and_the_dense_matrix_are_those_of_scipy(seed: int, height: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    dense = rng.random((height, width)) * (rng.random((height, width)) < 0.4)
    known = csr_array(dense)
    ours = rows(known.data, known.indices, known.indptr, known.shape)
    assert isinstance(ours, SparseRows)
    assert ours.nnz == known.nnz
    vector = rng.random(width)
    assert ours @ vector == pytest.approx(known @ vector)
    assert ours.sum(axis=1) == pytest.approx(known.sum(axis=1))
    assert np.array_equal(ours.toarray(), dense)


def test_a_large_matrix_is_scipys() -> None:
    large = np.ones(FEW + 1)
    made = rows(large, np.arange(FEW + 1), np.array([0, FEW + 1]), (1, FEW + 1))
    assert isinstance(made, csr_array)
