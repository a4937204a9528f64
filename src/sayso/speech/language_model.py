"""The domain's sentences → pocketsphinx's trigram model and pronunciation dictionary, cached on disk."""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from sayso.domain import Domain, describing, english
from sayso.domain import sentences as expansion
from sayso.domain.numbers import number_words
from sayso.speech import pronunciation

PER_TEMPLATE = 200  # sentences; more than the names in the default home, so that every template meets every name
COMMANDS = 20_000  # of several clauses
STOPS = 5_500  # deliberately many: 40 instead of 14 of 65 loud recordings of "stop" were recognised, without false ones
LINES_PER_INTENT = 1_000  # times the intent's prior, since "stop" has one sentence but is as frequent as other intents
POLITE_BEFORE = ("please", "robot", "robot please", "hey robot", "okay robot", "could you please", "can you please", "can you", "could you",
                 "would you please", "now")  # fmt: skip
POLITE_AFTER = ("please", "now", "robot", "thank you", "right now")
ANSWERS = ("yes", "no", "yes please", "no thanks", "no thank you", "okay", "sure", "right", "correct", "never mind", "forget it", "neither",
           "neither of them", "none of them", "nothing", "do it", "go ahead", "that's right", "both", "both of them", "what", "pardon",
           "i don't know", "say that again", "no that's wrong")  # fmt: skip
CORRECTIONS = ("no", "no i said", "no i meant", "not")  # followed by a name
BEGIN, END = "<s>", "</s>"  # of a sentence
DISCOUNT = 0.05  # mass for unseen n-grams; from 0.02 … 0.5, small values gave the fewest word errors (the builder's default is 0.5)

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """The paths of the two files."""

    arpa: Path
    dictionary: Path


def language_model(domain: Domain) -> LanguageModel:
    """The model of the domain, from the cache or built now (some seconds, once per domain).

    The cache key is a hash of the domain's words and of the code that expands them. Several processes may call this at once: each
    writes to its own file and renames it when complete.
    """
    return with_sentences(domain)[0]


def with_sentences(domain: Domain) -> tuple[LanguageModel, list[str]]:
    """The model of the domain, with the sentences that it was built from if it was built now: to make them takes as long as the rest."""
    folder = _cache() / _key(domain)
    model = LanguageModel(folder / "sentences.arpa", folder / "words.dict")
    if model.arpa.is_file() and model.dictionary.is_file():
        return model, []
    lines = list(corpus(domain))
    words = sorted({word for line in lines for word in line.split()})
    arpa, dictionary = _arpa(lines), pronunciation.dictionary(words) if domain.language == "en" else ""
    try:
        return _write(folder, arpa, dictionary), lines
    except OSError as unwritable:
        _LOG.warning("%s: cannot cache the language model (%s); it will be rebuilt at every start", folder, unwritable.strerror)
        return _write(_temporary_folder(), arpa, dictionary), lines


def corpus(domain: Domain, seed: int = 0) -> Iterator[str]:
    """Training sentences in realistic proportions: by the intents' priors, some polite, some of several clauses."""
    chance, english = random.Random(f"{seed} corpus"), domain.language == "en"
    by_intent: dict[str, list[str]] = {intent: [] for intent in domain.intents}
    for sentence in expansion.sentences(domain, PER_TEMPLATE, seed):
        by_intent[sentence.intent].append(sentence.text)
    for intent, texts in by_intent.items():
        repeats = max(round(LINES_PER_INTENT * domain.intents[intent].prior / len(texts)), 1)
        for text in texts * repeats:
            yield _polite(text, chance) if english else text
    yield from (sentence.text for sentence in expansion.chatter(domain, 3, seed))
    if not english:  # what follows is in English
        return
    for command in expansion.commands(domain, COMMANDS, seed):
        yield _polite(command.text, chance)
    for text in describing.described(domain, seed):
        yield _polite(text, chance)
    yield from answers(domain)
    yield from ["stop"] * STOPS


def answers(domain: Domain) -> Iterator[str]:
    """Possible answers to the robot's questions, each repeated a number of times."""
    ordinals = ("first", "second", "third", "fourth", "last")
    yield from [*ANSWERS, *(f"the {ordinal} one" for ordinal in ordinals), *(f"number {number_words(n)}" for n in range(1, 6))] * 20
    attributes = {value for thing in domain.objects.values() for value in thing.attributes.values()}
    ones = [f"the {value} one" for value in sorted(attributes)]
    yield from [*ones, *sorted(attributes)] * 10
    yield from [f"{opposing} {one}" for opposing in CORRECTIONS for one in ones] * 2
    for key, entity in (*domain.objects.items(), *domain.places.items(), *domain.people.items()):
        for name in entity.known_as(key):
            phrase = name if key in domain.people else f"the {name}"
            yield from (phrase, *(f"{opposing} {phrase}" for opposing in CORRECTIONS))


def _polite(text: str, chance: random.Random) -> str:
    draw = chance.random()
    if draw < 0.08:
        return f"{chance.choice(POLITE_BEFORE)} {text}"
    return f"{text} {chance.choice(POLITE_AFTER)}" if draw < 0.14 else text


def _arpa(lines: list[str]) -> str:
    """The ARPA file of a trigram model with fixed discount, from pocketsphinx's builder, which would take twice as long to count."""
    from io import StringIO

    from pocketsphinx.lm import ArpaBoLM

    model = ArpaBoLM(add_start=True, discount_mass=DISCOUNT)
    stream = [word for line in lines if line for word in (BEGIN, *line.split(), END)]
    model.grams_1.update(Counter(stream))
    for (first, second), count in Counter(pairwise(stream)).items():
        if first != END:
            model.grams_2[first][second] = count
    for (first, second, third), count in Counter(zip(stream, stream[1:], stream[2:], strict=False)).items():
        if END not in (first, second):
            model.grams_3[first][second][third] = count
    model.compute()
    out = StringIO()
    model.write(out)
    return out.getvalue()


def _key(domain: Domain) -> str:
    words = domain.model_dump_json(include={"language", "speaker", "places", "objects", "people", "intents", "chatter"})
    modules = (expansion.__file__, describing.__file__, english.__file__, pronunciation.__file__, __file__)
    code = (*map(Path, modules), *describing.sources(), *pronunciation.sources())
    digest = hashlib.sha256(words.encode())
    for path in code:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:24]


def _cache() -> Path:
    from platformdirs import user_cache_path

    return Path(os.environ["SAYSO_CACHE"]) if "SAYSO_CACHE" in os.environ else user_cache_path("sayso")


def _write(folder: Path, arpa: str, dictionary: str) -> LanguageModel:
    folder.mkdir(parents=True, exist_ok=True)
    model = LanguageModel(folder / "sentences.arpa", folder / "words.dict")
    write_atomically(model.dictionary, dictionary.encode())
    write_atomically(model.arpa, arpa.encode())
    return model


def write_atomically(path: Path, content: bytes) -> None:
    """Write the file completely or not at all, leaving no temporary file behind.

    Raises:
        OSError: the folder cannot be written, or the disk is full.
    """
    with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=path.name, delete=False) as file:
        unfinished = Path(file.name)
        try:
            file.write(content)
        except BaseException:
            unfinished.unlink()
            raise
    unfinished.replace(path)


def _temporary_folder() -> Path:
    """A folder that is removed at exit."""
    folder = tempfile.mkdtemp(prefix="sayso-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
