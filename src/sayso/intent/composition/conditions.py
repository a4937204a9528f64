"""What a condition says, from its structure: "if the phone is in the bedroom", "when anna comes", "before you charge"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.intent.clauses import Word
from sayso.intent.composition.filling import preposition
from sayso.intent.composition.phrases import PhraseComposer
from sayso.intent.composition.sentence import PLACED, SpannedWords, said
from sayso.intent.grammar import PERSON_PRONOUNS, SPEAKER, THING_PRONOUNS
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.meaning.verb_forms import EVENTS, lemma
from sayso.intent.parser.labels import OTHER
from sayso.intent.parser.tree import SpanNode
from sayso.representation import Condition, ConditionName, Description, Relation

SUBJECTS = PERSON_PRONOUNS | THING_PRONOUNS | SPEAKER | lexicon.SUBJECTS
NEGATIVE = frozenset(("no", "nobody", "nothing", "none"))
PARTIES, PLACES = frozenset(("theme", "recipient")), frozenset(("goal", "source", "via"))  # labels
ACTS = {"go_to": "reach", "come_here": "come", "pick_up": "pick"}  # intents → their events, where these have another name
LEAVING, AUXILIARY, EXISTS = "leave", "have", "there"
CONTRACTED = ("'s", "'re", "'m")
NOW, FINDING = frozenset(("if", "unless")), frozenset(("find", "see"))
ANYWAY = ("even ", "whether or not", "no matter ", "regardless of ", "although", "i don't ", "never mind ")  # restricts nothing


def restricts(node: SpanNode, words: SpannedWords) -> bool:
    """Whether a condition restricts what is said: not "even if", "whether or not"."""
    return not words.text(node).startswith(ANYWAY)


def condition(node: SpanNode, words: SpannedWords, phrases: PhraseComposer) -> Condition:
    """The condition that a part of a sentence states."""
    kind: ConditionName = node.label  # type: ignore[assignment]  # the labels of that group are these names
    stated = Condition(kind, words.text(node), *words.span(node))
    inner = next((child for child in node.children if child.label in ("fact", "act")), node)
    if inner.label == "act":
        return _of_act(replace(stated, subject=_pronoun(words.of(node, [inner]))), inner, words, phrases)
    parties = [child for child in inner.children if child.label in PARTIES]
    state = inner.child("state")
    first = parties[0] if parties and (state is None or parties[0].first < state.first) else None
    subject = _party(first, words, phrases) if first is not None else _pronoun(words.of(node, inner.children))
    others = [child for child in parties if child is not first]
    denied = {word.text.partition("'")[0] for child in parties for word in words.of(child)[:1]}
    negated = any(True for _ in node.all(lambda each: each.label == "not")) or not NEGATIVE.isdisjoint(denied)
    relation, event = _place(inner, words, phrases), _event(inner, words)
    if kind in NOW and event in FINDING and others and relation is not None:  # "if you find it in the bedroom": if it is there
        subject, event = _party(others[0], words, phrases), ""
    if relation is None and others and event:
        relation = Relation("with", (_party(others[0], words, phrases),))
    if relation is None and not event and state is None and subject is not None and subject.relations:  # "there is milk in the fridge"
        relation, subject = subject.relations[0], replace(subject, relations=subject.relations[1:])
    attribute = "" if relation is not None or event else _attribute(inner, first, words)
    return replace(stated, subject=subject, relation=relation, event=event, attribute=attribute, negated=negated)


def _of_act(stated: Condition, act: SpanNode, words: SpannedWords, phrases: PhraseComposer) -> Condition:
    """The condition with the event that an act is, and with what or where: "before you go to the kitchen", "when you leave it"."""
    if act.value == OTHER:
        return replace(stated, attribute=words.text(act))
    thing = next((child for child in act.children if child.label in PARTIES), None)
    relation = _place(act, words, phrases)
    if relation is None and thing is not None:
        relation = Relation("with", (_party(thing, words, phrases),))
    leaves = act.value == "go_to" and act.child("source") is not None
    return replace(stated, event=LEAVING if leaves else ACTS.get(act.value, act.value), relation=relation)


def _pronoun(said: Sequence[Word]) -> Description | None:
    """The pronoun among some words, outside of all parts: "when you see anna"; None if there is none."""
    for word in said:
        bare = word.text.partition("'")[0]
        if bare in SUBJECTS:
            return Description(bare, word.start, word.start + len(bare), pronoun=bare)
    return None


def _party(node: SpanNode, words: SpannedWords, phrases: PhraseComposer) -> Description:
    """Who or what a part names, without what the verb is contracted to: "anna" of "anna's in the study"."""
    last = words.words[node.last]
    bare = last.text.partition("'")[0]
    if node.first == node.last and bare in SUBJECTS:
        return Description(bare, last.start, last.start + len(bare), pronoun=bare)
    own = (*words.words[: node.last], replace(last, text=bare), *words.words[node.last + 1 :])
    return phrases(node, replace(words, words=own)).description


def _place(inner: SpanNode, words: SpannedWords, phrases: PhraseComposer) -> Relation | None:
    """Where something is; None if it is not said, or by a word alone: "there"."""
    for child in inner.children:
        if child.label in PLACED:
            return phrases.relation(child, words)
        if child.label in PLACES:
            described = phrases(child, words).description
            name = lexicon.RELATIONS.get(preposition(words, inner, child))
            if name is not None or described.candidates:
                return Relation(name or "at", (described,))
    return None


def _event(fact: SpanNode, words: SpannedWords) -> str:
    """The verb of an event in its base form; empty for a state: "is open"."""
    held = [child for child in fact.children if child.label not in ("state", "not")]
    verbs = [word.text for word in words.of(fact, held)]
    if any(word.partition("'")[0] == EXISTS for word in verbs):
        return ""  # "if there is any milk left"
    copular = any(word in lexicon.COPULAS or word.endswith(CONTRACTED) for word in verbs)
    found = [base for word in verbs if (base := lemma(word)) in EVENTS and (not copular or word != base)]
    return next((base for base in found if base != AUXILIARY), next(iter(found), ""))


def _attribute(fact: SpanNode, first: SpanNode | None, words: SpannedWords) -> str:
    """The words of a state."""
    state = fact.child("state")
    if state is not None:
        return words.text(state)
    left_out = [child for child in fact.children if child is first or child.label == "not"]
    own = words.of(fact, left_out)
    return said([word for word in own if word.text not in lexicon.COPULAS and word.text.partition("'")[0] not in SUBJECTS])
