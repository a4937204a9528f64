"""Picture + phrase with relations, superlatives, counts and exclusion → what it means there. The backend finds plain things only."""

from __future__ import annotations

import re
from collections.abc import Callable

from sayso.errors import GroundingError
from sayso.grounding.backend import Backend
from sayso.grounding.phrase import SILENT
from sayso.grounding.picture_checks import unusable
from sayso.grounding.resolution import Resolution, resolve
from sayso.grounding.wanted import plain_phrases
from sayso.representation import Description
from sayso.types import Image

Describe = Callable[[str], Description | None]  # the noun phrase that a text consists of; grounding knows no grammar
LONGEST = 40  # words of a phrase
_QUESTION = re.compile(
    r"^(?:how many|is there|are there|where is|where are|where's|find|show me|show|look for|do you see|can you see|what is|which is)\s+"
)
_TAIL = re.compile(r"\s+(?:are there|is there|do you see|can you see|in the picture|in this picture|in the image|here)$")
_ORDINAL = re.compile(r"^(?:the )?((?:fir|seco|thi|four|fif|six|seven|eigh|nin|ten)\w*) from (?:the )?(left|right)$")
_SUPERLATIVE_LAST = re.compile(r"^(?:the )?(.+?) (?:that is |which is )?(farthest|furthest|nearest|closest)(?: away)?$")
_COUNTED = re.compile(r"^(how many \S+(?: \S+)*?) (?:are|is) (?!there\b)")


class DescriptionGrounder:
    """Image and phrase → resolution.

    Args:
        backend: finds plain things.
        describe: parses noun phrases; `sayso.intent.meaning.answers.AnswerDescriber` of a home.
    """

    def __init__(self, backend: Backend, describe: Describe) -> None:
        self.backend, self._describe = backend, describe

    def __call__(self, image: Image, phrase: str) -> Resolution:
        """What the phrase means in the picture.

        Raises:
            GroundingError: there is no phrase, it is too long, or nothing can be seen in the picture; the reason in one line.
        """
        description = self.description(phrase)
        reason = unusable(image)
        if reason:
            raise GroundingError(reason)
        looks = self.backend.look(image, plain_phrases(description))
        return resolve(phrase, description, looks, image, self.backend.threshold)

    def description(self, phrase: str) -> Description:
        """The description that the phrase or question gives. An unknown form is looked for as it stands.

        Raises:
            GroundingError: the phrase is empty, without content, or too long.
        """
        words = re.findall(r"[\w']+", phrase.lower())
        if len(words) > LONGEST:
            raise GroundingError(f"the phrase has {len(words)} words; {LONGEST} are the most")
        content = [word for word in words if word not in SILENT]
        if not content:
            raise GroundingError("there is no phrase to look for: say what, like 'the red cup'")
        text = _noun_phrase(" ".join(phrase.lower().replace("?", " ").split()))
        found = self._describe(text)
        return found if found is not None else Description(text, 0, len(text), head=" ".join(content))


def _noun_phrase(text: str) -> str:
    """The noun phrase of a question: "how many cups are on the table" → "cups on the table"."""
    text = _COUNTED.sub(r"\1 ", text)
    text = _TAIL.sub("", _QUESTION.sub("", text))
    ordinal = _ORDINAL.match(text)
    if ordinal:
        text = f"the {ordinal[1]} one from the {ordinal[2]}"
    last = _SUPERLATIVE_LAST.match(text)
    if last:
        text = f"the {last[2]} {last[1]}"
    return re.sub(r"\b(that|which) (is|are) (?=(?:to the )?(?:left|right|in|on|under|behind|above|next|near|between)\b)", "", text)


def is_count(phrase: str) -> bool:
    """Whether a number is asked for."""
    return phrase.lower().split()[:2] == ["how", "many"]
