"""Words for pointing, as one verb: "point at the cup", "point out the cup", "show me where the cup is" → "indicate the cup".

No sentence of the training speaks of pointing, and "at the cup" alone would say where the robot is to do it. "Indicate" asks for a thing,
a place or a person as "describe" does, and the domain file says which action the verb means (`verbs` of the intent).
"""

from __future__ import annotations

import re

from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import PREPOSITIONS

INDICATE = "indicate"
READ_AS = {INDICATE: "describe"}  # what the encoder reads, which does not know the verb as a command
NAMED = 0.95  # least score of a name: "show me the flights to boston" names nothing of the home
_LEAD = r"(?P<lead>^|, |\b(?:and|then|please|not|don't|never|robot|just|to) |\b(?:can|could|would|will|should) you (?:please )?)"
_HAND = r"(?: (?:with )?(?:your|the|an?) (?:arm|hand|finger|gripper))?"
_AT = r"(?:at|to|towards?|in the direction of)"
_BE = r"(?:is|are)"
_NO_THING = r"(?!(?:that|how|why|what|when|if|whether|the (?:fact|way|time|problem))\b)"  # "I want to point out that …"
_RULES = tuple(
    (re.compile(_LEAD + pattern), rf"\g<lead>{INDICATE} \g<thing>")
    for pattern in (
        rf"point{_HAND} (?:{_AT} |me to )where (?P<thing>[^,]+?) {_BE}\b",
        rf"point{_HAND} {_AT}{_HAND} {_NO_THING}(?P<thing>\w)",
        rf"point out (?:to (?:me|us) )?where (?P<thing>[^,]+?) {_BE}\b",
        rf"point out (?:to (?:me|us) )?{_NO_THING}(?!where\b)(?P<thing>\w)",
        r"point (?P<thing>(?:it|them|him|her|(?:the|my|our|your|that|this|these|those) (?:[\w']+ ){0,3}?[\w']+)) out\b",
    )
)
_SHOW = re.compile(
    rf"{_LEAD}(?:show|let) (?:me|us|(?P<whom>(?:my |the )?[\w']+)(?= where )) (?:see )?"
    rf"(?P<where>where )?(?P<thing>[^,]+?)(?(where) {_BE})(?P<end> please)?$"
)


def indicated(text: str, gazetteer: Gazetteer) -> str:
    """The normalised text with pointing in its plain form. "Show me" a place stays as it is: there the robot guides.

    Args:
        text: normalised.
        gazetteer: names of the home, of which "show me" must name a thing or a person.
    """
    for pattern, meant in _RULES:
        text = pattern.sub(meant, text)
    shown = _SHOW.search(text)
    if shown is None or not _is_shown(shown["thing"].split(), gazetteer):
        return text
    to = f" to {shown['whom']}" if shown["whom"] else ""
    return f"{text[: shown.start()]}{shown['lead']}{INDICATE} {shown['thing']}{to}{shown['end'] or ''}"


def _is_shown(words: list[str], gazetteer: Gazetteer) -> bool:
    """Whether the words up to the first preposition name a thing or a person: "the cup" of "the cup on the table"."""
    end = next((at for at, word in enumerate(words) if word in PREPOSITIONS and at), len(words))
    return any(link.score >= NAMED for link in gazetteer.link(tuple(words[:end]), frozenset(("object", "person"))))
