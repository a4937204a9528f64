"""What many tests use and none changes: the default home's classifier and pipeline, loaded once in a process."""

from __future__ import annotations

from functools import cache

from sayso.domain import load_domain
from sayso.intent import IntentClassifier
from sayso.pipeline import Pipeline


@cache
def default_pipeline() -> Pipeline:
    """Of the default home, without anything learnt."""
    return Pipeline(load_domain())


def default_classifier() -> IntentClassifier:
    """Of the default home."""
    classify = default_pipeline().classify
    assert isinstance(classify, IntentClassifier)
    return classify
