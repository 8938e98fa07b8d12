"""A folder of OpenSim's setups: each with what it reads, whatever else is broken; resumed by content; the same bytes every time."""

from __future__ import annotations

import csv
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from biomech_id.cli.app import app
from biomech_id.errors import FileRefusedError, MissingInputError, OptionError
from biomech_id.osim.run import run_setup
from biomech_id.pipeline.study.setup_task import SetupVerdict
from biomech_id.pipeline.study.setups import run_setups
from biomech_id.session.values.step import Step

MODEL = """<OpenSimDocument Version="40000"><Model name="rod"><gravity>0 -9.80665 0</gravity>
<BodySet><objects><Body name="rod"><mass>2</mass><mass_center>0 -0.2 0</mass_center>
<inertia>0.02 0.01 0.02 0 0 0</inertia></Body></objects></BodySet>
<JointSet><objects><PinJoint name="top"><socket_parent_frame>ground_offset</socket_parent_frame>
<socket_child_frame>rod_offset</socket_child_frame>
<coordinates><Coordinate name="swing"><default_value>0</default_value><range>-3 3</range></Coordinate></coordinates>
<frames><PhysicalOffsetFrame name="ground_offset"><socket_parent>/ground</socket_parent></PhysicalOffsetFrame>
<PhysicalOffsetFrame name="rod_offset"><socket_parent>/bodyset/rod</socket_parent></PhysicalOffsetFrame></frames>
</PinJoint></objects></JointSet>
<MarkerSet><objects><Marker name="A"><socket_parent_frame>/bodyset/rod</socket_parent_frame><location>0.1 -0.2 0</location></Marker>
<Marker name="B"><socket_parent_frame>/bodyset/rod</socket_parent_frame><location>-0.1 -0.4 0</location></Marker>
</objects></MarkerSet></Model></OpenSimDocument>"""
SCALE = """<OpenSimDocument><ScaleTool name="rod"><mass>4</mass>
<GenericModelMaker><model_file>../rod.osim</model_file></GenericModelMaker>
<ModelScaler><scaling_order>manualScale</scaling_order><output_model_file>sized.osim</output_model_file></ModelScaler>
<MarkerPlacer><apply>false</apply></MarkerPlacer></ScaleTool></OpenSimDocument>"""
IK = """<OpenSimDocument><InverseKinematicsTool name="ik"><model_file>sized.osim</model_file><marker_file>{trc}</marker_file>
<output_motion_file>{out}</output_motion_file><report_errors>false</report_errors>
<IKTaskSet><objects><IKMarkerTask name="A"/><IKMarkerTask name="B"/></objects></IKTaskSet>
</InverseKinematicsTool></OpenSimDocument>"""
ID = """<OpenSimDocument><InverseDynamicsTool name="id"><model_file>sized.osim</model_file>
<forces_to_exclude>Muscles</forces_to_exclude><coordinates_file>{motion}</coordinates_file>
<output_gen_force_file>id.sto</output_gen_force_file></InverseDynamicsTool></OpenSimDocument>"""
ANNA = {
    "scale.xml": SCALE,
    "a_id.xml": ID.format(motion="ik.mot"),
    "ik.xml": IK.format(trc="swing.trc", out="ik.mot"),
    "broken.xml": "<OpenSimDocument><InverseKine",
    "rra.xml": "<OpenSimDocument><RRATool/></OpenSimDocument>",
    "lost_ik.xml": IK.format(trc="gone.trc", out="lost.mot"),
    "lost_id.xml": ID.format(motion="lost.mot"),
    "tasks.xml": "<OpenSimDocument><IKTaskSet/></OpenSimDocument>",
}


def trc(along_m: float) -> str:
    head = ("DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units", "OrigDataRate", "OrigDataStartFrame", "OrigNumFrames")
    lines = ("PathFileType\t4\t(X/Y/Z)\tw.trc", "\t".join(head), "100\t100\t9\t2\tm\t100\t1\t9", "Frame#\tTime\tA\t\t\tB\t\t")
    rows = (f"{k + 1}\t{k / 100}\t{0.1 + along_m * k}\t-0.2\t0\t-0.1\t-0.4\t0" for k in range(9))
    return "\n".join((*lines, "\t\tX1\tY1\tZ1\tX2\tY2\tZ2", "", *rows, ""))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One subject's setups, from scaling to moments; some cannot be run. No result is there yet."""
    anna = tmp_path / "study" / "anna"
    anna.mkdir(parents=True)
    for path, text in (
        (anna.parent / "rod.osim", MODEL),
        (anna / "swing.trc", trc(0.001)),
        *((anna / n, t) for n, t in ANNA.items()),
    ):
        path.write_text(text, encoding="utf-8", newline="\n")
    return anna.parent


def run(folder: Path, out: Path, *, resume: bool = False) -> dict[str, SetupVerdict]:
    with ThreadPoolExecutor(1) as executor:
        verdicts = run_setups(folder, out, resume=resume, executor=executor)
    assert [each.setup for each in verdicts] == sorted(each.setup for each in verdicts)
    return {each.setup.removeprefix("anna/"): each for each in verdicts}


