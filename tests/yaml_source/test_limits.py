"""No YAML file ends Python, runs without end or fills the memory: each gives one clear message, whoever reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sayso.bags.files import files_of
from sayso.console.versus import other_configuration
from sayso.errors import SaysoError
from sayso.models import manifest
from sayso.paths import models_from, project_root
from sayso.replay.expectations import read_expected
from sayso.replay.stages import parameters
from sayso.replay.types import ReplayConfig
from sayso.scene import load_scene
from sayso.speech.confidence import load_calibration
from sayso.training.config import read_config
from sayso.training.stop.config import StopConfig
from sayso.yaml_source import plain_yaml, read_plain, read_yaml

LAUGHS = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 12)
)
MONSTERS = {
    "brackets": "a: " + "[" * 200_000,
    "maps": "a: " + "{a: " * 200_000,
    "dashes": "- " * 200_000,
    "aliases": LAUGHS,
    "self-reference": "a: &a [*a]\n",
    "a date": "a: 2024-99-99\n",
    "digits": "a: " + "9" * 5_000 + "\n",
    "a hexadecimal number": "a: 0x" + "f" * 10_000 + "\n",
    "base 60": "a: " + ":".join(["1"] * 5_000) + "\n",
    "many values": "a: [" + "1, " * 150_000 + "]\n",
    "many keys": "".join(f"k{number}: 1\n" for number in range(150_000)),
    "a long key": f"{'k' * 100_000}: 1\n",
    "a long value": f"k: '{'v' * 100_000}'\n",
    "a long value, used often": f"a: &a '{'v' * 40_000}'\nb: [{', '.join(['*a'] * 5_000)}]\n",
    "a large file": "# " + "x" * 5_000_000 + "\na: 1\n",
    "a tag": "a: !!python/object/apply:os.system [true]\n",
    "not UTF-8": "\ud800",
}


WORST = ("brackets", "aliases", "a date", "digits")


def _calibration(file: Path) -> object:
    load_calibration.cache_clear()
    return load_calibration(file)


def _manifest(file: Path) -> object:
    file.rename(file.parent / "manifest.yaml")
    with models_from(file.parent):
        return manifest()


def _expectations(file: Path) -> object:
    file.rename(file.parent / "bag.expected.yaml")
    return read_expected(file.parent / "bag")


READERS: dict[str, Callable[[Path], object]] = {
    "any file": read_plain,
    "a scene": load_scene,
    "node parameters": parameters,
    "--against": lambda file: other_configuration(ReplayConfig(), [file]),
    "a training configuration": lambda file: read_config(file, StopConfig),
    "config/speech.yaml": _calibration,
    "the manifest of models": _manifest,
    "expectations": _expectations,
}


def _written(folder: Path, text: str) -> Path:
    file = folder / "file.yaml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    return file


@pytest.mark.parametrize(
    ("reader", "monster"),
    [("any file", monster) for monster in MONSTERS]
    + [(reader, one) for reader in READERS for one in ("brackets", "aliases", "a date", "digits")],
)
def test_a_monstrous_file_gives_one_clear_message(tmp_path: Path, reader: str, monster: str) -> None:
    with pytest.raises(SaysoError) as refused:
        READERS[reader](_written(tmp_path, MONSTERS[monster]))
    assert ".yaml" in str(refused.value)
    assert len(max(str(refused.value).splitlines(), key=len)) < 400 + len(str(tmp_path))


@pytest.mark.parametrize("monster", ["brackets", "aliases", "a date", "digits", "not UTF-8"])
def test_a_bag_whose_metadata_is_monstrous_is_read_without_it(tmp_path: Path, monster: str) -> None:
    (tmp_path / "metadata.yaml").write_bytes(MONSTERS[monster].encode("utf-8", "surrogatepass"))
    (tmp_path / "bag_0.mcap").touch()
    complaints: list[str] = []
    assert files_of(tmp_path, lambda *said: complaints.append(" ".join(said))) == [tmp_path / "bag_0.mcap"]
    assert "metadata.yaml" in complaints[0]


@pytest.mark.parametrize("special", ["/dev/zero", "/dev/stdin", "/proc/self/mem", "."])
def test_devices_and_folders_are_not_read(special: str) -> None:
    with pytest.raises(SaysoError, match="cannot be read"):
        read_plain(Path(special))


def test_includes_share_one_limit(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"{number}.yaml").write_text(f"k{number}: [{'1, ' * 2_000}]\n")
    main = _written(tmp_path, f"include: [{', '.join(f'{number}.yaml' for number in range(60))}]\n")
    with pytest.raises(SaysoError, match="more than 100000 values"):
        read_yaml(main, "a file")
    for number in range(60):
        (tmp_path / f"{number}.yaml").write_text(f"k{number}: 1\n#{'x' * 100_000}\n")
    with pytest.raises(SaysoError, match="with the files read before, it is larger than 4 MB"):
        read_yaml(main, "a file")


def test_a_file_with_only_mistakes_is_not_searched_for_all_of_them(tmp_path: Path) -> None:
    with pytest.raises(SaysoError) as refused:
        load_scene(_written(tmp_path, "".join(f"room{number}: 1\n" for number in range(4_000))))
    assert len(refused.value.args) <= 100


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False) | st.text("ab é:#-'", max_size=8),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", min_size=1, max_size=4), inner, max_size=4),
    )
)
def test_what_was_written_is_read_again(content: object) -> None:
    assert plain_yaml(yaml.safe_dump(content, allow_unicode=True), Path("file.yaml")) == content


def test_one_reader_reads_all_yaml() -> None:
    """The graph's description, a part of the code, is read with the fastest loader: each node reads it when it starts."""
    loading = re.compile(r"\byaml\.(?:\w*load\w*|compose\w*|parse|scan)\(")
    folders = ("src", "ros2_ws/src/sayso_nodes/sayso_nodes")
    files = [file for folder in folders for file in (project_root() / folder).rglob("*.py") if loading.search(file.read_text())]
    assert {file.name if file.parent.name != "yaml_source" else "yaml_source" for file in files} == {"yaml_source", "graph.py"}
