"""Sayso as `pip install sayso-….whl` installs it: the wheel, its dependencies, and nothing else.

Nothing is downloaded. The declared packages are linked from the tests' environment, folder by folder, so an import of an undeclared package
fails as it would for a user. The network is blocked.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
BUILT_FROM = ("src/sayso", "ros2_ws/src/sayso_nodes", "ros2_ws/src/sayso_msgs/msg", "config", "models")
BESIDE = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "NOTICE")
NO_NETWORK = """import socket


def refused(self, address):
    raise OSError(f"this test blocks the network; refused: {address}")


socket.socket.connect = refused
"""


@dataclass(frozen=True)
class Bare:
    """An environment with only Sayso installed."""

    folder: Path
    packages: frozenset[str]  # direct and indirect dependencies

    @property
    def site(self) -> Path:
        (found,) = (self.folder / "lib").glob("python*/site-packages")
        return found

    def run(
        self, *arguments: object, cwd: Path, home: Path | None = None, env: Mapping[str, str] | None = None, powerless: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """Run `sayso ARGUMENTS` in it. `powerless`: write protection also holds for root."""
        kept = {key: value for key, value in os.environ.items() if key in ("LANG", "LC_ALL", "OMP_NUM_THREADS", "TMPDIR")}
        variables = {"PATH": "/usr/bin:/bin", "HOME": str(home or self.folder.parent / "home"), "COLUMNS": "200", **kept, **(env or {})}
        command = [str(self.folder / "bin/sayso"), *map(str, arguments)]
        if powerless and os.geteuid() == 0:
            command = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override", *command]
        return subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True, timeout=PATIENCE, check=False)


def built_wheel(folder: Path) -> Path:
    """Build the wheel from a copy of the checkout, which leaves no files in the checkout."""
    source = folder / "source"
    for name in BUILT_FROM:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in BESIDE:
        shutil.copy2(ROOT / name, source / name)
    _pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source))
    (wheel,) = folder.glob("sayso-*.whl")
    return wheel


def bare_installation(wheel: Path, folder: Path) -> Bare:
    """Install the wheel in an empty environment at `folder`, with its dependencies."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=PATIENCE)
    _pip("--python", str(folder / "bin/python"), "install", "--no-deps", "--no-index", str(wheel))
    (site,) = (folder / "lib").glob("python*/site-packages")
    (ours,) = distributions(path=[str(site)])
    packages: dict[str, Distribution] = {}
    _collect(ours, frozenset(), packages)
    for package in packages.values():
        _link(package, site)
    (site / "sitecustomize.py").write_text(NO_NETWORK)
    return Bare(folder, frozenset(packages))


def _collect(package: Distribution, extras: frozenset[str], found: dict[str, Distribution]) -> None:
    """Add its direct and indirect dependencies."""
    for text in package.requires or ():
        requirement = Requirement(text)
        if requirement.marker and not any(requirement.marker.evaluate({"extra": extra}) for extra in (*extras, "")):
            continue
        name = canonicalize_name(requirement.name)
        if name not in found:
            found[name] = distribution(name)
            _collect(found[name], frozenset(requirement.extras), found)


def _link(package: Distribution, site: Path) -> None:
    for name in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
        target = site / name
        if not target.exists():
            target.symlink_to(Path(str(package.locate_file(name))).resolve())


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
