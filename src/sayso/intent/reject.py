"""Rejects unsuitable texts before classification, with a reason."""

from __future__ import annotations

import re
import unicodedata

from sayso.domain import Domain
from sayso.intent.grammar import word_set
from sayso.intent.normalise import normalise

MAX_WORDS = 100
MAX_CHARACTERS = 1000
# Frequent function words of related languages, none of them English; two of them, outnumbering the English ones, indicate the language.
FOREIGN = word_set(
    "der das und ist nicht ein eine mir mich bitte zu zur zum den dem auf aus ich du wir sie kannst wo hol bring' le les et "
    "est une un moi dans avec pour s'il vous te plait je tu la du des sur peux el los las una por favor con para en y que "
    "puedes il gli per sono che di non del della mi de ik het een van niet naar"
)
ENGLISH = word_set("the a an to me my your you it is are and in on of from i can could please what where that this for with")
# Prompt injection aimed at chat programs. No one says this to a robot, unlike "forget what i said".
PROMPT = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b(?:\s+\w+){0,3}?\s+(?:instructions|prompts?|rules|guidelines|guardrails|restrictions)\b"
    r"|\b(?:system|hidden|initial) prompt\b|\b(?:developer|admin|debug|jailbreak|god) mode\b|\byou are now (?:an?|in|my)\b"
    r"|\b(?:act|pretend|behave) as (?:if|though|an?)\b"
    r"|<\|\w+\|>|\[/?inst\]|</?(?:s|system|user|assistant)>|^\s*(?:system|assistant|user)\s*:",
    re.IGNORECASE,
)
MARKUP = re.compile(r"[<>{}\[\]|\\^`\x1b]")  # never spoken; a single one may be a typo


_YOU = re.compile(r"(?:did|do|have|are|were|will|would|can|could|don't|didn't|haven't|aren't|why don't) you\b")
_OWN = re.compile(r"\b(?:your own|yourself|i'm (?:telling|talking to) you)\b")
_WELL = r"(?:(?:hey|oh|no|yes|fine|okay|ok|well|right|come on|listen|look)\b[ ,]*)*"
_KIN = re.compile(_WELL + r"(?P<kin>mum|mom|mummy|mommy|dad|daddy|grandpa|granddad|kids|children|son),")
_FOND = "(?:sweetheart|darling|dear|love|honey|my dear|sweetie|mate|buddy|please|could|listen|hey)"


def spoken_to(text: str, domain: Domain) -> str:
    """Why a sentence is for another person whom it calls, "ben, did you buy milk", "would you sit down, ben"; empty if it isn't.

    Args:
        text: normalised.
        domain: its people, the speaker and the robot excepted.
    """
    if kin := _KIN.match(text):
        return f"I think that was for your {kin['kin']}."
    before, comma, last = text.rpartition(",")
    others = {name.lower(): spec for person, spec in domain.people.items() if person != domain.speaker for name in spec.names}
    if comma and last.strip() in others and "," not in before and _YOU.search(before):
        return f"I think that was for {others[last.strip()].names[0].capitalize()}."
    called, comma, rest = re.sub(f"^{_WELL}", "", text).partition(",")
    spec = others.get(called.strip()) if comma else None
    asked = re.sub(rf"^(?:\s*{_FOND}\s*,)+", "", rest).strip()
    if spec is not None and (_YOU.match(asked) or _OWN.search(asked)):
        return f"I think that was for {spec.names[0].capitalize()}."
    return ""


def why_rejected(text: str, language: str = "en") -> str:
    """The reason in one line for a person, empty if the text may be a command in this language. Run time is bounded for long texts."""
    if len(text) > MAX_CHARACTERS or text.count(" ") >= MAX_WORDS * 2:
        length = f"{len(text.split()):,} words" if len(text) < 1_000_000 else f"{len(text):,} characters"
        return f"too long for a command: {length}, at most {MAX_WORDS} are taken"
    if not text.strip():
        return "nothing was said"
    letters = [letter for letter in text if letter.isalpha()]
    if not letters:
        return "there are no words in it"
    latin = sum("LATIN" in unicodedata.name(letter, "") for letter in letters)
    if latin < 0.8 * len(letters):
        return "not written in Latin letters; only English is understood"
    if PROMPT.search(text):
        return "this is meant for a chat program, not for a robot"
    if len(MARKUP.findall(text)) > 1:
        return "this is code or markup, not something said"
    words = normalise(text).replace(",", "").split()
    if not words:
        return "there are no words in it"
    if len(words) > MAX_WORDS:
        return f"too long for a command: {len(words):,} words, at most {MAX_WORDS} are taken"
    foreign = sum(word in FOREIGN for word in words)
    if language == "en" and foreign >= 2 and sum(word in ENGLISH for word in words) < foreign:
        return "this does not look like English, the only language that is understood"
    return ""
