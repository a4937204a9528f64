"""BIO tags of words."""

from sayso.training.tagger.tags import Span, tags_of

LABELS = ("theme", "goal", "source")


def test_a_span_begins_with_its_own_tag() -> None:
    assert tags_of([Span("theme", 1, 3), Span("goal", 4, 4)], LABELS, 6) == [0, 1, 2, 2, 3, 0]


def test_the_first_of_overlapping_spans_wins() -> None:
    assert tags_of([Span("goal", 1, 2), Span("theme", 2, 3)], LABELS, 4) == [0, 3, 4, 0]
