"""Transcript → IntentBelief: normalised text, clauses in order, each with a calibrated belief over intents and its linked roles."""

from sayso.intent.classifier import IntentClassifier

__all__ = ["IntentClassifier"]
