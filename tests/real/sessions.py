"""Every session of the recordings beside the project, computed once for all tests of one run.

``sessions["children/HC036A"]`` is what `biomech-id run` said of that session and left behind: exit code, sentences, the folder, the
same as tables, and the values behind them. It is computed when the first test asks for it, and read back by every other test, in
whatever worker of the run it stands (pytest-xdist): sessions lie in a folder that all workers of a run share.

A session that cannot be run stands here too, with its refusal: a sentence like any other.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.judgement.check import check_file
from biomech_id.pipeline import run
from biomech_id.pipeline.stage.analysis import Analysis
from biomech_id.session import computed
from biomech_id.session import session as results
from biomech_id.session.folder.read_write import read_tables
from biomech_id.session.tables.session_tables import Tables

ROOT = Path(__file__).resolve().parents[2]
GAIT10 = ROOT / "pipelines" / "opensim"
#: Everything but the report, which `Computed.report` draws where a test wants it.
RECIPE: Mapping[str, Mapping[str, object]] = {"output": {"report": False}}
#: A worker that has not finished a session after this long has died (s); the slowest takes ten.
LONGEST_S = 300.0
SIX_DOF = ("--model", "six-dof")


@dataclass(frozen=True)
class Session:
    """One session as a laboratory would type it: paths below the folder of recordings, and further words of the command."""

    paths: tuple[str, ...]
    options: tuple[str, ...] = ()
    #: Options that name a file below the folder of recordings.
    files: tuple[tuple[str, str], ...] = ()
    recipe: Mapping[str, Mapping[str, object]] = field(default_factory=lambda: RECIPE)

    def words(self, shared: Path, out: Path, recipe: Path) -> list[str]:
        named = [word for option, file in self.files for word in (option, str(shared / file))]
        return ["run", *(str(shared / path) for path in self.paths), "-o", str(out), "--recipe", str(recipe), *self.options, *named]


def gait10() -> Session:
    markers = str(GAIT10 / "gait10-markers.toml")
    settings = {"model": {"model": "six-dof", "marker_set": markers}, "filter": {"marker_filter": "always", "cutoff_hz": 6.0}}
    return Session(("opensim/gait10dof18musc/ExperimentalData",), ("--mass", "72.6"), recipe={**RECIPE, **settings})


def alone(path: str, *options: str) -> Session:
    """A file of a folder that holds recordings of many people."""
    return Session((path,), options)


#: Sessions that are not found by looking into folders of subjects: the best command known for each.
NAMED: dict[str, Session] = {
    **{
        f"plug_in_gait/{walk}": Session((f"c3d/plug_in_gait/{static}.c3d", f"c3d/plug_in_gait/{walk}.c3d"))
        for static, walk in (
            ("PiG_Calibration-FlatFoot-One", "PiG_Motion-FlatFoot-One"), ("PiG_Calibration3_FF", "PiG_Motion3_FF"),
            ("PiG_Calibration3_FF_N18", "PiG_Motion3_FF_N18"), ("PiG_Calibration3_noFF", "PiG_Motion3_noFF"),
        )
    },
    "swaying_static": Session(("c3d/swaying_static",)),
    "knee_device/kad": Session(("c3d/knee_device/kad",)),
    "knee_device/kad_medial": Session(("c3d/knee_device/kad_medial",)),
    "opensim": Session(("c3d/opensim",), ("--mass", "70")),
    "walking": Session(("c3d/walking",)),
    "standing": alone("c3d/others/FunctionalStatic.c3d", *SIX_DOF, "--mass", "70"),
    "standing-conventional": alone("c3d/others/FunctionalStatic.c3d"),
    "pycgm": Session(("c3d/pycgm/Sample_2",)),
    "functional": Session(
        ("c3d/functional",), ("--static", "Test_func_anat"), (("--functional", "c3d/functional/Test_func_lhip.c3d"),),
    ),
    "functional-two-statics": Session(("c3d/functional",)),
    "helen_hayes": Session(("c3d/helen_hayes",)),
    "motionmonitor": Session(("c3d/motionmonitor",)),
    "leardini": Session(("c3d/leardini",)),
    "vcm": Session(("c3d/vcm",)),
    "treadmill_run": Session(("c3d/treadmill_run",)),
    "drop_jump": Session(("c3d/drop_jump",)),
    "five_walks_emg": Session(("c3d/five_walks_emg",)),
    "markerless": Session(("c3d/markerless",)),
    "opencap": Session(("c3d/markerless/opencap",)),
    "pose2sim": Session(("c3d/markerless/pose2sim",)),
    "emg": Session(("c3d/emg",)),
    "gait10": gait10(),
    **{f"vendors/{name}": alone(f"c3d/vendors/{name}.c3d") for name in ("BTS", "FP_Type3", "Optotrak", "Qualisys", "Vicon")},
    **{f"nimble/{name}": alone(f"c3d/nimble/{name}.c3d", *SIX_DOF) for name in ("JA1Gait35", "cmu_02_05", "squat")},
    "sprint": alone("c3d/others/ADemo1_rewrite_c3d_pc_integer.c3d"),
    "empty": alone("c3d/others/Empty.c3d"),
    **{
        f"labs_abroad/{name}": Session((f"c3d/labs_abroad/{name}",))
        for name in ("device_tuned_rotation", "examined_child", "sacrum_and_medials", "small_child")
    },
}  # fmt: skip


def find_sessions(shared: Path) -> dict[str, Session]:
    """Every session: the named ones, and each subject's folder of the two laboratories that recorded several people."""
    children = {f"children/{path.name}": Session((f"c3d/children/{path.name}",)) for path in folders(shared / "c3d" / "children")}
    # Nobody of these stood still for a static trial.
    walks = {
        f"norm_subjects/{path.name}": Session((f"c3d/norm_subjects/{path.name}",), SIX_DOF)
        for path in folders(shared / "c3d" / "norm_subjects")
    }
    own = {f"own/{path.name}": Session((str(path),)) for path in own_subjects()}
    return {**children, **walks, **NAMED, **own}


