"""How often 95 % bands above the pelvis hold what they should: markers moved at random in files, the whole program run on each.

``python -m benchmarks.studies.whole_body_coverage [SHARED]`` moves every marker of the whole body of the virtual subject and of a
child, on the wrong spot in static trial and walk and on skin that moves in the walk, widens knees and ankles, shifts and turns
plates and moves events, with sizes of ``coverage_sizes.toml``: 100 times each. Angles of trunk, head and arms, and parameters of
the whole body, are held against the bands printed for the files as they are, as in ``coverage.py``. The table lies beside this
module.

Errors that no file can hold are off on both sides: hip centres, masses and centres of mass, noise.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

import biomech_id as bid
from benchmarks.studies import coverage
from benchmarks.studies.coverage import (
    BAND,
    HEADS,
    OFF,
    PERCENT,
    ROOT,
    SEED,
    SIZES,
    VIRTUAL,
    Array,
    Cell,
    Group,
    by_kind,
    line,
    outside,
)
from biomech_id import __version__
from biomech_id.conventions import UPPER_BODY_TABLE
from biomech_id.session import trial_tables
from biomech_id.session.values.whole_body import WHOLE_BODY_PARAMETERS

TABLE = Path(__file__).with_suffix(".md")
N_DRAWS, MODEL = 100, "conventional"
CHILD = ("HC030A", "HC030A05")
NAMES = tuple((row.variable, row.component) for row in UPPER_BODY_TABLE if row.quantity == "angle")
ROWS: Mapping[str, Sequence[str]] = {**SIZES["markers"], **SIZES["body_markers"]}
NOT_IN_FILES = (*OFF, "upper_mass_percent = 0", "trunk_com_percent = 0")


def kind_of_marker(label: str) -> str:
    """A marker's label without its side, as ``coverage_sizes.toml`` has it; empty for one that no error is put on."""
    return next((name for name in (label, label[1:]) if name in ROWS and not coverage.is_further_row(ROWS[name])), "")


@dataclass(frozen=True, eq=False)
class Printed:
    """Cycles (side, number, times), angles and their SD (cycles, names, 101), parameters by their keys with their SD."""

    cycles: Sequence[tuple[str, int, float, float, float]]
    angles: Array
    angle_sd: Array
    keys: Sequence[tuple[str, int, str]]
    parameters: Array
    parameter_sd: Array


