"""What an analysis yields, as values: one `TrialResult` for each trial, and the `SessionValues` that hold them.

Both keep what was computed, in SI; tables in the units people read are built from them when asked for, once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import BoolArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.anatomy import Part
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.dynamics.external import External
from biomech_id.dynamics.loads import JointLoads
from biomech_id.errors import Finding, MissingInputError
from biomech_id.gait.cycle import Cycle, KineticsValid
from biomech_id.gait.events import Agreement
from biomech_id.gait.floor import Belts
from biomech_id.gait.movements import TrialKind
from biomech_id.gait.plate_steps import PlateStep
from biomech_id.gait.review import Review
from biomech_id.gait.spatiotemporal import GaitParameter
from biomech_id.gait.stance import Assignment
from biomech_id.results.norms.contributors import marks_of
from biomech_id.results.norms.fit import NORM_CHOICES, SPEED, FittedNorm, NormPerson, fit_norm
from biomech_id.results.norms.norm import movement_of
from biomech_id.results.session.emg import SessionEmg
from biomech_id.results.session.ground import FloorHeight, surfaces_under
from biomech_id.results.session.quality import Grade, QualityRow, worst
from biomech_id.results.session.whole_body import WholeBodyResult
from biomech_id.results.tables.band_values import joint_work_rows, parameter_sd, with_peak_sd
from biomech_id.results.tables.bands import CycleBand, cycle_bands
from biomech_id.results.tables.cycle_table import Curves, budget_curves, cycle_curves, sagittal_curves, stack_curves
from biomech_id.results.tables.extrema import burst_rows, extrema_rows
from biomech_id.results.tables.frame_table import FrameTable, frame_table
from biomech_id.results.tables.means import RUNNING
from biomech_id.results.tables.muscles import muscle_columns
from biomech_id.results.tables.upper_body import upper_columns
from biomech_id.results.tables.variables import added_columns
from biomech_id.sentences import Sentence
from biomech_id.signal.gaps import Gap
from biomech_id.trial import AnalogChannels, Event, EventKind, ForcePlate, Markers, Subject
from biomech_id.uncertainty.recording import LegErrors


@dataclass(frozen=True, eq=False)
class Banded:
    """Bands of a trial, and what they were computed from: of anything else they are not the bands.

    Attributes
    ----------
    errors : Mapping[str, LegErrors]
        Side -> what can be wrong with that leg.
    cycles : tuple[Cycle, ...]
        The cycles.
    loads : JointLoads | None
        Joint loads.
    bands : tuple[CycleBand, ...]
        The bands.
    """

    errors: Mapping[str, LegErrors]
    cycles: tuple[Cycle, ...]
    loads: JointLoads | None
    bands: tuple[CycleBand, ...]

    def of_cycles(self, cycles: Sequence[Cycle]) -> tuple[CycleBand, ...] | None:
        """Return the bands of the same cycles, whatever was judged of them since; None where one is cut elsewhere.

        Parameters
        ----------
        cycles : Sequence[Cycle]
            Of the same trial.
        """
        now = {_place(cycle): cycle for cycle in cycles if cycle.side in self.errors}
        if set(now) != {_place(cycle) for cycle in self.cycles if cycle.side in self.errors}:
            return None
        return tuple(band.of_cycle(now[_place(band.cycle)], band.event_sd_s) for band in self.bands)

    def __reduce__(self) -> tuple[type[Banded], tuple[object, ...]]:
        """Pickle as bands of nothing: sources of error are functions, and bands can be computed again."""
        return Banded, ({}, (), None, ())


def _place(cycle: Cycle) -> tuple[object, ...]:
    """Which cycle it is, and all of it that decides where its bands are cut; times as text, for no two NaN are equal."""
    return cycle.side, cycle.number, cycle.kinetics_valid, *(repr(t) for t in (cycle.start_s, cycle.end_s, cycle.foot_off_s))


@compact_repr
@dataclass(frozen=True, eq=False)
class TrialResult:
    """Everything one trial yields.

    Attributes
    ----------
    name : str
        The file's stem, which names its table.
    file : str
        The recording, relative to the subject's folder, with forward slashes.
    kind : TrialKind
        What was walked and how; conditions are never averaged together.
    condition : str
        What was walked and how; conditions are never averaged together.
    motion : BodyMotion
        The tracked body.
    loads : JointLoads | None, optional
        Joint loads, or None for kinematics only.
    assignment : Assignment | None, optional
        Every stance with its verdict, and the ground's wrench on each foot; None without force plates.
    events : tuple[Event, ...], optional
        Those used, in order of time.
    agreement : tuple[Agreement, ...], optional
        How the sources of events agree.
    cycles : tuple[Cycle, ...], optional
        Cycles and spatiotemporal parameters.
    parameters : tuple[GaitParameter, ...], optional
        Cycles and spatiotemporal parameters.
    gaps : tuple[Gap, ...], optional
        Stretches in which a marker was not measured.
    quality : tuple[QualityRow, ...], optional
        Every rule applied to this trial.
    plates : tuple[ForcePlate, ...], optional
        Force plates as read, for their history.
    errors : Mapping[str, LegErrors], optional
        Side -> what can be wrong with that leg; empty where nobody asked.
    mass_kg : float | None, optional
        Body mass that kinetics are divided by; None for kinematics only.
    history : tuple[Sentence | str, ...], optional
        What was done to the data, in words, in order.
    findings : tuple[Finding, ...], optional
        What was noticed.
    as_recorded : JointLoads | None, optional
        Loads from the plates as recorded, where those behind ``loads`` were given the markers' response; None elsewhere.
    bandwidth : str, optional
        Of the plates behind the loads, in words; empty without plates.
    markers : Markers | None, optional
        As analysed (gaps filled, filtered if they had to be), for programs that take over; None if not kept.
    analog : AnalogChannels, optional
        Every analog channel as recorded.
    belts : Belts, optional
        Side -> the treadmill's belt under that foot; empty over ground.
    upper_loads : JointLoads | None, optional
        Of wrists, elbows, shoulders, waist and neck, as far as they are known; None where nothing above the hips has a mass.
    extra : tuple[External, ...], optional
        Further wrenches from outside: a crutch, a handrail.
    whole_body : WholeBodyResult | None, optional
        Momentum, residual, stability and energy; None where part of the body is not tracked.
    static : str, optional
        Name of the static trial that the model was calibrated on for it; empty without one.
    banded : Banded | None, optional
        Bands that were computed before, and what from.
    plate_steps : tuple[PlateStep, ...], optional
        Steps that tell where their plates stand.
    plates_silent : tuple[tuple[str, Sentence], ...], optional
        Plate and reason of every step that does not.
    """

    name: str
    file: str
    kind: TrialKind
    condition: str
    motion: BodyMotion
    loads: JointLoads | None = None
    assignment: Assignment | None = None
    events: tuple[Event, ...] = ()
    agreement: tuple[Agreement, ...] = ()
    cycles: tuple[Cycle, ...] = ()
    parameters: tuple[GaitParameter, ...] = ()
    gaps: tuple[Gap, ...] = ()
    quality: tuple[QualityRow, ...] = ()
    plates: tuple[ForcePlate, ...] = ()
    errors: Mapping[str, LegErrors] = field(default_factory=dict)
    mass_kg: float | None = None
    history: tuple[Sentence | str, ...] = ()
    findings: tuple[Finding, ...] = ()
    as_recorded: JointLoads | None = None
    bandwidth: str = ""
    markers: Markers | None = None
    analog: AnalogChannels = field(default_factory=AnalogChannels)
    belts: Belts = field(default_factory=dict)
    upper_loads: JointLoads | None = None
    extra: tuple[External, ...] = ()
    whole_body: WholeBodyResult | None = None
    static: str = ""
    banded: Banded | None = None
    plate_steps: tuple[PlateStep, ...] = ()
    plates_silent: tuple[tuple[str, Sentence], ...] = ()

    @property
    def verdict(self) -> Grade:
        """The worst grade of any quality rule."""
        return worst(row.verdict for row in self.quality)

    @property
    def contacts(self) -> Mapping[str, FootContact]:
        """Side -> the ground's wrench on that foot; empty without force plates."""
        return {} if self.assignment is None else self.assignment.contacts

    @property
    def shown_contacts(self) -> Mapping[str, FootContact]:
        """The same of plates that have not been given the markers' response: what tables, pages and checks of feet show."""
        return self.contacts if self.assignment is None else self.assignment.recorded or self.contacts

    @property
    def floor_m(self) -> float:
        """Height of the plates' surface, laboratory Z, metres, their median; 0 without plates."""
        return float(np.median([plate.centre_m[2] for plate in self.plates])) if self.plates else 0.0

    @cached_property
    def surfaces_m(self) -> FloorHeight:
        """Height of the surface under each foot, laboratory Z, metres: the plates' own where they are not level."""
        stances = () if self.assignment is None else self.assignment.stances
        return surfaces_under(self.shown_contacts, stances, self.plates, self.motion.time_s)

    @cached_property
    def feet_on_floor(self) -> Mapping[str, BoolArray]:
        """Side -> frames (n,) in which that foot is on the floor, whatever is under it; nowhere without force plates."""
        time_s = self.motion.time_s
        found = {side: np.zeros(len(time_s), dtype=np.bool_) for side in SIDES}
        for stance in self.assignment.stances if self.assignment else ():
            # A stance without a strike, or without an off, reaches to the recording's end.
            found[stance.side] |= ~(time_s < stance.start_s) & ~(time_s >= stance.end_s)
        return found

    @cached_property
    def frames(self) -> FrameTable:
        """Every output at the video rate."""
        return frame_table(
            self.motion, self.loads, self.shown_contacts, mass_kg=self.mass_kg, floor_m=self.surfaces_m,
            further={
                **upper_columns(self.motion, self.upper_loads, self.mass_kg), **muscle_columns(self.motion), **added_columns(self)
            },
        )  # fmt: skip

    @cached_property
    def curves(self) -> Curves:
        """Every variable over every cycle."""
        turning = self.kind is TrialKind.TURN
        ground: dict[str, Any] = {"mass_kg": self.mass_kg, "floor_m": self.surfaces_m, "belts": self.belts}
        return cycle_curves(self.frames, self.motion, self.shown_contacts, self.cycles, turning=turning, **ground)

    @cached_property
    def budget(self) -> Curves:
        """The parts of every joint moment over every cycle; empty without loads or without a budget."""
        if self.loads is None or self.mass_kg is None:
            return stack_curves([])
        return budget_curves(self.motion, self.loads, self.cycles, mass_kg=self.mass_kg)

    def with_bands(self) -> TrialResult:
        """Return the same, with its bands computed: they are the most expensive part, and outlive a change of findings."""
        return replace(self, banded=Banded(self.errors, self.cycles, self.loads, self.bands)) if self.errors else self

    @cached_property
    def bands(self) -> tuple[CycleBand, ...]:
        """What every error does to every curve of every cycle; empty where nobody asked."""
        known = self.banded
        fits = known is not None and known.errors is self.errors and known.loads is self.loads
        bands = known.of_cycles(self.cycles) if known is not None and fits else None
        if bands is None:
            bands = cycle_bands(self.motion, self.loads, self.errors, self.cycles, mass_kg=self.mass_kg)
        return tuple(band.of_cycle(band.cycle, self.event_sd_s(band.cycle)) for band in bands)

    def event_sd_s(self, cycle: Cycle) -> Mapping[str, float]:
        """Return field of a cycle -> standard deviation of the time of that event, s: as found with it, else as assumed.

        Parameters
        ----------
        cycle : Cycle
            Of a leg whose errors are known.
        """
        other = "R" if cycle.side == "L" else "L"
        strike, off = EventKind.FOOT_STRIKE, EventKind.FOOT_OFF
        ends = {
            "start_s": (cycle.side, strike), "end_s": (cycle.side, strike), "foot_off_s": (cycle.side, off),
            "opposite_off_s": (other, off), "opposite_strike_s": (other, strike),
        }  # fmt: skip
        found = {}
        for name, (side, kind) in ends.items():
            assumed_ms = self.errors[cycle.side].sizes["strike_ms" if kind is strike else "off_ms"]
            same = (e for e in self.events if e.side == side and e.kind is kind and abs(e.time_s - getattr(cycle, name)) < 1e-6)
            event = next(same, None)
            found[name] = 1e-3 * (assumed_ms if event is None or event.sd_ms is None else event.sd_ms)
        return found

    @cached_property
    def peak_values(self) -> tuple[dict[str, object], ...]:
        """Extrema of every curve, and the named bursts of joint power: rows of ``peaks.csv`` without how far they can be off."""
        rows = extrema_rows(self.curves, self.cycles)
        if self.loads is not None and self.mass_kg is not None:
            sagittal = sagittal_curves(self.motion, self.loads, self.cycles, mass_kg=self.mass_kg)
            rows += burst_rows(self.curves, sagittal, self.cycles)
        return tuple(rows)

    @cached_property
    def peaks(self) -> tuple[dict[str, object], ...]:
        """Rows of ``peaks.csv``:
        `peak_values` and the joints' work, and how far each can be off.
        """
        works = joint_work_rows(self.curves, self.bands, self.cycles)
        return (*with_peak_sd(self.peak_values, self.bands, self.curves), *works)

    @cached_property
    def parameter_rows(self) -> tuple[dict[str, object], ...]:
        """Rows of ``spatiotemporal.csv``:
        every parameter, and how far it can be off.
        """
        cycles = {(cycle.side, cycle.number): cycle for cycle in self.cycles}
        sd_s = {key: self.event_sd_s(cycle) for key, cycle in cycles.items() if cycle.side in self.errors}
        made_of = {(each.side, each.cycle, each.parameter): each for each in self.parameters}
        rows: list[dict[str, object]] = []
        for parameter in self.parameters:
            key, sd = (parameter.side, parameter.cycle), float("nan")
            plain = made_of.get((*key, parameter.parameter.removesuffix("_dimensionless")), parameter)
            if key in sd_s:
                sd = parameter_sd(parameter, plain, cycles[key], sd_s[key], self.errors[parameter.side].sizes)
            rows.append({**vars(parameter), "sd": sd})
        return tuple(rows)

    def used(self, cycle: Cycle) -> bool:
        """Whether a cycle enters means, scores and norms: a steady cycle of a straight trial, neither of which was refused.

        Every count of cycles in tables and report is a count of these. Somebody may have decided otherwise (``cycle.chosen``), but
        nobody makes a turn a straight walk.

        Parameters
        ----------
        cycle : Cycle
            The cycle.
        """
        if cycle.chosen is None:
            return self.used_by_rules(cycle)
        return cycle.chosen and self.kind is TrialKind.STRAIGHT

    def used_by_rules(self, cycle: Cycle) -> bool:
        """Whether the rules alone let a cycle enter means.

        Parameters
        ----------
        cycle : Cycle
            The cycle.
        """
        return cycle.steady and self.kind is TrialKind.STRAIGHT and self.sound_by_rules(cycle)

    def sound(self, cycle: Cycle) -> bool:
        """Whether a cycle was measured well enough to be averaged with others of its kind, whatever that is.

        Parameters
        ----------
        cycle : Cycle
            The cycle.
        """
        return self.sound_by_rules(cycle) if cycle.chosen is None else cycle.chosen

    def sound_by_rules(self, cycle: Cycle) -> bool:
        """Whether the rules alone let a cycle be averaged with others of its kind.

        Parameters
        ----------
        cycle : Cycle
            The cycle.
        """
        return not cycle.refused and self.verdict is not Grade.REJECT

    @property
    def has_kinetics(self) -> bool:
        """Whether joint loads come from a plate: in some cycle, or where there is none in some frame of a loaded foot."""
        if self.loads is None or self.mass_kg is None:
            return False
        if self.cycles:
            return any(cycle.kinetics_valid is not KineticsValid.FALSE for cycle in self.cycles)
        return any(bool((foot.known & foot.force_lab_N.any(axis=1)).any()) for foot in self.contacts.values())


