"""For colcon: the nodes as an ament_python package. With ROS from wheels they are a part of the `sayso` distribution instead.

The stages themselves (`pip install` of the checkout) must be importable by the Python that runs the nodes.
"""

from pathlib import Path

from setuptools import find_packages, setup

NAME = "sayso_nodes"
HERE = Path(__file__).parent
# Every module that can be run is an executable of its name: ros2 run sayso_nodes motion_gate
RUNNABLE = [path for path in (HERE / NAME).rglob("*.py") if "\ndef main() -> None:" in path.read_text(encoding="utf-8")]
EXECUTABLES = sorted(f"{path.stem} = {'.'.join(path.relative_to(HERE).with_suffix('').parts)}:main" for path in RUNNABLE)

setup(
    name=NAME,
    version="0.1.0",
    description="Thin rclpy nodes around Sayso's stages",
    license="Apache-2.0",
    packages=find_packages(str(HERE), include=[NAME, f"{NAME}.*"]),
    package_data={"": ["*.yaml", "*.xml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    extras_require={"test": ["pytest"]},  # colcon asks for it; the tests are the checkout's, which sayso_bringup runs
    entry_points={"console_scripts": EXECUTABLES},
)
