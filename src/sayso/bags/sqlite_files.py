"""What an sqlite3 bag may consist of: tables and indexes. Views and computed columns can run without end or fill the memory."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from rosbags.rosbag2.errors import ReaderError

from sayso.bags.unpacking import LARGEST_PART

LARGEST_QOS = 20_000  # characters of a topic's QoS, which is YAML
MOST_TOPICS = 5_000
_KINDS = ("table", "index")


def refuse_tricks(file: Path) -> None:
    """Before a bag is read.

    Raises:
        ReaderError: it has a view, a computed column, or a huge value.
        sqlite3.Error: it is no database, or is damaged.
    """
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?immutable=1", uri=True)) as database:
        names = []
        for kind, name, text in database.execute("SELECT type, name, sql FROM sqlite_master"):
            if kind not in _KINDS or str(text).upper().startswith("CREATE VIRTUAL"):
                raise ReaderError(f"has a {kind} '{str(name)[:40]}'; a bag has only tables of its own")
            if kind == "table":
                names.append(name)
        for name in names:
            for *_, hidden in database.execute("SELECT * FROM pragma_table_xinfo(?)", (name,)):
                if hidden:
                    raise ReaderError(f"the table '{str(name)[:40]}' computes a column; a bag only stores values")
        if "topics" in names and "messages" in names:
            _refuse_huge(database)


def _refuse_huge(database: sqlite3.Connection) -> None:
    (topics,) = database.execute("SELECT count(*) FROM topics").fetchone()
    if topics > MOST_TOPICS:
        raise ReaderError(f"has {topics} topics")
    (largest,) = database.execute("SELECT max(length(data)) FROM messages").fetchone()
    if (largest or 0) > LARGEST_PART:
        raise ReaderError(f"has a message of {largest / 1e6:.0f} MB; {LARGEST_PART / 1e6:.0f} MB are the most")
    columns = {name for _, name, *_ in database.execute("SELECT * FROM pragma_table_info('topics')")}
    if "offered_qos_profiles" in columns:
        (longest, together) = database.execute(
            "SELECT max(length(offered_qos_profiles)), sum(length(offered_qos_profiles)) FROM topics"
        ).fetchone()
        if (longest or 0) > LARGEST_QOS or (together or 0) > 20 * LARGEST_QOS:
            raise ReaderError("the QoS of its topics is too long to be one")
