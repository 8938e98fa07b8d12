"""A week of a gait laboratory: twenty sessions from the folder to the report, and what came of each.

``python -m benchmarks.studies.clinic_week [C3D_DIR]`` copies twenty folders of recordings (BIOMECH_ID_SHARED), thirteen as
they are and seven with what goes wrong in a week, types ``biomech-id run FOLDER -o OUT`` and reads nothing but the exit code, the
tables and whether there is a report. Each side's angles and its joint loads are one outcome:

- **right**: accepted, and within `LIMITS` of the truth; **doubtful**: shown with limits; **refused**: no mean of it, with a reason;
- **wrong**: accepted, and beyond them: the one outcome that nobody can see;
- **not compared**: accepted, and nothing in the recordings says what is right.

The truth of a folder as it is are the outputs that the vendor's software stored in the same files (hip, knee and ankle, sagittal,
each trial's RMS difference); of a folder with a fault, the means of the same folder without. Whoever has other recordings writes
another `WEEK`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import ezc3d
import numpy as np
from typer.testing import CliRunner

from benchmarks.studies.cut_gaps import SHARED
from biomech_id import __version__
from biomech_id.algebra.arrays import FloatArray
from biomech_id.cli.app import app
from biomech_id.conventions import SIDES, Aspect
from biomech_id.errors import BiomechError
from biomech_id.pipeline.parity import parity_of
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.tables.means import mean_curves
from biomech_id.session.tables.session_tables import Tables

TABLE = Path(__file__).with_suffix(".md")
OUTCOMES = ("right", "doubtful", "refused", "wrong", "not compared")
#: What a session is asked about, and how far from the truth is wrong: RMS (deg, N m/kg). Sessions of one person differ in flexion
#: by less than 5 degrees in most laboratories (McGinley et al. 2009, Gait Posture 29:360); 0.15 is a tenth of an ankle's largest
#: moment.
LAYERS = (Aspect.KINEMATICS, Aspect.KINETICS)
LIMITS: Mapping[Aspect, float] = {Aspect.KINEMATICS: 5.0, Aspect.KINETICS: 0.15}
CURVES: Mapping[Aspect, tuple[str, ...]] = {
    Aspect.KINEMATICS: ("HipAngles", "KneeAngles", "AnkleAngles"),
    Aspect.KINETICS: ("HipMoment", "KneeMoment", "AnkleMoment"),
}
#: Event labels of a foot that meets the floor.
STRIKES = ("Foot Strike",)


@dataclass(frozen=True)
class Visit:
    """One session: its folder below the recordings, and what goes wrong."""

    folder: str
    fault: str = ""
    change: Callable[[Path], None] = lambda _: None

    @property
    def name(self) -> str:
        return self.folder.rpartition("/")[2]


@dataclass(frozen=True)
class Came:
    """What came of a visit.

    Attributes
    ----------
    visit : Visit
        Which.
    exit_code : int
        Of `run`.
    report : bool
        Whether there is a report.
    cycles : tuple[int, ...]
        Cycles that count: left and right angles, left and right loads.
    outcomes : Mapping[tuple[Aspect, str], str]
        Layer and side -> one of `OUTCOMES`.
    findings, to_act_on : int
        Kinds of warnings and errors, and how many of them say what to do.
    """

    visit: Visit
    exit_code: int
    report: bool
    cycles: tuple[int, ...] = (0, 0, 0, 0)
    outcomes: Mapping[tuple[Aspect, str], str] | None = None
    findings: int = 1
    to_act_on: int = 1

    def count(self, outcome: str) -> int:
        """How many layers and sides came out so; a session that is refused refuses all four."""
        if self.outcomes is None:
            return 4 if outcome == "refused" else 0
        return sum(each == outcome for each in self.outcomes.values())


# What goes wrong in a week


def walks(folder: Path) -> list[Path]:
    """Recordings of a folder in which somebody walks: its files but the first, as the children's laboratory numbers them."""
    return sorted(folder.glob("*.c3d"))[1:]


def changed(path: Path, change: Callable[[ezc3d.c3d], None]) -> None:
    """Write a recording anew."""
    file = ezc3d.c3d(str(path))
    change(file)
    file.write(str(path))


def one_strike_stored(folder: Path) -> None:
    """Each walk stores the first strike of each side alone."""

    def forget(file: ezc3d.c3d) -> None:
        events = file["parameters"]["EVENT"]
        contexts, labels = (events[name]["value"] for name in ("CONTEXTS", "LABELS"))
        times = events["TIMES"]["value"]
        order = np.argsort(times[1])
        kept = [next((k for k in order if contexts[k] == side and labels[k] in STRIKES), None) for side in ("Left", "Right")]
        at = sorted(k for k in kept if k is not None)
        events["TIMES"]["value"] = times[:, at]
        for name in ("CONTEXTS", "LABELS", "SUBJECTS", "DESCRIPTIONS"):
            if name in events:
                events[name]["value"] = [events[name]["value"][k] for k in at]
        events["USED"]["value"] = np.array([len(at)])
        for name in ("ICON_IDS", "GENERIC_FLAGS"):
            events.pop(name, None)

    for path in walks(folder):
        changed(path, forget)


