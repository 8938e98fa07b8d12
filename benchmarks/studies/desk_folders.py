"""Visits of a gait laboratory's morning, each with how it is to end, written down before anybody has driven it,
or marked where it was corrected afterwards.

`desk_morning` drives them in a browser, `desk_kills` ends the desk on one of them.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import ezc3d
import numpy as np

from benchmarks.studies.clinic_week import changed, exported_twice, one_strike_stored, plate_elsewhere
from benchmarks.studies.cut_gaps import ROOT, SHARED

DATA = ROOT / "data"
LAYERS = ("kinematics", "kinetics", "emg")


@dataclass(frozen=True)
class Folder:
    """One visit.

    Attributes
    ----------
    visit : str
        Patient and visit: its place below the archive.
    what : str
        What lies in it.
    make : Callable[[Path], None]
        Writes its recordings into an empty folder.
    cures : tuple[str, ...]
        Kinds of cures that are offered, no more and no fewer.
    layers : Mapping[str, str]
        Layer -> grades after the run that are right, with spaces between them and none in them.
    end : str
        Stage in which the visit ends: "signed", or "new" where it cannot be run.
    takes : Mapping[str, str]
        Cure -> the value that is chosen or typed.
    leaves : tuple[str, ...]
        Cures that are offered and help nobody here.
    corrected : bool
        Whether what was written down was wrong, and corrected after the visit had been driven once.
    decides : bool
        Whether an event is moved in the review, and the visit is run again.
    """

    visit: str
    what: str
    make: Callable[[Path], None]
    cures: tuple[str, ...] = ()
    layers: Mapping[str, str] = field(default_factory=dict)
    end: str = "signed"
    takes: Mapping[str, str] = field(default_factory=dict)
    leaves: tuple[str, ...] = ()
    corrected: bool = False
    decides: bool = False


def copied(folder: Path, source: Path, names: tuple[str, ...] = ()) -> None:
    """Copy the recordings of a folder, or some of them."""
    for path in [source / name for name in names] or sorted(source.glob("*.c3d")):
        shutil.copyfile(path, folder / path.name)


def shared(name: str, fault: Callable[[Path], None] = lambda _: None) -> Callable[[Path], None]:
    """Make a folder of the shared recordings, with a fault."""

    def make(folder: Path) -> None:
        copied(folder, SHARED / name)
        fault(folder)

    return make


def virtual(*names: str, fault: Callable[[Path], None] = lambda _: None) -> Callable[[Path], None]:
    """Make a folder of the virtual subject's recordings, with a fault."""

    def make(folder: Path) -> None:
        copied(folder, DATA, tuple(f"{name}.c3d" for name in names))
        fault(folder)

    return make


def two_statics_and_a_cut_file(folder: Path) -> None:
    """The static trial lies there under two names, and a walk ends after its first blocks."""
    shutil.copyfile(DATA / "static.c3d", folder / "standing.c3d")
    (folder / "walk02.c3d").write_bytes((DATA / "walk02.c3d").read_bytes()[:600])


def knee_for_ankle(folder: Path) -> None:
    """Somebody called the right knee ankle and the ankle knee, in one walk."""

    def exchange(file: ezc3d.c3d) -> None:
        names = file["parameters"]["POINT"]["LABELS"]["value"]
        at = [names.index(name) for name in ("RKNE", "RANK")]
        file["data"]["points"][:, at] = file["data"]["points"][:, at[::-1]]

    changed(folder / "walk01.c3d", exchange)


def channels_without_muscles(folder: Path) -> None:
    """The muscles' channels are called EMG 1, EMG 2, ..."""

    def rename(file: ezc3d.c3d) -> None:
        labels = file["parameters"]["ANALOG"]["LABELS"]["value"]
        muscles = [k for k, label in enumerate(labels) if label.startswith("EMG") or label.startswith(("L ", "R ", "L_", "R_"))]
        for number, k in enumerate(muscles, start=1):
            labels[k] = f"EMG {number}"

    for path in folder.glob("walk*.c3d"):
        changed(path, rename)


#: The virtual subject's markers and what each lies on, as the desk calls it.
PLACES = {
    f"{side}{label}": f"{side} {role}"
    for side in "LR"
    for label, role in {
        "ASI": "asis", "PSI": "psis", "THI": "thigh_wand", "KNE": "lateral_epicondyle", "TIB": "shank_wand",
        "ANK": "lateral_malleolus", "HEE": "heel", "TOE": "toe",
    }.items()
}  # fmt: skip
#: Labels that say nothing, as a camera system numbers them.
NUMBERED = {label: f"Q{7 * i + 3}" for i, label in enumerate(PLACES)}
FURTHER = 8


