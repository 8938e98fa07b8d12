"""An exoskeleton of the right arm: 13 coordinates, 5 of them free, closed by 2 pairs of gears and 3 pins.

Two perpendicular shoulder axes (rho1, rho2) are free; the third, parallel to everything below, follows from an upper crank-lever
mechanism, and that from a lower one: a central gear at the elbow turns with the elbow's carriers and drives both. rho7 turns the
tool about the forearm. A spring between the gear and the forearm carries part of the weight. The topology is that of Schappler,
Lilge & Haddadin (2019) IFToMM D-A-CH, its equations (10) to (12); lengths and masses, which are not published, are made up.

Base axes: X forward, Y up, Z to the right. At zero the upper arm hangs; rho3 > 0 flexes, rho2 > 0 abducts.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.dynamics.body import Segment
from biomech_id.multibody.closures import Gearing, LoopClosure, Place, circle_intersection, pin
from biomech_id.multibody.joints import prismatic, revolute
from biomech_id.multibody.parts import Body, denavit_hartenberg
from biomech_id.multibody.springs import Spring
from biomech_id.multibody.system import System

#: A row for each body: what it hangs on, coordinate, modified Denavit-Hartenberg parameters, mass, centre of mass, and the entries
#: of its tensor, kg m2.
ARM_TABLE = list(csv.DictReader((Path(__file__).parent / "tables" / "exoskeleton.csv").read_text(encoding="utf-8").splitlines()))
_ROW = ("gamma_rad", "b_m", "alpha_rad", "d_m", "theta_rad", "r_m")
_TENSOR = ("xx", "yy", "zz", "xy", "xz", "yz")
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

    Returns
    -------
    list[LoopClosure]
        In the order of the table's loops.
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

    Returns
    -------
    System
        Arm and exoskeleton, closed by pins and gears; `FREE_ARM` are its free coordinates.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.examples.exoskeleton import arm_exoskeleton
    >>> from biomech_id.multibody.reduction import configuration
    >>> arm = arm_exoskeleton((0.0, -9.81, 0.0))
    >>> q = configuration(arm, np.array([[0.2, 0.6, 0.35, 0.6, 0.1]]))
    >>> dict(zip(arm.coordinates, q[0].round(3).tolist()))["rho3"]
    0.461
    """
    bodies = []
    for row in ARM_TABLE:
        com, (xx, yy, zz, xy, xz, yz) = ([float(row[key]) for key in keys] for keys in (("x_m", "y_m", "z_m"), _TENSOR))
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        segment = Segment(row["body"], float(row["mass_kg"]), np.array(com), tensor, "made up")
        joint = prismatic(row["coordinate"]) if row["coordinate"] == "Ls" else revolute(row["coordinate"])
        bodies.append(Body(segment, joint, row["parent"], **denavit_hartenberg(**{key: float(row[key]) for key in _ROW})))
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
