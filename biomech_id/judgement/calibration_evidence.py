"""What the recordings of a session say against the calibration in force."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.conventions import MM_PER_M, SIDES
from biomech_id.dynamics.body import BodyMotion
from biomech_id.errors import BiomechError, Finding
from biomech_id.judgement.quality import graded
from biomech_id.models.conventional.calibration import ConventionalCalibration
from biomech_id.models.conventional.implied_calibration import ImpliedLeg, other_thigh_rotations
from biomech_id.models.conventional.stored_calibration import planted_frames
from biomech_id.models.landmarks import with_roles
from biomech_id.movement.movement import CalibratedModel
from biomech_id.session.solved import Solved
from biomech_id.trial import Markers, Trial

#: Stored angles computed again from markers as recorded, deg (largest root mean square of a curve): 25 of 26 recordings agree to
#: 1e-4, one offset that is 1 degree off makes 0.3 to 1.7.
NEAR_DEG, DIFFERENT_DEG = 0.1, 0.2
#: Hip centres further apart (mm) are another regression's: then the angles are another model's, and not wrong.
SAME_HIP_MM = 1.0
#: Plantar flexion offset less that of the planted foot, deg: at most 1.2 in 20 sessions of unimpaired people; both feet beyond the
#: second and no further apart than the first are another placement's offsets, unless an examiner knows of feet that never lie flat.
PLANTED_DEG, PLANTED_BOTH_DEG = 1.5, 3.0
#: Change of the length from knee centre to ankle marker with the sine of flexion, mm: median of 40 unimpaired legs, and what 5 % of
#: people exceed.
LENGTH_MM, LENGTH_OFF_MM = -21.0, 18.6
#: Range of the sine of flexion below which a knee does not tell: that of 30 degrees.
LEAST_BENT = 0.5
#: A planted foot's heel and toe marker no further than this (m) from their usual difference of height stand flat.
SOLE_LEVEL_M = 0.015
_JOINTS = ("hip", "knee", "ankle")
#: Joints of the clinical examination that say something of how a foot stands.
_OF_FEET = ("ankle", "foot")


def other_offsets(implied: Mapping[str, Mapping[str, ImpliedLeg]], static: str, used: str) -> Iterator[Finding]:
    """Say that walks were computed with other thigh rotations than their static trial, as a clinician tunes them afterwards.

    Parameters
    ----------
    implied : Mapping[str, Mapping[str, ImpliedLeg]]
        Recording -> side -> what its stored outputs imply.
    static : str
        The static trial's name.
    used : str
        Whose offsets the session is computed with, "static" or "trial".
    """
    walks = {name: legs for name, legs in implied.items() if name != static}
    legs = other_thigh_rotations(implied.get(static, {}), walks)
    if legs:
        trials = sorted({name for *_, names in legs for name in names})
        rows = [(side, static_deg, trial_deg) for side, static_deg, trial_deg, _ in legs]
        most_deg = max(abs(trial_deg - static_deg) for _, static_deg, trial_deg in rows)
        values = {"trials": trials, "legs": rows, "most_deg": most_deg, "static": static, "used": used}
        yield Finding("offsets-of-trials-differ", values, static)


def with_other_offsets(
    results: Sequence[Solved], implied: Mapping[str, Mapping[str, ImpliedLeg]], static: str
) -> tuple[Solved, ...]:
    """Return trials with a grade for thigh rotations that are not their own: they are at best usable with limits.

    Parameters
    ----------
    results : Sequence[Solved]
        Graded, and computed with the static trial's thigh rotations.
    implied : Mapping[str, Mapping[str, ImpliedLeg]]
        Recording -> side -> what its stored outputs imply.
    static : str
        The static trial's name.
    """
    graded_results = []
    for result in results:
        legs = other_thigh_rotations(implied.get(static, {}), {result.name: implied.get(result.name, {})})
        if legs and result.static == static:
            row = graded(result.name, "thigh-rotations", max(abs(trial - stood) for _, stood, trial, _ in legs))
            result = replace(result, quality=(*result.quality, row))
        graded_results.append(result)
    return tuple(graded_results)


def computed_again(model: CalibratedModel, trials: Sequence[Trial], walks: Collection[str] | None = None) -> Iterator[Finding]:
    """Say where stored angles are not those that the stored offsets and measurements give, or that nothing checks these.

    Angles are computed from the markers as recorded: a filter of our own makes 0.7 to 1.7 degrees. Of several programs' outputs in
    one file those count that fit best.

    Parameters
    ----------
    model : CalibratedModel
        Calibrated on the offsets that files store, for want of a static trial.
    trials : Sequence[Trial]
        The recordings as read, with their stored angles.
    walks : Collection[str] | None, optional
        Names of level walks with nothing on the feet, of which `walked_evidence` is asked where no angles are stored; default all.
    """
    checked = 0
    apart: list[tuple[float, str, str, str]] = []
    for trial in trials:
        if not _programs(trial):
            continue
        try:
            motion = model.track(trial, kinetics="vicon")
        except BiomechError:  # it is refused where it is analysed
            continue
        if _same_hips(motion, trial):
            checked += 1
            apart += [(*min(_worst(motion, trial, program) for program in _programs(trial)), trial.name)]
    if not checked:
        yield Finding("offsets-not-checked", {"trials": len(trials)}, trials[0].name if trials else "")
        yield from walked_evidence(model, [trial for trial in trials if walks is None or trial.name in walks])
        return
    rms_deg, side, joint, name = max(apart)
    if rms_deg > NEAR_DEG:
        rule = "stored-angles-differ" if rms_deg > DIFFERENT_DEG else "stored-angles-near"
        yield Finding(rule, {"trial": name, "side": side, "joint": joint, "rms_deg": rms_deg, "trials": checked}, name)


def walked_evidence(model: CalibratedModel, trials: Sequence[Trial]) -> Iterator[Finding]:
    """Say where the markers of a walk speak against stored offsets: the foot's against the planted foot, the thigh's at the knee.

    Parameters
    ----------
    model : CalibratedModel
        Calibrated on the offsets that files store, for want of a static trial.
    trials : Sequence[Trial]
        The recordings as read.
    """
    calibration = model.calibration
    if not isinstance(calibration, ConventionalCalibration):
        return
    for trial in trials:
        try:
            motion = model.track(trial, kinetics="vicon")
        except BiomechError:  # it is refused where it is analysed
            continue
        markers = with_roles(trial.markers)
        sides = [side for side in SIDES if (side, "ankle") in motion.joint_centres_lab_m]
        offsets = {side: calibration.offsets[side].plantar_flexion_rad for side in sides}
        planted = {side: _planted_deg(motion, markers, side, trial.rate_hz) - np.rad2deg(offsets[side]) for side in sides}
        # A foot that never is flat says nothing, and leaves the other one its word.
        flat = {side: off_deg for side, off_deg in planted.items() if np.isfinite(off_deg).all()}
        if flat:
            # Either the heel marker was put at the toe marker's height in the static trial, or it was not: on both feet.
            off_deg = min(np.transpose(list(flat.values())), key=lambda option: float(np.abs(option).max()))
            side, worst_deg = max(zip(flat, off_deg.tolist(), strict=True), key=lambda each: abs(each[1]))
            if abs(worst_deg) > PLANTED_DEG:
                both = len(flat) == len(SIDES) and np.abs(off_deg).min() > PLANTED_BOTH_DEG and np.ptp(off_deg) <= PLANTED_DEG
                examined = any(each.joint in _OF_FEET for each in model.subject.examination)
                values = {"trial": trial.name, "side": side, "off_deg": worst_deg}
                yield Finding("foot-offsets-off" if both and not examined else "foot-offset-doubtful", values, trial.name)
        for side in sides:
            slope_mm = _length_slope_mm(motion, markers, side)
            if abs(slope_mm - LENGTH_MM) > LENGTH_OFF_MM:
                values = {"trial": trial.name, "side": side, "slope_mm": slope_mm, "usual_mm": LENGTH_MM}
                yield Finding("thigh-offset-doubtful", values, trial.name)


def _planted_deg(motion: BodyMotion, markers: Markers, side: str, rate_hz: float) -> FloatArray:
    """Plantar flexion of the planted foot against the floor, and against its sole markers, deg (2,); NaN where it never is flat."""
    heel, toe = markers.on(side, "heel"), markers.on(side, "toe")
    planted = planted_frames(markers, side, rate_hz)
    if planted.all():
        return np.full(2, np.nan)
    height = heel[:, 2] - toe[:, 2]
    flat = planted & (np.abs(height - np.median(height[planted])) < SOLE_LEVEL_M)
    floor, sole = (_rise_deg(path[flat] - toe[flat]) for path in (motion.joint_centres_lab_m[side, "ankle"], heel))
    return np.array([floor, floor - sole])


def _rise_deg(away: FloatArray) -> float:
    return float(over_seen(np.nanmedian, np.rad2deg(np.arctan2(away[:, 2], np.hypot(away[:, 0], away[:, 1])))))


def _length_slope_mm(motion: BodyMotion, markers: Markers, side: str) -> float:
    """How the distance of knee centre and ankle marker changes with the sine of flexion, mm; NaN where it hardly bends."""
    length_mm = MM_PER_M * np.linalg.norm(motion.joint_centres_lab_m[side, "knee"] - markers.on(side, "lateral_malleolus"), axis=1)
    bent = np.sin(motion.joint_angles_rad[side, "knee"][:, 0])
    known = np.isfinite(length_mm) & np.isfinite(bent)
    if not known.any() or np.ptp(bent[known]) < LEAST_BENT:
        return float("nan")
    return float(np.polyfit(bent[known], length_mm[known], 1)[0])


def _programs(trial: Trial) -> list[str]:
    """Patterns of names under which both sides' hip, knee and ankle angles are stored: "{side}Vicon{joint}Angles"."""
    outputs, patterns = trial.model_outputs, []
    for label in outputs:
        before, hip, behind = label.partition("HipAngles")
        pattern = f"{{side}}{before[1:]}{{joint}}Angles{behind}"
        names = [pattern.format(side=side, joint=joint.capitalize()) for side in SIDES for joint in _JOINTS]
        if hip and before[:1] == SIDES[0] and all(name in outputs for name in names):
            patterns.append(pattern)
    return patterns


