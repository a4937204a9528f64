"""Two acts on one thing that is named once: "find and bring me the cup" → "find the cup and bring me it"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sayso.domain import Domain
from sayso.types import Clause

_VERB = 2  # words at most: "pick up"
_LINK = re.compile(r"(?:,? ?\b(?:and|then|or))+ (?:then )?|, ")


def with_shared_thing(domain: Domain, text: str, clauses: Sequence[Clause]) -> str:
    """The text with the thing named in the first of two acts that share it, and a pronoun in the second; empty if no two do.

    Args:
        domain: the home.
        text: normalised.
        clauses: of the text.
    """
    pairs = reversed(list(pairwise(clauses)))
    return next((found for first, then in pairs for found in _shared(domain, text, first, then)), "")


def _shared(domain: Domain, text: str, first: Clause, then: Clause) -> Iterator[str]:
    theme, intent = then.role("theme"), domain.intents.get(first.intent)
    if theme is None or intent is None or "theme" not in intent.roles or theme.kind not in intent.roles["theme"].kinds:
        return
    requests = {each.modifiers.mood for each in (first, then)} == {"request"}
    if not requests or any(role.text for role in first.roles) or first.left_over or len(first.text.split()) > _VERB or not theme.text:
        return
    described = theme.description
    several = described is not None and bool(described.parts)  # of "the milk and the bread", the clause's text has only the milk
    lead = then.text.partition(theme.text)[0] if several else then.text
    # With all that is said of it.
    thing = described.text if described is not None and (several or described.text in then.text) else theme.text
    both = re.search(rf"\b{re.escape(first.text)}(?P<link>{_LINK.pattern}){re.escape(lead)}", text)
    named = re.compile(rf"\b{re.escape(thing)}(?!\w)").search(text, both.end("link")) if both is not None else None
    if both is None or named is None or named.start() > both.end():
        return
    pronoun = "them" if described is not None and described.plural else "it"
    acts = f"{first.text} {thing}{both['link']}{text[both.end('link') : named.start()]}{pronoun}"
    yield f"{text[: both.start()]}{acts}{text[named.end() :]}"
