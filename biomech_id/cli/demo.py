"""``biomech-id demo``: the whole chain on a person whose truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biomech_id.cli.guard import Debug, Version, WarningsOk
from biomech_id.cli.progress import shown_progress
from biomech_id.cli.run import print_outcome

DemoOut = Annotated[Path, typer.Option("-o", "--out", help="Folder for the subject's files and the results.")]


Pattern = Annotated[str | None, typer.Option("--pattern", help='Way of walking: "toe walker", "drop foot", "crutches", ...')]


def demo(
    out: DemoOut = Path("demo"),
    pattern: Pattern = None,
    warnings_ok: WarningsOk = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Write the virtual subject's C3D files and analyse them.

    Example: biomech-id demo -o demo
    """
    from biomech_id.pipeline.demo import run_demo

    with shown_progress() as progress:
        outcome = run_demo(out, pattern=pattern, progress=progress)
    return print_outcome(outcome)
