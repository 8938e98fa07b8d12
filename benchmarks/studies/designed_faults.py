"""Faults designed into recordings, one kind after another: which change moments, angles or powers, and which of those are said.

``python -m benchmarks.studies.designed_faults [C3D_DIR]`` takes one walk of each child and of the virtual subject, and analyses it
as it is and with one fault at a time: markers that are elsewhere for a frame, for twenty frames or throughout, labels exchanged,
frames repeated, paths that shake or are smoothed away, measurements typed in wrongly, plates with a sign, a gain, an exchange, a
clock, a dead channel, crosstalk, hum, a clipped or a shifted force, plates at another height or mirrored, a laboratory with other
axes, events on the other side. A fault matters where a frame, or a mean curve of a side, changes by more than a tenth of its
range and by more than 0.1 N m/kg, 3 deg or 0.3 W/kg. It is said where the run has a warning, a doubted quality rule or a refusal
that it has not without the fault. What matters and is not said is silent. The same seed draws the same faults. The table lies
beside this module.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import biomech_id as bid
from benchmarks.studies.cut_gaps import SHARED
from biomech_id import BiomechError, Event, ForcePlate, Trial, __version__
from biomech_id.conventions import Aspect
from biomech_id.errors import Severity
from biomech_id.readers import read_recording
from biomech_id.session import trial_tables
from biomech_id.session.computed import Computed
from biomech_id.session.solved import Solved
from biomech_id.signal.filters import lowpass
from biomech_id.trial import AnalogChannels, EventKind

SEED = 20261122
TABLE = Path(__file__).with_suffix(".md")
#: What has to change, beside a tenth of the range, for a fault to matter; by the unit of the variable.
LEAST = {"Moment": 0.1, "Angles": 3.0, "Power": 0.3}
RANGE_SHARE = 0.1
#: Quality rules that count what other rules have said.
COUNTING = ("cycles-used", "plausibility")
VARIABLES = tuple(f"{joint}{kind}" for joint in ("Hip", "Knee", "Ankle") for kind in LEAST) + ("PelvisAngles",)


@dataclass(frozen=True, eq=False)
class Recording:
    """A static trial and a walk of one person; ``mass_kg`` beats the files where it is given."""

    name: str
    static: Trial
    walk: Trial
    mass_kg: float | None = None

    def with_walk(self, **changes: object) -> Recording:
        return replace(self, walk=replace(self.walk, **changes))

    def with_subject(self, **changes: object) -> Recording:
        static, walk = (replace(trial, subject=replace(trial.subject, **changes)) for trial in (self.static, self.walk))
        return replace(self, static=static, walk=walk)


Fault = Callable[[Recording, np.random.Generator], Recording]


def _moved(recording: Recording, columns: Sequence[int], frames: slice, by_m: np.ndarray) -> Recording:
    position = recording.walk.markers.position_m.copy()
    position[frames, list(columns)] += by_m
    return recording.with_walk(markers=recording.walk.markers.with_positions(position))


def _direction(rng: np.random.Generator) -> np.ndarray:
    drawn = rng.normal(size=3)
    return drawn / np.linalg.norm(drawn)


def _stretch(recording: Recording, rng: np.random.Generator, length: int) -> slice:
    """Frames in which a plate is loaded, drawn by chance."""
    ratio = recording.walk.plates[0].n_samples // recording.walk.n_frames
    up = sum(plate.force_lab_N[:, 2] for plate in recording.walk.plates)[::ratio]
    loaded = np.flatnonzero(up > 100.0)
    first = int(rng.choice(loaded[loaded < max(len(up) - length, loaded[0] + 1)]))
    return slice(first, first + length)


#: Names of the markers of the conventional model's lower body; those a recording has are moved.
LOWER = tuple(f"{side}{name}" for side in "LR" for name in ("ASI", "PSI", "THI", "KNE", "TIB", "ANK", "HEE", "TOE")) + ("SACR",)


def _columns(recording: Recording, names: Sequence[str]) -> list[int]:
    labels = recording.walk.markers.names
    return [labels.index(name) for name in names if name in labels]


def off(*names: str, size_m: float, length: int) -> Fault:
    """A marker elsewhere for some frames; 0 frames: throughout."""

    def fault(recording: Recording, rng: np.random.Generator) -> Recording:
        column = int(rng.choice(_columns(recording, names or LOWER)))
        frames = _stretch(recording, rng, length) if length else slice(None)
        return _moved(recording, [column], frames, size_m * _direction(rng))

    return fault


def sliding(recording: Recording, rng: np.random.Generator) -> Recording:
    """A marker that comes off slowly, 50 mm from the first to the last frame."""
    column = int(rng.choice(_columns(recording, ("LTHI", "RTHI", "LKNE", "RKNE", "LTIB", "RTIB"))))
    ramp = np.linspace(0.0, 0.05, recording.walk.n_frames)[:, None, None] * _direction(rng)
    return _moved(recording, [column], slice(None), ramp)


def frozen(recording: Recording, rng: np.random.Generator) -> Recording:
    """A marker that stays where it is for 20 frames."""
    column, frames = int(rng.choice(_columns(recording, LOWER))), _stretch(recording, rng, 20)
    position = recording.walk.markers.position_m.copy()
    position[frames, column] = position[frames.start, column]
    return recording.with_walk(markers=recording.walk.markers.with_positions(position))


def labels(first: str, second: str, *, length: int = 0) -> Fault:
    """Two labels exchanged, throughout or for some frames."""

    def fault(recording: Recording, rng: np.random.Generator) -> Recording:
        a, b = _columns(recording, (first, second))
        frames = _stretch(recording, rng, length) if length else slice(None)
        position = recording.walk.markers.position_m.copy()
        position[frames, [a, b]] = position[frames, [b, a]] if length else position[:, [b, a]]
        if length:
            position[frames, a], position[frames, b] = (
                recording.walk.markers.position_m[frames, b], recording.walk.markers.position_m[frames, a],
            )  # fmt: skip
        return recording.with_walk(markers=recording.walk.markers.with_positions(position))

    return fault


def scaled(factor: float) -> Fault:
    """The cameras' calibration of another day: every coordinate of the walk is larger."""

    def fault(recording: Recording, rng: np.random.Generator) -> Recording:
        markers = recording.walk.markers
        return recording.with_walk(markers=markers.with_positions(markers.position_m * factor))

    return fault


