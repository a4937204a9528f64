"""Check the machine before the set-up; every problem is reported with the command that solves it.

Standard library only: it runs before anything is installed.
"""

from __future__ import annotations

import ctypes.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SUPPORTED = [(3, minor) for minor in (13, 12, 11, 10)]
ROS_VARIABLES = (
    "PYTHONPATH",
    "AMENT_PREFIX_PATH",
    "CMAKE_PREFIX_PATH",
    "_ROS_WHEELS_BOOTSTRAP_COMPLETE",
    "COLCON_PREFIX_PATH",
    "LD_LIBRARY_PATH",
    "ROS_DISTRO",
    "ROS_VERSION",
    "ROS_PYTHON_VERSION",
)
LTS_FROM_JAZZY = ("jazzy", "lyrical")


class SetupError(Exception):
    """A problem, and the command that solves it."""


@dataclass(frozen=True)
class SystemPackage:
    """A useful Debian package, the test for its presence, and the effect of its absence."""

    name: str
    present: Callable[[], bool]
    without: str


def _library(*names: str) -> bool:
    return any(ctypes.util.find_library(name) for name in names)


SYSTEM_PACKAGES = (
    SystemPackage("libosmesa6", lambda: _library("OSMesa", "EGL"), "the simulation's camera cannot render, so no demo"),
    SystemPackage("libportaudio2", lambda: _library("portaudio"), "no microphone and no loudspeaker (recorded sound still works)"),
    SystemPackage(
        "espeak-ng", lambda: bool(shutil.which("espeak-ng") or shutil.which("espeak")), "the robot's questions are printed, not spoken"
    ),
)
# For the tests only.
DEV_PACKAGES = (
    SystemPackage(
        "libsdformat12-12",
        lambda: _library("sdformat14", "sdformat13", "sdformat12"),
        "the worlds for Gazebo cannot be validated, so their tests are skipped",
    ),
    SystemPackage("libegl1", lambda: _library("EGL"), "the worlds for Gazebo cannot be drawn by Drake, so their pictures are not tested"),
    SystemPackage(
        "libgl1-mesa-dri",
        lambda: any(Path("/usr/lib").glob("*/dri/*_dri.so")) or any(Path("/usr/lib64").glob("dri/*_dri.so")) or _library("EGL_nvidia"),
        "Drake has no driver to draw with, so pictures of the worlds for Gazebo are not tested",
    ),
)


def choose_ros() -> tuple[str, str]:
    """("wheels" | "system", the reason): a sourced Jazzy or newer LTS is used, any other ROS is kept out."""
    wanted = os.environ.get("ROS", "")
    if wanted not in ("", "wheels", "system"):
        raise SetupError(f"ROS={wanted} is not known: use ROS=wheels or ROS=system")
    distro = os.environ.get("ROS_DISTRO", "")
    if wanted == "system":
        if not distro:
            raise SetupError("ROS=system, but no ROS is sourced: run 'source /opt/ros/jazzy/setup.bash' first")
        return "system", f"ROS=system was asked for ({distro})"
    if wanted == "wheels":
        return "wheels", "ROS=wheels was asked for"
    if distro in LTS_FROM_JAZZY and shutil.which("colcon"):
        return "system", f"{distro} is sourced in this shell (ROS=wheels overrides)"
    if distro:
        return "wheels", f"the sourced {distro} is older than Jazzy or has no colcon"
    return "wheels", "no ROS is sourced in this shell"


def choose_python(ros: str) -> str:
    """Path of a supported interpreter; with the system's ROS it must be the one that ROS was built for."""
    own = f"{sys.base_prefix}/bin/python3" if sys.prefix != sys.base_prefix else sys.executable  # never the environment's own
    names = ["python3"] if ros == "system" else [own, *(f"python3.{minor}" for _, minor in SUPPORTED)]
    seen = []
    for name in [os.environ["PYTHON"]] if os.environ.get("PYTHON") else names:
        path = shutil.which(name)
        version = version_of(path) if path else ""
        if path and tuple(int(part) for part in version.split(".")[:2] if part) in SUPPORTED:
            return path
        seen.append(f"{name} ({version or 'not found'})")
    raise SetupError(
        f"Sayso needs Python 3.10 to 3.13; tried {', '.join(seen)}. "
        "Install one (Debian: apt install python3 python3-venv) and name it: make setup PYTHON=python3.12"
    )


def check(python: str, ros: str, folder: Path, needed_gb: float) -> None:
    """Check everything that would make a later step fail.

    Raises:
        SetupError: with the command that solves the problem.
    """
    if not os.access(folder, os.W_OK):
        raise SetupError(f"{folder} cannot be written to; clone it to a folder of your own")
    if subprocess.run([python, "-c", "import ensurepip, venv"], capture_output=True, check=False).returncode:
        raise SetupError(f"{python} cannot make virtual environments: apt install python3-venv")
    if not any(shutil.which(compiler) for compiler in ("cc", "gcc", "clang")):
        raise SetupError("no C compiler, needed for our ROS interfaces: apt install build-essential")
    if ros == "system" and not shutil.which("colcon"):
        raise SetupError("no colcon, needed to build our interfaces: apt install python3-colcon-common-extensions, or ROS=wheels")
    free = shutil.disk_usage(folder).free / 1e9
    if free < needed_gb:
        raise SetupError(f"{free:.1f} GB free on the disk of {folder}, {needed_gb} GB are needed")


def missing_packages(dev: bool) -> list[SystemPackage]:
    return [package for package in (*SYSTEM_PACKAGES, *(DEV_PACKAGES if dev else ())) if not package.present()]


def install_system_packages(dev: bool) -> None:
    """Install missing packages if permitted, else print the command that does. Never fails the set-up."""
    missing = missing_packages(dev)
    prefix = _root_prefix()
    if missing and prefix is not None and shutil.which("apt-get"):
        names = [package.name for package in missing]
        print(f"System packages: installing {' '.join(names)}")
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        # One by one, because apt installs nothing if one name is unknown to this distribution.
        for command in (["update"], *(["install", "-y", "--no-install-recommends", name] for name in names)):
            subprocess.run([*prefix, "apt-get", "-qq", *command], env=environment, capture_output=True, check=False)
        missing = missing_packages(dev)
    report_missing(missing)


def report_missing(missing: list[SystemPackage]) -> None:
    if not missing:
        return
    for package in missing:
        print(f"System package {package.name} is not installed: {package.without}.")
    print(f"To install: sudo apt-get install {' '.join(package.name for package in missing)}")


def _root_prefix() -> list[str] | None:
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0:
        return [sudo, "-n"]
    return None


def version_of(python: str | None) -> str:
    if not python:
        return ""
    command = [python, "-c", "import sys; print('.'.join(map(str, sys.version_info[:3])))"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
