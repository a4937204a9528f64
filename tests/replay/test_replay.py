"""A replay runs the stages on the recorded inputs, in every recorded format, with the same result each time."""

import io
import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Picture
from rosbags.rosbag2 import CompressionMode, StoragePlugin

from recorded_run import at, encoded, store
from replay_bags import AUDIO_COMMON, BEGAN, CONFIG, PORTAUDIO, context, grounding, heard, save, save_as_rosbag2, sentence, sound, types_of
from sayso.bags.writing import BagWriter
from sayso.paths import default_domain
from sayso.replay import ReplayResult, joined, replay_bag, slices
from sayso.replay.stages import stages

RED = "bring me the red cup from the kitchen"
DAY = [
    context(0.5, x=3.2, y=2.6, place="living_room"),
    heard(2, RED, "u1"),
    heard(8, "the weather is nice today", "u2"),
    heard(60, "bring me the cup", "u3"),
    heard(66, "the red one", "u4"),
    heard(140, "stop", "u5"),
    context(150, x=11.0, y=1.2, place="kitchen", holding="red_cup"),
    context(199, x=11.0, y=1.2, place="kitchen", holding="red_cup"),
    heard(200, "put it on the dining table", "u6"),
]


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("day") / "day", DAY)


def columns(result: ReplayResult, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(getattr(record, name) for name in names) for record in result.records]


def test_every_utterance_is_understood_in_the_situation_that_it_was_said_in(day: Path) -> None:
    result = replay_bag(day, CONFIG)
    assert not result.problems
    assert columns(result, "number", "utterance_id", "t", "text", "decision", "action") == [
        (1, "u1", 1.5, RED, "execute", "bring(recipient=operator, source=kitchen, theme=red_cup)"),
        (2, "u2", 7.5, "the weather is nice today", "reject", result.records[1].action),
        (3, "u3", 59.5, "bring me the cup", "ask", result.records[2].action),
        (4, "u4", 65.5, "the red one", "execute", "bring(recipient=operator, theme=red_cup)"),
        (5, "u5", 139.5, "stop", "execute", "stop()"),
        (6, "u6", 199.5, "put it on the dining table", "execute", "put(goal=dining_table, theme=red_cup)"),
    ]
    assert [record.answers for record in result.records] == ["", "", "", "u3", "", ""]
    assert [record.stop for record in result.records] == [False] * 4 + [True, False]
    assert result.records[0].plan.startswith("navigate_to(")
    assert result.records[5].plan == "navigate_to(goal=dining_table); place(theme=red_cup, goal=dining_table)"  # it holds the cup already
    assert result.records[0].seconds == pytest.approx(1.5)


def test_the_same_bag_gives_the_same_bytes(day: Path) -> None:
    first, second = (replay_bag(day, CONFIG) for _ in range(2))
    lines = [json.dumps([record.data() for record in result.records] + list(result.details)) for result in (first, second)]
    assert lines[0] == lines[1]
    assert first.latencies != second.latencies  # what depends on the machine is kept apart
    assert pickle.loads(pickle.dumps(first)) == first


def test_a_question_is_open_for_a_while_only(tmp_path: Path) -> None:
    bag = save(tmp_path / "bag", [heard(2, "bring me the cup"), heard(20, "the red one")])
    assert [record.answers for record in replay_bag(bag, CONFIG).records] == ["", "u2"]
    assert [record.answers for record in replay_bag(bag, replace(CONFIG, answer_within=10.0)).records] == ["", ""]


def test_conditions_and_times_are_replayed_as_the_nodes_decide_them(tmp_path: Path) -> None:
    said = (
        "go to the kitchen in five minutes",
        "don't go into the bedroom today",
        "go to the bedroom",
        "bring me the cup next to the bread",
    )
    bag = save(tmp_path / "bag", [heard(60.0 * (number + 1), text, f"u{number}") for number, text in enumerate(said)])
    result = replay_bag(bag, CONFIG)
    assert columns(result, "decision", "action")[::2] == [("defer", "go_to(goal=kitchen)"), ("execute", "go_to(goal=bedroom)")]
    assert [record.decision for record in result.records] == ["defer", "defer", "execute", "execute"]
    assert result.details[0]["clauses"][0]["notes"] == ["in 5 min"]
    assert result.details[3]["then"] == said[3]


