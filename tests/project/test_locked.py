"""requirements/locked/ lists the pinned packages and all that they need, with hashes; so does the list of parts, which adds the models."""

from __future__ import annotations

import importlib
import re
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import sayso
from sayso.models import manifest

REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements"
FILES = sorted(path.stem for path in REQUIREMENTS.glob("*.txt") if path.stem != "torch")  # PyTorch has no hashes: docs/security.md


@pytest.fixture
def lock(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(REQUIREMENTS.parent / "scripts"))
    return importlib.import_module("lock")


@pytest.fixture
def sbom(lock: ModuleType) -> ModuleType:
    return importlib.import_module("sbom")


def named(path: Path) -> list[Requirement]:
    """The requirements of a file, without comments and hashes."""
    lines = (re.split(r"\s#|\\", line)[0] for line in path.read_text().splitlines())
    return [Requirement(line) for line in lines if re.match(r"\w", line)]


def test_every_file_of_requirements_is_locked(lock: ModuleType) -> None:
    assert sorted(lock.FILES) == FILES == sorted(path.stem for path in (REQUIREMENTS / "locked").iterdir())


@pytest.mark.parametrize("name", FILES)
def test_a_locked_file_has_the_pinned_versions(name: str) -> None:
    locked = {(canonicalize_name(each.name), str(each.specifier)) for each in named(REQUIREMENTS / f"locked/{name}.txt")}
    for pin in named(REQUIREMENTS / f"{name}.txt"):
        assert str(pin.specifier).startswith("=="), f"requirements/{name}.txt: {pin} has no version"
        assert (canonicalize_name(pin.name), str(pin.specifier)) in locked, f"{pin} is not in requirements/locked/{name}.txt: make lock"


@pytest.mark.parametrize("name", FILES)
def test_every_locked_package_has_a_version_and_hashes(lock: ModuleType, name: str) -> None:
    entries = lock.entries((REQUIREMENTS / f"locked/{name}.txt").read_text())
    assert entries
    for entry in entries:
        assert re.fullmatch(r"[\w.-]+(\[[\w,-]+\])?==[^\s;]+( ; [^\\\n]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+\n", entry), entry


def test_every_package_has_one_version_for_each_python() -> None:
    for python in ("3.10", "3.11", "3.12", "3.13"):
        for machine in ("x86_64", "aarch64"):
            place = {"python_version": python, "python_full_version": f"{python}.0", "platform_machine": machine, "sys_platform": "linux"}
            found: dict[str, str] = {}
            for each in (each for name in FILES for each in named(REQUIREMENTS / f"locked/{name}.txt")):
                if each.marker is None or each.marker.evaluate(place):
                    assert found.setdefault(canonicalize_name(each.name), str(each.specifier)) == str(each.specifier), each


def test_what_a_locked_package_needs_is_locked() -> None:
    """pip checks that only without --no-deps."""
    locked = [each for name in FILES for each in named(REQUIREMENTS / f"locked/{name}.txt")]
    names = {canonicalize_name(each.name) for each in locked} | {"torch"}
    without = {canonicalize_name(each.name) for name in ("nodeps", "train-nodeps") for each in named(REQUIREMENTS / f"{name}.txt")}
    for each in locked:
        for need in needs(each) if canonicalize_name(each.name) not in without else ():
            assert need in names, f"{each.name} needs {need}, which is not locked: make lock"


def needs(package: Requirement) -> list[str]:
    """The packages that an installed package needs here."""
    try:
        wanted = [Requirement(text) for text in requires(package.name) or ()]
    except PackageNotFoundError:  # for another Python or processor
        return []
    extras = ("", *package.extras)
    return [
        canonicalize_name(each.name) for each in wanted if each.marker is None or any(each.marker.evaluate({"extra": it}) for it in extras)
    ]


def test_the_list_of_parts_has_every_model_with_its_hash_and_licence(sbom: ModuleType) -> None:
    parts = {part["name"]: part for part in sbom.bill(environment())["components"] if part["type"] == "machine-learning-model"}
    assert parts.keys() == manifest().keys()
    for name, model in manifest().items():
        assert parts[name]["hashes"] == [{"alg": "SHA-256", "content": model.sha256}]
        assert parts[name]["licenses"][0]["expression"] == model.licence


def test_the_list_of_parts_tells_the_files_of_a_package_and_who_needs_it(sbom: ModuleType) -> None:
    numpy, ray, ruff, torch, other = sbom.bill(environment())["components"][:5]
    (files,) = numpy["externalReferences"]
    assert {each["content"] for each in files["hashes"]} == hashes("base", "numpy")
    assert [part.get("scope") for part in (numpy, ray, ruff, torch, other)] == ["required", "optional", "excluded", "excluded", None]
    assert "externalReferences" not in torch


def test_the_list_of_parts_is_valid_and_is_about_this_version(sbom: ModuleType) -> None:
    bom = sbom.bill(environment())
    assert bom["metadata"]["component"]["version"] == sayso.__version__
    assert {f"models/{name}" for name in manifest()} <= set(bom["dependencies"][0]["dependsOn"])
    assert sbom.mistake(bom) is None
    assert "licence" in str(sbom.mistake({**bom, "licence": "none"}))


def environment() -> dict[str, object]:
    """What cyclonedx-bom could find: a package of each scope, and one that requirements/ does not know."""
    pins = [pin for name in ("base", "fleet", "dev") for pin in named(REQUIREMENTS / f"{name}.txt") if pin.name in ("numpy", "ray", "ruff")]
    versions = [(pin.name, str(pin.specifier)[2:]) for pin in pins] + [
        ("torch", str(named(REQUIREMENTS / "torch.txt")[0].specifier)[2:] + "+cpu"),
        ("other", "1.0"),
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"bom-ref": "root", "type": "application", "name": "sayso"}},
        "components": [{"type": "library", "bom-ref": name, "name": name, "version": version} for name, version in versions],
        "dependencies": [{"ref": "root", "dependsOn": ["numpy"]}],
    }


def hashes(file: str, package: str) -> set[str]:
    text = (REQUIREMENTS / f"locked/{file}.txt").read_text()
    return set(re.findall(r"\w{64}", re.search(rf"^{package}==.*\n(    .*\n)+", text, re.MULTILINE)[0]))  # type: ignore[index]
