"""Action + belief of the world → the next skill: the domain as a Markov decision process, re-solved after every outcome."""

from sayso.planning.belief import ELSEWHERE, WorldBelief
from sayso.planning.experience import Experience
from sayso.planning.facts import momentary, surveyed_place
from sayso.planning.lasting import ended_as_told, is_endless
from sayso.planning.plan import Plan
from sayso.planning.planner import Planner
from sayso.planning.task import Task

__all__ = [
    "ELSEWHERE",
    "Experience",
    "Plan",
    "Planner",
    "Task",
    "WorldBelief",
    "ended_as_told",
    "is_endless",
    "momentary",
    "surveyed_place",
]
