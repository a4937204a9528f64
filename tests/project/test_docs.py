"""The documentation's examples work unchanged."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from sayso.domain import load_domain

ROOT = Path(__file__).resolve().parents[2]


def test_the_example_home_of_the_documentation_loads_with_every_addition(tmp_path: Path) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "domain-file.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "base.yaml").write_text(blocks[0], encoding="utf-8")
    additions: dict[str, Any] = {"include": ["base.yaml"]}
    for block in blocks[1:]:
        for section, entries in yaml.safe_load(block).items():
            additions[section] = {**additions.get(section, {}), **entries}
    (tmp_path / "home.yaml").write_text(yaml.safe_dump(additions), encoding="utf-8")
    domain = load_domain(tmp_path / "home.yaml")
    assert domain.intents["water"].actions == {"bring": 1.0}
    assert domain.actions["push"].goal == ("pushed(theme)",)
    assert (domain.actions["vacuum"].goal, len(domain.intents["vacuum"].examples)) == (("vacuumed(goal)",), 5)
    assert domain.spoken("my_mug") == "my mug"
