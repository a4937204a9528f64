"""Words for a thing or a place that stand for others of the same meaning: "whatever's on the bed" → "everything that's on the bed"."""

from __future__ import annotations

import re

from sayso.intent.gazetteer import CONTRASTS
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.normalise import UNITS

_PREPOSITIONS = "|".join(sorted({words[0] for words in lexicon.RELATIONS} - {"before", "with", "from"}))
_STATES = "|".join(sorted(lexicon.PARTICIPLES))
_WHERE = rf"(?= (?:(?:still|just|currently|lying|left|right|all) )*(?:{_STATES}|{_PREPOSITIONS})\b)"
_TAKING = (  # verbs of taking; "tell me what's on the table" is a question
    "(?:bring|fetch|get|take|grab|pick|collect|carry|move|put|clear|give|hand|pass|deliver|gather|shift|stick|need|want)"
    "(?: (?:me|us|him|her|up|over|all))?"
)
_UNITS = "|".join(sorted({*UNITS, "pm", "am", "o'clock", "times"} - {"°"}))
_COLOURS = "|".join(sorted(CONTRASTS))
_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # "whatever's lying around on the bed"
        (rf"\bwhatever(?:'s| is| are| was)(?: there)?{_WHERE}", "everything that's"),
        (rf"\b({_TAKING}) what(?:'s| is)(?: there)?{_WHERE}", r"\1 everything that's"),
        (rf"\b({_TAKING}) (?:whatever|what) (?=(?:you|i|we) (?:see|saw|find|found|left|put)\b)", r"\1 everything "),
        (rf"\bwhatever (?=(?:you|we) (?:see|find|have) (?:{_PREPOSITIONS})\b)", "everything "),
        (r"\bwhatever (?:else )?there is(?= (?:on|in|at|under|next)\b)", "everything"),
        (rf"\b({'|'.join(map(re.escape, lexicon.PURPOSE_NOUNS))}) (?:items?|objects?|things?)\b", r"\1"),  # "the drinks items"
        (r"\bhalf a dozen(?: of)?\b(?= \w)", "6"),
        (r"\b(?:a|one|1) dozen(?: of)?\b(?= \w)", "12"),
        (r"\b(\d+) (?:more|extra|additional|other) (?=[a-z]+)(?!of\b|than\b)", r"another \1 "),
        # "at least two cups"
        (
            r"\b(?:at least|at most|up to|no more than|not more than|no less than|no fewer than|exactly|as many as|just|only|"
            r"a maximum of|a minimum of)"
            rf" (?=\d+ (?!(?:{_UNITS})\b)[a-z])",
            "",
        ),
        # "clear the lot off the table"
        (rf"\b({_TAKING}) the (?:whole |entire )?lot(?! of\b)(?! \w+ (?:of|is)\b)", r"\1 everything"),
        (
            r"\b(?:the (?:whole |entire )?lot|every (?:single )?one|every last one|each one|each) of (?:them|those|these)\b(?! \w+s\b)",
            "all of them",
        ),
        (
            r"\b(the|my|these|those|that|our|your) ((?:\w+ )?\w+),? (?:all of (?:it|them)|every (?:single |last )?one of them|"
            r"the (?:whole )?lot of (?:it|them)"
            r"|the whole lot|every last one|every single one),?(?= |$)",
            r"all \1 \2",
        ),
        (
            r"\bclear (?=(?:everything|all (?:the|of|those|these|my)|both|those|these|the \w+(?: and the \w+)?(?= (?:off|from|"
            r"out)))\b.* (?:off|from|out of) )",
            "take ",
        ),
        # "a mug, blue or white"
        (rf"\b(an?|any|some|the) (\w+),? (?:either )?({_COLOURS}) or ({_COLOURS})\b", r"\1 \3 \2 or \1 \4 \2"),
        (rf"\b(an?|any|some|the) (\w+) in ({_COLOURS})(?= |$)(?! \w*(?:box|bag|bowl|basket|cup|bin))", r"\1 \3 \2"),
        # "the man in the blue jacket"
        (
            rf"\b(person|people|man|men|woman|women|boy|girl|child|children|lady|guy) in (?=(?:an? |the )?(?:(?:{_COLOURS}) )?"
            r"(?:t-shirt|shirt|blouse|sweater|pullover|coat|jacket|trousers|pants|shoes)s?\b)",
            r"\1 wearing ",
        ),
        # "whoever is sitting on the sofa"
        (r"\bwho(?:m)?ever(?:'s| is)(?= \w)", "the person who is"),
        # "a cup, but one that isn't on the desk"
        (r"(?<=\w),? (?:but |just |only |preferably )+(?:any |only )?ones? (?=that\b|that's\b|which\b|without\b|with\b)", " "),
        (r"(?<=\w), (?:any |only )?ones? (?=that\b|that's\b|which\b|without\b|with\b)", " "),
        (r"(?<=\w),? (?:but |just )?not (?:the |an? )?ones? (?=(?:that's|that is|that are|which is) )", " except the one "),
        # "don't bother with any of the cups, just bring the plate"
        (
            r"^(?:please )?(?:don't bother (?:with|about|bringing|getting|fetching)|don't worry about|never mind|forget|forget about"
            r"|i don't (?:need|want)) (?:the|any|all|those|these|that|this|my|a|an|either|"
            r"both) (?:[\w']+ ){0,4}?([\w']+?)s?,? (?:but |and |no )?(?:just|only|instead|simply) (?=[a-z])(?!.*\b\1)",
            "",
        ),
        # "find a home for the vase on the shelf"
        (
            r"\bfind (?:a|an|some)(?: \w+)? (?:home|place|spot|space|room) for (?=(?:the|my|this|that|these|those|her|his|our|all|"
            r"both|a)\b)"
            r"(?=.* (?:on|in|next|beside|by|near|under|between)\b)",
            "put ",
        ),
    )
)
_CUES = (
    "dozen",
    "item",
    "object",
    "thing",
    " more ",
    "extra",
    "additional",
    "other",
    "at ",
    "up to",
    "than",
    "exactly",
    "many",
    "um of",
    "just",
    "only",
    "instead",
    "what",
    "all of",
    "clear ",
    " or ",
    " in ",
    "every ",
    "who",
    "lot",
    " one",
    " home",
    " place",
    " spot",
    " room",
    " space",
    "each",
)


def reworded(text: str) -> str:
    """A normalised text in these words."""
    if not any(cue in text for cue in _CUES):
        return text
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text
