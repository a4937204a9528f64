"""Whether an understanding carries the restrictions, conditions, times and questions of a label."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import get_args

from _meaning_actions import Interpretation, denotes, fits
from _meaning_labels import Expression, Label, LabelledAct, as_expression
from _meaning_words import covers, negated, same_value, stem, stems
from sayso.representation import Condition, Description, RelationName, Timing
from sayso.types import Clause

_SAME_RELATION = ({"in", "on", "at", "from"}, {"next_to", "beside", "near", "by"}, {"on", "above", "on_top_of"}, {"under", "below"})
_SAME_ORDER = (
    {"biggest", "largest", "greatest"}, {"smallest", "littlest", "tiniest"}, {"nearest", "closest"}, {"farthest", "furthest"},
    {"leftmost", "left-most"}, {"rightmost", "right-most"}, {"1", "1st", "first"}, {"2", "2nd", "second"}, {"3", "3rd", "third"},
    {"4", "4th", "fourth"}, {"-1", "last"}, {"top", "topmost", "highest", "uppermost"}, {"bottom", "lowest", "bottommost"},
)  # fmt: skip
_SAME_CONDITION = ({"when", "after"}, {"if", "unless"}, {"when", "if"})
_CONTACT = frozenset(("in", "on", "at", "inside", "into"))
_STRICT = frozenset(("if", "unless", "when", "until"))  # a condition of these kinds that nobody said makes another sentence
_DAYTIME = re.compile(r"\b(am|pm|morning|afternoon|evening|night|tonight|noon|midnight)\b|\b([01]\d|2[0-3]):[0-5]\d")


def carries(given: Interpretation, label: Label) -> bool:
    """Whether all restrictions, conditions and times are there, and no condition that wasn't said."""
    clauses = given.understanding.clauses
    return (
        all(keeps(given, each) for each in label.keep)
        and all(_conditional(given, kind, words) for kind, words in label.conditions)
        and all(_timed(given, label, kind, value) for kind, value in label.timings)
        and (bool(label.conditions) or not any(each.kind in _STRICT for clause in clauses for each in clause.modifiers.conditions))
        and (bool(label.timings or label.conditions or label.rule) or not any(map(_later, clauses)))
    )


def _later(clause: Clause) -> bool:
    return any(timing.kind in ("in", "at", "every") for timing in clause.modifiers.timings)


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
    """Whether some description carries the restriction, or one of its alternatives."""
    return any(_kept(given, name, wanted.arguments) for name in wanted.name.split("|"))


def _kept(given: Interpretation, name: str, arguments: tuple[str, ...]) -> bool:
    found = list(descriptions(given))
    if name == "where":
        return _placed(given, arguments[0].split("|"))
    if name == "described":  # the words belong to a phrase that fills a role, and are not left over
        texts = [role.text for clause in given.understanding.clauses for role in clause.roles] + [each.text for each in found]
        left = " ".join(word for clause in given.understanding.clauses for word in clause.left_over)
        return any(covers(text, arguments[0]) for text in texts) and not stems(arguments[0]) & stems(left)
    if name == "colour":
        return _coloured(given, arguments[0])
    if name == "not":
        return any(_excludes(each, arguments[0]) for each in found)
    if name == "purpose":
        return any(each.purpose and stems(arguments[0]) & stems(each.purpose) for each in found)
    if name == "exactly":
        return any(each.quantity == "exactly" and same_value(arguments[0], str(each.count)) for each in found)
    if arguments and (name in get_args(RelationName) or any(name in group for group in _SAME_RELATION)):
        return any(_related(each, name, arguments, negative=False) for each in found)
    return any(_has(each, word) for each in found for word in (arguments or (name,)))


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
        relation.negated == negative and _same(name, relation.name, _SAME_RELATION) and _landmarks(relation.landmarks, arguments)
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
    return any(each and (_same(word, each, _SAME_ORDER) or stem(word) in stems(each)) for each in held)


def _same(one: str, other: str, groups: tuple[set[str], ...]) -> bool:
    return one == other or any(one in group and other in group for group in groups)


