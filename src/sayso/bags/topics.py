"""Finds our topics in a bag: by name in any namespace, or by --remap, and only with a type that we can read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rosbags.interfaces import Connection

from sayso.bags.reading import Bag
from sayso.errors import SaysoError

SOUND = (
    "sayso_msgs/msg/AudioChunk",
    "audio_common_msgs/msg/AudioData",
    "audio_common_msgs/msg/AudioDataStamped",
    "audio_common_msgs/msg/Audio",
    "audio_common_msgs/msg/AudioStamped",
)
PICTURE = ("sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage")
# Our name → supported types.
READ: Mapping[str, tuple[str, ...]] = {
    "audio": SOUND,
    "audio_info": ("audio_common_msgs/msg/AudioInfo",),
    "transcript": ("sayso_msgs/msg/Transcript", "std_msgs/msg/String", "hri_msgs/msg/LiveSpeech"),
    "intent_belief": ("sayso_msgs/msg/IntentBelief",),
    "action_belief": ("sayso_msgs/msg/ActionBelief",),
    "context": ("sayso_msgs/msg/Context",),
    "odom": ("nav_msgs/msg/Odometry",),
    "plan_state": ("sayso_msgs/msg/PlanState",),
    "grounding": ("sayso_msgs/msg/Grounding",),
    "outcome": ("sayso_msgs/msg/Outcome",),
    "camera/image": PICTURE,
    "camera/depth": PICTURE,
    "camera/camera_info": ("sensor_msgs/msg/CameraInfo",),
    "camera/pose": ("geometry_msgs/msg/PoseStamped",),
}
# Other names for the same topic, tried if ours is missing.
ALSO = {"camera/image": ("camera/image/compressed",), "transcript": ("live_speech",)}


@dataclass(frozen=True, slots=True)
class Topics:
    """Connections by our name. A topic has one connection per file, and in some recordings per publisher."""

    by_name: Mapping[str, tuple[Connection, ...]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> tuple[Connection, ...]:
        return self.by_name.get(name, ())

    def among(self, names: Iterable[str]) -> list[Connection]:
        """All connections of these names."""
        return [connection for name in names for connection in self[name]]

    def names(self) -> dict[str, str]:
        """Recorded topic → our name."""
        return {connection.topic: name for name, connections in self.by_name.items() for connection in connections}


def find_topics(bag: Bag, namespace: str = "", remap: tuple[tuple[str, str], ...] = ()) -> Topics:
    """The topics of the bag that are played. A topic with our name and another type is noted as a problem.

    Raises:
        SaysoError: --remap names a topic that is not in the bag, or one that we do not read.
    """
    recorded = {connection.topic for connection in bag.connections}
    chosen: dict[str, str] = {}  # our name → recorded topic
    for theirs, ours in remap:
        name, topic = ours.strip("/"), theirs if theirs in recorded else f"/{theirs.strip('/')}"
        if name not in READ:
            raise SaysoError(f"--remap {theirs}:={ours}: nothing is read from '{ours}'; there are {', '.join(READ)}")
        if topic not in recorded:
            raise SaysoError(f"--remap {theirs}:={ours}: {bag.path} has no topic {topic}; it has {', '.join(sorted(recorded)) or 'none'}")
        chosen[name] = topic
    namespace = f"/{namespace.strip('/')}" if namespace.strip("/") else ""
    taken = set(chosen.values())
    for name in READ:
        topic = chosen.get(name) or _topic(bag, name, namespace, recorded - taken)
        if topic:
            chosen[name] = topic
    found = {name: _of_right_type(bag, name, topic) for name, topic in chosen.items()}
    return Topics({name: connections for name, connections in found.items() if connections})


def _topic(bag: Bag, name: str, namespace: str, recorded: set[str]) -> str:
    """The recorded topic for our name; empty if there is none."""
    for spelled in (name, *ALSO.get(name, ())):
        if f"{namespace}/{spelled}" in recorded:
            return f"{namespace}/{spelled}"
        if namespace:
            continue
        kinds = {connection.topic: connection.msgtype for connection in bag.connections}
        candidates = sorted(topic for topic in recorded if topic.endswith(f"/{spelled}") and kinds[topic] in READ[name])
        if len(candidates) > 1:
            others = ", ".join(candidates[1:])
            bag.complain(candidates[0], f"is used as {name}, although {others} would fit too: choose one with --namespace or --remap")
        if candidates:
            return candidates[0]
    return ""


def _of_right_type(bag: Bag, name: str, topic: str) -> tuple[Connection, ...]:
    connections = tuple(connection for connection in bag.connections if connection.topic == topic)
    for kind in sorted({connection.msgtype for connection in connections} - set(READ[name])):
        bag.complain(topic, f"is a {kind}, left out; {name} is read from {' or '.join(READ[name])}")
    return tuple(connection for connection in connections if connection.msgtype in READ[name])
