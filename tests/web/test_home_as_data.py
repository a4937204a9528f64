"""The home on the page: a plan of all that is there, and sentences that one can say in it."""

from __future__ import annotations

import json

from sayso.domain import load_domain
from sayso.scene.load import load_scene
from sayso.web.home import examples, home_as_data


def test_every_room_thing_and_person_is_on_the_plan() -> None:
    domain, scene = load_domain(None), load_scene(None)
    home = json.loads(json.dumps(home_as_data(domain, scene), allow_nan=False))
    assert {room["id"] for room in home["rooms"]} == set(scene.rooms)
    assert set(home["objects"]) == set(domain.objects)
    assert {person["id"] for person in home["people"]} == set(scene.people)
    assert set(home["places"]) == set(domain.places)
    x0, y0, x1, y1 = home["area"]
    assert all(x0 - 1 <= x <= x1 + 1 and y0 - 1 <= y <= y1 + 1 for each in home["furniture"] for x, y in each["corners"])


def test_the_examples_use_the_names_of_this_home() -> None:
    domain = load_domain(None)
    found = examples(domain)
    assert len(found) == len(set(found)) > 10
    assert any(domain.spoken(name).removeprefix("the ") in text for name in domain.objects for text in found)
