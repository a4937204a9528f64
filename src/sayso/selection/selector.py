"""Intent belief + context → the decision on an utterance: what each clause means by the belief of the world, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sayso.agenda.observing import in_words, turned
from sayso.domain.model import Domain
from sayso.domain.wording import ARTICLES, called, capitalised, listed, spoken_action
from sayso.meaning.conditions import HOLDS, settled
from sayso.meaning.untold import untold
from sayso.meaning.world_view import WorldView
from sayso.selection.answering.answers import answer_to, answer_to_request
from sayso.selection.answering.going_to_see import GO_TO, MOST, furniture_of, people_to_see, places_to_see, surveys
from sayso.selection.answering.own_words import UNKNOWN_ANSWER, has_invited, in_own_words
from sayso.selection.choosing.candidates import DRIVES
from sayso.selection.choosing.decide import LEAST, UNCLEAR, Options, Verdict
from sayso.selection.choosing.distribution import Distribution, distributed
from sayso.selection.choosing.evidence import Doubt, doubt_about
from sayso.selection.choosing.fixed_places import where_they_stand
from sayso.selection.choosing.questions import shall_i
from sayso.selection.choosing.reliability import Reliability
from sayso.selection.choosing.scoring import ClauseScorer, Learnt
from sayso.selection.contradictions import without_opposites
from sayso.selection.later.prohibiting import is_prohibition, not_understood
from sayso.selection.later.resuming import confirm_unless_explicit, says_resume
from sayso.selection.replies import is_reply, wordings
from sayso.selection.rivals import HeardClause, decided_among, versions
from sayso.selection.shown import UNTOLD, is_shown
from sayso.selection.stopping import STOP, WAIT, wants_stop
from sayso.selection.utterance import CLEAR, ScoredClause, best_of_each, combined, most_careful, with_verdict
from sayso.types import Action, ActionBelief, ActionCandidate, Clause, Context, IntentBelief

_LINKED = re.compile(r"^(?:(?:and|but|then) )+")  # before the verb of a clause that follows another
ASKED = 0.8  # P(meaning) from which a question is one to the robot, though it names nothing of the home
MOVING = DRIVES | {GO_TO, WAIT, STOP}  # intents
NOT_FOR_ME = "I don't think that was meant for me."


@dataclass(frozen=True, slots=True)
class _Version:
    """A clause as one hearing has it."""

    p: float  # of the hearing, and that its words were understood
    text: str
    parts: tuple[Clause, ...]
    belief: IntentBelief


class ActionSelector:
    """Decides what to do about an utterance: posterior of each clause, then expected utility, then one decision for all clauses."""

    def __init__(
        self, domain: Domain, learnt: Learnt | None = None, options: Options | None = None, reliability: Reliability | None = None
    ) -> None:
        """Of that domain.

        Args:
            domain: what may be done, and what mistakes and questions cost.
            learnt: what confirmed commands have shown of P(a|ctx).
            options: the conformal set that a question should offer; without it, the candidates not far behind the best.
            reliability: P(the words were understood); None: the shipped weights.
        """
        self.domain = domain
        self._score = ClauseScorer(domain, learnt, options)
        self._reliability = reliability or Reliability.shipped()

    def __call__(
        self, belief: IntentBelief, context: Context | None, view: WorldView | None = None, *, looked: bool = False
    ) -> ActionBelief:
        """The posterior of each clause, and one decision for the utterance.

        Args:
            belief: the clauses.
            context: if it is missing, or was out of date when the words were said, the prior is neutral: the weights of the domain file
                alone. `notes` says so.
            view: where things are believed to be; None: where the domain says that they usually are.
            looked: whether the robot has looked already: it asks rather than looking again.
        """
        nothing = ActionBelief(belief.utterance_id, belief.stamp, (), "reject", "")
        if belief.rejected or not belief.clauses:
            reason = belief.rejected or "nothing was said"
            return replace(nothing, reason=reason, question=reason)
        if is_reply(belief.text) and not says_resume(self.domain, belief.text):  # "go on" is also a yes
            return replace(nothing, reason="an answer, but nothing was asked", question="I have not asked anything.")
        known, note = self._up_to_date(belief, context)
        view = view or WorldView.of(context)
        belief = where_they_stand(self.domain, in_own_words(self.domain, belief, view))
        scored = [
            replace(self._weigh(index, belief, known, view, looked), way=_is_way(clause)) for index, clause in enumerate(belief.clauses)
        ]
        decided = combined(self.domain, replace(nothing, notes=(note,) if note else ()), scored)
        return self._unless_resuming(belief.text, without_opposites(self.domain, belief, decided))

    def _unless_resuming(self, text: str, decided: ActionBelief) -> ActionBelief:
        """Ask first if ambiguous words would release a stopped robot."""
        verdict = Verdict(decided.decision, 0.0, decided.reason, decided.question, decided.options, decided.utilities)
        careful = confirm_unless_explicit(self.domain, text, decided.chosen, verdict)
        return decided if careful is verdict else with_verdict(self.domain, decided, careful)

    def _up_to_date(self, belief: IntentBelief, context: Context | None) -> tuple[Context | None, str]:
        """The context if it is recent, else None and a note. A context without a stamp was given by hand and counts as recent."""
        if context is None:
            return None, "the robot's context is unknown: neutral prior"
        age = belief.stamp - context.stamp
        if context.stamp and belief.stamp and age > self.domain.priors.context_within:
            return None, f"the robot's context is {age:.0f} s old: neutral prior"
        return context, ""

    def _weigh(self, index: int, belief: IntentBelief, context: Context | None, view: WorldView, looked: bool) -> ScoredClause:
        clause = belief.clauses[index]
        p = clause.probabilities
        if not (np.isfinite(p).all() and p.sum() > 0.0) or np.isnan(clause.out_of_scope) or not (belief.p_train > 0.0).all():
            return ScoredClause((), Verdict("reject", 0.0, "the intent classifier gave no numbers", "I can't think just now."), fatal=True)
        if wants_stop(self.domain, belief, clause):
            return self._stopping(self._scored(index, belief, context, distributed(self.domain, clause, view, looked=looked), view))
        spoken = self._without_action(belief, clause, view)
        if spoken is not None:
            return spoken if looked or spoken.verdict.decision != "answer" else self._seeing(index, belief, spoken, view)
        problem = clause.modifiers.note or next((timing.problem for timing in clause.modifiers.timings if timing.problem), "")
        if problem and clause.out_of_scope <= 0.0:
            line = f"{capitalised(problem).rstrip('.')}."
            return ScoredClause((), Verdict("reject", 0.0, problem, line))
        meant = distributed(self.domain, clause, view, looked=looked)
        scored = self._scored(index, belief, context, meant, view)
        held = settled(self.domain, clause.modifiers.conditions, view)
        if clause.out_of_scope > 0.0 and is_prohibition(clause) and _is_unknown_act(clause) and len(clause.left_over) == 1:
            return self._unable(clause)  # "don't wake grandma": all but the verb is of the home
        if clause.out_of_scope > 0.0:
            talk = all(each.out_of_scope > 0.0 for each in belief.clauses)  # then no part of it was meant for the robot
            line = UNTOLD if is_shown(self.domain, clause) else NOT_FOR_ME if talk else f"I didn't understand “{clause.text}”."
            return replace(scored, verdict=Verdict("reject", 0.0, f"not a command: {clause.out_of_scope:.1f} nats out of scope", line))
        if is_prohibition(clause):
            return self._forbidden(clause, scored)
        if looked and held.p < 0.5:
            line = f"I don't think so: {held.said}. So I leave it."
            return replace(scored, verdict=Verdict("reject", 0.0, f"the condition doesn't hold: {held.said}", line), silent=True)
        unsettled = held.p < HOLDS and bool(held.look)
        looks = self._look_at(held.look) if unsettled else self._looks(meant)
        if looks and (not looked or meant.meet):  # in a long room it goes on looking from a second place
            clear = replace(meant, parts=tuple(_with_best_referents(part) for part in meant.parts))
            verdict = self._scored(index, belief, context, clear, view).verdict
            return self._looking(index, belief, looks, scored, verdict, conditional=unsettled)
        return scored

    def _stopping(self, scored: ScoredClause) -> ScoredClause:
        """A request to stop, which is done at once: neither another hearing of it nor the words around it are worth a question."""
        chosen = best_of_each(scored.candidates)
        if len(chosen) != 1 or chosen[0].name not in (STOP, WAIT):
            return scored
        sure, stop = max(candidate.probability for candidate in scored.candidates), Action(STOP)
        found = scored.candidates
        if chosen[0] != stop:  # to stop for ten seconds, it stops first of all
            found = (replace(found[0], action=stop, probability=sure),)
        reason = f"{spoken_action(self.domain, stop)}: {sure:.0%} sure"
        verdict = replace(scored.verdict, decision="execute", question="", options=(), reason=reason)
        return replace(scored, candidates=found, verdict=verdict, stops=True)

    def _doubt(self, belief: IntentBelief, index: int) -> Doubt:
        """What speaks against the understanding of a clause; of a request to stop nothing, whatever else is said beside it."""
        clause = belief.clauses[index]
        parsed = clause.intent == STOP and clause.modifiers.mood == "request" and clause.support.parsed >= LEAST
        return Doubt() if parsed or wants_stop(self.domain, belief, clause) else doubt_about(self.domain, belief, index)

    def _without_action(self, belief: IntentBelief, clause: Clause, view: WorldView) -> ScoredClause | None:
        """A clause that only wants an answer, or that was taken back; None for any other."""
        unanswered = clause.modifiers.mood == "question" and clause.out_of_scope > 0.0
        if (unanswered or (clause.modifiers.mood == "unable" and clause.modifiers.note)) and has_invited(view):
            return ScoredClause((), Verdict("answer", 0.0, "a question that it cannot answer", UNKNOWN_ANSWER), silent=True)
        if clause.modifiers.mood == "unable":
            line = clause.modifiers.note or _cannot(self.domain, clause)
            return ScoredClause((), Verdict("reject", 0.0, "an act that it does not have", line), unable=True)
        if unanswered and clause.support.parsed >= ASKED:  # "do i have any mail"
            line = f"I can't answer “{clause.text}”."
            return ScoredClause((), Verdict("reject", 0.0, "a question that it cannot answer", line), unable=True)
        own = clause.modifiers.mood == "retracted" and clause.text == belief.text  # "i'll send a letter": nothing takes it back
        if (own or unanswered) and clause.out_of_scope > 0.0:
            return ScoredClause((), Verdict("reject", 0.0, f"not a command: {clause.out_of_scope:.1f} nats out of scope", NOT_FOR_ME))
        if clause.modifiers.mood == "question":
            asked = f"a question: {clause.modifiers.question}"
            told = clause.modifiers.note or answer_to(self.domain, clause, view)
            return ScoredClause((), Verdict("answer", 0.0, asked, told), silent=True)
        told = answer_to_request(self.domain, clause, view) if len(belief.clauses) == 1 else ""  # in a chain the robot is to go and see
        if told:
            return ScoredClause((), Verdict("answer", 0.0, f"asked to {clause.intent}", told), silent=True)
        if clause.modifiers.mood == "retracted":
            return ScoredClause((), Verdict("reject", 0.0, "taken back", "All right, I leave it."), silent=True)
        return None

    def _scored(self, index: int, belief: IntentBelief, context: Context | None, meant: Distribution, view: WorldView) -> ScoredClause:
        """The candidates of each part of a clause, and the most careful verdict on them."""
        doubt = self._doubt(belief, index)
        if meant.objection:
            shown, _ = self._score(index, meant.parts[0], belief, context, self._reliability(doubt))
            return ScoredClause(shown, Verdict("reject", 0.0, meant.objection, meant.objection))
        spoken = self._versions(index, belief, meant, view)
        found: list[ActionCandidate] = []
        verdicts = []
        for number in range(len(meant.parts)):
            heard = [HeardClause(of.text, *self._score(index, of.parts[number], of.belief, context, of.p)) for of in spoken]
            weighed, verdict = decided_among(self.domain, heard)
            found += [replace(candidate, part=number) for candidate in weighed]
            verdicts.append(verdict)
        refused = [number for number, verdict in enumerate(verdicts) if verdict.decision == "reject"]
        caution = meant.caution
        if refused and len(refused) < len(verdicts):  # "the coffee and the milk", and there is no coffee
            caution = " ".join(dict.fromkeys(filter(None, (caution, *(verdicts[number].question for number in refused)))))
            found = [candidate for candidate in found if candidate.part not in refused]
            verdicts = [verdict for number, verdict in enumerate(verdicts) if number not in refused]
        verdict = most_careful(verdicts)
        if verdict.decision == "confirm" and len(meant.parts) > 1:
            verdict = self._all_of(found, verdict)
        if caution and verdict.decision in ("execute", "confirm"):
            verdict = self._cautious(found, verdict, caution)
        verdict = _unless_guessed(self.domain, self._naming(verdict, meant.parts[0], belief.clauses[index]), found, belief.clauses[index])
        chosen = best_of_each(found)
        remarks = (meant.remark, *(each.said(self.domain, chosen) for each in untold(self.domain, belief.clauses[index])))
        remark = " ".join(filter(None, remarks))
        return ScoredClause(tuple(found), verdict, caution=caution, remark=remark)

    def _versions(self, index: int, belief: IntentBelief, meant: Distribution, view: WorldView) -> list[_Version]:
        """A clause as each hearing has it, if it is about as many things."""
        found = []
        for p, each in versions(belief):
            clause = each.clauses[index]
            parts = meant.parts if each is belief else distributed(self.domain, clause, view).parts
            if len(parts) == len(meant.parts):
                found.append(_Version(p * self._reliability(self._doubt(each, index)), clause.text, parts, each))
        return found

    def _all_of(self, found: list[ActionCandidate], verdict: Verdict) -> Verdict:
        """The question about all parts, since they are done all or none."""
        actions = best_of_each(found)
        return replace(verdict, question=shall_i(self.domain, actions), options=actions)

    def _cautious(self, found: list[ActionCandidate], verdict: Verdict, caution: str) -> Verdict:
        """A question with the reason for caution."""
        actions = best_of_each(found)
        return Verdict("confirm", verdict.utility, caution, shall_i(self.domain, actions), actions, verdict.weighed, doubt=caution)

    def _naming(self, verdict: Verdict, clause: Clause, whole: Clause) -> Verdict:
        """The verdict whose question names the words that were not understood of a clause, or of the first part of a whole one."""
        idle = {word for each in untold(self.domain, whole) for word in each.words}
        strange = tuple(word for word in clause.left_over if word not in idle)
        if verdict.decision == "reject" and verdict.question == UNCLEAR and strange:
            return replace(verdict, question=f"I didn't understand “{' '.join(strange)}”.")
        if verdict.decision not in ("confirm", "ask") or not strange:
            return verdict
        for role in clause.roles:
            description = role.description
            if description is not None and set(strange) & set(description.unknown) and role.entity:
                known = f"I don't know “{description.text}”, but I know {called(self.domain, role.entity)}."
                return replace(verdict, doubt=f"{known} {verdict.doubt}".rstrip())
        return replace(verdict, doubt=f"I didn't understand “{' '.join(strange)}”. {verdict.doubt}".rstrip())

    def _forbidden(self, clause: Clause, scored: ScoredClause) -> ScoredClause:
        """A prohibition, or a standing rule, which is acknowledged."""
        if not scored.candidates:
            return replace(scored, silent=True)
        clear = scored.verdict.decision in CLEAR and scored.candidates[0].probability >= LEAST  # "barge into the study": go there
        if _is_unknown_act(clause) and not clear:
            return self._unable(clause)
        if not clear and clause.left_over:  # a rule is kept as it was said, or not at all: "never" without the place forbids too much
            line = _not_understood(self.domain, clause)
            return ScoredClause((), Verdict("reject", 0.0, "a prohibition that was not understood", line))
        said = spoken_action(self.domain, scored.candidates[0].action)
        if clause.modifiers.mood == "rule":
            return replace(scored, verdict=Verdict("defer", 0.0, f"a rule: don't {said}", f"All right, I won't {said}."), silent=True)
        line = "All right, I won't." if not_understood(clause) is not None else f"All right, I won't {said}."
        return replace(scored, verdict=Verdict("reject", 0.0, f"told not to {said}", line), silent=True)

    def _unable(self, clause: Clause) -> ScoredClause:
        """A prohibition of an act that the robot does not have, which changes nothing."""
        line = f"I don't know how to {_as_said(self.domain, clause)}, so I won't."
        return ScoredClause((), Verdict("reject", 0.0, "told not to do what it can't", line), silent=True)

    def _seeing(self, index: int, belief: IntentBelief, answer: ScoredClause, view: WorldView) -> ScoredClause:
        """The answer, or a look at the place in question first."""
        clause = belief.clauses[index]
        looks = surveys(places_to_see(self.domain, clause, view)) or people_to_see(self.domain, clause)
        return self._look_first(index, belief, looks, Verdict("execute", 1.0, self._first(looks)), answer) if looks else answer

    def _look_at(self, entity: str) -> tuple[Action, ...]:
        """The actions that show an object, or what is at a place."""
        if entity in self.domain.objects:
            return (Action("find", (("theme", entity),)),)
        return surveys(furniture_of(self.domain, entity)[:MOST])

    def _looks(self, meant: Distribution) -> tuple[Action, ...]:
        """The actions that show which thing or person is meant; none if nothing needs a look."""
        if meant.look:
            return self._look_at(meant.look[0])
        return tuple(Action(GO_TO, (("goal", place),)) for place in meant.meet[:1])

    def _looking(
        self, index: int, belief: IntentBelief, looks: tuple[Action, ...], scored: ScoredClause, verdict: Verdict, *, conditional: bool
    ) -> ScoredClause:
        """Go and see, if that is all that stands between the words and the action; `verdict` is that on the most probable referents.

        On a condition the robot looks in any case: an answer settles what is meant, and not whether the condition holds.
        """
        if looks[0].name not in self.domain.actions:
            return scored
        if verdict.decision != "execute" and not (conditional and verdict.decision in ("confirm", "ask")):
            return scored
        verdict = replace(verdict, decision="execute", question="", options=())
        what = "who is there" if looks[0].name == GO_TO else _unseen(self.domain, belief.clauses[index])
        reason = f"{self._first(looks)}, to see {what}"
        return self._look_first(index, belief, looks, replace(verdict, reason=reason), scored)

    def _first(self, looks: Sequence[Action]) -> str:
        return f"first I {listed([spoken_action(self.domain, look) for look in looks])}"

    @staticmethod
    def _look_first(index: int, belief: IntentBelief, looks: Sequence[Action], verdict: Verdict, unseen: ScoredClause) -> ScoredClause:
        """The looks in place of a clause that is decided after them; `unseen` is the verdict without them."""
        shown = tuple(ActionCandidate(index, look, 1.0, 1.0, 1.0, verdict.utility, part=part) for part, look in enumerate(looks))
        whole = belief.text if len(belief.clauses) == 1 else belief.clauses[index].text
        return ScoredClause(shown, verdict, look_first=whole, unseen=unseen)


def _is_way(clause: Clause) -> bool:
    """Whether an act only moves the robot, be it one that it lacks: "go up the stairs"."""
    if clause.modifiers.mood == "unable":
        named = {role.name for role in clause.roles}
        return bool(named & {"via", "goal"}) and "theme" not in named
    return clause.intent in MOVING and clause.modifiers.mood == "request"


def _unseen(domain: Domain, clause: Clause) -> str:
    """What a look is to show, in words."""
    for condition in clause.modifiers.conditions:
        if condition.kind in ("if", "unless"):
            return f"whether {in_words(condition, domain)}"
    described = [role.description for role in clause.roles if role.description and role.description.restricted]
    single = [description.text for description in described if not description.plural]
    return f"which one is “{single[0]}”" if single else "what is there"


def _unless_guessed(domain: Domain, verdict: Verdict, found: Sequence[ActionCandidate], clause: Clause) -> Verdict:
    """The verdict; an act that is too improbable to be done, though a mistake costs little, is not offered for words that are unknown.

    Of "slice the bread" the robot knows the bread alone, and standing still is what it most resembles.
    """
    best = max(found, key=lambda candidate: candidate.probability, default=None)
    if verdict.decision not in ("confirm", "ask") or best is None or not clause.left_over:
        return verdict
    if best.probability >= LEAST or best.utility <= verdict.utility:
        return verdict
    return Verdict("reject", 0.0, "a guess", _not_understood(domain, clause), weighed=verdict.weighed)


def _not_understood(domain: Domain, clause: Clause) -> str:
    """What the robot says of words that are unknown to it: of an act, that it can't do that."""
    if _is_unknown_act(clause):
        return _cannot(domain, clause)
    return f"I didn't understand “{' '.join(clause.left_over)}”."


