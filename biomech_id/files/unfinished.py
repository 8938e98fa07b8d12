"""Names of what is not finished: hidden, unique, and naming the process that is at work on it.

``.part-<host>-<process>-<token><suffix>`` is under construction, ``.old-<host>-<process>-<token>.<name>`` is what was called
``<name>`` until a moment ago. Host and token keep apart processes of one number on the machines that share a disk.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from platform import node

#: What was not touched for so long (s) is abandoned: a session is written in seconds.
ABANDONED_S = 3600.0
_HOST = re.sub(r"[^A-Za-z0-9]", "", node())[:12]
_NAME = re.compile(r"\.(?P<kind>part|old)-(?P<host>[A-Za-z0-9]*)-(?P<process>\d+)-[0-9a-f]{8}(\.(?P<name>.*))?")


def unfinished_of(path: Path) -> Path:
    """Name what is to take the place of a file or folder.

    Parameters
    ----------
    path : Path
        The file or folder.

    Returns
    -------
    Path
        A new hidden name beside it; it keeps the suffix, which writers go by.
    """
    return path.with_name(f".part-{_owner()}{path.suffix}")


def old_of(path: Path) -> Path:
    """Name a folder that is being replaced.

    Parameters
    ----------
    path : Path
        The folder, under its present name.

    Returns
    -------
    Path
        A new hidden name beside it, which ends with its own.
    """
    return path.with_name(f".old-{_owner()}.{path.name}")


def _owner() -> str:
    return f"{_HOST}-{os.getpid()}-{secrets.token_hex(4)}"


def is_unfinished(name: str) -> bool:
    """Whether a file or folder bears such a name.

    Parameters
    ----------
    name : str
        Of a file or folder, without its path.
    """
    return _NAME.fullmatch(name) is not None


def clear_unfinished(root: Path) -> None:
    """Tidy up after killed processes: remove what they left half-written below a folder, and give folders back their names.

    Between the two renames that replace a finished folder it has none; the finished one is then still there, hidden. What a living
    process is at work on stays. Of processes on other machines, and on Windows, nothing is known but the times of their files.

    Parameters
    ----------
    root : Path
        The folder; all below it is looked through.
    """
    _clear(sorted(root.rglob(".*"), reverse=True) if root.is_dir() else ())


def clear_beside(path: Path) -> None:
    """Do the same beside a file or folder that is to be written: what an earlier process, killed at it, left there.

    Parameters
    ----------
    path : Path
        What is to be written.
    """
    with suppress(OSError):
        _clear(sorted(path.absolute().parent.glob(".*"), reverse=True))


def _clear(paths: Iterable[Path]) -> None:
    for path in paths:
        parts = _NAME.fullmatch(path.name)
        if parts is None or not _abandoned(path, parts["host"], int(parts["process"])):
            continue
        if parts["kind"] == "old" and not path.with_name(parts["name"]).exists():
            path.rename(path.with_name(parts["name"]))
        elif path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _abandoned(path: Path, host: str, process: int) -> bool:
    if host == _HOST and os.name == "posix" and not _alive(process):
        return True
    changed = 0.0
    for each in (path, *path.rglob("*")):
        with suppress(OSError):
            changed = max(changed, each.lstat().st_mtime)
    return time.time() - changed > ABANDONED_S


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        # It is another user's.
        return True
    with suppress(OSError):
        # Linux keeps a dead process's number until its parent has taken notice, and a killed batch takes none.
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    return True
