"""Which body model a session is analysed with, who was measured, and on which trial the model is calibrated.

A recipe that names no model gets the conventional one where markers and measurements show it, else the model of six degrees of
freedom; what was taken and what was given up is said. Body mass has one rule for every file: what was given or recorded counts,
else quiet standing on plates, else periodic steps on them. A session with plates and no mass is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from biomech_id.errors import Finding, MissingInputError, option
from biomech_id.gait.standing_mass import standing_mass_kg
from biomech_id.gait.step_mass import step_mass_kg
from biomech_id.markersets import MARKER_SETS, SMALLEST_SHARE, Proposal, propose
from biomech_id.models.model import CalibratedModel, CalibrationInput
from biomech_id.models.registry import body_model
from biomech_id.pipeline.intake import find_static, subject_of
from biomech_id.pipeline.job import Job
from biomech_id.trial import Subject, Trial

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
        The static trial.
    subject : Subject
        Measurements in force.
    model : CalibratedModel
        The body model, calibrated.
    findings : tuple[Finding, ...]
        Which model was taken and why; where the body mass comes from.
    """

    job: Job
    static: Trial | None
    subject: Subject
    model: CalibratedModel
    findings: tuple[Finding, ...]


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
    refused: dict[str, MissingInputError] = {}
    for name in job.recipe.models:
        attempt = replace(job, recipe=job.recipe.replaced(model=name))
        try:
            chosen = _calibrated(attempt, trials)
        except MissingInputError as error:
            refused[name] = error
            continue
        if refused:
            values = {"model": name, "lacks": _lacks(next(iter(refused.values())))}
            chosen = replace(chosen, findings=(Finding("model-chosen", values, str(job.folder)), *chosen.findings))
        return _with_loads_possible(chosen, trials)
    if len(refused) == 1:
        raise next(iter(refused.values()))
    raise _nothing_fits(job, trials, refused)


def is_functional(trial: Trial, job: Job) -> bool:
    """Whether a trial was named as one in which hips circle or knees bend.

    Parameters
    ----------
    trial : Trial
        One of the session's.
    job : Job
        What was asked for.
    """
    return Path(trial.path).resolve() in {path.resolve() for path in job.functional}


def _calibrated(job: Job, trials: Sequence[Trial]) -> ChosenModel:
    """Find the static trial and the subject, and calibrate the job's own model on them."""
    kind, recipe = body_model(job.recipe.model), job.recipe
    static = find_static(trials, job.static, kind.wears_markers)
    subject, findings = _with_mass(subject_of(job, trials, static), trials, static)
    functional = tuple(trial for trial in trials if is_functional(trial, job))
    given = CalibrationInput(
        trials, subject, static, functional, _FOOT_FLAT[recipe.foot_flat],
        recipe.chosen_marker_set, recipe.inertia_table, recipe.hip_centre, where=str(job.folder), with_mass=False,
    )  # fmt: skip
    return ChosenModel(job, static, subject, kind.calibrate(given), tuple(findings))


def _with_loads_possible(chosen: ChosenModel, trials: Sequence[Trial]) -> ChosenModel:
    """Refuse plates without a body mass.

    Raises
    ------
    MissingInputError
        Everything else is there: no other model would do without the mass either.
    """
    with_plates = [trial.name for trial in trials if trial is not chosen.static and trial.plates]
    if chosen.subject.mass_kg is None and with_plates:
        raise MissingInputError(
            f"The body mass is not recorded, and neither quiet standing nor a step on force plates shows it: type "
            f"`biomech-id run {chosen.job.folder} -o OUT {option('mass_kg')} KG`, or give it in subject.toml.",
            value=None, expected="a body mass in kg", where=with_plates[0],
        )  # fmt: skip
    return chosen


def _with_mass(subject: Subject, trials: Sequence[Trial], static: Trial | None) -> tuple[Subject, Iterator[Finding]]:
    """The one rule for body mass: as given or recorded, else of quiet standing, else of periodic steps."""
    if subject.mass_kg is not None:
        return subject, iter(())
    ordered = [trial for trial in trials if trial is static] + [trial for trial in trials if trial is not static]
    stood = next(((mass, trial.name) for trial in ordered if (mass := standing_mass_kg(trial)) is not None), None)
    found, how = (stood, "standing") if stood else (step_mass_kg(trials), "steps")
    if found is None:
        without = Finding("mass-unknown", {"n": len(trials)}, "body mass")
        return subject, iter(() if any(trial.plates for trial in trials) else (without,))
    mass_kg, name = found
    source = f"quiet standing in {name}" if how == "standing" else f"periodic steps in {name}"
    measured = Finding("mass-from-plates", {"mass_kg": mass_kg, "how": how, "trial": name}, name)
    return subject.with_values(source, mass_kg=mass_kg), iter((measured,))


def _lacks(error: MissingInputError) -> list[str]:
    """What an error names as missing; of many markers the first."""
    named = [str(item) for item in error.value] if isinstance(error.value, list | tuple) else []
    return [*named[:3], *([f"{len(named) - 3} more"] if len(named) > 3 else [])] or ["a static trial"]


def _nothing_fits(job: Job, trials: Sequence[Trial], refused: dict[str, MissingInputError]) -> MissingInputError:
    """Say what the nearest protocol lacks, and the command that leads on."""
    nearest, trial = _nearest(trials)
    folder = job.folder
    if nearest.share < SMALLEST_SHARE:
        file = Path(trial.path).name if trial.path else trial.name
        return MissingInputError(
            f"{folder} cannot be analysed: its markers fit no known marker set; the nearest is {nearest.why} Say what they lie on: "
            f"`biomech-id markerset {folder / file} > markers.toml` writes a marker set to be completed, which "
            f"`biomech-id run {folder} -o OUT --marker-set markers.toml` takes.",
            value=list(trial.markers.names), expected=f"the markers of one of {', '.join(MARKER_SETS)}", where=str(folder),
        )  # fmt: skip
    name = next((model for model in nearest.markerset.models if model in refused), next(iter(refused)))
    error, said = refused[name], f"Its markers are {nearest.why}"
    measures = any(word in str(item) for item in _items(error) for word in ("width", "length"))
    command = f" Type `biomech-id subject {folder}`, and fill in the file that it writes." if measures else ""
    return MissingInputError(f"{error.message} {said}{command}", value=error.value, expected=error.expected, where=str(folder))


def _items(error: MissingInputError) -> Sequence[object]:
    return error.value if isinstance(error.value, list | tuple) else ()


def _nearest(trials: Sequence[Trial]) -> tuple[Proposal, Trial]:
    """The marker set that fits some trial best, and that trial."""
    judged = []
    for trial in trials:
        seen = [name for name in trial.markers.names if trial.markers.present(name)]
        judged.append((propose(seen, stored=tuple(trial.model_outputs))[0], trial))
    return max(judged, key=lambda pair: (pair[0].share, pair[0].found))
