"""Transcript → IntentBelief: the stage."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rapidfuzz import fuzz

from sayso.domain import Domain
from sayso.intent.alternatives import Alternative, mixed_roles
from sayso.intent.clauses import ClauseSpan, Splitter, Word, words_of
from sayso.intent.command_lm import CommandLanguageModel
from sayso.intent.discourse import RecentMentions
from sayso.intent.encoder import SentenceEncoder
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.geometry import Geometry, geometry_of
from sayso.intent.grammar import verbs_of
from sayso.intent.head import Kind
from sayso.intent.hypotheses import Hypotheses
from sayso.intent.normalise import normalise
from sayso.intent.plain import PlainText
from sayso.intent.reject import MAX_CHARACTERS, why_rejected
from sayso.intent.repair import repaired
from sayso.intent.roles import RoleFinder, TaggedRole
from sayso.intent.store import head_of
from sayso.intent.tagger import Tagger
from sayso.intent.tags import TaggedFrame
from sayso.types import Clause, FloatArray, IntentBelief, Role, Transcript

ALTERNATIVES = 4  # n-best texts to use; the others have hardly any mass and cost 1–3 ms each
CONSIDERED, NEGLIGIBLE = 4, 0.02  # most intents, and least P(k|t), for which roles are filled
MISSING, IDLE = 0.35, 0.25  # P of omitting a required role; P of a phrase that fills no role (from the development sentences)
_NEGATION = re.compile(
    r"^(?:(?:no|please|robot|hey|oh|and|you|okay) )*?(?P<not>don't|do not|never|mustn't|must not|shouldn't|should not|may not"
    r"|i don't want you to|i do not want you to|i never want you to) (?!need\b|have to\b|forget\b|want\b|know\b|like\b)"
)
_STILL_POSITIVE = re.compile(r"^(?:please )?(?:don't|do not|never) forget to ")
NOTHING_SAID = RecentMentions()
_AS_GIVEN = 92.0  # least similarity to an example that is itself negated: "don't move" means stop


@dataclass(frozen=True, slots=True)
class _Reading:
    """The text of a clause for the encoder, and whether the clause was negated."""

    text: str
    negated: bool


class IntentClassifier:
    """A calibrated linear or kernel head on a sentence encoder; roles from a gazetteer; Σ_t P(k|t) P(t|audio) over the n-best texts."""

    def __init__(
        self, domain: Domain, encoder: Path | None = None, lm_weight: float = 1.0, head: Kind = "linear", *, tagger: bool = True
    ) -> None:
        """Load the models. A few additional intents are enrolled at once; for very different intents, a head is trained and cached.

        Args:
            domain: the home and its intents.
            encoder: folder of another sentence encoder; disables the tagger, which needs the shipped one.
            lm_weight: factor on the fitted weight of the command language model in rescoring the n-best texts; 0 disables it.
            head: which of the two heads to use.
            tagger: use the tagger to find clauses and roles; else rules.

        Raises:
            ModelError: a model file is missing or altered.
        """
        self.domain = domain
        self._encode = SentenceEncoder(encoder)
        self._head = head_of(domain, self._encode, shipped=encoder is None, kind=head)
        self._tag = Tagger(self._encode) if tagger and encoder is None else None
        self._plain = PlainText(domain)
        gazetteer = Gazetteer(domain)
        examples = [example for spec in domain.intents.values() for example in spec.examples]
        self._verbs = verbs = verbs_of(examples)
        self._weigh = _weigher(self._plain, lm_weight)
        self._split = Splitter(verbs, gazetteer)
        self._roles = RoleFinder(domain, gazetteer, verbs)
        self._negated_examples = [text for text in map(normalise, examples) if _NEGATION.match(text)]

    def __call__(self, transcript: Transcript, said: RecentMentions = NOTHING_SAID) -> IntentBelief:
        """The belief about a transcript, or why it is rejected; `said` holds the mentions of the last utterances."""
        transcript = self._weigh(transcript)
        reason = transcript.rejected or why_rejected(transcript.text)
        text = repaired(normalise(transcript.text[:MAX_CHARACTERS]), self._verbs)
        words = words_of(text)
        frames = self._frames(words) if not reason else ()
        pieces = self._split(text, [frame.trigger.first for frame in frames]) if not reason else ()
        reason = reason or ("" if pieces else "there is nothing to do in it")
        clauses: list[Clause] = []
        others = self._alternatives(transcript, len(pieces)) if pieces else []
        for index, piece in enumerate(pieces):
            reading = self._reading(piece.text)
            read = [(other, self._reading(other.pieces[index].text)) for other in others]
            agreeing = [(other, way) for other, way in read if way.negated == reading.negated]
            p_best = math.exp(transcript.alternatives[0].log_p)
            texts = [(p_best, reading.text), *((other.p, way.text) for other, way in agreeing)]
            p, strangeness = self._mixed(texts)
            p, roles = self._with_roles(p, text, piece, said, _told(words, piece, frames))
            intent = self._head.intents[int(p.argmax())]
            otherwise = [(other.p, self._roles(other.text, other.pieces[index], intent, said)[0]) for other, _ in agreeing]
            roles = mixed_roles(roles, p_best, otherwise)
            said = said.after(roles)
            clauses.append(Clause(piece.text, piece.start, piece.end, intent, p, roles, strangeness, reading.negated))
        return IntentBelief(transcript.utterance_id, transcript.stamp, text, self._head.intents, tuple(clauses), reason, self._head.p_train)

    def geometry(self, clause: Clause) -> Geometry:
        """How the clause's text moves through the encoder, and how the ranking of the intents agrees with their distances."""
        return geometry_of(self._plain(self._reading(clause.text).text), self._encode, self._head)

    def _frames(self, words: tuple[Word, ...]) -> list[TaggedFrame]:
        """The tagger's frames. It reads the plain text, as the classifier does, so that one encoder pass serves both."""
        if self._tag is None:
            return []
        plain = self._plain.words([word.text for word in words])
        spans = [(word.first, word.last) for word in plain]
        return [frame.over(spans) for frame in self._tag([word.text for word in plain])]

    def _with_roles(
        self, p: FloatArray, text: str, piece: ClauseSpan, said: RecentMentions, tagged: tuple[TaggedRole, ...] | None
    ) -> tuple[FloatArray, tuple[Role, ...]]:
        """P(k|t, roles) ∝ P(k|t) P(roles|k) over the most probable intents, and the roles of the best one.

        "Bring the cup to the kitchen" names no recipient, but a place for which bring has no role: it means put.
        """
        likely = [int(k) for k in np.argsort(-p)[:CONSIDERED] if p[k] > NEGLIGIBLE]
        fit = np.full(len(p), 1.0)
        found: dict[int, tuple[Role, ...]] = {}
        for k in likely:
            found[k], idle = self._roles(text, piece, self._head.intents[k], said, tagged)
            required = [name for name, role in self.domain.intents[self._head.intents[k]].roles.items() if role.required]
            missing = sum(all(role.name != name for role in found[k]) for name in required)
            fit[k] = MISSING**missing * IDLE**idle
        fit[[k for k in range(len(p)) if k not in found]] = min(fit[likely])
        weighed = p * fit
        return weighed / weighed.sum(), found[int(weighed.argmax())]

    def _reading(self, text: str) -> _Reading:
        text = _STILL_POSITIVE.sub("", text)
        match = _NEGATION.match(text)
        if match is None or any(fuzz.ratio(text[match.start("not") :], example) >= _AS_GIVEN for example in self._negated_examples):
            return _Reading(text, negated=False)
        return _Reading(text[match.end() :] or text, negated=True)

    def _alternatives(self, transcript: Transcript, count: int) -> list[Alternative]:
        """The other n-best texts with the same number of clauses."""
        found = []
        for heard in transcript.alternatives[1:ALTERNATIVES]:
            if not why_rejected(heard.text):
                text = repaired(normalise(heard.text), self._verbs)
                pieces = self._split(text)
                if len(pieces) == count:
                    found.append(Alternative(math.exp(heard.log_p), text, pieces))
        return found

    def _mixed(self, texts: Sequence[tuple[float, str]]) -> tuple[FloatArray, float]:
        """(K,) Σ_t P(k|t) P(t|audio) over pairs (P(t|audio), t), best text first, and the out-of-scope score of the best text."""
        h = self._encode([self._plain(text) for _, text in texts])
        p = np.array([p for p, _ in texts]) @ self._head.probabilities(h)
        return p / p.sum(), float(self._head.out_of_scope(h[:1])[0])


def _weigher(plain: PlainText, lm_weight: float) -> Callable[[Transcript], Transcript]:
    """A function that rescores the texts of a transcript; with weight 0, the model is not loaded."""
    if lm_weight == 0.0:
        return lambda transcript: transcript
    model = CommandLanguageModel()
    return Hypotheses(model, plain, lm_weight * model.weight, model.per_word)


def _told(words: tuple[Word, ...], piece: ClauseSpan, frames: Sequence[TaggedFrame]) -> tuple[TaggedRole, ...] | None:
    """The tagger's roles for a clause, from the first frame in it; None if there is no frame."""
    frame = next((each for each in frames if piece.start <= words[each.trigger.first].start < piece.end), None)
    if frame is None:
        return None
    spans = (TaggedRole(span.label, words[span.first].start, words[span.last].end) for span in frame.arguments)
    return tuple(each for each in spans if piece.start <= each.start and each.end <= piece.end)
