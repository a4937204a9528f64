"""Sentences of public training sets that are not commands for a robot."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from sayso.intent.grammar import word_set
from sayso.intent.normalise import normalise
from sayso.training.data.corpora import Labelled, clinc150, data_folder, lines

# CLINC150's in-scope intents that are far from commands to a home robot.
FAR = word_set(
    "transfer balance freeze_account pay_bill bill_balance interest_rate routing min_payment order_checks pin_change "
    "report_fraud spending_history transactions apr credit_score credit_limit new_card rewards_balance card_declined "
    "damaged_card book_flight book_hotel car_rental flight_status travel_alert visa_application vaccines exchange_rate "
    "insurance payday pto_balance pto_request taxes w2 rollover_401k income direct_deposit application_status oil_change_how "
    "tire_pressure gas_type mpg jump_start nutrition_info calories recipe ingredient_substitution restaurant_reviews "
    "accept_reservations international_visa plug_type translate definition gas last_maintenance"
)
PER_FAR = 4
# HWU64's intents that are requests to a robot too, or replies to it.
NEAR = word_set(
    "iot_cleaning iot_hue_lightchange iot_hue_lightoff iot_hue_lightup iot_hue_lightdim iot_hue_lighton iot_wemo_off iot_wemo_on "
    "iot_coffee general_repeat general_commandstop general_dontcare general_explain general_negate general_confirm general_affirm "
    "general_joke datetime_query audio_volume_mute audio_volume_up audio_volume_down"
)
PER_NEAR = 12  # sentences of each other intent of HWU64


def background_texts() -> list[str]:
    """Sentences of CLINC150's and HWU64's training parts that are not commands for a robot; empty without the data."""
    if not (data_folder() / "clinc150").is_dir():
        Console(stderr=True).print(f"no {data_folder() / 'clinc150'}: training on the domain's own chatter only", highlight=False)
        return []
    texts = [each.text for each in clinc150("oos_train")]
    texts += _first(clinc150("train"), dict.fromkeys(FAR, PER_FAR))
    if (data_folder() / "hwu64").is_dir():
        others = lines("hwu64", "train")
        texts += _first(others, dict.fromkeys({each.label for each in others} - NEAR, PER_NEAR))
    return [normalise(text).replace(",", "") for text in texts]


def _first(sentences: Sequence[Labelled], left: dict[str, int]) -> list[str]:
    """As many sentences of each label as `left` says, in their order."""
    texts = []
    for each in sentences:
        if left.get(each.label, 0):
            left[each.label] -= 1
            texts.append(each.text)
    return texts
