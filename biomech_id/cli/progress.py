"""Progress: a bar on a terminal, plain lines in a log, one JSON object a line for programs; and the time of each stage."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from functools import partial
from typing import Annotated

import typer

from biomech_id.cli.guard import print_aside
from biomech_id.cli.streams import shown
from biomech_id.languages import LANGUAGES, WRITTEN, worded
from biomech_id.session.values.step import Progress, Step, telling


class ProgressAs(StrEnum):
    """How progress is told."""

    TEXT = "text"
    JSON = "json"


def _known_language(name: str) -> str:
    if name not in LANGUAGES:
        raise typer.BadParameter(f"there is no language {name}; the languages are {', '.join(LANGUAGES)}.")
    return name


TerminalLanguage = Annotated[
    str, typer.Option("--language", callback=_known_language, help=f"What the terminal speaks: {' or '.join(LANGUAGES)}.")
]
ProgressKind = Annotated[ProgressAs, typer.Option("--progress", help="json: one object a line on standard error, for programs.")]
Timings = Annotated[bool, typer.Option("--timings", help="Say at the end how long each stage took.")]


@contextmanager
def shown_progress(
    kind: ProgressAs = ProgressAs.TEXT, *, timings: bool = False, logged: bool = True, language: str = WRITTEN
) -> Iterator[Progress]:
    """Yield a callback that shows progress in the way that fits where standard error goes; stages show theirs by themselves.

    A log holds the numbered steps of the commands that take long (``logged``), and of the others what they find alone.
    """
    if kind is ProgressAs.JSON:
        with _reported(_object, timings=timings) as tell:
            yield tell
    elif sys.stderr.isatty():
        with _bar(language) as callback, _reported(callback, timings=timings) as tell:
            yield tell
    else:
        with _reported(partial(_line, language) if logged else _unseen, timings=timings) as tell:
            yield tell


@contextmanager
def _reported(progress: Progress, *, timings: bool) -> Iterator[Progress]:
    with telling(progress) as clock:
        yield clock.tell
    for name, seconds in clock.seconds.items() if timings else ():
        print_aside(f"{name:<10}{seconds:8.2f} s")


def _words(step: Step, language: str = WRITTEN) -> str:
    # What begins at the start of a command are libraries, whose names help nobody.
    part = "" if step.stage == "start" else step.part
    began = worded("step", {"stage": step.stage, "trial": step.trial}, language)
    return shown(" ".join(filter(None, (began, part))))


def _line(language: str, step: Step) -> None:
    if step.done and not step.part:
        print_aside(f"[{step.done}/{step.total}] {_words(step, language)}")


def _unseen(step: Step) -> None:
    """Tell nobody."""


def _object(step: Step) -> None:
    print_aside(json.dumps({**asdict(step), "share": round(step.share, 4)}))


@contextmanager
def _bar(language: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f} %"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda step: bar.update(task, description=_words(step, language), completed=step.share)
