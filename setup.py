"""Puts the default home, the models and the message definitions into the wheel; everything else is declared in pyproject.toml.

A checkout keeps them beside src/, where people look for them. An installed wheel has copies in sayso/share/ (sayso.paths finds both).
"""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

CARRIED = {"config": "config", "models": "models", "ros2_ws/src/sayso_msgs/msg": "sayso_msgs/msg"}  # in the checkout → in sayso/share/


class BuildWithShare(build_py):
    """Copies what the package reads at run time; an editable installation reads the checkout's own."""

    def run(self) -> None:
        """Build the packages, then copy."""
        super().run()
        if not self.editable_mode:
            for source, target in self._carried():
                self.mkpath(str(target.parent))
                self.copy_file(str(source), str(target), preserve_mode=False)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """Every file that is built, the copies too."""
        outputs: list[str] = super().get_outputs(include_bytecode)
        return outputs if self.editable_mode else [*outputs, *(str(target) for _, target in self._carried())]

    def _carried(self) -> list[tuple[Path, Path]]:
        share = Path(self.build_lib, "sayso", "share")
        return [
            (file, share / target / file.relative_to(source))
            for source, target in CARRIED.items()
            for file in sorted(Path(source).rglob("*"))
            if file.is_file()
        ]


setup(cmdclass={"build_py": BuildWithShare})
