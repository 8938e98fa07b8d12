"""Files from elsewhere name outputs as they please; nothing is written outside the folder that the user named."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import biomech_id as bid
from biomech_id.cli.app import app
from biomech_id.errors import BiomechError
from biomech_id.readers.opensim.storage import read_storage
from biomech_id.sample import virtual_subject, write_c3d

MODEL = """<OpenSimDocument Version="40000"><Model name="rod"><gravity>0 -9.80665 0</gravity>
<BodySet><objects><Body name="rod"><mass>2</mass><mass_center>0 -0.2 0</mass_center>
<inertia>0.02 0.01 0.02 0 0 0</inertia></Body></objects></BodySet>
<JointSet><objects><PinJoint name="top"><socket_parent_frame>ground_offset</socket_parent_frame>
<socket_child_frame>rod_offset</socket_child_frame>
<coordinates><Coordinate name="swing"><default_value>0</default_value><range>-3 3</range></Coordinate></coordinates>
<frames><PhysicalOffsetFrame name="ground_offset"><socket_parent>/ground</socket_parent></PhysicalOffsetFrame>
<PhysicalOffsetFrame name="rod_offset"><socket_parent>/bodyset/rod</socket_parent></PhysicalOffsetFrame></frames>
</PinJoint></objects></JointSet>
<MarkerSet><objects>
<Marker name="A"><socket_parent_frame>/bodyset/rod</socket_parent_frame>
<location>0.1 -0.2 0</location><fixed>false</fixed></Marker>
<Marker name="B"><socket_parent_frame>/bodyset/rod</socket_parent_frame>
<location>-0.1 -0.4 0.1</location><fixed>false</fixed></Marker>
</objects></MarkerSet></Model></OpenSimDocument>"""
TASKS = """<IKTaskSet><objects><IKMarkerTask name="A"><apply>true</apply><weight>1</weight></IKMarkerTask>
<IKMarkerTask name="B"><apply>true</apply><weight>1</weight></IKMarkerTask></objects></IKTaskSet>"""
MOTION = "swing\nversion=1\ninDegrees=yes\nendheader\ntime\tswing\n" + "".join(f"{k / 100}\t{5 + k * k}\n" for k in range(6))
TRC = "PathFileType\t4\t(X/Y/Z)\tw.trc\n" + "\n".join(
    (
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        "100\t100\t3\t2\tm\t100\t1\t3",
    )
    + ("Frame#\tTime\tA\t\t\tB\t\t", "\t\tX1\tY1\tZ1\tX2\tY2\tZ2", "")
    + tuple(f"{k + 1}\t{k / 100}\t0.1\t-0.2\t0\t-0.1\t-0.4\t0.1" for k in range(3))
)
SETUPS = {
    "id": """<OpenSimDocument><InverseDynamicsTool name="{name}"><results_directory>{results}</results_directory>
<model_file>rod.osim</model_file><forces_to_exclude>Muscles</forces_to_exclude><coordinates_file>swing.mot</coordinates_file><output_gen_force_file>{first}</output_gen_force_file>
<joints_to_report_body_forces>{joints}</joints_to_report_body_forces><output_body_forces_file>{second}</output_body_forces_file>
</InverseDynamicsTool></OpenSimDocument>""",
    "ik": """<OpenSimDocument><InverseKinematicsTool name="{name}"><results_directory>{results}</results_directory>
<model_file>rod.osim</model_file><marker_file>swing.trc</marker_file><output_motion_file>{first}</output_motion_file>
<report_marker_locations>true</report_marker_locations>"""
    + TASKS
    + "</InverseKinematicsTool></OpenSimDocument>",
    "scale": """<OpenSimDocument><ScaleTool name="{name}"><mass>2</mass>
<GenericModelMaker><model_file>rod.osim</model_file></GenericModelMaker>
<ModelScaler><apply>true</apply><scaling_order>manualScale</scaling_order><output_model_file>{first}</output_model_file>
<output_scale_file>{second}</output_scale_file></ModelScaler>
<MarkerPlacer><apply>true</apply><marker_file>swing.trc</marker_file><time_range>0 0.02</time_range>"""
    + TASKS
    + """<output_model_file>{third}</output_model_file><output_motion_file>{fourth}</output_motion_file>
