"""Every mistake of a home file is found, all of them at once, each with file, line and remedy in our words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from sayso.console import new
from sayso.domain import Domain, load_domain
from sayso.errors import DomainError
from sayso.scene import load_scene

STARTER = Path(new.__file__).parent / "starter"
HOME = (STARTER / "home.yaml").read_text(encoding="utf-8")
SMALL = """\
name: small
speaker: me
places:
  kitchen: {kind: room, pose: [0, 0, 0]}
  table: {inside: kitchen, pose: [1, 0, 0], surface: true}
objects:
  cup: {category: cup, usual: {table: 1}}
people:
  me: {}
skills:
  navigate_to: {arguments: {goal: place}, effects: [robot_at(goal)], removes: ["robot_at(*)"]}
  pick: {arguments: {theme: object}, requires: [hand_empty()], effects: [holding(theme)], removes: [hand_empty()]}
actions:
  go_to: {goal: [robot_at(goal)], say: "go to {goal}", ask: {goal: "Where to?"}}
intents:
  go_to:
    roles: {goal: {kinds: [place], required: true}}
    examples: ["go to the {place}"]
"""


MANY = "more than 100000 values, includes and each use of an alias (*name) counted; remove what is not needed"


def findings(folder: Path, text: str | bytes) -> list[str]:
    """What is wrong with it, without the folder."""
    path = folder / "home.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DomainError) as error:
        load_domain(path)
    return [finding.replace(f"{folder}/", "") for finding in error.value.findings]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        # Fields.
        (
            "pose: [0, 0, 0]",
            "posse: [0, 0, 0]",
            "4: places.kitchen.posse: unknown field 'posse'; did you mean 'pose'? "
            "known: inside, kind, names, opens, pose, stores, surface, switches",
        ),
        ("category: cup, ", "", "7: objects.cup.category: 'category' is missing (Its name without attributes: \"cup\")"),
        ("kind: room", "kind: rom", "4: places.kitchen.kind: 'rom' is not allowed; did you mean 'room'? known: furniture, room, spot"),
        (
            "surface: true",
            "surface: maybe",
            "5: places.table.surface: true or false is expected, found 'maybe' (Whether things can be put on it)",
        ),
        (
            "category: cup",
            "category: no",
            '7: objects.cup.category: text is expected, found false; put quotes around it (Its name without attributes: "cup")',
        ),
        ("category: cup", 'category: " "', "7: objects.cup.category: a name must not be empty"),
        (
            "surface: true",
            "surface: true, names: table",
            "5: places.table.names: a list [in brackets] is expected, found 'table' "
            "(Names that people use; the robot uses the first one. Default: the id, with spaces)",
        ),
        (
            "objects:\n  cup: {category: cup, usual: {table: 1}}",
            "objects: cup",
            "6: objects: a mapping (field: value) is expected, found 'cup' (Object id → thing)",
        ),
        # Numbers.
        (
            "pose: [1, 0, 0]",
            "pose: [1, 0, 0, 0]",
            "5: places.table.pose: 3 values are expected, there are 4 ([x, y, yaw] in m, m, rad in the map "
            "frame: the robot's pose at this place)",
        ),
        (
            "pose: [1, 0, 0]",
            "pose: [1, .nan, 0]",
            "5: places.table.pose.1: a finite number is expected, found nan "
            "([x, y, yaw] in m, m, rad in the map frame: the robot's pose at this place)",
        ),
        ("{arguments: {theme", "{success: 1.5, arguments: {theme", "12: skills.pick.success: must be at most 1, this is 1.5"),
        (
            "{arguments: {theme",
            "{seconds: .inf, arguments: {theme",
            "12: skills.pick.seconds: a finite number is expected, found inf (Expected duration in s, without the way there)",
        ),
        ("{arguments: {theme", "{speed: -1, arguments: {theme", "12: skills.pick.speed: must be at least 0, this is -1"),
        ("category: cup", "category: cup, size: -1", "7: objects.cup.size: must be at least 0, this is -1"),
        ("category: cup", "category: cup, owner: you", "7: objects.cup.owner: unknown person 'you'; known: me"),
        ("name: small", "battery: {reserve: 5}\nname: small", "1: battery.reserve: must be below 1, this is 5"),
        ("name: small", "battery: {metres: 0}\nname: small", "1: battery.metres: must be above 0, this is 0"),
        ("table: 1", "table: -1", "7: objects.cup.usual.table: must be at least 0, this is -1"),
        ("table: 1", "table: 0", "7: objects.cup.usual: the weights are all 0; give one place a weight above 0, or leave `usual` out"),
        (
            "table: 1",
            "table: much",
            "7: objects.cup.usual.table: a number is expected, found 'much' (Place id → weight: its likely places)",
        ),
        (
            "name: small",
            "decisions: {options: 2.5}\nname: small",
            "1: decisions.options: a whole number is expected, found 2.5 (Maximum number of options in a question)",
        ),
        ("table: 1", "tabel: 1", "7: objects.cup.usual.tabel: unknown place 'tabel'; did you mean 'table'? known: kitchen, table"),
        # Literals.
        (
            "requires: [hand_empty()]",
            "requires: [hand_emty()]",
            "12: skills.pick.requires.0: unknown predicate 'hand_emty'; did you mean 'hand_empty'? "
            "known: hand_empty, hears, holding, robot_at; "
            "it must be among the 'effects' of a skill, or given: hand_empty, hears, holding, robot_at",
        ),
        (
            "requires: [hand_empty()]",
            "requires: [hand_empty(theme)]",
            "12: skills.pick.requires.0: 'hand_empty' has 0 arguments, here is 1",
        ),
        (
            "requires: [hand_empty()]",
            'requires: ["holding(theme, theme)"]',
            "12: skills.pick.requires.0: 'holding' has 1 argument, here are 2",
        ),
        (
            "requires: [hand_empty()]",
            "requires: [holding(thema)]",
            "12: skills.pick.requires.0: 'thema' is not an argument of the skill; known: theme",
        ),
        (
            "effects: [robot_at(goal)]",
            "effects: [robot_at(gaol)]",
            "11: skills.navigate_to.effects.0: 'gaol' is not an argument of the skill; known: goal",
        ),
        (
            'removes: ["robot_at(*)"]',
            'removes: ["robot_on(*)"]',
            "11: skills.navigate_to.removes.0: unknown predicate 'robot_on'; did you mean 'robot_at'?",
        ),
        (
            "removes: [hand_empty()]",
            "senses: thema",
            "12: skills.pick.senses: 'thema' is not an argument of kind object or place; known: theme",
        ),
        ("goal: [robot_at(goal)]", 'goal: ["robot_at(goal, goal)"]', "14: actions.go_to.goal.0: 'robot_at' has 1 argument, here are 2"),
        (
            "goal: [robot_at(goal)]",
            "goal: [robot_at(gaol)]",
            "14: actions.go_to.goal.0: unknown role 'gaol'; did you mean 'goal'? known: goal",
        ),
        (
            "goal: [robot_at(goal)]",
            "goal: [robot_att(goal)]",
            "14: actions.go_to.goal.0: no skill has 'robot_att' among its 'effects'; did you mean 'robot_at'?",
        ),
        # Placeholders.
        (
            'say: "go to {goal}"',
            'say: "go to {gaol}"',
            "14: actions.go_to.say: unknown placeholder 'gaol'; did you mean 'goal'? known: goal",
        ),
        (
            'say: "go to {goal}"',
            'say: "go to {goal"',
            "14: actions.go_to.say: a brace has no partner in 'go to {goal'; placeholders are written {role}",
        ),
        ('say: "go to {goal}"', 'say: "go to {goal!r}"', "14: actions.go_to.say: '{goal}' is not a placeholder; known: {goal}"),
        ('say: "go to {goal}"', 'say: "go to {}"', "14: actions.go_to.say: '{}' is not a placeholder; known: {goal}"),
        (
            'say: "go to {goal}"',
            'say: "go to {goal:miles}"',
            "14: actions.go_to.say: unknown unit 'miles'; known: degrees, metres; an amount is written {extent:metres}",
        ),
        ("ask: {goal:", "ask: {gaol:", "14: actions.go_to.ask.gaol: unknown role 'gaol'; did you mean 'goal'? known: goal"),
        ("Where to?", "Where to, {you}?", "14: actions.go_to.ask.goal: unknown placeholder 'you'; known: goal"),
        (
            "the {place}",
            "the {rooms}",
            "18: intents.go_to.examples.0: unknown placeholder 'rooms'; did you mean 'room'? known: category, direction",
        ),
        (
            "the {place}",
            "the {Place}",
            "18: intents.go_to.examples.0: a brace without a placeholder in 'go to the {Place}'; known: {category}, ",
        ),
        ("the {place}", "the {place:gaol}", "18: intents.go_to.examples.0: unknown role 'gaol'; did you mean 'goal'? known: goal"),
        ("name: small", 'chatter: ["see the {places}"]\nname: small', "1: chatter.0: unknown placeholder 'places'; did you mean 'place'?"),
        ("go to the {place}", " ", "18: intents.go_to.examples.0: an example must not be empty"),
        # Text.
        ("name: small", "name: 2020-13-45", "1: name: '2020-13-45' is not a valid YAML value; put quotes around it"),
        ("name: small", "name: small\nname: other", "2: name: 'name' is given twice; remove or rename one of them"),
        ("name: small", "? [name]\n: small\nname: small", "1: ?: a key must be a word; put quotes around anything else"),
    ],
)
def test_a_mistake_is_named_with_line_and_remedy(tmp_path: Path, old: str, new: str, found: str) -> None:
    assert SMALL.count(old) == 1
    first = findings(tmp_path, SMALL.replace(old, new))[0]
    assert first.startswith(f"home.yaml:{found}"), first


def test_all_mistakes_of_a_file_are_reported_at_once_by_line(tmp_path: Path) -> None:
    text = SMALL.replace("name: small", "nam: small").replace("pose: [1, 0, 0]", "pose: [1, 0]").replace("table: 1", "kichen: 1")
    text = text.replace("requires: [hand_empty()]", "requires: [hand_emty()]").replace("{place}", "{places}")
    assert [finding.split(":")[1] for finding in findings(tmp_path, text)] == ["1", "5", "7", "12", "18"]


def test_several_mistakes_of_one_entry_are_all_reported(tmp_path: Path) -> None:
    text = SMALL.replace("{inside: kitchen, pose: [1, 0, 0], surface: true}", "{inside: kichen, pose: [1, .nan, 0], surfase: true}")
    assert [finding.split(": ")[1] for finding in findings(tmp_path, text)] == [
        "places.table.pose.1",
        "places.table.surfase",
        "places.table.inside",
    ]


def test_mistakes_are_printed_one_a_line_and_at_most_twenty(tmp_path: Path) -> None:
    text = SMALL.replace("  cup:", "".join(f"  cup_{number}: {{}}\n" for number in range(30)) + "  cup:")
    path = tmp_path / "home.yaml"
    path.write_text(text)
    with pytest.raises(DomainError) as error:
        load_domain(path)
    assert len(error.value.findings) == 30
    lines = str(error.value).splitlines()
    assert (lines[0], lines[1], len(lines), lines[-1]) == ("30 mistakes:", error.value.findings[0], 22, "… and 10 more")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("pose: [0, 0, 0]", "pose: [0, 0]"),  # `inside: kitchen` is not also wrong
        ("effects: [robot_at(goal)]", "effects: [at goal]"),  # nor the goal that needs this effect
        ("category: cup", "category: 1"),
        ("me: {}", "me: {usual: 1}"),  # nor `speaker: me`
        ("name: small", "nam: small"),  # 'name' is misspelt, and not also missing
    ],
)
def test_what_follows_from_a_mistake_is_not_reported_as_another(tmp_path: Path, old: str, new: str) -> None:
    assert len(findings(tmp_path, SMALL.replace(old, new))) == 1


def test_lines_are_those_of_the_file_with_items_before_that_are_wrong(tmp_path: Path) -> None:
    factors = """priors:
  factors:
    - {name: one, when: {}, factor: 0}
    - {name: two, when: {}, factor: 2}
    - {name: three, when: {speaker: eve}, factor: 2}
