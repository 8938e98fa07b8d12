"""Files and folders that appear under their name whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from biomech_id.errors import OutputError

#: What the operating system says -> what a user can do about it. By name, for Windows does not know all of them.
_WHY = {
    "ENOSPC": "the disk is full; free some space or name another folder",
    "EDQUOT": "your disk quota is used up; free some space or name another folder",
    "EROFS": "it lies on a read-only disk; name another folder",
    "EACCES": "you may not write there; name another folder",
    "EPERM": "you may not write there; name another folder",
}


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """Give a new hidden sibling of a folder that takes its name when the block ends well, and vanishes when it does not.

    Raises
    ------
    OutputError : the operating system refuses to write, inside the block or after it. The old folder is then as it was.
    """
    part, old = (out.parent / f".{out.name}.{word}-{os.getpid()}" for word in ("part", "old"))
    try:
        with _told(out):
            out.parent.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            yield part
            _swap(part, out, old)
    finally:
        shutil.rmtree(part, ignore_errors=True)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a hidden sibling of a file, with its suffix, that takes its name when the block ends well.

    Raises
    ------
    OutputError : the operating system refuses to write, inside the block or after it. The old file is then as it was.
    """
    part = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        with _told(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield part
            os.replace(part, path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _swap(part: Path, out: Path, old: Path) -> None:
    if not out.exists():
        os.replace(part, out)
        return
    # No system call exchanges two folders on every system: between these two renames OUT has no name, but it is never mixed.
    os.replace(out, old)
    try:
        os.replace(part, out)
    except OSError:
        os.replace(old, out)
        raise
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _told(out: Path) -> Iterator[None]:
    """Turn a refusal of the operating system into one sentence that says what to do."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        why = _WHY.get(errno.errorcode.get(error.errno or 0, ""), error.strerror or str(error))
        raise OutputError(
            f"{out} cannot be written: {why}.", value=str(error), expected="a place that can be written", where=str(out)
        ) from error
