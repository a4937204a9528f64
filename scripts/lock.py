"""Writes requirements/locked/: every package of requirements/ and all that these need, at one version, with the SHA-256 of its files.

Usage: python scripts/lock.py [--upgrade]      (`make lock` runs it after a change in requirements/)

Versions that still fit stay; --upgrade takes the newest ones of all indirect dependencies.
pip refuses a file with another hash, so neither the package index nor a mirror can change what is installed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements"
FILES = ("build", "base", "ros", "nodeps", "fleet", "dev", "train", "train-nodeps")  # each at the versions of those before it
SUPPORTED = """
[project]
name = "requirements"
version = "0"
requires-python = ">=3.10"
[tool.uv]
environments = ["python_version < '3.14' and sys_platform == 'linux' and (platform_machine == 'x86_64' or platform_machine == 'aarch64')"]
"""
OPTIONS = ("--universal", "--python-version=3.10", "--generate-hashes", "--no-strip-extras", "--no-annotate", "--no-header", "--quiet")
HEADER = "# Written by `make lock` from requirements/{name}.txt. Do not edit.\n"
PYTORCH = ("torch", "triton", "nvidia-", "cuda-")  # scripts/setup.py installs it for the CPU, without these libraries for GPUs


def main() -> None:
    """Lock every file."""
    for index, name in enumerate(FILES):
        text = locked(name, FILES[:index])
        (REQUIREMENTS / "locked" / f"{name}.txt").write_text(HEADER.format(name=name) + text)
        print(f"{name}: {len(entries(text))} packages")


def locked(name: str, before: tuple[str, ...]) -> str:
    """The requirements of one file, as pip reads them with --require-hashes."""
    options = list(OPTIONS)
    if name.endswith("nodeps"):
        options.append("--no-deps")
    for file in (REQUIREMENTS / "torch.txt", *(REQUIREMENTS / "locked" / f"{each}.txt" for each in before)):
        options += ["--constraint", str(file)]
    # uv keeps the versions that it finds in its output file.
    output = REQUIREMENTS / "locked" / f"{name}.txt"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pyproject.toml").write_text(SUPPORTED)
        command = ["uv", "pip", "compile", str(REQUIREMENTS / f"{name}.txt"), "--output-file", str(output), *options, *sys.argv[1:]]
        if subprocess.run(command, cwd=folder, check=False).returncode:
            sys.exit(f"uv could not lock requirements/{name}.txt: see above")
    return "".join(entry for entry in entries(output.read_text()) if not entry.startswith(PYTORCH))


def entries(text: str) -> list[str]:
    """The requirements of a locked file, each with its hashes."""
    found: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith(" "):
            found[-1] += line
        elif not line.startswith("#"):
            found.append(line)
    return found


if __name__ == "__main__":
    main()