def bytes_of(folder: Path) -> dict[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths if path.name != "seconds.csv"}


def test_every_setup_has_its_verdict_and_reads_what_others_made(folder: Path, tmp_path: Path) -> None:
    before = bytes_of(folder)
    verdicts = run(folder, tmp_path / "out")
    assert bytes_of(folder) == before
    assert {name: each.verdict for name, each in verdicts.items()} == {
        "a_id.xml": "done", "broken.xml": "failed", "ik.xml": "done", "lost_id.xml": "failed", "lost_ik.xml": "failed",
        "rra.xml": "left out", "scale.xml": "done",
    }  # fmt: skip
    assert verdicts["lost_id.xml"].sentence == "lost.mot, which it reads, is written by anna/lost_ik.xml, which failed."
    assert "RRATool" in verdicts["rra.xml"].sentence
    assert "gone.trc" in verdicts["lost_ik.xml"].sentence
    written = bytes_of(tmp_path / "out")
    assert {name for name in written if not name.endswith("manifest.json")} == {
        "anna/a_id/id.sto", "anna/ik/ik.mot", "anna/scale/sized.osim", "verdicts.csv",
    }  # fmt: skip
    with (tmp_path / "out" / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["setup"], row["tool"], row["verdict"]) for row in rows] == [
        (each.setup, each.tool, each.verdict) for each in verdicts.values()
    ]
    # Twice the mass is twice the moment: the model that was read is the scaled one.
    shutil.copy(folder / "rod.osim", folder / "anna" / "sized.osim")
    (folder / "anna" / "scale.xml").unlink()
    run(folder, tmp_path / "light")
    moment = [float((tmp_path / out / "anna/a_id/id.sto").read_text().split()[-1]) for out in ("out", "light")]
    assert moment[0] == pytest.approx(2.0 * moment[1])
    assert abs(moment[1]) > 0.01


def test_the_number_of_workers_changes_no_byte(folder: Path, tmp_path: Path) -> None:
    for workers in ("1", "2"):
        result = CliRunner().invoke(app, ["opensim-run", str(folder), "-o", str(tmp_path / f"out{workers}"), "--workers", workers])
        assert result.exit_code == 1, result.output
        assert "7 setups: 3 done, 1 left out, 3 failed." in result.output
    assert bytes_of(tmp_path / "out1") == bytes_of(tmp_path / "out2")
    with (tmp_path / "out1" / "seconds.csv").open(encoding="utf-8", newline="") as file:
        seconds = {row["setup"]: float(row["seconds"]) for row in csv.DictReader(file)}
    assert 0.0 < seconds["anna/ik.xml"] < 60.0


def test_resuming_runs_what_would_come_out_otherwise(folder: Path, tmp_path: Path) -> None:
    def kept() -> set[str]:
        verdicts = run(folder, tmp_path / "out", resume=True)
        assert {name for name, each in verdicts.items() if each.verdict == "done"} == {"a_id.xml", "ik.xml", "scale.xml"}
        return {name for name, each in verdicts.items() if each.kept}

    assert kept() == set()
    first = bytes_of(tmp_path / "out")
    # Newer, and the same content.
    (folder / "anna" / "swing.trc").touch()
    assert kept() == {"a_id.xml", "ik.xml", "scale.xml"}
    assert bytes_of(tmp_path / "out") == first
    # What follows from a changed recording is run again.
    (folder / "anna" / "swing.trc").write_text(trc(0.002), encoding="utf-8", newline="\n")
    assert kept() == {"scale.xml"}
    second = bytes_of(tmp_path / "out")
    assert {name for name in first if first[name] != second[name]} == {
        f"anna/{name}" for name in ("a_id/id.sto", "a_id/manifest.json", "ik/ik.mot", "ik/manifest.json")
    }
    # An edited result is nobody's input: it is made again, and what follows from it then is as it was.
    edited = tmp_path / "out" / "anna" / "ik" / "ik.mot"
    edited.write_text(edited.read_text(encoding="utf-8") + "\n", encoding="utf-8", newline="\n")
    assert kept() == {"a_id.xml", "scale.xml"}
    assert bytes_of(tmp_path / "out") == second
    # A setup of which nothing is left to be made by another reads what lies beside it.
    shutil.copy(edited, folder / "anna" / "ik.mot")
    (folder / "anna" / "ik.xml").unlink()
    verdicts = run(folder, tmp_path / "out", resume=True)
    assert not verdicts["a_id.xml"].kept


def test_nobodys_files_are_replaced(folder: Path, tmp_path: Path) -> None:
    notes = tmp_path / "out" / "anna" / "ik" / "notes.txt"
    notes.parent.mkdir(parents=True)
    notes.write_text("mine", encoding="utf-8")
    verdicts = run(folder, tmp_path / "out")
    assert {verdicts[name].verdict for name in ("ik.xml", "a_id.xml")} == {"failed"}
    assert [path.name for path in notes.parent.iterdir()] == ["notes.txt"]