def typed(name: str, change: Callable[[float], float], *, sides: str = "LR") -> Fault:
    """A measurement typed in wrongly."""

    def fault(recording: Recording, rng: np.random.Generator) -> Recording:
        known = getattr(recording.static.subject, name)
        if isinstance(known, Mapping):
            return recording.with_subject(**{name: {s: change(v) if s in sides else v for s, v in known.items()}})
        return recording.with_subject(**{name: change(known)})

    return fault


def mass(factor: float) -> Fault:
    """The body mass typed in wrongly."""

    def fault(recording: Recording, rng: np.random.Generator) -> Recording:
        known = recording.static.subject.mass_kg
        assert known is not None
        return replace(recording, mass_kg=factor * known)

    return fault


#: Depth of the plates' origin below the surface, about which channels have their moments.
ORIGIN_M = 0.04


def plates(
    change: Callable[[np.ndarray, np.ndarray, float], tuple[np.ndarray, np.ndarray]], *, which: Sequence[int] | None = None
) -> Fault:
    """Something done to force and moment (n, 3), plate axes, moment about the origin below the surface; and their rate."""

    def fault(recording: Recording, rng: np.random.Generator) -> Recording:
        loaded = [k for k, plate in enumerate(recording.walk.plates) if np.nanmax(plate.force_lab_N[:, 2]) > 100.0]
        chosen = range(len(recording.walk.plates)) if which is None else [loaded[k % len(loaded)] for k in which]
        made = list(recording.walk.plates)
        for k in chosen:
            made[k] = channels_changed(made[k], change)
        return recording.with_walk(plates=tuple(made))

    return fault


def channels_changed(
    plate: ForcePlate, change: Callable[[np.ndarray, np.ndarray, float], tuple[np.ndarray, np.ndarray]]
) -> ForcePlate:
    R_lab_plate = plate_axes(plate)
    force, moment = plate.force_lab_N @ R_lab_plate, plate.moment_lab_Nm @ R_lab_plate
    below = np.array([0.0, 0.0, ORIGIN_M])
    force, moment = change(force, moment - np.cross(below, force), plate.rate_hz)
    moment = moment + np.cross(below, force)
    return replace(plate, force_lab_N=force @ R_lab_plate.T, moment_lab_Nm=moment @ R_lab_plate.T)


