"""Words that make a clause a request: verbs that begin it, polite forms, orders after a statement."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.intent.grammar import DETERMINERS, PERSON_PRONOUNS, SPEAKER, THING_PRONOUNS, after_lead_in, word_set

FORMS = (
    "can you; could you; would you; will you; can i; could i; may i; might i; please; i need; i want; i'd like; i'd love; i would like; "
    "i'd; let me have; any chance; how about; be so kind; do me a; see if; make sure"
)
_FORMS = tuple(f" {phrase} " for phrase in FORMS.split("; "))
# Acts of hands and wheels. Nobody asks a phone or a bank for them, so they are for the robot, whatever it can do and whatever the thing is.
PHYSICAL = word_set(
    "grab fetch bring carry hand pick lift lay stack pile push drag haul hang fold pour fill wipe wash dust mop sweep scrub rinse dry iron "
    "tidy vacuum hoover water feed cook fry boil bake peel slice chop stir shake throw toss chuck dump shove stick stow empty unload drive "
    "follow rotate spin raise open close shut unlock unplug press knock touch deliver collect retrieve squeeze sprinkle drain soak"
)
_REPORTED = word_set("says said saying told tells asked goes went yelled shouted whispered")  # "he says to me bring me a beer"
_GIVING = word_set("bring fetch hand pass grab")
_AFTER_ORDER = DETERMINERS | THING_PRONOUNS | PERSON_PRONOUNS | SPEAKER
# Before a verb that is no order: "we bring the", "to bring the", "who took the".
_NO_ORDER = word_set(
    "i you he she it we they who that which to and or not a an the my your his her our their i'll you'll he'll she'll we'll they'll i'd "
    "you'd he'd she'd we'd they'd can could will would shall should may might must do does did don't doesn't didn't never always people "
    "let lets let's help make makes made had used"
)
_CALLS = (
    ("robot",),
    ("alexa",),
    ("siri",),
    ("hey", "siri"),
    ("hey", "google"),
    ("ok", "google"),
    ("okay", "google"),
    ("hey", "robot"),
    ("ok", "robot"),
    ("okay", "robot"),
    ("hey", "alexa"),
)


def after_call(words: Sequence[str]) -> int:
    """The number of words that call the robot, or another machine whose name people are used to."""
    return max((len(call) for call in _CALLS if tuple(words[: len(call)]) == call), default=0)


def is_imperative(words: Sequence[str], verbs: frozenset[str]) -> bool:
    """Whether the clause begins with a verb of requests."""
    return opening_verb(words) in verbs


def _before_speech(words: Sequence[str]) -> Sequence[str]:
    """The words before reported speech, in which others are asked."""
    return words[: next((at for at, word in enumerate(words) if word in _REPORTED), len(words))]


def opening_verb(words: Sequence[str]) -> str:
    """The first word after what only introduces a request."""
    rest = list(words[after_call(words) :])
    start = after_lead_in(rest)
    return rest[start] if start < len(rest) else ""


def is_polite(words: Sequence[str]) -> bool:
    """Whether it has a form of requests, "could you"."""
    text = f" {' '.join(words)} "
    return any(form in text for form in _FORMS)


def has_order(words: Sequence[str], verbs: frozenset[str]) -> bool:
    """Whether a request follows a statement without a pause: "there's a beer on the shelf bring me that"."""
    own = _before_speech(words)
    return any(word in verbs and own[at - 1] not in _NO_ORDER and own[at + 1] in _AFTER_ORDER for at, word in enumerate(own[:-1]) if at > 1)


def is_physical(words: Sequence[str]) -> bool:
    """Whether a physical act is asked for: "stack the blocks", "we're out of soap bring me some"."""
    own = _before_speech(words)
    return opening_verb(words) in PHYSICAL or any(
        word in _GIVING and own[at + 1] in SPEAKER and own[at - 1] not in _NO_ORDER for at, word in enumerate(own[:-1]) if at
    )
