"""What the robot tells in its own words: "tell anna the time", "say something about yourself", "tell a joke".

The speaker names only what to speak of. The words are made when the command is understood, so a time is that of the command.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np

from sayso.domain.model import Domain
from sayso.domain.wording import called, capitalised
from sayso.meaning.world_view import WorldView
from sayso.selection.answering.own_answers import own_answer
from sayso.selection.choosing.topics import MESSAGE
from sayso.types import Clause, IntentBelief, Role
from sayso.yaml_source import read_yaml

TELL, GREET = "tell", "greet"  # intents
TELLING = frozenset(("tell", "answer", "repeat", "describe"))  # intents of "tell the time", "say what day it is"
INVITATION = "What is your question?"
UNKNOWN_ANSWER = "I'm sorry, I don't know that."
INVITED_FOR = 60.0  # s after which a question is no longer an answer to the invitation
PRESENTED = "this is "  # begins a message that makes somebody known


def in_own_words(domain: Domain, belief: IntentBelief, view: WorldView) -> IntentBelief:
    """The belief with the words themselves where a request only names what to tell: message "a joke" → a joke.

    Args:
        domain: the home.
        belief: with `modifiers.question` where the intent stage found what a request is to speak of.
        view: what the robot knows of itself and of the time.
    """

    def told(clause: Clause) -> Clause:
        return _told(domain, clause, view, belief)

    hearings = tuple(replace(each, clauses=tuple(map(told, each.clauses))) for each in belief.hearings)
    return replace(belief, clauses=tuple(map(told, belief.clauses)), hearings=hearings)


def has_invited(view: WorldView) -> bool:
    """Whether the robot has just asked for a question: then what it hears is for it, and it says so if it can't answer."""
    recent = view.recent
    last = recent.deeds[-1] if recent.deeds else None
    invited = last is not None and INVITATION in last.what and last.state in ("running", "done")
    return invited and recent.now is not None and last is not None and 0.0 <= recent.now.ros - last.stamp <= INVITED_FOR


def _told(domain: Domain, clause: Clause, view: WorldView, belief: IntentBelief) -> Clause:
    if TELL not in belief.intents or clause.modifiers.mood != "request":
        return clause
    message = clause.role(MESSAGE)
    presented = _presented(domain, message)
    words = presented or (_words(domain, clause, view, belief.utterance_id) if clause.intent in TELLING else "")
    if not words:
        return clause
    role = replace(message, text=words) if message else Role(MESSAGE, words, clause.start, clause.end, kind="words")
    others = tuple(each for each in clause.roles if each.name == "recipient")
    p = np.array(clause.probabilities)
    moved = [index for index, name in enumerate(belief.intents) if name in TELLING | {GREET}]  # to say it to them is the same
    p[belief.intents.index(TELL)], total = 0.0, float(p[moved].sum())
    p[moved] = 0.0
    p[belief.intents.index(TELL)] = total
    return replace(clause, intent=TELL, probabilities=p, roles=(*others, role), left_over=())


def _words(domain: Domain, clause: Clause, view: WorldView, utterance_id: str) -> str:
    """What the robot says of the subject; empty for none, or one of which it knows nothing."""
    subject = clause.modifiers.question
    if subject == "invitation":  # what is then asked is an utterance of its own
        return INVITATION
    if subject == "joke":
        jokes = _jokes().get(domain.language, ())
        return jokes[crc32(utterance_id.encode()) % len(jokes)] if jokes else ""
    return own_answer(domain, clause, view)


def _presented(domain: Domain, message: Role | None) -> str:
    """“This is Anna.”, of a message that names a person of the home; empty for any other."""
    if message is None or not message.text.startswith(PRESENTED):
        return ""
    name = message.text.removeprefix(PRESENTED)
    known = (who for who, person in domain.people.items() if name in {each.lower() for each in (person.spoken(who), *person.names)})
    who = next(known, "")
    return f"This is {capitalised(called(domain, who))}." if who else ""


@lru_cache(maxsize=1)
def _jokes() -> dict[str, tuple[str, ...]]:
    held: dict[str, list[str]] = read_yaml(Path(__file__).with_name("jokes.yaml"), "jokes").value
    return {language: tuple(jokes) for language, jokes in held.items()}
