"""The pelvis of the conventional model; its hip centre is Davis' unless another regression or function is asked for."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross
from biomech_id.conventions import SIDE_SIGN
from biomech_id.dynamics.body import Frames
from biomech_id.models.joint_centres.hip_regressions import (
    DAVIS_SOFTWARE_RAD,
    PelvisSize,
    davis_hip_m,
    hip_centre_by_regression,
)
from biomech_id.models.triads import right_angled, unit
from biomech_id.trial import Markers

#: What the setting says for the model's own hip centre, Davis', and its other name.
OWN_HIP = "auto"
DAVIS_HIP: tuple[str, ...] = (OWN_HIP, "davis")


def posterior_point(markers: Markers) -> FloatArray:
    """Return the point that shows the back of the pelvis.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.

    Returns
    -------
    FloatArray
        (n, 3), metres, laboratory axes: the sacral marker, or the midpoint of the posterior spines where there is none.
    """
    return markers.on("", "sacrum") if markers.shows("", "sacrum") else 0.5 * (markers.on("L", "psis") + markers.on("R", "psis"))


def pelvis_frames(markers: Markers) -> Frames:
    """Return the pelvis in every frame.

    Parameters
    ----------
    markers : Markers
        Markers of the recording, laboratory axes.

    Returns
    -------
    Frames
        Origin midway between the ASIS markers, y from right to left ASIS, x in the plane of all of them; NaN where one is unseen.
    """
    left, right = markers.on("L", "asis"), markers.on("R", "asis")
    origin = 0.5 * (left + right)
    y = unit(left - right)
    z = unit(cross(origin - posterior_point(markers), y))
    return Frames(R_lab_seg=right_angled(cross(y, z), y, z), origin_lab_m=origin)


def hip_centre_pelvis_m(side: str, size: PelvisSize, method: str = OWN_HIP) -> FloatArray:
    """Return the hip centre in the pelvis.

    Parameters
    ----------
    side : str
        Which side, "L" or "R".
    size : PelvisSize
        Lengths between marker centres; for Davis' equation the leg's is the mean of both.
    method : str, optional
        "auto" or "davis" (with the angles of the field's software), another regression, or somebody's own function by name.

    Returns
    -------
    FloatArray
        (3,), metres, pelvis axes (forward, to the left, up) from the mid-ASIS point.

    Raises
    ------
    OptionError
        Another method.
    MissingInputError
        A length that it needs is not known.
    """
    if method in DAVIS_HIP:
        forward, up, right = davis_hip_m(size, DAVIS_SOFTWARE_RAD)
        return np.array([forward, SIDE_SIGN[side] * right, up])
    forward, up, right = hip_centre_by_regression(method, side, size)
    return np.array([forward, -right, up])
