"""One session as a researcher holds it: what ``analyse`` returns and what `read_folder` reads back are the same type.

Every attribute is a table or a document of the session, the same numbers and words whether they were computed a moment ago or years
before. What only lives in memory (motions, loads, markers, in SI) are its fields, and a session read from its folder says that it
has none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.html_repr import html_table
from biomech_id.anatomy import Part
from biomech_id.arguments import a_path, a_str, a_word, takes
from biomech_id.conventions import LAYERS_OF_MEANS
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoads
from biomech_id.errors import Finding, MissingInputError, UnknownNameError, did_you_mean
from biomech_id.feet.movements import TrialKind
from biomech_id.files.json_text import json_text
from biomech_id.gait.review import Review
from biomech_id.movement.grades import Grade, worst
from biomech_id.session.computed import Computed
from biomech_id.session.folder.read_write import read_tables, write_folder
from biomech_id.session.shown import NORMALISERS, findings_table, normalising_factor, with_kinetics_words
from biomech_id.session.solved import Failure, Solved
from biomech_id.session.tables.frame_table import FrameTable
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.units import with_units
from biomech_id.session.values.emg import SessionEmg
from biomech_id.session.values.norm import FittedNorm
from biomech_id.trial import AnalogChannels, Markers, Subject
from biomech_id.values import dataclass, field

_T = TypeVar("_T")
#: Columns that a page shows a small curve of, the first that a trial has of each.
_SKETCHED = ("LKneeAngles.X", "RKneeAngles.X")
#: Tables that are tidy, and tables that a session may have or not, by name.
_TIDY = ("cycles", "budget", "spatiotemporal", "peaks", "scores", "stances", "gaps", "quality")
_OPTIONAL = (
    "norm", "parity", "statistics", "uncertainty", "channels", "emg", "emg_activity", "emg_pairs", "emg_raw", "muscle_forces",
    "joint_contact", "whole_body",
    "examination", "deviations",
)  # fmt: skip


def _table(name: str, doc: str) -> Any:
    """An attribute of a session or of a trial of it: its table of that name."""
    return property(lambda self: self._with_units(name), doc=doc)


def _fact(kind: type, key: str, doc: str) -> Any:
    """An attribute of a trial of a session: what ``summary.json`` says of it under a key."""
    return property(lambda self: kind(self.about[key]), doc=doc)


class ByName(Mapping[str, _T]):
    """Things by name, in the order of the files; a name that is nearly one of them is proposed.

    Parameters
    ----------
    things : Mapping[str, _T]
        Name -> thing, in the order wanted.
    what : str
        What they are, in a message: "trial".
    """

    def __init__(self, things: Mapping[str, _T], what: str) -> None:
        self._things, self._what = dict(things), what

    def __getitem__(self, name: str) -> _T:
        """Return one of them.

        Raises
        ------
        UnknownNameError
            There is none of that name; the message lists those there are.
        """
        try:
            return self._things[name]
        except (KeyError, TypeError):
            there = ", ".join(self._things) or "none"
            near = did_you_mean(name, self._things) if isinstance(name, str) else ""
            words = f"There is no {self._what} {name!r}; there are {there}.{near}"
            raise UnknownNameError(words, value=repr(name), expected=there, where="session") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._things)

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{name!r}: <{self._what}>' for name in self._things)}}}"


class Trials(Sequence["SessionTrial"]):
    """The trials of a session in the order of their files: ``trials["walk01"]``, ``trials[0]``, ``for trial in trials``.

    Parameters
    ----------
    trials : Sequence[SessionTrial]
        In the order of the files.
    """

    def __init__(self, trials: Sequence[SessionTrial]) -> None:
        self._named = ByName({trial.name: trial for trial in trials}, "trial")

    def keys(self) -> list[str]:
        """Names of the trials."""
        return list(self._named)

    @overload
    def __getitem__(self, which: int | str) -> SessionTrial: ...
    @overload
    def __getitem__(self, which: slice) -> list[SessionTrial]: ...
    def __getitem__(self, which: int | str | slice) -> SessionTrial | list[SessionTrial]:
        """Return a trial by name or place.

        Raises
        ------
        UnknownNameError
            There is none of that name.
        """
        return self._named[which] if isinstance(which, str) else list(self._named.values())[which]

    def __iter__(self) -> Iterator[SessionTrial]:
        return iter(self._named.values())

    def __contains__(self, which: object) -> bool:
        return which in self.keys() or any(which is trial for trial in self)

    def __len__(self) -> int:
        return len(self._named)

    def _ipython_key_completions_(self) -> list[str]:
        return self.keys()

    def __repr__(self) -> str:
        return f"Trials({', '.join(map(repr, self.keys()))})"


class FramesOfTrials(ByName["pd.DataFrame"]):
    """Name of a trial -> its outputs at the video rate, as ``trials/<stem>.csv``; called with a name, the same as a `FrameTable`.

    Parameters
    ----------
    tables : Mapping[str, pd.DataFrame]
        Name of a trial -> its table.
    rate_hz : Mapping[str, float]
        Name of a trial -> video frames per second.
    """

    def __init__(self, tables: Mapping[str, pd.DataFrame], rate_hz: Mapping[str, float]) -> None:
        super().__init__({name: with_units(table, "frames") for name, table in tables.items()}, "trial")
        self._rate_hz = rate_hz

    def __call__(self, name: str) -> FrameTable:
        """Return one trial's outputs as arrays by column.

        Raises
        ------
        UnknownNameError
            There is no such trial.
        """
        table = self[name]
        columns = tuple(map(str, table.columns[2:]))
        return FrameTable(columns, table.iloc[:, 2:].to_numpy(dtype=np.float64), int(table["frame"].iloc[0]), self._rate_hz[name])


@dataclass(frozen=True, eq=False, repr=False)
class SessionTrial:
    """One trial of a session.

    Attributes
    ----------
    session : Session
        The session that it belongs to.
    about : Mapping[str, Any]
        What ``summary.json`` says of it.
    """

    session: Session
    about: Mapping[str, Any]

    name = _fact(str, "name", "The file's stem.")
    file = _fact(str, "file", "The recording, relative to the subject's folder.")
    kind = _fact(str, "kind", 'What was walked: "straight", "turn", "run" ...')
    condition = _fact(str, "condition", '"barefoot"; empty where nobody named one.')
    verdict = _fact(str, "verdict", 'The worst grade of any quality rule: "accept".')
    has_kinetics = _fact(bool, "kinetics", "Whether joint loads come from a plate.")
    rate_hz = _fact(float, "rate_hz", "Video frames per second.")
    n_frames = _fact(int, "n_frames", "Number of video frames.")
    first_frame = _fact(int, "first_frame", "The recording's own number of the first frame.")

    @property
    def time_s(self) -> FloatArray:
        """Absolute time of each video frame, (n_frames,), seconds."""
        return np.asarray(self.frames["time"].to_numpy())

    @property
    def frames(self) -> pd.DataFrame:
        """One row a video frame: ``frame``, ``time`` (s), ``LHipAngles.X`` ...; ``attrs["units"]`` says the units."""
        return self.session.frames[self.name]

    @property
    def events(self) -> pd.DataFrame:
        """Foot strikes and foot offs: ``time_s side kind source``."""
        return pd.DataFrame(self.about["events"], columns=["time_s", "side", "kind", "source"])

    @property
    def findings(self) -> Sequence[Mapping[str, Any]]:
        """What was noticed: rule, severity, message, hint, values."""
        return tuple(self.about["findings"])

    def _with_units(self, name: str) -> Any:
        table = getattr(self.session, name)
        if table is None:
            return None
        rows = table[table["trial"] == self.name].reset_index(drop=True)
        rows.attrs = dict(table.attrs)
        return rows

    cycles = _table("cycles", "Every variable over every cycle of this trial.")
    budget = _table("budget", "The parts of every joint moment over every cycle.")
    spatiotemporal = _table("spatiotemporal", "Time and distance parameters of this trial.")
    peaks = _table("peaks", "Values picked from the curves of this trial.")
    stances = _table("stances", "Every foot on the floor, with the verdict.")
    gaps = _table("gaps", "Stretches in which a marker was not measured.")
    quality = _table("quality", "Every rule applied to this trial.")
    cycle_list = _table("cycle_list", "Every cycle of this trial, one row each.")
    uncertainty = _table("uncertainty", "How far moments and powers can be off, or None.")
    channels = _table("channels", "Analog channels with muscle and verdict, or None.")
    emg = _table("emg", "Envelopes of muscle signals over every cycle, or None.")
    muscle_forces = _table("muscle_forces", "Muscle forces of least effort over every cycle, or None.")
    joint_contact = _table("joint_contact", "What joints carry over every cycle, or None.")
    whole_body = _table("whole_body", "Momentum, residual and energy over time, or None.")

    @property
    def computed(self) -> Solved:
        """What was computed, in SI.

        Raises
        ------
        MissingInputError
            The session was read from its folder, which holds tables only.
        """
        return self.session.trial(self.name)

    @property
    def motion(self) -> BodyMotion:
        """Segment frames, joint centres and joint angles, in SI (see `computed`)."""
        return self.computed.motion

    @property
    def loads(self) -> JointLoads | None:
        """Joint wrenches in SI, None for kinematics only (see `computed`)."""
        return self.computed.loads

    @property
    def markers(self) -> Markers | None:
        """Markers as analysed (see `computed`)."""
        return self.computed.markers

    @property
    def analog(self) -> AnalogChannels:
        """Analog channels as recorded (see `computed`)."""
        return self.computed.analog

    def __repr__(self) -> str:
        return f"SessionTrial({self.name!r}, kind={self.kind!r}, {self.n_frames} frames, verdict={self.verdict!r})"

    def _repr_html_(self) -> str:
        facts = {"kind": self.kind, "frames": self.n_frames, "verdict": self.verdict}
        columns = (name for name in self.frames.columns if name.endswith((".X", "Power")) and self.frames[name].notna().any())
        units = self.frames.attrs["units"]
        rows = [(name, units.get(name, ""), self.frames[name].to_numpy()) for name, _ in zip(columns, range(24), strict=False)]
        return html_table(self.name, facts, rows, ("column", "unit", ""))


def _nothing() -> None:
    """Default of a field."""


@dataclass(frozen=True, eq=False, repr=False)
class Session:
    """Everything one subject's session yields: what ``analyse`` returns, and what `read_folder` reads back.

    Its tables and documents are attributes, whichever way it came. What was computed, in SI, are its fields: a session that was
    read from its folder has only ``model`` and ``kinetics`` of them.

    Attributes
    ----------
    tabulate : Callable[[Session], Tables]
        Makes the tables, when they are first asked for.
    model : str
        Name of the body model.
    kinetics : str
        How loads were computed: "textbook" or "vicon".
    person : Subject
        Who walked, as used.
    movements : tuple[Solved, ...], optional
        The trials that were solved, in the order of the files.
    static_name : str, optional
        The static trial; empty without one.
    static_file : str, optional
        Its file, relative to the subject's folder.
    static_frames : int, optional
        Number of its frames.
    calibration_record : Mapping[str, Any], optional
        What the model's calibration says of itself (``calibration.json``).
    failures : tuple[Failure, ...], optional
        Recordings that could not be analysed.
    session_findings : tuple[Finding, ...], optional
        What was noticed about the session as a whole.
    recipe : Mapping[str, Any], optional
        Every setting, by section.
    error_sizes : Mapping[str, float], optional
        Name -> standard deviation that the errors behind the uncertainty are assumed to have; empty where nobody asked.
    command : str, optional
        The canonical command that repeats the run.
    inputs : Mapping[str, str], optional
        Path relative to the subject's folder -> sha256, or what stands for it under a code.
    norm_table : pd.DataFrame | None, optional
        What people without a gait disorder do (see `session.values.norm`), or None.
    static_motion : BodyMotion | None, optional
        The static trial as tracked, for programs that take over; None without one.
    static_markers : Markers | None, optional
        Markers of the static trial, as tracked; None without one.
    marker_groups : Mapping[Part, tuple[str, ...]], optional
        (side, segment) -> names of its markers.
    muscle_signals : SessionEmg, optional
        Muscle signals of every recording that has any.
    review : Review, optional
        What somebody decided by hand.
    clinic : Mapping[str, Mapping[str, str]], optional
        Section -> key -> what the clinic found, as ``subject.toml`` says it.
    coded : bool, optional
        Whether a code stands in place of every name.
    in_memory : Mapping[str, Mapping[str, str]], optional
        What no file holds, for the manifest: "trials", "functions", "extra" -> name -> what tells it apart.
    plates : Mapping[str, Any], optional
        Where the plates stand by the steps on them (`judgement.session_plates.plates_summary`).
    memory : Mapping[str, Any], optional
        What was taken from the laboratory's memory (`judgement.laboratory.memory.Memory.to_dict`).
    fitted_norm : FittedNorm | None, optional
        The norm as it was made for this person (`norms.fit.norm_for_session`), and what was found in doing so; None without
        a norm.
    """

    tabulate: Callable[[Session], Tables]
    model: str
    kinetics: str
    person: Subject
    movements: tuple[Solved, ...] = field(default_factory=tuple)
    static_name: str = field(default_factory=str)
    static_file: str = field(default_factory=str)
    static_frames: int = field(default_factory=int)
    calibration_record: Mapping[str, Any] = field(default_factory=dict)
    failures: tuple[Failure, ...] = field(default_factory=tuple)
    session_findings: tuple[Finding, ...] = field(default_factory=tuple)
    recipe: Mapping[str, Any] = field(default_factory=dict)
    error_sizes: Mapping[str, float] = field(default_factory=dict)
    command: str = field(default_factory=str)
    inputs: Mapping[str, str] = field(default_factory=dict)
    norm_table: pd.DataFrame | None = field(default_factory=_nothing)
    static_motion: BodyMotion | None = field(default_factory=_nothing)
    static_markers: Markers | None = field(default_factory=_nothing)
    marker_groups: Mapping[Part, tuple[str, ...]] = field(default_factory=dict)
    muscle_signals: SessionEmg = field(default_factory=SessionEmg)
    review: Review = field(default_factory=Review)
    clinic: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    coded: bool = field(default_factory=bool)
    in_memory: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    plates: Mapping[str, Any] = field(default_factory=dict)
    memory: Mapping[str, Any] = field(default_factory=dict)
    fitted_norm: FittedNorm | None = field(default_factory=_nothing)

    @classmethod
    def of_tables(cls, tables: Tables) -> Session:
        """Return the session whose tables were read: it has them, and no field but ``model`` and ``kinetics``.

        Parameters
        ----------
        tables : Tables
            Every table and document.

        Returns
        -------
        Session
            With the same tables, documents and trials as the session they were made of.
        """
        session = object.__new__(cls)
        session.__dict__.update(model=str(tables.summary["model"]), kinetics=str(tables.summary["kinetics"]), _tables=tables)
        return session

    def __getattr__(self, name: str) -> Any:
        """Say why a session that was read has no fields: defaults come from factories, so that the class has none either.

        Raises
        ------
        MissingInputError
            The session was read from its folder, which holds tables only.
        """
        if name not in self.__dataclass_fields__:
            raise AttributeError(f"'Session' object has no attribute {name!r}", name=name, obj=self)
        words = "The session was read from its folder, which holds tables and no motions or loads; analyse the recordings again."
        raise MissingInputError(words, value="a session read back", expected="what analyse returns", where=name)

    def tables(self) -> Tables:
        """Return every table and document of the session, as written under OUT."""
        return self._tables

    @cached_property
    def _tables(self) -> Tables:
        return self.tabulate(self)

    @property
    def computed(self) -> Computed:
        """What was computed, in SI, under the names of version 0.1: ``computed.trials`` are ``movements``.

        Raises
        ------
        MissingInputError
            The session was read from its folder, which holds tables only.
        """
        return Computed(self)

    @property
    def held(self) -> Computed | Tables:
        """The session as computed, or its tables as read."""
        return self.computed if "movements" in self.__dict__ else self.tables()

    def trial(self, name: str) -> Solved:
        """Return one of ``movements`` by name.

        Parameters
        ----------
        name : str
            Name of the trial.

        Returns
        -------
        Solved
            What was computed of it, in SI.

        Raises
        ------
        UnknownNameError
            There is no such trial; the message lists those there are.
        """
        return ByName({trial.name: trial for trial in self.movements}, "trial")[name]

    @property
    def fingerprint(self) -> dict[str, str]:
        """How everything was computed, by the keys of `session.values.fingerprint.FINGERPRINT`; empty words where nothing was."""
        methods = {str(method) for method in (self.calibration_record.get("hip_centre") or {}).values()}
        # Trials that enter means say how these were made; without any of them all do.
        walks = [trial for trial in self.movements if trial.kind is TrialKind.STRAIGHT]
        entering = [walk for walk in walks if any(walk.counts(cycle, layer) for cycle in walk.cycles for layer in LAYERS_OF_MEANS)]
        widths = {trial.bandwidth for trial in entering or self.movements if trial.bandwidth}
        return {
            "model": self.model, "kinetics": self.kinetics, "hip_centre": " + ".join(sorted(methods)),
            "bandwidth": " + ".join(sorted(widths)),
        }  # fmt: skip

    @property
    def grade(self) -> Grade:
        """Accept if every trial is, and plates gave kinetics where there are any; reject if none can be used; warn in between."""
        grades = [trial.verdict for trial in self.movements]
        if not grades and self.muscle_signals.present:
            return Grade.NOT_JUDGED
        if all(grade is Grade.REJECT for grade in grades):
            return Grade.REJECT
        lacking = any(trial.plates for trial in self.movements) and not any(trial.has_kinetics for trial in self.movements)
        return Grade.WARN if any(grade.doubted for grade in grades) or self.failures or lacking else worst(grades)

    @takes(out=a_path("name the folder to write"))
    def write(self, out: str | PathLike[str]) -> Path:
        """Write every table and document to a folder, whole or not at all; `read_folder` reads it back.

        Parameters
        ----------
        out : str | os.PathLike[str]
            Folder that takes the results; made where it is missing.

        Returns
        -------
        Path
            The folder that was written.

        Raises
        ------
        OutputError
            It holds files of somebody else, or cannot be written.
        """
        write_folder(self.tables(), Path(out))
        return Path(out)

    @cached_property
    def trials(self) -> Trials:
        """Every trial, by name or in order."""
        return Trials([SessionTrial(self, about) for about in self.summary["trials"]])

    @cached_property
    def frames(self) -> FramesOfTrials:
        """Name of a trial -> one row a video frame."""
        return FramesOfTrials(self.tables().frames, {trial.name: trial.rate_hz for trial in self.trials})

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Who walked, with which model, what became of every trial, as ``summary.json`` holds it."""
        return self._document("summary")

    @cached_property
    def calibration(self) -> dict[str, Any]:
        """What the model's calibration says of itself, as ``calibration.json`` holds it."""
        return self._document("calibration")

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """How to get the same numbers again, as ``manifest.json`` holds it but for the hashes of the files written."""
        return {key: value for key, value in self._document("manifest").items() if key != "outputs"}

    def _document(self, name: str) -> dict[str, Any]:
        # Through its own text: numbers as a file has them, whichever way the session came.
        document: dict[str, Any] = json.loads(json_text(getattr(self.tables(), name)))
        return document

    @cached_property
    def _shown(self) -> dict[str, pd.DataFrame | None]:
        tables = {name: getattr(self.tables(), name) for name in (*_TIDY, *_OPTIONAL)}
        return {name: None if table is None else with_kinetics_words(with_units(table, name)) for name, table in tables.items()}

    def _with_units(self, name: str) -> pd.DataFrame | None:
        return self._shown[name]

    cycles = _table("cycles", "Every variable over every cycle; 101 rows make a curve.")
    budget = _table("budget", "The parts of every joint moment over every cycle.")
    spatiotemporal = _table("spatiotemporal", "Time and distance parameters.")
    peaks = _table("peaks", "Values picked from curves: extrema, bursts of power.")
    scores = _table("scores", "Scores against the norm; empty without one.")
    stances = _table("stances", "Every foot on the floor, with the verdict.")
    gaps = _table("gaps", "Stretches in which a marker was not measured.")
    quality = _table("quality", "Every rule applied to every trial.")
    norm = _table("norm", "What people without a gait disorder do, or None.")
    parity = _table("parity", "Comparison with a vendor's stored outputs, or None.")
    statistics = _table("statistics", "Every curve and number against the norm, or None.")
    deviations = _table("deviations", "Every rule of gait patterns that is met, or None.")
    uncertainty = _table("uncertainty", "How far moments and powers can be off, or None.")
    channels = _table("channels", "Analog channels with muscle and verdict, or None.")
    emg = _table("emg", "Envelopes of muscle signals over every cycle, or None.")
    emg_activity = _table("emg_activity", "When muscles were on, or None.")
    emg_pairs = _table("emg_pairs", "Co-contraction, or None.")
    emg_raw = _table("emg_raw", "Raw traces of muscle signals, or None.")
    muscle_forces = _table("muscle_forces", "Muscle forces of least effort over every cycle, or None.")
    joint_contact = _table("joint_contact", "What joints carry over every cycle, or None.")
    whole_body = _table("whole_body", "Momentum, residual and energy over time, or None.")
    examination = _table("examination", "Values of the clinical examination, or None.")

    @property
    def further(self) -> Mapping[str, pd.DataFrame]:
        """Tables that a laboratory has registered, by name."""
        return {name: with_units(table, name) for name, table in self.tables().further.items()}

    @property
    def cycle_list(self) -> pd.DataFrame:
        """Every cycle, one row each: trial, kind, condition, side, times, whether it is used."""
        return self.tables().cycle_list

    @takes(side=a_str(), variable=a_str(), component=a_str(), normalise=a_word(tuple(NORMALISERS)))
    def curves(
        self, side: str, variable: str, component: str = "", *, cycles: pd.DataFrame | None = None, normalise: str = "mass"
    ) -> FloatArray:
        """Return one variable of many cycles, (n, 101), in the unit of the sign table.

        Parameters
        ----------
        side : str
            Whose cycles: "L" or "R".
        variable : str
            "HipAngles", or with its component "HipAngles.X".
        component : str, optional
            Axis, "X", where the name holds none; empty for a scalar, as a power is.
        cycles : pd.DataFrame | None, optional
            Rows of `cycle_list` that are wanted; all of them where None.
        normalise : str, optional
            What loads are divided by: "mass" as in the tables (N m/kg), "mass*height" (N/kg), "weight*height" (1), or "none" (N m).

        Returns
        -------
        FloatArray
            (n, 101), one row a cycle, one column a percent; NaN where a cycle has no value.

        Raises
        ------
        UnknownNameError
            No cycle has that variable; the nearest is proposed.
        InvalidValueError
            Normalised otherwise than by mass: the variable is no load.
        MissingInputError
            The session has no body height, or no mass.
        """
        name, _, part = variable.partition(".")
        self.check_variable(name, component or part)
        factor = normalising_factor(normalise, self.cycles.attrs["units"].get(name, ""), self.subject, variable)
        return self.tables().curves(side, name, component or part, cycles=cycles) * factor

    def check_variable(self, variable: str, component: str) -> None:
        """Refuse a variable that no cycle has, and propose what is near.

        Parameters
        ----------
        variable, component : str
            Name and axis as in ``cycles.csv``: "KneeMoment", "X".

        Raises
        ------
        UnknownNameError
            There is none.
        """
        there = list(dict.fromkeys(zip(self.cycles["variable"], self.cycles["component"], strict=True)))
        if (variable, component) in there:
            return
        asked = f"{variable}.{component}" if component else variable
        names = [f"{name}.{part}" if part else name for name, part in there]
        sideless = asked[1:] if asked[:1] in "LR" and any(name.startswith(asked[1:]) for name in names) else asked
        raise UnknownNameError(
            f"There is no curve {asked!r} in the cycles of this session.{did_you_mean(sideless, names)}",
            value=asked, expected=", ".join(names), where="cycles",
        )  # fmt: skip

    @property
    def verdict(self) -> str:
        """Grade of the whole session."""
        return str(self.summary["verdict"])

    @property
    def subject(self) -> Mapping[str, Any]:
        """Who walked, as used: measurements by name, in SI."""
        subject: Mapping[str, Any] = self.summary["subject"]
        return subject

    @cached_property
    def findings(self) -> pd.DataFrame:
        """What was noticed, and every rule that is not met, of the session (``trial`` is empty) and all its trials.

        ``trial layer severity rule reason hint``; ``summary["findings"]`` and ``trials[name].findings`` hold the values too.
        """
        return findings_table(self.summary, self.quality)

    @property
    def failed(self) -> Sequence[Mapping[str, str]]:
        """Recordings that could not be analysed: file, error."""
        return tuple(self.summary["failed"])

    def __repr__(self) -> str:
        found = self.findings
        doubts = found[found["severity"] != "info"]
        why = f", {len(doubts)} doubts: {doubts['reason'].iloc[0]}" if len(doubts) else ""
        return f"Session(model={self.model!r}, verdict={self.verdict!r}, trials={self.trials!r}{why})"

    def _repr_html_(self) -> str:
        rows = []
        for trial in self.trials:
            sketches = [trial.frames[name].to_numpy() if name in trial.frames else "" for name in _SKETCHED]
            rows.append((trial.name, trial.kind, trial.condition, trial.n_frames, trial.verdict, *sketches))
        head = ("trial", "kind", "condition", "frames", "verdict", "left knee", "right knee")
        return html_table("Session", {"model": self.model, "kinetics": self.kinetics, "verdict": self.verdict}, rows, head)


@takes(out=a_path("give the folder that Session.write or `biomech-id run` wrote"))
def read_folder(out: str | PathLike[str]) -> Session:
    """Read a session back from its folder: the same type, attributes and numbers as ``analyse`` returned.

    Parameters
    ----------
    out : str | os.PathLike[str]
        Folder of the results.

    Returns
    -------
    Session
        Its tables and documents; it has no motions and no loads in SI, since a folder holds tables only.

    Raises
    ------
    FileRefusedError
        OUT is no such folder, or one of its files is missing, damaged or of another schema; names the file.
    """
    return Session.of_tables(read_tables(out))
