"""One session as a laboratory's charts see it: its values with the error that it prints, plates that it cannot use, the person."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from biomech_id.judgement.diagnosis.spread import package_spread
from biomech_id.judgement.laboratory.left_behind import (
    FREE_MOMENT,
    LEG,
    NOISE,
    PITCH,
    PLACED,
    SLOPE,
    STRIKES,
    SUPPORT,
    TURN,
)
from biomech_id.judgement.plate_log import UNTYPICAL
from biomech_id.plugins import Registry
from biomech_id.values import dataclass, field

#: A value and its standard deviation.
ChartedValue = tuple[float, float]
#: Residual -> side, name of a plate or "" -> value.
ResidualMeans = Mapping[str, Mapping[str, float]]
#: Quantity and what it is of: name of a plate, or "" for the session.
ChartKey = tuple[str, str]
#: A plate is not usable where its line of force is flatter and its free moment larger than untouched sessions' by so many SD each.
NOT_USABLE_SD = 2.0
#: Numbers of a plate's place, and what ``summary.json`` calls them.
_PLACE = {"x": "x_mm", "y": "y_mm", "turn": "turn_deg"}
#: Logarithms, and their error, are charted in percent.
_PERCENT = 100.0
#: Lengths of bones of a subject, with one side or two.
MEASURED_BONES = ("leg_length_m", "knee_width_m", "ankle_width_m", "height_m")


@dataclass(frozen=True)
class Chart:
    """One kind of chart.

    Attributes
    ----------
    unit : str
        Unit of its values, as the page prints it.
    of_plate : bool
        Whether every plate has one.
    values : Callable
        ``values(session) -> of what (name of a plate or "") -> value and SD``.
    """

    unit: str
    of_plate: bool
    values: Callable[[Mapping[str, Any], ResidualMeans, Sequence[str]], Mapping[str, ChartedValue]]


@dataclass(frozen=True)
class SessionValues:
    """What a session is on the charts.

    Attributes
    ----------
    name : str
        Name of the folder with its results.
    sha256 : str
        Of its ``summary.json``; empty for one that has none yet.
    person : str
        Code of the subject.
    date : str
        ISO date; empty where nobody recorded it.
    values : Mapping[ChartKey, ChartedValue]
        Chart -> value and the standard deviation that the session prints, in the unit of the chart.
    not_usable : Mapping[str, tuple[str, ...]]
        Plate that this session cannot use -> trials that show it.
    plates : tuple[str, ...]
        Plates that it says anything of.
    placement : Mapping[str, tuple[float, ...]]
        Residual that shows the placement of markers -> each leg's, in the units of ``spread.csv``.
    examiner : str
        Who placed the markers; empty where nobody says.
    sizes_m : Mapping[str, float]
        "leg_length_m L" -> measured length of a bone, metres.
    age_years : float | None
        Age at the session, years; None where nobody recorded it.
    treated : tuple[str, ...]
        ISO dates of treatments that are recorded with the session; empty where a treatment has none.
    inputs : frozenset[str]
        Hashes of the recordings.
    plate_middles_mm : Mapping[str, tuple[float, float]]
        Plate -> x and y of its middle in the laboratory by the file, mm.
    """

    name: str
    sha256: str
    person: str
    date: str
    values: Mapping[ChartKey, ChartedValue]
    not_usable: Mapping[str, tuple[str, ...]]
    plates: tuple[str, ...]
    placement: Mapping[str, tuple[float, ...]]
    examiner: str
    sizes_m: Mapping[str, float]
    age_years: float | None
    treated: tuple[str, ...]
    inputs: frozenset[str] = frozenset()
    plate_middles_mm: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def session_values(
    summary: Mapping[str, Any], name: str = "", sha256: str = "", inputs: Mapping[str, str] | None = None
) -> SessionValues:
    """Return what a session is on the charts.

    Parameters
    ----------
    summary : Mapping[str, Any]
        ``summary.json``, or of it ``subject``, ``plates``, ``clinic`` and of every trial ``name``, ``residuals`` and ``plates``.
    name : str, optional
        Name of the folder with its results.
    sha256 : str, optional
        Hash of the file's bytes.
    inputs : Mapping[str, str] | None, optional
        Of the manifest: recording -> hash.
    """
    subject, clinic = summary["subject"], summary.get("clinic") or {}
    trials = {str(trial["name"]): trial.get("residuals") or {} for trial in summary["trials"]}
    refused = _not_usable(trials)
    means = _means(trials, refused)
    values = {
        (quantity, of): value
        for quantity, chart in CHARTS.items()
        for of, value in chart.values(summary, means, tuple(refused)).items()
    }
    treated = tuple(str(notes.get("date") or "") for section, notes in clinic.items() if section.startswith("treatment"))
    return SessionValues(
        name, sha256, str(subject.get("code") or ""), str(subject.get("session_date") or ""), values, refused,
        tuple(sorted({plate for residuals in trials.values() for plate in residuals.get(SLOPE, {})})),
        {residual: tuple(means[residual].values()) for residual in PLACED if residual in means},
        str((clinic.get("") or {}).get("examiner") or ""), dict(_sizes(subject)), subject.get("age_years"), treated,
        frozenset((inputs or {}).values()),
        {
            plate["name"]: tuple(np.mean(np.asarray(plate["corners_mm"], dtype=float), axis=0)[:2].tolist())
            for trial in summary["trials"] for plate in trial.get("plates") or ()
        },
    )  # fmt: skip


def _not_usable(trials: Mapping[str, ResidualMeans]) -> dict[str, tuple[str, ...]]:
    """Plates that lose shear and turn about the vertical in some trial: no place and no gain makes that good."""
    spread, refused = package_spread(), dict[str, tuple[str, ...]]()
    slope, moment = (spread.names.index(name) for name in (SLOPE, FREE_MOMENT))
    sd = np.sqrt(spread.between + spread.within)
    for trial, residuals in trials.items():
        for plate, value in residuals.get(SLOPE, {}).items():
            flat = spread.mean[slope] - value > NOT_USABLE_SD * sd[slope]
            turns = residuals.get(FREE_MOMENT, {}).get(plate, 0.0) - spread.mean[moment] > NOT_USABLE_SD * sd[moment]
            if flat and turns:
                refused[plate] = (*refused.get(plate, ()), trial)
    return refused


def _means(trials: Mapping[str, ResidualMeans], refused: Mapping[str, object]) -> dict[str, dict[str, float]]:
    """Residual -> side, plate or "" -> mean over the trials, without plates that cannot be used."""
    every: dict[str, dict[str, list[float]]] = {}
    for residuals in trials.values():
        for residual, units in residuals.items():
            for unit, value in units.items():
                if unit not in refused:
                    every.setdefault(residual, {}).setdefault(unit, []).append(value)
    return {residual: {unit: float(np.mean(values)) for unit, values in units.items()} for residual, units in every.items()}


def _sizes(subject: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name in MEASURED_BONES:
        value = subject.get(name)
        sides = value if isinstance(value, Mapping) else {"": value}
        yield from ((f"{name} {side}".strip(), float(size)) for side, size in sides.items() if size)


def _variances(residual: str) -> tuple[float, float]:
    spread = package_spread()
    at = spread.names.index(residual)
    return float(spread.between[at]), float(spread.within[at])


def _of_session(residual: str, factor: float = 1.0) -> Callable[..., Mapping[str, ChartedValue]]:
    """The mean over sides or plates of a residual."""

    def values(summary: Mapping[str, Any], means: ResidualMeans, refused: Sequence[str]) -> Mapping[str, ChartedValue]:
        units = means.get(residual)
        if not units:
            return {}
        between, within = _variances(residual)
        return {"": (factor * float(np.mean(list(units.values()))), factor * float(np.sqrt(between + within / len(units))))}

    return values


def _gain(summary: Mapping[str, Any], means: ResidualMeans, refused: Sequence[str]) -> Mapping[str, ChartedValue]:
    """Each plate's load for the weight, less what the other plates of the session say of the weight."""
    plates, (between, within) = means.get(SUPPORT, {}), _variances(SUPPORT)
    if not plates:
        return {}
    n = len(plates) - 1
    common = between / (between + within / n) if n else 0.0
    sd = float(np.sqrt(within + between * (1.0 - common)))
    usual = float(package_spread().mean[package_spread().names.index(SUPPORT)])
    total = sum(plates.values())
    return {plate: (value - (common * ((total - value) / n - usual) if n else 0.0), sd) for plate, value in plates.items()}


