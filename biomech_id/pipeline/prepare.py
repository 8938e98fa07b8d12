"""From a recording to one that can be analysed: short gaps filled, raw markers smoothed, and all of it said.

Two copies of the plates leave this room. Whether and when a foot is on the floor is judged from the plates as recorded; how hard it
pushes is taken from plates filtered like the markers, because forces and accelerations that differ in bandwidth make spikes in the
moments (van den Bogert and de Koning 1996, Can J Appl Physiol 21:339; Kristianslund et al. 2012, J Biomech 45:666).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from biomech_id.pipeline.recipe import Recipe
from biomech_id.signal.filter_choice import FilterChoice, choose_filter
from biomech_id.signal.filters import lowpass
from biomech_id.trial import ForcePlate, Trial


@dataclass(frozen=True)
class Prepared:
    """A trial ready to be analysed.

    Attributes
    ----------
    trial : gaps filled, markers smoothed if they had to be; plates as recorded.
    wrench_plates : plates for the joint loads, filtered with the markers' cut-off if those were.
    gaps : what was missing, filled or not.
    filter : whether and why the markers were smoothed.
    """

    trial: Trial
    wrench_plates: tuple[ForcePlate, ...]
    gaps: tuple[Any, ...]
    filter: FilterChoice


def prepare(trial: Trial, names: Sequence[str], groups: Mapping[str, Sequence[str]], recipe: Recipe) -> Prepared:
    """Fill and smooth a trial's markers.

    Parameters
    ----------
    trial : as read.
    names : the markers the model uses; only they are judged, and only their gaps matter.
    groups : segment -> names of the markers that move with it, for filling by the segment's other markers.
    recipe : longest gap and filter settings.
    """
    filled, gaps = trial.markers, ()
    columns = [filled.names.index(name) for name in names if name in filled]
    choice = choose_filter(
        filled.position_m[:, columns],
        trial.rate_hz,
        mode=recipe.marker_filter,
        smooth_below_m=recipe.smooth_below_mm * 1e-3,
        cutoff_hz=recipe.cutoff_hz,
    )
    n_filled = sum(gap.filled for gap in gaps)
    if n_filled:
        trial = trial.after(f"{n_filled} gaps of up to {recipe.longest_gap_frames} frames filled", markers=filled)
    plates = trial.plates
    if choice.apply:
        smooth = filled.with_positions(lowpass(filled.position_m, trial.rate_hz, choice.cutoff_hz))
        trial = trial.after(f"markers filtered at {choice.cutoff_hz:g} Hz, fourth order, zero lag", markers=smooth)
        plates = tuple(_smoothed(plate, choice.cutoff_hz) for plate in plates)
    finding = choice.finding(trial.name)
    trial = replace(trial, findings=(*trial.findings, finding))
    return Prepared(trial, plates, tuple(gaps), choice)


def _smoothed(plate: ForcePlate, cutoff_hz: float) -> ForcePlate:
    return replace(
        plate,
        force_lab_N=lowpass(plate.force_lab_N, plate.rate_hz, cutoff_hz),
        moment_lab_Nm=lowpass(plate.moment_lab_Nm, plate.rate_hz, cutoff_hz),
        history=(*plate.history, f"filtered at {cutoff_hz:g} Hz for the joint loads, like the markers"),
    )
