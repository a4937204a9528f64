"""A process that has imported what the nodes need, and forks each node: `python -m sayso_nodes.running.fork_server SOCKET DOMAIN NODE…`.

A node is made by a double fork while its launcher is a subreaper (prctl(2)), so it becomes the launcher's own child: the launcher waits
for it, and it notices the launcher's death, as if it had been spawned. The server's death touches no node. The server imports nothing
that starts a thread, and never starts ROS, as neither would survive a fork.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import json
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from sayso_nodes.run import settle
from sayso_nodes.running.preloaded import preload, preload_model, threads
from sayso_nodes.running.tracing import TracerFork

WORD = 2**20  # bytes of a request, at most
READY = b"ready"
ADOPTED = 10.0  # s that a forked node waits to become its launcher's child
NAMED = 15  # bytes of a process's name, as `top` and `ps` show it (prctl(2))
PR_SET_NAME = 15


def serve(channel: socket.socket) -> None:
    """Fork a node for each request, until the launcher closes its end or dies."""
    tracer = TracerFork()
    _check_threads(tracer)
    channel.send(READY)
    while request := _received(channel):
        order, outputs = request
        if preload_model(str(order["module"]).rsplit(".", 1)[-1]):
            settle()
            _check_threads(tracer)
        channel.send(str(_forked(order, outputs, channel, tracer)).encode())
        for output in outputs:
            os.close(output)


def _check_threads(tracer: TracerFork) -> None:
    if (found := threads()) != 1 + tracer.threads:
        raise OSError(f"{found} threads: they would not survive a fork")


def request(order: Mapping[str, object]) -> bytes:
    """An order as bytes: `module`, `arguments`, `environment` and `launcher` of a node."""
    return json.dumps(order).encode()


def _received(channel: socket.socket) -> tuple[dict[str, object], list[int]] | None:
    data, ancillary, _, _ = channel.recvmsg(WORD, socket.CMSG_SPACE(4))
    if not data:
        return None
    outputs = array.array("i")
    for _level, kind, content in ancillary:
        if kind == socket.SCM_RIGHTS:
            outputs.frombytes(content[: len(content) - len(content) % outputs.itemsize])
    return json.loads(data), list(outputs)


def _forked(order: Mapping[str, object], outputs: Sequence[int], channel: socket.socket, tracer: TracerFork) -> int:
    """The process id of a new node, whose parent is gone: the kernel has given it to the launcher."""
    reading, writing = os.pipe()
    tracer.before()
    between = os.fork()
    if between == 0:
        node = os.fork()
        if node:
            os.write(writing, str(node).encode())
            os._exit(0)
        tracer.in_child()
        channel.close()
        os.close(reading)
        os.close(writing)
        _become(order, outputs)
    tracer.in_parent()
    os.close(writing)
    try:
        node = int(os.read(reading, 32))
        os.waitpid(between, 0)
    finally:
        os.close(reading)
    return node


def _become(order: Mapping[str, object], outputs: Sequence[int]) -> NoReturn:
    """Run the node in this process, which was forked for it."""
    code = 1
    try:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for output in outputs:
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.close(output)
        arguments, environment = order["arguments"], order["environment"]
        assert isinstance(arguments, list)
        assert isinstance(environment, dict)
        os.environ.clear()
        os.environ.update(environment)
        module = import_module(str(order["module"]))
        sys.argv = [str(module.__file__), *arguments]
        name_process(f"{sys.executable}\0-m\0{order['module']}".encode(), str(order["module"]).rsplit(".", 1)[-1])
        _await_parent(int(str(order["launcher"])))
        module.main()
        code = 0
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:  # noqa: BLE001 - the end of a process, as the interpreter does it
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _await_parent(launcher: int) -> None:
    end = time.monotonic() + ADOPTED
    while os.getppid() != launcher:
        if time.monotonic() > end:
            raise SystemExit("its launcher is gone")
        time.sleep(0.001)


def name_process(line: bytes, name: str) -> None:
    """Show this process as that command line, as far as the server's own was as long, and under that name."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode()[:NAMED], 0, 0, 0)
        fields = Path("/proc/self/stat").read_text(encoding="ascii", errors="replace").rsplit(")", 1)[1].split()
        start, end = int(fields[45]), int(fields[46])  # arg_start and arg_end, proc(5)
        if 0 < start < end:
            ctypes.memset(start, 0, end - start)
            ctypes.memmove(start, line, min(len(line), end - start - 1))


def main() -> None:
    """Import what the nodes need, then serve."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # it ends with its launcher, after the nodes
    channel = socket.socket(fileno=int(sys.argv[1]))
    preload(sys.argv[2], sys.argv[3:])
    settle()  # or the first collection of each node would touch, and so copy, every object
    serve(channel)


if __name__ == "__main__":
    main()
