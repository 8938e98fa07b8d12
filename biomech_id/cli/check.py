"""``biomech-id check``: what is in a file, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biomech_id.cli.guard import DONE, FAILED, WARNINGS, Debug, Version, WarningsOk, guarded

if TYPE_CHECKING:
    from biomech_id.check import CheckReport


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("check")(guarded(check))


def check(
    paths: Annotated[list[Path], typer.Argument(help="C3D files, or folders to walk.", show_default=False)],
    json_lines: Annotated[bool, typer.Option("--json", help="One JSON object per file and line.")] = False,
    warnings_ok: WarningsOk = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Say what is in each C3D file and every problem found, each with a hint.

    Example: biomech-id check patients/anna
    """
    from biomech_id.check import iter_check

    worst = DONE
    for report in iter_check(paths):
        if json_lines:
            # One line per file, flushed: a program that reads along never waits for the whole folder.
            typer.echo(report.to_json())
        else:
            _show(report)
        worst = max(worst, _code(report), key=(DONE, WARNINGS, FAILED).index)
    return worst


def _code(report: CheckReport) -> int:
    if not report.readable:
        return FAILED
    return WARNINGS if any(finding.severity != "info" for finding in report.findings) else DONE


def _show(report: CheckReport) -> None:
    facts: dict[str, Any] = report.to_dict()
    typer.echo(f"{facts['path']}")
    if not report.readable:
        typer.echo(f"  refused: {facts['error']}")
    else:
        typer.echo(
            f"  {facts['frames']} frames at {facts['rate_hz']:g} Hz from frame {facts['first_frame']}, {facts['points']} points "
            f"({facts['units']}, {facts['vertical']} up), {facts['analog_channels']} analog channels"
            + (f" at {facts['analog_rate_hz']:g} Hz" if facts["analog_rate_hz"] else "")
        )
        for number, plate in enumerate(facts["plates"], start=1):
            peak = plate["peak_vertical_N"]
            loaded = f"peak {peak:.0f} N, {plate['sign']}" if peak is not None else str(plate["problem"])
            typer.echo(f"  plate {number}: type {plate['type']}, {loaded}")
        if facts["events"]:
            events = (f"{event['context'][:1]} {event['label']} {event['time_s']:.2f} s" for event in facts["events"])
            typer.echo("  events: " + ", ".join(events))
    for finding in report.findings:
        typer.echo(f"  {finding.severity}: {finding.message} {finding.hint}  [{finding.rule}]")
