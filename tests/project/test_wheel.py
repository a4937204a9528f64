"""The wheel in an empty environment, in a folder with spaces and without network: commands work, or one line says what to install."""

from __future__ import annotations

import os
import shutil
import stat
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Picture

from bare_installation import ROOT, Bare, bare_installation, built_wheel
from replay_bags import context, save, sound
from sayso.models import manifest
from sayso.subcommands import COMMANDS, load

SENTENCE = ROOT / "config/sentences/go_to_the_kitchen.flac"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Bare:
    return bare_installation(wheel, tmp_path_factory.mktemp("a place") / "with spaces")


@pytest.fixture
def away(tmp_path: Path) -> Path:
    folder = tmp_path / "somewhere else"
    folder.mkdir()
    return folder


def test_the_wheel_contains_home_models_messages_and_licences(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"sayso/share/models/{name}" for name in (*manifest(), "manifest.yaml")} <= names
    for folder, inside in (("config", "config"), ("ros2_ws/src/sayso_msgs/msg", "sayso_msgs/msg")):
        wanted = {f"sayso/share/{inside}/{path.relative_to(ROOT / folder)}" for path in (ROOT / folder).rglob("*") if path.is_file()}
        assert wanted <= names
    assert {"LICENSE", "NOTICE"} <= {Path(name).name for name in names if ".dist-info/licenses/" in name}
    assert wheel.stat().st_size < 50e6


def test_only_declared_packages_are_installed(bare: Bare) -> None:
    assert {"numpy", "rosbags", "pillow", "platformdirs"} <= bare.packages
    assert not {"torch", "mujoco", "ray", "polars", "ros-jazzy-rclpy", "silero-vad", "transformers", "setuptools"} & bare.packages


def test_a_sentence_is_understood(bare: Bare, away: Path) -> None:
    done = bare.run("ask", "bring me the red cup", cwd=away)
    assert done.returncode == 0, done.stderr
    assert "bring(recipient=operator, theme=red_cup)" in done.stdout
    assert "execute" in done.stdout


@pytest.mark.long("tries the commands in an empty environment")
def test_speech_is_transcribed(bare: Bare, away: Path) -> None:
    done = bare.run("transcribe", SENTENCE, cwd=away)
    assert done.returncode == 0, done.stderr
    assert "go to the kitchen  [" in done.stdout


@pytest.mark.long("tries the commands in an empty environment")
def test_a_bag_is_replayed_from_its_sound_into_the_current_folder(bare: Bare, away: Path) -> None:
    bag = save(away / "a bag", [context(0.5), *sound(1.0, "go_to_the_kitchen")])
    done = bare.run("replay", bag, cwd=away)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "go_to(goal=kitchen)" in done.stdout
    assert list((away / "runs").glob("replay_*/report.html"))


@pytest.mark.long("tries the commands in an empty environment")
def test_the_doctor_finds_no_error(bare: Bare, away: Path) -> None:
    done = bare.run("doctor", cwd=away)
    assert done.returncode == 0, done.stdout
    assert "required packages" in done.stdout
    assert "pip install 'sayso[sim]'" in done.stdout
    assert "make" not in done.stdout


