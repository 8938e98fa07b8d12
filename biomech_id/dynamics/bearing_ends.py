"""A recording that begins or ends while a foot bears a known force: accelerations of that leg in its very first and last frames.

There the differentiating spline still shows its end condition, and accelerations are otherwise left out. A leg that stands moves
little: what its inertia contributes is small, and so is the error (docs/decisions/derivatives.md has it measured), while without it
the whole, and largely certain, moment of the ground's force would be thrown away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import BoolArray
from biomech_id.algebra.skew import unskew
from biomech_id.anatomy import LEG_SEGMENTS
from biomech_id.dynamics.body import BodyMotion, FootContact, Motion
from biomech_id.signal.derivatives import END_FRAMES, quintic_derivatives
from biomech_id.signal.runs import runs


def bearing_ends(contact: FootContact) -> BoolArray:
    """Frames (n,), of the recording's first and last `END_FRAMES`, in which it begins or ends while the foot bears a known force.

    None where nobody wants them (`FootContact.to_the_ends`).

    Parameters
    ----------
    contact : FootContact
        The ground's wrench on the foot.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.bearing_ends import bearing_ends
    >>> from biomech_id.dynamics.body import FootContact
    >>> force = np.outer([700.0, 700.0, *[0.0] * 10], [0.0, 0.0, 1.0])
    >>> contact = FootContact("L", force, 0.0 * force, np.ones(12, dtype=bool), to_the_ends=True)
    >>> np.flatnonzero(bearing_ends(contact)).tolist()
    [0, 1]
    """
    n = len(contact.known)
    if not contact.to_the_ends:
        return np.zeros(n, dtype=np.bool_)
    bears = contact.known & (contact.force_lab_N != 0.0).any(axis=1)
    found = np.zeros(n, dtype=np.bool_)
    for first, last in runs(bears):
        if first == 0:
            found[: min(last, END_FRAMES)] = True
        if last == n:
            found[max(first, n - END_FRAMES) :] = True
    return found


def with_bearing_ends(motion: BodyMotion, contacts: Mapping[str, FootContact]) -> BodyMotion:
    """The motion with accelerations of bearing legs up to the recording's ends, by the spline that gives the others.

    Parameters
    ----------
    motion : BodyMotion
        The trial, tracked.
    contacts : Mapping[str, FootContact]
        Side -> the ground's wrench on that foot.
    """
    changed: dict[tuple[str, str], Motion] = {}
    for side in motion.sides if motion.kinetics == "textbook" else ():
        ends = bearing_ends(contacts[side]) if side in contacts else np.zeros(0, dtype=np.bool_)
        if ends.any() and len(ends) == motion.n_frames:
            changed |= {(side, segment): _filled(motion.motions[side, segment], motion.rate_hz, ends) for segment in LEG_SEGMENTS}
    return replace(motion, motions={**motion.motions, **changed}) if changed else motion


def _filled(motion: Motion, rate_hz: float, ends: BoolArray) -> Motion:
    """One segment's motion with what is missing of its accelerations in some frames (n,)."""
    (second,) = quintic_derivatives(motion.frames.R_lab_seg, rate_hz, (2,))
    (acceleration,) = quintic_derivatives(motion.com_lab_m, rate_hz, (2,))
    alpha = unskew(second @ np.swapaxes(motion.frames.R_lab_seg, -1, -2))
    missing = ends[:, None] & ~np.isfinite(motion.alpha_lab_rad_s2 + motion.com_acceleration_lab_m_s2)
    return replace(
        motion,
        alpha_lab_rad_s2=np.where(missing, alpha, motion.alpha_lab_rad_s2),
        com_acceleration_lab_m_s2=np.where(missing, acceleration, motion.com_acceleration_lab_m_s2),
    )
