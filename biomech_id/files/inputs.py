"""What an analysis reads: each file once, hashed as it is read, the same for everybody who asks, and looked at again at the end.

At the end a file is the one that was read where its state (place on the disk, size, times of its content and of its last change of
any kind) is what it was before the reading. Where it is not, or where the clock of the disk may be too coarse to tell, as it is for
a file that was written a moment before, the bytes are hashed once more. Windows keeps no time of the last change of any kind, which
nobody can set; there each file is hashed once more.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from biomech_id.values import dataclass

#: The coarsest clock that disks are known to have (FAT), s: a file changed within it before it was looked at may change unseen.
COARSEST_CLOCK_S = 2.0
#: Texts and tables up to this are kept while an analysis lasts, so that who reads one again reads the same; and so much of all.
KEPT_BYTES, KEPT_BYTES_IN_ALL = 8 * 1024**2, 64 * 1024**2


@dataclass(frozen=True)
class FileState:
    """Identity of a file without reading it: whether it is the one that was read.

    Attributes
    ----------
    identity : tuple[int, ...]
        Disk, place on it, size, and times of content and of the last change, ns.
    settled : bool
        Whether an equal identity later means equal bytes.
    """

    identity: tuple[int, ...]
    settled: bool


def state_of(file: Path | int) -> FileState | None:
    """Look at a file without reading it.

    Parameters
    ----------
    file : Path | int
        Its path, or the number under which it is open.

    Returns
    -------
    FileState | None
        None where there is none, or something else than a file.
    """
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    age_s = time.time() - 1e-9 * max(status.st_mtime_ns, status.st_ctime_ns)
    identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return FileState(identity, os.name != "nt" and age_s > COARSEST_CLOCK_S)


def sha256_of(path: Path) -> str:
    """Hash a file.

    Parameters
    ----------
    path : Path
        The file; it is read whole.

    Returns
    -------
    str
        SHA-256 as 64 hexadecimal digits.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class InputsRead:
    """The files that one analysis has read, with the hash of the bytes that it was given."""

    def __init__(self) -> None:
        self._states: dict[str, FileState | None] = {}
        self._sha256: dict[str, str] = {}
        self._kept: dict[str, bytes] = {}
        self._two_contents: set[str] = set()
        self._hashed_late: set[str] = set()

    def expect(self, paths: Iterable[Path]) -> None:
        """Look at files before the analysis begins, without reading them.

        Parameters
        ----------
        paths : Iterable[Path]
            Those that may be read.
        """
        for path in paths:
            self._states.setdefault(_key(path), state_of(path))

    def kept(self, path: Path) -> bytes | None:
        """Look up the bytes of a file that was read before.

        Parameters
        ----------
        path : Path
            The file, under any spelling of its path.

        Returns
        -------
        bytes | None
            None where they were not kept.
        """
        return self._kept.get(_key(path))

    def remember(self, path: Path, state: FileState | None, sha256: str, data: bytes | None = None) -> None:
        """Hold what a file's bytes were when they were read.

        Parameters
        ----------
        path : Path
            The file that was read.
        state : FileState | None
            Its state before the reading.
        sha256 : str
            Of the bytes that were read; empty where it is not known: the file is then hashed now.
        data : bytes | None, optional
            The bytes, where they are to be kept.
        """
        key = _key(path)
        if key in self._sha256 and (not sha256 or self._sha256[key] == sha256):
            return
        try:
            sha256 = sha256 or ("" if state is None else sha256_of(path))
        except OSError:
            return
        if key in self._sha256:
            self._two_contents.add(key)
        elif sha256:
            self._states[key], self._sha256[key] = state, sha256
        if data is not None and len(data) <= min(KEPT_BYTES, KEPT_BYTES_IN_ALL - sum(map(len, self._kept.values()))):
            self._kept[key] = data

    def sha256(self, path: Path) -> str:
        """Hash of the bytes that were read of a file; one that was not read yet is hashed now.

        Parameters
        ----------
        path : Path
            The file, under any spelling of its path.

        Returns
        -------
        str
            64 hexadecimal digits; empty where there is nothing that can be read.
        """
        key = _key(path)
        if key not in self._sha256:
            # Somebody may have read it in his own way: its hash is then of what was analysed only if nothing changed.
            self._hashed_late.add(key)
            self.remember(path, self._states.setdefault(key, state_of(path)), "")
        return self._sha256.get(key, "")

    @property
    def hashes(self) -> dict[Path, str]:
        """SHA-256 of each file that was read, by its absolute path."""
        return {Path(key): sha256 for key, sha256 in self._sha256.items()}

    def changed(self, path: Path) -> bool:
        """Whether a file is not any more what was read: other bytes, gone, or new.

        Parameters
        ----------
        path : Path
            The file, under any spelling of its path.
        """
        key, now = _key(path), state_of(path)
        was, sha256 = self._states.get(key), self._sha256.get(key)
        if was is None or now is None:
            return was is not now
        other = was.identity != now.identity
        if key in self._two_contents or (other and key in self._hashed_late):
            return True
        if sha256 is None or (was.settled and not other):
            return other
        try:
            return sha256_of(path) != sha256
        except OSError:
            return True


_READ: ContextVar[InputsRead | None] = ContextVar("inputs_read", default=None)


@contextmanager
def reading_once() -> Iterator[InputsRead]:
    """Read every file that this process reads with `read_input` once within the block, and hold its hash.

    A block within another is part of that one.

    Yields
    ------
    InputsRead
        The files read so far, and their hashes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from biomech_id.files.inputs import read_input, reading_once
    >>> with tempfile.TemporaryDirectory() as folder, reading_once() as seen:
    ...     path = Path(folder) / "subject.toml"
    ...     _ = path.write_text("mass_kg = 70", encoding="utf-8")
    ...     first = read_input(path)
    ...     _ = path.write_text("mass_kg = 71", encoding="utf-8")
    ...     (read_input(path) == first, seen.sha256(path)[:8], seen.changed(path))
    (True, 'a573bbdd', True)
    """
    seen = _READ.get() or InputsRead()
    token = _READ.set(seen)
    try:
        yield seen
    finally:
        _READ.reset(token)


def reads_once() -> bool:
    """Whether this is within `reading_once`."""
    return _READ.get() is not None


def read_input(path: Path) -> bytes:
    """Read a file's bytes.

    Parameters
    ----------
    path : Path
        The file, under any spelling of its path.

    Returns
    -------
    bytes
        Within `reading_once` those of the first reading.

    Raises
    ------
    OSError
        It cannot be read.
    """
    seen = _READ.get()
    if seen is None:
        return path.read_bytes()
    kept = seen.kept(path)
    if kept is not None:
        return kept
    with path.open("rb") as file:
        state = state_of(file.fileno())
        data = file.read()
    seen.remember(path, state, hashlib.sha256(data).hexdigest(), data)
    return data


def _key(path: Path) -> str:
    try:
        return os.path.abspath(path)
    except OSError:  # the working folder is gone: only whole paths lead anywhere, and they are keys already
        return str(path)
