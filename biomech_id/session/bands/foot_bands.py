"""How far angles inside the foot can be off: by markers on the wrong spot, and by skin that moves.

The foot's small segments have placement errors of their own, of which the leg's markers know nothing. Each angle has one of its
own, a bias of the session that moves its whole curve: what the foot model makes of its markers' errors, else what published
repeatability shows of all feet. Skin moves it with the sagittal hip and knee angle, as it moves the leg (`skin_functions`). How the
errors of two angles hang together is left out: those of one source stand in one row, and nothing is made of two of them. The arch's
index has none published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import ANGLE_VARIABLE, FOOT_PITCH, FOOT_TABLE, SignRow
from biomech_id.dynamics.body import BodyMotion
from biomech_id.gait.normalise import normalise
from biomech_id.movement.cycle import Cycle
from biomech_id.session.bands.bands import CycleBand
from biomech_id.session.tables.cycle_table import frames_around
from biomech_id.session.tables.session_tables import CURVE_POINTS

#: Column of ``uncertainty.csv`` that published repeatability counts to.
BAND_SOURCE = "segment_axes"
_FRONTAL, _SKIN = "Z", "soft_tissue"


def with_foot(
    band: CycleBand,
    columns: Mapping[str, FloatArray | None],
    known: Mapping[str, Mapping[str, FloatArray]],
    sizes: Mapping[str, float],
    motion: BodyMotion,
    skin: FloatArray,
) -> CycleBand:
    """Return a cycle's bands with those of angles inside the foot.

    Parameters
    ----------
    band : CycleBand
        Of the leg.
    columns : Mapping[str, FloatArray | None]
        Columns of the trial's foot models, None where it has none of them.
    known : Mapping[str, Mapping[str, FloatArray]]
        Column -> source of error -> (n_frames,), standard deviation, of the columns whose foot model says it.
    sizes : Mapping[str, float]
        Name -> standard deviation (see `uncertainty.sizes.error_sizes`).
    motion : BodyMotion
        The trial as the leg's model tracked it.
    skin : FloatArray
        (n_frames, 2), what the skin of this side moves with (`skin_functions`).

    Returns
    -------
    CycleBand
        The same one where the side has no such angle.
    """
    rows = [row for row in FOOT_TABLE if row.quantity == "angle"]
    if all(columns.get(row.column(band.cycle.side)) is None for row in rows):
        return band
    sds = [known.get(row.column(band.cycle.side)) or _published(row, sizes) for row in rows]
    of_frames = [(i, source, sd) for i, of_row in enumerate(sds) for source, sd in of_row.items()]
    around = frames_around(motion, band.cycle)
    values = np.empty((around.stop - around.start, len(of_frames) + skin.shape[1]))
    for number, (*_, sd) in enumerate(of_frames):
        values[:, number] = sd if np.ndim(sd) == 0 else np.asarray(sd)[around]
    values[:, len(of_frames) :] = np.nan_to_num(skin[around])
    in_cycle = _in_cycle(motion, band.cycle, values, around.start)
    # Two draws share the variance of skin.
    shapes = {_SKIN: in_cycle[len(of_frames) :] / np.sqrt(2.0)}
    constant = np.ones((1, band.changes.shape[2]))
    sources = dict.fromkeys(source for _, source, _ in of_frames)
    own = [source for source in sources for _ in shapes.get(source, constant)]
    errors, curves, percents = band.changes.shape
    changes = np.zeros((errors + len(own), curves + len(rows), percents))
    changes[:errors, :curves] = band.changes
    for (i, source, _), sd in zip(of_frames, in_cycle[: len(of_frames)], strict=True):
        of_source = [errors + number for number, name in enumerate(own) if name == source]
        changes[of_source, curves + i] = sd * shapes.get(source, constant)
    return replace(
        band,
        names=(*band.names, *((row.variable, row.component) for row in rows)),
        sources=(*band.sources, *own),
        changes=changes,
        noise=np.concatenate([band.noise, np.zeros((len(rows), percents))]),
        shift=np.concatenate([band.shift, np.full((len(rows), percents), np.nan)]),
        # What is drawn for the leg's scores is what it would be without a foot.
        drawn=band.drawn or band.sources,
        numbers=band.numbers or tuple(range(errors)),
    )


def with_pitch(band: CycleBand, columns: Mapping[str, FloatArray | None]) -> CycleBand:
    """Return a cycle's bands with that of foot pitch from the floor.

    It is that of the foot's own pitch, from which it differs by a constant.

    Parameters
    ----------
    band : CycleBand
        Of the leg.
    columns : Mapping[str, FloatArray | None]
        Columns of the trial beyond the leg's.

    Returns
    -------
    CycleBand
        The same one where the trial has no such pitch.
    """
    own = ANGLE_VARIABLE["foot_progress"], "X"
    if columns.get(FOOT_PITCH.column(band.cycle.side)) is None or own not in band.names:
        return band
    rows = [*range(len(band.names)), band.names.index(own)]
    return replace(
        band, names=(*band.names, (FOOT_PITCH.variable, FOOT_PITCH.component)), changes=band.changes[:, rows],
        noise=band.noise[rows], shift=band.shift[rows],
    )  # fmt: skip


def _in_cycle(motion: BodyMotion, cycle: Cycle, of_frames: FloatArray, first_row: int) -> FloatArray:
    """Values of the frames from one on (n, k) at the points of a cycle: (k, 101)."""
    first_time_s, place = (motion.first_frame - 1) / motion.rate_hz, {"points": CURVE_POINTS, "first_row": first_row}
    return normalise(of_frames, motion.rate_hz, first_time_s, cycle.start_s, cycle.end_s, **place).T


def _published(row: SignRow, sizes: Mapping[str, float]) -> Mapping[str, FloatArray | float]:
    """Of feet whose own errors nobody knows."""
    return {BAND_SOURCE: sizes["foot_frontal_deg" if row.component == _FRONTAL else "foot_angle_deg"]}
