"""The real server: addresses that would let strangers in are refused, and rough clients do no harm."""

from __future__ import annotations

import asyncio
import socket
import ssl
import stat
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
import websockets
from websockets.sync.client import connect

from page_robot import Served
from patience import PATIENCE
from sayso.errors import SaysoError
from sayso.web.bodies import LARGEST
from sayso.web.certificate import own_certificate
from sayso.web.server import Address, new_token


@pytest.fixture
def served() -> Iterator[Served]:
    made = Served(Address(port=0))
    yield made
    made.server.close()


def test_the_default_is_reached_from_this_computer_alone() -> None:
    Address().check()
    assert Address().local


@pytest.mark.parametrize(
    ("address", "why"),
    [
        (Address("0.0.0.0"), "--token new"),
        (Address("192.168.0.7", token="x" * 20), "--tls new"),
        (Address(token="short"), "could be guessed"),
        (Address(port=70000), "65535"),
    ],
)
def test_an_address_that_lets_others_in_unprotected_is_refused_with_the_remedy(address: Address, why: str) -> None:
    with pytest.raises(SaysoError, match=why):
        address.check()


def test_a_port_that_is_taken_is_said_in_one_line(served: Served) -> None:
    with pytest.raises(SaysoError, match=f"port {served.port}: Address already in use"):
        Address(port=served.port).bind()


def test_tokens_are_long_and_differ() -> None:
    assert len({new_token() for _ in range(50)}) == 50
    Address(token=new_token()).check()


def test_a_frame_that_is_too_large_ends_that_page_alone(served: Served) -> None:
    with connect(served.url) as good, connect(served.url) as bad:
        bad.send(b"\x00" * (LARGEST + 1))
        with pytest.raises(websockets.ConnectionClosed):
            bad.recv(timeout=PATIENCE)
        good.send('{"do": "stop", "id": 1}')
        assert '"ok": true' in good.recv(timeout=PATIENCE)


def test_a_page_that_reads_nothing_holds_up_nobody(served: Served) -> None:
    with connect(served.url, max_queue=1, close_timeout=0.2) as _slow, connect(served.url) as quick:
        for number in range(300):
            picture = bytes([number % 256]) * 100_000
            served.server.soon(lambda picture=picture: served.console.board.put_picture("camera", picture))
        served.server.soon(lambda: served.console.board.put("done", True))
        while (message := quick.recv(timeout=PATIENCE)) != '{"key":"done","value":true}':
            assert message


def test_hundreds_of_connections_leave_the_server_alive(served: Served) -> None:
    with ExitStack() as stack:
        for _ in range(1000):
            stack.enter_context(socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE)).sendall(b"GET / HTTP/1.1\r\n")
    with connect(served.url, open_timeout=PATIENCE) as page:
        page.send('{"do": "stop", "id": 1}')
        assert '"ok": true' in page.recv(timeout=PATIENCE)


def test_the_server_ends_although_pages_are_open() -> None:
    made = Served(Address(port=0))
    with connect(made.url) as page:
        made.server.close()
        with pytest.raises(websockets.ConnectionClosed):
            page.recv(timeout=PATIENCE)
    made.server.soon(lambda: None)  # does nothing


def test_a_certificate_made_here_protects_the_page(tmp_path: Path) -> None:
    file = own_certificate(tmp_path / "state" / "console.pem", ["192.168.0.7"])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = file.read_bytes()
    assert own_certificate(file, ["192.168.0.7"]).read_bytes() == before  # is used again
    assert own_certificate(file, ["robot.local"]).read_bytes() != before  # has another name
    made = Served(replace(Address(port=0), certificate=file))
    try:
        trusting = ssl.create_default_context(cafile=str(file))
        with urllib.request.urlopen(f"https://127.0.0.1:{made.port}/", context=trusting, timeout=PATIENCE) as page:
            assert page.status == 200
    finally:
        made.server.close()


def test_values_may_come_from_any_thread(served: Served) -> None:
    async def watch() -> str | bytes:
        async with websockets.connect(served.url) as page:
            await asyncio.to_thread(served.server.soon, lambda: served.console.board.put("stopped", True))
            return await asyncio.wait_for(page.recv(), 5)

    assert asyncio.run(watch()) == '{"key":"stopped","value":true}'
