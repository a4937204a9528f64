"""Training sentences are tagged correctly, also with recognition errors, and a trained head reproduces the tags."""

from __future__ import annotations

from random import Random

import pytest

pytest.importorskip("torch", reason="torch is only needed for training")


from sayso.training.data.corpora import Frame, Framed
from sayso.training.data.hearing import heard_words
from sayso.training.tagger.batches import as_heard_tagged, pooling
from sayso.training.tagger.sentences import ROLES, Annotation, CommandMaker, Tagged, annotation_of, as_commands, published
from sayso.training.tagger.tags import Span

pytestmark = pytest.mark.long("trains or exports a network")

PICK = Framed(
    "Michael, take my phone from the black couch.",
    (Frame("Picking", {}, (1,), (("Theme", (3,)), ("Source", (6, 7)), ("Agent", (0,)))),),
    ("Michael,", "take", "my", "phone", "from", "the", "black", "couch."),
)
THERE = Framed("there is a cup", (Frame("Being_located", {}, (1,), (("Theme", (3,)),)),), ("there", "is", "a", "cup"))


def requests(tagged: Tagged) -> list[tuple[str, list[tuple[str, str]]]]:
    def words(span: Span) -> str:
        return " ".join(tagged.words[span.first : span.last + 1])

    return [(words(frame.trigger), [(span.label, words(span)) for span in frame.arguments]) for frame in tagged.frames]


def test_peoples_sentences_get_sayso_roles_with_articles() -> None:
    pick, there = as_commands([PICK, THERE])
    assert requests(pick) == [("take", [("theme", "my phone"), ("source", "the black couch")])]
    assert requests(there) == [], "it is not a request"


def test_a_corpus_keeps_its_published_frames() -> None:
    (pick, _) = every = published([PICK, THERE])
    assert requests(pick) == [("take", [("Theme", "phone"), ("Source", "black couch"), ("Agent", "michael")])]
    assert annotation_of(every) == Annotation(("Being_located", "Picking"), ("Agent", "Source", "Theme"))


@pytest.fixture(scope="module")
def maker() -> CommandMaker:
    return CommandMaker(as_commands([PICK]))


def test_generated_commands_have_tags_within_their_words(maker: CommandMaker) -> None:
    chance = Random(4)
    drawn = [maker.draw(chance) for _ in range(300)]
    for each in drawn:
        for frame in each.frames:
            for span in (frame.trigger, *frame.arguments):
                assert 0 <= span.first <= span.last < len(each.words)
            assert {span.label for span in frame.arguments} <= set(ROLES)
        starts = [frame.trigger.first for frame in each.frames]
        assert starts == sorted(starts)
    assert {len(each.frames) for each in drawn} >= {0, 1, 2, 3}
    assert any("phone" in each.words for each in drawn), "names from everywhere"


def test_templates_kept_for_calibration_are_not_trained_on(maker: CommandMaker) -> None:
    kept = CommandMaker([], held_out=True)
    ours, theirs = ({" ".join(each.words) for group in one._clauses.values() for each in group} for one in (maker, kept))
    assert ours
    assert theirs
    assert len(ours & theirs) < 0.01 * len(ours)  # two templates may come to the same words


def test_tags_stay_on_their_words_with_recognition_errors() -> None:
    sentence = as_commands([PICK])[0]
    for seed in range(200):
        chance = Random(seed)
        heard = as_heard_tagged(sentence, heard_words(sentence.words, chance))
        (frame,) = heard.frames
        assert heard.words[frame.trigger.first] in {"take"}
        for span in frame.arguments:
            said = set(heard.words[span.first : span.last + 1])
            assert said & {"my", "phone", "the", "a", "black", "couch"}, heard


def test_a_word_is_the_mean_of_its_pieces() -> None:
    pool = pooling([[None, 0, 0, 1, None]], 3)[0]
    assert pool.tolist() == [[0, 0.5, 0.5, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 0]]
