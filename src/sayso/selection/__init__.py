"""Intent belief + context → posterior over grounded actions → execute, confirm, ask or reject; interprets answers to its questions."""

from sayso.meaning.recollection import LastSeen, Recollection
from sayso.meaning.world_view import WorldView
from sayso.memory_format import memory_named
from sayso.selection.answering.own_words import INVITATION
from sayso.selection.dialogue.answer import Answered, answer
from sayso.selection.dialogue.described import AnswerKnowledge
from sayso.selection.dialogue.dialogue import Dialogue, DialogueOptions, Turn
from sayso.selection.dialogue.feedback import Feedback
from sayso.selection.later.keeper import AgendaKeeper
from sayso.selection.looking import PendingLooks
from sayso.selection.memory.diary import Diary
from sayso.selection.memory.memory import Memory
from sayso.selection.selector import ActionSelector

__all__ = [
    "INVITATION",
    "ActionSelector",
    "AgendaKeeper",
    "AnswerKnowledge",
    "Answered",
    "Dialogue",
    "DialogueOptions",
    "Diary",
    "Feedback",
    "LastSeen",
    "Memory",
    "PendingLooks",
    "Recollection",
    "Turn",
    "WorldView",
    "answer",
    "memory_named",
]
