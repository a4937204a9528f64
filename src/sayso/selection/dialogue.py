"""What is said between a question and its answer: one question at a time, asked again where the answer fits nothing, and given up politely.

What an utterance may be, in the order in which that is tried:

1. an answer to the open question, if it was said after the question was asked;
2. a correction of what was decided a moment ago, "no, the blue one": the corrected command takes the place of the one that runs;
3. a command: an open question is withdrawn for it;
4. while a question is open, something else that was meant for the robot: it says what it knows, and asks again, `tries` times at most.

A sound that the recogniser rejected is an answer all the same where its words are one, for "yes" is too short to be told from a cough
by its sound alone. Where it is not sure at all, it asks again, for what a "yes" lets happen cannot be taken back.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sayso.domain.model import Domain
from sayso.selection.answer import Answered, agrees, answer, asks, corrected
from sayso.selection.outcomes import missing_roles
from sayso.selection.questions import not_understood
from sayso.selection.replies import kind_of, plain
from sayso.types import ActionBelief, IntentBelief, ObjectBelief, Transcript, TranscriptAlternative

UNHEARD = "I'm sorry, I didn't understand that."


@dataclass(frozen=True, slots=True)
class DialogueOptions:
    """How patient the robot is."""

    answer_within: float = 30.0  # s that a question stays open
    correct_within: float = 30.0  # s in which "no, the blue one" still speaks of what was decided
    tries: int = 2  # times that a question is asked again because the answer fits nothing
    share: float = 0.2  # of the probability that texts which mean one answer must hold together, where the best text is none
    clear: float = 2.0  # how many times as probable one answer must be as the next
    sure: float = 0.25  # confidence below which a rejected sound that seems to be an answer is asked about again, and any other is nothing


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that the dialogue makes known, and how it came about."""

    belief: ActionBelief  # to be published; its `question` is said aloud
    answered: Answered | None = None  # where an answer or a correction led to it


