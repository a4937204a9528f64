"""A YAML file with its includes as plain data that knows where each field stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from sayso.errors import DomainError
from sayso.paths import config_dir
from sayso.yaml_source.drafts import draft_of
from sayso.yaml_source.remainder import Remainder, blamed
from sayso.yaml_source.text import LARGEST, LONGEST_KEY, Contradiction, Location, PlainData, Spent, composed, text_of
from sayso.yaml_source.words import in_our_words

SHIPPED = "sayso:"  # begins the name of a file that comes with Sayso: "sayso:skills.yaml", wherever Sayso is installed

MOST_FILES = 100  # that one file includes, directly or through others
MOST_MISTAKES = 100  # that are looked for: the time for one grows with the file

Checked = TypeVar("Checked", bound=BaseModel)


class StrictModel(BaseModel):
    """A part of a YAML file. Unknown fields and numbers that are not finite are errors; a docstring under a field describes it."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


@dataclass
class YamlSource:
    """Plain data, and for every field the file and line it stands in."""

    value: dict[str, Any] = field(default_factory=dict)
    lines: dict[Location, tuple[Path, int]] = field(default_factory=dict)
    mistakes: list[Contradiction] = field(default_factory=list)  # of the text: `checked` reports them with the others
    files: list[Path] = field(default_factory=list)  # that were read
    spent: Spent = field(default_factory=Spent)  # on them

    def checked(self, model: type[Checked], *checks: Callable[[Checked], Iterator[Contradiction]]) -> Checked:
        """The data as that model.

        Args:
            model: of the file.
            checks: find contradictions between fields that are right by themselves. Each one may rely on the ones before it.

        Raises:
            DomainError: holds every mistake of the file, by file and line.
        """
        found = list(self.mistakes[:MOST_MISTAKES])
        wrong: list[Location] = [tuple(part.strip() if isinstance(part, str) else part for part in location) for location, _ in found]
        part: Checked | None = None
        try:
            part = model.model_validate(self.value)
        except ValidationError as invalid:
            errors = list(islice(invalid.errors(include_url=False), MOST_MISTAKES))
            found += _without_misspelt(in_our_words(model, error) for error in errors)
            wrong += [blamed(error) for error in errors]
        for index, check in enumerate(checks):
            if len(found) >= MOST_MISTAKES:
                break
            if not wrong:
                new = list(islice(check(part), MOST_MISTAKES)) if part is not None else []
            else:
                rest = Remainder(model, self.value, wrong, checks[:index])
                seen = islice(check(rest.part), MOST_MISTAKES) if rest.part is not None else ()
                new = [(rest.original(location), message) for location, message in seen]
                new = [(location, message) for location, message in new if not rest.follows(location, message)]
            found += new
            wrong += [location for location, _ in new]
        if found or part is None:
            raise self._error(found)
        return part

    def _error(self, found: Iterable[Contradiction]) -> DomainError:
        """All mistakes as one error: first the file's own, then its includes', by line."""
        main = self.lines.get((), (Path("?"), 1))[0]
        places = {(location, message): self.place(location) for location, message in found}
        ordered = sorted(places.items(), key=lambda item: (item[1][0] != main, item[1]))
        return DomainError(*(f"{path}:{line}: {_name(location)}{message}" for (location, message), (path, line) in ordered))

    def place(self, location: Location) -> tuple[Path, int]:
        """The file and line of that field, or of the nearest one around it that is written down."""
        while location and location not in self.lines:
            location = location[:-1]
        return self.lines.get(location, (Path("?"), 1))


def read_yaml(path: Path, expected: str) -> YamlSource:
    """The file with everything that it includes; entries of the including file replace entries of the included ones.

    Args:
        path: of the file; includes are relative to the file that names them, or begin with "sayso:" for files that come with Sayso.
        expected: the file's form, for the message where it has another: "a domain file is a mapping with the keys places, …".

    Raises:
        DomainError: a file is missing, is not YAML, is too large, or includes itself.
    """
    source = YamlSource()
    _read(path, source, expected, including=())
    return source


def read_plain(path: Path) -> Any:
    """The content of a file without includes: a dict, a list or a scalar; None if it is empty. Keys are always texts.

    Raises:
        DomainError: the file is missing, is not YAML, or is too large.
    """
    return plain_yaml(text_of(path), path)


def plain_yaml(text: str, path: Path) -> Any:
    """The content of a YAML text, as `read_plain` for that file.

    Raises:
        DomainError: it is not YAML, or is too large.
    """
    if len(text) > LARGEST:
        raise DomainError(f"{path}: cannot be read: it is larger than {LARGEST // 1_000_000} MB; remove what is not needed")
    node, plain = composed(path, text), PlainData(path)
    value = plain.of(node) if node is not None else None
    if plain.mistakes:
        location, message = plain.mistakes[0]
        raise DomainError(f"{path}:{plain.lines[location][1]}: {_name(location)}{message}")
    return value


