"""More that is fuzzed: what people and programs say, heads of the classifier, networks, pictures, results of runs."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache
from types import SimpleNamespace

import numpy as np
from PIL import Image as Pillow

from fuzz_folder import FOLDER, file_of
from sayso import Sayso
from sayso.bags.images import colours, depths
from sayso.evaluation.run import Record
from sayso.fleet.finished import FOLDER as PARTS
from sayso.fleet.finished import Finished
from sayso.grounding.grounder import MODEL, UNITS, VisualGrounder
from sayso.intent.head import KINDS, IntentHead
from sayso.intent.kernel_head import KernelHead
from sayso.intent.linear_head import LinearHead
from sayso.intent.meaning.answers import AnswerDescriber
from sayso.intent.scope import Surroundings
from sayso.models import models_dir
from sayso.replay.types import ReplayResult, UtteranceRecord
from sayso.selection.choosing.calibration import SHIPPED, read_calibration
from sayso.selection.dialogue.dialogue import Dialogue

SAID = (
    "bring me the cup", "the red one", "yes", "no, the blue one", "stop", "in five minutes bring 2 apples and 3 books to anna",
    "never mind",
    "if the phone is in the bedroom, put it on the desk",
    "don't go into the bedroom today", "turn left by 90 degrees at 18:30",
    "what's the cup next to the bread that isn't on the table?", "every morning at six p.m. wait 1,000.5 seconds",
)  # fmt: skip
TEXT_WORDS = (
    "\"", "'", "“", "”", "\\", "{place}", "%s", "\x00", "\x1b[2J", "\r", "\u202e", "\u0301", "\U0001f916", "ﬁ", "İ", "٣", "½",
    "-1", "1e999", "9" * 400,
    "twenty", "and", "not", "the", "of the", "next to", "if", "unless", "every", "in", "at", "25:61",
    "a.m.", "who", "(", "[", "<b>", "$(id)", ";",
)  # fmt: skip
SIZE = 6  # of the embeddings of a small head


@lru_cache
def _sayso() -> Sayso:
    return Sayso.load()


@lru_cache
def _describer() -> AnswerDescriber:
    return AnswerDescriber(_sayso().domain)


def read_text(data: bytes) -> object:
    """A text as a command, and as the answer to each kind of question."""
    said, sayso = data.decode("utf-8", "surrogateescape"), _sayso()
    understood = sayso.understand(said)
    json.dumps(sayso.as_data(understood))
    sayso.explain(understood)
    dialogue = Dialogue(sayso.domain, describe=_describer())
    dialogue.hear(understood.intent_belief, None, lambda: understood.action_belief, 1.0)
    for asked in _questions():
        other = Dialogue(sayso.domain, describe=_describer())
        other.begin(asked, 1.0)
        other.answer(said, 2.0)
    return dialogue.answer(said, 2.0)


@lru_cache
def _questions() -> tuple[object, ...]:
    said = ("bring me the cup", "bring it", "go")
    return tuple(_sayso().understand(each).action_belief for each in said)


def texts() -> list[bytes]:
    """Sentences of people."""
    _questions()  # loads the models before any child
    return [each.encode() for each in SAID]


def read_head(data: bytes) -> object:
    """A head of the classifier, and its answer for two sentences."""
    head = IntentHead.load(file_of(data, "head.safetensors"))
    h = np.eye(2, head.kernel.prototypes.shape[1], dtype=np.float32)
    return [(head.reading(kind).probabilities(h), head.reading(kind).out_of_scope(h), head.distances(h)) for kind in KINDS]


def heads() -> list[bytes]:
    """A head of three intents."""
    dice, file = np.random.default_rng(0), FOLDER / "made.safetensors"
    rows = [row.astype(np.float32) for row in (dice.normal(size=(5, SIZE)), dice.normal(size=(4, SIZE)))]
    linear, kernel = LinearHead(dice.normal(size=(3, SIZE)), np.zeros(3)), KernelHead(rows[0], np.array([0, 0, 1, 2, 2]), np.ones(3))
    around = Surroundings(rows[1], dice.normal(size=SIZE + 1))
    scales = {kind: np.ones(7) for kind in KINDS}
    IntentHead(("a", "b", "c"), "key", np.full(3, 1 / 3), linear, kernel, around, scales).save(file)
    return [file.read_bytes()]


def read_network(data: bytes) -> object:
    """The pictures' part of a grounding network of a user."""
    file = file_of(data, MODEL)
    (file.parent / UNITS).write_bytes((models_dir() / UNITS).read_bytes())
    return VisualGrounder(file.parent)


def networks() -> list[bytes]:
    """The shipped one."""
    return [(models_dir() / MODEL).read_bytes()]


def read_picture(data: bytes) -> object:
    """A picture of a bag, as colours and as depths, and a file given to the library."""
    from sayso.assistant import _image
    from sayso.errors import SaysoError

    for read in (lambda: depths(SimpleNamespace(data=data, format="16UC1; compressedDepth png")), lambda: _image(file_of(data, "picture"))):
        with suppress(SaysoError):
            read()
    return colours(SimpleNamespace(data=data, format="png"))


def pictures() -> list[bytes]:
    """Small ones in usual formats."""
    found = []
    for kind, mode in (("PNG", "RGB"), ("JPEG", "RGB"), ("GIF", "P"), ("TIFF", "RGB"), ("WEBP", "RGB"), ("BMP", "RGB"), ("PNG", "I;16")):
        buffer = io.BytesIO()
        Pillow.new(mode, (12, 9)).save(buffer, kind)
        found.append(buffer.getvalue())
    return found


def read_calibration_file(data: bytes) -> object:
    """The conformal sets of `sayso calibrate`."""
    return read_calibration(file_of(data, "calibration.yaml")).conformal_set


def calibrations() -> list[bytes]:
    """The shipped one."""
    return [(models_dir() / SHIPPED).read_bytes()]


def read_record(data: bytes) -> object:
    """What `sayso report` reads of a run."""
    return Record.read(file_of(data, "run.json").parent)


def records() -> list[bytes]:
    """A run with an act."""
    check = {"what": "the cup is there", "wanted": "yes", "found": "yes", "ok": True}
    return [json.dumps({**asdict(Record()), "acts": [{"title": "a", "utterance_id": "u", "checks": [check]}]}).encode()]


def read_finished(data: bytes) -> object:
    """A finished part of a large replay."""
    parts = Finished(FOLDER)
    file_of(data, f"{PARTS}/key.json")
    return parts.load("key")


def finished() -> list[bytes]:
    """A bag of which nothing was read."""
    from sayso.fleet.finished import _data

    return [json.dumps({"with_media": False, **_data(ReplayResult("bag", (UtteranceRecord("bag", 1, "u1", 2.0),)))}).encode()]
