"""Bars, wrapped lines and portable characters for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

BAR = 14  # columns of a full bar
_NEGLIGIBLE = 0.005  # would print as 0.00
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_ASCII = str.maketrans("█▉▊▋▌▍▎▏✓✗▶·→“”…−┄", '######  +x>.>"".--')


class Portable:
    """Strips trailing blanks and replaces characters that an ASCII-only output (LC_ALL=C on old systems) cannot print."""

    def __init__(self, renderable: RenderableType) -> None:
        self.renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the segments line by line, in characters that the output can print."""
        for line in console.render_lines(self.renderable, options, pad=False):
            while line and not line[-1].text.strip():
                line.pop()
            for index, (text, style, control) in enumerate(line):
                ending = text.rstrip() if index == len(line) - 1 else text
                yield Segment(ending.translate(_ASCII) if options.ascii_only else ending, style, control)
            yield Segment.line()


class Flow:
    """Pieces side by side; lines break only between them."""

    def __init__(self, pieces: list[Text]) -> None:
        self.pieces = pieces

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines."""
        line = Text()
        for piece in self.pieces:
            if line and line.cell_len + 2 + piece.cell_len > options.max_width:
                yield line
                line = Text()
            line.append("  " if line else "").append_text(piece)
        yield line


def bars(rows: Iterable[tuple[float, Text]], all_rows: bool = False) -> Table:
    """A line per row: bar, probability, label. Rows that would print as 0.00 are left out, except the first."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=BAR, no_wrap=True, style="cyan")
    grid.add_column(width=4, no_wrap=True)
    grid.add_column(overflow="fold")
    for probability, label in _worth_showing(rows, all_rows):
        grid.add_row(bar(probability), f"{probability:.2f}", label)
    return grid


def _worth_showing(rows: Iterable[tuple[float, Text]], all_rows: bool) -> Iterator[tuple[float, Text]]:
    for index, (probability, label) in enumerate(rows):
        if all_rows or index == 0 or probability >= _NEGLIGIBLE:
            yield probability, label


def bar(fraction: float, width: int = BAR) -> str:
    """A bar of `width` columns filled to `fraction` in steps of an eighth of a column."""
    eighths = round(min(max(fraction, 0.0), 1.0) * width * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")
