"""Whether a folder will run, how far, and what somebody can do about it: the main job itself, without bands, tables and pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.conventions import SCHEMA, SIDES, Aspect
from biomech_id.errors import BiomechError, Cure, Finding, on_command_line, typed
from biomech_id.files.surroundings import surroundings
from biomech_id.judgement.check.sides import both_sides
from biomech_id.languages import WRITTEN, Sentence
from biomech_id.models.landmarks import with_roles
from biomech_id.movement.grades import Grade
from biomech_id.pipeline.analyse import analyse_intake
from biomech_id.pipeline.choose_model import MASS
from biomech_id.pipeline.conditions import choose_models
from biomech_id.request.intake import Intake, Refused, with_markers
from biomech_id.request.job import Job
from biomech_id.session.session import Session
from biomech_id.session.tables.session_tables import finding_records
from biomech_id.session.values.step import Progress
from biomech_id.session.values.summary import complaints_of
from biomech_id.session.values.verdicts import judged_trials, session_verdicts
from biomech_id.trial import Subject, Trial
from biomech_id.trial.worn import NOT_STATED
from biomech_id.values import asdict, dataclass, field, replace

RUNS, RUNS_WITH_WARNINGS, LACKS = "runs", "runs_with_warnings", "lacks"
#: Lack that only its sentence tells of.
OTHER = "other"
#: More lacks one behind the other no session has.
MOST_LACKS = 10
#: Body mass (kg) and markers (m) that stand in for what is lacking, so that what else is lacking is seen as well.
ASSUMED_MASS_KG, ASSUMED_DIAMETER_M = 60.0, 0.014
#: Length of the leg where no marker shows it (m), and its measurements as shares of that.
ASSUMED_LEG_M = 0.9
LEG_SHARES = {"leg_length_mm": 1.0, "knee_width_mm": 0.12, "ankle_width_mm": 0.08}
#: Where findings of the foot models themselves lie.
OF_FEET = "foot model"
#: Finding -> what cures it; the model that was chosen says itself which measurements the other one lacks.
OF_FINDINGS: Mapping[str, Callable[[Mapping[str, Any]], Cure | None]] = {
    "mass-from-plates": lambda values: MASS,
    "mass-unknown": lambda values: MASS,
    "marker-diameter-assumed": lambda values: Cure("diameter", keys=("marker_diameter_mm",)),
    "model-chosen": lambda values: Cure("measurements", keys=values["keys"]) if values["keys"] else None,
}


@dataclass(frozen=True)
class CyclesExpected:
    """How many cycles of one side will count.

    Attributes
    ----------
    with_kinetics, without_kinetics : int
        Those in which joint loads are known, of the stance at least, and the others.
    """

    with_kinetics: int = 0
    without_kinetics: int = 0


@dataclass(frozen=True)
class FolderVerdict:
    """What ``biomech-id run`` will do with a folder of recordings.

    Attributes
    ----------
    folder : str
        Path of the folder, as it was asked for.
    verdict : str
        "runs", "runs_with_warnings" or "lacks".
    model : str | None
        The body model that will be taken; None where none can be, or where muscle signals stand alone.
    static : str | None
        Name of the static trial, or of each where conditions have their own; None where there is none.
    lacks : tuple[str, ...]
        What keeps it from running, else what it will be warned of, in sentences.
    command : str
        What to type next; empty where nothing that is typed helps.
    cures : tuple[Cure, ...]
        What somebody can do about each lack, all of them at once.
    cycles : Mapping[str, CyclesExpected]
        Side -> cycles to expect, with what is lacking given.
    layers : Mapping[str, Mapping[str, Grade]]
        "kinematics", "kinetics", "emg" and "whole_body" -> side -> verdict, with what is lacking given.
    commands : tuple[str, ...]
        All that is to be typed, in this order, the run last.
    findings : tuple[Finding, ...]
        What the session as it will be was noticed for, trials and the session itself.
    """

    folder: str
    verdict: str
    model: str | None
    static: str | None
    lacks: tuple[str, ...]
    command: str
    cures: tuple[Cure, ...] = ()
    cycles: Mapping[str, CyclesExpected] = field(default_factory=dict)
    layers: Mapping[str, Mapping[str, Grade]] = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the last object of ``check --json`` for a folder."""
        plain = {name: getattr(self, name) for name in ("folder", "verdict", "model", "static")}
        cycles = {side: asdict(expected) for side, expected in self.cycles.items()}
        return {
            "schema": SCHEMA, **plain, "lacks": list(self.lacks), "command": self.command, "commands": list(self.commands),
            "cures": [cure.to_dict() for cure in self.cures], "cycles": cycles,
            "layers": {layer: {side: str(grade) for side, grade in sides.items()} for layer, sides in self.layers.items()},
            "findings": finding_records(self.findings),
        }  # fmt: skip

    @property
    def foot_models(self) -> tuple[Finding, ...]:
        """What each foot model that somebody wears is, in words."""
        of_feet = (finding for finding in self.findings if finding.where == OF_FEET and finding.severity == "info")
        return tuple(dict.fromkeys(of_feet))

    @property
    def sentence(self) -> Sentence:
        """The verdict in words."""
        if self.verdict == LACKS:
            return Sentence("folder-lacks", {"folder": self.folder})
        warnings = self.verdict == RUNS_WITH_WARNINGS
        how = {"model": self.model or "", "static": self.static or "", "warnings": warnings}
        return Sentence("folder-runs", {"folder": self.folder, **how})


