"""The dialogue around the robot's questions: one open question at a time, repeated if the answer does not fit, then dropped.

An utterance is tried, in this order, as

1. an answer to the open question, if said after the question: "yes", "only the milk", "the one next to the bread"; a sentence that
   spells out another action is a command, although it may name a thing that would fit the question;
2. a correction of the last decision, "no, the blue one": the corrected command replaces the running one;
3. a command, which withdraws an open question;
4. while a question is open, a misunderstanding: the robot says what it knows and asks again, at most `tries` times.

An utterance that the recogniser rejected still counts as an answer if its words are one: "yes" is too short to tell from a cough by
sound alone. At very low confidence the robot asks again, because a wrong "yes" cannot be undone.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sayso.domain.model import Domain
from sayso.meaning.recollection import Recollection
from sayso.meaning.world_view import Point, WorldView
from sayso.selection.choosing.outcomes import missing_roles
from sayso.selection.choosing.questions import not_understood
from sayso.selection.dialogue.answer import Answered, answer, asks, corrected, insists
from sayso.selection.dialogue.commanding import commands_anew
from sayso.selection.dialogue.described import AnswerKnowledge, Describe
from sayso.selection.replies import kind_of, plain
from sayso.types import ActionBelief, Context, IntentBelief, ObjectBelief, Transcript, TranscriptAlternative

UNHEARD = "I'm sorry, I didn't understand that."


@dataclass(frozen=True, slots=True)
class DialogueOptions:
    """Time-outs and thresholds of the dialogue."""

    answer_within: float = 30.0  # s for which a question stays open
    correct_within: float = 30.0  # s for which "no, the blue one" refers to the last decision
    tries: int = 2  # times to repeat a question because the answer fits nothing
    share: float = 0.2  # probability that an answer needs among the alternatives if the best text is not an answer
    clear: float = 2.0  # factor by which an answer must be more probable than the next
    sure: float = 0.25  # below this confidence, a rejected utterance that looks like an answer is queried, and any other is ignored


@dataclass(frozen=True, slots=True)
class Turn:
    """One output of the dialogue."""

    belief: ActionBelief  # to be published; its `question` is spoken
    answered: Answered | None = None  # the answer or correction that led to it, if any


class Dialogue:
    """Utterances and time-outs → decisions and questions. Keeps the open question and the last decision."""

    def __init__(self, domain: Domain, options: DialogueOptions | None = None, describe: Describe | None = None) -> None:
        """For a home; `describe` parses answers such as "the one next to the bread", None: names and places alone are understood."""
        self.domain, self.options = domain, options or DialogueOptions()
        self.whereabouts: dict[str, ObjectBelief] = {}
        self.positions: dict[str, Point] = {}  # of things, where the robot last saw them
        self.context: Context | None = None  # the newest one: "the left one" is seen from the robot
        self._describe = describe or AnswerKnowledge().describe
        self.settle: Callable[[ActionBelief, float], ActionBelief] = lambda belief, _: belief  # by the agenda, before it is recorded
        self.open: ActionBelief | None = None  # the belief whose question is open
        self._asked_at = 0.0  # s, ROS time of that question
        self._repeats = 0  # times that it was repeated
        self._executed: ActionBelief | None = None  # the last belief that was executed
        self._executed_at = 0.0  # s, ROS time
        self._seen: deque[str] = deque(maxlen=16)  # recent utterance_ids, to ignore duplicate messages

    def hear(self, utterance: IntentBelief, transcript: Transcript | None, decide: Callable[[], ActionBelief], now: float) -> list[Turn]:
        """Handle an utterance.

        Args:
            utterance: result of the intent classifier.
            transcript: result of the recogniser, with alternative texts; None if unknown.
            decide: returns the selector's belief for the utterance as a command; called at most once, only if needed.
            now: s, ROS time.
        """
        if utterance.utterance_id and utterance.utterance_id in self._seen:
            return []
        self._seen.append(utterance.utterance_id)
        turns = self.check_timeout(now)
        if transcript is not None and transcript.utterance_id != utterance.utterance_id:
            transcript = None
        texts = transcript.alternatives if transcript is not None else (TranscriptAlternative(utterance.text, 0.0),)
        confidence = transcript.confidence if transcript is not None and transcript.rejected else 1.0
        if self.open is None:
            return [*turns, *self._without_question(utterance, transcript, decide, now)]
        if utterance.stamp and utterance.stamp < self._asked_at and kind_of(plain(utterance.text)) is not None:
            return [*turns, Turn(_ignored(utterance, "said before the question was asked"))]
        decided = decide() if commands_anew(self.domain, self.open, utterance) else None
        anew = decided is not None
        best = None if anew else self._best_answer(texts[:1])
        if best is None:
            decided = decided or decide()
            if decided.decision != "reject" or any(clause.negated for clause in utterance.clauses):
                return [*turns, *self._instead(decided, now)]
            answered = None if anew else self._best_answer(texts)
            if answered is None:
                return [*turns, *self._not_understood(utterance, transcript, decided, now)]
            best = answered
        if confidence < self.options.sure:
            if self._repeats >= self.options.tries:
                return [*turns, Turn(_ignored(utterance, "too faint for an answer"))]
            self._repeats += 1
            best = Answered(replace(self.open, question=f"I'm not sure what you said. {self.open.question}"), "repeated")
        return [*turns, *self._continue(best, f"answered by utterance {utterance.utterance_id}", now)]

    def begin(self, belief: ActionBelief, now: float) -> list[Turn]:
        """Handle a decision that no utterance of this moment caused: a task that is due, or what the robot went to look for.

        Its question replaces an open one.
        """
        withdrawn = self.withdraw("another question came first") if asks(belief) else []
        return [*withdrawn, *self._record(Turn(belief), now)]

    def answer(self, text: str, now: float) -> list[Turn]:
        """Handle a typed answer; does nothing if it does not answer the open question."""
        found = self._best_answer((TranscriptAlternative(text, 0.0),))
        return self._continue(found, "", now) if found is not None else []

    def check_timeout(self, now: float) -> list[Turn]:
        """Withdraw the open question if its time is up."""
        if self.open is None or now - self._asked_at <= self.options.answer_within:
            return []
        return self.withdraw(f"no answer within {self.options.answer_within:g} s", "Nobody answered, so I leave it.")

    def withdraw(self, reason: str, aloud: str = "") -> list[Turn]:
        """Withdraw the open question, if any; its command is not executed."""
        if self.open is None:
            return []
        closed, self.open = self.open, None
        return [Turn(_cancelled(closed, reason, aloud))]

    def forget(self, utterance_id: str) -> None:
        """Close the open question if it is of that utterance, which is over."""
        if self.open is not None and self.open.utterance_id == utterance_id:
            self.open = None

    def set_back(self, seconds: float) -> None:
        """Handle a clock that was set back: what was asked and done stays as long ago as it was."""
        self._asked_at -= seconds
        self._executed_at -= seconds

    def stop(self) -> list[Turn]:
        """Handle a stop: drops the open question and the last decision."""
        self._executed = None
        return self.withdraw("the robot was told to stop")

    def _best_answer(self, texts: Sequence[TranscriptAlternative]) -> Answered | None:
        """The most probable answer among the texts, each weighted by its probability; a repetition if two are about as probable."""
        if self.open is None:
            return None
        mass: dict[tuple[str, object], float] = {}
        meaning: dict[tuple[str, object], Answered] = {}
        known = self._known()
        for text in texts:
            found = answer(self.domain, self.open, text.text, known)
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

    def _known(self) -> AnswerKnowledge:
        """What an answer of this moment can refer to."""
        return AnswerKnowledge(self.view(), self._describe)

    def view(self, recent: Recollection | None = None) -> WorldView:
        """What the robot believes now."""
        return WorldView.of(self.context, self.whereabouts, recent, self.positions)

    def _without_question(
        self, utterance: IntentBelief, transcript: Transcript | None, decide: Callable[[], ActionBelief], now: float
    ) -> list[Turn]:
        """Handle an utterance while no question is open: a correction of the last decision, or a command."""
        if transcript is not None and transcript.rejected:  # shown on screen only: the robot does not respond to a cough
            return [Turn(replace(decide(), question="" if transcript.confidence < self.options.sure else UNHEARD))]
        done = self._executed if now - self._executed_at <= self.options.correct_within and not utterance.rejected else None
        if done is None:
            return self._record(Turn(decide()), now)
        decided = decide() if commands_anew(self.domain, done, utterance) else None
        if decided is not None and decided.decision != "reject":  # "no, bring me the red cup": not the running action with a red cup
            return self._record(Turn(decided), now)
        texts = [text.text for text in transcript.alternatives] if transcript is not None and transcript.alternatives else [utterance.text]
        if kind_of(plain(texts[0])) in (("no", "never_mind") if done.decision == "defer" else ("no",)):
            self._executed = None
            left = _cancelled(done, "taken back", "All right, I leave it.")
            return [Turn(replace(left, notes=(*left.notes, f"taken back by utterance {utterance.utterance_id}")))]
        if done.decision == "execute" and insists(self.domain, done, texts[0]):
            return [Turn(replace(_ignored(utterance, "it is being done"), question="Yes, that is what I am doing."))]
        found = corrected(self.domain, done, texts[0], self._known())
        if found is not None:
            return self._corrected(done, found, utterance, now)
        decided = decided or decide()
        if decided.decision == "reject":
            others = (corrected(self.domain, done, text, self._known()) for text in texts[1:])
            found = next((each for each in others if each is not None), None)
            if found is not None:
                return self._corrected(done, found, utterance, now)
        forbidden = any(clause.negated for clause in utterance.clauses) and set(decided.chosen) & set(done.chosen)
        taken_back = [Turn(_cancelled(done, decided.reason))] if forbidden else []
        return [*taken_back, *self._record(Turn(decided), now)]

    def _corrected(self, done: ActionBelief, found: Answered, utterance: IntentBelief, now: float) -> list[Turn]:
        """Replace the running command by the corrected one; if the correction raises a question, cancel the running one first."""
        why = f"corrected: {utterance.text}"
        belief = replace(found.belief, utterance_id=utterance.utterance_id, stamp=utterance.stamp, notes=(why,))
        turns = self._record(Turn(belief, replace(found, belief=belief)), now)
        if turns[0].belief.decision == "execute":  # the planner replaces the running command
            return turns
        return [Turn(_cancelled(done, why)), *turns]

    def _instead(self, decided: ActionBelief, now: float) -> list[Turn]:
        """Handle another command; a question of the person's own, "why do you ask?", leaves that of the robot open."""
        if decided.decision == "answer" and not decided.candidates:
            self._asked_at = now
            return [Turn(decided)]
        return [*self.withdraw("another command came instead of an answer"), *self._record(Turn(decided), now)]

    def _continue(self, found: Answered, note: str, now: float) -> list[Turn]:
        """Close the question and continue with the result of the answer."""
        belief = replace(found.belief, notes=(*found.belief.notes, note)) if note else found.belief
        repeated, tried = self.open if found.how == "repeated" else None, self._repeats
        self.open = None
        turns = self._record(Turn(belief, replace(found, belief=belief)), now)
        if repeated is not None:  # keep the original question, without any prefix added to it
            self.open, self._repeats = repeated, tried
        return turns

    def _not_understood(self, utterance: IntentBelief, transcript: Transcript | None, decided: ActionBelief, now: float) -> list[Turn]:
        """Handle an utterance that is neither an answer nor a command: ask again with suggestions, and finally give up."""
        unanswered = Turn(replace(decided, question=""))
        asked = self.open
        text = transcript.text if transcript is not None else utterance.text
        noise = transcript is not None and transcript.rejected and transcript.confidence < self.options.sure
        if asked is None or noise or not text.strip():
            return [unanswered]
        self._repeats += 1
        note = f"not answered by utterance {utterance.utterance_id}"
        if self._repeats > self.options.tries:
            left = self.withdraw("no answer fitted the question", "I'm sorry, I still don't understand, so I leave it.")
            return [*(Turn(replace(turn.belief, notes=(*asked.notes, note))) for turn in left), unanswered]
        first = asked.options[0]
        roles = missing_roles(self.domain, first) if len(asked.options) == 1 else ()
        question = not_understood(self.domain, first, roles[0] if roles else "", plain(text), asked.question)
        self._asked_at = now
        return [Turn(replace(asked, question=question, notes=(*asked.notes, note))), unanswered]

    def _record(self, turn: Turn, now: float) -> list[Turn]:
        """Record the turn's question or decision, settled by the agenda."""
        belief = turn.belief if turn.belief.choices else self.settle(turn.belief, now)  # what runs has been settled before
        if asks(belief):
            self.open, self._asked_at, self._repeats = belief, now, 0
        elif belief.decision in ("execute", "defer"):
            self._executed, self._executed_at = belief, now
        return [replace(turn, belief=belief)]


def _cancelled(belief: ActionBelief, reason: str, aloud: str = "") -> ActionBelief:
    """The belief cancelled: nothing is executed and no answer is awaited."""
    return replace(belief, decision="reject", reason=reason, question=aloud, options=(), choices=())


def _ignored(utterance: IntentBelief, reason: str) -> ActionBelief:
    """A belief that ignores the utterance silently."""
    return ActionBelief(utterance.utterance_id, utterance.stamp, (), "reject", reason)
