"""``biomech-id check``: what is in a file, and what is wrong with it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biomech_id.cli.guard import DONE, FAILED, WARNINGS, Debug, Version, WarningsOk, print_line
from biomech_id.cli.streams import shown

if TYPE_CHECKING:
    from biomech_id.judgement.check import CheckReport
    from biomech_id.pipeline.folder_verdict import FolderVerdict


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
    """Say whether a folder will run and with what, what is in each C3D file, and every problem found, each with a hint.

    Example: biomech-id check patients/anna
    """
    from biomech_id.judgement.check import iter_check

    show = _Terminal().show if sys.stdout.isatty() else _show
    codes = [DONE]
    for path in paths:
        # One folder of an archive is held at a time; the walk goes through them one after the other.
        for folder, reports in groupby(iter_check([path], marker_set=marker_set), _folder_of):
            if path.is_dir():
                codes += _told(folder, reports, marker_set, None if json_lines else show)
            else:
                codes += [_shown(report, None if json_lines else show) for report in reports]
    return max(codes, key=(DONE, WARNINGS, FAILED).index)


def _told(
    folder: Path | None, files: Iterable[CheckReport], marker_set: str | None, show: Callable[[CheckReport], None] | None
) -> list[int]:
    """Tell of one folder: for eyes whether it will run, then what is in each file; for programs the other way round."""
    reports: list[CheckReport] = []
    codes: list[int] = []
    for report in files:
        # One line per file, flushed: a program that reads along never waits for the whole folder.
        codes.append(_code(report) if show else _shown(report, None))
        reports.append(report)
    verdict = None if folder is None else _verdict(folder, reports, marker_set)
    if verdict is not None and show is None:
        print_line(json.dumps(verdict.to_dict()))
    elif verdict is not None:
        _show_verdict(verdict, reports)
    for report in reports if show else ():
        _shown(report, show)
    return [*codes, WARNINGS] if verdict is not None and verdict.verdict == "lacks" else codes


def _shown(report: CheckReport, show: Callable[[CheckReport], None] | None) -> int:
    """Show one file to eyes, or to programs as a line, and return its exit code."""
    if show is None:
        print_line(report.to_json())
    else:
        show(report)
    return _code(report)


def _folder_of(report: CheckReport) -> Path | None:
    """Where a file lies; None for a folder that cannot be looked into, or that holds no recording."""
    return None if Path(report.path).is_dir() else Path(report.path).parent


def _verdict(folder: Path, reports: Sequence[CheckReport], marker_set: str | None) -> FolderVerdict | None:
    """Of a folder that holds recordings; None where none can be read."""
    from biomech_id.pipeline.folder_verdict import folder_verdict

    trials = [report.recording.trial for report in reports if report.recording is not None]
    return folder_verdict(folder, trials, unreadable=len(reports) - len(trials), marker_set=marker_set) if trials else None


def _show_verdict(verdict: FolderVerdict, reports: Sequence[CheckReport]) -> None:
    """The verdict, what it lacks or will warn of, the command, and one line a file."""
    print_line(verdict.sentence)
    for sentence in verdict.lacks:
        print_line(f"  {'lacks' if verdict.verdict == 'lacks' else 'warning'}: {sentence}")
    print_line(f"  type: {verdict.command}")
    for report in reports:
        facts = report.to_dict()
        seconds = (facts["frames"] or 0) / (facts["rate_hz"] or 1.0)
        held = f"{facts['points']} points, {len(facts['plates'])} plates, {seconds:.1f} s" if report.readable else "cannot be read"
        noticed = sum(finding.severity != "info" for finding in report.findings)
        used = "static trial" if Path(report.path).stem == verdict.static else ""
        print_line(f"  {Path(report.path).name:<32} {held:<36} {noticed} findings  {used}".rstrip())


def _code(report: CheckReport) -> int:
    if not report.readable:
        return FAILED
    return WARNINGS if any(finding.severity != "info" for finding in report.findings) else DONE


def _show(report: CheckReport) -> None:
    """Plain lines: what is in the file, then what was noticed."""
    print_line(shown(report.path))
    for line in _contents(report):
        print_line(f"  {line}")
    for finding in report.findings:
        print_line(shown(f"  {finding.severity}: {finding.message} {finding.hint}  [{finding.rule}]"))


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