def plate_axes(plate: ForcePlate) -> np.ndarray:
    """Axes of a plate as columns (3, 3), laboratory components: along its sides, and down."""
    c = plate.corners_m
    x, y = c[0] - c[1], c[0] - c[3]
    z = np.cross(x, y)
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    return np.stack([x, np.cross(z, x), z], axis=1)


def gain(*force: float, moment: Sequence[float] = (1, 1, 1)) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    return lambda f, m, rate: (f * np.asarray(force), m * np.asarray(moment))


def exchanged(force: Sequence[int] = (0, 1, 2), moment: Sequence[int] = (0, 1, 2)) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    return lambda f, m, rate: (f[:, list(force)], m[:, list(moment)])


def clock(late_s: float) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    def change(f: np.ndarray, m: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray]:
        n = round(late_s * rate)
        moved = [np.roll(values, n, axis=0) for values in (f, m)]
        for values in moved:
            values[slice(0, n) if n > 0 else slice(n, None)] = 0.0
        return moved[0], moved[1]

    return change


def clipped(share: float, component: int = 2) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    def change(f: np.ndarray, m: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray]:
        most, f = share * np.abs(f[:, component]).max(), f.copy()
        f[:, component] = np.clip(f[:, component], -most, most)
        return f, m

    return change


def offset(force_N: Sequence[float]) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    return lambda f, m, rate: (f + np.asarray(force_N), m)


def drifting(f: np.ndarray, m: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray]:
    return f + np.linspace(0.0, -80.0, len(f))[:, None] * [0.0, 0.0, 1.0], m


def placed(up_m: float = 0.0, quarter_turns: int = 0) -> Fault:
    """Corners of every plate at another height, or in another order."""

    def fault(recording: Recording, rng: np.random.Generator) -> Recording:
        made = []
        for plate in recording.walk.plates:
            before, corners = plate_axes(plate), np.roll(plate.corners_m, quarter_turns, axis=0) + [0.0, 0.0, up_m]
            after = plate_axes(replace(plate, corners_m=corners))
            turned = [values @ before @ after.T for values in (plate.force_lab_N, plate.moment_lab_Nm)]
            made.append(replace(plate, corners_m=corners, force_lab_N=turned[0], moment_lab_Nm=turned[1]))
        return recording.with_walk(plates=tuple(made))

    return fault


def mirrored_corners(recording: Recording, rng: np.random.Generator) -> Recording:
    """Corners of every plate in the order of a mirror; forces are turned up again, as every reader does."""
    made = []
    for plate in recording.walk.plates:
        corners, before = plate.corners_m[[1, 0, 3, 2]], plate_axes(plate)
        turn = before @ plate_axes(replace(plate, corners_m=corners)).T
        force, moment = plate.force_lab_N @ turn, plate.moment_lab_Nm @ turn
        up = np.sign(np.nansum(force[:, 2])) or 1.0
        made.append(replace(plate, corners_m=corners, force_lab_N=up * force, moment_lab_Nm=up * moment))
    return recording.with_walk(plates=tuple(made))


def leaking(share: float) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    """Crosstalk: a share of the vertical force in both horizontal channels."""
    return lambda f, m, rate: (f + share * f[:, 2:] * np.array([1.0, 1.0, 0.0]), m)


def humming(f: np.ndarray, m: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray]:
    return f + 40.0 * np.sin(2 * np.pi * 50.0 * np.arange(len(f)) / rate)[:, None] * np.array([1.0, 0.0, 0.0]), m


