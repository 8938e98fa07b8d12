"""The pelvis of the conventional model, and the hip centre by regression.

Davis et al. 1991, Hum Mov Sci 10:575 (the Newington formula), as conventional-model software applies it. In pelvis axes, from the
midpoint between the anterior superior iliac spines, with leg length l, half the inter-ASIS distance a, the marker's radius r, and
t = the distance from ASIS to greater trochanter plus r:

    C = 0.115 l - 15.3 mm,  theta = 0.5 rad,  beta = 0.314 rad
    X = C cos(theta) sin(beta) - t cos(beta)
    Y = s (a - C sin(theta))                      s = +1 left, -1 right
    Z = -C cos(theta) cos(beta) - t sin(beta)
"""

from __future__ import annotations

import math

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import cross
from biomech_id.conventions import SIDE_SIGN
from biomech_id.dynamics.body import Frames
from biomech_id.models.triads import triad, unit
from biomech_id.trial import Markers

THETA_RAD = 0.5
BETA_RAD = 0.314
C_PER_LEG_LENGTH = 0.115
C_OFFSET_M = 0.0153
ASIS_TROCHANTER_PER_LEG_LENGTH = 0.1288
ASIS_TROCHANTER_OFFSET_M = 0.04856


def posterior_point(markers: Markers) -> FloatArray:
    """Return the sacral marker, or the midpoint of the posterior spines where there is none: (n, 3), metres, laboratory axes."""
    return markers.on("", "sacrum") if markers.shows("", "sacrum") else 0.5 * (markers.on("L", "psis") + markers.on("R", "psis"))


def pelvis_frames(markers: Markers) -> Frames:
    """Return the pelvis: origin midway between the ASIS markers, y from right to left ASIS, x in the plane of all of them."""
    left, right = markers.on("L", "asis"), markers.on("R", "asis")
    origin = 0.5 * (left + right)
    y = unit(left - right)
    z = unit(cross(origin - posterior_point(markers), y))
    return Frames(R_lab_seg=triad(cross(y, z), y, z), origin_lab_m=origin)


def asis_trochanter_distance_m(leg_length_m: float) -> float:
    """Return the distance from ASIS to trochanter, metres, by regression on leg length (used where nobody measured it)."""
    return ASIS_TROCHANTER_PER_LEG_LENGTH * leg_length_m - ASIS_TROCHANTER_OFFSET_M


def hip_centre_pelvis_m(
    side: str, *, mean_leg_length_m: float, inter_asis_m: float, asis_trochanter_m: float, marker_radius_m: float
) -> FloatArray:
    """Return the hip centre, (3,), metres, in pelvis axes from the mid-ASIS point (equations above; all arguments in metres)."""
    c = C_PER_LEG_LENGTH * mean_leg_length_m - C_OFFSET_M
    t = asis_trochanter_m + marker_radius_m
    return np.array([
        c * math.cos(THETA_RAD) * math.sin(BETA_RAD) - t * math.cos(BETA_RAD),
        SIDE_SIGN[side] * (inter_asis_m / 2 - c * math.sin(THETA_RAD)),
        -c * math.cos(THETA_RAD) * math.cos(BETA_RAD) - t * math.sin(BETA_RAD),
    ])  # fmt: skip
