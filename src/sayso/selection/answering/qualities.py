"""What things are like, as the home knows them: colour, size, use, owner."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.domain.model import Domain
from sayso.domain.wording import called, capitalised, is_or_are, listed, plural
from sayso.meaning.world_view import WorldView
from sayso.selection.answering.whereabouts import located, sentence_name

MOST = 6  # things in a list
_WEIGHT = ("heavy", "weight", "weigh")


def colour(domain: Domain, entities: Sequence[str]) -> str:
    """Say “The red cup is red and the blue cup is blue.”; empty if nothing is known of it."""
    known = [(entity, domain.objects[entity].attributes.get("color", "")) for entity in entities if entity in domain.objects]
    named = [f"{called(domain, entity)} {is_or_are(domain, entity)} {color}" for entity, color in known if color]
    return _sentence(listed(named[:MOST])) if named else _unknown(domain, entities, "what colour {} {}")


def size(domain: Domain, entities: Sequence[str], asked: Sequence[str]) -> str:
    """Say “The vase is about 30 cm at its longest.”, or “The vase weighs about 800 g.” if its weight is asked for.

    Args:
        domain: the home.
        entities: asked about.
        asked: the words of the question.
    """
    if set(_WEIGHT) & set(asked):
        return _weight(domain, entities) or _unknown(domain, entities, "how heavy {} {}")
    known = [(entity, domain.objects[entity].size) for entity in entities if entity in domain.objects]
    named = [f"{called(domain, entity)} {is_or_are(domain, entity)} {_length(metres)}" for entity, metres in known if metres > 0.0]
    if not named:
        return _unknown(domain, entities, "how big {} {}")
    its = "its" if len(named) == 1 and is_or_are(domain, known[0][0]) == "is" else "their"
    return _sentence(f"{listed(named[:MOST])} at {its} longest")


def description(domain: Domain, entity: str, view: WorldView) -> str:
    """All that the home and the belief know of one thing or person."""
    thing = domain.objects.get(entity)
    if thing is None:
        return located(domain, entity, view)
    words = set(thing.spoken(entity).split())
    color = thing.attributes.get("color", "")
    others = [value for name, value in thing.attributes.items() if name != "color" and value not in words]
    facts = [*([color] if color else []), *others, *([_length(thing.size)] if thing.size > 0.0 else [])]
    lines = [_sentence(f"{called(domain, entity)} {is_or_are(domain, entity)} {listed(facts)}")] if facts else []
    several = is_or_are(domain, entity) == "are"
    if thing.uses:
        lines.append(f"{'They are' if several else 'It is'} there to {listed([verb.replace('_', ' ') for verb in thing.uses])}.")
    if thing.category not in words and plural(thing.category) not in words:
        lines.append(f"I count {'them' if several else 'it'} among the {plural(thing.category)}.")
    if thing.owner:
        lines.append(f"{sentence_name(domain, entity)} {'belong' if several else 'belongs'} to {called(domain, thing.owner)}.")
    return " ".join([*lines, located(domain, entity, view)])


def _weight(domain: Domain, entities: Sequence[str]) -> str:
    """Say “The vase weighs about 800 g.”; empty if no weight is known."""
    known = [(entity, domain.objects[entity].weight) for entity in entities if entity in domain.objects]
    named = [
        f"{called(domain, entity)} {'weighs' if is_or_are(domain, entity) == 'is' else 'weigh'} {_mass(weight)}"
        for entity, weight in known
        if weight > 0.0
    ]
    return _sentence(listed(named[:MOST])) if named else ""


def _mass(weight: float) -> str:
    return f"about {1000 * weight:.0f} g" if weight < 1.0 else f"about {weight:.1f} kg"


def _length(metres: float) -> str:
    return f"about {100 * metres:.0f} cm" if metres < 1.0 else f"about {metres:.1f} m"


def _unknown(domain: Domain, entities: Sequence[str], what: str) -> str:
    return f"I don't know {what.format(called(domain, entities[0]), is_or_are(domain, entities[0]))}." if entities else ""


def _sentence(words: str) -> str:
    return f"{capitalised(words)}."
