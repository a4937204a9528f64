"""Sentences with tagged words: where each request begins, and which words fill its roles.

There are two annotations: Sayso's roles, and the published one of a corpus. Commands are the default home's examples, whose roles follow
from their names, with other names put in so that the tags do not depend on the names; and people's sentences of tagE with renamed frame
elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from sayso.domain import Domain, load_domain
from sayso.domain.sentences import chatter, sentences
from sayso.intent.clauses import ClauseSpan, words_of
from sayso.intent.discourse import RecentMentions
from sayso.intent.gazetteer import EntityLink, Gazetteer
from sayso.intent.grammar import DETERMINERS, LEAD_INS, after_lead_in, verbs_of
from sayso.intent.learning import STRANGERS, kept_for_calibration
from sayso.intent.normalise import normalise
from sayso.intent.roles import RoleFinder
from sayso.training.data.corpora import Framed
from sayso.training.tagger.tags import Span, TaggedFrame, tags_of

REQUEST = "request"
ROLES = ("theme", "goal", "source", "recipient", "direction", "extent", "message", "landmark", "manner", "state")
# Frame elements of tagE → roles of Sayso; the others have no role.
ELEMENTS = {"Theme": "theme", "Goal": "goal", "Source": "source", "Recipient": "recipient", "Cotheme": "recipient", "Device": "theme",
            "Containing_object": "theme", "Container_portal": "theme", "Area": "source", "coGoal": "landmark", "coSource": "landmark",
            "Degree": "extent", "Manner": "manner", "Desired_state": "state", "Operational_state": "state"}  # fmt: skip
LOOKING = frozenset(
    ("Searching", "Checking_state", "Inspecting", "Locating")
)  # frames whose Area is where to look; in others it specifies the thing
WAYS = frozenset(("left", "right", "around", "back", "forward", "forwards", "backward", "backwards", "straight", "ahead", "up", "down"))
TELLING = frozenset(("Being_located", "Being_in_category"))  # frames of descriptions, which are not requests
LINKS = ("and", "and", "and", "and then", "then", ", then", ",", ", and", "after that", "")
EVERYTHING = RecentMentions((EntityLink("", "object", 1.0),), (EntityLink("", "place", 1.0),), (EntityLink("", "person", 1.0),))
NEGATIONS = ("don't", "do not", "never", "please don't", "no don't", "i don't want you to", "you must not")
# Shares of commands with several clauses, of replaced names, of sentences with a lead-in, of prohibitions.
COMPOUND, RENAMED, LED_IN, FORBIDDEN = 0.45, 0.6, 0.3, 0.05


@dataclass(frozen=True, slots=True)
class Tagged:
    """A sentence and its frames."""

    words: tuple[str, ...]
    frames: tuple[TaggedFrame, ...]

    def triggers(self, labels: Sequence[str]) -> list[int]:
        """The tag of each word as a trigger."""
        return tags_of((frame.trigger for frame in self.frames), labels, len(self.words))


@dataclass(frozen=True, slots=True)
class Annotation:
    """The labels of an annotation, in the order of the tags."""

    triggers: tuple[str, ...]
    arguments: tuple[str, ...]


COMMANDS = Annotation((REQUEST,), ROLES)


def published(corpus: Iterable[Framed]) -> list[Tagged]:
    """The sentences of a corpus with its own frames."""
    return [
        Tagged(
            tuple(map(plain_word, each.words)),
            tuple(
                TaggedFrame(_span(frame.name, frame.trigger), tuple(_span(name, at) for name, at in frame.places if at))
                for frame in each.frames
                if frame.trigger
            ),
        )
        for each in corpus
    ]


def annotation_of(tagged: Iterable[Tagged]) -> Annotation:
    """The annotation with all labels that occur."""
    frames = [frame for each in tagged for frame in each.frames]
    return Annotation(
        tuple(sorted({frame.trigger.label for frame in frames})),
        tuple(sorted({span.label for frame in frames for span in frame.arguments})),
    )


def plain_word(word: str) -> str:
    """A corpus word for the encoder: lower case, without adjacent punctuation."""
    return word.lower().strip('.,;:!?"') or word


def as_commands(corpus: Iterable[Framed], more: Mapping[str, str] | None = None) -> list[Tagged]:
    """People's sentences with Sayso's roles; descriptions have no frames. `more`: frame elements of another corpus than tagE."""
    elements, result = ELEMENTS | dict(more or {}), []
    for each in corpus:
        words = tuple(map(plain_word, each.words))
        frames = []
        for frame in each.frames:
            if frame.name in TELLING or not frame.trigger:
                continue
            spans = []
            for name, at in frame.places:
                role = elements.get(name, "")
                if name == "Area" and frame.name not in LOOKING:
                    role = "landmark"
                if role == "manner" and words[at[0]] in WAYS and len(at) == 1:
                    role = "direction"
                if role:
                    first = at[0] - 1 if at[0] and words[at[0] - 1] in DETERMINERS else at[0]
                    spans.append(Span(role, first, at[-1]))
            frames.append(TaggedFrame(Span(REQUEST, frame.trigger[0], frame.trigger[0]), tuple(spans)))
        result.append(Tagged(words, tuple(sorted(frames, key=lambda frame: frame.trigger.first))))
    return result


class CommandMaker:
    """Draws commands of one or more clauses from the default home's examples, with names from many sources."""

    def __init__(self, people: Sequence[Tagged], seed: int = 0, *, held_out: bool = False) -> None:
        """`people`: tagged sentences that provide further names; `held_out`: use only the templates kept for calibration."""
        domain = load_domain()
        self._verbs = verbs_of(example for spec in domain.intents.values() for example in spec.examples)
        self._clauses = _clauses(domain, self._verbs, seed, held_out)
        self._intents = list(self._clauses)
        said = (normalise(each.text) for each in chatter(domain, 3, seed) if kept_for_calibration(each.template) == held_out)
        self._chatter = [text for text in said if text]
        self._names = _names(people)
        self._lead_ins = LEAD_INS.split("; ")

    def draw(self, chance: Random) -> Tagged:
        """A random sentence."""
        if chance.random() < 0.07:
            return Tagged(tuple(words_in(chance.choice(self._chatter))), ())
        count = 1 if chance.random() >= COMPOUND else chance.choice((2, 2, 2, 3, 3, 4))
        words: list[str] = []
        frames: list[TaggedFrame] = []
        for index in range(count):
            if index:
                words += chance.choice(LINKS).split()
            clause = self._renamed(chance.choice(self._clauses[chance.choice(self._intents)]), chance)
            draw = chance.random()
            if draw < LED_IN:
                words += chance.choice(self._lead_ins).split()
            elif draw < LED_IN + FORBIDDEN and clause.words[0] in self._verbs:
                words += chance.choice(NEGATIONS).split()
            frames += [frame.moved(len(words)) for frame in clause.frames]
            words += clause.words
        return Tagged(tuple(words), tuple(frames))

    def _renamed(self, clause: Tagged, chance: Random) -> Tagged:
        """The clause with other names in some of its roles."""
        (frame,) = clause.frames
        words, spans, trigger = list(clause.words), [], frame.trigger
        shift = 0
        for span in frame.arguments:
            first, last = span.first + shift, span.last + shift
            kind, _, role = span.label.partition(":")
            names = self._names.get(kind, ())
            if names and chance.random() < RENAMED:
                name = chance.choice(names).split()
                if words[first] in DETERMINERS and (last > first):
                    name = [words[first], *name]
                elif kind != "person":
                    name = [chance.choice(("the", "the", "my", "a", "that")), *name]
                words[first : last + 1] = name
                grown = len(name) - (last - first + 1)
                if trigger.first > first:
                    trigger = trigger.moved(grown)
                shift, last = shift + grown, last + grown
            spans.append(Span(role, first, last))
        return Tagged(tuple(words), (TaggedFrame(trigger, tuple(spans)),))


