"""Whether a clause was meant for the robot, from the head's out-of-scope score and from how the words were understood.

    ln P(not meant | x) / P(meant | x) = b + Σ_i w_i x_i,  above 0 out of scope

The score alone misses commands in unusual words ("gran wants her specs"). A name of the home, an imperative or a polite form say that a
sentence is a request; words that nothing explains, and people's stories, say that it isn't. The weights are in addressed.yaml;
`sayso train intents` fits them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path

from sayso.domain import Domain
from sayso.intent.about_home import SETTLED
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import AUXILIARIES, DETERMINERS, FUNCTION_WORDS, LEAD_INS, PERSON_PRONOUNS, word_set
from sayso.intent.listed_values import names_listed
from sayso.intent.meaning.binding import CONJUNCTIONS
from sayso.intent.requests import after_call, has_order, is_imperative, is_physical, is_polite
from sayso.types import Clause, Role
from sayso.yaml_source import read_plain

NOUN = 0.95  # least score of a single word for a noun of the home's names: "country" is no counter
DESCRIBED = 0.8  # the same of a noun phrase without unknown words: "the second cup"
LINKED = 0.95  # least score of a name that counts as one of the home's
EXTREME = 12.0  # nats of the head's score that count
SURE, TALK = -2.0, 0.1  # nats of a clause that is surely for the robot, and least ones of a clause amid talk
UNEXPLAINED = 2  # most content words of a request that nothing explains
STORY = 2  # words of a story that make it one
MOST = 4  # words or roles that count
ENTITIES = frozenset(("place", "object", "person"))
NEGATIONS = word_set("not no don't never nothing without")
_GAPPED = word_set("to for on onto into")
STATING = word_set("is are was were am has have had it's he's she's i'm i've we're they're needs wants likes isn't aren't hasn't haven't")
NARRATIVE = PERSON_PRONOUNS - {"her", "him", "them"} | word_set(
    "we our was were had did been has yesterday ago i've we've he's she's they're"
)
_OPENING_WORDS = FUNCTION_WORDS | DETERMINERS | NARRATIVE | frozenset(LEAD_INS.replace(";", "").split())  # of other sentences than commands


@dataclass(frozen=True, slots=True)
class AddressEvidence:
    """The features of a clause."""

    strange: float  # the head's score in nats, above 0 out of scope
    linked: float  # roles that name something of the home, the speaker aside
    left_over: float  # content words that nothing explains
    imperative: float  # 1 if it begins with a verb
    narrative: float  # words of stories: "he", "was", "yesterday"
    question: float  # 1 for a question
    asked_here: float  # 1 for a question about the robot or the home
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
    topic: str,
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
        topic: of a question, see `topic_of`; empty for anything else.
        named: how many names of the home it contains.
        verbs: that begin commands.
        speaker: who is no name of the home.
    """
    linked = sum(_is_linked(role, speaker) for role in roles)
    return AddressEvidence(
        strange=max(-EXTREME, min(EXTREME, strange)),
        linked=min(linked, MOST),
        left_over=min(len(left_over), MOST),
        imperative=float(is_imperative(words, verbs)),
        narrative=min(sum(word in NARRATIVE for word in words), MOST),
        question=float(bool(topic)),
        asked_here=float(topic in ("own", "robot", "home")),
        named=min(named, MOST),
    )


def as_asked(clauses: Sequence[Clause], text: str, verbs: frozenset[str], domain: Domain) -> list[Clause]:
    """The clauses, in scope where the words alone settle that a robot is asked for something.

    Args:
        clauses: of an utterance.
        text: of the utterance, with the "please" and "robot" that are in no clause.
        verbs: that begin commands.
        domain: the home; its speaker is no name of it.
    """
    whole = text.replace(",", "").split()
    called = after_call(whole) > 0
    found = []
    for index, clause in enumerate(clauses):
        words = whole if len(clauses) == 1 else clause.text.split()
        calls = called and not index and is_imperative(clause.text.split(), verbs)
        asked = clause.modifiers.mood != "question" and (calls or _is_asked_here(clause, words, verbs, domain))
        found.append(replace(clause, out_of_scope=min(clause.out_of_scope, -SETTLED)) if asked else clause)
    return found


def _is_asked_here(clause: Clause, words: Sequence[str], verbs: frozenset[str], domain: Domain) -> bool:
    """Whether a physical act or something of the home is asked for."""
    if is_physical(words):
        return True
    if not (names_listed(domain.intents[clause.intent], clause) or any(_is_thing_here(role, domain.speaker) for role in clause.roles)):
        return False
    if is_imperative(words, verbs) and len(clause.left_over) <= UNEXPLAINED:
        return True
    told = sum(word in NARRATIVE for word in words)
    polite = is_polite(words) and len(clause.left_over) <= UNEXPLAINED
    return told < STORY and (polite or (has_order(words, verbs) and len(clause.left_over) <= 2 * UNEXPLAINED))