def test_a_motion_lies_beside_its_setup_whatever_the_results_directory(folder: Path, tmp_path: Path) -> None:
    anna = folder / "anna"
    in_results = ANNA["ik.xml"].replace('"ik">', '"ik"><results_directory>results</results_directory>')
    (anna / "ik.xml").write_text(in_results, encoding="utf-8")
    (anna / "ik.mot").write_text("of another day", encoding="utf-8")
    assert run(folder, tmp_path / "out")["a_id.xml"].verdict == "done"
    assert "results:anna/ik/ik.mot" in (tmp_path / "out/anna/a_id/manifest.json").read_text(encoding="utf-8")
    # One without a name is not made, as by OpenSim, and nobody's input.
    (anna / "ik.xml").write_text(ANNA["ik.xml"].replace(">ik.mot<", ">Unassigned<"), encoding="utf-8")
    verdicts = run(folder, tmp_path / "out")
    assert "names no output_motion_file" in verdicts["ik.xml"].sentence
    assert "ik.mot" in verdicts["a_id.xml"].sentence
    assert [path.name for path in (tmp_path / "out/anna/ik").iterdir()] == ["manifest.json"]


def test_setups_that_are_run_one_by_one_find_the_motion_too(folder: Path) -> None:
    anna = folder / "anna"
    in_results = ANNA["ik.xml"].replace('"ik">', '"ik"><results_directory>results</results_directory>')
    (anna / "ik.xml").write_text(in_results.replace("<report_errors>false", "<report_errors>true"), encoding="utf-8")
    for name in ("scale.xml", "ik.xml", "a_id.xml"):
        run_setup(anna / name)
    assert (anna / "ik.mot").is_file()
    assert [path.name for path in (anna / "results").iterdir()] == ["ik_ik_marker_errors.sto"]


def test_an_input_may_lie_on_another_disk(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path, start: Path) -> str:
        raise ValueError(f"path is on mount {path}, start on mount {start}")

    monkeypatch.setattr("biomech_id.pipeline.study.setup_task.os.path.relpath", refused)
    assert run(folder, tmp_path / "out")["scale.xml"].verdict == "done"
    assert (folder / "rod.osim").as_posix() in (tmp_path / "out/anna/scale/manifest.json").read_text(encoding="utf-8")
    assert run(folder, tmp_path / "out", resume=True)["scale.xml"].kept


def test_results_of_before_do_not_outlive_a_failure(folder: Path, tmp_path: Path) -> None:
    anna = tmp_path / "out" / "anna"
    run(folder, tmp_path / "out")
    (anna / "scale" / "notes.txt").write_text("of somebody", encoding="utf-8")
    (folder / "rod.osim").unlink()
    verdicts = run(folder, tmp_path / "out")
    assert {verdicts[name].verdict for name in ("scale.xml", "ik.xml", "a_id.xml")} == {"failed"}
    assert sorted(path.name for path in anna.iterdir()) == ["scale"]
    assert (anna / "scale" / "notes.txt").exists()


def test_setups_beside_results_of_a_session_are_run(folder: Path, tmp_path: Path) -> None:
    for name in ("manifest.json", "summary.json"):
        (folder / name).write_text("{}", encoding="utf-8")
        (folder / "anna" / name).write_text("{}", encoding="utf-8")
    assert run(folder, tmp_path / "out")["a_id.xml"].verdict == "done"


def test_who_wrote_a_file_has_to_be_clear(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = folder / "anna"
    (anna / "ik2.xml").write_text(ANNA["ik.xml"], encoding="utf-8")
    assert run(folder, tmp_path / "out")["a_id.xml"].sentence == (
        "ik.mot, which it reads, is written by anna/ik.xml and by anna/ik2.xml."
    )
    (anna / "scale.xml").write_text(SCALE.replace("../rod.osim", "round.osim"), encoding="utf-8")
    (anna / "scale2.xml").write_text(
        SCALE.replace("sized.osim", "round.osim").replace("../rod.osim", "sized.osim"), encoding="utf-8"
    )
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with pytest.raises(FileRefusedError, match=r"anna/scale\.xml and anna/scale2\.xml each read what another of them writes"):
        run_setups(folder, tmp_path / "other")
    # What started processes is ended, and its one thread for them with it.
    assert "OMP_NUM_THREADS" not in os.environ


def test_an_interruption_ends_what_was_under_way(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(step: Step) -> None:
        raise KeyboardInterrupt

    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with pytest.raises(KeyboardInterrupt):
        run_setups(folder, tmp_path / "out", progress=interrupted)
    assert "OMP_NUM_THREADS" not in os.environ
    assert not list((tmp_path / "out").rglob(".*"))
    assert not (tmp_path / "out" / "verdicts.csv").exists()


def test_a_folder_needs_setups_and_another_folder_for_results(folder: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["opensim-run", str(folder)])
    assert result.exit_code == 1
    assert "name one for the results with --out" in " ".join(result.stderr.split())
    result = CliRunner().invoke(app, ["opensim-run", "", "-o", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert "is empty" in result.stderr
    with pytest.raises(OptionError):
        run_setups(folder, folder)
    (tmp_path / "none").mkdir()
    with pytest.raises(MissingInputError):
        run_setups(tmp_path / "none", tmp_path / "out")
    assert not (tmp_path / "out").exists()