@dataclass(frozen=True)
class Failure:
    """A recording that could not be analysed, and the sentence that says why, which may name the file itself.

    Attributes
    ----------
    file : str
        Name of the recording.
    sentence : str
        Why it could not be analysed.
    names_file : bool, optional
        Whether the sentence names the file itself.
    """

    file: str
    sentence: str
    names_file: bool = False


@compact_repr
@dataclass(frozen=True, eq=False)
class SessionValues:
    """Everything one subject's session yields, before tables are made of it.

    Attributes
    ----------
    subject : Subject
        Who walked, as used.
    model : str
        Name of the body model; "textbook" or "vicon".
    kinetics : str
        Name of the body model; "textbook" or "vicon".
    static_name : str
        The static trial and its file, relative to the subject's folder; empty without one.
    static_file : str
        The static trial and its file, relative to the subject's folder; empty without one.
    static_frames : int
        Number of its frames.
    calibration : Mapping[str, Any]
        What the model's calibration says of itself (``calibration.json``).
    trials : tuple[TrialResult, ...]
        In the order of the files.
    failed : tuple[Failure, ...], optional
        Recordings that could not be analysed.
    findings : tuple[Finding, ...], optional
        What was noticed about the session as a whole.
    recipe : Mapping[str, Any], optional
        Every setting, by section.
    error_sizes : Mapping[str, float], optional
        Name -> standard deviation that the errors behind the uncertainty are assumed to have; empty where nobody asked.
    command : str, optional
        The canonical command that repeats the run.
    inputs : Mapping[str, str], optional
        Path relative to the subject's folder -> sha256.
    norm : pd.DataFrame | None, optional
        What people without a gait disorder do (see `results.norms.norm`), or None.
    static_motion : BodyMotion | None, optional
        The static trial as tracked, for programs that take over; None without one.
    static_markers : Markers | None, optional
        The static trial as tracked, for programs that take over; None without one.
    marker_groups : Mapping[Part, tuple[str, ...]], optional
        (side, segment) -> names of its markers.
    emg : SessionEmg, optional
        Muscle signals of every recording.
    review : Review, optional
        What somebody decided by hand.
    coded : bool, optional
        Whether a code stands in place of every name.
    clinic : Mapping[str, Mapping[str, str]], optional
        Section -> key -> what the clinic found, as ``subject.toml`` says it.
    in_memory : Mapping[str, Mapping[str, str]], optional
        What no file holds, for the manifest: "trials", "functions", "extra" -> name -> what tells it apart.
    plates : Mapping[str, Any], optional
        Where the plates stand by the steps on them (`results.plates.session.plates_summary`).
    """

    subject: Subject
    model: str
    kinetics: str
    static_name: str
    static_file: str
    static_frames: int
    calibration: Mapping[str, Any]
    trials: tuple[TrialResult, ...]
    failed: tuple[Failure, ...] = ()
    findings: tuple[Finding, ...] = ()
    recipe: Mapping[str, Any] = field(default_factory=dict)
    error_sizes: Mapping[str, float] = field(default_factory=dict)
    command: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)
    norm: pd.DataFrame | None = None
    static_motion: BodyMotion | None = None
    static_markers: Markers | None = None
    marker_groups: Mapping[Part, tuple[str, ...]] = field(default_factory=dict)
    emg: SessionEmg = field(default_factory=SessionEmg)
    review: Review = field(default_factory=Review)
    clinic: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    coded: bool = False
    in_memory: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    plates: Mapping[str, Any] = field(default_factory=dict)

    def trial(self, name: str) -> TrialResult:
        """Return one trial by name.

        Parameters
        ----------
        name : str
            Its name.

        Raises
        ------
        MissingInputError
            There is no such trial; the message lists those there are.
        """
        for trial in self.trials:
            if trial.name == name:
                return trial
        names = ", ".join(trial.name for trial in self.trials)
        raise MissingInputError(f"There is no trial {name}; there are {names}.", value=name, expected=names, where="session")

    def frames(self, name: str) -> FrameTable:
        """Return one trial's outputs at the video rate; ``.to_dataframe()`` is its CSV file.

        Parameters
        ----------
        name : str
            Its name.

        Raises
        ------
        MissingInputError
            There is no such trial.
        """
        return self.trial(name).frames

    @cached_property
    def fitted_norm(self) -> FittedNorm | None:
        """The norm as it was made for this person, and what was found in doing so; None without a norm."""
        if self.norm is None:
            return None
        found: dict[str, list[float]] = {}
        runs = movement_of(self.norm) == RUNNING
        for trial in self.trials:
            enters = trial.used if not runs else trial.sound if trial.kind is TrialKind.RUN else (lambda _: False)
            used = {(cycle.side, cycle.number) for cycle in trial.cycles if enters(cycle)}
            for row in trial.parameters:
                if row.parameter == SPEED and (row.side, row.cycle) in used:
                    found.setdefault(trial.condition, []).append(row.value)
        age, code = self.subject.age_years, str(self.subject.code or "")
        person = NormPerson(
            float("nan") if age is None else age,
            {condition: float(np.mean(speeds)) for condition, speeds in found.items()},
            marks_of(code, self.inputs, [self.static_file, *(trial.file for trial in self.trials)]),
        )
        choice = str(self.recipe.get("output", {}).get("norm_for") or NORM_CHOICES[0])
        return fit_norm(self.norm, person, choice)

    @property
    def fingerprint(self) -> dict[str, str]:
        """How everything was computed, by the keys of `results.norms.fingerprint.FINGERPRINT`; empty words where nothing was."""
        methods = {str(method) for method in (self.calibration.get("hip_centre") or {}).values()}
        # Trials that enter means say how these were made; without any of them all do.
        entering = [trial for trial in self.trials if any(trial.used(cycle) for cycle in trial.cycles)]
        widths = {trial.bandwidth for trial in entering or self.trials if trial.bandwidth}
        return {
            "model": self.model, "kinetics": self.kinetics, "hip_centre": " + ".join(sorted(methods)),
            "bandwidth": " + ".join(sorted(widths)),
        }  # fmt: skip

    @property
    def verdict(self) -> Grade:
        """Accept if every trial is, and plates gave kinetics where there are any; reject if none can be used; warn in between."""
        grades = [trial.verdict for trial in self.trials]
        if not grades and self.emg.present:
            return Grade.NOT_JUDGED
        if all(grade is Grade.REJECT for grade in grades):
            return Grade.REJECT
        lacking = any(trial.plates for trial in self.trials) and not any(trial.has_kinetics for trial in self.trials)
        return Grade.WARN if any(grade.doubted for grade in grades) or self.failed or lacking else worst(grades)
