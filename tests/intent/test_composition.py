"""From the structure of a sentence to its meaning in a home: each tree is given, so that no model decides these tests."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sayso.domain import load_domain
from sayso.intent.composition import Composer
from sayso.intent.composition.around import MOST_CONDITIONS
from sayso.intent.composition.asking import Consulted
from sayso.intent.discourse import RecentMentions
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import verbs_of
from sayso.intent.hearings import meaning
from sayso.intent.parser.tree import ParsedSentence, tree_of
from sayso.intent.roles import RoleFinder
from sayso.representation import Description
from sayso.training.parser.marks import read_marks
from sayso.types import Clause

DOMAIN = load_domain()
INTENTS = tuple(DOMAIN.intents)
EVEN = np.full(len(INTENTS), 1.0 / len(INTENTS))


@pytest.fixture(scope="module")
def compose() -> Composer:
    gazetteer, verbs = Gazetteer(DOMAIN), verbs_of(example for spec in DOMAIN.intents.values() for example in spec.wordings)
    return Composer(
        DOMAIN,
        gazetteer,
        verbs,
        RoleFinder(DOMAIN, gazetteer, verbs),
        INTENTS,
        Consulted(lambda text: EVEN, lambda need: (), lambda words: ""),
    )


def clauses(compose: Composer, marked: str) -> tuple[Clause, ...]:
    """The meaning of a sentence with its structure in brackets."""
    sentence = read_marks(marked)
    sentence = replace(sentence, spans=tuple(span for span in sentence.spans if span.label != "polite"))  # given to words without a mark
    values = {(span.first, span.last): span.value for span in sentence.spans if span.value}
    reading = ParsedSentence(sentence.words, tree_of(sentence.structure, values), 1.0)
    found = compose([reading], " ".join(sentence.words).replace(" ,", ","), RecentMentions())
    return next((meant.clauses for meant in found.values()), ())


def described(clause: Clause, role: str) -> Description:
    """What fills a role, as it was said."""
    found = clause.role(role)
    assert found is not None
    assert found.description is not None
    return found.description


def said(clause: Clause) -> dict[str, str | float]:
    return {role.name: role.entity or (role.text if math.isnan(role.value) else round(role.value, 3)) for role in clause.roles}


def test_roles_are_the_spans_of_the_tree_linked_to_the_home(compose: Composer) -> None:
    (clause,) = clauses(compose, "[bring could you get [recipient ben] [theme the [attribute red] cup] from [source the kitchen]]")
    assert clause.intent == "bring"
    assert said(clause) == {"theme": "red_cup", "recipient": "ben", "source": "kitchen"}
    assert clause.left_over == ()


def test_an_act_that_the_robot_lacks_is_named_and_its_thing_can_be_meant_by_it(compose: Composer) -> None:
    chilled, put = clauses(compose, "[other could you chill [theme an apple]] and [put put [theme it] on [goal the counter]]")
    assert (chilled.modifiers.mood, chilled.text) == ("unable", "chill an apple")
    assert said(put) == {"theme": "apple", "goal": "counter"}


def test_a_question_without_an_answer_is_repeated_in_its_own_words(compose: Composer) -> None:
    (clause,) = clauses(compose, "[question:other how much is [theme the yen] [state worth]]")
    assert clause.modifiers.note == "I can't answer “how much is the yen worth”."


def test_an_amount_may_be_in_the_verb_phrase(compose: Composer) -> None:
    (turn,) = clauses(compose, "[turn make a half turn]")
    assert said(turn)["extent"] == pytest.approx(math.pi, abs=1e-3)


def test_words_of_an_amount_that_are_none_are_left_over(compose: Composer) -> None:
    (move,) = clauses(compose, "[move move [direction forward] [extent umpteen meters]]")
    assert move.left_over == ("umpteen", "meters")


def test_a_thing_as_a_goal_is_the_place_beside_it(compose: Composer) -> None:
    (put,) = clauses(compose, "[put put [theme the pen] next to [goal the laptop]]")
    goal = described(put, "goal")
    (relation,) = goal.relations
    assert (relation.name, relation.landmarks[0].candidates[0][0]) == ("next_to", "laptop")


def test_two_spans_of_one_role_are_both_meant(compose: Composer) -> None:
    (put,) = clauses(compose, "[put [theme the plate] on [goal the dining table] [theme the glass] too]")
    theme = described(put, "theme")
    assert [part.head for part in theme.parts] == ["plate", "glass"]


def test_words_that_nothing_in_the_home_explains_are_left_over(compose: Composer) -> None:
    (bring,) = clauses(compose, "[bring bring [recipient me] [theme the [attribute glass] vase]]")
    assert said(bring)["theme"] == "vase"
    assert "glass" in bring.left_over
    (put,) = clauses(compose, "[put put [theme the pan [with with a slice of tomato]] on [goal the counter]]")
    assert "tomato" in put.left_over


def test_a_verb_without_a_thing_shares_that_of_the_next_one(compose: Composer) -> None:
    *_, last = clauses(compose, "[find find] and [bring bring [recipient me] [theme the keys]]")
    assert said(last)["theme"] == "keys"


def test_a_verb_without_a_thing_shares_that_of_the_last_one_if_there_is_no_next(compose: Composer) -> None:
    on, off = clauses(compose, "[switch_on turn [theme the lamp] on] and [switch_off off]")
    assert (said(on), said(off)) == ({"theme": "lamp"}, {"theme": "lamp"})


def test_who_owns_a_thing_can_be_meant_by_her(compose: Composer) -> None:
    (bring,) = clauses(compose, "[bring take [theme [owner anna's] book] over to [recipient her]]")
    assert said(bring)["recipient"] == "anna"


def test_to_stop_somewhere_is_to_go_there(compose: Composer) -> None:
    (go,) = clauses(compose, "[stop stop at [goal the sofa]]")
    assert (go.intent, said(go)) == ("go_to", {"goal": "sofa"})


def test_a_condition_and_a_time_belong_to_their_act(compose: Composer) -> None:
    first, second = clauses(
        compose, "[go_to go to [goal the kitchen]] and [when when [fact [theme anna] [state comes]]] [go_to go to [goal the study]]"
    )
    assert first.modifiers.conditions == ()
    (condition,) = second.modifiers.conditions
    assert (condition.kind, condition.subject and condition.subject.candidates[0][0]) == ("when", "anna")
    (later,) = clauses(compose, "[time in 5 minutes] [go_to go to [goal the kitchen]]")
    assert [timing.seconds for timing in later.modifiers.timings] == [300.0]


def test_more_conditions_than_a_person_can_follow_are_left_over(compose: Composer) -> None:
    several = " ".join("[if if [fact [theme anna] [state is here]]]" for _ in range(MOST_CONDITIONS + 1))
    (go,) = clauses(compose, f"{several} [go_to go to [goal the kitchen]]")
    assert (len(go.modifiers.conditions), go.left_over) == (MOST_CONDITIONS, ("if anna is here",))


def test_words_that_are_taken_back_leave_no_trace(compose: Composer) -> None:
    (turn,) = clauses(compose, "[turn turn [old left], [retract i mean] [direction right]]")
    assert said(turn)["direction"] == "right"
    (bring,) = clauses(compose, "[bring bring [recipient me] [theme [old the milk] [retract no] the apple]]")
    assert said(bring)["theme"] == "apple"
    (left,) = clauses(compose, "[old bring me the milk] [retract no forget it]")
    assert left.modifiers.mood == "retracted"


def test_a_ban_a_question_and_a_hint_stand_beside_what_is_asked_for(compose: Composer) -> None:
    go, ban = clauses(compose, "[go_to go to [goal the kitchen]] but [never don't [open open [theme the fridge]]]")
    assert (go.modifiers.mood, ban.negated, said(ban)) == ("request", True, {"theme": "fridge"})
    assert "go to the kitchen but don't open the fridge"[ban.roles[0].start : ban.roles[0].end] == "the fridge"
    go, question = clauses(compose, "[go_to go to [goal the kitchen]] and [question:how_many tell me how many [theme cups] there are]")
    assert (go.intent, question.modifiers.question) == ("go_to", "how_many")
    (hint,) = clauses(compose, "[hint:bring ben could do with [theme the cup]]")
    assert (hint.modifiers.mood, said(hint)) == ("hint", {"recipient": "ben", "theme": "red_cup"})


def test_a_ban_that_holds_for_now_is_told_from_one_that_stays(compose: Composer) -> None:
    for label, mood in (("never", "rule"), ("refrain", "prohibition")):
        (ban,) = clauses(compose, f"[{label} do not [open open [theme the fridge]]]")
        assert (ban.modifiers.mood, ban.negated) == (mood, True)


def test_a_ban_that_names_only_a_place_or_a_thing_forbids_to_go_there_or_to_take_it(compose: Composer) -> None:
    (out,) = clauses(compose, "[never stay out of [goal the study]]")
    assert (out.intent, out.negated, out.left_over, said(out)) == ("go_to", True, (), {"goal": "study"})
    (off,) = clauses(compose, "[never hands off [theme the vase]]")
    assert (off.intent, off.negated, off.left_over, said(off)) == ("pick_up", True, (), {"theme": "vase"})


def test_the_time_is_told_to_others_and_answered_to_the_speaker(compose: Composer) -> None:
    (told,) = clauses(compose, "[tell tell [recipient anna] [question:time what time it is]]")
    assert (told.intent, told.modifiers.mood, told.modifiers.question, said(told)) == ("tell", "request", "time", {"recipient": "anna"})
    (asked,) = clauses(compose, "[tell tell [recipient me] [question:time the time]]")
    assert (asked.modifiers.mood, asked.modifiers.question) == ("question", "time")


def test_one_person_is_introduced_to_another(compose: Composer) -> None:
    (clause,) = clauses(compose, "[greet introduce [theme anna] to [recipient ben]]")
    assert (clause.intent, said(clause)) == ("tell", {"message": "this is anna", "recipient": "ben"})


def test_a_pronoun_means_what_a_remark_before_it_speaks_of(compose: Composer) -> None:
    (bring,) = clauses(compose, "[aside anna forgot her laptop on the desk], [bring take [theme it] to [recipient her]]")
    assert said(bring) == {"theme": "laptop", "recipient": "anna", "source": "desk"}
    (put,) = clauses(compose, "[aside the pot and the pan are filthy], [put stick [theme them] in [goal the sink]]")
    theme = described(put, "theme")
    assert [part.head for part in theme.parts] == ["pot", "pan"]


def test_to_wait_somewhere_is_to_go_there_and_wait(compose: Composer) -> None:
    go, wait = clauses(compose, "[wait wait by [goal the front door]] [until until [fact [theme ben] [state arrives]]]")
    assert (go.intent, said(go)) == ("go_to", {"goal": "front_door"})
    assert (wait.intent, [condition.kind for condition in wait.modifiers.conditions]) == ("wait", ["until"])


def test_what_is_taken_from_beside_a_place_is_told_apart_by_it(compose: Composer) -> None:
    (take,) = clauses(compose, "[pick_up get [theme the ball] out from behind [source the sofa]]")
    theme = described(take, "theme")
    assert [(each.name, each.landmarks[0].candidates[0][0]) for each in theme.relations] == [("behind", "sofa")]


def test_a_strange_verb_of_a_movement_without_a_direction_is_asked_about(compose: Composer) -> None:
    (move,) = clauses(compose, "[move backup [extent 1 meter]]")
    assert move.left_over == ("backup",)
    (move,) = clauses(compose, "[move could you drive [extent 1 meter]]")
    assert move.left_over == ()


def test_what_makes_no_sense_is_said(compose: Composer) -> None:
    (bring,) = clauses(compose, "[bring bring [recipient me] [theme [quantity minus 5] bananas]]")
    assert "makes no sense" in bring.modifiers.note


@pytest.mark.parametrize("marked", ["[otherwise otherwise [dock go and charge]]", "[talk that was a nice film]"])
def test_what_asks_for_nothing_by_itself_is_not_composed(compose: Composer, marked: str) -> None:
    assert clauses(compose, marked) == ()


@pytest.mark.parametrize("count", [1, 30])
def test_a_word_outside_of_all_spans_is_left_over(compose: Composer, count: int) -> None:
    between = " ".join(["florp"] * count)
    *_, last = clauses(compose, f"[go_to go to [goal the kitchen]] and {between} and [dock charge yourself]")
    assert set(last.left_over) == {"florp"}


def test_an_alternative_depends_on_what_comes_before_it(compose: Composer) -> None:
    first, second = clauses(
        compose, "[bring bring [recipient ben] [theme the milk]], [otherwise otherwise [bring [theme the orange juice]]]"
    )
    assert said(first) == {"recipient": "ben", "theme": "milk"}
    assert said(second) == {"recipient": "ben", "theme": "orange_juice"}
    (unless,) = second.modifiers.conditions
    assert (unless.text, unless.negated) == ("otherwise", True)
    _, other = clauses(
        compose,
        "[if if [fact [theme anna] is in [goal the kitchen]]] [bring bring [recipient her] [theme the milk]] "
        "[otherwise if not [put put [theme it] in [goal the fridge]]]",
    )
    (unless,) = other.modifiers.conditions
    assert (unless.subject and unless.subject.text, unless.negated) == ("anna", True)


def test_what_is_to_be_told_may_be_the_event_that_is_waited_for(compose: Composer) -> None:
    (clause,) = clauses(compose, "[tell alert [recipient me]] [when when [fact [theme anna] [state comes home]]]")
    assert said(clause) == {"recipient": "operator", "message": "anna comes home"}


def test_news_that_the_robot_does_not_have_is_an_act_that_it_lacks(compose: Composer) -> None:
    (clause,) = clauses(compose, "[tell alert [recipient me] about [theme the last football results]]")
    assert (clause.modifiers.mood, clause.text) == ("unable", "alert me about the last football results")


@pytest.mark.parametrize(
    "marked",
    [
        "[after after you [go_to go to [goal the kitchen]]] [bring bring [recipient me] [theme the cup]]",
        "[bring bring [recipient me] [theme the cup]] [after after you [go_to go to [goal the kitchen]]]",
        "[go_to go to [goal the kitchen]] [before before you [bring bring [recipient me] [theme the cup]]]",
        "[before before you [bring bring [recipient me] [theme the cup]]] [go_to go to [goal the kitchen]]",
    ],
)
def test_acts_are_done_in_the_order_that_before_and_after_say(compose: Composer, marked: str) -> None:
    assert [clause.intent for clause in clauses(compose, marked)] == ["go_to", "bring"]


@pytest.mark.parametrize(
    ("condition", "subject", "event", "where", "negated"),
    [
        ("if if [fact [theme the phone] is [in in the bedroom]]", "phone", "", ("in", "bedroom"), False),
        ("if if you [fact [state find] [theme the phone] in [goal the bedroom]]", "phone", "", ("in", "bedroom"), False),
        ("when when [fact [theme anna] [state comes]]", "anna", "come", None, False),
        ("when when you [fact [state see] [theme ben]]", "you", "see", ("with", "ben"), False),
        ("before before you [dock go and charge]", "you", "dock", None, False),
        ("when when you [go_to reach [goal the kitchen]]", "you", "reach", ("at", "kitchen"), False),
        ("unless unless [fact [theme the fridge] [not isn't] [state open]]", "fridge", "", None, True),
        ("if if there is [fact [theme [quantity no] milk] [in in the fridge]]", "milk", "", ("in", "fridge"), True),
    ],
)
def test_a_condition_names_its_subject_its_event_or_its_place(
    compose: Composer, condition: str, subject: str, event: str, where: tuple[str, str] | None, negated: bool
) -> None:
    (stop,) = clauses(compose, f"[{condition}] [stop stop]")
    (found,) = stop.modifiers.conditions
    assert found.subject is not None
    assert (found.subject.candidates[0][0] if found.subject.candidates else found.subject.pronoun) == subject
    marks = [(found.relation.name, mark.candidates[0][0]) for mark in found.relation.landmarks] if found.relation is not None else []
    assert (found.event, marks, found.negated) == (event, [where] if where else [], negated)


def test_what_is_only_passed_is_offered_as_the_goal(compose: Composer) -> None:
    (way,) = clauses(compose, "[go_to go past [via the sofa]]")
    assert said(way) == {"goal": "sofa"}
    assert way.left_over == ("past",)


def test_an_extreme_after_a_drive_is_that_of_the_place(compose: Composer) -> None:
    _, bring = clauses(compose, "[go_to go to [goal the kitchen]] and [bring bring [recipient me] [theme the [order biggest] thing]]")
    (there,) = described(bring, "theme").relations
    assert (there.name, there.landmarks[0].candidates[0][0]) == ("in", "kitchen")


def test_how_many_of_the_biggest_has_to_be_asked(compose: Composer) -> None:
    (bring,) = clauses(compose, "[bring bring [recipient me] [theme the [order biggest] books]]")
    assert bring.left_over == ("biggest",)


@pytest.mark.parametrize(
    "marked",
    [
        "[guide take [recipient anna] from [source the sofa] to [goal the kitchen]]",
        "[guide take [recipient anna] to [goal the kitchen]], [where_it_is you will find her at the sofa]",
    ],
)
def test_where_a_person_is_tells_where_to_meet_them(compose: Composer, marked: str) -> None:
    (guide,) = clauses(compose, marked)
    (there,) = described(guide, "recipient").relations
    assert there.landmarks[0].candidates[0][0] == "sofa"
    assert guide.left_over == ()


def test_the_thing_that_was_taken_back_is_what_one_is_like(compose: Composer) -> None:
    (bring,) = clauses(compose, "[bring bring [recipient me] [old the blue cup] [retract sorry] [theme the [attribute white] one]]")
    assert said(bring) == {"theme": "white_cup", "recipient": "operator"}


def test_words_that_join_acts_leave_no_trace(compose: Composer) -> None:
    first, then = clauses(compose, "[clean wipe [theme the counter]] [join after that] [put put [theme the sponge] in [goal the sink]]")
    assert (first.intent, then.intent, first.left_over, then.left_over) == ("clean", "put", (), ())


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        ("[turn do [theme a back flip]]", "do a back flip"),
        ("[move move [manner a bit slower]]", "move a bit slower"),
        ("[turn turn [theme [owner your] head] to [direction the left]]", "turn your head to the left"),
    ],
)
def test_a_motion_of_a_thing_or_only_in_another_manner_is_none_of_the_robots(compose: Composer, marked: str, text: str) -> None:
    (clause,) = clauses(compose, marked)
    assert (clause.modifiers.mood, clause.text) == ("unable", text)


@pytest.mark.parametrize(
    "marked",
    [
        "[go_to leave [source the bedroom]] and [go_to go to [goal the kitchen]]",
        "[go_to go from [source the bedroom] to [goal the kitchen]]",
        "[go_to leave [source the unicorn]] and [go_to go to [goal the kitchen]]",
    ],
)
def test_where_a_way_begins_changes_nothing(compose: Composer, marked: str) -> None:
    (clause,) = clauses(compose, marked)
    assert (said(clause), clause.left_over) == ({"goal": "kitchen"}, ())


def test_only_marked_attributes_are_attributes(compose: Composer) -> None:
    (clause,) = clauses(compose, "[bring bring me [theme the [attribute clean] butter vase]]")
    assert described(clause, "theme").untold == ("clean",)
    assert "butter" in described(clause, "theme").unknown


def test_an_answer_where_none_was_asked_for_changes_nothing_of_the_request_after_it(compose: Composer) -> None:
    (turn,) = clauses(compose, "[answers yes], [turn turn [direction left]]")
    assert (turn.intent, turn.left_over, [role.entity for role in turn.roles]) == ("turn", (), ["left"])
    assert clauses(compose, "[answers ten feet]") == ()  # it may continue a movement: the structure alone does not tell


def test_who_was_named_for_the_first_thing_gets_the_next_one_too(compose: Composer) -> None:
    _, bread = clauses(compose, "[bring bring [recipient anna] [theme the milk]], and [bring [theme the bread]] [join too]")
    assert {role.name: role.entity for role in bread.roles} == {"theme": "bread", "recipient": "anna"}


def test_things_in_one_act_or_in_two_mean_the_same(compose: Composer) -> None:
    one = clauses(compose, "[bring bring [recipient me] [theme [item the milk] and [item the bread]]]")
    two = clauses(compose, "[bring bring [recipient me] [theme the milk]] and [bring [theme the bread]]")
    assert meaning(one) == meaning(two)
