"""Every link, citation, file, module and command in the documentation exists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from sayso.subcommands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "src" / "sayso"
MATHEMATICS = ROOT / "docs" / "mathematics.md"
FOLDERS = ("benchmarks", "config", "docker", "docs", "examples", "launch", "models", "requirements", "ros2_ws", "scripts", "src", "tests")
PAGES = sorted([*ROOT.glob("*.md"), *(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md"))])
CITING = sorted(
    path for folder in FOLDERS for kind in ("*.py", "*.yaml", "*.md") for path in (ROOT / folder).rglob(kind) if path != MATHEMATICS
)

FENCE = re.compile(r"^( *)(```+|~~~+).*?^\1\2", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|\b(?:src|href)=\"([^\"]+)\"")
EQUATION = re.compile(r"\b(?:equations?|eqs?\.)\s+(\d+(?:(?:, and |, | and |–|-| to )\d+)*)", re.IGNORECASE)
REPOSITORY_FILE = re.compile(rf"(?<![\w./$-])(?:\./)?((?:{'|'.join(FOLDERS)}|\.github|bin)/[\w./*-]*[\w*/])")
ROOM_FILE = re.compile(r"(?<![\w./$-])(\w+(?:/\w+)*/\w+\.(?:py|yaml))\b")
MODULE = re.compile(r"(?<![\w./-])((?:sayso|sayso_nodes)(?:\.\w+)+)")
COMMAND = re.compile(r"(?<![\w.-])(?<!from )(?<!import )(?<!src/)sayso +([a-z][a-z-]*)")
BENCHMARK = re.compile(r"(?<![\w.-])sayso +bench +([a-z]\w*)")
FILE_NAMES = frozenset(
    {"json", "yaml", "md", "sh", "rviz", "html", "py", "commands", "skills"}
)  # "sayso.json" is a file, "sayso.skills" a group of entry points
READERS_OWN = ("src/sayso/.venv", "tests/bags", "tests/sounds")  # examples, in the reader's own workspace or repository


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def prose(page: Path) -> str:
    """The page without code."""
    return CODE.sub(lambda code: f"`{code[2]}`" if "]" not in code[2] else "", FENCE.sub("", page.read_text(encoding="utf-8")))


@cache
def code(page: Path) -> list[str]:
    """Blocks and spans of code."""
    text = page.read_text(encoding="utf-8")
    return [*(block[0] for block in FENCE.finditer(text)), *(span[2] for span in CODE.finditer(FENCE.sub("", text)))]


@cache
def anchors(page: Path) -> set[str]:
    """The anchors that GitHub derives from a page's headings."""
    seen: Counter[str] = Counter()
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def links(page: Path) -> Iterator[str]:
    for link in LINK.finditer(prose(page)):
        target = link[1] or link[2]
        if not re.match(r"[a-z]+:", target):
            yield target


def defines(path: Path, name: str) -> bool:
    return bool(re.search(rf"^ *(?:async )?(?:def|class) {name}\b|^ *{name}\b[^=\n]*=", path.read_text(encoding="utf-8"), re.MULTILINE))


def cited(numbers: str) -> set[int]:
    """ "13 and 14" → {13, 14}; "2–7" → {2, …, 7}"""
    found: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:(?:–|-| to )(\d+))?", numbers):
        found |= set(range(int(first), int(last or first) + 1))
    return found


def equations() -> list[int]:
    return [int(number) for number in re.findall(r"^### Equation (\d+):", MATHEMATICS.read_text(encoding="utf-8"), re.MULTILINE)]


def commands() -> set[str]:
    return set(COMMANDS)


def exists(path: str) -> bool:
    return any(ROOT.glob(path)) if "*" in path else (ROOT / path).exists()


def known(module: str) -> bool:
    """Whether it is a module, or a name that a module defines or exports."""
    package, *rest = module.split(".")
    folder = LIBRARY if package == "sayso" else ROOT / "ros2_ws" / "src" / "sayso_nodes" / "sayso_nodes"
    for at, name in enumerate(rest):
        if (folder / name).is_dir():
            folder /= name
            continue
        if (folder / f"{name}.py").exists():
            return at == len(rest) - 1 or defines(folder / f"{name}.py", rest[at + 1])
        return re.search(rf"\b{name}\b", (folder / "__init__.py").read_text(encoding="utf-8")) is not None
    return True


