"""The application: its commands, and what holds for all of them."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Annotated, TextIO

import typer

from biomech_id._version import __version__
from biomech_id.cli import batch, check, demo, markerset, opensim, report, run, templates
from biomech_id.pipeline.threads import single_threaded

app = typer.Typer(
    name="biomech-id",
    help="From C3D files to joint angles, forces, moments and powers, and to a gait report. Nothing leaves this machine.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
for module in (demo, run, check, report, batch, opensim, markerset, templates):
    module.register(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"biomech-id {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options that come before the command."""


def main() -> None:
    """Entry point of the ``biomech-id`` command."""
    for stream in (sys.stdout, sys.stderr):
        _speak_any_language(stream)
    with single_threaded():
        app()


def _speak_any_language(stream: TextIO) -> None:
    """Let a stream take every character: what goes into a file or a pipe is UTF-8, and a console shows what it can."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")
