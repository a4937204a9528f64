"""A sentence understood by the home as it is edited. Intents of its own are learnt the first time, which takes seconds."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sayso.domain import load_domain
from sayso.errors import SaysoError
from sayso.explanation import as_data
from sayso.web.editor.draft import HomeDraft
from sayso.yaml_source import drafting

if TYPE_CHECKING:
    from sayso.pipeline import Pipeline

SHOWN = 4  # intents of a clause


class SentenceTrial:
    """Keeps the stages of the version that was tried last."""

    def __init__(self, draft: HomeDraft) -> None:
        self._draft = draft
        self._busy = threading.Lock()
        self._texts: Mapping[Path, str] | None = None
        self._pipeline: Pipeline | None = None

    def understood(self, sentence: str) -> dict[str, Any]:
        """What the edited home makes of a sentence: intents, actions and decision. Nothing moves.

        Raises:
            SaysoError: the home has mistakes, or another sentence is being tried.
        """
        if not self._busy.acquire(blocking=False):
            raise SaysoError("another sentence is being tried: wait a moment")
        try:
            data = as_data(self._current().understand(sentence))
        finally:
            self._busy.release()
        clauses = [
            {
                "text": clause["text"],
                "intents": dict(sorted(clause["probabilities"].items(), key=lambda item: -item[1])[:SHOWN]),
                "candidates": [
                    {"call": f"{each['action']}({', '.join(each['arguments'].values())})", "p": each["posterior"]}
                    for each in clause["candidates"][:SHOWN]
                ],
            }
            for clause in data["clauses"]
        ]
        return {"decision": data["decision"], "reason": data["reason"], "question": data["question"], "clauses": clauses}

    def _current(self) -> Pipeline:
        from sayso.pipeline import Pipeline

        version = self._draft.now
        if self._pipeline is None or self._texts != version.texts:
            with drafting(version.texts):
                domain = load_domain(self._draft.files.domain)
            self._pipeline, self._texts = Pipeline(domain), version.texts
        return self._pipeline
