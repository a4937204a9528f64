"""`sayso see`: what is in a picture; and `sayso ask --image`: what a description means in it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sayso.console.options import takes
from sayso.console.picture_view import (
    counted,
    drawn,
    inventory_data,
    notes_of,
    resolution_data,
    verdict_words,
    write_picture,
)
from sayso.errors import GroundingError

if TYPE_CHECKING:
    from sayso.domain import Domain
    from sayso.grounding.backend import Backend
    from sayso.grounding.picture_file import PictureFile
    from sayso.grounding.resolution import Resolution


@dataclass(frozen=True, slots=True, kw_only=True)
class SeeOptions:
    """The options as given, in the order of `--help`."""

    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the picture with boxes to this file.", show_default=False)] = None
    backend: Annotated[
        str,
        typer.Option(
            "--backend", help="What finds things: ours (simulated pictures), detector (photographs), or the folder of a model like OWLv2."
        ),
    ] = "ours"
    domain: Annotated[
        Path | None, typer.Option("--domain", "-d", help="Domain file of another home: its things are looked for.", show_default=False)
    ] = None
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", "-k", help="Look for this instead of the home's things; may be repeated.", show_default=False),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False


@takes(SeeOptions)
def see(
    file: Annotated[Path, typer.Argument(help="A picture: PNG, JPEG and other common formats.", show_default=False)],
    options: SeeOptions = SeeOptions(),
) -> None:
    """Show what is in a picture, with the doubt about each thing.

    Examples:

    - `sayso see kitchen.png`

    - `sayso see kitchen.png --out seen.png`

    - `sayso see photo.jpg --backend detector --json`

    - `sayso see photo.jpg --kind dog --kind "red chair"`

    To find one thing, describe it: `sayso ask --image kitchen.png "the cup left of the bread"`.

    Exit code: 0; 2 if the picture cannot be used; the reason is on stderr.
    """
    from sayso.console.stages import plain_console
    from sayso.domain import load_domain
    from sayso.grounding.inventory import inventory
    from sayso.grounding.picture_checks import blurred

    picture = usable_picture(file)
    backend = _backend(options.backend)
    phrases = list(dict.fromkeys(options.kind)) if options.kind else kinds_of(load_domain(options.domain))
    if not all(any(letter.isalnum() for letter in phrase) for phrase in phrases):
        raise GroundingError("--kind needs a word: --kind cup")
    things = inventory(backend, picture.image, phrases)
    sure = [thing for thing in things if thing.candidate.probability > backend.threshold]
    notes = notes_of(picture, (), blurred(picture.image))
    summary = counted([thing.names[0][0] for thing in sure]) or "nothing that is sure"
    if options.out:
        boxes = [
            (thing.candidate, f"{thing.names[0][0]} {thing.candidate.probability:.2f}", thing.candidate.probability > backend.threshold)
            for thing in things
        ]
        write_picture(options.out, drawn(picture.image, boxes, (), (file.name, summary, bool(sure))))
    if options.as_json:
        data = {"file": str(file), "things": inventory_data(things, picture.scale, backend.threshold), "notes": list(notes)}
        _write(data)
        return
    console = plain_console()
    console.print(f"seen     {summary}", soft_wrap=True)
    for thing in things:
        best, *others = thing.names
        doubt = ", or ".join(f"{name} {p:.2f}" for name, p in others[:3] if p >= 0.5 * best[1])
        left, top, right, bottom = (round(edge * picture.scale) for edge in thing.candidate.box)
        mark = "  " if thing.candidate.probability > backend.threshold else "? "
        place = f"{left}, {top} to {right}, {bottom}"
        worn = f", in {thing.candidate.color}" if thing.candidate.kind == "person" and thing.candidate.color else ""
        console.print(f"       {mark}{best[0]} {best[1]:.2f}{worn}" + (f" (or {doubt})" if doubt else "") + f" at {place}", soft_wrap=True)
    for note in notes:
        console.print(f"note     {note}", style="yellow", soft_wrap=True)


def ask_about(file: Path, phrase: str, options: SeeOptions) -> None:
    """Print what the description means in the picture.

    Raises:
        GroundingError: the picture or the phrase cannot be used.
    """
    from sayso.console.stages import plain_console
    from sayso.domain import load_domain
    from sayso.domain.wording import listed
    from sayso.grounding.describe import DescriptionGrounder, is_count
    from sayso.grounding.picture_checks import blurred
    from sayso.grounding.telling import told_apart
    from sayso.intent.meaning.answers import AnswerDescriber

    picture = usable_picture(file)
    grounder = DescriptionGrounder(_backend(options.backend), AnswerDescriber(load_domain(options.domain)))
    found = grounder(picture.image, phrase)
    names = told_apart(found.things) if found.verdict == "ambiguous" else ()
    question = f"{listed(names, 'or').capitalize()}?" if names else ""
    if options.out:
        boxes = [
            (thing, f"{name} {thing.probability:.2f}".strip(), found.verdict != "ambiguous")
            for thing, name in zip(found.things, names or [""] * len(found.things), strict=True)
        ]
        caption = (f"“{phrase}”", verdict_words(found, is_count(phrase)), found.verdict != "absent")
        write_picture(options.out, drawn(picture.image, boxes, found.looks, caption))
    notes = notes_of(picture, found.unknown, blurred(picture.image))
    if options.as_json:
        _write({"file": str(file), **resolution_data(found, question, picture.scale), "notes": list(notes)})
        return
    console = plain_console()
    console.print(f"meaning  {verdict_words(found, is_count(phrase))}", soft_wrap=True)
    for thing, name in zip(found.things, names or [""] * len(found.things), strict=True):
        left, top, right, bottom = (round(edge * picture.scale) for edge in thing.box)
        console.print(
            f"         {name + ': ' if name else ''}{thing.probability:.2f} at {left}, {top} to {right}, {bottom}", soft_wrap=True
        )
    if question:
        console.print(f"question {question}", soft_wrap=True)
    console.print(f"doubt    {found.doubt:.2f} nats: {_readings(found)}", soft_wrap=True)
    console.print(f"looked   {', '.join(f'{look.phrase} {look.presence:.2f}' for look in found.looks)}", soft_wrap=True)
    for note in (*notes, *([found.why] if found.why else [])):
        console.print(f"note     {note}", style="yellow", soft_wrap=True)


def usable_picture(file: Path) -> PictureFile:
    """The picture of a file.

    Raises:
        GroundingError: it cannot be read, or nothing can be seen in it.
    """
    from sayso.grounding.picture_checks import unusable
    from sayso.grounding.picture_file import load_picture

    picture = load_picture(file)
    reason = unusable(picture.image)
    if reason:
        raise GroundingError(f"{file}: {reason}")
    return picture


def kinds_of(domain: Domain) -> list[str]:
    """What the home's things are called: categories and first names."""
    categories = [thing.category for thing in domain.objects.values() if thing.category]
    return list(dict.fromkeys([*categories, *(thing.spoken(name) for name, thing in domain.objects.items())]))


def _backend(name: str) -> Backend:
    from sayso.grounding.backends import backend

    return backend(name)


def _readings(found: Resolution) -> str:
    return ", ".join(
        f"{p:.2f} {('nothing', 'one thing')[len(things)] if len(things) < 2 else f'{len(things)} things'}"
        for things, p in found.readings[:4]
    )


def _write(data: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n")
    sys.stdout.flush()
