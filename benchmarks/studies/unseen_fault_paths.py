"""How markers are changed in the faults of `unseen_fault_kinds`: on their segments, in the room, in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.studies.designed_faults import Fault, Recording
from biomech_id import Trial
from biomech_id.algebra.arrays import FloatArray, IntArray
from biomech_id.signal.filters import lowpass

Generator = np.random.Generator
LOADED_N = 30.0
UP = np.array([0.0, 0.0, 1.0])


class NotHere(Exception):
    """This recording has nothing that the kind could change."""


# --- the scene: a trial, a copy of its paths, and the axes of segments -------------------------------------------------------

_LEG = ("THI", "KNE", "TIB", "ANK", "HEE", "TOE")
GROUPS: dict[str, tuple[str, ...]] = {
    "BACK": ("SACR", "LPSI", "RPSI"),
    "PELVIS": ("LASI", "RASI", "SACR", "LPSI", "RPSI"),
    "LEFT": ("LASI", "LPSI", *(f"L{name}" for name in _LEG)),
    "RIGHT": ("RASI", "RPSI", *(f"R{name}" for name in _LEG)),
    "LEGS": tuple(f"{side}{name}" for side in "LR" for name in _LEG),
    "ALL": ("LASI", "RASI", "SACR", "LPSI", "RPSI", *(f"{side}{name}" for side in "LR" for name in _LEG)),
}


def unit(v: FloatArray) -> FloatArray:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-9))


def whole(path: FloatArray) -> FloatArray:
    """A path (n, 3) without gaps: straight lines, and held at its ends."""
    seen = np.flatnonzero(np.isfinite(path).all(axis=1))
    if not len(seen):
        raise NotHere
    frames = np.arange(len(path))
    return np.stack([np.interp(frames, seen, path[seen, k]) for k in range(3)], axis=1)


class Scene:
    """A trial, and a copy of its positions to be changed; and the trial whose way and plates give the directions of the room."""

    def __init__(self, trial: Trial, rng: Generator, room: Trial | None = None) -> None:
        self.trial, self.rng, self.room = trial, rng, room or trial
        self.before: FloatArray = trial.markers.position_m
        self.p: FloatArray = trial.markers.position_m.copy()
        self.n, self.rate = trial.n_frames, trial.markers.rate_hz

    def at(self, *names: str) -> list[int]:
        """Columns of markers; of a group those that are there."""
        labels, columns = self.trial.markers.names, []
        for name in names:
            known = [labels.index(one) for one in GROUPS.get(name, (name,)) if one in labels]
            known = [k for k in known if np.isfinite(self.before[:, k]).all(axis=1).any()]
            if not known:
                raise NotHere
            columns += known
        return columns

    def path(self, *names: str) -> FloatArray:
        return np.asarray(np.mean([whole(self.before[:, k]) for k in self.at(*names)], axis=0))

    def axes(self, name: str) -> FloatArray:
        """(n, 3, 3): rows forward, outward and up of the segment that carries a marker."""
        side = name[0] if name[0] in "LR" else ""
        left = unit(self.path("LASI") - self.path("RASI"))
        forward = self.path("LASI", "RASI") - self.path("BACK")
        up = unit(np.cross(forward, left))
        forward = np.cross(left, up)
        if name[1:] in ("THI", "KNE"):
            up = unit(self.path(f"{side}ASI") - self.path(f"{side}KNE"))
        elif name[1:] in ("TIB", "ANK"):
            up = unit(self.path(f"{side}KNE") - self.path(f"{side}ANK"))
            forward = self.path(f"{side}TOE") - self.path(f"{side}HEE")
        if name[1:] in ("HEE", "TOE"):
            forward = unit(self.path(f"{side}TOE") - self.path(f"{side}HEE"))
            up = self.path(f"{side}ANK") - self.path(f"{side}HEE")
            up = unit(up - np.sum(up * forward, axis=1, keepdims=True) * forward)
        else:
            forward = unit(forward - np.sum(forward * up, axis=1, keepdims=True) * up)
        outward = np.cross(up, forward) * (-1.0 if side == "R" else 1.0)
        return np.stack([forward, outward, up], axis=1)

    def heading(self) -> FloatArray:
        """Direction of walking, horizontal; of a standing person the way it faces."""
        if self.room is not self.trial:
            return Scene(self.room, self.rng).heading()
        way = self.path("PELVIS")[-1] - self.path("PELVIS")[0]
        if np.linalg.norm(way[:2]) < 0.3:
            way = self.axes("SACR")[:, 0].mean(axis=0)
        return unit(way * [1.0, 1.0, 0.0])

    def loaded(self) -> IntArray:
        """Frames in which somebody stands on a plate; all of a trial without such."""
        up = np.zeros(self.n)
        for plate in self.trial.plates:
            up += np.nan_to_num(plate.force_lab_N[:: plate.n_samples // self.n, 2])
        frames = np.flatnonzero(up > 100.0)
        return np.asarray(frames if len(frames) > 5 else np.arange(self.n), dtype=np.int64)

    def centre(self) -> FloatArray:
        """Middle of the plates."""
        if not self.room.plates:
            return np.zeros(3)
        return np.asarray(np.mean([plate.centre_m for plate in self.room.plates], axis=0))


Envelope = Callable[[Scene], FloatArray]


def always(s: Scene) -> FloatArray:
    return np.ones(s.n)


def from_middle(s: Scene) -> FloatArray:
    """From one frame on, drawn in the middle third of the loaded frames."""
    loaded = s.loaded()
    return np.asarray(np.arange(s.n) >= loaded[int(len(loaded) * s.rng.uniform(0.33, 0.66))], dtype=float)


def ramp(s: Scene) -> FloatArray:
    return np.linspace(0.0, 1.0, s.n)


def peeling(s: Scene) -> FloatArray:
    """Nothing at first, then faster and faster."""
    return np.linspace(0.0, 1.0, s.n) ** 4


def window(length: float) -> Envelope:
    """Some frames while somebody stands on a plate."""

    def envelope(s: Scene) -> FloatArray:
        loaded, frames = s.loaded(), int(min(length, s.n // 2))
        first = int(s.rng.choice(loaded[loaded < max(s.n - frames - 2, loaded[0] + 1)]))
        first = min(max(first, 2), s.n - frames - 2)
        return ((np.arange(s.n) >= first) & (np.arange(s.n) < first + frames)).astype(float)

    return envelope


def waving(hz: float) -> Envelope:
    return lambda s: np.sin(2 * np.pi * hz * np.arange(s.n) / s.rate + s.rng.uniform(0, 2 * np.pi))


def steps(name: str, hz: float, decay_s: float) -> Envelope:
    """A swing that dies away, begun anew by each largest deceleration of a marker: impacts."""

    def envelope(s: Scene) -> FloatArray:
        path = s.path(name)
        hard = np.abs(np.gradient(np.gradient(path[:, 2])))
        time, total = np.arange(s.n) / s.rate, np.zeros(s.n)
        for first in np.flatnonzero((hard > np.percentile(hard, 97)) & (hard >= np.roll(hard, 1)) & (hard >= np.roll(hard, -1))):
            after = np.maximum(time - time[first], 0.0)
            total += np.exp(-after / decay_s) * np.sin(2 * np.pi * hz * after)
        return total

    return envelope


def flexing(side: str) -> Envelope:
    """Bend of a knee, 0 straight to 1 at 60 deg."""

    def envelope(s: Scene) -> FloatArray:
        thigh, shank = unit(s.path(f"{side}ASI") - s.path(f"{side}KNE")), unit(s.path(f"{side}KNE") - s.path(f"{side}ANK"))
        return np.asarray(np.arccos(np.clip(np.sum(thigh * shank, axis=1), -1, 1)) / np.radians(60.0))

    return envelope


# --- families of closures: paths ---------------------------------------------------------------------------------------------

Trials = Sequence[str]
BOTH, WALK, STATIC = ("static", "walk"), ("walk",), ("static",)


def paths(change: Callable[[Scene], None], trials: Trials = WALK) -> Fault:
    """Something done to the copy of positions of some trials; what is not measured stays so unless it is written."""

    def fault(recording: Recording, rng: Generator) -> Recording:
        changed: dict[str, Trial] = {}
        for which in trials:
            trial: Trial = getattr(recording, which)
            scene = Scene(trial, rng, recording.walk if "walk" in trials else trial)
            change(scene)
            changed[which] = replace(trial, markers=trial.markers.with_positions(scene.p))
        return replace(recording, static=changed.get("static", recording.static), walk=changed.get("walk", recording.walk))

    return fault


def chain(*faults: Fault) -> Fault:
    def fault(recording: Recording, rng: Generator) -> Recording:
        for one in faults:
            recording = one(recording, rng)
        return recording

    return fault


def move(names: str, mm: float, way: Sequence[float], trials: Trials = BOTH, when: Envelope = always) -> Fault:
    """Markers elsewhere on their segments, by mm along (forward, outward, up); names parted by spaces."""

    def change(s: Scene) -> None:
        weight = when(s)
        for k in s.at(*names.split()):
            axes = s.axes(s.trial.markers.names[k])
            s.p[:, k] += 0.001 * mm * weight[:, None] * np.einsum("i,nij->nj", np.asarray(way, dtype=float), axes)

    return paths(change, trials)


FORWARD, BACKWARD, OUTWARD, INWARD = (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)
UPWARD, DOWNWARD = (0, 0, 1), (0, 0, -1)


def turned(v: FloatArray, axis: FloatArray, angle: FloatArray) -> FloatArray:
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    return np.asarray(v * c + np.cross(axis, v) * s + axis * np.sum(axis * v, axis=1, keepdims=True) * (1 - c))


def turn(names: str, about: str, deg: float, axis: int = 2, trials: Trials = BOTH, when: Envelope = always) -> Fault:
    """Markers turned about an axis of the segment of the first name, through other markers; outside goes backward on each side."""

    def change(s: Scene) -> None:
        first, pivot, weight = names.split()[0], s.path(*about.split()), when(s)
        k0 = s.at(first)[0]
        axes = s.axes(s.trial.markers.names[k0])
        sign = -1.0 if s.trial.markers.names[k0][0] == "R" and axis == 2 else 1.0
        for k in s.at(*names.split()):
            s.p[:, k] = turned(s.p[:, k] - pivot, axes[:, axis], sign * np.radians(deg) * weight) + pivot

    return paths(change, trials)


def exchange(pairs: str, trials: Trials = WALK, when: Envelope = always) -> Fault:
    """Labels exchanged: words like LKNE/LTHI; LEFT/RIGHT is all of both sides."""

    def change(s: Scene) -> None:
        rows = np.flatnonzero(when(s) > 0.5)
        words = [f"L{name}/R{name}" for name in _LEG] if pairs == "LEFT/RIGHT" else pairs.split()
        for word in words:
            columns = [s.at(name)[0] for name in word.split("/")]
            s.p[rows[:, None], columns] = s.before[rows[:, None], [*columns[1:], columns[0]]]

    return paths(change, trials)


def crossing(s: Scene) -> FloatArray:
    """From one passing of the ankles to the next."""
    way = (s.path("LANK") - s.path("RANK")) @ s.heading()
    passes = np.flatnonzero(np.diff(np.sign(way)) != 0)
    if len(passes) < 2:
        raise NotHere
    first = int(s.rng.integers(len(passes) - 1))
    return np.asarray((np.arange(s.n) > passes[first]) & (np.arange(s.n) <= passes[first + 1]), dtype=float)


def passing(length: float) -> Envelope:
    """Some frames about every passing of the ankles."""

    def envelope(s: Scene) -> FloatArray:
        way = np.sign((s.path("LANK") - s.path("RANK")) @ s.heading())
        near = np.zeros(s.n)
        for k in np.flatnonzero(np.diff(way) != 0):
            near[max(k, 0) : k + int(length)] = 1.0
        return near

    return envelope


def lasting(name: str, write: Callable[[Scene, int, slice], FloatArray], length: float, trials: Trials = WALK) -> Fault:
    """A gap of a marker that was filled with something; ``write`` gives the filling."""

    def change(s: Scene) -> None:
        rows = np.flatnonzero(window(length)(s))
        for k in s.at(*name.split()):
            s.p[rows, k] = write(s, k, slice(int(rows[0]), int(rows[-1]) + 1))

    return paths(change, trials)


def line_fill(s: Scene, k: int, rows: slice) -> FloatArray:
    path = whole(s.before[:, k])
    a, b = path[rows.start - 1], path[rows.stop]
    return np.asarray(a + np.linspace(0, 1, rows.stop - rows.start)[:, None] * (b - a))


def cubic_fill(bias: float) -> Callable[[Scene, int, slice], FloatArray]:
    """A cubic with end speeds of one frame: overshoots, the more with bias."""

    def write(s: Scene, k: int, rows: slice) -> FloatArray:
        path, n = whole(s.before[:, k]), rows.stop - rows.start + 1
        t = np.arange(1, n)[:, None] / n
        a, b = path[rows.start - 1], path[rows.stop]
        va, vb = bias * n * (a - path[rows.start - 2]), bias * n * (path[min(rows.stop + 1, s.n - 1)] - b)
        return np.asarray(
            (2 * t**3 - 3 * t**2 + 1) * a + (t**3 - 2 * t**2 + t) * va + (3 * t**2 - 2 * t**3) * b + (t**3 - t**2) * vb
        )

    return write


def donor_fill(donor: str, *, ends: bool = True) -> Callable[[Scene, int, slice], FloatArray]:
    """The shape of another marker's path; fitted to both ends, or to the first alone."""

    def write(s: Scene, k: int, rows: slice) -> FloatArray:
        path, other = whole(s.before[:, k]), s.path(donor)
        first, last = path[rows.start - 1] - other[rows.start - 1], path[rows.stop] - other[rows.stop]
        share = np.linspace(0, 1, rows.stop - rows.start)[:, None] if ends else 0.0
        return np.asarray(other[rows] + first + share * (last - first))

    return write


