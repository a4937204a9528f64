"""One typed sentence to the running graph, judged by the world's ground truth."""

from __future__ import annotations

from collections.abc import Callable

from sayso.domain import Domain
from sayso.evaluation.judge import Check, Expected, judge
from sayso_nodes.commands.answering import Answering, Reply
from sayso_nodes.commands.demo_watch import UtteranceProgress, Watch
from sayso_nodes.graph import interface

SETTLES = 2.0  # simulated s for the world to come to rest


def carry_out(
    text: str,
    expected: Expected,
    watch: Watch,
    domain: Domain,
    deadline: float,
    meanwhile: Callable[[], None],
    reply: Reply | None = None,
) -> tuple[Check, ...]:
    """Say a sentence, answer with `reply` if the robot asks, wait until it is over, and judge.

    Raises:
        RosError: it is not over by `deadline` (monotonic s), or is not accepted.
    """
    watch.wait(lambda: watch.world is not None, "the world's ground truth", deadline, meanwhile)
    before, heard = watch.world, UtteranceProgress()
    assert before is not None
    watch.heard = heard
    kind = interface("say")
    client = watch.node.create_client(kind, "say")
    try:
        watch.wait(client.service_is_ready, "the service say", deadline, meanwhile)
        watch.linger(1.0, deadline)  # the server may not have found its client yet, and its answer would be lost
        answer = client.call_async(kind.Request(text=text))
        watch.wait(answer.done, "an answer of the service say", deadline, meanwhile)
        with Answering(watch, reply) as answering:
            watch.wait(answering.over, f"the outcome of “{text}”", deadline, meanwhile)
        watch.linger(SETTLES, deadline)
    finally:
        watch.node.destroy_client(client)
    after = watch.world
    assert after is not None
    return judge(expected, domain, transcript=heard.transcript, belief=heard.actions, outcome=heard.outcome, before=before, after=after)
