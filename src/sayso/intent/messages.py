"""Roles filled by words: messages to tell, say or answer."""

from __future__ import annotations

import re

from sayso.domain.intents import IntentSpec
from sayso.intent.clauses import ClauseSpan
from sayso.intent.grammar import PRESENTING, after_lead_in
from sayso.types import Role

# Words between the verb of saying and the message, besides the person: "tell anna | that", "let anna know | that".
_OPENERS = re.compile(r"^(?:(?:know|a message|something)\b ?)?(?:that\b|to say\b|:)? ?")
_SAID_TO = re.compile(r" to$")
# From whom a greeting is, after it: "say good night to anna for me".
_SENDER = re.compile(r" (?:for|from) (?:me|us|us all|(?:all|both|the two) of us|everyone|everybody|the family|the whole family)$")
_WISHING = re.compile(r"^(?:say|wish|bid)\b")
_VERB = re.compile(r"^(?:tell|ask|say|inform|remind|announce|let|give|pass|wish|bid|explain)\b ?")


def message(text: str, piece: ClauseSpan, spec: IntentSpec, roles: list[Role]) -> list[Role]:
    """The intent's role for words, filled with the message; empty if the clause has none."""
    name = next((name for name, role in spec.roles.items() if set(role.kinds) == {"words"} and not role.values), "")
    if not name:
        return []
    clause = text[piece.start : piece.end]
    words = [word.text for word in piece.words]
    lead = after_lead_in(words)
    start = piece.words[lead].start - piece.start
    verb = _VERB.match(clause[start:])
    recipient = next((role for role in roles if role.name == "recipient"), None)
    if verb is None and words[lead] in PRESENTING and spec.roles[name].required and " to " in clause[start:]:
        end = start + clause[start:].index(" to ")
        return [_role(name, text, piece.start + start, piece.start + end)]  # "introduce her"
    if verb is None:
        # A question is its own message; "greet anna" has none.
        silent = recipient is not None or bool(spec.roles[name].default)
        return [] if silent else [_role(name, text, piece.start, piece.end)]
    start += verb.end()
    end = len(_SENDER.sub("", clause)) if _WISHING.match(verb[0]) else len(clause)
    if recipient is not None:
        person = (recipient.start - piece.start, recipient.end - piece.start)
        if person[0] <= start + 1:
            start = person[1] + 1
        elif person[1] >= end - 1:  # "say hello to anna"
            end = person[0]
    rest = clause[start:end].rstrip()
    rest = _SAID_TO.sub("", rest)
    opener = _OPENERS.match(rest)
    start += opener.end() if opener else 0
    rest = rest[opener.end() :] if opener else rest
    return [_role(name, text, piece.start + start, piece.start + start + len(rest))] if rest.strip() else []


def _role(name: str, text: str, start: int, end: int) -> Role:
    return Role(name, text[start:end], start, end, kind="words", score=1.0)
