"""The tab Home in a real browser: moved by keyboard, compared, saved; hostile names stay text; read-only."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from page_axe import serious
from page_keys import tab_to
from page_robot import PageRobot
from patience import PATIENCE
from sayso.domain import load_domain
from sayso.paths import default_domain
from sayso.scene import load_scene
from sayso.web.app import Console, build_app
from sayso.web.board import Board
from sayso.web.editor.draft import HomeDraft
from sayso.web.editor.routes import routes
from sayso.web.server import Address, Server
from sayso.web.sounds import Sounds
from small_flat import DOMAIN, SCENE

CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
pytest.importorskip("playwright", reason="Playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt install chromium")
SLOW = 60_000  # ms: on a busy machine
HOSTILE = "<img src=x onerror=\"document.title='broken'\">"


@pytest.fixture
def page() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page()
        opened.set_default_timeout(1000 * PATIENCE)
        opened.set_default_timeout(SLOW)
        yield opened
        browser.close()


@pytest.fixture
def flat(tmp_path: Path) -> Path:
    (tmp_path / "flat.yaml").write_text(DOMAIN)
    (tmp_path / "scene.yaml").write_text(SCENE)
    return tmp_path / "flat.yaml"


def serve(draft: HomeDraft) -> tuple[Server, str]:
    address = Address(port=0)
    listening = address.bind()
    port = listening.getsockname()[1]
    server = Server(build_app(Console(Board(), PageRobot(), Sounds()), address.access(port), routes(draft)), listening)
    return server, f"http://127.0.0.1:{port}/#home"


def test_furniture_is_moved_by_keyboard_compared_and_saved(page: Any, flat: Path) -> None:
    server, link = serve(HomeDraft(flat))
    try:
        page.goto(link)
        page.get_by_role("button", name="table: arrow keys move it").focus()
        page.keyboard.press("ArrowRight")
        page.get_by_role("button", name="Undo", disabled=False).wait_for()
        page.get_by_role("button", name="Show changes").click()
        page.get_by_text("+  table: {shape: table, at: [2.05, 2.2]").wait_for()
        page.get_by_role("button", name="Save").click()
        page.get_by_text(f"sayso up --domain {flat}").wait_for()
        assert load_scene(flat.parent / "scene.yaml").furniture["table"].at == (2.05, 2.2)
    finally:
        server.close()


def test_names_with_markup_stay_text_and_mistakes_are_shown_with_their_line(page: Any, flat: Path) -> None:
    server, link = serve(HomeDraft(flat))
    try:
        page.goto(link)
        page.get_by_label("What to edit").select_option("object/my_mug")
        page.get_by_label("Names, the robot uses the first").first.fill(HOSTILE)
        page.get_by_label("Names, the robot uses the first").first.blur()
        page.get_by_role("heading", name=HOSTILE).wait_for()
        usual = page.get_by_label("Usual places, with weights")
        usual.fill("tabel: 3")
        usual.blur()
        page.get_by_text("flat.yaml:16").wait_for()
        assert page.title() == "Sayso"
    finally:
        server.close()


def test_a_wall_is_moved_and_a_doorway_too_by_keyboard_alone(page: Any, flat: Path) -> None:
    scene = flat.parent / "scene.yaml"
    scene.write_text(SCENE.replace("{start: [0, 4], end: [5, 4]}", "{start: [0, 4], end: [5, 4], openings: [[1, 2]]}"))
    server, link = serve(HomeDraft(flat))
    try:
        page.goto(link)
        page.get_by_role("button", name="kitchen: arrow keys move it", exact=True).wait_for()
        tab_to(page, "kitchen: arrow keys move it")
        tab_to(page, "north wall of kitchen: arrow keys move it")
        page.keyboard.press("ArrowUp")
        page.get_by_role("button", name="Undo", disabled=False).wait_for()
        assert page.get_by_role("textbox", name="north").input_value() == "4.05"
        tab_to(page, "door kitchen: arrow keys move it", back=True)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        tab_to(page, "Show changes", back=True)  # what was moved is done before its pause is over
        page.keyboard.press("Enter")
        page.get_by_text("openings: [[1.1, 2.1]]").wait_for()
        assert "+  - {start: [0, 4.05], end: [5, 4.05]" in page.locator(".diff").inner_text()
    finally:
        server.close()


def test_the_wall_of_a_room_is_dragged(page: Any, flat: Path) -> None:
    server, link = serve(HomeDraft(flat))
    try:
        page.goto(link)
        page.get_by_label("What to edit").select_option("place/kitchen")
        box = page.get_by_role("button", name="east wall of kitchen").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + 0.3 * box["height"]
        metre = page.locator("rect.room").bounding_box()["width"] / 5
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + metre, y, steps=4)
        page.mouse.up()
        page.get_by_role("button", name="Undo", disabled=False).wait_for()
        assert float(page.get_by_role("textbox", name="east").input_value()) == pytest.approx(6, abs=0.06)
    finally:
        server.close()


def test_new_furniture_and_a_new_person_are_put_where_there_is_room(page: Any, flat: Path) -> None:
    server, link = serve(HomeDraft(flat))
    try:
        page.goto(link)
        for title, name in (("New furniture", "tool shelf"), ("A new person", "max")):
            page.get_by_text(title, exact=True).click()
            form = page.locator("details[open] form")
            form.get_by_label("Names").fill(name)
            if name == "tool shelf":
                form.get_by_label("Looks like").select_option("bookshelf")
            form.get_by_role("button", name="Add").click()
            page.get_by_role("button", name=f"{name}: arrow keys move it").wait_for()
        page.get_by_text("Everything is fine").wait_for()
        page.get_by_role("button", name="Save").click()
        page.get_by_text(f"sayso up --domain {flat}").wait_for()
        assert (load_domain(flat).places["tool_shelf"].inside, load_domain(flat).people["max"].names) == ("kitchen", ("max",))
    finally:
        server.close()


def test_new_furniture_and_a_new_person_are_made_and_moved_by_keyboard_alone(page: Any, flat: Path) -> None:
    server, link = serve(HomeDraft(flat))
    try:
        page.goto(link)
        page.get_by_role("button", name="table: arrow keys move it").wait_for()
        for title, keys in (("New furniture", ["tool shelf", "bookshelf"]), ("A new person", ["max"])):
            tab_to(page, title)
            page.keyboard.press("Enter")
            for text in keys:
                page.keyboard.press("Tab")
                page.keyboard.type(text)
            tab_to(page, "Add")
            page.keyboard.press("Enter")
            name = f"{keys[0]}: arrow keys move it"
            page.get_by_role("button", name=name).wait_for()
            tab_to(page, name)
            before = page.get_by_role("textbox", name="x, m").input_value()
            page.keyboard.press("ArrowLeft")
            page.wait_for_function("before => [...document.querySelectorAll('.numbers input')][0].value < before", arg=before)
        page.get_by_text("Everything is fine").wait_for()
        tab_to(page, "Save")
        page.keyboard.press("Enter")
        page.get_by_text(f"sayso up --domain {flat}").wait_for()
        assert (load_domain(flat).places["tool_shelf"].inside, load_domain(flat).people["max"].names) == ("kitchen", ("max",))
    finally:
        server.close()


def test_whatever_can_be_dragged_can_be_moved_by_keys_and_says_so(page: Any) -> None:
    server, link = serve(HomeDraft(default_domain()))
    try:
        page.goto(link)
        page.get_by_label("What to edit").select_option("place/kitchen")
        items = page.locator(".editor-plan .item")
        page.locator(".item.edge").first.wait_for()
        assert {each.split()[1] for each in items.evaluate_all("all => all.map(each => each.getAttribute('class'))")} == {
            *("door", "decor", "furniture", "object", "person", "place", "edge")
        }
        named = "all => all.every(each => each.tabIndex === 0 && each.getAttribute('aria-label').endsWith(': arrow keys move it'))"
        assert items.evaluate_all(named)
    finally:
        server.close()


def test_a_home_of_sayso_can_be_downloaded_where_it_cannot_be_saved(page: Any) -> None:
    server, link = serve(HomeDraft(default_domain()))
    try:
        page.goto(link)
        with page.expect_download() as waiting:
            page.get_by_role("link", name="Download a copy").click()
        assert waiting.value.suggested_filename == "home.zip"
        assert page.get_by_role("button", name="Save").count() == 0
    finally:
        server.close()


def test_read_only_nothing_can_be_changed(page: Any, flat: Path) -> None:
    server, link = serve(HomeDraft(flat, read_only=True))
    try:
        page.goto(link)
        page.get_by_role("button", name="table", exact=True).focus()
        page.keyboard.press("ArrowRight")
        assert page.get_by_label("Names, the robot uses the first").is_disabled()
        assert page.get_by_role("button", name="Save").is_disabled()
        assert load_domain(flat).name == "flat"
        assert flat.read_text() == DOMAIN
    finally:
        server.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_screen_reader_and_weak_eyes_find_everything(page: Any, flat: Path, scheme: str) -> None:
    server, link = serve(HomeDraft(flat))
    context = page.context.browser.new_context(color_scheme=scheme, bypass_csp=True)
    try:
        opened = context.new_page()
        opened.set_default_timeout(1000 * PATIENCE)
        opened.set_default_timeout(SLOW)
        opened.goto(link)
        for chosen in ("place/kitchen", "furniture/table"):
            opened.get_by_label("What to edit").select_option(chosen)
            opened.wait_for_timeout(300)
            assert serious(opened) == []
    finally:
        context.close()
        server.close()
