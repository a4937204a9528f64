"""Plays a bag's inputs through the stages in recorded order. The records do not depend on the machine or the slices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from rosbags.interfaces import Connection

from sayso.bags import messages
from sayso.bags.definitions import decoding
from sayso.bags.reading import Bag
from sayso.bags.topics import Topics, find_topics
from sayso.errors import SaysoError
from sayso.replay.audio_reader import AudioReader
from sayso.replay.homes import home_of
from sayso.replay.image_reader import ImageReader
from sayso.replay.recorded import Recording
from sayso.replay.situation import LastContext
from sayso.replay.sounds import is_sounds, replay_sounds
from sayso.replay.stages import Stages, stages
from sayso.replay.types import Media, ReplayConfig, ReplayResult, Slice, Start, UtteranceRecord
from sayso.replay.understand import Conversation, UtteranceResult
from sayso.types import ActionBelief, IntentBelief, Transcript, TranscriptAlternative

SAME_CLOCK = 60.0  # s: a stamp closer to the recording time than this comes from the same clock
SHIFTED = 0.01  # smaller changes of a posterior are ignored


def replay_bag(path: Path, config: ReplayConfig, part: Slice | None = None, *, name: str = "", media: Path | None = None) -> ReplayResult:
    """Play a bag, a slice of it, or a folder of sound files.

    Args:
        path: folder or file of the bag, folder of sound files, or one of them.
        config: the configuration of the stages.
        part: the slice; None: the whole bag.
        name: of the bag in the results. Default: the name of its folder or file.
        media: folder for sounds and pictures; None: they are not kept.

    Returns:
        The result of each utterance. If the bag cannot be read, `failed` says why.

    Raises:
        SaysoError: the configuration cannot be used: its domain, its models, or a topic that --remap names.
    """
    name = name or path.name
    if is_sounds(path):
        return replay_sounds(path, stages(config), name, media)
    try:
        bag = Bag(path)
    except SaysoError as unreadable:
        return ReplayResult(name, failed=str(unreadable))
    with bag:
        home = config.domain or home_of(bag)
        try:
            chosen = stages(replace(config, domain=home))
        except SaysoError as unusable:
            if config.domain == home:
                raise
            return ReplayResult(name, failed=f"the home it was recorded in cannot be used: {unusable}", domain=home.name if home else "")
        return replace(_Player(bag, chosen, part, name, media).play(), domain=home.name if home else "")


class _Player:
    def __init__(self, bag: Bag, chosen: Stages, part: Slice | None, name: str, media: Path | None) -> None:
        config = chosen.config
        self.bag, self.stages, self.part, self.name, self.media = bag, chosen, part, name, media
        self.topics = find_topics(bag, config.namespace, config.remap)
        self.start = _start(bag, self.topics, config)
        self.names = self.topics.names()
        self.began = bag.start_time
        self.situation = LastContext(bag, self.topics, part.context if part else None)
        self.conversation = Conversation(chosen)
        self.recording = Recording()
        self.audio = AudioReader(bag, self.topics, chosen, part, listening=self.start == "audio", keeping=media is not None)
        self.images = ImageReader(bag, self.topics, chosen, media)
        self.utterances: list[UtteranceResult] = []
        self.sounds: list[Media] = []
        self.unreadable: Counter[str] = Counter()
        self.messages = self.bytes = 0

    def play(self) -> ReplayResult:
        for connection, time, raw in self._inputs():
            self._take(self.names[connection.topic], connection, time, raw)
        for transcript, samples, time in self.audio.end():
            self._heard(transcript, time, samples)
        self._follow_up()
        for topic, count in sorted(self.unreadable.items()):
            self.bag.complain(topic, f"messages that could not be read, left out: {count}")
        return self._result()

    def _inputs(self) -> Iterator[tuple[Connection, int, bytes]]:
        wanted = self.topics.among(dict.fromkeys((*self.audio.topics, self.situation.topic, *Recording.TOPICS)))
        if not wanted:
            return
        start, stop = (self.part.start, self.part.stop) if self.part else (None, None)
        for connection, time, raw in self.bag.messages(wanted, start, stop):
            self.messages += 1
            self.bytes += len(raw)
            yield connection, time, raw

    def _take(self, topic: str, connection: Connection, time: int, raw: bytes) -> None:
        if topic == self.situation.topic:
            self.situation.take(connection, raw)
            return
        for transcript, samples, ended in self.audio.until(time):
            self._heard(transcript, ended, samples)
        message = self._decoded(connection, raw)
        if message is None:
            return
        if topic in self.audio.topics and topic not in Recording.TOPICS:
            self._listen(topic, connection, message, time)
            return
        given: Transcript | IntentBelief | ActionBelief | None = None
        try:
            with decoding(connection.msgtype):
                if connection.msgtype.startswith("sayso_msgs/"):
                    self._note(topic, message, time)
                given = self._input(topic, connection.msgtype, message, time)
        except SaysoError as other:
            self._left_out(connection, other)
        if isinstance(given, Transcript):
            self._heard(given, time, None)
        elif isinstance(given, IntentBelief):
            held = self.recording.of(given.utterance_id).transcript
            self._keep(self.conversation.mean(given, held, self.situation.now, time * 1e-9), time)
        elif isinstance(given, ActionBelief):
            self._decided(given, time)

    def _decided(self, belief: ActionBelief, time: int) -> None:
        recorded = self.recording.of(belief.utterance_id)
        planned = self.conversation.choose(belief, recorded.transcript, recorded.intent, self.situation.now)
        if planned is not None:
            self._keep(planned, time)

    def _note(self, topic: str, message: Any, time: int) -> None:
        """Keep what the robot did. What it saw on its way, and asks about, is an input."""
        self.recording.add(topic, message, time)
        if topic == "plan_state" and self.start != "action":
            heard = self.recording.of(message.utterance_id).transcript if self.start == "audio" else None
            self.conversation.which_one(messages.plan_state(message), heard, time * 1e-9)

    def _input(self, topic: str, kind: str, message: Any, time: int) -> Transcript | IntentBelief | ActionBelief | None:
        """The input that the message is; None if the stages compute it. Typed text is an input even when playing from sound."""
        if topic == "transcript" and self.start in ("transcript", "audio"):
            transcript = _transcript_of(kind, message, time)
            typed = transcript is not None and transcript.started == transcript.stamp
            return transcript if self.start == "transcript" or typed else None
        if topic == "intent_belief" and self.start == "intent":
            return messages.intent_belief(message)
        if topic == "action_belief" and self.start == "action":
            return messages.action_belief(message)
        return None

    def _listen(self, topic: str, connection: Connection, message: Any, time: int) -> None:
        try:
            for transcript, samples, ended in self.audio.take(topic, connection.msgtype, message, time):
                self._heard(transcript, ended, samples)
        except SaysoError as unknown:
            self.bag.complain(connection.topic, str(unknown))

    def _heard(self, transcript: Transcript, time: int, samples: Any) -> None:
        utterance = self.conversation.hear(transcript, self.situation.now, time * 1e-9)
        utterance.latency = replace(utterance.latency, recognise=self.audio.took if samples is not None else None)
        self._keep(utterance, time)
        if self.media is not None:
            sound = samples if samples is not None else self.audio.cut(utterance.started, utterance.ended)
            self.sounds += self.images.keep_sound(sound, utterance.record.t, len(self.utterances))

    def _keep(self, utterance: UtteranceResult, time: int) -> None:
        utterance.came = time
        utterance.record = replace(utterance.record, t=self._since(utterance.ended, time))
        self.utterances.append(utterance)

    def _since(self, stamp: float, time: int) -> float:
        """Seconds from the start of the bag to the stamp if it is of the recorder's clock, else to the time of recording."""
        moment = stamp if abs(stamp - time * 1e-9) < SAME_CLOCK else time * 1e-9
        return round(moment - self.began * 1e-9, 3)

    def _decoded(self, connection: Connection, raw: bytes) -> Any:
        try:
            return self.bag.deserialize(raw, connection)
        except SaysoError as unknown:
            self._left_out(connection, unknown)
            return None

    def _left_out(self, connection: Connection, why: SaysoError) -> None:
        if connection.topic not in self.unreadable:
            self.bag.complain(connection.topic, str(why))
        self.unreadable[connection.topic] += 1

    def _follow_up(self) -> None:
        """Read what the robot did after the slice about utterances in it."""
        if self.part is None:
            return
        said = {utterance.record.utterance_id for utterance in self.utterances} | self.recording.heard()
        followed = self.topics.among(Recording.TOPICS[1:])
        for connection, time, raw in self.bag.messages(followed, self.part.stop) if followed else ():
            if not said & set(self.recording.unfinished()):
                return
            if (message := self._decoded(connection, raw)) is None:
                continue
            with suppress(SaysoError), decoding(connection.msgtype):  # the slice that contains it reports it
                if message.utterance_id in said:
                    self.recording.add(self.names[connection.topic], message, time)

    def _result(self) -> ReplayResult:
        taken: list[str] = []
        pictures: list[Media] = []
        finished = []
        for number, utterance in enumerate(self.utterances, 1):
            theirs = utterance.record.utterance_id
            if self.start == "audio" and self.recording.of(theirs).transcript is None:
                theirs = self.recording.at(utterance.started, utterance.ended, taken)
                taken.append(theirs)
            recorded = self.recording.of(theirs)
            seen = self.images.look(utterance, recorded.looks, number)
            pictures += seen.media
            utterance.latency = replace(utterance.latency, ground=seen.took)
            record = replace(
                utterance.record,
                bag=self.name,
                number=number,
                grounded=", ".join(seen.found),
                missed=", ".join(seen.missed),
                p_grounded=seen.confidence,
                recorded_text=recorded.transcript.text if recorded.transcript else "",
                recorded_intent=recorded.intent,
                recorded_decision=recorded.decision,
                recorded_action=recorded.action,
                recorded_p=recorded.p,
                recorded_plan=recorded.plan,
                recorded_grounded=", ".join(recorded.grounded),
                recorded_asked=recorded.asked,
                recorded_chosen=recorded.chosen,
                outcome=recorded.outcome,
            )
            finished.append(replace(record, changed=_changed(record, self.start)))
        span = (self.part.start, self.part.stop) if self.part else (self.bag.start_time, self.bag.end_time)
        return ReplayResult(
            bag=self.name,
            records=tuple(finished),
            latencies=tuple(
                replace(utterance.latency, bag=self.name, number=number) for number, utterance in enumerate(self.utterances, 1)
            ),
            details=tuple(utterance.detail for utterance in self.utterances),
            media=(*self.sounds, *pictures),
            problems=tuple(self.bag.problems),
            seconds=max(span[1] - span[0], 0) * 1e-9,
            messages=self.messages,
            bytes=self.bytes,
            counts=self.bag.counts,
        )


