"""The bytes of a file, taken once: what is parsed is what is hashed, even if the file changes meanwhile."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from biomech_id.errors import FileRefusedError, Finding
from biomech_id.values import dataclass

#: A header block and one parameter block: nothing shorter can be a C3D file.
SMALLEST_FILE_BYTES = 1024
#: Second byte of every C3D file.
C3D_MARK = 0x50


@dataclass(frozen=True)
class Source:
    """One file's bytes and where they come from.

    Attributes
    ----------
    path : Path
        Where the file is.
    data : bytes
        The whole file, as it was at one moment.
    sha256 : str
        Of the bytes, hexadecimal.
    """

    path: Path
    data: bytes
    sha256: str

    @property
    def name(self) -> str:
        """File name, for messages."""
        return self.path.name


class FileFindings(list[Finding]):
    """Findings about one file, or about a plate of it, in the order in which they were noticed.

    Parameters
    ----------
    file : str
        Name of the file, for messages.
    plate : str, optional
        Name of the plate that all of them concern; "" for none.
    """

    def __init__(self, file: str, plate: str = "") -> None:
        super().__init__()
        self.file, self.where = file, plate or file
        self._about = {"plate": plate, "file": file} if plate else {"file": file}

    def add(self, rule: str, **values: object) -> None:
        """Append a finding about the file or plate.

        Parameters
        ----------
        rule : str
            Identifier of the finding, as in the tables of `biomech_id.languages`.
        **values : object
            What was noticed, in the unit each name ends with; the names of plate and file are put before them.
        """
        self.append(Finding(rule, {**self._about, **values}, self.where))


def read_source(path: str | os.PathLike[str]) -> Source:
    """Return the bytes of a C3D file.

    Everything that could hang (a pipe, a device, a directory) or fill the memory (a huge file of something else) is
    turned away before more than one block of it is read.

    Parameters
    ----------
    path : str | os.PathLike[str]
        A C3D file; anything else is refused by its second byte.

    Returns
    -------
    Source
        All bytes of the file, with their hash.

    Raises
    ------
    FileRefusedError
        Not a regular file, missing, unreadable, too short, not a C3D file, or changed while being read.
    """
    path = Path(path)
    try:
        status = os.stat(path)
    except (OSError, ValueError) as problem:
        raise FileRefusedError(
            f"{path} cannot be opened: {_reason(problem)}.", value=str(path), expected="a readable C3D file", where=str(path)
        ) from None
    if not stat.S_ISREG(status.st_mode):
        raise FileRefusedError(
            f"{path} is {_kind(status.st_mode)}, not a file: give the path of a C3D file.",
            value=_kind(status.st_mode), expected="a regular file", where=str(path),
        )  # fmt: skip
    if status.st_size < SMALLEST_FILE_BYTES:
        what = "is empty" if status.st_size == 0 else f"has only {status.st_size} bytes"
        raise FileRefusedError(
            f"{path} {what}: a C3D file has at least {SMALLEST_FILE_BYTES} bytes.",
            value=status.st_size, expected=f"at least {SMALLEST_FILE_BYTES} bytes", where=str(path),
        )  # fmt: skip
    return _snapshot(path, status.st_size)


def _snapshot(path: Path, size: int) -> Source:
    try:
        with open(path, "rb") as file:
            head = file.read(2)
            if len(head) == 2 and head[1] != C3D_MARK:
                raise FileRefusedError(
                    f"{path} is not a C3D file: its second byte is {head[1]} instead of {C3D_MARK}.",
                    value=head[1], expected=f"byte {C3D_MARK} (0x50) at offset 1", where=str(path),
                )  # fmt: skip
            file.seek(0)
            data = file.read(size)
            changed = len(data) != size or os.fstat(file.fileno()).st_size != size
    except OSError as problem:
        raise FileRefusedError(
            f"{path} cannot be read: {_reason(problem)}.", value=str(path), expected="a readable C3D file", where=str(path)
        ) from None
    if changed:
        raise FileRefusedError(
            f"{path} changed while it was being read: wait until it is written completely and try again.",
            value=len(data), expected=f"{size} bytes, before and after", where=str(path),
        )  # fmt: skip
    return Source(path, data, hashlib.sha256(data).hexdigest())


def _reason(problem: BaseException) -> str:
    text = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
    return str(text)[:1].lower() + str(text)[1:]


def _kind(mode: int) -> str:
    kinds = {"d": "a directory", "p": "a pipe", "c": "a device", "b": "a device", "s": "a socket"}
    return kinds.get(stat.filemode(mode)[0], "no ordinary file")