def own_subjects() -> list[Path]:
    """Further subjects' folders, named in BIOMECH_ID_SUBJECTS (separated as PATH is)."""
    return [Path(path) for path in os.environ.get("BIOMECH_ID_SUBJECTS", "").split(os.pathsep) if path]


def folders(parent: Path) -> list[Path]:
    return sorted(path for path in parent.iterdir() if path.is_dir()) if parent.is_dir() else []


@dataclass(frozen=True)
class Computed:
    """What came of one session.

    Attributes
    ----------
    name : str
        As in `find_sessions`.
    home : Path
        Where it lies: ``said.json``, and ``out`` where the session could be run, with the values beside it.
    """

    name: str
    home: Path

    @cached_property
    def said(self) -> dict[str, Any]:
        """Exit code, both streams, and the words of the command."""
        return dict(json.loads((self.home / "said.json").read_text(encoding="utf-8")))

    @property
    def exit_code(self) -> int:
        return int(self.said["exit_code"])

    @property
    def ran(self) -> bool:
        """Whether there are results."""
        return self.out.is_dir()

    @property
    def out(self) -> Path:
        """The folder of the results; nobody writes into it (copy it first)."""
        return self.home / "out"

    @property
    def refusal(self) -> str:
        """Why there are none: the last line of the error stream."""
        return "" if self.ran else self.said["stderr"].strip().splitlines()[-1]

    @cached_property
    def tables(self) -> Tables:
        """The results as read back from their folder."""
        return read_tables(self.out)

    @cached_property
    def session(self) -> results.Session:
        """The values behind them."""
        with (self.home / "result.pickle").open("rb") as file:
            session: results.Session = pickle.load(file)
        return session

    @property
    def result(self) -> computed.Computed:
        """These values by their older names."""
        return self.session.computed

    @property
    def report(self) -> Path:
        """The whole report, drawn when the first test asks for it."""
        from biomech_id.report.pdf import draw_report

        return once(self.home / "report", lambda folder: draw_report(self.tables, folder / "report.pdf")) / "report.pdf"


