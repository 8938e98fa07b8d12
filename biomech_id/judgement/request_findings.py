"""What a session's request and its recordings say against each other: noticed once, said with the results, stopping nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from biomech_id.algebra.arrays import over_seen
from biomech_id.conventions import MM_PER_M, SIDES
from biomech_id.errors import Finding, option
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.review import Review, trials_named
from biomech_id.gait.standing_mass import standing_mass_kg
from biomech_id.gait.step_mass import StepMass, mean_stance_times_s, session_mass, step_masses
from biomech_id.models.landmarks import with_roles
from biomech_id.models.registry import body_model, model_names
from biomech_id.models.still_window import SWAYS_M, stillest_window
from biomech_id.movement.stance import Stance
from biomech_id.request.intake import only_frame
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe, Run, idle_settings
from biomech_id.session.solved import Solved
from biomech_id.trial import Markers, Subject, Trial
from biomech_id.trial.worn import bears_weight

#: Shoes, clothes and a plate's calibration make a few percent between scales and plates; the doctor's limit too.
UNLIKE_MASS_SHARE = 0.1
#: Measurement -> its least and largest share of a leg as marked; 12 people: legs 0.95 to 1.06, knees 0.11 to 0.16, ankles 0.07 to
#: 0.1, height 1.8 to 2.1. What differs between the two legs is the clinic's to say.
OF_MARKED_LEG = {
    "leg_length_m": (0.88, 1.14), "knee_width_m": (0.07, 0.195), "ankle_width_m": (0.045, 0.13), "height_m": (1.55, 2.4),
}  # fmt: skip
#: Measurement -> how far its two sides may lie apart, m; 17 people of ten laboratories: legs 24 mm, widths 5 mm at most.
SIDES_APART_M = {"leg_length_m": 0.04, "knee_width_m": 0.015, "ankle_width_m": 0.015}
#: Steps over plates weigh more closely: between sessions of ten laboratories their median has an SD of 1.7 %. What is worn is
#: weighed along, 1 kg of shoes, orthoses and transmitters: with these this much more is not said, kg.
UNLIKE_STEPS_SHARE, WORN_KG = 0.06, 1.5
#: Movements whose steps weigh the body: a turn leans.
_WEIGHED = (TrialKind.STRAIGHT, TrialKind.TREADMILL, TrialKind.RUN)
#: Pounds in a kilogram, and how near to it a mass typed in pounds comes.
POUNDS_PER_KG, POUNDS_SHARE = 2.2046, 0.08


def request_findings(
    job: Job, trials: Sequence[Trial], static: Trial | None, subject: Subject, review: Review | None = None
) -> tuple[Finding, ...]:
    """Return everything that is odd about a request, given what was recorded.

    Parameters
    ----------
    job : Job
        What was asked for.
    trials : Sequence[Trial]
        All trials that could be read.
    static : Trial | None
        The trial the model is calibrated on, or None.
    subject : Subject
        Measurements that the analysis uses, with their sources.
    review : Review | None, optional
        What was decided by hand, in recipe and review.
    """
    findings = [*_unused(job), *_of_no_trial(review or Review(), trials)]
    findings += static_findings(static, subject)
    return tuple(findings)


def static_findings(static: Trial | None, subject: Subject) -> tuple[Finding, ...]:
    """Return what is odd about a static trial and what was measured: nobody stands still, another mass, unlike legs.

    Parameters
    ----------
    static : Trial | None
        The trial the model is calibrated on, or None.
    subject : Subject
        Measurements that the analysis uses, with their sources.
    """
    typed = tuple(_sides_apart(subject))
    return typed if static is None else (
        *typed, *_moving_static(static), *_mass_unlike_weight(static, subject), *_unlike_markers(static, subject)
    )  # fmt: skip


def _moving_static(static: Trial) -> Iterator[Finding]:
    if (frame := only_frame(static)) is not None:
        yield Finding("static-one-frame", {"trial": static.name, "frame": static.first_frame + frame}, static.name)
        return
    window = stillest_window(static.markers)
    sway = {"trial": static.name, "sway_mm": MM_PER_M * window.sway_m, "length_s": window.length_s}
    if not window.stands:
        yield Finding("static-sways" if window.sway_m <= SWAYS_M else "static-moves", sway, static.name)
    elif window.stop - window.first < static.n_frames:
        first = static.first_frame + window.first
        yield Finding("static-part", sway | {"first": first, "last": first + window.stop - window.first - 1}, static.name)


def _mass_unlike_weight(static: Trial, subject: Subject) -> Iterator[Finding]:
    standing_kg = standing_mass_kg(static)
    if standing_kg is None or subject.mass_kg is None or bears_weight(subject.aid or static.subject.aid or ""):
        return
    ratio = subject.mass_kg / standing_kg
    if abs(ratio - 1.0) > UNLIKE_MASS_SHARE:
        values = {
            "trial": static.name, "mass_kg": subject.mass_kg, "standing_kg": standing_kg,
            "source": subject.sources.get("mass_kg", "given"), "pounds": abs(ratio / POUNDS_PER_KG - 1.0) < POUNDS_SHARE,
        }  # fmt: skip
        yield Finding("mass-unlike-weight", values, static.name)


def steps_findings(results: Sequence[Solved], subject: Subject, *, aided: bool = False, worn: bool = False) -> Iterator[Finding]:
    """Say that the steps of a session carry another mass than was given.

    Parameters
    ----------
    results : Sequence[Solved]
        Trials as analysed, with the mass that their steps show.
    subject : Subject
        Measurements that the analysis uses, with their sources.
    aided : bool, optional
        Whether an aid, a rail or a hand may bear a part of the body: then nothing is said.
    worn : bool, optional
        Whether shoes, an orthosis, a prosthesis or equipment are weighed along.
    """
    of_steps: dict[str, tuple[StepMass, ...]] = {}
    stances: list[Stance] = []
    for result in results:
        if result.kind in _WEIGHED and result.assignment is not None and result.markers is not None:
            markers = result.markers.with_roles(result.motion.roles or result.markers.roles)
            of_steps[result.name] = step_masses(result.plates, result.assignment, result.events, markers)
            stances += result.assignment.stances
    weighed = session_mass(of_steps, mean_stance_times_s(stances), aided=aided)
    if weighed is None or subject.mass_kg is None:
        return
    ratio = subject.mass_kg / weighed.mass_kg
    apart_kg = abs(subject.mass_kg - weighed.mass_kg)
    if apart_kg > UNLIKE_STEPS_SHARE * subject.mass_kg and not (worn and apart_kg <= WORN_KG):
        values = {
            "mass_kg": subject.mass_kg, "steps_kg": weighed.mass_kg, "estimates": weighed.estimates, "trial": weighed.trial,
            "worn": worn, "source": subject.sources.get("mass_kg", "given"),
            "pounds": abs(ratio / POUNDS_PER_KG - 1.0) < POUNDS_SHARE,
        }  # fmt: skip
        yield Finding("mass-unlike-steps", values, weighed.trial)


def _sides_apart(subject: Subject) -> Iterator[Finding]:
    """Measurements whose two sides differ by more than legs do: a typing error, or legs of unlike length."""
    for name, limit_m in SIDES_APART_M.items():
        sides = getattr(subject, name)
        if set(SIDES) <= set(sides) and abs(sides["L"] - sides["R"]) > limit_m:
            values = {f"{word}_mm": 1000.0 * sides[side] for word, side in (("left", "L"), ("right", "R"))}
            yield Finding("measure-sides-apart", {"measure": name, **values, "limit_mm": 1000.0 * limit_m}, "subject")


def _unlike_markers(static: Trial, subject: Subject) -> Iterator[Finding]:
    """Measurements that do not fit the legs as their markers show them, from the anterior spine over the knee to the malleolus."""
    markers = with_roles(static.markers)
    legs_m = {side: length for side in SIDES if np.isfinite(length := _marked_leg_m(markers, side))}
    if not legs_m:
        return
    mean_m = float(np.mean(list(legs_m.values())))
    typed = [("height_m", "", subject.height_m, mean_m)]
    for name in ("leg_length_m", "knee_width_m", "ankle_width_m"):
        typed += [(name, side, getattr(subject, name).get(side), leg_m) for side, leg_m in legs_m.items()]
    for name, side, value_m, leg_m in typed:
        least, most = OF_MARKED_LEG[name]
        if value_m is not None and not least <= value_m / leg_m <= most:
            values = {"measure": name, "side": side, "value_mm": 1000.0 * value_m, "leg_mm": 1000.0 * leg_m}
            limits = {"least_mm": 1000.0 * least * leg_m, "most_mm": 1000.0 * most * leg_m}
            yield Finding("measure-unlike-markers", values | limits, static.name)


def _marked_leg_m(markers: Markers, side: str) -> float:
    """Length of a leg as markers show it, metres; NaN where one of the three is not seen."""
    roles = ("asis", "lateral_epicondyle", "lateral_malleolus")
    if not all(markers.shows(side, role) for role in roles):
        return float("nan")
    spine, knee, malleolus = (over_seen(np.nanmedian, markers.on(side, role), axis=0) for role in roles)
    return float(np.linalg.norm(spine - knee) + np.linalg.norm(knee - malleolus))


def _unused(job: Job) -> Iterator[Finding]:
    idle = idle_settings(job.recipe, Run(job.recipe.heeded))
    wanted = {name: name for name in idle.get("heeded", ())}
    wanted |= {"functional": option("functional")} if job.functional and job.recipe.knee_axis != "functional" else {}
    unused = [words for name, words in wanted.items() if name not in job.recipe.heeded]
    if unused:
        others = [name for name in model_names() if set(wanted) <= body_model(name).settings]
        values = {"model": job.recipe.models[0], "settings": unused, "others": others}
        yield Finding("setting-unused", values, "recipe")


def settings_without_effect(
    recipe: Recipe, results: Sequence[Solved], *, written: bool, muscles: bool = False, norm: bool = False, feet: bool = True
) -> Iterator[Finding]:
    """Name the settings that were given and changed nothing, now that it is known what was done.

    Parameters
    ----------
    recipe : Recipe
        Settings of the main job.
    results : Sequence[Solved]
        What became of every trial.
    written : bool
        Whether the results are written to a folder.
    muscles : bool, optional
        Whether some recording has muscle signals.
    norm : bool, optional
        Whether there is a norm to compare with.
    feet : bool, optional
        Whether somebody wears a foot model.
    """
    filters = [finding.values for trial in results for finding in trial.findings if finding.rule == "marker-filter"]
    plates, filtered = any(trial.plates for trial in results), any(values["filtered"] for values in filters)
    run = Run(
        heeded=recipe.heeded,
        chosen=any(values["mode"] == "auto" for values in filters),
        filtered=filtered,
        lowpassed=filtered or (plates and not isinstance(recipe.plate_cutoff_hz, str)),
        plates=plates,
        muscles=muscles,
        norm=norm,
        feet=feet,
        uncertain=plates and recipe.uncertainty,
        written=written,
    )
    for why, settings in idle_settings(recipe, run).items():
        if why == "feet":  # a laboratory's recipe serves those who wear the model and those who do not
            yield Finding("foot-setting-without-effect", {"settings": settings}, "recipe")
        elif why != "heeded":  # said before anything is computed, with a model that does
            mode = {"marker_filter": recipe.marker_filter, "kinetics": recipe.kinetics}
            yield Finding("setting-without-effect", {"settings": settings, "why": why, **mode}, "recipe")


def _of_no_trial(review: Review, trials: Sequence[Trial]) -> Iterator[Finding]:
    names = [trial.name for trial in trials]
    lost = [str(decision) for decision in review if not set(trials_named(decision)) <= set(names)]
    if lost:
        yield Finding("verdict-of-no-trial", {"verdict": lost[0], "more": len(lost) - 1, "trials": names}, "recipe")
