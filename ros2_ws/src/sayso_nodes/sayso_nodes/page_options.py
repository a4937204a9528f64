"""The options of the page, for every command that serves it: `sayso console`, `sayso up --console` and `sayso demo --console`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from sayso.errors import SaysoError

NODE = "web_console"
NEW = "new"
TOKEN = "SAYSO_CONSOLE_TOKEN"  # noqa: S105 - an environment variable: parameters of nodes can be read by all, and are recorded


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOptions:
    """What a page shows, and whom it lets in."""

    token: Annotated[str, typer.Option(help="What everybody must know who opens the page; `new` makes one.", envvar=TOKEN)] = ""
    home_folder: Annotated[
        Path | None, typer.Option(help="Where a home that comes with Sayso is saved once the page has edited it.", show_default=False)
    ] = None
    recordings: Annotated[list[Path] | None, typer.Option(help="Folder with recordings to show, besides runs. May be repeated.")] = None
    mcp: Annotated[
        Literal["read", "command"] | None, typer.Option(help="Let language models look (read), or also say and answer. Needs --token.")
    ] = None

    def refuse(self) -> None:
        """Refuse options of the page where there is none. A token is no mistake: it may be in the environment.

        Raises:
            SaysoError: names the option.
        """
        given = {"--home-folder": self.home_folder, "--recordings": self.recordings, "--mcp": self.mcp}
        if unused := [name for name, value in given.items() if value]:
            raise SaysoError(f"{unused[0]} is of the page: add --console")

    def checked_token(self) -> str:
        """The token; a new one if that is asked for.

        Raises:
            SaysoError: it could be guessed, or language models would be let in without one.
        """
        from sayso.web.server import Address, new_token

        token = new_token() if self.token == NEW else self.token
        Address(token=token).check()
        if self.mcp and not token:
            raise SaysoError("--mcp needs a token: a language model is let in by it alone. Add `--token new`")
        return token

    def parameters(self) -> dict[str, object]:
        """The parameters of `web_console`, but for the token, which it takes from its environment."""
        folder = str(self.home_folder.expanduser().resolve()) if self.home_folder else ""
        recordings = [str(each.expanduser().resolve()) for each in self.recordings or ()]
        given: dict[str, object] = {"home_folder": folder, "recordings": recordings, "mcp": self.mcp or ""}
        return {name: value for name, value in given.items() if value}
