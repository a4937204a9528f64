"""Whether a clause was meant for the robot, from the head's out-of-scope score and from how the words were understood.

    ln P(not meant | x) / P(meant | x) = b + Σ_i w_i x_i,  above 0 out of scope

The score alone misses commands in unusual words ("gran wants her specs"). A name of the home, an imperative or a polite form say that a
sentence is a request; words that nothing explains, and people's stories, say that it isn't. The weights are in addressed.yaml;
`sayso train intents` fits them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.resources import files

import yaml

from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import DETERMINERS, FUNCTION_WORDS, LEAD_INS, PERSON_PRONOUNS, after_lead_in, word_set
from sayso.types import Clause, Role

LINKED = 0.95  # least score of a name that counts as one of the home's
EXTREME = 12.0  # nats of the head's score that count
MOST = 4  # words or roles that count
ENTITIES = frozenset(("place", "object", "person"))
NEGATIONS = word_set("not no don't never nothing without")
KNOWN_QUESTIONS = frozenset(("abilities", "activity"))
NARRATIVE = PERSON_PRONOUNS - {"her", "him", "them"} | word_set(
    "we our was were had did been has yesterday ago i've we've he's she's they're"
)
REQUESTS = (
    "can you; could you; would you; will you; can i; could i; may i; might i; please; i need; i want; i'd like; i'd love; i would like; "
    "i'd; let me have; any chance; how about; be so kind; do me a; see if; make sure"
)
_OPENING_WORDS = FUNCTION_WORDS | DETERMINERS | NARRATIVE | frozenset(LEAD_INS.replace(";", "").split())  # of other sentences than commands
_REQUESTS = tuple(f" {phrase} " for phrase in REQUESTS.split("; "))


@dataclass(frozen=True, slots=True)
class AddressEvidence:
    """The features of a clause."""

    strange: float  # the head's score in nats, above 0 out of scope
    linked: float  # roles that name something of the home, the speaker aside
    left_over: float  # content words that nothing explains
    imperative: float  # 1 if it begins with a verb
    narrative: float  # words of stories: "he", "was", "yesterday"
    question: float  # 1 for a question
    asked_here: float  # 1 for a question about the home or the robot
    named: float  # names of the home anywhere in it


@dataclass(frozen=True, slots=True)
class AddressModel:
    """Evidence → log-odds of not being meant for the robot."""

    intercept: float
    weights: Mapping[str, float]

    @classmethod
    def of_score(cls) -> AddressModel:
        """The head's score alone."""
        return cls(0.0, {"strange": 1.0})

    @classmethod
    def shipped(cls) -> AddressModel:
        """The fitted weights."""
        return _shipped()

    def __call__(self, evidence: AddressEvidence) -> float:
        """Nats, above 0 out of scope."""
        return self.intercept + sum(weight * float(getattr(evidence, name)) for name, weight in self.weights.items())


def evidence_of_address(
    words: Sequence[str],
    strange: float,
    roles: Sequence[Role],
    left_over: Sequence[str],
    question: str,
    named: int,
    verbs: frozenset[str],
    speaker: str,
) -> AddressEvidence:
    """The features of a clause.

    Args:
        words: of the clause as said, normalised.
        strange: the head's out-of-scope score.
        roles: of the clause.
        left_over: the words that nothing explains.
        question: its kind, empty for anything else.
        named: how many names of the home it contains.
        verbs: that begin commands.
        speaker: who is no name of the home.
    """
    linked = sum(role.entity not in ("", speaker) and role.score >= LINKED and role.kind in ENTITIES for role in roles)
    return AddressEvidence(
        strange=max(-EXTREME, min(EXTREME, strange)),
        linked=min(linked, MOST),
        left_over=min(len(left_over), MOST),
        imperative=float(_imperative(words, verbs)),
        narrative=min(sum(word in NARRATIVE for word in words), MOST),
        question=float(bool(question)),
        asked_here=float(question in KNOWN_QUESTIONS or (bool(question) and named > 0)),
        named=min(named, MOST),
    )


def features_of(evidence: AddressEvidence) -> list[float]:
    """The features in their order."""
    return [float(value) for value in asdict(evidence).values()]


@lru_cache(maxsize=1)
def _shipped() -> AddressModel:
    held = yaml.safe_load(files("sayso.intent").joinpath("addressed.yaml").read_text(encoding="utf-8"))
    return AddressModel(float(held["intercept"]), {str(name): float(weight) for name, weight in held["weights"].items()})


def without_asides(clauses: Sequence[Clause], verbs: frozenset[str]) -> list[Clause]:
    """The clauses without explanations beside a request: "give her the book, her hands aren't so good"."""
    if all(clause.out_of_scope > 0.0 for clause in clauses):
        return list(clauses)
    return [clause for clause in clauses if not _is_aside(clause, verbs)]


def _is_aside(clause: Clause, verbs: frozenset[str]) -> bool:
    """Whether a clause out of scope is no request either, nor a negation."""
    words = clause.text.split()
    text = f" {' '.join(words)} "
    requested = _imperative(words, verbs) or _commands(clause, words) or any(phrase in text for phrase in _REQUESTS)
    return clause.out_of_scope > 0.0 and not (requested or clause.negated or NEGATIONS & set(words))


def _commands(clause: Clause, words: Sequence[str]) -> bool:
    """Whether it has the form of a command with an unknown verb: "pinpoint the cup", "contact anna"."""
    if len(words) < 2 or words[0] in _OPENING_WORDS:
        return False
    first = clause.start + len(words[0]) + 1
    return words[1] in DETERMINERS or any(role.start <= first < role.end and role.entity for role in clause.roles)


def _imperative(words: Sequence[str], verbs: frozenset[str]) -> bool:
    start = after_lead_in(list(words))
    return start < len(words) and words[start] in verbs


def names_in(gazetteer: Gazetteer, words: Sequence[str]) -> int:
    """How many names of the home, or nouns of names and categories, the words contain."""
    count = at = 0
    while at < len(words):
        sizes = range(min(gazetteer.longest, len(words) - at), 0, -1)
        size = next((n for n in sizes if gazetteer.has_name(tuple(words[at : at + n]))), 0)
        count += bool(size or gazetteer.link((words[at],), ENTITIES))
        at += max(1, size)
    return count
