"""The roles of an act from the spans of its structure, linked to the home."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sayso.domain import Domain
from sayso.domain.intents import RoleSpec
from sayso.domain.wording import ARTICLES
from sayso.intent.by_intent import ByIntent
from sayso.intent.clauses import ClauseSpan, Word
from sayso.intent.composition.phrases import DescribedPhrase, PhraseComposer, both
from sayso.intent.composition.sentence import SpannedWords, content, is_around, said
from sayso.intent.discourse import RecentMentions
from sayso.intent.fillers import all_of, somewhere
from sayso.intent.fixed_words import fixed_words
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import PERSON_PRONOUNS, PLACE_PRONOUNS, SPEAKER, THING_PRONOUNS
from sayso.intent.meaning.accounting import content as carries_content
from sayso.intent.meaning.noun_words import LONGEST_RELATION, RELATIONS
from sayso.intent.meaning.timings import ROUGHLY
from sayso.intent.measures import heading, measure, suits, usual_unit
from sayso.intent.mentions import EVERY_KIND, Mention
from sayso.intent.messages import message
from sayso.intent.parser.tree import SpanNode
from sayso.intent.roles import RoleFinder
from sayso.representation import Description, Relation
from sayso.types import Clause, Role

PARTS = frozenset(("door", "doors"))  # of what opens
MEASURED = frozenset(("direction", "extent"))
EXCHANGED = frozenset(("theme", "recipient", "goal"))  # labels whose words another role may hold: "look for [recipient anna]"
MESSAGES = frozenset(("message", "question", "act"))  # labels
ABOUT, SOMETHING = "about", "something"
THERE = frozenset(("on", "in", "at", "from"))
APPROACHED = frozenset(("next_to", "in_front_of"))
BESIDE = frozenset(("under", "left_of", "right_of", "behind", "in_front_of", "between", "next_to"))
# Of an act that the robot does not have: a later clause may mean its thing.
UNABLE = dict.fromkeys(
    ("theme", "goal", "source", "recipient", "via", "instrument"), RoleSpec(kinds=("object", "place", "person", "words"))
)


class RoleComposer:
    """Fills the roles of an act."""

    def __init__(self, domain: Domain, gazetteer: Gazetteer, roles: RoleFinder, describe: PhraseComposer) -> None:
        self._domain, self._gazetteer, self._roles, self._describe = domain, gazetteer, roles, describe
        self._usual = ByIntent(domain, lambda spec: usual_unit(spec.wordings))
        self._acts = fixed_words(domain)
        self._kinds = {entity: kind for kind, known in domain.by_kind.items() for entity in known}

    def __call__(self, act: SpanNode, intent: str, words: SpannedWords, recent: RecentMentions) -> tuple[list[Role], list[str]]:
        """The roles of an act, and the content words of its spans that fill none.

        Args:
            act: the node; its conditions and times are left to others.
            intent: of the act; empty for an act that the robot does not have.
            words: of the sentence.
            recent: what pronouns may mean.
        """
        specs = self._domain.intents[intent].roles if intent else UNABLE
        roles = self._measured(act, intent, words) if intent else []
        strange: list[str] = []
        near_there: list[Relation] = []  # "get the ball out from behind the sofa"
        for node in act.children:
            if is_around(node):
                continue
            if node.label in MEASURED and intent:
                strange += self._unmeasured(node, words, intent, roles)
                continue
            recent = self._with_owners(node, words, recent)
            role = self._filled(node, act, words, specs, roles, recent)
            # "go past the sofa": the robot goes to places, not past them
            strange += [words.words[node.first - 1].text] if role is not None and node.label == "via" else []
            of_thing = role is None and node.label == "source" and act.child("theme") is not None
            if of_thing and (there := self._describe(node, words)).kind == "place":
                near_there.append(Relation("from", (there.description,)))  # "hand me the lemon from the dining table"
                continue
            if role is None and (person := self._person_at(node, words, roles)) is not None:
                roles = [person if other.name == person.name else other for other in roles]
                continue
            if role is None:
                known = self._acts[intent] if intent else frozenset[str]()  # "go to the dock", to charge
                strange += (word for word in words.content(node) if word not in known | PLACE_PRONOUNS and word != SOMETHING)
                continue
            said_before = preposition(words, act, node)
            beside = RELATIONS.get(said_before)
            if role.name == "source" and beside in BESIDE and role.description is not None:
                near_there.append(Relation(beside, (role.description,)))
                continue
            roles = _added(roles, all_of(role, recent.fixtures))
            near = beside in APPROACHED and intent == "go_to"  # as near as it can
            if role.name == "goal" and role.kind == "place" and role.entity and beside in BESIDE and not near:
                strange += said_before  # the robot goes to furniture, and puts things on it
        roles = self.placed(intent, _contained(self._domain, with_relations(roles, near_there)))
        if intent and "message" in specs and not any(child.label in MESSAGES for child in act.children):
            piece = ClauseSpan(*words.span(act), words.of(act))
            roles += message(words.whole, piece, self._domain.intents[intent], roles)
        return [*in_order(roles)], strange

    def lasting(self, clause: Clause) -> Clause:
        """The clause with its duration as its amount, if it has a role for one: "wait for a minute". Of a turn it is no angle."""
        specs = self._domain.intents[clause.intent].roles if clause.modifiers.mood == "request" else {}
        name = next((name for name, spec in specs.items() if "quantity" in spec.kinds), "")
        time, usual = next((each for each in clause.modifiers.timings if each.kind == "for"), None), self._usual[clause.intent]
        if not name or time is None or (clause.role(name) is not None and (usual is None or usual.si == "s")):
            return clause
        value = time.seconds if usual is None or usual.si == "s" else math.nan
        amount = Role(name, time.text, time.start, time.end, kind="quantity", score=1.0, value=value, unit="s")
        timings = tuple(each for each in clause.modifiers.timings if each is not time)
        others = tuple(role for role in clause.roles if role.name != name)
        return replace(clause, roles=(*others, amount), modifiers=replace(clause.modifiers, timings=timings))

    def _measured(self, act: SpanNode, intent: str, words: SpannedWords) -> list[Role]:
        """The direction and the amount of an act, which its verb may hold too: "a half turn"."""
        start, _ = words.span(act)
        text = ""
        for word in words.of(act, [child for child in act.children if child.label not in MEASURED]):
            text = text.ljust(word.start - start) + word.text
        found = []
        for name, spec in self._domain.intents[intent].roles.items():
            if "direction" in spec.kinds and (way := heading(text)):
                span = start + way.start, start + way.end
                found.append(Role(name, text[way.start : way.end], *span, way.direction, "direction", 1.0, ((way.direction, 1.0),)))
            if "quantity" in spec.kinds and (much := measure(text, self._usual[intent])):
                value = much.value if suits(much, self._usual[intent]) else math.nan
                span = start + much.start, start + much.end
                found.append(Role(name, text[much.start : much.end], *span, kind="quantity", score=1.0, value=value, unit=much.unit))
        return found

    def _unmeasured(self, node: SpanNode, words: SpannedWords, intent: str, measured: Sequence[Role]) -> tuple[str, ...]:
        """The words of a direction or an amount that no value explains; "a left turn" of a turn says nothing more than "left"."""
        explained = {at for role in measured for at in range(role.start, role.end)}
        known = ROUGHLY if node.label == "extent" else self._acts[intent]
        return content(word for word in words.of(node) if word.start not in explained and word.text not in known)

    def _filled(
        self,
        node: SpanNode,
        act: SpanNode,
        words: SpannedWords,
        specs: Mapping[str, RoleSpec],
        filled: Sequence[Role],
        recent: RecentMentions,
    ) -> Role | None:
        """The role that a span fills: the one of its label, or else a free one for what it denotes; None if there is none."""
        name = "message" if node.label in MESSAGES else node.label
        if name == "via" and act.child("goal") is None and "goal" in specs:
            name = "goal"
        if name not in specs:
            name = self._other_role(node, words, specs, filled)
        if not name:
            return None
        if set(specs[name].kinds) == {"words"}:
            return _message(name, node, act, words)
        if not set(specs[name].kinds) & EVERY_KIND:
            return None
        role = self._entity(name, specs[name], self._describe(node, words), recent)
        beside = RELATIONS.get(preposition(words, act, node))
        if (
            name == "goal"
            and "place" in specs[name].kinds
            and role.description is not None
            and beside
            and (role.kind != "place" or not role.entity or (beside == "between" and role.description.parts))
        ):
            things = self._beside(role.description, filled, recent)
            if things or role.description.parts:
                text = f"{beside.replace('_', ' ')} {role.description.text}"
                described = role.description if role.description.parts else replace(role.description, candidates=things)
                return somewhere(name, beside, described, text, role.description.start)
        return role

    def _beside(self, described: Description, filled: Sequence[Role], recent: RecentMentions) -> tuple[tuple[str, float], ...]:
        """What something is put beside, (entity, score): of "the red cup next to the blue one", a cup."""
        if described.pronoun != "one":
            return described.candidates or tuple((link.entity, link.score) for link in recent.theme if described.pronoun)
        thing = next((role.entity for role in filled if role.name == "theme"), recent.theme[0].entity if recent.theme else "")
        alike = {link.entity: link.score for link in self._gazetteer.alike(thing) if link.entity != thing}
        told = tuple(pair for pair in described.candidates if pair[0] in alike)
        return told or described.candidates or tuple(alike.items())

    def _other_role(self, node: SpanNode, words: SpannedWords, specs: Mapping[str, RoleSpec], filled: Sequence[Role]) -> str:
        """A free role for the words of a label that the intent does not have; never where something is to be found."""
        found = self._describe(node, words)
        kind = "person" if _pronoun(found.core) == "speaker" else found.kind
        if node.label not in EXCHANGED and kind != "person":
            return ""
        free = (name for name, spec in specs.items() if kind in spec.kinds and all(role.name != name for role in filled))
        return min((name for name in free if name != "source"), key=lambda name: not specs[name].required, default="")

    def _person_at(self, node: SpanNode, words: SpannedWords, roles: Sequence[Role]) -> Role | None:
        """The person of an act, who is where its place says: "meet ben at the sofa"; None if it is no place, or there is no person."""
        place = self._describe(node, words) if node.label in ("goal", "source") else None
        if place is None or place.kind != "place":
            return None
        person = next((role for role in roles if role.kind == "person" and role.description is not None), None)
        if person is None or person.description is None or person.description.pronoun in SPEAKER:
            return None
        relations = (*person.description.relations, Relation("at", (place.description,)))
        return replace(person, description=replace(person.description, relations=relations))

    def _with_owners(self, node: SpanNode, words: SpannedWords, recent: RecentMentions) -> RecentMentions:
        """The mentions with the person whose thing it is: "anna's book … to her"."""
        for owner in node.all(lambda each: each.label == "owner"):
            name = tuple(word.text.removesuffix("'s") for word in words.of(owner))
            links = self._gazetteer.link(name, frozenset(("person",)))
            recent = replace(recent, person=links) if links else recent
        return recent

    def _entity(self, name: str, spec: RoleSpec, phrase: DescribedPhrase, recent: RecentMentions) -> Role:
        """The role with what its words denote by name, kind and attributes."""
        kinds, described = frozenset(spec.kinds) & EVERY_KIND, phrase.description
        place = recent.place[0].entity if recent.place else ""
        if described.parts:
            found = next((part.candidates for part in described.parts if part.candidates), ())
        elif described.head in PARTS and not described.unknown and not described.relations and self._domain.able(place, "opens"):
            found = ((place, 1.0),)  # "take the milk out of the fridge and close the door"
            described = replace(described, candidates=found)
        else:
            found = self._there(described, self._surfaces(spec, self._denoted(spec, phrase, recent)))
            described = replace(described, candidates=found) if found else described
            if not found and len(described.candidates) == 1 and "words" not in spec.kinds:
                found = described.candidates  # of another kind: "I don't know Anna" would not be true
        if found:
            kind = self._kinds[found[0][0]]
        else:
            fallback = "words" if "words" in spec.kinds else next(each for each in spec.kinds if each in EVERY_KIND)
            kind = phrase.kind if phrase.kind in kinds else fallback
        entity, score = found[0] if found else ("", 0.0)
        return Role(name, described.text, described.start, described.end, entity, kind, score, found, description=described)

    def _denoted(self, spec: RoleSpec, phrase: DescribedPhrase, recent: RecentMentions) -> tuple[tuple[str, float], ...]:
        """(entity, score) of all that the phrase may denote, best first."""
        pronoun = _pronoun(phrase.core)
        if pronoun == "thing" and frozenset(spec.kinds) & EVERY_KIND == {"person"}:
            pronoun = "person"  # "find anna and lead them to the kitchen"
        links = self._roles.links(Mention(phrase.core, "", pronoun), spec, recent) if phrase.core else ()
        found = tuple((link.entity, link.score) for link in links)
        fitting = tuple(pair for pair in phrase.description.candidates if self._kinds.get(pair[0]) in spec.kinds)
        if phrase.description.excluded:
            return fitting  # "everything except the laptop"
        if phrase.description.quantity == "other":
            return found  # without the one that was spoken of
        like_another = phrase.description.pronoun == "one" and found  # "the red one", after a book
        return fitting if fitting and not pronoun and not like_another else found

    def placed(self, intent: str, roles: list[Role]) -> list[Role]:
        """The roles of an intent, with the place that tells a thing apart as the source: "the cup on the table" is taken from there.

        So a sentence means the same, whether its place was read as a role or as a restriction.
        """
        specs = self._domain.intents[intent].roles if intent else UNABLE
        theme = next((role for role in roles if role.name == "theme" and role.description is not None and role.description.relations), None)
        if theme is None or theme.description is None or not theme.description.candidates:
            return _from_there(roles)  # "everything on the table" is what is there
        if "source" not in specs or any(role.name == "source" for role in roles):
            return roles
        last = theme.description.relations[-1]
        mark = last.landmarks[0] if last.name in THERE and not last.negated else None
        if mark is None or not mark.candidates or self._kinds.get(mark.candidates[0][0]) != "place" or mark.parts:
            return roles
        entity, score = mark.candidates[0]
        source = Role("source", mark.text, mark.start, mark.end, entity, "place", score, mark.candidates, description=mark)
        left = theme.description.relations if theme.description.order else theme.description.relations[:-1]
        bare = replace(theme, description=replace(theme.description, relations=left))
        return [*(bare if role is theme else role for role in roles), source]

    def _there(self, described: Description, found: tuple[tuple[str, float], ...]) -> tuple[tuple[str, float], ...]:
        """Of furniture that which stands in the room that the phrase names, if there is some."""
        rooms = {entity for link in described.relations for mark in link.landmarks for entity, _ in mark.candidates}
        places = self._domain.places
        inside = tuple(pair for pair in found if pair[0] in places and places[pair[0]].inside and self._domain.room_of(pair[0]) in rooms)
        return inside or found

    def _surfaces(self, spec: RoleSpec, found: tuple[tuple[str, float], ...]) -> tuple[tuple[str, float], ...]:
        """Of places where something is to be put those on which things can stand, if there are such."""
        takes = tuple(pair for pair in found if pair[0] in self._domain.places and self._domain.places[pair[0]].takes)
        return takes if spec.surface and takes else found


def in_order(roles: Iterable[Role]) -> tuple[Role, ...]:
    """The roles in the order of the words."""
    return tuple(sorted(roles, key=lambda role: (role.start, role.name)))


def _added(roles: Sequence[Role], role: Role) -> list[Role]:
    """The roles with another one; a second span of a role is part of it."""
    before = next((other for other in roles if other.name == role.name), None)
    if before is None or before.description is None or role.description is None:
        return [*roles, role] if before is None else [*roles]
    joined = replace(before, description=both(before.description, role.description))
    return [joined if other is before else other for other in roles]


def _message(name: str, node: SpanNode, act: SpanNode, words: SpannedWords) -> Role | None:
    """Words to be said; None for "something", which says that there are some."""
    inner = node.child("message")
    if inner is not None and not {word.text for word in words.of(node, [inner])} <= set(map(str.strip, ARTICLES)):
        node = inner  # "that dinner is ready"
    before = words.words[node.first - 1].text if node.first > act.first else ""
    first = node.first - (before in (ABOUT, "to"))  # a topic is no message; "tell ben to come"
    own = words.words[first : node.last + 1]
    if said(own) == SOMETHING:
        return None
    return Role(name, said(own), own[0].start, own[-1].end, kind="words", score=1.0)


def with_relations(roles: Sequence[Role], relations: Sequence[Relation]) -> list[Role]:
    """The roles, whose thing is told apart by these places too; without a thing, the person, who is there."""
    name = "theme" if any(role.name == "theme" for role in roles) else "recipient"
    found = []
    for role in roles:
        described = role.description if role.name == name else None
        more = replace(described, relations=(*described.relations, *relations)) if described is not None else role.description
        found.append(replace(role, description=more))
    return found


def _contained(domain: Domain, roles: list[Role]) -> list[Role]:
    """The roles, with a thing as the source as the place of the thing in it: "take the apple out of the bowl"."""
    source = next((role for role in roles if role.name == "source" and role.kind != "place" and role.description is not None), None)
    theme = next((role for role in roles if role.name == "theme" and role.description is not None), None)
    if source is None or theme is None or source.description is None or theme.description is None:
        return roles
    if not source.description.candidates or not all(entity in domain.objects for entity, _ in source.description.candidates):
        return roles
    return with_relations([role for role in roles if role is not source], (Relation("in", (source.description,)),))


def _from_there(roles: list[Role]) -> list[Role]:
    """The roles; things that only their place tells are those that are there: "everything from the kitchen table"."""
    theme, source = (next((role for role in roles if role.name == name), None) for name in ("theme", "source"))
    if theme is None or source is None or theme.description is None or source.description is None or source.kind != "place":
        return roles
    told = theme.description.head or theme.description.relations or theme.description.candidates or not theme.description.plural
    return roles if told else with_relations(roles, (Relation("from", (source.description,)),))


def preposition(words: SpannedWords, act: SpanNode, node: SpanNode) -> tuple[str, ...]:
    """The words before a span that name a relation, with those of its own that belong to it: "in [goal front of the couch]"."""
    for own in range(LONGEST_RELATION - 1, -1, -1):
        last = tuple(word.text for word in words.words[act.first : node.first + own])
        found = next((last[-n:] for n in range(min(LONGEST_RELATION, len(last)), own, -1) if last[-n:] in RELATIONS), ())
        if found:
            return found
    return ()


def _pronoun(words: Sequence[Word]) -> str:
    """The class of a pronoun that stands alone; empty for other words."""
    if len(words) != 1 and not (words and words[-1].text in PLACE_PRONOUNS and not any(carries_content(word.text) for word in words[:-1])):
        return ""
    word = words[-1].text
    if word in SPEAKER:
        return "speaker"
    if word == "there":
        return "there"
    return "thing" if word in THING_PRONOUNS else "person" if word in PERSON_PRONOUNS else ""
