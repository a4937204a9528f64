"""Another sentence encoder, from a folder or from the hub; errors are one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.errors import ModelError
from sayso.training.encoder.export import packaged_encoder
from sayso.training.encoder.hub import NEEDED, encoder_folder


def test_a_complete_folder_is_used() -> None:
    assert encoder_folder(packaged_encoder()) == packaged_encoder()


def test_neither_a_folder_nor_a_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is neither a folder nor a name"):
        encoder_folder(tmp_path / "nowhere")


def test_an_incomplete_folder_is_refused_with_the_missing_files(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match=r"has no model\.safetensors, tokenizer\.json"):
        encoder_folder(tmp_path)


def test_a_name_is_downloaded_from_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def snapshot(name: str, allow_patterns: list[str]) -> str:
        asked.append(name)
        for needed in allow_patterns:
            (tmp_path / needed).write_text("{}")
        return str(tmp_path)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot)
    monkeypatch.chdir(tmp_path)
    assert encoder_folder(Path("someone/encoder")) == tmp_path
    assert asked == ["someone/encoder"]
    assert {path.name for path in tmp_path.iterdir()} == set(NEEDED)


def test_a_missing_network_is_an_error_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="without a network") as refused:
        encoder_folder(Path("someone/an-encoder-that-nobody-has"))
    assert "\n" not in str(refused.value)
