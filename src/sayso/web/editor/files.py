"""The files of a home on disk: read as texts, and written back both or none, each with a copy of what was there before."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sayso.errors import SaysoError
from sayso.paths import config_dir
from sayso.yaml_source import plain_yaml
from sayso.yaml_source.surgery import has_anchors, put
from sayso.yaml_source.text import text_of

BEFORE = ".before"  # ends the name of the copy


@dataclass(frozen=True, slots=True)
class HomeFiles:
    """A domain file and the scene that belongs to it."""

    domain: Path  # absolute, links followed
    scene: Path | None

    def both(self) -> Iterable[Path]:
        """The files that there are."""
        return (self.domain,) if self.scene is None else (self.domain, self.scene)

    @property
    def shipped(self) -> bool:
        """Whether they come with Sayso."""
        return any(path.is_relative_to(config_dir().resolve()) for path in self.both())

    def texts(self) -> dict[Path, str]:
        """What they hold.

        Raises:
            DomainError: one cannot be read, or has anchors, which make one text stand at several places.
        """
        found = {}
        for path in self.both():
            found[path] = text_of(path)
            plain_yaml(found[path], path)  # refuses what is no YAML, or would grow without bound
            if has_anchors(found[path]):
                raise SaysoError(f"{path}: anchors (&, *) cannot be edited here; use a text editor")
        return found

    def copied(self, folder: Path, texts: Mapping[Path, str]) -> tuple[HomeFiles, dict[Path, str]]:
        """The same home in a folder of the user's: its includes name files that come with Sayso."""
        home = HomeFiles(folder / self.domain.name, folder / self.scene.name if self.scene else None)
        moved = {}
        for path, target in zip(self.both(), home.both(), strict=True):
            text, plain = texts[path], plain_yaml(texts[path], path)
            if plain.get("include"):
                text = put(text, ("include",), [_shipped(name, path) for name in plain["include"]], path)
            if path == self.domain and home.scene is not None:
                text = put(text, ("scene",), home.scene.name, path)
            moved[target] = text
        return home, moved


def write(texts: Mapping[Path, str]) -> None:
    """Write all of these files, or none where there is no room or no right. The former content is beside each file, with the end `.before`.

    Raises:
        SaysoError: nothing was changed; says why, and what to do.
    """
    made: dict[Path, Path] = {}  # file → its new text beside it
    path = Path()
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            made[path] = Path(name)
            with os.fdopen(descriptor, "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            if path.exists():
                before = path.with_name(path.name + BEFORE)
                shutil.copyfile(path, before)
                shutil.copymode(path, made[path])
            else:
                made[path].chmod(0o644)
        for path in texts:
            made[path].replace(path)
            del made[path]
    except OSError as refused:
        raise SaysoError(
            f"{path} cannot be written ({refused.strerror or refused}): is there room on the disk, and may you write there? "
            "Your changes are kept here until the console ends"
        ) from None
    finally:
        for left in made.values():
            with suppress(OSError):
                left.unlink()


def _shipped(name: str, path: Path) -> str:
    file = (path.parent / name).resolve()
    return name if name.startswith("sayso:") else f"sayso:{file.relative_to(config_dir().resolve()).as_posix()}"
