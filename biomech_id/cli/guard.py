"""Exit codes, and what a person sees when something goes wrong.

0 done; 1 failed or refused; 2 wrong command line (Typer's own); 3 done, with warnings; 130 interrupted.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Annotated, ParamSpec, TextIO

import typer

from biomech_id._version import __version__
from biomech_id.cli.streams import shown
from biomech_id.errors import BiomechError, OutputError, on_command_line
from biomech_id.files.surroundings import surroundings
from biomech_id.plugins import import_plugins, plugin_modules

DONE, FAILED, USAGE, WARNINGS, INTERRUPTED = 0, 1, 2, 3, 130

_P = ParamSpec("_P")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"biomech-id {__version__}")
        raise typer.Exit


#: Options that every command has.
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
Version = Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")]
WarningsOk = Annotated[bool, typer.Option("--warnings-ok", help="Exit with 0 instead of 3 when there were warnings.")]


#: How files end that other programs open by it.
FILE_ENDINGS = {
    ".c3d", ".csv", ".doc", ".docx", ".htm", ".html", ".jpeg", ".jpg", ".json", ".md", ".mot", ".ods", ".osim", ".pdf", ".png",
    ".pptx", ".sto", ".svg", ".tiff", ".toml", ".trc", ".tsv", ".txt", ".xls", ".xlsx", ".xml", ".zip",
}  # fmt: skip


def file_named(*endings: str) -> Callable[[Path | None], Path | None]:
    """Make the callback of an option that names a file to write: a name of another kind of file is a wrong command.

    Parameters
    ----------
    *endings : str
        What the name may end with; one that names no kind of file is taken as well.
    """

    def checked(path: Path | None) -> Path | None:
        if path is not None and path.suffix.lower() in FILE_ENDINGS.difference(endings):
            raise typer.BadParameter(f"{path} would hold something else than its name says; end it with {' or '.join(endings)}.")
        return path

    return checked


def guarded(command: Callable[_P, int], *, plugins: bool = True) -> Callable[_P, None]:
    """Turn a command that returns an exit code into one that Typer can run, and errors into one sentence.

    With ``--debug`` the traceback is shown instead. Plug-ins are imported before a command that takes something of them.
    """

    @functools.wraps(command)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> None:
        try:
            with on_command_line(), ended_as_interrupted():
                import_plugins(plugin_modules() if plugins else ())
                code = command(*args, **kwargs)
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except Exception as error:
            if was_interrupted(error):
                raise KeyboardInterrupt from None
            if isinstance(error, BrokenPipeError):
                # Whoever read the output has read enough (`| head`); nothing is wrong, and nobody is left to tell.
                _forget_output(sys.stdout)
                raise typer.Exit(INTERRUPTED) from None
            if kwargs.get("debug"):
                raise
            fault = f"Unexpected {type(error).__name__}: {error}. This is a fault of the program; --debug shows where."
            print_error(surroundings(error) or (error.message if isinstance(error, BiomechError) else fault))
            raise typer.Exit(FAILED) from None
        if code == WARNINGS and kwargs.get("warnings_ok"):
            code = DONE
        raise typer.Exit(code)

    return run


#: Signals that asked the command to end. CPython 3.11 replaces some interruptions by other errors (in an import, in the making of a
#: class), and a worker that goes first leaves a broken pipe: not every error that comes of an interruption holds it.
_asked_to_end: list[int] = []


def was_interrupted(error: BaseException | None) -> bool:
    """Whether somebody ended the command, whatever error came of it.

    Parameters
    ----------
    error : BaseException | None
        What the command ended with.
    """
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return bool(_asked_to_end) or error is not None


@contextmanager
def ended_as_interrupted() -> Iterator[None]:
    """Take a request to end (SIGTERM: a scheduler, a shutdown) as an interruption: what is half-written is removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _asked_to_end.clear()
    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, _interrupt)}
    # A program in the background may have been told to ignore interruptions.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        before[signal.SIGINT] = signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    _asked_to_end.append(number)
    raise KeyboardInterrupt


def _forget_output(stream: TextIO) -> None:
    """Send what is still buffered nowhere, so that the end of the process does not trip over the same fault again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def print_interrupted() -> None:
    """Say that somebody ended the command."""
    print_error("Interrupted; nothing was left half-written.")


def print_line(text: str, *, nl: bool = True) -> None:
    """Write to standard output.

    Raises
    ------
    OutputError
        It goes into a file that cannot be written, on a full disk for example.
    """
    try:
        typer.echo("\n".join(map(shown, text.split("\n"))), nl=nl)
    except BrokenPipeError:
        raise
    except OSError as error:
        from biomech_id.files.atomic import write_problem

        _forget_output(sys.stdout)
        raise OutputError(
            f"What the command prints cannot be written: {write_problem(error)}.",
            value=str(error), expected="a place that can be written", where="standard output",
        ) from error  # fmt: skip


def print_error(sentence: str) -> None:
    """Write one sentence to standard error."""
    # A redirected Windows console may not know every character of a marker's name.
    encoding = sys.stderr.encoding or "utf-8"
    print_aside("biomech-id: " + shown(sentence).encode(encoding, "replace").decode(encoding))


def print_aside(line: str) -> None:
    """Write a line to standard error; a log that cannot be written must not stop the work."""
    try:
        typer.echo(line, err=True)
    except OSError:
        _forget_output(sys.stderr)
