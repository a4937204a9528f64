"""`sayso demo` plays the acts of its home."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.errors import SaysoError
from sayso.paths import config_dir

pytestmark = pytest.mark.ros


def test_every_home_has_acts_of_its_own() -> None:
    from sayso_nodes.commands.demo_acts import default_sentences

    assert default_sentences()[0].title == "bring me the red cup from the kitchen"
    acts = default_sentences(config_dir() / "warehouse.yaml")
    assert [act.title for act in acts] == ["bring me the red cup", "bring me the cup", "the weather is nice today"]
    assert [act.expected for act in acts] == ["done", "asks", "no command"]


def test_a_home_without_acts_gets_a_remedy(tmp_path: Path) -> None:
    from sayso_nodes.commands.demo_acts import default_sentences

    with pytest.raises(SaysoError, match=r"no demo sentences for .*demo_my_home\.yaml does not exist; name a sound file with --sentence"):
        default_sentences(tmp_path / "my_home.yaml")
