"""Forces from a second file beside a recording of markers or poses: read, put on its clock, and only where that is certain.

The two files' own time stamps count where they come from one clock (OpenSim's tables) and the feet do not contradict them; else
the lag that feet and forces show (`gait.force_lag`). What is not certain is refused and the recording goes on without forces. The
recording is cut to the frames that have forces: what nobody measured is not nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import BiomechError, Finding
from biomech_id.feet.contacts import centre_of_pressure_m
from biomech_id.feet.feet_on_plates import distance_to_foot
from biomech_id.feet.landmarks import find_landmarks
from biomech_id.gait.force_lag import RISEN_N, ForceLag, find_force_lag
from biomech_id.models.poses.points import with_pose_points
from biomech_id.readers.formats import forces_beside
from biomech_id.trial import ForcePlate, Trial

#: A lag this many of its standard deviations from none, and more than this many frames, contradicts the time stamps.
CONTRADICTS_SD, CONTRADICTS_FRAMES = 3.0, 1.5
#: A force of a table is one foot's where it acts this near to it (m) in this share of its loaded samples, and not the other's.
UNDER_FOOT_M, MOSTLY = 0.1, 0.95
#: At least so much of the recording must have forces (s).
LEAST_COMMON_S = 0.3
#: Files of one clock: tables of OpenSim, whose rows carry their time.
_STAMPED = (".mot", ".sto", ".trc")


def with_second_forces(trial: Trial, reader: Callable[[Path], Trial]) -> Trial:
    """Return a recording with the forces of the file beside it, or as it is and why.

    Parameters
    ----------
    trial : Trial
        The recording as read, with markers.
    reader : Callable[[Path], Trial]
        Reads one file, and refuses what it cannot.
    """
    beside = forces_beside(Path(trial.path)) if trial.path else None
    if beside is None:
        return trial
    if trial.plates:
        return _left(trial, beside, "own", ForceLag())
    try:
        forces = reader(beside)
    except BiomechError as error:
        return _left(trial, beside, "unreadable", ForceLag(), error.message)
    if not forces.plates:
        return _left(trial, beside, "none", ForceLag())
    shown = trial if trial.markers.names else with_pose_points(trial)
    lag = find_force_lag(shown, forces.plates)
    stamped = all(Path(path).suffix.lower() in _STAMPED for path in (trial.path, beside))
    limit_s = max(CONTRADICTS_SD * lag.sd_s, CONTRADICTS_FRAMES / trial.rate_hz)
    measured = bool(np.isfinite(lag.sd_s))
    contradicted = measured and abs(lag.lag_s) > limit_s
    if stamped and not contradicted and lag.why != "elsewhere":
        return _joined(trial, forces, beside, 0.0, "stamps" if measured else "stamps_alone", lag)
    if not lag.certain:
        return _left(trial, beside, lag.why, lag)
    return _joined(trial, forces, beside, lag.lag_s, "against_stamps" if stamped else "feet", lag)


def _sentence_values(beside: Path, lag: ForceLag) -> dict[str, object]:
    return {
        "file": beside.name, "lag_ms": 1e3 * lag.lag_s, "sd_ms": 1e3 * lag.sd_s, "n": lag.n, "cover_percent": 100.0 * lag.cover,
    }  # fmt: skip


def _left(trial: Trial, beside: Path, why: str, lag: ForceLag, words: str = "") -> Trial:
    values = {**_sentence_values(beside, lag), "why": why, "words": words, "other_ms": 1e3 * lag.other_s}
    return replace(trial, findings=(*trial.findings, Finding("second-forces-refused", values, trial.name)))


def _joined(trial: Trial, forces: Trial, beside: Path, lag_s: float, how: str, lag: ForceLag) -> Trial:
    """The recording with the forces on its clock, cut to the frames that have them."""
    ends = [(plate.first_time_s, plate.first_time_s + (plate.n_samples - 1) / plate.rate_hz) for plate in forces.plates]
    first_s, last_s = max(end[0] for end in ends) + lag_s, min(end[1] for end in ends) + lag_s
    step = 1.0 / trial.rate_hz
    inside = np.flatnonzero((trial.time_s >= first_s - 1e-6) & (trial.time_s <= last_s + 1e-6))
    if len(inside) * step < LEAST_COMMON_S:
        return _left(trial, beside, "apart", lag)
    cut = cut_frames(trial, int(inside[0]), int(inside[-1]) + 1)
    at_s = cut.first_time_s - lag_s
    plates = tuple(_on_clock(plate, at_s, cut.n_frames, trial.rate_hz) for plate in forces.plates)
    seen = cut if cut.markers.names else with_pose_points(cut)
    if all(plate.foot == "" for plate in plates) and beside.suffix.lower() != ".c3d":
        plates = tuple(_of_foot(plate, seen) for plate in plates)
    values = {**_sentence_values(beside, lag), "how": how, "left_out": trial.n_frames - cut.n_frames}
    finding = Finding("second-forces", values, trial.name)
    return replace(cut, plates=plates, history=(*cut.history, *forces.history), findings=(*cut.findings, finding))


def _on_clock(plate: ForcePlate, at_s: float, n_frames: int, rate_hz: float) -> ForcePlate:
    """A plate sampled at a whole multiple of the video rate from an instant of its own clock on."""
    ratio = max(1, int(np.ceil(plate.rate_hz / rate_hz - 1e-6)))
    times = at_s + np.arange(n_frames * ratio) / (ratio * rate_hz)
    own = plate.first_time_s + np.arange(plate.n_samples) / plate.rate_hz

    def at(values: FloatArray) -> FloatArray:
        return np.stack([np.interp(times, own, column) for column in values.T], axis=1)

    return replace(
        plate, force_lab_N=at(plate.force_lab_N), moment_lab_Nm=at(plate.moment_lab_Nm), rate_hz=ratio * rate_hz, first_time_s=0.0
    )


def _of_foot(plate: ForcePlate, trial: Trial) -> ForcePlate:
    """A force of a table on one foot, where it acts under that foot and no other whenever it acts."""
    try:
        landmarks = find_landmarks(trial)
    except BiomechError:
        return plate
    ratio = round(plate.rate_hz / trial.rate_hz)
    force, moment = plate.force_lab_N[::ratio], plate.moment_lab_Nm[::ratio]
    loaded = force[:, 2] > RISEN_N
    if not loaded.any():
        return plate
    cop = np.full((trial.n_frames, 3), np.nan)
    cop[loaded] = centre_of_pressure_m(plate, force[loaded], moment[loaded])
    near = {side: float((distance_to_foot(landmarks, side, cop)[loaded] < UNDER_FOOT_M).mean()) for side in landmarks.sides}
    ours = [side for side, share in near.items() if share >= MOSTLY]
    return replace(plate, foot=ours[0]) if len(ours) == 1 else plate


def cut_frames(trial: Trial, first: int, last: int) -> Trial:
    """Return some frames of a recording without plates, its clock unchanged.

    Parameters
    ----------
    trial : Trial
        The recording that is cut.
    first : int
        Index of the first frame kept.
    last : int
        Index behind the last one.
    """
    if (first, last) == (0, trial.n_frames):
        return trial
    markers, poses, analog = trial.markers, trial.rotations, trial.analog
    filled = None if markers.filled is None else markers.filled[first:last]
    start, end = trial.first_time_s + first / trial.rate_hz, trial.first_time_s + (last - 1) / trial.rate_hz
    ratio = analog.rate_hz / trial.rate_hz if analog.names else 0.0
    turn = poses.rate_hz / trial.rate_hz if poses.names else 0.0
    a, b = round(first * turn), round(last * turn)
    return replace(
        trial, markers=replace(markers, position_m=markers.position_m[first:last], filled=filled, first_time_s=0.0),
        first_frame=trial.first_frame + first, events=tuple(e for e in trial.events if start <= e.time_s <= end),
        model_outputs={name: values[first:last] for name, values in trial.model_outputs.items()},
        rotations=replace(poses, R_lab_seg=poses.R_lab_seg[a:b], origin_lab_m=poses.origin_lab_m[a:b]) if poses.names else poses,
        analog=replace(analog, stored=analog.stored[round(first * ratio) : round(last * ratio)]) if analog.names else analog,
    )  # fmt: skip


def with_forces_beside(trials: Sequence[Trial], reader: Callable[[Path], Trial]) -> tuple[Trial, ...]:
    """Return recordings with the forces that lie beside them (`with_second_forces`).

    Parameters
    ----------
    trials : Sequence[Trial]
        The recordings as read, with markers.
    reader : Callable[[Path], Trial]
        Reads one file, and refuses what it cannot.
    """
    return tuple(with_second_forces(trial, reader) for trial in trials)
