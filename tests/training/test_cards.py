"""The model cards in models/ are what the training commands write: the templates with figures filled in."""

from __future__ import annotations

import re
import string
from datetime import date

import numpy as np
import pytest

from sayso.intent.head import IntentHead
from sayso.models import model_path
from sayso.paths import models_dir
from sayso.training.grounder import card as grounder_card
from sayso.training.grounder.config import load_config
from sayso.training.grounder.network import GroundingNetwork
from sayso.training.intents.card import CARD as INTENTS
from sayso.training.intents.card import intent_card
from sayso.training.lm.card import CARD as LANGUAGE_MODEL
from sayso.training.stop.card import CARD as STOP
from sayso.training.stop.card import Measured, Size
from sayso.training.stop.card import card as stop_card
from sayso.training.stop.config import load_stop_config
from sayso.training.stop.evaluation import CONDITIONS, OTHERS, STOPS, Scores
from sayso.training.stop.measure import MeasuredSound
from sayso.training.stop.sounds import SpokenPhrase

pytestmark = pytest.mark.long("trains or exports a network")

TEMPLATES = {"command_lm.md": LANGUAGE_MODEL, "intents.md": INTENTS, "stop.md": STOP}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_card_is_its_template_with_figures(name: str) -> None:
    parts = [(text, field) for text, field, _, _ in string.Formatter().parse(TEMPLATES[name])]
    pattern = "".join(re.escape(text) + ("" if field is None else r"[\s\S]+?") for text, field in parts)
    assert re.fullmatch(pattern, (models_dir() / name).read_text(encoding="utf-8"))


def test_the_card_of_the_grounder_has_the_networks_and_the_configurations_figures() -> None:
    card = (models_dir() / "grounder.md").read_text(encoding="utf-8")
    config = load_config()
    for part in (grounder_card._parameters(GroundingNetwork()), grounder_card._data(config), grounder_card._limits(config)):
        assert part in card


def test_the_card_of_the_intents_has_the_heads_figures() -> None:
    head = IntentHead.load(model_path("intents.safetensors"))
    card = (models_dir() / "intents.md").read_text(encoding="utf-8")
    background = int(re.findall(r"and (\d+) of CLINC150", card)[0])
    table = card.index("\n| measured on |")
    assert intent_card(head, background, {})[:table] == card[:table]


def test_the_card_of_the_stop_models_is_filled_from_configuration_and_scores() -> None:
    phrase = SpokenPhrase(np.ones(16_000, np.float32), "stop", "stop", "a voice", 8_000, recorded=True)
    sound, p_stop = MeasuredSound(np.zeros(40_000, np.int16), 1.0, phrase), np.zeros(60, np.float32)
    p_stop[26] = 0.9
    scored = [(sound, p_stop)]
    scores = Scores(
        {(kind, condition): scored for kind in STOPS for condition in CONDITIONS},
        {(kind, condition): scored for kind in OTHERS for condition in CONDITIONS},
    )
    results = tuple(Measured(name, 0.5, scores, scores) for name in ("spotter alone", "without the recogniser", "all three"))
    card = stop_card(load_stop_config(), (Size(10, 1.0), Size(20, 2.0)), results, date(2026, 1, 2))  # type: ignore[arg-type]
    assert "- **Made** on 2026-01-02 by `sayso train stop`" in card
    assert re.search(r"\| synthetic voices \| quiet \| 1 \| 100\.0% \| \d+ ms \| \d+ ms \|", card)
    written = (models_dir() / "stop.md").read_text(encoding="utf-8")
    for heading in ("## What they are", "- **Target**", "- **Voices**"):
        assert card.count(heading) == written.count(heading) == 1
    assert card.split("## Training")[1].split("- **Thresholds**")[0] == written.split("## Training")[1].split("- **Thresholds**")[0]
