"""Which body model a session is analysed with, who was measured, and on which trial the model is calibrated.

A recipe that names no model gets the conventional one where markers and measurements show it, else the model of six degrees of
freedom; what was taken and what was given up is said. Body mass has one rule for every file: what was given or recorded counts,
else quiet standing on plates, else periodic steps on them. A session with plates and no mass is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from biomech_id.conventions import SIDES
from biomech_id.errors import Cure, Finding, MissingInputError, option, typed
from biomech_id.gait.standing_mass import standing_mass_kg
from biomech_id.gait.step_mass import step_mass_kg
from biomech_id.markersets import MARKER_SETS, SMALLEST_SHARE, MarkerSet, Proposal, propose
from biomech_id.markersets.leftover import in_walk, name_leftovers, with_leftovers, written_beside
from biomech_id.markersets.recognise import recognise
from biomech_id.markersets.standing import mean_places_m
from biomech_id.markersets.walking import name_markers
from biomech_id.models.foot_models import CalibratedFeet
from biomech_id.models.marker_response import Recalibrate, recalibrator
from biomech_id.models.model import BodyModel, CalibrationInput
from biomech_id.models.poses.points import posed_alone
from biomech_id.models.registry import AUTO, DEFAULT_MODEL, MARKERLESS, OPENSIM, body_model, registered_name
from biomech_id.models.still_window import still_part
from biomech_id.movement.movement import CalibratedModel
from biomech_id.pipeline.inside_feet import feet_beside
from biomech_id.readers.recording import with_marker_set
from biomech_id.request.intake import find_static, is_functional, stands_still, subject_of
from biomech_id.request.job import Job
from biomech_id.request.subject_file import condition_of, worn_in
from biomech_id.trial import Subject, Trial
from biomech_id.trial.worn import bears_weight
from biomech_id.values import dataclass, field, replace

#: What is done about a body mass that nobody knows.
MASS = Cure("mass", "--mass", (("KG",),), keys=("mass_kg",))
#: What a recipe's foot_flat says to a model.
_FOOT_FLAT: dict[str, bool | None] = {"auto": None, "yes": True, "no": False}


@dataclass(frozen=True, eq=False)
class ChosenModel:
    """What a session is analysed with.

    Attributes
    ----------
    job : Job
        As asked for, with the body model by its name.
    static : Trial | None
        Trial that the model is calibrated on; None where it needs none.
    subject : Subject
        Measurements of the person, after files and options.
    model : CalibratedModel
        The body model, calibrated.
    findings : tuple[Finding, ...]
        Which model was taken and why; where the body mass comes from.
    trials : tuple[Trial, ...]
        The session's, with the roles of markers that had to be recognised.
    recalibrate : Recalibrate | None, optional
        Calibrates the model anew on a changed static trial.
    placement : str, optional
        What marks the conditions of trials whose markers were stuck on anew within the session, "(2)"; empty before that.
    feet : Mapping[str, CalibratedFeet], optional
        Name -> foot model that somebody wears beside it.
    """

    job: Job
    static: Trial | None
    subject: Subject
    model: CalibratedModel
    findings: tuple[Finding, ...]
    trials: tuple[Trial, ...]
    recalibrate: Recalibrate | None = None
    placement: str = ""
    feet: Mapping[str, CalibratedFeet] = field(default_factory=dict)


def choose_model(job: Job, trials: Sequence[Trial]) -> ChosenModel:
    """Calibrate the first body model of the recipe's that the session's trials allow.

    Parameters
    ----------
    job : Job
        What is asked for.
    trials : Sequence[Trial]
        Recordings with markers.

    Raises
    ------
    MissingInputError
        None can be calibrated; the sentence names what is lacking and the command to type next.
    OptionError
        Several trials could be the static one.
    """
    models, trials = job.recipe.models, tuple(trials)
    marker_set: str | MarkerSet | None = None
    noticed: tuple[Finding, ...] = ()
    if job.recipe.model == AUTO and posed_alone(trials):
        models = (MARKERLESS,)
    else:
        trials, marker_set, noticed = _recognised(job, tuple(trials))
    refused: dict[str, MissingInputError] = {}
    for name in models:
        attempt = replace(job, recipe=job.recipe.replaced(model=name))
        marked, names, by_place = trials, marker_set, tuple[Finding, ...]()
        if marker_set is None and body_model(registered_name(name)).leftovers:
            marked, names, by_place = _with_leftovers(trials)
        try:
            chosen = _calibrated(attempt, marked, names)
        except MissingInputError as error:
            refused[name] = error
            continue
        if refused:
            first = next(iter(refused.values()))
            measurements = [key for cure in first.cures for key in cure.keys]
            keys = measurements if all(cure.keys for cure in first.cures) else []
            values = {"model": name, "lacks": _lacks(first), "keys": keys}
            chosen = replace(chosen, findings=(Finding("model-chosen", values, "model"), *chosen.findings))
        return _with_loads_possible(replace(chosen, findings=(*noticed, *by_place, *chosen.findings)), trials)
    if len(refused) == 1:
        raise next(iter(refused.values()))
    raise _nothing_fits(job, trials, refused, recognised=bool(noticed))


def _calibrated(job: Job, trials: tuple[Trial, ...], marker_set: str | MarkerSet | None) -> ChosenModel:
    """Find the static trial and the subject, and calibrate the job's own model on them."""
    kind, recipe = _model_of(job), job.recipe
    static = find_static(trials, job.static, kind.wears_markers)
    subject, findings = _with_mass(job, subject_of(job, trials, static), trials, static)
    functional = tuple(trial for trial in trials if is_functional(trial, job))
    stood = None if static is None else still_part(static)[0]
    given = CalibrationInput(
        tuple(trial if stood is None or trial is not static else stood for trial in trials),
        subject, stood, functional, _FOOT_FLAT[recipe.foot_flat],
        marker_set, recipe.inertia_table, recipe.hip_centre, where=str(job.folder), with_mass=False,
        knee_axis=recipe.knee_axis, offsets=recipe.offsets,
    )  # fmt: skip
    model = kind.calibrate(given)
    if subject.mass_kg is None and model.subject.mass_kg is not None:
        subject, findings = model.subject, iter(())
    feet = feet_beside(model, stood, [trial for trial in trials if trial is not static and trial not in functional], recipe)
    return ChosenModel(job, static, subject, model, tuple(findings), trials, recalibrator(kind, given, model), feet=feet)