def _cannot(domain: Domain, clause: Clause) -> str:
    """What the robot says of an act that it does not have: in its own words, unless they are more than the act, "would you mind …"."""
    words = _as_said(domain, clause)
    if not words or words.split()[0] in wordings()["function_words"]:
        return f"I can't do that: “{clause.text}”."
    return f"I can't {words}."


def _as_said(domain: Domain, clause: Clause) -> str:
    """The words of a clause as the robot repeats them: "scare Anna", "kick your ball"."""
    words = turned(_LINKED.sub("", clause.text))
    for role in clause.roles:
        if role.entity in domain.people:
            names = "|".join(re.escape(name.lower()) for name in domain.people[role.entity].known_as(role.entity))
            words = re.sub(rf"\b(?:{names})\b", called(domain, role.entity), words)
    return words


def _is_unknown_act(clause: Clause) -> bool:
    """Whether the clause begins with a verb that is in no sentence of its intent, and names something: "slice the bread"."""
    names = any(role.entity for role in clause.roles) or any(f" {article}" in clause.text for article in ARTICLES)
    return bool(clause.left_over) and _LINKED.sub("", clause.text).startswith(f"{clause.left_over[0]} ") and names


def _with_best_referents(clause: Clause) -> Clause:
    """The clause as if each role meant its most probable entity."""
    return replace(clause, roles=tuple(replace(role, candidates=role.candidates[:1]) for role in clause.roles))