<output_marker_file>{fifth}</output_marker_file></MarkerPlacer></ScaleTool></OpenSimDocument>""",
}
#: Names of this world that do no harm, for what a hostile setup leaves alone.
PLAIN = {
    "id": {"name": "id", "results": "", "first": "id.sto", "second": "forces.sto", "joints": ""},
    "ik": {"name": "ik", "results": "", "first": "ik.mot"},
    "scale": {"name": "s", "first": "a.osim", "second": "b.xml", "third": "c.osim", "fourth": "d.mot", "fifth": "e.xml"},
}
#: Tool, and what its setup says; {other} is a folder of somebody else, {home} the one above, both absolute.
HOSTILE_SETUPS: tuple[tuple[str, dict[str, str]], ...] = (
    ("id", {"first": "../.bashrc"}),
    ("id", {"first": "../notes.sto"}),
    ("id", {"first": "../../home/notes.sto"}),
    ("id", {"first": "{home}/notes.sto"}),
    ("id", {"first": "{home}/new.sto"}),
    ("id", {"first": "..\\notes.sto"}),
    ("id", {"first": "C:\\x\\..\\..\\..\\notes.sto"}),
    ("id", {"first": "C:..\\notes.sto"}),
    ("id", {"first": "\\\\server\\share\\..\\..\\..\\notes.sto"}),
    ("id", {"first": "link/notes.sto"}),
    ("id", {"first": "leads.sto"}),
    ("id", {"first": "lost.sto"}),
    ("id", {"first": ".."}),
    ("id", {"first": "sub/../../notes.sto"}),
    ("id", {"first": "./../other/new.sto"}),
    ("id", {"results": ".."}),
    ("id", {"results": "..", "first": "notes.sto"}),
    ("id", {"results": "..", "first": ".bashrc"}),
    ("id", {"results": "../other"}),
    ("id", {"results": "..\\other"}),
    ("id", {"results": "{other}"}),
    ("id", {"results": "{other}/new/deep"}),
    ("id", {"results": "link"}),
    ("id", {"results": "link/new"}),
    ("id", {"results": "sub/../../other"}),
    ("id", {"results": "C:\\..\\..\\other"}),
    ("id", {"joints": "All", "second": "../notes.sto"}),
    ("id", {"joints": "All", "second": "{other}/new.sto"}),
    ("ik", {"first": "../notes.sto"}),
    ("ik", {"results": "../other"}),
    ("ik", {"results": "link"}),
    ("ik", {"name": "../other/x"}),
    ("ik", {"name": "..\\other\\x"}),
    ("ik", {"name": "{other}/x"}),
    ("scale", {"first": "../theirs.osim"}),
    ("scale", {"first": "{other}/new.osim"}),
    ("scale", {"second": "..\\new.xml"}),
    ("scale", {"third": "link/new.osim"}),
    ("scale", {"fourth": "../notes.sto"}),
    ("scale", {"fifth": "../.bashrc"}),
)
#: What is there and no output of the setup: the user's own files beside it.
OVER_OWN = (
    ("id", {"first": "rod.osim"}),
    ("id", {"first": "swing.mot"}),
    ("id", {"first": "mine.sto"}),
    ("id", {"first": "sub/../mine.sto"}),
    ("id", {"results": "link/..", "first": "mine.sto"}),
    ("id", {"first": "setup.xml"}),
    ("id", {"first": "Makefile"}),
    ("id", {"results": ".git/hooks", "first": "mine.sto"}),
    ("id", {"first": "nul.sto"}),
    ("id", {"first": "x.sto:hidden.sto"}),
    ("ik", {"first": "swing.mot"}),
    ("ik", {"first": "swing.trc"}),
    ("scale", {"third": "rod.osim"}),
    ("scale", {"first": "x/a.osim", "third": "y/a.osim"}),
    ("scale", {"fifth": "setup.xml"}),
)


def contents(root: Path, *, without: tuple[Path, ...] = ()) -> dict[str, str]:
    """Every file, folder and link below a folder, with what it holds."""
    found = {}
    for path in sorted(root.rglob("*")):
        if any(path == left or left in path.parents for left in without):
            continue
        held = f"link {os.readlink(path)}" if path.is_symlink() else "folder" if path.is_dir() else path.read_bytes().hex()
        found[str(path.relative_to(root))] = held
    return found


def biomech_id(*words: str | Path) -> Result:
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def link(path: Path, target: Path) -> None:
    try:
        path.symlink_to(target)
    except OSError:  # Windows, without the right to make links
        pytest.skip("this system lets nobody make a link")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a shell's settings and somebody's work, and in it a folder with a setup's files, links among them."""
    home, case, other = tmp_path / "home", tmp_path / "home" / "case", tmp_path / "home" / "other"
    for folder in (case / "sub", other):
        folder.mkdir(parents=True)
    for path, text in (
        (home / ".bashrc", "alias ll=ls"), (home / "notes.sto", "notes"), (home / "theirs.osim", "<x/>"),
        (other / "notes.sto", "theirs"),
        (case / "rod.osim", MODEL), (case / "swing.mot", MOTION), (case / "swing.trc", TRC), (case / "mine.sto", "mine"),
    ):  # fmt: skip
        path.write_text(text, encoding="utf-8", newline="\n")
    link(case / "link", other)
    link(case / "leads.sto", other / "notes.sto")
    link(case / "lost.sto", other / "not_yet.sto")
    return home