@pytest.fixture
def protected(bare: Bare, away: Path) -> Iterator[Path]:
    """A read-only current folder; the installation is read-only too."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root writes everywhere, and setpriv is not installed")
    folders = [away, *(path for path in bare.site.rglob("*") if path.is_dir() and not path.is_symlink()), bare.site]
    before = {folder: stat.S_IMODE(folder.stat().st_mode) for folder in folders}
    for folder in folders:
        folder.chmod(0o555)
    yield away
    for folder, mode in before.items():
        folder.chmod(mode)


@pytest.mark.long("tries the commands in an empty environment")
def test_it_works_in_read_only_folders(bare: Bare, protected: Path) -> None:
    for arguments, said in ((("ask", "bring me the red cup"), "theme=red_cup"), (("transcribe", SENTENCE), "go to the kitchen")):
        done = bare.run(*arguments, cwd=protected, home=protected, powerless=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert said in done.stdout


@pytest.mark.long("tries the commands in an empty environment")
def test_results_go_to_the_users_folder_if_the_current_one_is_read_only(bare: Bare, protected: Path, tmp_path: Path) -> None:
    bag, home = save(tmp_path / "bag", sound(1.0, "go_to_the_kitchen")), tmp_path / "home"
    done = bare.run("replay", bag, cwd=protected, home=home, powerless=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list((home / ".local/share/sayso/runs").glob("replay_*/report.html"))
    done = bare.run("replay", bag, cwd=protected, home=protected, powerless=True)
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "--out" in done.stderr


def every_command() -> Iterator[tuple[str, ...]]:
    """The path of each subcommand, nested ones too."""
    for name in COMMANDS:
        yield (name,)
        for nested in getattr(load(name), "commands", ()):
            yield name, nested


@pytest.mark.long("tries the commands in an empty environment")
def test_every_subcommand_has_help(bare: Bare, away: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        paths = [(), *every_command()]
        for path, done in zip(paths, pool.map(lambda path: bare.run(*path, "--help", cwd=away), paths), strict=True):
            assert done.returncode == 0, f"sayso {' '.join(path)} --help: {done.stderr}"
            assert "Usage: sayso" in done.stdout
            assert "Traceback" not in done.stderr


# Each subcommand in the bare installation: "" if it works, otherwise the text that its one line must contain.
OUTCOMES = {
    "answer yes": "sayso[ros]",
    "ask hello": "",
    "audio devices --help": "",
    "bags list RUNS": "sayso[fleet]",
    "bags query true RUNS": "sayso[fleet]",
    "bags columns RUNS": "sayso[fleet]",
    "bench --list": "git clone",
    "bench latency": "git clone",
    "calibrate NOWHERE": "NOWHERE",
    "check HOME": "",
    "check NOWHERE": "NOWHERE",
    "console": "sayso[ros]",
    "data list": "",
    "data download no_such_set": "no_such_set",
    "demo": "sayso[ros]",
    "doctor": "",
    "listen --file SENTENCE --json": "",
    "listen --file NOWHERE": "no such file",
    "listen --when wake_word": "sayso[wake]",
    "listen --wav SENTENCE": "sayso[ros]",
    "listen --mic": "sayso[ros]",
    "memory show": "",
    "memory forget --all --yes": "",
    "memory export EXPORTED": "",
    "new home NEW_HOME": "",
    "new scene NEW_SCENE": "",
    "new schema domain": "",
    "plan hello": "",
    "replay SENTENCES": "",
    "replay SENTENCES --engine ray": "sayso[fleet]",
    "report NOWHERE": "NOWHERE",
    "resume": "sayso[ros]",
    "say hello": "sayso[ros]",
    "scene random --seed 3 --out FLAT": "",
    "scene check SCENE": "",
    "scene show SCENE": "sayso[sim]",
    "see PICTURE": "",
    "see NOWHERE": "NOWHERE",
    "security policy": "sayso[sim]",
    "security keystore KEYS": "sayso[sim]",
    "stop": "sayso[ros]",
    "stop --json": "sayso[ros]",
    "tasks": "",
    "tasks take-back all": "",
    "train encoder": "sayso[train]",
    "train encoder --tune": "sayso[train]",
    "train encoder --layers": "sayso[train]",
    "train speech": "pip install --no-deps moonshine-voice==0.1.0",
    "train intents --domain NOWHERE": "NOWHERE",
    "train skills NOWHERE": "NOWHERE",
    "train parser": "sayso[train]",
    "train lm": "sayso[train]",
    "train stop": "sayso[train]",
    "train grounder": "sayso[train]",
    "train detector": "sayso[train]",
    "transcribe SENTENCE": "",
    "transcribe --backend whisper --whisper WEIGHTS SENTENCE": "sayso[whisper]",
    "transcribe --compare SENTENCE": "",
    "up": "sayso[ros]",
    "up --robot": "sayso[ros]",
}


def test_every_subcommand_is_tried() -> None:
    leaves = {path for path in every_command() if not hasattr(load(path[0]), "commands") or len(path) == 2}
    assert leaves == {path for path in leaves if any(call.split()[: len(path)] == [*path] for call in OUTCOMES)}


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files that the calls above name."""
    folder = tmp_path_factory.mktemp("things")
    (folder / "sentences").mkdir()
    shutil.copy2(SENTENCE, folder / "sentences")
    (folder / "weights.pt").write_bytes(b"weights")
    (folder / "runs").mkdir()
    noise = np.random.default_rng(0).integers(0, 255, (48, 64, 3), dtype=np.uint8)
    Picture.fromarray(noise).save(folder / "picture.png")
    return {
        "SENTENCE": SENTENCE,
        "SENTENCES": folder / "sentences",
        "RUNS": folder / "runs",
        "HOME": ROOT / "config/warehouse.yaml",
        "NEW_HOME": folder / "home.yaml",
        "NEW_SCENE": folder / "scene.yaml",
        "SCENE": ROOT / "config/scenes/warehouse.yaml",
        "WEIGHTS": folder / "weights.pt",
        "EXPORTED": folder / "memory.yaml",
        "FLAT": folder / "flat",
        "KEYS": folder / "keys",
        "PICTURE": folder / "picture.png",
        "NOWHERE": folder / "NOWHERE.yaml",
    }


@pytest.mark.long("tries the commands in an empty environment")
@pytest.mark.parametrize("call", OUTCOMES)
def test_a_subcommand_works_or_says_in_one_line_what_to_install(bare: Bare, away: Path, things: dict[str, Path], call: str) -> None:
    done = bare.run(*(things.get(word, word) for word in call.split()), cwd=away, env={"PATH": "/nowhere"})
    wanted = OUTCOMES[call]
    if not wanted:
        assert done.returncode == 0, done.stdout + done.stderr
        return
    assert done.returncode == 2, done.stdout + done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("sayso:")]
    assert done.stderr.strip() == line, done.stderr
    assert wanted in line
    assert "make " not in line