def _start(bag: Bag, topics: Topics, config: ReplayConfig) -> Start:
    """The first input that is played. Note a problem if the bag lacks it."""
    first: dict[Start, str] = {"audio": "audio", "transcript": "transcript", "intent": "intent_belief", "action": "action_belief"}
    start: Start = config.start or ("audio" if topics["audio"] and not topics["transcript"] else "transcript")
    if not topics[first[start]]:
        others = [one for one, topic in first.items() if topics[topic]]
        hint = f"; --from {others[0]} would find something" if others else "; --remap THEIRS:=OURS maps a topic with another name"
        bag.complain(first[start], f"is not in the bag: nothing can be played from {start} on{hint}")
    return start


def _transcript_of(kind: str, message: Any, time: int) -> Transcript | None:
    """A transcript from any supported type; None if it has no final text."""
    seconds = time * 1e-9
    if kind == "sayso_msgs/msg/Transcript":
        return messages.transcript(message)
    text, confidence = (message.data, 1.0) if kind == "std_msgs/msg/String" else (message.final, float(message.confidence) or 1.0)
    if not text.strip():
        return None
    return Transcript(f"t{time // 1_000_000}", seconds, (TranscriptAlternative(text, 0.0),), min(confidence, 1.0), seconds)


def _changed(record: UtteranceRecord, start: Start) -> str:
    """The fields that differ from the recording, where it has them."""
    pairs = {
        "text": (record.text, record.recorded_text),
        "intent": (record.intent, record.recorded_intent),
        "decision": (record.decision, record.recorded_decision),
        "action": (record.action, record.recorded_action),
        "plan": (record.plan, record.recorded_plan),
        "grounded": (record.grounded, record.recorded_grounded),
        "asked": (record.asked, record.recorded_asked),
        "chosen": (record.chosen, record.recorded_chosen),
    }
    if start in ("intent", "action"):
        del pairs["text"]
    # The first recorded plan may cover only the first action.
    names = [name for name, (now, then) in pairs.items() if then and now != then and not (name == "plan" and now.startswith(f"{then}; "))]
    if record.p is not None and record.recorded_p is not None and abs(record.p - record.recorded_p) > SHIFTED:
        names.append("p")
    return ", ".join(names)
