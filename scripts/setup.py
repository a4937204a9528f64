"""Sets up Sayso in .venv: checks the machine first, shows progress, and repeats only steps whose inputs changed.

Usage: python3 scripts/setup.py [--dev] [--all] [--fleet] [--no-system-packages]   (`make setup`, `make demo` and `make test` run it)
Environment: ROS=wheels|system chooses the ROS; PYTHON names another interpreter.

Standard library only: it runs before anything is installed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from machine import (
    ROS_VARIABLES,
    SetupError,
    check,
    choose_python,
    choose_ros,
    install_system_packages,
    missing_packages,
    report_missing,
    version_of,
)

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
STAMPS = VENV / "stamps"
INTERFACES = ROOT / "ros2_ws/src/sayso_msgs"
NODES = ROOT / "ros2_ws/src/sayso_nodes"
NEEDED_GB = {"demo": 2.5, "fleet": 3.0, "dev": 3.5, "all": 6.5}
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"


def main() -> int:
    """Run every step that is not up to date."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dev", action="store_true", help="also install the packages for checks and for the tests of `make test`")
    parser.add_argument("--all", action="store_true", help="also install the packages for training, comparisons and all tests")
    parser.add_argument("--fleet", action="store_true", help="also install the packages for replaying many bags on many machines")
    parser.add_argument("--no-system-packages", action="store_true", help="do not install Debian packages, only list the missing ones")
    options = parser.parse_args()
    try:
        set_up(wanted(dev=options.dev, fleet=options.fleet, everything=options.all), system_packages=not options.no_system_packages)
    except SetupError as error:
        print(f"set-up stopped: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nset-up interrupted; run it again and it continues", file=sys.stderr)
        return 130
    return 0


def wanted(*, dev: bool = False, fleet: bool = False, everything: bool = False) -> frozenset[str]:
    """What is installed besides the packages of a robot: "fleet", "dev", "all"; each of dev and all includes those before it."""
    chosen = {"all": everything, "dev": dev or everything, "fleet": fleet or dev or everything}
    return frozenset(name for name, yes in chosen.items() if yes)


def set_up(kinds: frozenset[str], system_packages: bool) -> None:
    """Run all steps in order; skip those whose inputs have not changed."""
    started = time.monotonic()
    ros, why = choose_ros()
    python = choose_python(ros)
    steps = list(plan(python, ros, kinds))
    todo = [step for step in steps if not step.up_to_date()]
    if not todo:
        return
    print(f"Setting up Sayso in {VENV.relative_to(ROOT)}/ with Python {version_of(python)}")
    print(f"ROS: {ros}, because {why}")
    check(python, ros, ROOT, max(NEEDED_GB[kind] for kind in {"demo", *kinds}) if any(step.large for step in todo) else 0.2)
    if system_packages:
        install_system_packages("dev" in kinds)
    else:
        report_missing(missing_packages("dev" in kinds))
    with ThreadPoolExecutor(max_workers=1) as compiler:
        beside = []
        for index, step in enumerate(todo, 1):
            print(f"[{index}/{len(todo)}] {step.title}", flush=True)
            if step.compiles:  # while the packages after it are fetched
                beside.append(compiler.submit(step.run))
            else:
                step.run()
        for done in beside:
            done.result()
    print(f"Set up in {time.monotonic() - started:.0f} s. Next: make demo, or bin/sayso --help")


@dataclass(frozen=True)
class SetupStep:
    """A step of the set-up, repeated if the hash of its inputs changes."""

    name: str
    title: str
    inputs: tuple[str, ...]  # file contents and settings
    action: Callable[[], None]
    large: bool = False  # large download
    compiles: bool = False  # needs the processor for a minute, and no step after it needs what it makes

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
        self.stamp()


def plan(python: str, ros: str, kinds: frozenset[str]) -> Iterator[SetupStep]:
    """The steps of this kind of installation, in order."""
    same = (version_of(python), ros)  # another interpreter or ROS repeats every step

    def packages(name: str, title: str, *options: str) -> SetupStep:
        return SetupStep(name, title, (*same, locked(name, ros)), lambda: install_locked(name, ros, *options), large=True)

    yield SetupStep("venv", "virtual environment", same, lambda: make_venv(python, ros))
    yield packages("build", "build tools (about 40 MB)")
    yield packages("base", "libraries (about 250 MB)")
    if ros == "wheels":
        yield packages("ros", "ROS 2 Jazzy from wheels (about 30 MB)")
    yield packages("nodeps", "small recogniser (about 60 MB)", "--no-deps")
    yield SetupStep(
        "msgs",
        "our ROS interfaces, compiled (about a minute)",
        (*same, _contents(INTERFACES)),
        lambda: build_interfaces(ros),
        compiles=True,
    )
    yield SetupStep("sayso", "Sayso itself", (*same, _text("pyproject.toml"), _text("setup.py"), str(ROOT)), install_sayso)
    if "fleet" in kinds:
        yield packages("fleet", "many bags on many machines: Ray and Polars (about 130 MB)")
    if "dev" in kinds:
        yield packages("dev", "checks and tests (about 110 MB)", "--no-deps")
    if "all" in kinds:
        # What PyTorch needs is in train.txt and comes with hashes, so PyTorch is last; what needs PyTorch would look for it (--no-deps).
        yield packages("train", "training and comparisons (about 300 MB)", "--no-deps")
        yield packages("train-nodeps", "sentence encoder, Whisper and Drake (about 130 MB)", "--no-deps")
        yield SetupStep("torch", "PyTorch for training (about 200 MB)", (*same, _text("requirements/torch.txt")), install_torch, large=True)


