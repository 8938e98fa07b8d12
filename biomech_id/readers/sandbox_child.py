"""The reading process: takes paths from its input, hands recordings to its output, and ends when its input closes.

Messages are a count, that many lengths (8 bytes each, little-endian), then that many byte strings: a pickle and the arrays it
refers to, so that no array is copied into the pickle. See `sandbox` for the other side.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
from collections.abc import Sequence
from typing import Any, BinaryIO

from biomech_id.errors import BiomechError, FileRefusedError
from biomech_id.plugins import import_plugins
from biomech_id.readers.c3d.interpret import interpret
from biomech_id.readers.c3d.plate_setup import DeclaredPlate
from biomech_id.readers.source import read_source


def send(stream: BinaryIO, message: object) -> None:
    """Write one message; arrays travel beside the pickle, not inside it.

    Parameters
    ----------
    stream : BinaryIO
        Where messages pass.
    message : object
        Anything that can be pickled.
    """
    buffers: list[pickle.PickleBuffer] = []
    body = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    parts = [memoryview(body), *(buffer.raw() for buffer in buffers)]
    stream.write(struct.pack(f"<{len(parts) + 1}Q", len(parts), *(part.nbytes for part in parts)))
    for part in parts:
        stream.write(part)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read one message.

    Parameters
    ----------
    stream : BinaryIO
        Where messages pass.

    Raises
    ------
    EOFError
        The other side has closed the stream or ended.
    """
    (count,) = struct.unpack("<Q", _exactly(stream, 8))
    lengths = struct.unpack(f"<{count}Q", _exactly(stream, 8 * count))
    body, *buffers = [_exactly(stream, length) for length in lengths]
    return pickle.loads(body, buffers=buffers)


def _exactly(stream: BinaryIO, length: int) -> bytes:
    data = stream.read(length)
    if len(data) != length:
        raise EOFError
    return data


def limit_memory(most_bytes: int) -> bool:
    """Limit this process's memory; return whether the system can.

    Parameters
    ----------
    most_bytes : int
        The limit.
    """
    try:
        import resource
    except ImportError:
        return False
    try:
        resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ValueError, OSError):
        return False
    return True


def answer(path: str, subject: str | None, marker_set: str | None = None, plates: Sequence[DeclaredPlate] = ()) -> object:
    """Return the recording of a file, or the error that says why there is none.

    Parameters
    ----------
    path : str
        The file.
    subject : str | None
        Prefix of the subject wanted, where a file holds several; None for the only one.
    marker_set : str | None, optional
        Name or file of a marker set; None finds the one that fits.
    plates : Sequence[DeclaredPlate], optional
        What a laboratory declares its plates of unknown types to be.
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
    send(replies, limit_memory(int(sys.argv[1])))
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
