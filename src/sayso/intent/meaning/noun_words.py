"""Closed word classes of English noun phrases: quantities, orders, attributes, relations, and the verbs that decide attachment."""

from __future__ import annotations

from sayso.domain.english import english
from sayso.intent.gazetteer import CONTRASTS
from sayso.intent.grammar import COMMON_VERBS, word_set
from sayso.representation import SIZES, QuantityName, RelationName


def _phrases(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(phrase.split()) for phrase in text.split("; "))


# Longest first where one begins another: the reader tries long phrases before short ones.
SEVERAL, SEVERAL_WORDS = (
    3,
    word_set("few several handful number bunch many loads plenty tons lots lot"),
)  # "a few cups" are three, if there are three
QUANTITIES: dict[tuple[str, ...], QuantityName] = {
    tuple(phrase.split()): name  # type: ignore[misc]
    for name, phrases in {
        "all": "all the; all of the; all of the other; absolutely all the; absolutely all of the; each and every one of the; "
        "every last one of my; every one of my; every one of those; every one of these; each of my; each of those; each of these; "
        "the whole lot of the; the whole lot of those; the whole lot of my; the lot of the; all of my; all of your; all of our; "
        "all of these; all of those; all of; all my; all your; all our; "
        "all these; all those; all; the whole; every one of the; every last one of the; each one of the",
        "every": "every; each; every single; each and every; every last; each single; absolutely every; each of the; each of; every one of",
        "both": "both; both the; both of the; both of; both my; both of my; both these; both of these; both those; both of those",
        "some": "some; some of the; some of my; some of; a few; a few of the; few; several; several of the; a bit of; a little; many; "
        "a few of my; a few of these; a few of those; a few more; a handful of; a handful of the; several of my; a number of; a "
        "bunch of; "
        "a bunch of the; loads of; plenty of; tons of; "
        "half of the; half the; half of; half of my; most of the; most of; most of my; some more; a lot of; lots of; a couple more; more",
        "any": "any; any of the; any of my; any one of the; any one of; any one of these; any one of those; "
        "any of these; any of those; any of your; any of our; any old; one or more of the; either; either the; either of the; "
        "whichever; whatever; which; what; which of the",
        "no": "no; none of the; none of my; none of; not a; not any; no more; neither of the; neither",
        "other": "another; the other; another of the; my other; any other; some other; other; one more; the remaining",
        "a": "a; an; one of the; one of my; one of your; one of these; one of those; one of our; one of his; one of her; one of; "
        "one out of the; one out of those; one out of these; one out of my; just one of the; just one of those; a single; just one; "
        "just a; just one of my; only one; only one of the; only a",
        "the": "the; this; that; these; those; the same; that same; this very",
    }.items()
    for phrase in phrases.split("; ")
}
LONGEST_QUANTITY = max(map(len, QUANTITIES))
FRACTIONS = word_set(
    "half most labelled labeled marked called named filled painted covered wrapped"
)  # of a quantity: the home cannot count them
POSSESSIVES = word_set("my your our his her their its")
COUNTS = {("a", "couple", "of"): 2, ("the", "couple", "of"): 2, ("a", "pair", "of"): 0, ("the", "pair", "of"): 0, ("my", "pair", "of"): 0}
# Before the group that something is chosen from: "the green one out of those bottles".
CHOOSING = _phrases("of; out of; from; from among; from amongst; among; amongst; out of all; from out of")
GROUP_DETERMINERS = word_set("the my your our these those his her their")
DEMONSTRATIVES = word_set("this that these those")
NOT_POSSESSIVE = word_set(
    "it's that's what's where's who's there's here's let's he's she's how's when's everyone's everything's something's"
)

