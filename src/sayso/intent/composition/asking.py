"""Parts of a structure that want something without an act: questions and hints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from sayso.domain import Domain
from sayso.intent.asked import role_of
from sayso.intent.composition.filling import RoleComposer, in_order
from sayso.intent.composition.phrases import PhraseComposer, unexplained
from sayso.intent.composition.sentence import PLACED, SpannedWords
from sayso.intent.composition.telling import ANSWER, INVITATION, OF_ITSELF, TELL
from sayso.intent.discourse import RecentMentions
from sayso.intent.gazetteer import CONTRASTS, Gazetteer
from sayso.intent.grammar import SPEAKER
from sayso.intent.parser.tree import SpanNode
from sayso.representation import Description, Modifiers, QuestionName, Relation
from sayso.types import Clause, FloatArray, Role

SURELY = 0.995  # P(k | clause) of the parser's intent; how probable the parser finds it is part of P(structure)
MEANT, STRANGE = -5.0, 1.0  # nats: what was parsed as wanted was meant for somebody who acts; questions about the world perhaps not
THINGS, PLACES = frozenset(("theme", "recipient")), frozenset(("goal", "source"))  # labels of what a question is about, and of where
ADDRESSED = frozenset(("you", "i", "we", "us", "me", "myself", "yourself", "there"))
IT = frozenset(("it", "they", "them", "he", "she", "him", "her", "that", "this", "there"))
ABOUT_HOME = frozenset(("where", "which", "how_many", "yes_no", "what", "who", "colour", "size", "describe"))  # kinds with an answer
OF_UNKNOWN = ABOUT_HOME - {"what", "who", "describe"}  # kinds to which "I don't know that thing" is an answer
# What is asked of the robot, if it is about a thing of the home: "did you close the window", "can you see anna".
OF_THINGS: Mapping[str, QuestionName] = {"done": "yes_no", "own_place": "yes_no", "holding": "yes_no", "sight": "where"}
OF_ROBOT = "robot"  # the kind of questions about the robot to which it has no answer
JOKE, YOURS = "joke", "your"
ASKED = "find"  # the intent of a question
Guess = Callable[[str], FloatArray]
Help = Callable[[str], Sequence[Clause]]


@dataclass(frozen=True, slots=True)
class Consulted:
    """What words alone say, where their structure does not."""

    guess: Guess  # P(k | words) of what a question asks about
    help_with: Help  # the clauses of the command that would help with a need that names nothing
    kind_of: Callable[[str], str]  # words of a message → the kind of question that they are, if it is one


@dataclass(frozen=True, slots=True)
class CertainIntent:
    """P(k | clause) of an intent that the parser read."""

    names: tuple[str, ...]  # in the order of Clause.probabilities

    def __call__(self, intent: str) -> FloatArray:
        """(K,) nearly all on one intent; uniform without one."""
        if not intent:
            return np.full(len(self.names), 1.0 / len(self.names))
        p = np.full(len(self.names), (1.0 - SURELY) / max(len(self.names) - 1, 1))
        p[self.names.index(intent)] = SURELY
        return np.asarray(p / p.sum(), np.float64)


class AskingComposer:
    """Clauses of questions and hints."""

    def __init__(
        self,
        domain: Domain,
        gazetteer: Gazetteer,
        phrases: PhraseComposer,
        fill: RoleComposer,
        certain: CertainIntent,
        consulted: Consulted,
    ) -> None:
        """For a home.

        Args:
            domain: the home.
            gazetteer: links its names.
            phrases: describes noun phrases.
            fill: gives roles their places.
            certain: P(k | clause) of an intent that was read.
            consulted: what words alone say.
        """
        self._domain, self._gazetteer, self._phrases, self._fill = domain, gazetteer, phrases, fill
        self._certain, self._intents, self._consulted = certain, certain.names, consulted

    def question(self, node: SpanNode, words: SpannedWords, recent: RecentMentions) -> Clause:
        """A question about the home, about the robot, or about the world, to which it has no answer."""
        kind = node.value
        if kind == JOKE and TELL in self._intents:
            return self._clause(node, words, TELL, self._listener(node, words), Modifiers(question="joke"))
        if kind == INVITATION and ANSWER in self._intents:
            return self._clause(node, words, ANSWER, (), Modifiers(question=INVITATION))
        roles = self._roles(node, words, recent)
        linked = any(map(_is_linked, roles))
        if kind in OF_THINGS and (linked or (kind == "done" and any(map(_is_named, roles)))):
            kind = OF_THINGS[kind] if kind != "sight" or any(role.kind == "object" for role in roles) else "what"
        if kind == "yes_no" and any(
            word.text in CONTRASTS for child in node.children if child.label == "state" for word in words.of(child)
        ):
            kind = "colour"  # "is the vase red"
        if kind in OF_ITSELF and any(words.text(owner) != YOURS for owner in node.all(lambda each: each.label == "owner")):
            kind = OF_ROBOT  # "what is my name"
        if kind in OF_ITSELF:
            return self._clause(node, words, ASKED, (), Modifiers(mood="question", question=cast("QuestionName", kind)))
        of_state = node.child("state") is not None and kind in ("which", "what")  # "what is still on", "which lights are on"
        if kind not in ABOUT_HOME or not (linked or (roles and kind in OF_UNKNOWN) or of_state):
            return self._unanswerable(node, words, MEANT if kind == OF_ROBOT or linked else STRANGE)
        modifiers = Modifiers(mood="question", question=cast("QuestionName", kind))
        unknown = (word for role in roles if role.description is not None for word in unexplained(role.description))
        clause = self._clause(node, words, ASKED, roles, modifiers)
        if kind == "yes_no":  # "did you bring anna the cup": what it remembers of it
            p = self._consulted.guess(clause.text)
            clause = replace(clause, probabilities=p, intent=self._intents[int(p.argmax())])
        return replace(
            clause,
            left_over=tuple(dict.fromkeys(unknown)),
            out_of_scope=MEANT if linked or of_state or _is_definite(roles) else STRANGE,
        )

    def counting(self, act: SpanNode, words: SpannedWords, recent: RecentMentions) -> Clause:
        """An act of counting as the question how many there are."""
        clause = self.question(replace(act, label="question", value="how_many"), words, recent)
        return replace(clause, intent=act.value, probabilities=self._certain(act.value))

    def hint(self, node: SpanNode, words: SpannedWords) -> tuple[Clause, ...]:
        """The act that a need hints at, with what it names; none if there is no such act, or nothing that it could be about."""
        roles = self._phrases.mentioned(node, words)
        intent = node.value
        found = self._act(intent, roles)
        if found is None:  # "ben is thirsty"
            helping = next((clause for clause in self._consulted.help_with(words.text(node)) if clause.intent == intent), None)
            if helping is None:
                return ()
            start = words.span(node)[0]
            unsaid = (replace(role, start=start, end=start) for role in helping.roles)
            who = {role.name: role for role in roles if role.name == "recipient" and role.entity}
            found = (*who.values(), *(role for role in unsaid if role.name not in who))
        return (self._clause(node, words, intent, in_order(found), Modifiers(mood="hint")),)

    def _act(self, intent: str, mentioned: Sequence[Role]) -> tuple[Role, ...] | None:
        """What the words name for an intent; None if there is no such intent, or they do not name what it needs."""
        if intent not in self._domain.intents or intent not in self._intents:
            return None
        specs = self._domain.intents[intent].roles
        roles = [role for role in mentioned if role.name in specs and role.kind in specs[role.name].kinds]
        unique = {role.name: role for role in reversed(roles)}
        if any(spec.required and not spec.default and name not in unique for name, spec in specs.items()):
            return None
        return tuple(self._fill.placed(intent, [*in_order(unique.values())]))

    def _listener(self, node: SpanNode, words: SpannedWords) -> tuple[Role, ...]:
        """The speaker, if the words say so: "tell me a joke"."""
        said = next((word for word in words.of(node) if word.text in SPEAKER), None)
        if said is None:
            return ()
        known = ((self._domain.speaker, 1.0),)
        return (role_of("recipient", Description(said.text, said.start, said.end, pronoun=said.text, candidates=known), "person"),)

    def _clause(self, node: SpanNode, words: SpannedWords, intent: str, roles: Sequence[Role], modifiers: Modifiers) -> Clause:
        known = intent if intent in self._intents else self._intents[0]
        return Clause(words.text(node), *words.span(node), known, self._certain(known), tuple(roles), MEANT, modifiers=modifiers)

    def _unanswerable(self, node: SpanNode, words: SpannedWords, strange: float) -> Clause:
        modifiers = Modifiers(mood="unable", note=f"I can't answer “{words.text(node)}”.")
        return Clause(words.text(node), *words.span(node), self._intents[0], self._certain(""), (), strange, modifiers=modifiers)

    def _roles(self, node: SpanNode, words: SpannedWords, recent: RecentMentions) -> tuple[Role, ...]:
        """What a question is about (theme), and the place in it (source)."""
        theme: Description | None = None
        place: Description | None = None
        for child in node.children:
            if child.label in THINGS | PLACES:
                described = self._of_owner(child, words) or self._meant(self._phrases(child, words).description, recent)
                if words.text(child) in ADDRESSED and not described.candidates:
                    continue
                if self._is_place(described) and (theme is not None or child.label in PLACES):
                    place = place or described
                elif theme is None or not theme.candidates:
                    theme = described
            elif child.label in PLACED:
                relation = self._phrases.relation(child, words)
                if self._is_place(relation.landmarks[0]) and not relation.negated:
                    place = place or relation.landmarks[0]
                else:
                    theme = self._beside(theme, relation, child, words)
        return self._with_state(theme, place, node, words)

    def _with_state(self, theme: Description | None, place: Description | None, node: SpanNode, words: SpannedWords) -> tuple[Role, ...]:
        """The roles, with what the people that a question is about do, and the place that its thing names."""
        state = node.child("state")
        if theme is not None and state is not None and theme.pronoun == "person":  # "how many people are sitting"
            theme = self._phrases.doing(theme, words.of(state), words)
        told = self._phrases(state, words).description if theme is not None and state is not None else None
        if theme is not None and told is not None and told.order and not told.head:  # "which of the books is the biggest"
            theme = replace(theme, order=told.order, quantity="the")
        if theme is not None and place is None:
            theme, place = self._without_place(theme)
        if theme is None:
            theme = place
        return self._as_roles(theme, place)

    def _as_roles(self, theme: Description | None, place: Description | None) -> tuple[Role, ...]:
        if theme is None:
            return ()
        if self._is_place(theme):
            return (role_of("theme", theme, "place"), role_of("source", place or theme, "place"))
        best = theme.candidates[0][0] if theme.candidates else ""
        kind = next((kind for kind, known in self._domain.by_kind.items() if best in known), "object")
        return (role_of("theme", theme, kind), *((role_of("source", place, "place"),) if place is not None else ()))

    @staticmethod
    def _beside(theme: Description | None, relation: Relation, node: SpanNode, words: SpannedWords) -> Description:
        """What is in that relation: "what is next to the tv"."""
        thing = theme or Description(words.text(node), *words.span(node), pronoun="something")
        return replace(thing, relations=(*thing.relations, relation))

    def _without_place(self, theme: Description) -> tuple[Description, Description | None]:
        """What is asked about without its place, and that place: "the cup on the table"."""
        for relation in theme.relations:
            if not relation.negated and self._is_place(relation.landmarks[0]) and relation.name in ("on", "in", "at", "under", "from"):
                return replace(theme, relations=tuple(each for each in theme.relations if each is not relation)), relation.landmarks[0]
        return theme, None

    def _is_place(self, described: Description) -> bool:
        return bool(described.candidates) and described.candidates[0][0] in self._domain.places

    @staticmethod
    def _meant(described: Description, recent: RecentMentions) -> Description:
        """The description with what its pronoun means: "where is it", "is she at home"."""
        if described.text not in IT or described.candidates:
            return described
        links = recent.place if described.text == "there" else recent.theme or recent.person
        links = recent.person if described.text in ("he", "she", "him", "her") else links
        return replace(described, candidates=tuple((link.entity, link.score) for link in links))

    def _of_owner(self, node: SpanNode, words: SpannedWords) -> Description | None:
        """The thing or the place whose quality a phrase names: "the vase's colour"; None if it does not."""
        owner = node.child("owner")
        if owner is None:
            return None
        said = [word.text.removesuffix("'s") for word in words.of(owner)]
        links = self._gazetteer.link(tuple(said), frozenset(("object", "place")))
        found = tuple((link.entity, link.score) for link in links)
        return Description(" ".join(said), *words.span(owner), head=said[-1], candidates=found) if found else None


def _is_linked(role: Role) -> bool:
    """Whether it names something of the home, or what is beside it."""
    beside = role.description.relations if role.description is not None else ()
    parts = role.description.parts if role.description is not None else ()
    return bool(role.entity or role.candidates) or any(
        each.candidates for each in (*parts, *(mark for relation in beside for mark in relation.landmarks))
    )


def _is_named(role: Role) -> bool:
    """Whether it is more than a pronoun: "did that work" asks about what was just done."""
    return role.description is None or not role.description.pronoun


def _is_definite(roles: Sequence[Role]) -> bool:
    """Whether it is about certain things, which the speaker expects to be there, or anything there: "my keys", and not "elephants"."""
    described = [role.description for role in roles if role.description is not None]
    certain = (
        each.quantity in ("the", "all", "both", "every", "any") and not each.text.startswith(each.head) for each in described if each.head
    )
    return any(certain) or any(each.pronoun for each in described)
