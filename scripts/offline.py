"""Run a command without a network, and count the packets that try to leave this machine. Needs root:

    sudo .venv/bin/python scripts/offline.py -- bin/sayso ask "bring me the cup"

The command runs in a network namespace whose only way out is a link with a default route and a name server. At its other end, in a second
namespace, nobody answers and everything is counted, by destination. The exit code is the command's own; 1 if it succeeded and a packet
tried to leave. What the kernel says by itself on IPv6 (neighbours, routers, group membership) is left out.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from ipaddress import ip_address
from pathlib import Path

INSIDE, OUTSIDE = "10.214.0.1", "10.214.0.2"
INSIDE_6, OUTSIDE_6 = "fd5a:0:0:d6::1", "fd5a:0:0:d6::2"
MACS = {INSIDE: "02:00:00:00:d6:01", OUTSIDE: "02:00:00:00:d6:02"}
EVERY_PROTOCOL, OUTGOING = 3, 4  # linux/if_ether.h, linux/if_packet.h
NEWNET = 0x40000000  # linux/sched.h
PROTOCOLS = {1: "icmp", 2: "igmp", 6: "tcp", 17: "udp", 58: "icmpv6"}
OF_THE_KERNEL = (*range(130, 138), 143)  # ICMPv6: group membership, neighbours, routers
LATE = 0.5  # s after the command for the last packets
BUFFER = 32_000_000  # bytes of packets that may wait


@dataclass(frozen=True, order=True)
class Destination:
    """Where packets wanted to go."""

    to: str  # an address
    protocol: str
    port: int = 0
    look_up: str = ""  # the name asked for

    def __str__(self) -> str:
        port = f" port {self.port}" if self.port else ""
        return f"{self.to} {self.protocol}{port}{f', a look-up of {self.look_up}' if self.look_up else ''}"


def main() -> None:
    """Run the command and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the counts to this file")
    parser.add_argument("command", nargs="+", help="after --")
    options = parser.parse_args()
    if os.geteuid() or shutil.which("ip") is None:
        parser.error("needs root, and the program `ip` (package iproute2)")
    with namespaces() as (inside, outside):
        listener = _listener(outside)
        counts: Counter[Destination] = Counter()
        over = threading.Event()
        counting = threading.Thread(target=_count, args=(listener, counts, over))
        counting.start()
        try:
            code = _run(inside, options.command)
            time.sleep(LATE)
        finally:
            over.set()
            counting.join()
    total = sum(counts.values())
    print(f"offline: {total or 'no'} packet{'' if total == 1 else 's'} tried to leave{':' if total else ''}", file=sys.stderr)
    for destination, number in sorted(counts.items()):
        print(f"offline: {number:6} to {destination}", file=sys.stderr)
    if options.json is not None:
        rows = [{**asdict(destination), "packets": number} for destination, number in sorted(counts.items())]
        report = {"command": options.command, "exit_code": code, "packets": total, "destinations": rows}
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    sys.exit(code or bool(total))


@contextmanager
def namespaces() -> Iterator[tuple[str, str]]:
    """Two new network namespaces, joined by a link; processes see the first one's name server if `ip netns exec` starts them."""
    tag = uuid.uuid4().hex[:6]
    inside, outside, links = f"sayso-in-{tag}", f"sayso-out-{tag}", (f"si{tag}", f"so{tag}")
    resolver = Path("/etc/netns") / inside
    try:
        for name in (inside, outside):
            _ip("netns", "add", name)
        _ip("link", "add", links[0], "netns", inside, "type", "veth", "peer", "name", links[1], "netns", outside)
        for name, link, own, other in ((inside, links[0], INSIDE, OUTSIDE), (outside, links[1], OUTSIDE, INSIDE)):
            own_6, other_6 = (INSIDE_6, OUTSIDE_6) if name == inside else (OUTSIDE_6, INSIDE_6)
            _silence(name, link)
            _ip("-n", name, "link", "set", link, "address", MACS[own])
            for each in ("lo", link):
                _ip("-n", name, "link", "set", each, "up")
            _ip("-n", name, "address", "add", f"{own}/24", "dev", link)
            _ip("-n", name, "neighbour", "add", other, "lladdr", MACS[other], "dev", link, "nud", "permanent")
            with suppress(subprocess.CalledProcessError):  # a kernel without IPv6
                _ip("-n", name, "address", "add", f"{own_6}/64", "dev", link, "nodad")
                _ip("-n", name, "neighbour", "add", other_6, "lladdr", MACS[other], "dev", link, "nud", "permanent")
        _ip("-n", inside, "route", "add", "default", "via", OUTSIDE)
        _ip("-n", outside, "route", "add", "unreachable", "default")  # a quick refusal, as on a machine without a network
        with suppress(subprocess.CalledProcessError):
            _ip("-n", inside, "-6", "route", "add", "default", "via", OUTSIDE_6)
            _ip("-n", outside, "-6", "route", "add", "unreachable", "default")
        resolver.mkdir(parents=True)
        (resolver / "resolv.conf").write_text(f"nameserver {OUTSIDE}\noptions timeout:1 attempts:1\n")
        yield inside, outside
    finally:
        for name in (inside, outside):
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
        shutil.rmtree(resolver, ignore_errors=True)
        with suppress(OSError):
            resolver.parent.rmdir()


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def _silence(name: str, link: str) -> None:
    """Let the kernel send nothing by itself; let the other end forward, that is, refuse."""
    settings = {
        **{f"ipv6/conf/{link}/{key}": value for key, value in {"accept_ra": 0, "router_solicitations": 0, "addr_gen_mode": 1}.items()},
        "ipv4/ip_forward": int(name.startswith("sayso-out")),
        "ipv6/conf/all/forwarding": int(name.startswith("sayso-out")),
    }
    for key, value in settings.items():
        write = f"echo {value} > /proc/sys/net/{key}"
        subprocess.run(["ip", "netns", "exec", name, "sh", "-c", write], capture_output=True, check=False)


