"""The application: its commands, and what holds for all of them."""

from __future__ import annotations

import sys
from copy import copy
from io import TextIOWrapper
from typing import Any, TextIO

import typer
from typer.core import TyperGroup

from biomech_id.cli import (
    batch,
    check,
    commission,
    demo,
    desk,
    diagnose,
    fit,
    lab,
    markerset,
    opensim,
    plates,
    release,
    report,
    run,
    templates,
)
from biomech_id.cli.guard import INTERRUPTED, Version, guarded, print_interrupted, was_interrupted
from biomech_id.cli.plain_words import PlainCommand, take_plain_words
from biomech_id.cli.streams import open_standard_streams
from biomech_id.pipeline.threads import single_threaded


class _Program(TyperGroup):
    """Commands whose interruption ends in a sentence: while their words are read, before one of them runs, and while it does."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().main(*args, **kwargs)
        except SystemExit as ended:
            # Typer makes of an interruption an exit code and nothing else.
            if ended.code == INTERRUPTED and was_interrupted(ended):
                print_interrupted()
            raise

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words before the command."""
        take_plain_words(self, ctx)
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="biomech-id",
    cls=_Program,
    help="From C3D files to joint angles, forces, moments and powers, and to a gait report. Nothing leaves this machine.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
for command in (
    demo.demo, run.run, check.check, report.report, report.compare_command, report.parity, report.export, report.review,
    report.norm, batch.batch, batch.reproduce, opensim.opensim, opensim.check_opensim, opensim.opensim_run,
    fit.fit_command, markerset.markerset, diagnose.diagnose_command, plates.plates, lab.lab, release.release, templates.recipe,
    templates.subject, desk.desk, desk.verify, commission.commission,
):  # fmt: skip
    name = command.__name__.removesuffix("_command").replace("_", "-")
    # A setup of OpenSim's asks for nothing that a plug-in can add.
    app.command(name, cls=PlainCommand)(guarded(command, plugins=command is not opensim.opensim_run))


@app.callback()
def _common(version: Version = False) -> None:
    """Options that come before the command."""


def main() -> None:
    """Entry point of the ``biomech-id`` command."""
    try:
        open_standard_streams()
        for stream in (sys.stdout, sys.stderr):
            _speak_any_language(stream)
        with single_threaded():
            _named_alone(sys.argv[1:])()
    except KeyboardInterrupt:
        print_interrupted()
        sys.exit(INTERRUPTED)


def _named_alone(words: list[str]) -> typer.Typer:
    """The application with no command but the one that the first word names: Typer makes all that there are before it runs one."""
    named = [command for command in app.registered_commands if command.name in words[:1]]
    program = copy(app)
    program.registered_commands = named or app.registered_commands
    return program


def _speak_any_language(stream: TextIO) -> None:
    """Let a stream take every character: what goes into a file or a pipe is UTF-8, and a console shows what it can."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")