def make_venv(python: str, ros: str) -> None:
    if VENV.exists():
        shutil.rmtree(VENV)
    extra = ["--system-site-packages"] if ros == "system" else []
    _run([python, "-m", "venv", *extra, str(VENV)], "the virtual environment")
    (VENV / "sayso.sh").write_text(_environment(ros))


def _environment(ros: str) -> str:
    """The script that bin/sayso sources before it starts: it selects the chosen ROS and no other."""
    if ros == "wheels":
        return f"unset {' '.join(ROS_VARIABLES)}\nPATH={shlex.quote(str(VENV / 'bin'))}:$PATH\nexport PATH\n"
    distro = os.environ["ROS_DISTRO"]
    overlay = shlex.quote(str(ROOT / "build/ros/install"))
    return (
        f". /opt/ros/{distro}/setup.sh\nif [ -f {overlay}/setup.sh ]; then\n"
        f"  COLCON_CURRENT_PREFIX={overlay} . {overlay}/setup.sh\nfi\n"
        f"PATH={shlex.quote(str(VENV / 'bin'))}:$PATH\nexport PATH\n"
    )


def locked(name: str, ros: str) -> str:
    """The packages of requirements/NAME.txt and all that they need, with hashes.

    ROS from apt keeps the system's NumPy, against which its compiled messages are built, and the system's tools for CMake.
    """
    text = _text(f"requirements/locked/{name}.txt")
    return re.sub(r"^(numpy|cmake|ninja)==.*\n( .*\n)*", "", text, flags=re.MULTILINE) if ros == "system" else text


def install_locked(name: str, ros: str, *options: str) -> None:
    """Install them; pip refuses every file whose SHA-256 is not listed."""
    file = VENV / "requirements" / f"{name}.txt"
    file.parent.mkdir(exist_ok=True)
    file.write_text(locked(name, ros))
    # What has no wheel is built with build.txt: what pip fetches for a build of its own has no hashes.
    arguments = ("install", "--require-hashes", "--no-build-isolation", *options, "-r", str(file))
    if name == "build" or ros == "system" or not uv(*arguments):  # uv comes with build.txt, and knows no packages of the system
        pip(*arguments)


def install_sayso() -> None:
    pip("install", "--no-deps", "--no-build-isolation", "-e", str(ROOT))
    # As a wheel's installer does. Where no process may write bytecode, each would compile 200 modules again.
    _run([str(VENV / "bin/python"), "-m", "compileall", "-q", "-j", "0", str(ROOT / "src"), str(NODES)], "Sayso's modules")


def install_torch() -> None:
    # Only PyTorch's index has a CPU build for every machine; PyPI's works, but comes with gigabytes of CUDA.
    pip("install", "-r", str(ROOT / "requirements/torch.txt"), "--extra-index-url", TORCH_CPU_INDEX, "--retries", "1")


def build_interfaces(ros: str) -> None:
    if ros == "wheels":
        pip("install", "--no-build-isolation", "--no-deps", "--force-reinstall", str(INTERFACES))
        return
    base = ROOT / "build/ros"
    _run(
        [
            "colcon",
            "--log-base",
            str(base / "log"),
            "build",
            "--base-paths",
            str(INTERFACES),
            "--build-base",
            str(base / "build"),
            "--install-base",
            str(base / "install"),
        ],
        "the interfaces",
    )


def uv(*arguments: str) -> bool:
    """Let uv do what pip would, in less than half of the time. False if it can't: then pip tries, and says what is wrong."""
    command = [str(VENV / "bin/uv"), "pip", *arguments, "--python", str(VENV / "bin/python"), "--compile-bytecode"]
    try:
        _run(command, "uv", pip_settings(), quiet=True)
    except (SetupError, OSError):
        return False
    return True


@cache
def pip_settings() -> Mapping[str, str]:
    """The indexes and the certificates of pip's configuration, as uv's variables. Each file's hash is checked, wherever it comes from."""
    listed = subprocess.run([str(VENV / "bin/python"), "-m", "pip", "config", "list"], capture_output=True, text=True, check=False).stdout
    found = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
    for option, variable in (("index-url", "UV_DEFAULT_INDEX"), ("extra-index-url", "UV_INDEX"), ("cert", "SSL_CERT_FILE")):
        if values := re.findall(rf"^(?:global|install|:env:)\.{option}='(.*)'$", listed, re.MULTILINE):
            found[variable] = values[-1]
    return found


def pip(*arguments: str) -> None:
    """Run pip in the environment; show its downloads line by line, and all output on failure."""
    _run([str(VENV / "bin/python"), "-m", "pip", "--disable-pip-version-check", *arguments], "pip")


def _run(command: list[str], what: str, settings: Mapping[str, str] | None = None, *, quiet: bool = False) -> None:
    """Run a command of the set-up; `settings` are defaults of its environment. Unless `quiet`, show all output on failure."""
    environment = {**(settings or {}), **os.environ}
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
        if not quiet:
            print(text[-4000:], file=sys.stderr)
        raise SetupError(f"{what} failed: {_advice(text)} Then run it again; it continues.")


def _advice(output: str) -> str:
    if "No space left" in output:
        return "the disk is full: free some space."
    if "DO NOT MATCH THE HASHES" in output:
        return "a file differs from the one that was tested. Trust neither it nor the package index that sent it."
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
        return "the package index is unreachable: check the network, or set HTTPS_PROXY for your proxy."
    if "Python.h" in output:
        return "Python's headers are missing: apt install python3-dev."
    return "see its output above."


def _text(name: str) -> str:
    return (ROOT / name).read_text()


def _contents(folder: Path) -> str:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts and "build" not in path.parts)
    return "\0".join(f"{path.relative_to(folder)}\0{path.read_text(errors='replace')}" for path in files)


if __name__ == "__main__":
    sys.exit(main())
