"""Markers that are off, as errors of the poses of a leg: put on the wrong spot, or on skin that moves while the subject walks.

Every error is a bias, one draw for a session, that acts along one axis of a segment. A marker on the wrong spot is off by the same
in the static trial and in every frame of the walk. Soft tissue moves in the walk alone: marker m is off by ::

    d_m(t) = c_m1 x1(t) + c_m2 x2(t)          c_mk one draw along each axis of the segment, of variance s_m^2 / 2

with x1 and x2 the leg's (of the pelvis the left leg's) sagittal hip and knee angle, less their mean and divided by their
standard deviation over the walk, so that s_m is the root mean square along each axis. What a unit of either does to the poses the
body model has told (`dynamics.model_errors.LegResponse`): vectors g(t) in the axes of a segment R. With e = g x, ::

    turn of the axes            R e         change of angular velocity    R e'
    angular acceleration        R e'' + omega x R e'
    acceleration of a point     R e'' + 2 omega x R e' + alpha x R e + omega x (omega x R e)

How much the tissue of this subject moved, the lengths of thigh and shank between the joint centres say, which no bone changes
(`tissue_scale`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, IntArray
from biomech_id.algebra.vectors import cross, matvec
from biomech_id.anatomy import LEG_SEGMENTS
from biomech_id.conventions import MM_PER_M
from biomech_id.dynamics.body import BodyMotion, Motion
from biomech_id.dynamics.model_errors import CARRIERS, LegResponse, MovedMarker
from biomech_id.signal.derivatives import quintic_derivatives
from biomech_id.uncertainty.sources import Effect, Nominal, move_joint, turned_inertia

#: Role of a marker -> the stem of its sizes, and the source that a wrong spot counts to.
PLACEMENT: Mapping[str, tuple[str, str]] = {
    "asis": ("asis", "pelvis"), "psis": ("psis", "pelvis"), "sacrum": ("psis", "pelvis"),
    "lateral_epicondyle": ("epicondyle", "knee_centre"), "medial_epicondyle": ("epicondyle", "knee_centre"),
    "lateral_malleolus": ("malleolus", "ankle_centre"), "medial_malleolus": ("malleolus", "ankle_centre"),
    "thigh_wand": ("wand", "segment_axes"), "shank_wand": ("wand", "segment_axes"), "heel": ("heel", "segment_axes"),
}  # fmt: skip
#: Sources that markers count to.
MARKER_SOURCES = ("pelvis", "knee_centre", "ankle_centre", "segment_axes", "soft_tissue")
#: Directions of the sizes: along ISB's X, Y and Z of an upright person.
SIZE_WAYS = ("forward", "up", "side")
#: Standard deviation of ln(scale) that the lengths of one walk know it by.
LENGTHS_KNOW = 0.28
#: So many standard deviations of ln(ratio) from its mean lengths are not those of a person's legs.
FARTHEST = 3.0
#: A leg whose angles range over less than this, rad, does not walk: nothing tells how its tissue moves.
LEAST_RANGE_RAD = 0.02


@dataclass(frozen=True, eq=False)
class LegMarkerErrors:
    """The markers' errors of one leg in one trial.

    Attributes
    ----------
    response : LegResponse
        What the body model makes of a marker that is off.
    motion : BodyMotion
        The trial, tracked.
    side : str
        "L" or "R".
    sizes : Mapping[str, float]
        Name -> standard deviation (see `sizes.error_sizes`).
    """

    response: LegResponse
    motion: BodyMotion
    side: str
    sizes: Mapping[str, float]

    @cached_property
    def tissue_scale(self) -> float:
        """By how much the tissue of this leg moves more than the sizes say: what they expect, blended with what lengths show.

        ln(scale) is expected as N(0, prior^2), and the lengths show it as N(ln(measured over expected change of length), 0.28^2).
        """
        prior = 0.01 * self.sizes["tissue_prior_percent"]
        shown = self.length_change_ratio
        # Lengths that change much less than anybody's were drawn by a model, not by skin: they say nothing of it.
        reach = FARTHEST * np.hypot(prior, LENGTHS_KNOW)
        if prior == 0.0 or not np.isfinite(shown) or shown < np.exp(-reach):
            return 1.0
        return float(np.exp(min(np.log(shown), reach) * prior**2 / (prior**2 + LENGTHS_KNOW**2)))

    @cached_property
    def length_change_ratio(self) -> float:
        """Root mean square change of the lengths of thigh and shank, over what the tissue's sizes make it; NaN where not known."""
        ankle, knee, hip = (self.motion.joint_centres_lab_m[self.side, joint] for joint in ("ankle", "knee", "hip"))
        rows = self.response.frames
        made = self._lab_at(rows, self._weights("soft_tissue"))[:, :, 4:7]
        measured, expected = 0.0, 0.0
        for distal, proximal, k in ((ankle, knee, 0), (knee, hip, 1)):
            length = np.linalg.norm(proximal - distal, axis=1)
            along = (proximal - distal)[rows] / length[rows, None]
            change = np.einsum("pni,ni->pn", made[:, :, k + 1] - made[:, :, k], along)
            measured += float(np.nanvar(length))
            expected += float(np.nansum(np.nanvar(change, axis=1)))
        return float(np.sqrt(measured / expected)) if expected > 0.0 and measured > 0.0 else float("nan")

    def poses(self, frames: IntArray) -> PoseErrors:
        """Return what every error does to the poses, one standard deviation each.

        Parameters
        ----------
        frames : IntArray
            (N,), rows of the trial.
        """
        weights = [(group, self._weights(group, self.tissue_scale if group == "soft_tissue" else 1.0)) for group in MARKER_SOURCES]
        labels = tuple(group for group, of_group in weights for _ in of_group)
        vectors = self._seg_at(frames, [weight for _, of_group in weights for weight in of_group])
        return PoseErrors(labels, *vectors, self._axes(frames))

    def rates(self, frames: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return angular velocity and acceleration (N, 4, 3) of foot, shank, thigh and pelvis, rad/s and rad/s2, laboratory axes.

        Parameters
        ----------
        frames : IntArray
            (N,), rows of the trial.
        """
        names = ("omega_lab_rad_s", "alpha_lab_rad_s2")
        omega, alpha = (np.stack([getattr(motion, name)[frames] for motion in self._motions], axis=1) for name in names)
        return omega, alpha

    def _weights(self, group: str, scale: float = 1.0) -> list[_Weight]:
        """One for each error of a source: which displacement, how large, which function of time."""
        if group == "soft_tissue":
            sd = [scale * self.sizes[tissue_size(marker)] / MM_PER_M / np.sqrt(2.0) for marker in self.response.moved]
            return [_Weight(i, size, k) for i, size in enumerate(sd) if size > 0.0 for k in (0, 1)]
        found = []
        for i, marker in enumerate(self.response.moved):
            stem, source = placement_of(marker)
            if source == group:
                size = float(np.hypot.reduce([self.sizes[f"{stem}_{way}_mm"] * share for way, share in self._directions(marker)]))
                if size > 0.0:
                    found.append(_Weight(i, size / MM_PER_M, None))
        joint = group.removesuffix("_centre")
        if joint in self.response.widths and group.endswith("_centre"):
            found.append(_Weight(joint, self.sizes[f"{joint}_width_mm"] / MM_PER_M, None))
        return found

    def _directions(self, marker: MovedMarker) -> Iterator[tuple[str, float]]:
        along = np.abs(self.motion.model_axes.R_seg_isb[marker.segment][marker.axis])
        yield from zip(SIZE_WAYS, along, strict=True)

    def _functions(self, side: str) -> FloatArray:
        """x1 and x2 (n, 2) of one leg, with first and second derivative: (3, n, 2)."""
        return self._both_functions[side]

    @cached_property
    def _both_functions(self) -> Mapping[str, FloatArray]:
        return {side: self._functions_of(side) for side in {self.side, self.motion.sides[0]}}

    def _functions_of(self, side: str) -> FloatArray:
        angles = np.stack([self.motion.joint_angles_rad[side, joint][:, 0] for joint in ("hip", "knee")], axis=1)
        spread = np.nanstd(angles, axis=0)
        x = np.where(spread > LEAST_RANGE_RAD, (angles - np.nanmean(angles, axis=0)) / np.maximum(spread, LEAST_RANGE_RAD), 0.0)
        return np.stack([x, *quintic_derivatives(x, self.motion.rate_hz)])

    def _seg_at(self, frames: IntArray, weights: Sequence[_Weight]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Errors (p, N, 10, 3) of one standard deviation, and their derivatives, components in the axes of the carriers."""
        # Errors lie beside each other in memory: every product below then runs over them (see `algebra.vectors.matvec`).
        value, first, second = (np.zeros((len(weights), len(frames), 10, 3), order="F") for _ in range(3))
        moved = sorted({weight.which for weight in weights if isinstance(weight.which, int)})
        between = _between(self.response.frames, frames, self.motion.rate_hz)
        g0, g1, g2 = (np.tensordot(self.response.walking[moved], m, axes=(1, 1)).transpose(0, 3, 1, 2) for m in between)
        for p, weight in enumerate(weights):
            if isinstance(weight.which, str):
                value[p] = weight.sd * self.response.widths[weight.which]
                continue
            i = moved.index(weight.which)
            if weight.function is None:
                value[p], first[p], second[p] = g0[i] + self.response.carried[weight.which], g1[i], g2[i]
                for array in (value, first, second):
                    array[p] *= weight.sd
            else:
                side = self.motion.sides[0] if self.response.moved[weight.which].segment == "pelvis" else self.side
                x, v, a = weight.sd * self._functions(side)[:, frames, weight.function][..., None, None]
                value[p], first[p] = g0[i] * x, g1[i] * x + g0[i] * v
                second[p] = g2[i] * x + 2 * g1[i] * v + g0[i] * a
        return value, first, second

    def _lab_at(self, frames: IntArray, weights: Sequence[_Weight]) -> FloatArray:
        value, *_ = self._seg_at(frames, weights)
        return np.asarray(np.einsum("nvij,pnvj->pnvi", self._axes(frames)[:, CARRIERS], value))

    def _axes(self, frames: IntArray) -> FloatArray:
        return np.stack([motion.frames.R_lab_seg[frames] for motion in self._motions], axis=1)

    @property
    def _motions(self) -> list[Motion]:
        motions = self.motion.motions
        return [*(motions[self.side, segment] for segment in LEG_SEGMENTS), motions["", "pelvis"]]


@dataclass(frozen=True)
class _Weight:
    """One error: a displacement by its number or a joint's width by its name, its size, and what it is a function of."""

    which: int | str
    sd: float
    function: int | None


@dataclass(frozen=True, eq=False)
class PoseErrors:
    """Poses that are off in p ways.

    Attributes
    ----------
    sources : tuple[str, ...]
        p sources of ``uncertainty.csv``.
    value, first, second : FloatArray
        (p, N, 10, 3), the vectors of a `LegResponse` and their derivatives, rad, m, s, components in the axes of the carriers.
    R_lab_seg : FloatArray
        (N, 4, 3, 3), axes of foot, shank, thigh and pelvis.
    """

    sources: tuple[str, ...]
    value: FloatArray
    first: FloatArray
    second: FloatArray
    R_lab_seg: FloatArray

    @property
    def turn_lab_rad(self) -> FloatArray:
        """(p, N, 4, 3), of foot, shank, thigh and pelvis, laboratory axes."""
        return matvec(self.R_lab_seg, self.value[:, :, :4])

    def at(self, frames: BoolArray) -> PoseErrors:
        """Return the same in some of the frames.

        Parameters
        ----------
        frames : BoolArray
            (N,).
        """
        value, first, second = (array[:, frames] for array in (self.value, self.first, self.second))
        return PoseErrors(self.sources, value, first, second, self.R_lab_seg[frames])

    def foot_shift_lab_m(self, arm_lab_m: FloatArray) -> FloatArray:
        """Return by how much a point of the foot (p, N, 3), m, seems to be elsewhere, laboratory axes.

        Parameters
        ----------
        arm_lab_m : FloatArray
            (N, 3), from the ankle's centre to the point.
        """
        ankle = matvec(self.R_lab_seg[:, CARRIERS[4]], self.value[:, :, 4])
        return np.asarray(ankle + cross(self.turn_lab_rad[:, :, 0], arm_lab_m))

    def effect(self, nominal: Nominal, rates: tuple[FloatArray, FloatArray]) -> Effect:
        """Return what they seem to add to the segments of a leg.

        Parameters
        ----------
        nominal : Nominal
            The solution that errors are added to.
        rates : tuple[FloatArray, FloatArray]
            Angular velocity and acceleration (N, 4, 3) of the carriers, laboratory axes.
        """
        omega, alpha = rates
        chain = nominal.chain
        effect = Effect.none_on(chain, len(self.value))
        e, v, a = (matvec(self.R_lab_seg[:, CARRIERS], array) for array in (self.value, self.first, self.second))
        effect.turn[:], effect.spin[:] = e[:, :, :3], v[:, :, :3]
        effect.base_turn[:], effect.base_spin[:] = e[:, :, 3], v[:, :, 3]
        dalpha = a[:, :, :3] + cross(omega[:, :3], v[:, :, :3])
        com, com_v, com_a = (array[:, :, 7:] for array in (e, v, a))
        w, dw = omega[:, :3], alpha[:, :3]
        acceleration = com_a + 2 * cross(w, com_v) + cross(dw, com) + cross(w, cross(w, com))
        effect.force[:] = chain.mass_kg[:, None] * acceleration
        effect.moment_com[:] = cross(com, nominal.momentum_rate)
        for i in range(3):
            spin = v[:, :, i]
            gyroscopic = cross(spin, nominal.angular_momentum[:, i]) + cross(w[:, i], nominal.inertia_times(i, spin))
            effect.moment_com[:, :, i] += (
                turned_inertia(nominal, i, e[:, :, i]) + nominal.inertia_times(i, dalpha[:, :, i]) + gyroscopic
            )
            move_joint(nominal, effect, i, e[:, :, 4 + i])
        return effect


def placement_of(marker: MovedMarker) -> tuple[str, str]:
    """Return the stem of a marker's sizes of placement and the source they count to; empty for one that nobody places on a point.

    Parameters
    ----------
    marker : MovedMarker
        The marker.
    """
    if marker.segment == "foot" and marker.role != "heel" and marker.role not in PLACEMENT:
        return ("toe", "segment_axes") if marker.role else ("", "")
    return PLACEMENT.get(marker.role, ("", ""))


def tissue_size(marker: MovedMarker) -> str:
    """Return the name of the size of the tissue below a marker.

    Parameters
    ----------
    marker : MovedMarker
        The marker.
    """
    if marker.role in ("lateral_malleolus", "medial_malleolus"):
        return "tissue_malleolus_mm"
    if marker.segment == "foot":
        return "tissue_heel_mm" if marker.role == "heel" else "tissue_toe_mm"
    return f"tissue_{marker.segment}_mm"


def _between(known: IntArray, wanted: IntArray, rate_hz: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights (N, K) of the cubic Hermite spline through K values at known rows: its value, first and second derivative, per s."""
    at = np.clip(wanted, known[0], known[-1]).astype(np.float64)
    i = np.clip(np.searchsorted(known, at, side="right") - 1, 0, len(known) - 2)
    step = (known[i + 1] - known[i]).astype(np.float64)
    u = (at - known[i]) / step
    slopes, rows = np.gradient(np.eye(len(known)), known.astype(np.float64), axis=0), np.arange(len(at))
    shapes = (
        (1 - 3 * u**2 + 2 * u**3, 3 * u**2 - 2 * u**3, u - 2 * u**2 + u**3, u**3 - u**2),
        (6 * u**2 - 6 * u, 6 * u - 6 * u**2, 1 - 4 * u + 3 * u**2, 3 * u**2 - 2 * u),
        (12 * u - 6, 6 - 12 * u, 6 * u - 4, 6 * u - 2),
    )
    found = []
    for order, (left, right, left_slope, right_slope) in enumerate(shapes):
        scale = (rate_hz / step) ** order
        weights = (left_slope * step * scale)[:, None] * slopes[i] + (right_slope * step * scale)[:, None] * slopes[i + 1]
        weights[rows, i] += left * scale
        weights[rows, i + 1] += right * scale
        found.append(weights)
    return found[0], found[1], found[2]
