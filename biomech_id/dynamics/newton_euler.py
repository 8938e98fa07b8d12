"""Joint forces and moments by Newton and Euler.

For every segment i, with its proximal joint at P_i, centre of mass c_i, and the segments k that hang on it::

    F_i - sum_k F_k = m_i (a_i - g) - F_ext
    M_i - sum_k M_k + (P_i - c_i) x F_i - sum_k (P_k - c_i) x F_k = I_i alpha_i + omega_i x I_i omega_i - M_ext(c_i)

F_i, M_i is the action of the proximal neighbour on segment i ("internal"), M_i about P_i. Two ways to the same numbers:
`biomech_id.dynamics.recursion` sums from the tips (the default), `biomech_id.dynamics.block_system` assembles and solves.

A missing frame of a segment leaves every joint proximal to it missing in that frame, and touches nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.late import LateMapping
from biomech_id.algebra.skew import unskew
from biomech_id.algebra.wrench import Wrench
from biomech_id.anatomy import DISTAL_SEGMENT, JOINTS, LEG_SEGMENTS, PROXIMAL_SEGMENT
from biomech_id.arguments import Kind, a, a_switch, a_word, takes
from biomech_id.conventions import GRAVITY_LAB_M_S2, SIDES
from biomech_id.dynamics.block_system import block_system
from biomech_id.dynamics.body import BodyMotion, FootContact, Motion, Segment
from biomech_id.dynamics.budget import Share, parts_of, share_of
from biomech_id.dynamics.chain import BASE, Chain
from biomech_id.dynamics.external import WRENCHES, External, check_external, gravity_of
from biomech_id.dynamics.loads import ChainLoads, JointLoad, JointLoads
from biomech_id.dynamics.problem import STRETCH, Problem
from biomech_id.dynamics.recursion import Wrenches, inertial_moments, joint_wrenches, need_of_segments
from biomech_id.dynamics.window import refuse_other_window
from biomech_id.errors import MissingInputError, ShapeError
from biomech_id.signal.derivatives import END_FRAMES, quintic_derivatives
from biomech_id.signal.runs import runs

#: Summing from the tips, or solving the block system.
Method = Literal["recursive", "block"]
METHOD = a_word(("recursive", "block"))
CONTACTS = Kind(
    "a mapping of 'L' and 'R' to FootContact, or an Assignment,",
    lambda v: isinstance(getattr(v, "contacts", v), Mapping) and all(isinstance(c, FootContact) for c in _contacts_of(v).values()),
    lambda v: set(_contacts_of(v)) <= set(SIDES),
    "assign_plates(movement) gives a movement that has them",
)
#: Name of the whole beside its parts.
TOTAL = "total"


class HasContacts(Protocol):
    """Anything that knows the ground's wrench on each foot: `biomech_id.movement.stance.Assignment`."""

    @property
    def contacts(self) -> Mapping[str, FootContact]:
        """Side -> `FootContact`."""
        ...


