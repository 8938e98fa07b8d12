"""Files and folders that appear under their name whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from biomech_id.errors import OutputError
from biomech_id.files.unfinished import old_of, unfinished_of

#: What the operating system says -> what a user can do about it. By name, for Windows does not know all of them.
_WHY = {
    "ENOSPC": "the disk is full; free some space or name another folder",
    "EDQUOT": "your disk quota is used up; free some space or name another folder",
    "ELOOP": "it is a link that leads to itself; remove it",
    "ENOTDIR": "what should be the folder above it is a file; name another folder",
    "ENAMETOOLONG": "its name is too long; name another folder",
    "EROFS": "it lies on a read-only disk; name another folder",
    # Windows says so too of a folder in which a report is still open in a viewer.
    "EACCES": "you may not write there, or another program holds one of its files open; close it, or name another folder",
    "EPERM": "you may not write there; name another folder",
}


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """Make a folder that takes its name when the block ends well, and vanishes when it does not.

    Parameters
    ----------
    out : Path
        The folder to be made.

    Yields
    ------
    Path
        A new hidden sibling of ``out``, empty, to write in.

    Raises
    ------
    OutputError
        The operating system refuses to write, inside the block or after it. The old folder is then as it was.
    """
    part = unfinished_of(out)
    try:
        with _in_words(out, part):
            out.parent.mkdir(parents=True, exist_ok=True)
            part.mkdir()
            yield part
            flush_to_disk(part)
            _swap(part, out)
            _flush_names(out.parent)
    finally:
        shutil.rmtree(part, ignore_errors=True)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Make a file that takes its name when the block ends well.

    Parameters
    ----------
    path : Path
        The file to be made.

    Yields
    ------
    Path
        A hidden sibling of ``path``, with its suffix, not there yet.

    Raises
    ------
    OutputError
        It is a folder, or the operating system refuses to write, inside the block or after it. The old file is then as it was.
    """
    if path.is_dir():
        raise OutputError.at(path, f"{path} is a folder; name a file in it.", "a file")
    part = unfinished_of(path)
    try:
        with _in_words(path, part):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield part
            flush_to_disk(part)
            os.replace(part, path)
            _flush_names(path.parent)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def refuse_lost_link(folder: Path) -> None:
    """Refuse a folder whose name is a link to nothing, or to itself: no folder can take that name.

    Parameters
    ----------
    folder : Path
        The folder to be made.

    Raises
    ------
    OutputError
        It is one.
    """
    if folder.is_symlink() and not folder.exists():
        raise OutputError.at(folder, f"{folder} is a link that leads nowhere; remove it, or name another folder.", "another folder")


def check_writable(path: Path) -> None:
    """Refuse a file or folder that could not be written, before anything is computed for it; nothing is left behind.

    Parameters
    ----------
    path : Path
        What will be written.

    Raises
    ------
    OutputError
        A folder above it is a file, or the operating system lets nothing be written there.
    """
    with _in_words(path):
        above = next(folder for folder in path.absolute().parents if folder.exists())
        for folder in (above, path) if path.is_dir() else (above,):
            with tempfile.TemporaryFile(dir=folder) as probe:
                # An empty file fits on a full disk.
                probe.write(b"probe")
        # A system looks at a name below a missing folder only when that is made; what is replaced has a longer name for a moment.
        names = path.absolute().relative_to(above).parts
        for name in (*(above / name for name in names), path, *([old_of(path.absolute())] if path.exists() else [])):
            with suppress(FileNotFoundError):
                os.lstat(name)


def keep_private(folder: Path) -> None:
    """Take from everybody but the owner the right to read a folder and what is in it; Windows has other rights, left as they are.

    Parameters
    ----------
    folder : Path
        It and all below it lose these rights.
    """
    for base, _, files in os.walk(folder):
        os.chmod(base, 0o700)
        for name in files:
            os.chmod(os.path.join(base, name), 0o600)


def _swap(part: Path, out: Path) -> None:
    if not out.exists():
        os.replace(part, out)
        return
    old = old_of(out)
    # No system call exchanges two folders on every system: between these two renames OUT has no name, but it is never mixed.
    try:
        os.replace(out, old)
        os.replace(part, out)
    finally:
        # Interrupted between the two, the old folder gets its name back.
        if not out.exists() and old.exists():
            os.replace(old, out)
        shutil.rmtree(old, ignore_errors=True)


def flush_to_disk(path: Path) -> None:
    """Have the system write a file, or everything in a folder, to the disk, so that a name never stands for less than it did.

    Parameters
    ----------
    path : Path
        The file or folder.
    """
    for base, _, files in os.walk(path) if path.is_dir() else [(str(path.parent), [], [path.name])]:
        for name in files:
            # Windows flushes only what is open for writing.
            with open(os.path.join(base, name), "rb+") as file:
                os.fsync(file.fileno())
        if path.is_dir():
            _flush_names(Path(base))


def _flush_names(folder: Path) -> None:
    """The same for the names in a folder, where the system opens folders."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextmanager
def _in_words(out: Path, part: Path | None = None) -> Iterator[None]:
    """Turn a refusal of the operating system into one sentence that says what to do, and names what the user asked for."""
    try:
        yield
    except OutputError as error:
        if part is None or str(part) not in error.message:
            raise
        message = error.message.replace(str(part), str(out))
        raise OutputError(message, value=error.value, expected=error.expected, where=str(out)) from error
    except OSError as error:
        raise OutputError(
            f"{out} cannot be written: {write_problem(error)}.",
            value=str(error), expected="a place that can be written", where=str(out),
        ) from error  # fmt: skip


def write_problem(error: OSError) -> str:
    """Why the operating system refuses to write, and what to do.

    Parameters
    ----------
    error : OSError
        As the operating system raised it.

    Returns
    -------
    str
        A few words to follow a colon; the system's own where there are no better ones.
    """
    return _WHY.get(errno.errorcode.get(error.errno or 0, ""), error.strerror or str(error))
