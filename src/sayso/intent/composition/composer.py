"""Parsed sentence → clauses, in one home."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from sayso.domain import Domain
from sayso.intent.asked import condition_roles
from sayso.intent.clauses import words_of
from sayso.intent.composition.around import Around, around
from sayso.intent.composition.asking import MEANT, AskingComposer, CertainIntent
from sayso.intent.composition.by_rules import Rules, is_left_to_rules, read_by_rules
from sayso.intent.composition.filling import RoleComposer, in_order, with_relations
from sayso.intent.composition.phrases import PhraseComposer, unexplained
from sayso.intent.composition.sentence import SpannedWords, content, heard, is_around
from sayso.intent.discourse import RecentMentions
from sayso.intent.errands import merged
from sayso.intent.fixed_words import fixed_words
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import PLACE_PRONOUNS, after_lead_in
from sayso.intent.hearings import meaning
from sayso.intent.meaning.accounting import one_of_its_parts
from sayso.intent.meaning.binding import unbound
from sayso.intent.meaning.describe import DescriptionParser
from sayso.intent.meaning.peel import problem
from sayso.intent.meaning.sentence_words import Lexicon, Reading
from sayso.intent.meaning.subjects import with_subjects
from sayso.intent.parser.tree import ParsedSentence, SpanNode
from sayso.intent.reconcile import ParsedMeaning, describes_somebody, is_known
from sayso.intent.roles import RoleFinder
from sayso.representation import Condition, Modifiers
from sayso.types import Clause, Role

# An act whose filler is of another kind is another act: (intent, role) → kind → intent; "" is any kind.
EXCHANGED_ACTS: dict[tuple[str, str], dict[str, str]] = {
    ("stop", "goal"): {"": "go_to"},  # "stop at the sofa"
    ("go_to", "goal"): {"person": "come_here"},
    ("bring", "theme"): {"person": "guide"},
    ("put", "theme"): {"person": "guide"},
    ("pick_up", "goal"): {"place": "put"},
}
ORDERING = frozenset(("before", "after", "while"))
TOLD = frozenset(("when", "if", "after"))  # conditions that may be what is to be told
NOT_COMPOSED = frozenset(("act", "never", "always", "otherwise"))  # within an act
ASKING = frozenset(("act", "question", "never", "always", "hint"))  # labels of what is wanted of the robot
KNOWN = ASKING | {"otherwise", "aside", "where_it_is", "talk", "unclear"}
PartReader = Callable[[SpanNode, SpannedWords, Around, RecentMentions], tuple[Clause, ...]]
COUNTING = "count"
WAITING, GOING, GREETING = "wait", "go_to", "greet"


class Composer:
    """The meaning of structures in a home."""

    def __init__(self, domain: Domain, gazetteer: Gazetteer, verbs: frozenset[str], roles: RoleFinder, intents: Sequence[str]) -> None:
        """For a home; `intents` is the order of Clause.probabilities."""
        self._domain, self._gazetteer, self._intents = domain, gazetteer, tuple(intents)
        self._phrases = PhraseComposer(DescriptionParser(domain, gazetteer, verbs))
        self._fill = RoleComposer(domain, gazetteer, roles, self._phrases)
        self._lexicon = Lexicon(gazetteer, verbs)
        self._acts = fixed_words(domain)
        self._certain = CertainIntent(self._intents)
        self._asking = AskingComposer(domain, gazetteer, self._phrases, self._fill, self._certain)

    def __call__(
        self, readings: Sequence[ParsedSentence], text: str, recent: RecentMentions, rules: Rules
    ) -> dict[tuple[object, ...], ParsedMeaning]:
        """The meanings of a normalised text, each by what `meaning` makes of its clauses; without those that cannot be read.

        Args:
            readings: the structures of the text. What asks for nothing has a meaning without clauses.
            text: what was said.
            recent: what pronouns may mean.
            rules: read the parts that are left to them.
        """
        said = SpannedWords(words_of(text), text)

        @lru_cache  # many structures have the same parts
        def read(node: SpanNode, words: SpannedWords, ahead: Around, recent: RecentMentions) -> tuple[Clause, ...]:
            return self._read(node, words, ahead, recent, rules)

        found: dict[tuple[object, ...], ParsedMeaning] = {}
        for reading in readings:
            clauses = self._meant(reading, said, recent, rules, read) if tuple(word.text for word in said.words) == reading.words else None
            if clauses is not None:
                before = found.get(key := meaning(clauses), ParsedMeaning(clauses, 0.0))
                found[key] = ParsedMeaning(min(before.clauses, clauses, key=_length), before.p + reading.p)
        return found

    def _meant(
        self, reading: ParsedSentence, said: SpannedWords, recent: RecentMentions, rules: Rules, read: PartReader
    ) -> tuple[Clause, ...] | None:
        """The clauses of a structure; None if a part of it cannot be read."""
        nodes, words = heard(reading.nodes, said)
        if any(node.label not in KNOWN and not is_around(node) for node in nodes) or any(map(_orders_acts, nodes)):
            return None
        if any(node.label in ASKING for node in nodes):
            return self._clauses(nodes, words, recent, read) or None
        taken_back = rules(said.whole, recent)
        if not any(node.label == "retract" for node in reading.nodes):
            return _greeting(taken_back) or (() if nodes else None)
        return tuple(taken_back) if taken_back and all(clause.modifiers.mood == "retracted" for clause in taken_back) else None

    def _clauses(self, nodes: Sequence[SpanNode], words: SpannedWords, recent: RecentMentions, read: PartReader) -> tuple[Clause, ...]:
        clauses: list[Clause] = []
        remarks: list[Role] = []
        ahead = Around()
        for node in nodes:
            if node.label in ASKING:
                found = read(node, words, ahead, recent)
                if not found:
                    return ()
                clauses += (self._as_remarked(clause, remarks) for clause in found)
                for clause in found:
                    recent = recent.after(clause.roles)
                ahead = Around()
            elif node.label == "otherwise":
                if not clauses or not (found := self._otherwise(node, words, clauses[-1], recent, read)):
                    return ()
                clauses += found
            elif node.label == "where_it_is" and clauses:
                clauses[-1] = self._located(clauses[-1], node, words)
            elif is_around(node) and clauses and not _begins(nodes, words, node):
                clauses[-1] = around(node, words, self._lexicon).applied(clauses[-1])
            elif is_around(node):
                ahead += around(node, words, self._lexicon)
            else:
                remarks += self._phrases.mentioned(node, words)
                recent = recent.after(tuple(remarks))
        lost = (*content(words.words[at] for at in range(len(words.words)) if not _covered(nodes, at)), *ahead.words)
        clauses[-1] = replace(clauses[-1], left_over=(*clauses[-1].left_over, *lost))
        return with_subjects(merged(self._sharing([self._told(self._fill.lasting(clause), words) for clause in clauses])))

    def _read(self, node: SpanNode, words: SpannedWords, ahead: Around, recent: RecentMentions, rules: Rules) -> tuple[Clause, ...]:
        """The clauses of a part that asks for something; none if it cannot be read."""
        if not is_left_to_rules(self._domain, node):
            found = self._act(node, words, ahead, recent)
            if not any(map(describes_somebody, found)):
                return found  # how people look, the rules alone read
        read = read_by_rules(rules, node, words, recent)
        if (asked := self._asked(node, words, read)) is not None:
            return (asked,)
        if node.label == "never":
            read = self._forbidden(node, words, recent, read)
        if read:
            return (ahead.applied(read[0]), *read[1:])
        if node.label == "question":
            return (self._asking.unanswerable(node, words),)
        if node.label == "hint":
            return tuple(ahead.applied(clause) for clause in self._asking.hint(node, words))
        return self._act(replace(node, value=self._sayable(node)), words, ahead, recent) if node.label == "act" else ()

    def _asked(self, node: SpanNode, words: SpannedWords, read: Sequence[Clause]) -> Clause | None:
        """The question of a part, where the rules read none in it, or one about what the home does not know; None if there is none."""
        roles = [role for clause in read for role in clause.roles]
        if node.label == "question" and not (read and all(map(is_known, roles))):
            return self._asking.question(node, words)
        if node.label == "act" and node.value == COUNTING and not all(role.entity for role in roles):
            return self._asking.counting(node, words)  # "count the drinks on the counter"
        return None

    def _forbidden(self, node: SpanNode, words: SpannedWords, recent: RecentMentions, read: tuple[Clause, ...]) -> tuple[Clause, ...]:
        """The ban that the rules read, with what is in its act, if that explains more of it: "never barge into the bathroom"."""
        act = node.child("act")
        if act is None or len(read) != 1 or not read[0].left_over or not self._intent(act, words):
            return read
        (inner, *_) = self._act(act, words, Around(), recent)
        if inner.left_over:
            return read
        return (replace(read[0], intent=inner.intent, probabilities=inner.probabilities, roles=inner.roles, left_over=()),)

    def _sayable(self, act: SpanNode) -> str:
        """The intent of an act that the rules cannot read; none if it tells what the robot does not know: "alert me about the mail"."""
        roles = self._domain.intents[act.value].roles if act.value in self._domain.intents else {}
        words = any(set(role.kinds) == {"words"} for role in roles.values())
        return act.value if not words or act.child("theme") is None else ""

    def _told(self, clause: Clause, words: SpannedWords) -> Clause:
        """The clause with the event of its condition as its message, if it has none: "alert me when someone enters the room"."""
        specs = self._domain.intents[clause.intent].roles if clause.modifiers.mood == "request" else {}
        name = next((name for name, spec in specs.items() if set(spec.kinds) == {"words"} and spec.required), "")
        event = next((each for each in clause.modifiers.conditions if each.kind in TOLD and each.subject is not None), None)
        if not name or clause.role(name) is not None or event is None or event.subject is None:
            return clause
        said = Role(name, words.whole[event.subject.start : event.end], event.subject.start, event.end, kind="words", score=1.0)
        return replace(clause, roles=in_order((*clause.roles, said)))

    def _act(self, act: SpanNode, words: SpannedWords, ahead: Around, recent: RecentMentions) -> tuple[Clause, ...]:
        """The clause of an act; before that of waiting at a place the way to it."""
        place = act.child("goal") if act.value == WAITING else None
        if place is None or GOING not in self._domain.intents:
            return (self._clause(act, words, ahead, recent),)
        stay = replace(act, children=tuple(child for child in act.children if child is not place))
        if words.text(place) in PLACE_PRONOUNS:
            return (self._clause(stay, words, ahead, recent),)
        way = SpanNode("act", act.first, place.last, GOING, (place,))
        first = self._clause(way, words, ahead, recent)
        return first, self._clause(stay, words, Around(), recent.after(first.roles))

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
            elliptic = not content(words.of(act, act.children))  # "otherwise the juice"
            found += (self._completed(clause, before) if elliptic else clause for clause in clauses)
        return tuple(found)

    @staticmethod
    def _completed(clause: Clause, before: Clause) -> Clause:
        """The clause, which has no verb of its own, with what the clause before says and it does not."""
        named = {role.name for role in clause.roles}
        shared = (role for role in before.roles if role.name not in named) if clause.intent == before.intent else ()
        return replace(clause, roles=in_order((*clause.roles, *shared)))

    def _as_remarked(self, clause: Clause, remarks: Sequence[Role]) -> Clause:
        """The clause, whose pronouns mean what a remark before it speaks of: "anna forgot her laptop on the desk, take it to her"."""
        meant = {role.name: said for role in clause.roles if (said := _spoken_of(role, remarks)) is not None}
        if not meant:
            return clause
        roles = [replace(meant[role.name], name=role.name) if role.name in meant else role for role in clause.roles]
        return replace(clause, roles=tuple(self._fill.placed(clause.intent, roles)))

    def _clause(self, act: SpanNode, words: SpannedWords, ahead: Around, recent: RecentMentions) -> Clause:
        """The clause of an act; an act that the robot does not have is said to be one."""
        intent = self._intent(act, words)
        for child in filter(is_around, act.children):
            ahead += around(child, words, self._lexicon)
        recent = recent.after(condition_roles(self._domain, ahead.conditions))
        roles, strange = self._fill(act, intent, words, recent)
        said = [word.text for word in words.of(act) if word.text != ","]
        clause = Clause(" ".join(said), *words.span(act), intent or self._intents[0], self._certain(intent), tuple(roles), MEANT)
        if not intent:
            bare = said[after_lead_in(said) :]
            spoken = " ".join(bare[bare[0] == "to" and len(bare) > 1 :])  # "to chill the apple"
            lost = content(words.of(act, act.children))
            return replace(clause, text=spoken, modifiers=Modifiers(mood="unable"), left_over=lost)
        strange += self._undirected(act, intent, words, said, roles)
        unknown = (word for role in roles if role.description is not None for word in unexplained(role.description))
        strange += self._binding(act, intent, words, roles)
        clause = replace(clause, modifiers=Modifiers(note=problem(Reading(words.words, self._lexicon), range(act.first, act.last + 1))))
        return ahead.applied(replace(clause, left_over=tuple(dict.fromkeys((*strange, *unknown, *one_of_its_parts(roles))))))

    def _binding(self, act: SpanNode, intent: str, words: SpannedWords, roles: Sequence[Role]) -> list[str]:
        """Words of an act that bind it to something which no part takes up: "turn to my left"."""
        explained = words.of(act) if any(is_around(child) for child in act.children) else ()
        bound = unbound([word for word in words.of(act) if word.text != ","], roles, self._acts[intent], explained)
        return [word.text for word in words.of(act) if word in bound]

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
        for child in act.children:
            kinds = EXCHANGED_ACTS.get((intent, child.label), {}) if words.of(child)[-1].text not in PLACE_PRONOUNS else {}
            kind = self._phrases(child, words).kind if kinds else ""
            intent = kinds.get(kind, kinds.get("", intent))
        return intent if intent in self._domain.intents and intent in self._intents else ""

    def _sharing(self, clauses: Sequence[Clause]) -> list[Clause]:
        """The clauses, each without a thing of its own with that of the next or the last one: "find and bring me the cup", "on and off"."""
        found: list[Clause] = []
        for clause in reversed(clauses):
            found.append(self._sharing_with(clause, found[-1] if found else None))
        shared: list[Clause] = []
        for clause in reversed(found):
            shared.append(self._sharing_with(clause, shared[-1] if shared else None))
        return shared

    def _sharing_with(self, clause: Clause, other: Clause | None) -> Clause:
        """The clause, if it lacks a thing, with that of the other."""
        spec = self._domain.intents[clause.intent].roles.get("theme") if clause.modifiers.mood == "request" else None
        theme = other.role("theme") if other is not None else None
        shares = spec is not None and spec.required and not clause.roles and theme is not None and theme.kind in spec.kinds
        return replace(clause, roles=(theme,)) if shares and theme is not None else clause

    def _located(self, clause: Clause, node: SpanNode, words: SpannedWords) -> Clause:
        """The clause, whose thing is where a remark says that it is."""
        theme, relation = clause.role("theme"), self._phrases.remark(node, words)
        if theme is None or theme.description is None or relation is None:
            return replace(clause, left_over=(*clause.left_over, *words.content(node)))
        return replace(clause, roles=tuple(with_relations(clause.roles, (relation,))))


def _length(clauses: Sequence[Clause]) -> tuple[int, int]:
    """(words that are left over, clauses): to take it and put it there is to put it there."""
    return sum(len(clause.left_over) for clause in clauses), len(clauses)


def _greeting(read: Sequence[Clause]) -> tuple[Clause, ...] | None:
    """What is said by one who only calls: "hello"; None if it is no greeting."""
    return tuple(read) if [clause.intent for clause in read] == [GREETING] else None


def _spoken_of(role: Role, remarks: Sequence[Role]) -> Role | None:
    """What a remark says of the thing that a pronoun means."""
    if role.description is None or not role.description.pronoun or not role.entity:
        return None
    return next((each for each in reversed(remarks) if each.candidates[:1] == role.candidates[:1]), None)


def _orders_acts(node: SpanNode) -> bool:
    """Whether a condition orders acts, or an act holds another, a ban or an alternative."""
    if node.label in ORDERING:
        return next(node.all(lambda each: each.label == "act"), None) is not None
    return node.label == "act" and any(child.label in NOT_COMPOSED for child in node.children)


def _begins(nodes: Sequence[SpanNode], words: SpannedWords, node: SpanNode) -> bool:
    """Whether a condition belongs to what follows: at the beginning or after a join, with an act after it."""
    follows = any(other.label in ASKING and other.first > node.last for other in nodes)
    return follows and (node.first == 0 or words.words[node.first - 1].text in (",", "and", "then"))


def _covered(nodes: Sequence[SpanNode], at: int) -> bool:
    return any(node.first <= at <= node.last for node in nodes)
