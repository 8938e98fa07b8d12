"""Force plates of a file as reactions on the subject, in SI and laboratory axes; each with what was done to it."""

from __future__ import annotations

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.errors import InvalidValueError
from biomech_id.languages import Sentence
from biomech_id.readers.c3d.file import C3DFile
from biomech_id.readers.c3d.plate_setup import PlateFacts, PlateSetup
from biomech_id.readers.c3d.plate_types import plate_type
from biomech_id.readers.c3d.plate_wrench import plate_axes, plate_centre_of_pressure, stored_wrench
from biomech_id.readers.c3d.units import LengthUnit, force_unit, moment_unit
from biomech_id.readers.source import FileFindings
from biomech_id.readers.vertical import Vertical
from biomech_id.trial import ForcePlate
from biomech_id.trial.plates import LARGEST_FORCE_N, LARGEST_MOMENT_NM, PlateSign
from biomech_id.values import dataclass

SMALLEST_BASELINE_N = 1.0
LARGE_BASELINE_N = 20.0


def read_plate(
    file: C3DFile, setup: PlateSetup, length: LengthUnit, vertical: Vertical, position_file_m: FloatArray
) -> tuple[ForcePlate | None, PlateFacts, FileFindings]:
    """Return one plate as a reaction on the subject.

    Parameters
    ----------
    file : C3DFile
        The file, opened by `open_c3d`.
    setup : PlateSetup
        What the file says of the plate.
    length : LengthUnit
        The file's length unit.
    vertical : Vertical
        The file's upward axis.
    position_file_m : FloatArray
        (n_frames, n_markers, 3), raw markers in metres and file axes: they prove when nobody is on the plate.

    Returns
    -------
    plate : ForcePlate | None
        N and N m about the surface centre, laboratory axes, baseline removed; None if the plate cannot be used.
    facts : PlateFacts
        What the file says of it.
    findings : FileFindings
        What was wrong with it or done to it.
    """
    where, findings = file.source.name, FileFindings(file.source.name, setup.name)
    corners_m = setup.corners * length.metres
    if setup.problem:
        return _broken(setup, setup.problem, corners_m, where)
    channels = file.analog(setup.channels)
    if np.isnan(channels).all(axis=0).any():
        return _broken(setup, Sentence("plate-uncalibrated"), corners_m, where)
    # Not-a-number passes through the sums below in silence; infinity would not.
    channels[~np.isfinite(channels)] = np.nan
    history = [Sentence("plate-channels", {"type": setup.kind, "channels": [channel + 1 for channel in setup.channels]})]
    force_N, moment_Nm = _in_SI(file, setup, channels, length, history, findings)
    possible = np.concatenate([np.abs(force_N) < LARGEST_FORCE_N, np.abs(moment_Nm) < LARGEST_MOMENT_NM], axis=1)
    damaged = ~possible.all(axis=1)
    if damaged.all():
        return _broken(setup, Sentence("plate-no-possible-force"), corners_m, where)
    if damaged.any():
        findings.add("plate-impossible", n=int(damaged.sum()))
        force_N[damaged], moment_Nm[damaged] = np.nan, np.nan
    stored_vertical_N = force_N @ vertical.up_file
    sign = decide_sign(stored_vertical_N)
    if sign == "applied":
        force_N, moment_Nm = -force_N, -moment_Nm
        history.append(Sentence("plate-negated"))
        findings.add("plate-applied")
    elif sign == "unknown":
        findings.add("plate-unloaded")
    away = nobody_near(setup, length.metres, position_file_m, vertical.up_file, file.layout.samples)
    baseline = measure_baseline(setup, force_N, moment_Nm, file.layout.analog_rate_hz, away)
    removed_N = _remove_baseline(force_N, moment_Nm, baseline, vertical, history, findings)
    facts = PlateFacts(
        setup.kind, float(np.nanmax(stored_vertical_N)), float(np.nanmin(stored_vertical_N)), sign,
        float(baseline.force_N @ vertical.up_file) if baseline else float("nan"), corners_m, setup.moment_problem,
    )  # fmt: skip
    if setup.moment_problem:
        findings.add("plate-broken", problem=setup.moment_problem)
        return None, facts, findings
    R = vertical.R_lab_file
    try:
        plate = ForcePlate(
            name=setup.name, kind=setup.kind, corners_m=corners_m @ R.T, force_lab_N=force_N @ R.T, moment_lab_Nm=moment_Nm @ R.T,
            rate_hz=file.layout.analog_rate_hz, sign=sign, baseline_N=R @ removed_N, history=tuple(history),
        )  # fmt: skip
    except InvalidValueError:
        return _broken(setup, Sentence("plate-values-impossible"), corners_m, where)
    return plate, facts, findings


