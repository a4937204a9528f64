"""A draft as the models that its files become, and what is wrong with it, in the words of `sayso check`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sayso.console.check import check_agreement
from sayso.domain import Domain, load_domain
from sayso.errors import DomainError, SaysoError
from sayso.scene import Scene, load_scene
from sayso.web.editor.files import HomeFiles
from sayso.yaml_source import drafting, read_yaml

_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+): (?P<text>.*)", re.DOTALL)


def structure(files: HomeFiles, texts: Mapping[Path, str]) -> tuple[Domain, Scene | None]:
    """The draft as models whose parts may still contradict each other: a sofa in a wall can be drawn.

    Raises:
        DomainError: a field is missing, unknown or of the wrong kind.
    """
    with drafting(texts):
        source = read_yaml(files.domain, "a domain file is a mapping")
        intents = source.value.get("intents")
        for name, intent in intents.items() if isinstance(intents, dict) else ():
            if isinstance(intent, dict):
                intent.setdefault("actions", {name: 1.0})
        domain = source.checked(Domain)
        return domain, read_yaml(files.scene, "a scene file is a mapping").checked(Scene) if files.scene else None


def problems(files: HomeFiles, texts: Mapping[Path, str], *, reach: bool) -> list[dict[str, Any]]:
    """Each mistake with file, line and message; with `reach`, also whether the files agree and the robot reaches everything (seconds)."""
    found: list[str] = []
    with drafting(texts):
        for load, path in ((load_domain, files.domain), (load_scene, files.scene)):
            try:
                if path is not None:
                    load(path)
            except DomainError as wrong:
                found += wrong.findings
        if reach and not found and files.scene is not None:
            try:
                check_agreement(files.scene, files.domain)
            except DomainError as wrong:
                found += wrong.findings
    return [_placed(each) for each in dict.fromkeys(found)]


def problems_with_reach(files: HomeFiles, texts: Mapping[Path, str]) -> list[dict[str, Any]]:
    """`problems` with reach, in a process of its own: seconds of work beside the server would delay STOP by up to a second.

    Raises:
        SaysoError: the process was ended from outside.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        try:
            return pool.submit(problems, files, dict(texts), reach=True).result()
        except BrokenProcessPool:
            raise SaysoError("the check was ended by the system, perhaps for lack of memory: try again") from None


def _placed(finding: str) -> dict[str, Any]:
    at = _PLACE.fullmatch(finding)
    return {"file": Path(at["file"]).name, "line": int(at["line"]), "text": at["text"]} if at else {"file": "", "line": 0, "text": finding}
