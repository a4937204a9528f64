"""How likely a text is in the domain, by the trigram that is made for pocketsphinx."""

from __future__ import annotations

import math
from typing import Any

from sayso.domain import Domain
from sayso.speech.language_model import language_model

UNKNOWN = -12.0  # nats, a word outside the domain: less likely than the domain's own, never impossible
_LOG_BASE = math.log(1.0001)  # pocketsphinx's log-probabilities are integers in this base
_IMPOSSIBLE = -100.0  # nats; a word of the domain is above this after any other


class DomainWords:
    """ln P(text) under the domain's trigram."""

    def __init__(self, domain: Domain) -> None:
        """Builds the trigram if it is not cached, which takes some seconds."""
        from pocketsphinx import NGramModel

        self._ngram: Any = NGramModel.readfile(str(language_model(domain).arpa))

    def __call__(self, text: str) -> float:
        """Nats, for lower-case words separated by spaces, with the end of the sentence."""
        words = ["<s>", *text.split(), "</s>"]
        return sum(self._log_p(words, place) for place in range(1, len(words)))

    def _log_p(self, words: list[str], place: int) -> float:
        """Of the word at this place after the two before it; pocketsphinx takes the words in reverse order."""
        log_p = float(self._ngram.prob(words[max(place - 2, 0) : place + 1][::-1])) * _LOG_BASE
        return log_p if log_p > _IMPOSSIBLE else UNKNOWN
