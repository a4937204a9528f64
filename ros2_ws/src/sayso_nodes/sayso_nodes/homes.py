"""Which home a node works in: the domain file, and the scene that goes with it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sayso.domain import Domain, load_domain
from sayso.errors import DomainError
from sayso.paths import default_domain
from sayso.scene.load import load_scene
from sayso.scene.scene import Scene
from sayso.yaml_source import companion
from sayso_nodes.graph import Node
from sayso_nodes.parameters import Parameter

SCENE = Parameter("scene", "", "scene file; empty: the one that the domain file names")


def load_home(domain_file: str, scene_file: str) -> tuple[Domain, Scene]:
    """The domain and its scene; empty names stand for the default home, and for the scene that the domain names.

    Raises:
        DomainError: one of the files has mistakes, or no scene is named.
    """
    domain = load_domain(domain_file or None)
    if scene_file:
        return domain, load_scene(scene_file)
    if not domain.scene:
        raise DomainError(
            f"{domain_file}: names no scene, so there are no walls and things to simulate and no map to drive by: add `scene: FILE` "
            "(docs/scenes.md; `sayso new scene` writes a first one)"
        )
    return domain, load_scene(companion(domain.scene, Path(domain_file) if domain_file else default_domain()))


def check_home(nodes: Iterable[Node], domain_file: str, scene_file: str = "") -> None:
    """Check the home before these nodes are started, once for all of them.

    Raises:
        DomainError: one of the files has mistakes, or the domain names no scene and some of the nodes need one.
    """
    domain = load_domain(domain_file or None)
    needing = [node.name for node in nodes if node.scene]
    if not needing:
        return
    if not scene_file and not domain.scene:
        raise DomainError(
            f"{domain_file}: names no scene, and {', '.join(needing)} cannot work without one: add `scene: FILE` "
            "(docs/scenes.md; `sayso new scene` writes a first one), or leave these nodes out (--without NODE, without:=NODES)"
        )
    load_home(domain_file, scene_file)
