from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.domain import Domain, load_domain
from sayso.errors import ModelError
from sayso.intent import IntentClassifier
from sayso.intent.clauses import words_of
from sayso.intent.head import KINDS, IntentHead
from sayso.intent.learning import examples_of, key_of, learn
from sayso.intent.linear_head import log_sum_exp, softmax
from sayso.intent.plain import PlainText
from sayso.intent.regression import logistic
from sayso.models import model_path
from sayso.training.intents.evaluation import transcript_of
from sayso.training.scores import auroc, expected_calibration_error

OWN_HOME = """
name: greenhouse
speaker: gardener
places: {bench: {pose: [0, 0, 0], surface: true}, tap: {pose: [1, 0, 0]}}
objects: {watering_can: {category: can}}
people: {gardener: {names: [you]}}
skills: {say: {arguments: {message: words}, effects: [said(message)]}}
actions: {water: {}, prune: {}, report: {}}
intents:
  water:
    roles: {theme: {kinds: [object]}}
    examples: [water the plants, give the tomatoes some water, sprinkle the beds, could you water the roses]
  prune: {examples: [prune the bushes, cut back the hedge, trim the roses, could you trim the hedge]}
  report: {examples: [how humid is it, how warm is it in here, report the temperature, what is the humidity]}
chatter: [tomatoes are cheap this year, my back hurts, the roses were lovely last summer]
"""


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    path = tmp_path_factory.mktemp("home") / "greenhouse.yaml"
    path.write_text(OWN_HOME)
    return load_domain(path)


def test_a_home_with_other_intents_is_trained_once(
    own_home: Domain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    belief = IntentClassifier(own_home)(transcript_of("please trim the hedge by the bench"))
    captured = capsys.readouterr()
    assert belief.clauses[0].intent == "prune"
    assert "greenhouse" in captured.err
    assert captured.out == ""
    assert len(list(tmp_path.rglob("*.safetensors"))) == 1
    again = IntentClassifier(own_home)(transcript_of("please trim the hedge by the bench"))
    assert "learnt" not in capsys.readouterr().err
    assert again.clauses[0].probabilities == pytest.approx(belief.clauses[0].probabilities, abs=1e-4)


def test_a_damaged_cached_head_is_trained_again(own_home: Domain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    IntentClassifier(own_home)
    (kept,) = tmp_path.rglob("*.safetensors")
    kept.write_bytes(b"no head")
    assert IntentClassifier(own_home)(transcript_of("water the beds please")).clauses[0].intent == "water"


def test_the_shipped_head_is_up_to_date() -> None:
    head = IntentHead.load(model_path("intents.safetensors"))
    assert head.key == key_of(load_domain()), "config/intents.yaml has changed: run 'sayso train intents'"
    assert head.intents == tuple(load_domain().intents)
    assert head.p_train == pytest.approx(np.full(len(head.intents), 1 / len(head.intents)), abs=1e-6)


def test_training_is_deterministic(own_home: Domain) -> None:
    def encode(texts: list[str]) -> np.ndarray:
        rows = [np.random.default_rng(sum(text.encode())).normal(size=16) for text in texts]
        return np.array([row / np.linalg.norm(row) for row in rows], np.float32)

    heads = [learn(own_home, encode, np.zeros((0, 16), np.float32), lambda what, share: None)[0] for _ in range(2)]
    assert np.array_equal(heads[0].linear.W, heads[1].linear.W)
    assert np.array_equal(heads[0].kernel.precision, heads[1].kernel.precision)
    assert all(np.array_equal(heads[0].scales[kind], heads[1].scales[kind]) for kind in KINDS)


def test_a_head_is_restored_from_its_file(own_home: Domain, tmp_path: Path) -> None:
    head = IntentHead.load(model_path("intents.safetensors"))
    head.save(tmp_path / "head.safetensors")
    again = IntentHead.load(tmp_path / "head.safetensors")
    h = head.kernel.prototypes[:5]
    assert (again.intents, again.templates) == (head.intents, head.templates)
    for kind in KINDS:
        assert np.array_equal(again.reading(kind).probabilities(h), head.reading(kind).probabilities(h))
        assert np.array_equal(again.reading(kind).out_of_scope(h), head.reading(kind).out_of_scope(h))


def test_an_invalid_file_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "head.safetensors").write_bytes(b"12345678 no")
    with pytest.raises(ModelError, match="sayso train intents"):
        IntentHead.load(tmp_path / "head.safetensors")


def test_an_example_changes_the_key_but_a_room_does_not() -> None:
    home = load_domain()
    places = home.model_copy(update={"places": {**home.places, "attic": home.places["kitchen"]}})
    stop = home.intents["stop"].model_copy(update={"examples": (*home.intents["stop"].examples, "cease")})
    taught = home.model_copy(update={"intents": {**home.intents, "stop": stop}})
    assert key_of(places) == key_of(home) != key_of(taught)


def test_examples_are_normalised_and_know_their_templates() -> None:
    examples = examples_of(load_domain())
    assert {example.intent for example in examples} == {*load_domain().intents, ""}
    assert not any("{" in example.text or example.text != example.text.lower() for example in examples)


def test_names_are_replaced_by_one_per_kind() -> None:
    plain = PlainText(load_domain())
    assert plain("bring me the teddy bear from the study") == plain("bring me the sponge from the bathroom")
    assert plain("go to the dock") == "go to the dock"  # the examples contain it literally


def test_regression_separates_separable_data() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 300)
    h = np.eye(3)[labels] * 3 + rng.normal(size=(300, 3)) * 0.2
    Wb = logistic(h, np.eye(3)[labels], np.ones(300), 1e-4)
    assert ((h @ Wb[:, :-1].T + Wb[:, -1]).argmax(1) == labels).all()


