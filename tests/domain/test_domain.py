"""The domain file: correct files load, mistakes are reported with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sayso.domain import load_domain
from sayso.domain.vocabulary import parse_literal
from sayso.errors import DomainError
from sayso.paths import default_domain

INTENTS = [
    "go_to",
    "come_here",
    "move",
    "turn",
    "find",
    "pick_up",
    "put",
    "bring",
    "give",
    "follow",
    "guide",
    "greet",
    "tell",
    "answer",
    "describe",
    "count",
    "open",
    "close",
    "switch_on",
    "switch_off",
    "pour",
    "clean",
    "wait",
    "stop",
    "resume",
    "cancel",
    "repeat",
    "dock",
]
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
  navigate_to: {arguments: {goal: place}, effects: [robot_at(goal)]}
actions:
  go_to: {goal: [robot_at(goal)]}
intents:
  go_to:
    roles: {goal: {kinds: [place], required: true}}
    examples: ["go to the {place}"]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "home.yaml"
    path.write_text(text)
    return path


def test_the_default_home_has_what_the_readme_promises() -> None:
    domain = load_domain()
    rooms = {place_id for place_id, place in domain.places.items() if place.kind == "room"}
    assert rooms == {"hallway", "living_room", "kitchen", "dining_room", "bedroom", "bathroom", "study"}
    assert len(domain.objects) >= 40
    assert set(INTENTS) == set(domain.intents)


def test_what_the_robot_has_no_skill_for_has_a_name_to_decline_it_by() -> None:
    domain = load_domain()
    declined = [name for name, action in domain.actions.items() if not action.goal]
    assert {"answer", "count"} <= set(declined)
    assert all(domain.actions[name].say for name in declined)


def test_a_small_home_is_enough(tmp_path: Path) -> None:
    domain = load_domain(write(tmp_path, SMALL))
    assert domain.intents["go_to"].actions == {"go_to": 1.0}
    assert domain.spoken("cup") == "the cup"
    assert domain.room_of("table") == "kitchen"


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("usual: {table: 1}", "usual: {garage: 1}", 7, "unknown place 'garage'"),
        ("inside: kitchen", "inside: cellar", 5, "unknown place 'cellar'"),
        ("speaker: me", "speaker: you", 2, "unknown person 'you'"),
        ("pose: [1, 0, 0]", "pose: [1, 0]", 5, "places.table.pose: 3 values are expected, there are 2 ([x, y, yaw] in m, m, rad"),
        (
            "surface: true",
            "surfaces: true",
            5,
            "unknown field 'surfaces'; did you mean 'surface'? known: inside, kind, names, opens, pose, stores, surface",
        ),
        (
            "goal: [robot_at(goal)]",
            "goal: [robot_with(goal)]",
            13,
            "no skill has 'robot_with' among its 'effects'; did you mean 'robot_at'? known: robot_at",
        ),
        ("effects: [robot_at(goal)]", "effects: [robot_at(place)]", 11, "not an argument of the skill"),
        ("effects: [robot_at(goal)]", "effects: [at goal]", 11, "predicate(argument"),
        (
            "effects: [robot_at(goal)]",
            "effects: [robot_at(goal)], needs: {goal: opens, door: opens}",
            11,
            "'door' is not an argument of kind place",
        ),
        ("effects: [robot_at(goal)]", "effects: [robot_at(goal)], needs: {goal: floats}", 11, "'floats' is not allowed"),
        ("surface: true", "surface: true, opens: perhaps", 5, "true or false is expected"),
        ('examples: ["go to the {place}"]', "examples: []", 17, "at least one example"),
        ("name: small", "name: small\nname: twice", 2, "given twice"),
        ("name: small", "name: [small", 2, "not YAML"),
        ("    examples:", "    actions: {fly: 1}\n    examples:", 17, "unknown action 'fly'"),
        ("category: cup", "category: cup, care: 0.5", 7, "must be at least 1, this is 0.5"),
        *(
            ("name: small", f"name: small\npriors: {{{wrong}}}", 2, says)
            for wrong, says in (
                ("actions: {fly: 2}", "unknown action 'fly'"),
                ("actions: {go_to: -1}", "must be at least 0, this is -1"),
                ("actions: {go_to: .nan}", "finite number"),
                ("context_within: 0", "must be above 0, this is 0"),
                ("factors: [{name: f, when: {}, factor: 0}]", "must be above 0, this is 0"),
                ("factors: [{name: f, when: {holding: cpu}, factor: 2}]", "unknown 'cpu'; did you mean 'cup'? known: any, cup, goal, none"),
                ("factors: [{name: f, when: {visible: cpu}, factor: 2}]", "unknown 'cpu'"),
                ("factors: [{name: f, when: {speaker: eve}, factor: 2}]", "unknown 'eve'; known: me"),
                ("factors: [{name: f, when: {last_action: fly}, factor: 2}]", "unknown 'fly'; known: go_to"),
            )
        ),
        ("    examples:", "    actions: {go_to: 0.5}\n    examples:", 17, "must sum to 1"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, line: int, says: str) -> None:
    assert old in SMALL
    with pytest.raises(DomainError) as error:
        load_domain(write(tmp_path, SMALL.replace(old, new)))
    message = str(error.value)
    assert f"home.yaml:{line}:" in message
    assert says in message
    assert "\n" not in message


@pytest.mark.parametrize("text", ["", "[]", "just words", "\x00"])
def test_a_file_that_is_no_domain_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(DomainError) as error:
        load_domain(write(tmp_path, text))
    assert "\n" not in str(error.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match=r"nowhere\.yaml"):
        load_domain(tmp_path / "nowhere.yaml")


def test_a_binary_file_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "home.yaml"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(DomainError):
        load_domain(path)


def test_a_users_home_can_replace_one_shipped_entry(tmp_path: Path) -> None:
    path = write(tmp_path, f"include: [{default_domain()}]\nname: mine\nobjects:\n  red_cup: {{names: [my mug], category: cup}}\n")
    domain = load_domain(path)
    assert domain.name == "mine"
    assert domain.spoken("red_cup") == "my mug"
    assert "blue_cup" in domain.objects


def test_links_in_a_circle_are_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("b.yaml")
    (tmp_path / "b.yaml").symlink_to("a.yaml")
    with pytest.raises(DomainError, match=r"a\.yaml: cannot be read"):
        load_domain(tmp_path / "a.yaml")
    with pytest.raises(DomainError, match=r"home\.yaml:1: include: no file can be named so: 'a\.yaml'|a\.yaml: cannot be read"):
        load_domain(write(tmp_path, "include: [a.yaml]\n"))


def test_a_file_that_includes_itself_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match="includes itself"):
        load_domain(write(tmp_path, "include: [home.yaml]\n"))


@pytest.mark.parametrize("name", ["\\0", "a\\0.yaml", "x" * 5000, "/", ""])
def test_an_include_that_no_file_can_be_named_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(DomainError, match=r"home\.yaml:2: include: no file can be named|cannot be read|includes itself"):
        load_domain(write(tmp_path, f'name: mine\ninclude: ["{name}"]\n'))


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    )
)
def test_no_yaml_whatever_it_holds_gives_more_than_a_domain_error(tmp_path_factory: pytest.TempPathFactory, content: object) -> None:
    section = {"places": content, "intents": content, "include": content, "name": "x"}
    path = write(tmp_path_factory.mktemp("domain"), yaml.safe_dump(section))
    with pytest.raises(DomainError):
        load_domain(path)


@given(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), st.lists(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), max_size=3))
def test_a_literal_is_read_as_it_was_written(name: str, arguments: list[str]) -> None:
    assert parse_literal(f"{name}({', '.join(arguments)})") == (name, tuple(arguments))
