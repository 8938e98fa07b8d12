"""One session as a researcher holds it: what `analyse` returns and what `read_folder` reads back are the same type.

Every attribute is a table or a document of the session, the same numbers and words whether they were computed a moment ago or years
before. What only lives in memory (motions, loads, markers, in SI) is under `AnalysedSession.computed`, and a session read from its
folder says that it has none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.html_repr import html_table
from biomech_id.arguments import a_path, a_str, takes
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoads
from biomech_id.errors import MissingInputError, UnknownNameError, did_you_mean
from biomech_id.files.json_text import json_text
from biomech_id.results.folder.read_write import read_tables, write_folder
from biomech_id.results.session.result import SessionResult
from biomech_id.results.session.units import with_units
from biomech_id.results.session.values import TrialResult
from biomech_id.results.tables.frame_table import FrameTable
from biomech_id.results.tables.session_tables import SessionTables
from biomech_id.trial import AnalogChannels, Markers

_T = TypeVar("_T")
#: Columns that a page shows a small curve of, the first that a trial has of each.
_SKETCHED = ("LKneeAngles.X", "RKneeAngles.X")
#: Tables that are tidy, and tables that a session may have or not, by name.
_TIDY = ("cycles", "budget", "spatiotemporal", "peaks", "scores", "stances", "gaps", "quality")
_OPTIONAL = ("norm", "parity", "statistics", "uncertainty", "channels", "emg", "emg_activity", "emg_pairs", "emg_raw", "whole_body")


class ByName(Mapping[str, _T]):
    """Things by name, in the order of the files; a name that is nearly one of them is proposed.

    Parameters
    ----------
    things : Mapping[str, _T]
        Name -> thing.
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


