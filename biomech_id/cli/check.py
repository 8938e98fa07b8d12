"""``biomech-id check``: what is in a file, and what is wrong with it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from shutil import get_terminal_size
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biomech_id.anatomy import SIDE_WORDS
from biomech_id.cli.guard import DONE, FAILED, WARNINGS, Debug, Version, WarningsOk, print_line
from biomech_id.cli.progress import ProgressAs, ProgressKind, Timings, shown_progress
from biomech_id.cli.run import Exclude, Model, RecipeFile, ReviewFile, Static, SubjectFile, recipe_of
from biomech_id.cli.streams import shown
from biomech_id.session.values.step import ANALYSES, LOOKS, Progress, load, stage

if TYPE_CHECKING:
    from biomech_id.judgement.check import CheckReport
    from biomech_id.pipeline.folder_verdict import FolderVerdict
    from biomech_id.request.job import Job


_STYLED = {"info": "note", "warning": "[yellow]warning[/]", "error": "[bold red]error[/]"}


#: How a verdict on a layer is said.
_GRADES = {"accept": "good", "warn": "with limits", "reject": "not usable"}
_LAYERS = {"kinematics": "kinematics", "kinetics": "kinetics", "emg": "EMG", "whole_body": "whole body"}
_EXIT = {"runs": DONE, "runs_with_warnings": WARNINGS, "lacks": FAILED}
#: What a terminal shows at once, and how wide a line may be where nobody knows the terminal's width.
SCREEN_LINES, WIDTH = 24, 100


def check(
    paths: Annotated[list[Path], typer.Argument(help="C3D files, or folders to walk.", show_default=False)],
    *,
    json_lines: Annotated[bool, typer.Option("--json", help="One JSON object per file and line.")] = False,
    marker_set: Annotated[
        str | None, typer.Option(help="Marker set by name or TOML file; otherwise labels are looked at as Plug-in Gait's.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Of a folder also each file, and every problem found.")] = False,
    static: Static = None,
    exclude: Exclude = None,
    model: Model = None,
    recipe: RecipeFile = None,
    subject: SubjectFile = None,
    review: ReviewFile = None,
    warnings_ok: WarningsOk = False,
    progress: ProgressKind = ProgressAs.TEXT,
    timings: Timings = False,
    debug: Debug = False,
    version: Version = False,
) -> int:
    """Say whether a folder will run, how far, and what cures each lack; of a file what is in it, and every problem found.

    With the options of ``run`` the verdict is on a run with them.

    Exit code of a folder: 0 it will run, 3 with warnings, 1 it will not.

    Example: biomech-id check patients/anna
    """
    show = _Terminal().show if sys.stdout.isatty() else _show
    codes = [DONE]
    with shown_progress(progress, timings=timings, logged=False) as told:
        with stage("start"):
            folders = any(path.is_dir() for path in paths)
            load(*(ANALYSES if folders else LOOKS))
            from biomech_id.judgement.check import iter_check

            if folders:
                import biomech_id.pipeline.folder_verdict  # noqa: F401 - what `_folder` takes, before the first file is read
                from biomech_id.request.job import Job

                settings = recipe_of(recipe, model, None)
                told_to = (settings, static, (), tuple(exclude or ()), subject)
                jobs = {path: replace(Job((path,), *told_to), review=review) for path in paths if path.is_dir()}
        for path in paths:
            # One folder of an archive is held at a time; the walk goes through them one after the other.
            for folder, reports in groupby(iter_check([path], marker_set=marker_set, progress=told), _folder_of):
                if path.is_dir() and folder is not None:
                    own = replace(jobs[path], paths=(folder,))
                    codes.append(_folder(own, reports, marker_set, None if json_lines else show, everything, told))
                else:
                    codes += [_shown(report, None if json_lines else show) for report in reports]
    return max(codes, key=(DONE, WARNINGS, FAILED).index)


def _folder(
    job: Job,
    files: Iterable[CheckReport],
    marker_set: str | None,
    show: Callable[[CheckReport], None] | None,
    everything: bool,
    progress: Progress,
) -> int:
    """Tell of one folder: for eyes whether it will run and what cures each lack, for programs what is in each file before that."""
    from biomech_id.pipeline.folder_verdict import folder_verdict
    from biomech_id.request.intake import Refused
    from biomech_id.request.job import without_excluded

    reports: list[CheckReport] = []
    with stage("read"):
        for report in files:
            if show is None:
                # One line per file, flushed: a program that reads along never waits for the whole folder.
                _shown(report, None)
            reports.append(report)
    names = without_excluded([Path(report.path).name for report in reports], job.exclude)
    kept = [report for report in reports if Path(report.path).name in names]
    trials = [report.recording.trial for report in kept if report.recording is not None]
    refused = [Refused(Path(report.path), report.error, names_file=True) for report in kept if report.error is not None]
    verdict = folder_verdict(job.folder, trials, refused=refused, marker_set=marker_set, asked=job, progress=progress)
    if show is None:
        print_line(json.dumps(verdict.to_dict()))
        return _EXIT[verdict.verdict]
    for line in first_screen(verdict, reports, short=not everything):
        print_line(line)
    if everything:
        for report in reports:
            print_line(_held(report, verdict.static))
        for report in reports:
            show(report)
    return _EXIT[verdict.verdict]


def first_screen(verdict: FolderVerdict, reports: Sequence[CheckReport], *, short: bool = True) -> list[str]:
    """Return what somebody reads first of a folder: the verdict, cycles to expect, every cure, and warnings as far as they fit.

    Parameters
    ----------
    verdict : FolderVerdict
        What was decided on the folder.
    reports : Sequence[CheckReport]
        What was seen in each of its files.
    short : bool, optional
        Whether it has to fit one screen.
    """
    from biomech_id.pipeline.folder_verdict import OTHER

    lacks = verdict.verdict == "lacks"
    width = get_terminal_size((WIDTH, SCREEN_LINES)).columns
    counts = ", ".join(
        f"{SIDE_WORDS[side]} {expected.with_kinetics} with kinetics and {expected.without_kinetics} without"
        for side, expected in verdict.cycles.items()
    )
    lines = [verdict.sentence]
    for layer, sides in verdict.layers.items():
        graded = ", ".join(f"{SIDE_WORDS[side]} {_GRADES.get(grade, grade)}" for side, grade in sides.items())
        lines.append(f"  {_LAYERS[layer]:<12}{graded}")
    lines += [f"  {sentence}" for sentence in verdict.foot_models]
    lines.append(f"  cycles to expect{', once cured' if lacks and verdict.layers else ''}: {counts if verdict.layers else 'none'}")
    lines += [f"  {'lacks' if lacks else 'better'}: {cure.sentence}" for cure in verdict.cures if cure.lack != OTHER]
    lines += [f"  type: {command}" for command in verdict.commands]
    sentences = [f"  {'lacks' if lacks else 'warning'}: {sentence}" for sentence in verdict.lacks]
    noticed = sum(finding.severity != "info" for report in reports for finding in report.findings)
    end = f"  {len(reports)} file{'s' * (len(reports) != 1)}, {noticed} of the findings to look at: --all shows them."
    if not short:
        return [*lines, *sentences]
    if lacks:
        return [*lines, *([] if verdict.commands else sentences), end]
    room = max(SCREEN_LINES - 1 - sum(-(-len(line) // width) for line in lines), 0)
    fitting = [f"  {shorten(line, width - 2, placeholder=' ...')}" for line in sentences[:room]]
    if len(sentences) > room:
        fitting[-1:] = [f"  and {len(sentences) - room + 1} more warnings"]
    return [*lines, *fitting, end]


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


def _held(report: CheckReport, static: str | None) -> str:
    """One line on a file of a folder."""
    facts = report.to_dict()
    seconds = (facts["frames"] or 0) / (facts["rate_hz"] or 1.0)
    held = f"{facts['points']} points, {len(facts['plates'])} plates, {seconds:.1f} s" if report.readable else "cannot be read"
    noticed = sum(finding.severity != "info" for finding in report.findings)
    used = "static trial" if Path(report.path).stem == static else ""
    return f"  {Path(report.path).name:<32} {held:<36} {noticed} findings  {used}".rstrip()


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