def _run(inside: str, command: list[str]) -> int:
    """The exit code of the command in that namespace, with shared memory of its own: it may not meet the nodes of another network."""
    inner = ["sh", "-c", 'mount -t tmpfs none /dev/shm && exec "$@"', "sh", *command]
    child = subprocess.Popen(["ip", "netns", "exec", inside, *inner])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the command from the terminal
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: child.send_signal(received))
    code = child.wait()
    return code if code >= 0 else 128 - code


def _listener(outside: str) -> socket.socket:
    """A socket that gets every packet which comes to that namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/self/ns/net").open() as own, (Path("/run/netns") / outside).open() as other:
        if libc.setns(other.fileno(), NEWNET):
            raise OSError(ctypes.get_errno(), "cannot enter the network namespace")
        try:
            made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(EVERY_PROTOCOL))
        finally:
            libc.setns(own.fileno(), NEWNET)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    made.settimeout(0.2)
    return made


def _count(listener: socket.socket, counts: Counter[Destination], over: threading.Event) -> None:
    while True:
        try:
            packet, (link, _, kind, *_) = listener.recvfrom(65536)
        except TimeoutError:
            if over.is_set():
                return
            continue
        if kind != OUTGOING and link != "lo" and (destination := destination_of(packet)) is not None:
            counts[destination] += 1


def destination_of(packet: bytes) -> Destination | None:
    """Where an Ethernet packet wants to go; None if the kernel sent it for itself."""
    (kind,) = struct.unpack_from("!H", packet, 12)
    if kind == 0x0800:
        size, protocol, to, fragment = (packet[14] & 15) * 4, packet[23], packet[30:34], struct.unpack_from("!H", packet, 20)[0] & 0x1FFF
        return _above(str(ip_address(to)), protocol, b"" if fragment else packet[14 + size :])
    if kind == 0x86DD:
        protocol, content = packet[20], packet[54:]
        if protocol == 0 and len(content) > 8:  # hop-by-hop options, as of group membership
            protocol, content = content[0], content[8 * (content[1] + 1) :]
        if protocol == 58 and content[:1] and content[0] in OF_THE_KERNEL:
            return None
        return _above(str(ip_address(packet[38:54])), protocol, content)
    if kind == 0x0806:
        return Destination(str(ip_address(packet[38:42])), "arp")
    return Destination(packet[:6].hex(":"), f"ethertype {kind:#06x}")


def _above(to: str, protocol: int, content: bytes) -> Destination:
    name = PROTOCOLS.get(protocol, f"protocol {protocol}")
    if name not in ("tcp", "udp") or len(content) < 4:
        return Destination(to, name)
    (port,) = struct.unpack_from("!H", content, 2)
    return Destination(to, name, port, _asked(content[8:]) if (name, port) == ("udp", 53) else "")


def _asked(query: bytes) -> str:
    """The name that a DNS query asks for."""
    labels, at = [], 12
    while at < len(query) and (size := query[at]):
        labels.append(query[at + 1 : at + 1 + size].decode("ascii", "replace"))
        at += 1 + size
    return ".".join(labels)


if __name__ == "__main__":
    main()
