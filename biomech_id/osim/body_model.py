"""OpenSim's models as a body model of the main job: a scaled one as it stands, a generic one scaled to the static trial.

A model whose own markers, by name or by what they lie on, show pelvis, thighs, shanks and feet in the recordings, as far from one
another as on its bodies, is the subject's own. Any other is scaled to the static trial first, with the recording's marker set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from biomech_id.errors import Finding, MissingInputError
from biomech_id.markersets.detect import SMALLEST_SHARE, propose
from biomech_id.models.model import BodyModel, CalibrationInput
from biomech_id.models.six_dof.axes import SIX_DOF_AXES
from biomech_id.models.six_dof.model import SIX_DOF
from biomech_id.multibody.musculoskeletal import SURROUNDINGS, MusculoskeletalModel
from biomech_id.osim.fit.kept import fit_beside, kept_fit
from biomech_id.osim.kinematics.inverse_kinematics import MISFIT_MM, TrackingTasks, soft_tissue_weights
from biomech_id.osim.skeletal_model import SkeletalModel, bodies_of_segments, skeletal_model
from biomech_id.osim.static_fit import PULL, scaled_to_static
from biomech_id.trial import Trial

#: By this much (median, m) distances of markers on one body may differ from the recorded ones; a generic model's differ by more.
OWN_DISTANCE_M = 0.01
#: Markers that a pelvis has at least, and a thigh, a shank or a foot, for a pose of the model's own.
LEAST_OF_SEGMENT = {"pelvis": 3, "thigh": 1, "shank": 1, "foot": 1}
#: By this share the model's mass may differ from the subject's before that is said.
MASS_DIFFERENCE = 0.05


def calibrated_on(osim: MusculoskeletalModel, given: CalibrationInput) -> SkeletalModel:
    """Return a subject's body model from an OpenSim model.

    Parameters
    ----------
    osim : MusculoskeletalModel
        Scaled to the subject, or generic.
    given : CalibrationInput
        What the session offers.

    Returns
    -------
    SkeletalModel
        Ready to track trials. The model as it stands where its own markers fit the recordings, else scaled to the static trial;
        ``findings`` says which, how far its markers are from the recorded ones, and which constraints its moments leave out.

    Raises
    ------
    MissingInputError
        A model without legs; one that is not the subject's own, and no static trial or markers to scale it to.
    """
    osim = _turning_free(osim)
    own = _own(osim, given)
    model = own if own is not None else _scaled(osim, given)
    if not osim.constraints:
        return model
    values = {"model": osim.name, "names": ", ".join(each.name for each in osim.constraints)}
    return replace(model, findings=(*model.findings, Finding("osim-constraints", values, osim.name)))


def _turning_free(osim: MusculoskeletalModel) -> MusculoskeletalModel:
    """The model with a root that no range holds: in a laboratory one walks in any direction."""
    roots = {joint.name for joint in osim.joints if joint.parent.body == SURROUNDINGS}
    free = (replace(each, clamped=False) if each.joint in roots else each for each in osim.coordinates)
    return replace(osim, coordinates=tuple(free))


def _renamed(osim: MusculoskeletalModel, trial: Trial) -> Trial:
    """A trial whose markers have the model's labels: by name, else by the point that they lie on."""
    labels = [marker.name for marker in osim.markers]
    theirs = propose(labels)[0].markerset
    theirs_of = {label: part for part, label in theirs.roles.items()}
    recorded = trial.markers
    seen = [name for name in recorded.names if recorded.present(name)]
    best = propose(seen)[0]
    ours = dict(recorded.roles) or (dict(best.markerset.roles) if best.share >= SMALLEST_SHARE else {})
    canonical = best.markerset.matches(recorded.names)
    spelt = {label: name for name, label in canonical.items()}
    own_of = theirs.matches(labels)
    new = {}
    for label in labels:
        part = theirs_of.get(own_of.get(label, label))
        recorded_label = label if label in recorded.names else spelt.get(ours.get(part, ""), ours.get(part, "")) if part else ""
        if recorded_label in recorded.names and recorded_label not in new:
            new[recorded_label] = label
    names = tuple(new.get(name, name) for name in recorded.names)
    return trial if names == recorded.names else replace(trial, markers=replace(recorded, names=names))


