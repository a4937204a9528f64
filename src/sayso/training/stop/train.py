"""`sayso train stop`: the stop spotter and its verifier, their thresholds, manifest entries and card."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from torch.optim.swa_utils import AveragedModel

from sayso.errors import AbsentProgramError
from sayso.models import record_model
from sayso.paths import models_dir, work_dir
from sayso.speech.moonshine import FILES, packaged
from sayso.speech.stopping.recogniser import SETTINGS, RecogniserSettings, StopRecogniser, write_settings
from sayso.speech.stopping.spotter import MODEL, StopSpotter
from sayso.speech.stopping.verifier import MODEL as VERIFIER
from sayso.speech.stopping.verifier import StopVerifier
from sayso.training.speech.kokoro import weights
from sayso.training.speech.voices import PACKAGES
from sayso.training.stop.card import Measured, Size, card
from sayso.training.stop.clips import Bank, bank
from sayso.training.stop.config import PARTS, Member, Part, StopConfig, load_stop_config
from sayso.training.stop.evaluation import PLAIN, Scores, found, scores_of
from sayso.training.stop.fit import Course, clips_once, counted_from, fit, odds_by_loss
from sayso.training.stop.measure import lowest_threshold
from sayso.training.stop.network import StopNetwork, export
from sayso.training.stop.sounds import SpokenPhrase, noises, recorded_talk, recorded_words, spoken_once
from sayso.training.stop.verifier_fit import fit_verifier, moments_once
from sayso.training.stop.verifier_network import StopVerifierNetwork, published
from sayso.training.stop.verifier_network import export as export_verifier

COMMAND = "sayso train stop"
Fitted = dict[str, float]  # threshold and delay
UNKNOWN: Fitted = {"threshold": 0.5, "delay": 0.0}
SOURCE = "synthetic voices, recorded words of robot_words (MIT) and coffee orders (Apache-2.0); see stop.md"
VERIFIER_SOURCE = "Moonshine tiny (MIT, Copyright (c) 2025 Moonshine AI), weights of moonshine-voice 0.1.0, tuned: see stop.md"


def stop_folder() -> Path:
    """The cache of the training: spoken phrases, clips, checkpoints."""
    return work_dir() / "build" / "stop"


def train_stop(config_path: Path | None = None, threads: int = 1) -> Path:
    """Train and write models/stop.onnx, its verifier and models/stop.md; an interrupted run continues. Returns the model's path.

    Args:
        config_path: default: the stop.yaml beside this module.
        threads: of torch.

    Raises:
        SaysoError: the configuration, the recordings, a synthesiser or the verifier's published weights are missing.
    """
    config, folder = load_stop_config(config_path), stop_folder()
    programs = {program for each in config.voices.values() for program in each}
    missing = [program for program in PACKAGES if program in programs and shutil.which(program) is None]
    if missing:
        raise AbsentProgramError(f"{missing[0]} is not installed: run `apt install {' '.join(PACKAGES[name] for name in missing)}`")
    for name in FILES:
        packaged(name)
    torch.set_num_threads(threads)
    what, loss_column = TextColumn("{task.description}"), TextColumn("{task.fields[loss]}")
    with Progress(what, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), loss_column, console=Console(stderr=True)) as progress:
        bars: dict[str, TaskID] = {}

        def report(doing: str, done: int, total: int, loss: float | None = None) -> None:
            if doing not in bars:
                bars[doing] = progress.add_task(doing, total=total, loss="")
            progress.update(bars[doing], completed=done, loss="" if loss is None else f"loss {loss:.3f}")

        def learning(doing: str, *steps: int) -> Callable[[int, float], None]:
            return lambda step, loss: report(f"training: {doing}", step, sum(steps), loss)

        def learnt_by(number: int, member: Member) -> StopNetwork:
            by_network = learning(f"network {number} of {len(config.members)}", member.steps, *(run.steps for run in config.again.runs))
            return fit_member(config, member, features, ends, folder, by_network)

        if "kokoro" in programs:
            weights(partial(report, "downloading Kokoro's voices, bytes"))
        said = {part: spoken_once(config, part, folder, partial(report, f"speaking: {part}")) for part in PARTS}
        # The clips' material has 2 GB and is not needed in training: it is read again later.
        features, ends = clips_once(_bank(config, said.pop("train")), config, folder, partial(report, "mixing clips"))
        networks = [learnt_by(number, member) for number, member in enumerate(config.members, 1)]
        with NamedTemporaryFile(suffix=".onnx") as file:
            export(networks, {"threshold": 0.5, "delay": 0.0}, Path(file.name))
            spotter = StopSpotter(path=Path(file.name))
        made_of = _bank(config, spoken_once(config, "train", folder, partial(report, "speaking: train")))
        sounds, wanted = moments_once(made_of, spotter, config, folder, partial(report, "selecting moments for the verifier"))
        del made_of
        verifier = published(config.verifier.layers, config.verifier.dropped)
        by_verifier = learning("verifier", *(run.steps for run in config.verifier.runs))
        fit_verifier(verifier, sounds, wanted, config, folder, by_verifier)
        return write_models(config, networks, verifier, said, lambda doing: report(doing, 0, 1))


def write_models(
    config: StopConfig,
    networks: Sequence[StopNetwork],
    verifier: StopVerifierNetwork,
    said: Mapping[Part, Sequence[SpokenPhrase]],
    report: Callable[[str], None],
) -> Path:
    """Choose thresholds on the tuning part, measure on the held-out part, and write models, numbers and card into models/."""

    def measured(spotter: StopSpotter, part: Part, name: str) -> Scores:
        return scores_of(spotter, said[part], part, lambda kind: report(f"measuring {name}, {part}: {kind}"))

    numbers, settings = config.verifier.model_dump(include={"asked_from", "weight", "speeds"}), config.recogniser
    with TemporaryDirectory(dir=models_dir()) as made:  # models/ stays usable until everything is done
        path, of_verifier, of_recogniser = Path(made) / MODEL, Path(made) / VERIFIER, Path(made) / SETTINGS

        def both() -> StopSpotter:
            return StopSpotter(path=path, verifier=StopVerifier(of_verifier))

        def all_three() -> StopSpotter:
            return StopSpotter(path=path, verifier=StopVerifier(of_verifier), recogniser=StopRecogniser(of_recogniser))

        def keep_numbers(fitted: Fitted) -> None:
            write_settings(RecogniserSettings(settings.asked, settings.weight, settings.least, settings.none, **fitted), of_recogniser)

        def of_way(name: str, spotter: Callable[[], StopSpotter], keep: Callable[[Fitted], None]) -> Measured:
            keep(UNKNOWN)
            tuning = measured(spotter(), "tuning", name)
            threshold = lowest_threshold(tuning.all_others("quiet", PLAIN), config.false_stops_per_hour)
            keep({"threshold": threshold, "delay": round(found(tuning.all_stops("quiet"), threshold).delay(0.5), 3)})
            return Measured(name, threshold, tuning, measured(spotter(), "held_out", name))

        results = (
            of_way("spotter alone", lambda: StopSpotter(path=path), lambda fitted: export(networks, fitted, path)),
            of_way("without the recogniser", both, lambda fitted: export_verifier(verifier, {**numbers, **fitted}, of_verifier)),
            of_way("all three", all_three, keep_numbers),
        )
        sizes = Size.of(path, networks), Size.of(of_verifier, [verifier])
        for each in (path, of_verifier, of_recogniser):
            each.replace(models_dir() / each.name)
    record_model(MODEL, licence="Apache-2.0", source=SOURCE, command=COMMAND)
    record_model(VERIFIER, licence="MIT AND Apache-2.0", source=VERIFIER_SOURCE, command=COMMAND)
    record_model(SETTINGS, licence="Apache-2.0", source="chosen on the tuning part of the same sounds; see stop.md", command=COMMAND)
    written = card(config, sizes, results, datetime.now(timezone.utc).date())
    result = models_dir() / MODEL
    result.with_suffix(".md").write_text(written, encoding="utf-8")
    Console().print(written, markup=False)
    return result


def _bank(config: StopConfig, said: Sequence[SpokenPhrase]) -> Bank:
    """The material of the training clips."""
    times = {f"{voice.program} {voice.name}": program.times for voice, program in config.speakers("train")}
    drawn = [each for each in said for _ in range(times[each.voice])]
    return bank([*drawn, *recorded_words("train"), *recorded_talk("train")], noises("train"))


def fit_member(
    config: StopConfig,
    member: Member,
    features: NDArray[np.float16],
    ends: NDArray[np.float32],
    folder: Path,
    report: Callable[[int, float], None],
) -> StopNetwork:
    """The network of that member after all its runs; `report` is called with the step, counted over all runs, and the loss."""
    torch.manual_seed(member.seed)
    network = StopNetwork(config.front, config.channels, config.kernel, config.dilations, member.dropped)
    few, done = slice(config.clips), member.steps
    fit(network, features[few], ends[few], config, member, Course(member.steps, config.learning_rate), folder, report)
    # The mean of the runs' final weights (Izmailov et al. 2018) is better on unknown voices than any single run.
    mean = AveragedModel(network, use_buffers=True)
    mean.update_parameters(network)
    for run in config.again.runs:
        course = Course(run.steps, run.learning_rate, odds_by_loss(network, features, ends, config.batch))
        fit(network, features, ends, config, member, course, folder, counted_from(done, report))
        mean.update_parameters(network)
        network.load_state_dict(mean.module.state_dict())
        done += run.steps
    return network
