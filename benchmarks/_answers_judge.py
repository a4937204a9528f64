"""Questions to a robot in a random apartment, and what their answers are worth by the ground truth.

An answer is read by its words, without the code that made it: the first place or number or list in it is what it claims.

right: what it claims is so. doubt: it claims something else, or nothing, but says that it is not sure, with the probability of its belief.
unfounded: it claims something without any doubt that the belief does not bear out. wrong: anything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Literal

from _answers_home import NOW, LivedHome
from sayso.domain.wording import called, plural
from sayso.meaning.world_view import PlaceBeliefs

AnswerVerdict = Literal["right", "doubt", "wrong", "unfounded"]
Judge = Callable[[str], AnswerVerdict]
SURE = 0.9  # least probability of the belief that bears out a claim without doubt
_DOUBT = re.compile(r"\b(?:[Pp]robably|[Pp]erhaps|I don't know|I expect)\b")
_PERCENT = re.compile(r"(\d+)%")


@dataclass(frozen=True)
class AskedAnswer:
    """A question of some kind, and how to judge its answer."""

    kind: str
    question: str
    judge: Judge
    known: bool = True  # whether the robot can know it: it has seen what is asked about, or needs not to see it


def questions(home: LivedHome, chance: Random) -> Iterator[AskedAnswer]:
    """Some questions of each kind."""
    things = [*home.truth.places, *([home.truth.holding] if home.truth.holding else [])]
    for thing in chance.sample(sorted(things), 5):
        name = home.domain.spoken(thing)
        asked = chance.choice(("where is {}", "where did i leave {}", "do you know where {} is", "have you seen {}"))
        yield AskedAnswer("where", asked.format(name), _place_judge(home, thing), _is_known(home, thing))
        asked = chance.choice(("what colour is {}", "tell me the color of {}", "which color does {} have"))
        yield AskedAnswer("colour", asked.format(name), _says(home.domain.objects[thing].attributes["color"]))
    for thing in chance.sample(sorted(home.truth.places), 4):
        yield _there_is(home, thing, chance)
    for thing in chance.sample(sorted(things), 2):
        name, cm = home.domain.spoken(thing), f"about {100 * home.domain.objects[thing].size:.0f} cm"
        yield AskedAnswer("size", chance.choice(("how big is {}", "what size is {}", "tell me how large {} is")).format(name), _says(cm))
        colour = home.domain.objects[thing].attributes["color"]
        yield AskedAnswer(
            "describe", chance.choice(("describe {}", "what does {} look like", "tell me about {}")).format(name), _says(cm, colour)
        )
    yield from _of_places(home, chance)
    yield from _of_robot(home, chance)


def _of_places(home: LivedHome, chance: Random) -> Iterator[AskedAnswer]:
    domain, truth = home.domain, home.truth
    occupied = sorted(set(truth.places.values()))
    for place in chance.sample(occupied, 3):
        there = {thing for thing, at in truth.places.items() if at == place}
        seen = all(_is_known(home, thing) for thing in truth.places)
        asked = chance.choice(("what is on {}", "what's on {}", "tell me what is on {}", "which things are on {}")).format(
            domain.spoken(place)
        )
        yield AskedAnswer("what_on", asked, _list_judge(home, there, tuple(domain.objects), place), seen)
    kinds = sorted({spec.category for spec in domain.objects.values()})
    for category in chance.sample([each for each in kinds if _plain(each)], 2):
        members = {thing for thing, spec in domain.objects.items() if spec.category == category}
        asked = chance.choice(("how many {} are there", "how many {} do we have", "count the {}")).format(plural(category))
        yield AskedAnswer("how_many", asked, _number_judge(len(members)))
    for room in chance.sample(sorted(home.domain.places[place].inside for place in occupied), 2):
        category = chance.choice(("cup", "book", "bottle"))
        members = {thing for thing, spec in domain.objects.items() if spec.category == category}
        count = sum(domain.room_of(truth.places[thing]) == room for thing in members if thing in truth.places)
        known = all(_is_known(home, thing) for thing in members)
        if members:
            yield AskedAnswer("how_many", f"how many {plural(category)} are in {domain.spoken(room)}", _number_judge(count), known)
    for room in chance.sample(sorted({*truth.rooms.values(), *(domain.room_of(place) for place in occupied)}), 2):
        there = {person for person, at in truth.rooms.items() if at == room}
        asked = chance.choice(("who is in {}", "who's in {}", "is anyone in {}", "tell me who is in {}")).format(domain.spoken(room))
        yield AskedAnswer("who", asked, _list_judge(home, there, tuple(domain.people), room), known=False)


def _of_robot(home: LivedHome, chance: Random) -> Iterator[AskedAnswer]:
    domain, truth, local = home.domain, home.truth, datetime.fromtimestamp(NOW.wall).astimezone()
    clock = (f"{(local.hour - 1) % 12 + 1}", "am" if local.hour < 12 else "pm", f"{local.minute:02d}")
    yield AskedAnswer("time", chance.choice(("what time is it", "tell me the time", "do you know what time it is")), _says(*clock))
    yield AskedAnswer(
        "date", chance.choice(("what day is it", "what's the date", "what day is it today")), _says(f"{local:%A}", str(local.day))
    )
    yield AskedAnswer("name", chance.choice(("what's your name", "who are you", "tell me your name")), _says(domain.robot))
    yield AskedAnswer("abilities", chance.choice(("what can you do", "how can you help me")), _says("go to places", "bring things"))
    yield AskedAnswer("own_place", chance.choice(("where are you", "which room are you in")), _says(domain.spoken(truth.robot_at)))
    held = domain.spoken(truth.holding) if truth.holding else "empty"
    yield AskedAnswer("holding", chance.choice(("what are you holding", "what's in your hand")), _says(held))
    yield AskedAnswer(
        "battery", chance.choice(("how full is your battery", "how much battery do you have left")), _says(f"{truth.battery:.0%}")
    )
    yield AskedAnswer("sight", chance.choice(("what do you see", "tell me what you see")), _sight_judge(home))
    state = {"done": "I did this", "failed": "was not done", "running": "still at it"}[truth.last_state] if truth.last else "nothing yet"
    yield AskedAnswer("done", chance.choice(("what did you just do", "what have you just done")), _says(state, truth.last))
    busy = (truth.last, "busy") if truth.last and truth.last_state == "running" else ("Nothing",)
    yield AskedAnswer("activity", chance.choice(("what are you doing", "are you busy")), _says(*busy))
    options = [domain.spoken(thing) for thing in truth.options] or ["not asked anything"]
    yield AskedAnswer("why_asked", chance.choice(("why did you ask", "why do you ask me that")), _says(*options))
    reason = ("blocked",) if truth.last_state == "failed" else (truth.last, "sure")
    yield AskedAnswer(
        "why", chance.choice(("why did you do that", "why are you doing this")), _says(*(reason if truth.last else ("nothing yet",)))
    )


def _there_is(home: LivedHome, thing: str, chance: Random) -> AskedAnswer:
    """Whether a thing is at its place, or at another one."""
    domain, truth = home.domain, home.truth
    usual = sorted({*domain.objects[thing].usual, truth.places[thing]})
    place = chance.choice(usual)
    is_there = truth.places[thing] == place
    at = "on" if domain.places[place].surface else "at"

    def judge(answer: str) -> AnswerVerdict:
        said = answer.startswith(("Yes:", "Probably:"))
        if not answer.startswith(("Yes:", "Probably:", "Probably not")):
            return "wrong"
        if answer.startswith("Yes:") and _belief(home, thing, place) < SURE:
            return "unfounded"
        if said == is_there:
            return "right"
        return "doubt" if answer.startswith("Probably") and _numbers_agree(home, answer, thing, place) else "wrong"

    plural_name = domain.spoken(thing).endswith("s") and not domain.spoken(thing).endswith("ss")
    return AskedAnswer(
        "there_is", f"{'are' if plural_name else 'is'} {domain.spoken(thing)} {at} {domain.spoken(place)}", judge, _is_known(home, thing)
    )


def _place_judge(home: LivedHome, thing: str) -> Judge:
    domain, truth = home.domain, home.truth

    def judge(answer: str) -> AnswerVerdict:
        if thing == truth.holding:
            return "right" if "holding" in answer else "unfounded" if not _DOUBT.search(answer) else "wrong"
        named = _first_named(home, answer, tuple(domain.places))
        doubtful = bool(_DOUBT.search(answer))
        if named and not doubtful and (_belief(home, thing, named) < SURE or thing not in home.seen):
            return "unfounded"
        if named == truth.places[thing] and not answer.startswith("I don't know"):
            return "right"
        return "doubt" if doubtful and named and _numbers_agree(home, answer, thing, named) else "wrong"

    return judge


def _list_judge(home: LivedHome, there: set[str], among: tuple[str, ...], place: str) -> Judge:
    """For lists: what is said to be there, probably or not, against what is."""

    def judge(answer: str) -> AnswerVerdict:
        claimed = answer.partition("erhaps")[0]
        named = {entity for entity in among if f"{called(home.domain, entity)} (" in claimed}
        doubtful = bool(_DOUBT.search(answer))
        unsure = [
            entity for entity in named if _belief(home, entity, place) < SURE or (entity in home.domain.objects and entity not in home.seen)
        ]
        if named and not doubtful and unsure:
            return "unfounded"
        if named == there and (named or answer.startswith("I expect no")):
            return "right"
        agree = all(f"{_belief(home, entity, place):.0%}" in answer for entity in named)
        return "doubt" if agree and (doubtful or set(_PERCENT.findall(answer))) else "wrong"

    return judge


def _number_judge(count: int) -> Judge:
    def judge(answer: str) -> AnswerVerdict:
        number = re.search(r"\d+", answer)
        said = int(number[0]) if number and number.start() < 12 else 0 if answer.startswith("I know of none") else None
        if said is None:
            return "wrong"
        if said == count:
            return "right"
        return "doubt" if answer.startswith("I expect") else "unfounded"

    return judge


def _sight_judge(home: LivedHome) -> Judge:
    def judge(answer: str) -> AnswerVerdict:
        first = answer.partition(".")[0]
        named = {thing for thing in home.domain.objects if re.search(rf"\b{re.escape(called(home.domain, thing))}\b", first)}
        return "right" if named == set(home.truth.visible) or (len(home.truth.visible) > len(named) >= 6) else "wrong"

    return judge


def _says(*words: str) -> Judge:
    """For facts: all the words are in the answer, and no doubt is needed."""
    return lambda answer: "right" if all(word in answer for word in words) else "wrong"


def _belief(home: LivedHome, entity: str, place: str) -> float:
    return PlaceBeliefs(home.domain, home.view).at(entity, place)


def _numbers_agree(home: LivedHome, answer: str, thing: str, place: str) -> bool:
    """Whether the first probability that is said is that of the belief, in whole percent."""
    said = _PERCENT.search(answer)
    return said is None or abs(int(said[1]) - 100 * _belief(home, thing, place)) <= 1.0


def _is_known(home: LivedHome, thing: str) -> bool:
    return thing in home.seen or thing == home.truth.holding


def _first_named(home: LivedHome, answer: str, places: tuple[str, ...]) -> str:
    """The place whose name comes first in the answer, the longest of those that begin there."""
    found = [(answer.find(name), -len(name), place) for place in places if (name := home.domain.spoken(place)) in answer]
    return min(found)[2] if found else ""


def _plain(category: str) -> bool:
    """Whether people ask how many of it there are."""
    return category in ("cup", "book", "bottle", "can", "plate", "toy")