def _conditional(given: Interpretation, kind: str, words: str) -> bool:
    modifiers = [clause.modifiers for clause in given.understanding.clauses]
    conditions = [each for of in modifiers for each in of.conditions]
    timings = [each for of in modifiers for each in of.timings]
    return any(_holds(each, kind, words) for each in conditions) or any(kind in ("until", "before", "after") and covers(each.text, words)
                                                                       for each in timings)  # fmt: skip


def _holds(condition: Condition, kind: str, words: str) -> bool:
    if not _same(kind, condition.kind, _SAME_CONDITION):
        return False
    wanted = negated(words) != (kind == "unless")
    held = condition.negated != (condition.kind == "unless")
    parts = (condition.subject, *(condition.relation.landmarks if condition.relation else ()))
    known = " ".join((condition.text, condition.event, condition.attribute, *(_entities(part) for part in parts if part)))
    return wanted == held and _mostly(known, words)


def _mostly(known: str, words: str) -> bool:
    """Whether the text holds the first and most of the words: labels say in short words what a person says in more or in others."""
    wanted = [stem(word) for word in words.lower().split() if stems(word) and not negated(word) and word not in _CONTACT]
    held = [word in stems(known) for word in wanted]
    return not held or (held[0] and sum(held) >= 0.6 * len(held))


def _entities(description: Description) -> str:
    best = max((score for _, score in description.candidates), default=0.0)
    return " ".join(entity for entity, score in description.candidates if score >= best - 1e-6)


def _timed(given: Interpretation, label: Label, kind: str, value: str) -> bool:
    clauses = given.understanding.clauses
    if any(_at(timing, label, kind, value) for clause in clauses for timing in clause.modifiers.timings):
        return True
    spans = [action.argument("extent") for action in given.understanding.actions]
    return kind == "for" and any(span and same_value(value, span) for span in spans)  # "wait for ten seconds"


def _at(timing: Timing, label: Label, kind: str, value: str) -> bool:
    if timing.kind != kind:
        return False
    if any(_equal(part.strip(), timing, label) for part in value.split("|")):
        return True
    return not re.search(r"\d", value) and covers(timing.text, value)


def _equal(value: str, timing: Timing, label: Label) -> bool:
    clock = re.fullmatch(r"(\d{1,2}):(\d{2})", value)
    if not clock:
        return same_value(value, str(timing.seconds))
    wanted = 3600.0 * int(clock[1]) + 60.0 * int(clock[2])
    # "At six" is six in the morning or in the evening.
    day = 86400.0 if _DAYTIME.search(label.say.lower()) else 43200.0
    return math.isfinite(timing.seconds) and math.isclose(wanted % day, timing.seconds % day, abs_tol=1.0)


def rules(given: Interpretation, wanted: LabelledAct) -> bool:
    """Whether a clause is that standing rule."""
    for index, clause in enumerate(given.understanding.clauses):
        if clause.modifiers.mood not in ("rule", "prohibition"):
            continue
        held = [each.action for each in given.understanding.action_belief.candidates if each.clause == index]
        acts = [LabelledAct((action.name,), tuple(((role,), (value,)) for role, value in action.arguments)) for action in held[:1]]
        if any(fits(given, wanted, act) for act in acts or [LabelledAct((clause.intent,))]):
            return True
    return False


def answers(given: Interpretation, wanted: Expression) -> bool:
    """Whether a clause is that question: where(keys)."""
    return any(_asks(given, clause, wanted) for clause in given.understanding.clauses)


def _asks(given: Interpretation, clause: Clause, wanted: Expression) -> bool:
    if clause.modifiers.question not in wanted.name.split("|"):
        return False
    entities = [role.entity for role in clause.roles]
    best = [_entities(role.description) for role in clause.roles if role.description]
    named = [name for entity in entities for name in _names(given, entity)]
    known = " ".join((clause.text, *entities, *best, *named))
    return all(any(_all_but_contact(known, part) for part in argument.split("|")) for argument in wanted.arguments)


def _all_but_contact(known: str, words: str) -> bool:
    return stems(words) - _CONTACT <= stems(known)


def _names(given: Interpretation, entity: str) -> tuple[str, ...]:
    held = given.domain.entity(entity)
    return held.names if held else ()
