"""Force plates of a file as reactions on the subject, in SI and laboratory axes; each with what was done to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import Finding, InvalidValueError
from biomech_id.readers.c3d.file import C3DFile
from biomech_id.readers.c3d.plate_setup import PlateSetup
from biomech_id.readers.c3d.plate_state import Baseline, decide_sign, measure_baseline, moment_factor, nobody_near
from biomech_id.readers.c3d.plate_types import plate_type
from biomech_id.readers.c3d.plate_wrench import stored_wrench
from biomech_id.readers.c3d.units import LengthUnit, force_unit, moment_unit
from biomech_id.readers.vertical import Vertical
from biomech_id.sentences import Sentence
from biomech_id.trial import ForcePlate
from biomech_id.trial.plates import LARGEST_FORCE_N, LARGEST_MOMENT_NM, PlateSign

SMALLEST_BASELINE_N = 1.0
LARGE_BASELINE_N = 20.0


@dataclass(frozen=True)
class PlateFacts:
    """What a file says about one plate, before anything is done to it (``biomech-id check`` prints it).

    ``peak_vertical_N`` and ``lowest_vertical_N`` are the extremes of the stored vertical force, up positive, baseline not
    removed; NaN when no force can be read. ``baseline_N`` is the vertical force of the unloaded plate, NaN when it cannot be
    known. ``problem`` says why the plate cannot be used, None when it can.

    Attributes
    ----------
    kind : int
        Type of the plate.
    peak_vertical_N, lowest_vertical_N : float
        Up positive, baseline not removed.
    sign : PlateSign
        What the stored signals are.
    baseline_N : float
        Vertical force of the unloaded plate.
    corners_m : FloatArray
        (4, 3), laboratory axes.
    problem : Sentence | None
        Why the plate cannot be used; None if it can.
    """

    kind: int
    peak_vertical_N: float
    lowest_vertical_N: float
    sign: PlateSign
    baseline_N: float
    corners_m: FloatArray
    problem: Sentence | None


def read_plate(
    file: C3DFile, setup: PlateSetup, length: LengthUnit, vertical: Vertical, position_file_m: FloatArray
) -> tuple[ForcePlate | None, PlateFacts, tuple[Finding, ...]]:
    """Return one plate as a reaction on the subject (None if it cannot be used), what the file says of it, and findings.

    Parameters
    ----------
    file : C3DFile
        The file.
    setup : PlateSetup
        What the file says of the plate.
    length : LengthUnit
        The file's length unit.
    vertical : Vertical
        The file's upward axis.
    position_file_m : FloatArray
        (n_frames, n_markers, 3), raw markers in metres and file axes: they prove when nobody is on the plate.
    """
    where = file.source.name
    corners_m = setup.corners * length.metres
    if setup.problem:
        return _broken(setup, setup.problem, corners_m, where)
    channels = file.analog(setup.channels)
    if np.isnan(channels).all(axis=0).any():
        return _broken(setup, Sentence("plate-uncalibrated"), corners_m, where)
    # Not-a-number passes through the sums below in silence; infinity would not.
    channels[~np.isfinite(channels)] = np.nan
    findings: list[Finding] = []
    history = [Sentence("plate-channels", {"type": setup.kind, "channels": [channel + 1 for channel in setup.channels]})]
    force_N, moment_Nm = _in_SI(file, setup, channels, length, history, findings)
    possible = np.concatenate([np.abs(force_N) < LARGEST_FORCE_N, np.abs(moment_Nm) < LARGEST_MOMENT_NM], axis=1)
    damaged = ~possible.all(axis=1)
    if damaged.all():
        return _broken(setup, Sentence("plate-no-possible-force"), corners_m, where)
    if damaged.any():
        values = {"plate": setup.name, "file": where, "n": int(damaged.sum())}
        findings.append(Finding("plate-impossible", values, setup.name))
        force_N[damaged], moment_Nm[damaged] = np.nan, np.nan
    stored_vertical_N = force_N @ vertical.up_file
    sign = decide_sign(stored_vertical_N)
    if sign == "applied":
        force_N, moment_Nm = -force_N, -moment_Nm
        history.append(Sentence("plate-negated"))
        findings.append(Finding("plate-applied", {"plate": setup.name, "file": where}, setup.name))
    elif sign == "unknown":
        findings.append(Finding("plate-unloaded", {"plate": setup.name, "file": where}, setup.name))
    away = nobody_near(setup, length.metres, position_file_m, vertical.up_file, file.layout.samples)
    baseline = measure_baseline(setup, force_N, moment_Nm, file.layout.analog_rate_hz, away)
    removed_N = _remove_baseline(setup, force_N, moment_Nm, baseline, vertical, where=where, history=history, findings=findings)
    facts = PlateFacts(
        setup.kind, float(np.nanmax(stored_vertical_N)), float(np.nanmin(stored_vertical_N)), sign,
        float(baseline.force_N @ vertical.up_file) if baseline else float("nan"), corners_m, setup.moment_problem,
    )  # fmt: skip
    if setup.moment_problem:
        return None, facts, (*findings, _unusable(setup, setup.moment_problem, where))
    R = vertical.R_lab_file
    try:
        plate = ForcePlate(
            name=setup.name, kind=setup.kind, corners_m=corners_m @ R.T, force_lab_N=force_N @ R.T, moment_lab_Nm=moment_Nm @ R.T,
            rate_hz=file.layout.analog_rate_hz, sign=sign, baseline_N=R @ removed_N, history=tuple(history),
        )  # fmt: skip
    except InvalidValueError:
        return _broken(setup, Sentence("plate-values-impossible"), corners_m, where)
    return plate, facts, tuple(findings)


def _broken(
    setup: PlateSetup, problem: Sentence, corners_m: FloatArray, where: str
) -> tuple[None, PlateFacts, tuple[Finding, ...]]:
    nan = float("nan")
    return None, PlateFacts(setup.kind, nan, nan, "unknown", nan, corners_m, problem), (_unusable(setup, problem, where),)


def _unusable(setup: PlateSetup, problem: Sentence, where: str) -> Finding:
    return Finding("plate-broken", {"plate": setup.name, "file": where, "problem": problem}, setup.name)


def _in_SI(
    file: C3DFile, setup: PlateSetup, channels: FloatArray, length: LengthUnit, history: list[Sentence], findings: list[Finding]
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
        values = {"plate": setup.name, "file": file.source.name, "factor": factor, "unit": units[3]}
        findings.append(Finding("plate-moment-unit", values, setup.name))
    if factor != length.metres:
        # The lever arm of ORIGIN is a length of the file; it may only be added to moments of the same unit.
        scaled = channels.copy()
        scaled[:, 3:6] *= factor / (length.metres * newtons)
        force, moment = stored_wrench(setup, scaled)
        history.append(Sentence("moments-converted", {"factor": factor}))
    return force * newtons, moment * newtons * length.metres


def _remove_baseline(
    setup: PlateSetup, force_N: FloatArray, moment_Nm: FloatArray, baseline: Baseline | None, vertical: Vertical,
    *, where: str, history: list[Sentence], findings: list[Finding],
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
    rule = "plate-baseline-large" if size_N > LARGE_BASELINE_N else "plate-baseline"
    findings.append(Finding(rule, {"plate": setup.name, "file": where, **shown}, setup.name))
    return baseline.force_N
