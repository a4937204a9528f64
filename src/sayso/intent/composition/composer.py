"""Parsed sentence → clauses, in one home."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sayso.domain import Domain
from sayso.intent.asked import condition_roles
from sayso.intent.clauses import words_of
from sayso.intent.composition.around import Around, around
from sayso.intent.composition.filling import MESSAGES, RoleComposer
from sayso.intent.composition.phrases import PhraseComposer, unexplained
from sayso.intent.composition.sentence import UNHEARD, SpannedWords, content, is_around
from sayso.intent.discourse import RecentMentions
from sayso.intent.errands import merged
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import after_lead_in
from sayso.intent.meaning.describe import DescriptionParser
from sayso.intent.meaning.sentence_words import Lexicon
from sayso.intent.meaning.subjects import with_subjects
from sayso.intent.parser.tree import ParsedSentence, SpanNode
from sayso.intent.reconcile import describes_somebody
from sayso.intent.roles import RoleFinder
from sayso.representation import Modifiers
from sayso.types import Clause, FloatArray

SURELY = 0.995  # P(k | clause) of the parser's intent; how probable the parser finds it is part of P(structure)
MEANT = -5.0  # nats: an act that was parsed was meant for somebody who acts
# An act whose filler is of another kind is another act: (intent, role) → kind → intent; "" is any kind.
EXCHANGED_ACTS: dict[tuple[str, str], dict[str, str]] = {
    ("stop", "goal"): {"": "go_to"},  # "stop at the sofa"
    ("go_to", "goal"): {"person": "come_here"},
    ("bring", "theme"): {"person": "guide"},
    ("put", "theme"): {"person": "guide"},
}
ORDERING = frozenset(("before", "after", "while"))
NOT_COMPOSED = frozenset(("act", "never", "always", "otherwise"))  # within an act


class Composer:
    """The meaning of structures in a home."""

    def __init__(self, domain: Domain, gazetteer: Gazetteer, verbs: frozenset[str], roles: RoleFinder, intents: Sequence[str]) -> None:
        """For a home; `intents` is the order of Clause.probabilities."""
        self._domain, self._intents = domain, tuple(intents)
        self._phrases = PhraseComposer(DescriptionParser(domain, gazetteer, verbs))
        self._fill = RoleComposer(domain, gazetteer, roles, self._phrases)
        self._lexicon = Lexicon(gazetteer, verbs)

    def __call__(self, reading: ParsedSentence, text: str, recent: RecentMentions) -> tuple[Clause, ...]:
        """The clauses of a structure of a normalised text; none if it holds what the rules read: an answer, a habit, a ban, a hint."""
        words = SpannedWords(words_of(text), text)
        if tuple(word.text for word in words.words) != reading.words:
            return ()
        if all(node.label == "question" or node.label in UNHEARD for node in reading.nodes):
            return tuple(self._unanswerable(node, words) for node in reading.nodes if node.label == "question")[:1]
        if not _is_composed(reading.nodes) or self.left_to_the_rules(reading):
            return ()
        return self._acts(reading, words, recent)

    def left_to_the_rules(self, reading: ParsedSentence) -> bool:
        """Whether it asks only to say or to show what the words leave open: what that is, the rules alone know."""
        return any(map(self._speaks_of_nothing, reading.nodes))

    def _speaks_of_nothing(self, node: SpanNode) -> bool:
        """Whether an act of speaking has no words to say: what "introduce anna" says, the rules know."""
        if node.label == "act" and (node.value == "describe" or (node.value == "stop" and node.child("theme") is not None)):
            return True  # to tell of things, to show and to point at them, and what is to stop: the rules tell these apart
        if node.label == "act" and sum(child.label == "recipient" for child in node.children) > 1:
            return True  # to introduce one person to another
        spec = self._domain.intents.get(node.value) if node.label == "act" else None
        words = spec is not None and any(set(role.kinds) == {"words"} and not role.default for role in spec.roles.values())
        return words and not any(child.label in MESSAGES for child in node.children)

    def _acts(self, reading: ParsedSentence, words: SpannedWords, recent: RecentMentions) -> tuple[Clause, ...]:
        clauses: list[Clause] = []
        ahead = Around()
        for node in reading.nodes:
            if node.label == "act":
                clauses.append(self._clause(node, words, ahead, recent))
                recent, ahead = recent.after(clauses[-1].roles), Around()
            elif node.label == "where_it_is":
                clauses[-1:] = [self._located(clause, node, words) for clause in clauses[-1:]]
            elif is_around(node) and clauses and not _begins(reading, node):
                clauses[-1] = around(node, words, self._lexicon).applied(clauses[-1])
            elif is_around(node):
                ahead += around(node, words, self._lexicon)
        if any(map(describes_somebody, clauses)):
            return ()  # how people look, the rules alone read
        lost = (*content(words.words[at] for at in range(len(words.words)) if not _covered(reading, at)), *ahead.words)
        clauses[-1] = replace(clauses[-1], left_over=(*clauses[-1].left_over, *lost))
        return with_subjects(merged(self._sharing([self._fill.lasting(clause) for clause in clauses])))

    def _clause(self, act: SpanNode, words: SpannedWords, ahead: Around, recent: RecentMentions) -> Clause:
        """The clause of an act; an act that the robot does not have is said to be one."""
        act = replace(act, children=tuple(child for child in act.children if child.label not in UNHEARD))
        intent = self._intent(act, words)
        for child in filter(is_around, act.children):
            ahead += around(child, words, self._lexicon)
        recent = recent.after(condition_roles(self._domain, ahead.conditions))
        roles, strange = self._fill(act, intent, words, recent)
        said = [word.text for word in words.of(act) if word.text != ","]
        clause = Clause(" ".join(said), *words.span(act), intent or self._intents[0], self._surely(intent), tuple(roles), MEANT)
        if not intent:
            bare = said[after_lead_in(said) :]
            spoken = " ".join(bare[bare[0] == "to" and len(bare) > 1 :])  # "to chill the apple"
            lost = content(words.of(act, act.children))
            return replace(clause, text=spoken, modifiers=Modifiers(mood="unable"), left_over=lost)
        unknown = (word for role in roles if role.description is not None for word in unexplained(role.description))
        return ahead.applied(replace(clause, left_over=tuple(dict.fromkeys((*strange, *unknown)))))

    def _intent(self, act: SpanNode, words: SpannedWords) -> str:
        """The intent of an act, by what fills its roles; empty for an act that the robot does not have."""
        intent = act.value
        for child in act.children:
            kinds = EXCHANGED_ACTS.get((intent, child.label), {})
            kind = self._phrases(child, words).kind if kinds else ""
            intent = kinds.get(kind, kinds.get("", intent))
        return intent if intent in self._domain.intents and intent in self._intents else ""

    def _surely(self, intent: str) -> FloatArray:
        """(K,) nearly all on one intent; uniform without one."""
        if not intent:
            return np.full(len(self._intents), 1.0 / len(self._intents))
        p = np.full(len(self._intents), (1.0 - SURELY) / max(len(self._intents) - 1, 1))
        p[self._intents.index(intent)] = SURELY
        return np.asarray(p / p.sum(), np.float64)

    def _unanswerable(self, node: SpanNode, words: SpannedWords) -> Clause:
        """A question, in its own words: whether there is an answer, the rules know."""
        modifiers = Modifiers(mood="unable", note=f"I can't answer “{words.text(node)}”.")
        return Clause(words.text(node), *words.span(node), self._intents[0], self._surely(""), (), MEANT, modifiers=modifiers)

    def _sharing(self, clauses: Sequence[Clause]) -> list[Clause]:
        """The clauses, each without a thing of its own with that of the next one: "find and bring me the cup"."""
        found: list[Clause] = []
        for clause in reversed(clauses):
            spec = self._domain.intents[clause.intent].roles.get("theme") if clause.modifiers.mood == "request" else None
            theme = found[-1].role("theme") if found else None
            shares = spec is not None and spec.required and not clause.roles and theme is not None and theme.kind in spec.kinds
            found.append(replace(clause, roles=(theme,)) if shares and theme is not None else clause)
        return found[::-1]

    def _located(self, clause: Clause, node: SpanNode, words: SpannedWords) -> Clause:
        """The clause, whose thing is where a remark says that it is."""
        theme, relation = clause.role("theme"), self._phrases.remark(node, words)
        if theme is None or theme.description is None or relation is None:
            return replace(clause, left_over=(*clause.left_over, *words.content(node)))
        described = replace(theme.description, relations=(*theme.description.relations, relation))
        return replace(clause, roles=tuple(replace(role, description=described) if role is theme else role for role in clause.roles))


def _is_composed(nodes: Sequence[SpanNode]) -> bool:
    """Whether there are acts, and nothing beside them that the rules read."""
    known = all(node.label in UNHEARD | {"act", "where_it_is"} or is_around(node) for node in nodes)
    return known and any(node.label == "act" for node in nodes) and not any(map(_orders_acts, nodes))


def _orders_acts(node: SpanNode) -> bool:
    """Whether a condition orders acts, or an act holds another, a ban or an alternative."""
    if node.label in ORDERING:
        return next(node.all(lambda each: each.label == "act"), None) is not None
    return node.label == "act" and any(child.label in NOT_COMPOSED for child in node.children)


def _begins(reading: ParsedSentence, node: SpanNode) -> bool:
    """Whether a condition belongs to what follows: at the beginning or after a join, with an act after it."""
    follows = any(other.label == "act" and other.first > node.last for other in reading.nodes)
    return follows and (node.first == 0 or reading.words[node.first - 1] in (",", "and", "then"))


def _covered(reading: ParsedSentence, at: int) -> bool:
    return any(node.first <= at <= node.last for node in reading.nodes)
