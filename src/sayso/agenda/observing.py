"""Conditions as said → states and events that the robot can notice, and whether they hold. The others are declined at once."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from sayso.agenda.entries import Facts, Observable
from sayso.agenda.places import inside
from sayso.domain.model import Domain, Entity
from sayso.domain.wording import called
from sayso.representation import Condition, Description

ROBOT = "robot"  # stands for the robot itself among entities
LOW, FULL = 0.2, 0.95  # charge
SURE = 0.6  # score of a name above which the entity is the one that was meant
APPEARS = {"come", "arrive", "enter", "return", "appear", "get", "walk", "wake", "show"}
LEAVES = {"leave", "go", "disappear", "vanish", "depart"}
SEES = {"see", "spot", "notice", "find", "meet", "detect", "recognise", "recognize"}
HOLDS = {"hold", "have", "carry", "grip", "grasp", "pick"}
ENDS = {"finish", "do", "end", "complete"}
HERE, AWAY = {"here", "there", "in", "home", "around", "back", "present", "visible"}, {"gone", "away", "out"}
IDLE = {"done", "finished", "ready", "free", "idle"}
DONE = "I am done"
IN = {"in", "at", "on", "next_to", "in_front_of"}
MARKER = re.compile(
    r"^(?:and |but )?(?:only |just )?(?:not )?(?:if and only if|except if|except when|unless of course|if|unless|when|"
    r"whenever|once|until|till|before|after|while|as soon as|"
    r"as long as|so long as|the (?:very )?(?:moment|minute|second|instant)|in case|in the (?:case|event) that|on (?:the )?condition that|"
    r"provided that|provided|providing|assuming that|assuming|supposing that|supposing|suppose)\b\s*"
)
# The robot repeats a person's words: "when you see me" → "I see you".
TURNED = {"your": "my", "yourself": "myself", "i": "you", "me": "you", "my": "your", "i'm": "you're", "you're": "I'm", "you've": "I've"}


def observable_of(condition: Condition, domain: Domain) -> Observable | None:
    """What must be noticed for the condition to hold; None if the robot cannot notice it."""
    found = _event(condition, domain) if condition.event else _state(condition, domain)
    if found is None or (condition.kind == "before" and found.name != "before"):  # nobody knows beforehand when a state begins
        return None
    negated = found.negated != (condition.negated != (condition.kind == "unless"))
    return replace(found, negated=negated, text=found.text or in_words(condition, domain))


def watchable(condition: Condition, domain: Domain) -> str:
    """Why the robot cannot wait for that condition, one line; empty if it can."""
    if observable_of(condition, domain) is not None:
        return ""
    said = in_words(condition, domain)
    if condition.kind in ("before", "after") and not (condition.event or condition.attribute or condition.relation):  # "after dinner"
        return f"I can't notice when {said} is."
    if condition.kind in ("if", "unless", "while"):
        return f"I can't tell whether {said}."
    return f"I can't tell beforehand when {said}." if condition.kind == "before" else f"I can't notice when {said}."


def holds(observable: Observable, domain: Domain, facts: Facts) -> bool | None:
    """Whether it holds now; None if the robot does not know. `before` never holds: it is for the one who starts that action."""
    found = _holds(observable, domain, facts)
    return found if found is None else found != observable.negated


def turned(text: str) -> str:
    """A person's words for a condition as the robot repeats them: "when you see me" → "I see you"."""
    words = MARKER.sub("", text.strip().lower()).split()
    return " ".join(_turned(words, index) for index in range(len(words)))


def _turned(words: list[str], index: int) -> str:
    word, before = words[index], words[index - 1] if index else ""
    if word == "you":
        return "me" if index and index == len(words) - 1 else "I"
    if (before, word) in (("you", "are"), ("i", "am")):
        return "am" if word == "are" else "are"
    return TURNED.get(word, word)


def action_of_verb(domain: Domain, verb: str) -> str:
    """The name of the action that the verb means by the intents' examples ("charge" → "dock"); empty if there is none."""
    if verb in domain.actions:
        return verb
    word = re.compile(rf"\b{re.escape(verb)}\b")
    count = Counter({intent: sum(bool(word.search(text)) for text in spec.examples) for intent, spec in domain.intents.items()})
    intent, most = count.most_common(1)[0] if count else ("", 0)
    if not most:
        return ""
    actions = domain.intents[intent].actions
    return max(actions, key=lambda action: actions[action]) if actions else intent


def _holds(observable: Observable, domain: Domain, facts: Facts) -> bool | None:
    match observable.name:
        case "seen":
            return observable.entity in facts.visible
        case "robot_at":
            return inside(domain, facts.place, observable.entity) if facts.place else None
        case "object_at":
            where = facts.whereabouts.get(observable.entity, "")
            return inside(domain, where, observable.place) if where else None
        case "holding":
            return None if facts.holding is None else facts.holding == observable.entity
        case "battery_low":
            return None if facts.battery != facts.battery else facts.battery < LOW
        case "battery_full":
            return None if facts.battery != facts.battery else facts.battery >= FULL
        case "idle":
            return facts.idle
        case "finished":
            return observable.entity in facts.finished if observable.entity else bool(facts.finished)
        case _:
            return False