# Order: word → superlative.
SUPERLATIVES = {word: order for order, words in english().superlatives.items() for word in words}
SIDES = {
    "left": "leftmost",
    "right": "rightmost",
    "middle": "middle",
    "centre": "middle",
    "center": "middle",
    "top": "topmost",
    "bottom": "lowest",
}
ORDINALS = {
    word: str(n)
    for n, word in enumerate(["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], start=1)
}
ORDINALS |= {"last": "-1", "final": "-1"}

# Attributes: words that restrict, whether or not the home knows who has them.
ATTRIBUTES = (
    CONTRASTS
    | SIZES.keys()
    | word_set(
        "cyan violet turquoise beige dark light bright striped spotted transparent colourful colorful wooden metal plastic glass paper "
        "leather steel iron cotton woollen woolen ceramic porcelain cardboard rubber stone empty full half open closed clean dirty hot "
        "cold warm cool frozen fresh ripe wet dry broken old new heavy thin thick wide narrow round square rectangular soft hard sharp "
        "used unused sealed opened folded tasty sweet sour salty healthy waving standing sitting lying sleeping young elderly"
    )
)
NOUNS_AS_WELL = word_set("light glass paper iron stone plastic metal cotton leather square cold")  # attributes that can be a head
ACTIONS = word_set(
    "waving raising pointing wearing sleeping dancing singing reading eating drinking smiling working cooking holding talking "
    "labelled labeled marked called named filled painted covered wrapped dressed"
)
# States that follow a noun and are no part of it: "is the fridge closed", "is the lamp switched on".
PREDICATED = word_set("closed locked unlocked bolted switched turned powered ajar running")
# Modifiers that restrict nothing.
IDLE_MODIFIERS = word_set(
    "nice lovely good dear beautiful damn bloody stupid poor whole entire own usual correct very exact single actual said same"
)

COMPOUNDED = word_set("roll rolls cover mop brush iron hoover stand cut clip cover")  # verbs that also end a compound: "the kitchen roll"

# Pronouns and nouns without a kind of their own.
THINGS = dict.fromkeys(["one", "ones", "thing", "things", "object", "objects", "item", "items", "stuff"], "thing")
OPEN: dict[str, QuantityName] = {  # pronouns that describe rather than refer back
    "something": "some", "anything": "any", "everything": "all", "nothing": "no", "all": "all",
    "someone": "some", "anyone": "any", "everyone": "all", "nobody": "no", "somebody": "some", "anybody": "any", "everybody": "all",
}  # fmt: skip
PEOPLE = word_set(
    "someone anyone everyone nobody somebody anybody everybody person people man men woman women guy guys lady ladies girl girls "
    "boy boys "
    "human humans child children kid kids elder elders adult adults gentleman gentlemen guest guests"
)
MANY_PEOPLE = word_set("people men women guys ladies girls boys humans children kids elders adults gentlemen")
REFERRING = word_set("it them him her me us you this that these those there here myself yourself both they he she")
SPEAKERS = word_set("me us myself")
PURPOSE_NOUNS = {noun: verb for verb, nouns in english().purposes.items() for noun in nouns}
CONTAINERS = word_set(
    "cup glass bottle box bag can tin jar bowl plate piece loaf bar carton pack packet slice tube bunch pot mug jug roll tray"
)
EVERYWHERE = word_set("house home flat apartment place household building world")  # where all things are, if the home has no such name
POSTURE_PARTICLES = word_set("up down")  # "lying down", "standing up"
PARTS = word_set("top side middle end edge corner centre center front back rest bottom left right")  # "the end of the table"
# Words that are part of no noun phrase, beside function words and prepositions.
STOPS = word_set(
    "upstairs downstairs home outside inside indoors outdoors nearby else ok okay backwards clockwise counterclockwise anticlockwise "
    "closer further halfway half yet anymore always maybe both seen doing done gone except besides excluding without instead rather "
    "apart aside i've we've you've they've i'd we'd he'd she'd they'd i'll we'll you'll he'll she'll they'll he's she's we're "
    "you're they're"
)
VERB_FORMS = word_set(
    "other goes belongs comes needs wants likes looks seems moved taken carried returned delivered fetched handed given transferred "
    "shifted cleaned washed tidied moving taking"
)  # after a noun, they are no noun: "the cup goes …", "cups other than …"
TIME_NOUNS = word_set(
    "day days morning evening afternoon night noon midnight week weeks weekend month months year years hour hours minute minutes second "
    "seconds moment moments time times monday tuesday wednesday thursday friday saturday sunday today tonight tomorrow yesterday while "
    "color colour colors colours way turn turns circle rotation quarter "
    "meter meters metre metres centimeters degrees degree steps step feet foot bit radians inch inches o'clock pm"
)

RELATIONS: dict[tuple[str, ...], RelationName] = {
    tuple(phrase.split()): name  # type: ignore[misc]
    for name, phrases in {
        "on": "on; on top of; upon; onto; on the top of; atop; up on; over on; down on; out on; right on top of; right on; on the "
        "surface of",
        "in": "in; inside; inside of; within; into; over in; up in; down in; out in; right in; right inside",
        "under": "under; underneath; below; beneath; under the side of; from under; from underneath; from below; from beneath; "
        "out from under; "
        "out from underneath; out from beneath; right under; down under",
        "above": "above; over; from above",
        "next_to": "next to; beside; near; near to; close to; by; right next to; by the side of; at the side of; alongside; "
        "to the side of; right beside; directly next to; nearby; adjacent to; against; around; from next to; from beside; from "
        "near; just by; right by; just beside; just next to; "
        "up against; down by; over by; over next to; down next to; hard by; not far from; a little way from; round; up by",
        "left_of": "left of; to the left of; on the left of; on the left side of; to the left side of; on the left hand side of; "
        "just left of; directly left of; at the left of; "
        "immediately left of; to the immediate left of; just to the left of; on the left hand of; left from; to the left from; "
        "immediately to the left of; directly to the left of; right to the left of; a bit left of; a bit to the left of",
        "right_of": "right of; to the right of; on the right of; on the right side of; to the right side of; on the right hand "
        "side of; just right of; directly right of; at the right of; to the right side of; immediately right of; "
        "to the immediate right of; just to the right of; on the right hand of; right from; to the right from; immediately to the "
        "right of; "
        "directly to the right of; a bit right of; a bit to the right of",
        "behind": "behind; in back of; at the back of; right behind; from behind; out from behind; just behind; round behind; "
        "down behind; "
        "directly behind; in the back of; at the rear of; to the rear of; on the far side of; on the other side of",
        "in_front_of": "in front of; ahead of; before; right in front of; at the front of; from in front of; just in front of; "
        "directly in front of; "
        "on this side of; to the front of",
        "between": "between; in between; in the middle of; among; right between; halfway between; midway between; from between; "
        "somewhere between; "
        "in the gap between; in the space between; sandwiched between; squeezed between; wedged between",
        "with": "with",
        "at": "at",
        "from": "from; out of; off; off of; from on; from inside; from on top of; from off; from within; from in; out from; out "
        "from inside",
    }.items()
    for phrase in phrases.split("; ")
}
LONGEST_RELATION = max(map(len, RELATIONS))
GOALS = _phrases("to; into; onto; over to; back to; towards; toward; there; here; back; away")
SIDE_PHRASES = {
    (lead, article, side, *tail): order
    for lead in ("on", "to", "at", "in")
    for article in ("the", "your", "my")
    for side, order in SIDES.items()
    for tail in ((), ("side",), ("hand", "side"))
}
FROM_SIDE = {
    (*lead, "from", *article, side, *tail): 1 if side == "left" else -1
    for lead in ((), ("along",), ("in",), ("counting",), ("starting",), ("over",), ("across",))
    for article in ((), ("the",), ("your",), ("my",))
    for side in ("left", "right")
    for tail in ((), ("side",), ("hand", "side"), ("end",), ("hand", "end"))
}
LONGEST_SIDE = max(map(len, FROM_SIDE))
EXCLUSIONS = _phrases(
    "but not; not; except; except for; but for; other than; apart from; besides; excluding; aside from; instead of; rather than; "
    "with the exception of; just not; only not; and not; but never; without; everything but; leaving out; save for"
)
LONGEST_EXCLUSION = max(map(len, EXCLUSIONS))
COPULAS = word_set("is are was were isn't aren't wasn't be 's")
NEGATED_COPULAS = word_set("isn't aren't wasn't weren't")
PARTICIPLES = word_set(
    "lying laying standing sitting hanging placed located lies stands sits placed stored resting leaning kept left put situated "
    "positioned "
    "waiting found seated displayed set"
)
# Verbs of a relative clause without "that": "the cup you see", "the book i left on the sofa".
CONTACT = word_set(
    "see saw seen find left put placed forgot dropped gave bought like liked want wanted need use used have had mentioned told "
    "like prefer "
    "found brought borrowed took set got picked chose showed hid drank read drink wore keep kept love own wear ordered mean meant"
)
SUBJECTS = word_set("i you we he she they")
DISCOURSE = word_set("then , and or but so please because while until unless if when before after")

# Verbs by what their phrases of place mean. placing: goal. fetching: source. going: goal without a theme. Others take no place.
PLACING = word_set(
    "goes belongs put pour place set leave lay drop store stand position stack hang return arrange stow rest throw dump load"
)
FETCHING = word_set(
    "love prefer fancy "
    "bring get fetch take grab pick collect retrieve carry deliver give hand pass offer find look search locate seek lift move "
    "need want have show see remove transport transfer clear"
)
GOING = word_set("go drive come walk run navigate travel head return approach enter follow accompany guide lead escort meet stop wait")
FOUND = COMMON_VERBS | PLACING | FETCHING | GOING
