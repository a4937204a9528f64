"""Whether the actions of an understanding are those of a label, in order; the members of a plural may be in any order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from _meaning_labels import FREE, LabelledAct
from _meaning_words import covers, same_value
from sayso.domain import Domain
from sayso.intent.composition.telling import INVITATION
from sayso.pipeline import Understanding
from sayso.representation import Description, Modifiers
from sayso.types import Action, Clause, Role

# Picking a thing up, or looking for it, is part of what is done with it next.
_FIRST = frozenset(("find", "pick_up"))
_ONCE = frozenset(("stop", "cancel", "resume", "dock"))  # twice is as good as once: "whoa, whoa, stop"
_NEXT = frozenset(("pick_up", "put", "bring", "give"))


@dataclass(frozen=True, slots=True)
class Interpretation:
    """An understanding in a home, with what a comparison needs."""

    domain: Domain
    understanding: Understanding
    parsed: bool = False  # compare what was understood of each clause, whether or not the robot can do it

    def sequences(self) -> Iterator[tuple[LabelledAct, ...]]:
        """The actions in order, and in other forms that mean the same."""
        actions = self.understanding.actions
        plain = [_as_act(action) for action in actions]
        yield reduced(plain)
        if self.parsed:
            yield reduced([act for index, clause in enumerate(self.understanding.clauses) for act in self._of_clause(index, clause)])
        modifiers = [self._modifiers(action) for action in actions]
        yield from self._repeated(plain, [each.repeat for each in modifiers])
        if self.understanding.decision != "execute":  # kept as a rule, not done
            yield reduced([act for act, of in zip(plain, modifiers, strict=True) if of.mood not in ("rule", "prohibition")])
        stays = [[timing.seconds for timing in of.timings if timing.kind == "for"] for of in modifiers]
        waits = [tuple(LabelledAct(("wait",), ((("extent",), (f"{seconds:g}",)),)) for seconds in each) for each in stays]
        yield reduced([each for act, after in zip(plain, waits, strict=True) for each in (act, *after)])

    def _of_clause(self, index: int, clause: Clause) -> list[LabelledAct]:
        """The actions that were chosen for a clause; if it was declined, its intent and roles."""
        if clause.modifiers.question == INVITATION:
            return [LabelledAct(("answer",), ())]  # it asks for the question
        belief = self.understanding.action_belief
        chosen = [candidate.action for candidate in belief.candidates if candidate.clause == index]
        if found := [action for action in belief.chosen if action in chosen]:
            return [_as_act(action) for action in found]
        if clause.modifiers.mood == "question":
            return []
        roles = [((role.name,), (role.entity,)) for role in clause.roles if role.entity]
        return [LabelledAct((clause.intent,), tuple(roles))]

    @staticmethod
    def _repeated(acts: Sequence[LabelledAct], times: Sequence[int]) -> Iterator[tuple[LabelledAct, ...]]:
        """The repetitions of clauses spelt out: each for itself, or all of them as often."""
        if any(each > 1 for each in times) and len(set(acts)) == len(acts):
            yield reduced([act for act, count in zip(acts, times, strict=True) for _ in range(count)])
            yield reduced([*acts] * max(times))

    def _modifiers(self, action: Action) -> Modifiers:
        """The modifiers of the action's clause."""
        belief = self.understanding.action_belief
        clause = next((each.clause for each in belief.candidates if each.action == action), -1)
        clauses = self.understanding.clauses
        return clauses[clause].modifiers if 0 <= clause < len(clauses) else Modifiers()

    def clauses_of(self, act: LabelledAct) -> list[Clause]:
        """The clauses with that intent."""
        return [clause for clause in self.understanding.clauses if _same_goal(self.domain, (clause.intent,), act.names)]


def does(given: Interpretation, wanted: Sequence[LabelledAct]) -> bool:
    """Whether the actions are the wanted ones: no more, no fewer, and with every role that the label lists."""
    expected = reduced(wanted)
    return any(_in_order(given, expected, actions) for actions in given.sequences())


def fits(given: Interpretation, wanted: LabelledAct, action: LabelledAct) -> bool:
    """Whether an action is the wanted one; roles that the label doesn't list are free."""
    return _same_goal(given.domain, action.names, wanted.names) and all(
        any(_role_fits(given, role, values, action) for role in roles) for roles, values in wanted.roles
    )


def option_fits(given: Interpretation, wanted: LabelledAct, option: Action) -> bool:
    """Whether an option of a question is the wanted action."""
    return fits(given, wanted, _as_act(option))


