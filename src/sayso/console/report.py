"""report.html: a run as one file, with its sounds and pictures. `sayso report DIR` writes it again."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from sayso.console.animation import draw_animation
from sayso.console.pictures import draw_frames, draw_path
from sayso.console.stages import call_text, plain_console
from sayso.domain import Domain, load_domain
from sayso.evaluation.run import Act, RecordedUtterance, Run, read_run
from sayso.grounding.draw import described
from sayso.paraphrase import meaning_in_words, modifiers_in_words, said_for
from sayso.scene.load import load_scene
from sayso.scene.scene import Scene
from sayso.speech.wav import wav_of
from sayso.types import ActionBelief, ActionCandidate, Clause, Outcome

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

FEW = 6  # alternatives, intents and actions shown
NEGLIGIBLE = 0.005
THUMBNAIL = 640  # pixels: width of an inlined camera picture


@dataclass(frozen=True, slots=True)
class Files:
    """The pictures of a run, as files in its folder."""

    path: Path
    animation: Path
    frames: dict[float, Path]  # by the time of the grounding


def report(
    folder: Annotated[Path, typer.Argument(help="Folder of a run; it contains bag/.")],
    domain: Annotated[Path | None, typer.Option(help="Domain file of its home. Default: the home that Sayso ships with.")] = None,
    scene: Annotated[Path | None, typer.Option(help="Its scene file. Default: the domain's.")] = None,
) -> None:
    """Write a run's pictures, animation and report.html again from its bag.

    Example: `sayso report runs/2026-01-02_03-04-05`
    """
    home = load_domain(domain)
    for file in make_report(folder, home, load_scene(scene)):
        plain_console().print(str(file), soft_wrap=True)


def make_report(folder: Path, domain: Domain, scene: Scene) -> Iterator[Path]:
    """Draw everything from the folder's bag and yield each file once it is written."""
    run = read_run(folder)
    files = Files(folder / "path.png", folder / "demo.gif", {})
    draw_path(run, scene, domain, files.path)
    yield files.path
    files.frames.update(draw_frames(run, folder / "frames"))
    yield folder / "frames"
    if run.utterances:
        draw_animation(run, scene, domain, files.animation)
        yield files.animation
    (folder / "report.html").write_text(render(run, files), encoding="utf-8")
    yield folder / "report.html"


def render(run: Run, files: Files) -> str:
    """The page. It needs no other files."""
    from jinja2 import Environment, PackageLoader

    template = Environment(loader=PackageLoader("sayso.console", "."), autoescape=True, trim_blocks=True).get_template("report.html")
    acts = {act.utterance_id: act for act in run.record.acts}
    return template.render(
        run=run,
        ok=all(act.ok for act in run.record.acts),
        utterances=[_shown(utterance, acts.get(utterance.transcript.utterance_id), files) for utterance in run.utterances],
        animation=_inline(files.animation, "image/gif"),
        still=_still(files.animation),
        path=_inline(files.path, "image/png"),
    )


def _shown(utterance: RecordedUtterance, act: Act | None, files: Files) -> dict[str, Any]:
    """One utterance for the template."""
    heard, belief = utterance.transcript, utterance.actions
    frames = [(inlined(files.frames[time]), described(grounding)) for time, grounding in utterance.groundings if time in files.frames]
    return {
        "text": heard.text,
        "act": act,
        "sound": _sound(utterance.sound),
        "rejected": heard.rejected or (utterance.intents.rejected if utterance.intents else ""),
        "heard": _worth_showing([(math.exp(alternative.log_p), alternative.text) for alternative in heard.alternatives]),
        "confidence": heard.confidence,
        "clauses": [_clause(utterance.intents.intents, clause) for clause in utterance.intents.clauses] if utterance.intents else [],
        "belief": belief,
        "candidates": _candidates(belief),
        "plan": _timeline(utterance),
        "outcome": utterance.outcome,
        "frames": frames,
        "times": _times(utterance, utterance.outcome),
    }


def _clause(intents: tuple[str, ...], clause: Clause) -> dict[str, Any]:
    rows = sorted(zip(clause.probabilities.tolist(), intents, strict=True), reverse=True)
    roles = [{"name": role.name, "text": said_for(role), "means": meaning_in_words(role), "score": role.score} for role in clause.roles]
    notes = modifiers_in_words(clause)
    return {"text": clause.text, "intents": _worth_showing(rows), "roles": roles, "notes": notes, "out_of_scope": clause.out_of_scope}


def _candidates(belief: ActionBelief | None) -> list[ActionCandidate]:
    rows = sorted(belief.candidates, key=lambda row: (row.clause, row.part, -row.probability)) if belief else []
    return [row for row in rows if row.probability >= NEGLIGIBLE][: 2 * FEW]


def _worth_showing(rows: list[tuple[float, str]]) -> list[tuple[float, str]]:
    return [row for index, row in enumerate(rows[:FEW]) if index == 0 or row[0] >= NEGLIGIBLE]


def _timeline(utterance: RecordedUtterance) -> list[dict[str, Any]]:
    """Each skill as a bar on a time axis from the first start to the last end; left and width in per cent."""
    spans = utterance.spans
    if not spans:
        return []
    start, whole = spans[0].started, max(spans[-1].ended - spans[0].started, 1e-9)
    return [
        {
            "name": call_text(span.call),
            "succeeded": span.succeeded,
            "seconds": span.seconds,
            "left": round(100 * (span.started - start) / whole, 2),
            "width": round(100 * span.seconds / whole, 2),
        }
        for span in spans
    ]


def _times(utterance: RecordedUtterance, outcome: Outcome | None) -> list[tuple[str, str]]:
    names = {"transcript": "transcript", "intent_belief": "intent", "action_belief": "decision"}
    times = [(name, f"{1000 * utterance.arrived[topic]:.0f} ms") for topic, name in names.items() if topic in utterance.arrived]
    if utterance.seconds_to_first_skill is not None:
        times.append(("first skill goal", f"{1000 * utterance.seconds_to_first_skill:.0f} ms"))
    if outcome is not None:
        times.append(("outcome", f"{utterance.arrived['outcome']:.1f} s"))
    return times


def _sound(samples: NDArray[np.int16]) -> str:
    """A WAV file as a data URL; empty if there is no sound."""
    return data_url(wav_of(samples), "audio/wav") if samples.size else ""


def inlined(file: Path) -> str:
    """A picture, scaled to THUMBNAIL, as a data URL."""
    from PIL import Image

    with Image.open(file) as picture:
        picture.thumbnail((THUMBNAIL, THUMBNAIL))
        return _jpeg(picture)


def _still(animation: Path) -> str:
    """The middle frame as a data URL, shown until the animation is played; empty if there is no animation."""
    from PIL import Image

    if not animation.is_file():
        return ""
    with Image.open(animation) as picture:
        picture.seek(getattr(picture, "n_frames", 1) // 2)
        return _jpeg(picture.convert("RGB"))


def _jpeg(picture: Picture) -> str:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=82)
    return data_url(buffer.getvalue(), "image/jpeg")


def _inline(file: Path, kind: str) -> str:
    return data_url(file.read_bytes(), kind) if file.is_file() else ""


def data_url(data: bytes, kind: str) -> str:
    """The data as a URL, to be part of a page."""
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
