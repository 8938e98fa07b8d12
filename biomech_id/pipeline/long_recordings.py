"""Recordings that are too long for this machine's memory are refused before they are analysed, by how many frames fit."""

from __future__ import annotations

from biomech_id.errors import FileRefusedError
from biomech_id.files.surroundings import free_bytes
from biomech_id.trial import Trial

#: What analysing one video frame takes with all tables, bytes: measured on virtual walks on a belt, of 5 000 and 10 000 frames
#: (``python -m benchmarks long_recordings``: 36 kB, 114 with bands).
FRAME_BYTES, BANDS_FRAME_BYTES = 40_000, 85_000
#: A marker or an analog sample more than that walk has.
NUMBER_BYTES, NUMBERS = 60, 400
#: A recording this short is analysed whatever the system says: what it tells of its memory is rough.
ALWAYS_FRAMES = 2000


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
