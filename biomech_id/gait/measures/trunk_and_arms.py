"""What trunk, arms and the whole body's spin do in a cycle: lean, sway, arm swing, range of angular momentum.

Trunk lean is named by what it is measured in: in the laboratory (the thorax against the vertical: what gravity sees, and the hip's
abductor moment with it) and in the pelvis (the thorax against the pelvis: what the spine does). Positive is a lean towards the side
of the cycle's own leg. The lean is the mean over a cycle, the sway its range. Arm swing is the range of shoulder flexion; its
symmetry over a trial is that of both sides' mean ranges in steady cycles (`spatiotemporal.symmetry_index`). Angular momentum
about the centre of mass is divided by body mass, walking speed and the mean height of the centre of mass (Herr and Popovic 2008,
J Exp Biol 211:467).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.feet.stance_intervals import frames_within
from biomech_id.gait.measures.spatiotemporal import GaitParameter, symmetry_index
from biomech_id.movement.cycle import Cycle, KineticsValid

#: Names of the components of a range along the axes of progression.
_PLANES = ("frontal", "sagittal", "transverse")


def trunk_parameters(
    lean_rad: Mapping[tuple[str, str], FloatArray], cycles: Sequence[Cycle], time_s: FloatArray
) -> tuple[GaitParameter, ...]:
    """Return mean lean and sway of the trunk in every cycle, degrees.

    Parameters
    ----------
    lean_rad : Mapping[tuple[str, str], FloatArray]
        (side, "laboratory" | "pelvis") -> (n,), lean of the trunk towards that side.
    cycles : Sequence[Cycle]
        Cycles of the trial.
    time_s : FloatArray
        (n,), of the frames, seconds.

    Returns
    -------
    tuple[GaitParameter, ...]
        Rows of ``spatiotemporal.csv``, deg; a cycle in which the trunk is not tracked has none.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.movement.cycle import Cycle, KineticsValid
    >>> from biomech_id.gait.measures.trunk_and_arms import trunk_parameters
    >>> cycle = Cycle("walk", "L", 1, 0.0, 1.0, 0.6, 0.1, 0.5, KineticsValid.FALSE)
    >>> lean = {("L", "pelvis"): np.deg2rad([2.0, 4.0, 2.0, 0.0])}
    >>> [(row.parameter, round(row.value, 6)) for row in trunk_parameters(lean, [cycle], np.array([0.0, 0.3, 0.6, 0.9]))]
    [('trunk_lean_pelvis', 2.0), ('trunk_sway_pelvis', 4.0)]
    """
    return tuple(
        GaitParameter(cycle.trial, cycle.side, cycle.number, f"trunk_{name}_{where}", float(np.degrees(value)), "deg")
        for cycle, frames in _whole(cycles, time_s)
        for (side, where), lean in lean_rad.items()
        if side == cycle.side
        for name, value in (("lean", lean[frames].mean()), ("sway", np.ptp(lean[frames])))
        if np.isfinite(value)
    )


def arm_swing_parameters(
    flexion_rad: Mapping[str, FloatArray], cycles: Sequence[Cycle], time_s: FloatArray
) -> tuple[GaitParameter, ...]:
    """Return the range of shoulder flexion in every cycle, degrees, and the trial's symmetry of it, percent.

    Parameters
    ----------
    flexion_rad : Mapping[str, FloatArray]
        Side -> (n,), flexion of the shoulder.
    cycles : Sequence[Cycle]
        Cycles of the trial.
    time_s : FloatArray
        (n,), of the frames, seconds.

    Returns
    -------
    tuple[GaitParameter, ...]
        Rows of ``spatiotemporal.csv``, deg and percent.
    """
    rows = [
        GaitParameter(cycle.trial, cycle.side, cycle.number, "arm_swing", float(np.degrees(value)), "deg")
        for cycle, frames in _whole(cycles, time_s)
        if cycle.side in flexion_rad and np.isfinite(value := np.ptp(np.unwrap(flexion_rad[cycle.side][frames])))
    ]
    steady = {(cycle.side, cycle.number) for cycle in cycles if cycle.steady}
    ranges = {side: [row.value for row in rows if row.side == side and (side, row.cycle) in steady] for side in flexion_rad}
    if set(ranges) >= {"L", "R"} and all(ranges.values()):
        symmetry = symmetry_index(float(np.mean(ranges["L"])), float(np.mean(ranges["R"])))
        rows.append(GaitParameter(rows[0].trial, "", 0, "arm_swing_symmetry", symmetry, "%"))
    return tuple(rows)


def angular_momentum_parameters(momentum: FloatArray, cycles: Sequence[Cycle], time_s: FloatArray) -> tuple[GaitParameter, ...]:
    """Return the range of the whole body's angular momentum in every cycle, dimensionless, by plane.

    Parameters
    ----------
    momentum : FloatArray
        (n, 3), about the centre of mass, axes of progression (forward, to the left, up), over mass, speed and height.
    cycles : Sequence[Cycle]
        Cycles of the trial.
    time_s : FloatArray
        (n,), of the frames, seconds.

    Returns
    -------
    tuple[GaitParameter, ...]
        Rows of ``spatiotemporal.csv``, three a cycle: sagittal, frontal, transverse.
    """
    return tuple(
        GaitParameter(cycle.trial, cycle.side, cycle.number, f"angular_momentum_range_{plane}", float(value), "1")
        for cycle, frames in _whole(cycles, time_s)
        for plane, value in zip(_PLANES, np.ptp(momentum[frames], axis=0), strict=True)
        if np.isfinite(value)
    )


def excursion_parameters(com_m: FloatArray, cycles: Sequence[Cycle], time_s: FloatArray) -> tuple[GaitParameter, ...]:
    """Return the range of the centre of mass upwards and sideways in every cycle, metres.

    Sideways it is measured from the line between the ends of the cycle: who drifts does not sway.

    Parameters
    ----------
    com_m : FloatArray
        (n, 3), axes of progression (forward, to the left, up), metres.
    cycles : Sequence[Cycle]
        Cycles of the trial.
    time_s : FloatArray
        (n,), of the frames, seconds.

    Returns
    -------
    tuple[GaitParameter, ...]
        Rows of ``spatiotemporal.csv``, two a cycle, metres.
    """
    rows = []
    for cycle, frames in _whole(cycles, time_s):
        across = com_m[frames, 1] - np.linspace(com_m[frames, 1][0], com_m[frames, 1][-1], int(frames.sum()))
        for name, path in (("vertical", com_m[frames, 2]), ("sideways", across)):
            if np.isfinite(path).all():
                value = float(np.ptp(path))
                rows.append(GaitParameter(cycle.trial, cycle.side, cycle.number, f"centre_of_mass_{name}", value, "m"))
    return tuple(rows)


def _whole(cycles: Sequence[Cycle], time_s: FloatArray) -> Iterator[tuple[Cycle, BoolArray]]:
    """Whole cycles with the frames they hold."""
    for cycle in cycles:
        frames = frames_within(time_s, cycle.start_s, cycle.end_s)
        if cycle.kinetics_valid is not KineticsValid.STANCE_ONLY and np.count_nonzero(frames) > 2:
            yield cycle, frames
