"""Which markers carry the other side's name? Seen in how the pelvis lies, and in which leg a marker goes along with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import SIDES
from biomech_id.errors import Finding
from biomech_id.models.landmarks import with_roles
from biomech_id.trial import Markers, Trial

KNEE = "lateral_epicondyle"
#: Markers of a leg from the knee up and from the knee down: each lies near the one before it, on the same leg.
LEG_CHAINS = ((KNEE, "thigh_wand"), (KNEE, "shank_wand", "lateral_malleolus", "heel", "toe"))
POSTERIOR = (("", "sacrum"), ("L", "psis"), ("R", "psis"))


def inspect_sides(trial: Trial) -> Iterator[Finding]:
    """Yield labels of the conventional model's markers that seem to belong to the other side.

    Parameters
    ----------
    trial : Trial
        The recording as read, with its labels.
    """
    markers = with_roles(trial.markers)
    forward, front = _forward(markers), both_sides(markers, "asis")
    if forward is not None and front is not None and _median(np.cross(forward, front[0] - front[1])[:, 2]) < 0:
        values = {"trial": trial.name, "left": markers.label("L", "asis"), "right": markers.label("R", "asis")}
        yield Finding("sides-swapped", values, trial.name)
    swapped = swapped_leg_markers(markers)
    if swapped:
        pairs = [(markers.label("L", role), markers.label("R", role)) for role in swapped]
        yield Finding("leg-sides-swapped", {"pairs": pairs, "trial": trial.name}, trial.name)


def swapped_leg_markers(markers: Markers) -> tuple[str, ...]:
    """Return the roles of leg markers whose left and right labels seem exchanged.

    The knees' markers lie on the outer sides of the legs: the left one is to the left by the pelvis' posterior and anterior
    markers. From there along each leg a marker is nearer to its neighbour on the same leg than the other leg's is.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    """
    forward = _forward(markers)
    knees = both_sides(markers, KNEE)
    if forward is None or knees is None:
        return ()
    wrong = {KNEE: _median(np.cross(forward, knees[0] - knees[1])[:, 2]) < 0}
    for chain in LEG_CHAINS:
        known = chain[0]
        for role in chain[1:]:
            near, pair = both_sides(markers, known), both_sides(markers, role)
            if near is None or pair is None:
                continue
            straight = _distance(near[0], pair[0]) + _distance(near[1], pair[1])
            crossed = _distance(near[0], pair[1]) + _distance(near[1], pair[0])
            wrong[role] = wrong[known] != (_median(crossed - straight) < 0)
            known = role
    return tuple(role for role, is_wrong in wrong.items() if is_wrong)


def _forward(markers: Markers) -> FloatArray | None:
    """From the posterior to the anterior pelvis markers (n, 3), metres, laboratory axes: the same with either side's labels."""
    front = both_sides(markers, "asis")
    backs = [markers.on(*key) for key in POSTERIOR if markers.shows(*key)]
    return 0.5 * (front[0] + front[1]) - np.mean(backs, axis=0) if front is not None and backs else None


def both_sides(markers: Markers, role: str) -> tuple[FloatArray, FloatArray] | None:
    """Return the left and the right marker with a role, (n, 3) each, metres, laboratory axes; None where one is not seen.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    role : str
        What the marker shows: "heel".
    """
    if not all(markers.shows(side, role) for side in SIDES):
        return None
    return markers.on("L", role), markers.on("R", role)


def _distance(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.norm(a - b, axis=1))


def _median(values: FloatArray) -> float:
    """Median of the known values; 0, which says nothing, where none is known."""
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else 0.0
