"""Joint loads of waist, neck and arms: the whole body as one chain that hangs on the head.

The feet carry the ground's wrenches, thighs hang on the pelvis at the hips, the pelvis on the thorax at L5 (waist), the humeri
on the thorax at the shoulders, and the thorax on the head at the root of the neck. An action of the head on the thorax is
therefore what the weight of everything below leaves over: in truth minus the head's own, in a recording the
residual of the whole chain. Waist and neck need the ground's wrench on both feet, the arms do not.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.anatomy import LEG_SEGMENTS, Part
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion, Frames, Motion, Segment
from biomech_id.dynamics.chain import BASE, Chain
from biomech_id.models.conventional.upper_body.inertia import MASS_FRACTION, RADIUS, Trunk, arm_ends
from biomech_id.models.conventional.upper_body.placement import UpperBody
from biomech_id.models.segment_motion import differentiate
from biomech_id.models.triads import into_lab

#: Segment -> the segment it hangs on, and the joint between them.
HANGS_ON: dict[str, tuple[str, str]] = {
    "hand": ("radius", "wrist"), "radius": ("humerus", "elbow"), "humerus": ("thorax", "shoulder"),
    "foot": ("shank", "ankle"), "shank": ("thigh", "knee"), "thigh": ("pelvis", "hip"),
    "pelvis": ("thorax", "waist"), "thorax": ("head", "neck"),
}  # fmt: skip
ARM_SEGMENTS: tuple[str, ...] = ("hand", "radius", "humerus")


def upper_segments(
    upper: UpperBody, trunk: Trunk, coms_lab_m: Mapping[Part, FloatArray], body_mass_kg: float, kinetics: str
) -> dict[Part, Segment]:
    """Return the inertial parameters of every segment above the legs, in its own axes.

    Parameters
    ----------
    upper : UpperBody
        Head, thorax and arms.
    trunk : Trunk
        What pelvis and thorax hang together by.
    coms_lab_m : Mapping[Part, FloatArray]
        (side, segment) -> (n, 3), centre of mass, laboratory axes.
    body_mass_kg : float
        Of the whole subject.
    kinetics : str
        "textbook" (lengths are means over the trial) or "vicon" (lengths change in every frame).
    """
    across = np.array([1.0, 1.0, 0.0])
    lengths: dict[Part, tuple[FloatArray, FloatArray]] = {
        ("", "pelvis"): (0.925 * trunk.width_m, np.ones(3)),
        ("", "thorax"): (np.full(len(trunk.width_m), np.linalg.norm(trunk.l5_thorax_m - trunk.neck_thorax_m)), across),
    }
    if ("", "head") in upper.frames:
        lengths["", "head"] = (np.linalg.norm(coms_lab_m["", "head"] - _neck_lab_m(upper, trunk), axis=1), np.ones(3))
    for side, name, distal, proximal in arm_ends(upper):
        lengths[side, name] = (np.linalg.norm(proximal - distal, axis=1), across)
    found = {}
    for (side, name), (length, axes) in lengths.items():
        used = np.asarray(over_seen(np.nanmean, length) if kinetics == "textbook" else length)
        mass = MASS_FRACTION[name] * body_mass_kg
        tensor = mass * (RADIUS[kinetics][name] * used[..., None, None]) ** 2 * np.diag(axes)
        found[side, name] = Segment(name, mass, np.zeros(3), tensor, "Dempster 1955 as tabled by Winter")
    return found


def whole_body_chain(
    motion: BodyMotion, upper: UpperBody, pelvis: Frames, trunk: Trunk, segments: Mapping[Part, Segment],
    coms_lab_m: Mapping[Part, FloatArray],
) -> Chain:  # fmt: skip
    """Return legs, pelvis, thorax and arms as one chain whose base is the head: names as ``"L hand"``, ``"thorax"``.

    Parameters
    ----------
    motion : BodyMotion
        The legs, tracked.
    upper : UpperBody
        Head, thorax and arms.
    pelvis : Frames
        Pose of the pelvis.
    trunk : Trunk
        What pelvis and thorax hang together by.
    segments : Mapping[Part, Segment]
        What `upper_segments` returns.
    coms_lab_m : Mapping[Part, FloatArray]
        (side, segment) -> (n, 3), centre of mass, laboratory axes.
    """
    parts: list[Part] = [(side, name) for side in motion.sides for name in LEG_SEGMENTS]
    parts += [
        ("", "pelvis"),
        *((side, name) for side in SIDES for name in ARM_SEGMENTS if (side, name) in segments),
        ("", "thorax"),
    ]
    joints: dict[Part, FloatArray] = {("", "pelvis"): trunk.l5_lab_m, ("", "thorax"): _neck_lab_m(upper, trunk)}
    bodies, motions, parents = [], [], []
    for side, name in parts:
        proximal, joint = HANGS_ON[name]
        above = next((part for part in ((side, proximal), ("", proximal)) if part in parts), None)
        parents.append(BASE if above is None else parts.index(above))
        if name in LEG_SEGMENTS:
            bodies.append(motion.segments[side, name])
            motions.append(motion.motions[side, name])
            joints[side, name] = motion.joint_centres_lab_m[side, joint]
        else:
            frames = pelvis if name == "pelvis" else upper.frames[side, name]
            bodies.append(segments[side, name])
            motions.append(_moved(frames, coms_lab_m[side, name], motion))
            if side:
                joints[side, name] = upper.centres_lab_m[side, joint]
    names = tuple(f"{side} {name}".strip() for side, name in parts)
    return Chain(bodies, motions, [joints[part] for part in parts], tuple(parents), names)


def _neck_lab_m(upper: UpperBody, trunk: Trunk) -> FloatArray:
    """The root of the neck, (n, 3), laboratory axes."""
    thorax = upper.frames["", "thorax"]
    return into_lab(thorax.R_lab_seg, thorax.origin_lab_m, trunk.neck_thorax_m)


def _moved(frames: Frames, com_lab_m: FloatArray, motion: BodyMotion) -> Motion:
    return differentiate(frames, com_lab_m, motion.rate_hz, kinetics=motion.kinetics)
