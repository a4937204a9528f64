"""Transcript → IntentBelief: the stage."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from rapidfuzz import fuzz

from sayso.domain import Domain
from sayso.encoder import SentenceEncoder
from sayso.intent.about_home import HERE, KNOWN_QUESTIONS, Topic, by_topic, topic_of
from sayso.intent.addressed import AddressEvidence, AddressModel, as_asked, as_one_talk, evidence_of_address, names_in, without_asides
from sayso.intent.apostrophes import with_apostrophes
from sayso.intent.asked import condition_roles, question_roles, resolved, with_condition_place, with_people
from sayso.intent.clauses import ClauseSpan, Splitter
from sayso.intent.colloquial import in_plain_words
from sayso.intent.command_lm import CommandLanguageModel
from sayso.intent.composition import Composer
from sayso.intent.discourse import RecentMentions
from sayso.intent.enrolment import enrolled_intents
from sayso.intent.errands import merged
from sayso.intent.fillers import completed
from sayso.intent.fixed_words import fixed_words
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.geometry import Geometry, geometry_of
from sayso.intent.grammar import verbs_of
from sayso.intent.head import Kind
from sayso.intent.hearings import HearingModel, TextReading, hearings
from sayso.intent.hypotheses import Hypotheses
from sayso.intent.inversion import uninverted
from sayso.intent.listed_values import with_listed_values
from sayso.intent.meaning.accounting import left_over
from sayso.intent.meaning.binding import BINDING, NEGATIONS
from sayso.intent.meaning.questions import is_lead
from sayso.intent.meaning.sentence_words import EVENTS
from sayso.intent.meaning.subjects import with_subjects
from sayso.intent.misfits import misfits, unserved
from sayso.intent.normalise import normalise
from sayso.intent.own_examples import OwnExamples
from sayso.intent.own_requests import OwnRequests
from sayso.intent.parser.complete import complete
from sayso.intent.parser.parser import StructureParser
from sayso.intent.parser.tree import ParsedSentence
from sayso.intent.plain import PlainText
from sayso.intent.reading import PlainClause, PlainSegment, UtteranceReader
from sayso.intent.reconcile import reconciled, sure
from sayso.intent.reject import MAX_CHARACTERS, spoken_to, why_rejected
from sayso.intent.repair import repaired
from sayso.intent.roles import RoleFinder
from sayso.intent.shared import with_shared_thing
from sayso.intent.store import head_of
from sayso.intent.word_evidence import WordEvidence
from sayso.representation import Modifiers
from sayso.types import Clause, FloatArray, Hearing, IntentBelief, Role, Transcript

ALTERNATIVES = 4  # n-best texts to read; the others have hardly any mass and cost some milliseconds each
IMPROBABLE = 5.0  # nats below the best text at which another one is not read
CONSIDERED, NEGLIGIBLE = 4, 0.02  # most intents, and least P(k|t), for which roles are filled
MORE, UNLIKELY = 10, 0.001  # the same where the roles fit none of them so well that a less probable intent cannot win
MISFIT = 0.01  # P of an entity of the wrong kind in a role: "pick up anna"
_NEGATION = re.compile(
    r"^(?:(?:no|please|robot|hey|oh|and|you|okay) )*?(?P<not>don't|do not|never|mustn't|must not|shouldn't|should not|may not"
    r"|i don't want you to|i do not want you to|i never want you to) (?!need\b|have to\b|forget\b|want\b|know\b|like\b)"
)
_MAY_NEGATE = re.compile(r"n\S?t\b|not|never|dunno", re.IGNORECASE)  # without it, the normalised text is no negation
_HAS_TO_BE = re.compile(r"\b(?:has|have)(?: got)? to be (?=\w)")  # the encoder takes it for a statement
_STILL_POSITIVE = re.compile(r"^(?:please )?(?:don't|do not|never) forget to ")
WORTH_COMPOSING = 0.002  # P of a structure below which its meaning makes no difference
NOTHING_TO_DO = "there is nothing to do in it"
NOTHING_SAID = RecentMentions()
TOLD = frozenset(("answer", "describe"))  # intents of requests that may ask of the robot: "your name please", "show me what you hold"
OWN_QUESTION = 0.5  # least P(k|t) of an own intent that a question asks for
_AS_GIVEN = 92.0  # least similarity to an example that is itself negated: "don't move" means stop


@dataclass(frozen=True, slots=True)
class _Reading:
    """The text of a clause for the encoder, and whether the clause was negated."""

    text: str
    negated: bool


class IntentClassifier:
    """A calibrated linear or kernel head on a sentence encoder; roles from a gazetteer; the n-best texts read one by one."""

    def __init__(
        self,
        domain: Domain,
        encoder: Path | None = None,
        lm_weight: float = 1.0,
        head: Kind = "linear",
        *,
        parser: bool = True,
        address: AddressModel | None = None,
        hearing: HearingModel | None = None,
    ) -> None:
        """Load the models. A few additional intents are enrolled at once; for very different intents, a head is trained and cached.

        Args:
            domain: the home and its intents.
            encoder: folder of another sentence encoder; disables the parser, which needs the shipped one.
            lm_weight: factor on the fitted weight of the command language model in rescoring the n-best texts; 0 disables it.
            head: which of the two heads to use.
            parser: use it; else rules and the classifier alone.
            address: tells commands from other sentences; default: the shipped weights.
            hearing: weighs the n-best texts by what they mean; default: the shipped weights.

        Raises:
            ModelError: a model file is missing or altered.
        """
        self.domain = domain
        self._encode = SentenceEncoder(encoder)
        self._head = head_of(domain, self._encode, shipped=encoder is None, kind=head)
        self._plain = PlainText(domain)
        self._parse = StructureParser() if parser and encoder is None else None
        self._own = frozenset(domain.intents) - frozenset(self._parse.intents if self._parse is not None else ())  # unknown to the parser
        self._gazetteer = gazetteer = Gazetteer(domain)
        self._address = address or AddressModel.shipped()
        self._hearing = hearing or HearingModel.shipped()
        examples = [example for spec in domain.intents.values() for example in spec.wordings]
        self._verbs = verbs = verbs_of(examples)
        self.rescored = _weigher(self._plain, lm_weight)
        self._split = Splitter(verbs, gazetteer)
        self._roles = RoleFinder(domain, gazetteer, verbs)
        self._enrolled = enrolled_intents(self._head)
        self._own_question = OwnExamples(self._encode)
        self._words = WordEvidence(domain, self._head.intents, self._enrolled)
        self._negated_examples = [text for text in map(normalise, filter(_MAY_NEGATE.search, examples)) if _NEGATION.match(text)]
        self._compose = Composer(domain, gazetteer, verbs, self._roles, self._head.intents)
        self._read = UtteranceReader(domain, gazetteer, verbs, tuple(self._negated_examples))
        self._own_requests = OwnRequests(domain, self._enrolled, self._read)
        self._acts = fixed_words(domain)
        self._called = frozenset(name.lower() for person in domain.people.values() for name in person.names if " " not in name)

    def __call__(self, transcript: Transcript, said: RecentMentions = NOTHING_SAID) -> IntentBelief:
        """The belief about a transcript, or why it is rejected; `said` holds the mentions of the last utterances."""
        transcript = self.rescored(transcript)
        best, found = self._unheard(transcript) if transcript.rejected or not transcript.alternatives else self._heard(transcript, said)
        intents, p_train = self._head.intents, self._head.p_train
        return IntentBelief(transcript.utterance_id, transcript.stamp, best.text, intents, best.clauses, best.reason, p_train, found)

    def prepare(self) -> None:
        """Compute now what the first sentence of each intent would need, where it must not take longer than later ones."""
        self._roles.prepare()
        for intent in self.domain.intents:
            _ = self._acts[intent]

    def _unheard(self, transcript: Transcript) -> tuple[TextReading, tuple[Hearing, ...]]:
        """A transcript that is not to be acted on."""
        text = self._normalised(transcript.text[:MAX_CHARACTERS])
        return TextReading(text, (), transcript.rejected or why_rejected("")), ()

    def _heard(self, transcript: Transcript, said: RecentMentions) -> tuple[TextReading, tuple[Hearing, ...]]:
        """The most probable text, and the meanings of all texts; none if it is certain what was said."""
        first, *others = transcript.alternatives[:ALTERNATIVES]
        texts = [first, *(each for each in others if first.log_p - IMPROBABLE < each.log_p < np.inf)]
        read = [self.read(each.text, said) for each in texts]
        if len(read) == 1:
            return read[0], ()
        log_p = np.array([each.log_p - self._hearing.against(self.domain, reading) for each, reading in zip(texts, read, strict=True)])
        found = hearings(read, log_p)
        best = next(reading for reading in read if reading.text == found[0].text and reading.clauses is found[0].clauses)
        return best, found if len(found) > 1 else ()

    def read(self, spoken: str, said: RecentMentions = NOTHING_SAID) -> TextReading:
        """A text by itself: as the parser reads it, and where it is not sure, as the rules do or it does."""
        text = self._as_written(spoken)

        @cache
        def rules(words: str, recent: RecentMentions) -> TextReading:
            return self._ruled(spoken if (words, recent) == (text, said) else words, recent)

        if self._parse is None or why_rejected(spoken, self.domain.language) or spoken_to(text, self.domain):
            return rules(text, said)
        if self._own and any(clause.intent in self._own for clause in rules(text, said).clauses):
            return rules(text, said)
        trees = [tree for tree in complete(self._parse(text)) if tree.p >= WORTH_COMPOSING]
        found = self._compose(trees, text, said, lambda words, recent: rules(words, recent).clauses)
        return sure(text, found) or reconciled(rules(text, said), text, found)

    def _ruled(self, spoken: str, said: RecentMentions) -> TextReading:
        """A text as the rules read it."""
        text = self._normalised(spoken[:MAX_CHARACTERS])
        reason = why_rejected(spoken, self.domain.language) or spoken_to(text, self.domain)
        clauses = [] if reason else self._clauses_of(text, said)
        while shared := with_shared_thing(self.domain, text, clauses):
            text, clauses = shared, self._clauses_of(shared, said)
        reason = reason or ("" if clauses else NOTHING_TO_DO)
        clauses = as_asked(with_listed_values(self.domain, text, clauses), text, self._verbs, self.domain)
        found = with_subjects(merged(as_one_talk(without_asides(clauses, self._verbs, text), self.domain.speaker)))
        return TextReading(text, found, reason)

    def readings(self, spoken: str) -> tuple[ParsedSentence, ...]:
        """The likeliest structures of a text by the parser; none without it."""
        return self._parse(self._as_written(spoken)) if self._parse is not None else ()

    def _as_written(self, spoken: str) -> str:
        """The words, normalised, with their apostrophes: as the parser reads them."""
        return with_apostrophes(normalise(spoken[:MAX_CHARACTERS]), self._called)

    def _clauses_of(self, text: str, said: RecentMentions) -> list[Clause]:
        """The clauses of a normalised text, one by one."""
        clauses: list[Clause] = []
        for segment in self._read(text):
            for piece in segment.pieces(self._clauses(segment)):
                clauses.append(self._clause(segment, piece, said))
                said = said.after(clauses[-1].roles)
        return clauses

    def _normalised(self, text: str) -> str:
        """The text in normal form, without what the speaker corrected, with conditions and fronted phrases in their places."""
        plain = in_plain_words(self._as_written(text))
        return self._read.in_order(uninverted(repaired(plain, self._verbs), self._verbs | EVENTS))

    def _clause(self, segment: PlainSegment, piece: PlainClause, said: RecentMentions) -> Clause:
        """The clause of a piece of a segment."""
        said, phrases = said.after(condition_roles(self.domain, piece.modifiers.conditions)), segment.phrases_of(piece)
        reading, (start, end) = self._reading(piece.span.text), segment.origin(piece.span.start, piece.span.end)
        p, strangeness = self._probabilities(reading.text)
        modifiers = self._of_own_intent(piece.text, self._of_robot(segment.whole, piece, p), p)
        if modifiers.mood == "question":
            asked = [phrase.description for phrase in segment.phrases if start <= phrase.description.start < end]
            roles = question_roles(self.domain, asked)
        else:
            p, found = self._with_roles(p, segment.text, piece.span, said)
            intent = self._head.intents[int(p.argmax())]
            strangeness -= self._words.familiarity(reading.text, intent, found)
            spec = self.domain.intents[intent]
            roles = completed(self.domain, spec, phrases, with_people(spec, segment, found), said)
            roles = with_condition_place(self.domain, roles, modifiers.conditions)
            modifiers = replace(modifiers, conditions=resolved(modifiers.conditions, roles))
        intent = self._head.intents[int(p.argmax())]
        negated = reading.negated or segment.negated
        act = self._acts.get(intent, frozenset())
        unexplained = left_over(piece.words, phrases, self.domain.intents[intent], roles, act, segment.explained)
        if modifiers.question in KNOWN_QUESTIONS:
            unexplained = ()
        if negated or modifiers.mood in ("question", "retracted"):
            unexplained = tuple(word for word in unexplained if word not in NEGATIONS)
        clause = Clause(piece.text, start, end, intent, p, roles, strangeness, negated, modifiers, unexplained)
        return replace(clause, out_of_scope=self._strangeness(clause))

    def _strangeness(self, clause: Clause) -> float:
        """The nats by which the clause is out of scope; `clause.out_of_scope` is the head's score."""
        return by_topic(self._address(self.evidence(clause)), self.topic(clause))

    def _of_robot(self, whole: str, piece: PlainClause, p: FloatArray) -> Modifiers:
        """The modifiers with the question that the clause asks of the robot itself, in whatever words."""
        told = piece.modifiers.mood == "request" and self._head.intents[int(p.argmax())] in TOLD
        asks = piece.modifiers.mood == "question" and piece.modifiers.question not in KNOWN_QUESTIONS
        found = self._own_question(whole) if told or asks else None
        return replace(piece.modifiers, mood="question", question=found) if found is not None else piece.modifiers

    def _of_own_intent(self, text: str, modifiers: Modifiers, p: FloatArray) -> Modifiers:
        """A question that a user's own act answers is a request: "what is the weight of the flask" in a home that can weigh."""
        return self._own_requests(self._head.intents[int(p.argmax())], text, modifiers) if p.max() >= OWN_QUESTION else modifiers

    def _clauses(self, segment: PlainSegment) -> Sequence[ClauseSpan]:
        """The clauses of a segment; a question between two things is one: "is it on the desk or on the table"."""
        if segment.modifiers.mood == "question" and any(word.text == "or" for word in segment.words):
            return (ClauseSpan(0, len(segment.text), segment.spans),)
        spans = self._split(segment.text)
        if segment.modifiers.mood == "question" and len(spans) > 1 and is_lead(spans[0].text.split()):
            return (ClauseSpan(spans[0].start, spans[1].end, (*spans[0].words, *spans[1].words)), *spans[2:])
        return spans

    def geometry(self, clause: Clause) -> Geometry:
        """How the clause's text moves through the encoder, and how the ranking of the intents agrees with their distances."""
        return geometry_of(self._plain(self._reading(clause.text).text), self._encode, self._head)

    def evidence(self, clause: Clause) -> AddressEvidence:
        """Whether a clause was meant for the robot, as far as its words tell; `clause.out_of_scope` is the head's score."""
        words = [*clause.text.split(), *(word for timing in clause.modifiers.timings for word in timing.text.split())]
        topic, names = self.topic(clause), names_in(self._gazetteer, words)
        strange = [word for word in clause.left_over if word not in BINDING]
        speaker = self.domain.speaker
        return evidence_of_address(words, clause.out_of_scope, clause.roles, strange, topic, names, self._verbs, speaker)

    def topic(self, clause: Clause) -> Topic | Literal[""]:
        """What a question is about; empty for anything else."""
        if clause.modifiers.mood != "question":
            return ""
        unexplained = sum(word not in HERE for word in clause.left_over)
        return topic_of(clause.text, clause.modifiers.question, clause.roles, unexplained, self.domain.speaker)

    def _with_roles(self, p: FloatArray, text: str, piece: ClauseSpan, said: RecentMentions) -> tuple[FloatArray, tuple[Role, ...]]:
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
            found[k], _ = self._roles(text, piece, self._head.intents[k], said)
            if self._head.intents[k] not in self._enrolled:  # a user's own verb is the better evidence
                spec = self.domain.intents[self._head.intents[k]]
                mismatches = len(misfits(spec, found[k])) + unserved(spec, [word.text for word in piece.words])
                fit[k] = MISFIT ** (mismatches + self._roles.ungoverned(piece, spec, found[k]))
        fit[[k for k in range(len(p)) if k not in found]] = min(fit[list(found)])
        weighed = p * fit
        return weighed / weighed.sum(), found[int(weighed.argmax())]

    def _reading(self, text: str) -> _Reading:
        text = _HAS_TO_BE.sub("must be ", _STILL_POSITIVE.sub("", text))
        match = _NEGATION.match(text)
        if match is None or any(fuzz.ratio(text[match.start("not") :], example) >= _AS_GIVEN for example in self._negated_examples):
            return _Reading(text, negated=False)
        return _Reading(text[match.end() :] or text, negated=True)

    def _probabilities(self, text: str) -> tuple[FloatArray, float]:
        """(K,) P(k|t) of a clause, and its out-of-scope score."""
        h = self._encode([self._plain(text)])
        weighed = self._head.probabilities(h)[0] * self._words(text)
        return weighed / weighed.sum(), float(self._head.out_of_scope(h)[0])


def _weigher(plain: PlainText, lm_weight: float) -> Callable[[Transcript], Transcript]:
    """A function that rescores the texts of a transcript; with weight 0, the model is not loaded."""
    if lm_weight == 0.0:
        return lambda transcript: transcript
    model = CommandLanguageModel()
    return Hypotheses(model, plain, lm_weight * model.weight, model.per_word)