def folder_verdict(
    folder: Path,
    trials: Sequence[Trial],
    *,
    refused: Sequence[Refused] = (),
    marker_set: str | None = None,
    asked: Job | None = None,
    progress: Progress | None = None,
    language: str = WRITTEN,
) -> FolderVerdict:
    """Return whether a folder's recordings will run, how far, and what cures each lack.

    What is lacking is assumed, one lack after the other, until the session can be analysed: so everything that is lacking is named
    at once, and the cycles are those of the session as it will be.

    Parameters
    ----------
    folder : Path
        Folder that holds the recordings of one subject.
    trials : Sequence[Trial]
        Those of its recordings that could be read.
    refused : Sequence[Refused], optional
        Those that could not be: the others run, with warnings.
    marker_set : str | None, optional
        Name or file of the marker set that they were read with; None finds the one that fits.
    asked : Job | None, optional
        What ``run`` will be asked for, so that the verdict is on that; None for the folder alone.
    progress : Progress | None, optional
        Told of every step; None for nobody.
    language : str, optional
        Language of what it warns of: one of `languages.LANGUAGES`; what keeps it from running is said in English beside its cures.
    """
    if not trials:
        return FolderVerdict(str(folder), LACKS, None, None, tuple(each.sentence for each in refused), "", cycles=_cycles(None))
    job = asked or Job((folder,))
    job = replace(job, recipe=job.recipe.replaced(marker_set=marker_set, uncertainty=False, budget=False))
    with on_command_line():
        session, lacks, cures = _analysed(job, Intake(tuple(trials), tuple(refused)), progress)
        if lacks:
            way = _commands(folder, marker_set, cures) if all(map(_is_known, cures)) else ()
            verdict = FolderVerdict(str(folder), LACKS, None, None, tuple(lacks), next(iter(way), ""), tuple(cures), commands=way)
            return replace(verdict, cycles=_cycles(session), layers=_layers(session), findings=_findings(session))
        assert session is not None  # nothing is lacking
        warned = complaints_of(session, language)
        findings = _findings(session)
        cures = [cure for each in findings if each.rule in OF_FINDINGS and (cure := OF_FINDINGS[each.rule](each.values))]
        if any(finding.rule == "muscles-without-model" for finding in findings):
            cures += _refusal_of_markers(job, trials)
        unsaid = [key for key in ("aid", "footwear") if any(getattr(walk, key) == NOT_STATED for walk in session.movements)]
        cures += [Cure("condition", keys=tuple(unsaid))] if unsaid else []
    walks, way = session.movements, _commands(folder, marker_set, ())
    return FolderVerdict(
        str(folder), RUNS_WITH_WARNINGS if warned else RUNS, session.model if walks else None,
        ", ".join(dict.fromkeys(trial.static for trial in walks if trial.static)) or None, warned, way[0],
        tuple(dict.fromkeys(cures)), _cycles(session), _layers(session), way, findings,
    )  # fmt: skip


def _findings(session: Session | None) -> tuple[Finding, ...]:
    """What was noticed of a session and of its trials."""
    if session is None:
        return ()
    return (*session.session_findings, *(finding for trial in session.movements for finding in trial.findings))


