"""What a fitted model says is wrong with recordings or model."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from biomech_id.errors import Finding
from biomech_id.osim.fit.agreement import DISAGREE_SDS
from biomech_id.osim.fit.forces import MOST_ALL_OFF_M, ForceFit
from biomech_id.osim.fit.person import PersonFit

#: A marker on a bony landmark this many times further off than expected is another one, or another's label.
MOST_PLACE_Z = 2.0
#: Persons fitted to models of people have at most 0.3; labels of left and right exchanged 6.
MOST_SIZE_CHI2 = 3.0
#: Two legs differ beyond this share, or beyond so many standard deviations and this smallest share.
SIDE_SHARE, SIDE_SDS, LEAST_SIDE_SHARE = 0.03, 2.0, 0.015
#: A sample that counts less than this was thrown out; from this share of a trial's samples on it is worth a word.
THROWN_OUT, MOST_THROWN_OUT = 0.1, 0.001
#: A coordinate with this standard deviation, rad or m, is half as uncertain as without any recording.
UNSEEN_SD = 0.5


def fit_findings(fitted: PersonFit) -> tuple[Finding, ...]:
    """Judge a fit.

    Parameters
    ----------
    fitted : PersonFit
        Of one person.

    Returns
    -------
    tuple[Finding, ...]
        One for each marker that lies where it cannot, each segment whose sides differ, each trial with samples thrown out, and one
        for a model that does not fit, a fit that did not arrive or coordinates that no marker shows; none for a person and
        recordings without fault.
    """
    return tuple(_findings(fitted))


def _findings(fitted: PersonFit) -> Iterator[Finding]:
    name = fitted.model.name
    if not fitted.converged:
        yield Finding("fit-not-converged", {"steps": fitted.steps}, name)
    if fitted.size_chi2 > MOST_SIZE_CHI2:
        yield Finding("fit-size-unlikely", {"chi2": fitted.size_chi2, "most": MOST_SIZE_CHI2}, name)
    off = [(z, m, at) for z, m, at in zip(fitted.place_z, fitted.model.markers, fitted.moved_m, strict=True)]
    for (z, marker, moved), bony in zip(off, fitted.bony, strict=True):
        if bony and z > MOST_PLACE_Z:
            values = {"marker": marker.name, "body": marker.body, "moved_mm": 1e3 * float(np.linalg.norm(moved)), "times": float(z)}
            yield Finding("fit-marker-misplaced", values, marker.name)
    for segment in sorted({key[:-2] for key in fitted.lengths_m}):
        right, left = (fitted.lengths_m.get(f"{segment}_{side}") for side in "rl")
        if right is None or left is None:
            continue
        share = (right[0] - left[0]) / max(right[0], left[0])
        sd = float(np.hypot(right[1], left[1])) / max(right[0], left[0])
        if abs(share) > SIDE_SHARE or abs(share) > max(SIDE_SDS * sd, LEAST_SIDE_SHARE):
            values = {"segment": segment, "right_mm": 1e3 * right[0], "left_mm": 1e3 * left[0], "sd_mm": 1e3 * right[1]}
            yield Finding("fit-sides-differ", values, segment)
    for pair in fitted.disagreements:
        if abs(pair.apart_m) > DISAGREE_SDS * pair.sd_m:
            values = {
                "one": pair.trials[0], "other": pair.trials[1], "measure": pair.measure, "apart_mm": 1e3 * abs(pair.apart_m),
                "sd_mm": 1e3 * pair.sd_m,
            }  # fmt: skip
            yield Finding("fit-trials-disagree", values, name)
    unseen = np.all([np.nanmean(motion.sd, axis=0) > UNSEEN_SD for motion in fitted.motions], axis=0)
    if unseen.any():
        names = [each for each, hidden in zip(fitted.model.coordinate_names, unseen, strict=True) if hidden]
        yield Finding("fit-coordinates-unseen", {"names": names}, name)
    for motion in fitted.motions:
        there = np.isfinite(motion.residual_m[..., 0])
        out = there & (motion.weight < THROWN_OUT)
        if out.sum() > MOST_THROWN_OUT * there.sum():
            worst = fitted.model.markers[int(np.argmax(out.sum(axis=0)))].name
            yield Finding("fit-samples-out", {"n": int(out.sum()), "of": int(there.sum()), "marker": worst}, motion.name)


def force_findings(forces: ForceFit) -> tuple[Finding, ...]:
    """Judge a motion that was corrected so that loads explain it.

    Parameters
    ----------
    forces : ForceFit
        Of one trial.

    Returns
    -------
    tuple[Finding, ...]
        One for each contact that stands off, one for all contacts that do so together, one for masses that nobody has, one for
        steps that came to no end, and one where more is left over than the rule of thumb allows.
    """
    return tuple(_force_findings(forces))


def _force_findings(forces: ForceFit) -> Iterator[Finding]:
    level = "XYZ".replace("XYZ"[int(np.argmax(np.abs(forces.model.gravity_m_s2)))], "")
    for contact in forces.contacts:
        if contact.stands_off:
            worst = int(np.argmax(np.where(contact.axes_off, np.abs(contact.offset_m) / contact.sd_m, 0.0)))
            values: dict[str, object] = {
                "body": contact.body, "start_s": contact.start_s, "end_s": contact.end_s, "axis": level[worst],
                "offset_mm": 1e3 * float(contact.offset_m[worst]), "sd_mm": 1e3 * float(contact.sd_m[worst]),
            }  # fmt: skip
            yield Finding("fit-contact-off", values, forces.name)
    if forces.all_off_m > MOST_ALL_OFF_M:
        yield Finding("fit-loads-elsewhere", {"offset_mm": 1e3 * forces.all_off_m}, forces.name)
    if forces.masses_off:
        worst = int(np.argmax(np.abs(np.log(forces.mass_factor))))
        percent = 100.0 * (float(forces.mass_factor[worst]) - 1.0)
        values = {"segment": forces.kinds[worst], "percent": percent, "kg": forces.mass_kg, "weighed_kg": forces.weighed_kg}
        yield Finding("fit-mass-off", values, forces.name)
    if not forces.converged:
        yield Finding("fit-forces-unfinished", {}, forces.name)
    if not forces.little_left:
        values = {"force_percent": 100 * forces.after.peak_force_share, "moment_percent": 100 * forces.after.peak_moment_share}
        yield Finding("fit-forces-left", values, forces.name)
