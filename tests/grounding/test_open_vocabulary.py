"""Open-vocabulary detectors as a backend: small models with random weights, in the real format, written and read by Transformers."""

import json
import string

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from sayso.errors import ModelError  # noqa: E402
from sayso.grounding.open_vocabulary import OpenVocabularyGrounder  # noqa: E402
from sayso.types import Image  # noqa: E402

pytestmark = pytest.mark.long("compares with another program")

LAYERS = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}


@pytest.fixture(scope="module")
def owlv2(tmp_path_factory):
    folder = tmp_path_factory.mktemp("owlv2")
    signs = [sign + end for sign in string.printable for end in ("", "</w>")] + ["<|startoftext|>", "<|endoftext|>"]
    vocabulary = {sign: number for number, sign in enumerate(signs)}
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    tokenizer = transformers.CLIPTokenizer(
        str(folder / "vocab.json"), str(folder / "merges.txt"), pad_token="<|endoftext|>", model_max_length=16
    )
    start, end = len(signs) - 2, len(signs) - 1
    text = {
        **LAYERS,
        "vocab_size": len(signs),
        "max_position_embeddings": 16,
        "bos_token_id": start,
        "eos_token_id": end,
        "pad_token_id": end,
    }
    vision = {**LAYERS, "image_size": 64, "patch_size": 16}
    torch.manual_seed(0)
    transformers.Owlv2ForObjectDetection(
        transformers.Owlv2Config(text_config=text, vision_config=vision, projection_dim=32)
    ).save_pretrained(folder)
    pictures = transformers.Owlv2ImageProcessor(size={"height": 64, "width": 64})
    transformers.Owlv2Processor(pictures, tokenizer).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def grounding_dino(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dino")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", "?", "red", "cup", "bottle"]
    (folder / "vocab.txt").write_text("\n".join(words))
    tokenizer = transformers.BertTokenizer(str(folder / "vocab.txt"))
    backbone = transformers.SwinConfig(
        image_size=64, patch_size=4, embed_dim=8, depths=[1, 1, 1, 1], num_heads=[1, 1, 1, 1], window_size=2, out_indices=[2, 3, 4]
    )
    text = transformers.BertConfig(vocab_size=len(words), max_position_embeddings=32, **LAYERS)
    config = transformers.GroundingDinoConfig(
        backbone_config=backbone, text_config=text, d_model=64, encoder_layers=1, decoder_layers=2, encoder_ffn_dim=32, decoder_ffn_dim=32,
        encoder_attention_heads=2, decoder_attention_heads=2, num_queries=8, num_feature_levels=4, max_text_len=32,
    )  # fmt: skip
    torch.manual_seed(0)
    transformers.GroundingDinoForObjectDetection(config).save_pretrained(folder)
    pictures = transformers.GroundingDinoImageProcessor(size={"shortest_edge": 64, "longest_edge": 128})
    transformers.GroundingDinoProcessor(pictures, tokenizer).save_pretrained(folder)
    return folder


@pytest.fixture(params=["owlv2", "grounding_dino"])
def grounder(request):
    return OpenVocabularyGrounder(request.getfixturevalue(request.param))


def picture():
    return Image(np.random.default_rng(0).integers(0, 255, (48, 96, 3), dtype=np.uint8), 0.0)


def test_a_model_of_that_format_answers_each_phrase_with_candidates_inside_the_picture(grounder):
    looks = grounder.look(picture(), ("red cup", "bottle"))
    assert [look.phrase for look in looks] == ["red cup", "bottle"]
    for look in looks:
        assert look.attention.sum() == pytest.approx(1.0)
        assert 0.0 <= look.presence <= 1.0
        chances = [each.probability for each in look.candidates]
        assert chances == sorted(chances, reverse=True)
        for left, top, right, bottom in (each.box for each in look.candidates):
            assert 0 <= left < right <= 96
            assert 0 <= top < bottom <= 48
    assert any(look.candidates for look in looks)


def test_the_answer_is_the_one_that_transformers_gives(owlv2):
    """The best box and score, computed by the library's own pipeline."""
    pipeline = transformers.pipeline("zero-shot-object-detection", model=str(owlv2))
    from PIL import Image as Picture

    expected = pipeline(Picture.fromarray(picture().rgb), candidate_labels=["red cup"], threshold=0.05)
    best = OpenVocabularyGrounder(owlv2).look(picture(), ("red cup",))[0].candidates[0]
    assert best.probability == pytest.approx(max(each["score"] for each in expected), abs=1e-3)


def test_a_folder_without_a_model_is_refused_with_what_to_pass(tmp_path):
    with pytest.raises(ModelError, match=r"no config\.json: pass the folder of a model like OWLv2"):
        OpenVocabularyGrounder(tmp_path)


def test_a_damaged_model_is_refused(owlv2, tmp_path):
    (tmp_path / "config.json").write_text((owlv2 / "config.json").read_text())
    with pytest.raises(ModelError, match="no zero-shot object detector"):
        OpenVocabularyGrounder(tmp_path)
