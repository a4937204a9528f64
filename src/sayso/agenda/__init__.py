"""Tasks for later and standing rules: kept, due at a time or an event, carried out, taken back; they survive a restart."""

from sayso.agenda.book import Agenda
from sayso.agenda.entries import AgendaEntry, DeferredTask, Facts, Now, Observable, StandingRule
from sayso.agenda.file import AgendaFile, agenda_named, users_agenda
from sayso.agenda.observing import holds, observable_of, watchable
from sayso.agenda.times import Schedule, schedule_of

__all__ = [
    "Agenda",
    "AgendaEntry",
    "AgendaFile",
    "DeferredTask",
    "Facts",
    "Now",
    "Observable",
    "Schedule",
    "StandingRule",
    "agenda_named",
    "holds",
    "observable_of",
    "schedule_of",
    "users_agenda",
    "watchable",
]
