"""The skills' logic on the kinematic robot: what they do, in which order, and how they report failures."""

import math
from itertools import combinations

import pytest

from robot_double import at_home, run
from sayso.robot.handling import surface_spots
from sayso.robot.map import RADIUS
from sayso.types import SkillCall

CUP = (7.35, 2.2, 0.95)  # on the counter


def holding(runner, thing="red_cup"):
    runner._body.holding = thing
    return runner


def test_navigates_to_the_pose_of_a_place_in_another_room():
    runner, robot = at_home()
    outcome = run(runner, robot, "navigate_to", goal="counter")
    assert outcome.succeeded, outcome.reason
    assert math.dist((robot.x, robot.y), (6.4, 2.0)) < 0.05
    assert abs(robot.yaw) < math.radians(3)
    assert 10 < outcome.seconds < 30
    assert robot.speeds == (0.0, 0.0)
    assert runner.context(robot.time).place == "counter"


def test_cannot_navigate_to_a_place_that_the_home_does_not_have():
    runner, robot = at_home()
    outcome = run(runner, robot, "navigate_to", goal="garden")
    assert (outcome.succeeded, outcome.reason) == (False, "the home has no place 'garden'")
    assert robot.track == []


def test_approaches_a_person_until_their_hand_is_within_reach():
    runner, robot = at_home(x=6.0)
    outcome = run(runner, robot, "approach", recipient="anna")
    assert outcome.succeeded, outcome.reason
    hand = (1.2, 3.2)
    assert robot.pose().distance(hand) <= 0.8
    assert abs(robot.pose().bearing(hand)) < math.radians(4)


def test_says_that_it_does_not_know_where_a_person_is():
    runner, robot = at_home()
    assert run(runner, robot, "approach", recipient="ben").reason == "the robot does not know where ben is"


def test_looks_straight_ahead_first_and_believes_only_a_second_look():
    runner, robot = at_home(x=6.4, things={"red_cup": CUP})
    outcome = run(runner, robot, "look_for", theme="red_cup", referent="the red cup")
    assert outcome.succeeded, outcome.reason
    assert len(robot.looks) == 2
    assert abs(robot.looks[0]) < 0.05
    assert runner.context(robot.time).visible == ("red_cup",)


def test_turns_until_it_sees_what_is_behind_it():
    runner, robot = at_home(x=6.0, yaw=math.pi, things={"red_cup": CUP})
    assert run(runner, robot, "look_for", theme="red_cup").succeeded
    assert len(robot.looks) > 4


def test_steps_back_from_a_low_table_to_have_it_in_the_picture():
    runner, robot = at_home(x=3.2, y=1.05, yaw=-math.pi / 2, things={"ball": (3.2, 0.6, 0.45)})
    assert run(runner, robot, "look_for", theme="ball").succeeded
    assert robot.y == pytest.approx(1.05 + 0.31, abs=0.05)


def test_says_where_it_did_not_see_the_thing_after_a_full_turn():
    runner, robot = at_home(x=6.4)
    outcome = run(runner, robot, "look_for", theme="red_cup")
    assert outcome.reason == "did not see the red cup at the counter"
    assert not outcome.interrupted
    turned = sorted(math.degrees(yaw) % 360 for yaw in robot.looks)
    gaps = [b - a for a, b in zip(turned, [*turned[1:], turned[0] + 360], strict=True)]
    assert max(gaps) <= 46


@pytest.mark.parametrize("claim", [(7.4, 2.0, math.nan), (7.4, 2.0, 0.0), (1.5, 2.0, 0.9), (6.9, 2.0, 2.2)])
def test_does_not_believe_a_point_that_cannot_be(claim):
    runner, robot = at_home(x=6.4, misleading=[claim] * 9)
    assert not run(runner, robot, "look_for", theme="red_cup").succeeded


def test_does_not_believe_what_the_second_look_does_not_confirm():
    runner, robot = at_home(x=6.4, misleading=[(7.3, 1.4, 0.95)])
    outcome = run(runner, robot, "look_for", theme="red_cup")
    assert not outcome.succeeded
    assert runner.context(robot.time).visible == ()


