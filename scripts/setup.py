"""Sets Sayso up in .venv: recognises what is missing before anything is half done, shows progress, and does again only what changed.

Usage: python3 scripts/setup.py [--dev] [--no-system-packages]      (`make setup`, `make demo` and `make test` run it)
Environment: ROS=wheels|system overrides the choice of ROS; PYTHON names another interpreter.

Standard library only: it runs before anything is installed.
"""

from __future__ import annotations

import argparse
import ctypes.util
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
STAMPS = VENV / "stamps"
SUPPORTED = [(3, minor) for minor in (13, 12, 11, 10)]
ROS_VARIABLES = (
    "PYTHONPATH",
    "AMENT_PREFIX_PATH",
    "CMAKE_PREFIX_PATH",
    "COLCON_PREFIX_PATH",
    "LD_LIBRARY_PATH",
    "ROS_DISTRO",
    "ROS_VERSION",
    "ROS_PYTHON_VERSION",
)
LTS_FROM_JAZZY = ("jazzy", "lyrical")
TORCH = "torch==2.13.0"
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
NEEDED_GB = {"demo": 2.5, "dev": 6.0}


@dataclass(frozen=True)
class SystemPackage:
    """A Debian package that helps, how to see that it is there, and what is missing without it."""

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


class SetupError(Exception):
    """What stands in the way, and the command that helps."""


def main() -> int:
    """Run every step that is not up to date."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dev", action="store_true", help="also what the checks, the tests and the training need")
    parser.add_argument("--no-system-packages", action="store_true", help="do not install Debian packages, only say which would help")
    options = parser.parse_args()
    try:
        set_up(dev=options.dev, system_packages=not options.no_system_packages)
    except SetupError as error:
        print(f"set-up stopped: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nset-up interrupted; run it again and it continues", file=sys.stderr)
        return 130
    return 0


def set_up(dev: bool, system_packages: bool) -> None:
    """All steps in order; each is skipped while its inputs are what they were."""
    started = time.monotonic()
    ros, why = choose_ros()
    python = choose_python(ros)
    steps = list(plan(python, ros, dev))
    todo = [step for step in steps if not step.up_to_date()]
    if not todo:
        return
    print(f"Setting up Sayso in {VENV.relative_to(ROOT)}/ with Python {_version(python)}")
    print(f"ROS: {ros}, because {why}")
    check(python, ros, "dev" if dev else "demo")
    if system_packages:
        install_system_packages()
    else:
        report_missing(missing_packages())
    for index, step in enumerate(todo, 1):
        print(f"[{index}/{len(todo)}] {step.title}", flush=True)
        step.run()
        step.stamp()
    print(f"Set up in {time.monotonic() - started:.0f} s. Next: make demo, or bin/sayso --help")


@dataclass(frozen=True)
class Step:
    """A piece of the set-up, done again when the hash of its inputs changes."""

    name: str
    title: str
    inputs: tuple[str, ...]  # file contents and settings that it depends on
    action: Callable[[], None]

    def _hash(self) -> str:
        return hashlib.sha256("\0".join(self.inputs).encode()).hexdigest()

    def up_to_date(self) -> bool:
        path = STAMPS / self.name
        return path.is_file() and path.read_text() == self._hash()

    def stamp(self) -> None:
        STAMPS.mkdir(parents=True, exist_ok=True)
        (STAMPS / self.name).write_text(self._hash())

    def run(self) -> None:
        self.action()


def plan(python: str, ros: str, dev: bool) -> Iterator[Step]:
    """The steps of this kind of installation, in order."""
    requirements = {path.name: path.read_text() for path in (ROOT / "requirements").glob("*.txt")}
    pins = requirements["constraints.txt"]
    base = (python, _version(python), ros)  # a new interpreter or another ROS starts afresh
    yield Step("venv", "virtual environment", base, lambda: make_venv(python, ros))
    yield Step("base", "libraries (about 250 MB)", (*base, requirements["base.txt"], pins), lambda: install_base(ros))
    yield Step(
        "nodeps",
        "voice activity detector",
        (*base, requirements["nodeps.txt"]),
        lambda: pip("install", "--no-deps", "-r", _req("nodeps.txt")),
    )
    if ros == "wheels":
        yield Step(
            "ros",
            "ROS 2 Jazzy from wheels (about 60 MB)",
            (*base, requirements["ros.txt"], pins),
            lambda: pip("install", "-r", _req("ros.txt")),
        )
    yield Step(
        "msgs",
        "our ROS interfaces, compiled (one minute)",
        (*base, _contents(ROOT / "ros2_ws/src/sayso_msgs")),
        lambda: build_interfaces(ros),
    )
    own = (*base, (ROOT / "pyproject.toml").read_text(), str(ROOT))
    yield Step("sayso", "Sayso itself", own, lambda: pip("install", "--no-deps", "--no-build-isolation", "-e", str(ROOT)))
    if dev:
        yield Step("torch", "PyTorch for training (about 200 MB)", (*base, TORCH), install_torch)
        yield Step(
            "dev", "checks and tests (about 300 MB)", (*base, requirements["dev.txt"], pins), lambda: pip("install", "-r", _req("dev.txt"))
        )
        yield Step(
            "dev-nodeps",
            "sentence encoder and Whisper",
            (*base, requirements["dev-nodeps.txt"]),
            lambda: pip("install", "--no-deps", "-r", _req("dev-nodeps.txt")),
        )


# --- what is there ---------------------------------------------------------------------------------------------------------------


def choose_ros() -> tuple[str, str]:
    """("wheels" | "system", why): a sourced Jazzy or newer LTS is used, anything else is kept out of the way."""
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
    """Path of an interpreter that fits; with the system's ROS it must be the one that ROS was built for."""
    names = (
        [os.environ["PYTHON"]]
        if os.environ.get("PYTHON")
        else ["python3"]
        if ros == "system"
        else [sys.executable, *(f"python3.{minor}" for _, minor in SUPPORTED)]
    )
    seen = []
    for name in names:
        path = shutil.which(name)
        version = _version(path) if path else ""
        if path and tuple(int(part) for part in version.split(".")[:2] if part) in SUPPORTED:
            return path
        seen.append(f"{name} ({version or 'not found'})")
    raise SetupError(
        f"Sayso needs Python 3.10 to 3.13; tried {', '.join(seen)}. Install one (Debian: apt install python3 python3-venv) and name it: make setup PYTHON=python3.12"
    )


