"""Message types of packages that have no ROS wheels (nav2_msgs, hri_msgs, vision_msgs, …), for tests over real DDS.

tests/data/interfaces has Jazzy's definitions without comments. The rosidl of this environment generates the code, which is compiled once
into build/ in about ten seconds. Names, fields and type hashes equal the real packages'. If the real packages are installed, they
are used instead.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEFINITIONS = ROOT / "tests" / "data" / "interfaces"
PACKAGES = ("nav2_msgs", "hri_msgs", "hri_actions_msgs", "vision_msgs")
INSTALLED = ("geometry_msgs", "std_msgs", "builtin_interfaces", "action_msgs", "unique_identifier_msgs", "service_msgs")
SUPPORTS = ("rosidl_typesupport_fastrtps_c", "rosidl_typesupport_introspection_c")  # rmw_fastrtps needs both
GENERATORS = ("rosidl_generator_c", "rosidl_typesupport_c", *SUPPORTS)


@contextmanager
def foreign_interfaces() -> Iterator[Path | None]:
    """Make them importable. Yields the folder for the PYTHONPATH of other processes, None if they are installed."""
    if all(find_spec(package) for package in PACKAGES):
        yield None
        return
    if not (compiler := shutil.which("c++")) or find_spec("rosidl_generator_py") is None:
        pytest.skip(f"{', '.join(PACKAGES)} are not installed, nor a compiler and rosidl to build them")
    folder = str(_built(compiler))
    sys.path.insert(0, folder)
    try:
        yield Path(folder)
    finally:
        sys.path.remove(folder)
        for name in [name for name in sys.modules if name.partition(".")[0] in PACKAGES]:
            del sys.modules[name]  # other tests must not find them


def _built(compiler: str) -> Path:
    """The folder with the Python packages, built if it does not exist."""
    digest = hashlib.sha256(sys.version.encode() + Path(__file__).read_bytes())
    for path in sorted(DEFINITIONS.rglob("*.*")):
        digest.update(f"{path.relative_to(DEFINITIONS)}\n{path.read_text()}".encode())
    build = ROOT / "build" / "foreign_interfaces"
    build.mkdir(parents=True, exist_ok=True)
    target = build / digest.hexdigest()[:16]
    with (build / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (target / "complete").exists():
            shutil.rmtree(target, ignore_errors=True)
            _build(target, compiler)
            (target / "complete").touch()
    return target / "python"


def _build(target: Path, compiler: str) -> None:
    target.mkdir()

    def generated(package: str) -> None:
        """In a separate process, to parse in parallel."""
        subprocess.run([sys.executable, __file__, package, str(target)], check=True, stdout=subprocess.DEVNULL)

    with ThreadPoolExecutor() as pool:
        list(pool.map(generated, PACKAGES))
    _compile(target, compiler)


def _generate(package: str, target: Path) -> None:
    """IDL, type hashes, C and Python of one package."""
    from rosidl_adapter.action import convert_action_to_idl
    from rosidl_adapter.msg import convert_msg_to_idl
    from rosidl_generator_c import generate_c
    from rosidl_generator_py.generate_py_impl import generate_py
    from rosidl_generator_type_description import generate_type_hash
    from rosidl_typesupport_c import generate_c as generate_dispatch
    from rosidl_typesupport_fastrtps_c import generate_typesupport_fastrtps_c as generate_fastrtps
    from rosidl_typesupport_introspection_c import generate_c as generate_introspection

    share, idl = Path(sys.prefix) / "share", target / "share" / package
    definitions = [path.relative_to(DEFINITIONS / package) for path in sorted((DEFINITIONS / package).rglob("*.*"))]
    convert = {".msg": convert_msg_to_idl, ".action": convert_action_to_idl}
    for path in definitions:
        convert[path.suffix](DEFINITIONS / package, package, path, idl / path.parent)
    names = [path.with_suffix("") for path in definitions]

    def arguments(generator: str, output: Path, **more: list[str]) -> str:
        path = target / f"{package}-{generator}.json"
        tuples = [f"{idl}:{name}.idl" for name in names]
        empty: dict[str, list[str]] = {"ros_interface_dependencies": [], "target_dependencies": []}
        folders = {"output_dir": str(output), "template_dir": str(share / generator / "resource")}
        path.write_text(json.dumps({"package_name": package, "idl_tuples": tuples, **folders, **empty, **more}))
        return str(path)

    others = [f"{name}:{share / name}" for name in INSTALLED]
    generate_type_hash(arguments("rosidl_generator_type_description", idl, include_paths=others))
    hashes = [f"{name}.idl:{idl / name}.json" for name in names]
    c = target / "include" / package
    generate_c(arguments("rosidl_generator_c", c, type_description_tuples=hashes))
    generate_fastrtps(arguments("rosidl_typesupport_fastrtps_c", c, type_description_tuples=hashes))
    generate_dispatch(arguments("rosidl_typesupport_c", c, type_description_tuples=hashes), list(SUPPORTS))
    introspection = target / "introspection" / package  # its files have the names of generator_c's
    generate_introspection(arguments("rosidl_typesupport_introspection_c", introspection, type_description_tuples=hashes))
    generate_py(arguments("rosidl_generator_py", target / "python" / package, type_description_tuples=hashes), ["rosidl_typesupport_c"])
    (target / "python" / package / "__init__.py").touch()
    for generator in GENERATORS:  # these headers declare exported symbols; here all are exported
        header = c / "msg" / f"{generator}__visibility_control.h"
        header.parent.mkdir(exist_ok=True)
        header.touch()


def _compile(target: Path, compiler: str) -> None:
    """Compile one library for all packages, and a Python extension module for each package that links to it."""
    import numpy

    prefix, include = Path(sys.prefix), target / "include"
    folders = [
        include,
        target / "introspection",
        prefix / "include",
        *sorted((prefix / "include").iterdir()),
        Path(sysconfig.get_path("include")),
        Path(numpy.get_include()),
    ]
    exports = [
        f"-D{name.upper()}_{way}_{package}=" for name in GENERATORS for way in ("PUBLIC", "IMPORT", "EXPORT") for package in PACKAGES
    ]
    flags = ["-O0", "-fPIC", "-w", *exports, *(f"-I{folder}" for folder in folders)]
    objects = target / "objects"
    objects.mkdir()
    sources = [*target.rglob("*__description.c"), *target.rglob("*_s.ep.*.c")]
    # The others in one file: most of the time goes into their common headers.
    for kind in ("*.cpp", "*__functions.c", "*__type_support.c", "*_s.c"):
        sources.append(objects / kind.replace("*", "all"))
        sources[-1].write_text("".join(f'#include "{path}"\n' for path in sorted(target.rglob(kind)) if path.parent != objects))

    def compiled(path: Path) -> str:
        made = objects / f"{'-'.join(path.relative_to(target).parts)}.o"
        language = "c" if path.suffix == ".c" else "c++"
        subprocess.run([compiler, "-x", language, *flags, "-c", str(path), "-o", str(made)], check=True)
        return str(made)

    with ThreadPoolExecutor() as pool:
        made = list(pool.map(compiled, sources))
    libraries = [f"-l{package}__{kind}" for package in INSTALLED for kind in (*GENERATORS, "rosidl_generator_py")]
    runtime = ["rosidl_runtime_c", "rosidl_typesupport_fastrtps_cpp", "fastcdr", "rcutils", "rmw", *GENERATORS[1:]]
    library = target / "python" / "libforeign_interfaces.so"
    link = [compiler, "-shared", "-Wl,--no-as-needed", f"-L{prefix / 'lib'}"]
    own = [name for name in made if "_s.ep." not in name]
    subprocess.run([*link, "-o", str(library), *own, *libraries, *(f"-l{name}" for name in runtime)], check=True)
    # ROS finds type supports by library name: empty libraries with these names link to the one with all of them.
    linked = [f"-L{library.parent}", "-lforeign_interfaces", "-Wl,-rpath,$ORIGIN:$ORIGIN/.."]
    for package in PACKAGES:
        names = [f"{package}__{support}" for support in SUPPORTS]
        for name in names:
            subprocess.run([*link, "-o", str(library.parent / f"lib{name}.so"), f"-Wl,-soname,lib{name}.so", *linked], check=True)
        extension = next(name for name in made if f"_{package}_s.ep." in name)
        module = target / "python" / package / f"{package}_s__rosidl_typesupport_c.so"
        subprocess.run([*link, "-o", str(module), extension, *linked, *(f"-l{name}" for name in names)], check=True)


if __name__ == "__main__":
    _generate(sys.argv[1], Path(sys.argv[2]))
