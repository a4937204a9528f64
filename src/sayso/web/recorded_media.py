"""Sound and pictures out of a bag, when they are asked for: only the messages around one moment are read."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

from sayso.bags.definitions import decoding
from sayso.bags.images import colours
from sayso.bags.reading import Bag
from sayso.bags.sound import SoundTopicReader
from sayso.bags.topics import find_topics
from sayso.errors import SaysoError
from sayso.speech.wav import wav_of
from sayso.types import SAMPLE_RATE
from sayso.web.recorded import SAME_CLOCK, Mark

AROUND = 0.2  # s before and after the speech
LONGEST = 60.0  # s of sound
BACK = (0.25, 1.0, 5.0)  # s before a moment in which its picture is looked for, the least first
WIDTH, QUALITY = 640, 75


def sound_of(bag: Bag, mark: Mark) -> bytes:
    """The sound file of an utterance.

    Raises:
        SaysoError: the bag has none.
    """
    topics, listen = find_topics(bag), SoundTopicReader()
    start, stop = mark.started - AROUND, min(mark.ended, mark.started + LONGEST) + AROUND
    shift = 0.0 if abs(mark.ended - mark.recorded) < SAME_CLOCK else mark.recorded - mark.ended
    with decoding("message of sound"):
        for connection, _, raw in bag.messages(topics["audio_info"]) if topics["audio_info"] else ():
            listen.info(bag.deserialize(raw, connection))
        pieces: list[NDArray[np.int16]] = []
        since, until = (round((moment + shift) * 1e9) for moment in (start - 1.0, stop + 2.0))
        for connection, time, raw in bag.messages(topics["audio"], since, until) if topics["audio"] else ():
            chunk = listen(connection.msgtype, bag.deserialize(raw, connection), time * 1e-9 - shift)
            first, last = (max(round((moment - chunk.stamp) * SAMPLE_RATE), 0) for moment in (start, stop))
            pieces.append(chunk.samples[first:last])
    if not sum(map(len, pieces)):
        raise SaysoError("the recording has no sound of this sentence")
    return wav_of(np.concatenate(pieces))


def picture_at(bag: Bag, seconds: float) -> bytes:
    """What the camera saw at that time after the beginning of the recording, as JPEG.

    Raises:
        SaysoError: the bag has no picture shortly before.
    """
    from PIL import Image

    topics = find_topics(bag)
    moment = bag.start_time + round(seconds * 1e9)
    for back in BACK if topics["camera/image"] else ():
        latest = None
        for connection, _, raw in bag.messages(topics["camera/image"], moment - round(back * 1e9), moment + 1):
            latest = connection, raw
        if latest is None:
            continue
        with decoding(latest[0].msgtype):
            picture = Image.fromarray(colours(bag.deserialize(latest[1], latest[0])))
        picture.thumbnail((WIDTH, WIDTH))
        file = io.BytesIO()
        picture.save(file, "JPEG", quality=QUALITY)
        return file.getvalue()
    raise SaysoError("the recording has no picture of this moment")
