"""One trial that was solved: what was computed of it, in SI. Its tables are functions of `session.trial_tables`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.conventions import SIDES, Aspect
from biomech_id.dynamics.body import BodyMotion, FootContact
from biomech_id.dynamics.external import External
from biomech_id.dynamics.leg_forces import LegForces
from biomech_id.dynamics.loads import JointLoad, JointLoads
from biomech_id.errors import Finding, MissingInputError
from biomech_id.feet.floor import Belts
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.events import Agreement
from biomech_id.gait.ground import FloorHeight, surfaces_under
from biomech_id.gait.measures.spatiotemporal import GaitParameter
from biomech_id.languages import Sentence
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.movement.grades import Grade, QualityRow, worst
from biomech_id.movement.stance import Assignment
from biomech_id.plates.steps import PlateStep
from biomech_id.session.values.whole_body import WholeBodyResult
from biomech_id.signal.gaps import Gap
from biomech_id.trial import AnalogChannels, Event, ForcePlate, Markers
from biomech_id.trial.worn import NOT_STATED
from biomech_id.uncertainty.recording import LegErrors
from biomech_id.values import dataclass, field


@compact_repr
@dataclass(frozen=True, eq=False)
class Solved(Mapping[tuple[str, str], JointLoad]):
    """A trial with its joint loads and everything that was computed of it: ``solved["R", "knee"]`` is the load of a joint.

    As a mapping it is empty without loads. Two are equal only where they are one.

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
        Segment frames, joint centres and angles, SI units.
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
        What was noticed in this trial, in the order noticed.
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
    plate_steps : tuple[PlateStep, ...], optional
        Steps that tell where their plates stand.
    plates_silent : tuple[tuple[str, Sentence], ...], optional
        Plate and reason of every step that does not.
    aid : str, optional
        What bore a part of the body: one of `biomech_id.trial.worn.Aid`, or "not stated".
    footwear : str, optional
        What was on the feet: one of `biomech_id.trial.worn.Footwear`, or "not stated".
    foot_columns : Mapping[str, FloatArray | None], optional
        Column of ``trials/<stem>.csv`` -> (n_frames,), in the unit of its row, of foot models that somebody wears and of foot pitch
        from the floor; None where this trial has none of it.
    foot_errors : Mapping[str, Mapping[str, FloatArray]], optional
        Column of them -> source of error -> (n_frames,), one standard deviation, in the unit of its row.
    muscle_forces : Mapping[str, LegForces], optional
        Side -> muscle and contact forces of that leg; empty where nobody asked, or no load is known.
    residuals : Mapping[str, Mapping[str, float]], optional
        What a laboratory's charts are made of: residual of the diagnosis -> side, name of a plate or "" -> value, in the units of
        the diagnosis; empty where the trial cannot be diagnosed.
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
    plate_steps: tuple[PlateStep, ...] = ()
    plates_silent: tuple[tuple[str, Sentence], ...] = ()
    aid: str = NOT_STATED
    footwear: str = NOT_STATED
    foot_columns: Mapping[str, FloatArray | None] = field(default_factory=dict)
    foot_errors: Mapping[str, Mapping[str, FloatArray]] = field(default_factory=dict)
    muscle_forces: Mapping[str, LegForces] = field(default_factory=dict)
    residuals: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    __eq__, __hash__ = object.__eq__, object.__hash__

    def __getitem__(self, key: tuple[str, str]) -> JointLoad:
        """Return the load of a side's joint.

        Raises
        ------
        UnknownNameError
            There is none of that name; the message lists those there are.
        MissingInputError
            The trial has no loads.
        """
        if self.loads is None:
            words = f"{self.name} has no joint loads: it was solved for kinematics only."
            raise MissingInputError(words, value=key, expected="a trial with force plates", where=self.name)
        return self.loads[key]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.loads or ())

    def __len__(self) -> int:
        return len(self.loads or ())

    @property
    def verdict(self) -> Grade:
        """The worst grade of any quality rule; reject where nothing of either side's angles can be used."""
        if all(self.grade_of(Aspect.KINEMATICS, side) is Grade.REJECT for side in SIDES):
            return Grade.REJECT
        return min(worst(row.verdict for row in self.quality), Grade.WARN, key=list(Grade).index)

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
        on_floor = {side: np.zeros(len(time_s), dtype=np.bool_) for side in SIDES}
        for stance in self.assignment.stances if self.assignment else ():
            # A stance without a strike, or without an off, reaches to the recording's end.
            on_floor[stance.side] |= ~(time_s < stance.start_s) & ~(time_s >= stance.end_s)
        return on_floor

    def counts(self, cycle: Cycle, layer: Aspect, *, by_rules: bool = False) -> bool:
        """Whether a cycle enters the means of one layer, with others of its condition and kind of movement.

        Every count of cycles in tables and report is a count of these. Of a straight walk only steady cycles count; of any movement
        only those whose layer was not refused. Somebody may have decided otherwise (``cycle.chosen``).

        Parameters
        ----------
        cycle : Cycle
            A cycle of this trial.
        layer : Aspect
            Layer whose means are meant: angles, loads, muscle signals.
        by_rules : bool, optional
            Whether what somebody decided is left aside.
        """
        if not cycle.has(layer) or (layer is Aspect.WHOLE_BODY and self.whole_body is None):
            return False
        if cycle.chosen is not None and not by_rules:
            return cycle.chosen
        return (cycle.steady or self.kind is not TrialKind.STRAIGHT) and layer not in cycle.refused

    def grade_of(self, layer: Aspect, side: str) -> Grade:
        """Verdict on one layer of one side; reject means that nothing of it can be shown.

        Parameters
        ----------
        layer : Aspect
            Any but muscle signals, which belong to the session (`session.values.verdicts`).
        side : str
            Side that is asked about: "L" or "R".
        """
        rows = worst(row.by[layer, side] for row in self.quality if (layer, side) in row.by)
        cycles = [cycle for cycle in self.cycles if cycle.side == side]
        if layer is Aspect.WHOLE_BODY and self.whole_body is None:
            return Grade.NOT_MEASURED
        if not self.cycles:
            return Grade.NOT_MEASURED if layer is Aspect.KINETICS and not self.has_kinetics else rows
        if any(cycle.has(layer) and layer not in cycle.refused for cycle in cycles):
            return min(rows, Grade.WARN, key=list(Grade).index)
        refused = cycles and (rows is Grade.REJECT or any(layer in cycle.refused for cycle in cycles))
        return Grade.REJECT if refused else Grade.NOT_MEASURED

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
