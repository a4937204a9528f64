"""Functions to write SDF and URDF."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

from sayso.scene.scene import Point3

NOWHERE = (0.0, 0.0, 0.0)


def add(parent: ET.Element, tag: str, text: object = None, **attributes: str) -> ET.Element:
    """Add a child element; numbers and tuples of numbers become its text."""
    child = ET.SubElement(parent, tag, attributes)
    if text is not None:
        child.text = text if isinstance(text, str) else numbers(*text) if isinstance(text, tuple) else numbers(text)
    return child


def numbers(*values: object) -> str:
    """Numbers separated by spaces, exact to the micrometre; booleans as in SDF."""
    return " ".join(str(value).lower() if isinstance(value, bool) else f"{float(value) + 0.0:.7g}" for value in values)  # type: ignore[arg-type]


def add_pose(parent: ET.Element, at: Point3, turn: Point3 = NOWHERE) -> None:
    """Add an SDF pose: metres, then roll, pitch, yaw in rad about fixed axes. An identity pose is left out."""
    if (at, turn) != (NOWHERE, NOWHERE):
        add(parent, "pose", (*at, *turn))


def write(root: ET.Element, path: Path) -> None:
    """The document's text, indented, with an XML declaration."""
    ET.indent(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n", encoding="utf-8")
