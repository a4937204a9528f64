"""BIO tags and the tagger: triggers and their arguments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.encoder import SentenceEncoder
from sayso.errors import ModelError
from sayso.intent.tagger import Tagger
from sayso.intent.tags import Span, TaggedFrame, best_spans, tag_count, tags_of

LABELS = ("theme", "goal", "source")


@st.composite
def tagged(draw: st.DrawFn) -> tuple[int, tuple[Span, ...]]:
    spans, at = [], 0
    for _ in range(draw(st.integers(0, 4))):
        first = at + draw(st.integers(0, 3))
        last = first + draw(st.integers(0, 3))
        spans.append(Span(draw(st.sampled_from(LABELS)), first, last))
        at = last + 1
    return at + draw(st.integers(0, 3)), tuple(spans)


@given(tagged())
def test_spans_and_tags_are_equivalent(sentence: tuple[int, tuple[Span, ...]]) -> None:
    count, spans = sentence
    tags = tags_of(spans, LABELS, count)
    sure = np.full((count, tag_count(LABELS)), -9.0)
    sure[np.arange(count), tags] = 0.0
    assert best_spans(sure, LABELS) == spans


@given(st.integers(1, 5), st.randoms(use_true_random=False))
def test_the_best_path_equals_exhaustive_search(count: int, chance) -> None:  # type: ignore[no-untyped-def]
    scores = np.array([[chance.gauss(0, 2) for _ in range(tag_count(LABELS[:2]))] for _ in range(count)])
    paths = [()]
    for _ in range(count):
        paths = [(*path, tag) for path in paths for tag in range(5) if tag % 2 or tag == 0 or (path and path[-1] in (tag, tag - 1))]
    found = tuple(tags_of(best_spans(scores, LABELS[:2]), LABELS[:2], count))
    assert found in paths
    assert scores[np.arange(count), found].sum() == pytest.approx(max(scores[np.arange(count), path].sum() for path in paths))


def test_the_first_of_overlapping_spans_wins() -> None:
    assert tags_of([Span("goal", 1, 2), Span("theme", 2, 3)], LABELS, 4) == [0, 3, 4, 0]


@pytest.fixture(scope="module")
def tag() -> Tagger:
    return Tagger(SentenceEncoder())


def as_text(frames: tuple[TaggedFrame, ...], text: str) -> list[tuple[str, dict[str, str]]]:
    words = text.split()
    return [
        (words[frame.trigger.first], {span.label: " ".join(words[span.first : span.last + 1]) for span in frame.arguments})
        for frame in frames
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "take the mug from the table and put the fork next to the lamp then come back",
            [
                ("take", {"theme": "the mug", "source": "the table"}),
                ("put", {"theme": "the fork", "goal": "the lamp"}),
                ("come", {}),
            ],
        ),
        ("bring me the tupperware from the ottoman", [("bring", {"recipient": "me", "theme": "the tupperware", "source": "the ottoman"})]),
        ("could you please carry the zorgle to the vestibule", [("carry", {"theme": "the zorgle", "goal": "the vestibule"})]),
    ],
)
def test_requests_are_found_in_order_with_unknown_names(tag: Tagger, text: str, wanted: list[object]) -> None:
    assert as_text(tag(text.split()), text) == wanted


def test_empty_and_overlong_sentences_are_no_error(tag: Tagger) -> None:
    assert tag([]) == ()
    assert len(tag(["go", "to", "the", "kitchen", "and"] * 100)) >= 5
    assert isinstance(tag(["🤖", "", "\u202e"]), tuple)


def test_an_invalid_file_is_refused(tmp_path) -> None:  # type: ignore[no-untyped-def]
    other = tmp_path / "tagger.onnx"
    other.write_bytes(b"no model")
    with pytest.raises(ModelError, match="train tagger"):
        Tagger(SentenceEncoder(), other)
