"""Damaged bags: the readable part is used, the rest is reported, and nothing is raised."""

import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcap.writer import IndexType
from mcap.writer import Writer as McapWriter
from rosbags.rosbag2 import CompressionMode, StoragePlugin

from budget import examples
from recorded_run import at, encoded, store
from replay_bags import BEGAN, CONFIG, TRANSCRIPT, Message, context, heard, save, save_as_rosbag2, sound, types_of
from sayso.bags.writing import BagWriter
from sayso.errors import SaysoError
from sayso.paths import config_dir
from sayso.replay import ReplayResult, replay_bag
from sayso.replay.session import jobs, session

SAID = [heard(second, "stop") for second in range(2, 40, 4)]


def texts(result: ReplayResult) -> list[str]:
    return [record.text for record in result.records]


def reports(result: ReplayResult, *words: str) -> bool:
    return any(all(word in str(problem) for word in words) for problem in result.problems)


def mcap_of(folder: Path) -> Path:
    (file,) = folder.glob("*.mcap")
    return file


def test_a_truncated_mcap_gives_what_is_left_of_it(tmp_path: Path) -> None:
    bag = save(tmp_path / "bag", SAID, compression="none")
    file = mcap_of(bag)
    whole = file.read_bytes()
    for kept in (0.95, 0.6):
        file.write_bytes(whole[: int(kept * len(whole))])
        result = replay_bag(bag, CONFIG)
        assert set(texts(result)) <= {"stop"}
        assert reports(result, file.name)
    file.write_bytes(whole[:-40])  # the footer alone: everything is still there
    assert texts(replay_bag(bag, CONFIG)) == ["stop"] * len(SAID)


def test_bytes_in_the_middle_that_are_no_more_what_they_were_are_named(tmp_path: Path) -> None:
    bag = save(tmp_path / "bag", SAID, compression="zstd")
    file = mcap_of(bag)
    data = bytearray(file.read_bytes())
    middle = len(data) // 3
    data[middle : middle + 64] = bytes(64)
    file.write_bytes(data)
    result = replay_bag(bag, CONFIG)
    assert result.failed or result.problems
    assert set(texts(result)) <= {"stop"}


@pytest.mark.parametrize("spoilt", ["missing", "no yaml", "names another file"])
def test_without_a_good_metadata_file_the_files_themselves_are_read(tmp_path: Path, spoilt: str) -> None:
    bag = save(tmp_path / "bag", SAID)
    metadata = bag / "metadata.yaml"
    if spoilt == "missing":
        metadata.unlink()
    elif spoilt == "no yaml":
        metadata.write_text("rosbag2: [unclosed")
    else:
        metadata.write_text(metadata.read_text().replace(mcap_of(bag).name, "gone_0.mcap"))
    result = replay_bag(bag, CONFIG)
    assert texts(result) == ["stop"] * len(SAID)
    assert bool(result.problems) == (spoilt != "missing")


@pytest.mark.parametrize("chunked", [True, False])
def test_an_mcap_that_was_written_without_any_index_is_read_as_well(tmp_path: Path, chunked: bool) -> None:
    bag = tmp_path / "plain.mcap"
    with bag.open("wb") as file:
        left_out = dict.fromkeys(("use_statistics", "use_summary_offsets", "repeat_channels", "repeat_schemas"), False)
        writer = McapWriter(file, use_chunking=chunked, index_types=IndexType.NONE, **left_out)
        writer.start("ros2", "")
        definition = store().generate_msgdef(TRANSCRIPT)[0].encode()
        channel = writer.register_channel("/transcript", "cdr", writer.register_schema(TRANSCRIPT, "ros2msg", definition))
        for time, _, _, data in SAID:
            when = round((BEGAN + time) * 1e9)
            writer.add_message(channel, when, data, when)
        writer.finish()
    result = replay_bag(bag, CONFIG)
    assert texts(result) == ["stop"] * len(SAID)
    assert [record.t for record in result.records] == [round(4.0 * number - 0.3, 3) for number in range(len(SAID))]


