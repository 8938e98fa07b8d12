"""One fault at a time laid over sessions: what it cannot reach keeps every number, to the byte.

``python -m benchmarks.studies.layer_faults [C3D_DIR]`` analyses each session as it is and with a fault in every walk: a plate 60 mm
from where it stands, two of a plate's channels exchanged, heel and toe of the right foot exchanged, the right toe not seen for half
a second, all muscle signals dead, the markers of the trunk gone. What a fault can reach is no opinion: in each session each marker
is moved by 1 mm, each plate too and made 1 % stronger, muscle signals made 1 % larger; the layers and sides whose numbers change
are what it reaches (`reach`). A layer is a side's mean curves, the curves of its cycles and their number. A fault that takes the
event of a plate leaves it to the markers: then angles follow, and the table says by how much. Where markers were smoothed before
they were stored, plates are filtered at the bandwidth that all markers of both legs show; a marker that is not seen for a while
changes what is measured, and so both legs' loads: the table says by how much, and the bandwidths are compared to know it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import biomech_id as bid
from benchmarks.studies.cut_gaps import SHARED
from benchmarks.studies.designed_faults import Recording as Walk
from benchmarks.studies.designed_faults import channels_changed, exchanged, labels
from biomech_id import BiomechError, Trial, __version__
from biomech_id.algebra.arrays import over_seen
from biomech_id.conventions import SIDES, Aspect, cycle_rows
from biomech_id.readers import read_recording
from biomech_id.session.computed import Computed
from biomech_id.session.tables.means import mean_curves
from biomech_id.session.tables.session_tables import CURVE_POINTS

TABLE = Path(__file__).with_suffix(".md")
#: What each marker, plate and event reaches.
REACH = TABLE.with_name("layer_reach.md")
SEED = 20261123
#: Sessions below the folder of recordings, as patterns of their files, and how they are analysed; what gives no means is left out.
#: Nobody of ``norm_subjects`` stood still for a static trial.
SIX_DOF: Mapping[str, object] = {"model": "six-dof"}
SESSIONS: Mapping[str, Mapping[str, object]] = {
    "children/*": {}, "norm_subjects/*": SIX_DOF, "labs_abroad/*": {}, "knee_device/*": {}, "oxford_foot/*": {},
    "five_walks_emg": {}, "walking": {}, "vcm": {}, "leardini": {}, "opensim": {"mass_kg": 70.0}, "helen_hayes": {},
    "swaying_static": {}, "motionmonitor": {}, "drop_jump": {}, "treadmill_run": {}, "functional": {"static": "Test_func_anat"},
    "pycgm/Sample_2": {},
    "plug_in_gait/PiG_*-FlatFoot-One.c3d": {}, "plug_in_gait/PiG_*3_FF.c3d": {}, "plug_in_gait/PiG_*3_FF_N18.c3d": {},
    "plug_in_gait/PiG_*3_noFF.c3d": {},
}  # fmt: skip
TRUNK = ("C7", "T10", "CLAV", "STRN", "RBAK")
#: Heel and toe of the right foot, as laboratories label them.
FEET = (("RHEE", "RTOE"), ("R.Heel", "R.Toe"), ("RHEEL", "RTOE"), ("RCAL", "RTOE"), ("R.Heel.Top", "R.MT2"), ("RCALM", "RTOE"))
#: A curve that follows an event: half a second is half a cycle, and 30 ms of strike turn an angle by so many degrees at most.
MOVED_M, EVENT_S = 0.06, 0.5

#: (Layer, side), or (whole body, "").
Place = tuple[Aspect, str]
#: What stands in that place: numbers, as bytes or as an array.
Numbers = Mapping[Place, Mapping[str, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Laid:
    """A session in memory: its trials as read, and the options that it is analysed with."""

    name: str
    trials: tuple[Trial, ...]
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def labels(self) -> frozenset[str]:
        """Every marker's."""
        return frozenset(name for trial in self.trials for name in trial.markers.names)

    @property
    def foot(self) -> tuple[str, ...]:
        """Heel and toe of the right foot, where both are worn."""
        return next((pair for pair in FEET if self.labels.issuperset(pair)), ())

    def with_walks(self, change: Callable[[Trial], Trial]) -> Laid:
        """Every trial but those in which somebody stands changed."""
        return replace(self, trials=tuple(change(trial) if moves(trial) else trial for trial in self.trials))

    def computed(self) -> Computed:
        return bid.analyse(list(self.trials), uncertainty=False, budget=False, **self.options).computed  # type: ignore[arg-type]


