"""What a `System` is made of: a body with the joint it hangs by, a place from a robotics table, drives, and the terms by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray, readonly
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.arguments import a, a_str, each, holds
from biomech_id.dynamics.body import Segment
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.impossible import check_inertia, check_numbers
from biomech_id.multibody.joints import FIXED, JointSteps, Orientation, Slide, Turn, X, Y, Z
from biomech_id.multibody.kinematics import GROUND, TreeLayout
from biomech_id.values import dataclass

#: Constants of a placement closer than this to 0 or 1 are that: 6e-17 instead of 0 would double every expression.
SNAP = 1e-14
_NO_TURN = (X, Y, Z)


@holds(
    segment=a(Segment), joint=each(a((Turn, Slide, Orientation), "revolute(...), ball(...) and others make them")), parent=a_str(),
)  # fmt: skip
@dataclass(frozen=True, eq=False)
class Body:
    """A body, the joint it hangs by, and where that joint sits on the body before.

    Attributes
    ----------
    segment : Segment
        Mass, centre of mass and tensor in the axes of the body's frame, whose origin the joint has moved. Both may be zero.
    joint : JointSteps, optional
        Steps from the place on the parent to the body's frame.
    parent : str, optional
        Name of a body before it in the list, or `GROUND`.
    place_m : ArrayLike, optional
        (3,), the joint's place in the parent's frame.
    R_parent_joint : ArrayLike, optional
        (3, 3), constant turn from the joint's axes to the parent's.

    Raises
    ------
    InvalidValueError
        A mass, centre of mass or tensor that changes in time, a number that is missing, or a turn that is none.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.body import Segment
    >>> from biomech_id.multibody.joints import revolute
    >>> from biomech_id.multibody.parts import Body
    >>> thigh = Segment("thigh", 7.0, np.array([0.2, 0.0, 0.0]), np.diag([0.02, 0.1, 0.1]))
    >>> Body(thigh, revolute("hip")).name
    'thigh'
    """

    segment: Segment
    joint: JointSteps = FIXED
    parent: str = GROUND
    place_m: ArrayLike = (0.0, 0.0, 0.0)
    R_parent_joint: ArrayLike = _NO_TURN

    def __post_init__(self) -> None:
        segment, R = self.segment, readonly(self.R_parent_joint, (3, 3), name="R_parent_joint", where=self.name)
        if segment.com_m.ndim > 1 or segment.inertia_kgm2.ndim > 2:
            raise InvalidValueError(
                f"The mass distribution of the {self.name} changes in time.", value=segment.com_m.shape,
                expected="a rigid body: one centre of mass and one tensor; these equations have no term for a changing mass",
                where=self.name,
            )  # fmt: skip
        check_numbers(self.name, com_m=segment.com_m, inertia_kgm2=segment.inertia_kgm2, place_m=self.place_m, R_parent_joint=R)
        if np.abs(R @ R.T - np.eye(3)).max() > 1e-9 or np.linalg.det(R) < 0:
            raise InvalidValueError(
                f"The place of the joint of the {self.name} has no right-handed axes.", value=R.tolist(),
                expected="a rotation matrix", where=self.name,
            )  # fmt: skip
        object.__setattr__(self, "place_m", readonly(self.place_m, (3,), name="place_m", where=self.name))
        object.__setattr__(self, "R_parent_joint", R)

    @property
    def name(self) -> str:
        """The segment's name."""
        return self.segment.name


def serial(segments: Sequence[Segment], joints: Sequence[JointSteps], tips_m: Sequence[ArrayLike]) -> list[Body]:
    """Bodies that hang one on the other, the first on the base.

    Parameters
    ----------
    segments : Sequence[Segment]
        From the base on.
    joints : Sequence[JointSteps]
        By which each hangs.
    tips_m : Sequence[ArrayLike]
        Where on each the next one hangs, (3,); of the last one it is not asked.

    Returns
    -------
    list[Body]
        In the order of ``segments``.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.body import Segment
    >>> from biomech_id.multibody.joints import revolute
    >>> from biomech_id.multibody.parts import serial
    >>> links = [Segment(name, 1.0, np.zeros(3), np.zeros((3, 3))) for name in ("thigh", "shank")]
    >>> [body.parent for body in serial(links, [revolute("hip"), revolute("knee")], [(0.0, -0.4, 0.0)])]
    ['base', 'thigh']
    """
    before = [GROUND, *(segment.name for segment in segments)]
    places: list[ArrayLike] = [(0.0, 0.0, 0.0), *tips_m]
    return [Body(segment, joint, before[k], places[k]) for k, (segment, joint) in enumerate(zip(segments, joints, strict=True))]


