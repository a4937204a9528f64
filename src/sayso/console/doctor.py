"""`sayso doctor`: checks the installation and says how to fix each problem."""

from __future__ import annotations

import importlib.util
import json
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Literal

import typer
from packaging.markers import Marker
from packaging.requirements import Requirement
from rich.console import Console

from sayso.errors import SaysoError
from sayso.extras import absent, needed
from sayso.paths import in_checkout, project_root, work_dir

Level = Literal["ok", "warning", "error"]
SIGNS: dict[Level, str] = {"ok": "[green]✓[/green]", "warning": "[yellow]![/yellow]", "error": "[red]✗[/red]"}
SET_UP = "run 'make setup' in the Sayso checkout"
TRY = {True: "make demo", False: 'sayso ask "bring me the red cup"'}  # in a checkout; in an installation by pip
REINSTALL = "run 'pip install --force-reinstall sayso'"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    level: Level
    subject: str
    text: str
    remedy: str = ""  # what to do; empty if nothing needs doing


def check_python() -> Iterator[Finding]:
    """The interpreter's version is supported."""
    fits = (3, 10) <= sys.version_info[:2] <= (3, 13)
    remedy = "" if fits else "install Python 3.10 to 3.13" + (", then: make setup PYTHON=python3.12" if in_checkout() else "")
    yield Finding("ok" if fits else "error", "python", f"{platform.python_version()} on {platform.machine()}", remedy)


def check_packages() -> Iterator[Finding]:
    """Every required package is installed; in a checkout, at its pinned version."""
    if not (project_root() / "requirements").is_dir():  # the wheel does not contain it
        yield from _check_declared()
        return
    wrong, pinned = [], 0
    files = (project_root() / "requirements" / name for name in ("base.txt", "nodeps.txt"))
    for line in (line for file in files for line in file.read_text(encoding="utf-8").splitlines()):
        match = re.match(r"([A-Za-z0-9_.-]+)==([^\s;]+)(?:\s*;\s*(.+))?", line)
        if not match or (match[3] and not Marker(match[3]).evaluate()):
            continue
        pinned += 1
        try:
            found = version(match[1])
        except PackageNotFoundError:
            found = "missing"
        # With ROS from apt, NumPy is the system's: its compiled messages need it.
        if found != match[2] and not (match[1] == "numpy" and found.startswith("1.")):
            wrong.append(f"{match[1]} is {found}, pinned {match[2]}")
    if wrong:
        yield Finding("warning", "packages", "; ".join(wrong), SET_UP)
    else:
        yield Finding("ok", "packages", f"{pinned} pinned packages at their versions")


def _check_declared() -> Iterator[Finding]:
    """Every package that the wheel declares is installed, at an accepted version."""
    wanted = [requirement for text in requires("sayso") or () if not _is_extra(requirement := Requirement(text))]
    wrong = []
    for requirement in wanted:
        try:
            found = version(requirement.name)
        except PackageNotFoundError:
            found = "missing"
        if found == "missing" or not requirement.specifier.contains(found, prereleases=True):
            wrong.append(f"{requirement.name} is {found}, required {requirement.specifier or 'in any version'}")
    if wrong:
        yield Finding("error", "packages", "; ".join(wrong), REINSTALL)
    else:
        yield Finding("ok", "packages", f"{len(wanted)} required packages")


def _is_extra(requirement: Requirement) -> bool:
    """Whether the requirement is for an extra or for another Python."""
    return requirement.marker is not None and not requirement.marker.evaluate({"extra": ""})


def check_ros() -> Iterator[Finding]:
    """ROS's client library and our interfaces load, with their type support."""
    for module, what in (("rclpy", "ROS 2 client library"), ("sayso_msgs", "Sayso's interfaces")):
        if importlib.util.find_spec(module) is None:
            text = f"{what} ({module}) is not installed; sayso ask, transcribe and replay work without it"
            if in_checkout():
                yield Finding("error", "ros", text, f"{SET_UP}, or source /opt/ros/jazzy/setup.bash first if you have ROS from apt")
            else:
                yield Finding("warning", "ros", text, needed("ros"))
            return
    # In a separate process: the library must not import ROS.
    probe = (
        "import rclpy.utilities; from sayso_msgs.msg import Transcript; Transcript.__class__.__import_type_support__(); "
        "print(rclpy.utilities.get_rmw_implementation_identifier())"
    )
    run = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False, timeout=60)
    if run.returncode:
        yield Finding(
            "error",
            "ros",
            f"the interfaces do not load: {(run.stderr.strip().splitlines() or ['?'])[-1]}",
            f"rm -f .venv/stamps/msgs, then {SET_UP}" if in_checkout() else needed("ros"),
        )
    else:
        yield Finding("ok", "ros", f"rclpy and sayso_msgs load, {run.stdout.strip()}")


def check_models() -> Iterator[Finding]:
    """Every model file is the one that the manifest lists."""
    from sayso.models import manifest, model_path

    entries = manifest()
    for name in entries:
        model_path(name)
    total = sum(entry.size for entry in entries.values()) / 1e6
    yield Finding("ok", "models", f"{len(entries)} files, {total:.0f} MB, SHA-256 as listed")


