"""How people look, as labels: pose, gesture, age, gender, and what they wear. Scenes, trackers and descriptions use the same ones.

Left and right of a gesture are the person's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Pose = Literal["standing", "sitting", "lying"]
Gesture = Literal["no_gesture", "waving", "raising_left_arm", "raising_right_arm", "pointing_left", "pointing_right"]
Gender = Literal["male", "female"]
Age = Literal["child", "adult", "elder"]
Colour = Literal["red", "blue", "green", "yellow", "orange", "purple", "pink", "brown", "gray", "black", "white"]
Garment = Literal["coat", "jacket", "sweater", "blouse", "shirt", "t_shirt", "trousers", "shoes"]

POSES: tuple[Pose, ...] = ("standing", "sitting", "lying")
GESTURES: tuple[Gesture, ...] = ("no_gesture", "waving", "raising_left_arm", "raising_right_arm", "pointing_left", "pointing_right")
GENDERS: tuple[Gender, ...] = ("male", "female")
AGES: tuple[Age, ...] = ("child", "adult", "elder")
COLOURS: tuple[Colour, ...] = ("red", "blue", "green", "yellow", "orange", "purple", "pink", "brown", "gray", "black", "white")
GARMENTS: tuple[Garment, ...] = ("coat", "jacket", "sweater", "blouse", "shirt", "t_shirt", "trousers", "shoes")  # outermost first

_GROUPS: tuple[tuple[str, ...], ...] = (POSES, GESTURES, GENDERS, AGES)
_IN_WORDS = {
    "lying": "lying down",
    "no_gesture": "making no gesture",
    "raising_left_arm": "raising the left arm",
    "raising_right_arm": "raising the right arm",
    "pointing_left": "pointing to the left",
    "pointing_right": "pointing to the right",
}


@dataclass(frozen=True, slots=True)
class PersonLook:
    """How a person looks, as a tracker sees it."""

    person: str
    look: str  # a label: "waving", "sitting", "red_shirt"
    probability: float


def group_of(look: str) -> tuple[str, ...]:
    """The labels of which a person has one, among them this one; empty for clothes."""
    return next((group for group in _GROUPS if look in group), ())


def garment_of(look: str) -> tuple[str, str]:
    """Colour and garment of "red_shirt"; empty for what is not said, both for what is no clothing."""
    colour = next((colour for colour in COLOURS if look == colour or look.startswith(f"{colour}_")), "")
    garment = look.removeprefix(colour).removeprefix("_")
    return (colour, garment) if colour or garment in GARMENTS else ("", "")


def is_look(word: str) -> bool:
    """Whether a word is such a label."""
    return bool(group_of(word)) or any(garment_of(word))


def fits(look: str, wanted: str) -> bool:
    """Whether who has the first label is one of the wanted: a "red_shirt" is "red" and a "shirt"."""
    if look == wanted:
        return True
    colour, garment = garment_of(wanted)
    own_colour, own_garment = garment_of(look)
    return bool(colour or garment) and colour in ("", own_colour) and garment in ("", own_garment)


def look_in_words(look: str) -> str:
    """What a person with that label "is": "pointing to the left", "wearing a red shirt"."""
    colour, garment = garment_of(look)
    if not garment:
        return f"wearing {colour}" if colour else _IN_WORDS.get(look, look)
    words = f"{colour} {garment.replace('t_shirt', 't-shirt')}".strip()
    article = "" if garment in ("trousers", "shoes") else "an " if words[0] in "aeiou" else "a "
    return f"wearing {article}{words}"
