"""What `check` prints first is enough: typed in one go its cures make `run` succeed, and its cycles are those that count."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.errors import typed

pytestmark = pytest.mark.real

SCREEN_LINES, WIDTH = 24, 100
#: What somebody who has the patient in front of them fills in: keys of subject.toml, and the mass of --mass.
MEASURED = {
    "mass_kg": "31.0", "leg_length_mm": "700.0", "knee_width_mm": "85.0", "ankle_width_mm": "58.0", "marker_diameter_mm": "14.0",
    "same_placement": "true",
}  # fmt: skip
#: Labels of parameters, and what of equal length stands in their place: nobody knows them any more.
FORGOTTEN = {"mass": (b"bodymass",), "widths": (b"kneewidth", b"anklewidth"), "legs": (b"leglength",)}


def forgetting(*what: str) -> Callable[[Path], None]:
    """Return what makes the files of a folder forget measurements."""

    def forget(folder: Path) -> None:
        for path in folder.glob("*.c3d"):
            content = path.read_bytes()
            for label in (label for each in what for label in FORGOTTEN[each]):
                content = re.sub(re.escape(label), lambda found: b"q" * len(found[0]), content, flags=re.IGNORECASE)
            path.write_bytes(content)

    return forget


def in_two_copies(name: str) -> Callable[[Path], None]:
    return lambda folder: shutil.copy(folder / f"{name}.c3d", folder / "stood_again.c3d")


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / f"{name}.c3d").unlink()


def both(*changes: Callable[[Path], None]) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        for each in changes:
            each(folder)

    return change


def as_they_are(folder: Path) -> None:
    """Nothing is taken away."""


#: Folders below the recordings, and what is done to a copy; True where nothing that is typed can make it run.
FOLDERS: Mapping[str, tuple[tuple[str, ...], Callable[[Path], object], bool]] = {
    "as it is": (("children/HC036A",), as_they_are, False),
    "without a mass": (("children/HC036A",), forgetting("mass"), False),
    "without widths": (("children/HC036A",), forgetting("widths"), False),
    "without widths and legs, two statics": (
        ("children/HC036A",), both(forgetting("widths", "legs"), in_two_copies("HC036A01")), False,
    ),
    "two people": (("children/HC036A", "children/HC030A"), as_they_are, False),
    "two people, two statics": (("children/HC036A", "children/HC030A"), in_two_copies("HC030A01"), False),
    "without a static": (("helen_hayes",), both(without("HHStatic"), without("HHStaticOneFrame")), False),
    "mass of no plate": (("labs_abroad/small_child",), forgetting("mass"), False),
    "a marker set that nobody knows": (("five_walks_emg",), as_they_are, False),
    "heels that nobody recorded": (("vcm",), as_they_are, True),
    "two statics of one day": (("functional",), as_they_are, False),
    "markers of OpenSim": (("markerless/opencap",), as_they_are, False),
    "jumps": (("drop_jump",), as_they_are, False),
}  # fmt: skip


#: Lacks that stand behind one another and are cured at once.
AT_ONCE = {"without widths and legs, two statics": ["static", "measurements"], "two people, two statics": ["subject", "static"]}


def typed_in(words: str) -> tuple[int, str]:
    """Exit code and output of a command as it is printed."""
    done = CliRunner().invoke(app, shlex.split(words)[1:])
    return done.exit_code, done.stdout


def fill_in(file: Path, keys: list[str]) -> None:
    """Write keys into a subject file, in place of the lines that a template has for them."""
    old = file.read_text(encoding="utf-8") if file.is_file() else ""
    kept = [line for line in old.splitlines() if not re.match(rf"#?\s*({'|'.join(keys)})\s*=", line)]
    file.write_text("\n".join([*(f"{key} = {MEASURED[key]}" for key in keys), *kept]), encoding="utf-8")


@pytest.mark.parametrize("name", FOLDERS)
def test_the_first_screen_is_enough(name: str, shared_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources, change, hopeless = FOLDERS[name]
    folder = tmp_path / "session"
    folder.mkdir()
    for source in sources:
        for path in sorted((shared_dir / "c3d" / source).iterdir()):
            if path.is_file():
                shutil.copyfile(path, folder / path.name)
    change(folder)
    monkeypatch.chdir(tmp_path)
    words = f"biomech-id check {typed(folder)}"
    code, screen = typed_in(words)
    told = json.loads(typed_in(f"{words} --json")[1].splitlines()[-1])
    # One screen: the verdict, the cycles, every cure; the exit code is the verdict's.
    assert code == {"runs": 0, "runs_with_warnings": 3, "lacks": 1}[told["verdict"]]
    assert sum(-(-len(line) // WIDTH) for line in screen.splitlines()) <= SCREEN_LINES, screen
    assert "cycles to expect" in screen
    assert [cure["lack"] for cure in told["cures"]] == AT_ONCE.get(name, [cure["lack"] for cure in told["cures"]])
    for cure in told["cures"]:
        ways = [*cure["options"][:1], *cure["keys"], *filter(None, [cure["command"]])]
        assert all(way in screen for way in ways or cure["names"] or ["nothing that is typed"]), (cure, screen)
    commands = re.findall(r"^  type: (.*)$", screen, re.MULTILINE)
    assert commands == told["commands"]
    assert (commands == []) == hopeless
    if hopeless:
        return
    # In one go: each command as it is printed, the keys of what is lacking filled in between.
    *before, run = commands
    for each in before:
        assert typed_in(each)[0] == 0
    lacking = [key for cure in told["cures"] for key in cure["keys"] if told["verdict"] == "lacks"]
    if lacking:
        fill_in(folder / "subject.toml", lacking)
    # What is printed runs; pages are drawn by other tests.
    code, said = typed_in(f"{run.replace('KG', MEASURED['mass_kg'])} --no-report")
    assert code in (0, 3), said
    assert str(tmp_path) not in (tmp_path / "OUT" / "summary.json").read_text(encoding="utf-8"), "results hold no absolute path"
    if told["verdict"] != "lacks":
        assert code == {"runs": 0, "runs_with_warnings": 3}[told["verdict"]]
    if not lacking:
        assert counted(tmp_path / "OUT") == told["cycles"]


def counted(out: Path) -> dict[str, dict[str, int]]:
    """Side -> cycles with and without kinetics that a session counts, from its summary."""
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    kinds = [kind for kind in ("straight", "run") if any(trial["kind"] == kind and trial["cycles"] for trial in summary["trials"])]
    trials = [trial for trial in summary["trials"] if trial["kind"] in kinds[:1]]
    found = {}
    for side in ("L", "R"):
        own = [cycle for trial in trials for cycle in trial["cycles"] if cycle["side"] == side]
        known = sum(cycle["kinetics"]["counts"] for cycle in own)
        every = sum(cycle["kinetics"]["counts"] or cycle["kinematics"]["counts"] for cycle in own)
        found[side] = {"with_kinetics": known, "without_kinetics": every - known}
    return found
