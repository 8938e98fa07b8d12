"""Loads from outside as OpenSim's documents describe them: forces at points of bodies, in the axes of bodies, over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.vectors import cross
from biomech_id.models.opensim.skeleton import SkeletonPose
from biomech_id.multibody.musculoskeletal import SURROUNDINGS
from biomech_id.signal.natural_spline import CUBIC, NaturalSpline

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
        (N, 3).
    moment_Nm : FloatArray
        (N, 3), about the origin of the surroundings.
    """

    segment: str
    force_N: FloatArray
    moment_Nm: FloatArray

    def at_origin(self) -> tuple[FloatArray, FloatArray]:
        """Force (N, 3) and moment (N, 3) about the origin, both in the axes of the surroundings."""
        return self.force_N, self.moment_Nm


def load_in_pose(outer: OuterForce, pose: SkeletonPose, time_s: FloatArray) -> BodyLoad:
    """Return what a sampled force does to its body in a motion, between samples by natural cubic splines.

    Parameters
    ----------
    outer : OuterForce
        The samples.
    pose : SkeletonPose
        N frames.
    time_s : FloatArray
        (N,), their times.

    Raises
    ------
    UnknownNameError
        A body that the model does not have.
    """
    skeleton = pose.skeleton
    body, axes, of_point = (skeleton.body_index(name) for name in (outer.segment, outer.force_frame, outer.point_frame))
    columns = {"force": outer.force_N, "moment": outer.moment_Nm, "point": outer.point_m}
    at = _sampled({name: values for name, values in columns.items() if values is not None}, outer.time_s, time_s)
    zero = np.zeros((len(time_s), 3))
    R = pose.R_ground_body[:, axes]
    force, moment = ((R @ at.get(name, zero)[..., None])[..., 0] for name in ("force", "moment"))
    point = pose.origin_m[:, body]
    if "point" in at:
        point = pose.origin_m[:, of_point] + (pose.R_ground_body[:, of_point] @ at["point"][..., None])[..., 0]
    return BodyLoad(outer.segment, force, moment + cross(point, force))


def _sampled(columns: Mapping[str, FloatArray], time_s: FloatArray, at_s: FloatArray) -> dict[str, FloatArray]:
    """Each of the columns (n, 3) at other times."""
    together = np.column_stack(list(columns.values())) if columns else np.zeros((len(time_s), 0))
    if len(time_s) >= _FEWEST:
        found = NaturalSpline(time_s, together, CUBIC)(at_s)
    elif len(time_s) > 1:
        piece = np.clip(np.searchsorted(time_s, at_s, side="right") - 1, 0, len(time_s) - 2)
        share = (at_s - time_s[piece]) / np.diff(time_s)[piece]
        found = together[piece] + share[:, None] * (together[piece + 1] - together[piece])
    else:
        found = np.broadcast_to(together, (len(at_s), together.shape[1]))
    return {name: found[:, 3 * k : 3 * k + 3] for k, name in enumerate(columns)}