def check_audio() -> Iterator[Finding]:
    """Microphone, loudspeaker and voice; recorded sound needs none of them."""
    install = "sudo apt-get install"
    try:
        import sounddevice

        devices = [device["name"] for device in sounddevice.query_devices()]
        text = (
            f"{len(devices)} sound devices"
            if devices
            else "PortAudio works, but there is no sound device; recorded files work, --mic does not"
        )
        yield Finding("ok" if devices else "warning", "audio", text, "" if devices else "plug one in, or use sayso listen --wav FILE")
    except OSError:
        yield Finding("warning", "audio", "PortAudio is missing: no microphone or loudspeaker; files work", f"{install} libportaudio2")
    voice = shutil.which("espeak-ng") or shutil.which("espeak")
    if voice:
        yield Finding("ok", "voice", voice)
    else:
        yield Finding("warning", "voice", "espeak-ng is missing: the robot's questions are printed, not spoken", f"{install} espeak-ng")


def check_rendering() -> Iterator[Finding]:
    """MuJoCo can render the camera image, with or without a display."""
    if absent("sim"):
        yield Finding("warning", "rendering", "MuJoCo is not installed: no simulation", needed("sim"))
        return
    from sayso.sim.backend import rendering_backend

    yield Finding("ok", "rendering", f"MuJoCo renders with {rendering_backend()}")


def check_domain(path: Path | None) -> Iterator[Finding]:
    """The domain file and its scene load."""
    from sayso.domain import load_domain

    domain = load_domain(path)
    counts: dict[str, Mapping[str, object]] = {
        "places": domain.places,
        "objects": domain.objects,
        "people": domain.people,
        "intents": domain.intents,
    }
    yield Finding("ok", "domain", f"{domain.name}: {', '.join(f'{len(held)} {what}' for what, held in counts.items())}")


def check_skills(path: Path | None) -> Iterator[Finding]:
    """Every skill of the home is built in, or comes with an installed package."""
    from sayso.domain import load_domain
    from sayso.domain.wording import listed
    from sayso.robot.plugins import with_plugins
    from sayso.robot.runner import SKILLS

    domain = load_domain(path)
    made, notes = with_plugins(domain, SKILLS, ())
    lacking = [name for name in domain.skills if name not in made]
    for note in notes:
        yield Finding("ok", "skills", note)
    if lacking:
        text = f"nobody serves the skill{'s' if len(lacking) > 1 else ''} {listed(lacking)}: the robot declines what needs them"
        servers = listed([f"skill/{name}" for name in lacking])
        remedy = f"start the action server {servers} beside the robot, or name a plug-in (docs/robots.md, Skills of your own)"
        yield Finding("warning", "skills", text, remedy)
    else:
        yield Finding("ok", "skills", f"{len(made)} skills of the home, all of them served")


def check_disk() -> Iterator[Finding]:
    """There is disk space for the bags of runs."""
    free = shutil.disk_usage(_existing(work_dir())).free / 1e9
    low = free < 1.0
    yield Finding(
        "warning" if low else "ok", "disk", f"{free:.0f} GB free", "free some space: the bag of a run takes up to 100 MB" if low else ""
    )


def _existing(folder: Path) -> Path:
    """The folder, or its nearest parent that exists."""
    return next(each for each in (folder, *folder.parents) if each.is_dir())


def examine(domain: Path | None = None) -> Iterator[Finding]:
    """Run every check. If one raises an error, report it as a finding and go on."""
    checks: tuple[tuple[str, Callable[[], Iterator[Finding]]], ...] = (
        ("python", check_python),
        ("packages", check_packages),
        ("ros", check_ros),
        ("models", check_models),
        ("audio", check_audio),
        ("rendering", check_rendering),
        ("domain", lambda: check_domain(domain)),
        ("skills", lambda: check_skills(domain)),
        ("disk", check_disk),
    )
    for subject, check in checks:
        try:
            yield from check()
        except SaysoError as error:
            yield Finding("error", subject, str(error), "see the line above" if ": " not in str(error) else "")
        except ImportError as error:
            yield Finding("error", subject, f"cannot be checked: {error}", SET_UP if in_checkout() else REINSTALL)


def doctor(
    domain: Path = typer.Option(None, "--domain", help="Check this domain file instead of the default home."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object for each finding."),
) -> None:
    """Check the installation and say how to fix problems.

    Exit code: 0 if Sayso can run, 1 if there is an error.

    Examples:

    - `sayso doctor`

    - `sayso doctor --domain my_home.yaml`
    """
    console = Console(soft_wrap=True, highlight=False)
    failed = False
    for finding in examine(domain):
        failed |= finding.level == "error"
        if as_json:
            typer.echo(json.dumps(asdict(finding)))
            continue
        console.print(f" {SIGNS[finding.level]} {finding.subject:<10} ", end="")
        console.print(finding.text, markup=False)
        if finding.remedy:
            console.print(f"              → {finding.remedy}", style="yellow", markup=False)
    if not as_json:
        console.print("\nThere are errors: see ✗ above." if failed else f"\nReady. Try: {TRY[in_checkout()]}")
    raise typer.Exit(1 if failed else 0)