def _model_of(job: Job) -> BodyModel:
    """The body model of a job; an OpenSim model is read when it is calibrated."""
    model = job.recipe.model
    file = job.setting_files.get("model")
    if file is None:
        return body_model(model)
    from biomech_id.osim.body_model import calibrated_on
    from biomech_id.osim.document.model import read_osim

    return replace(body_model(OPENSIM), calibrate=lambda given: calibrated_on(read_osim(file), given))


def _with_loads_possible(chosen: ChosenModel, trials: Sequence[Trial]) -> ChosenModel:
    """Refuse plates without a body mass.

    Raises
    ------
    MissingInputError
        Everything else is there: no other model would do without the mass either.
    """
    with_plates = [trial.name for trial in trials if trial is not chosen.static and trial.plates]
    if chosen.subject.mass_kg is None and with_plates:
        command = f"biomech-id run {typed(chosen.job.folder)} -o OUT {option('mass_kg')} KG"
        raise MissingInputError(
            f"The body mass is not recorded, and neither quiet standing nor a step on force plates shows it: type "
            f"`{command}`, or give it in subject.toml.",
            value=None, expected="a body mass in kg", where=with_plates[0],
        ).cured_by(MASS)  # fmt: skip
    return chosen


def _with_mass(job: Job, subject: Subject, trials: Sequence[Trial], static: Trial | None) -> tuple[Subject, Iterator[Finding]]:
    """The one rule for body mass: as given or recorded, else of quiet standing, else of periodic steps; never with an aid."""
    if subject.mass_kg is not None:
        return subject, iter(())
    condition = condition_of(job.subject_toml)
    alone = [each for each in trials if not bears_weight(worn_in(each, subject, condition(Path(each.path).stem))[0])]
    ordered = sorted(alone, key=lambda trial: trial is not static)
    stood = next(((mass, trial.name) for trial in ordered if (mass := standing_mass_kg(trial)) is not None), None)
    weighed, how = (stood, "standing") if stood else (step_mass_kg(alone), "steps")
    if weighed is None:
        without = Finding("mass-unknown", {"n": len(trials)}, "body mass")
        return subject, iter(() if any(trial.plates for trial in trials) else (without,))
    mass_kg, name = weighed
    source = f"quiet standing in {name}" if how == "standing" else f"periodic steps in {name}"
    measured = Finding("mass-from-plates", {"mass_kg": mass_kg, "how": how, "trial": name}, name)
    return subject.with_values(source, mass_kg=mass_kg), iter((measured,))


