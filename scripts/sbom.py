"""Writes dist/sayso.cdx.json: every package of this environment and every model, with licences and SHA-256, as CycloneDX 1.6.

Usage: python scripts/sbom.py      (`make sbom` runs it)
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator, JsonValidationError
from lock import REQUIREMENTS, entries

import sayso
from sayso.models import manifest

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "dist/sayso.cdx.json"
# A robot runs what is required; the rest is for replays of many bags, building, checks, tests and training. The first that fits counts.
SCOPES = {
    "locked/base": "required",
    "locked/ros": "required",
    "locked/nodeps": "required",
    "locked/fleet": "optional",
    "locked/build": "excluded",
    "locked/dev": "excluded",
    "locked/train": "excluded",
    "locked/train-nodeps": "excluded",
    "torch": "excluded",
}


def main() -> None:
    """Write the list, if it is valid."""
    bom = bill(installed())
    if wrong := mistake(bom):
        sys.exit(f"the list is not valid CycloneDX: {wrong}")
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(_text(bom), encoding="utf-8")
    models = sum(component["type"] == "machine-learning-model" for component in bom["components"])
    print(f"{OUTPUT.relative_to(ROOT)}: {len(bom['components']) - models} packages, {models} models")


def installed() -> dict[str, Any]:
    """The packages of this environment, as cyclonedx-bom finds them."""
    command = [sys.executable, "-m", "cyclonedx_py", "environment", "--spec-version", "1.6", "--no-validate"]
    command += ["--pyproject", str(ROOT / "pyproject.toml"), sys.executable]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def bill(bom: dict[str, Any]) -> dict[str, Any]:
    """The list of packages with the scopes and hashes of requirements/, Sayso's version, and the models."""
    requirements = required()
    for component in bom["components"]:
        scope, hashes = requirements.get((_canonical(component["name"]), component["version"].partition("+")[0]), (None, []))
        if scope:
            component["scope"] = scope
        if hashes:
            component.setdefault("externalReferences", []).append(_distribution(component["name"], component["version"], hashes))
    root = bom["metadata"]["component"]
    root["version"] = sayso.__version__
    models = model_components()
    bom["components"] += models
    for dependency in bom["dependencies"]:
        if dependency["ref"] == root["bom-ref"]:
            dependency["dependsOn"] = [*dependency.get("dependsOn", ()), *(model["bom-ref"] for model in models)]
    bom["dependencies"] += [{"ref": model["bom-ref"]} for model in models]
    return bom


def required() -> dict[tuple[str, str], tuple[str, list[str]]]:
    """By name and version of a package in requirements/: its scope, and the SHA-256 of the files that pip accepts."""
    found: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for name, scope in SCOPES.items():
        for entry in entries((REQUIREMENTS / f"{name}.txt").read_text()):
            match = re.match(r"([\w.-]+)(?:\[.*?\])?==([^\s;]+)", entry)
            if match:
                found.setdefault((_canonical(match[1]), match[2]), (scope, re.findall(r"sha256:(\w+)", entry)))
    return found


def model_components() -> list[dict[str, Any]]:
    """The models of models/manifest.yaml."""
    return [
        {
            "type": "machine-learning-model",
            "bom-ref": f"models/{model.name}",
            "name": model.name,
            "description": model.source,
            "hashes": [{"alg": "SHA-256", "content": model.sha256}],
            "licenses": [{"expression": model.licence, "acknowledgement": "declared"}],
            "properties": [{"name": "sayso:bytes", "value": str(model.size)}, {"name": "sayso:made_by", "value": model.command}],
        }
        for model in manifest().values()
    ]


def mistake(bom: dict[str, Any]) -> JsonValidationError | None:
    """The first thing in it that CycloneDX 1.6 does not allow."""
    return JsonStrictValidator(SchemaVersion.V1_6).validate_str(_text(bom))


def _text(bom: dict[str, Any]) -> str:
    return json.dumps(bom, indent=1, ensure_ascii=False) + "\n"


def _distribution(name: str, version: str, hashes: list[str]) -> dict[str, Any]:
    """Where pip gets a package from; which of its files fits depends on Python and the processor."""
    return {
        "type": "distribution",
        "url": f"https://pypi.org/project/{_canonical(name)}/{version}/#files",
        "comment": "the files that pip accepts, of which one is installed",
        "hashes": [{"alg": "SHA-256", "content": each} for each in hashes],
    }


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main()
