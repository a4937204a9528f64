"""Whether a phrase after a noun restricts it or fills a role: "bring me the cup next to the bread" or "put the cup next to the bread".

"extra": it restricts; its words leave the core clause.
"leave": it fills a role, or belongs to a later noun.
"both": it fills a role and restricts, because the noun is chosen from what is there: "all the cups on the table".
"core": it restricts, and the role finder narrows by it too: "the table in the kitchen".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from sayso.domain import Domain
from sayso.intent.grammar import after_lead_in
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.meaning.noun import Noun
from sayso.intent.meaning.postmodifiers import Restriction
from sayso.intent.meaning.restrictions import TOWARDS

Attachment = Literal["extra", "core", "both", "leave"]
VerbClass = Literal["placing", "fetching", "going", "other"]
_PLACES = frozenset(("{place}", "{room}", "{furniture}", "{spot}", "{surface}"))
_OBJECT_PREPOSITIONS = frozenset(("", "for", "after", "of", "about", "with", "at", "to"))


def verb_classes(domain: Domain, verbs: frozenset[str]) -> dict[str, VerbClass]:
    """Verb → what its phrases of place mean: a table of common verbs, and the verbs of the home's own examples."""
    found: dict[str, VerbClass] = {}
    for intent in domain.intents.values():
        for example in intent.wordings:
            words = example.split()
            verb = words[min(after_lead_in(words), len(words) - 1)]
            if verb in verbs and _PLACES.intersection(words):
                found[verb] = "placing" if "{object}" in words and "goal" in intent.roles else "fetching"
    found.update(dict.fromkeys(lexicon.GOING, "going"))
    found.update(dict.fromkeys(lexicon.FETCHING, "fetching"))
    found.update(dict.fromkeys(lexicon.PLACING, "placing"))
    return found


@dataclass(frozen=True, slots=True)
class ClauseState:
    """What is known of the clause when a noun is read."""

    verb: VerbClass
    preposition: str  # before the noun
    goal_follows: bool  # a goal follows the noun and its restrictions: "to the desk"
    has_source: bool  # a phrase of place before it may be the source
    has_goal: bool


def attachments(
    noun: Noun, items: Sequence[Restriction], around: ClauseState, contains: Callable[[Noun, Noun], bool]
) -> tuple[Attachment, ...]:
    """The attachment of each restriction in a row after the noun."""
    if noun.kind == "place" or (around.preposition not in _OBJECT_PREPOSITIONS and noun.kind != "person"):
        placing = around.verb == "placing" and around.preposition in {"in", "into", "on", "onto"}
        return tuple(_to_landmark(noun, item, contains, placing) for item in items)
    if around.verb == "placing" and not around.preposition:
        return _of_placed(items, around)
    found: list[Attachment] = []
    for index, item in enumerate(items):
        goal = around.goal_follows or any(later.preposition in TOWARDS for later in items[index + 1 :])
        source = around.has_source or "leave" in found or "both" in found
        found.append(_of_theme(noun, item, around, goal, source))
    return tuple(found)


def _is_place(item: Restriction) -> bool:
    """Whether it is "on the table", which fills source or goal, rather than "on the newspaper"."""
    landmark = item.landmark
    inner = bool(item.relations) and item.relations[0].name in {*lexicon.PLACING_RELATIONS, "from"}
    return inner and landmark is not None and landmark.kind in {"place", ""} and landmark.description.pronoun not in {"it", "them"}


def _to_landmark(noun: Noun, item: Restriction, contains: Callable[[Noun, Noun], bool], placing: bool) -> Attachment:
    if item.kind != "place":
        return "extra"
    if item.relations[0].name == "from" or item.preposition in TOWARDS:
        return "leave"
    if placing and noun.kind == "object" and _is_place(item):
        return "extra"  # "into the basket on the table"
    if item.relations[0].name in lexicon.PLACING_RELATIONS:
        narrows = noun.kind == "place" and item.landmark is not None and contains(item.landmark, noun)
        return "core" if narrows else "leave"
    if item.relations[0].name == "with" and (item.landmark is None or item.landmark.kind == "person" or item.landmark.description.pronoun):
        return "leave"
    return "extra"


def _of_placed(items: Sequence[Restriction], around: ClauseState) -> tuple[Attachment, ...]:
    """For the theme of "put": the last phrase of place is the goal, those before it restrict, those after it belong to the goal."""
    places = [index for index, item in enumerate(items) if item.kind == "place" and item.relations[0].name not in {"with", "from"}]
    goals = [index for index in places if _is_place(items[index])] or places
    towards = [index for index in places if items[index].preposition in TOWARDS]
    goal = len(items) if around.goal_follows or around.has_goal or not goals else (towards or goals)[-1]
    found: list[Attachment] = []
    for index, item in enumerate(items):
        if item.kind == "exclusion":
            found.append("extra")
        elif item.kind == "order":
            found.append("extra" if index < goal < len(items) else "leave")
        elif item.kind == "place" and item.relations[0].name == "from":
            found.append("leave")
        else:
            found.append("extra" if index < goal else "leave")
    return tuple(found)


def _of_theme(noun: Noun, item: Restriction, around: ClauseState, goal: bool, source: bool) -> Attachment:
    if item.kind != "place":
        return "extra"
    if item.preposition in TOWARDS:
        return "leave"
    name = item.relations[0].name
    accompanied = item.landmark is not None and (item.landmark.kind == "person" or item.landmark.description.pronoun in lexicon.REFERRING)
    if name == "with" and (accompanied or around.verb == "other"):  # "clean the table with the sponge"
        return "leave"
    if name == "next_to" and around.verb == "fetching" and not goal and not source and item.landmark and item.landmark.kind == "place":
        return "both"  # "take the cup near the sink": to look there finds it
    if not _is_place(item):
        return "leave" if name == "from" else "extra"
    described = noun.description
    chosen = bool(described.order) or noun.plural or described.quantity in {"all", "both", "every", "exactly"} or bool(described.excluded)
    if name == "from":
        return "both" if chosen else "leave"
    if noun.kind == "person" and around.preposition in {"to", "for", "with"}:
        return "extra"  # "bring the cup to the man in the kitchen": he is there
    named = noun.kind == "person" and bool(described.head)
    if goal or source or (noun.kind == "person" and (around.verb == "other" or (around.verb == "going" and not named))):
        return "extra"
    return "both" if chosen else "leave"