def _lacks(error: MissingInputError) -> list[str]:
    """What an error names as missing."""
    return [str(item) for item in _items(error)] or ["a static trial"]


def _nothing_fits(
    job: Job, trials: Sequence[Trial], refused: dict[str, MissingInputError], *, recognised: bool
) -> MissingInputError:
    """Say what the nearest protocol lacks, and the command that leads on."""
    nearest, trial = _nearest(trials)
    folder = job.folder
    if nearest.share < SMALLEST_SHARE:
        file = Path(trial.path).name if trial.path else trial.name
        walk = _named_by_walking(trials)
        command = f"biomech-id markerset {typed(folder / file)} > markers.toml"
        if walk is not None:
            name = Path(walk[0].path).name if walk[0].path else walk[0].name
            command = f"biomech-id markerset {typed(folder / name)} --from-walk --picture markers.png > markers.toml"
        last = next(reversed(refused.values())).message
        why = (
            f"{last} No marker set has these names."
            if recognised
            else (f"{folder} cannot be analysed: its markers fit no known marker set; the nearest is {nearest.why}")
        )
        by_walking = "" if walk is None else f"By how they move in {walk[0].name}, {walk[1]} of them have names. "
        return MissingInputError(
            f"{why} {by_walking}Say what they lie on: "
            f"`{command}` writes a marker set to be {'looked over' if walk else 'completed'}, which "
            f"`biomech-id run {typed(folder)} -o OUT --marker-set markers.toml` takes.",
            value=list(trial.markers.names), expected=f"the markers of one of {', '.join(MARKER_SETS)}", where=str(folder),
        ).cured_by(Cure("marker-names", "--marker-set", (("markers.toml",),), command=command))  # fmt: skip
    name = next((model for model in nearest.markerset.models if model in refused), next(iter(refused)))
    error, fit = refused[name], f"Its markers are {nearest.why}"
    # A folder that has its subject.toml needs the keys alone.
    template = any(cure.keys for cure in error.cures) and not (folder / "subject.toml").is_file()
    command = f"biomech-id subject {typed(folder)}" if template else ""
    next_step = f" Type `{command}`, and fill in the file that it writes." if template else ""
    whole = MissingInputError(f"{error.message} {fit}{next_step}", value=error.value, expected=error.expected, where=str(folder))
    return whole.cured_by(*(replace(cure, command=command) if cure.keys else cure for cure in error.cures))


def _items(error: MissingInputError) -> Sequence[object]:
    return error.value if isinstance(error.value, list | tuple) else ()


def _recognised(job: Job, trials: tuple[Trial, ...]) -> tuple[tuple[Trial, ...], str | MarkerSet | None, tuple[Finding, ...]]:
    """Recognise markers whose names fit no known marker set, where nobody named one: in the trial of standing, else in any."""
    if job.recipe.chosen_marker_set is not None:
        return trials, job.recipe.chosen_marker_set, ()
    if (nearest := _nearest(trials)[0]).share >= SMALLEST_SHARE:
        conventional = body_model(DEFAULT_MODEL)
        if DEFAULT_MODEL in nearest.markerset.models and not any(map(conventional.wears_markers, trials)):
            # Its labels in another spelling: the conventional model knows them by their own.
            spelt = tuple(replace(trial, markers=with_marker_set(trial.markers, nearest.markerset)) for trial in trials)
            trials = spelt if any(map(conventional.wears_markers, spelt)) else trials
        return trials, None, ()
    for trial in sorted(trials, key=lambda trial: (not stands_still(trial), -len(trial.markers.names))):
        names = [name for name in trial.markers.names if trial.markers.present(name)]
        recognition = recognise(names, mean_places_m(names, trial.markers.position_m), standing=stands_still(trial))
        if recognition is not None:
            points = [(side, role, label) for (side, role), label in recognition.markerset.landmarks.items()]
            values = {
                "how": recognition.how,
                "certainty": 100.0 * recognition.certainty,
                "n": len(points),
                "points": points,
                "trial": trial.name,
            }
            with_roles = tuple(replace(each, markers=each.markers.with_roles(recognition.markerset.roles)) for each in trials)
            return with_roles, recognition.markerset, (Finding("markers-recognised", values, trial.name),)
    return trials, None, ()


