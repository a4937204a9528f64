"""The post-norm transformer encoder layer, as in Vaswani et al. (2017)."""

from __future__ import annotations

from torch import Tensor, nn

from sayso.nn.attention import MultiHeadAttention


class EncoderLayer(nn.Module):
    """Equation 6: x' = LayerNorm(x + MultiHead(x, x, x)); y = LayerNorm(x' + max(0, x' W₁ + b₁) W₂ + b₂)."""

    def __init__(self, dim: int, heads: int, hidden: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, dim))
        self.norm_attention = nn.LayerNorm(dim)
        self.norm_feed_forward = nn.LayerNorm(dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, keep: Tensor | None = None) -> Tensor:
        """Apply self-attention and the feed-forward network.

        Args:
            x: (B, n, d).
            keep: (B, n), False for padding; or (B, n, n), False for masked positions, such as later words.

        Returns:
            (B, n, d)
        """
        attended, _ = self.attention(x, x, x, keep)
        x = self.norm_attention(x + self.dropout(attended))
        y: Tensor = self.norm_feed_forward(x + self.dropout(self.feed_forward(x)))
        return y
