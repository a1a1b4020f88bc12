"""Options that several commands share, so that they read the same everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

from kakehashi.cli.output import Color, Format
from kakehashi.puzzle import MOST_BRIDGES, Confirm, Touching
from kakehashi.render import Theme
from kakehashi.render.picture import LEAST_CELL, MOST_CELL

LARGEST = 2**31 - 1
"""The largest number of a batch, a run or an entry that both databases take."""

Db = Annotated[
    str | None, typer.Option("--db", metavar="FILE|URL", help="Database: a file for SQLite, or a postgresql:// URL.")
]
BrokerUrl = Annotated[
    str | None, typer.Option("--broker", metavar="URL", help="Broker: redis://, redis+socket:// or amqp://.")
]
OutputFormat = Annotated[Format, typer.Option("--format", help="How to print.")]
InputFormat = Annotated[
    str | None,
    typer.Option("--from", metavar="FORMAT", help="Format of the files; without it each file is looked at."),
]
TouchingPolicy = Annotated[
    Touching,
    typer.Option("--touching", help="Islands that share an edge: may be bridged (join), or make the puzzle invalid."),
]
MaxBridges = Annotated[
    int | None,
    typer.Option(
        "--max-bridges",
        metavar="N",
        min=1,
        max=MOST_BRIDGES,
        help="Most bridges in a channel, 1 to 4, where the puzzle does not say; by default 2.",
    ),
]
NoLoops = Annotated[
    bool, typer.Option("--no-loops", help="Bridges may not close a loop, unless the puzzle says otherwise.")
]
Budget = Annotated[
    str | None, typer.Option("--budget", metavar="TIME", help="Time for each puzzle, such as 500ms, 10s or 2m.")
]
TotalBudget = Annotated[
    str | None,
    typer.Option("--total-budget", metavar="TIME", help="Time for the whole run: no new puzzle starts after it."),
]
Unique = Annotated[bool, typer.Option("--unique", help="Also find out whether the solution is the only one.")]
SkipKnown = Annotated[
    bool,
    typer.Option(
        "--skip-known", help="Take answers that the database has already for a puzzle, turned or mirrored; no solving."
    ),
]
EngineName = Annotated[
    str | None, typer.Option("--engine", metavar="NAME", help="Engine that solves; auto takes the best there is.")
]
Confirmed = Annotated[
    Confirm | None,
    typer.Option(
        "--confirm",
        help="What a second engine has to confirm, for the budget again: every infeasible and one unique in a hundred "
        "(auto, the default), all, or none.",
    ),
]
Paths = Annotated[
    list[str], typer.Argument(metavar="PATH...", help="Puzzle files and folders, ids or URLs; - is standard input.")
]
Name = Annotated[
    str | None, typer.Option("--name", metavar="TEXT", help="What to call the batch; by default after its first path.")
]
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, help="Worker processes here; by default one a core.")
]
Here = Annotated[
    bool | None,
    typer.Option("--here/--fleet", help="Work on this machine, or let the fleet. By default as the batch was made."),
]
Batch = Annotated[int, typer.Argument(metavar="BATCH", min=1, max=LARGEST, help="Number of the batch.")]
OptionalBatch = Annotated[
    int | None, typer.Argument(metavar="BATCH", min=1, max=LARGEST, help="Number of the batch.", show_default=False)
]
ColorWhen = Annotated[
    Color, typer.Option("--color", help="Colour pictures of text; auto: on a terminal, unless NO_COLOR is set.")
]
Ascii = Annotated[bool, typer.Option("--ascii", help="Draw text with ASCII characters.")]
PictureTheme = Annotated[
    Theme, typer.Option("--theme", help="Colours of SVG and PNG; auto: as the viewer prefers (SVG only).")
]
PictureCell = Annotated[
    int | None,
    typer.Option("--cell", metavar="PIXELS", min=LEAST_CELL, max=MOST_CELL, help="Width of a cell of SVG and PNG."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace files that are no pictures of Kakehashi, too.")]
Overwrite = Annotated[bool, typer.Option("--force", help="Overwrite a file; write into a folder that is not empty.")]
