"""The examples in docs/console.md run as they stand there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from page_robot import Served
from patience import PATIENCE
from sayso.web.server import Address

PAGE = (Path(__file__).parents[2] / "docs" / "console.md").read_text(encoding="utf-8")
API = PAGE[PAGE.index("## API") :]


@pytest.fixture
def served() -> Iterator[Served]:
    made = Served(Address(port=0))
    yield made
    made.server.close()


def example(kind: str, served: Served) -> str:
    """The first example of the API in that language, for the server that runs."""
    found = re.search(rf"```{kind}\n(.+?)```", API, re.DOTALL)
    assert found
    return found[1].replace(":8420", f":{served.port}")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_lines_for_a_shell_command_the_robot(served: Served) -> None:
    say, stop, _ = example("sh", served).strip().splitlines()
    answers = [
        json.loads(subprocess.run(["bash", "-c", line], capture_output=True, check=True, timeout=PATIENCE).stdout) for line in (say, stop)
    ]
    assert answers == [{"ok": True, "message": "", "utterance_id": "u1"}, {"ok": True, "message": "stopped"}]
    assert served.robot.calls == [("say", "go to the kitchen"), ("stop",)]


def test_the_program_gets_its_answer(served: Served) -> None:
    done = subprocess.run([sys.executable, "-c", example("python", served)], capture_output=True, check=True, timeout=PATIENCE, text=True)
    assert done.stdout == "True u1\n"
    assert served.robot.calls == [("say", "go to the kitchen")]
