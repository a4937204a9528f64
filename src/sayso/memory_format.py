"""The memory file: an SQLite file of confirmed commands and of skill trials; each table has a reader of its own.

Stages do not know each other, so what two of them keep in one file is described here.
"""

from __future__ import annotations

from pathlib import Path

from sayso.state_file import FileFormat

VERSION = 3  # of the tables: 2 adds the skill trials, 3 where drives ended
ENVIRONMENT = "SAYSO_MEMORY"  # path of the user's file; empty: no file
CONFIRMED = """CREATE TABLE confirmed (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time REAL NOT NULL,           -- s since 1970, wall clock
  home TEXT NOT NULL,           -- name of its domain
  utterance_id TEXT NOT NULL,
  clause INTEGER NOT NULL,      -- of the utterance
  action TEXT NOT NULL,
  arguments TEXT NOT NULL,      -- JSON object: role to value
  how TEXT NOT NULL,            -- confirmed, chosen or corrected
  expected TEXT NOT NULL,       -- JSON object: name of an action to how probable it was before the answer
  room TEXT NOT NULL, time_of_day TEXT NOT NULL, speaker TEXT NOT NULL, after TEXT NOT NULL, hand TEXT NOT NULL,
  UNIQUE (utterance_id, clause) -- the last word counts
)"""
SKILL_TRIALS = """CREATE TABLE skill_trials (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time REAL NOT NULL,           -- s since 1970, wall clock
  home TEXT NOT NULL,           -- name of its domain
  utterance_id TEXT NOT NULL,   -- of the command for which the robot used the skill
  stamp INTEGER NOT NULL,       -- ms, ROS time at its beginning
  skill TEXT NOT NULL,
  arguments TEXT NOT NULL,      -- JSON object: role to the id of an object, a place or a person
  place TEXT NOT NULL,          -- where: the place or person of its arguments, else the place where the robot was
  metres REAL NOT NULL,         -- of a skill that drives: straight-line distance to its destination
  succeeded INTEGER NOT NULL,   -- 0 or 1
  seconds REAL NOT NULL,        -- that it took; 0: unknown
  reason TEXT NOT NULL,         -- why it failed
  UNIQUE (utterance_id, stamp)  -- a recording of what the robot has learnt from already teaches it nothing twice
)"""
DRIVE_ENDS = """CREATE TABLE drive_ends (
  trial INTEGER PRIMARY KEY,    -- id of the skill trial
  x REAL NOT NULL, y REAL NOT NULL  -- m, map frame: where the robot was at the end
)"""
TABLES = (CONFIRMED, SKILL_TRIALS, DRIVE_ENDS)
FORMAT = FileFormat(b"Says", VERSION, TABLES, "memory", ENVIRONMENT, "memory.sqlite", tables_before=(1, 2))


def users_memory() -> Path | None:
    """The user's file: $SAYSO_MEMORY, else memory.sqlite in the XDG state folder; None if the variable is set but empty."""
    return FORMAT.users_file()


def memory_named(name: str, simulated: bool) -> Path | None:
    """The file that a parameter names: "auto" is the user's own, or none in a simulation or replay, where there are no real habits."""
    return FORMAT.named(name, simulated)