def _own(osim: MusculoskeletalModel, given: CalibrationInput) -> SkeletalModel | None:
    """The model as it stands; None where its markers are not worn, or do not fit who stands."""
    if not osim.markers:
        return None
    model = replace(skeletal_model(osim, given.subject, tasks=_tasks(osim)), naming=lambda trial: _renamed(osim, trial))
    trial = given.static or next(iter(given.walks), None)
    if trial is None:
        return None
    named = model.named(trial)
    seen = {name for name in named.markers.names if named.markers.present(name)}
    counts = {part: len(seen & set(names)) for part, names in model.marker_groups.items()}
    if any(counts.get(part, 0) < LEAST_OF_SEGMENT[part[1]] for part in bodies_of_segments(osim)):
        return None
    if not _distance_off_m(osim, named) <= OWN_DISTANCE_M:
        return None
    rms_mm = 1e3 * _rms_m(model, named)
    values = {"model": osim.name, "trial": trial.name, "residual_mm": rms_mm, "n": len(seen & set(model.marker_names))}
    findings = (Finding("osim-own", values, osim.name), *_mass(osim, given))
    model = replace(model, static=named if given.static is not None else None, findings=findings)
    beside = fit_beside(osim)
    if beside is None:
        return model
    record, root = beside
    kept, wrong = kept_fit(osim, record, [each.name for each in given.trials])
    return replace(
        model, fit_root=root, calibration=replace(model.calibration, fit=kept),
        findings=(*findings, Finding("osim-fitted", {"model": osim.name}, osim.name), *wrong),
    )  # fmt: skip


def _mass(osim: MusculoskeletalModel, given: CalibrationInput) -> Sequence[Finding]:
    mass = given.subject.mass_kg
    if mass is None or abs(osim.mass_kg / mass - 1.0) <= MASS_DIFFERENCE:
        return ()
    return (Finding("osim-mass-differs", {"model": osim.name, "model_kg": osim.mass_kg, "mass_kg": mass}, osim.name),)


def _distance_off_m(osim: MusculoskeletalModel, named: Trial) -> float:
    """Median difference of distances between markers on one body from the mean recorded ones, m; NaN without any."""
    recorded = named.markers
    followed = [marker for marker in osim.markers if marker.name in recorded.names and recorded.present(marker.name)]
    off = []
    for k, a in enumerate(followed):
        for b in followed[k + 1 :]:
            if a.body == b.body:
                apart = np.nanmean(np.linalg.norm(recorded[a.name] - recorded[b.name], axis=1))
                off.append(abs(apart - np.linalg.norm(np.subtract(a.place_m, b.place_m))))
    return float(np.nanmedian(off)) if off else float("nan")


def _rms_m(model: SkeletalModel, named: Trial) -> float:
    """Root mean square distance of all markers of a trial from the model's, m."""
    squares = (model.coordinates(named).residual_m ** 2).sum(axis=2)
    return float(np.sqrt(np.nanmean(squares)))


def _scaled(osim: MusculoskeletalModel, given: CalibrationInput) -> SkeletalModel:
    """The model scaled to the static trial, with the recording's own markers on it."""
    bodies_of_segments(osim)  # refused before anything is computed
    if given.static is None:
        raise MissingInputError(
            f"{given.where or osim.name}: the model {osim.name} is not scaled to this subject, and there is no static trial "
            "to scale it to. Add one, or fit the model to the recordings first: biomech-id fit.",
            value=[marker.name for marker in osim.markers], where=osim.source or osim.name,
            expected="a scaled model with the recordings' markers, or a static trial",
        )  # fmt: skip
    reference = SIX_DOF.calibrate(replace(given, with_mass=False))
    static = reference.named(given.static)
    scaled, factors = scaled_to_static(osim, reference, static, given.subject.mass_kg)
    model = replace(skeletal_model(scaled, given.subject, tasks=_tasks(scaled)), naming=reference.named, static=static)
    rms_mm = 1e3 * _rms_m(model, static)
    legs = [factors[names[0]] for part, names in model.calibration.bodies.items() if part[1] in ("thigh", "shank")]
    values = {
        "model": osim.name, "trial": static.name, "residual_mm": rms_mm, "n": len(scaled.markers),
        "smallest": min(legs), "largest": max(legs),
    }  # fmt: skip
    return replace(model, findings=(Finding("osim-scaled", values, osim.name), *reference.findings))


def _tasks(osim: MusculoskeletalModel) -> TrackingTasks:
    """Markers by how much the tissue below them moves and the model is off; what no marker shows is drawn to its default."""
    pulls = {coordinate.name: PULL for coordinate in osim.coordinates if coordinate.motion == "rotational"}
    return TrackingTasks(soft_tissue_weights(osim, misfit_mm=MISFIT_MM), pulls)


def _without_file(given: CalibrationInput) -> SkeletalModel:
    raise MissingInputError(
        "An OpenSim model is a file: name it, as in --model subject01.osim.", value=None, expected="FILE.osim", where=given.where
    )


OPENSIM_FILE = BodyModel(
    name="opensim",
    title="OpenSim model",
    kinetics=("textbook",),
    axes=SIX_DOF_AXES,
    roles=(),
    calibrate=_without_file,
    settings=frozenset({
        "hip_centre", "functional", "muscle_forces", "muscle_exponent", "muscle_reserve_Nm", "muscle_strength", "muscle_knee_cost",
    }),
)  # fmt: skip
