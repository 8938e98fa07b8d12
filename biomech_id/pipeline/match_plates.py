"""Plates for the joint loads: given the bandwidth of the markers, which the camera software has usually smoothed.

Joint loads subtract what the markers say of inertia from what the plates say of force. Where the markers have lost an impact and
the plates still hold it, its inertial part stays in the moments as if muscles had made it (docs/decisions/matched-bandwidth.md).
Force and moment about a point fixed in the laboratory are filtered, never a centre of pressure; contact, events and what is shown
of the ground come from the plates as recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import Part
from biomech_id.conventions import MOMENT_VARIABLE, UNITS
from biomech_id.dynamics.loads import JointLoads
from biomech_id.errors import Finding
from biomech_id.pipeline.recipe import Recipe
from biomech_id.results.session.values import TrialResult
from biomech_id.results.tables.extrema import load_rows
from biomech_id.sentences import Sentence
from biomech_id.signal.bandwidth import NOT_MEASURED, MarkerBandwidth, marker_bandwidth
from biomech_id.signal.filter_choice import FilterChoice
from biomech_id.signal.filters import filter_named, spline_lowpass
from biomech_id.trial import ForcePlate, Markers, Trial

#: Segments whose markers show an impact, and so its loss.
_STRUCK = ("shank", "foot")
#: Largest vertical force that the markers' response takes from a plate, as a share of the largest force, up to which the plates
#: hold nothing that the markers lack: smooth loading and unloading alone give 0.04, children's strikes 0.10 and more.
NOTHING_HELD = 0.06
#: Times of half amplitude after which a load's filtered edge has died away to 1 %.
SPREAD_CYCLES = 1.5


@dataclass(frozen=True)
class PlateFilter:
    """What was done to the plates for the joint loads, and why.

    Attributes
    ----------
    did : str
        "recorded" (left alone), "markers" (this program's own filter of the markers), "matched" (the markers' measured response) or
        "fixed" (a cut-off of the recipe).
    why : str, optional
        Of plates that were left alone: "asked", "vendor", "unsmoothed", "undecided", "unmeasured" or "nothing" (they hold nothing
        that the markers lack).
    cutoff_hz : float, optional
        Effective cut-off of the filter; NaN without one, or where ``bandwidth`` says it.
    bandwidth : MarkerBandwidth, optional
        What the markers show.
    held : float, optional
        Largest vertical force that the markers' response takes from a plate, as a share of the largest that any carries.
    """

    did: str
    why: str = ""
    cutoff_hz: float = float("nan")
    bandwidth: MarkerBandwidth = NOT_MEASURED
    held: float = float("nan")

    @property
    def words(self) -> str:
        """The bandwidth of the plates as results carry it: two of different words are not to be compared unseen."""
        if self.did == "fixed":
            return f"{self.cutoff_hz:g} Hz"
        return "as recorded" if self.did == "recorded" and self.why != "nothing" else "like the markers"

    def finding(self, where: str) -> Finding:
        """Return what was done and its evidence.

        Parameters
        ----------
        where : str
            The trial, for the finding.
        """
        values = {
            "done": self.did, "why": self.why, "cutoff_hz": self.cutoff_hz, "half_amplitude_hz": self.bandwidth.half_amplitude_hz,
            "misfit_ln": self.bandwidth.misfit_ln, "held_percent": 100.0 * self.held,
        }  # fmt: skip
        return Finding("plate-bandwidth", values, where)


def match_plates(
    trial: Trial, choice: FilterChoice, groups: Mapping[Part, Sequence[str]], recipe: Recipe
) -> tuple[tuple[ForcePlate, ...], PlateFilter]:
    """Return the plates from which joint loads are to be computed, and what was done to them.

    Parameters
    ----------
    trial : Trial
        The recording under the model's labels: plates as recorded, markers as stored, not filled.
    choice : FilterChoice
        Whether this program smooths the markers.
    groups : Mapping[Part, Sequence[str]]
        Segment -> names of its markers.
    recipe : Recipe
        Settings of the main job.
    """
    wanted = recipe.plate_cutoff_hz
    if isinstance(wanted, int | float):
        done, lowpass, spread_s = (
            PlateFilter("fixed", cutoff_hz=float(wanted)),
            filter_named(recipe.lowpass),
            SPREAD_CYCLES / wanted,
        )
    elif choice.apply:
        done, lowpass, spread_s = PlateFilter("markers", cutoff_hz=choice.cutoff_hz), choice.lowpass, 0.0
    elif wanted == "raw" or recipe.kinetics == "vicon":
        return trial.plates, PlateFilter("recorded", "asked" if wanted == "raw" else "vendor")
    else:
        return _matched(trial, marker_bandwidth(_struck(trial.markers, groups), trial.rate_hz))

    def smooth(values: FloatArray, rate_hz: float) -> FloatArray:
        return lowpass.apply(values, rate_hz, done.cutoff_hz)

    return tuple(_filtered(plate, smooth, done, spread_s) for plate in trial.plates), done


def _struck(markers: Markers, groups: Mapping[Part, Sequence[str]]) -> FloatArray:
    """Positions (n, k, 3) of the markers of shanks and feet, each once."""
    names = dict.fromkeys(name for part, of_part in groups.items() if part[1] in _STRUCK for name in of_part if name in markers)
    return markers.position_m[:, [markers.names.index(name) for name in names]]


def _matched(trial: Trial, found: MarkerBandwidth) -> tuple[tuple[ForcePlate, ...], PlateFilter]:
    if not found.smoothed:
        why = "unsmoothed" if found.decided else "undecided" if np.isfinite(found.misfit_ln) else "unmeasured"
        return trial.plates, PlateFilter("recorded", why, bandwidth=found)
    half_hz = found.half_amplitude_hz
    done = PlateFilter("matched", bandwidth=found)
    plates = tuple(
        _filtered(plate, lambda values, rate_hz: spline_lowpass(values, rate_hz, half_hz), done, SPREAD_CYCLES / half_hz)
        for plate in trial.plates
    )
    held = _held(trial.plates, plates)
    if held <= NOTHING_HELD:
        return trial.plates, PlateFilter("recorded", "nothing", bandwidth=found, held=held)
    return plates, replace(done, held=held)


def _held(recorded: Sequence[ForcePlate], filtered: Sequence[ForcePlate]) -> float:
    """Largest vertical force that a filter took from any plate, as a share of the largest that any carries; zero without load."""
    pairs = [(one.force_lab_N[:, 2], other.force_lab_N[:, 2]) for one, other in zip(recorded, filtered, strict=True)]
    peak_N = max((float(np.abs(vertical_N).max(initial=0.0)) for vertical_N, _ in pairs), default=0.0)
    taken_N = max((float(np.abs(vertical_N - left_N).max(initial=0.0)) for vertical_N, left_N in pairs), default=0.0)
    return taken_N / peak_N if peak_N else 0.0


def _filtered(
    plate: ForcePlate, lowpass: Callable[[FloatArray, float], FloatArray], done: PlateFilter, spread_s: float = 0.0
) -> ForcePlate:
    said = {"done": done.did, "cutoff_hz": done.cutoff_hz, "half_amplitude_hz": done.bandwidth.half_amplitude_hz}
    return replace(
        plate,
        force_lab_N=lowpass(plate.force_lab_N, plate.rate_hz),
        moment_lab_Nm=lowpass(plate.moment_lab_Nm, plate.rate_hz),
        spread_s=spread_s,
        history=(*plate.history, Sentence("plate-filtered", said)),
    )


def peaks_finding(result: TrialResult, as_recorded: JointLoads) -> Finding | None:
    """Return the peaks that lie further than their uncertainty from those of the plates as recorded, both values of each.

    Looked at are the extrema of the sagittal joint moments in stance, and the named bursts of power.

    Parameters
    ----------
    result : TrialResult
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
    found = []
    for row in now.values():
        key, other = (row["side"], row["cycle"], row["variable"], row["component"]), before.get(_about(row))
        if other is None or key not in sd or not _told(row):
            continue
        ours, theirs = float(str(row["value"])), float(str(other["value"]))
        excess = abs(theirs - ours) / max(float(sd[key][round(float(str(row["percent"])))]), 1e-12)
        if excess > 1.0:
            name = row["name"] if not row["component"] else f"{row['variable']}.{row['component']} {row['name']}"
            found.append((excess, (row["side"], name, row["cycle"], theirs, ours, row["unit"])))
    found.sort(key=lambda pair: -pair[0])
    return Finding("plate-bandwidth-peaks", {"peaks": [peak for _, peak in found]}, result.name) if found else None


def _about(row: Mapping[str, object]) -> tuple[object, ...]:
    return tuple(row[name] for name in ("side", "cycle", "name", "variable", "component", "phase"))


def _told(row: Mapping[str, object]) -> bool:
    """Whether a row of ``peaks.csv`` is one that clinicians read as a peak of a moment or a power."""
    if row["component"] != "X":
        return row["phase"] == "cycle" and row["unit"] == UNITS["power"]
    return row["variable"] in MOMENT_VARIABLE.values() and row["name"] in ("max_stance", "min_stance")


def _standard_deviations(result: TrialResult) -> dict[tuple[object, ...], FloatArray]:
    """(side, cycle, variable, component) -> standard deviation (101,) from all sources together."""
    found: dict[tuple[object, ...], FloatArray] = {}
    for band in result.bands:
        total = band.total
        found |= {(band.cycle.side, band.cycle.number, *name): total[i] for i, name in enumerate(band.names)}
    return found
