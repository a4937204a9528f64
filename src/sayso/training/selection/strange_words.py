"""Generated interactions with words that the robot doesn't know: an aside, a word that makes the thing another one, a rare verb.

People say all three. With an aside or another thing, only some mean what the other words say: the shares are those of the labelled
sentences that `scripts/fit_reliability.py` counts. Sets that are calibrated without such sentences would promise too much about them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

from sayso.domain import Domain
from sayso.intent.grammar import verbs_of
from sayso.training.selection.interactions import Interaction

SHARE = 0.25  # of the interactions; each kind of doubt is calibrated for itself, so this only has to be enough
ASIDES = ("hopefully", "somehow", "regardless", "meanwhile", "obviously", "whistling", "grumbling", "yonder")
MAKERS = ("toilet", "garden", "wedding", "winter", "travel", "picnic")  # of another thing
STATES = ("velvet", "marble", "copper", "striped", "borrowed", "squeaky")  # of the same thing
VERBS = ("plonk", "scooch", "yeet", "lob", "schlep", "nab", "hoick", "bung", "pootle", "whisk", "shimmy", "wangle")
SAME_WITH_ASIDE, SAME_WITH_MAKER, SAME_WITH_STATE = 0.72, 0.34, 0.92  # how often the rest of the words is meant


def with_strange_words(domain: Domain, drawn: Iterable[Interaction], seed: int) -> list[Interaction]:
    """The interactions, some of them with a strange word."""
    chance = random.Random(f"{seed} strange words")
    names = {word for entities in domain.by_kind.values() for each in entities.values() for name in each.names for word in name.split()}
    verbs = verbs_of(example for spec in domain.intents.values() for example in spec.examples)
    known = names | verbs
    asides, makers, states, rare = ([word for word in words if word not in known] for words in (ASIDES, MAKERS, STATES, VERBS))
    found = []
    for each in drawn:
        first, _, rest = each.text.partition(" ")
        things = [role for role in each.meaning.roles if role.kind == "object" and each.text[role.start : role.end] == role.text]
        kinds = ["aside", *(["modifier"] if things else []), *(["verb"] if first in verbs and rest else [])]
        kind = chance.choice(kinds) if chance.random() < SHARE else ""
        changed = each
        if kind == "aside":
            changed = _meaning(replace(each, text=f"{each.text} {chance.choice(asides)}"), chance.random() < SAME_WITH_ASIDE)
        elif kind == "modifier":
            noun = each.text.rindex(things[0].text.split()[-1], things[0].start, things[0].end)
            words, same = chance.choice(((makers, SAME_WITH_MAKER), (states, SAME_WITH_STATE)))
            text = f"{each.text[:noun]}{chance.choice(words)} {each.text[noun:]}"
            changed = _meaning(replace(each, text=text), chance.random() < same)
        elif kind == "verb":
            changed = replace(each, text=f"{chance.choice(rare)} {rest}")
        found.append(changed)
    return found


def _meaning(interaction: Interaction, same: bool) -> Interaction:
    return interaction if same else replace(interaction, meaning=replace(interaction.meaning, actions=()))
