"""A model file is used only if its SHA-256 is the one in the manifest; otherwise one line says how to restore it."""

from pathlib import Path

import pytest

from sayso import models
from sayso.errors import ModelError


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "config").mkdir()
    (tmp_path / "models").mkdir()
    monkeypatch.setenv("SAYSO_ROOT", str(tmp_path))
    return tmp_path / "models"


def listed(folder: Path, name: str, content: bytes) -> Path:
    (folder / name).write_bytes(content)
    models.record_model(name, licence="Apache-2.0", source="a test", command=f"sayso train {name}")
    return folder / name


def test_returns_the_path_of_an_unaltered_model(root: Path) -> None:
    path = listed(root, "a.onnx", b"weights")
    assert models.model_path("a.onnx") == path
    assert models.manifest()["a.onnx"].size == 7


def test_an_altered_model_is_refused_in_one_line_with_the_remedy(root: Path) -> None:
    listed(root, "a.onnx", b"weights").write_bytes(b"w3ights!")
    with pytest.raises(ModelError, match=r"sayso train a\.onnx") as refused:
        models.model_path("a.onnx")
    assert "\n" not in str(refused.value)


def test_a_model_altered_after_its_first_use_is_refused(root: Path) -> None:
    path = listed(root, "a.onnx", b"weights")
    models.model_path("a.onnx")
    path.write_bytes(b"other weights")
    with pytest.raises(ModelError):
        models.model_path("a.onnx")


def test_a_missing_model_is_refused_in_one_line_with_the_remedy(root: Path) -> None:
    listed(root, "a.onnx", b"weights").unlink()
    with pytest.raises(ModelError, match=r"is missing.*git checkout") as refused:
        models.model_path("a.onnx")
    assert "\n" not in str(refused.value)


def test_an_unlisted_model_is_refused_even_if_the_file_exists(root: Path) -> None:
    listed(root, "a.onnx", b"weights")
    (root / "b.onnx").write_bytes(b"weights")
    with pytest.raises(ModelError, match=r"no model 'b\.onnx'.*listed: a\.onnx"):
        models.model_path("b.onnx")


@pytest.mark.parametrize("content", ["a: [", "- a\n- b\n", "a.onnx: {sha: 1}\n", "a.onnx: 3\n"])
def test_a_broken_manifest_is_one_line(root: Path, content: str) -> None:
    (root / models.MANIFEST).write_text(content)
    with pytest.raises(ModelError, match="not a manifest"):
        models.model_path("a.onnx")


def test_a_missing_manifest_is_one_line(root: Path) -> None:
    with pytest.raises(ModelError, match=r"manifest\.yaml is missing"):
        models.model_path("a.onnx")


def test_listing_a_model_again_keeps_the_others(root: Path) -> None:
    listed(root, "a.onnx", b"weights")
    listed(root, "b.onnx", b"more")
    listed(root, "a.onnx", b"new weights")
    assert set(models.manifest()) == {"a.onnx", "b.onnx"}
    assert models.model_path("a.onnx").read_bytes() == b"new weights"


def test_a_missing_file_cannot_be_listed(root: Path) -> None:
    with pytest.raises(ModelError, match="is missing"):
        models.record_model("a.onnx", licence="MIT", source="nothing", command="sayso train a")


def test_every_shipped_model_matches_the_manifest() -> None:
    for name in models.manifest():
        assert models.model_path(name).stat().st_size == models.manifest()[name].size
