"""Which home a node works in: the domain file, and the scene that goes with it."""

from __future__ import annotations

from pathlib import Path

from sayso.domain import Domain, load_domain
from sayso.paths import config_dir, default_domain
from sayso.scene.load import load_scene
from sayso.scene.scene import Scene
from sayso_nodes.parameters import Parameter

SCENE = Parameter("scene", "", "scene file; empty: the one that the domain file names")


def load_home(domain_file: str, scene_file: str) -> tuple[Domain, Scene]:
    """The domain and its scene; empty names stand for the defaults.

    Raises:
        DomainError: one of the files says something that cannot be.
    """
    domain = load_domain(domain_file or None)
    if scene_file or not domain.scene:
        return domain, load_scene(scene_file or None)
    beside = (Path(domain_file) if domain_file else default_domain()).resolve().parent / domain.scene
    return domain, load_scene(beside if beside.exists() else config_dir() / domain.scene)  # a home that includes ours has our scene
