"""Recordings that are too long for this machine's memory are refused before they are analysed, by how many frames fit."""

from __future__ import annotations

import ctypes
from contextlib import suppress

from biomech_id.errors import FileRefusedError
from biomech_id.files.surroundings import free_bytes
from biomech_id.trial import Trial

#: What one video frame takes, bytes, and what bands add to it, where tables are only written, piece by piece: measured on virtual
#: walks on a belt (``python -m benchmarks long_recordings``).
FRAME_BYTES, BANDS_FRAME_BYTES = 18_000, 6_000
#: The same where a report, a review page or a norm asks for whole tables, and a norm for the bands of all cycles.
WHOLE_FRAME_BYTES, WHOLE_BANDS_FRAME_BYTES = 40_000, 85_000
#: The same of OpenSim's models, tables or not: markers respond to every error in every frame (a walk of gait10dof18musc, repeated).
OPENSIM_FRAME_BYTES, OPENSIM_BANDS_FRAME_BYTES = 45_000, 305_000
#: A marker or an analog sample more than that walk has.
NUMBER_BYTES, NUMBERS = 60, 400
#: A recording this short is analysed whatever the system says: what it tells of its memory is rough.
ALWAYS_FRAMES = 2000
#: An array of so many bytes has memory of its own, of recordings longer than that.
LARGE_BYTES, _MMAP_THRESHOLD = 2 << 20, -3


def require_room(trial: Trial, *, bands: bool, whole: bool = True, opensim: bool = False, free: int | None = None) -> None:
    """Refuse a recording whose analysis would not fit the memory.

    Parameters
    ----------
    trial : Trial
        The recording that is to be analysed.
    bands : bool
        Whether its bands of uncertainty are computed as well.
    whole : bool, optional
        Whether its tables are all in memory, and not only written.
    opensim : bool, optional
        Whether the model is one of OpenSim's.
    free : int | None, optional
        Bytes that may be taken; None asks the system.

    Raises
    ------
    FileRefusedError
        It has more frames than fit; the sentence says how many do.
    """
    if trial.n_frames > ALWAYS_FRAMES:
        _give_back()
    free = free_bytes() if free is None else free
    values = 4 * len(trial.markers.names) + sum(6 * plate.n_samples / trial.n_frames for plate in trial.plates)
    frame_bytes, bands_bytes = (WHOLE_FRAME_BYTES, WHOLE_BANDS_FRAME_BYTES) if whole else (FRAME_BYTES, BANDS_FRAME_BYTES)
    if opensim:
        frame_bytes, bands_bytes = OPENSIM_FRAME_BYTES, OPENSIM_BANDS_FRAME_BYTES
    frame_bytes += bands_bytes * bands
    fitting = int(free / (frame_bytes + NUMBER_BYTES * max(0.0, values - NUMBERS)))
    if trial.n_frames > max(fitting, ALWAYS_FRAMES):
        times = "seven" if opensim else "three"
        spared = f" (without uncertainty, recipe [output], {times} times as many)" if bands and (whole or opensim) else ""
        if whole and not opensim:
            spared += f" (without report, review page and norm {'five times' if bands else 'twice'} as many)"
        raise FileRefusedError(
            f"{trial.name} has {trial.n_frames} frames, and the memory that is free here ({free / 1e9:.1f} GB) is enough for about "
            f"{max(fitting, ALWAYS_FRAMES)} of them{spared}: cut it into shorter recordings.",
            value=trial.n_frames, expected=f"at most {max(fitting, ALWAYS_FRAMES)} frames", where=trial.name,
        )  # fmt: skip


def _give_back() -> None:
    """Let the memory of large arrays go back to the system as soon as they do.

    The C library of Linux keeps it once such arrays have come and gone: with twice the memory that they ever take. Others have no
    such setting.
    """
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, LARGE_BYTES)


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