def spiking(f: np.ndarray, m: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """One and a half times the weight sideways for 5 ms while a foot stands."""
    f, at = f.copy(), np.flatnonzero(-f[:, 2] > 0.5 * np.abs(f[:, 2]).max())
    if len(at):
        middle = at[len(at) // 2]
        f[middle : middle + max(round(0.005 * rate), 3), 0] += 1.5 * np.abs(f[:, 2]).max()
    return f, m


def turned_laboratory(R: np.ndarray) -> Fault:
    """Static and walk in other axes than the files say; a mirror among them."""

    def made(trial: Trial) -> Trial:
        turned = []
        for plate in trial.plates:
            moment = np.linalg.det(R) * (plate.moment_lab_Nm @ R.T)
            turned.append(
                replace(plate, corners_m=plate.corners_m @ R.T, force_lab_N=plate.force_lab_N @ R.T, moment_lab_Nm=moment)
            )
        return replace(trial, markers=trial.markers.with_positions(trial.markers.position_m @ R.T), plates=tuple(turned))

    return lambda recording, rng: replace(recording, static=made(recording.static), walk=made(recording.walk))


def walk_written(change: Callable[[np.ndarray, Recording, np.random.Generator], None]) -> Fault:
    """Something done in place to a copy of the walk's positions."""

    def fault(recording: Recording, rng: np.random.Generator) -> Recording:
        position = recording.walk.markers.position_m.copy()
        change(position, recording, rng)
        return recording.with_walk(markers=recording.walk.markers.with_positions(position))

    return fault


def shaking(position: np.ndarray, recording: Recording, rng: np.random.Generator) -> None:
    column = int(rng.choice(_columns(recording, ("LKNE", "RKNE", "LANK", "RANK"))))
    position[:, column] += rng.normal(0.0, 0.005, position[:, column].shape)


def smoothed_feet(position: np.ndarray, recording: Recording, rng: np.random.Generator) -> None:
    for column in _columns(recording, ("LANK", "LHEE", "LTOE", "RANK", "RHEE", "RTOE")):
        seen = np.flatnonzero(np.isfinite(position[:, column]).all(axis=1))
        if np.all(np.diff(seen) == 1) and len(seen) > 40:
            position[seen, column] = lowpass(position[seen, column], recording.walk.markers.rate_hz, 1.5)


def repeated(position: np.ndarray, recording: Recording, rng: np.random.Generator) -> None:
    position[1::2] = position[: 2 * len(position[1::2]) : 2]


def one_path(position: np.ndarray, recording: Recording, rng: np.random.Generator) -> None:
    ankle, heel = _columns(recording, ("RANK", "RHEE"))
    position[:, ankle] = position[:, heel]


def swapped_plates(recording: Recording, rng: np.random.Generator) -> Recording:
    """Channels of two plates exchanged: each has the other's force."""
    a, b, *others = recording.walk.plates
    first = replace(a, force_lab_N=b.force_lab_N, moment_lab_Nm=b.moment_lab_Nm)
    second = replace(b, force_lab_N=a.force_lab_N, moment_lab_Nm=a.moment_lab_Nm)
    return recording.with_walk(plates=(first, second, *others))


def events(change: Callable[[Event], Event | None]) -> Fault:
    """Stored events that are others than they were; a recording without gets those of its own analysis."""

    def fault(recording: Recording, rng: np.random.Generator) -> Recording:
        known = recording.walk.events
        if not known:
            found = bid.analyse([recording.static, recording.walk], uncertainty=False).computed.trials[0].events
            known = tuple(Event(event.time_s, event.side, event.kind) for event in found)
        return recording.with_walk(events=tuple(made for event in known if (made := change(event)) is not None))

    return fault


_OTHER_KIND = {EventKind.FOOT_STRIKE: EventKind.FOOT_OFF, EventKind.FOOT_OFF: EventKind.FOOT_STRIKE}
_OTHER_SIDE = {"L": "R", "R": "L"}

FAULTS: dict[str, Fault] = {
    "ghost of one frame, 60 mm": off(size_m=0.06, length=1),
    "ghost of five frames, 60 mm": off(size_m=0.06, length=5),
    "knee marker 30 mm off, 20 frames": off("LKNE", "RKNE", size_m=0.03, length=20),
    "ankle marker 30 mm off, 20 frames": off("LANK", "RANK", size_m=0.03, length=20),
    "thigh wand 30 mm off, 20 frames": off("LTHI", "RTHI", size_m=0.03, length=20),
    "pelvis marker 30 mm off, 20 frames": off("LASI", "RASI", "LPSI", "RPSI", size_m=0.03, length=20),
    "foot marker 30 mm off, 20 frames": off("LHEE", "RHEE", "LTOE", "RTOE", size_m=0.03, length=20),
    "marker 40 mm off throughout": off(size_m=0.04, length=0),
    "marker slides by 50 mm": sliding,
    "marker frozen for 20 frames": frozen,
    "knee labels exchanged": labels("LKNE", "RKNE"),
    "ankle labels exchanged for 20 frames": labels("LANK", "RANK", length=20),
    "thigh and knee labels exchanged": labels("LTHI", "LKNE"),
    "walk 6 % larger than static": scaled(1.06),
    "leg length 700 mm": typed("leg_length_m", lambda _: 0.7),
    "leg length 1400 mm": typed("leg_length_m", lambda _: 1.4),
    "one leg 120 mm longer": typed("leg_length_m", lambda v: v + 0.12, sides="L"),
    "height 40 % too large": typed("height_m", lambda v: 1.4 * v),
    "knee width 80 mm too large": typed("knee_width_m", lambda v: v + 0.08),
    "ankle width 60 mm too large": typed("ankle_width_m", lambda v: v + 0.06),
    "mass 30 % too large": mass(1.3),
    "mass 30 % too small": mass(0.7),
    "sign of Fx": plates(gain(-1, 1, 1)),
    "sign of Fy": plates(gain(1, -1, 1)),
    "sign of Fx and Fy": plates(gain(-1, -1, 1)),
    "sign of Mx": plates(gain(1, 1, 1, moment=(-1, 1, 1))),
    "sign of My": plates(gain(1, 1, 1, moment=(1, -1, 1))),
    "sign of Mz": plates(gain(1, 1, 1, moment=(1, 1, -1))),
    "sign of Fx of one plate": plates(gain(-1, 1, 1), which=(0,)),
    "sign of Fy of one plate": plates(gain(1, -1, 1), which=(0,)),
    "gain of Fx doubled": plates(gain(2, 1, 1)),
    "gain of Fy doubled": plates(gain(1, 2, 1)),
    "gain of Fz 1.3": plates(gain(1, 1, 1.3)),
    "gain of all doubled": plates(gain(2, 2, 2, moment=(2, 2, 2))),
    "gain of all halved": plates(gain(0.5, 0.5, 0.5, moment=(0.5, 0.5, 0.5))),
    "gain of one plate 1.4": plates(gain(1.4, 1.4, 1.4, moment=(1.4, 1.4, 1.4)), which=(0,)),
    "gain of Mz tenfold": plates(gain(1, 1, 1, moment=(1, 1, 10))),
    "Fx and Fy exchanged": plates(exchanged(force=(1, 0, 2))),
    "Mx and My exchanged": plates(exchanged(moment=(1, 0, 2))),
    "Fx dead": plates(gain(0, 1, 1)),
    "Fy dead": plates(gain(1, 0, 1)),
    "Mx dead": plates(gain(1, 1, 1, moment=(0, 1, 1))),
    "My dead": plates(gain(1, 1, 1, moment=(1, 0, 1))),
    "Mz dead": plates(gain(1, 1, 1, moment=(1, 1, 0))),
    "crosstalk of 10 %": plates(leaking(0.1)),
    "hum of 40 N sideways": plates(humming),
    "spike of 5 ms": plates(spiking, which=(0,)),
    "corners mirrored": mirrored_corners,
    "plates 50 ms late": plates(clock(0.05)),
    "plates 50 ms early": plates(clock(-0.05)),
    "plates 150 ms late": plates(clock(0.15)),
    "force clipped at 85 %": plates(clipped(0.85)),
    "force clipped at 60 %": plates(clipped(0.6)),
    "fore-aft force clipped at 50 %": plates(lambda f, m, rate: clipped(0.5, int(np.argmax(np.ptp(f[:, :2], axis=0))))(f, m, rate)),
    "60 N on every plate": plates(offset((0, 0, -60.0))),
    "60 N sideways on every plate": plates(offset((60.0, 0, 0))),
    "drift of 80 N": plates(drifting),
    "plates 100 mm too high": placed(up_m=0.1),
    "plates 100 mm too low": placed(up_m=-0.1),
    "plates turned by 90 deg": placed(quarter_turns=1),
    "plates turned by 180 deg": placed(quarter_turns=2),
    "two plates exchanged": swapped_plates,
    "sides of events exchanged": events(lambda e: replace(e, side=_OTHER_SIDE.get(e.side, e.side))),
    "strikes and offs exchanged": events(lambda e: replace(e, kind=_OTHER_KIND.get(e.kind, e.kind))),
    "events 150 ms late": events(lambda e: replace(e, time_s=e.time_s + 0.15)),
    "strikes 100 ms early": events(lambda e: replace(e, time_s=e.time_s - 0.1) if e.kind is EventKind.FOOT_STRIKE else e),
    "laboratory mirrored": turned_laboratory(np.diag([1.0, -1.0, 1.0])),
    "another axis is vertical": turned_laboratory(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])),
    "marker shakes by 5 mm": walk_written(shaking),
    "feet smoothed to 1.5 Hz": walk_written(smoothed_feet),
    "each second frame repeated": walk_written(repeated),
    "ankle and heel are one path": walk_written(one_path),
    "left offs missing": events(lambda e: None if e.side == "L" and e.kind is EventKind.FOOT_OFF else e),
}  # fmt: skip


