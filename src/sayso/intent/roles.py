"""Who, what, from where, to where: the phrases of a clause as roles of its intent, linked to the domain."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sayso.domain import Domain
from sayso.domain.model import IntentSpec, RoleSpec
from sayso.intent.clauses import ClauseSpan
from sayso.intent.discourse import RecentMentions
from sayso.intent.gazetteer import ANYTHING, EntityLink, Gazetteer
from sayso.intent.grammar import DETERMINERS
from sayso.intent.measures import heading, measure, usual_unit
from sayso.intent.mentions import EVERY_KIND, Mention, MentionFinder
from sayso.intent.messages import message
from sayso.types import Role

# Which role a preposition speaks for, the likeliest first; what the words may be linked to decides among them.
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
THAT_ONE = frozenset({("that", "one"), ("this", "one"), ("that", "thing"), ("this", "thing"), ("the", "same"), ("the", "same", "one")})
OTHER = frozenset({"other", "another"})
INSIDE = frozenset(("in", "on", "at", "of"))


@dataclass(frozen=True, slots=True)
class TaggedRole:
    """What a tagger takes some words of a clause for."""

    role: str
    start: int  # first character
    end: int  # one past the last


class RoleFinder:
    """Fills the roles of an intent from the words of a clause."""

    def __init__(self, domain: Domain, gazetteer: Gazetteer, verbs: frozenset[str]) -> None:
        self._domain = domain
        self._gazetteer = gazetteer
        self._mentions = MentionFinder(verbs, gazetteer)
        self._usual = {name: usual_unit(spec.examples) for name, spec in domain.intents.items()}

    def __call__(
        self, text: str, piece: ClauseSpan, intent: str, said: RecentMentions, told: tuple[TaggedRole, ...] | None = None
    ) -> tuple[tuple[Role, ...], int]:
        """The roles that the clause fills, in the order of the words, and how many things it names that fill none.

        Args:
            text: the whole utterance, normalised; spans count its characters.
            piece: the clause in it.
            intent: whose roles are to be filled.
            said: what the clauses before spoke of.
            told: what a tagger takes the words of the clause for; None where there is none: prepositions alone decide.
        """
        spec = self._domain.intents[intent]
        roles = self._measures(text, piece, intent, spec)
        taken = [(role.start, role.end) for role in roles]
        entities: list[Role] = []
        idle: list[Mention] = []
        mentions = self._mentions(piece.words)
        takes = {mention: _taken_for(mention, told or ()) for mention in mentions}
        for mention in sorted(mentions, key=lambda mention: (told is not None and takes[mention] is None, self._bare(mention))):
            start, end = mention.words[0].start, mention.words[-1].end
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            if told is not None and takes[mention] is None and not _refers(mention) and not self._gazetteer.link(mention.text, EVERY_KIND):
                continue  # part of a phrase that the tagger has understood, as "the far end of" the table
            if not self._narrowed(mention, entities):
                role = self._role(text, mention, spec, entities, said, takes[mention])
                if role is not None:
                    entities.append(role)
                else:
                    idle.append(mention)
        roles += entities
        roles += message(text, piece, spec, roles)
        unused = sum(self._tells(mention) and not _covered(mention, roles) for mention in idle)
        return tuple(sorted(roles, key=lambda role: (role.start, role.name))), unused

    def _bare(self, mention: Mention) -> bool:
        """A word that nothing is known of and that no article or preposition makes a thing: what is sure comes before it."""
        bare = not mention.pronoun and not mention.preposition and mention.text[0] not in DETERMINERS
        return bare and not self._gazetteer.link(mention.text, EVERY_KIND)

    def _tells(self, mention: Mention) -> bool:
        """Whether the mention speaks of something that is known for sure; "for me" is mere courtesy."""
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
                roles.append(Role(name, text[slice(*span)], *span, kind="quantity", score=1.0, value=much.value, unit=much.unit))
        return roles

    def _role(
        self, text: str, mention: Mention, spec: IntentSpec, filled: list[Role], said: RecentMentions, told: TaggedRole | None
    ) -> Role | None:
        """The role that the mention fills, or None where the intent has none left for it."""
        free = [name for name in spec.roles if all(role.name != name for role in filled)]
        if mention.joined and filled:
            free = [filled[-1].name]
        preferred = [name for name in PREFERENCE.get(mention.preposition, ()) if name in free]
        if told is not None and told.role in free:
            preferred = [told.role, *(name for name in preferred if name != told.role)]
        others = [name for name in free if name not in preferred and mention.preposition not in {"from", "about"}]
        links = {name: self._links(mention, spec.roles[name], said) for name in (*preferred, *others)}
        name = next((name for name in (*preferred, *others) if links[name]), "")
        if not name and mention.pronoun in {"person", "speaker"}:
            return None
        if not name:
            linkable = self._gazetteer.link(mention.text, EVERY_KIND) if not mention.pronoun else ()
            if not linkable and any(set(role.kinds) == {"words"} for role in spec.roles.values()):
                return None  # part of what is to be said
            # An unknown thing is said to be one, never replaced; a known thing of another kind is no such role.
            of_entities = [name for name in preferred if set(spec.roles[name].kinds) & EVERY_KIND]
            if self._bare(mention) and (not spec.roles[of_entities[0]].required if of_entities else True):
                return None
            if not of_entities or (linkable and mention.preposition != "" and len(of_entities) > 1):
                return None
            name = of_entities[0]
        role = _linked(text, mention, name, spec.roles[name], links[name])
        if told is not None and not role.entity and not mention.pronoun:  # of an unknown thing the tagger knows better where its name ends
            role = replace(role, start=told.start, end=told.end, text=text[told.start : told.end])
        return role

    def _links(self, mention: Mention, role: RoleSpec, said: RecentMentions) -> tuple[EntityLink, ...]:
        kinds = frozenset(role.kinds) & EVERY_KIND
        if mention.pronoun == "speaker":
            return (EntityLink(self._domain.speaker, "person", 1.0),) if "person" in kinds else ()
        if mention.pronoun == "there":
            return said.place if "place" in kinds else ()
        if mention.pronoun == "person":
            return said.person if "person" in kinds else (said.theme if mention.text == ("them",) and "object" in kinds else ())
        if mention.pronoun == "thing":
            return tuple(link for link in said.theme if link.kind in kinds)
        theme = said.theme[0].entity if said.theme else ""
        if mention.text in THAT_ONE:
            return tuple(link for link in said.theme if link.kind in kinds)
        if OTHER & set(mention.text):
            words = tuple(word for word in mention.text if word != "other")
            alike = self._gazetteer.alike(theme) if words[-1] in ANYTHING else self._gazetteer.link(words, kinds, theme)
            spoken_of = {link.entity for link in (*said.theme[:1], *said.place[:1])}
            return tuple(link for link in alike if link.entity not in spoken_of and link.kind in kinds)
        found = self._gazetteer.link(mention.text, kinds, theme)
        if role.surface:  # where there is a choice, things are put where they can stand
            surfaces = tuple(link for link in found if self._domain.places[link.entity].surface)
            return surfaces or found
        return found

    def _narrowed(self, mention: Mention, filled: list[Role]) -> bool:
        """Whether it only says which place is meant: of "the table in the kitchen" the room is no role of its own."""
        if mention.preposition not in INSIDE or not filled or filled[-1].kind != "place":
            return False
        rooms = [link.entity for link in self._gazetteer.link(mention.text, frozenset(("place",)))]
        last = filled[-1]
        inside = tuple(pair for pair in last.candidates if self._domain.places[pair[0]].inside and self._domain.room_of(pair[0]) in rooms)
        if not inside:
            return False
        end = mention.words[-1].end
        filled[-1] = Role(last.name, last.text, last.start, last.end, inside[0][0], last.kind, inside[0][1], inside)
        return end > last.end


def _refers(mention: Mention) -> bool:
    """Whether it means something that was spoken of, or something else of its kind."""
    return bool(mention.pronoun) or mention.text in THAT_ONE or bool(OTHER & set(mention.text))


def _taken_for(mention: Mention, told: tuple[TaggedRole, ...]) -> TaggedRole | None:
    """What the tagger takes the mention for: that which most of its words are, determiners aside."""
    words = [word for word in mention.words if word.text not in DETERMINERS] or list(mention.words)
    shares = [(sum(one.start <= word.start < one.end for word in words), -index, one) for index, one in enumerate(told)]
    share, _, best = max(shares, default=(0, 0, None))
    return best if share else None


def _covered(mention: Mention, roles: list[Role]) -> bool:
    return any(role.start <= mention.words[0].start and mention.words[-1].end <= role.end for role in roles)


def _linked(text: str, mention: Mention, name: str, role: RoleSpec, links: tuple[EntityLink, ...]) -> Role:
    start, end = mention.words[0].start, mention.words[-1].end
    fallback = "words" if "words" in role.kinds else next((kind for kind in role.kinds if kind in EVERY_KIND), role.kinds[0])
    kind, entity, score = (links[0].kind, links[0].entity, links[0].score) if links else (fallback, "", 0.0)
    return Role(name, text[start:end], start, end, entity, kind, score, tuple((link.entity, link.score) for link in links))