def test_goes_nearer_to_look_again_at_what_is_far():
    runner, robot = at_home(x=4.7, y=2.0, things={"red_cup": CUP})
    assert run(runner, robot, "look_for", theme="red_cup").succeeded
    assert robot.pose().distance(CUP[:2]) < 1.5


def test_believes_no_look_from_afar_until_it_has_looked_from_within_reach():
    runner, robot = at_home(x=6.2, y=2.0, misleading=[(7.3, 1.4, 0.95)])  # 1.25 m away
    outcome = run(runner, robot, "look_for", theme="red_cup")
    assert not outcome.succeeded
    assert min(math.dist(point, (7.3, 1.4)) for point in robot.track) < 0.85
    assert robot.pose().distance((6.2, 2.0)) < 0.1  # and goes on looking from where it was


def test_a_full_front_of_a_surface_is_not_a_full_surface():
    runner, robot = at_home(x=6.4, y=2.0)
    spots = surface_spots(holding(runner, "red_cup")._body, "counter")
    assert len(spots) >= 3
    assert min(math.dist(one, other) for one, other in combinations(spots, 2)) >= 0.3
    robot.refusals = 2  # there is no room at the first two
    assert run(runner, robot, "place", theme="red_cup", goal="counter").succeeded
    tried = [target for command, target in robot.gripped if command == "release"]
    assert len(tried) == 3
    assert math.dist(tried[0], tried[2]) >= 0.3


def test_picks_what_it_has_seen_standing_within_reach_and_clear_of_the_furniture():
    runner, robot = at_home(x=5.0, things={"red_cup": CUP})
    assert run(runner, robot, "look_for", theme="red_cup").succeeded
    outcome = run(runner, robot, "pick", theme="red_cup")
    assert outcome.succeeded, outcome.reason
    assert robot.gripped == [("grasp", CUP)]
    assert robot.pose().distance(CUP[:2]) <= 0.8
    assert min(float(box.distance(robot.x, robot.y)) for box in runner._body.map.boxes) >= RADIUS
    context = runner.context(robot.time)
    assert (context.holding, context.visible) == ("red_cup", ())


def test_grasps_where_the_look_from_nearby_shows_it():
    runner, robot = at_home(x=6.4, things={"red_cup": CUP})
    run(runner, robot, "look_for", theme="red_cup")
    robot.things["red_cup"] = (7.35, 2.3, 0.95)
    assert run(runner, robot, "pick", theme="red_cup").succeeded
    assert robot.gripped[0][1] == (7.35, 2.3, 0.95)


def test_takes_none_of_two_things_that_the_words_do_not_tell_apart():
    runner, robot = at_home(x=6.4, things={"red_cup": CUP})
    assert run(runner, robot, "look_for", theme="red_cup", referent="the cup").succeeded
    robot.doubles["red_cup"] = (7.35, 1.9, 0.95)
    outcome = run(runner, robot, "pick", theme="red_cup")
    assert (outcome.succeeded, outcome.interrupted) == (False, True)
    assert outcome.reason.startswith("I see 2 things that may be the cup: the left one, 0.")
    assert " m away or the right one, " in outcome.reason
    assert robot.gripped == []


def test_finds_none_of_two_things_that_the_words_do_not_tell_apart():
    runner, robot = at_home(x=6.4, things={"red_cup": CUP}, doubles={"red_cup": (7.35, 1.9, 0.95)})
    outcome = run(runner, robot, "look_for", theme="red_cup", referent="the cup")
    assert (outcome.succeeded, outcome.interrupted) == (False, True)
    assert "the left one" in outcome.reason
    assert runner.context(robot.time).visible == ()


def test_does_not_pick_what_it_has_not_seen():
    runner, robot = at_home()
    assert run(runner, robot, "pick", theme="red_cup").reason == "the red cup was not seen yet"