def moves(trial: Trial) -> bool:
    """Whether somebody walks: the markers' middle goes half a metre."""
    middle = over_seen(np.nanmean, trial.markers.position_m, axis=1)
    seen = middle[np.isfinite(middle).all(axis=1)]
    return len(seen) > 1 and float(np.ptp(seen, axis=0).max()) > 0.5


def numbers(laid: Laid) -> tuple[Numbers, Mapping[Place, str]]:
    """Numbers of each layer and side, and its verdict; nothing where the session is refused."""
    try:
        session = laid.computed()
    except BiomechError:
        return {}, {}
    tables = session.tables()
    found: dict[Place, dict[str, np.ndarray]] = {(layer, side): {} for layer in Aspect for side in SIDES}
    for condition, curves in mean_curves(tables).items():
        for (side, variable, component), curve in curves.items():
            found[_layer(variable, component), side][f"mean {condition} {variable}.{component}"] = curve
    values = tables.cycles["value"].to_numpy().reshape(-1, CURVE_POINTS)
    heads = tables.cycles.iloc[::CURVE_POINTS]
    names = (heads[name] for name in ("trial", "side", "cycle", "variable", "component"))
    for curve, trial, side, cycle, variable, component in zip(values, *names, strict=True):
        found[_layer(variable, component), side][f"{trial} {cycle} {variable}.{component}"] = curve
    if tables.emg is not None and len(tables.emg):
        own = tables.emg["value"].to_numpy().reshape(-1, CURVE_POINTS)
        for curve, row in zip(own, tables.emg.iloc[::CURVE_POINTS].to_dict("records"), strict=True):
            if row["side"] in SIDES:
                found[Aspect.EMG, row["side"]][f"{row['trial']} {row['label']} {row['cycle']}"] = curve
    if tables.whole_body is not None:
        for side in SIDES:
            found[Aspect.WHOLE_BODY, side]["table"] = tables.whole_body["value"].to_numpy()
    verdicts = tables.summary["verdicts"]
    for (layer, side), own_numbers in found.items():
        own_numbers["cycles"] = np.array([verdicts[layer][side]["cycles"]])
    return found, {(layer, side): verdicts[layer][side]["verdict"] for layer, side in found}


_KINETIC = {(row.variable, row.component) for row in cycle_rows() if row.kinetic}


def _layer(variable: str, component: str) -> Aspect:
    return Aspect.KINETICS if (variable, component) in _KINETIC else Aspect.KINEMATICS


def changed(before: Numbers, after: Numbers) -> set[Place]:
    """Layers and sides that have not the same numbers, to the byte."""
    return {place for place in before if not _same(before[place], after.get(place, {}))}


def bandwidths(laid: Laid) -> dict[str, float]:
    """Trial -> half amplitude that its stored markers show, where plates are filtered by it, Hz."""
    found = [finding for trial in laid.computed().trials for finding in trial.findings if finding.rule == "plate-bandwidth"]
    return {f.where: f.values["half_amplitude_hz"] for f in found if f.values["done"] == "matched"}


def _same(before: Mapping[str, np.ndarray], after: Mapping[str, np.ndarray]) -> bool:
    return before.keys() == after.keys() and all(before[name].tobytes() == after[name].tobytes() for name in before)


def largest(before: Numbers, after: Numbers, place: Place) -> float:
    """Largest change of a mean curve; NaN where one of the two has none."""
    pairs = [
        (curve, after.get(place, {})[name]) for name, curve in before[place].items()
        if name.startswith("mean ") and name in after.get(place, {})
    ]  # fmt: skip
    return max((float(np.nanmax(np.abs(b - a))) for a, b in pairs), default=float("nan"))


# What is moved a little


def shifts(trial: Trial) -> Iterator[tuple[str, Callable[[Trial], Trial]]]:
    """Each marker 1 mm off, each plate 1 mm off and 1 % stronger, each muscle signal 1 % larger."""
    for name in trial.markers.names:
        yield name, lambda walk, name=name: _marker(walk, name, 0.001)  # type: ignore[misc]
    for number in range(len(trial.plates)):
        yield f"plate {number + 1}", lambda walk, number=number: _plate(walk, number, 0.001)  # type: ignore[misc]
        yield f"plate {number + 1}, gain", lambda walk, number=number: _gain(walk, number)  # type: ignore[misc]
    yield "muscle signals", lambda walk: _signals(walk, 1.01)


