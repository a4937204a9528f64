"""Text → vectors, by the shipped sentence encoder. Intents, roles and the words of visual grounding share it."""

from sayso.encoder.sentence import SentenceEncoder

__all__ = ["SentenceEncoder"]