def words_in(text: str) -> list[str]:
    """The words and commas of a normalised text."""
    return [word.text for word in words_of(text)]


def _clauses(domain: Domain, verbs: frozenset[str], seed: int, held_out: bool) -> dict[str, list[Tagged]]:
    """The default home's examples by intent, each with one frame whose labels are "kind:role"; the kind is empty without a name."""
    gazetteer = Gazetteer(domain)
    find = RoleFinder(domain, gazetteer, verbs)
    result: dict[str, list[Tagged]] = {}
    for sentence in sentences(domain, 6, seed):
        if kept_for_calibration(sentence.template) != held_out:
            continue
        text = normalise(sentence.text)
        words = words_of(text)
        if not words:
            continue
        roles, idle = find(text, ClauseSpan(0, len(text), words), sentence.intent, EVERYTHING)
        if idle or any(word.text == "after that" for word in words):
            continue
        spans = []
        for role in sorted(roles, key=lambda role: role.start):
            inside = [at for at, word in enumerate(words) if role.start <= word.start and word.end <= role.end]
            if inside:
                named = (
                    role.entity
                    and role.score >= 0.9
                    and text[role.start : role.end] not in {"me", "us", "it", "there", "him", "her", "them"}
                )
                spans.append(Span(f"{role.kind if named else ''}:{role.name}", inside[0], inside[-1]))
        if any(later.first <= earlier.last for earlier, later in pairwise(spans)):
            continue
        plain = [word.text for word in words]
        trigger = min(after_lead_in(plain), len(plain) - 1)
        tagged = Tagged(tuple(plain), (TaggedFrame(Span(REQUEST, trigger, trigger), tuple(spans)),))
        result.setdefault(sentence.intent, []).append(tagged)
    return result


def _names(people: Sequence[Tagged]) -> dict[str, list[str]]:
    """Names of things, places and persons by kind, without articles."""
    found: dict[str, list[str]] = {kind: STRANGERS[kind].split(",") * 3 for kind in ("object", "place", "person")}
    for each in people:
        for frame in each.frames:
            for span in frame.arguments:
                words = [word for word in each.words[span.first : span.last + 1] if word not in DETERMINERS]
                kind = {"theme": "object", "goal": "place", "source": "place"}.get(span.label, "")
                if kind and words and words[0] not in {"it", "them", "me", "there", "you", "him", "her"}:
                    found[kind].append(" ".join(words))
    return found


def _span(label: str, at: tuple[int, ...]) -> Span:
    return Span(label, at[0], at[-1])
