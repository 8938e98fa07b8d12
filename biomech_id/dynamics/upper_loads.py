"""Joint loads above the hips: the whole body as one chain that hangs on the head.

The humeri hang on the thorax at the shoulders, the pelvis on the thorax at L5 (waist), loaded by what the thighs do to it, and the
thorax on the head at the root of the neck. An action of the head on the thorax is therefore what the weight and motion of all below
leave over: in truth minus the head's own, in a recording the residual of the whole chain. Arms need no force plate; waist and neck
need the ground's wrench on both feet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from biomech_id.algebra.wrench import Wrench
from biomech_id.anatomy import ARM_JOINTS, ARM_SEGMENTS, DISTAL_SEGMENT, PELVIS, PROXIMAL_SEGMENT, Part
from biomech_id.arguments import a, or_none, takes
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion, Motion
from biomech_id.dynamics.chain import BASE, Chain
from biomech_id.dynamics.external import WRENCHES, External
from biomech_id.dynamics.loads import ChainLoads, JointLoad, JointLoads
from biomech_id.dynamics.newton_euler import solve

_THORAX: Part = ("", "thorax")
#: Joint in the middle -> the segments distal and proximal to it, as the chain runs: from the feet to the head.
MIDDLE_JOINTS: dict[str, tuple[str, str]] = {"waist": ("pelvis", "thorax"), "neck": ("thorax", "head")}


@takes(motion=a(BodyMotion, "a model's track(trial) returns it"), legs=or_none(a(JointLoads)), extra=WRENCHES)
def solve_upper_body(motion: BodyMotion, legs: JointLoads | None = None, *, extra: Iterable[External] = ()) -> JointLoads:
    """Loads of wrists, elbows and shoulders, and of waist and neck as far as the legs' are known.

    Parameters
    ----------
    motion : BodyMotion
        What a model's ``track`` returns.
    legs : JointLoads | None, optional
        What `solve_body` returns for it; None for a recording without force plates.
    extra : Iterable[External], optional
        Further wrenches, on "R hand", "L radius", "thorax", ...

    Returns
    -------
    JointLoads
        (side, "wrist" | "elbow" | "shoulder") and ("", "waist" | "neck"); joints whose segments are not seen are left out.
    """
    parts = _parts(motion, legs)
    if not parts:
        return JointLoads({}, motion, {} if legs is None else legs.contacts)
    bodies = {part: motion.pelvis_mass if part == PELVIS else motion.motions[part] for part in parts}
    moved = {part: body for part, body in bodies.items() if body is not None}
    chain = Chain(
        segments=[motion.segments[part] for part in parts],
        motions=[moved[part] for part in parts],
        joints_lab_m=[motion.joint_centres_lab_m[_joint(part)] for part in parts],
        parents=tuple(_parent(part, parts) for part in parts),
        names=tuple(map(_name, parts)),
    )
    hanging = _of_thighs(legs) if legs is not None and PELVIS in parts else []
    loads = solve(chain, [*hanging, *(load for load in extra if load.segment in chain.names)])
    head = {("", "head"): motion.motions["", "head"]} if ("", "head") in motion.motions else {}
    around = {**motion.motions, **moved, **head}
    joints = {_joint(part): _joint_load(loads, part, around) for part in parts}
    return JointLoads(joints, motion, {} if legs is None else legs.contacts, loads)


def loadable_segments(motion: BodyMotion) -> tuple[str, ...]:
    """Name the segments above the hips on which a further force can act.

    Parameters
    ----------
    motion : BodyMotion
        The tracked trial; what it has no mass for is left out.

    Returns
    -------
    tuple[str, ...]
        Names as `External` takes them: "R hand", "thorax".
    """
    arms = [(side, name) for side in SIDES if all((side, arm) in motion.segments for arm in ARM_SEGMENTS) for name in ARM_SEGMENTS]
    return tuple(map(_name, [*arms, *(part for part in (PELVIS, _THORAX) if part in motion.segments)]))


def _parts(motion: BodyMotion, legs: JointLoads | None) -> list[Part]:
    """Segments with a mass that the chain can hold, distal before proximal."""
    arms = [side for side in SIDES if all((side, name) in motion.segments for name in ARM_SEGMENTS)]
    parts: list[Part] = [(side, name) for side in arms for name in ARM_SEGMENTS]
    hips = legs is not None and all((side, "hip") in legs for side in SIDES)
    if hips and motion.pelvis_mass is not None and _THORAX in motion.motions:
        parts.append(PELVIS)
        if len(arms) == len(SIDES) and _THORAX in motion.segments and ("", "head") in motion.motions:
            parts.append(_THORAX)
    return parts


def _joint(part: Part) -> Part:
    """The joint by which a segment hangs in this chain."""
    side, name = part
    hangs = {distal: joint for joint, (distal, _) in MIDDLE_JOINTS.items()}
    return (side, hangs[name]) if name in hangs else (side, next(joint for joint in ARM_JOINTS if DISTAL_SEGMENT[joint] == name))


def _parent(part: Part, parts: list[Part]) -> int:
    side, joint = part[0], _joint(part)[1]
    proximal = MIDDLE_JOINTS[joint][1] if joint in MIDDLE_JOINTS else PROXIMAL_SEGMENT[joint]
    return next((parts.index(each) for each in ((side, proximal), ("", proximal)) if each in parts), BASE)


def _name(part: Part) -> str:
    return " ".join(filter(None, part))


def _of_thighs(legs: JointLoads) -> list[External]:
    """What the thighs do to the pelvis: the opposite of what it does to them."""
    hips = [legs[side, "hip"].wrench for side in SIDES]
    return [External("pelvis", Wrench(-hip.force_N, -hip.moment_Nm, hip.point_lab_m), "legs") for hip in hips]


def _joint_load(loads: ChainLoads, part: Part, around: Mapping[Part, Motion]) -> JointLoad:
    side, joint = _joint(part)
    distal, proximal = MIDDLE_JOINTS[joint] if joint in MIDDLE_JOINTS else (part[1], PROXIMAL_SEGMENT[joint])
    motions = {name: around[key] for name in (distal, proximal) for key in ((side, name), ("", name)) if key in around}
    return JointLoad(side, joint, loads.wrench(_name(part)), distal, proximal, motions)