def check_tree(bodies: Sequence[Body]) -> None:
    """Refuse bodies that are no tree.

    Parameters
    ----------
    bodies : Sequence[Body]
        In order, parents before children.

    Raises
    ------
    InvalidValueError
        Two bodies with one name, or a parent that is no earlier body.
    """
    before: list[str] = []
    for body in bodies:
        if body.name in (*before, GROUND):
            raise InvalidValueError(
                f"Two bodies are called {body.name!r}.", value=body.name, expected="different names", where="System"
            )
        if body.parent not in (*before, GROUND):
            raise InvalidValueError(
                f"The {body.name} hangs on {body.parent!r}, which {_misplaced(body, bodies)}.",
                value=body.parent, expected=f"{GROUND!r} or a body before it: {before}", where=body.name,
            )  # fmt: skip
        before.append(body.name)


def _misplaced(body: Body, bodies: Sequence[Body]) -> str:
    """What is wrong with the parent of a body."""
    parents = {one.name: one.parent for one in bodies}
    above = [body.parent]
    while above[-1] in parents and above[-1] not in (body.name, *above[:-1]):
        above.append(parents[above[-1]])
    if above[-1] == body.name:
        return "hangs on it in turn: close a loop with pin(...) or spherical(...), not by parents"
    return "comes after it in the list: parents first" if body.parent in parents else "is no body"


def denavit_hartenberg(
    *, gamma_rad: float = 0.0, b_m: float = 0.0, alpha_rad: float = 0.0, d_m: float = 0.0, theta_rad: float = 0.0, r_m: float = 0.0
) -> dict[str, FloatArray]:
    """Place of a joint from a row of the modified table with branches, Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r).

    The joint then turns about, or slides along, z. Source: Khalil & Kleinfinger (1986) IEEE ICRA 3:1174.

    Parameters
    ----------
    gamma_rad : float, optional
        Turn about the parent's z, rad.
    b_m : float, optional
        Way along that z, m.
    alpha_rad : float, optional
        Turn about the new x, rad.
    d_m : float, optional
        Way along that x, m.
    theta_rad : float, optional
        Constant turn about the joint's z, rad.
    r_m : float, optional
        Way along the joint's z, m.

    Returns
    -------
    dict[str, FloatArray]
        ``place_m`` and ``R_parent_joint`` of a `Body`.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.parts import denavit_hartenberg
    >>> denavit_hartenberg(gamma_rad=np.pi / 2, d_m=0.4)["place_m"].tolist()
    [0.0, 0.4, 0.0]
    """
    c, s = (_snapped(f(gamma_rad)) for f in (np.cos, np.sin))
    ca, sa = (_snapped(f(alpha_rad)) for f in (np.cos, np.sin))
    ct, st = (_snapped(f(theta_rad)) for f in (np.cos, np.sin))
    to_axis = np.array([[c, -s * ca, s * sa], [s, c * ca, -c * sa], [0.0, sa, ca]])
    turn = to_axis @ np.array([[ct, -st, 0.0], [st, ct, 0.0], [0.0, 0.0, 1.0]])
    turn = np.where(np.abs(turn - turn.round()) < SNAP, turn.round(), turn) + 0.0
    return {"place_m": np.array([c * d_m, s * d_m, b_m]) + to_axis[:, 2] * r_m + 0.0, "R_parent_joint": turn}


def _snapped(value: float) -> float:
    nearest = round(float(value))
    return float(nearest) if abs(value - nearest) < SNAP else float(value)


@holds(speeds=each(a_str()), torque=a(Callable))  # type: ignore[arg-type]
@dataclass(frozen=True)
class Drive:
    """Torques or forces by a law: tau = torque(t, q, u) at some speeds.

    Attributes
    ----------
    speeds : tuple[str, ...]
        Names of the speeds it is the power partner of.
    torque : Callable[[float, FloatArray, FloatArray], ArrayLike]
        Of time, all coordinates (nq,) and all speeds (n,) of one state; one value for each of ``speeds``.
    """

    speeds: tuple[str, ...]
    torque: Callable[[float, FloatArray, FloatArray], ArrayLike]


@compact_repr
@dataclass(frozen=True, eq=False)
class Terms:
    """Parts of M u' = C + G + Q + E for N states; all but M stand on the right.

    Attributes
    ----------
    M : FloatArray
        (N, n, n), mass matrix.
    C : FloatArray
        (N, n), from centrifugal and Coriolis effects (and from the base's motion).
    G : FloatArray
        (N, n), from gravity.
    Q : FloatArray
        (N, n), from drives, springs and dampers.
    E : FloatArray
        (N, n), from wrenches on the bodies.
    layout : TreeLayout
        The tree whose speeds and joints they belong to.
    """

    M: FloatArray
    C: FloatArray
    G: FloatArray
    Q: FloatArray
    E: FloatArray
    layout: TreeLayout

    def accelerations(self) -> FloatArray:
        """Solve for the accelerations of a system without loops.

        Returns
        -------
        FloatArray
            u' (N, n).

        Raises
        ------
        InvalidValueError
            A state in which a joint, or several together, move no mass.
        """
        check_inertia(self.layout, self.M, self.layout.speeds)
        return np.asarray(np.linalg.solve(self.M, (self.C + self.G + self.Q + self.E)[..., None])[..., 0])