def test_slices_of_a_bag_give_what_the_whole_gives(day: Path) -> None:
    whole = replay_bag(day, CONFIG)
    for parts in (2, 3, 9):
        cut = slices(day, CONFIG, parts)
        assert 1 < len(cut) <= parts
        assert cut[0].stop == cut[1].start
        together = joined([replay_bag(day, CONFIG, part) for part in cut])
        assert together.records == whole.records
        assert together.details == whole.details
        assert together.seconds == pytest.approx(whole.seconds)
    (asked, answered) = (60 + BEGAN, 66 + BEGAN)
    assert not [one for one in slices(day, CONFIG, 9) if asked < one.start * 1e-9 < answered]


def test_from_the_sound_on_what_was_said_is_heard_again(tmp_path: Path) -> None:
    spoken = [*sound(1, "go_to_the_kitchen"), *sound(60, "stop"), heard(120, RED, "typed", lasts=0.0)]
    recorded = [heard(3.0, "go to the kitchen", "r1", lasts=1.2), heard(61.5, "stop", "r2", lasts=0.5)]
    bag = save(tmp_path / "bag", [*spoken, *recorded])
    config = replace(CONFIG, start="audio")
    result = replay_bag(bag, config, media=tmp_path / "media")
    assert columns(result, "text", "recorded_text") == [("go to the kitchen",) * 2, ("stop",) * 2, (RED,) * 2]
    assert [record.t < limit for record, limit in zip(result.records, (4, 63, 121), strict=True)] == [True] * 3
    assert all(latency.recognise for latency in result.latencies[:2])
    assert [(item.number, item.kind) for item in result.media] == [(1, "sound"), (2, "sound")]
    assert all((tmp_path / "media" / item.file).stat().st_size > 10_000 for item in result.media)
    parts = slices(bag, config, 2)
    assert len(parts) == 2
    assert joined([replay_bag(bag, config, part) for part in parts]).records == result.records
    from_words = replay_bag(bag, CONFIG, media=tmp_path / "again")  # the sound is there to be listened to all the same
    assert [(item.number, item.kind) for item in from_words.media] == [(1, "sound"), (2, "sound")]


def test_sound_alone_needs_no_word_of_where_to_begin(tmp_path: Path) -> None:
    bag = save(tmp_path / "bag", sound(1, "come_here"))
    assert columns(replay_bag(bag, replace(CONFIG, start=None)), "text") == [("come here",)]


@pytest.mark.parametrize("kind", ["AudioData", "AudioDataStamped", "AudioStamped"])
def test_other_peoples_sound_is_heard(tmp_path: Path, kind: str) -> None:
    samples = np.repeat(sentence("go_to_the_dock"), 3)  # 48 kHz
    stereo = np.stack([samples, samples], axis=1)
    types = types_of(PORTAUDIO if kind == "AudioStamped" else AUDIO_COMMON)
    name, made = f"audio_common_msgs/msg/{kind}", types.types
    data, info = made["audio_common_msgs/msg/AudioData"], made["audio_common_msgs/msg/AudioInfo"]
    messages = []
    if kind != "AudioStamped":
        sent_once = info(channels=2, sample_rate=48_000, sample_format="S16LE", bitrate=0, coding_format="wave")
        raw = types.serialize_cdr(sent_once, "audio_common_msgs/msg/AudioInfo")
        messages.append((0.0, "/mic/audio_info", "audio_common_msgs/msg/AudioInfo", bytes(raw)))
    for start in range(0, len(stereo), 4800):
        piece, time = stereo[start : start + 4800], start / 48_000
        stamp = made["builtin_interfaces/msg/Time"](**at(BEGAN + time))
        header = made["std_msgs/msg/Header"](stamp=stamp, frame_id="")
        if kind == "AudioStamped":
            empty = {f"{one}_data": np.zeros(0, one) for one in ("float32", "int32", "int8", "uint8")}
            form = info(format=8, channels=2, rate=48_000, chunk=len(piece))
            audio = made["audio_common_msgs/msg/Audio"](audio_data=data(**empty, int16_data=piece.ravel()), info=form)
            message = made[name](header=header, audio=audio)
        else:
            plain = data(data=np.frombuffer(piece.astype("<i2").tobytes(), np.uint8))
            message = plain if kind == "AudioData" else made[name](header=header, audio=plain)
        messages.append((time + 0.1, "/mic/audio", name, bytes(types.serialize_cdr(message, name))))
    bag = save(tmp_path / "bag", messages, types)
    result = replay_bag(bag, replace(CONFIG, start="audio"))
    assert columns(result, "text", "action") == [("go to the dock", "dock()")], result.problems