@takes(chain=a(Chain), external=WRENCHES, method=METHOD, budget=a_switch())
def solve(
    chain: Chain,
    external: Iterable[External] = (),
    *,
    gravity_lab_m_s2: ArrayLike = GRAVITY_LAB_M_S2,
    method: Method = "recursive",
    budget: bool = False,
) -> ChainLoads:
    """Joint wrenches of a chain from its motion and all other wrenches on it.

    Parameters
    ----------
    chain : Chain
        Segments, motion and joint centres of N frames.
    external : Iterable[External], optional
        Wrenches on segments, any number, of N frames each.
    gravity_lab_m_s2 : ArrayLike, optional
        (3,) or (N, 3), laboratory axes; points down.
    method : Method, optional
        "recursive" sums from the tips in O(n), "block" assembles and solves the linear system; they agree to 1e-9.
    budget : bool, optional
        Also split the result into its parts (see `biomech_id.dynamics.budget`).

    Returns
    -------
    ChainLoads
        Joint wrenches in laboratory axes about the joint centres, N and N m: action of the proximal on the distal segment.

    Raises
    ------
    InvalidValueError
        An external wrench on a segment the chain does not have.
    ShapeError
        An external wrench or gravity of another length.
    OptionError
        An unknown method.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.body import Segment
    >>> from biomech_id.dynamics.newton_euler import solve
    >>> from biomech_id.multibody.examples.limb import Angles, Limb, Link
    >>> bar = Segment("bar", 1.0, np.array([0.0, 0.5, 0.0]), np.diag([1 / 12, 0.0, 1 / 12]))
    >>> limb = Limb([Link(bar, (0.0, 1.0, 0.0))])
    >>> still = Angles(np.full((1, 1), -np.pi / 2), np.zeros((1, 1)), np.zeros((1, 1)))
    >>> loads = solve(limb.chain(limb.motions(still)), gravity_lab_m_s2=(0.0, -9.81, 0.0))
    >>> loads.wrench("bar").force_N.round(3) + 0.0, loads.wrench("bar").moment_Nm.round(3) + 0.0
    (array([[0.  , 9.81, 0.  ]]), array([[0.   , 0.   , 4.905]]))
    """
    external = check_external(chain, external)
    gravity = gravity_of(chain, gravity_lab_m_s2)
    problem = Problem.of(chain, external, gravity)
    parts = parts_of(problem) if budget else ()
    at_once = parts if chain.n_frames <= STRETCH else ()
    if method == "recursive":
        forces, moments = _recurse(problem, (TOTAL, *at_once))
    else:
        forces, moments = _recurse(problem, at_once)
        forces[TOTAL], moments[TOTAL] = block_system(chain, external, gravity_lab_m_s2=gravity).solve()
    no_force = np.broadcast_to(0.0, problem.shape)
    shares: Mapping[str, ChainLoads] = {part: ChainLoads(chain, forces.get(part, no_force), moments[part]) for part in at_once}
    if len(parts) > len(at_once):
        shares = LateMapping(parts, partial(_part_alone, chain, problem))
    return ChainLoads(chain, forces[TOTAL], moments[TOTAL], external, gravity, shares if budget else None)


def _part_alone(chain: Chain, p: Problem, part: str) -> ChainLoads:
    """One part of a long recording's budget, all of which take 1 kB a frame."""
    forces, moments = _recurse(p, (part,))
    return ChainLoads(chain, forces.get(part, np.broadcast_to(0.0, p.shape)), moments[part])


def _recurse(p: Problem, parts: Sequence[str]) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """Joint forces and moments of some parts, of which `TOTAL` is all, by the sum up the chain, stretch by stretch."""
    forces: dict[str, FloatArray] = {}
    moments: dict[str, FloatArray] = {}
    for frames, stretch in p.stretches():
        inertial = inertial_moments(stretch)
        for part in parts:
            force, moment = _share(stretch, inertial, part)
            _put(moments, part, frames, moment, p.shape)
            if force is not None:
                _put(forces, part, frames, force, p.shape)
    for array in (*forces.values(), *moments.values()):
        array.flags.writeable = False
    return forces, moments


def _share(p: Problem, inertial: Wrenches, part: str) -> Share:
    return joint_wrenches(p, need_of_segments(p, inertial)) if part == TOTAL else share_of(p, inertial, part)


def _put(arrays: dict[str, FloatArray], part: str, frames: slice, values: FloatArray, shape: tuple[int, ...]) -> None:
    """Put the values of some frames in their place in the array of all frames; all of them are that array already.

    Values without an axis of frames are the same in all of them.
    """
    if values.ndim < len(shape):
        arrays[part] = np.broadcast_to(values, shape)
        return
    if values.shape == shape:
        arrays[part] = values
        return
    if part not in arrays:
        arrays[part] = np.empty(shape, order="F")
    arrays[part][frames] = values


