"""The command language model: its mathematics, its comparison with the baseline, and its effect on n-best lists."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import yaml
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from torch import nn

from budget import examples
from sayso.domain import load_domain
from sayso.errors import ModelError, SaysoError
from sayso.intent import IntentClassifier
from sayso.intent.command_lm import LONGEST, START, UNKNOWN, CommandLanguageModel, Tree, perplexity
from sayso.intent.hearings import FEATURES, HearingModel
from sayso.intent.hypotheses import MOST, Hypotheses
from sayso.intent.plain import PlainText
from sayso.training.data.gpsr import gpsr
from sayso.training.lm.export import export
from sayso.training.lm.fit import fit
from sayso.training.lm.network import CommandNetwork, expected_parameters
from sayso.training.lm.ngram import NGram
from sayso.training.lm.speech import SpokenCommand
from sayso.training.lm.text import Finish, LanguageModelConfig, Text, as_heard_right, load_config
from sayso.training.lm.weights import fit_weights, word_errors
from sayso.types import Transcript, TranscriptAlternative

pytestmark = pytest.mark.long("trains or exports a network")

COMMANDS = Path(__file__).parents[1] / "data" / "commands.yaml"
SMALL = LanguageModelConfig(
    seed=1, vocabulary=120, dim=16, layers=1, heads=2, dropout=0.1, steps=4, batch=2, learning_rate=0.01, warm_up=2,
    held_back=0.1, sources={},
    finish=Finish(steps=1, learning_rate=0.01, warm_up=1, sources={}),
)  # fmt: skip
ROWS = [[START, 5, 7, 9, 2], [START, 5, 8, 2], [START, 11, 12, 13, 14, 2], [START, 5, 7, 2]]


@pytest.fixture(scope="module")
def model() -> CommandLanguageModel:
    return CommandLanguageModel()


@pytest.fixture(scope="module")
def plain() -> PlainText:
    return PlainText(load_domain())


def heard(*texts: tuple[str, float]) -> Transcript:
    return Transcript("u1", 1.0, tuple(TranscriptAlternative(text, log_p) for text, log_p in texts), 0.9)


def network(vocabulary: int = 120, layers: int = 2) -> CommandNetwork:
    torch.manual_seed(3)
    return CommandNetwork(vocabulary, 16, layers, 2).eval()


@pytest.mark.parametrize("said", ["", "bring", "bring me the", "go to the kitchen and", "xylophone qqq", "поставь", "word " * 200])
def test_the_next_piece_has_a_distribution(model: CommandLanguageModel, said: str) -> None:
    p = model.next_piece(said)
    assert p.shape == (len(model.pieces),)
    assert p.min() >= 0.0
    assert p.sum() == pytest.approx(1.0, abs=1e-4)


def test_likely_words_of_commands_are_probable(model: CommandLanguageModel) -> None:
    likeliest = {model.pieces.vocabulary[at] for at in np.argsort(-model.next_piece("please bring me a cup of"))[:10]}
    assert {"coffee", "tea", "water"} & likeliest


def test_the_probability_of_a_text_is_the_product_of_its_steps(model: CommandLanguageModel) -> None:
    ids = model.pieces("go to the kitchen")
    words = ["", "go", "go to", "go to the", "go to the kitchen"]
    assert len(ids) == len(words) + 1  # each of these words is one piece
    steps = [np.log(model.next_piece(before)[piece]) for before, piece in zip(words, ids[1:], strict=True)]
    assert model(["go to the kitchen"])[0] == pytest.approx(sum(steps), abs=1e-3)


def test_later_words_change_nothing_earlier() -> None:
    net = network()
    ids = torch.tensor([[START, 5, 7, 9, 11, 13]])
    other = torch.tensor([[START, 5, 7, 20, 21, 22]])
    before, after = net(ids), net(other)
    assert torch.allclose(before[:, :3], after[:, :3], atol=1e-6)
    assert not torch.allclose(before[:, 3], after[:, 3], atol=1e-3)


def test_a_text_is_as_likely_alone_as_among_others(model: CommandLanguageModel) -> None:
    texts = ["bring me the red cup", "bring me the bread cup", "bring the red cup", "stop", "bring me the red cup please"]
    assert model(texts) == pytest.approx(np.concatenate([model([text]) for text in texts]), abs=1e-3)


def test_common_beginnings_are_computed_once() -> None:
    tree = Tree(ROWS)
    assert len(tree.inputs["ids"]) == 1 + 3 + 1 + 4  # START; 5 7 9; 8; 11 12 13 14
    assert tree.paths[0][:2] == tree.paths[3][:2]
    assert tree.inputs["see"].sum(axis=1).tolist() == (tree.inputs["depths"] + 1).tolist()


def test_the_exported_network_computes_the_same(tmp_path: Path) -> None:
    net = network()
    export(net, tuple(f"p{number}" for number in range(120)), 0.3, 4.0, tmp_path / "lm.onnx")
    exported = CommandLanguageModel(tmp_path / "lm.onnx")
    assert (exported.weight, exported.per_word) == (0.3, 4.0)
    tree = Tree(ROWS)
    log_p = exported._session.run(["log_p"], tree.inputs)[0]
    with torch.no_grad():
        for row, path in zip(ROWS, tree.paths, strict=True):
            expected = net(torch.tensor([row[:-1]]))[0].gather(-1, torch.tensor(row[1:])[:, None])[:, 0]
            assert log_p[path] == pytest.approx(expected.numpy(), abs=0.02)  # its weights are kept in 16 bits


def test_a_layer_is_torchs_own_with_the_same_weights() -> None:
    net = network(layers=1)
    layer, ours = nn.TransformerEncoderLayer(16, 2, 64, dropout=0.0, batch_first=True, norm_first=False).eval(), net.layers[0]
    attention = ours.attention
    state = {
        "self_attn.in_proj_weight": torch.cat([attention.W_Q.weight, attention.W_K.weight, attention.W_V.weight]),
        "self_attn.in_proj_bias": torch.cat([attention.W_Q.bias, attention.W_K.bias, attention.W_V.bias]),
        "self_attn.out_proj.weight": attention.W_O.weight, "self_attn.out_proj.bias": attention.W_O.bias,
        "linear1.weight": ours.feed_forward[0].weight, "linear1.bias": ours.feed_forward[0].bias,
        "linear2.weight": ours.feed_forward[3].weight, "linear2.bias": ours.feed_forward[3].bias,
        "norm1.weight": ours.norm_attention.weight, "norm1.bias": ours.norm_attention.bias,
        "norm2.weight": ours.norm_feed_forward.weight, "norm2.bias": ours.norm_feed_forward.bias,
    }  # fmt: skip
    layer.load_state_dict(state)
    ids = torch.tensor([[START, 5, 7, 9]])
    x = net.embedding(ids) * 4.0 + net.positions[:4]
    after = torch.ones(4, 4, dtype=torch.bool).triu(1)
    assert torch.allclose(net.hidden(ids), layer(x, src_mask=after), atol=1e-5)


def test_equation_22_counts_all_but_biases_and_norms() -> None:
    net = CommandNetwork(500, 32, 3, 4)
    small = sum(weight.numel() for weight in net.parameters() if weight.dim() == 1)
    assert sum(weight.numel() for weight in net.parameters()) - small == expected_parameters(500, 32, 3)


@given(st.integers(2, 5000), st.integers(1, 200))
def test_a_uniform_model_over_v_words_has_perplexity_v(words: int, length: int) -> None:
    assert perplexity(np.array([-length * np.log(words)]), length) == pytest.approx(words)


@given(
    st.lists(st.lists(st.integers(3, 9), min_size=0, max_size=6), min_size=1, max_size=30),
    st.integers(1, 4),
    st.lists(st.integers(3, 9), max_size=4),
)
@examples(40)
def test_the_n_grams_are_distributions(texts: list[list[int]], order: int, before: list[int]) -> None:
    ngram = NGram([[START, *text, 2] for text in texts], order, 12)
    p = [ngram.probability(word, [START, *before]) for word in range(12)]
    assert min(p) > 0.0
    assert sum(p) == pytest.approx(1.0)


def test_an_n_gram_prefers_its_training_text() -> None:
    ngram = NGram([[START, 3, 4, 5, 2]] * 3 + [[START, 6, 4, 7, 2]] * 3, 3, 10)
    assert ngram.probability(5, [START, 3, 4]) > 0.6 > 0.3 > ngram.probability(7, [START, 3, 4])


def test_on_sentences_of_people_it_beats_the_trigram_of_its_card(model: CommandLanguageModel) -> None:
    """The trigram's perplexity is read from the card, because its training text is not in the repository."""
    parts = yaml.safe_load(COMMANDS.read_text(encoding="utf-8"))
    texts = [as_heard_right(text) for part in parts.values() for text in part["commands"]]
    pieces = sum(len(model.pieces(text)) - 1 for text in texts)
    ours = perplexity(np.concatenate([model(texts[at : at + 40]) for at in range(0, len(texts), 40)]), pieces)
    card = (Path(__file__).parents[2] / "models" / "command_lm.md").read_text(encoding="utf-8").splitlines()
    header = next(line for line in card if line.startswith("| measured on |")).split("|")
    row = next(line for line in card if line.startswith("| hand-written commands |")).split("|")
    figures = {name.strip(): value.strip() for name, value in zip(header, row, strict=True)}
    assert ours == pytest.approx(float(figures["transformer"]), rel=0.1)
    assert ours < float(figures["trigram"]) < float(figures["bigram"])