def _marker(trial: Trial, name: str, by_m: float) -> Trial:
    position = trial.markers.position_m.copy()
    if name in trial.markers.names:
        position[:, trial.markers.names.index(name)] += by_m
    return replace(trial, markers=trial.markers.with_positions(position))


def _plate(trial: Trial, number: int, by_m: float) -> Trial:
    """A plate elsewhere than its file says: corners and point of application go along the laboratory's axes."""
    made = list(trial.plates)
    if number >= len(made):
        return trial
    off = np.array([by_m, by_m, 0.0]) / np.sqrt(2.0)
    plate = made[number]
    moment = plate.moment_lab_Nm + np.cross(off, plate.force_lab_N)
    made[number] = replace(plate, corners_m=plate.corners_m + off, moment_lab_Nm=moment)
    return replace(trial, plates=tuple(made))


def _gain(trial: Trial, number: int) -> Trial:
    made = list(trial.plates)
    if number >= len(made):
        return trial
    plate = made[number]
    made[number] = replace(plate, force_lab_N=1.01 * plate.force_lab_N, moment_lab_Nm=1.01 * plate.moment_lab_Nm)
    return replace(trial, plates=tuple(made))


def _signals(trial: Trial, factor: float) -> Trial:
    """Analog channels that are no plate's, times a factor."""
    analog = trial.analog
    if not analog.names:
        return trial
    own = [place for place, plate in enumerate(analog.plates) if plate is None] or list(range(len(analog.names)))
    scale = np.ones(len(analog.names)) if analog.scale is None else np.array(analog.scale, dtype=float)
    stored = np.array(analog.stored)
    if factor == 0.0:
        stored[:, own] = 0
    scale[own] *= factor or 1.0
    return replace(trial, analog=replace(analog, stored=stored, scale=scale))


def with_events(laid: Laid) -> Laid:
    """The session whose walks store the events that were found in them, so that each can be moved."""
    found = {trial.name: trial.events for trial in laid.computed().trials}
    return laid.with_walks(lambda walk: replace(walk, events=found.get(walk.name, walk.events)))


def event_shifts(trial: Trial) -> Iterator[tuple[str, Callable[[Trial], Trial]]]:
    """Each stored event one frame later."""
    for number, event in enumerate(trial.events):
        later = replace(event, time_s=event.time_s + 1.0 / trial.rate_hz)
        moved = (*trial.events[:number], later, *trial.events[number + 1 :])
        name = f"{event.kind} {event.side}, {event.time_s:.2f} s"
        yield name, lambda walk, moved=moved: replace(walk, events=moved)  # type: ignore[misc]


def dependence(laid: Laid) -> dict[str, set[Place]]:
    """The whole table of one session: every marker, plate, channel and event -> layers and sides whose numbers it changes."""
    laid = with_events(laid)
    before, _ = numbers(laid)
    walk = max((trial for trial in laid.trials if moves(trial)), key=lambda trial: len(trial.markers.names))
    every = (*shifts(walk), *event_shifts(walk))
    return {name: changed(before, numbers(laid.with_walks(change))[0]) for name, change in every}


def dependence_lines(table: Mapping[str, set[Place]]) -> list[str]:
    """The committed page of `dependence`: one row an item, one column a layer and side."""
    places = [(layer, side) for layer in (Aspect.KINEMATICS, Aspect.KINETICS, Aspect.EMG, Aspect.WHOLE_BODY) for side in SIDES]
    heads = " | ".join(f"{layer} {side}" for layer, side in places)
    rows = [f"| {name} | {' | '.join('x' if place in mine else '-' for place in places)} |" for name, mine in table.items()]
    title = "# What each marker, plate and event reaches"
    how = (
        f"Version {__version__}, the virtual adult with two plates: each marker 1 mm off, each plate 1 mm off and 1 % stronger, "
        "each event one frame later. An x says that some number of that layer and side changes; everything else stays to the byte."
    )
    return [title, "", how, "", f"| moved | {heads} |", f"|{' --- |' * (1 + len(places))}", *rows, ""]


