"""Things that fit a phrase alike: what a person may choose from, and that the chosen one stays the chosen one."""

from __future__ import annotations

import numpy as np
import pytest

from robot_double import at_home
from sayso.robot.choosing import choices_in, chosen_in, phrase_for
from sayso.types import Candidate, Choice, Grounding, SkillCall

LEFT, RIGHT = (7.35, 2.1, 0.95), (7.35, 1.9, 0.95)
FLAT = tuple(1e-4 * np.eye(3).ravel())


def thing(point, u=0.0, color="", p=0.9):
    return Candidate(p, (u, 0.0), (u, 0.0, u + 1.0, 1.0), point, 1e-4 * np.eye(3), color=color)


def seen(*things, options=()):
    return Grounding("", 0.0, "cup", "the cup", np.ones((1, 1)), 0.0, 0.9, bool(things), candidates=things, options=options)


def choice(words, point, color=""):
    return Choice(words, point, FLAT, color, 0.5)


SIDES = (choice("the left one", LEFT), choice("the right one", RIGHT))
COLORS = (choice("the red one", LEFT, "red"), choice("the blue one", RIGHT, "blue"))


def test_choices_come_from_left_to_right_and_have_a_colour_only_if_it_tells_them_apart():
    options = ("the right one", "the left one")
    found = choices_in(seen(thing(RIGHT, 90.0, "red"), thing(LEFT, 10.0, "red"), thing((7.0, 2.0, 0.9)), options=options))
    assert [(each.words, each.point, each.color) for each in found] == [("the left one", LEFT, ""), ("the right one", RIGHT, "")]
    found = choices_in(seen(thing(RIGHT, 90.0, "red"), thing(LEFT, 10.0, "blue"), options=("the red one", "the blue one")))
    assert [each.color for each in found] == ["blue", "red"]
    assert choices_in(seen(thing(RIGHT))) == ()


def test_the_colour_goes_into_the_phrase():
    assert phrase_for("the cup", COLORS) == "the red cup"
    assert phrase_for("cup", COLORS) == "the red cup"
    assert phrase_for("the cup", SIDES) == "the cup"
    assert phrase_for("the cup", ()) == "the cup"


@pytest.mark.parametrize("order", [(LEFT, RIGHT), (RIGHT, LEFT)])
def test_the_chosen_thing_is_the_one_at_its_place_whichever_is_likelier(order):
    both = tuple(thing(point, p=0.9 - 0.2 * at) for at, point in enumerate(order))
    assert chosen_in(seen(*both, options=("a", "b")), SIDES) == LEFT
    assert chosen_in(seen(*both, options=("a", "b")), SIDES[::-1]) == RIGHT


def test_the_other_thing_is_never_taken_for_the_chosen_one():
    assert chosen_in(seen(thing(RIGHT)), SIDES) is None
    near = (choice("the left one", (7.35, 1.96, 0.95)), choice("the right one", (7.35, 1.90, 0.95)))
    assert chosen_in(seen(thing((7.35, 1.91, 0.95))), near) is None


def test_a_small_error_of_the_robots_place_is_allowed_for_and_a_large_one_is_not():
    assert chosen_in(seen(thing((7.40, 2.14, 0.96))), SIDES) == (7.40, 2.14, 0.96)
    assert chosen_in(seen(thing((7.35, 2.6, 0.95))), SIDES) is None


def test_a_doubtful_thing_at_the_place_counts_and_a_faint_one_does_not():
    assert chosen_in(seen(thing(RIGHT), thing(LEFT, p=0.4)), SIDES) == LEFT
    assert chosen_in(seen(thing(RIGHT), thing(LEFT, p=0.05)), SIDES) is None


def test_with_a_colour_the_place_decides_only_among_things_that_have_it():
    far = (7.35, 2.8, 0.95)
    assert chosen_in(seen(thing(far)), COLORS) == far
    assert chosen_in(seen(thing(far), thing(LEFT), options=("a", "b")), COLORS) == LEFT
    assert chosen_in(seen(), COLORS) is None


