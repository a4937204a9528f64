"""Masked-word training of the encoder on commands, before the tuning (equation 23; Devlin et al. 2019), by transformers' own Trainer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from rich.progress import Progress
from transformers import AutoModelForMaskedLM, DataCollatorForLanguageModeling, Trainer, TrainingArguments, set_seed

from sayso.errors import ModelError
from sayso.training.encoder.runs import arguments, run_to_the_end
from sayso.training.encoder.tasks import TuningConfig

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


def pretrain(model: SentenceTransformer, texts: Sequence[str], config: TuningConfig, folder: Path, progress: Progress) -> None:
    """Train the transformer of the model in place to predict masked words; the head for it is new and discarded afterwards.

    Raises:
        ModelError: transformers has no head for masked words on this kind of model.
    """
    transformer: Any = model[0].auto_model
    set_seed(config.seed)
    try:
        reader = AutoModelForMaskedLM.from_config(transformer.config)
    except ValueError as unknown:
        raise ModelError(f"masking: {type(transformer).__name__} has no head for masked words; set masking.steps to 0") from unknown
    getattr(reader, reader.base_model_prefix).load_state_dict(transformer.state_dict(), strict=False)
    reader.tie_weights()
    reader.get_input_embeddings().requires_grad_(False)
    chance = Random(config.seed)
    drawn = chance.choices(texts, k=config.masking.steps * config.batch)
    pieces = model.tokenizer(drawn, truncation=True, max_length=config.longest)["input_ids"]
    settings = arguments(folder, batch=config.batch, learning_rate=config.masking.learning_rate, warm_up=config.warm_up, seed=config.seed)
    trainer = Trainer(
        reader,
        TrainingArguments(**settings, remove_unused_columns=False),
        DataCollatorForLanguageModeling(model.tokenizer, mlm_probability=config.masking.share),
        [{"input_ids": ids} for ids in pieces],
    )
    run_to_the_end(trainer, progress, "predicting masked words", {})
    transformer.load_state_dict(getattr(reader, reader.base_model_prefix).state_dict(), strict=False)
