"""Sparse matrices of errands: as far as needed, as SciPy's `csr_array`, whose import takes longer than to plan an errand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.types import FloatArray

FEW = 20_000  # stored numbers, up to which this is as quick as SciPy's
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SparseRows:
    """A matrix by its rows: row r holds `data[indptr[r]:indptr[r + 1]]` in the columns `indices[…]`."""

    data: FloatArray
    indices: IntArray
    indptr: IntArray
    shape: tuple[int, int]

    @property
    def nnz(self) -> int:
        """How many numbers are stored."""
        return len(self.data)

    def __matmul__(self, vector: FloatArray) -> FloatArray:
        """The product with a vector."""
        return self._sums(self.data * vector[self.indices])

    def sum(self, axis: int) -> FloatArray:
        """The sums of the rows; there is no other axis."""
        assert axis == 1
        return self._sums(self.data)

    def toarray(self) -> FloatArray:
        """The dense matrix."""
        dense: FloatArray = np.zeros(self.shape)
        np.add.at(dense, (np.repeat(np.arange(self.shape[0]), np.diff(self.indptr)), self.indices), self.data)
        return dense

    def _sums(self, stored: FloatArray) -> FloatArray:
        if not len(stored):
            return np.zeros(self.shape[0])
        begins, ends = self.indptr[:-1], self.indptr[1:]
        sums: FloatArray = np.add.reduceat(stored, np.minimum(begins, len(stored) - 1))
        sums[begins == ends] = 0.0  # of an empty row, reduceat gives the first of the next
        return sums


Matrix = Any  # SparseRows or csr_array


def rows(data: FloatArray, indices: IntArray, indptr: IntArray, shape: tuple[int, int]) -> Matrix:
    """The matrix of these rows, SciPy's if it is large."""
    if len(data) <= FEW:
        return SparseRows(data, indices, indptr, shape)
    from scipy.sparse import csr_array

    return csr_array((data, indices, indptr), shape=shape)
