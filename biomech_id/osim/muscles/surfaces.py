"""The surfaces that pieces of paths wrap over, as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.multibody.musculoskeletal import WrapObject
from biomech_id.osim.muscles.cylinder import Cylinders
from biomech_id.values import dataclass

#: Kinds of surfaces, by number.
KINDS = ("cylinder", "sphere", "ellipsoid", "torus")
#: Ways to lay the plane of a path over an ellipsoid, as documents name them, by number.
WRAP_METHODS = ("hybrid", "midpoint", "axial")
HYBRID, MIDPOINT, AXIAL = range(3)


@dataclass(frozen=True, eq=False)
class Surfaces(Cylinders):
    """The surface of each piece of path.

    Attributes
    ----------
    kind : IntArray
        (N,), place in `KINDS`.
    size_m : FloatArray
        (N, 3), as the document gives it, zeros behind, m.
    method : IntArray
        (N,), place in `WRAP_METHODS`.
    """

    kind: IntArray
    size_m: FloatArray
    method: IntArray

    def __getitem__(self, rows: IntArray | BoolArray) -> Surfaces:
        return Surfaces(
            self.radius_m[rows], self.half_length_m[rows], self.axis[rows], self.sign[rows], self.kind[rows], self.size_m[rows],
            self.method[rows],
        )  # fmt: skip


def surfaces_of(objects: Sequence[WrapObject], methods: Sequence[str] = ()) -> Surfaces:
    """Gather wrap objects as arrays.

    Parameters
    ----------
    objects : Sequence[WrapObject]
        Surfaces, "all" or half of each.
    methods : Sequence[str], optional
        How each is used, "hybrid" if empty.

    Returns
    -------
    Surfaces
        In the order of ``objects``.

    Examples
    --------
    >>> from biomech_id.osim.muscles.surfaces import surfaces_of
    >>> from biomech_id.multibody.musculoskeletal import OffsetFrame, WrapObject
    >>> condyles = surfaces_of([WrapObject("condyles", "cylinder", OffsetFrame("femur_r"), (0.03, 0.12), "-y")])
    >>> condyles.half_length_m, condyles.axis, condyles.sign
    (array([0.06]), array([1]), array([-1.]))
    """
    halves = [o.quadrant.strip() for o in objects]
    axis = np.array(["xyz".find(half[-1:]) if half != "all" else 0 for half in halves], dtype=int)
    sign = np.array([0.0 if half == "all" else -1.0 if half.startswith("-") else 1.0 for half in halves])
    kind = np.array([KINDS.index(o.kind) for o in objects], dtype=int)
    size = np.array([(*o.size_m, 0.0, 0.0)[:3] for o in objects], dtype=float).reshape(-1, 3)
    method = np.array([WRAP_METHODS.index(m) for m in methods or len(objects) * (WRAP_METHODS[0],)], dtype=int)
    return Surfaces(size[:, 0], np.where(kind == 0, size[:, 1] / 2, np.inf), axis, sign, kind, size, method)
