"""Ctrl-C ends a program even where Python loses the exception."""

from __future__ import annotations

import signal

import pytest

from sayso_nodes.ending import ENDING, EndingSignals


class Interrupted:
    """Gets a signal while it is destroyed."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        signal.raise_signal(self.number)


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_unwinds_the_block(number: int) -> None:
    with pytest.raises(KeyboardInterrupt, match=signal.Signals(number).name), EndingSignals():
        signal.raise_signal(number)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_that_is_lost_in_a_destructor_is_found_by_the_next_look() -> None:
    with EndingSignals() as ending:
        Interrupted(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt, match="SIGINT"):
            ending.check()


def test_without_a_signal_the_program_goes_on_and_the_handlers_are_as_before() -> None:
    before = [signal.getsignal(number) for number in ENDING]
    with EndingSignals() as ending:
        ending.check()
    assert [signal.getsignal(number) for number in ENDING] == before
