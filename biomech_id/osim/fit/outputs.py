"""The folder of ``biomech-id fit``: the scaled model, motions with standard deviations, and ``fit.json``; whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import Finding, InvalidValueError, MissingInputError, OutputError
from biomech_id.files.atomic import check_writable, whole_folder
from biomech_id.files.inputs import sha256_of
from biomech_id.files.json_text import json_text
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.document.model import read_marker_set, read_osim
from biomech_id.osim.document.scaled_document import write_scaled_model
from biomech_id.osim.dynamics.external_loads import OuterForce
from biomech_id.osim.fit.findings import THROWN_OUT, fit_findings, force_findings
from biomech_id.osim.fit.force_outputs import force_record, forces_of_person, uncarried, write_forces
from biomech_id.osim.fit.forces import ForceFit
from biomech_id.osim.fit.kept import RECORD
from biomech_id.osim.fit.person import LEAST_DATA_SHARE, FittedMotion, PersonFit, fit
from biomech_id.osim.run import outer_forces
from biomech_id.osim.scaling import with_model_markers
from biomech_id.readers import read
from biomech_id.readers.formats import FORMATS
from biomech_id.trial import Trial
from biomech_id.writers.opensim_text import KINEMATICS_NOTES, write_tool_table

#: Layout of ``fit.json``.
FIT_SCHEMA = 1
#: A fitted model and a recording -> what its own plates do to the feet, and what is said of that.
OfPlates: TypeAlias = Callable[[MusculoskeletalModel, Trial], tuple[tuple[OuterForce, ...], tuple[Finding, ...]]]


def fit_files(
    model_file: Path,
    trial_files: Sequence[Path],
    out: Path,
    *,
    marker_set: Path | None = None,
    mass_kg: float | None = None,
    loads: Path | None = None,
    of_plates: OfPlates | None = None,
) -> tuple[PersonFit, ForceFit | None, tuple[Finding, ...]]:
    """Fit a model file to recordings and write what came of it.

    Parameters
    ----------
    model_file : Path
        The generic ``.osim`` model.
    trial_files : Sequence[Path]
        Recordings in any format that ``biomech_id.read`` knows, ``.trc`` and ``.c3d`` for example.
    out : Path
        The folder to be made; one that this function made earlier is replaced as a whole.
    marker_set : Path | None, optional
        An OpenSim MarkerSet whose markers are added to the model's, and replace those of the same name.
    mass_kg : float | None, optional
        Of the person; None leaves the model's.
    loads : Path | None, optional
        OpenSim's ``ExternalLoads`` document of one of the recordings, with the table that it names, or that recording itself, whose
        plates are taken; None fits without forces.
    of_plates : OfPlates | None, optional
        How feet are put on plates, `pipeline.plate_loads.plate_forces` for example; needed where ``loads`` is a recording.

    Returns
    -------
    tuple[PersonFit, ForceFit | None, tuple[Finding, ...]]
        What was fitted to markers, and to loads where there are some that carry the person, and what is wrong with it.

    Raises
    ------
    InvalidValueError
        Two recordings of one stem.
    MissingInputError
        ``loads`` without a force, or a recording that is not fitted to.
    OutputError
        ``out`` is there and is no folder of an earlier fit, or cannot be written.
    """
    check_writable(out)
    if out.exists() and not (out.is_dir() and ((out / RECORD).is_file() or not any(out.iterdir()))):
        raise OutputError(
            f"{out} is there already and is not what an earlier fit wrote: move it away, or name another folder with -o.",
            value=str(out), expected=f"no such folder, an empty one, or one that holds {RECORD}", where=str(out),
        )  # fmt: skip
    stems = [path.stem.casefold() for path in trial_files]
    twice = next((path for path, stem in zip(trial_files, stems, strict=True) if stems.count(stem) > 1), None)
    if twice is not None:
        raise InvalidValueError(
            f"Two recordings are called {twice.stem}; their results would have one name. Rename one of them.",
            value=str(twice), expected="recordings of different stems", where=str(twice),
        )  # fmt: skip
    recording = _own_recording(loads, trial_files)
    of_recording = of_plates if recording else None
    outer = () if loads is None or of_recording else outer_forces(loads)
    if loads is not None and not outer and not of_recording:
        raise MissingInputError(
            f"{loads.name} names no force, so there is nothing to fit to. Look whether it is the right file.",
            value=str(loads), expected="an ExternalLoads document with forces", where=str(loads),
        )  # fmt: skip
    model = read_osim(model_file)
    if marker_set is not None:
        model = with_model_markers(model, read_marker_set(marker_set))
    trials = [replace(read(path), name=path.stem) for path in trial_files]
    fitted = fit(model, trials, mass_kg=mass_kg)
    findings, loaded = fit_findings(fitted), fitted
    if of_recording:
        trial = next(trial for trial, path in zip(trials, trial_files, strict=True) if path == recording)
        outer, left_out = of_recording(fitted.model, trial)
        findings += left_out
        loaded = replace(fitted, motions=tuple(motion for motion in fitted.motions if motion.name == trial.name))
    forces = forces_of_person(loaded, outer) if outer else None
    if forces is not None:
        findings += force_findings(forces)
    elif outer:
        findings += (uncarried(fitted.model, outer),)
    with whole_folder(out) as folder:
        factors = dict(zip(fitted.bodies, fitted.factors, strict=True))
        write_scaled_model(folder / "scaled.osim", model_file, fitted.model, factors)
        for motion in fitted.motions:
            _write_motion(folder, fitted.model, motion)
        record = fit_record(fitted, findings) | {"model_sha256": sha256_of(folder / "scaled.osim")}
        if forces is not None:
            own = replace(fitted.model, bodies=forces.model.bodies)
            write_scaled_model(folder / "dynamic.osim", model_file, own, factors)
            write_forces(folder, forces)
            record["dynamics"] = force_record(forces) | {"model_sha256": sha256_of(folder / "dynamic.osim")}
        (folder / RECORD).write_text(json_text(record), encoding="utf-8", newline="\n")
    return fitted, forces, findings


def _own_recording(loads: Path | None, trial_files: Sequence[Path]) -> Path | None:
    """The recording whose plates are asked for, however its path is spelt; None where loads are a document or none."""
    own = None if loads is None else next((path for path in trial_files if path.resolve() == loads.resolve()), None)
    if loads is not None and own is None and loads.suffix.lower() in FORMATS:
        raise MissingInputError(
            f"{loads.name} is a recording, and none of those that are fitted to. Name it among them, or give a document of loads.",
            value=str(loads), expected="one of the recordings, or an ExternalLoads document", where=str(loads),
        )  # fmt: skip
    return own


def _write_motion(folder: Path, model: MusculoskeletalModel, motion: FittedMotion) -> None:
    there = np.isfinite(motion.q).all(axis=1)
    unit = np.array([np.rad2deg(1.0) if c.motion == "rotational" else 1.0 for c in model.coordinates])

    def write(name: str, title: str, values: FloatArray) -> None:
        table = values[there] * unit
        names = model.coordinate_names
        write_tool_table(folder / name, title, names, motion.time_s[there], table, in_degrees=True, notes=KINEMATICS_NOTES)

    write(f"{motion.name}.mot", "Coordinates", motion.q)
    write(f"{motion.name}_sd.mot", "Standard deviations of coordinates", motion.sd)


def fit_record(fitted: PersonFit, findings: Sequence[Finding]) -> dict[str, Any]:
    """Give a fit as ``fit.json`` holds it.

    Parameters
    ----------
    fitted : PersonFit
        Of one person.
    findings : Sequence[Finding]
        What is wrong with it.

    Returns
    -------
    dict[str, Any]
        Lengths and places in m, standard deviations of factors of their logarithm; ``from_data`` says of each axis whether the
        recordings tell it or it is people's mean.
    """
    rows = zip(fitted.bodies, fitted.factors, fitted.factor_sd, fitted.data_share, strict=True)
    bodies = {
        name: {"factors": s, "sd": sd, "data_share": share, "from_data": [bool(x >= LEAST_DATA_SHARE) for x in share]}
        for name, s, sd, share in rows
    }
    doubtful = {finding.where for finding in findings if finding.rule == "fit-marker-misplaced"}
    squares = np.concatenate([(motion.residual_m**2).sum(axis=2) for motion in fitted.motions])
    markers = {
        marker.name: {
            "body": marker.body, "role": "landmark" if fitted.bony[m] else "free", "place_m": marker.place_m,
            "moved_m": fitted.moved_m[m], "sd_m": fitted.place_sd_m[m], "rms_m": np.sqrt(np.nanmean(squares[:, m])),
            "verdict": "misplaced" if marker.name in doubtful else "accept",
        }
        for m, marker in enumerate(fitted.model.markers)
    }  # fmt: skip
    trials = {
        motion.name: {
            "frames": len(motion.q), "frames_without_markers": int((~np.isfinite(motion.q).all(axis=1)).sum()),
            "rms_m": motion.rms_m,
            "samples_out": int((np.isfinite(motion.residual_m[..., 0]) & (motion.weight < THROWN_OUT)).sum()),
        }
        for motion in fitted.motions
    }  # fmt: skip
    return {
        "schema": FIT_SCHEMA, "model": fitted.model.name, "converged": fitted.converged, "size_chi2": fitted.size_chi2,
        "bodies": bodies, "markers": markers,
        "lengths": {name: {"m": m, "sd_m": sd} for name, (m, sd) in fitted.lengths_m.items()},
        "hip_in_pelvis": {side: {"m": at, "sd_m": sd} for side, (at, sd) in fitted.hip_in_pelvis_m.items()}, "trials": trials,
        "frames_used": fitted.frames_used, "covariance": fitted.covariance,
        "findings": [{"rule": f.rule, "severity": f.severity.value, "where": f.where, "values": f.values, "message": f.message}
                     for f in findings],
    }  # fmt: skip
