"""Plates for the joint loads: given the bandwidth of the markers, which the camera software has usually smoothed.

Joint loads subtract what the markers say of inertia from what the plates say of force. Where the markers have lost an impact and
the plates still hold it, its inertial part stays in the moments as if muscles had made it (docs/decisions/matched-bandwidth.md).
Force and moment about a point fixed in the laboratory are filtered, never a centre of pressure; contact, events and what is shown
of the ground come from the plates as recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import Part
from biomech_id.errors import Finding
from biomech_id.languages import Sentence
from biomech_id.signal.bandwidth import NOT_MEASURED, MarkerBandwidth, marker_bandwidth
from biomech_id.signal.filter_choice import FilterChoice
from biomech_id.signal.filters import filter_named, spline_lowpass
from biomech_id.trial import ForcePlate, Markers, Trial
from biomech_id.values import dataclass, replace

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

        Returns
        -------
        Finding
            Under the trial's name.
        """
        values = {
            "done": self.did, "why": self.why, "cutoff_hz": self.cutoff_hz, "half_amplitude_hz": self.bandwidth.half_amplitude_hz,
            "misfit_ln": self.bandwidth.misfit_ln, "held_percent": 100.0 * self.held,
        }  # fmt: skip
        return Finding("plate-bandwidth", values, where)


def match_plates(
    trial: Trial,
    choice: FilterChoice,
    groups: Mapping[Part, Sequence[str]],
    *,
    cutoff_hz: str | float,
    lowpass: str,
    kinetics: str,
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
    cutoff_hz : str | float
        "auto" gives the plates the markers' bandwidth, "raw" leaves them where markers are not smoothed here; a number of Hz.
    lowpass : str
        Name of the filter that has such a number as its cut-off.
    kinetics : str
        With "vicon" kinetics "auto" leaves the plates as recorded.

    Returns
    -------
    tuple[tuple[ForcePlate, ...], PlateFilter]
        Plates in the trial's order, filtered as the markers were or as recorded, and the evidence for it.
    """
    if isinstance(cutoff_hz, int | float):
        done, chosen, spread_s = PlateFilter("fixed", cutoff_hz=float(cutoff_hz)), filter_named(lowpass), SPREAD_CYCLES / cutoff_hz
    elif choice.apply:
        done, chosen, spread_s = PlateFilter("markers", cutoff_hz=choice.cutoff_hz), choice.lowpass, 0.0
    elif cutoff_hz == "raw" or kinetics == "vicon":
        return trial.plates, PlateFilter("recorded", "asked" if cutoff_hz == "raw" else "vendor")
    else:
        return _matched(trial, marker_bandwidth(_struck(trial.markers, groups), trial.rate_hz))

    def smooth(values: FloatArray, rate_hz: float) -> FloatArray:
        return chosen.apply(values, rate_hz, done.cutoff_hz)

    return tuple(_filtered(plate, smooth, done, spread_s) for plate in trial.plates), done


def _struck(markers: Markers, groups: Mapping[Part, Sequence[str]]) -> FloatArray:
    """Positions (n, k, 3) of the markers of shanks and feet, each once."""
    names = dict.fromkeys(name for part, of_part in groups.items() if part[1] in _STRUCK for name in of_part if name in markers)
    return markers.position_m[:, [markers.names.index(name) for name in names]]


def _matched(trial: Trial, markers: MarkerBandwidth) -> tuple[tuple[ForcePlate, ...], PlateFilter]:
    if not markers.smoothed:
        why = "unsmoothed" if markers.decided else "undecided" if np.isfinite(markers.misfit_ln) else "unmeasured"
        return trial.plates, PlateFilter("recorded", why, bandwidth=markers)
    half_hz = markers.half_amplitude_hz
    done = PlateFilter("matched", bandwidth=markers)
    plates = tuple(
        _filtered(plate, lambda values, rate_hz: spline_lowpass(values, rate_hz, half_hz), done, SPREAD_CYCLES / half_hz)
        for plate in trial.plates
    )
    held = _held(trial.plates, plates)
    if held <= NOTHING_HELD:
        return trial.plates, PlateFilter("recorded", "nothing", bandwidth=markers, held=held)
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
    values = {"done": done.did, "cutoff_hz": done.cutoff_hz, "half_amplitude_hz": done.bandwidth.half_amplitude_hz}
    return replace(
        plate,
        force_lab_N=lowpass(plate.force_lab_N, plate.rate_hz),
        moment_lab_Nm=lowpass(plate.moment_lab_Nm, plate.rate_hz),
        spread_s=spread_s,
        history=(*plate.history, Sentence("plate-filtered", values)),
    )
