"""Peaks of joint loads that hang on the bandwidth of the plates: those that lie elsewhere with the plates as recorded."""

from __future__ import annotations

from collections.abc import Mapping

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import MOMENT_VARIABLE, UNITS
from biomech_id.dynamics.loads import JointLoads
from biomech_id.errors import Finding
from biomech_id.session.solved import Solved
from biomech_id.session.tables.extrema import load_rows
from biomech_id.session.trial_tables import each_band


def peaks_finding(result: Solved, as_recorded: JointLoads) -> Finding | None:
    """Return the peaks that lie further than their uncertainty from those of the plates as recorded, both values of each.

    Looked at are the extrema of the sagittal joint moments in stance, and the named bursts of power.

    Parameters
    ----------
    result : Solved
        A trial whose plates were filtered for the joint loads, cut into cycles, with its sources of error; without these nothing is
        said.
    as_recorded : JointLoads
        The same trial's loads from the plates as recorded.
    """
    sd = _standard_deviations(result)
    if not sd or result.loads is None or result.mass_kg is None:
        return None
    now, before = (
        {_about(row): row for row in load_rows(result.motion, loads, result.cycles, mass_kg=result.mass_kg)}
        for loads in (result.loads, as_recorded)
    )
    differences = []
    for row in now.values():
        key, other = (row["side"], row["cycle"], row["variable"], row["component"]), before.get(_about(row))
        if other is None or key not in sd or not _is_load_peak(row):
            continue
        ours, theirs = float(str(row["value"])), float(str(other["value"]))
        excess = abs(theirs - ours) / max(float(sd[key][round(float(str(row["percent"])))]), 1e-12)
        if excess > 1.0:
            name = row["name"] if not row["component"] else f"{row['variable']}.{row['component']} {row['name']}"
            differences.append((excess, (row["side"], name, row["cycle"], theirs, ours, row["unit"])))
    differences.sort(key=lambda pair: -pair[0])
    return Finding("plate-bandwidth-peaks", {"peaks": [peak for _, peak in differences]}, result.name) if differences else None


def _about(row: Mapping[str, object]) -> tuple[object, ...]:
    return tuple(row[name] for name in ("side", "cycle", "name", "variable", "component", "phase"))


def _is_load_peak(row: Mapping[str, object]) -> bool:
    """Whether a row of ``peaks.csv`` is one that clinicians read as a peak of a moment or a power."""
    if row["component"] != "X":
        return row["phase"] == "cycle" and row["unit"] == UNITS["power"]
    return row["variable"] in MOMENT_VARIABLE.values() and row["name"] in ("max_stance", "min_stance")


def _standard_deviations(result: Solved) -> dict[tuple[object, ...], FloatArray]:
    """(side, cycle, variable, component) -> standard deviation (101,) from all sources together."""
    by_curve: dict[tuple[object, ...], FloatArray] = {}
    for band in (band for side in result.errors for band in each_band(result, side)):
        total = band.total
        by_curve |= {(band.cycle.side, band.cycle.number, *name): total[i] for i, name in enumerate(band.names)}
    return by_curve
