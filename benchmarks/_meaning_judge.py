"""The verdict on an understanding: does the robot do what the label says, does it ask well, or what goes wrong?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from _meaning_actions import Interpretation, does, is_plural, option_fits
from _meaning_conditions import answers, carries, rules
from _meaning_labels import Label, LabelledAct
from _meaning_words import names_one
from sayso.domain import Domain
from sayso.pipeline import Understanding

# rejected: a request, declined as "not meant for me". accepted: no request, but the robot reacts. wrong: anything else that is not right.
SentenceVerdict = Literal["right", "asked", "executed", "rejected", "accepted", "wrong"]
NOT_FOR_ME = "meant for me"  # in the text of a rejection: the robot takes the sentence for talk
_OPEN = frozenset(("all", "every", "few"))  # quantities of which the home's data don't say how many
LATER = frozenset(("when", "in", "at", "every"))  # not to be done at once


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A label with the robot's decision."""

    label: Label
    understanding: Understanding
    verdict: SentenceVerdict

    @property
    def executed(self) -> bool:
        """Whether the robot acts, now or later, without a question."""
        return self.understanding.decision in ("execute", "defer") and bool(self.understanding.actions)


def judged_sentence(domain: Domain, label: Label, understanding: Understanding) -> JudgedSentence:
    """The verdict on the decision."""
    return JudgedSentence(label, understanding, _verdict(Interpretation(domain, understanding), label))


def judged_parse(domain: Domain, label: Label, understanding: Understanding) -> JudgedSentence:
    """The verdict on the meaning alone: it may also be one that this robot has no skill for, and declines by name."""
    given = Interpretation(domain, understanding, parsed=True)
    if not ignored(understanding) and means(given, label):
        return JudgedSentence(label, understanding, "right")
    return JudgedSentence(label, understanding, _verdict(given, label))


def judged_look(domain: Domain, label: Label, after: Understanding, *, parsed: bool = False) -> SentenceVerdict:
    """The verdict on a robot that looks first: on the meaning that it then acts on, or asks about.

    Args:
        domain: the home.
        label: of the sentence.
        after: what the robot decides if the look shows nothing new.
        parsed: judge the meaning alone, as `judged_parse` does.
    """
    if label.nothing:
        return "accepted"
    if label.wants_a_question:
        return "executed"
    return "right" if means(Interpretation(domain, after, parsed), label) else "executed"


def means(given: Interpretation, label: Label) -> bool:
    """Whether actions or questions, restrictions, conditions and times are those of the label, whatever is decided."""
    parts = []
    if label.do:
        parts.append(any(does(given, sequence) for sequence in _sequences(label)))
    if label.question:
        parts.append(any(answers(given, each) for each in label.question))
    if label.rule:
        parts.append(all(rules(given, each) for each in label.rule))
    # Of one clause the label gives alternatives: "where are my keys" may be answered by looking for them.
    alternatives = bool(label.template) or len(given.understanding.clauses) < 2
    return bool(parts) and (any(parts) if alternatives else all(parts)) and carries(given, label)


def _sequences(label: Label) -> Iterator[tuple[LabelledAct, ...]]:
    """The labelled sequences; "everything on the table" may be any number of the things that one action lists."""
    open_plural = any({*each.name.split("|"), *each.arguments} & _OPEN for each in label.keep)
    waits = [LabelledAct(("wait",), ((("extent",), (value,)),)) for kind, value in label.timings if kind == "in"]
    for sequence in label.do:
        yield sequence
        if waits:  # "in ten minutes" is a wait before it
            yield (*waits, *sequence)
        if open_plural and len(sequence) == 1:
            yield from (sequence * count for count in range(2, len(sequence[0].values("theme")) + 1))


def ignored(understanding: Understanding) -> bool:
    """Whether the robot takes the sentence for talk that isn't for it."""
    return understanding.decision == "reject" and (not understanding.question or NOT_FOR_ME in understanding.question)


def _verdict(given: Interpretation, label: Label) -> SentenceVerdict:
    understanding = given.understanding
    decision = understanding.decision
    if label.nothing:
        return _of_nothing(understanding)
    if decision in ("execute", "defer"):
        return _of_execution(given, label)
    if ignored(understanding):
        return "rejected"
    if decision == "answer" and label.question and means(given, label):
        return "right"
    return "asked" if _asks_well(given, label) else "wrong"


def _of_nothing(understanding: Understanding) -> SentenceVerdict:
    if understanding.decision == "reject" or (understanding.decision == "execute" and not understanding.actions):
        return "right"
    withdrawn = any(clause.negated or clause.modifiers.mood in ("retracted", "prohibition") for clause in understanding.clauses)
    return "right" if understanding.decision == "answer" and withdrawn else "accepted"


def _of_execution(given: Interpretation, label: Label) -> SentenceVerdict:
    understanding = given.understanding
    if label.wants_a_question or not means(given, label):
        return "executed"
    modified = (*label.conditions, *label.timings)
    waits = [action.name for action in understanding.actions[:1]] == ["wait"] and any(kind == "in" for kind, _ in modified)
    at_once = waits or (not label.rule and not any(kind in LATER for kind, _ in modified))
    deferrable = bool(label.rule or modified)
    if not (at_once if understanding.decision == "execute" else deferrable):
        return "executed"
    named = not label.cannot or any(names_one(understanding.question, _spoken(name)) for name in label.cannot)
    return "right" if named else "executed"


def _spoken(skill: str) -> tuple[str, str]:
    """How a text may name a missing skill: "switch on" or "switch"."""
    return skill.replace("_", " "), skill.partition("_")[0]


def _offers(given: Interpretation, label: Label) -> bool:
    """Whether an option of the question is a labelled action. One of "all the books" is not: none of them was in question."""
    acts = [act for sequence in (*label.do, label.rule) for act in sequence if not any(is_plural(act, other) for other in sequence)]
    return any(option_fits(given, act, option) for act in acts for option in given.understanding.action_belief.options)


def _asks_well(given: Interpretation, label: Label) -> bool:
    """Whether the question names the problem, or offers the right action."""
    understanding = given.understanding
    text = understanding.question
    asking = understanding.decision in ("confirm", "ask")
    if label.bad or (label.ask == () and text):
        return bool(text)
    if label.ask and names_one(text, label.ask):
        return True
    wanted = [act for sequence in (*label.do, label.rule) for act in sequence]
    offered = asking and (
        (_offers(given, label) and carries(given, label)) or (understanding.decision == "confirm" and means(given, label))
    )
    if label.cannot:  # the missing skill is named, and the rest is offered
        named = any(names_one(text, _spoken(name)) for name in label.cannot)
        return (named and (offered or not label.do)) or (asking and label.or_ask and not label.do)
    if offered:
        return True
    spoken = [given.domain.spoken(value) for act in wanted for _, values in act.roles for value in values if given.domain.entity(value)]
    return asking and label.or_ask and names_one(text, spoken)
