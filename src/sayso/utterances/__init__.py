"""Utterances on their way through the stages: each ends in an outcome, a question, or is found lost."""

from sayso.utterances.in_flight import InFlight, Lost
from sayso.utterances.journal import Followed, Journal, journal_named

__all__ = ["Followed", "InFlight", "Journal", "Lost", "journal_named"]
