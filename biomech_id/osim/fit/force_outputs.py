"""What ``biomech-id fit --loads`` adds to its folder: the corrected motion, its model, moments before and after, a record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.errors import MissingInputError
from biomech_id.osim.dynamics.external_loads import OuterForce
from biomech_id.osim.fit.forces import ForceFit, LeftOver, carried_motion, fit_forces
from biomech_id.osim.fit.person import PersonFit
from biomech_id.writers.opensim_text import KINEMATICS_NOTES, write_tool_table


def forces_of_person(fitted: PersonFit, outer: Sequence[OuterForce]) -> ForceFit:
    """Fit masses, mass centres and motion of the trial that loads belong to.

    Parameters
    ----------
    fitted : PersonFit
        A person with all trials.
    outer : Sequence[OuterForce]
        What acts from outside in one of them: it is the one that the loads carry for the longest time.

    Returns
    -------
    ForceFit
        Of that trial.

    Raises
    ------
    MissingInputError
        Loads that carry the person in none of the trials.
    """
    bare = replace(fitted.model, muscles=(), wrap_objects=())
    carried = [(motion, carried_motion(bare, motion, outer)) for motion in fitted.motions]
    parts = [(motion, part) for motion, part in carried if part is not None]
    if not parts:
        raise MissingInputError(
            "The loads carry the person in no trial for longer than 0.3 s. Look whether they are of one of the trials, whether "
            "their bodies are the model's, and whether every foot on the ground is on a plate.",
            value=[motion.name for motion in fitted.motions], expected="loads of one of the trials",
            where=fitted.model.name,
        )  # fmt: skip
    motion, part = max(parts, key=lambda pair: float(pair[1].time_s[-1] - pair[1].time_s[0]))
    return fit_forces(bare, motion, part, outer)


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
        "trial": forces.name, "start_s": forces.time_s[0], "end_s": forces.time_s[-1], "converged": forces.converged,
        "dynamically_consistent": forces.consistent, "before": vars(forces.before), "after": vars(forces.after),
        "after_if_contacts_were_moved": vars(forces.if_moved),
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
    lines = [
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
