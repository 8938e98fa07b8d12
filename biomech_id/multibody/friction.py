r"""Coulomb friction of joints that ends: which joints at rest stay there, what holds them, and which way the others go.

A joint that slips has its kinetic friction against its speed. One at rest has whatever keeps it there, within its static limit ::

    slip    f = -kinetic sign(u)
    stick   u = 0 exactly,  |f| <= static

With X = du/du1 of the joints at rest, their accelerations are A f + b, A = X M1^-1 X^T, b without friction. The least constraint
within the limits, min f^T A f / 2 + f^T b with \|f\| <= static, is a linear complementarity: what it leaves at zero sticks. Joints
at their limit that accelerate break away, the furthest first, and have kinetic friction from there on; one that another then pushes
back rests again. A joint that its force does not move, at a dead centre or where motions are given, goes as it is moved. Limits are
given as torques or forces; friction that grows with the force across a joint has no place here.

Source: Moreau (1966) C R Acad Sci Paris 262:1388; Stewart (2000) SIAM Rev 42:3.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.arguments import a_quantity, holds, or_none
from biomech_id.errors import InvalidValueError
from biomech_id.values import dataclass

_LIMIT = a_quantity(0.0, 1e12, "N or N m")
#: Share of its limit by which a joint at rest has to be overcome until it breaks away: a block that its limit just holds stays.
OVERCOME = 1e-8
#: Differences below this share are rounding.
_ROUNDING = 1e-12
#: Eigenvalues of A below this, its diagonal scaled to 1, belong to joints that cannot move apart from each other.
_TOGETHER = 1e-11
#: How often, for each joint, joints that would turn round at once may be put back to rest.
_RETURNS = 3
#: A limit of zero is a box without an inside.
_LEAST_LIMIT = 1e-300


@holds(kinetic=_LIMIT, static=or_none(_LIMIT))
@dataclass(frozen=True)
class Friction:
    """Coulomb friction along a speed, for `biomech_id.multibody.forward.simulate`.

    Attributes
    ----------
    kinetic : float
        While it slips: N of a slide, N m of a turn.
    static : float | None, optional
        Most that it holds at rest, N or N m, not below ``kinetic``; None is ``kinetic``.

    Raises
    ------
    InvalidValueError
        A static limit below the kinetic one.
    """

    kinetic: float
    static: float | None = None

    def __post_init__(self) -> None:
        if self.limit < self.kinetic:
            raise InvalidValueError(
                f"This friction holds {self.limit:g} at rest and takes {self.kinetic:g} while it slips.",
                value=self.limit, expected=f"a static limit of {self.kinetic:g} or more", where="Friction",
            )  # fmt: skip

    @property
    def limit(self) -> float:
        """Most that it holds at rest, N or N m."""
        return max(_LEAST_LIMIT, self.kinetic if self.static is None else self.static)


def holding(A: FloatArray, b: FloatArray, limits: FloatArray | float = np.inf) -> FloatArray:
    """Forces within their limits that leave least acceleration: min f^T A f / 2 + f^T b.

    Parameters
    ----------
    A : FloatArray
        (k, k), accelerations for unit forces, symmetric; singular where joints cannot move apart from each other.
    b : FloatArray
        (k,), accelerations without the forces.
    limits : FloatArray | float, optional
        (k,), N or N m; infinite for what is bound for good.

    Returns
    -------
    FloatArray
        f (k,), N or N m; A f + b is zero where no limit is reached. The smallest of those that do the same.
    """
    size = np.sqrt(np.diag(A))
    size[size == 0.0] = np.inf  # at a dead centre no force of the joint moves anything
    values, ways = np.linalg.eigh(A / np.outer(size, size))
    apart = values > _TOGETHER
    values, ways, box = values[apart], ways[:, apart], limits * size
    along = -(ways.T @ (b / size))
    f = ways @ (along / values)
    if (np.abs(f) > box).any():
        from scipy.optimize import lsq_linear  # slow to import; few simulations have friction

        root = np.sqrt(values)
        f = lsq_linear((ways * root).T, along / root, (-box, box), method="bvls", tol=1e-15, max_iter=100 * len(b)).x
    return np.asarray(f / size)


def breaking(A: FloatArray, b: FloatArray, limits: FloatArray, kinetic: FloatArray) -> FloatArray:
    """Which of the joints at rest go, and which way.

    Parameters
    ----------
    A : FloatArray
        (k, k), accelerations for unit forces, symmetric; may be singular.
    b : FloatArray
        (k,), accelerations without friction.
    limits : FloatArray
        (k,), static, N or N m; infinite for what is bound for good.
    kinetic : FloatArray
        (k,), N or N m.

    Returns
    -------
    FloatArray
        (k,), 1 or -1 for the way a joint goes, 0 where it sticks.
    """
    bound, going = np.isinf(limits), np.zeros(len(b))
    if bound.all():
        return going
    if bound.any():
        free = ~bound
        passed = np.linalg.lstsq(A[np.ix_(bound, bound)], A[np.ix_(bound, free)], rcond=_TOGETHER)[0].T
        left, size = A[np.ix_(free, free)] - passed @ A[np.ix_(bound, free)], np.abs(b[free]) + np.abs(passed) @ np.abs(b[bound])
        moved = np.diag(left) <= _TOGETHER * np.diag(A)[free]
        left[moved], left[:, moved], along = 0.0, 0.0, b[free] - passed @ b[bound]
        along[moved & (np.abs(along) <= _TOGETHER * size)] = 0.0
        going[free] = breaking(left, along, limits[free], kinetic[free])
        return going
    size, back = np.diag(A), _RETURNS * len(b)
    light = size == 0.0
    unit = np.where(light, 1.0, size)
    while True:
        rest, f = going == 0, -going * kinetic
        f[rest] = holding(A[np.ix_(rest, rest)], b[rest] + A[rest] @ f, limits[rest])
        ahead = (A @ f + b) / unit
        turned = ~rest & (going * ahead < -_ROUNDING * limits)
        if turned.any() and back:
            going[turned], back = 0.0, back - 1
            continue
        at_limit = rest & (light | (np.abs(f) >= limits * (1 - _ROUNDING)))
        over = np.where(at_limit, np.abs(ahead) - _ROUNDING * limits * ~light, 0.0)
        first = np.argmax(over)
        if over[first] <= 0:
            return going
        going[first] = np.sign(ahead[first])
