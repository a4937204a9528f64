"""Base forms of the verbs of events, by list and ending."""

from __future__ import annotations

from pathlib import Path

from sayso.yaml_source import read_plain

_LISTS = read_plain(Path(__file__).with_name("verb_forms.yaml"))
EVENTS: frozenset[str] = frozenset(_LISTS["events"].split())
_IRREGULAR: dict[str, str] = dict(pair.split() for pair in _LISTS["irregular"].split(";"))
_ENDINGS = (("ies", "y"), ("es", ""), ("es", "e"), ("s", ""), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"))


def lemma(word: str) -> str:
    """The base form of a verb: "comes" → "come", "charging" → "charge"; any other word as it is."""
    if word in EVENTS or word in _IRREGULAR:
        return _IRREGULAR.get(word, word)
    stems = (word[: -len(ending)] + replacement for ending, replacement in _ENDINGS if word.endswith(ending))
    return next((stem for stem in stems if stem in EVENTS), word)
