"""Attention and transformer blocks in torch, for training. At run time, trained networks run as ONNX without torch."""

from sayso.nn.attention import MultiHeadAttention, head_similarity, scaled_dot_product_attention
from sayso.nn.encoder import EncoderLayer
from sayso.nn.positions import sinusoidal_positions

__all__ = [
    "EncoderLayer",
    "MultiHeadAttention",
    "head_similarity",
    "scaled_dot_product_attention",
    "sinusoidal_positions",
]