def _broken(setup: PlateSetup, problem: Sentence, corners_m: FloatArray, where: str) -> tuple[None, PlateFacts, FileFindings]:
    nan, findings = float("nan"), FileFindings(where, setup.name)
    findings.add("plate-broken", problem=problem)
    return None, PlateFacts(setup.kind, nan, nan, "unknown", nan, corners_m, problem), findings


def _in_SI(
    file: C3DFile, setup: PlateSetup, channels: FloatArray, length: LengthUnit, history: list[Sentence], findings: FileFindings
) -> tuple[FloatArray, FloatArray]:
    """Force (N) and moment about the surface centre (N m), file axes, sign as stored."""
    labels = file.joined_strings("ANALOG", "UNITS")
    units = [labels[channel] if channel < len(labels) else "" for channel in setup.channels]
    kind = plate_type(setup.kind)
    assert kind is not None
    newtons = (force_unit(units[2]) if not kind.matrix else None) or 1.0
    if newtons != 1.0:
        history.append(Sentence("force-converted", {"unit": units[2], "factor": newtons}))
    # Without channels of moments, and behind a matrix that makes its own units, moments are force times POINT:UNITS.
    stated = moment_unit(units[3], length) if kind.moment_channels else None
    force, moment = stored_wrench(setup, channels)
    factor, contradicts = moment_factor(setup, force * newtons, moment, length.metres, stated)
    if contradicts:
        findings.add("plate-moment-unit", factor=factor, unit=units[3])
    if factor != length.metres:
        # The lever arm of ORIGIN is a length of the file; it may only be added to moments of the same unit.
        scaled = channels.copy()
        scaled[:, 3:6] *= factor / (length.metres * newtons)
        force, moment = stored_wrench(setup, scaled)
        history.append(Sentence("moments-converted", {"factor": factor}))
    return force * newtons, moment * newtons * length.metres


def _remove_baseline(
    force_N: FloatArray, moment_Nm: FloatArray, baseline: Baseline | None, vertical: Vertical, history: list[Sentence],
    findings: FileFindings,
) -> FloatArray:  # fmt: skip
    """Subtract in place what the unloaded plate showed; return the force removed, (3,), file axes."""
    if baseline is None:
        history.append(Sentence("baseline-unknown"))
        return np.zeros(3)
    size_N = float(np.linalg.norm(baseline.force_N))
    if size_N < SMALLEST_BASELINE_N:
        history.append(Sentence("baseline-small", {"force_N": size_N, "noise_N": baseline.noise_N}))
        return np.zeros(3)
    force_N -= baseline.force_N
    moment_Nm -= baseline.moment_Nm
    vertical_N = float(baseline.force_N @ vertical.up_file)
    shown = {"force_N": size_N, "vertical_N": vertical_N}
    history.append(Sentence("baseline-removed", {**shown, "samples": baseline.samples}))
    findings.add("plate-baseline-large" if size_N > LARGE_BASELINE_N else "plate-baseline", **shown)
    return baseline.force_N


#: A vertical force beyond this, up or down, is somebody's weight.
LOADED_N = 50.0
#: So many loaded samples at least: one spike is nobody's weight.
FEWEST_LOADED = 3
#: Nobody is on a plate while every marker is farther than this from the space above it.
REACH_M = 0.20
LOW_M = 0.35
#: An unloaded plate shows less than this, and for at least this long.
UNLOADED_N = 50.0
UNLOADED_S = 0.20
INSIDE_SHARE = 0.9
#: A centre of pressure that never leaves this circle belongs to moments in a unit 1000 times too large.
STILL_M = 0.002


def decide_sign(vertical_N: FloatArray) -> PlateSign:
    """Return what the stored signals are: the reaction on the subject points up.

    Parameters
    ----------
    vertical_N : FloatArray
        (n_samples,), stored vertical force, up positive; NaN where it is impossible.

    Returns
    -------
    PlateSign
        "reaction", "applied" (force on the plate) or "unknown" where fewer than three samples exceed 50 N.
    """
    with np.errstate(invalid="ignore"):
        up, down = vertical_N > LOADED_N, vertical_N < -LOADED_N
    if max(int(up.sum()), int(down.sum())) < FEWEST_LOADED:
        return "unknown"
    return "reaction" if float(vertical_N[up].sum()) >= -float(vertical_N[down].sum()) else "applied"


