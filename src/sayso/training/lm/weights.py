"""The weight of a language model against the recogniser, fitted on spoken commands and evaluated on others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sayso.intent import IntentClassifier
from sayso.intent.hypotheses import Hypotheses, as_learnt
from sayso.intent.plain import PlainText
from sayso.training.lm.speech import SpokenCommand
from sayso.training.lm.text import as_heard_right
from sayso.training.speech.train import edits
from sayso.types import FloatArray, IntentBelief, Transcript, TranscriptAlternative

WEIGHTS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.5)
PER_WORD = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
LogP = Callable[[Sequence[str]], FloatArray]
Fitted = tuple[float, float, float]  # α, γ of `Hypotheses`, and the mean ln P of the right texts, nats


@dataclass(frozen=True, slots=True)
class _List:
    """One n-best list as arrays of shape (n,)."""

    log_p: FloatArray  # of the recogniser
    log_p_lm: FloatArray
    words: FloatArray
    right: FloatArray  # 1 for the texts with the fewest word errors


def fit_weights(spoken: Sequence[SpokenCommand], log_p: LogP, plain: PlainText) -> Fitted:
    """The weights that give the texts with the fewest word errors the highest probability.

    Args:
        spoken: development sentences only.
        log_p: of the language model.
        plain: replaces the names of the sentences' domain.
    """
    lists = [_numbers(each, log_p, plain) for each in spoken if len(each.heard) > 1]
    if not lists:
        return 0.0, 0.0, 0.0
    tried = [(_mean(lists, weight, per_word), weight, per_word) for weight in WEIGHTS for per_word in PER_WORD]
    best, weight, per_word = max(tried, key=lambda item: (item[0], -item[1]))
    return weight, per_word, best


def _numbers(each: SpokenCommand, log_p: LogP, plain: PlainText) -> _List:
    texts = [as_learnt(text, plain) for text, _ in each.heard]
    errors = np.array([word_errors(each.said, text) for text, _ in each.heard])
    return _List(
        np.array([log for _, log in each.heard]),
        log_p(texts),
        np.array([float(len(text.split())) for text in texts]),
        (errors == errors.min()).astype(float),
    )


def _mean(lists: Sequence[_List], weight: float, per_word: float) -> float:
    total = 0.0
    for each in lists:
        scores = each.log_p + weight * (each.log_p_lm + per_word * each.words)
        total += float(np.logaddexp.reduce(np.where(each.right > 0, scores, -np.inf)) - np.logaddexp.reduce(scores))
    return total / len(lists)


def word_errors(said: str, heard: str) -> int:
    """Word errors of the normalised texts: "two meters" and "2 meters" are equal."""
    return edits(as_heard_right(said).split(), as_heard_right(heard).split())


def measured(spoken: Sequence[SpokenCommand], hypotheses: Hypotheses | None, classify: IntentClassifier) -> dict[str, float]:
    """Agreement of the likeliest text and its interpretation with the spoken sentence.

    A command counts as understood if clauses, intents and linked roles equal those of the spoken text.
    """
    if not spoken:
        return {}
    errors = words = exact = intents = roles = oracle = 0
    for each in spoken:
        transcript = hypotheses(each.transcript) if hypotheses is not None else each.transcript
        count = len(as_heard_right(each.said).split())
        wrong = word_errors(each.said, transcript.text)
        errors, words, exact = errors + wrong, words + count, exact + (wrong == 0)
        oracle += min((word_errors(each.said, text) for text, _ in each.heard), default=count) == 0
        meant, understood = classify(_certain(each.said)), classify(transcript)
        intents += _intents(meant) == _intents(understood)
        roles += _roles(meant) == _roles(understood)
    return {
        "sentences": len(spoken),
        "word error rate": errors / words,
        "sentences right": exact / len(spoken),
        "right text in the list": oracle / len(spoken),
        "intents as said": intents / len(spoken),
        "intents and roles as said": roles / len(spoken),
    }


def _certain(text: str) -> Transcript:
    return Transcript("", 0.0, (TranscriptAlternative(text, 0.0),), 1.0)


def _intents(belief: IntentBelief) -> list[str]:
    return [clause.intent for clause in belief.clauses]


def _roles(belief: IntentBelief) -> list[tuple[str, frozenset[tuple[str, str, str]]]]:
    """For each clause its intent, and the entities or values of its roles."""
    return [
        (clause.intent, frozenset((role.name, role.entity or role.text, f"{role.value:g}") for role in clause.roles))
        for clause in belief.clauses
    ]
