"""What a description means in one picture: nothing, one thing, several, or one of several that the words do not tell apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sayso.grounding.backend import Look
from sayso.grounding.denoting import Meant, PictureDenotation
from sayso.grounding.layout import layout
from sayso.grounding.things import gathered
from sayso.grounding.wanted import HowMany, plain_phrases, wanted
from sayso.grounding.worlds import PossibleWorlds
from sayso.representation import Description
from sayso.types import Candidate, FloatArray, Image

# absent: fewer things fit than were spoken of. ambiguous: more do.
Verdict = Literal["absent", "one", "several", "ambiguous"]

SURE = 0.75  # P(the likeliest thing is meant | something fits) from which it is taken without a question
LIKELY = 0.1  # P from which a thing is one that may be meant
MEMBER = 0.5  # P from which a thing belongs to "all the cups"
READINGS = 8  # most readings that are told


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a description means in one picture."""

    phrase: str
    verdict: Verdict
    things: tuple[Candidate, ...]  # meant, the likeliest first; of ambiguous: those that may be; `probability`: P(it is meant)
    p_found: float  # P(as many things fit as the words speak of, or more)
    p_ambiguous: float  # P(more do)
    readings: tuple[tuple[tuple[Candidate, ...], float], ...]  # sets of things that fit, with P; the likeliest first, () is nothing
    counts: tuple[tuple[int, float], ...]  # P(that many things fit), by number
    looks: tuple[Look, ...] = ()  # the backend's, of each plain phrase
    why: str = ""  # what the picture cannot tell, one line

    @property
    def doubt(self) -> float:
        """Entropy of the readings, nats: 0 if one is sure."""
        return max(0.0, -sum(p * math.log(p) for _, p in self.readings if p > 0.0))

    @property
    def unknown(self) -> tuple[str, ...]:
        """Words that the backend has no idea of."""
        return tuple(dict.fromkeys(word for look in self.looks for word in look.unknown))


def resolve(phrase: str, description: Description, looks: Sequence[Look], image: Image, threshold: float) -> Resolution:
    """What the description means.

    Args:
        phrase: as said.
        description: of the phrase.
        looks: for each of its `plain_phrases`, in this picture.
        image: gives lens and pose of the camera.
        threshold: P from which the backend takes one thing as found.
    """
    things = gathered(looks)
    worlds = PossibleWorlds(things)
    evaluation = PictureDenotation(worlds, layout(image, [thing.candidate for thing in things]))
    meant = evaluation.meant(description)
    p_found, p_ambiguous = float(1.0 - meant.few.mean()), float(meant.many.mean())
    shares = _shares(meant, wanted(description), bool(description.parts))
    order = [int(thing) for thing in np.argsort(-shares, kind="stable")]
    verdict, chosen = _verdict(meant, shares, order, _Asked(description, p_found > threshold ** len(plain_phrases(description))))
    candidates = [replace(thing.candidate, probability=float(share)) for thing, share in zip(things, shares, strict=True)]
    readings = [(tuple(candidates[thing] for thing in sorted(which)), p) for which, p in _readings(meant)]
    counts = np.bincount(meant.sets.sum(axis=1)) / len(meant.sets)
    return Resolution(
        phrase=phrase,
        verdict=verdict,
        things=tuple(candidates[thing] for thing in chosen),
        p_found=p_found,
        p_ambiguous=p_ambiguous,
        readings=tuple(readings),
        counts=tuple((number, float(p)) for number, p in enumerate(counts) if p > 0.0),
        looks=tuple(looks),
        why=f"a picture does not show which is the {evaluation.unshown[0]}" if evaluation.unshown else "",
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    description: Description
    found: bool  # P(something fits) is above the threshold


def _shares(meant: Meant, need: HowMany, joined: bool) -> FloatArray:
    """(things,) P(it is meant). If several fit and one is spoken of, each is meant as likely as the others."""
    fits = meant.sets & ~meant.few[:, None]
    if joined or need.free or need.most > 1:
        return np.asarray(fits.mean(axis=0))
    return np.asarray((fits / np.maximum(fits.sum(axis=1, keepdims=True), 1)).mean(axis=0))


def _verdict(meant: Meant, shares: FloatArray, order: list[int], question: _Asked) -> tuple[Verdict, list[int]]:
    """The verdict, and the things it is about."""
    description, found = question.description, 1.0 - meant.few.mean()
    need = wanted(description)
    if not question.found or not order or found <= 0.0 or description.quantity == "no":
        return "absent", []
    likely = [thing for thing in order if shares[thing] / found >= LIKELY]
    if description.joined == "or" or (need.free and not description.parts):
        return "one", order[:1]
    if need.most == 1 and not description.parts:
        if shares[order[0]] / found >= SURE or len(likely) < 2:
            return "one", order[:1]
        return "ambiguous", likely
    if meant.many.mean() / found > 1.0 - SURE:
        return "ambiguous", likely
    members = [thing for thing in order if shares[thing] / found >= MEMBER] or order[:1]
    return ("several" if len(members) > 1 else "one"), members


def _readings(meant: Meant) -> list[tuple[tuple[int, ...], float]]:
    sets, number = np.unique(meant.sets, axis=0, return_counts=True)
    ranked = sorted(zip(sets, number, strict=True), key=lambda pair: -pair[1])
    return [(tuple(int(thing) for thing in np.flatnonzero(which)), float(count) / len(meant.sets)) for which, count in ranked[:READINGS]]