def cycle_fill(shift: float) -> Callable[[Scene, int, slice], FloatArray]:
    """The same stretch of a stride before or after, relative to the pelvis."""

    def write(s: Scene, k: int, rows: slice) -> FloatArray:
        local = whole(s.before[:, k]) - s.path("PELVIS")
        at = np.arange(rows.start, rows.stop) + int(shift * s.rate) * (1 if rows.stop < s.n // 2 else -1)
        return np.asarray(s.path("PELVIS")[rows] + local[np.clip(at, 0, s.n - 1)])

    return write


def smooth(
    names: str, change: Callable[[FloatArray, float], FloatArray], components: Sequence[int] = (0, 1, 2), trials: Trials = WALK
) -> Fault:
    """A filter over paths."""

    def edit(s: Scene) -> None:
        for k in s.at(*names.split()):
            seen = np.isfinite(s.p[:, k]).all(axis=1)
            made = change(whole(s.p[:, k]), s.rate)
            for c in components:
                s.p[seen, k, c] = made[seen, c]

    return paths(edit, trials)


def low(hz: float) -> Callable[[FloatArray, float], FloatArray]:
    return lambda values, rate: np.asarray(lowpass(values, rate, hz))


def one_way(hz: float) -> Callable[[FloatArray, float], FloatArray]:
    """Two first orders, forward in time only: they are late."""

    def change(values: FloatArray, rate: float) -> FloatArray:
        share, out = 1.0 - np.exp(-2 * np.pi * hz / rate), values.copy()
        for _ in range(2):
            for i in range(1, len(out)):
                out[i] = out[i - 1] + share * (out[i] - out[i - 1])
        return out

    return change


def box(length: float) -> Callable[[FloatArray, float], FloatArray]:
    def change(values: FloatArray, rate: float) -> FloatArray:
        n = max(int(length) | 1, 3)
        padded = np.pad(values, ((n // 2, n // 2), (0, 0)), mode="edge")
        return np.stack([np.convolve(padded[:, c], np.ones(n) / n, "valid") for c in range(values.shape[1])], axis=1)

    return change


def median(length: float) -> Callable[[FloatArray, float], FloatArray]:
    def change(values: FloatArray, rate: float) -> FloatArray:
        n = max(int(length) | 1, 3)
        padded = np.pad(values, ((n // 2, n // 2), (0, 0)), mode="edge")
        return np.asarray(np.median(np.lib.stride_tricks.sliding_window_view(padded, n, axis=0), axis=-1))

    return change


# --- families of closures: space and time of the cameras ---------------------------------------------------------------------


def space(
    change: Callable[[FloatArray, Scene], FloatArray], trials: Trials = BOTH, when: Envelope = always, names: str = ""
) -> Fault:
    """Every marker (or those named) elsewhere in the room: ``change`` gives the new places of (n, markers, 3)."""

    def edit(s: Scene) -> None:
        columns = s.at(*names.split()) if names else list(range(s.p.shape[1]))
        weight = when(s)[:, None, None]
        s.p[:, columns] += weight * (change(s.before[:, columns], s) - s.before[:, columns])

    return paths(edit, trials)


def about(axis: Sequence[float], deg: float) -> Callable[[FloatArray, Scene], FloatArray]:
    """Turned about the middle of the plates, or the origin where there are none; axis in (walking, left, up)."""

    def change(p: FloatArray, s: Scene) -> FloatArray:
        ahead = s.heading()
        line = unit(np.asarray(axis, dtype=float) @ np.stack([ahead, np.cross(UP, ahead), UP]))
        middle = s.centre()
        flat = (p - middle).reshape(-1, 3)
        return turned(flat, np.broadcast_to(line, flat.shape), np.full(len(flat), np.radians(deg))).reshape(p.shape) + middle

    return change


def along(way: Sequence[float], mm: float) -> Callable[[FloatArray, Scene], FloatArray]:
    """Shifted, in (walking, left, up)."""

    def change(p: FloatArray, s: Scene) -> FloatArray:
        ahead = s.heading()
        return np.asarray(p + 0.001 * mm * (np.asarray(way, dtype=float) @ np.stack([ahead, np.cross(UP, ahead), UP])))

    return change


def stretched(way: Sequence[float], factor: float) -> Callable[[FloatArray, Scene], FloatArray]:
    """Scaled along some of (walking, left, up), about the origin."""

    def change(p: FloatArray, s: Scene) -> FloatArray:
        ahead = s.heading()
        basis = np.stack([ahead, np.cross(UP, ahead), UP])
        return np.asarray((p @ basis.T * (1 + np.asarray(way, dtype=float) * (factor - 1))) @ basis)

    return change


def mapped(rule: Callable[[FloatArray], FloatArray]) -> Callable[[FloatArray, Scene], FloatArray]:
    """A rule of places (walking, left, up) relative to the middle of the volume, metres."""

    def change(p: FloatArray, s: Scene) -> FloatArray:
        ahead = s.heading()
        basis, middle = np.stack([ahead, np.cross(UP, ahead), UP]), np.nanmean(s.room.markers.position_m, axis=(0, 1)) * [1, 1, 0]
        return np.asarray(rule((p - middle) @ basis.T) @ basis + middle)

    return change


def noise(mm: Callable[[Scene], FloatArray], names: str = "ALL", way: Sequence[float] = (1, 1, 1), trials: Trials = WALK) -> Fault:
    """Independent noise in each frame, of a size (n,) in mm."""

    def edit(s: Scene) -> None:
        for k in s.at(*names.split()):
            s.p[:, k] += 0.001 * mm(s)[:, None] * s.rng.normal(size=(s.n, 3)) * np.asarray(way, dtype=float)

    return paths(edit, trials)


def sampled(values: FloatArray, at: FloatArray, *, outside: float = 0.0) -> FloatArray:
    """Values (n, ...) at places in samples, straight between; what lies outside is the given value."""
    last = len(values) - 1
    low_ = np.clip(np.floor(at).astype(int), 0, last)
    share = np.clip(at - low_, 0.0, 1.0).reshape(-1, *[1] * (values.ndim - 1))
    high = np.where(share.ravel() > 0, np.minimum(low_ + 1, last), low_)
    made = np.asarray(values[low_] * (1 - share) + values[high] * share)
    made[(at < 0) | (at > last)] = outside
    return made


At = Callable[[FloatArray, float, Generator], FloatArray]


def video(at: At, names: str = "", trials: Trials = WALK) -> Fault:
    """Frames are those of other times: ``at`` gives for each frame the place that it comes from."""

    def edit(s: Scene) -> None:
        columns = s.at(*names.split()) if names else list(range(s.p.shape[1]))
        source = np.clip(at(np.arange(s.n, dtype=float), s.rate, s.rng), 0, s.n - 1)
        s.p[:, columns] = sampled(s.before[:, columns], source)

    return paths(edit, trials)


def late(ms: float) -> At:
    return lambda i, rate, rng: i - 0.001 * ms * rate


def stretched_clock(share: float) -> At:
    return lambda i, rate, rng: i * (1.0 + share)


def skipped(ms: float) -> At:
    """Samples lost at once in the middle: later ones come early; negative: written twice."""
    return lambda i, rate, rng: i + 0.001 * ms * rate * (i > len(i) * rng.uniform(0.4, 0.6))


def held(ms: float) -> At:
    return lambda i, rate, rng: np.floor(i / max(round(0.001 * ms * rate), 2)) * max(round(0.001 * ms * rate), 2)


def jitter(ms: float) -> At:
    return lambda i, rate, rng: i + rng.normal(0.0, 0.001 * ms * rate, len(i))


def blocks(ms: float) -> At:
    """Two buffers next to each other are exchanged, in the middle."""

    def at(i: FloatArray, rate: float, rng: Generator) -> FloatArray:
        k, n = int(len(i) * rng.uniform(0.4, 0.6)), max(int(0.001 * ms * rate), 1)
        made = i.copy()
        made[k : k + n], made[k - n : k] = i[k - n : k], i[k : k + n]
        return made

    return at
