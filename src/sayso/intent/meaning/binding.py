"""Words that bind an act to a condition, a limit or a negation: none of them may be passed over in silence.

A function word that nothing explains is usually harmless ("so", "really"). These are not: without "only if", "unless" or "not", another
sentence remains. So one that no condition, mood, exclusion or message takes up counts as not understood, and the robot asks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sayso.intent.clauses import Word
from sayso.intent.grammar import word_set
from sayso.representation import Description
from sayso.types import Role

CONJUNCTIONS = word_set(
    "if unless until till while whilst whenever whether when once provided providing assuming supposing except excluding besides lest "
    "although otherwise instead whereas"
)
NEGATIONS = word_set(
    "not no never nobody nothing none neither nor without hardly cannot don't doesn't didn't won't wouldn't shouldn't mustn't can't "
    "couldn't isn't aren't wasn't weren't hasn't haven't hadn't needn't ain't"
)
LIMITS = word_set("only but rather")
BINDING = CONJUNCTIONS | NEGATIONS | LIMITS
_OPENING = word_set("but only and then , or so")  # "but go to the kitchen" joins clauses
_HARMLESS = (("not", "too"), ("not", "that"), ("whether", "or"), ("no", "problem"), ("no", "worries"), ("no", "rush"), ("no", "hurry"))


def unbound(words: Iterable[Word], roles: Collection[Role], act: Collection[str], explained: Collection[Word]) -> frozenset[Word]:
    """The binding words of a clause that nothing takes up.

    Args:
        words: of the clause, in order, without the commas.
        roles: of the clause; a message explains all of its words.
        act: the vocabulary of the intent: "don't move" means stop.
        explained: words of restrictions, conditions, times, moods and markers.
    """
    messages = [(role.start, role.end) for role in roles if role.kind == "words"]
    spoken = list(words)
    found = set()
    opening = True
    for at, word in enumerate(spoken):
        opening = opening and word.text in _OPENING
        after = spoken[at + 1].text if at + 1 < len(spoken) else ""
        if word.text not in BINDING or opening or word in explained or word.text in act or (word.text, after) in _HARMLESS:
            continue
        if not any(start <= word.start and word.end <= end for start, end in messages) and not _described(word, roles):
            found.add(word)
    return frozenset(found)


def _described(word: Word, roles: Collection[Role]) -> bool:
    """Whether the description of a role that holds the word takes it up: "no cup", "not the red one"."""
    return any(role.start <= word.start and word.end <= role.end and _negative(role.description) for role in roles)


def _negative(description: Description | None) -> bool:
    if description is None:
        return False
    return description.quantity == "no" or bool(description.excluded) or any(each.negated for each in description.relations)