def test_a_better_second_text_comes_first(model: CommandLanguageModel, plain: PlainText) -> None:
    weigh = Hypotheses(model, plain, model.weight, model.per_word)
    transcript = heard(("ring me the cup from table kitchen", -0.6), ("bring me the cup from the kitchen table", -0.9))
    ranked = weigh(transcript)
    assert ranked.text == "bring me the cup from the kitchen table"
    assert np.exp([each.log_p for each in ranked.alternatives]).sum() == pytest.approx(1.0)
    assert (ranked.utterance_id, ranked.stamp, ranked.confidence) == ("u1", 1.0, 0.9)


def test_a_name_of_the_home_costs_no_more_than_another(model: CommandLanguageModel, plain: PlainText) -> None:
    weigh = Hypotheses(model, plain, model.weight, model.per_word)
    kitchen, study = (weigh(heard((text, -0.7), ("bring", -0.7))).alternatives for text in ("go to the kitchen", "go to the study"))
    assert kitchen[0].log_p == pytest.approx(study[0].log_p, abs=1e-6)


def test_without_weight_the_recognisers_order_stays(model: CommandLanguageModel, plain: PlainText) -> None:
    transcript = heard(("ring me the cup", -0.1), ("bring me the cup", -2.4))
    assert Hypotheses(model, plain, 0.0, 4.0)(transcript) is transcript