def setup_in(home: Path, tool: str, changes: dict[str, str]) -> Path:
    asked = {key: value.format(other=home / "other", home=home) for key, value in changes.items()}
    path = home / "case" / "setup.xml"
    path.write_text(SETUPS[tool].format(**{**PLAIN[tool], **asked}), encoding="utf-8", newline="\n")
    return path


def what(case: object) -> str:
    return case if isinstance(case, str) else ", ".join(f"{key} {value}" for key, value in case.items())  # type: ignore[attr-defined]


@pytest.mark.parametrize("place", ["", "out"], ids=["where the setup says", "-o"])
@pytest.mark.parametrize(("tool", "changes"), HOSTILE_SETUPS + OVER_OWN, ids=what)
def test_a_setup_writes_nothing_elsewhere_and_over_nothing(tool: str, changes: dict[str, str], place: str, home: Path) -> None:
    setup = setup_in(home, tool, changes)
    before, out = contents(home.parent), home / (place or "case")
    result = biomech_id("opensim-run", setup, *(["-o", out] if place else []))
    after = contents(home.parent)
    assert {name: after.get(name) for name in before} == before
    new = [home.parent / name for name in set(after) - set(before)]
    assert all(out in path.parents or path == out for path in new), new
    assert not any(path.name.startswith(".") for path in new), new
    if result.exit_code == 1:
        # What is refused is refused as a whole, in a sentence with the name and with what to do.
        assert new == []
        cures = ("-o", "change it there", "remove the link", "give them other names")
        assert any(cure in result.stderr for cure in cures), result.stderr
    else:
        assert result.exit_code == (0 if place and "joints" not in changes else 3), result.output
        assert place or "-o names another folder" in result.output
        assert [path for path in new if path.is_file()]


@pytest.mark.parametrize("tool", SETUPS)
@pytest.mark.parametrize("place", [False, True])
def test_a_setup_replaces_what_it_wrote_and_nothing_that_was_touched(tool: str, place: bool, home: Path) -> None:
    setup = setup_in(home, tool, {"results": "opensim_results/walk"} if tool != "scale" else {})
    words = ("opensim-run", setup, *(("-o", home / "out") if place else ()))
    before = contents(home)
    first = biomech_id(*words)
    assert first.exit_code == 0, first.output
    after = contents(home)
    written = sorted(home / name for name in set(after) - set(before) if after[name] != "folder")
    folder = home / "out" if place else home / "case" / ("opensim_results/walk" if tool != "scale" else "")
    assert written
    beside = {home / "case"} if tool == "ik" and not place else set()  # its motion, whatever results_directory says
    assert {path.parent for path in written} == {folder} | beside
    # Again, and after everything has moved.
    assert biomech_id(*words).exit_code == 0
    assert contents(home) == after
    moved = home.rename(home.parent / "moved")
    words = tuple(str(word).replace(str(home), str(moved)) for word in words)
    assert biomech_id(*words).exit_code == 0
    assert contents(moved) == after
    # A setup of the same name for somebody else may not replace it, nor may this one once somebody has worked on it.
    twin = moved / "twin"
    shutil.copytree(
        moved / "case", twin, symlinks=True, ignore=shutil.ignore_patterns("*_results", *(path.name for path in written))
    )
    refused = biomech_id("opensim-run", twin / "setup.xml", "-o", moved / folder.relative_to(home))
    assert refused.exit_code == 1
    assert "is there already and is not what an earlier opensim-run of setup.xml wrote" in " ".join(refused.stderr.split())
    touched = moved / written[0].relative_to(home)
    touched.write_text(touched.read_text(encoding="utf-8").replace("0", "1", 1), encoding="utf-8", newline="\n")
    held = contents(moved)
    refused = biomech_id(*words)
    assert refused.exit_code == 1
    assert touched.name in refused.stderr
    assert "-o" in refused.stderr
    assert contents(moved) == held