@takes(
    "solve", motion=a(BodyMotion, "a model's track(trial) returns it"), contacts=CONTACTS, extra=WRENCHES, method=METHOD,
    budget=a_switch(),
)  # fmt: skip
def solve_body(
    motion: BodyMotion,
    contacts: Mapping[str, FootContact] | HasContacts,
    *,
    extra: Iterable[External] = (),
    gravity_lab_m_s2: ArrayLike = GRAVITY_LAB_M_S2,
    method: Method = "recursive",
    budget: bool = False,
) -> JointLoads:
    """Loads of ankle, knee and hip of every leg of a tracked trial.

    Parameters
    ----------
    motion : BodyMotion
        What a model's ``track`` returns.
    contacts : Mapping[str, FootContact] | HasContacts
        Side -> the ground's wrench on that foot, or an assignment of plates to feet. A side that is not in it, and frames whose
        contact is not known, have no joint loads: they are NaN, never guessed.
    extra : Iterable[External], optional
        Further wrenches, on "L foot", "R shank", ...; each counts to its own part of the budget.
    gravity_lab_m_s2 : ArrayLike, optional
        (3,), laboratory axes; points down.
    method : Method, optional
        "recursive" or "block", as for `newton_euler.solve`.
    budget : bool, optional
        Also split every load into its parts (see `biomech_id.dynamics.budget`).

    Returns
    -------
    JointLoads
        (side, "ankle" | "knee" | "hip") -> its load, laboratory axes, about the joint centre, internal; empty for a body without
        legs.

    Raises
    ------
    WrongTypeError
        Something else than a motion and contacts; or these two the wrong way round.
    ShapeError
        A contact of another length than the motion; the message names both.
    InvalidValueError
        Contacts of another recording than the motion, or of other frames; or as for `newton_euler.solve`.
    OptionError
        As for `newton_euler.solve`.
    """
    feet = _contacts_of(contacts)
    for contact in feet.values():
        refuse_other_window(motion.window, contact.window, "the motion", "the plates", where="solve")
    if not motion.sides:
        return JointLoads({}, motion, feet)
    motion = with_bearing_ends(motion, feet)
    ground = [External(f"{side} foot", _ground_wrench(motion, feet, side)) for side in motion.sides]
    loads = solve(legs_of(motion), [*ground, *extra], gravity_lab_m_s2=gravity_lab_m_s2, method=method, budget=budget)
    joints: dict[tuple[str, str], JointLoad] = {}
    for side in motion.sides:
        around = {segment: motion.motions[side, segment] for segment in LEG_SEGMENTS} | {"pelvis": motion.motions["", "pelvis"]}
        joints |= {(side, joint): _joint_load(loads, side, joint, around) for joint in JOINTS}
    return JointLoads(joints, motion, feet, loads)


def _contacts_of(contacts: Mapping[str, FootContact] | HasContacts) -> Mapping[str, FootContact]:
    feet = contacts if isinstance(contacts, Mapping) else getattr(contacts, "contacts", None)
    assert feet is not None
    return feet


def legs_of(motion: BodyMotion) -> Chain:
    """Hang all legs of a body on the pelvis, as one chain.

    Parameters
    ----------
    motion : BodyMotion
        The tracked trial; a side without a foot is left out.

    Returns
    -------
    Chain
        Segments "L foot", "L shank", "L thigh", "R foot", ..., whose thighs hang on the base.
    """
    keys = [(side, segment) for side in motion.sides for segment in LEG_SEGMENTS]
    n = len(LEG_SEGMENTS)
    parents = [BASE if k % n == n - 1 else k + 1 for k in range(len(keys))]
    return Chain(
        segments=[motion.segments[key] for key in keys],
        motions=motion.legs,
        joints_lab_m=[motion.joint_centres_lab_m[side, joint] for side in motion.sides for joint in JOINTS],
        parents=tuple(parents),
        names=tuple(f"{side} {segment}" for side, segment in keys),
    )


def leg_at(loads: JointLoads, side: str, frames: BoolArray) -> ChainLoads:
    """Take the solution of one leg alone, in chosen frames.

    Parameters
    ----------
    loads : JointLoads
        Of a whole body.
    side : str
        "L" or "R", one of its legs.
    frames : BoolArray
        (n,), which frames of the trial.

    Returns
    -------
    ChainLoads
        Of "foot", "shank" and "thigh"; without a budget. The first of its external wrenches is the ground's.
    """
    whole, motion = loads.chain_loads, loads.motion
    if whole is None or side not in motion.sides:
        raise MissingInputError(
            f"{motion.name} has no loads of the {side} leg.", value=side, expected="a leg that was solved", where=motion.name
        )
    columns = [whole.chain.index(f"{side} {segment}") for segment in LEG_SEGMENTS]
    chain = Chain(
        segments=[_at_frames(motion.segments[side, segment], frames) for segment in LEG_SEGMENTS],
        motions=[motion.motions[side, segment].at(frames) for segment in LEG_SEGMENTS],
        joints_lab_m=[motion.joint_centres_lab_m[side, joint][frames] for joint in JOINTS],
        names=LEG_SEGMENTS,
    )
    ground = _ground_wrench(motion, loads.contacts, side)
    wrench = Wrench(ground.force_N[frames], ground.moment_Nm[frames], ground.point_lab_m[frames])
    force, moment = (np.asfortranarray(values[frames][:, columns]) for values in (whole.force_lab_N, whole.moment_lab_Nm))
    external = (External(LEG_SEGMENTS[0], wrench), *_further_at(whole, side, frames))
    return ChainLoads(chain, force, moment, external, whole.gravity_lab_m_s2)


