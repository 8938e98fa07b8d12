"""How often 95 % bands hold what they should: every error put into copies of the files at random, the whole program run on each.

``python -m benchmarks.studies.coverage [SHARED]`` moves markers (on the wrong spot in static trial and walk, on skin that moves in
the walk), widens knees and ankles, shifts and turns plates and moves events, with sizes of ``coverage_sizes.toml``, and analyses
the altered files: 200 times the virtual subject, 100 times each of three children, with both body models; every fifth draw also
with all sizes times 0.7 and times 1.4. What comes out is held against the bands printed for the files as they are. Every draw has a
seed of its own and is kept (``build/coverage``, or ``COVERAGE_DRAWS``), so that an interrupted study goes on. The table lies
beside this module.

Errors that no file can hold are off on both sides: hip centre, inertia, and noise of markers and forces.
"""

from __future__ import annotations

import os
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import biomech_id as bid
from biomech_id import __version__
from biomech_id.gait.measures.scores import GAIT_VARIABLES
from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.session import trial_tables
from biomech_id.session.values.norm import write_norm

Array = NDArray[np.float64]
TABLE = Path(__file__).with_suffix(".md")
SIZES: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("coverage_sizes.toml").read_text(encoding="utf-8"))
ROOT = Path(__file__).resolve().parents[2]
#: What a line of the table is of -> the body model. With further markers the six-degree-of-freedom model chooses in every altered
#: recording anew which of them follow a segment: a decision, which no band holds.
FURTHER = "six-dof with further markers"
MODELS = {"conventional": "conventional", "six-dof": "six-dof", FURTHER: "six-dof"}
#: Child -> its straight walk; and those whose norm its scores are held against.
CHILDREN = {"HC030A": "HC030A05", "HC031A": "HC031A06", "HC032A": "HC032A03"}
NORM_OF = {"HC002D": "HC002D06", "HC033A": "HC033A10", "HC036A": "HC036A10"}
VIRTUAL = "virtual"
N_VIRTUAL, N_CHILD, SCALED_EVERY, SEED = 200, 100, 5, 21
SCALES = (1.0, 0.7, 1.4)
#: Columns of ``frames`` that are cut here anew between the events as they were.
ANGLES = ("PelvisAngles", "HipAngles", "KneeAngles", "AnkleAngles", "FootProgressAngles")
MOMENTS, POWERS = ("HipMoment", "KneeMoment", "AnkleMoment"), ("HipPower", "KneePower", "AnklePower")
NAMES = (*(f"{name}.{axis}" for name in (*ANGLES, *MOMENTS) for axis in "XYZ"), *POWERS)
#: No file holds these errors.
OFF = tuple(
    f"{name} = 0"
    for name in (
        "hip_centre_davis_mm", "hip_centre_mm", "marker_noise_mm", "plate_force_percent", "tissue_prior_percent", "tensor_percent",
        *(f"{segment}_{what}_percent" for segment in ("thigh", "shank", "foot") for what in ("mass", "com")),
    )
)  # fmt: skip
#: Least standard deviation, in the unit of the kind, in which a ratio of standard deviations says something.
LEAST = {"angle": 1.0, "moment": 0.02, "power": 0.05}
PERCENT = np.linspace(0.0, 1.0, 101)
BAND = 1.96


def is_further(label: str) -> bool:
    """Whether the marker sets of these people do not name a marker."""
    return is_further_row(SIZES["markers"][without_side(label)])


def is_further_row(row: Sequence[str]) -> bool:
    """The same of a row of ``coverage_sizes.toml``: segment, what the place is called, what lies under it."""
    segment, place, _ = row
    return not place and segment != "pelvis"


def without_side(label: str) -> str:
    """A marker's label without its side, as ``coverage_sizes.toml`` has it; empty for one that no error is put on."""
    return next((name for name in (label, label[1:]) if name in SIZES["markers"]), "")


