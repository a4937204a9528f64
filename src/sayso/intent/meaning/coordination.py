"""Several noun phrases → one that denotes them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.intent.meaning.noun import Noun
from sayso.intent.meaning.nouns import NounReader
from sayso.representation import Description


def coordinated(nouns: NounReader, parts: Sequence[Noun], joined: str, text: Sequence[str]) -> Noun:
    """One noun phrase of several: "the red and the blue cup", "all the cups and plates", "both anna and ben"."""
    head = next((part for part in reversed(parts) if not part.headless), None)
    described: list[Description] = []
    for index, part in enumerate(parts):
        one = part
        if part.headless and head is not None:
            one = nouns.headed(part, head, text)
        elif part is head and any(other.headless for other in parts):
            one = replace(part, description=replace(part.description, quantity="the")) if part.plural else part
        quantity = one.description.quantity
        if text[part.first] in {"both", "either"} and not part.plural and index == 0:
            one = replace(one, description=replace(one.description, quantity="the"))
        elif part.plural and quantity == "some" and described and described[0].quantity in {"all", "every"}:
            one = replace(one, description=replace(one.description, quantity="all"))
        described.append(one.description)
    whole = Description("", parts[0].first, parts[-1].end, parts=tuple(described), joined="or" if joined == "or" else "and")
    kinds = [part.kind for part in parts if part.kind]
    return Noun(whole, parts[0].first, parts[-1].end, kinds[0] if kinds else "", True)
