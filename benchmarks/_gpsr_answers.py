"""Whether what the robot said answers a command of the grammars, by the ground truth."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from _gpsr_commands import QUESTIONS, GpsrCommand
from _gpsr_orders import ORDERS, measure
from _gpsr_people import fitting, inside
from sayso.domain import Domain
from sayso.looks import garment_of, look_in_words
from sayso.scene.scene import Scene

_ANSWERS = {  # words of the grammars → what an answer to them must hold
    "the time": r"\d{1,2}:\d\d",
    "what day is today": r"(?i)monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    "what day is tomorrow": r"(?i)monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    "the day of the week": r"(?i)monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    "the day of the month": r"\d",
    "something about yourself": r"\b[Ii](?:'m| am| can)\b",
    "to leave": r"\bto leave\b",
    "a joke": r"[.?!]",
    "say something": r"\w",
    "and speak": r"\w",
}


def is_where(domain: Domain, location: str, wanted: Sequence[str]) -> bool:
    """Whether a location is one of the wanted ones, or is in a wanted room."""
    if location in wanted:
        return True
    return location in domain.places and domain.room_of(location) in wanted


@dataclass(frozen=True, slots=True)
class SpokenAnswer:
    """All that the robot said, against what was so."""

    domain: Domain
    scene: Scene
    command: GpsrCommand
    before: Mapping[str, str]  # object → where it stood
    said: str

    def told(self) -> bool:
        """Whether what the grammar's words ask to be told was said."""
        return bool(self.wanted) and re.search(self.wanted, self.said) is not None

    @property
    def wanted(self) -> str:
        """What the words must hold that are to be told; empty if the command names none."""
        if self.command.asks:
            return QUESTIONS[self.command.asks]
        return next((pattern for words, pattern in _ANSWERS.items() if words in self.command.label.say), "")

    def is_right(self) -> bool:
        """Whether it answers the question, by the truth before."""
        label = self.command.label
        places = [each.arguments[0] for each in label.keep if each.name == "where" and each.arguments]
        there = [theme for theme, where in self.before.items() if is_where(self.domain, where, places)]
        if self.command.cast is not None and (self.command.looks or "of the person" in label.say):
            return self._told_of_people(places)
        if not label.question and {name for sequence in label.do for act in sequence for name in act.names} == {"describe"}:
            return {theme for theme in self.before if self._names(theme)} == set(there)
        if not label.question:
            return self.told()
        for question in label.question:
            members = [value for argument in question.arguments for value in argument.split("|") if value in self.before]
            among = [theme for theme in there if theme in members] if question.arguments else there
            if question.name == "how_many" and (members or not self.command.describes_people):
                return self._says_number(len(self._described(among)))
            if {"what", "which"} & {*question.name.split("|")} and among:
                wanted = self._superlatives(among)
                return bool(wanted) and all(map(self._names, wanted))
        return False

    def _told_of_people(self, places: Sequence[str]) -> bool:
        """Whether it was said how many fit, or how the one person there looks or is called."""
        people = [name for name in self.scene.people if name != self.domain.speaker]
        there = fitting(self.scene, inside(self.domain, self.scene, people, places[0]), self.command.looks)
        if any(question.name == "how_many" for question in self.command.label.question):
            return self._says_number(len(there))
        if len(there) != 1:
            return False
        if "the name of" in self.command.label.say:
            return self.domain.people[there[0]].spoken(there[0]).lower() in self.said.lower()
        if re.search(r"the (?:gender|pose) of", self.command.label.say):
            return all(look_in_words(look) in self.said for look in self.command.looks)
        return all(look_in_words(look) in self.said for look in self.scene.people[there[0]].looks if any(garment_of(look)))

    def _names(self, theme: str) -> bool:
        """Whether the thing's name was said, also at the beginning of a sentence."""
        return re.search(rf"\b{re.escape(self.domain.spoken(theme))}\b", self.said, re.IGNORECASE) is not None

    def _described(self, among: list[str]) -> list[str]:
        """Those of the category and the colour that the sentence names."""
        for kept in self.command.label.keep:
            words = {word for argument in kept.arguments for word in argument.split("|")} if kept.name == "described" else set()
            if words & {*self.domain.objects}:
                among = [theme for theme in among if theme in words]
            elif words:
                among = [theme for theme in among if self.domain.objects[theme].attributes.get("color") in words]
        return among

    def _superlatives(self, among: list[str]) -> list[str]:
        count = next((int(each.arguments[0]) for each in self.command.label.keep if each.name == "exactly"), 1)
        names = {each.name for each in self.command.label.keep}
        order = next(iter(names & ORDERS), "")
        return sorted(among, key=lambda theme: measure(self.domain, self.scene, theme, order))[:count] if order else []

    def _says_number(self, count: int) -> bool:
        found = re.search(r"\b(\d+)\b(?!\s*%)|\b(no|none|nothing|nobody)\b", self.said)
        return found is not None and (int(found[1]) if found[1] else 0) == count