class Sessions(Mapping[str, Computed]):
    """Every session by name; computed when asked for, once for all workers of a run."""

    def __init__(self, shared: Path, folder: Path) -> None:
        self.shared, self.folder = shared, folder
        self.sessions = find_sessions(shared)
        self._computed: dict[str, Computed] = {}
        self._checked: dict[str, dict[str, Any]] = {}

    def __getitem__(self, name: str) -> Computed:
        if name not in self._computed:
            session = self.sessions[name]
            home = once(self.folder / name.replace("/", "-"), lambda folder: compute(session, self.shared, folder))
            self._computed[name] = Computed(name, home)
        return self._computed[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.sessions)

    def __len__(self) -> int:
        return len(self.sessions)

    def with_results(self) -> Iterator[Computed]:
        """Those that could be run."""
        return (computed for computed in self.values() if computed.ran)

    def checked(self, path: str) -> dict[str, Any]:
        """What `check --json` says of a file below the folder of recordings."""
        if not self._checked:
            self._checked = self._check_all()
        return self._checked[path]

    def checked_files(self) -> dict[str, dict[str, Any]]:
        """Path below the folder of recordings -> what `check --json` says, for every C3D file there."""
        self._checked = self._checked or self._check_all()
        return self._checked

    def _check_all(self) -> dict[str, dict[str, Any]]:
        def write(folder: Path) -> None:
            found = {path.relative_to(self.shared).as_posix(): json.loads(check_file(path, trust=True).to_json()) for path in c3d}
            (folder / "checked.json").write_text(json.dumps(found), encoding="utf-8")

        c3d = sorted(path for path in (self.shared / "c3d").rglob("*") if path.suffix.lower() == ".c3d")
        c3d = [path for path in c3d if "oxford_foot" not in path.parts]  # not checked yet
        home = once(self.folder / "checked", write)
        return dict(json.loads((home / "checked.json").read_text(encoding="utf-8")))


def compute(session: Session, shared: Path, home: Path) -> None:
    """Run a session as typed, and keep the values that its tables were made of."""
    kept: list[results.Session] = []
    analysed = run.analysed

    def keeping(*args: Any, **options: Any) -> Analysis:
        analysis = analysed(*args, **options)
        if analysis.session is not None:
            kept.append(analysis.session)
        return analysis

    recipe = home / "recipe.toml"
    recipe.write_text(toml(session.recipe), encoding="utf-8")
    words = session.words(shared, home / "out", recipe)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "analysed", keeping)
        result = CliRunner().invoke(app, words)
    if kept:
        (home / "result.pickle").write_bytes(pickle.dumps(plain(kept[0])))
    said = {"exit_code": result.exit_code, "stdout": result.stdout, "stderr": result.stderr, "words": words}
    (home / "said.json").write_text(json.dumps(said), encoding="utf-8")


def plain(session: results.Session) -> results.Session:
    """The values alone, without the tables that were made of them on the way, and without sources of error, which are functions."""
    return replace(session, movements=tuple(replace(trial, errors={}) for trial in session.movements))


def toml(tables: Mapping[str, Mapping[str, object]]) -> str:
    """Settings as a recipe file holds them: JSON's texts, numbers and booleans are TOML's too."""
    return "".join(
        f"[{table}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())
        for table, values in tables.items()
    )


def once(folder: Path, fill: Callable[[Path], object]) -> Path:
    """Return a folder that whoever comes first fills; the others wait for it, in this process or another."""
    while not folder.is_dir():
        with locked(folder.with_name(folder.name + ".lock")) as mine:
            if mine and not folder.is_dir():
                unfinished = folder.with_name(f"{folder.name}.{os.getpid()}")
                shutil.rmtree(unfinished, ignore_errors=True)
                unfinished.mkdir(parents=True)
                fill(unfinished)
                unfinished.rename(folder)
    return folder


@contextmanager
def locked(lock: Path) -> Iterator[bool]:
    """Whether the lock is ours; otherwise wait until it is free, or until whoever held it must have died."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    try:
        lock.touch(exist_ok=False)
    except FileExistsError:
        began = time.monotonic()
        while lock.exists():
            if time.monotonic() - began > LONGEST_S:
                lock.unlink(missing_ok=True)
            time.sleep(0.05)
        yield False
        return
    try:
        yield True
    finally:
        lock.unlink(missing_ok=True)