def broken(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return not target.exists() or bool(anchor and target.suffix == ".md" and anchor not in anchors(target))


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    assert [(page_name(page), link) for page in PAGES for link in links(page) if broken(page, link)] == []


def test_the_index_names_every_page_of_the_documentation() -> None:
    named = set(links(ROOT / "docs" / "README.md"))
    assert [page.name for page in (ROOT / "docs").glob("*.md") if page.name not in {*named, "README.md"}] == []


def named(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """Each page with each thing of a kind that its code names."""
    return [(page_name(page), name) for page in PAGES for block in code(page) for name in pattern.findall(block)]


def test_every_name_that_links_to_a_python_file_is_defined_there() -> None:
    missing = []
    for page in PAGES:
        found = re.findall(r"\[`(\w+)`\]\(([^)#\s]+\.py)\)", page.read_text(encoding="utf-8"))
        missing += [(page_name(page), name, path) for name, path in found if not defines(page.parent / path, name)]
    assert missing == []


def test_every_named_file_exists() -> None:
    found = named(REPOSITORY_FILE)
    assert len(found) > 100
    assert [each for each in found if not (exists(each[1]) or each[1].startswith(READERS_OWN))] == []


def test_every_named_module_exists() -> None:
    rooms = {path.name for path in LIBRARY.iterdir() if path.is_dir()}
    modules = [(page, name) for page, name in named(MODULE) if name.rsplit(".", 1)[1] not in FILE_NAMES]
    files = [(page, path) for page, path in named(ROOM_FILE) if path.split("/")[0] in rooms]
    assert len(modules) > 10
    assert [each for each in modules if not known(each[1])] == []
    assert [each for each in files if not (LIBRARY / each[1]).exists()] == []


def test_every_named_command_exists() -> None:
    there, found = commands(), named(COMMAND)
    assert len(found) > 100
    assert [each for each in found if each[1] not in there] == []
    assert [each for each in named(BENCHMARK) if not (ROOT / "benchmarks" / f"{each[1]}.py").exists()] == []


def test_lists_and_ranges_of_equations_are_parsed() -> None:
    assert EQUATION.findall("Equations 2, 6 and 7: …") == ["2, 6 and 7"]
    assert cited("2, 6 and 7") == {2, 6, 7}
    assert cited("2–5") == {2, 3, 4, 5}


def test_anchors_are_those_of_github(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('# One\n\n## Case A: `by` "hand"\n\n```sh\n# no heading\n```\n\n## One\n', encoding="utf-8")
    assert anchors(page) == {"one", "case-a-by-hand", "one-1"}


def test_equations_are_numbered_without_gaps() -> None:
    assert equations() == list(range(1, len(equations()) + 1))


def test_every_cited_equation_exists() -> None:
    there = set(equations())
    found = {path: EQUATION.findall(path.read_text(encoding="utf-8")) for path in CITING}
    assert sum(map(len, found.values())) > 30
    missing = {page_name(path): numbers for path, all_numbers in found.items() for numbers in all_numbers if cited(numbers) - there}
    assert missing == {}


def test_every_test_named_in_the_mathematics_is_in_a_linked_file() -> None:
    for entry in re.split(r"^###? ", MATHEMATICS.read_text(encoding="utf-8"), flags=re.MULTILINE):
        files = [MATHEMATICS.parent / path for path in re.findall(r"\]\(([^)]+\.py)\)", entry)]
        for name in re.findall(r"`(test_\w+)`", entry):
            assert any(defines(path, name) for path in files), f"{entry.splitlines()[0]}: {name}"


def test_no_citation_names_a_document_outside_the_repository() -> None:
    absent = re.compile(r"\b(?:MATHEMATICS|DESIGN)\.md\b")
    assert [page_name(path) for path in CITING if path != Path(__file__) and absent.search(path.read_text(encoding="utf-8"))] == []
