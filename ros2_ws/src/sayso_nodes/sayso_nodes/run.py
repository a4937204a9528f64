"""Running one node as a process: `python -m sayso_nodes.<name> --ros-args …`."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import gc
import os
import signal
import sys
from time import monotonic
from typing import TYPE_CHECKING

from sayso.errors import SaysoError
from sayso.supervision import NODE_AWAY, NODE_HANGS, NODE_STARTS, OwnPulse
from sayso_nodes.environment import set_client_defaults
from sayso_nodes.graph import find_node

if TYPE_CHECKING:
    from sayso_nodes.lifecycle_node import SaysoNode

FROZEN = 75  # exit code: try again (sysexits.h)
LOOK = 0.5  # s


def run(node_class: type[SaysoNode]) -> None:
    """Run a node until SIGINT or SIGTERM. Exit code 0; 2 with one line if it cannot start."""
    import rclpy
    from rclpy.executors import ExternalShutdownException

    _set_priority(node_class.NAME)  # first: DDS's threads inherit it
    set_client_defaults()  # a node that is started alone is as closed as one of `sayso up`
    rclpy.init(args=sys.argv)
    node, code = None, 0
    try:
        if "SAYSO_LAUNCHER" in os.environ:
            faulthandler.dump_traceback_later(NODE_STARTS, exit=True)
        node = node_class()
        faulthandler.cancel_dump_traceback_later()  # to load a stage may take long
        if node.value("autostart"):
            node.start()
        settle()
        _end_if_it_hangs(node)
        _spin(node)
    except SaysoError as error:
        sys.stderr.write(f"{error}\n")
        code = 2
    except (KeyboardInterrupt, ExternalShutdownException, SystemExit):
        pass
    except Exception:
        if rclpy.ok():  # otherwise it was shut down while it started, which ROS reports in many ways
            raise
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches a node twice: from the terminal and from its launcher
        if node is not None:
            node.close()
            node = None
            gc.collect()  # drops the last reference to the node's handle, and with it DDS's segment in /dev/shm
        rclpy.try_shutdown()
    _leave(code)


def _spin(node: SaysoNode) -> None:
    """Serve callbacks until shutdown, in one thread: rclpy's multi-threaded executor costs four times the CPU."""
    from rclpy.executors import ExternalShutdownException

    from sayso_nodes.executor import NodeExecutor

    executor = NodeExecutor(node.REST)
    try:
        executor.add_node(node)
        while executor.context.ok():
            try:
                executor.spin()
            except (KeyboardInterrupt, ExternalShutdownException):
                break
            except Exception as error:  # noqa: BLE001 - a callback's: log it and go on
                node.fail("callback", error)
    finally:
        executor.shutdown()


def _end_if_it_hangs(node: SaysoNode) -> None:
    """End a node that its launcher starts again, if it hangs or was frozen.

    A callback that does not return blocks every other one, so a thread in C ends the process and writes where it was. While a process is
    frozen, Fast DDS's shared memory may give it up, and it would stay deaf.
    """
    if "SAYSO_LAUNCHER" not in os.environ or node.NAME == "simulation":  # whose world would begin anew
        return
    pulse = OwnPulse(monotonic(), NODE_AWAY)

    def look() -> None:
        faulthandler.dump_traceback_later(NODE_HANGS, exit=True)
        if away := pulse.away(monotonic()):
            node.get_logger().error(f"was frozen for {away:.0f} s, and ends to be started again")
            _leave(FROZEN)

    node.create_timer(LOOK, look, clock=node.steady)


def settle() -> None:
    """Give back the memory that was needed to load, and let later collections of garbage leave alone what stays."""
    gc.collect()
    gc.freeze()
    with contextlib.suppress(OSError, AttributeError):  # another C library than glibc
        ctypes.CDLL(None).malloc_trim(0)


def _set_priority(name: str) -> None:
    with contextlib.suppress(OSError):  # an ordinary user may not set it
        os.nice(find_node(name).priority)


def _leave(code: int) -> None:
    """Exit without the interpreter's teardown: rclpy's and ONNX Runtime's threads make it slow, and now and then crash it."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