@given(st.lists(st.tuples(st.text(max_size=40), st.floats(-40.0, 0.0)), max_size=12))
@examples(30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_n_best_list_can_be_weighed(model: CommandLanguageModel, plain: PlainText, texts: list[tuple[str, float]]) -> None:
    transcript = heard(*texts)
    ranked = Hypotheses(model, plain, 0.5, 4.0)(transcript)
    assert {each.text for each in ranked.alternatives} <= {each.text for each in transcript.alternatives}
    assert len(ranked.alternatives) in (len(texts), MOST)


@pytest.mark.parametrize("text", ["", " ", "\x00\x01", "🙂🙂", "взять чашку", "a" * 100_000, "bring the cup " * 20_000, "ﷺ" * 500])
def test_odd_texts_have_a_probability_and_a_bound(model: CommandLanguageModel, text: str) -> None:
    assert len(model.pieces(text)) <= LONGEST + 1
    assert np.isfinite(model([text, "stop"])).all()


def test_an_unknown_name_is_spelt(model: CommandLanguageModel) -> None:
    ids = model.pieces("bring zyxqua to the kitchen")
    assert UNKNOWN not in ids
    assert "".join(model.pieces.vocabulary[at].removeprefix("##") for at in ids[2:-4]) == "zyxqua"


def test_no_texts_have_no_probabilities(model: CommandLanguageModel) -> None:
    assert model([]).shape == (0,)


def test_an_invalid_model_file_is_refused_with_a_remedy(tmp_path: Path) -> None:
    path = tmp_path / "lm.onnx"
    path.write_bytes(b"no model")
    with pytest.raises(ModelError, match="sayso train lm"):
        CommandLanguageModel(path)


def test_the_belief_follows_the_likelier_text() -> None:
    home = load_domain()
    transcript = heard(("ring me the red cup", -0.68), ("bring me the red cup", -0.72))
    unweighed = HearingModel(dict.fromkeys(FEATURES, 0.0))  # the home does not explain "ring"
    with_model, without = (IntentClassifier(home, lm_weight=weight, hearing=unweighed)(transcript) for weight in (1.0, 0.0))
    assert (without.text, with_model.text) == ("ring me the red cup", "bring me the red cup")
    bring = with_model.intents.index("bring")
    assert with_model.clauses[0].intent == "bring"
    assert with_model.clauses[0].probabilities[bring] >= without.clauses[0].probabilities[bring] - 0.01


def test_an_interrupted_training_gives_the_same_weights(tmp_path: Path) -> None:
    def trained(folder: Path, stop_at: int) -> torch.Tensor:
        torch.manual_seed(1)
        net = CommandNetwork(120, 16, 1, 2, 0.1)

        def report(step: int, _: float) -> None:
            if step == stop_at:
                raise KeyboardInterrupt

        fit(net, ROWS, SMALL, folder, report)
        return net.embedding.weight.detach().clone()

    whole = trained(tmp_path / "whole", 0)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sayso.training.lm.fit.CHECKPOINT_EVERY", 2)
        with pytest.raises(KeyboardInterrupt):
            trained(tmp_path / "parts", 3)
    assert torch.equal(trained(tmp_path / "parts", 0), whole)


def test_validation_text_is_not_trained_on() -> None:
    text = Text(("stop", "go on"), ("turn around",), {"tage": ("stop", "turn around"), "snips": ("go on",)})
    assert text.finishing({"tage": 2}) == ["stop", "stop"]


def test_weights_are_fitted_to_the_spoken_sentences(plain: PlainText) -> None:
    spoken = [SpokenCommand("bring the cup", "home", (("ring the cup", -0.6), ("bring the cup", -0.8)))] * 4
    prefers_b = lambda texts: np.array([-5.0 if text.startswith("bring") else -15.0 for text in texts])  # noqa: E731
    weight, _, mean = fit_weights(spoken, prefers_b, plain)
    assert weight > 0.5
    assert mean == pytest.approx(0.0, abs=0.01)
    assert fit_weights([], prefers_b, plain)[0] == 0.0


def test_numbers_in_words_and_digits_are_equal() -> None:
    assert word_errors("go forward two meters", "go forward 2 metres") == 0
    assert word_errors("go to the kitchen", "") == 4


@pytest.mark.parametrize("text", ["[]", "steps: 1", "{", "seed: x"])
def test_an_invalid_configuration_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lm.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SaysoError, match=r"lm\.yaml"):
        load_config(path)


