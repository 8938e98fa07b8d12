"""Progress: a bar on a terminal, plain lines in a log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from biomech_id.cli.guard import print_aside
from biomech_id.cli.streams import shown

#: Called by the library with what is being done, how much of it is finished, and how much there is.
Progress = Callable[[str, int, int], None]


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Yield a callback that shows progress in the way that fits where standard error goes."""
    if sys.stderr.isatty():
        with _bar() as callback:
            yield callback
    else:
        yield _line


def _line(what: str, done: int, total: int) -> None:
    print_aside(shown(f"[{done}/{total}] {what}"))


@contextmanager
def _bar() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total)
