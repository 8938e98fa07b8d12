"""Recordings that are too long for this machine's memory are refused before they are analysed, by how many frames fit."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from biomech_id.errors import FileRefusedError
from biomech_id.trial import Trial

#: What analysing one video frame takes with all tables, bytes: measured on virtual walks on a belt, of 5 000 and 10 000 frames
#: (``python -m benchmarks long_recordings``: 36 kB, 114 with bands).
FRAME_BYTES, BANDS_FRAME_BYTES = 40_000, 85_000
#: A marker or an analog sample more than that walk has.
NUMBER_BYTES, NUMBERS = 60, 400
#: What is taken for free where a system does not tell.
ASSUMED_FREE_BYTES = 4 * 1024**3
#: A recording this short is analysed whatever the system says: what it tells of its memory is rough.
ALWAYS_FRAMES = 2000
#: Below this the libraries underneath end the process with words of their own.
LEAST_BYTES = 120 * 1024**2


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
    """Refuse to analyse anything where the libraries underneath would end the process.

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


def require_room(trial: Trial, *, bands: bool, free: int | None = None) -> None:
    """Refuse a recording whose analysis would not fit the memory.

    Parameters
    ----------
    trial : Trial
        The recording that is to be analysed.
    bands : bool
        Whether its bands of uncertainty are computed as well.
    free : int | None, optional
        Bytes that may be taken; None asks the system.

    Raises
    ------
    FileRefusedError
        It has more frames than fit; the sentence says how many do.
    """
    free = free_bytes() if free is None else free
    values = 4 * len(trial.markers.names) + sum(6 * plate.n_samples / trial.n_frames for plate in trial.plates)
    frame_bytes = FRAME_BYTES + BANDS_FRAME_BYTES * bands + NUMBER_BYTES * max(0.0, values - NUMBERS)
    fitting = int(free / frame_bytes)
    if trial.n_frames > max(fitting, ALWAYS_FRAMES):
        spared = " (without uncertainty, recipe [output], three times as many)" if bands else ""
        raise FileRefusedError(
            f"{trial.name} has {trial.n_frames} frames, and the memory that is free here ({free / 1e9:.1f} GB) is enough for about "
            f"{max(fitting, ALWAYS_FRAMES)} of them{spared}: cut it into shorter recordings.",
            value=trial.n_frames, expected=f"at most {max(fitting, ALWAYS_FRAMES)} frames", where=trial.name,
        )  # fmt: skip


def out_of_memory(trial: Trial) -> FileRefusedError:
    """Return the refusal of a recording whose analysis ran out of memory all the same.

    Parameters
    ----------
    trial : Trial
        The recording that did not fit.
    """
    return FileRefusedError(
        f"{trial.name} ({trial.n_frames} frames) needs more memory than there is: cut it into shorter recordings.",
        value=trial.n_frames, expected="fewer frames, or more memory", where=trial.name,
    )  # fmt: skip