def reduced(acts: Sequence[LabelledAct]) -> tuple[LabelledAct, ...]:
    """The acts, with "take the apple and put it on the desk" as one: put(theme=apple, goal=desk)."""
    found: list[LabelledAct] = []
    for act in acts:
        before = found[-1] if found else None
        if before and {*before.names} <= _FIRST and {*act.names} <= _NEXT and {*before.values("theme")} & {*act.values("theme")}:
            found[-1] = _merged(before, act)
        elif before and before.names == ("go_to",) and before.values("goal") and before.values("goal") == act.values("source"):
            found[-1] = act  # it goes to the source anyway
        elif act == before and {*act.names} <= _ONCE:
            continue
        else:
            found.append(act)
    return tuple(found)


def _merged(before: LabelledAct, act: LabelledAct) -> LabelledAct:
    common = tuple(value for value in act.values("theme") if value in before.values("theme"))
    roles = [(roles, common if roles == ("theme",) else values) for roles, values in act.roles]
    if before.values("source") and not act.values("source"):
        roles.append((("source",), before.values("source")))
    return LabelledAct(act.names, tuple(roles))


def _as_act(action: Action) -> LabelledAct:
    return LabelledAct((action.name,), tuple(((role,), (value,)) for role, value in action.arguments if value))


def _in_order(given: Interpretation, wanted: Sequence[LabelledAct], actions: Sequence[LabelledAct]) -> bool:
    if len(wanted) != len(actions):
        return False
    start = 0
    while start < len(wanted):
        end = start + 1
        while end < len(wanted) and _but_theme(wanted[end]) == _but_theme(wanted[start]):
            end += 1
        if not _pairs(given, wanted[start:end], actions[start:end]):
            return False
        start = end
    return True


def _but_theme(act: LabelledAct) -> tuple[object, ...]:
    """Equal for the members of a plural: "bring me the milk and the bread". Turns and places have an order."""
    rest = tuple(sorted(pair for pair in act.roles if pair[0] != ("theme",)))
    return (act.names, rest) if act.values("theme") else (id(act),)


def is_plural(act: LabelledAct, other: LabelledAct) -> bool:
    """Whether two acts are the same with different things."""
    return act is not other and _but_theme(act) == _but_theme(other)


def _pairs(given: Interpretation, wanted: Sequence[LabelledAct], actions: Sequence[LabelledAct]) -> bool:
    """Whether each wanted act has an action of its own: a perfect matching, by augmenting paths."""
    taken: dict[int, int] = {}
    things = [act.values("theme") for act in wanted]
    if len(set(things)) == 1 and len(things[0]) > 1 and len({action.values("theme") for action in actions}) < len(actions):
        return False  # "two cups" are two different cups

    def place(index: int, seen: set[int]) -> bool:
        for other, action in enumerate(actions):
            if other not in seen and fits(given, wanted[index], action):
                seen.add(other)
                if other not in taken or place(taken[other], seen):
                    taken[other] = index
                    return True
        return False

    return all(place(index, set()) for index in range(len(wanted)))


def _same_goal(domain: Domain, names: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether two actions are the same or have the same effect: bring and give."""
    if {*names} & {*wanted}:
        return True
    goals = [domain.actions[name].goal for name in names if name in domain.actions]
    return any(goal and "said(message)" not in goal and goal == domain.actions[name].goal for name in wanted if name in domain.actions
               for goal in goals)  # fmt: skip


def _role_fits(given: Interpretation, role: str, values: Sequence[str], action: LabelledAct) -> bool:
    if values == (FREE,):
        return True
    if held := action.values(role):
        inner = role == "source" or (role == "goal" and "put" in action.names)  # "in the kitchen": on any surface there
        return any(same_value(value, each) or (inner and _inside(given.domain, each, value)) for value in values for each in held)
    clauses = given.clauses_of(action)
    if any(_filled(clause.role(role), values) for clause in clauses):
        return True
    return role == "source" and any(denotes(place, values) for clause in clauses for place in _origins(clause))


def _inside(domain: Domain, place: str, room: str) -> bool:
    return place in domain.places and room in domain.places and domain.room_of(place) == room


def _filled(role: Role | None, values: Sequence[str]) -> bool:
    """Whether a role of the clause holds one of the values, as an entity or as words."""
    return role is not None and any(same_value(value, role.entity) or (not role.entity and covers(role.text, value)) for value in values)


def _origins(clause: Clause) -> Iterator[Description]:
    """Where the theme is, by its description: "the cup that is in the kitchen"."""
    theme = clause.role("theme")
    for relation in theme.description.relations if theme and theme.description else ():
        if relation.name in ("from", "in", "on", "at") and not relation.negated:
            yield from relation.landmarks


def denotes(description: Description, values: Sequence[str]) -> bool:
    """Whether one of the values is among the best candidates, or is the description's own word."""
    best = max((score for _, score in description.candidates), default=0.0)
    entities = [entity for entity, score in description.candidates if score >= best - 1e-6]
    return any(value in entities or (not entities and covers(description.text, value)) for value in values)