def test_does_not_pick_with_a_full_hand():
    runner, robot = at_home(things={"red_cup": CUP}, x=6.4)
    run(runner, robot, "look_for", theme="red_cup")
    assert run(holding(runner, "ball"), robot, "pick", theme="red_cup").reason == "the hand is full: it holds the ball"


def test_a_failed_grasp_is_reported_in_the_grippers_words_and_makes_it_look_again():
    runner, robot = at_home(x=6.4, things={"red_cup": CUP}, refusals=1)
    run(runner, robot, "look_for", theme="red_cup")
    assert run(runner, robot, "pick", theme="red_cup").reason == "the gripper slipped"
    assert runner.context(robot.time).holding == ""
    assert run(runner, robot, "pick", theme="red_cup").reason == "the red cup was not seen yet"


def test_places_on_the_surface_near_its_edge():
    runner, robot = at_home(x=6.4)
    outcome = run(holding(runner), robot, "place", theme="red_cup", goal="counter")
    assert outcome.succeeded, outcome.reason
    ((command, (x, y, z)),) = robot.gripped
    assert command == "release"
    assert 7.3 <= x <= 7.45
    assert abs(y - 2.0) < 0.1
    assert z == pytest.approx(0.9)
    assert runner.context(robot.time).holding == ""


def test_places_beside_what_it_has_seen_there_and_tries_another_spot_when_refused():
    runner, robot = at_home(x=6.4, things={"ball": (7.32, 2.0, 0.95)}, refusals=1)
    run(runner, robot, "look_for", theme="ball")
    assert run(holding(runner), robot, "place", theme="red_cup", goal="counter").succeeded
    first, second = (target for _, target in robot.gripped)
    assert math.dist(first[:2], (7.32, 2.0)) > 0.15
    assert math.dist(first, second) > 0.15


def test_cannot_place_where_there_is_no_surface_or_nothing_in_the_hand():
    runner, robot = at_home()
    assert run(runner, robot, "place", theme="red_cup", goal="counter").reason == "the robot does not hold the red cup: the hand is empty"
    assert run(holding(runner), robot, "place", theme="red_cup", goal="stool").reason == "nothing can be put on the stool"


def test_hands_over_at_the_persons_hand():
    runner, robot = at_home(x=6.0)
    outcome = run(holding(runner), robot, "hand_over", theme="red_cup", recipient="anna")
    assert outcome.succeeded, outcome.reason
    assert robot.gripped == [("hand_over", pytest.approx((1.2, 3.2, 0.9)))]
    assert runner.context(robot.time).holding == ""


def test_keeps_the_thing_when_the_hand_over_fails():
    runner, robot = at_home(refusals=1)
    assert not run(holding(runner), robot, "hand_over", theme="red_cup", recipient="anna").succeeded
    assert runner.context(robot.time).holding == "red_cup"


@pytest.mark.parametrize(
    ("direction", "extent", "x", "y", "yaw"),
    [("forward", "1.2", 2.7, 2.0, 0), ("back", "0.4", 1.1, 2.0, 0), ("left", "", 1.5, 2.5, 90), ("right", "0.3", 1.5, 1.7, -90)],
)
def test_moves_by_metres(direction, extent, x, y, yaw):
    runner, robot = at_home()
    outcome = run(runner, robot, "move", direction=direction, extent=extent)
    assert outcome.succeeded, outcome.reason
    assert math.dist((robot.x, robot.y), (x, y)) < 0.05
    assert robot.yaw == pytest.approx(math.radians(yaw), abs=0.05)


def test_stops_before_a_wall_and_says_how_far_it_got():
    runner, robot = at_home(x=2.9)
    outcome = run(runner, robot, "move", direction="forward", extent="5")
    assert outcome.reason == f"moved {robot.x - 2.9:.1f} m only: something is in the way"
    assert RADIUS <= 3.95 - robot.x <= RADIUS + 0.1


def test_does_not_move_where_there_is_no_room():
    runner, robot = at_home(x=3.68)
    assert run(runner, robot, "move", direction="forward").reason == "there is no room to move forward"