@dataclass(frozen=True)
class Whole:
    """Somebody with markers from head to foot."""

    name: str
    static_path: Path
    walk_path: Path

    @cached_property
    def axes(self) -> list[Mapping[str, tuple[Array, Array]]]:
        """Of static trial and walk: label -> axes that it moves along (n, 3, 3), and what its skin moves with (n, 2)."""
        static = bid.read_c3d(self.static_path)
        model, found = bid.conventional_model(static), []
        for trial in (static, bid.read_c3d(self.walk_path)):
            motion = model.track(trial)
            angles = {s: np.stack([motion.joint_angles_rad[s, j][:, 0] for j in ("hip", "knee")], axis=1) for s in "LR"}
            x = {side: (q - np.nanmean(q, axis=0)) / np.nanstd(q, axis=0) for side, q in angles.items()}
            of_label = {}
            for label in filter(kind_of_marker, trial.markers.names):
                segment = ROWS[kind_of_marker(label)][0]
                part = ("" if segment in ("pelvis", "thorax", "head") else label[0], segment)
                R = motion.motions[part].frames.R_lab_seg
                R = R @ motion.model_axes.R_seg_isb[segment] if segment in motion.model_axes.R_seg_isb else R
                of_label[label] = R, x[label[0] if segment in ("thigh", "shank", "foot") else "L"]
            found.append(of_label)
        return found

    def altered(self, folder: Path, number: int, scale: float) -> list[Path]:
        """Write both files with one draw of errors."""
        rng = np.random.default_rng((SEED, sum(map(ord, self.name)), number))
        labels = sorted(set().union(*self.axes))
        placed, tissue = {}, {}
        for label in labels:
            _, place, skin = ROWS[kind_of_marker(label)]
            placed[label] = scale * rng.normal(0.0, 1.0, 3) * (SIZES["placement_mm"][place] if place else 0.0)
            tissue[label] = scale * SIZES["tissue_mm"][skin] / np.sqrt(2.0) * rng.normal(0.0, 1.0, (2, 3))
        further = coverage.Errors.drawn((), rng, scale)
        files = [folder / "static.c3d", folder / "walk.c3d"]
        for path, out, of_label, moving in zip((self.static_path, self.walk_path), files, self.axes, (False, True), strict=True):
            import ezc3d

            c3d = ezc3d.c3d(str(path))
            names = c3d["parameters"]["POINT"]["LABELS"]["value"]
            for label, (R, x) in of_label.items():
                shift = placed[label] + (x @ tissue[label] if moving else 0.0)
                moved = np.einsum("nij,nj->in", R, np.broadcast_to(shift, (len(R), 3)))
                c3d["data"]["points"][:3, names.index(label)] += np.where(np.isfinite(moved), moved, 0.0)
            coverage.alter_further(c3d, further, moving=moving)
            c3d.write(str(out))
        return files

    def analysed(self, number: int, scale: float, **more: Any) -> Any:
        """The whole program on files with one draw of errors."""
        with tempfile.TemporaryDirectory() as folder:
            files = self.altered(Path(folder), number, scale)
            return bid.analyse(files, static=files[0], model=MODEL, **more)

    def printed(self) -> Printed:
        """What the program prints of the files as they are."""
        session = self.analysed(0, 0.0, error_sizes=NOT_IN_FILES)
        result, tables = session.computed.trials[0], session.tables()
        uppers = [band.upper for band in trial_tables.bands(result) if band.upper and np.isfinite(band.cycle.foot_off_s)]
        cycles = [(str(b.cycle.side), b.cycle.number, b.cycle.start_s, b.cycle.end_s, b.cycle.foot_off_s) for b in uppers]
        table = tables.spatiotemporal
        known = table[table["parameter"].str.startswith(WHOLE_BODY_PARAMETERS) & table["sd"].notna()]
        keys = list(known[["side", "cycle", "parameter"]].itertuples(index=False, name=None))
        sd = np.stack([band.total[[band.names.index(name) for name in NAMES]] for band in uppers])
        values = known["value"].to_numpy(dtype=float), known["sd"].to_numpy(dtype=float)
        return Printed(cycles, _angles(session, cycles), sd, keys, *values)

    def drawn(self, number: int, printed: Printed, scale: float = 1.0) -> tuple[Array, Array]:
        """Angles (cycles, names, 101) and parameters of one draw."""
        session = self.analysed(number, scale, uncertainty=False)
        rows = session.tables().spatiotemporal
        value = dict(zip(rows[["side", "cycle", "parameter"]].itertuples(index=False, name=None), rows["value"], strict=True))
        return _angles(session, printed.cycles), np.array([value.get(key, np.nan) for key in printed.keys], dtype=float)


def _angles(session: Any, cycles: Sequence[tuple[str, int, float, float, float]]) -> Array:
    frames = session.tables().frames[session.computed.trials[0].name]
    time_s = frames["time"].to_numpy()
    columns = {side: [frames[f"{side}{name}.{axis}"].to_numpy(dtype=float) for name, axis in NAMES] for side in "LR"}
    return np.array([
        [np.interp(start + PERCENT * (end - start), time_s, column) for column in columns[side]]
        for side, _, start, end, _ in cycles
    ])  # fmt: skip


def cells(printed: Printed, draws: Sequence[tuple[Array, Array]]) -> list[Cell]:
    """Coverage of every angle in stance and swing, and of every parameter."""
    foot_off = np.array([(off - start) / (end - start) for *_, start, end, off in printed.cycles])
    stance = foot_off[:, None] >= PERCENT
    off = np.stack([angles for angles, _ in draws]) - printed.angles
    off = (off + 180.0) % 360.0 - 180.0
    found = []
    for j, (name, axis) in enumerate(NAMES):
        for phase, here in (("stance", stance), ("swing", ~stance)):
            found.append(_cell(f"{name}.{axis}", "angle", phase, off[:, :, j][:, here], printed.angle_sd[:, j][here]))
    change = np.stack([parameters for _, parameters in draws]) - printed.parameters
    for parameter in dict.fromkeys(key[2] for key in printed.keys):
        of = [i for i, key in enumerate(printed.keys) if key[2] == parameter]
        found.append(_cell(parameter, "spatiotemporal", "", change[:, of], printed.parameter_sd[of]))
    return found


