"""The grounder training: phrases and the things they fit, windows and targets, export and evaluation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from sayso.domain import load_domain  # noqa: E402
from sayso.errors import SaysoError  # noqa: E402
from sayso.grounding.attention import attention  # noqa: E402
from sayso.grounding.calibration import CandidateCalibration  # noqa: E402
from sayso.grounding.colors import difference, lab  # noqa: E402
from sayso.grounding.grounder import VisualGrounder  # noqa: E402
from sayso.grounding.phrase import PhraseUnit, units_of  # noqa: E402
from sayso.grounding.words import COLOR, WORDS, color_numbers  # noqa: E402
from sayso.nn import scaled_dot_product_attention  # noqa: E402
from sayso.scene import load_scene  # noqa: E402
from sayso.sim.simulation import Simulation  # noqa: E402
from sayso.training.grounder.batches import THINGS, Batches  # noqa: E402
from sayso.training.grounder.config import TrainingStage, load_config  # noqa: E402
from sayso.training.grounder.evaluation import Examination, auroc, calibration_error, logistic  # noqa: E402
from sayso.training.grounder.export import export  # noqa: E402
from sayso.training.grounder.fit import fit, losses  # noqa: E402
from sayso.training.grounder.network import PATCH, WORD, GroundingNetwork, NetworkSize, attention_and_null, depth_channels  # noqa: E402
from sayso.training.grounder.phrases import Appearance, PhraseBook, PhraseSampler  # noqa: E402
from sayso.training.grounder.pictures import Picture, Pictures  # noqa: E402
from sayso.training.grounder.proposals import proposals  # noqa: E402
from sayso.training.grounder.scenes import Scenes, without_colors  # noqa: E402
from sayso.training.grounder.units import UnitWords  # noqa: E402
from sayso.types import Image  # noqa: E402

pytestmark = pytest.mark.long("trains or exports a network")

torch.set_num_threads(1)
FIRST = TrainingStage(steps=3, learning_rate=0.002, whole=0.5, diversity=0.02, proposals=False)
SMALL = NetworkSize(dim=16, heads=2, hidden=16, stem=(4, 8, 8, 8), pyramid=8)


def read(unit):
    """Word vectors that depend on the words alone, without the sentence encoder."""
    words = unit.text.split()[:WORDS]
    vectors = np.zeros((WORDS, WORD + COLOR), np.float32)
    if unit.color:
        vectors[0, WORD:] = color_numbers(unit.text)
    for index, word in enumerate([] if unit.color else words):
        vectors[index, :WORD] = np.random.default_rng(sum(ord(letter) * 31**at for at, letter in enumerate(word)) % 2**32).normal(size=WORD)
    return vectors, (np.arange(WORDS) < len(words)).astype(np.float32)


@pytest.fixture(scope="module")
def config():
    return load_config().model_copy(update={"batch": 2, "pairs": 12, "stages": (FIRST, FIRST.model_copy(update={"proposals": True}))})


@pytest.fixture(scope="module")
def book(config):
    return PhraseBook(load_domain(), config.words, config.held_out)


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


def test_every_name_of_every_object_is_trained(book):
    for thing in book.domain.objects.values():
        for name in thing.names:
            assert set(units_of(name)) <= set(book.units), name


def test_a_look_is_read_by_its_colour_and_its_nouns(book):
    row = book.unit_fits[book.looks.index(Appearance("red_cup", "red"))]
    assert {book.units[number].text for number in np.flatnonzero(row == 1)} >= {"red", "cup", "mug", "thing"}
    assert row[book.units.index(PhraseUnit("blue", color=True))] == 0
    assert row[book.units.index(PhraseUnit("bowl"))] == 0


def test_nobody_knows_whether_a_navy_cup_is_a_blue_one(book):
    row = book.unit_fits[book.looks.index(Appearance("red_cup", "navy"))]
    fits = {name: row[book.units.index(PhraseUnit(name, color=True))] for name in ("navy", "black", "yellow")}
    assert (fits["navy"], fits["yellow"]) == (1, 0)
    assert np.isnan(fits["black"])


def test_no_training_picture_and_no_training_phrase_has_what_is_held_out(book, config, tmp_path):
    """At least 12 combinations and a colour: neither painted nor named, not even as what is absent."""
    held_out = set(config.held_out.combinations)
    assert len(held_out) >= 12
    assert not set(config.held_out.colors) & {unit.text for unit in book.units}
    assert min(difference(shade, color) for shade in config.words.shades for color in config.held_out.colors) > 30
    assert not any(kind in unit.text.split() for kind in config.held_out.kinds for unit in book.units if unit.text != "notebook computer")
    assert all(len(units_of(unit.text)) == 1 for unit in book.units if not unit.color)  # no unit names a colour and a kind
    painted = {(color, book.domain.objects[name].category) for name in book.object_ids for color in book.other_colors(name)}
    painted |= {(book.own_color(name), book.domain.objects[name].category) for name in book.object_ids}
    assert not painted & held_out
    assert not {color for color, _ in painted} & set(config.held_out.colors)
    small = config.model_copy(update={"apartment": {"train": 12}, "homes": {"train": 0}, "pictures_per_home": {"train": 0}})
    for picture in Scenes(book, small, tmp_path).pictures("train", 0):
        seen = {
            (book.colors[color], book.domain.objects[name].category) for name, color in zip(book.object_ids, picture.colors, strict=True)
        }
        assert not seen & held_out


def test_no_furniture_and_no_clothes_of_a_training_picture_have_a_colour_that_is_held_out(config):
    scene = load_scene()
    hidden = lab(np.array([np.array(scene.rgb(color)) * 255 for color in config.held_out.colors]))

    def nearest(scene):
        simulation = Simulation(scene)
        drawn = simulation.model.geom_rgba[:, 3] > 0
        return np.linalg.norm(lab(simulation.model.geom_rgba[drawn, :3] * 255)[:, None] - hidden, axis=-1).min()

    assert nearest(scene) < 1  # the sofa
    assert nearest(without_colors(scene, config.held_out.colors)) > 15


def test_the_examination_of_what_is_held_out_shows_it(book, config, tmp_path):
    small = config.model_copy(update={"apartment": {"test": 2}, "homes": {"test": 0}, "pictures_per_home": {"test": 0}})
    for picture in Scenes(book, small, tmp_path).pictures("test", 0, held_out=True):
        seen = {
            (book.colors[color], book.domain.objects[name].category) for name, color in zip(book.object_ids, picture.colors, strict=True)
        }
        assert len(seen & set(config.held_out.combinations)) + len({color for color, _ in seen} & set(config.held_out.colors)) >= 3


@given(st.integers(0, 2**31 - 1))
@examples(25)
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
    assert sum(phrase.noun in ("cup", "mug", "teacup", "coffee cup", "coffee mug") for phrase in absent) > 50
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


def test_a_pair_fits_where_the_picture_shows_what_the_unit_means(pictures, book, config):
    batches = Batches(pictures, book, config)
    looked_at = 0
    for seed in range(15):
        batch = batches.draw(np.random.default_rng(seed), 0.5)
        assert batch.coverage.shape[1] == THINGS
        assert (batch.regions.sum(-1) >= 1).all()
        width = batch.pictures.shape[3]
        for b, p in np.argwhere(batch.fits.numpy() == 1.0):
            unit, region = book.units[int(batch.units[b, p])].text, batch.regions[b, p].numpy()
            if region.all() or unit not in ("red", "blue"):
                continue
            row, col = divmod(int(np.flatnonzero(region)[len(np.flatnonzero(region)) // 2]), width // PATCH)
            r, g, blue = batch.pictures[b, :, row * PATCH + 2, col * PATCH + 2].tolist()
            looked_at += 1
            assert r > 1.5 * g if unit == "red" else blue > 1.2 * r
    assert looked_at > 3


def test_a_gray_window_asks_for_no_colour_and_shows_nothing_that_would_look_held_out(pictures, book, config):
    batches = Batches(pictures, book, config)
    gray = 0
    for seed in range(20):
        batch = batches.draw(np.random.default_rng(seed), 0.5)
        for b in np.flatnonzero(batch.gray.numpy()):
            gray += 1
            asked = [book.units[unit].color for unit in batch.units[b][batch.fits[b].isfinite()]]
            assert not any(asked)
            looks = [book.looks[look].object_id for look in batch.looks[b] if look >= 0]
            assert not {book.domain.objects[name].category for name in looks} & {"vase", "phone", "sponge"}
    assert gray > 3


def test_the_same_random_state_draws_the_same_batch(pictures, book, config):
    batches = Batches(pictures, book, config)
    drawn = []
    for _ in range(2):
        torch.manual_seed(4)
        drawn.append(batches.draw(np.random.default_rng(3), 0.5))
    for name in ("pictures", "depth", "coverage", "regions", "units", "fits"):
        torch.testing.assert_close(getattr(drawn[0], name), getattr(drawn[1], name), equal_nan=True)


def test_the_middle_of_a_thing_is_where_its_patches_say(pictures, book, config):
    batch = Batches(pictures, book, config).draw(np.random.default_rng(2), 0.5)
    rows, cols = (side // PATCH for side in batch.pictures.shape[2:])
    coverage = batch.coverage[0, 0].numpy()
    at = np.stack(np.divmod(np.arange(rows * cols), cols), axis=1)
    middle = coverage @ at / coverage.sum()
    alone = (coverage > 0) & (batch.coverage[0].sum(0).numpy() == coverage)
    np.testing.assert_allclose((at + batch.middles[0].numpy())[alone], np.broadcast_to(middle, (alone.sum(), 2)), atol=1e-3)


@given(st.integers(0, 2**31 - 1))
@examples(20)
def test_attention_and_the_null_slot_share_one_whole(seed):
    scores = np.random.default_rng(seed).normal(0, 6, (3, 40))
    here, null = attention_and_null(torch.from_numpy(scores))
    torch.testing.assert_close(here.sum(-1) + null, torch.ones(3, dtype=torch.float64))
    at_run_time, nowhere = attention(scores)
    assert nowhere == pytest.approx(float(null.mean()))
    np.testing.assert_allclose(at_run_time * here.mean(0).sum().item(), here.mean(0), atol=1e-9)


@given(st.integers(0, 2**31 - 1))
@examples(10)
def test_permuting_the_patches_only_permutes_what_the_units_attend_to(seed):
    torch.manual_seed(seed)
    network = GroundingNetwork(SMALL)
    L, V, order = torch.randn(1, 3, 16), torch.randn(1, 10, 16), torch.randperm(10)
    scores, permuted = network.scores(L, V), network.scores(L, V[:, order])
    torch.testing.assert_close(permuted, scores[..., order])
    regions = (torch.rand(1, 3, 10) > 0.4).float()
    regions[..., 0] = 1.0
    torch.testing.assert_close(network.judge(L, V, scores, regions), network.judge(L, V[:, order], permuted, regions[..., order]))


def test_a_region_is_judged_by_equation_5_over_its_own_patches():
    torch.manual_seed(3)
    network = GroundingNetwork(SMALL)
    L, V = torch.randn(1, 1, 16), torch.randn(1, 10, 16)
    region = torch.zeros(1, 1, 10)
    region[..., 2:6] = 1.0
    Q, K, values = network.W_Q(L), network.W_K(V[:, 2:6]), network.W_V(V[:, 2:6])
    heads = [scaled_dot_product_attention(Q[..., half], K[..., half], values[..., half])[0] for half in (slice(0, 8), slice(8, 16))]
    g = network.W_O(torch.cat(heads, dim=-1))
    expected = network.verify(torch.cat((L, g, L * g), dim=-1)).squeeze(-1)
    torch.testing.assert_close(network.judge(L, V, network.scores(L, V), region), expected)


def test_unknown_depth_gives_channels_of_zeros_and_relief_is_what_stands_out():
    flat = torch.full((1, 48, 64), 1.0)
    assert torch.equal(depth_channels(torch.zeros(1, 48, 64), torch.tensor([277.0])), torch.zeros(1, 3, 48, 64))
    flat[:, 20:26, 30:36] = 0.95  # 5 cm nearer
    known, _, relief = depth_channels(flat, torch.tensor([277.0]))[0]
    assert known.min() == 1
    assert relief[23, 33] > 0.7
    assert abs(float(relief[5, 5])) < 1e-4


def test_the_network_learns_to_judge_the_regions_that_it_proposes_itself(pictures, book, config):
    """What is taken for red is proposed; it fits "red" just where it is red."""
    batches = Batches(pictures, book, config)
    table = torch.from_numpy(batches.fits)
    red = book.units.index(PhraseUnit("red", color=True))
    verdicts = []
    for seed in range(12):
        batch = batches.draw(np.random.default_rng(seed), 0.5)
        is_red = (table[batch.looks.clamp(min=0), red] == 1) & (batch.looks >= 0)
        shown = torch.einsum("bkn,bk->bn", batch.coverage, is_red.float())  # (B, n)
        units = torch.full((len(shown), 3), red)
        scores = (10 * shown - 5)[:, None, None].expand(-1, 2, 3, -1)
        regions, fits = proposals(scores, batch, units, table)
        assert ((regions.sum(-1) > 0) & (regions.sum(-1) < regions.shape[-1]))[shown.amax(-1) > 0.9].all()
        expected = (regions * shown[:, None]).amax(-1) > 0.3
        assert torch.equal(fits == 1.0, expected)
        verdicts += fits.ravel().tolist()
    assert {0.0, 1.0} <= set(verdicts)


@pytest.fixture(scope="module")
def words(book):
    return UnitWords(book, read)


def test_an_interrupted_training_gives_the_same_weights(pictures, book, config, words, tmp_path, monkeypatch):
    monkeypatch.setattr("sayso.training.grounder.fit.CHECKPOINT_EVERY", 2)
    batches = Batches(pictures, book, config)

    def trained(checkpoint, stop_after=None):
        torch.manual_seed(0)
        network = GroundingNetwork(SMALL)

        def report(step, parts):
            if step == stop_after:
                raise KeyboardInterrupt

        fit(network, batches, words, config, checkpoint, report)
        return network.state_dict()

    straight = trained(tmp_path / "straight.pt")
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "interrupted.pt", stop_after=3)
    resumed = trained(tmp_path / "interrupted.pt")
    for name, value in straight.items():
        torch.testing.assert_close(resumed[name], value, atol=1e-5, rtol=1e-4)


def test_a_few_steps_lower_the_training_loss(pictures, book, config, words):
    torch.manual_seed(0)
    network = GroundingNetwork(SMALL).train()
    batches = Batches(pictures, book, config)
    batch, vectors, table = (
        batches.draw(np.random.default_rng(1), 0.5),
        words.draw(np.random.default_rng(1)),
        torch.from_numpy(batches.fits),
    )
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-2)
    history = []
    for _ in range(25):
        loss, parts = losses(network, batch, vectors, table, config.stages[1])
        history.append(parts)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    for part in ("misread", "verdicts", "pointing", "proposals"):
        assert history[-1][part] < history[0][part], part
    assert 0 <= history[-1]["heads alike"] <= 1


def test_the_exported_files_compute_the_same_as_the_network(tmp_path):
    torch.manual_seed(1)
    network = GroundingNetwork(SMALL).eval()
    fitted = CandidateCalibration(1.5, 0.3, -0.2, 0.6, ("cup", "red"))
    export(network, fitted, tmp_path)
    grounder = VisualGrounder(tmp_path, read)
    assert grounder.calibration == fitted
    rng = np.random.default_rng(0)
    rgb, depth = rng.integers(0, 255, (240, 320, 3), dtype=np.uint8), rng.uniform(0.5, 2, (240, 320)).astype(np.float32)
    seen = grounder.view(Image(rgb, 0.0, depth, (277.0, 277.0, 159.5, 119.5))).patches
    red, cup = PhraseUnit("red", color=True), PhraseUnit("cup")
    held = grounder.opinions(seen, (red, cup))
    vectors = [torch.from_numpy(np.stack(parts)) for parts in zip(read(red), read(cup), strict=True)]
    with torch.no_grad():
        picture = torch.from_numpy(rgb)[None].permute(0, 3, 1, 2).float() / 255
        (V, _), L = network.seen(picture, torch.from_numpy(depth)[None], torch.tensor([277.0])), network.units(*vectors)
        scores = network.scores(L, V)
        shows = scores.mean(1)[0].sigmoid().prod(0)
        masks = torch.from_numpy(np.stack([region.mask.ravel() for region in held.regions])).float()
        pairs, which = masks.repeat_interleave(2, 0)[None], torch.tensor([0, 1] * len(masks))
        verdicts = network.judge(L[which][None], V, scores[:, :, which], pairs)[0].reshape(-1, 2)
    np.testing.assert_allclose(held.shows.ravel(), shows, atol=2e-3)
    both = verdicts.sigmoid().prod(1)
    np.testing.assert_allclose(1 / (1 + np.exp(-held.odds[:, 0])), both, atol=5e-3)


def test_a_mirror_image_shows_the_same_things_on_the_other_side(tmp_path):
    torch.manual_seed(1)
    export(GroundingNetwork(SMALL).eval(), CandidateCalibration(1.0, 0.0, 0.0, 0.5), tmp_path)
    grounder = VisualGrounder(tmp_path, read)
    rng = np.random.default_rng(0)
    rgb, depth = rng.integers(0, 255, (192, 320, 3), dtype=np.uint8), rng.uniform(0.5, 2, (192, 320)).astype(np.float32)
    straight, mirrored = (
        grounder.view(Image(colors, 0.0, far, (277.0, 277.0, 159.5, 95.5))).patches
        for colors, far in ((rgb, depth), (rgb[:, ::-1], depth[:, ::-1]))
    )
    shape = straight.rows, straight.cols, -1
    np.testing.assert_allclose(mirrored.features.reshape(shape)[:, ::-1], straight.features.reshape(shape), atol=1e-4)
    np.testing.assert_allclose(mirrored.middles.reshape(shape)[:, ::-1] * (1, -1), straight.middles.reshape(shape), atol=1e-4)


def test_the_examination_asks_for_things_that_are_there_and_that_are_not(pictures, book):
    questions = list(Examination(pictures, book, visible=20, seed=3).questions())
    examination = Examination(pictures, book, visible=20, seed=3)
    assert {question.thing >= 0 for question in questions} == {True, False}
    for question in questions[:40]:
        assert examination.meant(question).any() == (question.thing >= 0)


def test_an_invalid_configuration_is_refused_in_one_line(tmp_path):
    (tmp_path / "bad.yaml").write_text("seed: 1\nsteps: none\n")
    with pytest.raises(SaysoError, match=r"bad\.yaml"):
        load_config(tmp_path / "bad.yaml")
    with pytest.raises(SaysoError, match="there is no such file"):
        load_config(tmp_path / "absent.yaml")


@given(st.integers(0, 2**31 - 1))
@examples(20)
def test_auroc_equals_scikit_learns(seed):
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(seed)
    positive, negative = rng.integers(0, 8, 20) / 8, rng.integers(-2, 6, 30) / 8
    expected = roc_auc_score([1] * 20 + [0] * 30, np.concatenate((positive, negative)))
    assert auroc(positive, negative) == pytest.approx(expected)


def test_logistic_regression_recovers_the_true_odds():
    rng = np.random.default_rng(0)
    opinions = rng.normal(0, 3, (20_000, 2))
    right = rng.random(20_000) < 1 / (1 + np.exp(-(opinions @ (0.5, 0.2) - 1)))
    weights, shift = logistic(opinions, right)
    assert (*weights, shift) == pytest.approx((0.5, 0.2, -1), abs=0.06)
    assert calibration_error(1 / (1 + np.exp(-(opinions @ weights + shift))), right) < 0.02
