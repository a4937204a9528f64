"""Any sentence-transformers model, from a folder or from the hub; errors are one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.errors import ModelError
from sayso.training.encoder.hub import load_encoder, packaged_encoder

pytestmark = pytest.mark.long("trains or exports a network")


def test_the_packaged_encoder_is_the_default() -> None:
    model = load_encoder()
    assert [type(module).__name__ for module in model] == ["Transformer", "Pooling", "Normalize"]
    assert model.get_embedding_dimension() == 384


def test_a_complete_folder_is_used() -> None:
    assert load_encoder(packaged_encoder()).get_embedding_dimension() == 384


def test_neither_a_folder_nor_a_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is neither a folder nor a name"):
        load_encoder(tmp_path / "nowhere")


@pytest.mark.parametrize("content", [{}, {"config.json": "{}"}, {"modules.json": "no list"}])
def test_a_folder_without_a_model_is_refused_in_one_line(tmp_path: Path, content: dict[str, str]) -> None:
    for name, text in content.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ModelError, match="is not a sentence-transformers model") as refused:
        load_encoder(tmp_path)
    assert "\n" not in str(refused.value)


def test_a_name_is_downloaded_from_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def snapshot(name: str, ignore_patterns: list[str]) -> str:
        asked.append(name)
        assert "*.onnx" in ignore_patterns
        return str(packaged_encoder())

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot)
    monkeypatch.chdir(tmp_path)
    assert load_encoder(Path("someone/encoder")).get_embedding_dimension() == 384
    assert asked == ["someone/encoder"]


def test_a_missing_network_is_an_error_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="without a network") as refused:
        load_encoder(Path("someone/an-encoder-that-nobody-has"))
    assert "\n" not in str(refused.value)
