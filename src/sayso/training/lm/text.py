"""The training text of the command language model: sentences of people and of grammars, in a recogniser's spelling, without its errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pydantic import BaseModel, ConfigDict, Field

from sayso.domain import load_domain
from sayso.errors import SaysoError
from sayso.intent.command_lm import SPECIAL, Pieces
from sayso.intent.normalise import normalise
from sayso.intent.plain import PlainText
from sayso.models import model_path
from sayso.paths import config_dir
from sayso.speech.language_model import corpus
from sayso.training.config import read_config
from sayso.training.data import corpora
from sayso.training.data.gpsr import gpsr

DEFAULT = Path(__file__).with_name("lm.yaml")
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


class Finish(BaseModel):
    """The second part of the training."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: int = Field(gt=0)
    learning_rate: float = Field(gt=0.0)
    warm_up: int = Field(gt=0)
    sources: dict[str, int]


class LanguageModelConfig(BaseModel):
    """All settings of the training; lm.yaml explains each number."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int
    vocabulary: int = Field(gt=100)
    dim: int = Field(gt=0, multiple_of=2)
    layers: int = Field(gt=0)
    heads: int = Field(gt=0)
    dropout: float = Field(ge=0.0, lt=1.0)
    steps: int = Field(gt=0)
    batch: int = Field(gt=0)
    learning_rate: float = Field(gt=0.0)
    warm_up: int = Field(gt=0)
    held_back: float = Field(gt=0.0, lt=0.5)
    sources: dict[str, int]
    finish: Finish

    @property
    def finishing(self) -> LanguageModelConfig:
        """The configuration with the numbers of the second part."""
        return self.model_copy(update=self.finish.model_dump(exclude={"sources"}))


def load_config(path: Path | None = None) -> LanguageModelConfig:
    """Read and check that file; default: the configuration of the model in models/.

    Raises:
        SaysoError: the file is missing or has an invalid value.
    """
    path = path or DEFAULT
    config = read_config(path, LanguageModelConfig)
    for part, named, known in (("sources", config.sources, set(SOURCES)), ("finish.sources", config.finish.sources, set(config.sources))):
        unknown = sorted(set(named) - known)
        if unknown:
            raise SaysoError(f"{path}: {part}: unknown source {unknown[0]}; known: {', '.join(sorted(known))}")
    return config


@dataclass(frozen=True, slots=True)
class Text:
    """Distinct sentences in random order, without those used for evaluation."""

    learnt: tuple[str, ...]
    held_back: tuple[str, ...]
    by_source: dict[str, tuple[str, ...]]  # all of them

    def finishing(self, repeats: Mapping[str, int]) -> list[str]:
        """The training sentences of these sources, each repeated as often as it is read in a round."""
        back = set(self.held_back)
        return [text for name, times in repeats.items() for text in self.by_source[name] if text not in back for _ in range(times)]


def gather(config: LanguageModelConfig) -> Text:
    """Read every source of the configuration.

    Raises:
        SaysoError: a source is missing.
    """
    unseen = {text for texts in held_out().values() for text in texts}
    chance = Random(config.seed)
    taken: dict[str, None] = {}
    by_source: dict[str, tuple[str, ...]] = {}
    for name, most in config.sources.items():
        fresh = [text for text in dict.fromkeys(map(as_heard_right, SOURCES[name](config.seed))) if text and text not in unseen]
        fresh = [text for text in fresh if text not in taken]
        by_source[name] = tuple(chance.sample(fresh, min(most, len(fresh))))
        taken |= dict.fromkeys(by_source[name])
    everything = list(taken)
    chance.shuffle(everything)
    back = round(config.held_back * len(everything))
    return Text(tuple(everything[back:]), tuple(everything[:back]), by_source)


def held_out() -> dict[str, tuple[str, ...]]:
    """People's sentences for evaluation only: name → distinct normalised texts."""
    return {
        "tagE dev": _distinct(each.text for each in corpora.tage("dev")),
        "HuRIC": _distinct(each.text for each in corpora.huric()),
        "ALFRED valid_seen": _distinct(each.text for each in corpora.alfred("valid_seen")),
    }


def as_heard_right(text: str) -> str:
    """The sentence in the classifier's spelling, without commas, which recognisers do not write."""
    return normalise(text).replace(",", "")


def sub_vocabulary(texts: Iterable[str], size: int) -> tuple[str, ...]:
    """SPECIAL, letters and digits at the beginning of and inside words, and the most frequent of the encoder's pieces: `size` in all."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model_path("tokenizer.json")))
    tokenizer.no_padding()
    counts = Counter(piece for text in texts for piece in tokenizer.encode(text, add_special_tokens=False).tokens)
    always = [*SPECIAL, "'", *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    common = sorted(set(counts) - set(always), key=lambda piece: (-counts[piece], piece))
    return tuple([*always, *common][:size])


def encoded(texts: Iterable[str], pieces: Pieces) -> list[list[int]]:
    """Each text's numbers, START and END included."""
    return [pieces(text) for text in texts]


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in map(as_heard_right, texts) if text))


def _plain(seed: int) -> Iterable[str]:
    domain = load_domain()
    plain = PlainText(domain)
    return (plain(normalise(text)) for text in corpus(domain, seed + 1))


SOURCES: dict[str, Callable[[int], Iterable[str]]] = {
    "home": lambda seed: corpus(load_domain(), seed),
    "plain": _plain,
    "warehouse": lambda seed: corpus(load_domain(config_dir() / "warehouse.yaml"), seed),
    "gpsr": lambda seed: gpsr(6000, seed),
    "tage": lambda _: (each.text for each in corpora.tage("train")),
    "alfred": lambda _: (each.text for each in corpora.alfred("train")),
    "hwu64": lambda _: (each.text for each in corpora.lines("hwu64", "train")),
    "snips": lambda _: (each.text for each in corpora.lines("snips", "train")),
    "clinc150": lambda _: (each.text for each in corpora.clinc150("train")),
}
