"""``biomech-id demo``: the whole chain on people whose truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biomech_id.cli.guard import Debug, Version, WarningsOk
from biomech_id.cli.progress import shown_progress
from biomech_id.cli.run import print_outcome

DemoOut = Annotated[Path, typer.Option("-o", "--out", help="Folder for the recordings, the norm and the results.")]

Pattern = Annotated[str | None, typer.Option("--pattern", help='Way of walking: "crouch" (default), "toe walker", "healthy", ...')]


def demo(
    out: DemoOut = Path("demo"),
    pattern: Pattern = None,
    warnings_ok: WarningsOk = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Write a virtual patient's C3D files and analyse them beside a norm of ten virtual walkers.

    Example: biomech-id demo -o demo
    """
    from biomech_id.pipeline.demo import run_demo

    with shown_progress() as progress:
        outcome = run_demo(out, pattern=pattern, progress=progress)
    return print_outcome(outcome)
