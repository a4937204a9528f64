"""Export and tuning of a sentence-transformers model: what Sayso computes agrees with the library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from datasets import Dataset
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer
from transformers import BertConfig, BertModel, BertTokenizerFast, MPNetConfig, MPNetModel, PreTrainedModel

from sayso.encoder import SentenceEncoder
from sayso.encoder.layers import turns
from sayso.errors import ModelError, SaysoError
from sayso.paths import models_dir
from sayso.training.encoder import runs
from sayso.training.encoder.batches import Drawn, draw
from sayso.training.encoder.export import agreement, export_encoder, export_graph
from sayso.training.encoder.hub import load_encoder
from sayso.training.encoder.layers import add_layers
from sayso.training.encoder.losses import LabelLoss
from sayso.training.encoder.masked import pretrain
from sayso.training.encoder.tasks import Stage, Tasks, load_tuning
from sayso.training.encoder.tuning import fit
from sayso.training.tagger.batches import TaggedSentences
from sayso.training.tagger.sentences import COMMANDS, REQUEST, Tagged
from sayso.training.tagger.tags import Span, TaggedFrame

pytestmark = pytest.mark.long("trains or exports a network")

TEXTS = (
    "bring me the red cup from the kitchen",
    "stop",
    "where are my glasses",
    "put both of the blue books on the desk, and then come back to me",
    "turn left twice and drive half a metre forward",
    "it is getting dark in here",
)
LABELLED = {
    "bring": ["bring me the cup", "bring me a book", "bring the red cup", "bring it to me"],
    "go": ["go to the kitchen", "go to the desk", "go in the kitchen", "go"],
    "": ["it is dark in here", "the book is red", "the kitchen is dark", "the cup is on the desk"],
}
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = (*SPECIAL, *sorted({word for texts in LABELLED.values() for text in texts for word in text.split()}))
SMALL = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32, "attn_implementation": "eager"}


def small_encoder(folder: Path, kind: str = "bert", *modules: Any, longest: int = 32) -> SentenceTransformer:
    """A random small model with these modules after the transformer."""
    torch.manual_seed(5)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    network: PreTrainedModel
    if kind == "mpnet":
        network = MPNetModel(MPNetConfig(vocab_size=len(WORDS), **SMALL))
    else:
        network = BertModel(BertConfig(vocab_size=len(WORDS), **SMALL))
    for weights in network.parameters():
        torch.nn.init.normal_(weights, std=0.3) if weights.dim() > 1 else None
    network.save_pretrained(folder)
    transformer = Transformer(str(folder), max_seq_length=longest, model_kwargs={"attn_implementation": "eager"})
    return SentenceTransformer(modules=[transformer, *(modules or (Pooling(16), Normalize()))], device="cpu")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[SentenceTransformer, Path]:
    folder = tmp_path_factory.mktemp("published")
    assert export_encoder(None, folder) == folder
    return load_encoder(), folder


def test_the_exported_encoder_agrees_with_the_library(published: tuple[SentenceTransformer, Path], tmp_path: Path) -> None:
    model, folder = published
    expected = model.encode(list(TEXTS), normalize_embeddings=True)
    cosines = (SentenceEncoder(folder)(TEXTS) * expected).sum(1)
    assert cosines.min() > 0.97
    assert cosines.mean() > 0.985
    export_graph(model, tmp_path / "encoder.onnx")
    (tmp_path / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    assert SentenceEncoder(tmp_path)(TEXTS) == pytest.approx(expected, abs=1e-4)
    assert agreement(model, tmp_path, TEXTS) > 1 - 1e-4


def test_the_exported_tokenizer_is_the_shipped_one(published: tuple[SentenceTransformer, Path]) -> None:
    from tokenizers import Tokenizer

    model, folder = published
    tokenizers: list[Any] = [Tokenizer.from_file(str(path / "tokenizer.json")) for path in (folder, models_dir())]
    tokenizers[1].no_padding()
    for text in (*TEXTS, "Zürich ☃, isn't it?"):
        ids = model.tokenizer(text)["input_ids"]
        assert [tokenizer.encode(text).ids for tokenizer in tokenizers] == [ids, ids]


def test_the_layers_are_the_hidden_states_of_transformers(tmp_path: Path) -> None:
    model = load_encoder()
    export_graph(model, tmp_path / "encoder.onnx")
    (tmp_path / "tokenizer.json").write_bytes((models_dir() / "tokenizer.json").read_bytes())
    add_layers(tmp_path)
    for text in TEXTS:
        with torch.no_grad():
            states = model[0].auto_model(**model.tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states
        expected = np.stack([state[0].mean(0).numpy() for state in states])
        found = SentenceEncoder(tmp_path).layers(text)
        assert found == pytest.approx(expected, abs=1e-4)
        assert turns(found) == pytest.approx(turns(expected), abs=1e-4)


@pytest.mark.parametrize(
    ("kind", "modules"),
    [
        ("bert", [Pooling(16, "mean"), Normalize()]),
        ("bert", [Pooling(16, "mean")]),
        ("bert", [Pooling(16, "cls"), Normalize()]),
        ("mpnet", [Pooling(16, "mean"), Normalize()]),
        ("bert", [Pooling(16, "max"), Dense(16, 8), Normalize()]),
    ],
)
def test_the_modules_of_any_encoder_are_exported(tmp_path: Path, kind: str, modules: list[Any]) -> None:
    model = small_encoder(tmp_path / "model", kind, *modules)
    model.save(str(tmp_path / "saved"), create_model_card=False)
    (tmp_path / "exported").mkdir()
    (tmp_path / "exported" / "encoder_layers.onnx").write_text("of an earlier encoder")
    folder = export_encoder(tmp_path / "saved", tmp_path / "exported")
    expected = model.encode(list(LABELLED["bring"]), normalize_embeddings=True)
    found = SentenceEncoder(folder)(LABELLED["bring"])
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(4), abs=1e-5)
    assert (found * expected).sum(1).min() > 0.95
    # The vectors of the layers are pooled like the embedding; Sayso leaves them out if it cannot do that.
    assert (folder / "encoder_layers.onnx").exists() == (modules[0].pooling_mode in {"mean", "cls"})
    if (folder / "encoder_layers.onnx").exists():
        layers = SentenceEncoder(folder).layers("bring me the cup")
        assert layers.shape == (4, 16)
        assert layers[-1] / np.linalg.norm(layers[-1]) == pytest.approx(SentenceEncoder(folder)(["bring me the cup"])[0], abs=1e-4)


def test_a_long_text_is_cut_as_the_library_cuts_it(tmp_path: Path) -> None:
    small_encoder(tmp_path / "model", longest=6).save(str(tmp_path / "saved"), create_model_card=False)
    encode = SentenceEncoder(export_encoder(tmp_path / "saved", tmp_path / "exported"))
    assert encode(["bring me the red cup and the book"])[0] == pytest.approx(encode(["bring me the red"])[0])


def test_an_encoder_that_needs_a_prompt_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    model = small_encoder(tmp_path / "model")
    model.prompts, model.default_prompt_name = {"query": "bring: "}, "query"
    model.save(str(tmp_path / "saved"), create_model_card=False)
    with pytest.raises(ModelError, match="needs a prompt"):
        export_encoder(tmp_path / "saved", tmp_path / "exported")
    assert not (tmp_path / "exported").exists()


@pytest.fixture
def tasks() -> Tasks:
    sentence = Tagged(("bring", "the", "cup"), (TaggedFrame(Span(REQUEST, 0, 0), (Span("theme", 1, 2),)),))
    annotation = COMMANDS
    return Tasks({"commands": LABELLED}, (), {"command_tags": TaggedSentences(annotation, lambda _: sentence)})


STAGE = Stage(steps=12, shares={"commands": 0.7, "command_tags": 0.3})
CONFIG = load_tuning().model_copy(update={"batch": 8, "warm_up": 2, "learning_rate": 1e-3, "loss": "softmax"})


def tuned(model: SentenceTransformer, drawn: dict[str, Drawn], folder: Path, **changes: Any) -> dict[str, torch.Tensor]:
    with runs.progress_bar() as progress:
        fit(model, drawn, CONFIG.model_copy(update=changes), folder, progress)
    return {name: weights.clone() for name, weights in model.state_dict().items()}


@pytest.mark.parametrize("loss", ["softmax", "triplet"])
def test_tuning_gathers_the_sentences_of_an_intent(tmp_path: Path, tasks: Tasks, loss: str) -> None:
    model = small_encoder(tmp_path / "model")

    def gap() -> float:
        h = model.encode([text for texts in LABELLED.values() for text in texts])
        alike = np.kron(np.eye(3), np.ones((4, 4))).astype(bool)
        return float((h @ h.T)[alike].mean() - (h @ h.T)[~alike].mean())

    before, table = gap(), model[0].auto_model.get_input_embeddings().weight.clone()
    stage = Stage(steps=150, shares={"commands": 1.0})
    tuned(model, draw(tasks, stage, CONFIG), tmp_path / "run", loss=loss, learning_rate=3e-3, head_learning_rate=1e-2)
    assert gap() > before + 0.2
    assert torch.equal(model[0].auto_model.get_input_embeddings().weight, table)


def test_an_interrupted_run_continues_to_the_same_weights(tmp_path: Path, tasks: Tasks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "CHECKPOINT_EVERY", 3)
    drawn = draw(tasks, STAGE, CONFIG)
    whole = tuned(small_encoder(tmp_path / "model"), drawn, tmp_path / "whole")
    forward: Callable[..., Any] = LabelLoss.forward
    calls = []

    def interrupted(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return forward(*arguments)

    monkeypatch.setattr(LabelLoss, "forward", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tuned(small_encoder(tmp_path / "model"), drawn, tmp_path / "parts")
    assert list((tmp_path / "parts").glob("checkpoint-*/heads.pt"))
    parts = tuned(small_encoder(tmp_path / "model"), drawn, tmp_path / "parts")
    assert len(calls) < 6 + 9  # it did not start from the beginning
    assert all(torch.allclose(parts[name], whole[name], atol=1e-6) for name in whole)


def test_the_same_seed_draws_the_same_sentences(tasks: Tasks) -> None:
    once, again = draw(tasks, STAGE, CONFIG), draw(tasks, STAGE, CONFIG)
    assert once["commands"].sentences["text"][:] == again["commands"].sentences["text"][:]
    assert [len(each.sentences) for each in once.values()] == [8 * 8, 4 * 8]  # whole batches, by their shares


def test_a_loss_that_is_not_finite_ends_the_run_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LabelLoss, "forward", lambda self, features, _: self.model(features[0])["sentence_embedding"].sum() * float("nan"))
    drawn = {"commands": Drawn(Dataset.from_dict({"text": ["go"] * 160, "label": [0] * 160}), labels=("go",))}
    with pytest.raises(SaysoError, match="is not finite") as ended:
        tuned(small_encoder(tmp_path / "model"), drawn, tmp_path / "run")
    assert "\n" not in str(ended.value)


def test_masked_words_train_the_layers_and_not_the_table_of_words(tmp_path: Path) -> None:
    model = small_encoder(tmp_path / "model")
    before = {name: weights.clone() for name, weights in model[0].auto_model.state_dict().items()}
    config = CONFIG.model_copy(update={"masking": CONFIG.masking.model_copy(update={"steps": 4, "learning_rate": 1e-3})})
    with runs.progress_bar() as progress:
        pretrain(model, LABELLED["bring"], config, tmp_path / "masked", progress)
    changed = {name for name, weights in model[0].auto_model.state_dict().items() if not torch.equal(weights, before[name])}
    assert "encoder.layer.2.output.dense.weight" in changed
    assert "embeddings.word_embeddings.weight" not in changed
