"""Converts the published network of the detector to models/detector.onnx; `sayso train detector` then calibrates it on photographs.

    python scripts/convert_detector.py                      # downloads the npm package (145 MB) and checks its SHA-256
    python scripts/convert_detector.py human-models.tgz     # the package is here already

Needed once for each version of the network: its weights stay the same when it is calibrated again.
"""

from __future__ import annotations

import sys
import tarfile
from pathlib import Path

import onnx
from onnx import numpy_helper, shape_inference
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn
from tfjs import simplified, to_onnx

from sayso.errors import SaysoError
from sayso.grounding.detector.backend import MODEL
from sayso.grounding.detector.nouns import classes
from sayso.models import sha256 as sha256_of
from sayso.paths import models_dir, work_dir
from sayso.training.data.download import download
from sayso.training.detector.config import DetectorConfig, load_config
from sayso.training.detector.fit import unfitted
from sayso.training.detector.train import write
from sayso.training.onnx_storage import in_8_bits


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


def main() -> None:
    """Convert the package that is named, or the published one."""
    config = load_config()
    package = Path(sys.argv[1]) if len(sys.argv) > 1 else published(config, Console())
    write(network(config, package), unfitted(config, classes()), models_dir() / MODEL)


if __name__ == "__main__":
    try:
        main()
    except SaysoError as error:
        sys.exit(str(error))
