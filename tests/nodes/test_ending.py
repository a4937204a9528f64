"""Ctrl-C ends a program even where Python loses the exception."""

from __future__ import annotations

import signal
import time

import pytest

from sayso_nodes.running.ending import ENDING, IMPATIENT, EndingSignals


class Interrupted:
    """Gets a signal while it is destroyed."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        signal.raise_signal(self.number)


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_lets_the_next_look_unwind_the_block(number: int) -> None:
    with EndingSignals() as ending:
        signal.raise_signal(number)
        with pytest.raises(KeyboardInterrupt, match=signal.Signals(number).name):
            ending.check()


def test_a_signal_in_a_destructor_is_not_lost() -> None:
    with EndingSignals() as ending:
        Interrupted(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt, match="SIGINT"):
            ending.check()


def test_a_block_that_does_not_look_is_interrupted_after_a_second() -> None:
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), EndingSignals():
        signal.raise_signal(signal.SIGTERM)
        time.sleep(30.0)
    assert IMPATIENT <= time.monotonic() - began < 20.0


def test_a_second_signal_interrupts_at_once() -> None:
    with EndingSignals():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_the_clean_up_is_not_interrupted() -> None:
    with pytest.raises(KeyboardInterrupt), EndingSignals() as ending:
        signal.raise_signal(signal.SIGINT)
        try:
            ending.check()
        finally:
            time.sleep(IMPATIENT + 0.3)


def test_without_a_signal_the_program_goes_on_and_the_handlers_are_as_before() -> None:
    numbers = (*ENDING, signal.SIGALRM)
    before = [signal.getsignal(number) for number in numbers]
    with EndingSignals() as ending:
        ending.check()
    assert [signal.getsignal(number) for number in numbers] == before
