"""The recorder writes every message to the bag, readable without our packages, also after a kill."""

import os
import signal
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from patience import PATIENCE
from sayso.bags.reading import Bag
from sayso.errors import SaysoError
from small_disk import small_disk

rclpy = pytest.importorskip("rclpy")
pytest.importorskip("sayso_msgs.msg")
pytestmark = pytest.mark.ros

DOMAIN = "52"


@pytest.fixture(autouse=True)
def _own_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", DOMAIN)
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


@contextmanager
def recording(folder: Path, *parameters: str) -> Iterator[subprocess.Popen[bytes]]:
    options = [item for parameter in (f"folder:={folder}", *parameters) for item in ("-p", parameter)]
    child = subprocess.Popen([sys.executable, "-m", "sayso_nodes.nodes.recorder", "--ros-args", *options])
    try:
        yield child
    finally:
        child.kill()
        child.wait()


class Speaker:
    """Publishes on topics of the graph as the nodes do, once the recorder listens."""

    def __init__(self) -> None:
        self.context = rclpy.Context()
        self.context.init()
        self.node = rclpy.create_node("speaker", context=self.context)

    def publishers(self, *names: str) -> list:
        from sayso_nodes.graph import find_topic, interface

        made = {name: self.node.create_publisher(interface(name), name, find_topic(name).qos()) for name in names}
        deadline = time.monotonic() + PATIENCE
        while deaf := [name for name, publisher in made.items() if not publisher.get_subscription_count()]:
            assert time.monotonic() < deadline, f"not recorded: {deaf}"
            time.sleep(0.02)
        time.sleep(1.0)  # the other side finds its match on its own, and best-effort subscribers get nothing before
        return list(made.values())

    def close(self) -> None:
        self.node.destroy_node()
        self.context.try_shutdown()


@pytest.fixture
def speaker() -> Iterator[Speaker]:
    speaker = Speaker()
    yield speaker
    speaker.close()


def size_of(folder: Path) -> int:
    file = folder / f"{folder.name}.mcap"
    return file.stat().st_size if file.exists() else 0


def recorded(folder: Path) -> Counter[str]:
    """How many messages of each topic are in the bag, which is still being written."""
    try:
        with Bag(folder) as reader:
            return Counter(connection.topic for connection, _, _ in reader.messages())
    except SaysoError:  # nothing is written yet
        return Counter()


def wait_for(folder: Path, topic: str, least: int) -> None:
    """Until so many messages of the topic are in the bag; it is flushed each second."""
    deadline = time.monotonic() + PATIENCE
    while (count := recorded(folder)[topic]) < least:
        assert time.monotonic() < deadline, f"{count} of {least} messages of {topic}"
        time.sleep(0.1)


def publish_until_recorded(folder: Path, **said: tuple[Any, Any]) -> Counter[str]:
    """Publish one message of each topic; how often: again only what is not in the bag after some seconds.

    A recorder may find a publisher later than that finds it, and gets nothing before if the topic is not reliable.
    """
    sent, before, deadline = Counter[str](), recorded(folder), time.monotonic() + PATIENCE
    while missing := [topic for topic in said if recorded(folder)[topic] <= before[topic]]:
        assert time.monotonic() < deadline, f"not recorded: {missing}"
        for topic in missing:
            publisher, message = said[topic]
            publisher.publish(message)
            sent[topic] += 1
        again = time.monotonic() + 4.0
        while time.monotonic() < again and any(recorded(folder)[topic] <= before[topic] for topic in missing):
            time.sleep(0.2)
    return sent