def check(python: str, ros: str, kind: str) -> None:
    """Everything that would make a later step fail, found before the first one.

    Raises:
        SetupError: with the command that helps.
    """
    if subprocess.run([python, "-c", "import ensurepip, venv"], capture_output=True, check=False).returncode:
        raise SetupError(f"{python} cannot make virtual environments: apt install python3-venv")
    if not any(shutil.which(compiler) for compiler in ("cc", "gcc", "clang")):
        raise SetupError("no C compiler, needed for our ROS interfaces: apt install build-essential")
    if ros == "system" and not shutil.which("colcon"):
        raise SetupError("no colcon, needed to build our interfaces: apt install python3-colcon-common-extensions, or ROS=wheels")
    free = shutil.disk_usage(ROOT).free / 1e9
    if free < NEEDED_GB[kind] and not (STAMPS / "base").exists():
        raise SetupError(f"{free:.1f} GB free on the disk of {ROOT}, {NEEDED_GB[kind]} GB are needed")
    if not os.access(ROOT, os.W_OK):
        raise SetupError(f"{ROOT} cannot be written to; clone it to a folder of your own")


# --- system packages -------------------------------------------------------------------------------------------------------------


def missing_packages() -> list[SystemPackage]:
    return [package for package in SYSTEM_PACKAGES if not package.present()]


def install_system_packages() -> None:
    """Installs what is missing when it may, otherwise prints the one command to type. Never fails the set-up."""
    missing = missing_packages()
    prefix = _root_prefix()
    if missing and prefix is not None and shutil.which("apt-get"):
        names = [package.name for package in missing]
        print(f"System packages: installing {' '.join(names)}")
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *names]):
            subprocess.run([*prefix, *command], env=environment, capture_output=True, check=False)
        missing = missing_packages()
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


# --- steps -----------------------------------------------------------------------------------------------------------------------


def make_venv(python: str, ros: str) -> None:
    if VENV.exists():
        shutil.rmtree(VENV)
    extra = ["--system-site-packages"] if ros == "system" else []
    _run([python, "-m", "venv", *extra, str(VENV)], "the virtual environment")
    (VENV / "sayso.sh").write_text(_environment(ros))


