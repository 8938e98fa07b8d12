"""An exoskeleton of the right arm: 13 coordinates, 5 of them free, closed by 2 pairs of gears and 3 pins.

Two perpendicular shoulder axes (rho1, rho2) are free; the third, parallel to everything below, follows from an upper crank-lever
mechanism, and that from a lower one: a central gear at the elbow turns with the elbow's carriers and drives both. rho7 turns the
tool about the forearm. A spring between the gear and the forearm carries part of the weight. The topology is that of Schappler,
Lilge & Haddadin (2019) IFToMM D-A-CH, its equations (10) to (12); lengths and masses, which are not published, are made up.

Base axes: X forward, Y up, Z to the right. At zero the upper arm hangs; rho3 > 0 flexes, rho2 > 0 abducts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.dynamics.body import Segment
from biomech_id.multibody.closures import Gearing, LoopClosure, Place, circle_intersection, pin
from biomech_id.multibody.joints import prismatic, revolute
from biomech_id.multibody.kinematics import GROUND
from biomech_id.multibody.parts import Body, denavit_hartenberg
from biomech_id.multibody.springs import Spring
from biomech_id.multibody.system import System

#: Body, what it hangs on, coordinate, row of the table (gamma, b, alpha, d, theta, r), mass in kg, centre of mass in m, and the
#: tensor's entries xx, yy, zz, xy, xz, yz in kg m2.
_QUARTER = np.pi / 2
_BODIES: tuple[tuple[str, str, str, tuple[float, ...], float, Place, tuple[float, ...]], ...] = (
    ("yoke1", GROUND, "rho1", (0, 0, -_QUARTER, 0, 0, 0), 0.8,
     (0.02, -0.03, 0.045), (0.0021, 0.0018, 0.0014, 0.0002, -0.0001, 0.0003)),
    ("yoke2", "yoke1", "rho2", (-_QUARTER, 0, _QUARTER, 0, 0, 0), 0.65,
     (-0.015, 0.025, 0.03), (0.0012, 0.001, 0.0013, -0.0001, 0.0002, 0.0001)),
    ("upper3", "yoke2", "rho3", (_QUARTER, 0, _QUARTER, 0, np.pi, 0), 1.6,
     (0.14, 0.006, -0.012), (0.0024, 0.0135, 0.0142, 0.0004, -0.0006, 0.0002)),
    ("carrier4", "upper3", "rho4", (0, 0, 0, 0.3, 0, 0.004), 0.18,
     (0.024, 0.002, 0.005), (6e-05, 0.00011, 0.00015, 1e-05, -5e-06, 4e-06)),
    ("carrier5", "carrier4", "rho5", (0, 0, 0, 0.05, 0, -0.004), 0.17,
     (0.026, -0.003, 0.004), (5e-05, 0.0001, 0.00013, -1e-05, 6e-06, 3e-06)),
    ("forearm6", "carrier5", "rho6", (0, 0, 0, 0.05, 0, 0), 1.25,
     (0.115, 0.008, 0.01), (0.0015, 0.0078, 0.0082, -0.0003, 0.0002, 0.0001)),
    ("tool7", "forearm6", "rho7", (_QUARTER, 0, _QUARTER, 0, 0, 0.25), 2.1,
     (0.015, -0.02, 0.06), (0.0071, 0.0066, 0.0028, 0.0003, -0.0004, 0.0005)),
    ("crank9", "yoke2", "eta2", (_QUARTER, 0.06, _QUARTER, -0.115, np.pi, 0.012), 0.14,
     (0.045, 0.003, 0.002), (3e-05, 0.00014, 0.00016, 1e-05, 2e-06, 3e-06)),
    ("lever10", "upper3", "eta3", (0.25, 0, 0, 0.052, -0.25, 0.012), 0.22,
     (0.012, -0.008, 0.003), (0.00011, 0.00013, 0.00022, 2e-05, -4e-06, 3e-06)),
    ("rod11", "lever10", "eta4", (0, 0, 0, 0.07, 0, 0.003), 0.2,
     (0.143, 0.002, -0.001), (3e-05, 0.0015, 0.00151, 1e-05, 2e-06, -3e-06)),
    ("gear12", "carrier4", "eta5", (0, 0, 0, 0.05, 0, 0.006), 0.31,
     (0.01, 0.006, 0.002), (0.00012, 0.00013, 0.00021, 2e-05, 3e-06, 5e-06)),
    ("cylinder14", "gear12", "eta7", (-0.6, 0, 0, 0.035, 0.6, -0.002), 0.24,
     (0.05, 0.002, 0.001), (4e-05, 0.00023, 0.00024, 1e-05, -3e-06, 2e-06)),
    ("rod15", "cylinder14", "Ls", (_QUARTER, 0, _QUARTER, 0, 0, 0), 0.11,
     (0.001, 0.002, -0.035), (9e-05, 8e-05, 2e-05, 3e-06, 4e-06, -2e-06)),
)  # fmt: skip
_ROW = ("gamma_rad", "b_m", "alpha_rad", "d_m", "theta_rad", "r_m")
#: Coordinates that stay free.
FREE_ARM = ("rho1", "rho2", "rho4", "rho5", "rho7")
#: Where pins and pivots sit, m and rad: a length along a body and an angle on it.
_PIN_C, _PIN_E, _PIVOT_10, _PIVOT_14 = (0.06, 0.9), (0.06, -2.2), (0.052, 0.25), (0.035, -0.6)
_PIVOT_9, _CRANK, _LEVER, _ROD, _SPRING_END = (0.115, -0.06), 0.09, 0.07, 0.29, (0.14, 0.03)


def _polar(length: float, angle: float) -> Place:
    return length * float(np.cos(angle)), length * float(np.sin(angle)), 0.0


def arm_closures() -> list[LoopClosure]:
    """Gears 3-12 on carrier 4 and 12-6 on carrier 5 (pitch radii 30, 20, 30 mm); pins C (10), E (11) and A (12).

    The pins lie in the upper arm's plane, whatever its attitude.
    """
    third = 2.0 / 3.0
    return [
        Gearing({"rho4": -1.5, "eta5": 1.0}),
        Gearing({"rho5": -third, "eta5": third, "rho6": 1.0}),
        pin("rod11", (_ROD, 0.0, 0.0), "gear12", _polar(*_PIN_C), plane_of="upper3"),
        pin("lever10", _polar(*_PIN_E), "crank9", (_CRANK, 0.0, 0.0), plane_of="upper3"),
        pin("rod15", (0.0, 0.0, 0.0), "forearm6", (*_SPRING_END, 0.0), plane_of="upper3"),
    ]


def arm_exoskeleton(gravity_m_s2: ArrayLike, closures: Sequence[LoopClosure] | None = None) -> System:
    """The mechanism, with its closed form: lever pin C to the left of O10 -> C, pin E to the left of O3 -> O9.

    Parameters
    ----------
    gravity_m_s2 : ArrayLike
        (3,), base axes; (0, -9.81, 0) where Y is up.
    closures : Sequence[LoopClosure] | None, optional
        `arm_closures` in another order.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.exoskeleton import arm_exoskeleton
    >>> from biomech_id.multibody.reduction import configuration
    >>> arm = arm_exoskeleton((0.0, -9.81, 0.0))
    >>> q = configuration(arm, np.array([[0.2, 0.6, 0.35, 0.6, 0.1]]))
    >>> dict(zip(arm.coordinates, q[0].round(3).tolist()))["rho3"]
    0.461
    """
    bodies = []
    for name, parent, coordinate, row, mass, com, (xx, yy, zz, xy, xz, yz) in _BODIES:
        segment = Segment(name, mass, np.array(com), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), "made up")
        joint = prismatic(coordinate) if coordinate == "Ls" else revolute(coordinate)
        bodies.append(Body(segment, joint, parent, **denavit_hartenberg(**dict(zip(_ROW, row, strict=True)))))
    spring = Spring("Ls", 4500.0, 60.0, 0.15)
    return System(
        bodies, gravity_m_s2, arm_closures() if closures is None else closures, FREE_ARM, [spring], closed_form=_closed_form
    )


def _closed_form(m: Any, q1: Sequence[Any]) -> Sequence[Any]:
    """Sine and cosine of rho3, rho6, eta2, eta3, eta4, eta5, eta7, and Ls, in the plane of the upper arm."""
    _, _, rho4, rho5, _ = q1
    eta5 = 1.5 * rho4
    rho6 = (2.0 / 3.0) * (rho5 - eta5)
    c4, s4, c5, s5 = m.cos(rho4), m.sin(rho4), m.cos(eta5), m.sin(eta5)
    gear = (c4 * c5 - s4 * s5, s4 * c5 + c4 * s5)  # the central gear's x axis
    centre = (0.30 + 0.05 * c4, 0.05 * s4)
    O10 = _polar(*_PIVOT_10)
    C = _on(centre, gear, _polar(*_PIN_C))
    D = circle_intersection(m, O10, _LEVER, C, _ROD, 1, of="lever 10 and rod 11 (pin C)")
    lever = ((D[0] - O10[0]) * (1 / _LEVER), (D[1] - O10[1]) * (1 / _LEVER))
    rod = ((C[0] - D[0]) * (1 / _ROD), (C[1] - D[1]) * (1 / _ROD))
    E = _on(O10, lever, _polar(*_PIN_E))
    squared = E[0] * E[0] + E[1] * E[1]
    F = circle_intersection(m, (0.0, 0.0), m.sqrt(squared), _PIVOT_9, _CRANK, 1, of="lever 10 and crank 9 (pin E)")
    shoulder = _between(E, F, 1 / squared)
    crank = ((F[0] - _PIVOT_9[0]) * (1 / _CRANK), (F[1] - _PIVOT_9[1]) * (1 / _CRANK))
    elbow = _between((1.0, 0.0), (m.cos(rho6), m.sin(rho6)), 1)
    # The spring's end as carrier 5 sees it, and the pivot on the gear; the gear's angle to carrier 5 is eta5 - rho5.
    to_gear = (m.cos(eta5 - rho5), m.sin(eta5 - rho5))
    Q, O14 = _on((0.05, 0.0), (elbow[1], elbow[0]), _SPRING_END), _on((0.0, 0.0), to_gear, _polar(*_PIVOT_14))
    span = (Q[0] - O14[0], Q[1] - O14[1])
    length = m.sqrt(span[0] * span[0] + span[1] * span[1])
    spring = _between(to_gear, span, 1 / length)
    return [shoulder, elbow, (crank[1], crank[0]), (lever[1], lever[0]), _between(lever, rod, 1), (s5, c5), spring, length]


def _on(origin: Sequence[Any], along: Sequence[Any], place: Sequence[float]) -> tuple[Any, Any]:
    """A point of a body whose x axis is ``along``."""
    return origin[0] + place[0] * along[0] - place[1] * along[1], origin[1] + place[0] * along[1] + place[1] * along[0]


def _between(a: Sequence[Any], b: Sequence[Any], scale: Any) -> tuple[Any, Any]:
    """Sine and cosine of the angle from a to b, vectors in the plane; ``scale`` is 1 / (length of a times length of b)."""
    return (a[0] * b[1] - a[1] * b[0]) * scale, (a[0] * b[0] + a[1] * b[1]) * scale
