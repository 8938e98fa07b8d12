"""Loads from outside as OpenSim's documents describe them: forces at points of bodies, in the axes of bodies, over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.vectors import cross
from biomech_id.multibody.musculoskeletal import SURROUNDINGS
from biomech_id.osim.skeleton.skeleton import SkeletonPose
from biomech_id.signal.natural_spline import CUBIC, NaturalSpline
from biomech_id.values import dataclass

#: Samples that a cubic spline takes; fewer are joined by straight lines.
_FEWEST = 4


@compact_repr
@dataclass(frozen=True, eq=False)
class OuterForce:
    """A force, the point it acts at, and a free moment, sampled over time.

    Attributes
    ----------
    segment : str
        Body that it acts ON.
    time_s : FloatArray
        (n,), of the samples.
    force_N, moment_Nm : FloatArray | None
        (n, 3), in the axes of ``force_frame``; None for none.
    point_m : FloatArray | None
        (n, 3), in ``point_frame``; None for the origin of the body it acts on.
    force_frame, point_frame : str, optional
        Bodies whose axes these are.
    """

    segment: str
    time_s: FloatArray
    force_N: FloatArray | None
    moment_Nm: FloatArray | None
    point_m: FloatArray | None
    force_frame: str = SURROUNDINGS
    point_frame: str = SURROUNDINGS


@compact_repr
@dataclass(frozen=True, eq=False)
class BodyLoad:
    """A wrench on a body in every frame, axes of the surroundings.

    Attributes
    ----------
    segment : str
        Body that it acts ON.
    force_N : FloatArray
        (N, 3), on the body.
    moment_Nm : FloatArray
        (N, 3), about the origin of the surroundings.
    point_m : FloatArray | None, optional
        (N, 3), where the force acts, axes of the surroundings; None if that is not known.
    """

    segment: str
    force_N: FloatArray
    moment_Nm: FloatArray
    point_m: FloatArray | None = None

    def at_origin(self) -> tuple[FloatArray, FloatArray]:
        """Force and moment about the origin of the surroundings.

        Returns
        -------
        tuple[FloatArray, FloatArray]
            Force (N, 3), N, and moment (N, 3), N m, in the axes of the surroundings.
        """
        return self.force_N, self.moment_Nm


def loads_in_pose(outer: Sequence[OuterForce], pose: SkeletonPose, time_s: FloatArray) -> tuple[BodyLoad, ...]:
    """Evaluate sampled forces in the frames of a motion, between samples by natural cubic splines.

    Parameters
    ----------
    outer : Sequence[OuterForce]
        The samples; those of one table are taken together.
    pose : SkeletonPose
        The bodies in N frames.
    time_s : FloatArray
        (N,), times of those frames, s; beyond the samples their splines go on as straight lines.

    Returns
    -------
    tuple[BodyLoad, ...]
        One for each of ``outer``, in its order; forces and moments (N, 3), axes of the surroundings.

    Raises
    ------
    UnknownNameError
        A body that the model does not have.
    """
    tables: dict[int, list[int]] = {}
    for k, force in enumerate(outer):
        tables.setdefault(id(force.time_s), []).append(k)
    loads: dict[int, BodyLoad] = {}
    for members in tables.values():
        columns = {(k, name): values for k in members for name, values in _recorded(outer[k])}
        at = _sampled(columns, outer[members[0]].time_s, time_s)
        loads |= {k: _load(outer[k], pose, {name: at[k, name] for name, _ in _recorded(outer[k])}) for k in members}
    return tuple(loads[k] for k in range(len(outer)))


def _recorded(force: OuterForce) -> list[tuple[str, FloatArray]]:
    columns = (("force", force.force_N), ("moment", force.moment_Nm), ("point", force.point_m))
    return [(name, values) for name, values in columns if values is not None]


def _load(outer: OuterForce, pose: SkeletonPose, at: Mapping[str, FloatArray]) -> BodyLoad:
    """The load (N, 3) of the force, moment and point that there are in each frame, in the axes of their bodies."""
    skeleton = pose.skeleton
    body, axes, of_point = (skeleton.body_index(name) for name in (outer.segment, outer.force_frame, outer.point_frame))
    zero = np.zeros((len(pose.origin_m), 3))
    R = pose.R_ground_body[:, axes]
    force, moment = ((R @ at.get(name, zero)[..., None])[..., 0] for name in ("force", "moment"))
    point = pose.origin_m[:, body]
    if "point" in at:
        point = pose.origin_m[:, of_point] + (pose.R_ground_body[:, of_point] @ at["point"][..., None])[..., 0]
    return BodyLoad(outer.segment, force, moment + cross(point, force), point)


_Key = tuple[int, str]


def _sampled(columns: Mapping[_Key, FloatArray], time_s: FloatArray, at_s: FloatArray) -> dict[_Key, FloatArray]:
    """Each of the columns (n, 3) at other times."""
    together = np.column_stack(list(columns.values())) if columns else np.zeros((len(time_s), 0))
    if len(time_s) >= _FEWEST:
        values = NaturalSpline(time_s, together, CUBIC)(at_s)
    elif len(time_s) > 1:
        piece = np.clip(np.searchsorted(time_s, at_s, side="right") - 1, 0, len(time_s) - 2)
        share = (at_s - time_s[piece]) / np.diff(time_s)[piece]
        values = together[piece] + share[:, None] * (together[piece + 1] - together[piece])
    else:
        values = np.broadcast_to(together, (len(at_s), together.shape[1]))
    return {name: values[:, 3 * k : 3 * k + 3] for k, name in enumerate(columns)}
