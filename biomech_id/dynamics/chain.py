"""Rigid segments hanging on each other: what the Newton-Euler equations are written for.

Every segment hangs by its proximal joint on one parent, or on the base, which may move in any way. Segments are ordered
distal before proximal: a leg is foot, shank, thigh; two legs side by side are six segments whose thighs both hang on the
pelvis as the base.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray, readonly, stacked
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.dynamics.body import Motion, MotionStack, Segment
from biomech_id.errors import InvalidValueError, ShapeError
from biomech_id.values import dataclass, field

#: Parent of a segment that hangs on the base.
BASE = -1


@compact_repr
@dataclass(frozen=True, eq=False)
class Chain:
    """n segments over N frames.

    Like those of a `MotionStack` these arrays are column-major in memory.

    Parameters
    ----------
    segments : Sequence[Segment]
        n `Segment`, distal before proximal. Tensors may be constant or one per frame.
    motions : Sequence[Motion]
        n `Motion` of N frames each, kept as their `MotionStack`. Their ``com_lab_m`` is what counts, so a centre of mass may wander
        in its segment; one that was made with a segment is refused beside another.
    joints_lab_m : Sequence[FloatArray]
        n arrays (N, 3), the proximal joint centre of each segment, metres, laboratory axes.
    parents : tuple[int, ...], optional
        For each segment the index of the one it hangs on, or `BASE`. Left out: a serial chain, the last on the base.
    names : tuple[str, ...], optional
        One for each segment, all different; left out: the segments' own names.

    Attributes
    ----------
    mass_kg : FloatArray, optional
        (n,), masses of the segments.
    inertia_kgm2 : FloatArray, optional
        (n, 3, 3) or (N, n, 3, 3), about each centre of mass in segment axes.
    R_lab_seg : FloatArray, optional
        (N, n, 3, 3), segment components to laboratory components.
    omega_lab_rad_s : FloatArray, optional
        (N, n, 3), angular velocities, laboratory axes.
    alpha_lab_rad_s2 : FloatArray, optional
        (N, n, 3), angular accelerations, laboratory axes.
    com_lab_m : FloatArray, optional
        (N, n, 3), centres of mass, laboratory axes.
    com_acceleration_lab_m_s2 : FloatArray, optional
        (N, n, 3), accelerations of the centres of mass, laboratory axes.
    joint_lab_m : FloatArray, optional
        (N, n, 3), the proximal joint centres of ``joints_lab_m`` in one array, laboratory axes.

    Raises
    ------
    ShapeError
        Parts of different length; the message names both shapes.
    InvalidValueError
        A parent before its child, two segments with one name, or a segment that its motion was not made with.
    """

    segments: Sequence[Segment]
    motions: Sequence[Motion]
    joints_lab_m: Sequence[FloatArray]
    parents: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    mass_kg: FloatArray = field(init=False, repr=False)
    inertia_kgm2: FloatArray = field(init=False, repr=False)
    R_lab_seg: FloatArray = field(init=False, repr=False)
    omega_lab_rad_s: FloatArray = field(init=False, repr=False)
    alpha_lab_rad_s2: FloatArray = field(init=False, repr=False)
    com_lab_m: FloatArray = field(init=False, repr=False)
    com_acceleration_lab_m_s2: FloatArray = field(init=False, repr=False)
    joint_lab_m: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        n = len(self.segments)
        self._store("segments", tuple(self.segments))
        stack = self.motions if isinstance(self.motions, MotionStack) else MotionStack(self.motions)
        self._store("motions", stack)
        self._store("parents", tuple(self.parents) or (*range(1, n), BASE))
        self._store("names", tuple(self.names) or tuple(segment.name for segment in self.segments))
        self._check_structure()
        for segment, motion, name in zip(self.segments, stack, self.names, strict=True):
            motion.check_made_with(segment, name)
        self._store("mass_kg", readonly([s.mass_kg for s in self.segments], (n,), name="mass_kg"))
        self._store("inertia_kgm2", _stack_tensors([s.inertia_kgm2 for s in self.segments], self.n_frames, self.names))
        for name in ("R_lab_seg", "omega_lab_rad_s", "alpha_lab_rad_s2", "com_lab_m", "com_acceleration_lab_m_s2"):
            self._store(name, getattr(stack, name))
        self._store("joint_lab_m", stacked(self._checked_joints()))
        self._store("joints_lab_m", tuple(self.joint_lab_m[:, i] for i in range(n)))

    def _store(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _checked_joints(self) -> Sequence[FloatArray]:
        shape = (self.n_frames, 3)
        for points, name in zip(self.joints_lab_m, self.names, strict=True):
            if np.shape(points) != shape:
                raise ShapeError(
                    f"The joint of the {name} has shape {np.shape(points)}, expected {shape}.",
                    value=np.shape(points), expected=str(shape), where=name,
                )  # fmt: skip
        return self.joints_lab_m

    def _check_structure(self) -> None:
        n = len(self.segments)
        counts = {"motions": len(self.motions), "joints_lab_m": len(self.joints_lab_m), "parents": len(self.parents)}
        counts["names"] = len(self.names)
        if n == 0 or set(counts.values()) != {n}:
            raise ShapeError(
                f"A chain of {n} segments came with {counts}.",
                value=counts, expected=f"{max(n, 1)} of each", where="Chain",
            )  # fmt: skip
        if len(set(self.names)) < n:
            raise InvalidValueError(
                f"Two segments share a name: {self.names}.", value=self.names, expected="different names", where="Chain"
            )
        if any(parent != BASE and not i < parent < n for i, parent in enumerate(self.parents)):
            raise InvalidValueError(
                f"The parents {self.parents} do not order {n} segments distal before proximal.",
                value=self.parents, expected="for each segment a later index, or -1 for the base", where="Chain",
            )  # fmt: skip

    @property
    def n_frames(self) -> int:
        """Number of frames N."""
        return len(self.motions[0])

    @property
    def n_segments(self) -> int:
        """Number of segments n."""
        return len(self.segments)

    @property
    def com_velocity_lab_m_s(self) -> FloatArray:
        """Velocities of the centres of mass (N, n, 3), m/s, laboratory axes."""
        return stacked([motion.com_velocity_lab_m_s for motion in self.motions])

    def index(self, name: str) -> int:
        """Index of a segment.

        Parameters
        ----------
        name : str
            One of ``names``: "L foot".

        Returns
        -------
        int
            Its place in ``segments``, from 0.

        Raises
        ------
        InvalidValueError
            If no segment has that name.
        """
        if name not in self.names:
            raise InvalidValueError(
                f"The chain has no segment {name!r}.", value=name, expected=f"one of {', '.join(self.names)}", where="Chain"
            )
        return self.names.index(name)

    def children(self, index: int) -> tuple[int, ...]:
        """Indices of the segments that hang on segment ``index``.

        Parameters
        ----------
        index : int
            Place of a segment in ``segments``, or `BASE` for those that hang on the base.

        Returns
        -------
        tuple[int, ...]
            In the order of ``segments``; empty for the most distal one.
        """
        return tuple(i for i, parent in enumerate(self.parents) if parent == index)


def _stack_tensors(tensors: Sequence[FloatArray], n_frames: int, names: Sequence[str]) -> FloatArray:
    """Constant tensors as (n, 3, 3); if any is given per frame, all as (N, n, 3, 3)."""
    for tensor, name in zip(tensors, names, strict=True):
        if tensor.ndim == 3 and len(tensor) != n_frames:
            raise ShapeError(
                f"The inertia tensor of the {name} has shape {tensor.shape}, its motion {n_frames} frames.",
                value=tensor.shape, expected=f"(3, 3) or ({n_frames}, 3, 3)", where=name,
            )  # fmt: skip
    if all(tensor.ndim == 2 for tensor in tensors):
        constant = np.stack(tensors)
        constant.flags.writeable = False
        return constant
    return stacked([np.broadcast_to(tensor, (n_frames, 3, 3)) for tensor in tensors])