class FramesOfTrials(ByName[pd.DataFrame]):
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
    session : AnalysedSession
        It belongs to.
    about : Mapping[str, Any]
        What ``summary.json`` says of it.
    """

    session: AnalysedSession
    about: Mapping[str, Any]

    name = property(lambda self: str(self.about["name"]), doc="The file's stem.")
    file = property(lambda self: str(self.about["file"]), doc="The recording, relative to the subject's folder.")
    kind = property(lambda self: str(self.about["kind"]), doc='What was walked: "straight", "turn", "run" ...')
    condition = property(lambda self: str(self.about["condition"]), doc='"barefoot"; empty where nobody named one.')
    verdict = property(lambda self: str(self.about["verdict"]), doc='The worst grade of any quality rule: "accept".')
    has_kinetics = property(lambda self: bool(self.about["kinetics"]), doc="Whether joint loads come from a plate.")
    rate_hz = property(lambda self: float(self.about["rate_hz"]), doc="Video frames per second.")
    n_frames = property(lambda self: int(self.about["n_frames"]), doc="Number of video frames.")
    first_frame = property(lambda self: int(self.about["first_frame"]), doc="The recording's own number of the first frame.")

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

    def _mine(self, name: str) -> Any:
        table = getattr(self.session, name)
        if table is None:
            return None
        mine = table[table["trial"] == self.name].reset_index(drop=True)
        mine.attrs = dict(table.attrs)
        return mine

    cycles = property(lambda self: self._mine("cycles"), doc="Every variable over every cycle of this trial.")
    budget = property(lambda self: self._mine("budget"), doc="The parts of every joint moment over every cycle.")
    spatiotemporal = property(lambda self: self._mine("spatiotemporal"), doc="Time and distance parameters of this trial.")
    peaks = property(lambda self: self._mine("peaks"), doc="Values picked from the curves of this trial.")
    stances = property(lambda self: self._mine("stances"), doc="Every foot on the floor, with the verdict.")
    gaps = property(lambda self: self._mine("gaps"), doc="Stretches in which a marker was not measured.")
    quality = property(lambda self: self._mine("quality"), doc="Every rule applied to this trial.")
    cycle_list = property(lambda self: self._mine("cycle_list"), doc="Every cycle of this trial, one row each.")
    uncertainty = property(lambda self: self._mine("uncertainty"), doc="How far moments and powers can be off, or None.")
    channels = property(lambda self: self._mine("channels"), doc="Analog channels with muscle and verdict, or None.")
    emg = property(lambda self: self._mine("emg"), doc="Envelopes of muscle signals over every cycle, or None.")
    whole_body = property(lambda self: self._mine("whole_body"), doc="Momentum, residual and energy over time, or None.")

    @property
    def computed(self) -> TrialResult:
        """What was computed, in SI.

        Raises
        ------
        MissingInputError
            The session was read from its folder, which holds tables only.
        """
        return self.session.computed.trial(self.name)

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


@dataclass(frozen=True, eq=False, repr=False)
class AnalysedSession:
    """Everything one subject's session yields: what `analyse` returns, and what `read_folder` reads back.

    Attributes
    ----------
    held : SessionResult | SessionTables
        The session as computed, or its tables as read.
    """

    held: SessionResult | SessionTables

    def tables(self) -> SessionTables:
        """Return every table and document of the session, as written under OUT."""
        return self.held if isinstance(self.held, SessionTables) else self.held.tables()

    @property
    def computed(self) -> SessionResult:
        """What was computed, in SI: motions, loads, markers, muscle signals.

        Raises
        ------
        MissingInputError
            The session was read from its folder, which holds tables only.
        """
        if isinstance(self.held, SessionTables):
            words = (
                "The session was read from its folder, which holds tables and no motions or loads; analyse the recordings again."
            )
            raise MissingInputError(words, value="a session read back", expected="what analyse returns", where="computed")
        return self.held

    @takes(out=a_path("name the folder to write"))
    def write(self, out: str | PathLike[str]) -> Path:
        """Write every table and document to a folder, whole or not at all; `read_folder` reads it back.

        Parameters
        ----------
        out : str | os.PathLike[str]
            The folder.

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
        found: dict[str, Any] = json.loads(json_text(getattr(self.tables(), name)))
        return found

    @cached_property
    def _said(self) -> dict[str, pd.DataFrame | None]:
        tables = self.tables()
        found = {name: getattr(tables, name) for name in (*_TIDY, *_OPTIONAL)}
        return {name: None if table is None else with_units(table, name) for name, table in found.items()}

    cycles = property(lambda self: self._said["cycles"], doc="Every variable over every cycle; 101 rows make a curve.")
    budget = property(lambda self: self._said["budget"], doc="The parts of every joint moment over every cycle.")
    spatiotemporal = property(lambda self: self._said["spatiotemporal"], doc="Time and distance parameters.")
    peaks = property(lambda self: self._said["peaks"], doc="Values picked from curves: extrema, bursts of power.")
    scores = property(lambda self: self._said["scores"], doc="Scores against the norm; empty without one.")
    stances = property(lambda self: self._said["stances"], doc="Every foot on the floor, with the verdict.")
    gaps = property(lambda self: self._said["gaps"], doc="Stretches in which a marker was not measured.")
    quality = property(lambda self: self._said["quality"], doc="Every rule applied to every trial.")
    norm = property(lambda self: self._said["norm"], doc="What people without a gait disorder do, or None.")
    parity = property(lambda self: self._said["parity"], doc="Comparison with a vendor's stored outputs, or None.")
    statistics = property(lambda self: self._said["statistics"], doc="Every curve and number against the norm, or None.")
    uncertainty = property(lambda self: self._said["uncertainty"], doc="How far moments and powers can be off, or None.")
    channels = property(lambda self: self._said["channels"], doc="Analog channels with muscle and verdict, or None.")
    emg = property(lambda self: self._said["emg"], doc="Envelopes of muscle signals over every cycle, or None.")
    emg_activity = property(lambda self: self._said["emg_activity"], doc="When muscles were on, or None.")
    emg_pairs = property(lambda self: self._said["emg_pairs"], doc="Co-contraction, or None.")
    emg_raw = property(lambda self: self._said["emg_raw"], doc="Raw traces of muscle signals, or None.")
    whole_body = property(lambda self: self._said["whole_body"], doc="Momentum, residual and energy over time, or None.")

    @property
    def further(self) -> Mapping[str, pd.DataFrame]:
        """Tables that a laboratory has registered, by name."""
        return {name: with_units(table, name) for name, table in self.tables().further.items()}

    @property
    def cycle_list(self) -> pd.DataFrame:
        """Every cycle, one row each: trial, kind, condition, side, times, whether it is used."""
        return self.tables().cycle_list

    @takes(side=a_str(), variable=a_str(), component=a_str())
    def curves(self, side: str, variable: str, component: str = "", *, cycles: pd.DataFrame | None = None) -> FloatArray:
        """Return one variable of many cycles, (n, 101), in the unit of the sign table.

        Parameters
        ----------
        side : str
            "L" or "R".
        variable : str
            "HipAngles", or with its component "HipAngles.X".
        component : str, optional
            "X".
        cycles : pd.DataFrame | None, optional
            Rows of `cycle_list` that are wanted; all of them where None.

        Raises
        ------
        UnknownNameError
            No cycle has that variable; the nearest is proposed.
        """
        name, _, part = variable.partition(".")
        self.check_variable(name, component or part)
        return self.tables().curves(side, name, component or part, cycles=cycles)

    def check_variable(self, variable: str, component: str) -> None:
        """Refuse a variable that no cycle has, and propose what is near.

        Parameters
        ----------
        variable, component : str
            "KneeMoment", "X".

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
    def model(self) -> str:
        """Name of the body model."""
        return str(self.summary["model"])

    @property
    def kinetics(self) -> str:
        """How loads were computed: "textbook" or "vicon"."""
        return str(self.summary["kinetics"])

    @property
    def verdict(self) -> str:
        """Grade of the whole session."""
        return str(self.summary["verdict"])

    @property
    def subject(self) -> Mapping[str, Any]:
        """Who walked, as used: measurements by name, in SI."""
        found: Mapping[str, Any] = self.summary["subject"]
        return found

    @property
    def findings(self) -> Sequence[Mapping[str, Any]]:
        """What was noticed about the session as a whole: rule, severity, message, hint, values."""
        return tuple(self.summary["findings"])

    @property
    def failed(self) -> Sequence[Mapping[str, str]]:
        """Recordings that could not be analysed: file, error."""
        return tuple(self.summary["failed"])

    def __repr__(self) -> str:
        return f"AnalysedSession(model={self.model!r}, verdict={self.verdict!r}, trials={self.trials!r})"

    def _repr_html_(self) -> str:
        rows = []
        for trial in self.trials:
            sketches = [trial.frames[name].to_numpy() if name in trial.frames else "" for name in _SKETCHED]
            rows.append((trial.name, trial.kind, trial.condition, trial.n_frames, trial.verdict, *sketches))
        head = ("trial", "kind", "condition", "frames", "verdict", "left knee", "right knee")
        return html_table("Session", {"model": self.model, "kinetics": self.kinetics, "verdict": self.verdict}, rows, head)


@takes(out=a_path("give the folder that AnalysedSession.write or `biomech-id run` wrote"))
def read_folder(out: str | PathLike[str]) -> AnalysedSession:
    """Read a session back from its folder: the same type, attributes and numbers as `analyse` returned.

    Parameters
    ----------
    out : str | os.PathLike[str]
        Folder of the results.

    Raises
    ------
    FileRefusedError
        OUT is no such folder, or one of its files is missing, damaged or of another schema; names the file.
    """
    return AnalysedSession(read_tables(out))