def _is_thing_here(role: Role, speaker: str) -> bool:
    """Whether a role names something of the home: not any place, "a table at a tavern"."""
    if role.kind == "place" and role.text.split()[:1] in (["a"], ["an"]):
        return False
    described = role.description
    known = described is not None and bool(described.candidates) and described.candidates[0][1] >= DESCRIBED and not described.unknown
    return _is_linked(role, speaker) or (known and role.entity not in ("", speaker) and role.kind in ENTITIES)


def features_of(evidence: AddressEvidence) -> list[float]:
    """The features in their order."""
    return [float(value) for value in asdict(evidence).values()]


@lru_cache(maxsize=1)
def _shipped() -> AddressModel:
    held = read_plain(Path(__file__).with_name("addressed.yaml"))
    return AddressModel(float(held["intercept"]), {str(name): float(weight) for name, weight in held["weights"].items()})


def without_asides(clauses: Sequence[Clause], verbs: frozenset[str], text: str = "") -> list[Clause]:
    """The clauses without explanations beside a request: "give her the book, her hands aren't so good".

    Words that run on into the request without a comma or a verb of their own are a part of it: "everything on the table has to go …".
    """
    if all(clause.out_of_scope > 0.0 for clause in clauses):
        return list(clauses)
    after = [*(clause.start for clause in clauses[1:]), 0]
    gaps = [text[clause.end : then] for clause, then in zip(clauses, after, strict=True)]
    joined = [text[: clause.start].endswith((" and ", " or ")) and not STATING & set(clause.text.split()) for clause in clauses]
    return [
        clause
        for clause, gap, link in zip(clauses, gaps, joined, strict=True)
        if link or not _is_aside(clause, verbs) or _runs_on(clause, gap)
    ]


def _runs_on(clause: Clause, between: str) -> bool:
    """Whether a clause that names something is no statement: it has no verb of its own, or nothing parts it from what follows."""
    words = clause.text.split()
    thing = any(role.entity and role.kind in ("place", "object") for role in clause.roles)
    thing |= bool({"to", "for"} & set(words[1:])) and any(role.entity and role.kind == "person" for role in clause.roles)
    named = thing or any(role.entity and role.kind in ENTITIES for role in clause.roles)
    stated = STATING.intersection(words)
    return not stated and (thing or (named and bool(between) and not between.strip()))


def as_one_talk(clauses: Sequence[Clause], speaker: str) -> list[Clause]:
    """The clauses, all of them out of scope if they are the talk of somebody who speaks of nothing here.

    "I need the money for the mortgage, can you complete the transfer" has a polite part, which alone could be for the robot. One that is
    surely for it ("stop") stays, whatever else is said.
    """
    strange = [clause.out_of_scope for clause in clauses]
    linked = any(_is_linked(role, speaker) for clause in clauses for role in clause.roles)
    if len(clauses) < 2 or linked or sum(strange) <= 0.0 or min(strange) <= SURE:
        return list(clauses)
    return [replace(clause, out_of_scope=max(clause.out_of_scope, TALK)) for clause in clauses]


def _is_linked(role: Role, speaker: str) -> bool:
    """Whether a role names something of the home."""
    return role.entity not in ("", speaker) and role.score >= LINKED and role.kind in ENTITIES


def _is_aside(clause: Clause, verbs: frozenset[str]) -> bool:
    """Whether a clause out of scope is no request either, nor a negation or a condition."""
    words = clause.text.split()
    requested = is_imperative(words, verbs) or is_polite(words) or _commands(clause, words)
    states = any(word in AUXILIARIES or "'" in word or word.endswith("ing") for word in words)
    gapped = words[:1] and words[0] in DETERMINERS and bool(_GAPPED & set(words)) and not states  # "… and the rightmost one to anna"
    return clause.out_of_scope > 0.0 and not (requested or gapped or clause.negated or (NEGATIONS | CONJUNCTIONS) & set(words))


def _commands(clause: Clause, words: Sequence[str]) -> bool:
    """Whether it has the form of a command with an unknown verb: "pinpoint the cup", "contact anna"."""
    if len(words) < 2 or words[0] in _OPENING_WORDS:
        return False
    first = clause.start + len(words[0]) + 1
    return words[1] in DETERMINERS or any(role.start <= first < role.end and role.entity for role in clause.roles)


def names_in(gazetteer: Gazetteer, words: Sequence[str]) -> int:
    """How many names of the home, or nouns of names and categories, the words contain."""
    count = at = 0
    while at < len(words):
        sizes = range(min(gazetteer.longest, len(words) - at), 0, -1)
        size = next((n for n in sizes if gazetteer.has_name(tuple(words[at : at + n]))), 0)
        alone = words[at] not in FUNCTION_WORDS or (at > 0 and words[at - 1] in DETERMINERS)  # "can" is a can after "the" only
        links = gazetteer.link((words[at],), ENTITIES) if alone and not size else ()
        count += bool(size or (links and links[0].score >= NOUN))
        at += max(1, size)
    return count
