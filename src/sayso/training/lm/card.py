"""The model card of the command language model, models/command_lm.md, written by every training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from sayso.training.lm.network import expected_parameters
from sayso.training.lm.text import LanguageModelConfig
from sayso.training.lm.weights import Fitted

LICENCES = {
    "home": ("commands of `config/home.yaml` and `config/intents.yaml`", "Apache-2.0"),
    "plain": ("the same with one name for each kind of thing", "Apache-2.0"),
    "warehouse": ("commands of `config/warehouse.yaml`", "Apache-2.0"),
    "gpsr": ("RoboCup@Home grammars (GPSRCmdGen, Matamoros 2017)", "MIT"),
    "tage": ("tagE, training part (Sarkar et al. 2023)", "MIT"),
    "alfred": ("ALFRED step instructions, training part (Shridhar et al. 2020)", "MIT"),
    "hwu64": ("HWU64, training part (Liu et al. 2019)", "CC BY 4.0"),
    "snips": ("SNIPS, training part (Coucke et al. 2018)", "CC0 1.0"),
    "clinc150": ("CLINC150, training part (Larson et al. 2019)", "CC BY 3.0"),
}
PARTS = {
    "home": "generated commands of the default home",
    "warehouse": "generated commands of the warehouse",
    "people": "tagE dev, sentences of the home's words",
    "hand-written": "hand-written commands",
}

CARD = """# command_lm.onnx

A language model of what people say to robots: P(t) of a text, used to rank the texts that the recogniser offers.

- **Made** on {made} by `sayso train lm`, which also writes this card.
- **Licence**: Apache-2.0.
- **Language**: English.

## What it is

- **Network**: a causal transformer over word pieces with sinusoidal positions (equation 2), {layers} layers of masked self-attention with
  {heads} heads and the norm after each sum (3, 4, 6), d = {dim}, and a next-piece softmax whose W are the embeddings (7). It knows
  {vocabulary} word pieces: the most frequent pieces of `tokenizer.json` in the training text, and every letter to spell unknown names.
- **Size**: {parameters:,} parameters; 12 L d² + V d = {expected:,} (equation 22, without biases and norms). {size:.2f} MB,
  weights in 16 bits, single precision at run time.
- **Use**: P(t|audio) ∝ P_recogniser(t) · (P(t) e^(γ|t|))^α with α = {weight:g}, γ = {per_word:g} nats a word. Names of the domain are read
  as one name of their kind, so that another home's names are equally probable.

## Training

{steps} steps of {batch} sentences, then {finish} steps on commands to robots and homes alone, seed {seed}. The text has no recognition
errors, since the model is to prefer what people say.

| trained on | distinct sentences | licence |
|---|---|---|
{sources}

α and γ are fitted on {fitted_on}, to give the most probability to the text
with the fewest word errors among the n best. Mean ln P of that text, in nats, on this development speech:

| | α | γ | mean ln P |
|---|---|---|---|
{weights}

## Measured

Perplexity of a word piece, 2^(−(1/N) Σ log₂ P), ends of sentences counted, beside n-gram models (interpolated modified Kneser–Ney) of the
same pieces and the same text. None of these sentences was trained on. The first two rows are development figures: the training on
commands alone was kept because it lowered them.

| measured on | sentences | pieces | {models} |
|---|---|---|{rules}|
{perplexities}

Speech in noise (8 to 25 dB), recognised by PocketSphinx with the domain's own trigrams, {alternatives}. Nothing was fitted on these voices
and sentences. "As said": clauses, intents (and linked roles) are those of the correct text. The generated commands come from templates
that also occur in the training text; people wrote the other two sets.

| spoken | model | word error rate | sentences right | intents as said | intents and roles as said |
|---|---|---|---|---|---|
{spoken}

## Limits

Measured on synthetic voices and with PocketSphinx; α and γ were not fitted for whisper, whose texts already come from a strong language
model. The model does not tell commands from chatter; the intent head does.

## How to make it again

`apt install flite espeak-ng`, `sayso data download`, then `sayso train lm`. `src/sayso/training/lm/lm.yaml` has every number.
"""


@dataclass(frozen=True, slots=True)
class Findings:
    """The measured figures."""

    perplexities: Mapping[str, Mapping[str, float]]  # measured on → "sentences", "pieces" and each model
    fitted: Mapping[str, Fitted]  # by model
    spoken: Mapping[str, Mapping[str, Mapping[str, float]]]  # part → model or "none" → measure


def card(config: LanguageModelConfig, counts: Mapping[str, int], parameters: int, size: int, findings: Findings, made: date) -> str:
    """The text of models/command_lm.md; `size` is the file's in bytes, `counts` the number of sentences by source."""
    models = list(findings.fitted)
    weight, per_word, _ = findings.fitted["transformer"]
    return CARD.format(
        made=made.isoformat(), **config.model_dump(include={"layers", "heads", "dim", "steps", "batch", "seed"}),
        vocabulary=config.vocabulary, parameters=parameters, finish=config.finish.steps, size=size / 1e6, weight=weight, per_word=per_word,
        expected=expected_parameters(config.vocabulary, config.dim, config.layers),
        sources="\n".join(f"| {LICENCES[name][0]} | {count:,} | {LICENCES[name][1]} |" for name, count in counts.items()),
        models=" | ".join(models), rules="|".join("---" for _ in models),
        perplexities="\n".join(_perplexity_row(name, row, models) for name, row in findings.perplexities.items()),
        fitted_on="spoken commands of the default home and of HuRIC, by other voices",
        weights="\n".join(f"| {name} | {a:g} | {g:g} | {mean:.3f} |" for name, (a, g, mean) in findings.fitted.items()),
        alternatives="five texts each",
        spoken="\n".join(_spoken_row(part, model, row) for part, rows in findings.spoken.items() for model, row in rows.items()),
    )  # fmt: skip


def _perplexity_row(name: str, row: Mapping[str, float], models: list[str]) -> str:
    return f"| {name} | {row['sentences']:,} | {row['pieces']:,} | " + " | ".join(f"{row[model]:.2f}" for model in models) + " |"


def _spoken_row(part: str, model: str, row: Mapping[str, float]) -> str:
    said = f"{PARTS[part]} ({row['sentences']:g}; right text in the list {row['right text in the list']:.1%})"
    shown = ("word error rate", "sentences right", "intents as said", "intents and roles as said")
    return f"| {said} | {model} | " + " | ".join(f"{row[name]:.1%}" for name in shown) + " |"
