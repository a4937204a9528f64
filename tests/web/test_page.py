"""The page in a real browser: talk, questions, STOP, hostile texts, a phone, the keyboard alone, and what a screen reader finds."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from page_axe import serious
from page_keys import tab_to
from page_robot import Served
from patience import PATIENCE
from sayso.domain import load_domain
from sayso.scene.load import load_scene
from sayso.web.app import LOOK, PAGE
from sayso.web.home import home_as_data
from sayso.web.server import Address

CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
pytest.importorskip("playwright", reason="Playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt install chromium")
PHONE = {"width": 390, "height": 844}
HOSTILE = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"


def candidate(words: str, p: float, prior: float, utility: float) -> dict[str, Any]:
    numbers = {"likelihood": 1.0, "prior": prior, "factors": {"visible": 2.0}, "posterior": p, "utility": utility}
    return {"clause": 0, "action": "bring", "arguments": {}, **numbers, "in_words": words}


HEARD = {
    "text": "bring me the cup",
    "alternatives": [{"text": "bring me the cup", "p": 0.9}],
    "confidence": 0.97,
    "rejected": "",
    "sound": False,
}
DECIDED = {
    "candidates": [candidate("bring the red cup", 0.6, 0.3, 0.4), candidate("bring the blue cup", 0.4, 0.2, 0.1)],
    "decision": "ask",
    "reason": "two cups fit",
    "question": "Which cup?",
    "then": "",
    "utilities": {"ask": 0.8, "execute": 0.4},
    "notes": [],
}
STORY = {"id": "u1", "stamp": 3.0, "heard": HEARD, "decided": DECIDED}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        sound = ("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream")
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *sound])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def home() -> dict[str, Any]:
    return home_as_data(load_domain(None), load_scene(None))


@pytest.fixture
def served(home: dict[str, Any]) -> Iterator[Served]:
    made = Served(Address(port=0))
    fill(made, home)
    yield made
    made.server.close()


def fill(served: Served, home: dict[str, Any]) -> None:
    robot = {"pose": [2.0, 2.0, 0.5], "place": "living_room", "holding": "", "battery": 0.8, "visible": [], "facts": []}
    served.show(home=home, page={"read_only": False}, stopped=False, listening=True, speaking=False, robot=robot)
    served.show(
        nodes={"planner": {"level": 0, "message": "active", "values": {"calls": "3"}}}, belief__red_cup={"counter": 0.7, "desk": 0.3}
    )


@pytest.fixture
def page(browser: Any, served: Served) -> Iterator[Any]:
    context = browser.new_context(bypass_csp=False)
    opened = context.new_page()
    opened.set_default_timeout(1000 * PATIENCE)
    opened.errors = []
    opened.on("pageerror", lambda error: opened.errors.append(str(error)))
    opened.on("console", lambda message: opened.errors.append(message.text) if "Content Security Policy" in message.text else None)
    opened.goto(f"http://127.0.0.1:{served.port}/")
    opened.wait_for_selector("svg .room")
    yield opened
    assert opened.errors == []
    context.close()


def until(true: Callable[[], bool], page: Any) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        page.wait_for_timeout(20)


def test_a_typed_sentence_reaches_the_robot_and_its_story_is_shown(page: Any, served: Served) -> None:
    page.get_by_role("textbox", name="Type a sentence").fill("bring me the cup")
    page.keyboard.press("Enter")
    until(lambda: served.robot.calls == [("say", "bring me the cup")], page)
    served.show(utterance__u1=STORY)
    story = page.locator(".story")
    story.get_by_text("Decided: ask which").click()
    assert story.get_by_role("row").filter(has_text="bring the red cup").inner_text().split("\t")[1:] == ["0.300", "1.00", "60 %", "0.40"]
    served.show(utterance__u1={**STORY, "outcome": {"succeeded": True, "reason": "done it", "seconds": 2.5}})
    story.get_by_text("2.5 s from the end").wait_for()
    assert story.get_by_role("row").count() > 1  # what was open stays open


def test_a_page_that_is_open_for_long_does_not_grow(page: Any, served: Served) -> None:
    nodes = "document.querySelectorAll('*').length"

    def tell(number: int) -> None:
        story = {**STORY, "id": f"u{number}", "stamp": number, "heard": {**HEARD, "text": f"sentence {number}"}}
        served.show(**{f"utterance__u{number - 60}": None, f"utterance__u{number}": story})

    for number in range(60):
        tell(number)
    page.get_by_role("heading", name="“sentence 59”").wait_for()
    before = page.evaluate(nodes)
    for number in range(60, 200):
        tell(number)
    page.get_by_role("heading", name="“sentence 199”").wait_for()
    assert page.evaluate(nodes) == before


def test_an_example_can_be_tried(page: Any, home: dict[str, Any]) -> None:
    page.get_by_text("What can I say?").click()
    page.get_by_role("button", name=home["examples"][0], exact=True).click()
    assert page.get_by_role("textbox", name="Type a sentence").input_value() == home["examples"][0]


def test_a_question_is_answered_with_a_button_as_large_as_a_thumb(page: Any, served: Served) -> None:
    served.show(question={"id": "u1", "text": "Which cup?", "options": ["the red cup", "the blue cup"]})
    button = page.get_by_role("button", name="the blue cup")
    button.wait_for()
    assert button.bounding_box()["height"] >= 48
    button.click()
    until(lambda: served.robot.calls == [("answer", "2", "u1")], page)
    served.show(question=None)
    button.wait_for(state="hidden")


def test_stop_is_repeated_until_the_robot_says_that_it_is_stopped(page: Any, served: Served) -> None:
    served.robot.unstoppable = True
    page.locator("#stop").click()
    page.get_by_text("The robot has not said that it is stopped").wait_for()
    assert served.robot.calls.count(("stop",)) >= 4
    served.show(stopped=True)
    page.get_by_text("Nothing moves until you let it").wait_for()
    page.get_by_text("The robot has not said that it is stopped").wait_for(state="hidden")
    page.wait_for_timeout(300)
    before = len(served.robot.calls)
    page.wait_for_timeout(600)
    assert len(served.robot.calls) == before
    page.get_by_role("button", name="Let it move again").click()
    until(lambda: served.robot.calls[-1] == ("resume",), page)


def test_one_answer_of_the_gate_ends_the_repetition(page: Any, served: Served) -> None:
    page.locator("#stop").click()
    until(lambda: ("stop",) in served.robot.calls, page)
    page.wait_for_timeout(600)
    assert len(served.robot.calls) <= 4  # press and click, each on two ways


def test_the_escape_key_stops_from_within_a_field(page: Any, served: Served) -> None:
    served.show(stopped=True)
    page.get_by_role("textbox", name="Type a sentence").focus()
    page.keyboard.press("Escape")
    until(lambda: ("stop",) in served.robot.calls, page)


def test_a_lost_connection_is_said_and_the_state_is_read_again(page: Any, served: Served, home: dict[str, Any]) -> None:
    served.server.close()
    page.get_by_role("alert").get_by_text("Not connected").wait_for()
    page.get_by_role("textbox", name="Type a sentence").fill("go to the kitchen")
    page.keyboard.press("Enter")
    page.get_by_role("status").get_by_text("Not connected").wait_for()
    again = Served(Address(port=served.port))
    try:
        fill(again, home)
        again.show(stopped=True)
        page.get_by_role("alert").get_by_text("Not connected").wait_for(state="hidden", timeout=1000 * PATIENCE)
        page.get_by_text("Nothing moves until you let it").wait_for()
        assert again.robot.calls == []  # what could not be sent is not done later
        assert page.get_by_role("textbox", name="Type a sentence").input_value() == "go to the kitchen"
    finally:
        again.server.close()


def test_hostile_texts_are_shown_and_not_obeyed(page: Any, served: Served) -> None:
    heard = {**HEARD, "text": HOSTILE, "rejected": HOSTILE, "alternatives": [{"text": HOSTILE, "p": 1.0}]}
    served.show(
        utterance__u1={**STORY, "heard": heard},
        question={"id": "u1", "text": HOSTILE, "options": [HOSTILE]},
        said=[HOSTILE],
        partial=HOSTILE,
    )
    served.show(
        nodes={HOSTILE: {"level": 1, "message": HOSTILE, "values": {HOSTILE: HOSTILE}}},
        robot={"pose": [1, 1, 0], "place": HOSTILE, "holding": HOSTILE, "battery": 1},
    )
    served.show(**{f"belief__{HOSTILE}": {HOSTILE: 1.0}})
    page.locator(".story").get_by_text(HOSTILE).first.wait_for()
    page.get_by_role("link", name="Robot").click()
    page.get_by_role("button", name=HOSTILE).wait_for()
    assert page.title() == "Sayso"
    assert page.locator("img[src=x]").count() == 0


def test_sound_is_heard_while_the_button_is_held(page: Any, served: Served) -> None:
    box = page.locator(".hold").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    until(lambda: len(served.robot.sound) > 16_000, page)
    page.mouse.up()
    until(lambda: served.robot.calls == [("press", True), ("press", False)], page)
    assert abs(served.robot.sound).max() > 1000  # Chromium's own device beeps
    heard = len(served.robot.sound)
    page.wait_for_timeout(300)
    assert len(served.robot.sound) == heard


def test_a_microphone_that_gives_no_sound_is_said(page: Any) -> None:
    page.evaluate("navigator.mediaDevices.getUserMedia = async () => new AudioContext().createMediaStreamDestination().stream")
    page.get_by_role("button", name="Keep listening").click()
    page.get_by_text("No sound comes from the microphone").wait_for()
    page.get_by_role("button", name="Listen no longer").click()
    page.get_by_text("No sound comes from the microphone").wait_for(state="hidden")


def test_everything_can_be_done_by_the_keyboard_alone(page: Any, served: Served) -> None:
    served.show(question={"id": "u1", "text": "Which cup?", "options": ["the red cup", "the blue cup"]})
    page.get_by_role("button", name="the blue cup").wait_for()
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent || document.activeElement.placeholder"))
    assert {"Talk", "Robot", "Hold to talk", "Type a sentence", "Send", "the red cup", "STOP"} <= set(reached)
    page.locator(".hold").focus()
    page.keyboard.down("Space")
    until(lambda: served.robot.calls == [("press", True)], page)
    page.keyboard.up("Space")
    until(lambda: served.robot.calls == [("press", True), ("press", False)], page)
    tab_to(page, "the blue cup")
    page.keyboard.press("Enter")
    until(lambda: served.robot.calls[-1] == ("answer", "2", "u1"), page)
    tab_to(page, "STOP")
    page.keyboard.press("Enter")
    until(lambda: ("stop",) in served.robot.calls, page)


@pytest.mark.parametrize("tab", ["Talk", "Robot"])
def test_on_a_phone_stop_is_in_reach_and_nothing_is_cut_off(page: Any, served: Served, tab: str) -> None:
    page.set_viewport_size(PHONE)
    served.show(utterance__u1=STORY)
    page.get_by_role("link", name=tab).click()
    page.wait_for_timeout(300)
    box = page.locator("#stop").bounding_box()
    assert box["height"] >= 64
    assert box["y"] + box["height"] <= PHONE["height"]
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    assert page.evaluate("([x, y]) => document.elementFromPoint(x, y).id", middle) == "stop"
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_where_the_robot_hears_by_itself_the_page_offers_no_button_to_be_heard(page: Any, served: Served) -> None:
    served.show(silent="the robot's own microphone is on")
    page.get_by_text("The robot's own microphone is on").wait_for()
    assert not page.locator(".hold").is_visible()
    assert not page.get_by_role("button", name="Keep listening").is_visible()
    served.show(silent="")
    page.locator(".hold").wait_for()
    page.get_by_role("button", name="Keep listening").click()
    page.get_by_text("What is no command is ignored").wait_for()
    page.get_by_role("button", name="Listen no longer").click()
    page.get_by_text("What is no command is ignored").wait_for(state="hidden")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("tab", ["talk", "robot"])
def test_a_screen_reader_and_weak_eyes_find_everything(browser: Any, served: Served, scheme: str, tab: str) -> None:
    served.show(
        utterance__u1=STORY, question={"id": "u1", "text": "Which cup?", "options": ["the red cup"]}, said=["Which cup?"], stopped=True
    )
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    opened = context.new_page()
    opened.set_default_timeout(1000 * PATIENCE)
    opened.goto(f"http://127.0.0.1:{served.port}/#{tab}")
    opened.get_by_text("Nothing moves until you let it").wait_for()
    opened.wait_for_timeout(200)
    assert serious(opened) == []
    context.close()


def test_a_page_that_only_shows_says_so_and_can_stop(browser: Any, home: dict[str, Any]) -> None:
    served = Served(Address(port=0), read_only=True)
    fill(served, home)
    served.show(page={"read_only": True})
    opened = browser.new_page()
    opened.set_default_timeout(1000 * PATIENCE)
    opened.goto(f"http://127.0.0.1:{served.port}/")
    opened.wait_for_selector("svg .room")
    assert opened.get_by_role("textbox", name="Type a sentence").is_disabled()
    assert opened.locator(".hold").is_disabled()
    opened.locator("#stop").click()
    until(lambda: ("stop",) in served.robot.calls, opened)
    opened.close()
    served.server.close()


def test_the_page_is_light() -> None:
    assert sum(file.stat().st_size for file in (LOOK, *PAGE.iterdir())) < 300_000