def reach(laid: Laid, touched: Sequence[str]) -> dict[str, set[Place]]:
    """Marker, plate or signals, as far as their names begin so -> layers and sides whose numbers it changes."""
    before, _ = numbers(laid)
    walk = max((trial for trial in laid.trials if moves(trial)), key=lambda trial: len(trial.markers.names))
    wanted = [(name, change) for name, change in shifts(walk) if name.startswith(tuple(touched))]
    return {name: changed(before, numbers(laid.with_walks(change))[0]) for name, change in wanted}


# Faults


def _with(fault: Callable[[Walk, np.random.Generator], Walk]) -> Callable[[Trial], Trial]:
    return lambda trial: fault(Walk(trial.name, trial, trial), np.random.default_rng(SEED)).walk


def _loaded(trial: Trial) -> int:
    """Place of the plate that is stepped on in the middle of a walk, among those that are stepped on."""
    loaded = [k for k, plate in enumerate(trial.plates) if np.nanmax(plate.force_lab_N[:, 2]) > 100.0]
    at = [int(np.argmax(trial.plates[k].force_lab_N[:, 2])) / len(trial.plates[k].force_lab_N) for k in loaded]
    return loaded[int(np.argmin(np.abs(np.array(at) - 0.5)))] if loaded else 0


def plate_moved(trial: Trial) -> Trial:
    """The plate in the middle of a walk 60 mm from where it stands."""
    return _plate(trial, _loaded(trial), MOVED_M) if trial.plates else trial


def _channels(trial: Trial) -> Trial:
    made = list(trial.plates)
    if made:
        made[_loaded(trial)] = channels_changed(made[_loaded(trial)], exchanged(force=(1, 0, 2)))
    return replace(trial, plates=tuple(made))


def _labels(pair: Sequence[str]) -> Callable[[Trial], Trial]:
    return lambda trial: _with(labels(*pair))(trial) if set(pair) <= set(trial.markers.names) else trial


def _hidden(trial: Trial, name: str) -> Trial:
    position = trial.markers.position_m.copy()
    middle = trial.n_frames // 2
    seen = [place for place, each in enumerate(trial.markers.names) if each == name]
    position[middle : middle + round(EVENT_S * trial.rate_hz), seen] = np.nan
    return replace(trial, markers=trial.markers.with_positions(position))


def _no_trunk(trial: Trial) -> Trial:
    position = trial.markers.position_m.copy()
    position[:, [place for place, name in enumerate(trial.markers.names) if name in TRUNK]] = np.nan
    return replace(trial, markers=trial.markers.with_positions(position))


#: Fault -> what it does to a walk, and the items of the dependence table that it touches.
Faults = Mapping[str, tuple[Callable[[Trial], Trial], tuple[str, ...]]]


def faults(laid: Laid) -> Faults:
    """Every fault for which a session has something to touch."""
    made = dict[str, tuple[Callable[[Trial], Trial], tuple[str, ...]]]()
    if any(trial.plates for trial in laid.trials):
        made |= {"a plate 60 mm off": (plate_moved, ("plate",)), "a plate's channels exchanged": (_channels, ("plate",))}
    if laid.foot:
        toe = laid.foot[1]
        made["right heel and toe exchanged"] = (_labels(laid.foot), laid.foot)
        made["right toe unseen for 0.5 s"] = (lambda trial: _hidden(trial, toe), (toe,))
    if any(trial.analog.names for trial in laid.trials):
        made["all muscle signals dead"] = (lambda trial: _signals(trial, 0.0), ("muscle signals",))
    if laid.labels & set(TRUNK):
        made["no markers on the trunk"] = (_no_trunk, TRUNK)
    return made


@dataclass(frozen=True)
class Row:
    """One fault in one session: layers and sides that it must not reach and that changed, and the verdicts on those it does."""

    session: str
    fault: str
    beyond: tuple[str, ...]
    lost: tuple[str, ...]
    kept: int
    by_bandwidth: tuple[str, ...] = ()


def reachable(laid: Laid, touched: Sequence[str], table: Mapping[str, set[Place]]) -> set[Place]:
    """Layers and sides that a fault in these items can reach; markers that make a side's strikes cut its muscle signals too.

    A millimetre moves no strike by a frame, so that moving the marker does not show the last.
    """
    found = {place for name, places in table.items() if name.startswith(tuple(touched)) for place in places}
    return found | ({(Aspect.EMG, "R")} if set(touched) & set(laid.foot) else set())


