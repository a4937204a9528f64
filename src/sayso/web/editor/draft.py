"""The draft of a home: its texts while they are edited, with undo, comparison and saving."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sayso.domain import Domain, load_domain
from sayso.errors import SaysoError
from sayso.scene import Scene
from sayso.web.editor.changed import Changed
from sayso.web.editor.checking import problems, problems_with_reach, structure
from sayso.web.editor.edits import changes
from sayso.web.editor.files import HomeFiles, write
from sayso.yaml_source import companion, plain_yaml, resolved
from sayso.yaml_source.surgery import drop, put

UNDONE = 200  # edits that can be taken back


@dataclass(frozen=True, slots=True)
class Version:
    """The home after an edit."""

    number: int
    texts: Mapping[Path, str]  # of the domain file and the scene
    domain: Domain
    scene: Scene | None


class HomeDraft:
    """One home that is edited by all pages together. The methods may be called from any thread; they read files and take up to seconds."""

    def __init__(self, domain: Path, scene: Path | None = None, folder: Path | None = None, *, read_only: bool = False) -> None:
        """Reads nothing yet.

        Args:
            domain: the domain file.
            scene: the scene file; None: the one that the domain names.
            folder: where a home that comes with Sayso is saved; None: nowhere.
            read_only: look only.
        """
        self._given, self._given_scene, self._folder, self.read_only = domain, scene, folder, read_only
        self._lock = threading.RLock()
        self._files: HomeFiles | None = None
        self._saved: dict[Path, str] = {}  # as they are on disk
        self._versions: list[Version] = []
        self._number = 0
        self._checked: tuple[int, list[dict[str, Any]]] = (-1, [])  # the version whose reach was checked, and its mistakes

    @property
    def files(self) -> HomeFiles:
        """The files that were opened."""
        with self._lock:
            self._open()
            if self._files is None:
                raise SaysoError("no home is open")
            return self._files

    @property
    def now(self) -> Version:
        """The home as it is edited.

        Raises:
            DomainError: its files cannot be read as a home.
        """
        with self._lock:
            self._open()
            return self._versions[-1]

    @property
    def edited(self) -> bool:
        """Whether there is something to save."""
        with self._lock:
            return bool(self._versions) and dict(self._versions[-1].texts) != self._saved

    @property
    def undoable(self) -> bool:
        """Whether an edit can be taken back."""
        return len(self._versions) > 1

    def own_intents(self) -> list[str]:
        """The intents that the domain file itself has; the others come from files that it includes."""
        version = self.now
        return [
            name
            for name in plain_yaml(version.texts[self.files.domain], self.files.domain).get("intents") or {}
            if name in version.domain.intents
        ]

    def target(self) -> str:
        """Where it will be saved; empty: nowhere."""
        if not self.files.shipped:
            return str(self.files.domain)
        return str(self._folder / self.files.domain.name) if self._folder else ""

    def edit(self, asked: Mapping[str, Any], number: int) -> None:
        """Do an edit.

        Raises:
            SaysoError: the edit is not one, names what is not there, or another page was faster.
        """
        with self._lock:
            self._writable()
            version = self.now
            if number != version.number:
                raise SaysoError("the home was changed by another page meanwhile: look at it again")
            texts = dict(version.texts)
            for change in changes(version.domain, version.scene, asked):
                path = self._path(change)
                text = texts[path]
                texts[path] = drop(text, change.location, path) if change.remove else put(text, change.location, change.value, path)
            self._number += 1
            self._versions.append(Version(self._number, texts, *structure(self.files, texts)))
            del self._versions[: -UNDONE - 1]

    def undo(self) -> None:
        """Take the last edit back."""
        with self._lock:
            self._writable()
            if not self.undoable:
                raise SaysoError("there is nothing to undo")
            self._versions.pop()

    def reload(self) -> None:
        """Forget all edits and read the files again."""
        with self._lock:
            self._files, self._versions, self._saved = None, [], {}
            self._open()

    def problems(self, *, reach: bool) -> tuple[int, list[dict[str, Any]]]:
        """The number of the version that was checked, and its mistakes. Does not hold up edits meanwhile."""
        version = self.now
        if self._checked[0] == version.number:
            return self._checked
        texts = version.texts
        mistakes = problems_with_reach(self.files, texts) if reach else problems(self.files, texts, reach=False)
        found = version.number, mistakes
        if reach:
            self._checked = found
        return found

    def copy(self) -> dict[str, str]:
        """File name → text of the edited home as one of the user's own, for a home that comes with Sayso and is saved nowhere.

        Raises:
            SaysoError: it is saved where it is.
        """
        version, files = self.now, self.files
        if not files.shipped:
            raise SaysoError(f"this home is your own: it is saved to {files.domain}")
        return {path.name: text for path, text in files.copied(Path(), {path: version.texts[path] for path in files.both()})[1].items()}

    def difference(self) -> str:
        """What saving changes, as a unified diff."""
        lines: list[str] = []
        version, files = self.now, self.files
        texts = {path: version.texts[path] for path in files.both()}
        if files.shipped and self._folder:
            texts = dict(zip(files.both(), files.copied(self._folder, texts)[1].values(), strict=True))
        for path, text in texts.items():
            before, after = self._saved[path].splitlines(keepends=True), text.splitlines(keepends=True)
            found = difflib.unified_diff(before, after, path.name, path.name)
            lines += [line if line.endswith("\n") else line + "\n" for line in found]
        return "".join(lines)

    def save(self, number: int) -> Path:
        """Write the files. Returns the domain file.

        Raises:
            SaysoError: nothing was written: mistakes are left, the files were changed or removed meanwhile, or the disk refuses.
        """
        self._writable()
        self._untouched()
        checked, found = self.problems(reach=True)
        with self._lock:
            version, files = self.now, self.files
            if number != version.number or checked != version.number:
                raise SaysoError("the home was changed by another page meanwhile: look at it again")
            if found:
                raise SaysoError(f"not saved: {len(found)} mistakes are left; the first: {found[0]['text']}")
            self._untouched()
            texts = dict(version.texts)
            if files.shipped:
                if self._folder is None:
                    raise SaysoError("a home that comes with Sayso is not overwritten: start the console with --home-folder FOLDER")
                files, texts = files.copied(self._folder.expanduser().resolve(), texts)
                if taken := [str(path) for path in files.both() if path.exists()]:
                    raise SaysoError(f"not saved: {taken[0]} is there already; open that home, or move it away")
            write({path: text for path, text in texts.items() if self._saved.get(path) != text})
            self._given, self._given_scene, self._folder = files.domain, files.scene, self._folder
            self.reload()
            return files.domain

    def _path(self, change: Changed) -> Path:
        path = self.files.domain if change.file == "domain" else self.files.scene
        if path is None:
            raise SaysoError("this home has no scene: `sayso new scene` writes a first one")
        return path

    def _open(self) -> None:
        if self._versions:
            return
        domain_file = resolved(self._given)
        scene_file = self._given_scene
        if scene_file is None:
            named = load_domain(domain_file).scene
            scene_file = companion(named, domain_file) if named else None
        files = HomeFiles(domain_file, resolved(scene_file) if scene_file else None)
        texts = files.texts()
        domain, scene = structure(files, texts)
        self._number += 1
        self._files, self._saved = files, texts
        self._versions = [Version(self._number, dict(texts), domain, scene)]

    def _untouched(self) -> None:
        for path, text in self._saved.items():
            if _on_disk(path) != text:
                raise SaysoError(f"not saved: {path} was changed or removed by another program; read it again, and edit anew")

    def _writable(self) -> None:
        if self.read_only:
            raise SaysoError("this page only shows; it was started with --read-only")


def _on_disk(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError):
        return None
