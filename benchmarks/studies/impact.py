"""A strike that the cameras smooth away: which plates err less, those as recorded or those with the markers' response.

``python -m benchmarks.studies.impact`` gives the virtual subject a heel strike of 20 to 65 body weights a second: the landing leg
is decelerated by the bump of force that its plate then holds, and so is, by a share, everything above the hip. Truth is the
movement at 500 frames a second, unsmoothed, with its forces as they are. A laboratory's recording of it has 100 frames a second,
markers through the response of a smoothing spline, and plates as they are. The share of the impact that reaches the trunk is not
known of people; it decides which choice errs less, so that the whole range is shown. The table lies beside this module.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import biomech_id as bid
from biomech_id import __version__
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.session.tables.clinical import clinical_moment
from biomech_id.signal.filters import spline_lowpass

TABLE = Path(__file__).with_suffix(".md")
Array = NDArray[np.float64]
TRUE_HZ, LABORATORY_HZ, PLATE_HZ = 500, 100, 2000
#: Loading rates (body weights a second), and what reaches the trunk of the leg's deceleration.
RATES = (20.0, 40.0, 65.0)
TRUNK = (0.0, 0.05, 0.1, 0.2, 0.4)
CAMERAS_HZ = (6.0, 8.0)
#: The impact lasts this long; what decelerates the leg accelerated it before, slowly.
IMPACT_S, APPROACH_S = 0.04, 0.4
#: Share of the foot's deceleration that a marker on it feels, from the foot up to the hip.
FELT = {"TOE": 1.0, "HEE": 1.0, "ANK": 1.0, "TIB": 0.85, "KNE": 0.7, "THI": 0.35}
#: Steepest rise of (4 u (1 - u))^2 over u.
STEEPEST = 16.0 / 27.0**0.5
JOINTS = ("ankle", "knee", "hip")


def bump(time_s: Array, middle_s: float, lasts_s: float) -> Array:
    """One at its middle, zero outside, smooth."""
    u = np.clip((time_s - middle_s) / lasts_s + 0.5, 0.0, 1.0)
    return (4.0 * u * (1.0 - u)) ** 2


def deceleration(time_s: Array, strike_s: float) -> Array:
    """Of the landing foot, 1 at its largest: the impact, less a slow pull of the same area about the same instant."""
    middle_s = strike_s + IMPACT_S / 2
    return bump(time_s, middle_s, IMPACT_S) - IMPACT_S / APPROACH_S * bump(time_s, middle_s, APPROACH_S)


def displacement_m(time_s: Array, strike_s: float) -> Array:
    """Twice integrated `deceleration` of 1 m/s^2, metres; it comes to rest where it began."""
    fine = np.arange(time_s[0], time_s[-1] + 1e-9, 1e-4)
    twice = np.cumsum(np.cumsum(deceleration(fine, strike_s))) * 1e-8
    return np.asarray(np.interp(time_s, fine, twice - np.linspace(0.0, twice[-1], len(fine)) * (fine > strike_s + APPROACH_S)))


@cache
def person() -> tuple[Any, Any]:
    """The virtual subject's model and walk, at the rate of the truth."""
    subject = bid.virtual_subject(rate_hz=float(TRUE_HZ), analog_ratio=PLATE_HZ // TRUE_HZ)
    return bid.conventional_model(subject.static().trial), subject.walk().trial


def with_impact(rate_BW_s: float, trunk: float) -> Any:
    """The walk with an impact at every strike on a plate: markers and plates at full bandwidth."""
    _, walk = person()
    mass_kg, time_s = walk.subject.mass_kg, np.arange(walk.n_frames) / walk.rate_hz + walk.first_time_s
    plate_s = np.arange(walk.plates[0].n_samples) / PLATE_HZ + walk.first_time_s
    position_m, plates = walk.markers.position_m.copy(), list(walk.plates)
    peak_N = rate_BW_s * mass_kg * GRAVITY_M_S2 * IMPACT_S / STEEPEST
    for number, plate in enumerate(walk.plates):
        struck_s = float(plate_s[int(np.argmax(plate.force_lab_N[:, 2] > 5.0))])
        side = _landed(walk, struck_s)
        # Segments of the landing leg, by mass, and of all above it: together they need the force.
        felt = np.array([1.0, 0.85, 0.45])
        felt_kg = mass_kg * float(np.array([0.0145, 0.0465, 0.1]) @ (trunk + (1.0 - trunk) * felt) + 0.839 * trunk)
        path_m = peak_N / felt_kg * displacement_m(time_s, struck_s)
        for i, name in enumerate(walk.markers.names):
            felt = FELT.get(name[1:], 0.0) if name[0] == side else 0.0
            position_m[:, i, 2] += path_m * (trunk + (1.0 - trunk) * felt)
        force = plate.force_lab_N.copy()
        extra_N = peak_N * bump(plate_s, struck_s + IMPACT_S / 2, IMPACT_S)
        # It acts where the foot stands: heel first.
        heel = walk.markers[f"{side}HEE"][int((struck_s - walk.first_time_s) * walk.rate_hz)] - plate.centre_m
        force[:, 2] += extra_N
        moment = plate.moment_lab_Nm + np.cross(heel * [1, 1, 0], np.outer(extra_N, [0.0, 0.0, 1.0]))
        plates[number] = replace(plate, force_lab_N=force, moment_lab_Nm=moment)
    return replace(walk, markers=walk.markers.with_positions(position_m), plates=tuple(plates))


def _landed(trial: Any, at_s: float) -> str:
    """Side of the foot that strikes nearest to a time."""
    return str(min((e for e in trial.events if e.kind == "Foot Strike"), key=lambda e: abs(e.time_s - at_s)).side)


def as_stored(trial: Any, cameras_hz: float) -> Any:
    """What a laboratory stores of it: every fifth frame of markers through the cameras' smoothing."""
    step = TRUE_HZ // LABORATORY_HZ
    smooth = spline_lowpass(trial.markers.position_m, trial.rate_hz, cameras_hz)[::step]
    keep = len(smooth) * (PLATE_HZ // LABORATORY_HZ)

    def whole(samples: Array) -> Array:
        return np.concatenate([samples, np.repeat(samples[-1:], max(keep - len(samples), 0), axis=0)])[:keep]

    plates = tuple(replace(p, force_lab_N=whole(p.force_lab_N), moment_lab_Nm=whole(p.moment_lab_Nm)) for p in trial.plates)
    markers = replace(trial.markers, position_m=smooth, rate_hz=float(LABORATORY_HZ), filled=None)
    return replace(trial, markers=markers, plates=plates)


def moments(trial: Any, model: Any) -> dict[tuple[str, str], Array]:
    """(side, joint) -> sagittal moment, N m/kg, at 100 frames a second; NaN where it is not known."""
    motion = model.track(trial)
    loads = bid.solve(bid.assign_plates(motion))
    step, found = round(trial.rate_hz / LABORATORY_HZ), {}
    for (side, joint), load in loads.items():
        sagittal = clinical_moment(load.wrench.moment_Nm, motion, side, joint)[:, 0] / trial.subject.mass_kg
        found[side, joint] = np.where(load.known, sagittal, np.nan)[::step]
    return found


@dataclass(frozen=True)
class Row:
    """Errors of one recording in the first quarter of a second after strike, N m/kg: root mean square and of the maximum."""

    rate_BW_s: float
    trunk: float
    cameras_hz: float
    plates: str
    rms: dict[str, float]
    peak: float


def rows(rates: Sequence[float] = RATES, trunks: Sequence[float] = TRUNK, cameras: Sequence[float] = CAMERAS_HZ) -> list[Row]:
    """Every combination."""
    model, _ = person()
    found = []
    for rate in rates:
        for trunk in trunks:
            truth = with_impact(rate, trunk)
            true = moments(truth, model)
            for hz in cameras:
                stored = as_stored(truth, hz)
                for words, matched in (("as recorded", False), ("matched", True)):
                    trial = stored if not matched else replace(stored, wrench_plates=tuple(
                        replace(p, force_lab_N=spline_lowpass(p.force_lab_N, p.rate_hz, hz),
                                moment_lab_Nm=spline_lowpass(p.moment_lab_Nm, p.rate_hz, hz), spread_s=1.5 / hz)
                        for p in stored.plates
                    ))  # fmt: skip
                    found.append(_row((rate, trunk, hz, words), truth, true, moments(trial, model)))
    return found


def _row(of: tuple[float, float, float, str], truth: Any, true: dict[Any, Array], ours: dict[Any, Array]) -> Row:
    errors: dict[str, list[Array]] = {joint: [] for joint in JOINTS}
    peaks = []
    for plate in truth.plates:
        struck_s = float(np.argmax(plate.force_lab_N[:, 2] > 5.0)) / PLATE_HZ
        side = _landed(truth, truth.first_time_s + struck_s)
        first = round(struck_s * LABORATORY_HZ)
        early = slice(first, first + LABORATORY_HZ // 4)
        for joint in JOINTS:
            errors[joint].append((ours[side, joint] - true[side, joint])[early])
        peaks.append(float(np.nanmax(ours[side, "hip"][early]) - np.nanmax(true[side, "hip"][early])))
    rms = {joint: float(np.sqrt(np.nanmean(np.square(errors[joint])))) for joint in JOINTS}
    return Row(*of, rms, float(np.mean(peaks)))


def table(found: Sequence[Row]) -> str:
    """Raw beside matched, a line for each recording."""
    lines = [
        f"biomech_id {__version__}; virtual adult, {len(found) // 2} recordings, two stances each; no random numbers.", "",
        "| loading rate, BW/s | deceleration that reaches the trunk | cameras, Hz | ankle RMS raw, matched | knee | hip |"
        " hip extensor maximum off by, raw, matched |", "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for raw, matched in zip(found[::2], found[1::2], strict=True):
        both = [f"{raw.rms[joint]:.3f}, {matched.rms[joint]:.3f}" for joint in JOINTS]
        lines.append(
            f"| {raw.rate_BW_s:g} | {100 * raw.trunk:g} % | {raw.cameras_hz:g} | {' | '.join(both)} "
            f"| {raw.peak:+.2f}, {matched.peak:+.2f} |"
        )
    return "\n".join(lines) + "\n"


def main(_arguments: Sequence[str] = ()) -> int:
    """Write the table."""
    TABLE.write_text("# An impact that the cameras smooth away\n\n" + table(rows()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
