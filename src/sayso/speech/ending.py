"""How long a pause must be until the sentence is over: a complete command ends soon, one that breaks off gets more time (equation 45).

The words before the pause say how likely the sentence ends there, and how likely it goes on with a new phrase ("and …", "from …") or in
the middle of one ("the kitchen | counter"). People pause before a new phrase, seldom within one, and the longer a pause lasts, the less
likely it is that more follows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sayso.speech.recogniser import Recognition
from sayso.speech.word_ngram import WordNgram
from sayso.yaml_source import read_plain

WORDS = Path(__file__).with_name("ending.yaml")


@dataclass(frozen=True, slots=True)
class EndingOptions:
    """Parameters of the end of a sentence."""

    opening: float = 0.2  # P(a pause before a new phrase)
    inside: float = 0.01  # P(a pause within a phrase)
    lasting: float = 0.15  # s, mean of such a pause
    doubt: float = 0.1  # P(more follows) that is accepted: the sentence is heard again if it goes on
    least: float = 0.16  # s
    most: float = 1.0  # s, also for a sentence that cannot end here


class SentenceEnd:
    """What was recognised until a pause → s of silence after which the sentence is over."""

    def __init__(self, ngram: WordNgram, options: EndingOptions | None = None) -> None:
        self._ngram, self.options = ngram, options or EndingOptions()

    def __call__(self, recognition: Recognition) -> float:
        """The silence s at which P(more follows | text, a pause of s) has fallen to `doubt`; every text counts by its probability."""
        options, end, paused = self.options, 0.0, 0.0
        for text in recognition.alternatives:
            p = math.exp(text.log_p)
            ends, pauses = self._after(text.text)
            end, paused = end + p * ends, paused + p * pauses
        odds = options.doubt / (1.0 - options.doubt)
        if end <= 0.0:
            return options.most
        silence = options.lasting * math.log(max(paused / (end * odds), 1e-9))
        return min(max(silence, options.least), options.most)

    def _after(self, text: str) -> tuple[float, float]:
        """P(the sentence ends after the text), and P(it goes on, after a pause)."""
        context = self._ngram.start
        for word in text.split():
            context = self._ngram.followed(context, word)
        end = self._ngram.p_end(context)
        opens = math.fsum(self._ngram.p_word(context, word) for word in openers())
        return end, self.options.opening * opens + self.options.inside * max(1.0 - end - opens, 0.0)


@lru_cache(maxsize=1)
def openers() -> tuple[str, ...]:
    """Words that begin a phrase."""
    words: list[str] = read_plain(WORDS)["openers"]
    return tuple(words)
