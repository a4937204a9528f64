"""The home that a bag was recorded in: its domain file where that is still there, else the copy that the recorder kept."""

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
    """The domain file; None for the default home, or where the bag does not tell.

    The file as it is now comes first: whoever changes a prior in it asks what would come of yesterday's commands. The copy is laid out in
    the user's cache, named by its content.
    """
    texts = dict(bag.metadata.get(HOME, {}))
    main = Path(texts.pop("main", ""))
    if not texts or _is_ours(main):
        return None
    if main.is_file():
        return main
    try:
        copy = _laid_out(texts, main)
    except (OSError, ValueError) as unwritable:  # ValueError: a name that no file can have
        bag.complain(
            str(main), f"the home it was recorded in is not here, and its copy cannot be laid out ({unwritable}): the default is taken"
        )
        return None
    bag.complain(str(main), "the home it was recorded in is not here: the copy in the bag is taken; --domain names another")
    return copy


def _is_ours(file: Path) -> bool:
    """Is it the default home, of whatever installation?"""
    return file.parent.name == "config" and file.name == default_domain().name


def _laid_out(texts: dict[str, str], main: Path) -> Path:
    """The files in a folder, as far from each other as they were; what they include by its whole path leads to the copy."""
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
