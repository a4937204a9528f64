"""Waits for nodes to become active, then runs a command: `python -m sayso_nodes.running.when_active planner skills -- ros2 bag play …`."""

from __future__ import annotations

import argparse
import os
import sys

from sayso.errors import RosError

PATIENCE = 300.0  # s: a home with intents of its own is learnt when it is first used


def main() -> None:
    """Wait, then replace this process by the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--namespace", default="")
    parser.add_argument("nodes", nargs="+")
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    options, command = parser.parse_args(words[:cut]), words[cut + 1 :]
    if not command:
        parser.error("no command after --")
    from sayso_nodes.environment import set_client_defaults
    from sayso_nodes.states import StateWatch

    set_client_defaults()
    try:
        with StateWatch(options.nodes, options.namespace) as watch:
            watch.wait_active(PATIENCE)
    except RosError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
    sys.stdout.flush()
    os.execvp(command[0], command)  # noqa: S606 - without a shell


if __name__ == "__main__":
    main()
