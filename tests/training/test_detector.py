"""`sayso train detector`: graphs of TensorFlow.js are converted exactly, numbers are fitted, and another package is refused."""

from __future__ import annotations

import base64
import io
import json
import random
import sys
import tarfile
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("sklearn")

import onnxruntime  # noqa: E402
from onnx import numpy_helper  # noqa: E402

from sayso.errors import ModelError, SaysoError  # noqa: E402
from sayso.grounding.detector import Detector  # noqa: E402
from sayso.grounding.detector.calibration import DetectorCalibration, logit  # noqa: E402
from sayso.grounding.detector.nouns import classes  # noqa: E402
from sayso.paths import models_dir, project_root  # noqa: E402
from sayso.training.data.photographs import MarkedThing, Photograph  # noqa: E402
from sayso.training.detector.card import card  # noqa: E402
from sayso.training.detector.config import load_config  # noqa: E402
from sayso.training.detector.fit import is_right, logistic, unfitted  # noqa: E402
from sayso.training.detector.phrases import Asked, plain_phrases  # noqa: E402
from sayso.training.detector.train import write  # noqa: E402
from sayso.types import Image  # noqa: E402

sys.path.append(str(project_root() / "scripts"))
from convert_detector import any_size, network  # noqa: E402
from tfjs import simplified, to_onnx  # noqa: E402

pytestmark = pytest.mark.long("trains or exports a network")

KERNEL = np.arange(2 * 2 * 3 * 4, dtype=np.float16).reshape(2, 2, 3, 4) / 16  # rows, cols, in, out
BIAS = np.array([0.5, -8.0, 0.0, 2.0], np.float16)


def node(name: str, op: str, *inputs: str, **attributes: Any) -> dict[str, Any]:
    return {"name": name, "op": op, "input": list(inputs), "attr": attributes}


def coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def ops(*names: str) -> dict[str, Any]:
    return {"list": {"s": [coded(name) for name in names]}}


SAME = {"padding": {"s": coded("SAME")}, "data_format": {"s": coded("NHWC")}, "strides": {"list": {"i": ["1", "1", "1", "1"]}}}


def small_graph(more: dict[str, Any] | None = None, **changes: dict[str, Any]) -> tuple[bytes, bytes]:
    """8×8 picture, channels first → convolution with stride 2, bias, leaky ReLU, enlarged twice → (1, 8, 8, 4), channels last."""
    text = {"padding": {"s": coded("VALID")}, "data_format": {"s": coded("NHWC")}}
    nodes = {
        "source": node("source", "Placeholder"),
        "last": node("last", "Transpose", "source", "order"),
        "conv": node("conv", "Conv2D", "last", "kernel", strides={"list": {"i": ["1", "2", "2", "1"]}}, **text),
        "sum": node("sum", "AddV2", "conv", "bias"),
        "leaky": node("leaky", "LeakyRelu", "sum", alpha={"f": 0.1}),
        "twice": node("twice", "ResizeBilinear", "leaky", "size", half_pixel_centers={"b": True}),
        "Identity": node("Identity", "Identity", "twice"),
    }
    nodes.update(changes)
    constants = {"kernel": KERNEL, "bias": BIAS, "order": np.array([0, 2, 3, 1], np.int32), "size": np.array([8, 8], np.int32)}
    constants.update(more or {})
    listed = [
        {"name": name, "shape": list(array.shape), "dtype": "int32", **({} if array.dtype == np.int32 else HALF)}
        for name, array in constants.items()
    ]
    shape = {"tensorShape": {"dim": [{"size": str(n)} for n in (1, 8, 8, 4)]}}
    source = {"name": "source:0", "tensorShape": {"dim": [{"size": str(n)} for n in (1, 3, 8, 8)]}}
    topology = {
        "modelTopology": {"node": list(nodes.values()) + [node(name, "Const") for name in constants]},
        "signature": {"inputs": {"source": source}, "outputs": {"Identity": {"name": "Identity:0", **shape}}},
        "weightsManifest": [{"weights": listed}],
    }
    return json.dumps(topology).encode(), b"".join(array.tobytes() for array in constants.values())


HALF = {"dtype": "float32", "quantization": {"dtype": "float16"}}


def answered(model: Any, picture: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(["boxes"], {"picture": picture})[0])


