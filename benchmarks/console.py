"""The page in the browser: how quickly its STOP acts, what it adds to a spoken command, and what it costs.

The graph runs as with `sayso up --console`, at real time. A headless Chromium has the page open and presses STOP; the press is timed in the
browser, by the computer's clock, and the effect on the wire. Sound goes over the page's WebSocket in the browser's pieces of 20 ms; what
the browser itself needs from microphone to page is not in it. "Busy" is a loop on every core at normal priority. Memory over hours is that
of a second node (_console_hours.py).

Baselines: the service `stop` called by a ROS client; sound published as a microphone does, in pieces of 40 ms.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from shutil import which
from typing import Any

from _chain_probe import ChainProbe, running_graph
from _console_hours import used_after
from sayso.console.bench import Row, part, sampled
from sayso.console.watch import waiting
from sayso.errors import AbsentProgramError
from sayso.paths import config_dir
from stop_latency import loaded

PAGE = "http://127.0.0.1:8420/"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SPOKEN = ("go_to_the_kitchen", "turn_left", "find_the_keys", "bring_me_the_red_cup")
PIECE = 320  # samples, 20 ms: as worklet.js sends them
PRESS = """() => {
  const now = Date.now();
  document.getElementById('stop').dispatchEvent(new PointerEvent('pointerdown', {bubbles: true}));
  return now;
}"""
HELD = 0.5  # s before the sound, in which the server takes the request to talk


def run(quick: bool = False) -> Iterator[Row]:
    """Yield all rows."""
    stops, sentences, seconds, soak = (5, 1, 3.0, 5.0) if quick else (100, 12, 20.0, 120.0)
    with running_graph("web_console") as probe:
        process = probe.graph.processes["web_console"].process.pid
        yield _costs(process, 0, seconds, None)
        with _browser() as browser:
            began = time.perf_counter()
            page = _opened(browser)
            page.locator("img[alt='What the robot sees']").wait_for()
            yield Row("page opened → first picture of the camera", time.perf_counter() - began, "s", "lower", 3.0, n=1)
            yield _costs(process, 1, seconds, 10.0)
            for load in ("idle", "busy"):
                yield from part(f"STOP pressed → zero velocity, CPU {load}", partial(_stops, probe, page, load, stops))
            others = [_opened(browser) for _ in range(4)]
            yield _costs(process, 5, seconds, 25.0)
            yield _growth(process, soak)
            for each in (page, *others):
                each.close()
        yield from part("end of speech → first skill goal, sound by the page", partial(_spoken, probe, sentences))
    yield from part("the messages of hours at speed", partial(_hours, 1 if quick else 8))


def _hours(last: int) -> Iterator[Row]:
    """What the messages of so many hours leave behind, from the second hour on: in the first one, the lists of the last things fill."""
    (first, before, files), (_, after, left) = used_after((min(1, last - 1), last), _chromium())
    name = f"the messages of {last - first} h at speed, 1 page open"
    yield Row(f"{name}: growth of memory", after - before, "MB", "lower", 5.0, n=1)
    yield Row(f"{name}: more descriptors", left - files, "", "lower", 0.0, n=1)


def _stops(probe: ChainProbe, page: Any, load: str, count: int) -> Iterator[Row]:
    with loaded(load):
        pressed = sampled(f"presses of STOP, CPU {load}", count, lambda _: probe.stop_to_zero(lambda: _press(page)))
        called = sampled(f"service calls, CPU {load}", count, lambda _: probe.stop_to_zero())
    for q, goal in ((0.5, 40.0), (0.99, 150.0)):
        yield pressed.row(f"STOP pressed → zero velocity, CPU {load}, p{q * 100:g}", q, goal, service_call=called.quantile(q))


def _spoken(probe: ChainProbe, count: int) -> Iterator[Row]:
    """What the page adds to a spoken command."""
    from websockets.sync.client import connect

    files = [config_dir() / "sentences" / f"{name}.flac" for name in SPOKEN]
    by_topic = sampled("sentences as a microphone sends them", count, lambda i: probe.speech_to_goal(files[i % len(files)]))
    probe.fall_silent()  # two microphones are refused
    with connect(PAGE.replace("http", "ws") + "ws", max_size=None) as socket, ExitStack() as stack:
        threading.Thread(target=lambda: deque(socket, maxlen=0), daemon=True).start()  # what the page gets
        stack.callback(socket.send, json.dumps({"do": "talk", "held": False, "id": 2}))
        socket.send(json.dumps({"do": "talk", "held": True, "id": 1}))
        time.sleep(HELD)

        def said(number: int) -> float | None:
            return probe.speech_to_goal(files[number % len(files)], PIECE, lambda piece: socket.send(piece.tobytes()))

        by_page = sampled("sentences by the page", count, said)
    baseline = by_topic.quantile(0.5)
    row = by_page.row("end of speech → first skill goal, sound by the page, p50", 0.5, None, as_a_microphone=baseline)
    yield row
    if row.value is not None and baseline is not None:
        yield Row("the same, added by the page, p50", row.value - baseline, "ms", "lower", 100.0, n=row.n)


def _costs(pid: int, viewers: int, seconds: float, goal: float | None) -> Row:
    before, began = _cpu(pid), time.perf_counter()
    with waiting(f"what the page's node takes in {seconds:g} s"):
        time.sleep(seconds)
    share = 100.0 * (_cpu(pid) - before) / (time.perf_counter() - began)
    return Row(f"processor time of the page's node, {viewers} pages open", share, "% of a core", "lower", goal, n=1)


def _growth(pid: int, seconds: float) -> Row:
    """Growth of memory in the second half of that time, while five pages are open."""
    with waiting(f"what the page's node grows by in {seconds:g} s"):
        time.sleep(seconds / 2)
        before = _resident(pid)
        time.sleep(seconds / 2)
    return Row(f"growth of the page's node in {seconds / 2:g} s, 5 pages open", _resident(pid) - before, "MB", "lower", 0.5, n=1)


def _cpu(pid: int) -> float:
    """Seconds of processor time so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> float:
    """MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def _browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise AbsentProgramError("this benchmark needs Playwright: make setup-dev") from None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])
        yield browser
        browser.close()


def _chromium() -> str:
    found = next((path for name in BROWSERS if (path := which(name))), None)
    if found is None:
        raise AbsentProgramError("this benchmark needs a browser: apt install chromium")
    return found


def _opened(browser: Any) -> Any:
    page = browser.new_page()
    page.goto(PAGE)
    page.locator("svg .room").first.wait_for()
    return page


def _press(page: Any) -> float:
    """Press STOP; when that was in the browser, as perf_counter."""
    pressed = page.evaluate(PRESS) / 1e3
    return time.perf_counter() - (time.time() - pressed)
