"""The grounder training: phrases and the things they fit, windows and targets, export and evaluation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from sayso.domain import load_domain  # noqa: E402
from sayso.errors import SaysoError  # noqa: E402
from sayso.grounding.grounder import PresenceCalibration, VisualGrounder  # noqa: E402
from sayso.grounding.phrase import NO_WORD, UNKNOWN, Vocabulary  # noqa: E402
from sayso.nn import head_similarity  # noqa: E402
from sayso.training.grounder.batches import Batches  # noqa: E402
from sayso.training.grounder.config import load_config  # noqa: E402
from sayso.training.grounder.evaluation import auroc, calibration_error, log_odds, platt  # noqa: E402
from sayso.training.grounder.export import export  # noqa: E402
from sayso.training.grounder.fit import GroundingLoss, fit, losses  # noqa: E402
from sayso.training.grounder.network import PATCH, GroundingNetwork, NetworkSize  # noqa: E402
from sayso.training.grounder.phrases import Appearance, PhraseBook, PhraseSampler  # noqa: E402
from sayso.training.grounder.pictures import Picture, Pictures  # noqa: E402
from sayso.types import Image  # noqa: E402

torch.set_num_threads(1)
SMALL = NetworkSize(dim=16, heads=2, hidden=16, stem=(4, 8, 8, 8), pyramid=8)


@pytest.fixture(scope="module")
def config():
    return load_config().model_copy(update={"batch": 2, "phrases": 6, "steps": 4, "whole": 0.5})


@pytest.fixture(scope="module")
def book(config):
    return PhraseBook(load_domain(), config.words)


def fitting(book, object_id, color):
    row = book.fits[book.looks.index(Appearance(object_id, color))]
    return {book.phrases[number].text for number in np.flatnonzero(row)}


def test_phrases_use_name_category_and_colour(book):
    assert {"cup", "mug", "red cup", "red mug", "red thing"} <= fitting(book, "red_cup", "red")
    assert not {"blue cup", "bowl", "red bowl", "thing"} & fitting(book, "red_cup", "red")


def test_another_colour_makes_another_cup_but_no_other_drink(book):
    assert {"cup", "yellow cup"} <= fitting(book, "red_cup", "yellow")
    assert "red cup" not in fitting(book, "red_cup", "yellow")
    assert {"coke", "can"} <= fitting(book, "coke", "red")
    assert "can" in fitting(book, "coke", "blue")
    assert "coke" not in fitting(book, "coke", "blue")


def test_every_name_of_every_object_is_known_to_the_vocabulary(book):
    for thing in book.domain.objects.values():
        for name in thing.names:
            assert book.vocabulary.unknown(name) == []


@given(st.integers(0, 2**31 - 1))
@settings(max_examples=25, deadline=None)
def test_phrases_fit_present_things_and_not_absent_ones(book, seed):
    rng = np.random.default_rng(seed)
    sampler = PhraseSampler(book)
    looks = rng.integers(len(book.looks), size=6).tolist()
    assert all(book.fits[look, sampler.present(look, rng)] for look in looks)
    assert not any(book.fits[looks, sampler.absent(looks, rng)].any() for _ in range(10))


def test_phrases_for_absent_things_are_often_near_misses(book):
    rng = np.random.default_rng(0)
    sampler = PhraseSampler(book)
    red_cup = book.looks.index(Appearance("red_cup", "red"))
    absent = [book.phrases[sampler.absent([red_cup], rng)] for _ in range(400)]
    assert sum(phrase.noun in ("cup", "mug") for phrase in absent) > 50
    assert sum(phrase.color == "red" for phrase in absent) > 50


@pytest.fixture(scope="module")
def pictures(book, tmp_path_factory):
    """Thirty pictures of a few coloured squares on grey, each square an object in its own colour."""
    rng = np.random.default_rng(5)
    paint = {"red": (200, 30, 40), "blue": (30, 80, 200), "green": (30, 140, 60), "yellow": (240, 200, 30), "white": (245, 245, 240)}
    own = [thing.attributes["color"] for thing in book.domain.objects.values()]
    pictures = Pictures(tmp_path_factory.mktemp("pictures"), 30, len(own))
    painted = [index for index, color in enumerate(own) if color in paint]
    for _ in range(30):
        rgb, owner = np.full((240, 320, 3), 120, np.uint8), np.zeros((240, 320), np.uint8)
        for thing in rng.choice(painted, 5, replace=False):
            top, left = rng.integers(20, 200), rng.integers(20, 280)
            owner[top : top + 20, left : left + 16] = 1 + thing
            rgb[top : top + 20, left : left + 16] = paint[own[thing]]
        colors = np.array([book.colors.index(color) for color in own], np.uint8)
        pictures.append(Picture(rgb, owner, colors, np.ones((240, 320), np.float32), np.array([277, 277, 159.5, 119.5]), np.eye(4)))
    pictures.flush()
    return pictures


def test_pictures_survive_an_interruption(pictures, book):
    again = Pictures(pictures.folder, 30, len(book.object_ids))
    assert again.done == 30
    np.testing.assert_array_equal(again.rgb[7], pictures.rgb[7])
    seen = np.flatnonzero(again.pixels[7])
    rows, cols = np.nonzero(again.owner[7] == 1 + seen[0])
    np.testing.assert_allclose(again.middles[7, seen[0]], (rows.mean(), cols.mean()), rtol=1e-6)


def test_the_target_is_only_on_the_meant_thing(pictures, book, config):
    batches = Batches(pictures, book, config)
    codes = {tuple(code): number for number, code in reversed(list(enumerate(book.codes)))}
    looked_at = 0
    for seed in range(6):
        batch = batches.draw(np.random.default_rng(seed))
        np.testing.assert_allclose(batch.targets.sum(-1), batch.present, atol=1e-5)
        height, width = batch.pictures.shape[2:]
        for b, p in np.argwhere(batch.present.numpy() > 0.5):
            words = batch.words[b, p].numpy()
            words = np.append(words[1:], NO_WORD) if words[0] == UNKNOWN else words
            color = book.phrases[codes[tuple(words)]].color
            peak = int(batch.targets[b, p].argmax())
            row, col = divmod(peak, width // PATCH)
            r, g, blue = batch.pictures[b, :, row * PATCH + 2, col * PATCH + 2].tolist()
            if color == "red":
                assert r > 2 * g
                looked_at += 1
            if color == "blue":
                assert blue > 1.5 * r
                looked_at += 1
        assert height % PATCH == 0
    assert looked_at > 5


def test_the_same_random_state_draws_the_same_batch(pictures, book, config):
    batches = Batches(pictures, book, config)
    one, other = batches.draw(np.random.default_rng(3)), batches.draw(np.random.default_rng(3))
    assert torch.equal(one.words, other.words)
    assert torch.equal(one.targets, other.targets)
    assert one.corners == other.corners


def test_a_window_keeps_the_positions_of_its_picture():
    network = GroundingNetwork(20, SMALL).eval()
    places = network.positions(60, 80)
    assert places.shape == (60, 80, 16)
    torch.testing.assert_close(network.positions(10, 12), places[:10, :12])


def test_an_interrupted_training_gives_the_same_weights(pictures, book, config, tmp_path, monkeypatch):
    monkeypatch.setattr("sayso.training.grounder.fit.CHECKPOINT_EVERY", 2)
    batches = Batches(pictures, book, config)

    def trained(checkpoint, stop_after=None):
        torch.manual_seed(0)
        network = GroundingNetwork(book.vocabulary.size, SMALL)

        def report(step, parts):
            if step == stop_after:
                raise KeyboardInterrupt

        fit(network, batches, config, checkpoint, report)
        return network.state_dict()

    straight = trained(tmp_path / "straight.pt")
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "interrupted.pt", stop_after=3)
    resumed = trained(tmp_path / "interrupted.pt")
    for name, value in straight.items():
        torch.testing.assert_close(resumed[name], value, atol=1e-5, rtol=1e-4)


def test_a_few_steps_lower_the_training_loss(pictures, book, config):
    torch.manual_seed(0)
    network = GroundingNetwork(book.vocabulary.size, SMALL)
    learner = GroundingLoss(network, 1 + len(book.object_ids), len(book.colors)).train()
    batch = Batches(pictures, book, config).draw(np.random.default_rng(1))
    places = network.positions(60, 80)
    optimiser = torch.optim.Adam(learner.parameters(), lr=1e-2)
    history = []
    for _ in range(25):
        loss, parts = losses(learner, batch, places, 0.02)
        history.append(parts)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert history[-1]["pointing"] < history[0]["pointing"] - 1
    assert history[-1]["presence"] < history[0]["presence"]
    assert history[-1]["misread"] < history[0]["misread"]
    assert 0 <= history[-1]["heads alike"] <= 1


def test_the_exported_file_computes_the_same_as_the_network(tmp_path):
    torch.manual_seed(1)
    vocabulary = Vocabulary(("cup", "red"))
    network = GroundingNetwork(vocabulary.size, SMALL).eval()
    export(network, PresenceCalibration(vocabulary, 1.5, -0.2, 0.6), tmp_path / "small.onnx")
    grounder = VisualGrounder(tmp_path / "small.onnx")
    assert grounder.calibration == PresenceCalibration(vocabulary, 1.5, -0.2, 0.6)
    rgb = np.random.default_rng(0).integers(0, 255, (240, 320, 3), dtype=np.uint8)
    grounding = grounder(Image(rgb, 0.0), "the red cup")
    with torch.no_grad():
        picture = torch.from_numpy(rgb)[None].permute(0, 3, 1, 2).float() / 255
        weights, logit = network(picture, torch.from_numpy(vocabulary.encode("red cup"))[None, None])
    np.testing.assert_allclose(grounding.attention.ravel(), weights.mean(1)[0, 0], atol=1e-6)
    assert grounding.confidence == pytest.approx(1 / (1 + np.exp(-(1.5 * logit.item() - 0.2))), abs=1e-5)
    assert head_similarity(weights[0, :, 0]).item() <= 1


def test_an_invalid_configuration_is_refused_in_one_line(tmp_path):
    (tmp_path / "bad.yaml").write_text("seed: 1\nsteps: none\n")
    with pytest.raises(SaysoError, match=r"bad\.yaml"):
        load_config(tmp_path / "bad.yaml")
    with pytest.raises(SaysoError, match="there is no such file"):
        load_config(tmp_path / "absent.yaml")


@given(st.integers(0, 2**31 - 1))
@settings(max_examples=20, deadline=None)
def test_auroc_equals_scikit_learns(seed):
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(seed)
    positive, negative = rng.integers(0, 8, 20) / 8, rng.integers(-2, 6, 30) / 8
    expected = roc_auc_score([1] * 20 + [0] * 30, np.concatenate((positive, negative)))
    assert auroc(positive, negative) == pytest.approx(expected)


def test_platt_scaling_recovers_the_true_odds():
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 3, 20_000)
    right = rng.random(20_000) < 1 / (1 + np.exp(-(0.5 * logits - 1)))
    scale, shift = platt(logits, right)
    assert (scale, shift) == pytest.approx((0.5, -1), abs=0.05)
    assert calibration_error(1 / (1 + np.exp(-(scale * logits + shift))), right) < 0.02
    assert calibration_error(1 / (1 + np.exp(-logits)), right) > 0.05


def test_log_odds_stay_finite():
    np.testing.assert_allclose(log_odds(np.array([0.5, 1 / (1 + np.exp(-3.0))])), [0, 3])
    assert np.isfinite(log_odds(np.array([0.0, 1.0]))).all()
