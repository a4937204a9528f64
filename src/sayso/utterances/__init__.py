"""Utterances on their way through the stages: each ends in an outcome, a question, or is found lost."""

from sayso.utterances.in_flight import InFlight, Lost
from sayso.utterances.journal import Journal, journal_named

__all__ = ["InFlight", "Journal", "Lost", "journal_named"]
