"""Which markers carry the other side's name? Seen in how the pelvis lies, and in which leg a marker goes along with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.check import rules
from biomech_id.errors import Finding
from biomech_id.trial import Trial

#: Markers of a leg from the knee up and from the knee down: each lies near the one before it, on the same leg.
LEG_CHAINS = (("KNE", "THI"), ("KNE", "TIB", "ANK", "HEE", "TOE"))
POSTERIOR = ("SACR", "LPSI", "RPSI")


def inspect_sides(trial: Trial) -> Iterator[Finding]:
    """Yield labels of the conventional marker set that seem to belong to the other side."""
    forward, front = _forward(trial), _pair(trial, "ASI")
    if forward is not None and front is not None and _median(np.cross(forward, front[0] - front[1])[:, 2]) < 0:
        yield rules.SIDES_SWAPPED.finding(f"LASI of {trial.name} is on the right of RASI.", trial.name)
    swapped = swapped_leg_markers(trial)
    if swapped:
        told = ", ".join(f"L{name} and R{name}" for name in swapped)
        yield rules.LEG_SIDES_SWAPPED.finding(f"{told} of {trial.name} seem to be exchanged.", trial.name)


def swapped_leg_markers(trial: Trial) -> tuple[str, ...]:
    """Names without their side ("KNE") of leg markers whose left and right labels seem exchanged.

    The knees' markers lie on the outer sides of the legs: the left one is to the left by the pelvis' posterior and anterior
    markers. From there along each leg a marker is nearer to its neighbour on the same leg than the other leg's is.
    """
    forward = _forward(trial)
    knees = _pair(trial, "KNE")
    if forward is None or knees is None:
        return ()
    wrong = {"KNE": _median(np.cross(forward, knees[0] - knees[1])[:, 2]) < 0}
    for chain in LEG_CHAINS:
        known = chain[0]
        for name in chain[1:]:
            near, pair = _pair(trial, known), _pair(trial, name)
            if near is None or pair is None:
                continue
            straight = _distance(near[0], pair[0]) + _distance(near[1], pair[1])
            crossed = _distance(near[0], pair[1]) + _distance(near[1], pair[0])
            wrong[name] = wrong[known] != (_median(crossed - straight) < 0)
            known = name
    return tuple(name for name, is_wrong in wrong.items() if is_wrong)


def _forward(trial: Trial) -> FloatArray | None:
    """From the posterior to the anterior pelvis markers (n, 3), metres, laboratory axes: the same with either side's labels."""
    front = _pair(trial, "ASI")
    backs = [path for name in POSTERIOR if (path := _path(trial, name)) is not None]
    return 0.5 * (front[0] + front[1]) - np.mean(backs, axis=0) if front is not None and backs else None


def _path(trial: Trial, name: str) -> FloatArray | None:
    return trial.markers[name] if trial.markers.present(name) else None


def _pair(trial: Trial, name: str) -> tuple[FloatArray, FloatArray] | None:
    left, right = _path(trial, "L" + name), _path(trial, "R" + name)
    return None if left is None or right is None else (left, right)


def _distance(a: FloatArray, b: FloatArray) -> FloatArray:
    distance: FloatArray = np.linalg.norm(a - b, axis=1)
    return distance


def _median(values: FloatArray) -> float:
    """Median of the known values; 0, which says nothing, where none is known."""
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else 0.0
