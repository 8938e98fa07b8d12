"""A leg segment as ``calibration.json`` records it."""

from __future__ import annotations

from typing import Any

from biomech_id.conventions import MM_PER_M
from biomech_id.dynamics.body import Segment


def segment_record(segment: Segment, length_m: float | None) -> dict[str, Any]:
    """Return a segment's inertial parameters as ``calibration.json`` has them.

    Of a body whose mass nobody knows, mass and tensor are left out. Vector and tensor are in the segment's axes, from its origin.

    Parameters
    ----------
    segment : Segment
        Mass 0 where nobody knows the body mass.
    length_m : float | None
        The length that they were scaled by; None where they were not scaled by one.

    Returns
    -------
    dict[str, Any]
        "length_mm", "com_in_segment_mm", "mass_kg", "inertia_about_com_kgm2" (about the centre of mass) and "source".
    """
    length = {} if length_m is None else {"length_mm": length_m * MM_PER_M}
    place = {**length, "com_in_segment_mm": (segment.com_m * MM_PER_M).tolist(), "source": segment.source}
    if segment.mass_kg == 0.0:  # nobody knows the body mass
        return place
    return {**place, "mass_kg": segment.mass_kg, "inertia_about_com_kgm2": segment.inertia_kgm2.tolist()}
