"""What stages pass on: a session under analysis, and one trial of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.external import External
from biomech_id.dynamics.loads import JointLoads
from biomech_id.errors import Finding
from biomech_id.files.inputs import InputsRead
from biomech_id.files.kept_values import KeptValues
from biomech_id.gait.review import Review
from biomech_id.judgement.session_plates import PlatesTold
from biomech_id.models.foot_models import CalibratedFeet
from biomech_id.models.marker_response import Carried
from biomech_id.movement.movement import CalibratedModel, Movement
from biomech_id.pipeline.choose_model import ChosenModel
from biomech_id.pipeline.prepare import Prepared
from biomech_id.privacy.pseudonym import Pseudonym
from biomech_id.request.intake import Intake, Refused
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.session.session import Session
from biomech_id.session.solved import Solved
from biomech_id.session.tables.session_tables import Table
from biomech_id.session.values.emg import SessionEmg
from biomech_id.session.values.step import Progress
from biomech_id.trial import Subject, Trial
from biomech_id.uncertainty.recording import LegErrors
from biomech_id.values import dataclass, field


@dataclass(frozen=True, eq=False)
class TrialAnalysis:
    """One trial on its way through the stages.

    Attributes
    ----------
    trial : Trial
        As read, its markers under the model's roles.
    model : CalibratedModel
        The body model, calibrated on this subject.
    subject : Subject
        Who was measured.
    condition : str, optional
        Of the trial: "barefoot".
    review : Review | None, optional
        What was decided by hand in the session; None takes the recipe's verdicts on stances.
    extra : Sequence[External], optional
        Further wrenches on its segments.
    carried : Carried, optional
        What markers that are off in the static trial carry into this one (`models.marker_response`).
    worn : tuple[str, str] | None, optional
        Aid and footwear of the trial; None where nobody named any.
    static : str, optional
        Name of its static trial.
    prepared : Prepared | None, optional
        The recording with gaps filled and filters applied.
    movement : Movement | None, optional
        The model placed in it; with feet, events and plates as these are found.
    by_hand : Review, optional
        The decisions about this trial.
    loads, as_recorded : JointLoads | None, optional
        Of the legs, from filtered plates and from plates as recorded.
    upper_loads : JointLoads | None, optional
        Of trunk and arms.
    errors : Mapping[str, LegErrors], optional
        Side -> what can be wrong with its leg.
    result : Solved | None, optional
        With loads and errors, then with cycles, measures and grades.
    mean_cycle_s : Mapping[str, float], optional
        Side -> mean cycle time of its condition, for stances whose next strike lies outside the trial.
    stood : BodyMotion | None, optional
        The model in its static trial, with which markers and bones are compared.
    foot_models : Mapping[str, CalibratedFeet], optional
        Name -> foot model that somebody wears.
    key : str, optional
        Hash of all that its results follow from; empty where nobody asked for it, or something is no data.
    kept : Mapping[str, Any] | None, optional
        What another run kept of this trial, if its results are taken over.
    whole : bool, optional
        Whether somebody asks for whole tables: a report, a review page, a norm, the next run.
    """

    trial: Trial
    model: CalibratedModel
    subject: Subject
    condition: str = ""
    review: Review | None = None
    extra: Sequence[External] = ()
    carried: Carried = field(default_factory=dict)
    worn: tuple[str, str] | None = None
    static: str = ""
    prepared: Prepared | None = None
    movement: Movement | None = None
    by_hand: Review = field(default_factory=Review)
    loads: JointLoads | None = None
    as_recorded: JointLoads | None = None
    upper_loads: JointLoads | None = None
    errors: Mapping[str, LegErrors] = field(default_factory=dict)
    result: Solved | None = None
    mean_cycle_s: Mapping[str, float] = field(default_factory=dict)
    stood: BodyMotion | None = None
    foot_models: Mapping[str, CalibratedFeet] = field(default_factory=dict)
    key: str = ""
    kept: Mapping[str, Any] | None = None
    whole: bool = True


@dataclass(frozen=True, eq=False)
class Analysis:
    """A session under analysis: what the stages so far have made.

    Attributes
    ----------
    review : Review, optional
        What was decided by hand, as written; `own_review` is the same under a code.
    trust : bool, optional
        Whether files are read in this process, without the sandbox.
    written : bool, optional
        Whether the results will be written to a folder.
    drawn : bool, optional
        Whether the report that the recipe asks for is drawn at once.
    progress : Progress | None, optional
        Told of every step; whatever it raises ends the analysis there.
    reuse : KeptValues | None, optional
        Where results of trials are kept from run to run.
    norm : Table | None, optional
        Means and SDs that curves are held against; None without a norm.
    files : tuple[Path, ...], optional
        Paths of the recordings, in their order.
    inputs : Mapping[str, Path], optional
        Path relative to the subject's folder -> file, as the analysis began.
    read : InputsRead | None, optional
        What was read so far, and its hashes.
    intake : Intake, optional
        Recordings that were read, and files that were refused; from ``repair`` on those with markers.
    pseudonym : Pseudonym | None, optional
        What everything is called under the job's code; None until that is known.
    asked : Job | None, optional
        The job under those names.
    own_review : Review, optional
        The decisions under those names.
    recordings : tuple[Trial, ...], optional
        All that was read, under those names and put right.
    emg_only : bool, optional
        Whether muscle signals are all that can be analysed.
    groups : tuple[ChosenModel, ...], optional
        Calibrated models, the session's first, each with its trials.
    findings : tuple[Finding, ...], optional
        Findings of the session.
    later : tuple[Finding, ...], optional
        Of inputs that changed on the way.
    walks : tuple[TrialAnalysis, ...], optional
        Trials that are analysed.
    refused : tuple[Refused, ...], optional
        Trials that could not be.
    movements : tuple[Solved, ...], optional
        Results of the trials, judged.
    emg : SessionEmg | None, optional
        The muscle signals.
    plates : PlatesTold | None, optional
        What steps tell of the plates.
    statics : tuple[BodyMotion | None, ...], optional
        Each model in its static trial.
    session : Session | None, optional
        What was asked for.
    """

    review: Review = field(default_factory=Review)
    trust: bool = False
    written: bool = False
    drawn: bool = True
    progress: Progress | None = None
    reuse: KeptValues | None = None
    norm: Table | None = None
    files: tuple[Path, ...] = ()
    inputs: Mapping[str, Path] = field(default_factory=dict)
    read: InputsRead | None = None
    intake: Intake = field(default_factory=lambda: Intake((), ()))
    pseudonym: Pseudonym | None = None
    asked: Job | None = None
    own_review: Review = field(default_factory=Review)
    recordings: tuple[Trial, ...] = ()
    emg_only: bool = False
    groups: tuple[ChosenModel, ...] = ()
    findings: tuple[Finding, ...] = ()
    later: tuple[Finding, ...] = ()
    walks: tuple[TrialAnalysis, ...] = ()
    refused: tuple[Refused, ...] = ()
    movements: tuple[Solved, ...] = ()
    emg: SessionEmg | None = None
    plates: PlatesTold | None = None
    statics: tuple[BodyMotion | None, ...] = ()
    session: Session | None = None

    @property
    def names(self) -> Pseudonym:
        """What everything is called: as it is, until a code is known."""
        return self.pseudonym or Pseudonym()

    @property
    def own_job(self) -> Job:
        """The job under the names of the code."""
        assert self.asked is not None  # `rename` comes first
        return self.asked

    @property
    def recipe(self) -> Recipe:
        """Settings in force, with the body model that was chosen as soon as it is."""
        return self.groups[0].job.recipe if self.groups else self.own_job.recipe
