"""Parts that want something without an act: questions and hints, where the rules read none in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sayso.domain import Domain
from sayso.intent.asked import question_roles
from sayso.intent.composition.filling import RoleComposer, in_order
from sayso.intent.composition.phrases import PhraseComposer, unexplained
from sayso.intent.composition.sentence import SpannedWords, is_around
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.meaning.accounting import content as carries_content
from sayso.intent.meaning.questions import is_lead
from sayso.intent.parser.tree import SpanNode
from sayso.representation import Description, Modifiers, QuestionName
from sayso.types import Clause, FloatArray

SURELY = 0.995  # P(k | clause) of the parser's intent; how probable the parser finds it is part of P(structure)
MEANT = -5.0  # nats: what was parsed as wanted was meant for somebody who acts
NAMED = ("theme", "goal", "source")  # labels of what a question is about
ANSWERED_QUESTIONS = frozenset(("where", "which", "how_many", "yes_no", "what", "who", "colour"))  # kinds with an answer about the home
ASKED = "find"  # the intent of such a question


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
    """Clauses of questions and hints, from what is named in them."""

    def __init__(self, domain: Domain, gazetteer: Gazetteer, phrases: PhraseComposer, fill: RoleComposer, certain: CertainIntent) -> None:
        self._domain, self._gazetteer, self._phrases, self._fill = domain, gazetteer, phrases, fill
        self._certain, self._intents = certain, certain.names

    def question(self, node: SpanNode, words: SpannedWords) -> Clause | None:
        """A question about what is named in it; None if it names nothing of the home, or says more than that."""
        named = [child for child in node.children if child.label in NAMED]
        if any(child.label not in (*NAMED, "recipient") and not is_around(child) for child in node.children):
            return None  # "… is smallest"
        if node.value not in ANSWERED_QUESTIONS or not _only_asks(node, named, words):
            return None  # "how many cups make a gallon"
        asked = [self._of_owner(child, words) or self._phrases(child, words).description for child in named]
        roles = question_roles(self._domain, asked)
        if not any(role.entity or role.candidates for role in roles):
            return None
        kind: QuestionName = node.value  # type: ignore[assignment]  # the kinds in ANSWERED_QUESTIONS are these names
        unknown = (word for role in roles if role.description is not None for word in unexplained(role.description))
        modifiers = Modifiers(mood="question", question=kind)
        intent = ASKED if ASKED in self._intents else self._intents[0]
        p, left = self._certain(intent), tuple(dict.fromkeys(unknown))
        return Clause(words.text(node), *words.span(node), intent, p, roles, MEANT, modifiers=modifiers, left_over=left)

    def counting(self, act: SpanNode, words: SpannedWords) -> Clause | None:
        """An act of counting as the question how many there are; None as for `question`."""
        first = min((child.first for child in act.children), default=act.first)
        return self.question(replace(act, label="question", value="how_many", first=first), words)

    def unanswerable(self, node: SpanNode, words: SpannedWords) -> Clause:
        """A question, in its own words: whether there is an answer, the rules know."""
        modifiers = Modifiers(mood="unable", note=f"I can't answer “{words.text(node)}”.")
        return Clause(words.text(node), *words.span(node), self._intents[0], self._certain(""), (), MEANT, modifiers=modifiers)

    def _of_owner(self, node: SpanNode, words: SpannedWords) -> Description | None:
        """The thing or the place whose quality a phrase names: "the vase's colour"; None if it does not."""
        owner = node.child("owner")
        if owner is None:
            return None
        said = [word.text.removesuffix("'s") for word in words.of(owner)]
        links = self._gazetteer.link(tuple(said), frozenset(("object", "place")))
        found = tuple((link.entity, link.score) for link in links)
        return Description(" ".join(said), *words.span(owner), head=said[-1], candidates=found) if found else None

    def hint(self, node: SpanNode, words: SpannedWords) -> tuple[Clause, ...]:
        """The act that a need hints at, with what it names; none if it names nothing that the act could be about."""
        if node.value not in self._domain.intents or node.value not in self._intents:
            return ()
        specs = self._domain.intents[node.value].roles
        roles = [role for role in self._phrases.mentioned(node, words) if role.name in specs and role.kind in specs[role.name].kinds]
        unique = {role.name: role for role in reversed(roles)}
        if any(spec.required and not spec.default and name not in unique for name, spec in specs.items()):
            return ()
        placed = tuple(self._fill.placed(node.value, [*in_order(unique.values())]))
        text, modifiers = words.text(node), Modifiers(mood="hint")
        return (Clause(text, *words.span(node), node.value, self._certain(node.value), placed, MEANT, modifiers=modifiers),)


def _only_asks(node: SpanNode, named: Sequence[SpanNode], words: SpannedWords) -> bool:
    """Whether a question says nothing but what its parts do, and what leads to it: "tell me the biggest thing on the counter"."""
    first = min((child.first for child in named), default=node.last + 1)
    lead = [word.text for word in words.words[node.first : first]]
    rest = words.of(replace(node, first=first), named) if named else ()
    return (is_lead(lead) or not any(map(carries_content, lead))) and not any(carries_content(word.text) for word in rest)
