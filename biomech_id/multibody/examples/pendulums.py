"""Planar pendulums as a `System`: a frame with x down, y to the right and z out of the plane; angles from the vertical.

Every angle is that of its own link, not relative to the link before: a joint turns back by the angle before and on by its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.arguments import a_quantity, an_array, takes
from biomech_id.dynamics.body import Segment
from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.multibody.joints import JointSteps, PolynomialFunction, Turn
from biomech_id.multibody.parts import Drive, serial
from biomech_id.multibody.system import System

_BACK = PolynomialFunction((0.0, -1.0))


def absolute_angle(angle: str, before: str = "") -> JointSteps:
    """A hinge about z whose coordinate is the angle of the link itself, not that to the link before.

    Parameters
    ----------
    angle : str
        Name of the link's angle.
    before : str, optional
        Name of the angle of the link it hangs on; none for the base.

    Returns
    -------
    JointSteps
        One turn on the base, else two.
    """
    return (Turn(before, function=_BACK), Turn(angle)) if before else (Turn(angle),)


def chain_of_links(
    segments: Sequence[Segment], length_m: Sequence[float], *, gravity_m_s2: float, drives: Sequence[Drive] = ()
) -> System:
    """Links that hang from a pivot, one below the other, x along each; coordinates q_0, q_1 and so on, angles from the vertical.

    Parameters
    ----------
    segments : Sequence[Segment]
        Of the links; x along the link, from its upper joint.
    length_m : Sequence[float]
        From joint to joint.
    gravity_m_s2 : float
        Downward, along x, m/s2.
    drives : Sequence[Drive], optional
        Power partners of the absolute angles.

    Returns
    -------
    System
        A tree without loops.

    Raises
    ------
    ShapeError
        Another number of lengths than of links.
    """
    _check_lengths(segments, length_m)
    joints = [absolute_angle(f"q_{i}", f"q_{i - 1}" if i else "") for i in range(len(segments))]
    bodies = serial(segments, joints, [(float(l), 0.0, 0.0) for l in length_m])
    return System(bodies, (gravity_m_s2, 0.0, 0.0), drives=drives)


def _check_lengths(links: Sequence[object], length_m: Sequence[float]) -> None:
    if len(links) != len(length_m):
        raise ShapeError(
            f"{len(links)} links came with {len(length_m)} lengths.", value=len(length_m), expected=str(len(links)), where="links"
        )
    for number, length in enumerate(length_m):
        if length < 0.0:
            raise InvalidValueError(
                f"length_m of link {number} is {length:g} m.", value=length, expected="0 m or more", where="length_m"
            )


@takes(mass_kg=an_array(), length_m=an_array(), gravity_m_s2=a_quantity(unit="m/s2"))
def n_pendulum(mass_kg: Sequence[float], length_m: Sequence[float], *, gravity_m_s2: float) -> System:
    """Particles on massless links.

    ::

        sum_j mu_ij cos(q_i - q_j) q_j'' = -sum_j mu_ij sin(q_i - q_j) u_j^2 - g l_i sin(q_i) sum_(k >= i) m_k
        mu_ij = l_i l_j sum_(k >= max(i, j)) m_k

    Source: Gede et al. (2013) ASME DETC2013-13470, whose equation (1) lost a minus sign in every line.

    Parameters
    ----------
    mass_kg : Sequence[float]
        Particle at the end of each link, kg.
    length_m : Sequence[float]
        From joint to joint of each link, m.
    gravity_m_s2 : float
        Downward, along x, m/s2.

    Returns
    -------
    System
        Links called "link 0", "link 1" and so on.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.examples.pendulums import n_pendulum
    >>> one = n_pendulum([1.0], [1.0], gravity_m_s2=9.81)
    >>> one.forward(np.array([[np.pi / 2]]), np.zeros((1, 1)), np.zeros((1, 1))).round(3)
    array([[-9.81]])
    """
    _check_lengths(mass_kg, length_m)
    particles = [
        Segment(f"link {i}", m, np.array([l, 0.0, 0.0]), np.zeros((3, 3)))
        for i, (m, l) in enumerate(zip(mass_kg, length_m, strict=True))
    ]
    return chain_of_links(particles, length_m, gravity_m_s2=gravity_m_s2)


def double_pendulum(
    mass_kg: Sequence[float], length_m: Sequence[float], drive_Nm: Sequence[float] = (0.0, 0.0), *, gravity_m_s2: float
) -> System:
    """Two uniform bars with constant drives at shoulder and elbow.

    Source: R. Watanabe's notebook on the matrix formalism; where its code has l_2 in gravity's first row, l_1 belongs.

    Parameters
    ----------
    mass_kg : Sequence[float]
        Of the two bars, kg.
    length_m : Sequence[float]
        Of the two bars, from joint to joint, m.
    drive_Nm : Sequence[float], optional
        Constant moments M_1 on the first bar and M_12, of the first on the second.
    gravity_m_s2 : float
        Downward, along x, m/s2.

    Returns
    -------
    System
        Bars called "bar 1" and "bar 2".

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.examples.pendulums import double_pendulum
    >>> bars = double_pendulum((2.0, 1.0), (0.3, 0.25), gravity_m_s2=9.81)
    >>> bars.terms(np.zeros((1, 2)), np.zeros((1, 2))).M[0].round(4)
    array([[0.15  , 0.0375],
           [0.0375, 0.0208]])
    """
    _check_lengths(mass_kg, length_m)
    bars = []
    for i, (m, l) in enumerate(zip(mass_kg, length_m, strict=True)):
        bars.append(Segment(f"bar {i + 1}", m, np.array([l / 2, 0.0, 0.0]), np.diag([0.0, 1.0, 1.0]) * m * l**2 / 12))
    on_angles = np.array([drive_Nm[0] - drive_Nm[1], drive_Nm[1]])
    drives = [Drive(("q_0", "q_1"), lambda t, q, u: on_angles)] if on_angles.any() else []
    return chain_of_links(bars, length_m, gravity_m_s2=gravity_m_s2, drives=drives)
