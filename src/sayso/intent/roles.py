"""Fills the roles of an intent (who, what, from where, to where) from the phrases of a clause, linked to the domain."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sayso.domain import Domain
from sayso.domain.intents import IntentSpec, RoleSpec
from sayso.intent.by_intent import ByIntent
from sayso.intent.clauses import ClauseSpan
from sayso.intent.discourse import RecentMentions
from sayso.intent.fixed_words import FixedWords
from sayso.intent.gazetteer import ANYTHING, COMPOSED, EntityLink, Gazetteer
from sayso.intent.grammar import DETERMINERS, PRESENTING, after_lead_in
from sayso.intent.measures import heading, measure, suits, usual_unit
from sayso.intent.mentions import EVERY_KIND, Mention, MentionFinder
from sayso.intent.messages import message
from sayso.types import Role

# Roles that a preposition may mark, most likely first; the first that the words can fill wins.
PREFERENCE = {
    "from": ("source",),
    "to": ("goal", "recipient"),
    "on": ("goal", "source", "theme"),
    "in": ("goal", "source", "theme"),
    "at": ("goal", "source", "recipient"),
    "for": ("recipient", "theme"),
    "with": ("recipient", "theme"),
    "of": ("theme",),
    "about": (),
    "": ("theme", "recipient", "goal", "source"),
}
USUAL_NAMES = frozenset(name for names in PREFERENCE.values() for name in names)
USUAL_NAMES_BY_KIND = {"place": "goal", "object": "theme", "person": "recipient"}
THAT_ONE = frozenset({("that", "one"), ("this", "one"), ("that", "thing"), ("this", "thing"), ("the", "same"), ("the", "same", "one")})
OTHER = frozenset({"other", "another"})
_PLACES, _PERSONS = frozenset(("place",)), frozenset(("person",))
INSIDE = frozenset(("in", "on", "at", "of"))


class RoleFinder:
    """Fills the roles of an intent from the words of a clause."""

    def __init__(self, domain: Domain, gazetteer: Gazetteer, verbs: frozenset[str]) -> None:
        self._domain = domain
        self._gazetteer = gazetteer
        self._mentions = MentionFinder(verbs, gazetteer)
        self._fixed = FixedWords(domain, gazetteer)
        self._frames = self._fixed.frames
        self._usual = ByIntent(domain, lambda spec: usual_unit(spec.wordings))

    def __call__(self, text: str, piece: ClauseSpan, intent: str, recent: RecentMentions) -> tuple[tuple[Role, ...], int]:
        """The roles that the clause fills, in the order of the words, and the number of known mentions and nouns that fill none.

        A known entity of the wrong kind ("pick up anna") takes the role that its place in the sentence marks; `misfits` counts these.

        Args:
            text: the whole utterance, normalised; spans refer to its characters.
            piece: the clause in it.
            intent: the intent whose roles to fill.
            recent: mentions of the previous clauses.
        """
        spec = self._domain.intents[intent]
        roles = self._measures(text, piece, intent, spec)
        used = [(role.start, role.end) for role in roles]
        entities: list[Role] = []
        idle: list[Mention] = []
        beyond = self._fixed.beyond(intent, self._mentions(piece.words), piece.start)
        mentions = self._fillers(intent, beyond)
        if self._presents(piece):
            mentions = self._presented(spec, mentions)
        for mention in sorted(mentions, key=self._bare):
            start, end = mention.words[0].start, mention.words[-1].end
            if any(start < other_end and other_start < end for other_start, other_end in used):
                continue
            if not self._narrowed(mention, entities):
                role = self._role(text, mention, intent, entities, recent)
                if role is not None:
                    entities.append(role)
                else:
                    idle.append(mention)
        roles += entities
        roles += message(text, piece, spec, roles)
        unused = sum(self._is_known(mention) and not _covered(mention, roles) for mention in idle) + len(beyond) - len(mentions)
        return tuple(sorted(roles, key=lambda role: (role.start, role.name))), unused

    def explain(self, intent: str, word: str) -> bool:
        """Whether the word belongs to the act, in whatever form."""
        return self._fixed.explain(intent, word)

    def prepare(self) -> None:
        """Compute now what the first clause of each intent would need."""
        self._fixed.prepare()
        for intent in self._domain.intents:
            _ = self._usual[intent]

    def _fillers(self, intent: str, mentions: list[Mention]) -> list[Mention]:
        """The mentions without unknown nouns beside a known place, if the examples have such nouns: "sweep the crumbs up in the hall"."""
        spec, frames = self._domain.intents[intent], self._frames[intent]
        if any({"object", "words"} & set(role.kinds) for role in spec.roles.values()):
            return mentions  # there, an unknown noun may be what is meant
        placed = any(
            (mention.preposition == preposition or {mention.preposition, preposition} <= INSIDE)
            and self._gazetteer.link(mention.text, frozenset(spec.roles[role].kinds) & EVERY_KIND)
            for role, preposition in frames.after_noun
            for mention in mentions
        )
        return [each for each in mentions if not placed or each.preposition or each.pronoun or self._gazetteer.link(each.text, EVERY_KIND)]

    def ungoverned(self, piece: ClauseSpan, spec: IntentSpec, roles: Iterable[Role]) -> int:
        """The number of names that fill no role where another intent has one.

        A place to which a thing is to go: "take the cup from the desk to the table" is no pick-up. The person whom a verb of place or
        direction has as its object: "face anna" is no turn.
        """
        spans = [(role.start, role.end) for role in roles]
        kinds = {kind for role in spec.roles.values() for kind in role.kinds}
        moved = "goal" not in spec.roles and any(role.name == "theme" and role.kind == "object" for role in roles)
        headed = "person" not in kinds and bool({"direction", "place"} & kinds)
        verb = after_lead_in([word.text for word in piece.words])
        found = 0
        for mention in self._mentions(piece.words):
            if mention.pronoun or any(start <= mention.words[0].start < end for start, end in spans):
                continue
            goal = moved and mention.preposition == "to" and self._names(mention, _PLACES)
            object_ = headed and piece.words[verb + 1 : verb + 2] == mention.words[:1] and self._names(mention, _PERSONS)
            found += goal or object_
        return found

    def _names(self, mention: Mention, kinds: frozenset[str]) -> bool:
        """Whether the mention is a name of these kinds."""
        return any(link.score >= COMPOSED for link in self._gazetteer.link(mention.text, kinds))

    def _presents(self, piece: ClauseSpan) -> bool:
        """Whether one person is presented to another: "introduce anna to ben"."""
        words = [word.text for word in piece.words]
        verb = after_lead_in(words) if words else 0
        return words[verb : verb + 1] in ([each] for each in PRESENTING) and "to" in words[verb:]

    def _presented(self, spec: IntentSpec, mentions: list[Mention]) -> list[Mention]:
        """The mentions without whom it presents, if that is no role but what is told: "introduce her to everybody"."""
        kinds = {kind for name, role in spec.roles.items() if name != "recipient" for kind in role.kinds}
        return [mention for mention in mentions if mention.preposition or "person" in kinds]

    def _bare(self, mention: Mention) -> bool:
        """Whether an unknown word has no article or preposition that marks it as a noun; such mentions come last."""
        bare = not mention.pronoun and not mention.preposition and mention.text[0] not in DETERMINERS
        return bare and not self._gazetteer.link(mention.text, EVERY_KIND)

    def _is_known(self, mention: Mention) -> bool:
        """Whether the mention refers to something known; "for me" is only politeness."""
        if mention.pronoun == "speaker" and mention.preposition == "for":
            return False
        return bool(mention.pronoun) or bool(self._gazetteer.link(mention.text, EVERY_KIND))

    def _measures(self, text: str, piece: ClauseSpan, intent: str, spec: IntentSpec) -> list[Role]:
        words = text[piece.start : piece.end]
        roles = []
        for name, role in spec.roles.items():
            if "direction" in role.kinds and (way := heading(words)):
                span = (piece.start + way.start, piece.start + way.end)
                roles.append(Role(name, text[slice(*span)], *span, way.direction, "direction", 1.0, ((way.direction, 1.0),)))
            if "quantity" in role.kinds and (much := measure(words, self._usual[intent])):
                span = (piece.start + much.start, piece.start + much.end)
                value = much.value if suits(much, self._usual[intent]) else math.nan
                roles.append(Role(name, text[slice(*span)], *span, kind="quantity", score=1.0, value=value, unit=much.unit))
        return roles

    def _role(self, text: str, mention: Mention, intent: str, filled: list[Role], recent: RecentMentions) -> Role | None:
        """The role that the mention fills, or None if the intent has no role left for it."""
        spec, frames = self._domain.intents[intent], self._frames[intent]
        free = [name for name in spec.roles if all(role.name != name for role in filled)]
        if mention.joined and filled:
            free = [filled[-1].name]
        preferred = [name for usual in PREFERENCE.get(mention.preposition, ()) for name in free if _usual_name(name, spec) == usual]
        preferred += [name for name in frames.marked_by(mention.preposition) if name in free and name not in preferred]
        others = [name for name in free if name not in preferred and mention.preposition not in {"from", "about"}]
        if mention.preposition == "for":  # "for my drawing" is neither where from nor where to
            others = [name for name in others if _usual_name(name, spec) not in ("source", "goal")]
        if mention.preposition == "to":
            others = [name for name in others if _usual_name(name, spec) != "source"]
        links = {name: self.links(mention, spec.roles[name], recent) for name in (*preferred, *others)}
        name = next((name for name in (*preferred, *others) if links[name]), "")
        if not name and mention.pronoun in {"person", "speaker"}:
            return None
        name = name or self._unlinked(mention, intent, preferred)
        if not name:
            return None
        return _linked(text, mention, name, spec.roles[name], links[name] or self._of_other_kind(mention))

    def _unlinked(self, mention: Mention, intent: str, preferred: list[str]) -> str:
        """The role of a mention that links to nothing suitable; empty for none.

        An unknown name stays unlinked, never replaced; a known entity of another kind does not fill the role.
        """
        spec, frames = self._domain.intents[intent], self._frames[intent]
        linkable = bool(self._gazetteer.link(mention.text, EVERY_KIND)) and not mention.pronoun
        if not linkable and any(set(role.kinds) == {"words"} for role in spec.roles.values()):
            return ""  # part of a message
        able = [name for name in preferred if set(spec.roles[name].kinds) & EVERY_KIND]
        if not mention.preposition and not mention.pronoun:
            able = [name for name in able if frames.may_be_bare(name)]
        if linkable and len(able) > 1 and self._names(mention, _PLACES):  # "into the sink": no place is a person
            able = [name for name in able if set(spec.roles[name].kinds) != {"person"}]
        if not able or (linkable and mention.preposition != "" and len(able) > 1):
            return ""
        return "" if self._bare(mention) and not spec.roles[able[0]].required else able[0]

    def _of_other_kind(self, mention: Mention) -> tuple[EntityLink, ...]:
        """The one entity that the mention names although it cannot fill the role: "I don't know Anna" would not be true."""
        links = self._gazetteer.link(mention.text, EVERY_KIND) if not mention.pronoun else ()
        return links if len(links) == 1 and links[0].score >= COMPOSED else ()

    def links(self, mention: Mention, role: RoleSpec, recent: RecentMentions) -> tuple[EntityLink, ...]:
        """What a mention may denote in a role, best first: by its name, or as a pronoun."""
        kinds = frozenset(role.kinds) & EVERY_KIND
        if mention.pronoun == "speaker":
            return (EntityLink(self._domain.speaker, "person", 1.0),) if "person" in kinds else ()
        if mention.pronoun == "there":
            return recent.place if "place" in kinds else ()
        if mention.pronoun == "person":
            return recent.person if "person" in kinds else (recent.theme if mention.text == ("them",) and "object" in kinds else ())
        if mention.pronoun == "thing" and "place" in kinds and recent.fixture:
            return recent.fixture
        if mention.pronoun == "thing":
            return tuple(link for link in recent.theme if link.kind in kinds)
        theme = recent.theme[0].entity if recent.theme else ""
        if mention.text in THAT_ONE:
            return tuple(link for link in recent.theme if link.kind in kinds)
        if OTHER & set(mention.text):
            words = tuple(word for word in mention.text if word != "other")
            alike = self._gazetteer.alike(theme) if not words or words[-1] in ANYTHING else self._gazetteer.link(words, kinds, theme)
            spoken_of = {link.entity for link in (*recent.theme[:1], *recent.place[:1])}
            return tuple(link for link in alike if link.entity not in spoken_of and link.kind in kinds)
        found = self._gazetteer.link(mention.text, kinds, theme)
        if role.surface:  # prefer surfaces
            surfaces = tuple(link for link in found if self._domain.places[link.entity].takes)
            return surfaces or found
        return found

    def _narrowed(self, mention: Mention, filled: list[Role]) -> bool:
        """Whether the mention only narrows the previous one: in "the table in the kitchen" the room fills no role."""
        if mention.preposition not in INSIDE or not filled or filled[-1].kind != "place":
            return False
        rooms = [link.entity for link in self._gazetteer.link(mention.text, frozenset(("place",)))]
        last = filled[-1]
        places = (pair for pair in last.candidates if pair[0] in self._domain.places)  # things of the same name are no places
        inside = tuple(pair for pair in places if self._domain.places[pair[0]].inside and self._domain.room_of(pair[0]) in rooms)
        if not inside:
            return False
        end = mention.words[-1].end
        filled[-1] = Role(last.name, last.text, last.start, last.end, inside[0][0], last.kind, inside[0][1], inside)
        return end > last.end


def _usual_name(name: str, spec: IntentSpec) -> str:
    """The shipped intents' name for a role: a user's own "room" is filled like a goal."""
    if name in USUAL_NAMES:
        return name
    return next((USUAL_NAMES_BY_KIND[kind] for kind in spec.roles[name].kinds if kind in USUAL_NAMES_BY_KIND), name)


def _covered(mention: Mention, roles: list[Role]) -> bool:
    return any(role.start <= mention.words[0].start and mention.words[-1].end <= role.end for role in roles)


def _linked(text: str, mention: Mention, name: str, role: RoleSpec, links: tuple[EntityLink, ...]) -> Role:
    start, end = mention.words[0].start, mention.words[-1].end
    fallback = "words" if "words" in role.kinds else next((kind for kind in role.kinds if kind in EVERY_KIND), role.kinds[0])
    kind, entity, score = (links[0].kind, links[0].entity, links[0].score) if links else (fallback, "", 0.0)
    return Role(name, text[start:end], start, end, entity, kind, score, tuple((link.entity, link.score) for link in links))