def test_an_unknown_source_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lm.yaml"
    path.write_text(yaml.safe_dump(load_config().model_dump() | {"sources": {"novels": 3}}), encoding="utf-8")
    with pytest.raises(SaysoError, match="novels"):
        load_config(path)


GRAMMAR = """; grammar name Test
$main   = $polite $fetch
$polite = {void} | Please
$fetch  = (bring | get) me the {object 1 meta: beside {placement 1}}
$fetch  = go to the {room}
"""
NAMES = {
    "Objects.xml": "<c><category name='food'><object name='apple pie'/></category></c>",
    "Names.xml": "<n><name>Ada</name></n>",
    "Locations.xml": "<r><room name='hall'><location name='shelf' isPlacement='true'/></room></r>",
    "Gestures.xml": "<g/>",
}


def test_the_grammars_give_every_sentence_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gpsr_grammar"
    (folder / "egpsr").mkdir(parents=True)
    for name, text in {
        "GPSRGrammar.txt": GRAMMAR,
        "CommonRules.txt": "",
        "egpsr/EGPSRGrammar.txt": GRAMMAR,
        "egpsr/CommonRules.txt": "",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name, text in NAMES.items():
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.setenv("SAYSO_DATA", str(tmp_path))
    asked = {"bring me the apple pie", "get me the apple pie", "go to the hall"}
    assert set(gpsr(200, seed=1)) == asked | {f"Please {text}" for text in asked}


def test_missing_grammars_are_an_error_with_a_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAYSO_DATA", str(tmp_path))
    with pytest.raises(SaysoError, match="SAYSO_DATA"):
        gpsr(10, seed=1)