def expected(picture: np.ndarray) -> np.ndarray:
    """Convolution, bias and leaky ReLU in plain NumPy; channels last."""
    seen = picture[0].transpose(1, 2, 0).astype(np.float64)
    out = np.array([[np.einsum("abc,abcd->d", seen[v : v + 2, u : u + 2], KERNEL) for u in range(0, 8, 2)] for v in range(0, 8, 2)]) + BIAS
    return np.where(out > 0.0, out, 0.1 * out)


def test_a_converted_graph_computes_what_its_operations_mean() -> None:
    picture = np.random.default_rng(1).normal(size=(1, 3, 8, 8)).astype(np.float32)
    plain = to_onnx(*small_graph(), {"Identity": "boxes"}, "picture")
    found = answered(plain, picture)
    assert found.shape == (1, 8, 8, 4)
    # Enlarging twice with half-pixel centres keeps the corners, and gives 3:1 means beside them.
    at = expected(picture)
    assert found[0, 0, 0] == pytest.approx(at[0, 0], abs=1e-4)
    assert found[0, 0, 1] == pytest.approx(0.75 * at[0, 0] + 0.25 * at[0, 1], abs=1e-4)
    assert answered(simplified(plain), picture) == pytest.approx(found, abs=1e-5)


def test_convolutions_of_mobile_networks_are_converted_too() -> None:
    """Each channel by a kernel of its own, with a bias and a limit at 0; padded to the same size; then hard limits and means."""
    own = node("leaky", "FusedDepthwiseConv2dNative", "sum", "own", "bias", **SAME, fused_ops=ops("BiasAdd", "Relu"))
    mean = node("twice", "Mean", "six", "axes", keep_dims={"b": True})
    kernel = np.arange(36, dtype=np.float16).reshape(3, 3, 4, 1) / 8 - 2
    given = {"own": kernel, "axes": np.array([1, 2], np.int32)}
    topology, weights = small_graph(given, leaky=own, six=node("six", "Relu6", "leaky"), twice=mean)
    picture = np.random.default_rng(1).normal(size=(1, 3, 8, 8)).astype(np.float32)
    seen = picture[0].transpose(1, 2, 0).astype(np.float64)
    first = (
        np.array([[np.einsum("abc,abcd->d", seen[v : v + 2, u : u + 2], KERNEL) for u in range(0, 8, 2)] for v in range(0, 8, 2)]) + BIAS
    )
    around = np.pad(first, ((1, 1), (1, 1), (0, 0)))
    own_sums = np.array([[(around[v : v + 3, u : u + 3] * kernel[..., 0]).sum(axis=(0, 1)) for u in range(4)] for v in range(4)]) + BIAS
    wanted = np.clip(own_sums, 0.0, 6.0).mean(axis=(0, 1))
    assert answered(to_onnx(topology, weights, {"Identity": "boxes"}, "picture"), picture)[0, 0, 0] == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"leaky": node("leaky", "Softplus", "sum")}, "the operation Softplus is not known"),
        ({"sum": node("sum", "AddV2", "nowhere", "bias")}, "not a TensorFlow.js graph model"),
        (
            {"twice": node("twice", "ResizeBilinear", "leaky", "size", half_pixel_centers={"b": True}, align_corners={"b": True})},
            "resizes in",
        ),
        ({"leaky": node("leaky", "Conv2D", "sum", "kernel", "bias", **SAME, fused_ops=ops("BiasAdd", "Elu"))}, "Elu"),
    ],
)
def test_a_graph_with_something_else_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        to_onnx(*small_graph(**change), {"Identity": "boxes"}, "picture")


@pytest.mark.parametrize("topology", [b"{}", b"<html>", b"[]"])
def test_a_file_that_is_no_graph_model_is_refused(topology: bytes) -> None:
    with pytest.raises(ModelError, match=r"not a TensorFlow\.js graph model"):
        to_onnx(topology, b"", {"Identity": "boxes"}, "picture")
    with pytest.raises(ModelError, match=r"not a TensorFlow\.js graph model"):
        to_onnx(small_graph()[0], small_graph()[1] + b"more", {"Identity": "boxes"}, "picture")


