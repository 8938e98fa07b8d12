"""What is wrong with the machine and not with the program: no memory, no descriptors, no working folder, links to themselves."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path

NO_MEMORY = "There is not enough memory for this: analyse fewer or shorter recordings at a time, or give the process more."
NO_FILES = "This process may open no more files: raise the limit (`ulimit -n`) or run fewer things at once."
NO_FOLDER = "The working folder is gone: change to one that exists and type the command again."
#: Sentences that name nothing but the machine.
LACKS = (NO_MEMORY, NO_FILES, NO_FOLDER)
_OF_LOADER = {
    "failed to map segment": NO_MEMORY, "cannot allocate memory": NO_MEMORY, "cannot create thread": NO_MEMORY,
    "can't start new thread": NO_MEMORY, "cannot apply additional memory": NO_MEMORY, "unable to allocate": NO_MEMORY,
    "too many open files": NO_FILES,
    # Libraries in C that end so where an allocation fails as they are imported.
    "without exception set": NO_MEMORY, "without setting an exception": NO_MEMORY,
}  # fmt: skip
#: What is taken for free where a system does not tell.
ASSUMED_FREE_BYTES = 4 * 1024**3
#: Below this the libraries underneath end the process with words of their own, or never.
LEAST_BYTES = 120 * 1024**2
_OF_SYSTEM = {errno.ENOMEM: NO_MEMORY, errno.EAGAIN: NO_MEMORY, errno.EMFILE: NO_FILES, errno.ENFILE: NO_FILES}


def surroundings(error: BaseException) -> str | None:
    """Find the sentence for an error that the machine is the cause of.

    Parameters
    ----------
    error : BaseException
        As it came; what it came of counts as well.

    Returns
    -------
    str | None
        One sentence that says what to do; None for any other error.
    """
    chain: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in chain:
        chain.append(cause)
        cause = cause.__cause__ or cause.__context__
    for each in chain:
        if isinstance(each, MemoryError):
            return NO_MEMORY
        if isinstance(each, OSError) and each.errno in _OF_SYSTEM:
            return _OF_SYSTEM[each.errno]
        loop = _link_to_itself(each)
        if loop:
            return f"{loop} is a link that leads to itself: remove it, or let it lead to a file."
        if isinstance(each, ImportError | RuntimeError | OSError | SystemError):
            lacks = [sentence for words, sentence in _OF_LOADER.items() if words in str(each).lower()]
            if lacks:
                return lacks[0]
    if isinstance(error, FileNotFoundError) and not _has_folder():
        return NO_FOLDER
    return None


def free_bytes() -> int:
    """Return the memory that this process may still take: what the system has free, or what a limit leaves of it."""
    free = ASSUMED_FREE_BYTES
    with suppress(OSError, ValueError, IndexError):
        memory = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines())
        free = 1024 * int(memory["MemAvailable"].split()[0]) if "MemAvailable" in memory else free
    if sys.platform == "win32":
        return free
    try:
        import resource
    except ImportError:
        return free
    with suppress(OSError, ValueError, IndexError):
        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
        free = min(free, max(0, limit - taken)) if limit != resource.RLIM_INFINITY else free
    return free


def require_any_room(free: int | None = None) -> None:
    """Refuse to go on where the libraries underneath would end the process.

    Parameters
    ----------
    free : int | None, optional
        Bytes that may be taken; None asks the system.

    Raises
    ------
    MemoryError
        There is too little.
    """
    if (free_bytes() if free is None else free) < LEAST_BYTES:
        raise MemoryError


def _link_to_itself(error: BaseException) -> str:
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return str(error.filename)
    # Before Python 3.13 it comes in words: Symlink loop from '...'.
    words, _, name = str(error).partition("'")
    return name.rstrip("'") if isinstance(error, RuntimeError) and words.startswith("Symlink loop") else ""


def _has_folder() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True
