"""What movements other than walking are measured by, from a solved trial: runs, jumps, squats, rising from a seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from biomech_id.conventions import MM_PER_M
from biomech_id.errors import Finding
from biomech_id.feet.landmarks import Landmarks
from biomech_id.feet.movements import TrialKind
from biomech_id.feet.travel import Travel
from biomech_id.gait.measures.jumps import JumpRecord, find_jumps, jump_parameters
from biomech_id.gait.measures.running import WALKING_NAMES, Runner, VerticalForce, running_parameters
from biomech_id.gait.measures.squats import find_rises, find_squats, squat_parameters
from biomech_id.session.solved import Solved
from biomech_id.trial import ForcePlate

#: What a run is not called by: the same numbers have other names there.
_OF_WALKS = {*WALKING_NAMES.values(), "cadence_dimensionless"}


def with_running(result: Solved, landmarks: Landmarks, travel: Travel, leg_length_m: float | None) -> Solved:
    """Return a run with its measures among the parameters; any other movement as it is.

    Parameters
    ----------
    result : Solved
        Solved and cut into cycles.
    landmarks : Landmarks
        Its pelvis and feet.
    travel : Travel
        How it moves through the laboratory.
    leg_length_m : float | None
        Mean of both legs.
    """
    if result.kind is not TrialKind.RUN:
        return result
    whole = result.motion.whole
    centre = landmarks.pelvis_lab_m if whole is None else whole.com_lab_m
    first_s = float(result.motion.time_s[0])
    runner = Runner(
        landmarks, travel, centre, result.shown_contacts, all_plates_force(result.plates, first_s), result.mass_kg, leg_length_m,
        result.floor_m,
    )  # fmt: skip
    kept = tuple(row for row in result.parameters if row.parameter not in _OF_WALKS)
    return replace(result, parameters=(*kept, *running_parameters(runner, result.cycles)))


def with_jumps(result: Solved, landmarks: Landmarks) -> Solved:
    """Return a trial of jumps with their measures among the parameters, and why heights differ; any other movement as it is.

    Parameters
    ----------
    result : Solved
        Solved and cut into cycles.
    landmarks : Landmarks
        Its pelvis and feet.
    """
    if result.kind is not TrialKind.JUMP or result.mass_kg is None:
        return result
    force = all_plates_force(result.plates, float(result.motion.time_s[0]))
    if force is None:
        return result
    whole = result.motion.whole
    jumps = find_jumps(_record(result, landmarks, force, result.mass_kg))
    rows = [row for number, jump in enumerate(jumps, start=1) for row in jump_parameters(jump, result.name, number)]
    findings = [
        Finding("jump-landed-otherwise", {
            "number": number, "of": len(jumps), "cause": jump.cause, "by_mm": abs(MM_PER_M * jump.lower_m),
            "flight_mm": MM_PER_M * jump.height_flight_m, "centre_mm": MM_PER_M * jump.height_centre_m,
            "body": whole is not None,
        }, result.name)
        for number, jump in enumerate(jumps, start=1) if jump.cause
    ]  # fmt: skip
    return replace(result, parameters=(*result.parameters, *rows), findings=(*result.findings, *findings))


def _record(result: Solved, landmarks: Landmarks, force: VerticalForce, mass_kg: float) -> JumpRecord:
    """Forces of all plates and of each foot that is known, and the path of the body's centre."""
    whole = result.motion.whole
    centre = landmarks.pelvis_lab_m if whole is None else whole.com_lab_m
    feet = {side: foot.force_lab_N[:, 2] for side, foot in result.shown_contacts.items() if foot.known.any()}
    return JumpRecord(force.time_s, force.force_N, result.motion.time_s, centre[:, 2], mass_kg, feet)


def with_squats(result: Solved, landmarks: Landmarks) -> Solved:
    """Return a trial of squats or of rising from a seat with their measures among the parameters; any other movement as it is.

    Parameters
    ----------
    result : Solved
        Solved and cut into cycles.
    landmarks : Landmarks
        Its pelvis and feet.
    """
    if result.kind not in (TrialKind.SQUAT, TrialKind.RISE):
        return result
    nothing = VerticalForce(np.zeros(0), np.zeros(0), landmarks.rate_hz)
    force = all_plates_force(result.plates, float(result.motion.time_s[0])) if result.mass_kg is not None else None
    record = _record(result, landmarks, force or nothing, result.mass_kg or float("nan"))
    if force is None:
        record = replace(record, feet_N={})
    if not np.isfinite(record.centre_m).all():
        return result
    whole = result.motion.whole is not None
    repetitions = find_squats(record) if result.kind is TrialKind.SQUAT else find_rises(record, whole_body=whole)
    rows = [row for number, each in enumerate(repetitions, start=1) for row in squat_parameters(each, result.name, number)]
    return replace(result, parameters=(*result.parameters, *rows))


def all_plates_force(plates: Sequence[ForcePlate], first_s: float) -> VerticalForce | None:
    """Return the vertical force of all plates together, as recorded; None without plates.

    Parameters
    ----------
    plates : Sequence[ForcePlate]
        All plates of one trial, of one rate.
    first_s : float
        Time of their first sample, absolute seconds.
    """
    if not plates:
        return None
    rate_hz = plates[0].rate_hz
    force = np.sum([plate.force_lab_N[:, 2] for plate in plates], axis=0)
    return VerticalForce(first_s + np.arange(len(force)) / rate_hz, force, rate_hz)
