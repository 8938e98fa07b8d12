"""What ``biomech-id fit --loads`` adds to its folder: the corrected motion, its model, moments before and after, a record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.errors import Finding
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.dynamics.external_loads import OuterForce
from biomech_id.osim.fit.forces import CONTACT_SHARE, ForceFit, LeftOver, carried_motion, fit_forces, recorded_left
from biomech_id.osim.fit.person import PersonFit
from biomech_id.writers.opensim_text import KINEMATICS_NOTES, write_tool_table


def forces_of_person(fitted: PersonFit, outer: Sequence[OuterForce]) -> ForceFit | None:
    """Fit masses, mass centres and motion of the trial that loads belong to.

    Parameters
    ----------
    fitted : PersonFit
        A person with all trials.
    outer : Sequence[OuterForce]
        What acts from outside in one of them: of those that the loads carry, it is the one where the least moment is left over.

    Returns
    -------
    ForceFit | None
        Of that trial; None where the loads carry the person in none, `uncarried` then.
    """
    bare = replace(fitted.model, muscles=(), wrap_objects=())
    carried = [(motion, carried_motion(bare, motion, outer)) for motion in fitted.motions]
    parts = [(motion, part, recorded_left(bare, part, outer).rms_moment_Nm) for motion, part in carried if part is not None]
    if not parts:
        return None
    motion, part, _ = min(parts, key=lambda row: row[2])
    return replace(fit_forces(bare, motion, part, outer), left_in_trials_Nm={each.name: moment for each, _, moment in parts})


def uncarried(model: MusculoskeletalModel, outer: Sequence[OuterForce]) -> Finding:
    """Say that loads carry a person in no trial, with both weights.

    Parameters
    ----------
    model : MusculoskeletalModel
        As it was fitted to markers.
    outer : Sequence[OuterForce]
        What acts from outside.

    Returns
    -------
    Finding
        A warning.
    """
    gravity = np.asarray(model.gravity_m_s2)
    kg = sum(body.mass_kg for body in model.bodies)
    weight_N = kg * float(np.linalg.norm(gravity))
    forces = np.sum([load.force_N for load in outer if load.force_N is not None], axis=0)
    press = np.atleast_2d(forces) @ -gravity / np.linalg.norm(gravity) if np.ndim(forces) else np.zeros(1)
    on = press > CONTACT_SHARE * weight_N
    values = {"load_N": float(press[on].mean()) if on.any() else 0.0, "weight_N": weight_N, "kg": kg}
    return Finding("fit-loads-carry-nobody", values, model.name)


def write_forces(folder: Path, forces: ForceFit) -> None:
    """Write the corrected motion, and generalised forces before and after.

    Parameters
    ----------
    folder : Path
        Where to.
    forces : ForceFit
        Of one trial.
    """
    names = forces.model.coordinate_names
    turning = np.array([c.motion == "rotational" for c in forces.model.coordinates])
    values = np.where(turning, np.rad2deg(forces.q), forces.q)
    file = folder / f"{forces.name}_dynamic.mot"
    write_tool_table(file, "Coordinates", names, forces.time_s, values, in_degrees=True, notes=KINEMATICS_NOTES)
    columns = [f"{name}_{'moment' if turns else 'force'}" for name, turns in zip(names, turning, strict=True)]
    for when, tau in (("before", forces.tau_before), ("after", forces.tau_after)):
        title = f"Generalized Forces {when} the correction"
        write_tool_table(folder / f"{forces.name}_forces_{when}.sto", title, columns, forces.time_s, tau)


def force_record(forces: ForceFit) -> dict[str, Any]:
    """Give a fit with forces as ``fit.json`` holds it under ``dynamics``.

    Parameters
    ----------
    forces : ForceFit
        Of one trial.

    Returns
    -------
    dict[str, Any]
        In N, N m, m and rad; standard deviations of masses are of their logarithms.
    """
    masses = zip(forces.kinds, forces.mass_factor, forces.mass_sd, forces.mass_data_share, strict=True)
    centres = zip(forces.kinds, forces.centre_m, forces.centre_sd_m, forces.centre_data_share, strict=True)
    changes = zip(forces.model.coordinate_names, forces.change_rms, forces.change_in_sd, strict=True)
    return {
        "trial": forces.name, "moment_left_in_trials_Nm": forces.left_in_trials_Nm,
        "start_s": forces.time_s[0], "end_s": forces.time_s[-1], "converged": forces.converged,
        "dynamically_consistent": forces.consistent, "before": vars(forces.before), "after": vars(forces.after),
        "after_if_contacts_were_moved": vars(forces.if_moved),
        "weighed_kg": forces.weighed_kg, "mass_kg": forces.mass_kg,
        "masses": {kind: {"factor": factor, "sd": sd, "data_share": share} for kind, factor, sd, share in masses},
        "centres": {kind: {"moved_m": moved, "sd_m": sd, "data_share": share} for kind, moved, sd, share in centres},
        "motion_change": {name: {"rms": rms, "in_sd": in_sd} for name, rms, in_sd in changes},
        "contacts": [
            {"body": c.body, "start_s": c.start_s, "end_s": c.end_s, "offset_m": c.offset_m, "sd_m": c.sd_m,
             "stands_off": c.stands_off}
            for c in forces.contacts
        ],
    }  # fmt: skip


def force_lines(forces: ForceFit) -> tuple[str, ...]:
    """Sum up a fit with forces.

    Parameters
    ----------
    forces : ForceFit
        Of one trial.

    Returns
    -------
    tuple[str, ...]
        What is left over, what was changed for it, one line for each contact, and whether it may be called consistent.
    """
    rotational = np.array([c.motion == "rotational" for c in forces.model.coordinates])
    most = int(np.argmax(np.where(rotational, forces.change_rms, 0.0)))
    mass_z = np.log(forces.mass_factor) / forces.mass_sd
    heaviest = int(np.argmax(np.abs(mass_z)))
    shift_z = np.abs(forces.centre_m / forces.centre_sd_m).max(axis=1)
    furthest = int(np.argmax(shift_z))
    where = f"{forces.name}, {forces.time_s[0]:.2f} to {forces.time_s[-1]:.2f} s"
    mass_percent = 100.0 * (forces.mass_factor[heaviest] - 1.0)
    shift_mm = 1e3 * float(np.linalg.norm(forces.centre_m[furthest]))
    others = ", ".join(f"{moment:.0f} N m in {name}" for name, moment in forces.left_in_trials_Nm.items())
    lines = [
        f"The loads are taken for those of {forces.name}: of trials that they carry, least is left over there ({others})"
        if len(forces.left_in_trials_Nm) > 1
        else f"The loads are those of {forces.name} ({others})",
        f"{where}, left over at the root: {_left(forces.before)} before, {_left(forces.after)} after",
        f"changed most: {forces.model.coordinate_names[most]} by {np.rad2deg(forces.change_rms[most]):.2f} deg RMS "
        f"({forces.change_in_sd[most]:.1f} SD), mass of {forces.kinds[heaviest]} by {mass_percent:+.0f} % "
        f"({abs(mass_z[heaviest]):.1f} SD), "
        f"mass centre of {forces.kinds[furthest]} by {shift_mm:.0f} mm ({shift_z[furthest]:.1f} SD)",
    ]
    for c in forces.contacts:
        x, z = 1e3 * c.offset_m
        lines.append(
            f"contact of {c.body}, {c.start_s:.2f} to {c.end_s:.2f} s: {x:+.0f}, {z:+.0f} mm off (SD {1e3 * c.sd_m[0]:.0f}, "
            f"{1e3 * c.sd_m[1]:.0f} mm), not applied"
        )
    verdict = "dynamically consistent" if forces.consistent else "not dynamically consistent"
    return (*lines, f"{forces.name} is {verdict}. A small residual alone proves nothing.")


def _left(left: LeftOver) -> str:
    return (
        f"{left.rms_force_N:.1f} N RMS (peak {100 * left.peak_force_share:.1f} %) and {left.rms_moment_Nm:.1f} N m "
        f"({100 * left.peak_moment_share:.1f} %)"
    )