def test_compressed_sound_is_reported_and_not_taken_for_noise(tmp_path: Path) -> None:
    types, name = types_of(AUDIO_COMMON), "audio_common_msgs/msg/AudioData"
    frame = types.types[name](data=np.frombuffer(b"\xff\xfb\x90\x64" + bytes(400), np.uint8))
    bag = save(tmp_path / "bag", [(1.0, "/audio", name, bytes(types.serialize_cdr(frame, name)))], types)
    result = replay_bag(bag, replace(CONFIG, start="audio"))
    assert not result.records
    assert any("compressed" in problem.what and problem.where == "/audio" for problem in result.problems)


@pytest.mark.parametrize(
    ("plugin", "mode"),
    [(plugin, mode) for plugin in StoragePlugin for mode in CompressionMode if (plugin.name, mode.name) != ("SQLITE3", "STORAGE")],
)
def test_bags_of_rosbag2_in_every_compression(tmp_path: Path, plugin: StoragePlugin, mode: CompressionMode) -> None:
    bag = save_as_rosbag2(tmp_path / "bag", [context(0.1), heard(2, RED), heard(9, "stop")], plugin, mode)
    result = replay_bag(bag, CONFIG)
    assert columns(result, "text", "decision") == [(RED, "execute"), ("stop", "execute")]
    assert not result.problems
    assert result.seconds == pytest.approx(9.2)


def test_topics_of_other_names_and_of_several_robots(tmp_path: Path) -> None:
    ours, theirs = heard(2, "stop"), heard(4, RED)
    two = save(tmp_path / "two", [(ours[0], "/a/transcript", *ours[2:]), (theirs[0], "/b/transcript", *theirs[2:])])
    first = replay_bag(two, CONFIG)
    assert columns(first, "text") == [("stop",)]
    assert any("--namespace" in problem.what for problem in first.problems)
    assert columns(replay_bag(two, replace(CONFIG, namespace="b")), "text") == [(RED,)]
    assert columns(replay_bag(two, replace(CONFIG, remap=(("/b/transcript", "transcript"),))), "text") == [(RED,)]


def test_plain_texts_are_played_like_transcripts(tmp_path: Path) -> None:
    kind = "std_msgs/msg/String"
    bag = save(tmp_path / "bag", [(3.0, "/asr/text", kind, encoded(kind, {"data": "Go to the kitchen, please."}))])
    result = replay_bag(bag, replace(CONFIG, remap=(("asr/text", "transcript"),)))
    assert columns(result, "intent", "action") == [("go_to", "go_to(goal=kitchen)")]


@pytest.mark.parametrize("start", ["intent", "action"])
def test_later_stages_take_what_was_recorded_before_them(tmp_path: Path, start: str) -> None:
    belief, kind = stages(CONFIG).pipeline.understand(RED), "sayso_msgs/msg/IntentBelief"
    fields = {"utterance_id": "u1", "header": {"stamp": at(BEGAN + 2)}}
    clauses = [
        {
            **{name: getattr(clause, name) for name in ("text", "start", "end", "intent", "out_of_scope", "negated")},
            "probabilities": clause.probabilities,
            "roles": [
                {name: getattr(role, name) for name in ("name", "text", "entity", "kind", "score", "value")} for role in clause.roles
            ],
        }
        for clause in belief.intent_belief.clauses
    ]
    intents = {**fields, "text": RED, "intents": list(belief.intent_belief.intents), "clauses": clauses}
    chosen = {"action": "bring", "argument_names": ["recipient", "theme"], "argument_values": ["operator", "red_cup"], "probability": 0.97}
    decided, other = {**fields, "candidates": [chosen], "decision": "execute"}, "sayso_msgs/msg/ActionBelief"
    bag = save(
        tmp_path / "bag",
        [
            heard(2, RED, "u1"),
            (2.4, "/intent_belief", kind, encoded(kind, intents)),
            (2.5, "/action_belief", other, encoded(other, decided)),
        ],
    )
    result = replay_bag(bag, replace(CONFIG, start=start))  # type: ignore[arg-type]
    whole = "bring(recipient=operator, source=kitchen, theme=red_cup)" if start == "intent" else "bring(recipient=operator, theme=red_cup)"
    assert columns(result, "text", "intent", "decision", "action") == [(RED, "bring", "execute", whole)]
    assert result.records[0].plan.startswith("navigate_to(")
    assert result.records[0].recorded_p == pytest.approx(0.97)
    assert (result.latencies[0].classify, result.latencies[0].select is None) == (None, start == "action")


def view() -> np.ndarray:
    picture = np.full((240, 320, 3), (196, 188, 172), np.uint8)
    picture[100:150, 190:225] = (200, 30, 30)
    return picture