"""
    assert [line.split(": u")[0] for line in findings(tmp_path, factors + SMALL)] == [
        "home.yaml:3: priors.factors.0.factor: must be above 0, this is 0",
        "home.yaml:5: priors.factors.2.when.speaker",
    ]


def test_a_mistake_in_an_included_file_is_named_there_after_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(SMALL.replace("kind: room", "kind: rom"))
    text = "include: [base.yaml]\nspeaker: you\nobjects:\n  cup: {}\n"
    assert [finding.split(": ")[0] for finding in findings(tmp_path, text)] == ["home.yaml:2", "home.yaml:4", "base.yaml:4"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"name: a\n# caf\xe9\n", "2: not UTF-8: byte 0xe9; save the file as UTF-8"),
        ("name: ä\n".encode("utf-16"), "1: not UTF-8: byte 0xff; save the file as UTF-8"),
        (b"name: a\nrobot: \x07\n", "2: not YAML: the character U+0007 cannot stand in text; remove it"),
        (b"name: a\nplaces:\n\tkitchen: {}\n", "3: not YAML: a tab; YAML is indented with spaces"),
        (b"name: *a\n", "1: not YAML: found undefined alias; put quotes around a text that begins with *"),
        (b"name: a\n---\nname: b\n", "2: not YAML: a second document begins here (---); write one per file"),
        (
            b"name: [a\n",
            "2: not YAML: did not find expected ',' or ']'; look for a missing colon, quote or bracket here or on the line before",
        ),
        (b"", "1: the file is empty: a domain file is a mapping with the keys places, objects, people, …"),
        (b"# nothing but a comment\n", "1: the file is empty: a domain file is a mapping with the keys places, objects, people, …"),
        (b"- a\n", "1: a domain file is a mapping with the keys places, objects, people, …"),
        (b"a: &a [*a]\n", "1: nested more than 32 levels deep; an alias (*name) may contain itself"),
        (b"a: " + b"[" * 100_000, "1: nested more than 32 levels deep; no file of ours needs that"),
        (b"include: skills.yaml\n", "1: include: a list of file names is expected: [sayso:skills.yaml, sayso:intents.yaml]"),
        (b"a: 1\ninclude: [skils.yaml]\n", "2: include: there is no file 'skils.yaml'; did you mean 'sayso:skills.yaml'?"),
        (b"include: ['sayso:skils.yaml']\n", "1: include: there is no file 'sayso:skils.yaml'; did you mean 'sayso:skills.yaml'?"),
    ],
)
def test_a_file_that_is_no_home_is_refused_with_its_true_line(tmp_path: Path, text: bytes, found: str) -> None:
    assert findings(tmp_path, text) == [f"home.yaml:{found}"]


def test_aliases_do_not_grow_without_bound(tmp_path: Path) -> None:
    laughs = "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    for one, next_one in zip("abcdefgh", "bcdefghi", strict=True):
        laughs += f"{next_one}: &{next_one} [{', '.join([f'*{one}'] * 10)}]\n"
    assert findings(tmp_path, laughs)[0].endswith(MANY)


def test_includes_do_not_grow_without_bound(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.yaml").write_text(f"include: [{number + 1}.yaml, {number + 1}.yaml]\n")
    (tmp_path / "20.yaml").write_text("name: small\n")
    assert findings(tmp_path, "include: [0.yaml]\n")[0].endswith("include: more than 100 files; include each of them once")


def test_a_folder_and_a_file_that_is_too_large_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match="cannot be read: it is a folder; name a YAML file"):
        load_domain(tmp_path)
    large = tmp_path / "large.yaml"
    large.write_text("# " + "x" * 4_000_000)
    with pytest.raises(DomainError, match=r"large\.yaml: cannot be read: it is larger than 4 MB"):
        load_domain(large)


def test_a_file_with_a_byte_order_mark_loads(tmp_path: Path) -> None:
    (tmp_path / "home.yaml").write_text(SMALL, encoding="utf-8-sig")
    assert load_domain(tmp_path / "home.yaml").name == "small"


def test_files_that_come_with_sayso_are_included_from_anywhere(tmp_path: Path) -> None:
    (tmp_path / "home.yaml").write_text('include: ["sayso:home.yaml"]\nname: mine\n')
    assert load_domain(tmp_path / "home.yaml").objects == load_domain().objects


def test_every_field_of_the_models_has_a_description() -> None:
    from sayso.console.home_reference import FILES, _parts
    from sayso.yaml_source.docstrings import field_docs

    models = [part for model in FILES.values() for part in _parts(model)]
    assert len(models) > 25
    assert not [f"{part.__name__}.{name}" for part in models for name in part.model_fields if not field_docs(part).get(name)]


STRANGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(),
    st.sampled_from(["", " ", "{", "{rooms}", "*", "robot_at(", "robot_at(goal)", "kitchen", "me", "rom", "9" * 5000, "\u0007", "ä"]),
    st.lists(st.sampled_from(["kitchen", 1, None, "robot_at(goal)"]), max_size=3),
    st.dictionaries(st.sampled_from(["kitchen", "pose", "usual", "names", ""]), st.sampled_from([1, -1, None, "x", []]), max_size=2),
)


def places_in(data: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [at, *(place for key, value in items for place in places_in(value, (*at, key)))]


def plain_english(path: Path, loading: Any) -> None:
    """It loads, or is refused in our own words."""
    try:
        loading(path)
    except DomainError as error:
        for finding in error.findings:
            assert "\n" not in finding
            assert not any(
                theirs in finding for theirs in ("Input should", "Field required", "Value error", "Extra inputs", "String should")
            )


@examples(40)  # a file each; `make fuzz` reads many more
@given(data=st.data())
@pytest.mark.parametrize(("name", "loading"), [("home.yaml", load_domain), ("scene.yaml", load_scene)])
def test_a_starter_with_a_changed_value_loads_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, loading: Any, data: st.DataObject
) -> None:
    content = yaml.safe_load((STARTER / name).read_text(encoding="utf-8"))
    for _ in range(data.draw(st.integers(1, 3))):
        *around, key = data.draw(st.sampled_from([place for place in places_in(content) if place]))
        inner = content
        for part in around:
            inner = inner[part]
        match data.draw(st.sampled_from(["change", "rename", "remove"])):
            case "rename" if isinstance(inner, dict):
                inner[data.draw(st.sampled_from(["kichen", "pose", "0", "?"]))] = inner.pop(key)
            case "remove":
                del inner[key]
            case _:
                inner[key] = data.draw(STRANGE)
    path = tmp_path_factory.mktemp("changed") / name
    path.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    plain_english(path, loading)


@examples(40)
@given(at=st.integers(0, len(HOME) - 1), length=st.integers(0, 40), instead=st.text("{}[]:,*&!|>'\"\t\n -#a0é\x00", max_size=6))
def test_a_starter_with_changed_characters_loads_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, at: int, length: int, instead: str
) -> None:
    path = tmp_path_factory.mktemp("changed") / "home.yaml"
    path.write_text(HOME[:at] + instead + HOME[at + length :], encoding="utf-8")
    plain_english(path, load_domain)


def test_what_the_planner_knows_at_the_start_is_what_the_check_allows() -> None:
    from sayso.domain.literals import GIVEN
    from sayso.planning.belief import begin
    from sayso.types import Action, Context

    domain: Domain = load_domain()
    known = [begin(domain, Action("stop", ()), Context(place="kitchen", holding=held)).facts for held in ("", "red_cup")]
    assert {name: len(arguments) for facts in known for name, arguments in facts} == GIVEN
