"""The `sayso` command: runs a subcommand, and reports errors that the user can fix in one line."""

from __future__ import annotations

import errno
import sys
from importlib import import_module

from sayso.errors import SaysoError

STOP = "sayso_nodes.caller"
UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC)


def main() -> None:
    """Run the command line. An error that the user can fix gives one line on stderr and exit code 2."""
    try:
        _run(sys.argv[1:])
    except SaysoError as error:
        _leave(str(error))
    except ImportError as missing:
        from sayso.extras import remedy

        text = remedy(missing)
        if text is None:
            raise
        _leave(text)
    except OSError as error:
        if error.errno not in UNWRITABLE or error.filename is None:
            raise
        _leave(f"{error.filename} cannot be written: {error.strerror}")
    except KeyboardInterrupt:
        sys.exit(130)


def _run(arguments: list[str]) -> None:
    if arguments == ["stop"]:  # has no options; importing the parser would make stopping 50 % slower
        import_module(STOP).stop()
        return
    from sayso.subcommands import build_app

    build_app()()


def _leave(text: str) -> None:
    from rich.console import Console
    from rich.markup import escape

    Console(stderr=True, soft_wrap=True).print(f"[red]sayso:[/red] {escape(text)}", highlight=False)
    sys.exit(2)
