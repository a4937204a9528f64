"""`sayso console`: serve the page for the running nodes. `sayso up --console` and `sayso demo --console` start the same node."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sayso.console.options import takes
from sayso_nodes.page_options import NEW, NODE, TOKEN, PageOptions

if TYPE_CHECKING:
    from sayso.web.server import Address

ENDS_WITHIN = 5.0  # s


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleOptions:
    """Options of `sayso console`."""

    host: Annotated[str, typer.Option(help="Address to serve at. 0.0.0.0 lets other computers in; that needs --token and --tls.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: a free one.")] = 8420
    tls: Annotated[str, typer.Option(help="PEM file with certificate and key; `new` makes one for this computer.")] = ""
    read_only: Annotated[bool, typer.Option("--read-only", help="Show everything, and take no command but STOP.")] = False
    domain: Annotated[Path | None, typer.Option("--domain", "-d", help="Domain file of another home.", exists=True, dir_okay=False)] = None
    namespace: Annotated[str, typer.Option(help="ROS namespace of the robot, if there are several.")] = ""


@takes(ConsoleOptions, PageOptions)
def console(options: ConsoleOptions, page: PageOptions) -> None:
    """Serve a page to talk to the robot and to see what it thinks, until Ctrl-C.

    Only this computer can open it, unless you say otherwise with --host.

    Examples:

    - `sayso console`

    - `sayso console --read-only --port 8421`

    - `sayso console --host 0.0.0.0 --token new --tls new` for a phone in the same network

    - `sayso console --mcp read --token new` for a language model
    """
    from sayso.extras import require
    from sayso_nodes.environment import node_environment, set_client_defaults
    from sayso_nodes.graph import find_node

    require("ros")
    require("console")
    set_client_defaults()
    address = checked_address(options, page)
    with address.bind() as tried:  # says so now if the port is taken
        port = tried.getsockname()[1]
    given: dict[str, Any] = {"autostart": True, "host": address.host, "port": port, "read_only": options.read_only, **page.parameters()}
    given["use_sim_time"], remaps = _time(options.namespace)
    if address.certificate is not None:
        given["tls"] = str(address.certificate)
    if options.domain is not None:
        given["domain"] = str(options.domain.resolve())
    environment = node_environment(find_node(NODE), {TOKEN: address.token}, None)
    typer.echo(f"Open {address.link(port)}   (Ctrl-C ends it)")
    raise typer.Exit(_run([sys.executable, "-m", f"sayso_nodes.nodes.{NODE}", *_ros_arguments(given, remaps)], environment))


def checked_address(options: ConsoleOptions, page: PageOptions) -> Address:
    """Where the page will be, with a token and a certificate made if they are asked for.

    Raises:
        SaysoError: others would be let in unprotected, or a file cannot be read or written.
    """
    from platformdirs import user_state_path

    from sayso.errors import SaysoError
    from sayso.web.certificate import own_certificate
    from sayso.web.server import Address

    token = page.checked_token()
    certificate = None
    if options.tls == NEW:
        certificate = own_certificate(user_state_path("sayso") / "console.pem", [] if options.host in ("0.0.0.0", "::") else [options.host])  # noqa: S104
    elif options.tls:
        certificate = Path(options.tls).expanduser().resolve()
        if not certificate.is_file():
            raise SaysoError(f"--tls {options.tls}: no such file")
    address = Address(options.host, options.port, token, certificate)
    address.check()
    return address


def _time(namespace: str) -> tuple[bool, list[str]]:
    """Whether the running nodes use simulated time, and the names to map. Without running nodes, the page says so; its other tabs work."""
    from sayso.errors import RosError
    from sayso_nodes.commands.listener import Listener

    space = [f"__ns:=/{namespace.strip('/')}"] if namespace else []
    try:
        with Listener(namespace=namespace) as listener:
            # An embedded simulation in a namespace has its clock there; Gazebo has one for all robots.
            own_clock = bool(namespace) and listener.node.count_publishers("clock") > 0
            return listener.use_sim_time(), [*space, "/clock:=clock"] if own_clock else space
    except RosError:
        typer.echo("No running nodes found: start them with `sayso up`, then `sayso console` again.", err=True)
        return False, space


def _ros_arguments(given: dict[str, Any], remaps: list[str]) -> list[str]:
    arguments = ["--ros-args"]
    for name, value in given.items():
        arguments += [
            "-p",
            f"{name}:={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}",
        ]  # YAML, as ROS reads it
    return arguments + [part for remap in remaps for part in ("-r", remap)]


def _run(command: list[str], environment: dict[str, str]) -> int:
    """Run the node until it ends, or until Ctrl-C."""
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        return process.wait()
    except KeyboardInterrupt:
        try:
            process.wait(ENDS_WITHIN)  # Ctrl-C reached it as well
        except subprocess.TimeoutExpired:
            process.kill()
        return 130
    finally:
        if process.poll() is None:
            process.terminate()


def page_of(namespace: str = "", token: str = "") -> str:
    """The link of the page that the running node `web_console` serves at, as its parameters say.

    Raises:
        RosError: it does not run.
    """
    from rcl_interfaces.srv import GetParameters

    from sayso.web.server import Address
    from sayso_nodes.caller import Caller

    with Caller(namespace) as caller:
        names = ["host", "port", "tls"]
        host, port, tls = caller.call(f"{NODE}/get_parameters", GetParameters.Request(names=names), GetParameters).values
    certificate = Path(tls.string_value) if tls.string_value else None
    return Address(host.string_value, port.integer_value, token, certificate).link(port.integer_value)


def free_port() -> int:
    """The usual port, or another one if it is taken."""
    from sayso.errors import SaysoError
    from sayso.web.server import Address

    try:
        listening = Address().bind()
    except SaysoError:
        listening = Address(port=0).bind()
    with listening:
        return int(listening.getsockname()[1])