@pytest.mark.parametrize("form", ["rgb8", "bgr8", "jpeg"])
def test_things_are_looked_for_again_in_the_pictures_that_were_looked_at(tmp_path: Path, form: str) -> None:
    messages = [heard(2, RED, "u1")]
    for second in (4, 5, 6):
        stamp, pixels = {"header": {"stamp": at(BEGAN + second)}}, view() if second == 5 else np.zeros((240, 320, 3), np.uint8)
        if form == "jpeg":
            buffer = io.BytesIO()
            Picture.fromarray(pixels).save(buffer, "JPEG", quality=95)
            kind, topic = "sensor_msgs/msg/CompressedImage", "/camera/image/compressed"
            fields = {**stamp, "format": "jpeg", "data": np.frombuffer(buffer.getvalue(), np.uint8)}
        else:
            kind, topic = "sensor_msgs/msg/Image", "/camera/image"
            padded = np.zeros((240, 970), np.uint8)
            padded[:, :960] = (pixels if form == "rgb8" else pixels[:, :, ::-1]).reshape(240, 960)
            fields = {**stamp, "height": 240, "width": 320, "step": 970, "encoding": form, "data": padded.ravel()}
        messages.append((second + 0.05, topic, kind, encoded(kind, fields)))
    messages.append(grounding(6.5, 5, "u1", "red_cup", "the red cup"))
    bag = save(tmp_path / "bag", messages)
    result = replay_bag(bag, CONFIG, media=tmp_path / "media")
    (record,) = result.records
    assert record.recorded_grounded == "red_cup"
    assert record.grounded or record.missed == "red_cup"
    (picture,) = [item.file for item in result.media if item.kind == "picture"]
    with Picture.open(tmp_path / "media" / picture) as drawn:
        pixels = np.asarray(drawn.convert("RGB")).astype(int)
    assert (pixels[:, :, 0] - pixels[:, :, 2] > 60).any(), "it is the picture with the red thing in it, in its colours"
    assert result.latencies[0].ground
    assert not replay_bag(bag, replace(CONFIG, grounding=False)).records[0].missed


def test_a_failing_stage_is_reported_for_its_utterance_alone(day: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline = stages(CONFIG).pipeline
    understood = pipeline.classify

    def fails(transcript: Any, said: Any) -> Any:
        if "weather" in transcript.text:
            raise RuntimeError("no such cloud")
        return understood(transcript, said)

    monkeypatch.setattr(pipeline, "classify", fails)
    result = replay_bag(day, CONFIG)
    assert [record.error for record in result.records] == ["", "classify failed: no such cloud", "", "", "", ""]
    assert result.records[1].decision == "reject"


def test_a_home_whose_name_no_file_can_have_is_said_and_the_default_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with BagWriter(tmp_path / "bag") as bag:
        bag.add_metadata("sayso.home", {"main": "/a\0.yaml", "/a\0.yaml": "name: a"})
        time, topic, kind, data = heard(2, "bring me the red cup")
        bag.add_topic(topic, kind, store())
        bag.write(topic, round((BEGAN + time) * 1e9), data)
    played = replay_bag(tmp_path / "bag", CONFIG)
    assert played.records[0].action == "bring(recipient=operator, theme=red_cup)"
    assert any("the default home is used" in problem.what for problem in played.problems)


def test_a_bag_is_played_in_the_home_that_it_was_recorded_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    home = tmp_path / "robot" / "my_home.yaml"
    home.parent.mkdir()
    base = home.with_name("base.yaml")
    base.write_text(f"include: [{default_domain()}]\n")
    home.write_text(f"include: [{base}]\nobjects:\n  zebra: {{names: [zebra], category: zebra, usual: {{counter: 1}}}}\n")
    folder = save(tmp_path / "bag", [heard(2, "bring me the zebra")])
    with BagWriter(tmp_path / "kept") as bag:
        bag.add_metadata("sayso.home", {"main": str(home), str(home): home.read_text(), str(base): base.read_text()})
        time, topic, kind, data = heard(2, "bring me the zebra")
        bag.add_topic(topic, kind, store())
        bag.write(topic, round((BEGAN + time) * 1e9), data)
    assert "zebra" not in replay_bag(folder, CONFIG).records[0].action
    there = replay_bag(tmp_path / "kept", CONFIG)
    assert (there.domain, there.records[0].action) == ("my_home.yaml", "bring(recipient=operator, theme=zebra)")
    home.unlink()
    base.unlink()
    gone = replay_bag(tmp_path / "kept", CONFIG)
    assert gone.records == there.records
    assert any("the copy in the bag is used" in problem.what for problem in gone.problems)
    assert "zebra" not in replay_bag(tmp_path / "kept", replace(CONFIG, domain=default_domain())).records[0].action