def test_the_line_that_tells_whose_a_file_is_changes_no_number(home: Path) -> None:
    assert biomech_id("opensim-run", setup_in(home, "id", {}), "-o", home / "out").exit_code == 0
    table = read_storage(home / "out" / "id.sto")
    assert table.columns == ("swing_moment",)
    assert len(table.values) == 6
    assert [note.split()[:3] for note in table.notes] == [["written", "by", "biomech-id"]]


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings, and a session and a study made of them."""
    root = tmp_path_factory.mktemp("lab")
    person = virtual_subject(code="ben")
    (root / "study" / "group" / "ben").mkdir(parents=True)
    write_c3d(person.static("static"), root / "study" / "group" / "ben" / "static.c3d")
    write_c3d(person.walk("walk01"), root / "study" / "group" / "ben" / "walk01.c3d", model_outputs=True)
    (root / "quick.toml").write_text("[output]\nreport = false\nbudget = false\n", encoding="utf-8")
    words = ("--recipe", root / "quick.toml", "--workers", "1")
    assert biomech_id("batch", root / "study", "-o", root / "results", *words).exit_code in (0, 3)
    return root


@pytest.fixture
def lab(analysed: Path, tmp_path: Path) -> Path:
    lab = Path(shutil.copytree(analysed, tmp_path / "home" / "lab"))
    (tmp_path / "home" / ".bashrc").write_text("alias ll=ls", encoding="utf-8")
    (tmp_path / "home" / "notes.csv").write_text("notes", encoding="utf-8")
    return lab


def in_json(path: Path, change: Callable[[Any], None]) -> None:
    held = json.loads(path.read_text(encoding="utf-8"))
    change(held)
    path.write_text(json.dumps(held), encoding="utf-8")


def session_of(lab: Path) -> Path:
    return lab / "results" / "group" / "ben"


def trial_called(name: str) -> Callable[[Path], None]:
    def change(lab: Path) -> None:
        def rename(summary: Any) -> None:
            summary["trials"][0]["name"] = name.format(home=lab.parent)

        in_json(session_of(lab) / "summary.json", rename)

    return change


def manifest_says(key: str, value: Any) -> Callable[[Path], None]:
    return lambda lab: in_json(session_of(lab) / "manifest.json", lambda manifest: manifest.update({key: value}))


def subjects_called(name: str) -> Callable[[Path], None]:
    return lambda lab: in_json(lab / "results" / "study" / "study.json", lambda study: study.update(subjects=[name]))


def linked(name: str) -> Callable[[Path], None]:
    """A file of the session, or one it may get, that is a link to somebody's notes."""

    def change(lab: Path) -> None:
        path = session_of(lab) / name
        path.unlink(missing_ok=True)
        link(path, lab.parent / "notes.csv")

    return change


def manifest_elsewhere(lab: Path) -> None:
    path = session_of(lab) / "manifest.json"
    path.replace(lab.parent / "notes.csv")
    link(path, lab.parent / "notes.csv")


def in_subject(name: str, text: str) -> Callable[[Path], None]:
    def change(lab: Path) -> None:
        (lab / "study" / "group" / "ben" / name).write_text(text, encoding="utf-8")

    return change


def codes(code: str) -> Callable[[Path], None]:
    return lambda lab: (lab / "codes.csv").write_text(f"folder,code\ngroup/ben,{code}\n", encoding="utf-8") and None


def group_is_a_link(lab: Path) -> None:
    (lab.parent / "other").mkdir()
    (lab / "out").mkdir()
    link(lab / "out" / "group", lab.parent / "other")