def moment_factor(
    setup: PlateSetup, force_N: FloatArray, moment: FloatArray, metres: float, stated: float | None
) -> tuple[float, bool]:
    """Return newton metres per stored moment unit.

    The stated unit counts unless the centre of pressure then misses the plate, or never moves, and with another unit does not.

    Parameters
    ----------
    setup : PlateSetup
        What the file says of the plate.
    force_N, moment : FloatArray
        (n, 3), file axes; moment in the stored unit, about the surface centre.
    metres : float
        Metres per POINT:UNITS; newton times this is the unit C3D prescribes.
    stated : float | None
        Newton metres per unit by ANALOG:UNITS, or None.

    Returns
    -------
    factor : float
        N m per unit.
    contradicts : bool
        Whether it is another than the file states.
    """
    believed = metres if stated is None else stated
    half_sides_m = 0.5 * setup.sides * metres

    def share_inside(factor: float) -> float:
        cop = plate_centre_of_pressure(setup, force_N, moment * factor)
        cop = cop[np.isfinite(cop).all(axis=1)]
        if len(cop) < FEWEST_LOADED:
            return np.nan
        if np.percentile(np.abs(cop), 95) < STILL_M:
            return 0.0
        return float((np.abs(cop) <= half_sides_m).all(axis=1).mean())

    if not share_inside(believed) < 0.5:
        return believed, False
    for other in (metres, 1.0, 0.001):
        if other != believed and share_inside(other) >= INSIDE_SHARE:
            return other, True
    return believed, False


@dataclass(frozen=True)
class Baseline:
    """What an unloaded plate shows: mean force and moment (about the surface centre), their spread, and from how many samples.

    Attributes
    ----------
    force_N : FloatArray
        (3,), median over the unloaded samples, file axes.
    moment_Nm : FloatArray
        (3,), median over the unloaded samples, about the surface centre, file axes.
    noise_N : float
        Standard deviation of the noisiest component, from the median absolute deviation.
    samples : int
        Number of analog samples that are proven unloaded.
    """

    force_N: FloatArray
    moment_Nm: FloatArray
    noise_N: float
    samples: int


def measure_baseline(
    setup: PlateSetup, force_N: FloatArray, moment_Nm: FloatArray, rate_hz: float, away: BoolArray
) -> Baseline | None:
    """Return what the plate shows in samples proven unloaded.

    Proven: the force is small, and all markers are away from the plate (``away``, (n_samples,), see `nobody_near`).
    A plate whose unloaded samples the vendor has already set to zero yields a baseline of zero.

    Parameters
    ----------
    setup : PlateSetup
        What the file says of the plate.
    force_N : FloatArray
        (n, 3), file axes, N.
    moment_Nm : FloatArray
        (n, 3), file axes, N m.
    rate_hz : float
        Analog samples per second; 0.2 s of unloaded samples are needed.
    away : BoolArray
        (n_samples,), whether the plate is proven unloaded.

    Returns
    -------
    Baseline | None
        None when too few samples are proven unloaded.
    """
    quiet = away & (np.linalg.norm(force_N, axis=1) < UNLOADED_N)
    if quiet.sum() < max(UNLOADED_S * rate_hz, FEWEST_LOADED):
        return None
    # The median is not moved by the few samples in which a foot out of the cameras' sight touches the plate.
    force = np.median(force_N[quiet], axis=0)
    moment = np.median(moment_Nm[quiet], axis=0)
    noise = float(np.median(np.abs(force_N[quiet] - force), axis=0).max() * 1.4826)
    return Baseline(force, moment, noise, int(quiet.sum()))


def nobody_near(setup: PlateSetup, metres: float, position_file_m: FloatArray, up_file: FloatArray, samples: int) -> BoolArray:
    """Return for each analog sample whether every marker is away from the space above the plate.

    Parameters
    ----------
    setup : PlateSetup
        What the file says of the plate.
    metres : float
        Per unit of the file.
    position_file_m : FloatArray
        (n_frames, n_markers, 3), metres, file axes.
    up_file : FloatArray
        (3,), upward unit vector, file axes.
    samples : int
        Analog samples per frame.

    Returns
    -------
    BoolArray
        (n_frames * samples,).
    """
    axes = plate_axes(setup.corners)
    offset = position_file_m - setup.corners.mean(axis=0) * metres
    height = offset @ up_file
    with np.errstate(invalid="ignore"):
        # Markers that come near the floor are on feet; only frames that show all of those prove anything.
        seen = np.isfinite(height)
        feet = seen.any(axis=0) & (np.where(seen, height, np.inf).min(axis=0) < LOW_M)
        if not feet.any():
            return np.zeros(len(position_file_m) * samples, dtype=bool)
        across = np.abs(offset[:, feet] @ axes[:, :2])
        above = (across < 0.5 * setup.sides * metres + REACH_M).all(axis=2) & (height[:, feet] < LOW_M)
    return np.repeat(seen[:, feet].all(axis=1) & ~above.any(axis=1), samples)
