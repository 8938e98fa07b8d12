"""All numbers of one inverse dynamics, for all frames or a stretch of them.

Frames do not depend on each other, so a long recording is worked off in stretches whose arrays stay in the processor's cache: the
cost per frame does not grow with the number of frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from biomech_id.algebra.arrays import FloatArray
from biomech_id.dynamics.chain import Chain
from biomech_id.dynamics.external import External
from biomech_id.values import dataclass

#: Frames in a stretch: what one leg's arrays and intermediate results take then fits a cache of a few MB. Half or twice is as good.
STRETCH = 8192


class Outside(NamedTuple):
    """A wrench from outside, laboratory axes, about the laboratory's origin.

    ``part`` is the part of the budget it counts to, ``i`` the index of the segment it acts on; force (N, 3) in N, moment (N, 3) in
    N m.
    """

    part: str
    i: int
    force: FloatArray
    moment: FloatArray


@dataclass(frozen=True, eq=False)
class Problem:
    """A chain, gravity and everything that pulls at the chain from outside.

    Attributes
    ----------
    parents : tuple[int, ...]
        (n,) indices, `BASE` for the base; this and the next eight are those of `Chain`.
    mass_kg : FloatArray
        (n,), masses of the segments.
    inertia_kgm2 : FloatArray
        (n, 3, 3) or (N, n, 3, 3), about each centre of mass in segment axes.
    R_lab_seg : FloatArray
        (N, n, 3, 3), segment components to laboratory components.
    omega_lab_rad_s : FloatArray
        (N, n, 3), angular velocities, laboratory axes.
    alpha_lab_rad_s2 : FloatArray
        (N, n, 3), angular accelerations, laboratory axes.
    com_lab_m : FloatArray
        (N, n, 3), centres of mass, laboratory axes.
    com_acceleration_lab_m_s2 : FloatArray
        (N, n, 3), accelerations of the centres of mass, laboratory axes.
    joint_lab_m : FloatArray
        (N, n, 3), proximal joint centres, laboratory axes.
    gravity_lab_m_s2 : FloatArray
        (3,) or (N, 1, 3), laboratory axes, m/s2.
    outside : tuple[Outside, ...]
        External wrenches about the laboratory's origin.
    """

    parents: tuple[int, ...]
    mass_kg: FloatArray
    inertia_kgm2: FloatArray
    R_lab_seg: FloatArray
    omega_lab_rad_s: FloatArray
    alpha_lab_rad_s2: FloatArray
    com_lab_m: FloatArray
    com_acceleration_lab_m_s2: FloatArray
    joint_lab_m: FloatArray
    gravity_lab_m_s2: FloatArray
    outside: tuple[Outside, ...]

    @classmethod
    def of(cls, chain: Chain, external: Sequence[External], gravity: FloatArray) -> Problem:
        """Take over values that fit together (see `external.check_external` and `external.gravity_of`).

        Parameters
        ----------
        chain : Chain
            The segments, distal to proximal.
        external : Sequence[External]
            That fit the chain (see `external.check_external`).
        gravity : FloatArray
            Broadcasts over (N, n, 3), laboratory axes, m/s2.

        Returns
        -------
        Problem
            Of all frames of the chain.
        """
        outside = tuple(Outside(load.part, chain.index(load.segment), *load.at_origin()) for load in external)
        return cls(
            chain.parents, chain.mass_kg, chain.inertia_kgm2, chain.R_lab_seg, chain.omega_lab_rad_s, chain.alpha_lab_rad_s2,
            chain.com_lab_m, chain.com_acceleration_lab_m_s2, chain.joint_lab_m, gravity, outside,
        )  # fmt: skip

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, n, 3)."""
        return self.com_lab_m.shape

    def stretches(self) -> Iterator[tuple[slice, Problem]]:
        """Cut the frames into stretches of at most `STRETCH`.

        Yields
        ------
        frames : slice
            Which frames of this problem.
        stretch : Problem
            The problem of those frames.
        """
        n_frames = self.shape[0]
        if n_frames <= STRETCH:
            yield slice(0, n_frames), self
            return
        for start in range(0, n_frames, STRETCH):
            frames = slice(start, min(start + STRETCH, n_frames))
            yield frames, self.at(frames)

    def at(self, frames: slice) -> Problem:
        """Keep some frames.

        Parameters
        ----------
        frames : slice
            Those that are kept.

        Returns
        -------
        Problem
            Of those frames; its arrays are views, nothing is copied.
        """
        constant, fixed = self.inertia_kgm2.ndim == 3, self.gravity_lab_m_s2.ndim == 1
        return Problem(
            self.parents, self.mass_kg, self.inertia_kgm2 if constant else self.inertia_kgm2[frames], self.R_lab_seg[frames],
            self.omega_lab_rad_s[frames], self.alpha_lab_rad_s2[frames], self.com_lab_m[frames],
            self.com_acceleration_lab_m_s2[frames], self.joint_lab_m[frames],
            self.gravity_lab_m_s2 if fixed else self.gravity_lab_m_s2[frames],
            tuple(Outside(o.part, o.i, o.force[frames], o.moment[frames]) for o in self.outside),
        )  # fmt: skip
