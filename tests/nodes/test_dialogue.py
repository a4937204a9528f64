"""The dialogue over DDS: questions, late answers, two commands at once, and a robot that does not hear itself."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rclpy.parameter import Parameter
from sayso_msgs.srv import Answer
from std_msgs.msg import String

from hand_made import CUPS, belief, clause, role
from patience import PATIENCE
from ros_nodes import Peer
from sayso.domain import load_domain
from sayso.speech.files import read_sound
from sayso.speech.own_voice import ECHO
from sayso.types import SAMPLE_RATE, ActionBelief, AudioChunk, Clause, Outcome
from sayso_nodes.commands.listener import Listener
from sayso_nodes.conversions import to_message
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.nodes.action_selector import ActionSelectorNode
from sayso_nodes.nodes.speech_output import SpeechOutputNode
from sayso_nodes.nodes.speech_to_text import SpeechToTextNode

pytestmark = pytest.mark.ros
NETWORK = 85
DOMAIN = load_domain()
CUP = clause(DOMAIN, "bring", role("theme", "the cup", *CUPS))
KITCHEN = clause(DOMAIN, "go_to", role("goal", "the kitchen", "kitchen", kind="place"))
CHATTER = clause(DOMAIN, "go_to", out_of_scope=3.0)


class Person(Peer):
    """Speaks with nodes that run in this process."""

    def __init__(self) -> None:
        super().__init__(NETWORK)
        self.nodes: list[SaysoNode] = []

    def start(self, kind: type[SaysoNode], **parameters: Any) -> SaysoNode:
        node = kind(context=self.context, parameter_overrides=[Parameter(name, value=value) for name, value in parameters.items()])
        self.nodes.append(node)
        self.run(node)
        node.start()
        return node

    def close(self) -> None:
        for node in self.nodes:
            node.close()
        super().close()


@pytest.fixture
def person() -> Iterator[Person]:
    made = Person()
    yield made
    made.close()


class Table:
    """Utterances as the intent classifier hands them on, and what the selector makes of them."""

    def __init__(self, person: Person, **parameters: Any) -> None:
        self.person, self.selector = person, person.start(ActionSelectorNode, **parameters)
        self.decisions, self.questions = person.hear("action_belief"), person.hear("question")
        self.intents = person.speaker("intent_belief")

    def says(self, name: str, text: str, *clauses: Clause) -> None:
        said = replace(belief(DOMAIN, *(clauses or (CHATTER,))), utterance_id=name, text=text, stamp=self.selector.seconds())
        self.intents.publish(to_message(said))

    def answers(self, text: str, utterance_id: str = "") -> tuple[bool, str]:
        response = self.person.call("answer", Answer.Request(text=text, utterance_id=utterance_id))
        return response.accepted, response.message

    def decided(self) -> list[tuple[str, str]]:
        return [(each.utterance_id, each.decision) for each in self.decisions]

    def until(self, *decided: tuple[str, str]) -> None:
        self.person.until(lambda: len(self.decisions) >= len(decided))
        assert self.decided() == list(decided)


def test_an_answer_to_a_question_that_is_no_longer_open_is_refused_and_says_so(person: Person) -> None:
    table = Table(person)
    assert table.answers("yes") == (False, "no question is open")
    table.says("first", "bring me the cup", CUP)
    table.until(("first", "ask"))
    table.says("second", "bring me the cup", CUP)
    table.until(("first", "ask"), ("first", "reject"), ("second", "ask"))
    question = table.questions[-1].data
    assert table.answers("the blue one", "first") == (
        False,
        f"that question is no longer open; the open one is of utterance second: {question}",
    )
    assert table.answers("the green elephant", "second") == (False, f"'the green elephant' does not answer: {question}")
    assert len(table.decisions) == 3
    assert table.answers("the blue one", "second") == (True, "understood")
    table.until(("first", "ask"), ("first", "reject"), ("second", "ask"), ("second", "execute"))
    assert table.answers("the red one", "second") == (False, "no question is open")
    assert len(table.decisions) == 4


def test_two_commands_at_once_are_taken_in_their_order(person: Person) -> None:
    table = Table(person)
    table.says("first", "bring me the cup", CUP)
    table.says("second", "go to the kitchen", KITCHEN)
    table.says("third", "yes")
    table.says("second", "go to the kitchen", KITCHEN)  # a message that comes twice
    table.until(("first", "ask"), ("first", "reject"), ("second", "execute"), ("third", "reject"))
    person.spin(0.3)
    assert len(table.decisions) == 4


def test_a_question_without_an_answer_is_dropped(person: Person) -> None:
    table = Table(person, answer_within=1.0)
    table.says("first", "bring me the cup", CUP)
    table.until(("first", "ask"))
    person.until(lambda: len(table.decisions) == 2)
    table.until(("first", "ask"), ("first", "reject"))
    person.until(lambda: len(table.questions) == 2)
    assert table.questions[-1].data == "Nobody answered, so I leave it."
    assert table.answers("the blue one") == (False, "no question is open")


def test_following_an_answer_shows_the_outcome_of_the_question(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(NETWORK))
    with Listener(as_json=True) as listener:
        decided, outcomes = person.speaker("action_belief"), person.speaker("outcome")
        decided.publish(to_message(ActionBelief("question", 1.0, (), "execute", "", notes=("answered by utterance mine",))))
        outcomes.publish(to_message(Outcome("other", 2.0, False, "")))
        outcomes.publish(to_message(Outcome("question", 2.0, True, "")))
        assert listener.follow("mine", 20.0)
        assert listener.utterance_id == "question"


def test_what_a_voice_says_is_announced_whatever_becomes_of_it(person: Person, tmp_path: Path) -> None:
    (tmp_path / "fails").write_text('#!/bin/sh\nread -r text; sleep 0.2; echo "$text" >> "$0.txt"; exit 1\n', encoding="utf-8")
    (tmp_path / "fails").chmod(0o755)
    person.start(SpeechOutputNode, engine="command", command=str(tmp_path / "fails"))
    speaking, speech = person.hear("speaking"), person.speaker("speech")
    for text in ("hello", "  ", "there"):
        speech.publish(String(data=text))
    said = tmp_path / "fails.txt"
    person.until(lambda: speaking and speaking[-1].data)
    person.until(lambda: said.exists() and said.read_text(encoding="utf-8").split() == ["hello", "there"])
    person.until(lambda: not speaking[-1].data)


def test_a_voice_that_is_not_there_keeps_the_node_from_starting(person: Person) -> None:
    with pytest.raises(Exception, match="there is no program 'no-such-voice'"):
        person.start(SpeechOutputNode, engine="command", command="no-such-voice {text}")


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
def test_while_the_robot_speaks_its_own_voice_is_no_command(person: Person, tmp_path: Path) -> None:
    file = tmp_path / "speech.wav"
    subprocess.run(["espeak-ng", "-v", "en-us", "-s", "140", "-w", str(file), "go to the kitchen"], check=True, timeout=PATIENCE)
    silence = np.zeros(SAMPLE_RATE, np.int16)
    sound = np.concatenate([silence, read_sound(file).samples, silence])
    ears = person.start(SpeechToTextNode)
    (tmp_path / "voice").write_text('#!/bin/sh\nread -r text\nwhile [ ! -e "$0.end" ]; do sleep 0.05; done\n', encoding="utf-8")
    (tmp_path / "voice").chmod(0o755)
    person.start(SpeechOutputNode, engine="command", command=str(tmp_path / "voice"))
    transcripts, speaking, questions = person.hear("transcript"), person.hear("speaking"), person.speaker("question")
    audio = person.speaker("audio")

    def play() -> float:
        """As it comes from a microphone, only faster; when its last sample is heard."""
        began = ears.seconds()
        for start in range(0, len(sound), 1600):
            audio.publish(to_message(AudioChunk(sound[start : start + 1600], began + start / SAMPLE_RATE)))
        return began + len(sound) / SAMPLE_RATE

    questions.publish(String(data="Do you want me to go to the kitchen?"))
    person.until(lambda: speaking and speaking[-1].data)
    own = play()
    person.spin(0.5)
    (tmp_path / "voice.end").touch()
    person.until(lambda: not speaking[-1].data)
    assert ears.own_voice.covers(AudioChunk(silence[:100], ears.seconds() - 0.01))
    person.until(lambda: ears.seconds() > own + ECHO)
    heard = play()
    person.until(lambda: transcripts)
    assert len(transcripts) == 1  # the same sound twice, and it would be one of a person
    assert transcripts[0].alternatives
    stamp = transcripts[0].header.stamp
    assert own < stamp.sec + stamp.nanosec * 1e-9 < heard
