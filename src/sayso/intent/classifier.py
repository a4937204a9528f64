"""Transcript → IntentBelief: the stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sayso.domain import Domain
from sayso.encoder import SentenceEncoder
from sayso.intent.apostrophes import with_apostrophes
from sayso.intent.clauses import ClauseSpan, words_of
from sayso.intent.command_lm import CommandLanguageModel
from sayso.intent.composition import Composer
from sayso.intent.composition.asking import MEANT, YOURS, CertainIntent, Consulted
from sayso.intent.composition.meanings import STOP, chosen, strangeness, supported
from sayso.intent.composition.needs import Needs
from sayso.intent.composition.sentence import WAYS
from sayso.intent.composition.telling import KINDS
from sayso.intent.discourse import RecentMentions
from sayso.intent.enrolment import enrolled_intents
from sayso.intent.flat import FlatReader, OwnActs
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.geometry import Geometry, geometry_of
from sayso.intent.grammar import verbs_of
from sayso.intent.head import Kind
from sayso.intent.hearings import HearingModel, TextReading, hearings
from sayso.intent.hypotheses import Hypotheses
from sayso.intent.listed_values import with_listed_values
from sayso.intent.normalise import normalise
from sayso.intent.parser.complete import complete
from sayso.intent.parser.parser import MOST_WORDS, StructureParser
from sayso.intent.parser.tree import ParsedSentence, SpanNode
from sayso.intent.plain import PlainText
from sayso.intent.reject import MAX_CHARACTERS, spoken_to, why_rejected
from sayso.intent.roles import RoleFinder
from sayso.intent.store import head_of
from sayso.representation import Modifiers
from sayso.types import Clause, Hearing, IntentBelief, Transcript

ALTERNATIVES = 4  # n-best texts to read; the others have hardly any mass and cost some milliseconds each
IMPROBABLE = 5.0  # nats below the best text at which another one is not read
WORTH_COMPOSING = 0.005  # P of a structure below which its meaning makes no difference
ENGLISH = "en"  # the language that the parser reads
NAMES = {"place": "the kitchen", "object": "the cup", "person": "peter"}  # kind → a name that the intent head knows
LONGEST_NAME = 3  # words
POSSIBLE = 0.1  # P(k|t) from which the intent head supports an act
LIKELY = 0.5  # P of a kind of question from which a message is what the robot is to tell of itself
CLEARLY_OWN = 0.9  # P(k|t) from which a sentence without an act is one of the user's own
TOO_LONG = "too long for me to follow: say it in shorter sentences"
SPOKEN = frozenset(("tell", "answer", "describe", "repeat", "greet", "count"))  # intents of acts that end in words
NOTHING_SAID = RecentMentions()


class IntentClassifier:
    """The n-best texts read one by one: parsed, composed in the home, and the likeliest meaning taken."""

    def __init__(
        self,
        domain: Domain,
        encoder: Path | None = None,
        lm_weight: float = 1.0,
        head: Kind = "linear",
        *,
        parser: bool = True,
        hearing: HearingModel | None = None,
    ) -> None:
        """Load the models. A few additional intents are enrolled at once; for very different intents, a head is trained and cached.

        Args:
            domain: the home and its intents.
            encoder: folder of another sentence encoder, for the intent head.
            lm_weight: factor on the fitted weight of the command language model in rescoring the n-best texts; 0 disables it.
            head: which of the two heads to use for a user's own intents.
            parser: use it; else a text is one clause of one intent, as in another language than English.
            hearing: weighs the n-best texts by what they mean; default: the shipped weights.

        Raises:
            ModelError: a model file is missing or altered.
        """
        self.domain = domain
        self._encode = SentenceEncoder(encoder)
        self._head = head_of(domain, self._encode, shipped=encoder is None, kind=head)
        self._plain = PlainText(domain)
        self._parse = StructureParser() if parser and domain.language == ENGLISH else None
        self._hearing = hearing or HearingModel.shipped()
        self.rescored = _weigher(self._plain, lm_weight)
        gazetteer = Gazetteer(domain, self._parse.is_word) if self._parse is not None else Gazetteer(domain)
        verbs = verbs_of([example for spec in domain.intents.values() for example in spec.wordings])
        self._roles = RoleFinder(domain, gazetteer, verbs)
        self._flat = FlatReader(domain, self._encode, self._head, self._plain, self._roles)
        known = frozenset(self._parse.intents if self._parse is not None else ())
        own, taught = frozenset(domain.intents) - known, frozenset(enrolled_intents(self._head)) & known
        self._needs = Needs(self._encode)
        self._own, self._unknown = OwnActs(domain, self._flat, self._parsed, own, taught), own
        consulted = Consulted(self._flat.probabilities, self._helping, self._kind)
        self._compose = Composer(domain, gazetteer, verbs, self._roles, self._head.intents, consulted, self._own)
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
        self._compose.prepare()

    def read(self, spoken: str, said: RecentMentions = NOTHING_SAID) -> TextReading:
        """A text by itself."""
        text = self._as_written(spoken)
        reason = why_rejected(spoken, self.domain.language) or spoken_to(text, self.domain)
        if reason:
            return TextReading(text, (), reason)
        clauses = self._clauses(text, said)
        if not clauses and len(text.split()) > MOST_WORDS:
            return TextReading(text, (), TOO_LONG)
        return TextReading(text, tuple(with_listed_values(self.domain, text, clauses or (self._unread(text),))))

    def readings(self, spoken: str) -> tuple[ParsedSentence, ...]:
        """The likeliest structures of a text by the parser; none without it."""
        return self._parsed(self._as_written(spoken))

    def geometry(self, clause: Clause) -> Geometry:
        """How the clause's text moves through the encoder, and how the ranking of the intents agrees with their distances."""
        return geometry_of(self._plain(clause.text), self._encode, self._head)

    def _unheard(self, transcript: Transcript) -> tuple[TextReading, tuple[Hearing, ...]]:
        """A transcript that is not to be acted on."""
        text = self._as_written(transcript.text)
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

    def _parsed(self, text: str) -> tuple[ParsedSentence, ...]:
        return self._parse(text) if self._parse is not None else ()

    def _as_written(self, spoken: str) -> str:
        """The words, normalised, with their apostrophes: as the parser reads them."""
        return with_apostrophes(normalise(spoken[:MAX_CHARACTERS]), self._called)

    def _clauses(self, text: str, said: RecentMentions) -> tuple[Clause, ...]:
        """The clauses of a normalised text: of its likeliest meaning; none if it cannot be read."""
        whole = ClauseSpan(0, len(text), words_of(text))
        if self._parse is None:
            return (self._flat(text, whole, said),)
        trees = [tree for tree in complete(self._parse(text)) if tree.p >= WORTH_COMPOSING]
        found = self._compose(trees, text, said).values()
        best = chosen(found)
        if best is None:
            return ()
        if not best.clauses and (wanted := self._of_own(text, said) or self._stopping(whole)) is not None:
            return (wanted,)
        own = {clause.intent for clause in best.clauses} & self._unknown
        if len(best.clauses) == 1 and own:  # how the words of an act are parted that the parser does not know makes no difference
            alike = sum(each.p for each in found if own.intersection(clause.intent for clause in each.clauses))
            known = float(best.clauses[0].probabilities.max())  # P(k | words) by the intent head, which knows them
            best = replace(best, p=max(known, alike / sum(each.p for each in found)))
        agreed = all(map(self._seconds, best.clauses))
        return supported(best, agreed=agreed) or (self._talk(whole.text, strangeness(best.p)),)

    def _seconds(self, clause: Clause) -> bool:
        """Whether the intent head, which reads the words of the act as a whole, finds its intent possible too."""
        if clause.modifiers.mood not in ("request", "hint"):
            return True
        if {word for role in clause.roles for word in role.text.split()}.issuperset(clause.text.split()):
            return True  # "two cups", "coke for me": without a verb, the words as a whole tell nothing
        own_verbs = {verb for verbs in self.domain.intents[clause.intent].verbs.values() for verb in verbs}
        if not own_verbs.isdisjoint(clause.text.split()):  # "point at the cup": of an act by its verb the head knows nothing
            return True
        alike = next((group for group in (SPOKEN, WAYS) if clause.intent in group), {clause.intent})  # "wait at the door" is a way, too
        p = self._flat.probabilities(_bare(clause))
        return sum(float(p[at]) for at, intent in enumerate(self._head.intents) if intent in alike) >= POSSIBLE

    def _of_own(self, text: str, said: RecentMentions) -> Clause | None:
        """A sentence in which the parser finds nothing that is wanted, as an act of the user's own: "a latte with oat milk"."""
        words = self._compose.spanned(text)
        clause = self._own(SpanNode("act", 0, len(words.words) - 1), words, said)
        return clause if clause is not None and clause.probabilities.max() >= CLEARLY_OWN else None

    def _stopping(self, whole: ClauseSpan) -> Clause | None:
        """A stop that the intent head finds in what the parser takes for talk, "ben, stop it": to stop for nothing does no harm."""
        p = self._flat.probabilities(whole.text)
        if self._head.intents[int(p.argmax())] != STOP or p.max() < CLEARLY_OWN:
            return None
        strange = self._flat.out_of_scope(whole.text)
        return Clause(whole.text, whole.start, whole.end, STOP, p, (), strange) if strange <= 0.0 else None

    def _unread(self, text: str) -> Clause:
        """What the parser finds no structure in that could be composed."""
        modifiers = Modifiers(mood="unable", note=f"I didn't understand “{text}”.")
        return replace(self._talk(text, 0.0), out_of_scope=MEANT, modifiers=modifiers)

    def _kind(self, words: str) -> str:
        """The kind of question that a message asks of the robot itself, "the time"; empty for other words."""
        p = dict.fromkeys(KINDS, 0.0)
        for reading in self._parsed(words):
            others = any(reading.text(owner) != YOURS for owner in reading.all(lambda each: each.label == "owner"))  # "your team's name"
            if len(reading.nodes) == 1 and reading.nodes[0].value in p and not others:
                p[reading.nodes[0].value] += reading.p
        return max(p, key=lambda kind: p[kind]) if max(p.values()) >= LIKELY else ""

    def _talk(self, text: str, strange: float) -> Clause:
        """What asks for nothing, as a clause of no intent."""
        intents = self._head.intents
        return Clause(text, 0, len(text), intents[0], CertainIntent(intents)(""), (), strange)

    def _helping(self, need: str) -> Sequence[Clause]:
        """The clauses of the command that would help with a need that names nothing."""
        command = self._needs(need)
        return self._clauses(command, NOTHING_SAID) if command else ()


def _weigher(plain: PlainText, lm_weight: float) -> Callable[[Transcript], Transcript]:
    """A function that rescores the texts of a transcript; with weight 0, the model is not loaded."""
    if lm_weight == 0.0:
        return lambda transcript: transcript
    model = CommandLanguageModel()
    return Hypotheses(model, plain, lm_weight * model.weight, model.per_word)


def _bare(clause: Clause) -> str:
    """The words of a clause with plain names in place of descriptions: of whom or what, is not what is to be done."""
    words = clause.text
    for role in clause.roles:
        if role.kind in NAMES and len(role.text.split()) > LONGEST_NAME:
            words = words.replace(role.text, NAMES[role.kind])
    return words