def test_a_damaged_note_or_description_costs_itself_alone(tmp_path: Path) -> None:
    bag = tmp_path / "plain.mcap"
    with bag.open("wb") as file:
        writer = McapWriter(file, use_chunking=False, enable_crcs=False, index_types=IndexType.NONE)
        writer.start("ros2", "")
        writer.add_metadata("sayso.versions", {"sayso": "a version"})
        definition = store().generate_msgdef(TRANSCRIPT)[0].encode()
        schema = writer.register_schema(TRANSCRIPT, "ros2msg", definition)
        writer.register_channel("/greeting", "cdr", schema)
        channel = writer.register_channel("/transcript", "cdr", schema)
        for time, _, _, data in SAID:
            when = round((BEGAN + time) * 1e9)
            writer.add_message(channel, when, data, when)
        writer.finish()
    whole = bag.read_bytes()
    for was, says in ((b"a version", "damaged metadata"), (b"/greeting", "damaged description of a topic")):
        bag.write_bytes(whole.replace(was, was[:-2] + b"\xff\xfe"))
        result = replay_bag(bag, CONFIG)
        assert texts(result) == ["stop"] * len(SAID)
        assert reports(result, bag.name, says, "left out")


def whole_bag(folder: Path, form: str) -> bytes:
    """A bag of few utterances as one file, in one of the forms that people record."""
    few = SAID[:2]
    if form in ("db3", "message"):
        plugin, mode = (StoragePlugin.SQLITE3, CompressionMode.NONE) if form == "db3" else (StoragePlugin.MCAP, CompressionMode.MESSAGE)
        bag = save_as_rosbag2(folder / form, few, plugin, mode)
    else:
        bag = save(folder / form, few, compression=form)
    (file,) = (one for one in bag.iterdir() if one.suffix in (".mcap", ".db3"))
    return file.read_bytes()


@pytest.mark.parametrize("form", ["none", "zstd", "lz4", "message", "db3"])
def test_whatever_is_damaged_nothing_is_lost_in_silence(tmp_path: Path, form: str) -> None:
    whole = whole_bag(tmp_path, form)
    file = tmp_path / ("spoilt.db3" if form == "db3" else "spoilt.mcap")

    @examples(25)
    @given(st.lists(st.tuples(st.integers(0, len(whole) - 1), st.binary(max_size=40), st.integers(0, 40)), min_size=1, max_size=4))
    def spoil(damage: list[tuple[int, bytes, int]]) -> None:
        data = bytearray(whole)
        for start, written, removed in damage:
            data[start : start + removed] = written
        file.write_bytes(data)
        result = replay_bag(file, CONFIG)
        assert result.failed or result.problems or len(result.records) == 2

    spoil()


def test_an_unknown_type_costs_only_its_topic(tmp_path: Path) -> None:
    bag = save(tmp_path / "bag", SAID)
    file = mcap_of(bag)
    strange = "their_msgs/msg/Thing"
    with BagWriter(tmp_path / "strange") as writer:
        kind = "std_msgs/msg/String"
        writer.add_topic("/transcript", TRANSCRIPT, store())
        writer.add_topic("/context", kind, store())
        for time, topic, _, data in SAID:
            writer.write(topic, round((BEGAN + time) * 1e9), data)
        writer.write("/context", round((BEGAN + 1) * 1e9), encoded(kind, {"data": "x"}))
    other = mcap_of(tmp_path / "strange")
    other.write_bytes(other.read_bytes().replace(b"std_msgs/msg/String", strange.encode()[:19].ljust(19, b"g")))
    assert file.exists()
    result = replay_bag(tmp_path / "strange", CONFIG)
    assert texts(result) == ["stop"] * len(SAID)
    assert reports(result, "context")


def test_a_topic_of_another_type_is_named_and_left_out(tmp_path: Path) -> None:
    kind = "std_msgs/msg/Bool"
    wrong: list[Message] = [(1.0, "/context", kind, encoded(kind, {"data": True}))]
    result = replay_bag(save(tmp_path / "bag", [*SAID, *wrong]), CONFIG)
    assert texts(result) == ["stop"] * len(SAID)
    assert reports(result, "context", "Bool")