def _with_leftovers(trials: tuple[Trial, ...]) -> tuple[tuple[Trial, ...], MarkerSet | None, tuple[Finding, ...]]:
    """Name what the nearest marker set leaves over in a static trial, by where it is; nothing where that names no medial knee."""
    standing = [trial for trial in trials if stands_still(trial) and trial.n_frames > 1]
    if not standing:
        return trials, None, ()
    static = max(standing, key=lambda trial: len(trial.markers.names))
    labels = [name for name in static.markers.names if static.markers.present(name)]
    markerset = propose(labels, stored=tuple(static.model_outputs))[0].markerset
    spelt = {meant: label for label, meant in markerset.matches(labels).items()}
    roles = {key: spelt[label] for key, label in markerset.roles.items() if label in spelt}
    if any((side, "medial_epicondyle") in roles for side in SIDES):
        return trials, None, ()
    part = still_part(static)[0]
    place_m = mean_places_m(labels, part.markers.position_m)
    for written in written_beside(roles, {label: part.markers[label] for label in labels}):
        place_m.pop(written, None)
    spare = name_leftovers(roles, place_m, joint_widths_m(static.subject))
    walks = [trial.markers for trial in trials if trial not in standing]
    for walk in walks:
        spare = in_walk(spare, roles, lambda label, walk=walk: walk[label] if label in walk and walk.present(label) else None)  # type: ignore[misc]
    if not spare.usable:
        return trials, None, ()
    walked = [label for label in labels if all(label in walk and walk.present(label) for walk in walks)]
    own = with_leftovers(markerset, labels, spare, walked)
    points = [(side, role, each.label) for (side, role), each in spare.roles.items() if each.label in own.roles.values()]
    asked = [(side, role, each.label) for (side, role), each in spare.roles.items() if not each.certain]
    finding = Finding("markers-left-over", {"points": points, "asked": asked, "trial": static.name}, static.name)
    return tuple(replace(each, markers=each.markers.with_roles(own.roles)) for each in trials), own, (finding,)


def joint_widths_m(subject: Subject) -> dict[tuple[str, str], float]:
    """Return the widths of a subject's knees and ankles as `name_leftovers` takes them.

    Parameters
    ----------
    subject : Subject
        Person whose knee and ankle widths, metres, are taken.

    Returns
    -------
    dict[tuple[str, str], float]
        (side, "knee" | "ankle") -> measured width and a marker's diameter, m.
    """
    diameter_m = subject.marker_diameter_m or 0.014
    widths = {"knee": subject.knee_width_m, "ankle": subject.ankle_width_m}
    return {(side, joint): by_side[side] + diameter_m for joint, by_side in widths.items() for side in by_side if by_side[side]}


def _named_by_walking(trials: Sequence[Trial]) -> tuple[Trial, int] | None:
    """The first walk by which markers of foreign names can be named, and how many; for a question, never for an analysis."""
    for trial in trials:
        markers = trial.markers
        names = None if stands_still(trial) else name_markers(markers.names, markers.position_m, markers.rate_hz)[1]
        if names is not None and names.labels:
            return trial, len(names.offered())
    return None


def known_markers(trials: Sequence[Trial]) -> bool:
    """Whether some trial's labels are those of a known marker set, as far as they have to be.

    Parameters
    ----------
    trials : Sequence[Trial]
        Recordings with markers.
    """
    return _nearest(trials)[0].share >= SMALLEST_SHARE


def _nearest(trials: Sequence[Trial]) -> tuple[Proposal, Trial]:
    """The marker set that fits some trial best, and that trial."""
    labels: dict[tuple[tuple[str, ...], tuple[str, ...]], Trial] = {}
    for trial in trials:
        seen = tuple(name for name in trial.markers.names if trial.markers.present(name))
        labels.setdefault((seen, tuple(trial.model_outputs)), trial)
    judged = ((propose(seen, stored=stored)[0], trial) for (seen, stored), trial in labels.items())
    return max(judged, key=lambda pair: (pair[0].share, pair[0].found))
