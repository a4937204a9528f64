"""The tab Recordings in a real browser: played by the keyboard, compared, with hostile texts, and on a phone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from page_axe import serious
from page_keys import tab_to
from page_robot import Served
from patience import PATIENCE
from recorded_run import record_run
from replay_bags import heard, save
from sayso.web import recordings
from sayso.web.server import Address

CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
pytest.importorskip("playwright", reason="Playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt install chromium")
HOSTILE = "<img src=x onerror=\"document.title='broken'\">"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("runs")
    record_run(folder / "demo")
    save(folder / "hostile", [heard(1.0, HOSTILE), heard(3.0, "bring me the cup")])
    listed, end = recordings.routes([folder])
    made = Served(Address(port=0), more=listed)
    yield made
    end()
    made.server.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any, served: Served) -> Iterator[Any]:
    context = browser.new_context()
    opened = context.new_page()
    opened.set_default_timeout(1000 * PATIENCE)
    opened.errors = []
    opened.on("pageerror", lambda error: opened.errors.append(str(error)))
    opened.on("console", lambda message: opened.errors.append(message.text) if "Content Security Policy" in message.text else None)
    opened.goto(f"http://127.0.0.1:{served.port}/#recordings")
    opened.get_by_role("button", name="demo").wait_for()
    yield opened
    assert opened.errors == []
    context.close()


def test_a_run_is_played_by_the_keyboard_alone(page: Any) -> None:
    page.get_by_role("button", name="demo").focus()
    page.keyboard.press("Enter")
    line = page.get_by_role("slider", name="time")
    line.focus()
    assert page.locator(".story").count() == 0
    page.keyboard.press("End")
    page.locator(".story").nth(2).wait_for()
    page.get_by_role("img", name="What the robot saw").wait_for()
    assert page.locator(".robot circle").count() == 1
    page.keyboard.press("Home")
    page.locator(".story").wait_for(state="detached")
    page.get_by_label("Speed").select_option("20")
    page.get_by_role("button", name="Play", exact=True).press("Enter")
    page.locator(".story").filter(has_text="bring me the red cup from the kitchen").get_by_text("done", exact=True).wait_for()
    page.get_by_role("button", name="Pause").press("Enter")
    assert "/ 1:24" in page.locator(".clock").inner_text()


def test_two_runs_are_compared_by_the_keyboard_alone(page: Any) -> None:
    tab_to(page, "demo")
    page.keyboard.press("Enter")
    page.get_by_role("slider", name="time").wait_for()
    tab_to(page, "Compare with")
    page.keyboard.press("Enter")
    page.get_by_role("region", name="Both on one time line").wait_for()
    tab_to(page, "time")
    page.keyboard.press("End")
    page.get_by_role("region", name="B: What was said").get_by_text("bring me the cup", exact=False).first.wait_for()
    tab_to(page, "Play it alone")
    page.keyboard.press("Enter")
    page.get_by_role("region", name="Player").wait_for()


def test_a_recorded_sentence_offers_nothing_that_would_command_the_robot(page: Any, served: Served) -> None:
    page.get_by_role("button", name="demo").click()
    page.get_by_role("button", name="The next sentence").click()
    page.get_by_role("slider", name="time").press("End")
    page.locator(".story").first.wait_for()
    assert page.locator(".story .actions button").count() == 0
    assert served.robot.calls == []


def test_two_recordings_are_compared(page: Any) -> None:
    page.get_by_role("button", name="demo").click()
    page.get_by_role("button", name="Compare with").click()
    table = page.get_by_role("table").filter(has_text="meant")
    assert "bring me the cup" in table.inner_text()
    assert "not there" in table.inner_text()


def test_two_recordings_play_on_one_time_line_and_begin_the_same_sentence_together(page: Any) -> None:
    page.get_by_role("button", name="demo").click()
    page.get_by_role("button", name="Compare with").click()
    page.get_by_role("region", name="Both on one time line").wait_for()
    assert page.get_by_role("region", name="A: Map of the home").locator("svg .room").count() > 0
    assert page.get_by_role("region", name="B: Map of the home").locator("svg .room").count() > 0
    page.get_by_role("slider", name="time").press("End")
    page.get_by_role("region", name="A: What was said").get_by_text("bring me the red cup from the kitchen").first.wait_for()
    page.get_by_role("region", name="B: What was said").get_by_text("bring me the cup", exact=False).first.wait_for()
    page.get_by_role("button", name="Play it alone").press("Enter")
    page.get_by_role("region", name="Player").wait_for()
    assert page.locator(".versus").count() == 0 or not page.locator(".versus").is_visible()


def test_the_common_time_line_stretches_nothing_and_lets_the_faster_one_wait(page: Any) -> None:
    told = page.evaluate(
        """async () => {
        const {timeline, pairsOf} = await import('./together.js');
        const line = timeline([[2, 1], [6, 9]], [10, 12]);
        const rows = [{first: {}, second: {}}, {first: {}, second: null}, {first: null, second: {}}, {first: {}, second: {}}];
        const marks = [[1, 4, 8], [2, 5, 7]].map(each => each.map(t => ({t, seconds: 1, sound: false})));
        return [
            line.seconds, [0, 1, 1.5, 2, 6, 9, 10, 14].map(line.at), [line.of(0, 6), line.of(1, 9), line.of(1, 1)], pairsOf(rows, marks),
            timeline([], [3, 5]).at(4), timeline([[5, 5], [4, 6]], [9, 9]).seconds];
        }"""
    )
    at = [[0, 0], [1, 1], [1.5, 1], [2, 1], [6, 5], [6, 8], [6, 9], [10, 12]]
    assert told == [14, at, [10, 10, 2], [[0, 1], [7, 6]], [3, 4], 9]


def test_hostile_sentences_are_shown_and_not_obeyed(page: Any) -> None:
    page.get_by_role("button", name="hostile").click()
    page.get_by_role("slider", name="time").press("End")
    page.locator(".story").get_by_text(HOSTILE).first.wait_for()
    page.get_by_role("button", name="Compare with").click()
    page.locator(".versus").get_by_text(HOSTILE).first.wait_for()
    assert page.title() == "Sayso"
    assert page.locator("img[src=x]").count() == 0


def test_it_fits_on_a_phone(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="demo").click()
    page.get_by_role("slider", name="time").press("End")
    page.locator(".story").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Compare with").click()
    page.get_by_role("region", name="Both on one time line").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_recordings_it_says_what_to_do(browser: Any, tmp_path: Path) -> None:
    listed, end = recordings.routes([tmp_path])
    made = Served(Address(port=0), more=listed)
    opened = browser.new_page()
    opened.set_default_timeout(1000 * PATIENCE)
    opened.goto(f"http://127.0.0.1:{made.port}/#recordings")
    opened.get_by_text("No recordings yet: `sayso demo`").wait_for()
    assert opened.get_by_role("columnheader").count() == 0
    opened.close()
    end()
    made.server.close()


def test_every_field_and_button_has_a_name(page: Any) -> None:
    page.get_by_role("button", name="demo").click()
    page.get_by_role("slider", name="time").wait_for()
    nameless = page.evaluate(
        "[...document.querySelectorAll('button, input, select')].filter(each => !(each.getAttribute('aria-label') "
        "|| each.textContent.trim() || each.labels?.length)).map(each => each.outerHTML)"
    )
    assert nameless == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_screen_reader_and_weak_eyes_find_everything(browser: Any, served: Served, scheme: str) -> None:
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    opened = context.new_page()
    opened.set_default_timeout(1000 * PATIENCE)
    opened.goto(f"http://127.0.0.1:{served.port}/#recordings")
    opened.get_by_role("button", name="demo").click()
    opened.get_by_role("slider", name="time").press("End")
    opened.locator(".story").nth(2).wait_for()
    assert serious(opened) == []
    opened.get_by_role("button", name="Compare with").click()
    opened.get_by_role("region", name="Both on one time line").wait_for()
    opened.get_by_role("slider", name="time").press("End")
    assert serious(opened) == []
    context.close()
