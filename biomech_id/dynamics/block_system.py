"""The matrix form of the Newton-Euler equations, A x = b.

Unknowns, distal to proximal: x = [F_1, M_1, F_2, M_2, ...], with F_i (laboratory axes) and M_i (axes of segment i, about P_i)
the action of the proximal neighbour on segment i. With Q_i = R_seg_lab of segment i, S(v) w = v x w, and k hanging on i,
the six rows of segment i hold ::

    block(i, i) = [ 1                 0 ]      block(i, k) = [ -1                  0        ]
                  [ Q_i S(P_i - c_i)  1 ]                    [ -Q_i S(P_k - c_i)  -Q_i Q_k' ]

    b_i = [ m_i (a_i - g) - F_ext ; I_i omega_dot_i + omega_i x I_i omega_i - Q_i M_ext(c_i) ]     (I, omega in segment axes)

Foot and shank give 12 x 12, with the thigh 18 x 18. A is unit lower triangular by blocks, so det A = 1 and forward
substitution solves it (see `biomech_id.dynamics.newton_euler`); this module solves it whole, as a second, independent way.

In the formalism's own letters the rows are **M a = C + G + F x + E**, each of them a property of the system: inertia times
accelerations is what velocities, gravity, the joints (F is the matrix A of above, x its unknowns) and what acts from outside give.

The formalism follows R. N. Watanabe's notebook "Matrix formalism of the Newton-Euler equations", with its slips corrected
(each segment its own tensor, arms from each segment's own centre of mass, the plate's free moment kept).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.skew import skew
from biomech_id.conventions import GRAVITY_LAB_M_S2
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External, check_external, gravity_of
from biomech_id.values import dataclass, field


@dataclass(frozen=True, eq=False)
class BlockSystem:
    """A x = b for every frame of a chain.

    Attributes
    ----------
    chain : Chain
        The n segments whose N frames it describes.
    A : FloatArray
        (N, 6n, 6n), coefficients; blocks of six rows a segment, distal to proximal (see the module).
    b : FloatArray
        (N, 6n), forces in laboratory axes (N), moments in segment axes (N m).
    frames : slice, optional
        The frames of the chain that it holds, all unless given.
    external : tuple[External, ...], optional
        Wrenches on its segments from outside.
    gravity_lab_m_s2 : ArrayLike, optional
        (3,) or (N, 1, 3), laboratory axes, m/s2.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.block_system import block_system
    >>> from biomech_id.dynamics.body import Segment
    >>> from biomech_id.multibody.examples.limb import Angles, Limb, Link
    >>> rod = Link(Segment("rod", 2.0, np.array([0.0, 0.5, 0.0]), np.zeros((3, 3))), (0.0, 1.0, 0.0))
    >>> system = block_system(Limb([rod]).chain(Limb([rod]).motions(Angles(*np.zeros((3, 1, 1))))))
    >>> system.rows[2], system.G[0, :3].round(2)
    ('rod force z', array([  0.  ,   0.  , -19.62]))
    >>> right = system.C + system.G + (system.F @ system.x[..., None])[..., 0] + system.E
    >>> bool(np.allclose((system.M @ system.a[..., None])[..., 0], right))
    True
    """

    chain: Chain
    A: FloatArray
    b: FloatArray
    frames: slice = field(default_factory=lambda: slice(None))
    external: tuple[External, ...] = ()
    gravity_lab_m_s2: ArrayLike = GRAVITY_LAB_M_S2

    # M a = C + G + F x + E, as the formalism writes it. Rows of forces are in laboratory axes, those of moments in the axes of
    # their segment, about its centre of mass.

    @property
    def rows(self) -> tuple[str, ...]:
        """Names (6n,) of the rows: segment, force or moment, axis."""
        return tuple(f"{name} {what} {axis}" for name in self.chain.names for what in ("force", "moment") for axis in "xyz")

    @cached_property
    def M(self) -> FloatArray:
        """Inertia (N, 6n, 6n), block by block: mass, kg; tensor about the centre of mass, kg m2, segment axes."""
        M = np.zeros(self.A.shape)
        for i, (mass, tensor) in enumerate(zip(self.chain.mass_kg, np.moveaxis(self._tensors, -3, 0), strict=True)):
            M[:, 6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = mass * np.eye(3)
            M[:, 6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = tensor
        return M

    @cached_property
    def a(self) -> FloatArray:
        """Accelerations (N, 6n): of each centre of mass, m/s2, laboratory axes; rate of angular velocity, rad/s2, segment axes."""
        alpha = self._seen_from_segment(self.chain.alpha_lab_rad_s2[self.frames])
        return _stacked(self.chain.com_acceleration_lab_m_s2[self.frames], alpha)

    @cached_property
    def C(self) -> FloatArray:
        """What velocities give (N, 6n): no force, and the moment -omega x I omega, N m, segment axes."""
        omega = self._seen_from_segment(self.chain.omega_lab_rad_s[self.frames])
        moment = -np.cross(omega, np.einsum("...ij,...j->...i", self._tensors, omega))
        return _stacked(np.zeros(moment.shape), moment)

    @cached_property
    def G(self) -> FloatArray:
        """What gravity gives (N, 6n): the weight, N, laboratory axes, and no moment about the centre of mass."""
        weight = np.zeros((len(self.b), self.chain.n_segments, 3)) + self.chain.mass_kg[:, None] * np.asarray(self.gravity_lab_m_s2)
        return _stacked(weight, np.zeros(weight.shape))

    @property
    def F(self) -> FloatArray:
        """What a unit of each unknown gives (N, 6n, 6n), the matrix A: 1 of a force, m of its moment, 1 of a moment."""
        return self.A

    @cached_property
    def x(self) -> FloatArray:
        """Unknowns (N, 6n): force, N, laboratory axes, and moment, N m, segment axes, of the neighbour above about each joint."""
        missing = self._missing()
        # NaN would poison a whole frame; the rows of a missing segment are zeroed and their unknowns marked missing again.
        A = np.where(np.isnan(self.A), 0.0, self.A)
        x = np.linalg.solve(A, np.where(missing, 0.0, self.b)[..., None])[..., 0]
        return np.where(missing, np.nan, x)

    @cached_property
    def E(self) -> FloatArray:
        """What acts from outside (N, 6n): force, N, laboratory axes; moment about the centre of mass, N m, segment axes."""
        force, moment = np.zeros((2, len(self.b), self.chain.n_segments, 3))
        for load in self.external:
            i = self.chain.index(load.segment)
            wrench = load.wrench.at(self.frames).expressed_in("lab").about(self.chain.com_lab_m[self.frames, i])
            force[:, i] += wrench.force_N
            moment[:, i] += wrench.moment_Nm
        return _stacked(force, self._seen_from_segment(moment))

    @property
    def _tensors(self) -> FloatArray:
        """(n, 3, 3) or (N, n, 3, 3), kg m2, segment axes."""
        tensors = self.chain.inertia_kgm2
        return tensors if tensors.ndim == 3 else tensors[self.frames]

    def _seen_from_segment(self, vector_lab: FloatArray) -> FloatArray:
        """Laboratory components (N, n, 3) to segment components."""
        return np.asarray(np.einsum("fnji,fnj->fni", self.chain.R_lab_seg[self.frames], vector_lab))

    def solve(self) -> tuple[FloatArray, FloatArray]:
        """Solve by LU decomposition, frame by frame.

        Returns
        -------
        force_lab_N : FloatArray
            (N, n, 3), N, of the proximal neighbour on each segment, laboratory axes.
        moment_lab_Nm : FloatArray
            (N, n, 3), N m, about each proximal joint centre, laboratory axes. Both are NaN for a segment with a missing value and
            for all it hangs on.
        """
        return self.wrenches_of(self.x)

    def wrenches_of(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Split a vector of unknowns into forces and moments.

        Parameters
        ----------
        x : FloatArray
            (N, 6n), force (N, laboratory axes) and moment (N m, axes of the segment) of each proximal joint, segment by segment.

        Returns
        -------
        force_lab_N : FloatArray
            (N, n, 3), N, laboratory axes.
        moment_lab_Nm : FloatArray
            (N, n, 3), N m, about each proximal joint centre, laboratory axes.
        """
        parts = x.reshape(len(x), self.chain.n_segments, 2, 3)
        moment = np.einsum("fnij,fnj->fni", self.chain.R_lab_seg[self.frames], parts[:, :, 1])
        return parts[:, :, 0], moment

    def unknowns_of(self, force_lab_N: FloatArray, moment_lab_Nm: FloatArray) -> FloatArray:
        """Write joint forces and moments as the vector of unknowns, the inverse of `wrenches_of`.

        Parameters
        ----------
        force_lab_N : FloatArray
            (N, n, 3), of the proximal on the distal segment, laboratory axes, N.
        moment_lab_Nm : FloatArray
            (N, n, 3), about each proximal joint, laboratory axes, N m.

        Returns
        -------
        FloatArray
            (N, 6n), forces in laboratory axes (N), moments in segment axes (N m).
        """
        return _stacked(force_lab_N, self._seen_from_segment(moment_lab_Nm))

    def residual(self, force_lab_N: FloatArray, moment_lab_Nm: FloatArray) -> FloatArray:
        """Put given joint wrenches into the system.

        Parameters
        ----------
        force_lab_N : FloatArray
            (N, n, 3), of the proximal on the distal segment, laboratory axes, N.
        moment_lab_Nm : FloatArray
            (N, n, 3), about each proximal joint, laboratory axes, N m.

        Returns
        -------
        FloatArray
            (N, 6n), A x - b: N in force rows, N m in moment rows; zero if the wrenches solve the system, NaN where something is
            missing.
        """
        product: FloatArray = np.einsum("fij,fj->fi", self.A, self.unknowns_of(force_lab_N, moment_lab_Nm))
        return product - self.b

    def _missing(self) -> BoolArray:
        """Unknowns (N, 6n) that depend on a missing value: those of a segment with one and of all it hangs on."""
        rows = np.isnan(self.A).any(axis=2) | np.isnan(self.b)
        segments = np.asarray(rows.reshape(len(self.b), -1, 6).any(axis=2))
        for i, parent in enumerate(self.chain.parents):
            if parent >= 0:
                segments[:, parent] |= segments[:, i]
        return np.asarray(np.repeat(segments, 6, axis=1))


