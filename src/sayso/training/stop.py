"""`sayso train stop`: the spotter of "stop", its threshold, its manifest entry and its card."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from torch.optim.swa_utils import AveragedModel

from sayso.errors import SaysoError
from sayso.models import record_model
from sayso.paths import models_dir, project_root
from sayso.speech.stop_spotter import MODEL, StopSpotter
from sayso.training.stop_card import card
from sayso.training.stop_clips import bank
from sayso.training.stop_config import PARTS, Member, StopConfig, load_stop_config
from sayso.training.stop_evaluation import PLAIN, found, scores_of
from sayso.training.stop_fit import Course, clips_once, fit, odds_by_loss
from sayso.training.stop_measure import lowest_threshold
from sayso.training.stop_network import StopNetwork, export
from sayso.training.stop_sounds import noises, recorded_talk, recorded_words, spoken_once
from sayso.training.voices import PACKAGES

COMMAND = "sayso train stop"
SOURCE = "synthetic voices, recorded words of robot_words (MIT) and coffee orders (Apache-2.0); see stop.md"


def stop_folder() -> Path:
    """Where what was made for the training is kept: spoken phrases, clips, checkpoints."""
    return project_root() / "build" / "stop"


def train_stop(config_path: Path | None = None, threads: int = 1) -> Path:
    """Make models/stop.onnx and models/stop.md anew; an interrupted run goes on where it stopped. Returns the model's path.

    Args:
        config_path: default: the stop.yaml beside this module.
        threads: of torch.

    Raises:
        SaysoError: the configuration, the recordings or a synthesiser of speech are not there.
    """
    config, folder = load_stop_config(config_path), stop_folder()
    missing = [program for programs in config.voices.values() for program in programs if shutil.which(program) is None]
    if missing:
        raise SaysoError(f"{missing[0]} is not installed: run `apt install {' '.join(PACKAGES[name] for name in dict.fromkeys(missing))}`")
    torch.set_num_threads(threads)
    path = folder / f".{MODEL}.{os.getpid()}"  # put into models/ when all is done: what is there stays usable until then
    told, learnt = TextColumn("{task.description}"), TextColumn("{task.fields[loss]}")
    with Progress(told, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), learnt, console=Console(stderr=True)) as progress:
        bars: dict[str, TaskID] = {}

        def report(doing: str, done: int, total: int, loss: float | None = None) -> None:
            if doing not in bars:
                bars[doing] = progress.add_task(doing, total=total, loss="")
            progress.update(bars[doing], completed=done, loss="" if loss is None else f"loss {loss:.3f}")

        def learning(number: int, member: Member) -> Callable[[int, float], None]:
            doing = f"learning: network {number} of {len(config.members)}"
            steps = member.steps + sum(run.steps for run in config.again.runs)
            return lambda step, loss: report(doing, step, steps, loss)

        said = {part: spoken_once(config, part, folder, partial(report, f"speaking: {part}")) for part in PARTS}
        made_of = bank([*said.pop("train"), *recorded_words("train"), *recorded_talk("train")], noises("train"))
        features, ends = clips_once(made_of, config, folder, partial(report, "mixing clips"))
        del made_of  # 2 GB that learning has no use for
        numbered = enumerate(config.members, 1)
        networks = [fit_member(config, member, features, ends, folder, learning(number, member)) for number, member in numbered]
        export(networks, {"threshold": 0.5, "delay": 0.0}, path)
        spotter = StopSpotter(path=path)
        tuning = scores_of(spotter, said["tuning"], "tuning", lambda name: report(f"choosing the threshold: {name}", 0, 1))
        threshold = lowest_threshold(tuning.all_others("quiet", PLAIN), config.false_stops_per_hour)
        delay = found(tuning.all_stops("quiet"), threshold).delay(0.5)
        export(networks, {"threshold": threshold, "delay": round(delay, 3)}, path)
        held_out = scores_of(spotter, said["held_out"], "held_out", lambda name: report(f"measuring: {name}", 0, 1))
    parameters = sum(weight.numel() for network in networks for weight in network.parameters())
    written = card(config, parameters, path.stat().st_size, threshold, delay, tuning, held_out, datetime.now(timezone.utc).date())
    result = models_dir() / MODEL
    shutil.move(path, result)
    result.with_suffix(".md").write_text(written, encoding="utf-8")
    record_model(MODEL, licence="Apache-2.0", source=SOURCE, command=COMMAND)
    Console().print(written, markup=False)
    return result


def fit_member(
    config: StopConfig,
    member: Member,
    features: NDArray[np.float16],
    ends: NDArray[np.float32],
    folder: Path,
    report: Callable[[int, float], None],
) -> StopNetwork:
    """The network of that member after all its runs; `report` is told the step, counted over them, and the loss."""
    torch.manual_seed(member.seed)
    network = StopNetwork(config.front, config.channels, config.kernel, config.dilations, member.dropped)
    few, done = slice(config.clips), member.steps

    def after(steps: int) -> Callable[[int, float], None]:
        return lambda step, loss: report(steps + step, loss)

    fit(network, features[few], ends[few], config, member, Course(member.steps, config.learning_rate), folder, report)
    # The mean of the weights at the ends of all runs (Izmailov et al. 2018) knows voices that it has not heard better than any of them.
    mean = AveragedModel(network, use_buffers=True)
    mean.update_parameters(network)
    for run in config.again.runs:
        course = Course(run.steps, run.learning_rate, odds_by_loss(network, features, ends, config.batch))
        fit(network, features, ends, config, member, course, folder, after(done))
        mean.update_parameters(network)
        network.load_state_dict(mean.module.state_dict())
        done += run.steps
    return network
