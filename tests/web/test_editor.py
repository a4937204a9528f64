"""The editor of the home: every edit, every bad input, and files that change or cannot be written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from starlette.testclient import TestClient

from page_robot import PageRobot
from sayso.domain import load_domain
from sayso.paths import default_domain
from sayso.scene import load_scene
from sayso.web.app import Console, build_app
from sayso.web.board import Board
from sayso.web.editor.draft import HomeDraft
from sayso.web.editor.routes import routes
from sayso.web.guard import Access
from sayso.web.sounds import Sounds
from sayso.yaml_source.surgery import comments
from small_disk import small_disk
from small_flat import DOMAIN, SCENE

HOST = "127.0.0.1:8420"
Post = Callable[..., dict[str, Any]]


@pytest.fixture
def flat(tmp_path: Path) -> Path:
    (tmp_path / "flat.yaml").write_text(DOMAIN)
    (tmp_path / "scene.yaml").write_text(SCENE)
    return tmp_path / "flat.yaml"


def serve(draft: HomeDraft) -> TestClient:
    console = Console(Board(), PageRobot(), Sounds())
    return TestClient(build_app(console, Access(frozenset({HOST})), routes(draft)), base_url=f"http://{HOST}")


@pytest.fixture
def client(flat: Path) -> Iterator[TestClient]:
    with serve(HomeDraft(flat)) as made:
        yield made


@pytest.fixture
def edit(client: TestClient) -> Post:
    def post(**what: Any) -> dict[str, Any]:
        revision = client.get("/api/editor/home").json()["revision"]
        return dict(client.post("/api/editor/edit", json={"revision": revision, "edit": what}).json())

    return post


def save(client: TestClient) -> dict[str, Any]:
    return dict(client.post("/api/editor/save", json={"revision": client.get("/api/editor/home").json()["revision"]}).json())


def texts_of_comments(text: str) -> list[str]:
    return [text[begin:end] for begin, end in comments(text)]


def test_moved_furniture_takes_the_robots_place_along_and_is_saved_with_all_comments(flat: Path, client: TestClient, edit: Post) -> None:
    home = edit(do="move", kind="furniture", id="table", x=2.5, y=2.2, yaw=-90)
    assert home["plan"]["furniture"]["table"]["at"] == [2.5, 2.2]
    assert home["places"]["table"]["at"] == [2.5, 1.4]
    assert "+  table: {shape: table, at: [2.5, 2.2], yaw: -90" in client.get("/api/editor/diff").json()["diff"]
    assert save(client)["file"] == str(flat)
    assert load_domain(flat).places["table"].pose == (2.5, 1.4, 1.571)
    assert load_scene(flat.parent / "scene.yaml").furniture["table"].at == (2.5, 2.2)
    assert (flat.parent / "flat.yaml.before").read_text() == DOMAIN
    for file, before in (("flat.yaml", DOMAIN), ("scene.yaml", SCENE)):
        assert texts_of_comments((flat.parent / file).read_text()) == texts_of_comments(before)
    assert client.get("/api/editor/home").json()["edited"] is False


def test_turned_furniture_takes_the_robots_place_around_it(edit: Post) -> None:
    place = edit(do="move", kind="furniture", id="table", x=2.0, y=2.2, yaw=0)["places"]["table"]
    assert place["at"] == pytest.approx([2.8, 2.2])
    assert abs(place["yaw"]) == pytest.approx(180, abs=0.1)


def test_a_thing_stands_where_it_was_dropped(edit: Post) -> None:
    home = edit(do="move", kind="object", id="my_mug", x=2.2, y=2.1)
    assert home["plan"]["objects"]["my_mug"] == pytest.approx([2.2, 2.1], abs=2e-3)
    assert "nothing there" in edit(do="move", kind="object", id="my_mug", x=0.5, y=0.5)["message"]


def test_people_and_places_move(edit: Post) -> None:
    assert edit(do="move", kind="person", id="eve", x=4.0, y=3.0, yaw=90)["plan"]["people"]["eve"] == {"at": [4.0, 3.0], "yaw": 90}
    assert edit(do="move", kind="place", id="kitchen", x=1.5, y=1.0, yaw=90)["places"]["kitchen"]["yaw"] == pytest.approx(90, abs=0.1)


def test_names_colours_and_usual_places_are_set(flat: Path, client: TestClient, edit: Post) -> None:
    edit(do="set", kind="object", id="my_mug", field="names", value=["tea mug", "no", "<script>alert(1)</script>"])
    edit(do="set", kind="object", id="my_mug", field="color", value="blue")
    edit(do="set", kind="object", id="my_mug", field="usual", value={"table": 2, "kitchen": 0.5})
    edit(do="set", kind="person", id="eve", field="names", value=["eve", "mum"])
    edit(do="set", kind="place", id="table", field="names", value=["dinner table"])
    assert save(client)["ok"]
    home = load_domain(flat)
    assert home.objects["my_mug"].names == ("tea mug", "no", "<script>alert(1)</script>")
    assert home.objects["my_mug"].usual == {"table": 2, "kitchen": 0.5}
    assert (home.objects["my_mug"].attributes, home.people["eve"].names) == ({"color": "blue"}, ("eve", "mum"))
    assert home.places["table"].names == ("dinner table",)


def test_a_thing_is_added_where_there_is_room_and_removed_again(flat: Path, client: TestClient, edit: Post) -> None:
    assert edit(do="add", kind="object", id="tin", names=["tin"], category="tin", color="red", on="table", shape="can")["ok"]
    assert client.post("/api/editor/check", json={"reach": True}).json()["problems"] == []
    assert edit(do="remove", kind="object", id="my_mug")["ok"]
    assert save(client)["ok"]
    assert set(load_domain(flat).objects) == set(load_scene(flat.parent / "scene.yaml").objects) == {"tin"}
    assert "# from grandma" in flat.read_text()


def test_new_sentences_lead_to_their_action_at_once(client: TestClient, edit: Post) -> None:
    home = edit(do="intent", id="thirst", action="bring", examples=["i am parched get me the {object}", "my throat wants the {object}"])
    assert home["intents"]["thirst"]["actions"] == ["bring"]
    understood = client.post("/api/editor/try", json={"text": "my throat wants the mug"}).json()
    assert max(understood["clauses"][0]["intents"], key=understood["clauses"][0]["intents"].get) == "thirst"
    assert understood["clauses"][0]["candidates"][0]["call"] in ("bring(my_mug)", "bring(eve, my_mug)")


def test_undo_brings_the_home_before_back(client: TestClient, edit: Post) -> None:
    edit(do="set", kind="person", id="eve", field="names", value=["mum"])
    assert client.post("/api/editor/undo", json={}).json()["edited"] is False
    assert client.post("/api/editor/undo", json={}).json() == {"ok": False, "message": "there is nothing to undo"}


def test_mistakes_are_listed_with_file_and_line_and_not_saved(flat: Path, client: TestClient, edit: Post) -> None:
    edit(do="set", kind="object", id="my_mug", field="usual", value={"tabel": 1})
    edit(do="move", kind="furniture", id="table", x=0.1, y=2.2)
    found = client.post("/api/editor/check", json={}).json()["problems"]
    assert {
        "file": "flat.yaml",
        "line": 16,
        "text": "objects.my_mug.usual.tabel: unknown place 'tabel'; did you mean 'table'? known: kitchen, table",
    } in found
    assert any(each["file"] == "scene.yaml" and each["line"] == 12 for each in found)
    assert "mistakes are left" in save(client)["message"]
    assert flat.read_text() == DOMAIN


NONSENSE: list[dict[str, Any]] = [
    {},
    {"do": "format"},
    {"do": ["move"]},
    {"do": "move", "kind": "furniture", "id": "sofa", "x": 1, "y": 1},
    {"do": "move", "kind": "furniture", "id": "../table", "x": 1, "y": 1},
    {"do": "move", "kind": "furniture", "id": "table", "x": "1", "y": 1},
    {"do": "move", "kind": "furniture", "id": "table", "x": 1e9, "y": 1},
    {"do": "move", "kind": "wall", "id": "table", "x": 1, "y": 1},
    {"do": "set", "kind": "object", "id": "my_mug", "field": "names", "value": "mug"},
    {"do": "set", "kind": "object", "id": "my_mug", "field": "names", "value": ["a\u0000b"]},
    {"do": "set", "kind": "object", "id": "my_mug", "field": "names", "value": ["x" * 201]},
    {"do": "set", "kind": "object", "id": "my_mug", "field": "shape", "value": "cup"},
    {"do": "set", "kind": ["object"], "id": "my_mug", "field": "names", "value": ["a"]},
    {"do": "set", "kind": "object", "id": "my_mug", "field": "size", "value": -1},
    {"do": "add", "kind": "object", "id": "my_mug", "names": ["mug"], "category": "cup", "on": "table", "shape": "cup"},
    {"do": "add", "kind": "object", "id": "tin", "names": ["tin"], "category": "tin", "on": "table", "shape": "sofa"},
    {"do": "add", "kind": "object", "id": "tin", "names": ["tin"], "category": "tin", "on": "kitchen", "shape": "can"},
    {"do": "add", "id": "tin", "names": ["tin"], "category": "tin", "on": "table", "shape": "can"},
    {"do": "remove", "kind": "place", "id": "table"},
    {"do": "remove", "kind": "furniture", "id": "kitchen"},
    {"do": "intent", "id": "bring", "action": "bring", "examples": ["x"]},
    {"do": "intent", "id": "a", "action": "fly", "examples": ["x"]},
    {"do": "intent", "id": "a", "action": "bring", "examples": []},
]


def test_nonsense_is_refused_and_changes_nothing(client: TestClient, edit: Post) -> None:
    def is_refused(what: dict[str, Any]) -> bool:
        answer = edit(**what)
        return not answer["ok"] and bool(answer["message"]) and client.get("/api/editor/home").json()["edited"] is False

    assert [what for what in NONSENSE if not is_refused(what)] == []


@pytest.mark.parametrize("body", ["{", "[]", "7", "[" * 20000, '{"edit": {}}', '{"revision": "1", "edit": 3}', "x" * 70_000])
def test_bodies_that_are_no_edit_are_refused(client: TestClient, body: str) -> None:
    answer = client.post("/api/editor/edit", content=body)
    assert answer.status_code in (400, 413)
    assert answer.json()["ok"] is False


def test_the_page_that_comes_second_is_told(client: TestClient) -> None:
    revision = client.get("/api/editor/home").json()["revision"]
    what = {"do": "set", "kind": "person", "id": "eve", "field": "names", "value": ["mum"]}
    assert client.post("/api/editor/edit", json={"revision": revision, "edit": what}).json()["ok"]
    assert "another page" in client.post("/api/editor/edit", json={"revision": revision, "edit": what}).json()["message"]


def test_what_another_program_wrote_is_not_overwritten(flat: Path, client: TestClient, edit: Post) -> None:
    edit(do="set", kind="person", id="eve", field="names", value=["mum"])
    flat.write_text(DOMAIN + "# mine\n")
    assert "changed or removed by another program" in save(client)["message"]
    assert flat.read_text() == DOMAIN + "# mine\n"
    flat.unlink()
    assert save(client)["ok"] is False
    assert not flat.exists()
    flat.write_text(DOMAIN)
    assert client.post("/api/editor/reload", json={}).json()["edited"] is False


def test_a_full_or_protected_disk_changes_nothing_and_the_edits_are_kept(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        (disk.folder / "flat.yaml").write_text(DOMAIN)
        (disk.folder / "scene.yaml").write_text(SCENE)
        with serve(HomeDraft(disk.folder / "flat.yaml")) as client:
            revision = client.get("/api/editor/home").json()["revision"]
            what = {"do": "set", "kind": "person", "id": "eve", "field": "names", "value": ["mum"]}
            client.post("/api/editor/edit", json={"revision": revision, "edit": what})
            disk.fill()
            assert "No space left on device" in save(client)["message"]
            assert sorted(path.name for path in disk.folder.iterdir()) == ["filling", "flat.yaml", "scene.yaml"]
            disk.empty()
            disk.protect()
            assert "Read-only file system" in save(client)["message"]
            disk.protect(False)
            assert (disk.folder / "flat.yaml").read_text() == DOMAIN
            assert save(client)["ok"]
            assert load_domain(disk.folder / "flat.yaml").people["eve"].names == ("mum",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "anchors"),
        ("name: [", "not YAML"),
        ("name: flat\nplaces: 7\n", "places"),
        ("{" * 100, "nested"),
        ("a: " + "[*b" * 3, "YAML"),
    ],
)
def test_files_that_cannot_be_edited_are_named(flat: Path, text: str, message: str) -> None:
    flat.write_text(text)
    with serve(HomeDraft(flat, flat.parent / "scene.yaml")) as client:
        answer = client.get("/api/editor/home")
    assert answer.status_code == 400
    assert message in answer.json()["message"]


def test_read_only_shows_and_checks_and_changes_nothing(flat: Path) -> None:
    with serve(HomeDraft(flat, read_only=True)) as client:
        home = client.get("/api/editor/home").json()
        assert (home["ok"], home["read_only"]) == (True, True)
        assert client.post("/api/editor/check", json={}).json()["problems"] == []
        for name in ("edit", "undo", "save"):
            assert "read-only" in client.post(f"/api/editor/{name}", json={"revision": home["revision"], "edit": {}}).json()["message"]


def test_a_home_of_sayso_that_is_saved_nowhere_can_be_taken_along(tmp_path: Path) -> None:
    draft = HomeDraft(default_domain())
    draft.edit({"do": "set", "kind": "person", "id": "anna", "field": "names", "value": ["anna", "mum"]}, draft.now.number)
    with serve(draft) as client:
        answer = client.get("/api/editor/copy")
    with ZipFile(BytesIO(answer.content)) as archive:
        archive.extractall(tmp_path)
    assert load_domain(tmp_path / "home.yaml").people["anna"].names == ("anna", "mum")
    assert load_scene(tmp_path / "apartment.yaml").name == "apartment"


def test_a_home_of_ones_own_is_saved_where_it_is_and_not_copied(client: TestClient) -> None:
    assert "it is saved to" in client.get("/api/editor/copy").json()["message"]


def test_a_home_of_sayso_is_saved_as_a_home_of_ones_own(tmp_path: Path) -> None:
    what = {"do": "set", "kind": "person", "id": "anna", "field": "names", "value": ["anna", "mum"]}
    nowhere, draft = HomeDraft(default_domain()), HomeDraft(default_domain(), folder=tmp_path / "homes")
    nowhere.edit(what, nowhere.now.number)
    assert nowhere.target() == ""
    draft.edit(what, draft.now.number)
    assert "+include: [sayso:skills.yaml, sayso:intents.yaml]" in draft.difference()
    files, texts = draft.files.copied(tmp_path, draft.now.texts)
    for path, text in texts.items():
        path.write_text(text)
    assert load_domain(files.domain).people["anna"].names == ("anna", "mum")
    assert files.scene is not None
    assert load_scene(files.scene).name == "apartment"
