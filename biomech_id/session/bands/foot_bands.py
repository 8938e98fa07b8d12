"""How far angles inside the foot can be off: by what published repeatability shows, alike over the whole cycle.

The foot's small segments have placement errors of their own, of which the leg's markers know nothing. Each angle has one error, a
bias of the session that moves its whole curve; that two angles share a segment is left out. The arch's index has none published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import FOOT_TABLE
from biomech_id.session.bands.bands import CycleBand

#: Column of ``uncertainty.csv`` that these errors count to.
BAND_SOURCE = "segment_axes"
_FRONTAL = "Z"


def with_foot(band: CycleBand, columns: Mapping[str, FloatArray | None], sizes: Mapping[str, float]) -> CycleBand:
    """Return a cycle's bands with those of angles inside the foot.

    Parameters
    ----------
    band : CycleBand
        Of the leg.
    columns : Mapping[str, FloatArray | None]
        Columns of the trial's foot models, None where it has none of them.
    sizes : Mapping[str, float]
        Name -> standard deviation (see `uncertainty.sizes.error_sizes`).

    Returns
    -------
    CycleBand
        The same one where the side has no such angle.
    """
    rows = [row for row in FOOT_TABLE if row.quantity == "angle"]
    if all(columns.get(row.column(band.cycle.side)) is None for row in rows):
        return band
    sd = np.array([sizes["foot_frontal_deg" if row.component == _FRONTAL else "foot_angle_deg"] for row in rows])
    errors, curves, percents = band.changes.shape
    changes = np.zeros((errors + len(rows), curves + len(rows), percents))
    changes[:errors, :curves] = band.changes
    own = np.arange(len(rows))
    changes[errors + own, curves + own] = sd[:, None]
    more = (BAND_SOURCE,) * len(rows)
    drawn = band.drawn or band.sources
    return replace(
        band,
        names=(*band.names, *((row.variable, row.component) for row in rows)),
        sources=(*band.sources, *more),
        changes=changes,
        noise=np.concatenate([band.noise, np.zeros((len(rows), percents))]),
        shift=np.concatenate([band.shift, np.full((len(rows), percents), np.nan)]),
        drawn=(*drawn, *more),
        numbers=(*(band.numbers or range(errors)), *(len(drawn) + own).tolist()),
    )