@pytest.mark.parametrize(("direction", "extent", "yaw"), [("left", "", 90), ("right", "0.5236", -30), ("around", "", 180)])
def test_turns_by_an_angle(direction, extent, yaw):
    runner, robot = at_home()
    assert run(runner, robot, "turn", direction=direction, extent=extent).succeeded
    assert math.cos(robot.yaw - math.radians(yaw)) > math.cos(0.04)


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("move", {"direction": "up"}, "'up' is not a direction to move in"),
        ("turn", {"direction": "down"}, "'down' is not a direction to turn in"),
        ("move", {"extent": "far"}, "'far' is not a number"),
        ("wait", {"extent": "-2"}, "'-2' is not a valid extent"),
        ("say", {}, "there is nothing to say"),
        ("fly", {}, "the robot has no skill 'fly'"),
    ],
)
def test_says_what_is_wrong_with_a_call(name, arguments, reason):
    runner, robot = at_home()
    assert run(runner, robot, name, **arguments).reason == reason


def test_an_unknown_skill_counts_as_interrupted():
    runner, robot = at_home()
    assert run(runner, robot, "fly").interrupted
    assert not run(runner, robot, "move", direction="up").interrupted


def test_says_things_and_waits():
    runner, robot = at_home()
    assert run(runner, robot, "say", message="hello there").succeeded
    assert robot.said == ["hello there"]
    assert run(runner, robot, "wait", extent="2").seconds == pytest.approx(2.0, abs=0.11)


def test_docks_and_charges():
    runner, robot = at_home()
    assert run(runner, robot, "dock").succeeded
    assert math.dist((robot.x, robot.y), (0.5, 2.0)) < 0.05
    low = runner.context(robot.time).battery
    run(runner, robot, "wait", extent="60")
    assert low < runner.context(robot.time).battery <= 1.0


def test_driving_takes_charge():
    runner, robot = at_home()
    run(runner, robot, "navigate_to", goal="counter")
    driven = 1.0 - runner.context(robot.time).battery
    assert driven == pytest.approx(5.5 / 9600 + robot.time / 36000, rel=0.2)


def test_the_charge_is_the_one_that_was_read_less_what_was_used_since():
    runner, robot = at_home()
    runner.tick(robot.time)
    runner.battery.read(0.5)
    run(runner, robot, "wait", extent="36")
    assert runner.context(robot.time).battery == pytest.approx(0.499, abs=1e-4)
    for nothing in (math.nan, -1.0, 87.0):
        runner.battery.read(nothing)
    assert runner.context(robot.time).battery == pytest.approx(0.499, abs=1e-4)


def test_gives_up_at_once_on_a_stop():
    runner, robot = at_home()
    runner.start(SkillCall("navigate_to", (("goal", "counter"),)))
    for _ in range(20):
        assert runner.tick(robot.time) is None
        robot.advance()
    robot.stopped = True
    outcome = runner.tick(robot.time)
    assert outcome is not None
    assert outcome.reason == "the robot was told to stop"
    assert outcome.interrupted
    assert robot.speeds == (0.0, 0.0)


def test_stop_and_resume_work_while_stopped():
    runner, robot = at_home()
    assert run(runner, robot, "stop").succeeded
    assert robot.stopped
    assert run(runner, robot, "move").reason == "the robot was told to stop"
    assert run(runner, robot, "say", message="stopped").succeeded
    assert run(runner, robot, "resume").succeeded
    assert run(runner, robot, "move").succeeded


def test_resume_fails_while_the_motion_gate_stays_closed():
    runner, robot = at_home(held="the button is pressed")
    assert run(runner, robot, "stop").succeeded
    outcome = run(runner, robot, "resume")
    assert (outcome.succeeded, outcome.reason) == (False, "still stopped: the button is pressed")


def test_stop_fails_when_the_motion_gate_does_not_answer():
    runner, robot = at_home(silent=True)
    assert run(runner, robot, "stop").reason == "the motion gate did not answer within 15 s"