RUN = ("run", "{lab}/study/group/ben", "-o", "{lab}/out/session", "--recipe", "{lab}/quick.toml")
BATCH = ("batch", "{lab}/study", "-o", "{lab}/out", "--recipe", "{lab}/quick.toml", "--workers", "1")
SESSION = "{lab}/results/group/ben"
AGAIN = ("reproduce", SESSION, "--input", "{lab}/study/group/ben")
#: What is hostile, what is typed, and below which folders that may write.
HOSTILE_FILES: dict[str, tuple[Callable[[Path], None], tuple[str, ...], tuple[str, ...]]] = {
    "report of a trial above": (trial_called("../../../../x"), ("report", SESSION), ("results/group/ben",)),
    "export of a trial above": (trial_called("../../../../notes"), ("export", SESSION, "-o", "{lab}/out.xlsx"), ("out.xlsx",)),
    "review of an absolute trial": (trial_called("{home}/notes"), ("review", SESSION, "-o", "{lab}/out.html"), ("out.html",)),
    "compare with a Windows trial": (trial_called("C:\\x"), ("compare", SESSION, SESSION, "-o", "{lab}/out.pdf"), ("out.pdf",)),
    "norm of a trial with backslashes": (trial_called("..\\..\\x"), ("norm", SESSION, "-o", "{lab}/norm.csv"), ("norm.csv",)),
    "parity of a trial above": (
        trial_called("../../x"), ("parity", SESSION, "{lab}/study/group/ben", "--report"), ("results/group/ben",)
    ),
    "report that is a link": (linked("report.pdf"), ("report", SESSION, "--pages", "quality"), ("results/group/ben",)),
    "manifest that is a link": (manifest_elsewhere, ("report", SESSION, "--pages", "quality"), ("results/group/ben",)),
    "plates of a trial above": (trial_called("../x"), ("plates", "{lab}/results", "-o", "{lab}/out.pdf"), ("out.pdf",)),
    "reproduce under a code above": (manifest_says("command", "biomech-id run . --code ../../../x"), AGAIN, ()),
    "reproduce under a Windows code": (manifest_says("command", "biomech-id run . --code 'C:\\x'"), AGAIN, ()),
    "reproduce of recordings above": (manifest_says("command", "biomech-id run ../ben/walk01.c3d ../ben/static.c3d"), AGAIN, ()),
    "reproduce with outputs above": (manifest_says("outputs", {"../../../../notes.csv": "0" * 64}), AGAIN, ()),
    "reproduce of a report drawn above": (manifest_says("drawn", {"norm": {"name": "../../../x", "sha256": ""}}), AGAIN, ()),
    "reproduce of a subject above": (
        subjects_called("../../x"), ("reproduce", "{lab}/results", "--input", "{lab}/study"), ()
    ),
    "reproduce of an absolute subject": (
        subjects_called("/x"), ("reproduce", "{lab}/results", "--input", "{lab}/study"), ()
    ),
    "run of a subject above": (in_subject("subject.toml", 'code = "../../../x"\n'), RUN, ("out",)),
    "run of a trial above in a review": (
        in_subject("review.toml", 'schema = 1\n[[comment]]\ntrial = "../../x"\ntime_s = 1.0\ntext = "x"\n'), RUN, ("out",)
    ),
    "run of a condition above": (in_subject("subject.toml", '[conditions]\n"walk01.c3d" ="../../x"\n'), RUN, ("out",)),
    "hand-over of a subject above": (
        in_subject("subject.toml", 'code = "../../../x"\n'), ("opensim", "{lab}/study/group/ben", "-o", "{lab}/out"), ("out",)
    ),
    "batch under a code above": (codes("../../x"), (*BATCH, "--codes", "{lab}/codes.csv"), ("out",)),
    "batch under a Windows code": (codes("..\\x"), (*BATCH, "--codes", "{lab}/codes.csv"), ("out",)),
    "batch under an absolute code": (codes("/tmp/x"), (*BATCH, "--codes", "{lab}/codes.csv"), ("out",)),
    "batch under the code of a device": (codes("nul"), (*BATCH, "--codes", "{lab}/codes.csv"), ("out",)),
    "batch through a link": (group_is_a_link, BATCH, ("out",)),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE_FILES)
def test_a_file_from_elsewhere_has_nothing_written_elsewhere(case: str, lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change, words, allowed = HOSTILE_FILES[case]
    change(lab)
    monkeypatch.chdir(lab)
    may = tuple(lab / name for name in allowed)
    before = contents(lab.parent.parent, without=may)
    biomech_id(*(word.format(lab=lab) for word in words))
    after = contents(lab.parent.parent, without=may)
    assert after == before


@pytest.mark.parametrize("name", ["../../x", "..\\x", "C:x", "/tmp/x", "..", "a/b"])
def test_a_trial_of_ones_own_is_called_by_a_name(name: str, tmp_path: Path) -> None:
    person = virtual_subject(code="ben")
    for key, trial in (("static", person.static("static")), ("walk01", person.walk("walk01"))):
        write_c3d(trial, tmp_path / f"{key}.c3d")
    walk = replace(bid.read_c3d(tmp_path / "walk01.c3d"), name=name, path="")
    before = contents(tmp_path)
    with pytest.raises(BiomechError, match="leads to another folder") as refused:
        bid.analyse([bid.read_c3d(tmp_path / "static.c3d"), walk])
    assert refused.value.value == name
    assert contents(tmp_path) == before


def test_a_session_read_back_is_written_where_it_is_to_be(lab: Path) -> None:
    """Its summary calls a trial by a place whose table is there."""
    trial_called("../../x")(lab)
    shutil.copy(session_of(lab) / "trials" / "walk01.csv", session_of(lab).parent / "x.csv")
    before = contents(lab)
    with pytest.raises(BiomechError, match=r"summary\.json is called '\.\./\.\./x', which is no name of a file"):
        bid.read_folder(session_of(lab)).write(lab / "copies" / "ben")
    assert contents(lab) == before