def test_regression_is_at_its_minimum() -> None:
    rng = np.random.default_rng(1)
    h, targets, weights = rng.normal(size=(60, 4)), np.eye(3)[rng.integers(0, 3, 60)], rng.uniform(0.5, 1.5, 60)
    Wb = logistic(h, targets, weights, 0.1)
    inputs, share = np.concatenate([h, np.ones((60, 1))], 1), weights / weights.sum()
    gradient = ((softmax(inputs @ Wb.T) - targets) * share[:, None]).T @ inputs
    gradient[:, :-1] += 0.1 * Wb[:, :-1]
    assert np.abs(gradient).max() < 1e-3


def test_softmax_sums_to_one_even_for_large_logits() -> None:
    p = softmax(np.array([[1000.0, 999.0, -1000.0]]))
    assert p.sum() == pytest.approx(1.0)
    assert log_sum_exp(np.array([[1000.0, 1000.0]]))[0] == pytest.approx(1000 + np.log(2))


def test_scores_match_hand_calculation() -> None:
    assert auroc(np.array([0.9, 0.8]), np.array([0.1, 0.8])) == pytest.approx(0.875)
    sure = np.array([0.99, 0.99, 0.51, 0.51])
    assert expected_calibration_error(sure, np.array([1, 1, 1, 0]), np.ones(4)) == pytest.approx(0.01)


PLAIN = PlainText(load_domain())
NAMES = [name for thing in (*load_domain().objects.values(), *load_domain().places.values()) for name in thing.names]


@given(st.lists(st.sampled_from([*NAMES, "bring", "me", "from", ",", "after that", "anna's", "xanna"]), max_size=9))
def test_plain_words_join_to_the_plain_text_and_cover_all_words(sentence: list[str]) -> None:
    words = [word.text for word in words_of(" ".join(sentence))]
    plain = PLAIN.words(words)
    assert " ".join(word.text for word in plain) == PLAIN(" ".join(words))
    tokens = [number for word in plain for number in range(word.first, word.last + 1)]
    assert sorted(set(tokens)) == list(range(len(words)))  # covers every word
    assert tokens == sorted(tokens)
