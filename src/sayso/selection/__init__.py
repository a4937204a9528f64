"""Intent belief + context → posterior over grounded actions → execute, confirm, ask or reject; interprets answers to its questions."""

from sayso.memory_format import memory_named
from sayso.selection.answer import Answered, answer
from sayso.selection.described import AnswerKnowledge
from sayso.selection.dialogue import Dialogue, DialogueOptions, Turn
from sayso.selection.diary import Diary
from sayso.selection.feedback import Feedback
from sayso.selection.keeper import AgendaKeeper
from sayso.selection.looking import PendingLooks
from sayso.selection.memory import Memory
from sayso.selection.own_words import INVITATION
from sayso.selection.recollection import LastSeen, Recollection
from sayso.selection.selector import ActionSelector
from sayso.selection.world_view import WorldView

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
