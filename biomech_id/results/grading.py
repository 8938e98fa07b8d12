"""Applies every quality rule to one trial."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from biomech_id.dynamics.body import BodyMotion
from biomech_id.gait.cycle import Cycle
from biomech_id.gait.events import Agreement
from biomech_id.gait.stance import Assignment
from biomech_id.results.measures import (
    centre_drift_mm,
    filled_percent,
    largest_gap_ms,
    marker_rigidity_mm,
    plate_baseline_N,
    pressure_inside_percent,
    untracked_percent,
)
from biomech_id.results.quality import QualityRow, graded
from biomech_id.trial import Trial

_MISSING = float("nan")


def quality_rows(
    trial: Trial,
    motion: BodyMotion,
    *,
    static: Trial | None,
    static_motion: BodyMotion | None,
    groups: Mapping[str, Sequence[str]],
    assignment: Assignment | None,
    cycles: Sequence[Cycle],
    agreement: Sequence[Agreement],
    mass_kg: float | None,
) -> tuple[QualityRow, ...]:
    """Return one row for every rule of `quality.RULES`; a rule that does not apply has an empty value.

    Parameters
    ----------
    trial, motion : the trial with its filled markers, and the body tracked from them.
    static, static_motion : the static trial likewise, or None.
    groups : segment -> names of the markers on it; also says which markers the model needs.
    assignment, cycles, agreement : what gait analysis found; ``assignment`` is None without force plates.
    mass_kg : body mass, or None.
    """
    markers = trial.markers
    names = list(dict.fromkeys(name for group in groups.values() for name in group if name in markers))
    columns = [markers.names.index(name) for name in names]
    missing = np.isnan(markers.position_m[:, columns, 0])
    if markers.filled is not None:
        missing |= markers.filled[:, columns]
    contacts = {} if assignment is None else assignment.contacts
    floor_m = float(np.median([plate.centre_m[2] for plate in trial.plates])) if trial.plates else 0.0
    values = {
        "gap-largest": largest_gap_ms(missing, trial.rate_hz),
        "gap-filled": filled_percent(markers, names),
        "frames-untracked": untracked_percent(motion),
        "marker-rigidity": _MISSING if static is None else marker_rigidity_mm(markers, static.markers, groups),
        "centre-drift": _MISSING if static_motion is None else centre_drift_mm(motion, static_motion),
        "plate-baseline": plate_baseline_N(trial.plates),
        "cop-inside-foot": _MISSING
        if mass_kg is None
        else pressure_inside_percent(motion, contacts, mass_kg=mass_kg, floor_m=floor_m),
        "event-lag": event_lag_ms(agreement),
        "cycles-used": float(sum(cycle.steady for cycle in cycles)),
        "cycles-refused": float(sum(not cycle.steady for cycle in cycles)),
        "stances-on-plate": _MISSING if assignment is None else float(sum(s.verdict.accepted for s in assignment.stances)),
    }
    return tuple(graded(trial.name, rule, value) for rule, value in values.items())


def event_lag_ms(agreement: Iterable[Agreement]) -> float:
    """Return the largest median lag (ms), over sides and kinds, between force events and those stored in the file.

    Without stored events, between force events and those found from markers; NaN where the plates saw no event of the other source.
    """
    lags: dict[str, list[float]] = {}
    for row in agreement:
        pair = {row.source, row.reference}
        if "plate" in pair and len(pair) == 2:
            lags.setdefault((pair - {"plate"}).pop(), []).append(abs(row.median_s))
    found = lags.get("file") or lags.get("marker") or [_MISSING]
    return 1000.0 * max(found)