def _analysed(job: Job, intake: Intake, progress: Progress | None) -> tuple[Session | None, list[str], list[Cure]]:
    """The session with what it lacks assumed, None where that cannot be; what it lacks, in sentences; and what cures that."""
    lacks: list[str] = []
    cures: list[Cure] = []
    while len(lacks) < MOST_LACKS:
        try:
            return analyse_intake(job, intake, progress=progress), lacks, cures
        except BiomechError as error:
            lacks.append(error.message)
            cures += error.cures or (Cure(OTHER),)
            if not error.cures or not all(map(_can_be_assumed, error.cures)):
                break
            for cure in error.cures:
                job, intake = _assumed(cure, job, intake)
        except Exception as error:  # noqa: BLE001 - whatever a recording does to its analysis, the doctor goes on
            cures.append(Cure(OTHER))
            lacks.append(surroundings(error) or f"Unexpected {type(error).__name__}: {error}. This is a fault of the program.")
            break
    return None, lacks, cures


def _refusal_of_markers(job: Job, trials: Sequence[Trial]) -> tuple[Cure, ...]:
    """What cures that no body model can be placed in the markers."""
    try:
        choose_models(job, with_markers(trials)[0])
    except BiomechError as error:
        return error.cures
    return ()


def _is_known(cure: Cure) -> bool:
    """Whether something that is typed or written cures it."""
    return bool(cure.choices or cure.keys or cure.command)


def _can_be_assumed(cure: Cure) -> bool:
    return bool(cure.keys) or (bool(cure.choices) and cure.option in ("--static", "--exclude"))


def _assumed(cure: Cure, job: Job, intake: Intake) -> tuple[Job, Intake]:
    """Job and recordings as if somebody had done what cures a lack."""
    if cure.option == "--static":
        static = next(trial for trial in intake.trials if trial.name == cure.choices[0][0])
        return replace(job, static=Path(static.path)), intake
    if cure.option == "--exclude":
        return job, replace(intake, trials=tuple(t for t in intake.trials if Path(t.path).name not in cure.choices[0]))
    leg_m = _leg_m(intake.trials)
    return job, replace(
        intake, trials=tuple(replace(trial, subject=_measured(trial.subject, cure.keys, leg_m)) for trial in intake.trials)
    )


def _measured(subject: Subject, keys: Iterable[str], leg_m: float) -> Subject:
    """The subject with likely values of some keys of ``subject.toml``."""
    single = {"mass_kg": ASSUMED_MASS_KG, "marker_diameter_mm": ASSUMED_DIAMETER_M, "same_placement": True}
    values: dict[str, Any] = {}
    for key in keys:
        name = key.replace("_mm", "_m")
        own = dict.fromkeys(SIDES, LEG_SHARES[key] * leg_m) if key in LEG_SHARES else {}
        values[name] = {**own, **getattr(subject, name)} if own else single[key]
    return subject.with_values("assumed", **values)


def _leg_m(trials: Iterable[Trial]) -> float:
    """Height of the spines of a pelvis that some trial shows, metres."""
    fronts = (both_sides(with_roles(trial.markers), "asis") for trial in trials)
    heights = [float(np.nanmedian(np.stack(front)[..., 2])) for front in fronts if front is not None]
    return next((height for height in heights if height > 0.0), ASSUMED_LEG_M)


def _commands(folder: Path, marker_set: str | None, cures: Iterable[Cure]) -> tuple[str, ...]:
    """What is typed, in this order: what is asked for before the run, and the run with every option."""
    options = [cure.options[0] for cure in cures if cure.options]
    given = [f"--marker-set {typed(marker_set)}"] if marker_set else []
    run = " ".join([f"biomech-id run {typed(folder)} -o OUT", *dict.fromkeys([*given, *options])])
    return (*dict.fromkeys(cure.command for cure in cures if cure.command), run)


def _cycles(session: Session | None) -> dict[str, CyclesExpected]:
    """Side -> how many cycles will be in the means."""
    expected = {side: CyclesExpected() for side in SIDES}
    for trial in () if session is None else judged_trials(session):
        for cycle in trial.cycles:
            old, known = expected[cycle.side], trial.counts(cycle, Aspect.KINETICS)
            bare = not known and trial.counts(cycle, Aspect.KINEMATICS)
            expected[cycle.side] = CyclesExpected(old.with_kinetics + known, old.without_kinetics + bare)
    return expected


def _layers(session: Session | None) -> dict[str, dict[str, Grade]]:
    """Layer -> side -> grade; nothing where the session cannot be analysed."""
    if session is None:
        return {}
    verdicts = session_verdicts(session)
    grades = {str(layer): {side: one.grade for side, one in verdicts[layer].items()} for layer in Aspect}
    if session.movements:
        return grades
    shown = Grade.NOT_JUDGED if session.muscle_signals.present else Grade.NOT_MEASURED
    return {layer: dict.fromkeys(SIDES, shown if layer == Aspect.EMG else Grade.NOT_MEASURED) for layer in grades}