def test_does_not_drive_on_old_odometry():
    runner, robot = at_home(odometry_until=2.0)
    outcome = run(runner, robot, "navigate_to", goal="counter")
    assert outcome.reason.startswith("no odometry for 0.")
    assert robot.time < 2.7


def test_cancelling_stops_the_wheels_and_reports_it():
    runner, robot = at_home()
    runner.start(SkillCall("move", (("extent", "2"),)))
    for _ in range(10):
        runner.tick(robot.time)
        robot.advance()
    assert robot.speeds[0] > 0
    outcome = runner.cancel()
    assert outcome is not None
    assert (outcome.succeeded, outcome.reason, robot.speeds) == (False, "cancelled", (0.0, 0.0))
    assert runner.tick(robot.time) is None
    assert runner.cancel() is None


def test_starting_another_skill_cancels_the_first():
    runner, robot = at_home()
    runner.start(SkillCall("navigate_to", (("goal", "counter"),)))
    runner.tick(robot.time)
    assert run(runner, robot, "cancel").succeeded
    assert robot.speeds == (0.0, 0.0)


def test_stops_waiting_for_a_grounder_that_does_not_answer():
    runner, robot = at_home(x=6.4, silent=True)
    outcome = run(runner, robot, "look_for", theme="red_cup")
    assert outcome.reason == "the visual grounder did not answer within 15 s"
    assert outcome.interrupted


def test_progress_never_goes_back_and_the_status_names_the_skill():
    runner, robot = at_home(things={"red_cup": CUP}, x=5.0)
    runner.start(SkillCall("look_for", (("theme", "red_cup"),)))
    progress, seen = [], set()
    while runner.tick(robot.time) is None:
        progress.append(runner.progress)
        seen.add(runner.status)
        robot.advance()
    assert progress == sorted(progress)
    assert "looking for the red cup" in seen
    assert runner.status == "look_for succeeded"


def ticked(runner, robot, seconds):
    until = robot.time + seconds
    while robot.time < until:
        runner.tick(robot.time)
        robot.advance()


def test_what_the_gripper_holds_is_known_after_a_restart():
    runner, robot = at_home(in_hand="red_cup")
    outcome = run(runner, robot, "pick", theme="red_cup")
    assert outcome.succeeded
    assert runner.context(robot.time).holding == "red_cup"


def test_what_was_taken_out_of_the_gripper_is_noticed_while_the_robot_rests():
    runner, robot = at_home(in_hand="red_cup")
    ticked(runner, robot, 1.0)
    assert runner.context(robot.time).holding == "red_cup"
    robot.in_hand = ""
    ticked(runner, robot, 4.0)
    assert runner.context(robot.time).holding == ""


def test_a_gripper_that_fails_is_read_before_the_next_skill():
    runner, robot = at_home(in_hand="red_cup", refusals=1)
    ticked(runner, robot, 0.5)
    robot.in_hand = ""
    assert not run(runner, robot, "hand_over", theme="red_cup", recipient="anna").succeeded
    outcome = run(runner, robot, "hand_over", theme="red_cup", recipient="anna")
    assert "the hand is empty" in outcome.reason


def test_a_gripper_that_cannot_tell_or_does_not_answer_keeps_no_skill_waiting():
    runner, robot = at_home()
    assert run(runner, robot, "turn").seconds < 10
    runner, robot = at_home(in_hand="", silent=True)
    assert run(runner, robot, "wait", extent="1").succeeded


def test_a_new_simulation_ends_the_skill_and_nothing_that_was_seen_counts():
    runner, robot = at_home(in_hand="red_cup", time=78.0)
    runner._body.sightings.saw("ball", "the ball", CUP, 77.0)
    runner.start(SkillCall("navigate_to", (("goal", "counter"),)))
    ticked(runner, robot, 1.0)
    robot.time, robot.in_hand = 0.5, ""
    outcome = runner.tick(robot.time)
    assert (outcome.reason, outcome.interrupted) == ("the clock was set back", True)
    ticked(runner, robot, 1.0)
    context = runner.context(robot.time)
    assert (context.holding, context.visible) == ("", ())
