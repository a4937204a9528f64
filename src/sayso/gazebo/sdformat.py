"""Validates SDF with libsdformat and against the schema's description of every element."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import tempfile
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree as ET

from sayso.errors import AbsentProgramError

INSTALL = "apt-get install libsdformat12-12 sdformat-sdf (Debian), or libsdformat14 (Gazebo Harmonic)"
LIBRARIES = ("sdformat14", "sdformat13", "sdformat12")
SCHEMAS = ("/usr/share/sdformat14", "/usr/share/gz/sdformat14", "/usr/share/sdformat13", "/usr/share/sdformat12")


def is_installed() -> bool:
    """Whether libsdformat and the schema's description are installed."""
    return any(map(ctypes.util.find_library, LIBRARIES)) and any(Path(each).is_dir() for each in SCHEMAS)


def check(path: Path) -> list[str]:
    """The errors that libsdformat finds in a file; empty if it is valid.

    Raises:
        SaysoError: libsdformat is not installed.
    """
    library = _library()
    with tempfile.TemporaryFile() as said:
        # The library writes to the process's own stdout and stderr.
        kept = {number: os.dup(number) for number in (1, 2)}
        try:
            for number in kept:
                os.dup2(said.fileno(), number)
            code = library.cmdCheck(str(path).encode())
            ctypes.CDLL(None).fflush(None)
        finally:
            for number, copy in kept.items():
                os.dup2(copy, number)
                os.close(copy)
        said.seek(0)
        lines = [line for line in said.read().decode(errors="replace").splitlines() if line.strip() and line.strip() != "Valid."]
    if code == 0:  # what other threads wrote meanwhile is no error of the file
        lines = [line for line in lines if "Error" in line or "Warning" in line]
    if code != 0 and not lines:
        return [f"libsdformat returns {code} and says nothing"]
    return lines


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    for name in LIBRARIES:
        found = ctypes.util.find_library(name)
        if found:
            library = ctypes.CDLL(found)
            library.cmdCheck.argtypes, library.cmdCheck.restype = [ctypes.c_char_p], ctypes.c_int
            return library
    raise AbsentProgramError(f"libsdformat is not installed: {INSTALL}")


def unknown_elements(path: Path) -> list[str]:
    """Elements and attributes that the schema of the file's version does not describe; plugins may contain anything.

    Raises:
        SaysoError: the schema's description is not installed.
    """
    root = ET.parse(path).getroot()  # noqa: S314 - our own file
    version = root.get("version", "")
    folder = next((Path(each) / version for each in SCHEMAS if (Path(each) / version / "root.sdf").is_file()), None)
    if folder is None:
        raise AbsentProgramError(f"no description of SDF {version}: {INSTALL}")
    return list(_unknown(root, _described(folder, "root.sdf"), folder, "sdf"))


def _unknown(element: ET.Element, described: ET.Element, folder: Path, where: str) -> list[str]:
    known = {each.get("name") for each in described.findall("attribute")}
    found = [f"{where}: attribute {name}" for name in element.attrib if name not in known]
    if described.find("element[@copy_data='true']") is not None:  # plugins
        return found
    inside = {each.get("name", ""): each for each in described.findall("element")}
    for each in described.findall("include"):
        if not (folder / each.get("filename", "")).is_file():
            continue  # some packages lack the description of a sensor
        included = _described(folder, each.get("filename", ""))
        inside[included.get("name", "")] = included
    for child in element:
        path = f"{where}/{child.tag}"
        own = inside.get(child.tag)
        if own is None and described.get("name") == child.tag and described.get("ref"):
            own = described
        found += [f"{path} is unknown"] if own is None else _unknown(child, own, folder, path)
    return found


@lru_cache(maxsize=128)
def _described(folder: Path, name: str) -> ET.Element:
    return ET.parse(folder / name).getroot()  # noqa: S314 - the installed schema
