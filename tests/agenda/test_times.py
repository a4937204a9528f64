"""Times as said → when a task is due: the next such time, tomorrow if it has passed today; what cannot be met is said."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.agenda import Now, Schedule, schedule_of
from sayso.agenda.times import DAY, FARTHEST, HOUR, clock_time, day_and_time, duration, end_of, next_due
from sayso.representation import Timing

WALL = st.floats(1.7e9, 2.2e9)
ROS = st.floats(0.0, 1e6)


@pytest.fixture(autouse=True, scope="module", params=["UTC", "Europe/Berlin", "America/New_York"])
def zone(request: pytest.FixtureRequest) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield request.param
    time.tzset()


def timing(kind: str, text: str = "", seconds: float = math.nan, day: int = 0, problem: str = "") -> Timing:
    return Timing(kind, text, 0, len(text), seconds, day, problem)  # type: ignore[arg-type]


def at(hour: float, text: str = "at six", day: int = 0) -> Timing:
    return timing("at", text, hour * HOUR, day)


def moment(text: str) -> Now:
    return Now(12.5, datetime.fromisoformat(text).timestamp())


def due(now: str, *timings: Timing) -> str:
    found = schedule_of(timings, moment(now))
    assert not found.problem
    assert found.clock == "wall"
    return f"{datetime.fromtimestamp(found.due):%Y-%m-%d %H:%M}"


def test_at_six_when_it_is_seven_in_the_evening_is_tomorrow() -> None:
    assert due("2026-11-23 19:00", at(6)) == "2026-11-24 06:00"


def test_at_six_is_the_next_six_in_the_morning_or_in_the_evening() -> None:
    assert due("2026-11-23 05:00", at(6)) == "2026-11-23 06:00"
    assert due("2026-11-23 07:00", at(6)) == "2026-11-23 18:00"
    assert due("2026-11-23 07:00", at(18)) == "2026-11-23 18:00"  # as another parser may write "at six"
    assert due("2026-11-23 18:00", at(6)) == "2026-11-24 06:00"


@pytest.mark.parametrize(
    ("text", "hour", "found"),
    [
        ("at six pm", 6, "23 18:00"),
        ("at 6 p.m.", 18, "23 18:00"),
        ("at six am", 6, "24 06:00"),
        ("at six in the evening", 6, "23 18:00"),
        ("at six in the morning", 6, "24 06:00"),
        ("at 06:30", 6.5, "24 06:30"),
        ("at 6:30", 6.5, "23 18:30"),
        ("at noon", 12, "23 12:00"),
        ("at midnight", 0, "24 00:00"),
        ("at twelve", 12, "23 12:00"),
        ("at ten tonight", 10, "23 22:00"),
        ("at two at night", 2, "24 02:00"),
        ("at 23:15", 23.25, "23 23:15"),
        ("this evening", math.nan, "23 18:00"),
    ],
)
def test_words_say_which_half_of_the_day(text: str, hour: float, found: str) -> None:
    assert due("2026-11-23 11:00", at(hour, text)) == f"2026-11-{found}"


def test_a_day_without_a_time_gets_a_usual_one() -> None:
    assert due("2026-11-23 11:00", timing("today", "tomorrow", day=1)) == "2026-11-24 09:00"
    assert due("2026-11-23 11:00", timing("at", "tomorrow evening", day=1)) == "2026-11-24 18:00"
    assert due("2026-11-23 11:00", timing("today", "this afternoon")) == "2026-11-23 15:00"
    assert schedule_of([timing("today", "today")], moment("2026-11-23 11:00")) == Schedule()


def test_tomorrow_at_eight() -> None:
    assert due("2026-11-23 07:00", at(8, "tomorrow at eight", day=1)) == "2026-11-24 08:00"
    assert due("2026-12-31 23:59", at(8, "tomorrow at eight", day=1)) == "2027-01-01 08:00"


def test_every_morning_at_eight() -> None:
    timings = timing("every", "every morning", DAY), at(8, "at eight")
    assert due("2026-11-23 07:00", *timings) == "2026-11-23 08:00"
    assert due("2026-11-23 09:00", *timings) == "2026-11-24 08:00"
    assert schedule_of(timings, moment("2026-11-23 09:00")).period == DAY
    assert due("2026-11-23 09:00", timing("every", "every evening", DAY), at(8, "at eight")) == "2026-11-23 20:00"
    assert due("2026-11-23 09:00", timing("every", "every morning", DAY)) == "2026-11-24 08:00"


def test_every_week_begins_on_its_day() -> None:
    found = schedule_of([timing("every", "every monday", 7 * DAY, day=7), at(9, "at nine am")], moment("2026-11-23 12:00"))
    assert datetime.fromtimestamp(found.due) == datetime(2026, 11, 30, 9)
    assert found.period == 7 * DAY


def test_every_two_hours_begins_in_two_hours_by_the_robots_clock() -> None:
    assert schedule_of([timing("every", "every two hours", 2 * HOUR)], Now(10.0, 2e9)) == Schedule(10.0 + 2 * HOUR, "ros", 2 * HOUR)


def test_repetitions_end() -> None:
    now, hourly = moment("2026-11-23 12:00"), timing("every", "every hour", HOUR)
    assert schedule_of([hourly], now).until == math.inf
    assert schedule_of([hourly, timing("until", "until six", 6 * HOUR)], now).until == moment("2026-11-23 18:00").wall
    assert schedule_of([hourly, timing("for", "for three hours", 3 * HOUR)], now).until == now.wall + 3 * HOUR
    assert schedule_of([hourly, timing("for", "for a minute", 60.0)], now).until == math.inf  # how long each of them takes


@pytest.mark.parametrize(
    ("timings", "problem"),
    [
        ((timing("at", "yesterday", problem="yesterday has passed"),), "yesterday has passed"),
        ((at(6, day=-1),), "that day has passed"),
        ((timing("in", "in minus five minutes", -300.0),), "that time has passed"),
        ((timing("in", "in a while"),), "I don't know how long that is"),
        ((timing("in", "in ten years", 10 * FARTHEST),), "that is too far ahead"),
        ((timing("in", "in five minutes", 300.0), at(6)), "“in five minutes” and “at six” are two different times"),
        ((at(25, "at twenty five"),), "there is no such time of day"),
        ((at(-1, "at minus one"),), "there is no such time of day"),
        ((at(6, day=400),), "that is too far ahead"),
        ((timing("every", "every second", 1.0),), "that is too often: once a minute at most"),
        ((timing("every", "ever and ever"),), "I don't know how often that is"),
        ((timing("every", "every ten years", 10 * FARTHEST),), "that is too far ahead"),
        ((timing("today", "today"), at(6, "at six am")), "6 am has passed today"),
    ],
)
def test_what_cannot_be_met_is_a_problem(timings: tuple[Timing, ...], problem: str) -> None:
    assert schedule_of(timings, moment("2026-11-23 19:00")) == Schedule(problem=problem)


def test_no_time_is_no_schedule() -> None:
    assert not schedule_of([], Now(0.0, 2e9)).timed
    assert not schedule_of([timing("for", "for ten minutes", 600.0), timing("until", "until six", 6 * HOUR)], Now(0.0, 2e9)).timed


@given(ROS, WALL, st.floats(0.001, FARTHEST))
def test_in_counts_on_the_robots_clock(ros: float, wall: float, seconds: float) -> None:
    found = schedule_of([timing("in", "in …", seconds)], Now(ros, wall))
    assert (found.due, found.clock, found.period, found.problem) == (ros + seconds, "ros", 0.0, "")


@given(WALL, st.integers(0, 24 * 60), st.integers(0, 30))
def test_a_time_of_day_is_the_first_one_that_comes(wall: float, minutes: int, day: int) -> None:
    found = schedule_of([at(minutes / 60.0, "at …", day)], Now(0.0, wall)).due
    local, now = datetime.fromtimestamp(found), datetime.fromtimestamp(wall)
    assert found > wall
    assert (local - now) <= timedelta(days=day + 1, hours=1)  # a day of the clock change has 25 hours
    if day:
        assert (local.date() - now.date()).days in (day, day + 1)
    # an hour that the clock change leaves out is an hour later
    assert (local.hour * 60 + local.minute - minutes) % 720 in (0, 60)


@given(WALL, st.integers(1, 12))
def test_an_hour_without_am_or_pm_is_at_most_half_a_day_away(wall: float, hour: int) -> None:
    found = schedule_of([at(hour)], Now(0.0, wall)).due
    assert 0.0 < found - wall <= 13 * HOUR  # with the clock change


@given(WALL, st.sampled_from([60.0, 600.0, HOUR, DAY, 7 * DAY]), st.floats(0.0, 1e7))
def test_the_next_time_is_the_first_after_now(start: float, period: float, passed: float) -> None:
    found = next_due(start, period, start + passed)
    assert found > start + passed
    assert found - (start + passed) <= period + HOUR
    if not period % DAY:
        assert clock_time(found) == clock_time(start) or abs(found - start - round((found - start) / DAY) * DAY) <= HOUR


@given(WALL, st.floats(0.0, 24 * HOUR), st.integers(0, 5))
def test_a_rule_for_today_ends_at_midnight(wall: float, seconds: float, day: int) -> None:
    now = Now(0.0, wall)
    until, problem = end_of([timing("today", "today")], now)
    assert not problem
    assert 0.0 < until - wall <= 25 * HOUR
    assert datetime.fromtimestamp(until).time() == datetime.min.time()
    until, problem = end_of([timing("until", "until …", seconds, day)], now)
    assert until > wall
    assert not problem


ANY_TIMING = st.builds(
    Timing,
    st.sampled_from(["in", "at", "every", "for", "until", "today"]),
    st.sampled_from(["", "at six", "tonight", "every morning", "tomorrow", "at noon", "日本"]),
    st.just(0),
    st.just(0),
    st.floats(allow_nan=True, allow_infinity=True) | st.floats(-100.0, 1e5),
    st.integers(-(10**6), 10**6) | st.integers(-1, 8),
)


@given(st.lists(ANY_TIMING, max_size=4), ROS, WALL)
def test_whatever_was_said_there_is_a_time_ahead_or_a_problem(timings: list[Timing], ros: float, wall: float) -> None:
    now = Now(ros, wall)
    found = schedule_of(timings, now)
    assert found.problem or not found.timed or now.on(found.clock) <= found.due <= now.on(found.clock) + FARTHEST + 2 * DAY
    until, problem = end_of(timings, now)
    assert problem or until > wall


def test_the_end_of_a_rule() -> None:
    now = moment("2026-11-23 19:00")
    assert end_of([], now) == (math.inf, "")
    assert end_of([timing("for", "for two hours", 7200.0)], now) == (now.wall + 7200.0, "")
    assert end_of([timing("for", "for minus two hours", -7200.0)], now) == (math.inf, "that time has passed")
    assert end_of([timing("today", "yesterday", day=-1, problem="yesterday has passed")], now) == (math.inf, "yesterday has passed")


def test_times_in_words() -> None:
    now = moment("2026-11-23 19:00").wall
    said = ["2026-11-23 20:05", "2026-11-24 00:00", "2026-11-24 12:00", "2026-11-27 08:00", "2027-05-03 08:30", "2026-11-22 08:00"]
    assert [day_and_time(moment(text).wall, now) for text in said] == [
        "at 8:05 pm",
        "tomorrow at midnight",
        "tomorrow at noon",
        "on Friday at 8 am",
        "on 3 May at 8:30 am",
        "yesterday at 8 am",
    ]
    assert [duration(seconds) for seconds in (0.2, 1, 300, 5400, 90061)] == [
        "0 seconds",
        "1 second",
        "5 minutes",
        "1 hour 30 minutes",
        "1 day 1 hour",
    ]
