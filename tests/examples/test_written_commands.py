"""What README, docs and examples tell a person to say reaches the decision that is stated here, in the home of that command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import pytest

from sayso import Sayso
from sayso.paths import project_root

ROOT = project_root()
TEXTS = ("README.md", "docs/*.md", "examples/*/*.md", "examples/*/*.yaml")
COMMAND = re.compile(r'sayso (?:ask|say)\b(?P<before>[^"`\n]*)"(?P<said>[^"\n]+)"(?P<after>[^`\n#]*)')
DOMAIN = re.compile(r"--domain (\S+)")
COFFEE, SKILLS = "examples/coffee/coffee.yaml", "examples/skills/home.yaml"
OWN = "examples/python/my_home.yaml"  # stands for the home of one's own that the texts make
ANSWERS = frozenset(("the blue one",))  # answers to a question of the robot
LATTE = "order(drink=latte, milk=some soy milk, roast=dark roast, size=small)"
# (home, sentence) → the decision, and the actions of which it is made
DECISIONS: dict[tuple[str, str], tuple[str, list[str]]] = {
    ("", "bring me the cup"): ("ask", []),
    ("", "bring me the red cup"): ("execute", ["bring(recipient=operator, theme=red_cup)"]),
    ("", "bring me the red cup from the kitchen"): ("execute", ["bring(recipient=operator, source=kitchen, theme=red_cup)"]),
    ("", "bring the red cup to the woman pointing to the left in the kitchen"): ("execute", ["go_to(goal=kitchen)"]),
    ("", "go to the desk"): ("execute", ["go_to(goal=desk)"]),
    ("", "go to the kitchen"): ("execute", ["go_to(goal=kitchen)"]),
    ("", "guide anna to the kitchen"): ("execute", ["guide(goal=kitchen, recipient=anna)"]),
    ("", "if the phone is in the bedroom, bring me the cup next to it, but not the red one"): (
        "execute",
        ["survey(goal=bed)", "survey(goal=nightstand)"],
    ),
    ("", "open the fridge"): ("execute", ["open(theme=fridge)"]),
    ("", "put all the books except the green one on the desk"): (
        "execute",
        ["put(goal=desk, theme=red_book)", "put(goal=desk, theme=blue_book)"],
    ),
    ("", "put the cup in the study"): ("ask", ["put(goal=desk, theme=red_cup)"]),
    ("", "take the blue cup to anna, then come back"): (
        "execute",
        ["bring(recipient=anna, theme=blue_cup)", "come_here(recipient=operator)"],
    ),
    ("", "take the mug from the table, no, from the counter, and put it next to the lamp, then come back"): (
        "confirm",
        ["come_here(recipient=operator)"],
    ),
    ("", "turn left"): ("execute", ["turn(direction=left, extent=1.5708)"]),
    (COFFEE, "a small dark roast latte with some soy milk"): ("execute", [LATTE]),
    (COFFEE, "can i have a small dark roast latte with some soy milk"): ("execute", [LATTE]),
    ("examples/german/zuhause.yaml", "bring mir die rote tasse"): ("confirm", ["bring(recipient=eva, theme=tasse)"]),
    (OWN, "bring me the red cup"): ("execute", ["bring(recipient=eve, theme=red_cup)"]),
    (OWN, "go to the kitchen"): ("execute", ["go_to(goal=kitchen)"]),
    (SKILLS, "vacuum the kitchen"): ("execute", ["vacuum(goal=kitchen)"]),
    (SKILLS, "wave to me"): ("execute", ["wave(recipient=operator)"]),
}


def written() -> Iterator[tuple[str, str]]:
    """The home and the sentence of each command in the texts; those about a picture are no commands to a robot."""
    files = [file for pattern in TEXTS for file in sorted(ROOT.glob(pattern))]
    for match in (match for file in files for match in COMMAND.finditer(file.read_text(encoding="utf-8"))):
        options = match["before"] + match["after"]
        if "--image" in options or match["said"] in ANSWERS:
            continue
        domain = DOMAIN.search(options)
        home = domain[1] if domain else ""
        folder = SKILLS if match["said"] in ("wave to me", "vacuum the kitchen") else ""
        yield (OWN if home == "my_home.yaml" else home or folder), match["said"]


@lru_cache(maxsize=8)
def sayso(home: str) -> Sayso:
    return Sayso.load(ROOT / home if home else None)


def test_each_command_of_the_texts_has_its_decision_here_and_no_other() -> None:
    assert set(written()) == DECISIONS.keys()


@pytest.mark.parametrize(("home", "said"), sorted(DECISIONS))
def test_the_command_is_decided_as_the_text_promises(home: str, said: str) -> None:
    understood = sayso(home).understand(said)
    decision, actions = DECISIONS[home, said]
    assert understood.decision == decision, understood.question
    assert not actions or [str(action) for action in understood.actions] == actions


def test_which_cup_is_asked_and_not_guessed() -> None:
    asked = sayso("").understand("bring me the cup")
    assert "red cup, the blue cup or the white cup" in asked.question


def test_orders_of_coffee_in_all_their_forms_are_taken() -> None:
    for said, drink in (
        ("may i have a double shot cappuccino", "cappuccino"),
        ("i'd like an eight ounce cappuccino with milk", "cappuccino"),
        ("i want a light roast espresso with a lot of sugar", "espresso"),
        ("get me a light roast mocha with lots of skim milk and lots of brown sugar", "mocha"),
        ("latte please", "latte"),
    ):
        understood = sayso(COFFEE).understand(said)
        assert (understood.decision, understood.actions[0].argument("drink")) == ("execute", drink), said


@pytest.mark.parametrize(
    "said", ["i hate coffee", "he had a large latte this morning", "what is a mocha", "i spilled the coffee on my shirt"]
)
def test_talk_of_coffee_is_no_order(said: str) -> None:
    assert sayso(COFFEE).understand(said).decision in ("reject", "answer")
