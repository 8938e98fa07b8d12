"""``biomech-id check``: what is in a file, and what is wrong with it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from math import ceil
from pathlib import Path
from shutil import get_terminal_size
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biomech_id.anatomy import SIDE_WORDS
from biomech_id.cli.guard import DONE, FAILED, WARNINGS, Debug, Version, WarningsOk, print_line
from biomech_id.cli.progress import ProgressAs, ProgressKind, TerminalLanguage, Timings, shown_progress
from biomech_id.cli.run import Exclude, Model, RecipeFile, ReviewFile, Static, SubjectFile, recipe_of
from biomech_id.cli.streams import shown
from biomech_id.doors import at_first_use
from biomech_id.languages import WRITTEN, terms_of, worded
from biomech_id.session.values.step import CHECK_STEPS, LOOKS, Progress, load, stage

if TYPE_CHECKING:
    from biomech_id.errors import Finding
    from biomech_id.judgement.check import CheckReport
    from biomech_id.pipeline.folder_verdict import FolderVerdict
    from biomech_id.request.job import Job


_STYLE = {"info": "{}", "warning": "[yellow]{}[/]", "error": "[bold red]{}[/]"}


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
    language: TerminalLanguage = WRITTEN,
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
    for_eyes = partial(_Terminal().show if sys.stdout.isatty() else _show, language=language)
    show = None if json_lines else for_eyes
    codes = [DONE]
    with shown_progress(progress, timings=timings, logged=False, language=language) as listener:
        with stage("start"):
            folders = any(path.is_dir() for path in paths)
            at_first_use("pandas")
            load(*(CHECK_STEPS if folders else LOOKS))
            from biomech_id.judgement.check import iter_check

            if folders:
                import biomech_id.pipeline.folder_verdict  # noqa: F401 - what `_folder` takes, before the first file is read
                from biomech_id.request.job import Job

                settings = recipe_of(recipe, model, None)
                asked = partial(
                    Job, recipe=settings, static=static, exclude=tuple(exclude or ()), subject_file=subject, review=review
                )
                jobs = {path: asked((path,)) for path in paths if path.is_dir()}
        for path in paths:
            # One folder of an archive is held at a time; the walk goes through them one after the other.
            for folder, reports in groupby(iter_check([path], marker_set=marker_set, progress=listener), _folder_of):
                if path.is_dir() and folder is not None:
                    own = replace(jobs[path], paths=(folder,))
                    codes.append(_folder(own, reports, marker_set, show, everything, progress=listener, language=language))
                else:
                    codes += [_shown(report, show) for report in reports]
    return max(codes, key=(DONE, WARNINGS, FAILED).index)


def _folder(
    job: Job,
    files: Iterable[CheckReport],
    marker_set: str | None,
    show: Callable[[CheckReport], None] | None,
    everything: bool,
    *,
    progress: Progress,
    language: str,
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
    verdict = folder_verdict(
        job.folder,
        trials,
        refused=refused,
        marker_set=marker_set,
        asked=job,
        progress=progress,
        language=WRITTEN if show is None else language,
    )
    if show is None:
        print_line(json.dumps(verdict.to_dict()))
        return _EXIT[verdict.verdict]
    for line in first_screen(verdict, reports, short=not everything, language=language):
        print_line(line)
    if everything:
        for report in reports:
            print_line(_held(report, verdict.static, language))
        for report in reports:
            show(report)
    return _EXIT[verdict.verdict]


def first_screen(
    verdict: FolderVerdict, reports: Sequence[CheckReport], *, short: bool = True, language: str = WRITTEN
) -> list[str]:
    """Return what somebody reads first of a folder: the verdict, cycles to expect, every cure, and warnings as far as they fit.

    Parameters
    ----------
    verdict : FolderVerdict
        What was decided on the folder.
    reports : Sequence[CheckReport]
        What was seen in each of its files.
    short : bool, optional
        Whether it has to fit one screen.
    language : str, optional
        Language of the words: one of `languages.LANGUAGES`.
    """
    lines, warnings = _verdict_lines(verdict, language), _warning_lines(verdict, language)
    if not short:
        return lines + warnings
    noticed = sum(finding.severity != "info" for report in reports for finding in report.findings)
    end = worded("check-end", {"files": len(reports), "noticed": noticed}, language)
    if verdict.verdict != "lacks":
        warnings = _fit_to_screen(warnings, lines, language)
    elif verdict.commands:
        warnings = []
    return [*lines, *warnings, end]


def _verdict_lines(verdict: FolderVerdict, language: str) -> list[str]:
    """The verdict, how far a run will come, cycles to expect, what cures each lack, and by which command."""
    from biomech_id.pipeline.folder_verdict import OTHER

    say, lacks, known = partial(worded, language=language), verdict.verdict == "lacks", bool(verdict.layers)
    cycles: dict[str, object] = {"cured": lacks and known, "known": known}
    for side, expected in verdict.cycles.items():
        cycles[f"{SIDE_WORDS[side]}_with"] = expected.with_kinetics
        cycles[f"{SIDE_WORDS[side]}_without"] = expected.without_kinetics
    cures = [cure.sentence for cure in verdict.cures if cure.lack != OTHER]
    return [
        verdict.sentence.text(language),
        *(say("check-layer", {"layer": layer, **sides}) for layer, sides in verdict.layers.items()),
        *(f"  {finding.text(language)}" for finding in verdict.foot_models),
        say("check-cycles", cycles),
        *(say("check-cure", {"lacks": lacks, "cure": cure}) for cure in cures),
        *(say("check-command", {"command": command}) for command in verdict.commands),
    ]


def _warning_lines(verdict: FolderVerdict, language: str) -> list[str]:
    """What lacks, or what a run will complain about."""
    lacks = verdict.verdict == "lacks"
    return [worded("check-sentence", {"lacks": lacks, "sentence": sentence}, language) for sentence in verdict.lacks]


def _fit_to_screen(warnings: list[str], lines: list[str], language: str) -> list[str]:
    """The warnings that fit on a screen below other lines, each on one row; the last row counts those that do not."""
    width = get_terminal_size((WIDTH, SCREEN_LINES)).columns
    rows = sum(ceil(len(line) / width) for line in lines)
    room = max(SCREEN_LINES - 1 - rows, 0)
    fitting = [f"  {shorten(line, width - 2, placeholder=' ...')}" for line in warnings[:room]]
    if len(warnings) > room:
        fitting[-1:] = [worded("check-more", {"n": len(warnings) - room + 1}, language)]
    return fitting


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


def _held(report: CheckReport, static: str | None, language: str) -> str:
    """One line on a file of a folder."""
    facts = report.to_dict()
    seconds = (facts["frames"] or 0) / (facts["rate_hz"] or 1.0)
    holds = {"points": facts["points"], "plates": len(facts["plates"]), "seconds": seconds}
    held = worded("check-holds", holds, language) if report.readable else worded("check-unread", {}, language)
    noticed = sum(finding.severity != "info" for finding in report.findings)
    end = worded("check-noticed", {"noticed": noticed, "static": Path(report.path).stem == static}, language)
    return f"  {Path(report.path).name:<32} {held:<36} {end}".rstrip()


def _code(report: CheckReport) -> int:
    if not report.readable:
        return FAILED
    return WARNINGS if any(finding.severity != "info" for finding in report.findings) else DONE


def _show(report: CheckReport, language: str) -> None:
    """Plain lines: what is in the file, then what was noticed."""
    print_line(shown(report.path))
    for line in _contents(report, language):
        print_line(f"  {line}")
    for finding in report.findings:
        print_line(shown(worded("check-finding", _words_of(finding, language), language)))


def _words_of(finding: Finding, language: str) -> dict[str, str]:
    words = {part: worded(finding.rule, finding.values, language, part) for part in ("text", "hint")}
    return {**words, "severity": str(finding.severity), "rule": finding.rule}


def _contents(report: CheckReport, language: str) -> list[str]:
    """What is in the file, line by line."""
    facts: dict[str, Any] = report.to_dict()
    if not report.readable:
        return []  # the finding below says why
    counts = {"rotations": len(facts["rotations"]), "with_rate": bool(facts["analog_rate_hz"])}
    lines = [worded("check-content", {**facts, **counts}, language)]
    for number, plate in enumerate(facts["plates"], start=1):
        load = {
            "loaded": plate["peak_vertical_N"] is not None,
            "peak_N": plate["peak_vertical_N"],
            "problem": plate["problem"] or "",
        }
        lines.append(worded("check-plate", {**plate, **load, "number": number}, language))
    if facts["events"]:
        events = [(event["context"][:1], event["label"], event["time_s"]) for event in facts["events"]]
        lines.append(worded("check-events", {"events": events}, language))
    return lines


class _Terminal:
    """One table per file, for eyes."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console()

    def show(self, report: CheckReport, language: str) -> None:
        from rich.markup import escape
        from rich.table import Table

        caption = "\n".join(map(escape, _contents(report, language)))
        table = Table(title=escape(report.path), title_justify="left", caption=caption, expand=True)
        table.caption_justify = "left"
        finding_head, cure, rule = worded("check-columns", {}, language).split("|")
        table.add_column("", no_wrap=True)
        table.add_column(finding_head, ratio=3)
        table.add_column(cure, ratio=2)
        table.add_column(rule, no_wrap=True, style="dim")
        for finding in report.findings:
            words = _words_of(finding, language)
            severity = _STYLE[finding.severity].format(terms_of(language, "report")[f"severity.{finding.severity}"])
            table.add_row(severity, escape(words["text"]), escape(words["hint"]), finding.rule)
        self._console.print(table)
