"""Which skills of the home nobody serves, as the running planner says in /diagnostics: for `sayso up`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from sayso.domain.wording import listed

UNSERVED = "skills that nobody serves"  # the key in /diagnostics
NONE = "none"
WITHIN = 4.0  # s for the planner's next status, which comes once a second
SERVERS = "skill/{skill}"  # the action of a server of one skill


def warning(names: tuple[str, ...]) -> str:
    """One line for a person about skills without a server."""
    skills = f"the skill{'s' if len(names) > 1 else ''} {listed(names)}"
    actions = listed([SERVERS.format(skill=name) for name in names])
    return (
        f"nobody serves {skills}: what needs {'them' if len(names) > 1 else 'it'} is declined;"
        f" write a plug-in, or serve the action {actions} (docs/robots.md, Skills of your own)"
    )


def told_by_planner(namespace: str, meanwhile: Callable[[], None]) -> tuple[str, ...]:
    """What the running planner says that nobody serves; nothing if there is no planner.

    `meanwhile` is called periodically and may raise.
    """
    from sayso_nodes.caller import Caller
    from sayso_nodes.graph import find_topic, interface

    name = f"sayso: {namespace.strip('/')}/planner".replace(" /", " ")
    told: list[str] = []

    def hear(message: Any) -> None:
        told.extend(pair.value for status in message.status if status.name == name for pair in status.values if pair.key == UNSERVED)

    with Caller(namespace) as caller:
        topic = "/diagnostics"
        caller.node.create_subscription(interface(topic), topic, hear, find_topic(topic).qos(subscriber=True))
        end = time.monotonic() + WITHIN
        while not told and time.monotonic() < end:
            meanwhile()
            caller.executor.spin_once(0.05)
    return tuple(each for each in told[-1].split(", ") if each != NONE) if told else ()