def resolved(path: Path | str) -> Path:
    """The absolute path, links followed.

    Raises:
        DomainError: no file can be there: a null character, links in a circle.
    """
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError) as impossible:  # RuntimeError: links in a circle, before Python 3.13
        raise DomainError(f"{path}: cannot be read: {impossible}") from None


def file_named(name: str, folder: Path) -> Path:
    """The file that a YAML file in that folder names: relative to it, or one that comes with Sayso ("sayso:skills.yaml").

    Raises:
        DomainError: no file can have that name.
    """
    return resolved(config_dir() / name.removeprefix(SHIPPED) if name.startswith(SHIPPED) else folder / name)


def companion(name: str, file: Path) -> Path:
    """The file that another one names: beside it, or one of Sayso's of that name, where the other one includes the file that names it."""
    beside = file_named(name, file.resolve().parent)
    return beside if beside.exists() or name.startswith(SHIPPED) else file_named(f"{SHIPPED}{name}", beside)


def no_file(name: str, folder: str = "") -> str:
    """Say that a file is missing, and suggest one that comes with Sayso, from that folder of its configuration."""
    shipped = [str(file.relative_to(config_dir())) for file in sorted((config_dir() / folder).rglob("*.yaml"))]
    likely = get_close_matches(name.removeprefix(SHIPPED), shipped, n=1, cutoff=0.75)
    return f"there is no file '{name}'" + (f"; did you mean '{SHIPPED}{likely[0]}'?" if likely else "")


def changed(path: Path) -> tuple[int, int]:
    """When the file was changed (ns) and its size in bytes, for caches of what was read from it; zeros if it is missing."""
    if (draft := draft_of(path)) is not None:
        return hash(draft), -len(draft)  # no file has this size
    try:
        status = path.stat()
    except (OSError, ValueError):
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _read(path: Path, into: YamlSource, expected: str, including: tuple[Path, ...]) -> None:
    if path in including:
        raise DomainError(f"{path}:1: include: the file includes itself")
    into.files.append(path)
    if len(into.files) > MOST_FILES:
        raise DomainError(f"{path}:1: include: more than {MOST_FILES} files; include each of them once")
    node = composed(path, text_of(path, into.spent))
    if not isinstance(node, yaml.MappingNode):
        raise DomainError(f"{path}:1: {'the file is empty: ' if node is None else ''}{expected}")
    plain = PlainData(path, into.spent)
    data = plain.of(node) or {}  # a mistake of the whole file is told below
    for file in _included(data.pop("include", []), path, plain.lines):
        _read(file, into, expected, (*including, path))
    # The including file comes last and wins, entry by entry: a user's home changes one sentence of ours.
    replaced: set[Location] = set()
    for key, value in data.items():
        held = into.value.get(key)
        if isinstance(held, dict) and isinstance(value, dict):
            replaced |= {(key, entry) for entry in value.keys() & held.keys()}
            held.update(value)
        else:
            replaced.add((key,))
            into.value[key] = value
    _forget(into, replaced)
    into.lines.update(plain.lines)
    into.mistakes.extend(plain.mistakes)


def _forget(source: YamlSource, replaced: Set[Location]) -> None:
    """Lines of entries that are replaced: their fields may stand elsewhere or nowhere now."""
    for known in [known for known in source.lines if known[:1] in replaced or known[:2] in replaced]:
        del source.lines[known]


def _included(names: object, path: Path, lines: Mapping[Location, tuple[Path, int]]) -> list[Path]:
    line = lines.get(("include",), (path, 1))[1]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DomainError(f"{path}:{line}: include: a list of file names is expected: [sayso:skills.yaml, sayso:intents.yaml]")
    files, mistakes = [], []
    for name in names:
        try:
            file = file_named(name, path.parent)
            if not file.exists():
                mistakes.append(f"{path}:{line}: include: {no_file(name)}")
            files.append(file)
        except (DomainError, OSError):
            mistakes.append(f"{path}:{line}: include: no file can be named so: {name[:40]!r}")
    if mistakes:
        raise DomainError(*mistakes)
    return files


def _name(location: Location) -> str:
    name = ".".join(str(part).strip() for part in location)
    return f"{name if len(name) <= LONGEST_KEY else name[:LONGEST_KEY] + '…'}: " if name else ""


def _without_misspelt(found: Iterable[Contradiction]) -> Iterator[Contradiction]:
    """Without fields that are only missing because they are misspelt: "posse" is reported, and not also that 'pose' is missing."""
    mistakes = list(dict.fromkeys(found))
    misspelt = [(location[:-1], message) for location, message in mistakes if message.startswith("unknown field")]
    for location, message in mistakes:
        if not any(
            location[:-1] == owner and message.startswith(f"'{location[-1]}' is missing") and f"did you mean '{location[-1]}'" in said
            for owner, said in misspelt
        ):
            yield location, message
