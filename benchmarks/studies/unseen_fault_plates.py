"""How plates, persons, events and files are changed in the faults of `unseen_fault_kinds`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.studies.designed_faults import Fault, Recording, channels_changed
from benchmarks.studies.unseen_fault_paths import (
    BOTH,
    GROUPS,
    LOADED_N,
    UP,
    WALK,
    At,
    Envelope,
    Generator,
    NotHere,
    Scene,
    Trials,
    always,
    one_way,
    paths,
    sampled,
    space,
    unit,
    whole,
)
from biomech_id import Event, ForcePlate, Trial
from biomech_id.algebra.arrays import FloatArray, IntArray
from biomech_id.trial import AnalogChannels, EventKind

# --- families of closures: plates --------------------------------------------------------------------------------------------

Change = Callable[[FloatArray, FloatArray, float], tuple[FloatArray, FloatArray]]


def loaded_plates(recording: Recording) -> list[int]:
    loaded = [k for k, plate in enumerate(recording.walk.plates) if np.nanmax(plate.force_lab_N[:, 2], initial=0.0) > 100.0]
    if not loaded:
        raise NotHere
    return loaded


def relaid(change: Callable[[ForcePlate, Generator], ForcePlate], which: str = "one") -> Fault:
    """Something done to one loaded plate, drawn by chance, to all, or to the first loaded."""

    def fault(recording: Recording, rng: Generator) -> Recording:
        loaded, made = loaded_plates(recording), list(recording.walk.plates)
        for k in {"one": [int(rng.choice(loaded))], "all": list(range(len(made))), "first": loaded[:1]}[which]:
            made[k] = change(made[k], rng)
        return recording.with_walk(plates=tuple(made))

    return fault


def wrench(change: Callable[[Generator], Change] | Change, which: str = "one", *, drawn: bool = False) -> Fault:
    """Something done to the channels of plates, in their axes, moments about the origin below the surface."""
    return relaid(lambda plate, rng: channels_changed(plate, change(rng) if drawn else change), which)  # type: ignore[arg-type, call-arg]


def lab(plate: ForcePlate, force: FloatArray, moment: FloatArray) -> ForcePlate:
    return replace(plate, force_lab_N=force, moment_lab_Nm=moment)


def matrix(change: Callable[[FloatArray], FloatArray]) -> Change:
    """Channels (n, 6): Fx Fy Fz Mx My Mz, all at once."""

    def made(f: FloatArray, m: FloatArray, rate: float) -> tuple[FloatArray, FloatArray]:
        six = change(np.concatenate([f, m], axis=1))
        return six[:, :3], six[:, 3:]

    return made


FX, FY, FZ, MX, MY, MZ = range(6)


def factor(by: float, *channels: int) -> Change:
    def change(six: FloatArray) -> FloatArray:
        made = six.copy()
        made[:, list(channels)] *= by
        return made

    return matrix(change)


def leak(share: float, source: int, to: int) -> Change:
    return matrix(lambda six: six + share * six[:, [source]] * np.eye(6)[to])


def order(*channels: int) -> Change:
    return matrix(lambda six: six[:, list(channels)])


def plus(channel: int, values: Callable[[FloatArray, float], FloatArray]) -> Change:
    """Something added to a channel: values of time, s, and of the largest size of the channel."""

    def change(f: FloatArray, m: FloatArray, rate: float) -> tuple[FloatArray, FloatArray]:
        six = np.concatenate([f, m], axis=1)
        six[:, channel] += values(np.arange(len(six)) / rate, float(np.abs(six[:, channel]).max()))
        return six[:, :3], six[:, 3:]

    return change


def signal(rule: Callable[[FloatArray, float], FloatArray], *channels: int) -> Change:
    """A rule of one signal (n,) and its rate, for some channels."""

    def change(f: FloatArray, m: FloatArray, rate: float) -> tuple[FloatArray, FloatArray]:
        six = np.concatenate([f, m], axis=1)
        for k in channels or range(6):
            six[:, k] = rule(six[:, k], rate)
        return six[:, :3], six[:, 3:]

    return change


def columns_of(change: Callable[[FloatArray, float], FloatArray]) -> Callable[[FloatArray, float], FloatArray]:
    return lambda x, rate: change(x[:, None], rate)[:, 0]


def shaped(rule: Callable[[FloatArray, float], FloatArray]) -> Callable[[FloatArray, float], FloatArray]:
    """A rule of a signal and of its largest size."""
    return lambda x, rate: rule(x, max(float(np.abs(x).max()), 1e-9))


def droop(tau_s: float) -> Callable[[FloatArray, float], FloatArray]:
    """A charge amplifier whose charge leaks away."""

    def rule(x: FloatArray, rate: float) -> FloatArray:
        keep, out = np.exp(-1.0 / (tau_s * rate)), np.zeros_like(x)
        for i in range(1, len(x)):
            out[i] = keep * (out[i - 1] + x[i] - x[i - 1])
        return out

    return rule


def notch(hz: float) -> Callable[[FloatArray, float], FloatArray]:
    """A band of an octave about a frequency is taken out."""

    def rule(x: FloatArray, rate: float) -> FloatArray:
        spectrum, frequency = np.fft.rfft(x), np.fft.rfftfreq(len(x), 1.0 / rate)
        spectrum[(frequency > 0.7 * hz) & (frequency < 1.4 * hz)] = 0.0
        return np.fft.irfft(spectrum, len(x))

    return rule


def creep(share: float) -> Callable[[FloatArray, float], FloatArray]:
    return lambda x, rate: x + share * (columns_of(one_way(0.5))(x, rate))


def pulled(ms: float, *, to_zero: bool = True) -> Callable[[FloatArray, float], FloatArray]:
    """A cable without contact about the middle of the largest load; otherwise the last value stays."""

    def rule(x: FloatArray, rate: float) -> FloatArray:
        out, n = x.copy(), max(int(0.001 * ms * rate), 1)
        k = int(np.argmax(np.abs(x)))
        out[max(k - n // 2, 1) : k + n // 2 + 1] = 0.0 if to_zero else x[max(k - n // 2, 1) - 1]
        return out

    return rule


def pedestal(corner: int, by: float) -> Change:
    """One of the four feet of a plate weighs wrongly: its share of the vertical force goes with its moments."""

    def change(f: FloatArray, m: FloatArray, rate: float) -> tuple[FloatArray, FloatArray]:
        a, b = 0.2, 0.2
        x, y = ((1, 1), (1, -1), (-1, -1), (-1, 1))[corner]
        part = (f[:, 2] + y * m[:, 0] / b - x * m[:, 1] / a) / 4.0
        less = (by - 1.0) * part
        f, m = f.copy(), m.copy()
        f[:, 2] += less
        m[:, 0] += y * b * less
        m[:, 1] -= x * a * less
        return f, m

    return change


def random_matrix(share: float) -> Callable[[Generator], Change]:
    def drawn(rng: Generator) -> Change:
        by = np.eye(6) + share * rng.normal(size=(6, 6)) * np.outer([1, 1, 1, 0.3, 0.3, 0.3], [0.2, 0.2, 0.2, 0.2, 0.2, 0.2])
        return matrix(lambda six: six @ by.T)

    return drawn


def spikes(newton: float, each_s: float) -> Callable[[Generator], Change]:
    def drawn(rng: Generator) -> Change:
        def change(f: FloatArray, m: FloatArray, rate: float) -> tuple[FloatArray, FloatArray]:
            hit = rng.random(f.shape) < 1.0 / (each_s * rate)
            hit[len(f) // 2, int(rng.integers(3))] = True
            return f + newton * hit * rng.choice([-1.0, 1.0], f.shape), m

        return change

    return drawn


def plate_clock(at: At, which: str = "all", channels: Sequence[int] = range(6)) -> Fault:
    """Samples are those of other times; all plates have the same clock."""

    def fault(recording: Recording, rng: Generator) -> Recording:
        loaded, made = loaded_plates(recording), list(recording.walk.plates)
        seed = int(rng.integers(2**31))
        for k in range(len(made)) if which == "all" else [int(rng.choice(loaded))]:

            def change(f: FloatArray, m: FloatArray, rate: float) -> tuple[FloatArray, FloatArray]:
                six = np.concatenate([f, m], axis=1)
                source = at(np.arange(len(six), dtype=float), rate, np.random.default_rng(seed))
                six[:, list(channels)] = sampled(six, source)[:, list(channels)]
                return six[:, :3], six[:, 3:]

            made[k] = channels_changed(made[k], change)
        return recording.with_walk(plates=tuple(made))

    return fault


# --- families of closures: who touches the plates ----------------------------------------------------------------------------


def pressure(plate: ForcePlate) -> FloatArray:
    """Centre of pressure (n, 3), on the surface; the middle of the plate where nobody stands."""
    f, m = plate.force_lab_N, plate.moment_lab_Nm
    heavy = f[:, 2] > LOADED_N
    up = np.where(heavy, f[:, 2], 1.0)
    arm = np.stack([-m[:, 1] / up, m[:, 0] / up, np.zeros(len(f))], axis=1)
    return np.asarray(plate.centre_m + np.where(heavy[:, None], arm, 0.0))


def added(plate: ForcePlate, force: FloatArray, at: FloatArray) -> ForcePlate:
    """Another force on the plate, at a place."""
    force = np.broadcast_to(force, plate.force_lab_N.shape)
    return lab(
        plate, plate.force_lab_N + force, plate.moment_lab_Nm + np.cross(np.broadcast_to(at, force.shape) - plate.centre_m, force)
    )


def stance(plate: ForcePlate) -> slice:
    """The longest time of load."""
    heavy = np.flatnonzero(np.diff(np.concatenate([[0], (plate.force_lab_N[:, 2] > LOADED_N).astype(int), [0]])))
    if not len(heavy):
        raise NotHere
    begin, end = heavy[::2], heavy[1::2]
    k = int(np.argmax(end - begin))
    return slice(int(begin[k]), int(end[k]))


def of_stance(plate: ForcePlate, rule: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """A rule of 0 to 1 over the stance, zero elsewhere, (n, 1)."""
    rows, made = stance(plate), np.zeros((plate.n_samples, 1))
    made[rows, 0] = rule(np.linspace(0.0, 1.0, rows.stop - rows.start))
    return made


def lost(rule: Callable[[FloatArray], FloatArray]) -> Fault:
    """A share of the stance is borne by the floor beside the plate."""

    def change(plate: ForcePlate, rng: Generator) -> ForcePlate:
        keep = 1.0 - of_stance(plate, rule)
        return lab(plate, plate.force_lab_N * keep, plate.moment_lab_Nm * keep)

    return relaid(change)


def two_feet(v: float) -> Fault:
    def change(a: ForcePlate, b: ForcePlate, rng: Generator) -> tuple[ForcePlate, ForcePlate]:
        if not (b.force_lab_N[:, 2] > 100.0).any():
            raise NotHere
        return shared(b, a, np.full((b.n_samples, 1), v))[::-1]

    return pair(change)


def bearing(way: Sequence[float], rule: Callable[[FloatArray], FloatArray], beside_m: float = 0.0, which: str = "one") -> Fault:
    """A force of a share of the peak, over the stance, at the centre of pressure or beside it (along the plate's long side)."""

    def change(plate: ForcePlate, rng: Generator) -> ForcePlate:
        if not (plate.force_lab_N[:, 2] > LOADED_N).any():
            return plate
        peak, edge = float(plate.force_lab_N[:, 2].max()), unit(plate.corners_m[1] - plate.corners_m[0])
        return added(plate, peak * of_stance(plate, rule) * np.asarray(way, dtype=float), pressure(plate) + beside_m * edge)

    return relaid(change, which)


def stranger(newton: float, length_s: float, *, before: bool = False) -> Fault:
    """Somebody else's load beside the stance, on a corner of the plate."""

    def change(plate: ForcePlate, rng: Generator) -> ForcePlate:
        rows, n = stance(plate), int(length_s * plate.rate_hz)
        gap = int(0.05 * plate.rate_hz)
        first = rows.start - gap - n if before else rows.stop + gap
        if first < 0 or first >= plate.n_samples - 5:
            first = rows.stop + gap if before else rows.start - gap - n
        first = max(first, 0)
        if first >= plate.n_samples - 5:
            raise NotHere
        load = np.zeros((plate.n_samples, 1))
        part = load[first : first + n]
        part[:, 0] = newton * np.sin(np.pi * np.linspace(0, 1, len(part) + 2)[1:-1])
        return added(plate, load * UP, 0.7 * plate.corners_m[int(rng.integers(4))] + 0.3 * plate.centre_m)

    return relaid(change)


def pair(change: Callable[[ForcePlate, ForcePlate, Generator], tuple[ForcePlate, ForcePlate]]) -> Fault:
    """Something between a loaded plate and another one."""

    def fault(recording: Recording, rng: Generator) -> Recording:
        loaded, made = loaded_plates(recording), list(recording.walk.plates)
        if len(made) < 2:
            raise NotHere
        a = int(rng.choice(loaded))
        b = min((k for k in range(len(made)) if k != a), key=lambda k: float(np.linalg.norm(made[k].centre_m - made[a].centre_m)))
        made[a], made[b] = change(made[a], made[b], rng)
        return recording.with_walk(plates=tuple(made))

    return fault


def put(a: ForcePlate, b: ForcePlate) -> ForcePlate:
    """A plate at the place of another one."""
    x, y, _ = b.centre_m - a.centre_m
    return a.moved(float(x), float(y), 0.0)


def shared(a: ForcePlate, b: ForcePlate, weight: FloatArray) -> tuple[ForcePlate, ForcePlate]:
    """A share (n, 1) of the load of one plate comes to another, where it acts."""
    moment = a.moment_lab_Nm + np.cross(a.centre_m - b.centre_m, a.force_lab_N)
    there = lab(b, b.force_lab_N + weight * a.force_lab_N, b.moment_lab_Nm + weight * moment)
    return lab(a, a.force_lab_N * (1 - weight), a.moment_lab_Nm * (1 - weight)), there


# --- families of closures: persons, events, files ----------------------------------------------------------------------------


def typed(rule: Callable[[float], float | None], names: str, sides: str = "LR") -> Fault:
    """Measurements of the person that are others; None takes one away."""

    def fault(recording: Recording, rng: Generator) -> Recording:
        changes: dict[str, object] = {}
        for name in names.split():
            known = getattr(recording.static.subject, name)
            if known is None or (isinstance(known, Mapping) and not known):
                continue
            if isinstance(known, Mapping):
                made = {side: rule(value) if side in sides else value for side, value in known.items()}
                changes[name] = {side: value for side, value in made.items() if value is not None}
            else:
                changes[name] = rule(known)
        if not changes:
            raise NotHere
        if "mass_kg" in changes and recording.mass_kg is not None:
            recording = replace(recording, mass_kg=rule(recording.mass_kg))
        return recording.with_subject(**changes)

    return fault


LENGTHS = "height_m inter_asis_distance_m leg_length_m knee_width_m ankle_width_m asis_trochanter_distance_m"


def crossed(one: str, other: str) -> Fault:
    """Two measurements exchanged."""

    def fault(recording: Recording, rng: Generator) -> Recording:
        a, b = getattr(recording.static.subject, one), getattr(recording.static.subject, other)
        if not a or not b:
            raise NotHere
        return recording.with_subject(**{one: b, other: a})

    return fault


def digits(value: float, unit_: float, place: int) -> float:
    """Two neighbouring digits of a number exchanged."""
    words = f"{value / unit_:.1f}"
    spots = [k for k in range(len(words) - 1) if "." not in words[k : k + 2] and words[k] != words[k + 1]]
    if not spots:
        raise NotHere
    k = spots[min(place, len(spots) - 1)]
    return float(words[:k] + words[k + 1] + words[k] + words[k + 2 :]) * unit_


def event_list(change: Callable[[list[Event], float, Generator], list[Event]]) -> Fault:
    """Stored events that are others; the change knows the time of the last frame."""

    def fault(recording: Recording, rng: Generator) -> Recording:
        steps_ = [e for e in recording.walk.events if e.side and e.kind is not EventKind.OTHER]
        if len(steps_) < 4:
            raise NotHere
        markers = recording.walk.markers
        made = change(steps_, float(markers.time_s[-1]), rng)
        if tuple(sorted(made)) == tuple(sorted(steps_)):
            raise NotHere
        return recording.with_walk(events=tuple(made))

    return fault


def at_time(event: Event, time_s: float) -> Event:
    return replace(event, time_s=max(time_s, 0.0))


def shifted(ms: float, side: str = "LR", kind: str = "") -> Fault:
    return event_list(
        lambda all_, end, rng: [at_time(e, e.time_s + 0.001 * ms) if e.side in side and kind in e.kind.value else e for e in all_]
    )


def one_event(change: Callable[[Event, list[Event], float], list[Event]], kind: str = "") -> Fault:
    """One event, not the first nor the last, becomes others."""

    def edit(all_: list[Event], end: float, rng: Generator) -> list[Event]:
        choice = [k for k in range(1, len(all_) - 1) if kind in all_[k].kind.value]
        if not choice:
            raise NotHere
        k = int(rng.choice(choice))
        return [*all_[:k], *change(all_[k], all_, end), *all_[k + 1 :]]

    return event_list(edit)


def other_side(event: Event) -> Event:
    return replace(event, side="R" if event.side == "L" else "L")


def other_kind(event: Event) -> Event:
    return replace(event, kind=EventKind.FOOT_OFF if event.kind is EventKind.FOOT_STRIKE else EventKind.FOOT_STRIKE)


def frames_of(trial: Trial, keep: IntArray, *, plates: bool = True) -> Trial:
    """A trial of other frames, plates along; what is stored for each frame goes."""
    ratio = trial.plates[0].n_samples // trial.n_frames if trial.plates else 1
    samples = (keep[:, None] * ratio + np.arange(ratio)).ravel() if plates else np.arange(len(keep) * ratio)
    made = tuple(lab(p, p.force_lab_N[samples], p.moment_lab_Nm[samples]) for p in trial.plates)
    markers = replace(trial.markers, position_m=trial.markers.position_m[keep], filled=None)
    return replace(trial, markers=markers, plates=made, wrench_plates=None, model_outputs={}, analog=AnalogChannels())


def cut(first: Callable[[int], int], last: Callable[[int], int], *, clock: bool = True, plates: bool = True) -> Fault:
    """Only some frames are kept; without ``clock`` the file counts from 1 again, and events stay where they were."""

    def fault(recording: Recording, rng: Generator) -> Recording:
        walk = recording.walk
        a, b = max(first(walk.n_frames), 0), min(last(walk.n_frames), walk.n_frames)
        made = frames_of(walk, np.arange(a, b), plates=plates)
        if clock:
            times = ((walk.first_frame - 1 + a) / walk.markers.rate_hz, (walk.first_frame - 1 + b) / walk.markers.rate_hz)
            made = replace(
                made, first_frame=walk.first_frame + a, events=tuple(e for e in walk.events if times[0] <= e.time_s <= times[1])
            )
        return replace(recording, walk=made)

    return fault


def rates(by: float) -> Fault:
    """Video and plates have another rate than the file says; events are set in frames."""

    def fault(recording: Recording, rng: Generator) -> Recording:
        walk = recording.walk
        markers = replace(walk.markers, rate_hz=walk.markers.rate_hz * by)
        plates = tuple(replace(plate, rate_hz=plate.rate_hz * by) for plate in walk.plates)
        events = tuple(at_time(e, e.time_s / by) for e in walk.events)
        made = replace(walk, markers=markers, plates=plates, wrench_plates=None, events=events, analog=AnalogChannels())
        return replace(recording, walk=made)

    return fault


def named(rule: Callable[[str], str], trials: Trials = BOTH) -> Fault:
    """Labels of the lower body are others."""

    def fault(recording: Recording, rng: Generator) -> Recording:
        def made(trial: Trial) -> Trial:
            words = [rule(name) if name in GROUPS["ALL"] else name for name in trial.markers.names]
            if tuple(words) == trial.markers.names or len(set(words)) < len(words):
                raise NotHere
            return replace(trial, markers=replace(trial.markers, names=tuple(words)))

        static = made(recording.static) if "static" in trials else recording.static
        return replace(recording, static=static, walk=made(recording.walk) if "walk" in trials else recording.walk)

    return fault


def turned_room(R: FloatArray, what: str) -> Fault:
    """Markers or plates alone are in other axes than the file says."""

    def change(plate: ForcePlate, rng: Generator) -> ForcePlate:
        sign = np.linalg.det(R)
        return replace(
            plate,
            corners_m=plate.corners_m @ R.T,
            force_lab_N=plate.force_lab_N @ R.T,
            moment_lab_Nm=sign * plate.moment_lab_Nm @ R.T,
        )

    return space(lambda p, s: p @ R.T) if what == "markers" else relaid(change, "all")


def on_static(change: Callable[[Recording, Generator], Trial]) -> Fault:
    return lambda recording, rng: replace(recording, static=change(recording, rng))


def written(name: str, value: Callable[[Scene, FloatArray], FloatArray], when: Envelope = always, trials: Trials = WALK) -> Fault:
    """Another path in place of a marker's, where the envelope is 1."""

    def edit(s: Scene) -> None:
        rows = when(s) > 0.5
        for k in s.at(*name.split()):
            s.p[rows, k] = value(s, whole(s.before[:, k]))[rows]

    return paths(edit, trials)