class Dialogue:
    """Utterances and the passing of time → decisions and questions. Keeps the open question, and what was decided last."""

    def __init__(self, domain: Domain, options: DialogueOptions | None = None) -> None:
        self.domain, self.options = domain, options or DialogueOptions()
        self.whereabouts: dict[str, ObjectBelief] = {}
        self.open: ActionBelief | None = None  # the belief whose question waits for an answer
        self._asked_at = 0.0  # ROS time of that question
        self._tried = 0  # times that it was asked again
        self._done: ActionBelief | None = None  # what was decided last and carried out
        self._done_at = 0.0
        self._taken: deque[str] = deque(maxlen=16)  # utterance_ids, for a message that comes twice

    def heard(self, said: IntentBelief, transcript: Transcript | None, decide: Callable[[], ActionBelief], now: float) -> list[Turn]:
        """What becomes of an utterance. `decide` is what it means as a command; `transcript` has what else it may have been.

        Args:
            said: the utterance, as the intent classifier has it.
            transcript: the same as the recogniser has it; None where it is not known.
            decide: the selector's belief about it; called once at most, and only where it is wanted.
            now: s, ROS time.
        """
        if said.utterance_id and said.utterance_id in self._taken:
            return []
        self._taken.append(said.utterance_id)
        turns = self.waited(now)
        if transcript is not None and transcript.utterance_id != said.utterance_id:
            transcript = None
        texts = transcript.alternatives if transcript is not None else (TranscriptAlternative(said.text, 0.0),)
        confidence = transcript.confidence if transcript is not None and transcript.rejected else 1.0
        if self.open is None:
            return [*turns, *self._unasked(said, transcript, decide, now)]
        if said.stamp and said.stamp < self._asked_at and kind_of(plain(said.text)) is not None:
            return [*turns, Turn(_silent(said, "said before the question was asked"))]
        best = self._read(texts[:1])
        if best is None:
            decided = decide()
            if decided.decision != "reject":
                return [*turns, *self.withdrawn("another command came instead of an answer"), *self._told(Turn(decided), now)]
            answered = self._read(texts)
            if answered is None:
                return [*turns, *self._not_understood(said, transcript, decided, now)]
            best = answered
        if confidence < self.options.sure:
            if self._tried >= self.options.tries:
                return [*turns, Turn(_silent(said, "too faint for an answer"))]
            self._tried += 1
            best = Answered(replace(self.open, question=f"I'm not sure what you said. {self.open.question}"), "repeated")
        return [*turns, *self._settled(best, f"answered by utterance {said.utterance_id}", now)]

    def answered(self, text: str, now: float) -> list[Turn]:
        """What becomes of an answer that was typed; nothing where it does not answer the open question."""
        found = self._read((TranscriptAlternative(text, 0.0),))
        return self._settled(found, "", now) if found is not None else []

    def waited(self, now: float) -> list[Turn]:
        """The question withdrawn, where nobody has answered it in time."""
        if self.open is None or now - self._asked_at <= self.options.answer_within:
            return []
        return self.withdrawn(f"nobody answered within {self.options.answer_within:g} s", "Nobody answered, so I leave it.")

    def withdrawn(self, reason: str, aloud: str = "") -> list[Turn]:
        """The open question closed; what it was about is not done."""
        if self.open is None:
            return []
        closed, self.open = self.open, None
        return [Turn(_taken_back(closed, reason, aloud))]

    def stopped(self) -> list[Turn]:
        """The robot was told to stop: what it had asked, and what it did, are over."""
        self._done = None
        return self.withdrawn("the robot was told to stop")

    def _read(self, texts: Sequence[TranscriptAlternative]) -> Answered | None:
        """The answer that the texts mean together; that it is unclear, where two of them are nearly as probable."""
        if self.open is None:
            return None
        mass: dict[tuple[str, object], float] = {}
        meaning: dict[tuple[str, object], Answered] = {}
        for text in texts:
            found = answer(self.domain, self.open, text.text, self.whereabouts)
            if found is not None:
                key = (found.belief.decision, found.belief.chosen)
                mass[key] = mass.get(key, 0.0) + math.exp(text.log_p)
                meaning.setdefault(key, found)
        if not mass:
            return None
        first, *others = sorted(mass, key=lambda key: -mass[key])
        if len(texts) > 1 and mass[first] < self.options.share:
            return None
        if others and mass[first] < self.options.clear * mass[others[0]]:
            return Answered(self.open, "repeated")
        return meaning[first]

    def _unasked(self, said: IntentBelief, transcript: Transcript | None, decide: Callable[[], ActionBelief], now: float) -> list[Turn]:
        """An utterance while no question is open: a correction of what was decided last, or a command."""
        if transcript is not None and transcript.rejected:  # the reason is for the screen: a cough deserves no speech
            return [Turn(replace(decide(), question="" if transcript.confidence < self.options.sure else UNHEARD))]
        done = self._done if now - self._done_at <= self.options.correct_within and not said.rejected else None
        if done is None:
            return self._told(Turn(decide()), now)
        texts = [text.text for text in transcript.alternatives] if transcript is not None and transcript.alternatives else [said.text]
        if kind_of(plain(texts[0])) == "no":
            self._done = None
            return [Turn(_taken_back(done, "taken back", "All right, I leave it."))]
        if agrees(self.domain, done, texts[0]):
            return [Turn(replace(_silent(said, "it is being done"), question="Yes, that is what I am doing."))]
        found = corrected(self.domain, done, texts[0], self.whereabouts)
        if found is not None:
            return self._corrected(done, found, said, now)
        decided = decide()
        if decided.decision == "reject":
            others = (corrected(self.domain, done, text, self.whereabouts) for text in texts[1:])
            found = next((each for each in others if each is not None), None)
            if found is not None:
                return self._corrected(done, found, said, now)
        forbidden = any(clause.negated for clause in said.clauses) and set(decided.chosen) & set(done.chosen)
        taken_back = [Turn(_taken_back(done, decided.reason))] if forbidden else []
        return [*taken_back, *self._told(Turn(decided), now)]

    def _corrected(self, done: ActionBelief, found: Answered, said: IntentBelief, now: float) -> list[Turn]:
        """The corrected command in the place of the one that runs; that is dropped first, where there is a question to it."""
        why = f"corrected: {said.text}"
        belief = replace(found.belief, utterance_id=said.utterance_id, stamp=said.stamp, notes=(why,))
        turns = self._told(Turn(belief, replace(found, belief=belief)), now)
        if belief.decision == "execute":  # the planner puts it in the place of what runs
            return turns
        return [Turn(_taken_back(done, why)), *turns]

    def _settled(self, found: Answered, note: str, now: float) -> list[Turn]:
        """Go on with what the answer decides."""
        belief = replace(found.belief, notes=(*found.belief.notes, note)) if note else found.belief
        repeated, tried = self.open if found.how == "repeated" else None, self._tried
        self.open = None
        turns = self._told(Turn(belief, replace(found, belief=belief)), now)
        if repeated is not None:  # without what was said before the question this time
            self.open, self._tried = repeated, tried
        return turns

    def _not_understood(self, said: IntentBelief, transcript: Transcript | None, decided: ActionBelief, now: float) -> list[Turn]:
        """Something that neither answers nor is a command: say what is known and ask again; at last leave it."""
        concluded = Turn(replace(decided, question=""))
        asked = self.open
        heard = transcript.text if transcript is not None else said.text
        noise = transcript is not None and transcript.rejected and transcript.confidence < self.options.sure
        if asked is None or noise or not heard.strip():
            return [concluded]
        self._tried += 1
        note = f"not answered by utterance {said.utterance_id}"
        if self._tried > self.options.tries:
            left = self.withdrawn("the answers fitted nothing", "I'm sorry, I still don't understand, so I leave it.")
            return [*(Turn(replace(turn.belief, notes=(*asked.notes, note))) for turn in left), concluded]
        first = asked.options[0]
        roles = missing_roles(self.domain, first) if len(asked.options) == 1 else ()
        question = not_understood(self.domain, first, roles[0] if roles else "", plain(heard), asked.question)
        self._asked_at = now
        return [Turn(replace(asked, question=question, notes=(*asked.notes, note))), concluded]

    def _told(self, turn: Turn, now: float) -> list[Turn]:
        """Remember what was asked or decided."""
        belief = turn.belief
        if asks(belief):
            self.open, self._asked_at, self._tried = belief, now, 0
        elif belief.decision == "execute":
            self._done, self._done_at = belief, now
        return [turn]


def _taken_back(belief: ActionBelief, reason: str, aloud: str = "") -> ActionBelief:
    """What was decided, or asked, is not wanted any more."""
    return replace(belief, decision="reject", reason=reason, question=aloud, options=())


def _silent(said: IntentBelief, reason: str) -> ActionBelief:
    """Nothing is done about it, and nothing said."""
    return ActionBelief(said.utterance_id, said.stamp, (), "reject", reason)
