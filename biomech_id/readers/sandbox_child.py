"""The reading process: takes paths from its input, hands recordings to its output, and ends when its input closes.

See ``sandbox`` for the other side, and ``message`` for what passes between them. It is no prison: it runs as the same user and may
read what that user reads. Where the system has limits, it may not write a byte into a file, start a process or outgrow its memory.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from biomech_id.errors import BiomechError, FileRefusedError
from biomech_id.plugins import import_plugins
from biomech_id.readers.c3d.interpret import interpret
from biomech_id.readers.c3d.plate_setup import DeclaredPlate
from biomech_id.readers.message import receive, send
from biomech_id.readers.source import read_source


def limit_rights(most_bytes: int) -> bool:
    """Limit this process's memory and drop its rights to write files and start processes.

    Parameters
    ----------
    most_bytes : int
        Address space it may use; a lower limit that is set already stays.

    Returns
    -------
    bool
        Whether the system has such limits; False on Windows.
    """
    try:
        import resource
    except ImportError:
        return False
    try:
        # Whoever started the command may have set a lower one: it stays, and limits as well.
        allowed = [each for each in resource.getrlimit(resource.RLIMIT_AS) if each != resource.RLIM_INFINITY]
        least = min((most_bytes, *allowed))
        resource.setrlimit(resource.RLIMIT_AS, (least, least))
        # Nothing is written, and nobody else is started: reading a file needs neither.
        for right in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC):
            resource.setrlimit(right, (0, 0))
    except (ValueError, OSError):
        return False
    return True


def answer(path: str, subject: str | None, marker_set: str | None = None, plates: Sequence[DeclaredPlate] = ()) -> object:
    """Return what the parent is sent for one file.

    Parameters
    ----------
    path : str
        A C3D file, as the parent names it.
    subject : str | None
        Prefix of the subject wanted, where a file holds several; None for the only one.
    marker_set : str | None, optional
        Name or file of a marker set; None finds the one that fits.
    plates : Sequence[DeclaredPlate], optional
        What a laboratory declares its plates of unknown types to be.

    Returns
    -------
    object
        The `Recording`, or the `BiomechError` that says why there is none.
    """
    try:
        return interpret(read_source(path), subject, marker_set, plates)
    except BiomechError as refusal:
        return refusal
    except MemoryError:
        return FileRefusedError(
            f"{path} needs more memory than the reading process may use: it is damaged, or too long to be read safely.",
            value=path, expected="a file that fits the memory limit", where=path,
        )  # fmt: skip


def main() -> None:
    """Serve until the input closes."""
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a library prints must not end up among the messages.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    import_plugins(sys.argv[2:])
    send(replies, limit_rights(int(sys.argv[1])))
    while True:
        try:
            folder, path, subject, marker_set, plates = receive(requests)
        except EOFError:
            return
        # Relative paths mean what they mean over there.
        if folder:
            os.chdir(folder)
        send(replies, answer(path, subject, marker_set, plates))


if __name__ == "__main__":
    main()