def judge(laid: Laid, fault: str, table: Mapping[str, set[Place]], clean: Numbers) -> Row:
    """Lay one fault over a session."""
    change, touched = faults(laid)[fault]
    faulty = laid.with_walks(change)
    after, verdicts = numbers(faulty)
    other = changed(clean, after)
    strange = other - reachable(laid, touched, table)
    # Loads alone follow a bandwidth, and cycles neither come nor go by it.
    other_bandwidth = bool(strange) and bandwidths(laid) != bandwidths(faulty)
    smoothed = {
        (layer, side) for layer, side in strange
        if other_bandwidth and layer is Aspect.KINETICS and clean[layer, side].keys() == after[layer, side].keys()
    }  # fmt: skip
    beyond, by_bandwidth = (
        sorted(f"{layer} {side} ({largest(clean, after, (layer, side)):.2g})" for layer, side in places)
        for places in (strange - smoothed, smoothed)
    )
    lost = sorted(f"{layer} {side}" for (layer, side) in other if verdicts.get((layer, side)) == "reject")
    return Row(laid.name, fault, tuple(beyond), tuple(lost), len(clean) - len(other), tuple(by_bandwidth))


def virtual() -> Laid:
    """An adult with a plate under every step."""
    person = bid.virtual_subject(body="adult", plates="steps", seed=SEED, noise_m=0.0003)
    return Laid("virtual", (person.static().trial, person.walk().trial))


def sessions(folder: Path) -> Iterator[Laid]:
    """Yield the virtual session and those of the recordings."""
    yield virtual()
    for pattern, options in SESSIONS.items():
        files = sorted(folder.glob(pattern if pattern.endswith(".c3d") else f"{pattern}/*.c3d"))
        for place in sorted({path.parent for path in files}):
            own = tuple(read_recording(path, trust=True).trial for path in files if path.parent == place)
            name = pattern.rsplit("*", 1)[-1].removesuffix(".c3d").strip("_-") if pattern.endswith(".c3d") else place.name
            yield Laid(name, own, options)


def rows_of(laid: Laid) -> list[Row]:
    """Every fault in one session; where nobody recorded the body mass it is what the steps of the untouched session show."""
    clean, _ = numbers(laid)
    if not any(name.startswith("mean ") for own in clean.values() for name in own):
        return []
    mass_kg = laid.computed().tables().summary["subject"]["mass_kg"]
    laid = replace(laid, options={"mass_kg": mass_kg, **laid.options})
    clean, _ = numbers(laid)
    every = faults(laid)
    table = reach(laid, tuple({name for _, names in every.values() for name in names}))
    return [judge(laid, fault, table, clean) for fault in every]


def line(row: Row) -> str:
    """One row of the table."""
    return (
        f"| {row.session} | {row.fault} | {row.kept} | {', '.join(row.lost) or '-'} | "
        f"{', '.join(row.by_bandwidth) or '-'} | {', '.join(row.beyond) or '-'} |"
    )


def head(sessions: int, faults: int, beyond: int) -> list[str]:
    """What stands above the table's rows."""
    return [
        "# Faults laid over sessions", "", f"Version {__version__}, seed {SEED}, {sessions} sessions, {faults} faults; {beyond} of "
        "them changed what they cannot reach.", "",
        "| session | fault | layers and sides (of 8) with every number as before | refused "
        "| by another measured bandwidth (largest) | changed beyond its reach (largest) |",
        "| --- | --- | --- | --- | --- | --- |",
    ]  # fmt: skip


def main(folder: str | Path = SHARED) -> int:
    """Write both tables."""
    two = bid.virtual_subject(body="adult", plates="two", seed=SEED, noise_m=0.0003)
    lines = dependence_lines(dependence(Laid("virtual", (two.static().trial, two.walk().trial))))
    REACH.write_text("\n".join(lines), encoding="utf-8")
    rows = [row for laid in sessions(Path(folder)) for row in rows_of(laid)]
    beyond = sum(bool(row.beyond) for row in rows)
    heads = head(len({row.session for row in rows}), len(rows), beyond)
    TABLE.write_text("\n".join([*heads, *map(line, rows), ""]), encoding="utf-8")
    return beyond


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
