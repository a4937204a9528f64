"""Questions for which the robot goes and looks before it answers: "tell me how many cups are on the counter".

A plain question, "how many cups are on the counter", is answered at once from the belief, with its doubt: who asks like that may only
want to know what the robot thinks.
"""

from __future__ import annotations

from sayso.domain.model import Domain
from sayso.meaning.looks import looks_in
from sayso.meaning.ordering import is_told
from sayso.meaning.world_view import WorldView
from sayso.selection.answering.people_answers import aspects_asked
from sayso.selection.answering.question_parts import is_unknown_kind, place_in_question
from sayso.selection.answering.state_answers import state_asked
from sayso.selection.answering.whereabouts import is_evident, probability_at
from sayso.selection.replies import plain, wordings
from sayso.types import Action, Clause

REPORTING = frozenset(("tell", "count", "report", "check", "describe", "inform", "say", "list", "name"))  # verbs that want a report
SEEN_BY_LOOKING = frozenset(("how_many", "which", "what", "yes_no", "describe"))  # questions that a look at the place answers
POSSIBLE = 0.02  # P(a thing is there) from which a look at a piece of furniture in a room may show it
MOST = 4  # pieces of furniture to look at in a room
SURVEY, GO_TO = "survey", "go_to"  # the actions


def places_to_see(domain: Domain, clause: Clause, view: WorldView) -> tuple[str, ...]:
    """The furniture to look at before an answer; none if the robot should answer at once, or has nothing to look with.

    Args:
        domain: the home.
        clause: a question, or a request to count or describe; `source` is the place that it is about.
        view: what the robot believes. In a room, furniture on which nothing else is expected needs no look.
    """
    if _of_people(domain, clause) or state_asked(clause):  # the camera does not see whether a door is open
        return ()
    place = place_in_question(domain, clause)
    if place not in domain.places or SURVEY not in domain.actions or SURVEY not in domain.skills or not _wants_a_report(clause):
        return ()
    if clause.modifiers.mood == "question" and clause.modifiers.question not in SEEN_BY_LOOKING:
        return ()
    theme = clause.role("theme")
    if is_unknown_kind(theme) or (theme is not None and theme.description is not None and not is_told(domain, theme.description)):
        return ()
    least = 0.0 if furniture_of(domain, place) == (place,) else POSSIBLE  # who names the table expects something on it
    return tuple(each for each in furniture_of(domain, place) if _is_open(domain, each, view, least))[:MOST]


def people_to_see(domain: Domain, clause: Clause) -> tuple[Action, ...]:
    """The drive to the place where people are, if how they look is asked for; none for any other question."""
    place, theme = place_in_question(domain, clause), clause.role("theme")
    described = theme.description if theme is not None else None
    asked = aspects_asked(clause) or (described is not None and looks_in(described) and _wants_a_report(clause))
    return (Action(GO_TO, (("goal", place),)),) if asked and place in domain.places and GO_TO in domain.actions else ()


def furniture_of(domain: Domain, place: str) -> tuple[str, ...]:
    """The place itself, or the surfaces in a room that has any: there a look shows what is in it."""
    inside = tuple(name for name, spec in domain.places.items() if spec.surface and domain.room_of(name) == place)
    return inside if domain.places[place].kind == "room" and inside else (place,)


def surveys(places: tuple[str, ...]) -> tuple[Action, ...]:
    """The actions that show what is there, in order."""
    return tuple(Action(SURVEY, (("goal", place),)) for place in places)


def _of_people(domain: Domain, clause: Clause) -> bool:
    """Whether it asks about people, whom a look at furniture does not show."""
    theme = clause.role("theme")
    described = theme.description if theme is not None else None
    return theme is not None and (theme.entity in domain.people or (described is not None and described.pronoun == "person"))


def _wants_a_report(clause: Clause) -> bool:
    first = next((word for word in plain(clause.text).split() if word not in wordings()["function_words"]), "")
    return first in REPORTING


def _is_open(domain: Domain, place: str, view: WorldView, least: float) -> bool:
    """Whether something may be there, with a probability of more than `least`, of which the robot has no evidence."""
    return any(not is_evident(domain, thing, view) and probability_at(domain, thing, place, view) > least for thing in domain.objects)