def wait_for_flush(folder: Path, least: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while size_of(folder) < least:
        assert time.monotonic() < deadline, "nothing was flushed"
        time.sleep(0.05)


def test_every_topic_of_the_graph_is_in_the_bag_with_its_definition(tmp_path: Path, speaker: Speaker) -> None:
    from sayso_nodes.graph import interface, load_graph

    topics = load_graph("sim").topics
    folder = tmp_path / "bag"
    with recording(folder, "picture_rate:=60.0") as child:
        publishers = zip(topics, speaker.publishers(*topics), strict=True)
        sent = publish_until_recorded(folder, **{f"/{name.lstrip('/')}": (publisher, interface(name)()) for name, publisher in publishers})
        child.send_signal(signal.SIGTERM)
        assert child.wait(PATIENCE) == 0
    with AnyReader([folder]) as reader:
        for connection in reader.connections:  # what Foxglove has: the text beside the topic, and no other
            alone = get_typestore(Stores.EMPTY)
            alone.register(get_types_from_msg(connection.msgdef.data, connection.msgtype))
            for one, _, raw in reader.messages([connection]):
                alone.deserialize_cdr(raw, one.msgtype)
        counts = {name: info.msgcount for name, info in reader.topics.items()}
        assert set(counts) == set(sent) == {f"/{name.lstrip('/')}" for name in topics}
        assert all(1 <= count <= sent[name] for name, count in counts.items()), (counts, sent)
        for connection, stamp, raw in reader.messages():
            reader.deserialize(raw, connection.msgtype)
            assert abs(stamp / 1e9 - time.time()) < 60
    # what a person without our checkout has: the bag alone
    program = (
        "import sys\nfrom pathlib import Path\nfrom rosbags.highlevel import AnyReader\n"
        "with AnyReader([Path(sys.argv[1])]) as r: print(sum(1 for c, t, d in r.messages() if r.deserialize(d, c.msgtype)))\n"
        "assert not any(name.startswith('sayso') for name in sys.modules)"
    )
    alone = subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert int(alone.stdout) == sum(counts.values())


def test_a_bag_has_the_unpublished_frames_and_the_types_of_silent_topics(tmp_path: Path, speaker: Speaker) -> None:
    from geometry_msgs.msg import PoseStamped
    from nav_msgs.msg import Odometry

    from sayso_nodes.graph import load_graph

    graph = load_graph("sim")
    if "tf" in graph.topics:
        pytest.skip("tf2_msgs is installed here: the simulation itself publishes tf")
    folder = tmp_path / "bag"
    with recording(folder, "picture_rate:=60.0") as child:
        odometry, camera = speaker.publishers("odom", "camera/pose")
        for tenth in range(1, 4):
            there, seen = Odometry(child_frame_id="base_link"), PoseStamped()
            there.header.frame_id = seen.header.frame_id = "map"
            there.header.stamp.sec = seen.header.stamp.sec = tenth
            there.pose.pose.position.x, there.pose.pose.orientation.w = float(tenth), 1.0
            seen.pose.position.x, seen.pose.position.z, seen.pose.orientation.w = tenth + 0.1, 1.25, 1.0
            publish_until_recorded(folder, **{"/odom": (odometry, there)})
            publish_until_recorded(folder, **{"/camera/pose": (camera, seen)})
        child.send_signal(signal.SIGTERM)
        assert child.wait(PATIENCE) == 0
    frames: dict[str, list] = {"/tf": [], "/tf_static": []}
    with Bag(folder) as reader:
        named = {one.topic: one.msgtype for one in reader.connections if one.topic not in frames}
        assert named == {f"/{name.lstrip('/')}": topic.type for name, topic in graph.topics.items() if graph.publishers(name)}
        for connection, _, raw in reader.messages([one for one in reader.connections if one.topic in frames]):
            assert connection.msgtype == "tf2_msgs/msg/TFMessage"
            frames[connection.topic] += reader.deserialize(raw, connection).transforms
    moved = [(one.header.frame_id, one.child_frame_id, one.transform.translation.x, one.header.stamp.sec) for one in frames["/tf"]]
    assert list(dict.fromkeys(moved)) == [("odom", "base_link", 1.0, 1), ("odom", "base_link", 2.0, 2), ("odom", "base_link", 3.0, 3)]
    fixed = [(one.header.frame_id, one.child_frame_id, round(one.transform.translation.x, 6)) for one in frames["/tf_static"]]
    assert fixed == [("map", "odom", 0.0), ("base_link", "camera_optical_frame", 0.1)]  # once, for it does not move on the robot


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_the_bag_is_readable_however_the_recorder_ends(tmp_path: Path, speaker: Speaker, ending: int) -> None:
    from std_msgs.msg import String

    folder = tmp_path / "bag"
    with recording(folder) as child:
        (publisher,) = speaker.publishers("speech")
        for index in range(20):
            publisher.publish(String(data=f"{index} {os.urandom(100).hex()}"))
        wait_for(folder, "/speech", 20)
        child.send_signal(ending)
        child.wait(PATIENCE)
    assert (folder / "metadata.yaml").exists() == (ending == signal.SIGINT)
    with Bag(folder) as reader:
        said = [reader.deserialize(raw, c).data.split()[0] for c, _, raw in reader.messages()]
        problems = [problem.what.partition(":")[0] for problem in reader.problems]
    assert said == [str(index) for index in range(20)]
    assert problems == ([] if ending == signal.SIGINT else ["incomplete"])


@pytest.mark.long("kills, freezes or starves processes")
@pytest.mark.timed
def test_a_kill_in_the_midst_of_a_flood_costs_a_second_at_most(tmp_path: Path, speaker: Speaker) -> None:
    from std_msgs.msg import String

    folder, sent, began = tmp_path / "bag", 0, 0.0
    with recording(folder) as child:
        (publisher,) = speaker.publishers("speech")
        began = time.monotonic()
        while time.monotonic() < began + 4.0:
            publisher.publish(String(data=f"{sent} {time.monotonic()} {os.urandom(10_000).hex()}"))
            sent += 1
            time.sleep(0.005)
        child.kill()
        killed = time.monotonic()
        child.wait(PATIENCE)
    with Bag(folder) as reader:
        said = [reader.deserialize(raw, c).data.split()[:2] for c, _, raw in reader.messages()]
        (problem,) = reader.problems
    assert [number for number, _ in said] == [str(number) for number in range(len(said))]
    assert killed - float(said[-1][1]) < 1.5  # flushed each second
    assert problem.what.startswith(("cut off", "incomplete"))


@pytest.mark.long("kills, freezes or starves processes")
def test_a_second_recorder_with_the_same_folder_is_refused_and_the_first_goes_on(tmp_path: Path, speaker: Speaker) -> None:
    from std_msgs.msg import String

    folder = tmp_path / "bag"
    with recording(folder) as child:
        (publisher,) = speaker.publishers("speech")
        publisher.publish(String(data="before"))
        second = [sys.executable, "-m", "sayso_nodes.nodes.recorder", "--ros-args", "-p", f"folder:={folder}"]
        done = subprocess.run(second, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert (done.returncode, done.stderr) == (2, f"{folder}: is there already; name a new folder for the bag\n")
        publisher.publish(String(data="after"))
        wait_for(folder, "/speech", 2)
        child.send_signal(signal.SIGTERM)
        assert child.wait(PATIENCE) == 0
    with Bag(folder) as reader:
        assert [reader.deserialize(raw, c).data for c, _, raw in reader.messages()] == ["before", "after"]
        assert reader.problems == []


@pytest.mark.long("kills, freezes or starves processes")
def test_two_recorders_of_one_graph_both_record_everything(tmp_path: Path, speaker: Speaker) -> None:
    from std_msgs.msg import String

    folders = (tmp_path / "one", tmp_path / "two")
    with recording(folders[0]) as one, recording(folders[1]) as two:
        (publisher,) = speaker.publishers("speech")
        deadline = time.monotonic() + PATIENCE
        while publisher.get_subscription_count() < 2:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(1.0)
        for index in range(100):
            publisher.publish(String(data=str(index)))
            time.sleep(0.01)
        for folder in folders:
            wait_for(folder, "/speech", 100)
        for child in (one, two):
            child.send_signal(signal.SIGTERM)
            assert child.wait(PATIENCE) == 0
    for folder in folders:
        with Bag(folder) as reader:
            assert [reader.deserialize(raw, c).data for c, _, raw in reader.messages()] == [str(index) for index in range(100)]
            assert reader.problems == []


def test_the_death_of_the_recorder_is_said(tmp_path: Path) -> None:
    from ros_nodes import environment
    from sayso_nodes.running.processes import RunningGraph

    with RunningGraph("robot", nodes=(), env=environment(int(DOMAIN)), log_dir=tmp_path) as graph:
        bag = graph.record(tmp_path)
        wait_for_flush(bag, least=1)
        graph.processes["recorder"].process.kill()
        graph.processes["recorder"].process.wait(PATIENCE)
        (event,) = graph.poll()
        assert event.startswith("recorder ended (SIGKILL) and is not started again")
        assert graph.poll() == []


@pytest.mark.long("kills, freezes or starves processes")
@pytest.mark.timed
def test_pictures_are_thinned_out_but_one_that_was_looked_at_is_kept(tmp_path: Path, speaker: Speaker) -> None:
    from sayso_msgs.msg import Grounding
    from sensor_msgs.msg import Image

    folder = tmp_path / "bag"
    with recording(folder, "picture_rate:=1.0") as child:
        images, groundings = speaker.publishers("camera/image", "grounding")
        for tenth in range(20):
            image = Image(height=1, width=1, encoding="rgb8", step=3, data=bytes(3))
            image.header.stamp.sec, image.header.stamp.nanosec = 100 + tenth // 10, tenth % 10 * 100_000_000
            images.publish(image)
            time.sleep(0.03)
        looked = Grounding()
        looked.header.stamp.sec, looked.header.stamp.nanosec = 101, 700_000_000
        groundings.publish(looked)
        time.sleep(0.5)
        child.send_signal(signal.SIGTERM)
        child.wait(PATIENCE)
    with Bag(folder) as reader:
        images = [reader.deserialize(raw, c) for c, _, raw in reader.messages() if c.topic == "/camera/image"]
        stamps = [image.header.stamp for image in images]
    assert [round(stamp.sec + stamp.nanosec * 1e-9, 1) for stamp in stamps] == [100.0, 101.0, 101.7]


@pytest.mark.long("kills, freezes or starves processes")
def test_a_full_disk_ends_the_recording_and_nothing_else(tmp_path: Path, speaker: Speaker) -> None:
    from diagnostic_msgs.msg import DiagnosticArray
    from std_msgs.msg import String

    from sayso_nodes.graph import find_topic

    folder = tmp_path / "bag"
    limit = "import resource, runpy; resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)); import sys;"
    program = f"{limit} sys.argv = ['recorder', *sys.argv[1:]]; runpy.run_module('sayso_nodes.nodes.recorder', run_name='__main__')"
    options = ["--ros-args", "-p", f"folder:={folder}"]
    child = subprocess.Popen([sys.executable, "-c", program, *options], stderr=subprocess.PIPE, text=True)
    complaints: list[str] = []
    speaker.node.create_subscription(
        DiagnosticArray,
        "/diagnostics",
        lambda report: complaints.extend(one.message for one in report.status),
        find_topic("/diagnostics").qos(subscriber=True),
    )
    executor = rclpy.executors.SingleThreadedExecutor(context=speaker.context)
    executor.add_node(speaker.node)
    try:
        (publisher,) = speaker.publishers("speech")
        deadline = time.monotonic() + PATIENCE
        while not complaints:
            assert time.monotonic() < deadline, "no diagnostic message"
            publisher.publish(String(data=os.urandom(2000).hex()))
            executor.spin_once(0.05)
        assert child.poll() is None, "the recorder stays"
        child.send_signal(signal.SIGINT)
        assert child.wait(PATIENCE) == 0
    finally:
        child.kill()
        assert child.stderr is not None
        log = child.stderr.read()
        child.wait()
        executor.shutdown()
    assert complaints[0] == f"the recording has ended: {folder}: the disk is full; recorded up to here"
    assert complaints[0] in log
    assert "Traceback" not in log
    with AnyReader([folder]) as reader:
        assert reader.message_count >= 5


@pytest.mark.long("kills, freezes or starves processes")
def test_a_nearly_full_disk_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "bag"
    with recording(folder, f"keep_free:={2**20}") as child:  # a TiB
        deadline = time.monotonic() + PATIENCE
        while not (folder / "metadata.yaml").exists():
            assert time.monotonic() < deadline, "it goes on"
            time.sleep(0.05)
        assert child.poll() is None


def test_a_bag_says_what_it_was_recorded_with(tmp_path: Path, speaker: Speaker) -> None:
    import yaml

    folder = tmp_path / "bag"
    speaker.node.destroy_node()
    speaker.node = rclpy.create_node("speech_to_text", context=speaker.context)
    domain = tmp_path / "home.yaml"
    domain.write_text(f"include: [{(Path(__file__).parents[2] / 'config/home.yaml').as_posix()}]\n")
    speaker.node.declare_parameter("domain", str(domain))
    speaker.node.declare_parameter("backend", "pocketsphinx")
    executor = rclpy.executors.SingleThreadedExecutor(context=speaker.context)
    executor.add_node(speaker.node)
    metadata: dict[str, dict[str, str]] = {}
    with recording(folder, "split_size:=1", "compression:=lz4"):
        deadline = time.monotonic() + PATIENCE
        while "sayso.home" not in metadata or "whisper" not in metadata["sayso.parameters"].get("speech_to_text", ""):
            assert time.monotonic() < deadline, f"only {list(metadata)} in the metadata"
            executor.spin_once(0.05)
            if "sayso.home" in metadata:  # asked again when a parameter has changed
                speaker.node.set_parameters([rclpy.parameter.Parameter("backend", value="whisper")])
            if folder.exists() and list(folder.glob("*.mcap")):
                with suppress(SaysoError), Bag(folder) as bag:  # while it is being written
                    metadata = bag.metadata
    executor.shutdown()
    parameters = yaml.safe_load(metadata["sayso.parameters"]["speech_to_text"])
    assert parameters["domain"] == str(domain)
    assert len(metadata["sayso.models"]["encoder.onnx"]) == 64
    assert metadata["sayso.versions"]["sayso"]
    assert metadata["sayso.home"]["main"] == str(domain)
    assert any(name.endswith("intents.yaml") for name in metadata["sayso.home"])


@pytest.mark.parametrize("include", ["5", '["\\0"]', "{a: b}", "[home.yaml, circle.yaml]"])
def test_a_home_that_includes_nonsense_is_kept_as_it_is(tmp_path: Path, include: str) -> None:
    from sayso_nodes.recording.notes import home

    domain = tmp_path / "home.yaml"
    domain.write_text(f"include: {include}\n")
    (tmp_path / "circle.yaml").symlink_to("circle.yaml")
    assert home(str(domain))[str(domain)] == f"include: {include}\n"


def test_only_home_files_are_copied_into_a_bag(tmp_path: Path) -> None:
    from sayso_nodes.recording.notes import home

    secret, domain = tmp_path / "id_ed25519", tmp_path / "home.yaml"
    secret.write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n")
    for text in (f"include: [{secret}]\n", "include: [/dev/zero]\n", f"include: [{tmp_path}]\n"):
        domain.write_text(text)
        assert home(str(domain)) == {"main": str(domain), str(domain): text}
    assert "b3Bl" not in str(home(str(secret)))
    assert "cannot be read" in home("/dev/zero")["/dev/zero"]


def test_the_arguments_of_a_users_program_are_not_recorded() -> None:
    from sayso_nodes.recording.notes import without_secrets

    assert without_secrets("command", "speak --key 5f3a {text}") == "speak …"
    assert without_secrets("command", "speak") == "speak"
    assert without_secrets("domain", "my home.yaml") == "my home.yaml"


def test_refuses_to_write_into_nowhere(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sayso_nodes.nodes.recorder"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert "'folder'" in done.stderr
    assert "Traceback" not in done.stderr


def test_reads_the_stamp_of_either_byte_order() -> None:
    from sayso_nodes.views.serialised import header_stamp

    assert header_stamp(b"\x00\x01\x00\x00" + struct.pack("<iI", 3, 5)) == 3_000_000_005
    assert header_stamp(b"\x00\x00\x00\x00" + struct.pack(">iI", 3, 5)) == 3_000_000_005


@pytest.mark.long("kills, freezes or starves processes")
def test_a_full_disk_at_the_start_is_one_line(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        disk.fill()
        command = [sys.executable, "-m", "sayso_nodes.nodes.recorder", "--ros-args", "-p", f"folder:={disk.folder / 'bag'}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1].endswith("nothing can be recorded (No space left on device); name a folder on another disk")
    assert "Traceback" not in done.stderr