def _place(number: str) -> Callable[..., Mapping[str, ChartedValue]]:
    """One number of where each plate stands, by typical walkers."""
    key = _PLACE[number]

    def values(summary: Mapping[str, Any], means: ResidualMeans, refused: Sequence[str]) -> Mapping[str, ChartedValue]:
        plates = summary.get("plates") or {"places": (), "silent": ()}
        if any(silent["rule"] in UNTYPICAL for silent in plates["silent"]):
            return {}
        places = (place for place in plates["places"] if place["plate"] not in refused)
        return {place["plate"]: (float(place["elsewhere"][key]), float(place["sd"][key])) for place in places}

    return values


#: Every chart of a laboratory; a new one is a row, from outside too: ``CHARTS.add(name, chart)``.
CHARTS: Registry[str, Chart] = Registry("chart", {
    "plate x": Chart("mm", True, _place("x")),
    "plate y": Chart("mm", True, _place("y")),
    "plate turn": Chart("deg", True, _place("turn")),
    "plate gain": Chart("%", True, _gain),
    "mass": Chart("%", False, _of_session(SUPPORT)),
    "leg length": Chart("%", False, _of_session(LEG, _PERCENT)),
    "marker noise": Chart("%", False, _of_session(NOISE, _PERCENT)),
    "foot pitch": Chart("deg", False, _of_session(PITCH)),
    "foot turn": Chart("deg", False, _of_session(TURN)),
    "events": Chart("ms", False, _of_session(STRIKES)),
})  # fmt: skip