def _environment(ros: str) -> str:
    """What bin/sayso sources before it starts: the ROS that was chosen, and no other."""
    if ros == "wheels":
        return f"unset {' '.join(ROS_VARIABLES)}\nPATH={shlex.quote(str(VENV / 'bin'))}:$PATH\nexport PATH\n"
    distro = os.environ["ROS_DISTRO"]
    overlay = shlex.quote(str(ROOT / "build/ros/install"))
    return (
        f". /opt/ros/{distro}/setup.sh\nif [ -f {overlay}/setup.sh ]; then\n"
        f"  COLCON_CURRENT_PREFIX={overlay} . {overlay}/setup.sh\nfi\n"
        f"PATH={shlex.quote(str(VENV / 'bin'))}:$PATH\nexport PATH\n"
    )


def install_base(ros: str) -> None:
    if ros == "wheels":
        pip("install", "-r", _req("base.txt"))
        return
    # ROS's own compiled messages are built against the system's NumPy: keep that one.
    lines = [
        line for line in (ROOT / "requirements/base.txt").read_text().splitlines() if line and not line.startswith(("numpy", "-c", "#"))
    ]
    pip("install", *lines)


def install_torch() -> None:
    # Only PyTorch's own index has a CPU build for every machine; PyPI's brings gigabytes of CUDA, but works.
    pip("install", TORCH, "--extra-index-url", TORCH_CPU_INDEX, "--retries", "1")


def build_interfaces(ros: str) -> None:
    if ros == "wheels":
        pip("install", "--no-build-isolation", "--no-deps", "--force-reinstall", str(ROOT / "ros2_ws/src/sayso_msgs"))
        return
    base = ROOT / "build/ros"
    _run(
        [
            "colcon",
            "--log-base",
            str(base / "log"),
            "build",
            "--base-paths",
            str(ROOT / "ros2_ws/src/sayso_msgs"),
            "--build-base",
            str(base / "build"),
            "--install-base",
            str(base / "install"),
        ],
        "the interfaces",
    )


def pip(*arguments: str) -> None:
    """Pip in the environment, its downloads shown line by line, its whole output on failure."""
    _run([str(VENV / "bin/python"), "-m", "pip", "--disable-pip-version-check", *arguments], "pip")


def _run(command: list[str], what: str) -> None:
    environment = dict(os.environ)
    if choose_ros()[0] == "wheels":
        for variable in ROS_VARIABLES:
            environment.pop(variable, None)
    environment["PATH"] = f"{VENV / 'bin'}{os.pathsep}{environment['PATH']}"
    shown = shutil.get_terminal_size().columns - 4 if sys.stdout.isatty() else 0
    lines = []
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        for line in process.stdout or ():
            lines.append(line)
            text = line.strip()
            if shown and text:
                print(f"\r\033[K    {text[:shown]}", end="", flush=True)
            elif text.startswith(("Downloading", "Building")):
                print(f"    {text[:110]}", flush=True)
    if shown:
        print("\r\033[K", end="", flush=True)
    if process.returncode:
        text = "".join(lines)
        print(text[-4000:], file=sys.stderr)
        raise SetupError(f"{what} failed: {_advice(text)} Then run it again: it continues.")


def _advice(output: str) -> str:
    if "No space left" in output:
        return "the disk is full: free some space."
    if any(
        sign in output
        for sign in (
            "NewConnectionError",
            "Name or service not known",
            "Temporary failure in name resolution",
            "ProxyError",
            "ConnectTimeout",
            "No matching distribution",
        )
    ):
        return "the package index cannot be reached: check the network, or set HTTPS_PROXY for your proxy."
    if "Python.h" in output:
        return "Python's headers are missing: apt install python3-dev."
    return "see its output above."


def _version(python: str | None) -> str:
    if not python:
        return ""
    command = [python, "-c", "import sys; print('.'.join(map(str, sys.version_info[:3])))"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def _req(name: str) -> str:
    return str(ROOT / "requirements" / name)


def _contents(folder: Path) -> str:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts and "build" not in path.parts)
    return "\0".join(f"{path.relative_to(folder)}\0{path.read_text(errors='replace')}" for path in files)


if __name__ == "__main__":
    sys.exit(main())