def labels_exchanged(folder: Path) -> None:
    """Heel and toe of the right foot in the first walk."""

    def exchange(file: ezc3d.c3d) -> None:
        names = file["parameters"]["POINT"]["LABELS"]["value"]
        at = [names.index(name) for name in ("RHEE", "RTOE")]
        file["data"]["points"][:, at] = file["data"]["points"][:, at[::-1]]

    changed(walks(folder)[0], exchange)


def cables_exchanged(folder: Path) -> None:
    """Fx and Fz of the first plate, in every walk."""

    def exchange(file: ezc3d.c3d) -> None:
        channels = file["parameters"]["FORCE_PLATFORM"]["CHANNEL"]["value"]
        channels[[0, 2], 0] = channels[[2, 0], 0].copy()

    for path in walks(folder):
        changed(path, exchange)


def exported_twice(folder: Path) -> None:
    """The first walk lies there under another name as well."""
    path = walks(folder)[0]
    shutil.copyfile(path, path.with_name(f"{path.stem}_export.c3d"))


def toe_hidden(folder: Path) -> None:
    """The right toe is not seen for half a second in the middle of the first walk."""

    def hide(file: ezc3d.c3d) -> None:
        names, points = file["parameters"]["POINT"]["LABELS"]["value"], file["data"]["points"]
        middle = points.shape[2] // 2
        frames = slice(middle, middle + round(0.5 * file["header"]["points"]["frame_rate"]))
        points[:3, names.index("RTOE"), frames] = np.nan
        file["data"]["meta_points"]["residuals"][0, names.index("RTOE"), frames] = -1.0

    changed(walks(folder)[0], hide)


def plate_elsewhere(folder: Path) -> None:
    """The corners of the first plate were typed in 60 mm off, in every walk."""

    def shift(file: ezc3d.c3d) -> None:
        file["parameters"]["FORCE_PLATFORM"]["CORNERS"]["value"][:2, :, 0] += 60.0 / np.sqrt(2.0)

    for path in walks(folder):
        changed(path, shift)


def leg_mistyped(folder: Path) -> None:
    """Somebody types a left leg 100 mm too short."""
    (folder / "subject.toml").write_text("leg_length_mm = { left = 751.0, right = 844.0 }\n", encoding="utf-8")


WEEK = (
    *(Visit(f"children/HC0{number}") for number in ("02D", "30A", "31A", "32A", "33A", "36A")),
    *(Visit(f"labs_abroad/{name}") for name in ("device_tuned_rotation", "examined_child", "sacrum_and_medials", "small_child")),
    *map(Visit, ("walking", "five_walks_emg", "leardini")),
    Visit("children/HC030A", "one strike a side is stored", one_strike_stored),
    Visit("children/HC031A", "heel and toe of the right foot exchanged in a walk", labels_exchanged),
    Visit("children/HC032A", "Fx and Fz of a plate exchanged", cables_exchanged),
    Visit("children/HC033A", "a toe unseen for half a second", toe_hidden),
    Visit("children/HC036A", "a walk exported twice", exported_twice),
    Visit("children/HC002D", "a plate 60 mm from where it stands", plate_elsewhere),
    Visit("labs_abroad/device_tuned_rotation", "the left leg typed in 100 mm too short", leg_mistyped),
)


# What came of it


def one_visit(visit: Visit, recordings: Path, home: Path) -> tuple[Came, Tables | None]:
    """Copy a folder, spoil it, run it, and read what is left behind; compared with stored outputs where it is as it was."""
    folder, out = home / visit.name, home / "results"
    shutil.copytree(recordings / visit.folder, folder)
    for path in folder.iterdir():
        path.chmod(0o644)
    visit.change(folder)
    code = CliRunner().invoke(app, ["run", str(folder), "-o", str(out)]).exit_code
    if not (out / "summary.json").is_file():
        return Came(visit, code, report=False), None
    tables = read_tables(out)
    stored = {} if visit.fault else differences_from_stored(out, folder)
    outcomes = {(layer, side): outcome(tables, layer, side, stored.get((layer, side))) for layer in LAYERS for side in SIDES}
    return Came(visit, code, (out / "report.pdf").is_file(), cycles_of(tables), outcomes, *findings_of(tables)), tables


def cycles_of(tables: Tables) -> tuple[int, ...]:
    """Cycles that count: left and right angles, left and right loads."""
    return tuple(int(tables.summary["verdicts"][layer][side]["cycles"]) for layer in LAYERS for side in SIDES)


