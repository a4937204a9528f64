"""Additional intents are enrolled from their examples without training, and do not degrade the shipped ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import yaml

from sayso.domain import Domain, load_domain
from sayso.encoder import SentenceEncoder
from sayso.intent import IntentClassifier
from sayso.intent.enrolment import EnrolledHead, enrol, enrollable
from sayso.intent.head import KINDS, IntentHead, Kind
from sayso.models import model_path
from sayso.training.intents.evaluation import strangeness, transcript_of

NEW = yaml.safe_load((Path(__file__).parents[1] / "data" / "enrolment.yaml").read_text(encoding="utf-8"))
SHIPPED = IntentHead.load(model_path("intents.safetensors"))


def added(**examples: Sequence[str]) -> Domain:
    """The default home with additional intents, or additional examples for its own."""
    home = load_domain()
    intents = dict(home.intents)
    for name, additional in examples.items():
        spec = intents.get(name)
        combined = (*spec.examples, *additional) if spec else tuple(additional)
        intents[name] = (spec or home.intents["stop"]).model_copy(
            update={"examples": combined, "paraphrases": spec.paraphrases if spec else ()}
        )
    return home.model_copy(update={"intents": intents})


@pytest.fixture(scope="module")
def extended() -> IntentClassifier:
    return IntentClassifier(added(**{name: parts["examples"] for name, parts in NEW.items()}))


def test_five_new_intents_are_understood_from_five_examples_each(extended: IntentClassifier) -> None:
    read = [(name, extended(transcript_of(text))) for name, parts in NEW.items() for text in parts["others"]]
    right = [[clause.intent for clause in belief.clauses] == [name] for name, belief in read]
    assert np.mean(right) >= 0.8
    assert np.mean([strangeness(belief) <= 0 for _, belief in read]) >= 0.85


def test_distances_cover_learnt_and_enrolled_intents() -> None:
    encode = SentenceEncoder()
    head = enrol(added(water_plants=NEW["water_plants"]["examples"]), SHIPPED, encode)
    distances = head.distances(encode([NEW["water_plants"]["others"][0], "go to the kitchen"]))
    assert distances.shape == (2, len(head.intents))
    assert [head.intents[nearest] for nearest in distances.argmin(1)] == ["water_plants", "go_to"]


def test_enrolment_trains_and_caches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sayso.intent.store.learn", lambda *_: pytest.fail("learning takes a minute"))
    IntentClassifier(added(water_plants=NEW["water_plants"]["examples"]))
    assert not list(tmp_path.rglob("*"))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "intent"),
    [("bring me the red cup", "bring"), ("stop", "stop"), ("open the fridge", "open"), ("wait here for two minutes", "wait")],
)
def test_shipped_intents_are_still_understood(extended: IntentClassifier, text: str, intent: str) -> None:
    (clause,) = extended(transcript_of(text)).clauses
    assert (clause.intent, clause.out_of_scope < 0) == (intent, True)
    assert clause.probabilities.sum() == pytest.approx(1.0)


def test_chatter_stays_chatter(extended: IntentClassifier) -> None:
    for text in ("the bus stop is just around the corner", "plants are expensive this year", "asdf qwer zxcv"):
        assert strangeness(extended(transcript_of(text))) > 0, text


def test_additional_examples_extend_an_intent() -> None:
    new = ["hit the road to the {place}", "hit the road"]
    before, after = (
        IntentClassifier(domain, parser=False)(transcript_of("hit the road now")).clauses[0] for domain in (load_domain(), added(go_to=new))
    )
    number = list(load_domain().intents).index("go_to")
    assert after.intent == "go_to"
    assert after.probabilities[number] > before.probabilities[number]


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_for_no_intent_of_the_domain_is_out_of_scope(kind: Kind) -> None:
    home = load_domain()
    fewer = home.model_copy(update={"intents": {name: spec for name, spec in home.intents.items() if name != "pour"}})
    classify = IntentClassifier(fewer, head=kind)
    belief = classify(transcript_of("pour me a glass of water"))  # an act of hands is for a robot, also if it is unknown
    assert "pour" not in belief.intents
    assert "pour" in belief.clauses[0].left_over
    (meeting,) = classify(transcript_of("schedule a meeting with my boss")).clauses
    assert meeting.out_of_scope > 0 or meeting.modifiers.mood == "unable"
    assert strangeness(classify(transcript_of("close the window"))) < 0


def test_new_rooms_and_objects_need_no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    home = load_domain()
    attic = home.places["kitchen"].model_copy(update={"names": ("attic",)})
    kite = home.objects["red_cup"].model_copy(update={"names": ("yellow kite",), "category": "kite"})
    larger = home.model_copy(update={"places": {**home.places, "attic": attic}, "objects": {**home.objects, "kite": kite}})
    monkeypatch.setattr("sayso.intent.store.learn", lambda *_: pytest.fail("names need no learning"))
    clause = IntentClassifier(larger)(transcript_of("bring me the yellow kite from the attic")).clauses[0]
    assert clause.intent == "bring"
    assert {role.name: role.entity for role in clause.roles} == {"recipient": "operator", "theme": "kite", "source": "attic"}
    assert clause.out_of_scope < 0


def test_very_different_intents_are_not_enrollable() -> None:
    home = load_domain()
    few = home.model_copy(update={"intents": {name: home.intents["stop"].model_copy(update={"examples": (name,)}) for name in ("a", "b")}})
    assert enrollable(few, SHIPPED) == ()


def test_an_intent_with_fewer_examples_is_enrolled_again() -> None:
    home = load_domain()
    poorer = home.intents["wait"].model_copy(update={"examples": home.intents["wait"].examples[:5]})
    domain = home.model_copy(update={"intents": {**home.intents, "wait": poorer}})
    assert set(home.intents) - set(enrollable(domain, SHIPPED)) == {"wait"}


def test_probabilities_sum_to_one() -> None:
    def encode(texts: Sequence[str]) -> np.ndarray:
        rows = np.stack([np.random.default_rng(sum(text.encode())).normal(size=384) for text in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    head = enrol(added(a=["do this"], b=["do that", "that"]), SHIPPED, encode)
    assert isinstance(head, EnrolledHead)
    h = encode([str(number) for number in range(50)])
    p = head.probabilities(h)
    assert p.shape == (50, len(SHIPPED.intents) + 2)
    assert p.min() >= 0
    assert p.sum(1) == pytest.approx(1.0)
    assert head.p_train.sum() == pytest.approx(1.0)
    assert np.isfinite(head.out_of_scope(h)).all()
    assert head.intents[int(head.probabilities(encode(["do this"]))[0].argmax())] == "a"