def numbered_markers(folder: Path) -> None:
    """Markers bear numbers, and further ones lie between them, so that neither words nor places say what they are."""

    def number(file: ezc3d.c3d) -> None:
        point, data = file["parameters"]["POINT"], file["data"]
        old, rng = point["LABELS"]["value"], np.random.default_rng(44)
        pairs = [rng.choice([old.index(label) for label in NUMBERED], 2, replace=False) for _ in range(FURTHER)]
        between = np.stack([0.3 * data["points"][:, a] + 0.7 * data["points"][:, b] for a, b in pairs], axis=1)
        data["points"] = np.concatenate([data["points"], between], axis=1)
        point["LABELS"]["value"] = [*(NUMBERED.get(label, label) for label in old), *(f"Q{900 + k}" for k in range(FURTHER))]
        point["DESCRIPTIONS"]["value"] = [""] * (len(old) + FURTHER)
        for kind, values in data["meta_points"].items():
            shape = (values.shape[0], FURTHER, values.shape[2])
            data["meta_points"][kind] = np.concatenate([values, np.zeros(shape, dtype=values.dtype)], axis=1)

    for path in folder.glob("*.c3d"):
        changed(path, number)


def one_strike_and_a_copy(folder: Path) -> None:
    """Each walk stores one strike a side, and the first lies there twice."""
    one_strike_stored(folder)
    exported_twice(folder)


USABLE = "accept warn"
#: What lies in each folder, and how a careful technician ends with it. Grades are what the recordings allow, not what a run gave.
FOLDERS = (
    Folder("virtual/2026-01", "two walks over two plates, eight muscles; an event is moved", virtual("static", "walk01", "walk02"),
           layers={"kinematics": "accept", "kinetics": "accept", "emg": USABLE}, decides=True),
    Folder("virtual/2026-07", "second visit: two files stand still, a walk is cut",
           virtual("static", "walk01", fault=two_statics_and_a_cut_file), ("static", "unreadable"),
           {"kinematics": "accept", "kinetics": "accept", "emg": USABLE}, takes={"static": "standing"}),
    Folder("exchanged/1", "knee called ankle and ankle knee in a walk", virtual("static", "walk01", "walk02", fault=knee_for_ankle),
           ("exchange",), {"kinematics": "warn", "kinetics": "warn", "emg": USABLE}, corrected=True),
    Folder("no static/1", "no static trial, no heels, no leg lengths", shared("vcm"), ("static", "marker-set", "measurements"),
           end="new"),
    Folder("child/1", "one strike a side stored, a walk exported twice", shared("children/HC030A", one_strike_and_a_copy),
           ("copies",), {"kinematics": "accept", "kinetics": "accept", "emg": "warn reject"}),
    Folder("child/2", "a plate typed in 60 mm off", shared("children/HC002D", plate_elsewhere),
           (), {"kinematics": USABLE, "kinetics": "warn reject", "emg": "warn reject"}),
    Folder("no plates/1", "Helen Hayes markers, no plates, no mass", shared("helen_hayes"), ("measurements", "mass"),
           {"kinematics": USABLE, "kinetics": "not-measured", "emg": "not-measured"}, takes={"mass": "70", "measurements": "14"}),
    Folder("unnamed EMG/1", "muscle channels called EMG 1 to EMG 8", virtual("static", "walk01", fault=channels_without_muscles),
           ("channels",), {"kinematics": "accept", "kinetics": "accept", "emg": USABLE}),
    Folder("own names/1", "26 markers of no known set, muscles", shared("five_walks_emg"), ("marker-set", "channels"),
           dict.fromkeys(LAYERS, "not-measured not-judged"), leaves=("marker-set",), corrected=True),
    Folder("belt/1", "a run on a belt, 42 steps a side", shared("treadmill_run"), ("measurements", "mass"),
           {"kinematics": USABLE, "kinetics": "warn reject", "emg": "not-measured"}, takes={"measurements": "14"}),
    Folder("jump/1", "three drop jumps and a walk", shared("drop_jump"), ("measurements", "mass"),
           {"kinematics": USABLE, "kinetics": "warn reject", "emg": "not-measured"}, takes={"measurements": "14"}),
    Folder("no mass/1", "nobody says the mass, nobody stands on a plate", shared("opensim"), ("mass",),
           {"kinematics": USABLE, "kinetics": USABLE, "emg": "not-measured"}, takes={"mass": "72.6"}),
    Folder("numbered/1", "markers of no known set, named one by one", virtual("static", "walk01", fault=numbered_markers),
           ("marker-set",), {"kinematics": USABLE, "kinetics": USABLE, "emg": USABLE}),
)  # fmt: skip