def test_a_message_that_is_not_of_its_type_is_named_and_the_next_is_taken(tmp_path: Path) -> None:
    torn = (1.0, "/transcript", TRANSCRIPT, b"\x00\x01\x00\x00\xff\xff")
    result = replay_bag(save(tmp_path / "bag", [torn, *SAID]), CONFIG)
    assert texts(result) == ["stop"] * len(SAID)
    assert reports(result, "transcript")


def test_a_bag_of_another_version_says_which_field_it_lacks(tmp_path: Path) -> None:
    kind = "sayso_msgs/msg/Context"
    others = types_of({kind: "std_msgs/Header header\nfloat64 x\nfloat64 y"})
    older = others.types[kind](store_header(others), 1.0, 2.0)
    with BagWriter(tmp_path / "bag") as writer:
        writer.add_topic("/context", kind, others)
        writer.add_topic("/transcript", TRANSCRIPT, store())
        writer.write("/context", round((BEGAN + 1) * 1e9), bytes(others.serialize_cdr(older, kind)))
        for time, topic, _, data in SAID:
            writer.write(topic, round((BEGAN + time) * 1e9), data)
    result = replay_bag(tmp_path / "bag", CONFIG)
    assert texts(result) == ["stop"] * len(SAID)
    assert reports(result, "/context", "has no field 'yaw'")


def store_header(types: Any) -> Any:
    return types.types["std_msgs/msg/Header"](types.types["builtin_interfaces/msg/Time"](0, 0), "")


def test_a_message_that_holds_what_cannot_be_is_left_out(tmp_path: Path) -> None:
    kind = "sayso_msgs/msg/IntentBelief"
    lists = {"candidate_entities": ["red_cup", "blue_cup"], "candidate_scores": [1.0]}  # two things, one number
    clause = {"intent": "bring", "roles": [{"name": "theme", **lists}]}
    torn = (1.0, "/intent_belief", kind, encoded(kind, {"utterance_id": "u2", "clauses": [clause]}))
    result = replay_bag(save(tmp_path / "bag", [torn, *SAID]), CONFIG)
    assert texts(result) == ["stop"] * len(SAID)
    assert reports(result, "/intent_belief", "holds an invalid value")


def test_a_clock_that_was_set_back_is_followed(tmp_path: Path) -> None:
    bag = tmp_path / "bag.mcap"
    with bag.open("wb") as file:
        writer = McapWriter(file, chunk_size=1)  # a chunk for each message
        writer.start("ros2", "")
        definition = store().generate_msgdef(TRANSCRIPT)[0].encode()
        channel = writer.register_channel("/transcript", "cdr", writer.register_schema(TRANSCRIPT, "ros2msg", definition))
        for shift, text in ((0.0, "stop"), (-3600.0, "come here")):
            for time, _, _, data in (heard(second, text, began=BEGAN + shift) for second in (2.0, 9.0)):
                when = round((BEGAN + shift + time) * 1e9)
                writer.add_message(channel, when, data, when)
        writer.finish()
    result = replay_bag(bag, CONFIG)
    assert texts(result) == ["stop", "stop", "come here", "come here"]
    assert reports(result, "jumps back")


def test_an_empty_bag_says_so(tmp_path: Path) -> None:
    empty = save(tmp_path / "empty", [])
    result = replay_bag(empty, CONFIG)
    assert not result.records
    assert result.failed or result.problems
    (tmp_path / "folder").mkdir()
    assert "nothing can be read" in replay_bag(tmp_path / "folder", CONFIG).failed
    (tmp_path / "no.mcap").write_bytes(b"")
    assert replay_bag(tmp_path / "no.mcap", CONFIG).failed
    (tmp_path / "text.mcap").write_text("not a bag at all\n" * 100)
    assert replay_bag(tmp_path / "text.mcap", CONFIG).failed


def test_a_database_that_is_none_is_named(tmp_path: Path) -> None:
    bag = save_as_rosbag2(tmp_path / "bag", SAID, StoragePlugin.SQLITE3, CompressionMode.NONE)
    (file,) = bag.glob("*.db3")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    cut = replay_bag(bag, CONFIG)
    assert cut.failed or cut.problems
    file.write_bytes(b"SQLite format 3\x00" + bytes(200))
    assert file.name in replay_bag(bag, CONFIG).failed
    file.unlink()
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE other (x)")
    assert file.name in replay_bag(bag, CONFIG).failed