#: Children whose upper body is left out: most laboratories record no more than the legs.
LEGS_ONLY = ("HC031A", "HC033A", "HC036A")


def children(folder: Path) -> Iterator[Recording]:
    """Yield the static trial and the first straight walk with kinetics of each child."""
    for child in sorted((folder / "children").iterdir()):
        read = [_bare(read_recording(path, trust=True).trial, child.name in LEGS_ONLY) for path in sorted(child.glob("*.c3d"))]
        static, *walks = sorted(read, key=lambda trial: float(np.ptp(np.nanmean(trial.markers.position_m, axis=1), axis=0).max()))
        made = [Recording(child.name, static, walk) for walk in walks]
        results = [analysed(each).trials[0] for each in made]
        good = [
            each for each, result in zip(made, results, strict=True)
            if result.has_kinetics and any(result.counts(cycle, Aspect.KINEMATICS) for cycle in result.cycles)
        ]  # fmt: skip
        yield from good[:1]


def _bare(trial: Trial, legs_only: bool) -> Trial:
    """A trial without muscles, and without the upper body where it is left out."""
    kept = [name for name in trial.markers.names if not legs_only or name in LOWER]
    columns = [trial.markers.names.index(name) for name in kept]
    markers = replace(trial.markers, names=tuple(kept), position_m=trial.markers.position_m[:, columns], filled=None)
    return replace(trial, markers=markers, analog=AnalogChannels())