def outcome(tables: Tables, layer: Aspect, side: str, apart: float | None) -> str:
    """Outcome of a layer and side that lies so far from the truth; None where nobody knows."""
    verdict = tables.summary["verdicts"][layer][side]
    if not verdict["cycles"]:
        return "refused"
    if verdict["verdict"] != "accept":
        return "doubtful"
    return "not compared" if apart is None else "right" if apart <= LIMITS[layer] else "wrong"


def differences_from_stored(out: Path, folder: Path) -> dict[tuple[Aspect, str], float]:
    """Largest RMS difference of a flexion or its moment from what the vendor's software stored, by layer and side."""
    try:
        rows = parity_of(out, folder)
    except BiomechError:
        return {}
    found: dict[tuple[Aspect, str], float] = {}
    for row in rows:
        for layer in LAYERS:
            if row.variable in CURVES[layer] and row.axis == "X" and np.isfinite(row.rmse):
                place = (layer, row.side)
                found[place] = max(found.get(place, 0.0), float(row.rmse))
    return found


def differences_of_means(tables: Tables, truth: Tables) -> dict[tuple[Aspect, str], float]:
    """Largest RMS difference of two sessions' mean flexions, or their moments, by layer and side."""
    ours, theirs = (mean_curves(each) for each in (tables, truth))
    found: dict[tuple[Aspect, str], float] = {}
    for condition in ours.keys() & theirs.keys():
        for side, layer in ((side, layer) for side in SIDES for layer in LAYERS):
            pairs = [
                (ours[condition][name], theirs[condition][name])
                for name in ((side, variable, "X") for variable in CURVES[layer])
                if name in ours[condition] and name in theirs[condition]
            ]
            if pairs:
                found[layer, side] = max(root_mean_square(one - other) for one, other in pairs)
    return found


def root_mean_square(values: FloatArray) -> float:
    """Of the values that are there."""
    return float(np.sqrt(np.nanmean(values**2)))


def findings_of(tables: Tables) -> tuple[int, int]:
    """Kinds of warnings and errors of a session and its trials, and how many say what to do."""
    every = [*tables.summary["findings"], *(finding for trial in tables.summary["trials"] for finding in trial["findings"])]
    told = {finding["rule"]: bool(finding["hint"]) for finding in every if finding["severity"] != "info"}
    return len(told), sum(told.values())


def week(recordings: Path, visits: Sequence[Visit] = WEEK) -> Iterator[Came]:
    """Every visit in turn; one with a fault after the same folder without, whose means are its truth."""
    truths: dict[str, Tables] = {}
    for visit in visits:
        with tempfile.TemporaryDirectory() as home:
            came, tables = one_visit(visit, recordings, Path(home))
        if tables is not None and not visit.fault:
            truths[visit.folder] = tables
        elif tables is not None and visit.folder in truths:
            apart = differences_of_means(tables, truths[visit.folder])
            outcomes = {place: outcome(tables, *place, apart.get(place)) for place in came.outcomes or {}}
            came = Came(visit, came.exit_code, came.report, came.cycles, outcomes, came.findings, came.to_act_on)
        yield came


def line(came: Came) -> str:
    """One row of the table."""
    cycles = "{} {}, {} {}".format(*came.cycles)
    counts = " | ".join(str(came.count(each)) for each in OUTCOMES)
    what = came.visit.fault or "as it is"
    said = f"{came.findings} ({came.to_act_on})"
    return f"| {came.visit.name} | {what} | {came.exit_code} | {'yes' if came.report else 'no'} | {cycles} | {counts} | {said} |"


def table(rows: Sequence[Came]) -> str:
    """The committed page."""
    total = Counter({each: sum(came.count(each) for came in rows) for each in OUTCOMES})
    reports, stopped = sum(came.report for came in rows), sum(came.exit_code not in (0, 3) for came in rows)
    sums = ", ".join(f"{total[each]} {each}" for each in OUTCOMES)
    degrees, moment = (f"{LIMITS[layer]:g}" for layer in LAYERS)
    head = (
        f"Version {__version__}, {len(rows)} sessions from folder to report: {reports} reports, {stopped} refused. "
        f"Of {sum(total.values())} outcomes (angles and joint loads of each side) {sums}."
    )
    notes = (
        "Cycles are those that count: left and right with angles, left and right with joint loads. Findings are kinds of warnings, "
        "in brackets how many say what to do. Wrong is what is accepted and lies beyond "
        f"{degrees} degrees or {moment} N m/kg (RMS) of the truth."
    )
    columns = f"| session | what goes wrong | exit | report | cycles | {' | '.join(OUTCOMES)} | findings |"
    rule = f"|{' --- |' * (6 + len(OUTCOMES))}"
    return "\n".join(["# A week of a gait laboratory", "", head, "", notes, "", columns, rule, *map(line, rows), ""])


def main(recordings: str | Path = SHARED) -> int:
    """Write the table; how many outcomes are wrong."""
    rows = []
    for came in week(Path(recordings)):
        rows.append(came)
        print(line(came), flush=True)
    TABLE.write_text(table(rows), encoding="utf-8")
    return sum(came.count("wrong") for came in rows)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