def _stacked(force: FloatArray, moment: FloatArray) -> FloatArray:
    """Rows (N, 6n) of forces and moments (N, n, 3)."""
    return np.stack([force, moment], axis=2).reshape(len(force), -1)


def block_system(
    chain: Chain,
    external: Iterable[External] = (),
    *,
    gravity_lab_m_s2: ArrayLike = GRAVITY_LAB_M_S2,
    frames: slice = slice(None),
) -> BlockSystem:
    """Assemble the linear system of a chain; parameters and errors as for `biomech_id.dynamics.newton_euler.solve`.

    Parameters
    ----------
    chain : Chain
        The segments, distal to proximal.
    external : Iterable[External], optional
        Wrenches on its segments from outside.
    gravity_lab_m_s2 : ArrayLike, optional
        (3,), laboratory axes, m/s2; points down.
    frames : slice, optional
        Those whose system is asked for: of all frames of a long recording it is large.

    Returns
    -------
    BlockSystem
        The system of the chosen frames, not yet solved.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.block_system import block_system
    >>> from biomech_id.dynamics.body import Segment
    >>> from biomech_id.multibody.examples.limb import Angles, Limb, Link
    >>> rod = Link(Segment("rod", 2.0, np.array([0.0, 0.5, 0.0]), np.zeros((3, 3))), (0.0, 1.0, 0.0))
    >>> chain = Limb([rod]).chain(Limb([rod]).motions(Angles(*np.zeros((3, 1, 1)))))
    >>> force_N, moment_Nm = block_system(chain).solve()
    >>> force_N.round(3) + 0.0
    array([[[ 0.  ,  0.  , 19.62]]])
    """
    external = check_external(chain, external)
    gravity = gravity_of(chain, gravity_lab_m_s2)
    gravity = gravity if gravity.ndim == 1 else gravity[frames]
    R, omega_lab, alpha_lab = chain.R_lab_seg[frames], chain.omega_lab_rad_s[frames], chain.alpha_lab_rad_s2[frames]
    N, n = R.shape[:2]
    A = np.zeros((N, 6 * n, 6 * n))
    b = np.zeros((N, 6 * n))
    Q = np.swapaxes(R, -1, -2)
    c, P = chain.com_lab_m[frames], chain.joint_lab_m[frames]
    for i in range(n):
        force, moment = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6)
        A[:, force, force] = A[:, moment, moment] = np.eye(3)
        A[:, moment, force] = Q[:, i] @ skew(P[:, i] - c[:, i])
        for k in chain.children(i):
            distal_force, distal_moment = slice(6 * k, 6 * k + 3), slice(6 * k + 3, 6 * k + 6)
            A[:, force, distal_force] = -np.eye(3)
            A[:, moment, distal_force] = -Q[:, i] @ skew(P[:, k] - c[:, i])
            A[:, moment, distal_moment] = -Q[:, i] @ R[:, k]
        omega = np.einsum("fij,fj->fi", Q[:, i], omega_lab[:, i])
        omega_dot = np.einsum("fij,fj->fi", Q[:, i], alpha_lab[:, i])
        tensor = chain.inertia_kgm2[i] if chain.inertia_kgm2.ndim == 3 else chain.inertia_kgm2[frames, i]
        momentum = np.einsum("...ij,...j->...i", tensor, omega)
        rate = np.einsum("...ij,...j->...i", tensor, omega_dot)
        b[:, force] = chain.mass_kg[i] * (chain.com_acceleration_lab_m_s2[frames] - gravity)[:, i]
        b[:, moment] = rate + np.cross(omega, momentum)
        for load in (load for load in external if load.segment == chain.names[i]):
            wrench = load.wrench.at(frames).expressed_in("lab").about(c[:, i])
            b[:, force] -= wrench.force_N
            b[:, moment] -= np.einsum("fij,fj->fi", Q[:, i], wrench.moment_Nm)
    return BlockSystem(chain, A, b, frames, external, gravity)
