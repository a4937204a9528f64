"""Adds the default home, the models and the message definitions to the wheel; pyproject.toml declares everything else.

In a checkout they are in the top-level folders; an installed wheel has copies in sayso/share/ (sayso.paths finds both).
"""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SHARED = {"config": "config", "models": "models", "ros2_ws/src/sayso_msgs/msg": "sayso_msgs/msg"}  # in the checkout → in sayso/share/


class BuildWithShare(build_py):
    """Copies the files that the package reads at run time; an editable installation reads the files of the checkout."""

    def run(self) -> None:
        """Build the packages, then copy the files."""
        super().run()
        if not self.editable_mode:
            for source, target in self._shared():
                self.mkpath(str(target.parent))
                self.copy_file(str(source), str(target), preserve_mode=False)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """Every built file, copies included."""
        outputs: list[str] = super().get_outputs(include_bytecode)
        return outputs if self.editable_mode else [*outputs, *(str(target) for _, target in self._shared())]

    def _shared(self) -> list[tuple[Path, Path]]:
        share = Path(self.build_lib, "sayso", "share")
        return [
            (file, share / target / file.relative_to(source))
            for source, target in SHARED.items()
            for file in sorted(Path(source).rglob("*"))
            if file.is_file()
        ]


setup(cmdclass={"build_py": BuildWithShare})
