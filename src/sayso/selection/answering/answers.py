"""Answers to questions about the home, from the domain and the belief of where things are. Each says how sure it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from sayso.domain.model import Domain
from sayso.domain.wording import called, capitalised, listed
from sayso.meaning.denotation import denotation
from sayso.meaning.looks import looks_in, p_looks
from sayso.meaning.ordering import is_told
from sayso.meaning.world_view import PlaceBeliefs, WorldView
from sayso.representation import Description, QuestionName, Relation
from sayso.selection.answering.deed_answers import deed_answer
from sayso.selection.answering.own_answers import holding, own_answer, own_place, robot_place, sharpness
from sayso.selection.answering.people_answers import look_of_somebody
from sayso.selection.answering.qualities import colour, description, size
from sayso.selection.answering.question_parts import (
    NO_COMPARISON,
    PERSONS,
    UNANSWERED,
    entities_meant,
    is_anything,
    is_unknown_kind,
    members_named,
    place_in_question,
    unknown,
)
from sayso.selection.answering.state_answers import any_state_answer, asks_of_all, state_answer
from sayso.selection.answering.whereabouts import (
    LIKELY,
    WORTH_SAYING,
    at_place,
    is_sure,
    located,
    probability_at,
    whereabouts,
    whether_there,
)
from sayso.types import Clause, Role

MOST = 6  # things in a list
ASKED_FOR: dict[str, QuestionName] = {"describe": "describe", "count": "how_many"}  # intents that a robot without a skill can still answer


def answer_to(domain: Domain, clause: Clause, view: WorldView) -> str:
    """What the robot says to a question.

    Args:
        domain: the home.
        clause: of mood "question"; `theme` is what is asked about, `source` the place in the question.
        view: what the robot believes and remembers.
    """
    if seen := look_of_somebody(domain, clause, place_in_question(domain, clause), view):
        return seen
    about_home = _ABOUT_HOME.get(clause.modifiers.question)
    return about_home(domain, clause, view) if about_home is not None else own_answer(domain, clause, view) or UNANSWERED


def answer_to_request(domain: Domain, clause: Clause, view: WorldView) -> str:
    """What the robot says to "count the cups", "describe the vase"; empty for any other request, and if it has a skill for it."""
    if seen := look_of_somebody(domain, clause, place_in_question(domain, clause), view):
        return seen
    spec, question = domain.actions.get(clause.intent), ASKED_FOR.get(clause.intent)
    plain = clause.modifiers.mood == "request" and not (clause.negated or clause.modifiers.conditions or clause.modifiers.timings)
    if question is None or not plain or clause.out_of_scope > 0.0 or spec is None or spec.goal:
        return ""
    if clause.intent not in domain.intents[clause.intent].meant(clause.text.split()):  # "point at the vase"
        return ""
    theme = clause.role("theme")
    if is_unknown_kind(theme):  # "describe the blorks on the desk"
        return unknown(theme)
    known = [entity for entity in members_named(theme) if entity != domain.speaker]  # "tell me my name" is not to describe the speaker
    several = theme is not None and theme.description is not None and theme.description.plural and not theme.entity
    # "describe the objects on the desk"
    if question == "describe" and place_in_question(domain, clause) and (several or is_anything(theme)):
        question, known = "what", known or list(domain.objects)
        clause = replace(clause, roles=tuple(role for role in clause.roles if role.kind == "place") or clause.roles)
    if not (known or (is_anything(theme) and place_in_question(domain, clause))):
        return ""
    return answer_to(domain, replace(clause, modifiers=replace(clause.modifiers, mood="question", question=question)), view)


def _where(domain: Domain, clause: Clause, view: WorldView) -> str:
    theme = clause.role("theme")
    entities = entities_meant(domain, theme, view)
    if not entities:
        return unknown(theme)
    return whereabouts(domain, entities[:MOST], place_in_question(domain, clause), view)


def _how_many(domain: Domain, clause: Clause, view: WorldView) -> str:
    theme, place = clause.role("theme"), place_in_question(domain, clause)
    members = [entity for entity in members_named(theme) if entity != place]
    described = theme.description if theme is not None else None
    if described is not None and described.purpose and not members:  # "how many drinks"
        members = [thing for thing in _of_purpose(domain, described) if thing != place]
    of_people = described is not None and described.pronoun == "person"
    looks = looks_in(described) if described is not None else ()
    # "how many people are sitting"
    if described is not None and of_people and not members and not _can_see(domain, described, place, view):
        return f"I can't tell how many {_counted(described.text)}."
    if theme is not None and not members and (of_people or is_anything(theme)):
        people = of_people or set(PERSONS) & set(theme.text.split())
        members = [person for person in domain.people if person != domain.speaker] if people else list(domain.objects)
    if not members:
        named = described is not None and (described.head or described.purpose) and not described.unknown
        return "I know of none." if named else unknown(theme)
    if not place and not looks:
        return f"I know of {len(members)}: {listed([called(domain, entity) for entity in members[: 2 * MOST]])}."
    p = {entity: probability_at(domain, entity, place, view) if place else 1.0 for entity in members}
    if described is not None and looks:
        p = {entity: there * p_looks(described, entity, view) for entity, there in p.items()}
    expected, perhaps = _graded(domain, p)
    names = f": {listed(expected[: 2 * MOST])}" if expected else ""
    more = f" Perhaps {'also ' if expected else ''}{listed(perhaps[:MOST])}." if perhaps else ""
    at = f" {at_place(domain, place)}" if place else ""
    doubt = sharpness(domain, place, view) if not (expected or perhaps) and set(members) <= set(domain.objects) else ""
    return f"I expect {len(expected)}{at}{names}.{more} {doubt}".strip()


def _of_purpose(domain: Domain, described: Description) -> Iterator[str]:
    """The things that are good for that, and have the attributes: "yellow drinks"."""
    for thing, spec in domain.objects.items():
        if described.purpose in spec.uses and set(described.attributes) <= {*spec.attributes.values()}:
            yield thing


def _can_see(domain: Domain, described: Description, place: str, view: WorldView) -> bool:
    """Whether all that is said of people can be seen ("people sitting", not "people who like cheese"), and the robot is there to see it."""
    if described.unknown or not set(described.attributes) <= set(looks_in(described)):
        return False
    here = robot_place(domain, view)
    if not described.attributes:
        return True
    if not place:
        return view.context is not None and bool(view.context.looks)
    return here in domain.places and domain.room_of(here) == domain.room_of(place)


def _graded(domain: Domain, p: dict[str, float]) -> tuple[list[str], list[str]]:
    """The entities that are likely there, and those that may be, each with its probability."""
    ordered = sorted(p, key=lambda entity: -p[entity])
    words = {entity: f"{called(domain, entity)} ({p[entity]:.0%})" for entity in ordered}
    likely = [words[entity] for entity in ordered if p[entity] >= LIKELY]
    return likely, [words[entity] for entity in ordered if WORTH_SAYING <= p[entity] < LIKELY]


def _counted(text: str) -> str:
    """What "how many" asked for, as the end of a sentence."""
    words = text.removeprefix("many ")
    return words if {"is", "are"} & set(words.split()) else f"{words} there are"


def _yes_no(domain: Domain, clause: Clause, view: WorldView) -> str:
    theme, place, words = clause.role("theme"), place_in_question(domain, clause), clause.text.split()
    if words[:2] == ["are", "you"] and (place or {"holding", "carrying"} & set(words)):
        return _of_the_robot(domain, clause, view)
    if told := deed_answer(domain, clause, view):
        return told
    if asks_of_all(clause):  # "are all lights off"
        return any_state_answer(domain, clause, view)
    if theme is not None and is_anything(theme) and (told := _of_anything(domain, clause, theme, view)):
        return told
    entities = entities_meant(domain, theme, view)
    if not entities:
        return unknown(theme)
    if told := state_answer(domain, clause, entities, view):
        return told
    if "than" in words:
        return f"{NO_COMPARISON} {_size(domain, clause, view)}"
    if words[:3] == ["do", "you", "see"] and entities[0] not in view.visible:
        return f"Not now. {located(domain, entities[0], view)}"
    asked_where = clause.role("source")
    if not place or place == entities[0] or (asked_where and asked_where.description and asked_where.description.parts):
        return whereabouts(domain, entities[:MOST], "", view)
    return whether_there(domain, entities, place, view)


def _of_anything(domain: Domain, clause: Clause, theme: Role, view: WorldView) -> str:
    """What is open or on, or who or what is at the place of the question; empty if it asks for neither."""
    if told := any_state_answer(domain, clause, view):
        return told
    persons = theme.text.split()[0] in PERSONS
    if not place_in_question(domain, clause):
        return ""
    return _inside(domain, clause, view, tuple(domain.people if persons else domain.objects), "nobody" if persons else "nothing")


def _of_the_robot(domain: Domain, clause: Clause, view: WorldView) -> str:
    """Whether the robot is there, or holds that: "are you in the kitchen", "are you holding the red cup"."""
    if {"holding", "carrying"} & set(clause.text.split()):
        return holding(domain, view)
    if view.context is None:
        return own_place(domain, view)
    there = place_in_question(domain, clause) in PlaceBeliefs(domain, view).around(robot_place(domain, view))
    return f"{'Yes' if there else 'No'}: {own_place(domain, view)}"


def _inside(domain: Domain, clause: Clause, view: WorldView, among: Sequence[str], none: str) -> str:
    """What or who is at the place of the question."""
    place = place_in_question(domain, clause)
    if not place:
        if tuple(among) == tuple(domain.people):
            return " ".join(located(domain, person, view) for person in among if person != domain.speaker)
        members = entities_meant(domain, clause.role("theme"), view)
        return f"I know of {listed([called(domain, entity) for entity in members[:MOST]])}." if members else UNANSWERED
    p = {entity: probability_at(domain, entity, place, view) for entity in among}
    found, perhaps = _graded(domain, p)
    at = at_place(domain, place)
    if not found:
        return f"I expect {none} {at}{f'; perhaps {listed(perhaps[:MOST])}' if perhaps else ''}."
    sure = all(p[entity] < LIKELY or is_sure(domain, entity, p[entity], view) for entity in among)
    rest = [f"{len(found) - MOST} more"] if len(found) > MOST else []
    more = f" Perhaps also {listed(perhaps[:MOST])}." if perhaps else ""
    return f"{capitalised(at) if sure else f'Probably {at}'}: {listed([*found[:MOST], *rest])}.{more}"


def _which(domain: Domain, clause: Clause, view: WorldView) -> str:
    """Which things are at the place of the question, or which of them has the order that is asked for."""
    if told := any_state_answer(domain, clause, view):  # "which doors are open"
        return told
    theme = clause.role("theme")
    described = theme.description if theme is not None else None
    if theme is not None and described is not None and described.pronoun == "person":
        return f"I can't tell that about people: I don't know “{theme.text}”."
    if is_unknown_kind(theme):
        return unknown(theme)
    if described is not None and described.joined == "or" and not place_in_question(domain, clause):
        return NO_COMPARISON  # "which is heavier, the vase or the laptop"
    kind = clause.text.split()[1:2]
    if clause.text.startswith("which ") and set(kind) & set(clause.left_over):  # "which blorks are on the desk"
        return f"I don't know “{kind[0]}”."
    if described is not None and described.order:
        return _of_order(domain, clause, view)
    named = tuple(each for each in members_named(theme) if each in domain.objects)  # "which of the books"
    return _inside(domain, clause, view, named or tuple(domain.objects), "none of them" if named else "nothing")


def _of_order(domain: Domain, clause: Clause, view: WorldView) -> str:
    """Which is the biggest, or the three smallest, at the place of the question."""
    theme, place = clause.role("theme"), clause.role("source")
    described = theme.description if theme is not None else None
    if theme is None or described is None:
        return UNANSWERED
    if not is_told(domain, described):
        return f"I don't know which {described.head or 'thing'} is the {described.order}."
    if place is not None and place.description is not None:
        described = replace(described, relations=(*described.relations, Relation("at", (place.description,))))
    meant = denotation(domain, described, view)
    if not meant.best or (meant.why and len(meant.referents) > 1):
        problem = meant.none or meant.why or f"I don't know {theme.text}"
        return f"{capitalised(problem)}."
    names = listed([called(domain, entity) for entity in meant.best])
    if meant.none:  # "the three biggest", where there are two
        return f"I don't know of so many: only {names}."
    if meant.probability < LIKELY:
        return f"I don't know for sure: perhaps {names} ({meant.probability:.0%})."
    return f"{capitalised(names)}: {meant.probability:.0%} sure."


def _described(domain: Domain, clause: Clause, view: WorldView) -> str:
    theme, place = clause.role("theme"), place_in_question(domain, clause)
    entities = entities_meant(domain, theme, view)
    if entities and entities[0] not in domain.places:
        return " ".join(description(domain, entity, view) for entity in entities[:2])
    if not place or is_unknown_kind(theme):
        return unknown(theme)
    there = located(domain, place, view) if place in entities else ""
    return " ".join(filter(None, (there, _inside(domain, clause, view, tuple(domain.objects), "nothing"))))


def _colour(domain: Domain, clause: Clause, view: WorldView) -> str:
    theme = clause.role("theme")
    return colour(domain, entities_meant(domain, theme, view)) or unknown(theme)


def _size(domain: Domain, clause: Clause, view: WorldView) -> str:
    theme = clause.role("theme")
    return size(domain, entities_meant(domain, theme, view), clause.text.split()) or unknown(theme)


def _who(domain: Domain, clause: Clause, view: WorldView) -> str:
    if clause.role("theme") is not None and not place_in_question(domain, clause):
        return _holder(domain, clause, view)
    return _inside(domain, clause, view, tuple(domain.people), "nobody")


def _holder(domain: Domain, clause: Clause, view: WorldView) -> str:
    """Who has the thing: the robot knows its own gripper and the places of things, not the hands of people."""
    entities = entities_meant(domain, clause.role("theme"), view)
    if not entities:
        return unknown(clause.role("theme"))
    if entities[0] in domain.people:
        return located(domain, entities[0], view)
    return f"I can't tell who has {called(domain, entities[0])}. {located(domain, entities[0], view)}"


_ABOUT_HOME: dict[str, Callable[[Domain, Clause, WorldView], str]] = {
    "where": _where,
    "how_many": _how_many,
    "yes_no": _yes_no,
    "colour": _colour,
    "size": _size,
    "describe": _described,
    "who": _who,
    "what": _which,
    "which": _which,
}