def test_another_package_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "package.tgz"
    with tarfile.open(path, "w:gz") as made:
        made.addfile(tarfile.TarInfo("package/models/nanodet.json"), io.BytesIO())
    with pytest.raises(SaysoError, match=r"its SHA-256 differs from the one in detector\.yaml"):
        network(load_config(), path)


def test_a_network_for_pictures_of_any_size_enlarges_by_factors(tmp_path: Path) -> None:
    model = simplified(to_onnx(*small_graph(), {"Identity": "boxes"}, "picture"))
    any_size(model)
    (resize,) = (each for each in model.graph.node if each.op_type == "Resize")
    stored = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    assert sorted(stored[resize.input[2]]) == [1.0, 1.0, 2.0, 2.0]
    numbers = unfitted(load_config(), classes())
    write(model, numbers, tmp_path / "small.onnx")
    assert Detector(tmp_path / "small.onnx").calibration == numbers


def test_the_shipped_network_finds_the_same_kinds_that_the_words_mean() -> None:
    numbers = Detector().calibration
    assert numbers.classes == classes()
    assert DetectorCalibration.from_json(numbers.to_json()) == numbers
    assert 0.0 < numbers.threshold < 1.0
    assert numbers.views == load_config().views


def test_a_better_score_is_more_probable_a_better_rival_less_and_the_best_box_more() -> None:
    better, rival, first = Detector().calibration.kind.weights
    assert better > 0.0 > rival
    assert first > 0.0


def test_platt_scaling_finds_the_odds() -> None:
    chance = np.random.default_rng(3)
    scores = chance.uniform(0.05, 0.95, 4000)
    there = chance.uniform(size=4000) < 1.0 / (1.0 + np.exp(-(2.0 * logit(scores) - 1.0)))
    fitted = logistic(logit(scores)[:, None], there)
    assert fitted.weights[0] == pytest.approx(2.0, abs=0.2)
    assert fitted.shift == pytest.approx(-1.0, abs=0.15)


def photograph(*things: tuple[str, tuple[float, float, float, float]]) -> Photograph:
    return Photograph("a.jpg", Image(np.zeros((480, 640, 3), np.uint8), 0.0), tuple(MarkedThing(*each) for each in things))


def test_half_of_the_phrases_are_about_things_that_are_not_there() -> None:
    photo = photograph(("cup", (0, 0, 90, 90)), ("bowl", (100, 0, 190, 90)), ("fork", (0, 0, 10, 10)), ("cup", (200, 0, 220, 20)))
    asked = plain_phrases(photo, (), 0.0033, random.Random(1))
    there = {each.phrase: each.right for each in asked if each.right}
    absent = [each.phrase for each in asked if not each.right]
    assert there == {"cup": ((0, 0, 90, 90), (200, 0, 220, 20)), "bowl": ((100, 0, 190, 90),)}
    assert len(absent) == 2
    assert not {"cup", "bowl", "fork"} & set(absent)
    assert asked == plain_phrases(photo, (), 0.0033, random.Random(1))


def test_only_kinds_that_the_publisher_marks_are_asked_for() -> None:
    asked = plain_phrases(photograph(("bottle", (0, 0, 90, 90))), ("bottle", "cup"), 0.0033, random.Random(1))
    assert [(each.phrase, bool(each.right)) for each in asked] == [("bottle", True), ("cup", False)]


def test_a_box_is_right_if_it_overlaps_by_half() -> None:
    asked = Asked("cup", ((0.0, 0.0, 10.0, 10.0),))
    assert is_right((0.0, 0.0, 10.0, 6.0), asked)
    assert not is_right((0.0, 0.0, 10.0, 4.0), asked)
    assert not is_right((0.0, 0.0, 10.0, 10.0), Asked("cup", ()))


def test_the_card_in_the_folder_is_the_one_that_training_writes() -> None:
    written = (models_dir() / "detector.md").read_text(encoding="utf-8")
    made = written.split("**Made** on ")[1][:10]
    size = (models_dir() / "detector.onnx").stat().st_size
    assert card(load_config(), Detector().calibration, size, date.fromisoformat(made)) == written


def test_no_test_photographs_are_fitted_on() -> None:
    assert {(part.set, part.split) for part in load_config().tuning} == {
        ("coco128", "train2017"),
        ("bottles_and_cups", "train"),
        ("bottles_and_cups", "valid"),
    }
