"""The pelvis of the conventional model; its hip centre is Davis' (see `joint_centres.hip_regressions`)."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross
from biomech_id.conventions import SIDE_SIGN
from biomech_id.dynamics.body import Frames
from biomech_id.models.joint_centres.hip_regressions import DAVIS_SOFTWARE_RAD, PelvisSize, davis_hip_m
from biomech_id.models.triads import triad, unit
from biomech_id.trial import Markers


def posterior_point(markers: Markers) -> FloatArray:
    """Return the sacral marker, or the midpoint of the posterior spines where there is none: (n, 3), metres, laboratory axes.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    """
    return markers.on("", "sacrum") if markers.shows("", "sacrum") else 0.5 * (markers.on("L", "psis") + markers.on("R", "psis"))


def pelvis_frames(markers: Markers) -> Frames:
    """Return the pelvis: origin midway between the ASIS markers, y from right to left ASIS, x in the plane of all of them.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.
    """
    left, right = markers.on("L", "asis"), markers.on("R", "asis")
    origin = 0.5 * (left + right)
    y = unit(left - right)
    z = unit(cross(origin - posterior_point(markers), y))
    return Frames(R_lab_seg=triad(cross(y, z), y, z), origin_lab_m=origin)


def hip_centre_pelvis_m(side: str, size: PelvisSize) -> FloatArray:
    """Return the hip centre, (3,), metres, in pelvis axes from the mid-ASIS point: Davis' with the angles of the field's software.

    Parameters
    ----------
    side : str
        "L" or "R".
    size : PelvisSize
        Inter-ASIS distance, ASIS-trochanter distance, marker radius, and the mean length of both legs.
    """
    forward, up, right = davis_hip_m(size, DAVIS_SOFTWARE_RAD)
    return np.array([forward, SIDE_SIGN[side] * right, up])
