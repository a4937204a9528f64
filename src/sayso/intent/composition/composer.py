"""Parsed sentence → clauses, in one home."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, reduce

from sayso.domain import Domain
from sayso.intent.asked import condition_roles
from sayso.intent.clauses import words_of
from sayso.intent.composition.around import Around, around
from sayso.intent.composition.asking import MEANT, AskingComposer, CertainIntent, Consulted
from sayso.intent.composition.filling import MESSAGES, RoleComposer, with_relations
from sayso.intent.composition.impossible import problem
from sayso.intent.composition.meanings import ParsedMeaning
from sayso.intent.composition.ordering import ASKING, STANDING, begins, ordered, orders_acts
from sayso.intent.composition.phrases import PhraseComposer, unexplained
from sayso.intent.composition.sentence import SpannedWords, content, heard, is_around
from sayso.intent.composition.sharing import completed, is_elliptic, sharing, with_needed
from sayso.intent.composition.standing import acts_of, as_standing, staying
from sayso.intent.composition.telling import (
    GREET,
    INVITATION,
    MESSAGE,
    TELL,
    TELLING,
    asking,
    presented,
    telling,
    told,
    with_event,
    with_people,
)
from sayso.intent.composition.traces import Traces
from sayso.intent.discourse import RecentMentions
from sayso.intent.errands import merged
from sayso.intent.fixed_words import fixed_words
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import PLACE_PRONOUNS, SPEAKER, after_lead_in
from sayso.intent.hearings import count_of_acts, meaning
from sayso.intent.meaning.accounting import one_of_its_parts
from sayso.intent.meaning.describe import DescriptionParser
from sayso.intent.meaning.sentence_words import Reading
from sayso.intent.normalise import normalise
from sayso.intent.parser.tree import ParsedSentence, SpanNode
from sayso.intent.roles import RoleFinder
from sayso.representation import ADDRESSEE, Condition, Modifiers, Mood
from sayso.types import Clause, Role

# An act whose filler is of another kind is another act: (intent, role) → kind → intent; "" is any kind.
EXCHANGED_ACTS: dict[tuple[str, str], dict[str, str]] = {
    ("stop", "goal"): {"": "go_to"},  # "stop at the sofa"
    ("go_to", "goal"): {"person": "come_here"},
    ("bring", "theme"): {"person": "guide"},
    ("put", "theme"): {"person": "guide"},
    ("pick_up", "goal"): {"place": "put"},
    ("stop", "theme"): {"object": "switch_off", "place": "switch_off"},  # "stop the fan"
}
KNOWN = ASKING | {"otherwise", "aside", "where_it_is", "talk", "unclear"}
ANSWERS = "answers"  # label of a reply to the robot's question; where none is open, one beside a request is a remark: "yes, go on left"
PartReader = Callable[[SpanNode, SpannedWords, Around, RecentMentions], tuple[Clause, ...]]
OwnAct = Callable[[SpanNode, SpannedWords, RecentMentions], Clause | None]
CLEARLY = 0.9  # P(k | words) from which words without a structure are a greeting
COUNTING, CANCELLING = "count", "cancel"
MOTIONS = frozenset(("move", "turn"))  # intents
WAITING, GOING = "wait", "go_to"
OLD = "old"  # label of words that are taken back


def no_own(act: SpanNode, words: SpannedWords, recent: RecentMentions) -> None:
    """In a home without acts of its own."""


class Composer:
    """The meaning of structures in a home."""

    def __init__(
        self,
        domain: Domain,
        gazetteer: Gazetteer,
        verbs: frozenset[str],
        roles: RoleFinder,
        intents: Sequence[str],
        consulted: Consulted,
        own: OwnAct = no_own,
    ) -> None:
        """For a home.

        Args:
            domain: the home.
            gazetteer: links its names.
            verbs: that begin commands.
            roles: links pronouns and names to what a role may hold.
            intents: the order of Clause.probabilities.
            consulted: what the words alone say, where the structure does not.
            own: reads acts of the user's own, which the parser does not know.
        """
        self._domain, self._gazetteer, self._intents = domain, gazetteer, tuple(intents)
        self._phrases = PhraseComposer(DescriptionParser(domain, gazetteer, verbs))
        self._fill = RoleComposer(domain, gazetteer, roles, self._phrases)
        self._acts = fixed_words(domain)
        self._certain = CertainIntent(self._intents)
        self._asking = AskingComposer(domain, gazetteer, self._phrases, self._fill, self._certain, consulted)
        self._traces = Traces(domain, self._acts)
        self._own, self._consulted = own, consulted

    def __call__(self, readings: Sequence[ParsedSentence], text: str, recent: RecentMentions) -> dict[tuple[object, ...], ParsedMeaning]:
        """The meanings of a normalised text, each by what `meaning` makes of its clauses; without those that cannot be read.

        Args:
            readings: the structures of the text. What asks for nothing has a meaning without clauses.
            text: what was said.
            recent: what pronouns may mean.
        """
        said = self.spanned(text)

        @lru_cache  # many structures have the same parts
        def read(node: SpanNode, words: SpannedWords, ahead: Around, recent: RecentMentions) -> tuple[Clause, ...]:
            return self._read(node, words, ahead, recent)

        found: dict[tuple[object, ...], ParsedMeaning] = {}
        for reading in readings:
            clauses = self._meant(reading, said, recent, read) if tuple(word.text for word in said.words) == reading.words else None
            if clauses is not None:
                before = found.get(key := meaning(clauses), ParsedMeaning(clauses, 0.0))
                found[key] = ParsedMeaning(min(before.clauses, clauses, key=count_of_acts), before.p + reading.p)
        return found

    def prepare(self) -> None:
        """Compute now what the first sentence of each intent would need."""
        for intent in self._domain.intents:
            _ = self._acts[intent]

    @cached_property
    def _examples(self) -> dict[str, str]:
        """Examples without slots → their intents. Only bans ask for them."""
        intents = self._domain.intents
        return {normalise(each): name for name, spec in intents.items() for each in spec.wordings if "{" not in each}

    @staticmethod
    def spanned(text: str) -> SpannedWords:
        """The words of a normalised text."""
        return SpannedWords(words_of(text), text)

    def _meant(self, reading: ParsedSentence, said: SpannedWords, recent: RecentMentions, read: PartReader) -> tuple[Clause, ...] | None:
        """The clauses of a structure; None if a part of it cannot be read."""
        nodes, words = heard(reading.nodes, said)
        taken_back = (node for root in reading.nodes for node in root.all(lambda each: each.label == OLD))
        recent = reduce(lambda known, node: known.after(self._phrases.mentioned(node, said)), taken_back, recent)  # "…, no, the white one"
        asks = any(node.label in ASKING for node in nodes)
        known = KNOWN | {ANSWERS} if asks else KNOWN
        if any(node.label not in known and not is_around(node) for node in nodes) or any(map(orders_acts, nodes)):
            return None
        if asks:
            return self._clauses(nodes, words, recent, read) or None
        if any(node.label == "retract" for node in reading.nodes):
            return (self._taken_back(reading, said),) if CANCELLING in self._intents else None
        return self._called(said) if not nodes else ()

    def _called(self, said: SpannedWords) -> tuple[Clause, ...]:
        """The greeting of one who only calls, "hello"; none of one who says nothing else either: "um", "thank you"."""
        whole = SpanNode("call", 0, len(said.words) - 1)
        p = self._consulted.guess(said.text(whole))
        best = self._intents[int(p.argmax())]
        return (Clause(said.text(whole), *said.span(whole), best, p, (), MEANT),) if best == GREET and p.max() >= CLEARLY else ()

    def _taken_back(self, reading: ParsedSentence, said: SpannedWords) -> Clause:
        """The clause of words that take back what was said in the same breath, or else what the robot is doing."""
        whole = SpanNode("retract", 0, len(said.words) - 1)
        mood: Mood = "retracted" if any(node.label == OLD for node in reading.nodes) else "request"
        p = self._certain(CANCELLING)
        return Clause(said.text(whole), *said.span(whole), CANCELLING, p, (), MEANT, modifiers=Modifiers(mood=mood))

    def _clauses(self, nodes: Sequence[SpanNode], words: SpannedWords, recent: RecentMentions, read: PartReader) -> tuple[Clause, ...]:
        clauses: list[Clause] = []
        remarks: list[Role] = []
        ahead, later = Around(), tuple[Clause, ...]()  # what comes after the next act: "before you go, close the door"
        for node in nodes:
            if node.label in ASKING:
                found = read(node, words, ahead, recent)
                if not found:
                    return ()
                found = with_needed(self._domain, found, clauses[-1]) if clauses and is_elliptic(node, words) else found
                clauses += (*(self._as_remarked(clause, remarks) for clause in found), *later)
                recent = reduce(lambda known, clause: known.after(clause.roles), (*found, *later), recent)
                ahead, later = Around(), ()
            elif node.label == "otherwise":
                if not clauses or not (found := self._otherwise(node, words, clauses[-1], recent, read)):
                    return ()
                clauses += found
            elif node.label == "where_it_is" and clauses:
                clauses[-1] = self._located(clauses[-1], node, words)
            elif (inner := ordered(node)) is not None:
                if not (found := read(inner, words, Around(), recent)):
                    return ()
                before, front = (node.label == "after"), not clauses or begins(nodes, words, node)
                at = len(clauses) if front or not before else len(clauses) - 1  # "bring it after going to the kitchen"
                clauses[at:at], later = (found, later) if before or not front else ((), (*later, *found))
            elif is_around(node):
                ahead += self._after(node, nodes, words, clauses)
            else:
                remarks += self._phrases.mentioned(node, words)
                recent = recent.after(tuple(remarks))
        return self._finished(clauses, nodes, words, ahead)

    def _finished(self, clauses: list[Clause], nodes: Sequence[SpanNode], words: SpannedWords, ahead: Around) -> tuple[Clause, ...]:
        """The clauses of a sentence with the words that no part of it holds, and with what they share."""
        lost = (*content(words.words[at] for at in range(len(words.words)) if not _covered(nodes, at)), *ahead.words)
        clauses[-1] = replace(clauses[-1], left_over=(*clauses[-1].left_over, *lost))
        people = with_people(clauses)
        found = merged(sharing(self._domain, [with_event(self._domain, self._fill.lasting(clause), words) for clause in people]))
        untraced = self._traces.lost(found, words)
        return (*found[:-1], replace(found[-1], left_over=(*found[-1].left_over, *untraced))) if untraced else found

    def _after(self, node: SpanNode, nodes: Sequence[SpanNode], words: SpannedWords, clauses: list[Clause]) -> Around:
        """What a condition or a time says of the acts that follow; nothing, if it is part of the last clause, which it then changes."""
        said = around(node, words, self._phrases)
        if not clauses or begins(nodes, words, node):
            return said
        clauses[-1] = said.applied(clauses[-1])
        return Around()

    def _read(self, node: SpanNode, words: SpannedWords, ahead: Around, recent: RecentMentions) -> tuple[Clause, ...]:
        """The clauses of a part that asks for something; none if it cannot be read."""
        if all(word.text == "," for word in words.of(node)):
            return ()
        if node.label in STANDING:
            return self._standing(node, words, ahead, recent)
        if node.label == "act":
            return self._act(node, words, ahead, recent)
        ahead += self._around(node, words)
        if node.label == "question":
            if (own := self._own(node, words, recent)) is not None:
                return (ahead.applied(own),)
            return (ahead.applied(self._asking.question(node, words, recent)),)
        return tuple(ahead.applied(clause) for clause in self._asking.hint(node, words))

    def _standing(self, node: SpanNode, words: SpannedWords, ahead: Around, recent: RecentMentions) -> tuple[Clause, ...]:
        """The clauses of a ban or a habit."""
        ahead += self._around(node, words)
        if (intent := self._examples.get(words.text(node))) is not None:  # "don't move" is a stop
            meant = self._act(SpanNode("act", node.first, node.last, intent), words, ahead, recent)
            return tuple(replace(clause, left_over=()) for clause in meant)
        found = (clause for act in acts_of(node, words) for clause in self._act(self._reached(act, words), words, Around(), recent))
        return tuple(ahead.applied(as_standing(node, clause, words.text(node))) for clause in found)

    def _reached(self, act: SpanNode, words: SpannedWords) -> SpanNode:
        """The act of a ban; nobody picks up the stove: to touch it is to go there."""
        thing = act.child("theme") if act.value == "pick_up" else None
        if thing is None or self._phrases(thing, words).kind != "place":
            return act
        return replace(act, value=GOING, children=(replace(thing, label="goal"),))

    def _around(self, node: SpanNode, words: SpannedWords) -> Around:
        """The conditions and times in a part."""
        return sum((around(child, words, self._phrases) for child in node.children if is_around(child)), Around())

    def _act(self, act: SpanNode, words: SpannedWords, ahead: Around, recent: RecentMentions) -> tuple[Clause, ...]:
        """The clause of an act; before that of waiting at a place the way to it."""
        asked = act.child("question")
        if act.value in TELLING and asked is not None and _is_speaker(act.child("recipient"), words):
            whole = replace(asked, first=act.first)  # "tell me [what the time is]"
            return (ahead.applied(self._asking.question(whole, words, recent)),)
        if act.value == COUNTING:
            return ((ahead + self._around(act, words)).applied(self._asking.counting(act, words, recent)),)
        if act.child("theme") is not None and self._tells(act.value) and not any(child.label in MESSAGES for child in act.children):
            act = replace(act, value="")  # what the robot does not know: "alert me about the mail"
        if (thing := staying(act, words)) is not None:
            kept = SpanNode("act", act.first, act.last, "pick_up", (thing,))
            ban = as_standing(replace(act, label="refrain"), self._clause(kept, words, Around(), recent), words.text(act))
            return (ahead.applied(replace(ban, left_over=())),)
        place = act.child("goal") if act.value == WAITING else None
        if place is None or GOING not in self._domain.intents:
            return (self._clause(act, words, ahead, recent),)
        stay = replace(act, children=tuple(child for child in act.children if child is not place))
        here = words.text(place) in PLACE_PRONOUNS or self._phrases(place, words).description.pronoun == ADDRESSEE
        if here:  # "stay where you are"
            return (self._clause(stay, words, ahead, recent),)
        way = SpanNode("act", act.first, place.last, GOING, (place,))
        first = self._clause(way, words, ahead, recent)
        return first, self._clause(stay, words, Around(), recent.after(first.roles))

    def _tells(self, intent: str) -> bool:
        """Whether an intent needs words to be said."""
        specs = self._domain.intents[intent].roles if intent in self._domain.intents else {}
        return any(set(spec.kinds) == {"words"} and spec.required and not spec.values for spec in specs.values())

    def _otherwise(
        self, node: SpanNode, words: SpannedWords, before: Clause, recent: RecentMentions, read: PartReader
    ) -> tuple[Clause, ...]:
        """The clauses of what is to be done if the clause before cannot be, or its condition does not hold; none if they cannot be read."""
        acts = [child for child in node.children if child.label in ASKING]
        if not acts or any(child.label != "fact" for child in node.children if child not in acts):
            return ()
        lead = SpanNode(node.label, node.first, max(acts[0].first - 1, node.first))
        kept = next(iter(before.modifiers.conditions), Condition("if", "", 0, 0))
        start, end = words.span(lead)
        unless = replace(kept, text=words.text(lead), start=start, end=end, negated=not kept.negated)
        found: list[Clause] = []
        for act in acts:
            clauses = read(act, words, Around(conditions=(unless,)), recent)
            if not clauses:
                return ()
            found += (completed(clause, before) if is_elliptic(act, words) else clause for clause in clauses)
        return tuple(found)

    def _as_remarked(self, clause: Clause, remarks: Sequence[Role]) -> Clause:
        """The clause, whose pronouns mean what a remark before it speaks of: "anna forgot her laptop on the desk, take it to her"."""
        meant = {role.name: said for role in clause.roles if (said := _spoken_of(role, remarks)) is not None}
        if not meant:
            return clause
        roles = [replace(meant[role.name], name=role.name) if role.name in meant else role for role in clause.roles]
        return replace(clause, roles=tuple(self._fill.placed(clause.intent, roles)))

    def _clause(self, act: SpanNode, words: SpannedWords, ahead: Around, recent: RecentMentions) -> Clause:
        """The clause of an act; an act that the robot does not have is said to be one."""
        ahead += self._around(act, words)
        recent = recent.after(condition_roles(self._domain, ahead.conditions))
        if (own := self._own(act, words, recent)) is not None:
            return ahead.applied(own)
        who = presented(act)
        if who is not None:
            act = replace(act, value=TELL, children=tuple(child for child in act.children if child is not who))
        kind = told(act, words, self._consulted.kind_of) if act.value in TELLING else None
        if kind == INVITATION and TELL in self._domain.intents:
            act = replace(act, value=TELL, children=asking(act))
        intent = self._intent(act, words)
        roles, strange = self._fill(act, intent, words, recent)
        if who is not None:
            roles = [self._presentation(who, words, recent), *(role for role in roles if role.name != MESSAGE)]
        said = [word.text for word in words.of(act) if word.text != ","]
        clause = Clause(" ".join(said), *words.span(act), intent or self._intents[0], self._certain(intent), tuple(roles), MEANT)
        if not intent:
            bare = said[after_lead_in(said) :]
            spoken = " ".join(bare[bare[0] == "to" and len(bare) > 1 :])  # "to chill the apple"
            lost = content(words.of(act, act.children))
            return replace(clause, text=spoken, modifiers=Modifiers(mood="unable"), left_over=lost)
        strange += self._undirected(act, intent, words, said, roles)
        unknown = (word for role in roles if role.description is not None for word in unexplained(role.description))
        clause = replace(clause, modifiers=Modifiers(note=problem(Reading(words.words), range(act.first, act.last + 1))))
        clause = replace(clause, left_over=tuple(dict.fromkeys((*strange, *unknown, *one_of_its_parts(roles)))))
        return ahead.applied(clause if kind is None else telling(clause, kind))

    def _presentation(self, who: SpanNode, words: SpannedWords, recent: RecentMentions) -> Role:
        """The words that make somebody known: "this is anna"."""
        described = self._phrases(who, words).description
        links = described.candidates or tuple((link.entity, link.score) for link in recent.person if described.pronoun)
        person = self._domain.people.get(links[0][0]) if links else None
        name = person.spoken(links[0][0]).lower() if person is not None else described.text
        return Role(MESSAGE, f"this is {name}", *words.span(who), kind="words", score=1.0)

    def _undirected(self, act: SpanNode, intent: str, words: SpannedWords, said: Sequence[str], roles: Sequence[Role]) -> list[str]:
        """The strange words of a movement without a direction, which one of them may be: "backup one meter"."""
        ways = [name for name, spec in self._domain.intents[intent].roles.items() if "direction" in spec.kinds]
        if not ways or any(role.name in ways for role in roles):
            return []
        known = self._acts[intent].union(said[: after_lead_in(list(said))])
        return [word for word in content(words.of(act, act.children)) if word not in known]

    def _intent(self, act: SpanNode, words: SpannedWords) -> str:
        """The intent of an act, by what fills its roles; empty for an act that the robot does not have."""
        intent = act.value
        said = {child.label for child in act.children}
        if intent in MOTIONS and ("theme" in said or said == {"manner"}):  # "do a back flip", "move a bit slower": no such motion
            return ""
        for child in act.children:
            kinds = EXCHANGED_ACTS.get((intent, child.label), {}) if words.of(child)[-1].text not in PLACE_PRONOUNS else {}
            if kinds:
                phrase = self._phrases(child, words)
                vague = phrase.description.pronoun and phrase.description.unknown  # "where you were" is no person
                intent = kinds.get("" if vague else phrase.kind, kinds.get("", intent))
        return intent if intent in self._domain.intents and intent in self._intents else ""

    def _located(self, clause: Clause, node: SpanNode, words: SpannedWords) -> Clause:
        """The clause, whose thing is where a remark says that it is."""
        relation = self._phrases.remark(node, words)
        located = with_relations(clause.roles, (relation,)) if relation is not None else [*clause.roles]
        if located == [*clause.roles]:
            return replace(clause, left_over=(*clause.left_over, *words.content(node)))
        return replace(clause, roles=tuple(located))


def _spoken_of(role: Role, remarks: Sequence[Role]) -> Role | None:
    """What a remark says of the thing that a pronoun means."""
    if role.description is None or not role.description.pronoun or not role.entity:
        return None
    return next((each for each in reversed(remarks) if each.candidates[:1] == role.candidates[:1]), None)


def _is_speaker(node: SpanNode | None, words: SpannedWords) -> bool:
    """Whether it is nobody else: "tell me", "say"."""
    return node is None or words.text(node) in SPEAKER


def _covered(nodes: Sequence[SpanNode], at: int) -> bool:
    return any(node.first <= at <= node.last for node in nodes)
