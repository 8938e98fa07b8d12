"""A system near a state: the linear model, and the velocity terms as a matrix; derivatives by complex steps, to the last digits.

The state is displaced along its free speeds: a plain coordinate by its own change, a quaternion by a small rotation about the
body's axes. Dependent coordinates follow their loops, dq2 = (dq2/dq1) dq1, so that a constrained system has 2 n1 states and no
spurious ones. With delta the displacements (n1,) ::

    d/dt [delta, du1] = A [delta, du1] + B dtau1,   A = [[-omega x, 1], [du1'/ddelta, du1'/du1]],   B = [0; M1^-1]

where -omega x stands for the three displacements of a quaternion in a body that turns, and 0 for all others.
"""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.skew import skew
from biomech_id.arguments import a, a_quantity, an_array, takes
from biomech_id.errors import InvalidValueError
from biomech_id.multibody.impossible import check_state
from biomech_id.multibody.reduction import forward_dynamics, projection, reduced
from biomech_id.multibody.system import System
from biomech_id.values import dataclass

_STEP = 1e-30


@compact_repr
@dataclass(frozen=True, eq=False)
class LinearModel:
    """Linear equations about a state.

    Attributes
    ----------
    A : FloatArray
        (2 n1, 2 n1), of displacements along the free speeds, then changes of the free speeds.
    B : FloatArray
        (2 n1, n1), of changes of the forces in the free coordinates.
    names : tuple[str, ...]
        The free speeds, in order.
    residual : FloatArray
        (n1,), accelerations u1' in the state itself: zero in equilibrium.
    """

    A: FloatArray
    B: FloatArray
    names: tuple[str, ...]
    residual: FloatArray


@takes("linearise", system=a(System), q=an_array(), u1=an_array(), tau=an_array(), t_s=a_quantity(unit="s"))
def linearised(system: System, q: FloatArray, u1: FloatArray, tau: FloatArray, *, t_s: float = 0.0) -> LinearModel:
    """The linear model about a state, drives by law included with their dependence on q and u.

    Parameters
    ----------
    system : System
        Trees and closed loops.
    q : FloatArray
        (nq,), all coordinates, loops closed.
    u1 : FloatArray
        (n1,), free speeds, in the order of ``system.free_speeds``.
    tau : FloatArray
        (n,), constant drives at all joints, beside those by law.
    t_s : float, optional
        Time at which laws are asked.

    Returns
    -------
    LinearModel
        About (q, u1), with what is left of the accelerations there.

    Raises
    ------
    ShapeError
        Not one number for each coordinate, free speed or joint.
    InvalidValueError
        A number that is missing, joints that move no mass, loops that are open.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.multibody.linear import linearised
    >>> from biomech_id.multibody.examples.pendulums import n_pendulum
    >>> hanging = linearised(n_pendulum([1.0], [0.5], gravity_m_s2=9.81), *np.zeros((3, 1)))
    >>> hanging.A.round(3) + 0.0
    array([[  0.  ,   1.  ],
           [-19.62,   0.  ]])
    """
    q, u1, tau = (np.asarray(x, dtype=np.float64) for x in (q, u1, tau))
    for names, values, argument in (
        (system.coordinates, q, "q"), (system.free_speeds, u1, "u1"), (system.speeds, tau, "tau"),
    ):  # fmt: skip
        check_state(names, values, argument=argument, where="linearise")
    n1 = len(u1)
    W = projection(system, q[None], u1[None])[0][0]
    ways = np.array([system.rates(q[None], W[:, [k]].T)[0] for k in range(n1)])
    at_q = np.concatenate([q + 1j * _STEP * ways, np.tile(q, (n1, 1))])
    at_u = np.concatenate([np.tile(u1, (n1, 1)), u1 + 1j * _STEP * np.eye(n1)])
    slopes = _accelerations(system, at_q, at_u, tau, t_s).imag.T / _STEP
    A = np.zeros((2 * n1, 2 * n1))
    A[:n1, n1:], A[n1:] = np.eye(n1), slopes
    u = W @ u1
    for _, three in system.layout.quaternions:
        rows = [system.free_speeds.index(system.speeds[k]) for k in three]
        A[np.ix_(rows, rows)] = -skew(u[three])
    B = np.zeros((2 * n1, n1))
    B[n1:] = np.linalg.inv(reduced(system, q[None], u1[None]).M1[0])
    return LinearModel(A, B, system.free_speeds, _accelerations(system, q[None], u1[None], tau, t_s)[0].real)


def _accelerations(system: System, q: FloatArray, u1: FloatArray, tau: FloatArray, t_s: float) -> FloatArray:
    drives = np.tile(tau, (len(q), 1)).astype(q.dtype)
    if system.drives:
        W = projection(system, q, u1)[0]
        u = (W @ u1[..., None])[..., 0]
        drives = drives + np.array([system.drive_forces(t_s, *state) for state in zip(q, u, strict=True)])
    return forward_dynamics(system, q, u1, drives)


def coriolis_matrix(system: System, q: FloatArray, u: FloatArray) -> FloatArray:
    """Velocity terms as a matrix, c = C u with dM/dt - 2 C skew, by Christoffel's symbols of the tree's mass matrix.

    Parameters
    ----------
    system : System
        Whose speeds are the rates of its coordinates.
    q : FloatArray
        (N, n), coordinates, rad or m.
    u : FloatArray
        (N, n), their rates.

    Returns
    -------
    FloatArray
        C (N, n, n), loops cut.

    Raises
    ------
    InvalidValueError
        A quaternion among the coordinates: Christoffel's symbols need q' = u.
    """
    if system.layout.quaternions:
        raise InvalidValueError(
            "Christoffel's symbols need speeds that are rates of coordinates, and a quaternion's are not.", value=system.speeds,
            expected="q' = u; the velocity terms themselves are System.terms(q, u).C for every system", where="coriolis_matrix",
        )  # fmt: skip
    n = len(system.speeds)
    slope = np.stack(
        [system.masses.mass_matrix(system.kinematics(q + 1j * _STEP * np.eye(n)[k])).imag / _STEP for k in range(n)], axis=-1
    )  # dM_ij/dq_k
    first, second = np.einsum("nijk,nk->nij", slope, u), np.einsum("nikj,nk->nij", slope, u)
    return np.asarray((first + second - np.einsum("nkji,nk->nij", slope, u)) / 2)
