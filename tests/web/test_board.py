"""The board: who comes late gets everything, who is slow gets the newest, and nothing piles up."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.web.board import Board, Message, Viewer


async def taken(viewer: Viewer, number: int) -> list[Message]:
    messages = viewer.messages()
    return [await asyncio.wait_for(anext(messages), 1.0) for _ in range(number)]


def values(messages: list[Message]) -> dict[str, object]:
    return {read["key"]: read["value"] for read in map(json.loads, messages)}


def test_a_page_that_is_opened_late_gets_all_that_there_is() -> None:
    async def scene() -> dict[str, object]:
        board = Board()
        board.put("stopped", False)
        board.put("robot", {"x": 1.0})
        board.put("gone", 3)
        board.put("gone", None)
        with board.viewer() as viewer:
            return values(await taken(viewer, 2))

    assert asyncio.run(scene()) == {"stopped": False, "robot": {"x": 1.0}}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers()), min_size=1))
def test_a_slow_page_gets_the_last_value_of_each_key_and_no_more(changes: list[tuple[str, int]]) -> None:
    async def scene() -> dict[str, object]:
        board = Board()
        with board.viewer() as viewer:
            for key, value in changes:
                board.put(key, value)
            return values(await taken(viewer, len(dict(changes))))

    assert asyncio.run(scene()) == dict(changes)


def test_a_page_that_was_closed_is_forgotten() -> None:
    async def scene() -> bool:
        board = Board()
        with board.viewer():
            assert board.watched
        return board.watched

    assert not asyncio.run(scene())


def test_a_picture_is_sent_with_its_key_in_front() -> None:
    async def scene() -> list[Message]:
        board = Board()
        board.put_picture("camera", b"\xff\xd8jpeg")
        with board.viewer() as viewer:
            return await taken(viewer, 1)

    assert asyncio.run(scene()) == [b"camera\n\xff\xd8jpeg"]


def test_a_value_that_is_not_json_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        Board().put("robot", float("nan"))
