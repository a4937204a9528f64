"""The acts of a demo: each plays a sentence to the running graph, waits for the outcome, and is judged by the ground truth."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from sayso.domain import Domain
from sayso.errors import SaysoError
from sayso.evaluation.judge import Check, Expected, judge
from sayso.evaluation.run import Act
from sayso.paths import config_dir
from sayso.speech.files import read_sound, sentence_of
from sayso.yaml_source import StrictModel, read_yaml
from sayso_nodes.commands.answering import Answering, Reply
from sayso_nodes.commands.demo_watch import Watch

UNHEARD = 15.0  # s of wall time after the end of the sound: then assume that nothing was heard
FORWARDED = 3.0  # simulated s after a rejected transcript in which a later stage might still publish
SETTLES = 2.0  # simulated s for the world to come to rest


class _Act(StrictModel):
    sentence: str
    """Sound file, relative to the file of the acts."""
    expected: Expected


class _Acts(StrictModel):
    acts: list[_Act]


@dataclass(frozen=True, slots=True)
class DemoSentence:
    """A sound file and its expected result."""

    file: Path
    expected: Expected

    @property
    def title(self) -> str:
        """The sentence, from the file's name."""
        return sentence_of(self.file)


def default_sentences(domain_file: Path | None = None) -> tuple[DemoSentence, ...]:
    """The acts of config/demo.yaml; for another home, of the file beside its domain file: demo_warehouse.yaml beside warehouse.yaml.

    Raises:
        SaysoError: there is none, it names a missing file, or an expectation is unknown.
    """
    source = domain_file.resolve().parent / f"demo_{domain_file.name}" if domain_file else config_dir() / "demo.yaml"
    if not source.is_file():
        raise SaysoError(f"no demo sentences for {domain_file}: {source} does not exist; name a sound file with --sentence")
    acts = read_yaml(source, "demo sentences are a mapping with the key acts").checked(_Acts).acts
    return checked(DemoSentence(source.parent / act.sentence, act.expected) for act in acts)


def checked(sentences: Iterable[DemoSentence]) -> tuple[DemoSentence, ...]:
    """The sentences, if all are sound files: checked before any node starts.

    Raises:
        AudioError: one is not.
    """
    found = tuple(sentences)
    for sentence in found:
        read_sound(sentence.file)
    return found


def perform(
    sentence: DemoSentence, watch: Watch, domain: Domain, deadline: float, poll: Callable[[], list[str]], reply: Reply | None = None
) -> Act:
    """Play a sentence, wait until it is over, and judge.

    Args:
        sentence: to play.
        watch: on the running graph.
        domain: of the home.
        deadline: monotonic s.
        poll: events of the nodes since the last call, one line each.
        reply: what the person answers if the robot asks; None: nothing.
    """
    died: list[str] = []

    def meanwhile() -> None:
        for event in poll():
            died.append(event)
            watch.view.heading(event)

    watch.wait(lambda: watch.world is not None, "the simulation's world_state", deadline, meanwhile)
    before = watch.world
    assert before is not None
    watch.play(str(sentence.file), deadline)
    with Answering(watch, reply) as answering:
        _wait_until_over(sentence, watch, deadline, meanwhile, answering)
    watch.linger(SETTLES, deadline)
    after, heard = watch.world, watch.heard
    assert after is not None
    checks = judge(
        sentence.expected, domain, transcript=heard.transcript, belief=heard.actions, outcome=heard.outcome, before=before, after=after
    )
    if died:
        checks = (*checks, Check("nodes that ended", "none", "; ".join(died), ok=False))
    return Act(sentence.title, heard.transcript.utterance_id if heard.transcript else "", checks)


def _wait_until_over(sentence: DemoSentence, watch: Watch, deadline: float, meanwhile: Callable[[], None], answering: Answering) -> None:
    sound = read_sound(sentence.file)
    start, seconds = watch.seconds, len(sound.samples) / sound.sample_rate
    ended: list[float] = []

    def heard_or_hopeless() -> bool:
        if watch.seconds > start + seconds and not ended:
            ended.append(time.monotonic())
        return watch.heard.transcript is not None or (bool(ended) and time.monotonic() - ended[0] > UNHEARD)

    watch.wait(heard_or_hopeless, f"a transcript of “{sentence.title}”", deadline, meanwhile)
    if watch.heard.transcript is None:
        return
    rejected_at = watch.seconds

    def over() -> bool:
        if watch.heard.outcome is not None or watch.heard.actions is not None:
            return answering.over()
        return watch.heard.transcript is not None and watch.heard.transcript.rejected != "" and watch.seconds > rejected_at + FORWARDED

    watch.wait(over, f"the outcome of “{sentence.title}”", deadline, meanwhile)
