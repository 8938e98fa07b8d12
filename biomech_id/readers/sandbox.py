"""Reading files nobody vouches for in a process that may die.

One child per process is started when first needed, reused for every file, and replaced when it dies, hangs or outgrows its
memory. It ends by itself when this process does, because its input closes.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

from biomech_id.errors import BiomechError, FileRefusedError, Finding
from biomech_id.plugins import plugin_modules
from biomech_id.readers.c3d.plate_setup import DeclaredPlate
from biomech_id.readers.message import receive, send
from biomech_id.readers.recording import Recording

MEMORY_BYTES = 2 * 1024**3
#: Time for one file: a few seconds, and more for more bytes.
TIMEOUT_S = 8.0
BYTES_PER_SECOND = 25e6


class Sandbox:
    """A child process that reads C3D files.

    Parameters
    ----------
    memory_bytes : int, optional
        Limit of the child's memory, where the system has such limits.
    timeout_s : float, optional
        Time for one file of no great length.
    """

    def __init__(self, *, memory_bytes: int = MEMORY_BYTES, timeout_s: float = TIMEOUT_S) -> None:
        self._memory_bytes = memory_bytes
        self._timeout_s = timeout_s
        self._child: subprocess.Popen[bytes] | None = None
        self._limited = True
        self._lock = threading.Lock()
        self._owner = os.getpid()

    def read(
        self,
        path: str | os.PathLike[str],
        subject: str | None = None,
        marker_set: str | None = None,
        plates: Sequence[DeclaredPlate] = (),
    ) -> Recording:
        """Return what `read_recording` returns, read by the child.

        Parameters
        ----------
        path : str | os.PathLike[str]
            A C3D file; a relative path means the current folder of this process.
        subject : str | None, optional
            Prefix of the subject wanted, where a file holds several; None for the only one.
        marker_set : str | None, optional
            Name or file of a marker set; None finds the one that fits.
        plates : Sequence[DeclaredPlate], optional
            What a laboratory declares its plates of unknown types to be.

        Returns
        -------
        Recording
            With the finding ``sandbox-unlimited`` where the system cannot limit the child.

        Raises
        ------
        FileRefusedError
            As there; also when the child died or took too long over this file.
        MissingInputError
            The wanted subject is not in the file.
        """
        with self._lock:
            reply = self._ask(str(path), subject, marker_set, plates)
        if isinstance(reply, BiomechError):
            raise reply
        if not isinstance(reply, Recording):
            raise FileRefusedError.at(path, f"{path} was answered with something that is no recording.", "a recording")
        recording = reply
        if not self._limited:
            finding = Finding("sandbox-unlimited")
            recording = replace(recording, trial=replace(recording.trial, findings=(*recording.trial.findings, finding)))
        return recording

    def _ask(self, path: str, subject: str | None, marker_set: str | None, plates: Sequence[DeclaredPlate]) -> object:
        child = self._running()
        late = threading.Event()

        def give_up() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(self._patience_s(path), give_up)
        timer.daemon = True
        timer.start()
        try:
            send(cast(BinaryIO, child.stdin), (_working_folder(), path, subject, marker_set, tuple(plates)))
            return receive(cast(BinaryIO, child.stdout))
        except FileRefusedError:
            # Where the next message would begin nobody knows.
            self.close()
            raise
        except (EOFError, OSError):
            self.close()
            problem = f"took more than {self._patience_s(path):.0f} s to read" if late.is_set() else "made the reading process fail"
            raise FileRefusedError(
                f"{path} {problem}: it is damaged, or there is too little memory; export it again, or give the process more.",
                value=path, expected="a file that can be read in time and memory", where=path,
            ) from None  # fmt: skip
        finally:
            timer.cancel()

    def _patience_s(self, path: str) -> float:
        try:
            return self._timeout_s + os.stat(path).st_size / BYTES_PER_SECOND
        except (OSError, ValueError):
            return self._timeout_s

    def _running(self) -> subprocess.Popen[bytes]:
        """The child, started if there is none. After a fork the parent's child is not ours to talk to."""
        if self._owner != os.getpid():
            self._child, self._owner = None, os.getpid()
        if self._child is None or self._child.poll() is not None:
            self._child = self._start()
        return self._child

    def _start(self) -> subprocess.Popen[bytes]:
        package = Path(__file__).resolve().parents[2]
        paths = [str(package), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        # -P: the current folder is data, and must not provide modules.
        command = [sys.executable, "-P", "-m", "biomech_id.readers.sandbox_child", str(self._memory_bytes), *plugin_modules()]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
        try:
            self._limited = bool(receive(cast(BinaryIO, child.stdout)))
        except EOFError:
            child.wait()
            raise FileRefusedError(
                "The process that reads untrusted files does not start: give it memory, read with trust=True, "
                "or repair the installation.",
                value=command, expected="a running reading process", where="sandbox",
            ) from None  # fmt: skip
        return child

    def close(self) -> None:
        """End the child, if it runs and is ours."""
        child, self._child = self._child, None
        if child is None or self._owner != os.getpid():
            return
        child.kill()
        child.wait()
        for stream in filter(None, (child.stdin, child.stdout)):
            with suppress(OSError):  # closing flushes, and there is nobody left to receive
                stream.close()


def _working_folder() -> str:
    """What relative paths are relative to; "" where that folder is gone, and only whole paths lead anywhere."""
    try:
        return os.getcwd()
    except OSError:
        return ""


_shared = Sandbox()
atexit.register(_shared.close)


def read_in_sandbox(
    path: str | os.PathLike[str], subject: str | None = None, marker_set: str | None = None, plates: Sequence[DeclaredPlate] = ()
) -> Recording:
    """Return what `read_recording` returns, read by this process's child.

    Parameters
    ----------
    path : str | os.PathLike[str]
        A C3D file; a relative path means the current folder of this process.
    subject : str | None, optional
        Prefix of the subject wanted, where a file holds several; None for the only one.
    marker_set : str | None, optional
        Name or file of a marker set; None finds the one that fits.
    plates : Sequence[DeclaredPlate], optional
        What a laboratory declares its plates of unknown types to be.

    Returns
    -------
    Recording
        See `Sandbox.read`.
    """
    return _shared.read(path, subject, marker_set, plates)