@dataclass(frozen=True, eq=False)
class Recording:
    """A C3D file with the axes of the segments in each of its frames, forward, up and to the right."""

    path: Path
    R_lab_isb: Mapping[tuple[str, str], Array]
    functions: Mapping[str, Array]
    labels: Sequence[str]

    def write(self, out: Path, errors: Errors, *, moving: bool, further: bool) -> None:
        """Write an altered copy; soft tissue only where the subject moves."""
        import ezc3d

        c3d = ezc3d.c3d(str(self.path))
        _only_needed(c3d, further=further)
        labels = c3d["parameters"]["POINT"]["LABELS"]["value"]
        for i, label in enumerate(labels):
            side, segment = label[0], SIZES["markers"][without_side(label)][0]
            R = self.R_lab_isb["" if segment == "pelvis" else side, segment]
            shift = np.broadcast_to(errors.placed[label], (len(R), 3))
            if moving:
                shift = shift + self.functions["L" if segment == "pelvis" else side] @ errors.tissue[label]
            moved = np.einsum("nij,nj->in", R, shift)
            c3d["data"]["points"][:3, i] += np.where(np.isfinite(moved), moved, 0.0)
        alter_further(c3d, errors, moving=moving)
        c3d.write(str(out))


def alter_further(c3d: Any, errors: Errors, *, moving: bool) -> None:
    """Put the errors of widths and plates, and those of events where the subject moves, into a file that is open."""
    for name, more in errors.widths.items():
        c3d["parameters"]["PROCESSING"][name]["value"] = np.asarray(c3d["parameters"]["PROCESSING"][name]["value"]) + more
    corners = c3d["parameters"]["FORCE_PLATFORM"]["CORNERS"]["value"]
    for k, (place, yaw) in enumerate(errors.plates[: corners.shape[2]]):
        centre = corners[:, :, k].mean(axis=1, keepdims=True)
        turn = np.array([[np.cos(yaw), -np.sin(yaw), 0.0], [np.sin(yaw), np.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
        corners[:, :, k] = centre + turn @ (corners[:, :, k] - centre) + place[:, None]
    if moving:
        events = c3d["parameters"]["EVENT"]
        sd_s = np.array([SIZES["event_ms"][kind] / 1000.0 for kind in events["LABELS"]["value"]])
        events["TIMES"]["value"][1] += sd_s * errors.events[: len(sd_s)]


def _only_needed(c3d: Any, *, further: bool) -> None:
    """Leave the markers that errors are put on: legs and pelvis; those that no marker set names only where asked for."""
    point = c3d["parameters"]["POINT"]
    # More than 255 labels go on in LABELS2, LABELS3.
    names = [name for name in point if name.startswith("LABELS")]
    labels = [label for name in names for label in point[name]["value"]]
    kept = [i for i, label in enumerate(labels) if without_side(label) and (further or not is_further(label))]
    c3d["data"]["points"] = c3d["data"]["points"][:, kept]
    for name, values in c3d["data"]["meta_points"].items():
        c3d["data"]["meta_points"][name] = values[:, kept]
    for name in [each for each in point if each.startswith(("LABELS", "DESCRIPTIONS"))]:
        if name in ("LABELS", "DESCRIPTIONS"):
            point[name]["value"] = [labels[i] for i in kept] if name == "LABELS" else [""] * len(kept)
        else:
            del point[name]


@dataclass(frozen=True, eq=False)
class Errors:
    """One draw of everything that is wrong with a session; millimetres, radians, standard deviations of events."""

    placed: Mapping[str, Array]
    tissue: Mapping[str, Array]
    widths: Mapping[str, float]
    plates: Sequence[tuple[Array, float]]
    events: Array

    @classmethod
    def drawn(cls, labels: Iterable[str], rng: np.random.Generator, scale: float) -> Errors:
        """Draw them; a scale of zero is the files as they are."""
        placed, tissue = {}, {}
        for label in sorted(set(labels)):
            _, place, skin = SIZES["markers"][without_side(label)]
            placed[label] = scale * rng.normal(0.0, 1.0, 3) * (SIZES["placement_mm"][place] if place else 0.0)
            tissue[label] = scale * SIZES["tissue_mm"][skin] / np.sqrt(2.0) * rng.normal(0.0, 1.0, (2, 3))
        widths = {side + name: scale * rng.normal(0.0, sd) for side in "LR" for name, sd in SIZES["width_mm"].items()}
        place_mm, yaw_rad = SIZES["plate"]["place_mm"], np.radians(SIZES["plate"]["yaw_deg"])
        plates = [(scale * rng.normal(0.0, place_mm, 3), float(scale * rng.normal(0.0, yaw_rad))) for _ in range(12)]
        return cls(placed, tissue, widths, plates, scale * rng.normal(0.0, 1.0, 200))


@dataclass(frozen=True, eq=False)
class Person:
    """Somebody's static trial and walk, and a norm for the scores."""

    name: str
    static_path: Path
    walk_path: Path
    norm: Path | None

    @cached_property
    def recordings(self) -> tuple[Recording, Recording]:
        """Static trial and walk."""
        static, walk = bid.read_c3d(self.static_path), bid.read_c3d(self.walk_path)
        model = bid.conventional_model(static)
        found = []
        for path, trial in ((self.static_path, static), (self.walk_path, walk)):
            motion = model.track(trial)
            to_isb = motion.model_axes.R_seg_isb
            axes = {part: each.frames.R_lab_seg @ to_isb[part[1]] for part, each in motion.motions.items() if part[1] in to_isb}
            angles = {s: np.stack([motion.joint_angles_rad[s, j][:, 0] for j in ("hip", "knee")], axis=1) for s in "LR"}
            x = {side: (q - np.nanmean(q, axis=0)) / np.nanstd(q, axis=0) for side, q in angles.items()}
            found.append(Recording(path, axes, x, tuple(filter(without_side, trial.markers.names))))
        return found[0], found[1]

    def altered(self, folder: Path, seed: Sequence[int], scale: float, *, further: bool = False) -> list[Path]:
        """Write both files with one draw of errors."""
        files = [folder / "static.c3d", folder / "walk.c3d"]
        labels = {label for recording in self.recordings for label in recording.labels}
        errors = Errors.drawn(labels, np.random.default_rng(seed), scale)
        for recording, out, moving in zip(self.recordings, files, (False, True), strict=True):
            recording.write(out, errors, moving=moving, further=further)
        return files

    def analysed(self, model: str, seed: Sequence[int], scale: float, **more: Any) -> Any:
        """The whole program on files with one draw of errors."""
        with tempfile.TemporaryDirectory() as folder:
            files = self.altered(Path(folder), seed, scale, further=model == FURTHER)
            norm = None if self.norm is None else f"{self.norm}.{MODELS[model]}.csv"
            return bid.analyse(files, static=files[0], model=MODELS[model], norm=norm, mix=("bandwidth",), **more)

    def drawn(self, model: str, number: int, scale: float, printed: Printed) -> dict[str, Array]:
        """What one draw makes of every value that was printed."""
        seed = (SEED, sum(map(ord, self.name)), number)
        return printed.of(self.analysed(model, seed, scale, uncertainty=False))


PEAK = ["side", "cycle", "variable", "component", "name"]
TIME_DISTANCE = ["side", "cycle", "parameter"]
SCORE = ["side", "score", "variable", "component"]


@dataclass(frozen=True, eq=False)
class Printed:
    """What the program prints of the files as they are: values, and their bands.

    ``cycles`` are side, number, start, end and foot off of each; ``curves`` (cycles, names, 101) and their ``sd`` without and with
    events; the others a value, a standard deviation or ends of each row of their table.
    """

    cycles: Sequence[tuple[str, int, float, float, float]]
    values: Mapping[str, Array]
    sd: Mapping[str, Array]
    keys: Mapping[str, Sequence[tuple[Any, ...]]]
    ends: Array

    @classmethod
    def by(cls, session: Any) -> Printed:
        """Read it off a session that was analysed with bands."""
        result = session.computed.trials[0]
        bands = [band for band in trial_tables.bands(result) if np.isfinite(band.cycle.foot_off_s)]
        cycles = [(str(b.cycle.side), b.cycle.number, b.cycle.start_s, b.cycle.end_s, b.cycle.foot_off_s) for b in bands]
        wanted = [tuple((name + ".").split(".")[:2]) for name in NAMES]
        order = [bands[0].names.index(name) for name in wanted]
        total = np.stack([band.total[order] for band in bands])
        tables = {
            "peaks": (session.peaks, PEAK),
            "spatiotemporal": (session.spatiotemporal, TIME_DISTANCE),
            "scores": (session.scores, SCORE),
        }
        keys = {name: list(table[columns].itertuples(index=False, name=None)) for name, (table, columns) in tables.items()}
        sd = {name: table["sd"].to_numpy(dtype=float) for name, (table, _) in tables.items() if len(table)}
        ends = session.scores[["low", "high"]].to_numpy(dtype=float) if len(session.scores) else np.zeros((0, 2))
        empty = cls(cycles, {}, {"curves": total, **sd}, keys, ends)
        values = empty.of(session)
        events = np.stack([
            np.stack([band.by_events(curve) for curve in own]) for band, own in zip(bands, values["curves"], strict=True)
        ])  # fmt: skip
        return cls(cycles, values, {**empty.sd, "own_cycles": np.hypot(total, events)}, keys, ends)

    def of(self, session: Any) -> dict[str, Array]:
        """The same values of another session; NaN where it has none."""
        tables = session.tables()
        frames = tables.frames[session.computed.trials[0].name]
        time_s = frames["time"].to_numpy()
        curves = [
            [np.interp(start + PERCENT * (end - start), time_s, frames[side + name].to_numpy(dtype=float)) for name in NAMES]
            for side, _, start, end, _ in self.cycles
        ]  # fmt: skip
        table = tables.cycles
        own = np.full((len(self.cycles), len(NAMES), 101), np.nan)
        grouped = {
            key: of_key["value"].to_numpy() for key, of_key in table.groupby(["side", "cycle", "variable", "component"], sort=False)
        }
        for i, (side, number, *_) in enumerate(self.cycles):
            for j, name in enumerate(NAMES):
                variable, _, component = name.partition(".")
                curve = grouped.get((side, number, variable, component))
                if curve is not None and len(curve) == 101:
                    own[i, j] = curve
        found = {"curves": np.array(curves), "own_cycles": own}
        for name, keys in self.keys.items():
            columns = {"peaks": PEAK, "spatiotemporal": TIME_DISTANCE, "scores": SCORE}[name]
            rows = getattr(tables, name)
            value = dict(zip(rows[columns].itertuples(index=False, name=None), rows["value"], strict=True))
            found[name] = np.array([value.get(key, np.nan) for key in keys], dtype=float)
        return found


def virtual(folder: Path, *, scored: bool = True) -> Person:
    """The virtual adult, a plate under every step; where it is scored, against a smaller adult and a child of the same kind."""
    from biomech_id.sample.c3d import write_c3d

    def written(person: Any, name: str) -> list[Path]:
        (folder / name).mkdir(parents=True, exist_ok=True)
        samples = (person.static("static"), person.walk("walk"))
        return [write_c3d(sample, folder / name / f"{sample.trial.name}.c3d") for sample in samples]

    others = [
        bid.virtual_subject(body="child", plates="steps", code="C"),
        bid.virtual_subject(plates="steps", height_m=1.66, code="A"),
    ]
    norm = folder / "virtual_norm" if scored else None
    if norm:
        _write_norms([written(other, f"norm{i}") for i, other in enumerate(others)], norm)
    static, walk = written(bid.virtual_subject(plates="steps"), VIRTUAL)
    return Person(VIRTUAL, static, walk, norm)


def child(shared: Path, name: str, norm: Path) -> Person:
    """A child of the recordings."""
    folder = shared / "c3d" / "children" / name
    return Person(name, _static(folder), folder / f"{CHILDREN[name]}.c3d", norm)


def children_norm(shared: Path, out: Path) -> Path:
    """A norm of the other children."""
    folders = [(shared / "c3d" / "children" / name, walk) for name, walk in NORM_OF.items()]
    _write_norms([[_static(folder), folder / f"{walk}.c3d"] for folder, walk in folders], out)
    return out


def _static(folder: Path) -> Path:
    return min(folder.glob("*.c3d"))


def _write_norms(files: Sequence[Sequence[Path]], out: Path) -> None:
    for model in dict.fromkeys(MODELS.values()):
        sessions = [bid.analyse(each, static=each[0], model=model, uncertainty=False).tables() for each in files]
        norm = norm_from_sessions(sessions, source="coverage study", mix=("bandwidth",))
        wanted = [name in GAIT_VARIABLES for name in zip(norm["variable"], norm["component"], strict=True)]
        write_norm(norm[wanted].reset_index(drop=True), Path(f"{out}.{model}.csv"))


@dataclass(frozen=True)
class Group:
    """Draws of one person by one model with all sizes times a factor."""

    person: str
    model: str
    scale: float

    @property
    def folder(self) -> str:
        """Where its draws are kept."""
        return f"{self.person}.{self.model}.{self.scale:g}"


def plan(people: Sequence[str]) -> Iterator[tuple[Group, int]]:
    """Every draw in the order of making them: wherever it is interrupted, all groups have about as many."""
    for number in range(N_VIRTUAL):
        for person in people:
            for model in MODELS:
                for scale in SCALES:
                    if _is_due(person, model, scale, number):
                        yield Group(person, model, scale), number


def _is_due(person: str, model: str, scale: float, number: int) -> bool:
    """Every fifth draw is made with smaller and with larger errors as well; the first fifth with the children's further markers."""
    last = N_VIRTUAL if person == VIRTUAL else N_CHILD
    if model == FURTHER:
        return person != VIRTUAL and scale == 1.0 and number < last // SCALED_EVERY
    return number < last and (scale == 1.0 or number % SCALED_EVERY == 0)


def make_draws(people: Mapping[str, Person], out: Path, *, most: int | None = None) -> None:
    """Make the draws that are not there yet."""
    printed: dict[tuple[str, str], Printed] = {}
    made = 0
    for group, number in plan(list(people)):
        file = out / group.folder / f"{number:04d}.npz"
        if file.exists():
            continue
        if made == most:
            return
        key = group.person, group.model
        if key not in printed:
            printed[key] = as_they_are(people[group.person], group.model)
        drawn = people[group.person].drawn(group.model, number, group.scale, printed[key])
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez(file.with_suffix(".part.npz"), **drawn)  # type: ignore[arg-type]
        file.with_suffix(".part.npz").replace(file)
        made += 1


def as_they_are(person: Person, model: str) -> Printed:
    """What is printed of the files as they are, with their bands."""
    return Printed.by(person.analysed(model, (SEED,), 0.0, error_sizes=OFF))


def kept_draws(group: Group, out: Path) -> list[dict[str, Array]]:
    """The draws of a group that are there."""
    files = sorted(path for path in (out / group.folder).glob("*.npz") if ".part" not in path.name)
    return [dict(np.load(path)) for path in files]


@dataclass(frozen=True)
class Cell:
    """One quantity of one person by one model: how often its band holds, percent, and printed over observed spread."""

    quantity: str
    what: str
    phase: str
    coverage: float
    ratio: float
    observed: float


def cells(printed: Printed, draws: Sequence[dict[str, Array]]) -> list[Cell]:
    """Coverage of everything."""
    return [*_curve_cells(printed, draws), *_value_cells(printed, draws)]


def _curve_cells(printed: Printed, draws: Sequence[dict[str, Array]]) -> Iterator[Cell]:
    foot_off = np.array([(off - start) / (end - start) for _, _, start, end, off in printed.cycles])
    stance = foot_off[:, None] >= PERCENT
    for which in ("curves", "own_cycles"):
        off = np.stack([drawn[which] for drawn in draws]) - printed.values[which]
        for j, name in enumerate(NAMES):
            sd = printed.sd[which][:, j]
            kind = "angle" if name.split(".")[0] in ANGLES else "power" if name in POWERS else "moment"
            for phase, mask in (("stance", stance), ("swing", ~stance)):
                here = mask & np.isfinite(sd)
                change = off[:, :, j][:, here]
                known = np.isfinite(change)
                if not known.any():
                    continue
                held = 100.0 * float(np.mean(np.abs(change) <= BAND * sd[here], where=known))
                observed = float(np.sqrt(np.nanmean(change**2)))
                ratio = float(np.sqrt(np.mean(sd[here] ** 2))) / observed if observed else float("nan")
                yield Cell(name, kind if which == "curves" else f"{kind}, with events", phase, held, ratio, observed)


def _value_cells(printed: Printed, draws: Sequence[dict[str, Array]]) -> Iterator[Cell]:
    for name, keys in printed.keys.items():
        groups: dict[str, list[int]] = {}
        for i, key in enumerate(keys):
            if np.isfinite(printed.sd[name][i]):
                groups.setdefault(_called(name, key), []).append(i)
        off = np.stack([drawn[name] for drawn in draws])
        for called, rows in groups.items():
            change = off[:, rows] - printed.values[name][rows]
            sd = printed.sd[name][rows]
            known = np.isfinite(change)
            if name == "scores":
                ends = printed.ends[rows]
                inside = (off[:, rows] >= ends[:, 0]) & (off[:, rows] <= ends[:, 1])
                # Errors make scores larger on average; a spread is about that.
                change = change - np.nanmean(change, axis=0)
            else:
                inside = np.abs(change) <= BAND * sd
            if known.any():
                observed = float(np.sqrt(np.nanmean(change**2)))
                ratio = float(np.sqrt(np.mean(sd**2))) / observed if observed else float("nan")
                yield Cell(called, name, "", 100.0 * float(np.mean(inside, where=known)), ratio, observed)


def _called(table: str, key: tuple[Any, ...]) -> str:
    if table == "peaks":
        _, _, variable, component, name = key
        return f"{name}" if len(str(name)) == 2 else f"{variable}.{component} {name}".replace(". ", " ")
    return str(key[2]) if table == "spatiotemporal" else " ".join(map(str, key[1:])).strip()


#: Kind and phase -> least and largest coverage of each cell, percent.
GATES: Mapping[tuple[str, str], tuple[float, float]] = {
    **{(kind, "stance"): (91.0, 98.5) for kind in ("angle", "moment", "power")},
    **{(kind, "swing"): (90.0, 99.0) for kind in ("angle", "moment", "power")},
    ("power peaks", ""): (88.0, 100.0), ("work", ""): (88.0, 100.0), ("spatiotemporal", ""): (88.0, 100.0),
    ("scores", ""): (90.0, 99.0),
}  # fmt: skip
RATIO_GATE = (0.85, 1.15)
HEADS = ("person", "model", "draws", "what", "phase", "cells", "coverage, %: least", "mean", "median", "largest",
         "printed over observed: least", "median", "largest", "gate, %", "cells outside")  # fmt: skip


def kind_of(cell: Cell) -> tuple[str, str]:
    """Which line of the table a cell belongs to: bursts of power, and work, apart from other peaks."""
    if cell.what != "peaks":
        return cell.what, cell.phase
    return ("power peaks" if len(cell.quantity) == 2 else "work" if " work_" in cell.quantity else "peaks"), cell.phase


def by_kind(found: Iterable[Cell]) -> dict[tuple[str, str], list[Cell]]:
    """Cells of each line."""
    kinds: dict[tuple[str, str], list[Cell]] = {}
    for cell in found:
        kinds.setdefault(kind_of(cell), []).append(cell)
    return kinds


def outside(cell: Cell) -> bool:
    """Whether the gate of its kind is missed."""
    gate = GATES.get(kind_of(cell))
    return gate is not None and not gate[0] <= cell.coverage <= gate[1]


def off_ratio(cell: Cell) -> bool:
    """Whether the printed spread of a cell is not the observed one, where that is large enough to say so."""
    least = LEAST.get(cell.what)
    return least is not None and cell.observed >= least and not RATIO_GATE[0] <= cell.ratio <= RATIO_GATE[1]


def line(group: Group, n: int, kind: tuple[str, str], of_kind: Sequence[Cell]) -> str:
    """A line of the table."""
    coverage = np.array([cell.coverage for cell in of_kind])
    ratio = np.array([cell.ratio for cell in of_kind if cell.observed >= LEAST.get(cell.what, 0.0) and np.isfinite(cell.ratio)])
    gate = GATES.get(kind)
    ratios = [f"{f(ratio):.2f}" for f in (np.min, np.median, np.max)] if len(ratio) else ["-"] * 3
    missed = [cell for cell in of_kind if outside(cell)]
    cells_ = (
        group.person, group.model, str(n), kind[0], kind[1] or "-", str(len(of_kind)),
        *(f"{f(coverage):.1f}" for f in (np.min, np.mean, np.median, np.max)), *ratios,
        f"{gate[0]:g} to {gate[1]:g}" if gate else "-", str(len(missed)) if gate else "-",
    )  # fmt: skip
    return "| " + " | ".join(cells_) + " |"


def table(judged: Sequence[tuple[Group, int, Sequence[Cell]]]) -> str:
    """The study's table as Markdown."""
    heads = ["| " + " | ".join(HEADS) + " |", "|" + "---|" * len(HEADS)]
    whole = [each for each in judged if each[0].scale == 1.0]
    drawn = ", ".join(f"{group.person} {group.model} {n}" for group, n, _ in whole)
    lines = ["# How often 95 % bands hold", "", f"biomech_id {__version__}; seed {SEED}; draws: {drawn}.", "",
             "Coverage: share of draws (of draws and percents, for curves) in which the value of the altered files lies within the "
             "band printed for the files as they are. Curves are cut between the events as they were; \"with events\" are the "
             "program's own cycles, held against band and events together. One draw is one error of a whole session: a cell "
             f"of {whole[0][1]} draws of two legs has a standard error of about "
             f"{100.0 * np.sqrt(0.05 * 0.95 / (2 * whole[0][1])):.1f} points.", "", *heads]  # fmt: skip
    for group, n, found in whole:
        lines += [line(group, n, kind, of_kind) for kind, of_kind in by_kind(found).items()]
    lines += ["", "## Cells outside their gate", ""]
    for group, _, found in whole:
        missed = [f"{c.quantity} {c.phase} {c.coverage:.1f} ({c.ratio:.2f})".replace("  ", " ") for c in found if outside(c)]
        wide = [f"{c.quantity} {c.phase} {c.ratio:.2f}" for c in found if off_ratio(c)]
        lines.append(f"- {group.person}, {group.model}: coverage (and printed over observed): {'; '.join(missed) or 'none'}. "
                     f"Spread outside {RATIO_GATE[0]} to {RATIO_GATE[1]}: {'; '.join(wide) or 'none'}.")  # fmt: skip
    kinds = list(GATES)
    lines += ["", "## Errors that are smaller or larger than the bands say", "", "Mean coverage of the cells of each kind, %.", "",
              "| person | model | sizes | draws | " + " | ".join(" ".join(kind).strip() for kind in kinds) + " |",
              "|" + "---|" * (4 + len(kinds))]  # fmt: skip
    for group, n, found in judged:
        if group.scale != 1.0:
            of = by_kind(found)
            means = [f"{np.mean([cell.coverage for cell in of[kind]]):.1f}" if kind in of else "-" for kind in kinds]
            lines.append(f"| {group.person} | {group.model} | x {group.scale:g} | {n} | " + " | ".join(means) + " |")
    return "\n".join(lines) + "\n"


def everybody(shared: Path, folder: Path) -> dict[str, Person]:
    """The virtual subject, and the children where recordings lie beside the project."""
    people = {VIRTUAL: virtual(folder)}
    if (shared / "c3d" / "children").is_dir():
        norm = children_norm(shared, folder / "children_norm")
        people |= {name: child(shared, name, norm) for name in CHILDREN}
    return people


def judged_groups(people: Mapping[str, Person], out: Path) -> list[tuple[Group, int, list[Cell]]]:
    """Every group that has draws."""
    printed: dict[tuple[str, str], Printed] = {}
    found = []
    for group in dict.fromkeys(group for group, _ in plan(list(people))):
        draws = kept_draws(group, out)
        key = group.person, group.model
        if draws:
            if key not in printed:
                printed[key] = as_they_are(people[group.person], group.model)
            found.append((group, len(draws), cells(printed[key], draws)))
    return sorted(found, key=lambda each: (each[0].scale != 1.0, each[0].scale))


def main(words: Sequence[str] = ()) -> int:
    """Make what draws are missing, write the table, and say whether every gate holds."""
    shared = Path(words[0]) if words else Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
    out = Path(os.environ.get("COVERAGE_DRAWS", ROOT / "build" / "coverage"))
    with tempfile.TemporaryDirectory() as folder:
        people = everybody(shared, Path(folder))
        make_draws(people, out)
        judged = judged_groups(people, out)
    TABLE.write_text(table(judged), encoding="utf-8", newline="\n")
    missed = sum(outside(cell) for group, _, found in judged if group.scale == 1.0 for cell in found)
    print(f"{missed} cells outside their gate")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
