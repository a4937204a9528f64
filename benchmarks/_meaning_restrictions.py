"""Whether an understanding carries the restrictions, conditions, times and questions of a label."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import get_args

from _meaning_actions import Interpretation, denotes
from _meaning_labels import Expression, as_expression
from _meaning_words import covers, same_value, stem, stems
from sayso.representation import Description, RelationName

_SAME_RELATION = ({"in", "on", "at", "from"}, {"next_to", "beside", "near", "by"}, {"on", "above", "on_top_of"}, {"under", "below"})
_SAME_ORDER = (
    {"biggest", "bigger", "largest", "larger", "greatest"}, {"smallest", "smaller", "littlest", "tiniest"}, {"nearest", "closest"},
    {"farthest", "furthest"}, {"leftmost", "left-most"}, {"rightmost", "right-most"}, {"1", "1st", "first"}, {"2", "2nd", "second"},
    {"3", "3rd", "third"}, {"4", "4th", "fourth"}, {"-1", "last"}, {"top", "topmost", "highest", "uppermost"},
    {"bottom", "lowest", "bottommost"}, {"all", "every", "both"}, {"few", "some"},
)  # fmt: skip
_CONTACT = frozenset(("in", "on", "at", "from"))
_SIDES = frozenset(("left", "right", "top", "bottom", "front", "back"))
_MINE = frozenset(("my", "mine", "our"))


def descriptions(given: Interpretation) -> Iterator[Description]:
    """All descriptions of the understanding, those inside of others included."""
    for clause in given.understanding.clauses:
        for role in clause.roles:
            if role.description:
                yield from _within(role.description)


def _within(description: Description) -> Iterator[Description]:
    yield description
    inner = (*description.parts, *(landmark for relation in description.relations for landmark in relation.landmarks))
    for each in inner:
        yield from _within(each)


def keeps(given: Interpretation, wanted: Expression) -> bool:
    """Whether some description carries the restriction, or one of its alternatives: "not(red_cup)|not(blue_cup)"."""
    if ")|" in "".join(wanted.arguments):
        whole = f"{wanted.name}({', '.join(wanted.arguments)})"
        return any(keeps(given, as_expression(part)) for part in re.split(r"(?<=\))\|", whole))
    return any(_kept(given, name, wanted.arguments) for name in wanted.name.split("|"))


def _kept(given: Interpretation, name: str, arguments: tuple[str, ...]) -> bool:
    found = list(descriptions(given))
    if name == "where":
        return _placed(given, arguments[0].split("|"))
    if name == "described":  # the words belong to a phrase that fills a role, and are not left over
        texts = [role.text for clause in given.understanding.clauses for role in clause.roles] + [each.text for each in found]
        unknown = {word for each in found for word in each.unknown}  # attached to a phrase, though the home does not know them
        left = " ".join(word for clause in given.understanding.clauses for word in clause.left_over if word not in unknown)
        return any(any(covers(text, words) for text in texts) and not stems(words) & stems(left) for words in arguments[0].split("|"))
    if name == "colour":
        return _coloured(given, arguments[0])
    if name == "not":
        return any(_excludes(each, arguments[0]) for each in found)
    if name == "purpose":
        return any(each.purpose and stems(arguments[0]) & stems(each.purpose) for each in found)
    if name in ("exactly", "quantity") and arguments[0].isdigit():
        return any(each.quantity == "exactly" and same_value(arguments[0], str(each.count)) for each in found)
    if name == "owner":
        return any(_owned(each, arguments[0]) for each in found)
    if name == "from" and {*arguments} <= _SIDES:  # "the second from the left"
        return any(covers(each.text, arguments[0]) for each in found)
    if arguments and (name in get_args(RelationName) or any(name in group for group in _SAME_RELATION)):
        return any(_related(each, name, arguments, negative=False) for each in found) or (
            name in _CONTACT and _comes_from(given, arguments)
        )
    return any(_has(each, word) for each in found for word in (arguments or (name,)))


def _owned(description: Description, owner: str) -> bool:
    """Whether an attribute names the owner; the speaker is "my"."""
    return any(stem(owner) in stems(each) or (owner == "operator" and each in _MINE) for each in description.attributes)


def _comes_from(given: Interpretation, places: tuple[str, ...]) -> bool:
    """Whether the place is a source: "the cups on the desk" are fetched from the desk."""
    sources = [role.entity for clause in given.understanding.clauses for role in clause.roles if role.name == "source"]
    return all(any(place in sources for place in each.split("|")) for each in places)


def _coloured(given: Interpretation, colour: str) -> bool:
    """Whether the themes have that colour in the home; without a theme, whether some description has it."""
    themes = [given.domain.objects.get(action.argument("theme")) for action in given.understanding.actions]
    if found := [theme for theme in themes if theme]:
        return all(colour in theme.attributes.values() for theme in found)
    return any(_has(each, colour) for each in descriptions(given))


def _placed(given: Interpretation, places: list[str]) -> bool:
    """Whether a place is represented anywhere but as a goal: something or someone is there."""
    for role in (role for clause in given.understanding.clauses for role in clause.roles):
        held = list(_within(role.description)) if role.description else []
        if role.name != "goal" and role.entity in places:
            return True
        if any(denotes(each, places) for each in held[role.name == "goal" :]):
            return True
    return False


def _related(description: Description, name: str, arguments: tuple[str, ...], *, negative: bool) -> bool:
    return any(
        relation.negated == negative and same_word(name, relation.name, _SAME_RELATION) and _landmarks(relation.landmarks, arguments)
        for relation in description.relations
    )


def _landmarks(landmarks: tuple[Description, ...], arguments: tuple[str, ...]) -> bool:
    flat = [part for each in landmarks for part in (each.parts or (each,))]
    return all(any(denotes(landmark, argument.split("|")) for landmark in flat) for argument in arguments)


def _excludes(description: Description, what: str) -> bool:
    inner = as_expression(what)
    if inner.arguments:
        return _related(description, inner.name, inner.arguments, negative=True) or any(
            _related(each, inner.name, inner.arguments, negative=False) for each in description.excluded
        )
    values = what.split("|")
    return any(denotes(each, values) or {entity for entity, _ in each.candidates} & {*values} for each in description.excluded)


def _has(description: Description, word: str) -> bool:
    """Whether a word restricts the description: an order, an attribute, a quantity."""
    held = (description.order, description.quantity, *description.attributes)
    return any(each and (same_word(word, each, _SAME_ORDER) or stem(word) in stems(each)) for each in held)


def same_word(one: str, other: str, groups: tuple[set[str], ...]) -> bool:
    return one == other or any(one in group and other in group for group in groups)
