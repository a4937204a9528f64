"""The launcher's side of the fork server: starts it, orders nodes, and waits for them as for its own children."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from sayso_nodes.running.fork_server import READY, request

READY_WITHIN = 60.0  # s to import everything, on a busy machine; nodes are spawned otherwise
ANSWER_WITHIN = 10.0  # s
LOOK = 0.01  # s between two looks at a process that is waited for
PR_SET_CHILD_SUBREAPER = 36


class Process(Protocol):
    """What the launcher needs of a node's process: subprocess.Popen, or Forked."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        """The exit code; None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended."""

    def send_signal(self, sig: int) -> None:
        """Send a signal to the process, if it still runs."""

    def kill(self) -> None:
        """Send SIGKILL."""


class Forked:
    """A child of this process that the fork server has made; as subprocess.Popen."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code; None while it runs."""
        if self.returncode is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # somebody else has waited for it
                self.returncode = -signal.SIGKILL
            else:
                self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended.

        Raises:
            TimeoutExpired: it runs still after `timeout` seconds.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if end is not None and time.monotonic() >= end:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0.0)
            time.sleep(LOOK)
        return code

    def send_signal(self, sig: int) -> None:
        """Send a signal to the process, if it still runs."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, sig)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)


class ForkServer:
    """A fork server of one graph. It ends with `close`, or with this process."""

    def __init__(self, domain: str, nodes: Sequence[str], environment: Mapping[str, str]) -> None:
        self._channel, its_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "sayso_nodes.running.fork_server", str(its_end.fileno()), domain, *nodes]
        with its_end:
            self.process = subprocess.Popen(
                command, env=dict(environment), pass_fds=(its_end.fileno(),), start_new_session=True, stdin=subprocess.DEVNULL
            )
        self._ready = False

    def fork(self, module: str, arguments: Sequence[str], environment: Mapping[str, str], output: int | None) -> Forked:
        """A new process that runs `main` of the module. `output`: a file descriptor for its output and errors; None: this process's.

        Raises:
            OSError: the server has died, or does not answer.
        """
        self._await_ready()
        order = request({"module": module, "arguments": list(arguments), "environment": dict(environment), "launcher": os.getpid()})
        before = _subreaper(True)
        try:
            self._channel.settimeout(ANSWER_WITHIN)
            socket.send_fds(self._channel, [order], [] if output is None else [output])
            return Forked(int(self._answer()))
        finally:
            _subreaper(before)

    def close(self) -> None:
        """End the server; nodes stay."""
        self._channel.close()
        try:
            self.process.wait(1.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _await_ready(self) -> None:
        if not self._ready:
            self._channel.settimeout(READY_WITHIN)
            self._ready = self._answer() == READY

    def _answer(self) -> bytes:
        answer = self._channel.recv(64)
        if not answer:
            raise BrokenPipeError("the fork server has ended")
        return answer


def _subreaper(wanted: bool) -> bool:
    """Whether orphans below this process become its children; returns what was before. Only while a node is made: other orphans are
    not this process's to wait for.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    before = ctypes.c_int()
    libc.prctl(37, ctypes.byref(before), 0, 0, 0)  # PR_GET_CHILD_SUBREAPER
    if libc.prctl(PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")
    return bool(before.value)