def virtual() -> Iterator[Recording]:
    """Yield walks of the virtual subject: of an adult with a plate under every step, of a child on two plates."""
    person = bid.virtual_subject(body="adult", plates="steps", seed=SEED, noise_m=0.0003)
    yield Recording("virtual", person.static().trial, person.walk().trial)
    person = bid.virtual_subject(body="child", seed=SEED, noise_m=0.0003, speed_m_s=0.9, direction="-Y")
    yield Recording("virtual child", person.static().trial, person.walk().trial)


def analysed(recording: Recording) -> Computed:
    """The main job on a recording, without bands."""
    given = [recording.static, recording.walk]
    return bid.analyse(given, static=recording.static.name, mass_kg=recording.mass_kg, uncertainty=False, budget=False).computed


@dataclass(frozen=True, eq=False)
class Said:
    """What a run says and what it found: words that ask for a look, and curves."""

    warnings: frozenset[str]
    frames: Mapping[str, np.ndarray]
    means: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, recording: Recording) -> Said:
        try:
            session = analysed(recording)
        except BiomechError as error:
            return cls(frozenset({f"refused: {type(error).__name__}"}), {}, {})
        # That a session of one walk has no kinetics says nothing in a session of several.
        words = {f.rule for f in session.findings if f.severity is not Severity.INFO} - {"session-without-kinetics"}
        words |= {f"refused: {failed.file}" for failed in session.failed}
        for trial in session.trials:
            words |= {finding.rule for finding in trial.findings if finding.severity is not Severity.INFO}
            words |= {row.rule for row in trial.quality if row.verdict.doubted and row.rule not in COUNTING}
        frames = {} if not session.trials else _frames(session.trials[0])
        return cls(frozenset(words), frames, {} if not session.trials else _means(session.trials[0]))


def _frames(trial: Solved) -> dict[str, np.ndarray]:
    table = trial_tables.frames(trial)
    return {name: np.asarray(table[name]) for name in table.columns if name[1:].partition(".")[0] in VARIABLES}


