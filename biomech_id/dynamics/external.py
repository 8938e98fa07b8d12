"""Wrenches from outside: the ground, an exoskeleton, a carried load; and gravity, which is one too."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray, float_array, readonly
from biomech_id.algebra.vectors import cross, matvec
from biomech_id.algebra.wrench import Wrench
from biomech_id.arguments import Kind, a, a_str, holds
from biomech_id.dynamics.chain import Chain
from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.values import dataclass

#: Gravity seen from an accelerated place included; mm/s2 lie above.
LARGEST_GRAVITY_M_S2 = 500.0


@holds(segment=a_str(), wrench=a(Wrench), part=a_str())
@dataclass(frozen=True, eq=False)
class External:
    """A wrench from outside on one segment.

    Attributes
    ----------
    segment : str
        Name of the segment it acts on.
    wrench : Wrench
        Action ON the segment, about any point, in any axes. A force plate's wrench goes in whole, about any point of the plate: no
        centre of pressure, no division by the vertical force.
    part : str, optional
        The part of the moment budget it counts to.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.algebra.wrench import Wrench
    >>> from biomech_id.dynamics.external import External
    >>> ground = Wrench(np.array([[0.0, 0.0, 700.0]]), np.zeros((1, 3)), np.array([0.1, 0.0, 0.0]))
    >>> force_N, moment_Nm = External("R foot", ground).at_origin()
    >>> moment_Nm
    array([[  0., -70.,   0.]])
    """

    segment: str
    wrench: Wrench
    part: str = "ground_reaction"

    def at_origin(self) -> tuple[FloatArray, FloatArray]:
        """Refer the wrench to the laboratory's origin, in laboratory axes.

        Returns
        -------
        force_lab_N : FloatArray
            (N, 3), N.
        moment_lab_Nm : FloatArray
            (N, 3), N m, about the laboratory's origin.
        """
        force, moment = self.wrench.force_N, self.wrench.moment_Nm
        if self.wrench.R_lab_frame is not None:
            force, moment = matvec(self.wrench.R_lab_frame, force), matvec(self.wrench.R_lab_frame, moment)
        point = self.wrench.point_lab_m
        return (force, moment + cross(point, force)) if point.any() else (force, moment)


#: Newtons: a smaller force of the ground is noise of a plate, and has no direction.
LEAST_REACTION_N = 20.0
#: Cosine of 60 degrees: friction tilts the mean force of a stance by 10 degrees, a steep ramp by 20; another axis by 90.
LEAST_UPRIGHT = 0.5
#: Wrenches from outside as an argument; each of them is looked at by `check_external`.
WRENCHES = Kind("a sequence of External", lambda v: isinstance(v, Iterable))


def check_external(chain: Chain, external: Iterable[External]) -> tuple[External, ...]:
    """Check that wrenches from outside fit a chain.

    Parameters
    ----------
    chain : Chain
        The segments, distal to proximal.
    external : Iterable[External]
        Wrenches on its segments from outside.

    Returns
    -------
    tuple[External, ...]
        The same wrenches, unchanged and in their order.

    Raises
    ------
    InvalidValueError
        A wrench on a segment the chain does not have.
    ShapeError
        A wrench of another length; the message names both shapes.
    """
    checked = tuple(external)
    for load in checked:
        a(External).check(load, "extra", "solve")
        chain.index(load.segment)
        if len(load.wrench) != chain.n_frames:
            raise ShapeError(
                f"The wrench on the {load.segment} has shape {load.wrench.force_N.shape}, "
                f"its centre of mass {(chain.n_frames, 3)}.",
                value=load.wrench.force_N.shape, expected=f"({chain.n_frames}, 3)", where=load.segment,
            )  # fmt: skip
    return checked


def gravity_of(chain: Chain, gravity_lab_m_s2: ArrayLike) -> FloatArray:
    """Check gravity and bring it into a shape that broadcasts over the segments of a chain.

    Parameters
    ----------
    chain : Chain
        The segments, distal to proximal.
    gravity_lab_m_s2 : ArrayLike
        (3,), or (N, 3) seen from an accelerated place; laboratory axes, m/s2.

    Returns
    -------
    FloatArray
        (3,) or (N, 1, 3), m/s2, laboratory axes; broadcasts over (N, n, 3).

    Raises
    ------
    ShapeError
        Unless it is (3,) or (N, 3).
    """
    gravity = float_array(gravity_lab_m_s2, name="gravity_lab_m_s2", where="solve")
    if not np.abs(gravity).max(initial=0.0) <= LARGEST_GRAVITY_M_S2:
        raise InvalidValueError(
            f"solve was given a gravity_lab_m_s2 of {gravity.ravel()[:3].tolist()}: these are no m/s2.",
            value=gravity.ravel()[:3].tolist(), expected=f"m/s2, at most {LARGEST_GRAVITY_M_S2:g}", where="solve",
        )  # fmt: skip
    if gravity.shape in ((3,), (chain.n_frames, 1, 3)):
        return gravity
    if gravity.ndim == 0:
        raise ShapeError(
            f"solve was given a gravity_lab_m_s2 of {float(gravity):g}, which has no direction.",
            value=float(gravity), expected="(x, y, z), m/s2, laboratory axes", where="solve",
        )  # fmt: skip
    return readonly(gravity, (chain.n_frames, 3), name="gravity_lab_m_s2", where="solve")[:, None, :]


def lean_of_reaction(force_lab_N: FloatArray, gravity_lab_m_s2: ArrayLike) -> float:
    """Cosine of the angle between a reaction of the ground and the direction up.

    Parameters
    ----------
    force_lab_N : FloatArray
        (n, 3), force of the ground on the body, laboratory axes; NaN where it is missing, zero where there is none.
    gravity_lab_m_s2 : ArrayLike
        (3,) or (n, 3), laboratory axes; points down.

    Returns
    -------
    float
        Of the mean force: 1 upright, -1 from above. 1 too where nobody can say: without gravity, or below `LEAST_REACTION_N`.
    """
    given = np.atleast_2d(float_array(gravity_lab_m_s2, name="gravity_lab_m_s2", where="solve"))
    if given.shape[-1] != 3:
        return 1.0  # no gravity at all, as `gravity_of` says
    gravity = given.reshape(-1, 3).mean(axis=0)
    force = force_lab_N[np.isfinite(force_lab_N).all(axis=1)].reshape(-1, 3)
    size = np.linalg.norm(force, axis=1)
    mean, pull = force[size > LEAST_REACTION_N].sum(axis=0), np.linalg.norm(gravity)
    if not mean.any() or not pull:
        return 1.0
    return float(-mean @ gravity / (np.linalg.norm(mean) * pull))


def refuse_reaction_from_above(force_lab_N: FloatArray, gravity_lab_m_s2: ArrayLike, segment: str, *, where: str) -> None:
    """Refuse a reaction of the ground that does not push up, as gravity has it.

    Parameters
    ----------
    force_lab_N : FloatArray
        (n, 3), force of the ground on the segment, laboratory axes.
    gravity_lab_m_s2 : ArrayLike
        (3,) or (n, 3), laboratory axes; points down.
    segment : str
        What the ground acts on.
    where : str
        The public function that was called.

    Raises
    ------
    InvalidValueError
        The mean force points down, or more than 60 degrees from up.
    """
    up = lean_of_reaction(force_lab_N, gravity_lab_m_s2)
    if up >= LEAST_UPRIGHT:
        return
    gravity = np.asarray(gravity_lab_m_s2, dtype=np.float64).reshape(-1, 3)[0].tolist()
    problem = "points down: forces are those of the ground on the body, gravity_lab_m_s2 points down"
    if up > -LEAST_UPRIGHT:
        problem = "points sideways: gravity_lab_m_s2 may be of other axes"
    raise InvalidValueError(
        f"The ground reaction (forces) on {segment} lies {np.degrees(np.arccos(max(up, -1.0))):.0f} degrees from up with a "
        f"gravity_lab_m_s2 of {gravity}, and {problem}. A force of something else is External({segment!r}, wrench, part='handle').",
        value=gravity, expected="a mean ground reaction within 60 degrees of -gravity_lab_m_s2", where=where,
    )  # fmt: skip