def test_a_thing_without_a_place_is_not_the_chosen_one():
    assert chosen_in(seen(thing((float("nan"),) * 3)), SIDES) is None


class Run:
    """Runs skills of the robot double with a choice."""

    def __init__(self, **state):
        self.runner, self.robot = at_home(x=6.4, things={"red_cup": LEFT}, doubles={"red_cup": RIGHT}, **state)

    def __call__(self, name, choices=()):
        self.runner.start(SkillCall(name, (("theme", "red_cup"),)), choices)
        while (outcome := self.runner.tick(self.robot.time)) is None:
            self.robot.advance()
        return outcome


def test_look_for_and_pick_go_on_with_the_chosen_thing():
    run = Run()
    asked = run("look_for")
    assert [each.words for each in asked.choices] == ["the left one", "the right one"]
    assert not asked.succeeded
    picked = (asked.choices[1], asked.choices[0])
    assert run("look_for", picked).succeeded
    assert run.runner.context(run.robot.time).visible == ("red_cup",)
    run.robot.things["other"] = RIGHT  # so that the gripper finds something there
    assert run("pick", picked).succeeded
    assert run.robot.gripped == [("grasp", RIGHT)]


def test_what_a_person_describes_is_looked_for_and_asked_about_again_if_it_fits_several():
    run = Run()
    described = (Choice("the cup next to the bread", (float("nan"),) * 3),)
    assert phrase_for("the cup", described) == "the cup next to the bread"
    again = run("look_for", described)
    assert len(again.choices) == 2
    run.robot.doubles.clear()
    assert run("look_for", described).succeeded
    assert run("pick", described).succeeded


def test_a_thing_that_is_gone_is_not_replaced_by_the_other():
    run = Run()
    picked = run("look_for").choices
    del run.robot.doubles["red_cup"]
    run.robot.things["red_cup"] = RIGHT  # the left one was taken away
    outcome = run("look_for", picked)
    assert (outcome.succeeded, outcome.choices, outcome.reason[:11]) == (False, (), "did not see")


def test_the_choice_of_one_errand_does_not_count_in_the_next():
    run = Run()
    picked = run("look_for").choices
    assert run("look_for", picked).succeeded
    assert len(run("look_for").choices) == 2


def test_from_afar_a_second_thing_that_a_look_from_nearby_does_not_confirm_raises_no_question():
    runner, robot = at_home(x=5.0, things={"red_cup": LEFT}, doubles={"red_cup": (7.35, 2.9, 0.95)})
    ground = robot.ground

    def sees(phrase, object_id, not_before):
        if robot.x > 5.3:  # the other was a false alarm
            robot.doubles.clear()
        return ground(phrase, object_id, not_before)

    robot.ground = sees
    runner.start(SkillCall("look_for", (("theme", "red_cup"),)))
    while (outcome := runner.tick(robot.time)) is None:
        robot.advance()
    assert (outcome.succeeded, outcome.choices) == (True, ())


def test_from_afar_two_things_that_looks_from_nearby_confirm_raise_the_question():
    other = (7.35, 1.3, 0.95)
    runner, robot = at_home(x=5.0, things={"red_cup": LEFT}, doubles={"red_cup": other})
    ground = robot.ground

    def sees(phrase, object_id, not_before):
        if robot.x > 5.3:  # only what it looks at
            robot.doubles.clear()
            robot.things["red_cup"] = min((LEFT, other), key=lambda point: abs(robot.pose().bearing(point[:2])))
        return ground(phrase, object_id, not_before)

    robot.ground = sees
    runner.start(SkillCall("look_for", (("theme", "red_cup"),)))
    while (outcome := runner.tick(robot.time)) is None:
        robot.advance()
    assert [each.point for each in outcome.choices] == [LEFT, other]
