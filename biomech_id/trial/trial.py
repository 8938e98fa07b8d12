"""One recording: everything a C3D file says, as values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray, float_array, sha256_of_arrays
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.html_repr import html_table
from biomech_id.arguments import a, a_count, a_day, a_quantity, a_str, a_word, each, holds, or_none, takes
from biomech_id.errors import Finding, InvalidValueError, ShapeError
from biomech_id.languages import Sentence
from biomech_id.trial.analog import AnalogChannels
from biomech_id.trial.events import Event
from biomech_id.trial.markers import RATE_HZ, Markers
from biomech_id.trial.plates import ForcePlate
from biomech_id.trial.rotations import Rotations
from biomech_id.trial.subject import Subject
from biomech_id.values import dataclass, field, replace

#: Metres: recordings reach further from the laboratory's origin; a person's paths in metres, taken for millimetres, do not.
LEAST_EXTENT_M = 0.02


@holds(
    name=a_str(), markers=a(Markers), plates=each(a(ForcePlate)), events=each(a(Event)), subject=a(Subject),
    first_frame=a_count(1), model_outputs=a(Mapping), path=a_str(), sha256=a_str(), session_date=or_none(a_day()),
    history=each(a((Sentence, str))), findings=each(a(Finding)), analog=a(AnalogChannels),
    wrench_plates=or_none(each(a(ForcePlate))), software=a_str(), stored_numbers=a(Mapping), identity=a_str(),
)  # fmt: skip
@compact_repr
@dataclass(frozen=True, eq=False)
class Trial:
    """One recording.

    Attributes
    ----------
    name : str
        The file's stem, which names its tables.
    markers : Markers
        Trajectories, laboratory axes with Z up.
    plates : tuple[ForcePlate, ...], optional
        Force plates in the file's order. A plate that could not be understood is absent here and named in ``findings``.
    events : tuple[Event, ...], optional
        Foot strikes and foot offs, sorted by time.
    subject : Subject, optional
        Measurements found in the file.
    first_frame : int, optional
        The recording's own number of the first video frame, counted from 1; its time is (first_frame - 1) / rate.
    model_outputs : Mapping[str, FloatArray], optional
        Outputs stored by the vendor's software, name -> (n_frames, 3), in the file's units and axes.
    path : str, optional
        File that it was read from; empty for a trial made in memory.
    sha256 : str, optional
        Hash of that file, 64 hexadecimal digits; empty for a trial made in memory.
    session_date : str | None, optional
        ISO date of the recording as the file says it, or None.
    history : tuple[Sentence | str, ...], optional
        What was done to the data, in words, in order.
    findings : tuple[Finding, ...], optional
        What was noticed while reading.
    analog : AnalogChannels, optional
        Every analog channel of the file, those of its force plates marked as such; without channels where there are none.
    wrench_plates : tuple[ForcePlate, ...] | None, optional
        The same plates, smoothed like the markers (`pipeline.prepare`): from these joint loads are computed, while contact and
        verdicts are judged from ``plates`` as recorded. None: nothing was smoothed.

    software : str, optional
        Name and version of the program that wrote the recording, as it says; empty where it does not.
    rotations : Rotations, optional
        Poses of segments as another program measured them; without segments where there are none.
    identity : str, optional
        Which recording this is: the SHA-256 of its file, without a file that of its arrays. It is worked out when first asked for,
        or when something is replaced, and then kept: by what is filtered, renamed, given other forces or cropped (a stretch of
        the recording is told by ``first_frame`` and ``n_frames``).
    stored_numbers : Mapping[str, float], optional
        Numbers that the software stored for its models, by its own names and in its own units (``LFootLength``, mm).

    Raises
    ------
    InvalidValueError
        Plates, analog channels or stored outputs that do not fit the markers' frames, or each other.
    """

    name: str
    markers: Markers
    plates: tuple[ForcePlate, ...] = ()
    events: tuple[Event, ...] = ()
    subject: Subject = field(default_factory=Subject)
    first_frame: int = 1
    model_outputs: Mapping[str, FloatArray] = field(default_factory=dict)
    path: str = ""
    sha256: str = ""
    session_date: str | None = None
    history: tuple[Sentence | str, ...] = ()
    findings: tuple[Finding, ...] = ()
    analog: AnalogChannels = field(default_factory=AnalogChannels)
    wrench_plates: tuple[ForcePlate, ...] | None = None
    rotations: Rotations = field(default_factory=Rotations)
    software: str = ""
    identity: str = field(default="", repr=False)
    stored_numbers: Mapping[str, float] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "events", tuple(sorted(self.events)))
        self._set_clock()
        for plate in (*self.plates, *(self.wrench_plates or ())):
            self._check_samples(plate.name, plate.n_samples, plate.rate_hz)
        self._check_smoothed()
        if self.analog.names:
            self._check_samples("The analog part", self.analog.n_samples, self.analog.rate_hz)
        if self.rotations.names:
            self._check_samples("The rotations", len(self.rotations), self.rotations.rate_hz)
        for name, values in self.model_outputs.items():
            if len(values) != self.markers.n_frames:
                raise InvalidValueError(
                    f"Stored output {name} of {self.name} has {len(values)} frames.",
                    value=len(values), expected=f"{self.markers.n_frames} frames", where=self.name,
                )  # fmt: skip

    def _set_clock(self) -> None:
        """Give every part the time of its first sample."""
        first_s = self.first_time_s
        for name in ("markers", "analog"):
            part = getattr(self, name)
            if part.first_time_s != first_s:
                object.__setattr__(self, name, replace(part, first_time_s=first_s))
        for name in ("plates", "wrench_plates"):
            plates = getattr(self, name)
            if any(plate.first_time_s != first_s for plate in plates or ()):
                object.__setattr__(self, name, tuple(replace(plate, first_time_s=first_s) for plate in plates))

    def _check_smoothed(self) -> None:
        """Refuse smoothed plates that are not the trial's own."""
        names, smoothed = ([plate.name for plate in plates] for plates in (self.plates, self.wrench_plates or self.plates))
        if names != smoothed:
            raise InvalidValueError(
                f"The wrench_plates of {self.name} are {', '.join(smoothed)}, its plates {', '.join(names) or 'none'}.",
                value=smoothed, expected="the trial's own plates, smoothed", where=self.name,
            )  # fmt: skip

    def _check_samples(self, what: str, n_samples: int, rate_hz: float) -> None:
        ratio = rate_hz / self.markers.rate_hz
        expected = round(ratio) * self.markers.n_frames
        if abs(ratio - round(ratio)) > 1e-6 or n_samples != expected:
            raise InvalidValueError(
                f"{what} of {self.name} has {n_samples} samples at {rate_hz:g} Hz for "
                f"{self.markers.n_frames} video frames at {self.markers.rate_hz:g} Hz.",
                value=(n_samples, rate_hz), expected=f"{expected} samples, whole per frame", where=self.name,
            )  # fmt: skip

    @classmethod
    @takes(
        "Trial.from_arrays", markers=a(Mapping, "name -> (n, 3)"), rate_hz=RATE_HZ, name=a_str(), unit=a_word(("m", "mm")),
        up=a_word(("Y", "Z")), plates=each(a(ForcePlate)), events=each(a(Event)), analog=or_none(a((AnalogChannels, Mapping))),
        analog_rate_hz=or_none(RATE_HZ), subject=or_none(a(Subject)), first_frame=a_count(1),
    )  # fmt: skip
    def from_arrays(
        cls,
        markers: Mapping[str, ArrayLike],
        rate_hz: float,
        *,
        name: str = "trial",
        unit: str = "m",
        up: str = "Z",
        plates: Sequence[ForcePlate] = (),
        events: Sequence[Event] = (),
        analog: AnalogChannels | Mapping[str, ArrayLike] | None = None,
        analog_rate_hz: float | None = None,
        subject: Subject | None = None,
        first_frame: int = 1,
    ) -> Trial:
        """Make a trial from marker paths in memory.

        Parameters
        ----------
        markers : Mapping[str, ArrayLike]
            Label -> (n_frames, 3), laboratory axes; missing is NaN.
        rate_hz : float
            Video frames per second.
        name : str, optional
            Of the trial, which names its table.
        unit : str, optional
            Of the positions, "m" or "mm".
        up : str, optional
            Which axis of the positions points up; "Y" is turned to ours.
        plates : Sequence[ForcePlate], optional
            Force plates, in our laboratory axes with Z up.
        events : Sequence[Event], optional
            Foot strikes and foot offs.
        analog : AnalogChannels | Mapping[str, ArrayLike] | None, optional
            Channels, or label -> (n_samples,) at ``analog_rate_hz``.
        analog_rate_hz : float | None, optional
            Of a mapping of channels; None is the rate of the video.
        subject : Subject | None, optional
            Who was measured; None where nothing is known.
        first_frame : int, optional
            Number of the first frame, from 1.

        Returns
        -------
        Trial
            In metres, laboratory axes with Z up; without path and hash.

        Raises
        ------
        InvalidValueError, ShapeError
            Arrays that do not fit together, or positions that are millimetres.

        Examples
        --------
        >>> import numpy as np
        >>> import biomech_id as bid
        >>> walk = bid.Trial.from_arrays({"LHEE": np.full((50, 3), 120.0)}, 100.0, unit="mm")
        >>> walk.markers["LHEE"][0], walk.time_s[-1]
        (array([0.12, 0.12, 0.12]), np.float64(0.49))
        """
        if not markers:
            raise InvalidValueError(
                "The markers of Trial.from_arrays are {}, without a path.", value={}, expected="label -> (n, 3)", where=name
            )
        paths = [float_array(path, name=label, where=name) for label, path in markers.items()]
        for label, path in zip(markers, paths, strict=True):
            if path.shape != (len(paths[0]), 3):
                words = f"The path of {label} in {name} has shape {path.shape}."
                raise ShapeError(words, value=path.shape, expected=f"({len(paths[0])}, 3)", where="markers")
        position = np.stack(paths, axis=1) * (1e-3 if unit == "mm" else 1.0)
        furthest_m = float(np.nanmax(np.abs(position), initial=0.0))
        if unit == "mm" and 0.0 < furthest_m < LEAST_EXTENT_M:
            raise InvalidValueError(
                f"The markers of {name} with unit='mm' stay within {1e3 * furthest_m:.3g} mm: these look like metres.",
                value=unit, expected=f"positions beyond {1e3 * LEAST_EXTENT_M:g} mm, or unit='m'", where="unit",
            )  # fmt: skip
        position[np.isnan(position).any(axis=2)] = np.nan
        if up == "Y":
            position = np.stack([position[..., 0], -position[..., 2], position[..., 1]], axis=-1)
        if isinstance(analog, Mapping):
            values = np.stack([float_array(v, name=label, where=name) for label, v in analog.items()], axis=1)
            analog = AnalogChannels(tuple(analog), ("",) * len(analog), analog_rate_hz or rate_hz, values)
        return cls(
            name, Markers(tuple(markers), position, rate_hz), tuple(plates), tuple(events), subject or Subject(),
            first_frame=first_frame, analog=analog or AnalogChannels(),
        )  # fmt: skip

    def arrays(self) -> Iterator[FloatArray]:
        """Yield what was recorded, always in this order: markers (m), plates (N, N m, m), analog channels, times of events (s).

        Yields
        ------
        Iterator[FloatArray]
            Views, not copies.
        """
        yield self.markers.position_m
        for plate in self.plates:
            yield from (plate.force_lab_N, plate.moment_lab_Nm, plate.corners_m)
        yield self.analog.values
        yield np.array([event.time_s for event in self.events])

    @property
    def rate_hz(self) -> float:
        """Video frames per second."""
        return self.markers.rate_hz

    @property
    def n_frames(self) -> int:
        """Number of video frames."""
        return self.markers.n_frames

    @property
    def first_time_s(self) -> float:
        """Absolute time of the first frame, seconds."""
        return (self.first_frame - 1) / self.rate_hz

    @property
    def time_s(self) -> FloatArray:
        """Absolute time of each video frame, (n_frames,), seconds."""
        return self.first_time_s + np.arange(self.n_frames, dtype=np.float64) / self.rate_hz

    def _repr_html_(self) -> str:
        facts = {"frames": self.n_frames, "Hz": f"{self.rate_hz:g}", "s": f"{self.n_frames / self.rate_hz:.2f}"}
        rows = [("marker", name, "Z, m", self.markers[name][:, 2]) for name in self.markers.names[:6]]
        rows += [("plate", plate.name, "vertical, N", plate.force_lab_N[:, 2]) for plate in self.plates]
        kept = [i for i, plate in enumerate(self.analog.plates) if plate is None][:6]
        rows += [("channel", self.analog.names[i], self.analog.units[i], self.analog.values[:, i]) for i in kept]
        return html_table(f"Trial {self.name}", facts | {"markers": len(self.markers.names)}, rows, ("", "name", "", ""))

    @takes(time_s=a_quantity(-1e6, 1e6, "s"))
    def index_of(self, time_s: float) -> int:
        """Nearest frame to an absolute time.

        Parameters
        ----------
        time_s : float
            Absolute time, as in the file, seconds.

        Returns
        -------
        int
            Index, 0 for the first frame of this trial; may lie outside the trial.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.trial import Markers
        >>> from biomech_id.trial.trial import Trial
        >>> walk = Trial("walk", Markers(("LHEE",), np.zeros((50, 1, 3)), 100.0), first_frame=101)
        >>> walk.index_of(1.25)
        25
        """
        return round(time_s * self.rate_hz) - (self.first_frame - 1)

    def after(self, what: Sentence | str, **changes: object) -> Trial:
        """Replace some fields and append a line to the history.

        Parameters
        ----------
        what : Sentence | str
            One line for the history: what was done, in the past tense.
        changes : object
            Fields and their new values.

        Returns
        -------
        Trial
            A new one; this one stays as it is.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.trial import Markers
        >>> from biomech_id.trial.trial import Trial
        >>> walk = Trial("walk", Markers(("LHEE",), np.zeros((50, 1, 3)), 100.0))
        >>> walk.after("looked at it", first_frame=11).history
        ('looked at it',)
        """
        return replace(self, **changes, history=(*self.history, what))  # type: ignore[arg-type]


class _IdentityWhenAsked:
    """The field ``identity`` of a trial that was made without one: its arrays are hashed when somebody asks, once."""

    def __get__(self, trial: Trial | None, _: type) -> str:
        if trial is None:
            return ""
        held = vars(trial)
        if not held.get("identity"):
            poses = (trial.rotations.R_lab_seg, trial.rotations.origin_lab_m) if trial.rotations.names else ()
            held["identity"] = trial.sha256 or sha256_of_arrays((*trial.arrays(), *poses))
        return str(held["identity"])

    def __set__(self, trial: Trial, identity: str) -> None:
        vars(trial)["identity"] = identity


setattr(Trial, "identity", _IdentityWhenAsked())  # noqa: B010 - mypy: the dataclass has taken the field's own default by now