def _event(condition: Condition, domain: Domain) -> Observable | None:
    subject, verb = _subject(condition, domain), condition.event
    landmark = _entity(condition.relation.landmarks[0], domain) if condition.relation and condition.relation.landmarks else ""
    place = landmark if landmark in domain.places else ""
    if condition.kind == "before":
        action = action_of_verb(domain, verb) if subject == ROBOT else ""
        return Observable("before", action) if action else None
    if verb in SEES and subject == ROBOT and condition.kind in ("if", "unless") and condition.negated:  # a search that fails is no event
        return None
    if verb in SEES:
        seen = subject if _can_be_seen(domain, subject) else landmark or _only_named(condition.text, domain)
        return Observable("seen", seen, event=True) if _can_be_seen(domain, seen) else None
    if subject == ROBOT:
        return _own_event(verb, place, landmark, domain)
    if place or not _can_be_seen(domain, subject):  # the robot does not watch other rooms
        return None
    if verb in APPEARS:
        return Observable("seen", subject, event=True)
    return Observable("seen", subject, negated=True, event=True) if verb in LEAVES else None


def _own_event(verb: str, place: str, thing: str, domain: Domain) -> Observable | None:
    """An event of the robot itself: "when you reach the kitchen", "when you have the cup", "after you charged"."""
    if place and verb in APPEARS | LEAVES | {"reach", "be", "stand"}:
        return Observable("robot_at", place, negated=verb == "leave", event=True)
    if thing in domain.objects and verb in HOLDS:
        return Observable("holding", thing, event=True)
    if verb in ENDS:
        return Observable("idle", text=DONE)
    action = action_of_verb(domain, verb)
    return Observable("finished", action, event=True) if action else None


def _state(condition: Condition, domain: Domain) -> Observable | None:
    subject, relation, attribute = _subject(condition, domain), condition.relation, condition.attribute
    head = condition.subject.head if condition.subject else ""
    if condition.kind == "after" and condition.subject is not None and condition.subject.pronoun in ("that", "this", "it"):
        return Observable("idle", text=DONE)
    if head == "battery" or (subject == ROBOT and attribute in ("low", "empty", "full", "charged")):
        low = attribute in ("low", "empty", "flat", "weak")
        return Observable("battery_low" if low else "battery_full") if low or attribute in ("full", "charged") else None
    if relation is not None and not relation.landmarks[1:]:
        place = _entity(relation.landmarks[0], domain) if relation.landmarks else ""
        if place not in domain.places or relation.name not in IN:
            return None
        if subject == ROBOT:
            return Observable("robot_at", place, negated=relation.negated)
        return Observable("object_at", subject, place, negated=relation.negated) if subject in domain.objects else None
    if subject == ROBOT:
        return Observable("idle", text=DONE) if attribute in IDLE else None
    if not _can_be_seen(domain, subject) or not attribute:
        return None
    if attribute == "home" and condition.kind in ("if", "unless", "while"):  # somebody out of view may be at home
        return None
    return Observable("seen", subject, negated=attribute in AWAY) if attribute in HERE | AWAY else None


def _can_be_seen(domain: Domain, entity: str) -> bool:
    return entity in domain.people or entity in domain.objects


def _subject(condition: Condition, domain: Domain) -> str:
    """The subject; the robot, if there is none: "before charging", "when done"."""
    return _entity(condition.subject, domain) if condition.subject is not None else ROBOT


def _only_named(text: str, domain: Domain) -> str:
    """The person or object that the text names; empty if it names several or none."""
    things: dict[str, Entity] = {**domain.people, **domain.objects}
    found = [
        entity
        for entity, spec in things.items()
        if any(re.search(rf"\b{re.escape(name.lower())}\b", text.lower()) for name in (*spec.names, spec.spoken(entity)) if name != "you")
    ]
    return found[0] if len(found) == 1 else ""


def _entity(description: Description | None, domain: Domain) -> str:
    """The person, object or place that is meant without doubt; ROBOT for "you"; empty if there is none."""
    if description is None:
        return ""
    word = description.pronoun or description.text.lower()
    if word in ("you", "yourself", "robot", "the robot"):
        return ROBOT
    if word in ("i", "me", "myself"):
        return domain.speaker
    if description.unknown or not description.candidates:
        return ""
    best, score = description.candidates[0]
    doubtful = len(description.candidates) > 1 and description.candidates[1][1] >= score
    return best if score >= SURE and not doubtful else ""


def in_words(condition: Condition, domain: Domain) -> str:
    """The condition in the robot's words, people's names with a capital."""
    said = turned(condition.text) or "that is so"
    for person in domain.people:
        name = called(domain, person)
        if name != "you":
            said = re.sub(rf"\b{re.escape(name.lower())}\b", name, said)
    return said
