"""The settings of the spoken tasks, config/tasks.yaml: `tasks`, `needed` of random homes, `troubles`."""

from __future__ import annotations

from functools import cache
from typing import Any

from sayso.paths import config_dir
from sayso.yaml_source import read_yaml


@cache
def task_settings() -> dict[str, Any]:
    """Spoken tasks, the places and things that they need, and how often skills are to fail."""
    settings: dict[str, Any] = read_yaml(config_dir() / "tasks.yaml", "a list of spoken tasks and of simulated failures").value
    return settings
