"""The table of rooms in docs/architecture.md has the rooms and layers that the import contracts have."""

from __future__ import annotations

import re
import sys

from sayso.paths import project_root

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def layers_of_the_contract() -> list[set[str]]:
    contracts = tomllib.loads((project_root() / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    (ours,) = (each for each in contracts if each["type"] == "layers" and each["containers"] == ["sayso"])
    return [{name.strip() for name in layer.split("|")} for layer in ours["layers"]]


def layers_of_the_page() -> list[set[str]]:
    text = (project_root() / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text.split("| layer | room or module | holds |")[1].split("\n\n")[0]
    layers: list[set[str]] = []
    for number, name in re.findall(r"^\| (\d*) ?\| `(\w+)(?:/|\.py)` \|", table, re.MULTILINE):
        if number:
            assert int(number) == len(layers) + 1
            layers.append(set())
        layers[-1].add(name)
    return layers


def test_the_page_has_the_layers_of_the_contract() -> None:
    assert layers_of_the_page() == layers_of_the_contract()
