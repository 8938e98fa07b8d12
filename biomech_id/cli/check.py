"""``biomech-id check``: what is in a file, and what is wrong with it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biomech_id.cli.guard import DONE, FAILED, WARNINGS, Debug, Version, WarningsOk, print_line

if TYPE_CHECKING:
    from biomech_id.check import CheckReport


_STYLED = {"info": "note", "warning": "[yellow]warning[/]", "error": "[bold red]error[/]"}


def check(
    paths: Annotated[list[Path], typer.Argument(help="C3D files, or folders to walk.", show_default=False)],
    json_lines: Annotated[bool, typer.Option("--json", help="One JSON object per file and line.")] = False,
    marker_set: Annotated[
        str | None, typer.Option(help="Marker set by name or TOML file; otherwise labels are looked at as Plug-in Gait's.")
    ] = None,
    warnings_ok: WarningsOk = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Say what is in each C3D file and every problem found, each with a hint.

    Example: biomech-id check patients/anna
    """
    from biomech_id.check import iter_check

    worst = DONE
    show = _Terminal().show if sys.stdout.isatty() else _show
    for report in iter_check(paths, marker_set=marker_set):
        if json_lines:
            # One line per file, flushed: a program that reads along never waits for the whole folder.
            print_line(report.to_json())
        else:
            show(report)
        worst = max(worst, _code(report), key=(DONE, WARNINGS, FAILED).index)
    return worst


def _code(report: CheckReport) -> int:
    if not report.readable:
        return FAILED
    return WARNINGS if any(finding.severity != "info" for finding in report.findings) else DONE


def _show(report: CheckReport) -> None:
    """Plain lines: what is in the file, then what was noticed."""
    print_line(report.path)
    for line in _contents(report):
        print_line(f"  {line}")
    for finding in report.findings:
        print_line(f"  {finding.severity}: {finding.message} {finding.hint}  [{finding.rule}]")


def _contents(report: CheckReport) -> list[str]:
    """What is in the file, line by line."""
    facts: dict[str, Any] = report.to_dict()
    if not report.readable:
        return []  # the finding below says why
    analog = f"{facts['analog_channels']} analog channels"
    if facts["analog_rate_hz"]:
        analog += f" at {facts['analog_rate_hz']:g} Hz"
    poses = f", poses of {len(facts['rotations'])} segments" if facts["rotations"] else ""
    lines = [
        f"{facts['frames']} frames at {facts['rate_hz']:g} Hz from frame {facts['first_frame']}, {facts['points']} points "
        f"({facts['units'] or 'no unit'}, {facts['vertical']} up), {analog}{poses}"
    ]
    for number, plate in enumerate(facts["plates"], start=1):
        peak = plate["peak_vertical_N"]
        loaded = "" if peak is None else f"peak {peak:.0f} N, {plate['sign']}"
        lines.append(f"plate {number}: type {plate['type']}, {plate['problem'] or loaded}")
    if facts["events"]:
        events = (f"{event['context'][:1]} {event['label']} {event['time_s']:.2f} s" for event in facts["events"])
        lines.append("events: " + ", ".join(events))
    return lines


class _Terminal:
    """One table per file, for eyes."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console()

    def show(self, report: CheckReport) -> None:
        from rich.markup import escape
        from rich.table import Table

        table = Table(
            title=escape(report.path), title_justify="left", caption="\n".join(map(escape, _contents(report))), expand=True
        )
        table.caption_justify = "left"
        table.add_column("", no_wrap=True)
        table.add_column("Finding", ratio=3)
        table.add_column("What to do", ratio=2)
        table.add_column("Rule", no_wrap=True, style="dim")
        for finding in report.findings:
            table.add_row(_STYLED[finding.severity], escape(finding.message), escape(finding.hint), finding.rule)
        self._console.print(table)