def _means(trial: Solved) -> dict[str, np.ndarray]:
    """Mean of each side's cycles that are used, at every percent."""
    frames, found = _frames(trial), {}
    for name, values in frames.items():
        curves = []
        for cycle in trial.cycles:
            if cycle.side == name[0] and trial.counts(cycle, Aspect.KINEMATICS) and np.isfinite(cycle.end_s):
                at = np.linspace(cycle.start_s, cycle.end_s, 101)
                curves.append(np.interp(at, trial.motion.time_s, values))
        if curves:
            found[name] = np.nanmean(np.stack(curves), axis=0) if np.isfinite(curves).any() else np.full(101, np.nan)
    return found


@dataclass(frozen=True)
class Judged:
    """One fault in one recording: what changes most, by how much, over what has to change; and what is newly said."""

    fault: str
    recording: str
    variable: str
    change: float
    share: float
    said: tuple[str, ...]

    @property
    def matters(self) -> bool:
        return self.share > 1.0

    @property
    def silent(self) -> bool:
        return self.matters and not self.said


def judge(fault: str, recording: Recording, clean: Said) -> Judged:
    """Put one fault into a recording and look at what it does."""
    rng = np.random.default_rng([SEED, zlib.crc32(f"{fault} {recording.name}".encode())])
    now = Said.of(FAULTS[fault](recording, rng))
    worst = max(_changes(clean, now), key=lambda row: row[2], default=("", 0.0, 0.0))
    return Judged(fault, recording.name, *worst, tuple(sorted(now.warnings - clean.warnings)))


def _changes(clean: Said, now: Said) -> Iterator[tuple[str, float, float]]:
    """Variable, its largest change, and that over the change that matters."""
    for before, after in ((clean.frames, now.frames), (clean.means, now.means)):
        for name in before.keys() & after.keys():
            known = np.isfinite(before[name]) & np.isfinite(after[name])
            if known.any():
                change = float(np.abs(after[name] - before[name])[known].max())
                least = next(value for kind, value in LEAST.items() if kind in name)
                yield name, change, change / max(least, RANGE_SHARE * float(np.ptp(before[name][np.isfinite(before[name])])))


def table(rows: Sequence[Judged], n: int) -> str:
    """The study's table as Markdown."""
    matters = [row for row in rows if row.matters]
    silent = [row for row in rows if row.silent]
    lines = [
        "# Faults that are designed into recordings, and what is said of them", "",
        f"biomech_id {__version__}, seed {SEED}, {n} recordings. {len(rows)} faults; {len(matters)} change a moment, an angle or a "
        "power by more than a tenth of its range (and 0.1 N m/kg, 3 deg, 0.3 W/kg).",
        f"Silent: {len(silent)} of {len(rows)} ({100 * len(silent) / max(len(rows), 1):.1f} %).", "",
        "| fault | matters | silent | said, in how many |", "|---|---|---|---|",
    ]  # fmt: skip
    for fault in FAULTS:
        mine = [row for row in rows if row.fault == fault]
        words = sorted({word for row in mine for word in row.said})
        told = ", ".join(f"{word} {sum(word in row.said for row in mine)}" for word in words)
        lines.append(f"| {fault} | {sum(r.matters for r in mine)} of {len(mine)} | {sum(r.silent for r in mine)} | {told or '-'} |")
    lines += ["", "Silent ones:", ""]
    lines += [f"- {row.fault}, {row.recording}: {row.variable} by {row.change:.3g}" for row in silent] or ["- none"]
    return "\n".join(lines) + "\n"


def recordings(folder: Path) -> list[Recording]:
    """Every recording of the study."""
    return [*children(folder), *virtual()]


def main(folder: str | Path = SHARED) -> int:
    """Write the table, and say whether the gate holds."""
    rows = []
    everything = recordings(Path(folder))
    for recording in everything:
        clean = Said.of(recording)
        for fault in FAULTS:
            rows.append(judge(fault, recording, clean))
            row = rows[-1]
            print(row.recording, row.fault, f"{row.variable} {row.share:.1f}", ", ".join(row.said) or "-", flush=True)
    TABLE.write_text(table(rows, len(everything)), encoding="utf-8", newline="\n")
    return int(len(rows) < 150 or sum(row.silent for row in rows) > 0.02 * len(rows))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
