"""A clause without a structure: the intent of its words as a whole, argmax softmax(W h + b), and the names in them.

So the acts of a user's own are read, which the parser does not know, and the sentences of another language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from sayso.domain import Domain
from sayso.domain.sentences import SLOT
from sayso.intent.clauses import ClauseSpan
from sayso.intent.composition.asking import MEANT
from sayso.intent.composition.sentence import SpannedWords
from sayso.intent.discourse import RecentMentions
from sayso.intent.enrolment import enrolled_intents
from sayso.intent.head import Head
from sayso.intent.linear_head import Float32Array
from sayso.intent.meaning.accounting import content
from sayso.intent.misfits import misfits, unserved
from sayso.intent.normalise import normalise
from sayso.intent.parser.labels import OTHER
from sayso.intent.parser.tree import ParsedSentence, SpanNode
from sayso.intent.plain import PLACEHOLDERS, PlainText
from sayso.intent.roles import RoleFinder
from sayso.intent.word_evidence import WordEvidence
from sayso.representation import Modifiers
from sayso.types import Clause, FloatArray, Role

CONSIDERED, NEGLIGIBLE = 4, 0.02  # most intents, and least P(k|t), for which roles are filled
MORE, UNLIKELY = 10, 0.001  # the same where the roles fit none of them so well that a less probable intent cannot win
MISFIT = 0.01  # P of an entity of the wrong kind in a role: "pick up anna"
LEAST = 0.5  # P(k|t) from which words are an act of the user's own
SELVES = frozenset(("i", "we", "you"))  # of what these did or should do, a question wants an answer


class FlatReader:
    """Reads one clause."""

    def __init__(
        self, domain: Domain, encode: Callable[[Sequence[str]], Float32Array], head: Head, plain: PlainText, roles: RoleFinder
    ) -> None:
        self._domain, self._encode, self._head, self._plain, self._roles = domain, encode, head, plain, roles
        self._enrolled = enrolled_intents(head)
        self._words = WordEvidence(domain, head.intents, self._enrolled)

    def __call__(self, text: str, piece: ClauseSpan, recent: RecentMentions) -> Clause:
        """The clause of some words.

        Args:
            text: the whole utterance, normalised.
            piece: the words.
            recent: what pronouns may mean.
        """
        p, roles = self._with_roles(self.probabilities(piece.text), text, piece, recent)
        intent = self._head.intents[int(p.argmax())]
        strangeness = self.out_of_scope(piece.text) - self._words.familiarity(piece.text, intent, roles)
        filled = [(role.start, role.end) for role in roles]
        unused = (word for word in piece.words if not any(start <= word.start < end for start, end in filled))
        left = tuple(word.text for word in unused if content(word.text) and not self._roles.explain(intent, word.text))
        return Clause(piece.text, piece.start, piece.end, intent, p, roles, strangeness, left_over=left)

    def probabilities(self, text: str) -> FloatArray:
        """(K,) P(k | t) of a clause."""
        weighed = self._head.probabilities(self._encode([self._plain(text)]))[0] * self._words(text)
        return np.asarray(weighed / weighed.sum(), np.float64)

    def out_of_scope(self, text: str) -> float:
        """The out-of-scope score of a clause, in nats."""
        return float(self._head.out_of_scope(self._encode([self._plain(text)]))[0])

    def _with_roles(self, p: FloatArray, text: str, piece: ClauseSpan, recent: RecentMentions) -> tuple[FloatArray, tuple[Role, ...]]:
        """P(k|t, kinds) ∝ P(k|t) P(kinds|k) over the most probable intents, and the roles of the best one.

        "Take grandma her glasses" puts a person where pick_up has an object: it means bring. Missing and unused roles count later, in
        the likelihood of the action.
        """
        fit = np.full(len(p), 1.0)
        found: dict[int, tuple[Role, ...]] = {}
        for rank, k in enumerate(map(int, np.argsort(-p)[:MORE])):
            settled = rank > 0 and (rank >= CONSIDERED or p[k] <= NEGLIGIBLE) and max(p[each] * fit[each] for each in found) > p[k]
            if settled or (rank > 0 and p[k] < UNLIKELY):
                break
            found[k], _ = self._roles(text, piece, self._head.intents[k], recent)
            if self._head.intents[k] not in self._enrolled:  # a user's own verb is the better evidence
                spec = self._domain.intents[self._head.intents[k]]
                mismatches = len(misfits(spec, found[k])) + unserved(spec, [word.text for word in piece.words])
                fit[k] = MISFIT ** (mismatches + self._roles.ungoverned(piece, spec, found[k]))
        fit[[k for k in range(len(p)) if k not in found]] = min(fit[list(found)])
        weighed = p * fit
        return weighed / weighed.sum(), found[int(weighed.argmax())]


class OwnActs:
    """Reads the acts of the user's own in a structure, by what the parser does not know of them."""

    def __init__(
        self,
        domain: Domain,
        flat: FlatReader,
        parse: Callable[[str], Sequence[ParsedSentence]],
        own: frozenset[str],
        taught: frozenset[str],
    ) -> None:
        """For a home.

        Args:
            domain: the home.
            flat: reads a clause.
            parse: structures of a text, the likeliest first.
            own: intents that the parser does not know.
            taught: shipped intents to which the user has added examples, for acts that the parser does not know.
        """
        self._domain, self._flat, self._parse, self._own, self._taught = domain, flat, parse, own, taught

    def __call__(self, node: SpanNode, words: SpannedWords, recent: RecentMentions) -> Clause | None:
        """The clause of an act or a question that asks for an act of the user's own; None for any other."""
        known = self._own | (self._taught if node.value == OTHER else frozenset())
        if not known:
            return None
        start, end = words.span(node)
        clause = self._flat(words.whole, ClauseSpan(start, end, words.of(node)), recent)
        if clause.intent not in known or clause.probabilities.max() < LEAST:
            return None
        clause = replace(clause, out_of_scope=MEANT)
        if node.label != "question" or node.value in self._asked.get(clause.intent, ()):
            return clause
        hinted = node.value == "yes_no" and SELVES.isdisjoint(word.text for word in words.of(node))  # "has theo got a fever"
        return replace(clause, modifiers=Modifiers(mood="hint")) if hinted else None

    @cached_property
    def _asked(self) -> dict[str, frozenset[str]]:
        """Own intent → the kinds of questions that its examples ask: "what is the weight of the flask", where the robot can weigh."""
        return {intent: frozenset(self._kinds(intent)) for intent in self._own}

    def _kinds(self, intent: str) -> list[str]:
        texts = [normalise(SLOT.sub(PLACEHOLDERS["object"], example)) for example in self._domain.intents[intent].wordings]
        best = [readings[0] for text in texts if (readings := self._parse(text))]
        return [node.value for reading in best for node in reading.nodes if node.label == "question"]
