"""`sayso security`: a policy for SROS2 from the graph, and a keystore made from it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Annotated

import typer

from sayso.errors import RosError

app = typer.Typer(help="SROS2: least privilege for every node, made from the graph.", no_args_is_help=True)

VariantOption = Annotated[str, typer.Option("--variant", help="robot, sim, gazebo or replay.")]
NamespaceOption = Annotated[str, typer.Option("--namespace", help="Of the robot.")]
DomainOption = Annotated[Path | None, typer.Option("--domain", "-d", help="Domain file of the home with the objects.", show_default=False)]
MISSING = "`ros2 security` is not installed: sudo apt install ros-jazzy-sros2, and run this where that ROS is sourced"


@app.command()
def policy(
    variant: VariantOption = "robot",
    namespace: NamespaceOption = "",
    domain: DomainOption = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write; default: standard output.", show_default=False)] = None,
) -> None:
    """Write the policy: an enclave for each node, with exactly the names that the graph allows it.

    Examples:

    - `sayso security policy`

    - `sayso security policy --variant sim --namespace robot1 --out policy.xml`
    """
    text = _policy(variant, namespace, domain)
    if out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")


@app.command()
def keystore(
    folder: Annotated[Path, typer.Argument(help="New folder for the keys. Keep it secret.")],
    variant: VariantOption = "robot",
    namespace: NamespaceOption = "",
    domain: DomainOption = None,
) -> None:
    """Make a keystore with an enclave for each node, with ROS's own `ros2 security`.

    Examples:

    - `sayso security keystore ~/sayso-keys`

    - `sayso security keystore keys --variant sim --namespace robot1`

    Then: `export ROS_SECURITY_KEYSTORE=~/sayso-keys ROS_SECURITY_ENABLE=true ROS_SECURITY_STRATEGY=Enforce`
    """
    from sayso_nodes.commands.policies import profiles

    if shutil.which("ros2") is None or subprocess.run(["ros2", "security", "--help"], capture_output=True, check=False).returncode:
        raise RosError(MISSING)
    if folder.exists():
        raise RosError(f"{folder} exists: name a new folder, or delete this one with its keys first")
    text = _policy(variant, namespace, domain)
    _ros2_security("create_keystore", str(folder))
    written = folder / "policy.xml"
    written.write_text(text, encoding="utf-8")
    for profile in profiles(variant, namespace, _of_home(domain)):
        _ros2_security("create_enclave", str(folder), profile.enclave)
        _ros2_security("create_permission", str(folder), profile.enclave, str(written))
        typer.echo(profile.enclave)


def _policy(variant: str, namespace: str, domain: Path | None) -> str:
    from sayso_nodes.commands.policies import policy_xml, profiles
    from sayso_nodes.graph import VARIANTS

    if variant not in VARIANTS:
        raise RosError(f"--variant {variant}: one of {', '.join(VARIANTS)}")
    return policy_xml(profiles(variant, namespace, _of_home(domain)))


def _of_home(domain: Path | None) -> dict[str, tuple[str, ...]]:
    """The families of names in ROS whose members a home has: its objects, skills, and what moves in Gazebo."""
    from sayso.domain import load_domain
    from sayso.gazebo.families import members
    from sayso_nodes.homes import load_home

    home = load_domain(domain)
    if not home.scene:
        return {"object": tuple(home.objects), "skill": tuple(home.skills)}
    scene = load_home(str(domain) if domain else "", "")[1]
    return {**members(scene), "skill": tuple(home.skills)}


def _ros2_security(*arguments: str) -> None:
    done = subprocess.run(["ros2", "security", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RosError(f"ros2 security {' '.join(arguments)}: {(done.stderr or done.stdout).strip()}")
