"""All marked sentences: people's, and our own, of which those in `first` hold values of the default home too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sayso.errors import SaysoError
from sayso.training.parser.marks import MarkedSentence, read_files, read_marks
from sayso.training.parser.people import read_people

OWN = Path(__file__).with_name("marks")
OLDER = OWN / "first"
WRONG = OWN / "wrong.txt"
AGAIN = OWN / "again.tsv"  # sentences of OLDER, marked again with what lies within conditions


def read_all() -> list[MarkedSentence]:
    """Every marked sentence but those of `read_wrong`, in a fixed order.

    Raises:
        SaysoError: a file cannot be read or is malformed.
    """
    again = {sentence.source: sentence for sentence in _again()}
    older = [again.get(each.source, each) for each in read_files(sorted(OLDER.glob("*.txt")))]
    own = sorted(path for path in OWN.glob("*.txt") if path != WRONG)
    return [*older, *read_files(own), *read_people()]


def read_wrong() -> list[MarkedSentence]:
    """Sentences that went wrong, and others of their kind. All of them are trained on.

    Raises:
        SaysoError: the file cannot be read or is malformed.
    """
    return list(read_files([WRONG]))


def _again() -> Iterator[MarkedSentence]:
    for number, line in enumerate(AGAIN.read_text(encoding="utf-8").splitlines() if AGAIN.exists() else (), start=1):
        source, _, marked = line.partition("\t")
        try:
            yield read_marks(marked, source)
        except ValueError as malformed:
            raise SaysoError(f"{AGAIN.name}:{number}: {malformed}") from None
