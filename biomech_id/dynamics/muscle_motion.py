"""How the muscles of a tracked body lengthen and shorten: a value that a body model with muscles makes."""

from __future__ import annotations

from typing import Literal

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.values import dataclass


@compact_repr
@dataclass(frozen=True, eq=False)
class MuscleMotion:
    """Lengths of K muscle-tendon units in n frames; NaN where the body has no pose.

    Attributes
    ----------
    muscles : tuple[tuple[str, str], ...]
        Side and word of each: ("L", "psoas"), words as in `conventions.CLINIC_MUSCLES`.
    paths : tuple[str, ...]
        The model's own names of the K paths.
    length_m : FloatArray
        (n, K), from origin to insertion along the path.
    velocity_m_s : FloatArray
        (n, K), positive where it lengthens.
    length_sd_m : FloatArray
        (n, K), one standard deviation of the length: soft tissue below the markers, through the pose.
    standing_m : FloatArray
        (K,), lengths in standing.
    standing : Literal["static", "default"]
        Whether that is the mean of the static trial, or the model's default pose where there is none.
    coordinates : tuple[str, ...]
        C angles of the model's joints.
    moment_arm_m : FloatArray
        (n, K, C), minus the derivative of each length by each angle.
    """

    muscles: tuple[tuple[str, str], ...]
    paths: tuple[str, ...]
    length_m: FloatArray
    velocity_m_s: FloatArray
    length_sd_m: FloatArray
    standing_m: FloatArray
    standing: Literal["static", "default"]
    coordinates: tuple[str, ...]
    moment_arm_m: FloatArray
