"""Surfaces of any kind that paths wrap over: each kind's own rule, for many pieces of path at once.

A newcomer adds a module with two functions, which side and which path, and a row in `WRAP_RULES`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.osim.muscles.cylinder import NONE, Arc, Choice, choose, on_length, slid, unrolled
from biomech_id.osim.muscles.ellipsoid import choose_on_ellipsoid, over_ellipsoid
from biomech_id.osim.muscles.sphere import choose_on_sphere, over_sphere
from biomech_id.osim.muscles.surfaces import KINDS, Surfaces
from biomech_id.osim.muscles.torus import choose_on_torus, over_torus

Way = Callable[[FloatArray, FloatArray, Surfaces, Choice], Arc]
#: Kind -> which side, OpenSim's path, the shortest one.
WRAP_RULES: dict[str, tuple[Callable[[FloatArray, FloatArray, Surfaces], Choice], Way, Way]] = {
    "cylinder": (choose, slid, unrolled),
    "sphere": (choose_on_sphere, over_sphere, over_sphere),
    "ellipsoid": (choose_on_ellipsoid, over_ellipsoid, over_ellipsoid),
    "torus": (choose_on_torus, over_torus, partial(over_torus, shortest=True)),
}


def choose_on(p1: FloatArray, p2: FloatArray, surfaces: Surfaces) -> Choice:
    """Whether and on which side each piece wraps, by OpenSim's rules.

    Parameters
    ----------
    p1, p2 : FloatArray
        (N, 3), ends of the pieces in the surfaces' axes, m.
    surfaces : Surfaces
        The surface of each piece.

    Returns
    -------
    Choice
        Of N pieces.
    """
    n, kinds = len(p1), _by_kind(surfaces)
    if len(kinds) == 1:
        _, (side, _, _) = kinds[0]
        return side(p1, p2, surfaces)
    whole = Choice(np.full(n, NONE), np.ones((n, 2)), np.zeros(n, bool), np.zeros(n, bool))
    for rows, (side, _, _) in kinds:
        part = side(p1[rows], p2[rows], surfaces[rows])
        for name in ("code", "turn", "far", "long"):
            getattr(whole, name)[rows] = getattr(part, name)
    return whole


def _by_kind(surfaces: Surfaces) -> list[tuple[IntArray, tuple[Callable[..., Choice], Way, Way]]]:
    return [(np.flatnonzero(surfaces.kind == k), WRAP_RULES[KINDS[k]]) for k in np.unique(surfaces.kind)]


def path_over(p1: FloatArray, p2: FloatArray, surfaces: Surfaces, choice: Choice, *, shortest: bool) -> tuple[Arc, BoolArray]:
    """Draw the path of each piece over its surface.

    Parameters
    ----------
    p1, p2 : FloatArray
        (N, 3), ends of the pieces in the surfaces' axes, m.
    surfaces : Surfaces
        The surface of each piece.
    choice : Choice
        Which path; its codes are not looked at.
    shortest : bool
        Whether the shortest path on its side is wanted, and not OpenSim's; of cylinders only, those of other kinds have one.

    Returns
    -------
    tuple[Arc, BoolArray]
        Where the N paths touch and leave; whether they stay on their surfaces, which only cylinders end.
    """
    n, kinds = len(p1), _by_kind(surfaces)
    if len(kinds) == 1:
        _, (_, drawn, least) = kinds[0]
        arc = (least if shortest else drawn)(p1, p2, surfaces, choice)
        return arc, on_length(arc, surfaces)
    whole = Arc(np.empty((n, 3)), np.empty((n, 3)), np.empty(n), np.empty(n))
    for rows, (_, drawn, least) in kinds:
        part = (least if shortest else drawn)(p1[rows], p2[rows], surfaces[rows], choice[rows])
        for name in ("first_m", "last_m", "angle_rad", "length_m"):
            getattr(whole, name)[rows] = getattr(part, name)
    return whole, on_length(whole, surfaces)