def _further_at(whole: ChainLoads, side: str, frames: BoolArray) -> Iterator[External]:
    """What else acts on the segments of a leg in chosen frames; the first on its foot is the ground."""
    ground = next((each for each in whole.external if each.segment == f"{side} {LEG_SEGMENTS[0]}"), None)
    for each in whole.external:
        of_side, _, segment = each.segment.partition(" ")
        if each is not ground and of_side == side and segment in LEG_SEGMENTS:
            force, moment = each.at_origin()
            yield External(segment, Wrench(force[frames], moment[frames], np.zeros(3)), each.part)


def _at_frames(segment: Segment, frames: BoolArray) -> Segment:
    """The same inertial parameters in chosen frames; constant ones stay as they are."""
    com, tensor = (v[frames] if v.ndim > n else v for v, n in ((segment.com_m, 1), (segment.inertia_kgm2, 2)))
    return replace(segment, com_m=com, inertia_kgm2=tensor)


def _ground_wrench(motion: BodyMotion, contacts: Mapping[str, FootContact], side: str) -> Wrench:
    """The ground's wrench on a foot about the laboratory's origin; NaN where it is not known."""
    origin = np.zeros(3)
    if side not in contacts:
        missing = np.full((motion.n_frames, 3), np.nan)
        return Wrench(missing, missing, origin)
    contact = contacts[side]
    if len(contact.force_lab_N) != motion.n_frames:
        raise ShapeError(
            f"The contact of the {side} foot has shape {contact.force_lab_N.shape}, the motion {motion.n_frames} frames.",
            value=contact.force_lab_N.shape, expected=f"({motion.n_frames}, 3)", where=f"{motion.name}, {side} foot",
        )  # fmt: skip
    if contact.known.all():
        return Wrench(contact.force_lab_N, contact.moment_lab_Nm, origin)
    known = contact.known[:, None]
    return Wrench(np.where(known, contact.force_lab_N, np.nan), np.where(known, contact.moment_lab_Nm, np.nan), origin)


def _joint_load(loads: ChainLoads, side: str, joint: str, around: Mapping[str, Motion]) -> JointLoad:
    distal = DISTAL_SEGMENT[joint]
    name = f"{side} {distal}"
    budget = loads.budget
    parts = None if budget is None else LateMapping(tuple(budget), lambda part: budget[part].wrench(name))
    return JointLoad(side, joint, loads.wrench(name), distal, PROXIMAL_SEGMENT[joint], around, parts)


def bearing_ends(contact: FootContact) -> BoolArray:
    """Find the frames at a recording's ends in which it begins or ends while the foot bears a known force.

    Parameters
    ----------
    contact : FootContact
        The ground's wrench on the foot.

    Returns
    -------
    BoolArray
        (n,), True only within the first and the last `END_FRAMES`; all False unless `FootContact.to_the_ends` is set.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.newton_euler import bearing_ends
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
    ends = np.zeros(n, dtype=np.bool_)
    for first, last in runs(bears):
        if first == 0:
            ends[: min(last, END_FRAMES)] = True
        if last == n:
            ends[max(first, n - END_FRAMES) :] = True
    return ends


def with_bearing_ends(motion: BodyMotion, contacts: Mapping[str, FootContact]) -> BodyMotion:
    """Add accelerations of bearing legs up to the recording's ends, by the spline that gives the others.

    There the differentiating spline still shows its end condition, and accelerations are otherwise left out. A leg that stands
    moves little: what its inertia contributes is small, and so is the error (docs/decisions/derivatives.md has it measured), while
    without it the whole, and largely certain, moment of the ground's force would be thrown away.

    Parameters
    ----------
    motion : BodyMotion
        The tracked trial; only textbook kinetics leave accelerations out at the ends.
    contacts : Mapping[str, FootContact]
        Side -> the ground's wrench on that foot.

    Returns
    -------
    BodyMotion
        A new motion whose foot, shank and thigh have accelerations in the frames of `bearing_ends`; the same one where there is
        nothing to add.
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
