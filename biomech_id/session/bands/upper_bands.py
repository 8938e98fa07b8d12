"""How far angles above the pelvis and the centre of mass can be off, over a cycle: by every error that reaches them.

Markers do what the model shows of them (`dynamics.model_errors.BodyResponse`), on the wrong spot and on skin; skin moves with the
left leg's angles, as that of the pelvis does. Errors of masses, of hip centres and of where the trunk's mass lies move the centre
of mass alone, and are alike on both sides.

Hundreds of errors change a curve, but within a cycle they all are nearly the same few smooth ones: the errors of one source are
written as the `KEPT` largest independent ones of each curve. How the errors of two curves hang together is left out, as of those
inside the foot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray, IntArray
from biomech_id.anatomy import LEG_SEGMENTS, PELVIS
from biomech_id.conventions import AXES, CENTRE_OF_MASS, MM_PER_M
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.model_errors import BodyResponse
from biomech_id.models.body_response import ANGLE_ROWS
from biomech_id.models.conventional.upper_body.inertia import TRUNK_COM
from biomech_id.movement.cycle import Cycle
from biomech_id.session.bands.bands import CycleBand, Name
from biomech_id.session.bands.foot_bands import BAND_SOURCE
from biomech_id.session.tables.session_tables import CURVE_POINTS
from biomech_id.uncertainty.marker_errors import skin_functions, tissue_size
from biomech_id.uncertainty.recording import LegErrors
from biomech_id.values import dataclass, field

#: Smooth functions that a response is written in over a cycle, and independent errors that are kept of each source.
SHAPES, KEPT = 8, 4
#: Share of a cycle before and behind it in which frames are looked at.
_BESIDE = 0.15
#: Angles above the pelvis, by the names of their curves.
UPPER_ANGLES: tuple[Name, ...] = tuple((row.variable, row.component) for row in ANGLE_ROWS)
#: The centre of mass forward, to the left and up, mm: no curve of ``cycles.csv``, but what its parameters are made of.
COM: tuple[Name, ...] = tuple((CENTRE_OF_MASS, axis) for axis in AXES)
_ABOVE = frozenset({"trunk", "head", "arm"})


def upper_bands(cycles: Iterable[Cycle], motion: BodyMotion, errors: LegErrors) -> Iterator[CycleBand | None]:
    """Yield the bands of angles above the pelvis and of the centre of mass, deg and mm, of each of a leg's cycles.

    Parameters
    ----------
    cycles : Iterable[Cycle]
        Of one leg.
    motion : BodyMotion
        The trial as the body model tracked it.
    errors : LegErrors
        What can be wrong with that leg, and with the whole body.

    Yields
    ------
    CycleBand | None
        None where the frames of the cycle do not show the upper body, or nobody knows what a leg's markers do. A curve of which
        nothing is known has no error.
    """
    body, start_s = errors.body, (motion.first_frame - 1) / motion.rate_hz
    last: BodyResponse | None = None
    changes: list[Change] = []
    for cycle in cycles:
        ends = ((cycle.start_s - start_s) * motion.rate_hz, (cycle.end_s - start_s) * motion.rate_hz)
        known = body is not None and errors.markers is not None
        response = body.around(int(ends[0]), int(np.ceil(ends[1]))) if body is not None and known else None
        if response is None:
            yield None
            continue
        if response is not last:
            last, changes = response, list(_changes(response, motion, errors, cycle.side))
        yield _upper_band(cycle, ends, motion, changes)


def _upper_band(cycle: Cycle, ends: tuple[float, float], motion: BodyMotion, changes: Sequence[Change]) -> CycleBand | None:
    variances = _Variances(*ends)
    for frames, change, source, skin_of in changes:
        variances.add(frames, change, source, skin_of)
    if not variances.sums:
        return None
    place = np.linspace(*ends, CURVE_POINTS)
    skin = {side: _at(skin_functions(motion, side), place) for _, side in variances.sums if side}
    sources, curves = list[str](), list[FloatArray]()
    for (source, skin_of), of_source in variances.curves(place):
        for x in skin[skin_of].T if skin_of else (1.0,):
            sources += [source] * KEPT
            curves.append(of_source * x)
    nothing = np.zeros((len(UPPER_ANGLES) + len(COM), CURVE_POINTS))
    return CycleBand(cycle, (*UPPER_ANGLES, *COM), tuple(sources), np.concatenate(curves), nothing, nothing + np.nan)


def _at(values: FloatArray, place: FloatArray) -> FloatArray:
    rows = np.arange(len(values))
    return np.stack([np.interp(place, rows, np.nan_to_num(column)) for column in values.T], axis=1)


@dataclass(frozen=True, eq=False)
class _Variances:
    """Per source and skin: sums of the squares of the changes of each curve, in the smooth functions of one cycle."""

    start: float
    end: float
    sums: dict[tuple[str, str], FloatArray] = field(default_factory=dict)

    def shapes(self, rows: FloatArray | IntArray) -> FloatArray:
        """Smooth functions (n, 8) of a cycle at rows: a constant, a slope, and three waves."""
        share = (rows - self.start) / (self.end - self.start)
        waves = [wave(2 * np.pi * order * share) for order in (1, 2, 3) for wave in (np.cos, np.sin)]
        return np.stack([np.ones_like(share), share, *waves], axis=1)

    def add(self, frames: IntArray, change: FloatArray, source: str, skin_of: str) -> None:
        """Add errors, (p, K, curves) in those frames, each of one standard deviation."""
        beside = _BESIDE * (self.end - self.start)
        near = (frames > self.start - beside) & (frames < self.end + beside)
        if near.sum() < 4:
            return
        shapes = self.shapes(frames[near])[:, : min(SHAPES, int(near.sum()) - 1)]
        fitted = np.einsum("fk,pkc->cfp", np.linalg.pinv(shapes), change[:, near])
        squares = np.zeros((change.shape[2], SHAPES, SHAPES))
        n = shapes.shape[1]
        squares[:, :n, :n] = fitted @ np.swapaxes(fitted, -1, -2)
        self.sums[source, skin_of] = self.sums.get((source, skin_of), 0.0) + squares

    def curves(self, place: FloatArray) -> Iterator[tuple[tuple[str, str], FloatArray]]:
        """Source and skin -> the largest independent errors (4, curves, 101)."""
        shapes = self.shapes(place)
        # Largest where they are seen: over the cycle, not in the functions' own measure.
        orthogonal, measure = np.linalg.qr(shapes)
        size, along = np.linalg.eigh(measure @ np.stack(list(self.sums.values())) @ measure.T)
        kept = along[..., -KEPT:] * np.sqrt(np.maximum(size[..., None, -KEPT:], 0.0))
        yield from zip(self.sums, np.moveaxis(orthogonal @ kept, -1, -3), strict=True)


#: Frames (K,), changes (p, K, curves) by one standard deviation each, source, and whose skin it is, "" for what does not move.
Change = tuple[IntArray, FloatArray, str, str]


def _changes(response: BodyResponse, motion: BodyMotion, errors: LegErrors, side: str) -> Iterator[Change]:
    markers, sizes = errors.markers, errors.sizes
    assert markers is not None
    forward = np.asarray(motion.progression_R_lab).T
    com = MM_PER_M * response.com @ forward
    placed_m = np.array([
        sizes[f"{marker.segment}_marker_mm"] / MM_PER_M if marker.segment in _ABOVE else markers.placed_m(marker)
        for marker in response.moved
    ])  # fmt: skip
    skin_m = markers.tissue_scale / MM_PER_M / np.sqrt(2.0) * np.array([sizes[tissue_size(marker)] for marker in response.moved])
    of_pelvis = np.array([marker.segment == "pelvis" for marker in response.moved])
    placed = placed_m[:, None, None] * np.concatenate([np.degrees(response.placed[side]), com], axis=2)
    frames = response.frames
    yield frames, placed[of_pelvis], "pelvis", ""
    yield frames, placed[~of_pelvis], BAND_SOURCE, ""
    skin = skin_m[:, None, None] * np.concatenate([np.degrees(response.walking[side]), com], axis=2)
    yield frames, skin, "soft_tissue", motion.sides[0]
    if motion.whole is not None:
        # What moves nothing but masses is known in every frame.
        every = frames[0] + np.flatnonzero(np.isfinite(motion.whole.com_lab_m[frames[0] : frames[-1] + 1]).all(axis=1))
        masses = MM_PER_M * np.stack(list(_by_masses(motion, every, errors))) @ forward
        yield every, np.concatenate([np.zeros((*masses.shape[:2], len(UPPER_ANGLES))), masses], axis=2), "inertia", ""


def _by_masses(motion: BodyMotion, frames: IntArray, errors: LegErrors) -> Iterator[FloatArray]:
    """Shifts (K, 3), m, of the centre of mass: by masses, which the rest makes up for, by trunk and hip centres."""
    whole, sizes, centres = motion.whole, errors.sizes, motion.joint_centres_lab_m
    assert whole is not None
    share = {part: segment.mass_kg / whole.mass_kg for part, segment in whole.segments.items()}
    for name in (*LEG_SEGMENTS, "head", "humerus", "radius", "hand"):
        size = sizes[f"{name if name in LEG_SEGMENTS else 'upper'}_mass_percent"] / 100.0
        parts = [part for part in share if part[1] == name]
        moved = [share[part] * (whole.motions[part].com_lab_m - whole.com_lab_m)[frames] for part in parts]
        yield size * np.sum(moved, axis=0) / (1.0 - sum(share[part] for part in parts))
    trunk = np.linalg.norm((centres["", "neck"] - centres["", "waist"])[frames], axis=1)[:, None]
    # Pelvis and L5 go with the middle of both hip centres, each thigh's mass nearly by half.
    with_hips = share[PELVIS] + (1.0 - TRUNK_COM) * share["", "thorax"] + share["L", "thigh"]
    for axis in range(3):
        of_trunk = sizes["trunk_com_percent"] / 100.0 * share["", "thorax"] * trunk
        yield of_trunk * whole.motions["", "thorax"].frames.R_lab_seg[frames, :, axis]
        yield with_hips * errors.hip_sd_m / np.sqrt(2.0) * motion.motions[PELVIS].frames.R_lab_seg[frames, :, axis]