def _cell(name: str, what: str, phase: str, change: Array, sd: Array) -> Cell:
    held = 100.0 * float(np.mean(np.abs(change) <= BAND * sd, where=np.isfinite(change)))
    observed = float(np.sqrt(np.nanmean(change**2)))
    return Cell(name, what, phase, held, float(np.sqrt(np.mean(sd**2))) / observed, observed)


def people(shared: Path, folder: Path) -> dict[str, Whole]:
    """The virtual subject, and the child where recordings lie beside the project."""
    from biomech_id.sample.c3d import write_c3d

    person = bid.virtual_subject(upper_body=True, plates="steps")
    samples = (person.static("static"), person.walk("walk"))
    files = [write_c3d(sample, folder / f"{sample.trial.name}.c3d") for sample in samples]
    everybody = {VIRTUAL: Whole(VIRTUAL, *files)}
    name, walk = CHILD
    of_child = shared / "c3d" / "children" / name
    if of_child.is_dir():
        everybody[name] = Whole(name, min(of_child.glob("*.c3d")), of_child / f"{walk}.c3d")
    return everybody


def table(judged: Mapping[str, Sequence[Cell]]) -> str:
    """The study's table as Markdown."""
    lines = ["# How often 95 % bands above the pelvis hold", "",
             f"biomech_id {__version__}; seed {SEED}; {N_DRAWS} draws of each person, {MODEL} model. Coverage: share of draws (of "
             "draws and percents, for angles) in which the value of the altered files lies within the band printed for the files "
             "as they are. One draw is one error of a whole session: a cell has a standard error of about "
             f"{100.0 * np.sqrt(0.05 * 0.95 / N_DRAWS):.1f} points.", "",
             "| " + " | ".join(HEADS) + " |", "|" + "---|" * len(HEADS)]  # fmt: skip
    for name, found in judged.items():
        lines += [line(Group(name, MODEL, 1.0), N_DRAWS, kind, of_kind) for kind, of_kind in by_kind(found).items()]
    lines += ["", "## Every angle and parameter", "", "Coverage, %; observed spread, deg or the parameter's unit (printed over "
              "observed).", "", "| quantity | " + " | ".join(judged) + " |", "|---|" + "---|" * len(judged)]  # fmt: skip
    of = {name: {f"{cell.quantity} {cell.phase}".strip(): cell for cell in found} for name, found in judged.items()}
    for quantity in dict.fromkeys(quantity for each in of.values() for quantity in each):
        shown = [each.get(quantity) for each in of.values()]
        lines.append(f"| {quantity} | " + " | ".join(
            "-" if cell is None else f"{cell.coverage:.1f}; {cell.observed:.3g} ({cell.ratio:.2f})" for cell in shown
        ) + " |")  # fmt: skip
    missed = [
        f"{name} {c.quantity} {c.phase} {c.coverage:.1f}".strip() for name, found in judged.items() for c in found if outside(c)
    ]
    return "\n".join([*lines, "", f"Outside the gate: {'; '.join(missed) or 'none'}.", ""])


def main(words: Sequence[str] = ()) -> int:
    """Make the draws, write the table, and say whether every gate holds."""
    shared = Path(words[0]) if words else Path(os.environ.get("BIOMECH_ID_SHARED", ROOT.parent / "shared"))
    judged = {}
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(2) as pool:
        for name, who in people(shared, Path(folder)).items():
            printed = who.printed()
            judged[name] = cells(printed, list(pool.map(partial(who.drawn, printed=printed), range(N_DRAWS))))
    TABLE.write_text(table(judged), encoding="utf-8", newline="\n")
    missed = sum(outside(cell) for found in judged.values() for cell in found)
    print(f"{missed} cells outside their gate")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
