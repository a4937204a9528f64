"""The home that a bag was recorded in: its domain file if it still exists, else the copy in the bag."""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
from pathlib import Path

from sayso.bags.reading import Bag
from sayso.paths import default_domain

HOME = "sayso.home"


def home_of(bag: Bag) -> Path | None:
    """The domain file; None for the default home, or if the bag does not say.

    The current file comes first, so that a replay shows the effect of changes in it. The copy is written to the user's cache, in a
    folder named by its content.
    """
    texts = dict(bag.metadata.get(HOME, {}))
    main = Path(texts.pop("main", ""))
    if not texts or _is_ours(main):
        return None
    if main.is_file():
        return main
    try:
        copy = _written(texts, main)
    except (OSError, ValueError) as unwritable:  # ValueError: an invalid file name
        bag.complain(
            str(main), f"the home of the recording is missing, and its copy cannot be written ({unwritable}): the default home is used"
        )
        return None
    bag.complain(str(main), "the home of the recording is missing: the copy in the bag is used; --domain chooses another")
    return copy


def _is_ours(file: Path) -> bool:
    """Whether it is the default home of any installation."""
    return file.parent.name == "config" and file.name == default_domain().name


def _written(texts: dict[str, str], main: Path) -> Path:
    """Write the files into a folder with the same relative paths. Absolute paths in includes are changed to the copies."""
    folder = _folder(hashlib.sha256(repr(sorted(texts.items())).encode()).hexdigest()[:16])
    copies = {name: copy for name in texts if folder.resolve() in (copy := (folder / name.lstrip("/")).resolve()).parents}
    for name, copy in copies.items():
        text = texts[name]
        for other in sorted(copies, key=len, reverse=True):
            text = text.replace(other, str(copies[other])) if other != name and Path(other).is_absolute() else text
        if not copy.is_file() or copy.read_text(encoding="utf-8") != text:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text, encoding="utf-8")
    return folder / str(main).lstrip("/")


def _folder(name: str) -> Path:
    """In the user's cache; where that cannot be written, one that is removed when the program ends."""
    from platformdirs import user_cache_path

    folder = user_cache_path("sayso") / "homes" / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="sayso-")) / name
        atexit.register(shutil.rmtree, folder.parent, ignore_errors=True)
    return folder
