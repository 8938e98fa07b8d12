"""Inverse dynamics of somebody's own arrays: poses, joint centres, inertia and forces in, joint wrenches out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray, readonly
from biomech_id.algebra.vectors import matvec, matvec_transposed
from biomech_id.algebra.wrench import Wrench
from biomech_id.arguments import Kind, a_quantity, a_switch, a_word, or_none, takes
from biomech_id.conventions import GRAVITY_LAB_M_S2
from biomech_id.dynamics.body import Frames, Segment
from biomech_id.dynamics.chain import BASE, Chain
from biomech_id.dynamics.external import External, refuse_reaction_from_above
from biomech_id.dynamics.loads import ChainLoads
from biomech_id.dynamics.newton_euler import Method, solve
from biomech_id.errors import BiomechWarning, InvalidValueError, MissingInputError, did_you_mean
from biomech_id.models.segment_motion import differentiate
from biomech_id.signal.derivatives import END_FRAMES
from biomech_id.trial.markers import LARGEST_POSITION_M

#: A joint centre wanders in either segment's axes by soft tissue, up to 40 mm (m); an order of segments that is wrong, by more.
MOST_WANDER_M = 0.06
#: From here on (m), poses are taken for transposed where transposing them makes the joint this many times steadier.
LEAST_WANDER_M = 0.01
CLEARER = 5.0
#: Words in the names of segments that stand on the ground.
STANDS = ("foot", "toe", "calc")
#: The part of a wrench that nobody calls otherwise.
GROUND_PART = External.part
#: Name of the segment where there is one and nobody names it.
ONLY = "segment"
_T = TypeVar("_T")
#: One array for the only segment, or name -> array, distal before proximal.
Arrays = Mapping[str, ArrayLike] | ArrayLike
_ARRAYS = Kind("an array, or a mapping of segments to arrays,", lambda v: isinstance(v, Mapping | Sequence | np.ndarray))
_NUMBERS = Kind("a number, or a mapping of segments to numbers,", lambda v: isinstance(v, Mapping | int | float | np.number))
_FORCES = Kind(
    "a mapping of segments to (force, moment, point), or External, ",
    lambda v: isinstance(v, Mapping | External) or (isinstance(v, Sequence) and not isinstance(v, str)),
)


@takes(
    "inverse_dynamics", R_lab_seg=_ARRAYS, origin_lab_m=_ARRAYS, joint_lab_m=_ARRAYS, rate_hz=a_quantity(1.0, 1e6, "Hz"),
    mass_kg=_NUMBERS,
    com_m=_ARRAYS, inertia_kgm2=_ARRAYS, forces=_FORCES, parents=or_none(Kind("a mapping", lambda v: isinstance(v, Mapping))),
    gravity_lab_m_s2=_ARRAYS, method=a_word(("recursive", "block")), budget=a_switch(),
)  # fmt: skip
def solve_arrays(
    R_lab_seg: Arrays,
    origin_lab_m: Arrays,
    joint_lab_m: Arrays,
    *,
    rate_hz: float,
    mass_kg: Mapping[str, float] | float,
    com_m: Arrays,
    inertia_kgm2: Arrays,
    forces: Mapping[str, Sequence[ArrayLike] | External] | Sequence[ArrayLike] | Sequence[External] | External = (),
    parents: Mapping[str, str] | None = None,
    gravity_lab_m_s2: ArrayLike = GRAVITY_LAB_M_S2,
    method: Method = "recursive",
    budget: bool = False,
) -> ChainLoads:
    """Return the wrench at the proximal joint of each segment from arrays; ``loads["foot"].moment_Nm`` is (n, 3).

    Everything of several segments is a mapping with the same names, distal before proximal: ``{"foot": ..., "shank": ...}``. Of a
    single segment it is the array itself. Velocities and accelerations are those of a quintic spline through the poses; the first
    and last four frames have none, and no loads.

    Parameters
    ----------
    R_lab_seg : Arrays
        (n, 3, 3) each, segment components to laboratory components.
    origin_lab_m : Arrays
        (n, 3) each, origin of the segment's axes, metres, laboratory axes.
    joint_lab_m : Arrays
        (n, 3) each, proximal joint centre of the segment, metres, laboratory axes.
    rate_hz : float
        Frames of all arrays per second.
    mass_kg : Mapping[str, float] | float
        Segment -> mass, kg, or one mass for all.
    com_m : Arrays
        (3,) each, centre of mass in segment axes from the origin, metres.
    inertia_kgm2 : Arrays
        (3, 3) each, tensor about the centre of mass in segment axes.
    forces : Mapping[str, Sequence[ArrayLike] | External] | Sequence[ArrayLike] | Sequence[External] | External, optional
        Segment -> (force (n, 3) N, moment (n, 3) N m about the point, point (n, 3) or (3,) m) on it, laboratory axes; moment and
        point may be left out: zero, and the laboratory's origin. Without a mapping, (force, moment, point) is on the first segment.
        Or `External` values. Unless its ``part`` is another, a force is taken for a reaction of the ground, which points up.
    parents : Mapping[str, str] | None, optional
        Segment -> the one it hangs on, of those that do not hang on the next one; "" is the base.
    gravity_lab_m_s2 : ArrayLike, optional
        (3,), laboratory axes; points down.
    method : Method, optional
        "recursive" sums from the tips, "block" assembles and solves the matrix system; they agree to 1e-9.
    budget : bool, optional
        Also split the result into its parts.

    Returns
    -------
    ChainLoads
        Wrenches at the proximal joints, N and N m in laboratory axes; NaN in frames without loads.

    Raises
    ------
    MissingInputError
        A segment is not in every mapping.
    InvalidValueError, ShapeError
        Arrays that are no rotations, do not fit together, or look like millimetres; a joint that is not fixed in its segments, as
        with transposed poses; a reaction of the ground that pushes a foot down or sideways.

    Warns
    -----
    BiomechWarning
        Frames without loads, with their number, beyond the four at either end; a force on another segment than a foot that would be
        such a reaction.

    Examples
    --------
    >>> import numpy as np
    >>> import biomech_id as bid
    >>> still = np.tile(np.eye(3), (30, 1, 1)), np.zeros((30, 3)), np.tile([0.0, 0.0, 0.1], (30, 1))
    >>> com_m, inertia_kgm2 = [0.0, 0.0, 0.05], 0.01 * np.eye(3)
    >>> loads = bid.inverse_dynamics(*still, rate_hz=100.0, mass_kg=1.0, com_m=com_m, inertia_kgm2=inertia_kgm2, method="block")
    >>> loads["segment"].force_N[15].round(3)
    array([0.  , 0.  , 9.81])
    """
    poses = _by_name(R_lab_seg)
    names = tuple(poses)
    given = {
        "origin_lab_m": origin_lab_m,
        "joint_lab_m": joint_lab_m,
        "mass_kg": mass_kg,
        "com_m": com_m,
        "inertia_kgm2": inertia_kgm2,
    }
    of = {what: _of_all(_by_name(value), names, what) for what, value in given.items()}
    segments, motions, joints = [], [], []
    for name in names:
        segment = Segment(name, float(of["mass_kg"][name]), np.asarray(of["com_m"][name]), np.asarray(of["inertia_kgm2"][name]))
        frames = _pose(poses[name], of["origin_lab_m"][name], name)
        com_lab_m = frames.origin_lab_m + matvec(frames.R_lab_seg, np.broadcast_to(segment.com_m, frames.origin_lab_m.shape))
        segments.append(segment)
        motions.append(differentiate(frames, com_lab_m, rate_hz, segment=segment))
        joints.append(readonly(of["joint_lab_m"][name], (len(frames), 3), name="joint_lab_m", where=name))
        _check_metres(joints[-1], "joint_lab_m", name)
    chain = Chain(segments, motions, joints, _parents(names, parents or {}), names)
    _check_joints(chain)
    external = list(_external(forces, chain))
    for load in external:
        _check_reaction(load, gravity_lab_m_s2)
    loads = solve(chain, external, gravity_lab_m_s2=gravity_lab_m_s2, method=method, budget=budget)
    _warn_of_lost(loads)
    return loads


def _pose(R_lab_seg: ArrayLike, origin_lab_m: ArrayLike, name: str) -> Frames:
    try:
        frames = Frames(np.asarray(R_lab_seg, dtype=np.float64), np.asarray(origin_lab_m, dtype=np.float64))
    except InvalidValueError as wrong:
        raise InvalidValueError(f"{name}: {wrong.message}", value=wrong.value, expected=wrong.expected, where=name) from None
    _check_metres(frames.origin_lab_m, "origin_lab_m", name)
    return frames


def _check_metres(points_m: FloatArray, what: str, name: str) -> None:
    furthest_m = float(np.nanmax(np.abs(points_m), initial=0.0))
    if furthest_m > LARGEST_POSITION_M:
        raise InvalidValueError(
            f"The {what} of {name} reaches {furthest_m:.6g}: these look like mm.",
            value=furthest_m, expected=f"metres, at most {LARGEST_POSITION_M:g}", where=what,
        )  # fmt: skip


def _check_joints(chain: Chain) -> None:
    """Refuse a joint centre that wanders in the axes of a segment it belongs to."""
    for joint_m, name, parent in zip(chain.joints_lab_m, chain.names, chain.parents, strict=True):
        for i in (chain.index(name), parent):
            if i == BASE:
                continue
            R = chain.R_lab_seg[:, i]
            arm_lab_m = joint_m - chain.motions[i].frames.origin_lab_m
            wander_m, transposed_m = _wander_m(matvec_transposed(R, arm_lab_m)), _wander_m(matvec(R, arm_lab_m))
            transposed = wander_m > LEAST_WANDER_M and wander_m > CLEARER * transposed_m
            if wander_m > MOST_WANDER_M or transposed:
                cause = "segments go distal before proximal, each with its proximal joint_lab_m, of one recording"
                if transposed:
                    cause = f"R_lab_seg of {chain.names[i]} looks transposed; it maps segment components to laboratory components"
                raise InvalidValueError(
                    f"The joint_lab_m of {name} wanders by {1e3 * wander_m:.0f} mm in the axes of {chain.names[i]} (R_lab_seg): "
                    f"{cause}.",
                    value=wander_m, expected=f"a joint fixed in both segments within {1e3 * MOST_WANDER_M:g} mm", where=name,
                )  # fmt: skip


def _wander_m(path_m: FloatArray) -> float:
    """Root mean square distance from the mean place, of the frames that are known."""
    known = path_m[np.isfinite(path_m).all(axis=1)]
    return float(np.sqrt(np.square(known - known.mean(axis=0)).sum(axis=1).mean())) if len(known) else 0.0


def _check_reaction(load: External, gravity_lab_m_s2: ArrayLike) -> None:
    """Refuse a ground reaction that pushes a foot down or sideways; warn where the segment may be none that stands."""
    if load.part != GROUND_PART:
        return
    force_N = load.at_origin()[0]
    try:
        refuse_reaction_from_above(force_N, gravity_lab_m_s2, load.segment, where="inverse_dynamics")
    except InvalidValueError as refused:
        if any(word in load.segment.lower() for word in STANDS):
            raise
        warnings.warn(refused.message, BiomechWarning, stacklevel=4)


def _warn_of_lost(loads: ChainLoads) -> None:
    """Warn of frames that are lost beyond those at the ends."""
    lost, n, chain = loads.n_lost, loads.chain.n_frames, loads.chain
    if lost <= 2 * END_FRAMES < n:
        return
    causes = [f"R_lab_seg, origin_lab_m or joint_lab_m of {name}" for i, name in enumerate(chain.names) if not _whole(chain, i)]
    causes += [f"forces on {load.segment}" for load in loads.external if not np.isfinite(load.at_origin()).all()]
    why = f"NaN in {', '.join(causes)} loses {END_FRAMES} frames on either side too" if causes else f"{n} frames are too few"
    warnings.warn(
        f"inverse_dynamics: {lost} of {n} frames have no loads, {min(n, 2 * END_FRAMES)} of them at the ends; {why}.",
        BiomechWarning, stacklevel=4,
    )  # fmt: skip


def _whole(chain: Chain, i: int) -> bool:
    return bool(np.isfinite(chain.com_lab_m[:, i]).all() and np.isfinite(chain.joint_lab_m[:, i]).all())


def _by_name(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {ONLY: value}


def _of_all(values: Mapping[str, _T], names: Sequence[str], what: str) -> Mapping[str, _T]:
    """What every segment has of one thing.

    Raises
    ------
    MissingInputError
        One has none, or there is one of no segment.
    """
    odd = [name for name in (*names, *values) if (name in values) != (name in names)]
    if odd:
        near = did_you_mean(odd[0], [name for name in names if name != odd[0]])
        words = f"The segment {odd[0]} is not in both R_lab_seg and {what} of inverse_dynamics.{near}"
        raise MissingInputError(words, value=sorted(values), expected=", ".join(names), where=what)
    return values


def _parents(names: Sequence[str], parents: Mapping[str, str]) -> tuple[int, ...]:
    odd = [name for pair in parents.items() for name in pair if name and name not in names]
    if odd:
        words = f"parents names {odd[0]}, which is none of the segments.{did_you_mean(odd[0], names)}"
        raise InvalidValueError(words, value=odd, expected=", ".join(names), where="parents")
    for name, parent in parents.items():
        if parent and names.index(parent) <= names.index(name):
            words = f"parents hangs {name} on {parent}, which does not come after it in R_lab_seg."
            raise InvalidValueError(words, value=parents, expected="segments distal before proximal", where="parents")
    following = [*names[1:], ""]
    hangs = [parents.get(name, next_one) for name, next_one in zip(names, following, strict=True)]
    return tuple(names.index(parent) if parent else BASE for parent in hangs)


def _external(forces: Any, chain: Chain) -> Iterable[External]:
    if isinstance(forces, Mapping):
        for name, parts in forces.items():
            if name not in chain.names:
                words = f"forces names {name}, which is none of the segments.{did_you_mean(name, chain.names)}"
                raise InvalidValueError(words, value=name, expected=", ".join(chain.names), where="forces")
            yield parts if isinstance(parts, External) else External(name, _wrench(parts, chain.n_frames, name))
    elif isinstance(forces, External):
        yield forces
    elif len(forces) and isinstance(forces[0], External):
        yield from forces
    elif len(forces):
        yield External(chain.names[0], _wrench(forces, chain.n_frames, chain.names[0]))


def _wrench(parts: Any, n_frames: int, where: str) -> Wrench:
    """Force, moment and point as far as they are given."""
    values = list(parts) if isinstance(parts, tuple | list) else [parts]
    full: list[FloatArray] = []
    for value, name in zip((*values, *[np.zeros(3)] * (3 - len(values))), ("force", "moment", "point"), strict=True):
        array = np.asarray(value, dtype=np.float64)
        array = np.broadcast_to(array, (n_frames, 3)) if array.ndim == 1 else array
        full.append(readonly(array, (n_frames, 3), name=f"the {name} of forces", where=where))
    force, moment, point = full
    return Wrench(force, moment, point)
