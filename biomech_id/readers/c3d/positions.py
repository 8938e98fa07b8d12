"""Points as measured: missing is NaN and only NaN."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.errors import FileRefusedError, Finding
from biomech_id.trial.markers import LARGEST_POSITION_M

#: When more than this share of the positions is impossible, unit or layout are wrong, and the rest is no better.
LARGEST_IMPOSSIBLE_SHARE = 0.2


def without_missing(positions: FloatArray, measured: BoolArray, *, zero_is_missing: bool) -> FloatArray:
    """Return positions with NaN where nothing was measured.

    Missing are: a negative residual, any component that is not finite, and exactly (0, 0, 0) if ``zero_is_missing``
    (true for points in space: many programs write it for a marker they did not see).

    Parameters
    ----------
    positions : FloatArray
        (n_frames, n_points, 3), as stored.
    measured : BoolArray
        (n_frames, n_points), whether the file calls the point measured.
    zero_is_missing : bool
        Whether a point at the origin is a missing one.
    """
    missing = ~measured | ~np.isfinite(positions).all(axis=2)
    if zero_is_missing:
        missing |= (positions == 0.0).all(axis=2)
    return np.where(missing[..., None], np.nan, positions)


def reject_impossible(position_m: FloatArray, infinite: int, *, where: str) -> tuple[FloatArray, tuple[Finding, ...]]:
    """Return positions without those beyond 100 m, and a finding that counts them.

    Parameters
    ----------
    position_m : FloatArray
        (n_frames, n_points, 3), laboratory axes.
    infinite : int
        How many measured positions were stored as NaN or Inf (they are missing already).
    where : str
        The file or trial concerned, for the error message.

    Raises
    ------
    FileRefusedError
        So many are impossible that the unit or the layout of the whole file must be wrong.
    """
    with np.errstate(invalid="ignore"):
        far = np.any(np.abs(position_m) > LARGEST_POSITION_M, axis=2, keepdims=True)
    seen = int(np.isfinite(position_m).all(axis=2).sum())
    count = int(far.sum())
    if count > LARGEST_IMPOSSIBLE_SHARE * max(seen, 1):
        raise FileRefusedError(
            f"{where} places {count} of {seen} marker positions more than {LARGEST_POSITION_M:g} m away: "
            "its length unit or its data is wrong.",
            value=count, expected=f"positions within {LARGEST_POSITION_M:g} m", where=where,
        )  # fmt: skip
    if not count and not infinite:
        return position_m, ()
    both = count > 0 and infinite > 0
    values = {"file": where, "far": count, "limit_m": LARGEST_POSITION_M, "infinite": infinite, "both": both}
    return np.where(far, np.nan, position_m) if count else position_m, (Finding("positions-impossible", values, where),)