def _same_hips(motion: BodyMotion, trial: Trial) -> bool:
    """Whether the stored hip centres are the model's own; False where none are stored."""
    apart_mm = [
        float(np.nanmedian(np.linalg.norm(MM_PER_M * motion.joint_centres_lab_m[side, "hip"] - stored, axis=1)))
        for side in SIDES
        if (side, "hip") in motion.joint_centres_lab_m and (stored := trial.model_outputs.get(f"{side}FEP")) is not None
    ]
    return bool(apart_mm) and max(apart_mm) < SAME_HIP_MM


def _worst(motion: BodyMotion, trial: Trial, program: str) -> tuple[float, str, str]:
    """Largest root mean square difference of a curve, deg, with its side and joint."""
    differences = [(0.0, SIDES[0], _JOINTS[0])]
    for side, joint in ((side, joint) for side in SIDES for joint in _JOINTS if (side, joint) in motion.joint_angles_rad):
        stored_deg = trial.model_outputs[program.format(side=side, joint=joint.capitalize())]
        off_deg = np.rad2deg(motion.joint_angles_rad[side, joint]) - stored_deg
        known = np.isfinite(off_deg).all(axis=1) & (np.abs(stored_deg).sum(axis=1) > 0.0)
        if known.any():
            differences.append((float(np.sqrt(np.mean(off_deg[known] ** 2, axis=0)).max()), side, joint))
    return max(differences)