def test_a_topic_of_a_database_without_a_name_is_left_out(tmp_path: Path) -> None:
    bag = save_as_rosbag2(tmp_path / "bag", [context(1), *SAID], StoragePlugin.SQLITE3, CompressionMode.NONE)
    (file,) = bag.glob("*.db3")
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA ignore_check_constraints = 1")
        changed = database.execute("UPDATE topics SET name = x'00ff' WHERE name = '/context'").rowcount
    assert changed == 1
    result = replay_bag(bag, CONFIG)
    assert texts(result) == ["stop"] * len(SAID)
    assert reports(result, file.name, "without a name")


def test_two_bags_of_one_name_stay_two(tmp_path: Path) -> None:
    bags = [save(tmp_path / day / "bag", SAID) for day in ("monday", "tuesday")]
    names = [job.name for job in jobs(bags)]
    assert len(set(names)) == 2
    assert all("bag" in name for name in names)


def test_files_without_permission_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bag = save(tmp_path / "bag", SAID)
    locked, usual = mcap_of(bag), Path.open

    def refused(self: Path, *args: object, **named: object) -> object:
        if self == locked:
            raise PermissionError(13, "Permission denied")
        return usual(self, *args, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refused)  # the tests may run as root, who may read everything
    assert f"{locked.name}: no permission to read it" in replay_bag(bag, CONFIG).failed


def test_a_bag_in_a_closed_folder_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good, closed = save(tmp_path / "good", SAID), save(tmp_path / "private" / "bag", SAID)
    usual = Path.stat

    def refused(self: Path, **named: Any) -> Any:
        if self.is_relative_to(closed):
            raise PermissionError(13, "Permission denied")
        return usual(self, **named)

    monkeypatch.setattr(Path, "stat", refused)
    bad, right = session(jobs([closed, good]), CONFIG)
    assert "bag: no permission to read it" in bad.result.failed
    assert texts(right.result) == ["stop"] * len(SAID)


def test_of_sound_files_those_that_are_none_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stop", "come_here"):
        shutil.copyfile(config_dir() / "sentences" / f"{name}.flac", tmp_path / f"{name}.flac")
    (tmp_path / "go_on.wav").write_text("no sound")
    (tmp_path / "empty.wav").write_bytes(b"")
    usual = Path.open

    def refused(self: Path, *args: Any, **named: Any) -> Any:
        if self.name == "come_here.flac":
            raise PermissionError(13, "Permission denied")
        return usual(self, *args, **named)

    monkeypatch.setattr(Path, "open", refused)
    result = replay_bag(tmp_path, CONFIG)
    assert texts(result) == ["stop"]
    assert reports(result, "come_here.flac: no permission")
    assert reports(result, "go_on.wav: not a sound file")
    assert reports(result, "empty.wav: ")


def test_of_a_split_bag_the_good_files_are_played(tmp_path: Path) -> None:
    first, second = save(tmp_path / "a", SAID[:5]), save(tmp_path / "b", SAID[5:])
    bag = tmp_path / "split"
    bag.mkdir()
    shutil.copyfile(mcap_of(first), bag / "bag_0.mcap")
    (bag / "bag_1.mcap").write_bytes(b"torn")
    shutil.copyfile(mcap_of(second), bag / "bag_2.mcap")
    result = replay_bag(bag, CONFIG)
    assert texts(result) == ["stop"] * len(SAID)
    assert reports(result, "bag_1.mcap")


def test_gaps_and_odd_rates_in_the_sound_do_not_end_the_replay(tmp_path: Path) -> None:
    chunks = sound(1, "stop")
    kind = "sayso_msgs/msg/AudioChunk"
    odd = [(5.0, "/audio", kind, encoded(kind, {"header": {"stamp": at(BEGAN + 5)}, "sample_rate": rate})) for rate in (0, 4_000_000)]
    result = replay_bag(save(tmp_path / "bag", [*chunks[::2], *odd, *sound(10, "come_here")]), replace(CONFIG, start="audio"))
    assert not result.failed
    assert "come here" in texts(result)


def test_no_such_bag_is_one_line() -> None:
    with pytest.raises(SaysoError, match="no such file or folder"):
        jobs([Path("/no/such/bag")])
