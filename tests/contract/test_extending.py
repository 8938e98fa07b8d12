"""Every recipe of docs/extending.md, taken from the page and run: from outside as a plug-in, inside as a patch of a copy."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import ezc3d
import numpy as np
import pypdf
import pytest
from scipy.spatial.transform import Rotation

import biomech_id as bid
from biomech_id.sample import virtual_subject
from biomech_id.sample.c3d import write_c3d
from biomech_id.trial import EventKind

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
pytestmark = pytest.mark.slow
PATCHES = Path(__file__).parent / "extending"
FENCE = re.compile(r"^```\w+\n# (?P<name>[\w./-]+)\n(?P<text>.*?)^```$", flags=re.MULTILINE | re.DOTALL)
RECIPES = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, flags=re.MULTILINE | re.DOTALL))
#: Files of the library that a recipe may touch when it is done inside.
MOST_FILES, MEDIAN_FILES = 8, 4


class Laboratory:
    """A folder in which a recipe's files lie; its module is installed as a plug-in, or the library is a copy with its patch."""

    def __init__(self, folder: Path, title: str = "", *, inside: bool = False) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.library = folder, ROOT
        self.files = {block["name"]: block["text"] for block in FENCE.finditer(RECIPES.get(title, ""))}
        for name, text in self.files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        if inside:
            self.library = folder / "copy"
            # With what is compiled, but for the files that the patch changes: nobody compiles the others again.
            unfinished = shutil.ignore_patterns("*.pyc.*")
            shutil.copytree(ROOT / "biomech_id", self.library / "biomech_id", ignore=unfinished)
            subprocess.run(["git", "apply", "-p1", str(patch_of(title))], cwd=self.library, check=True)
        elif "lab_plugin.py" in self.files:
            announced = folder / "lab_plugin-1.0.dist-info"
            announced.mkdir()
            (announced / "METADATA").write_text("Metadata-Version: 2.1\nName: lab-plugin\nVersion: 1.0\n", encoding="utf-8")
            (announced / "entry_points.txt").write_text("[biomech_id]\nlab = lab_plugin\n", encoding="utf-8")

    def biomech_id(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the command line of this laboratory."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(self.folder), str(self.library)])}
        code = "from biomech_id.cli import main; main()"
        return subprocess.run(
            [sys.executable, "-P", "-c", code, *words],
            env=environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )

    def run(self, subject: Path, *words: str, recipe: Mapping[str, object] | None = None) -> Path:
        """Analyse a subject without a report, with the recipe of the page if it has one."""
        own = (self.folder / "recipe.toml").read_text(encoding="utf-8") if "recipe.toml" in self.files else ""
        (self.folder / "used.toml").write_text(own + "\n[output]\nreport = false\n", encoding="utf-8")
        done = self.biomech_id("run", str(subject), "-o", "out", "--recipe", "used.toml", "--warnings-ok", *words)
        assert done.returncode == 0, done.stderr
        return self.folder / "out"


def patch_of(title: str) -> Path:
    return PATCHES / f"{title.lower().replace(' ', '-')}.patch"


@pytest.fixture(params=[False, True], ids=["outside", "inside"])
def inside(request: pytest.FixtureRequest) -> bool:
    """Where a recipe is done."""
    return bool(request.param)


def recordings(folder: Path) -> Path:
    """The virtual subject's folder with its static trial and one walk."""
    folder.mkdir()
    for name in ("static.c3d", "walk01.c3d"):
        (folder / name).write_bytes((ROOT / "data" / name).read_bytes())
    return folder


@pytest.fixture
def subject(tmp_path: Path) -> Path:
    return recordings(tmp_path / "anna")


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The walk's table as a laboratory without any recipe has it; nothing of it is filtered."""
    folder = tmp_path_factory.mktemp("usual")
    out = Laboratory(folder).run(recordings(folder / "anna"))
    assert "filtered at" not in (out / "summary.json").read_text(encoding="utf-8")
    return out / "trials" / "walk01.csv"


def column(path: Path, name: str) -> np.ndarray:
    with path.open(encoding="utf-8", newline="") as file:
        return np.array([float(row[name] or "nan") for row in csv.DictReader(file)])


def test_an_inertial_table(tmp_path: Path, subject: Path, inside: bool) -> None:
    laboratory = Laboratory(tmp_path, "An inertial table", inside=inside)
    if inside:
        (tmp_path / "recipe.toml").write_text('[model]\ninertia_table = "our-laboratory"\n', encoding="utf-8")
    out = laboratory.run(subject, "--model", "six-dof")
    calibration = json.loads((out / "calibration.json").read_text(encoding="utf-8"))
    mass_kg = bid.read_c3d(subject / "static.c3d").subject.mass_kg
    assert mass_kg is not None
    for segment, share in (("foot", 0.015), ("shank", 0.045), ("thigh", 0.105)):
        assert calibration["sides"]["L"]["segments"][segment]["mass_kg"] == pytest.approx(share * mass_kg, rel=1e-9)
    assert inside or "lab-table.csv" in json.loads((out / "manifest.json").read_text(encoding="utf-8"))["inputs"]


def test_a_plate_type(tmp_path: Path, inside: bool) -> None:
    """A plate of type 3 written as one of the new type: its four vertical sensors, without the four sideways."""
    laboratory = Laboratory(tmp_path, "A plate type", inside=inside)
    write_c3d(virtual_subject(plates="types").walk("walk"), tmp_path / "known.c3d")
    recording = ezc3d.c3d(str(tmp_path / "known.c3d"))
    plates = recording["parameters"]["FORCE_PLATFORM"]
    types, channels = plates["TYPE"]["value"].astype(int), plates["CHANNEL"]["value"].astype(int)
    (third,) = np.flatnonzero(types == 3)
    types[third], channels[:4, third] = 9, channels[4:8, third]
    plates["TYPE"]["value"], plates["CHANNEL"]["value"] = types, channels
    recording.write(str(tmp_path / "new.c3d"))
    nobody = Laboratory(tmp_path / "nobody")
    refused, known, new = (
        json.loads(who.biomech_id("check", str(tmp_path / name), "--json").stdout)["plates"][third]
        for who, name in ((nobody, "new.c3d"), (laboratory, "known.c3d"), (laboratory, "new.c3d"))
    )
    assert refused["problem"].startswith("its type is 9 with 8 channels, and only types 1 to 4 are understood")
    assert (known["type"], new["type"]) == (3, 9)
    assert not new["problem"]
    assert new["peak_vertical_N"] == pytest.approx(known["peak_vertical_N"], rel=1e-6)
    assert new["peak_vertical_N"] > 300.0


def test_a_filter(tmp_path: Path, subject: Path, inside: bool, usual: Path) -> None:
    laboratory = Laboratory(tmp_path, "A filter", inside=inside)
    out = laboratory.run(subject)
    summary = (out / "summary.json").read_text(encoding="utf-8")
    assert "markers filtered at 6 Hz, mean of neighbours, zero lag" in summary
    # Markers were moved a little, as a filter does, and the plates with them.
    moved_deg = np.abs(column(out / "trials/walk01.csv", "LKneeAngles.X") - column(usual, "LKneeAngles.X"))
    assert 0.05 < np.nanmax(moved_deg) < 15.0


def test_a_joint_centre(tmp_path: Path, subject: Path) -> None:
    laboratory = Laboratory(tmp_path, "A joint centre")
    (subject / "subject.toml").write_text('code = "P07"\n', encoding="utf-8")
    for model in ("conventional", "six-dof"):
        bands = []
        for error_mm in ("3.0", "6.0"):
            text = laboratory.files["lab_plugin.py"].replace("CentreError(3.0", f"CentreError({error_mm}")
            (tmp_path / "lab_plugin.py").write_text(text, encoding="utf-8")
            out = laboratory.run(subject, "--model", model)
            assert json.loads((out / "calibration.json").read_text(encoding="utf-8"))["hip_centre"] == {"L": "mri", "R": "mri"}
            bands.append(column(out / "uncertainty.csv", "hip_centre"))
            shutil.rmtree(out)
        assert np.nanmax(bands[0]) > 0.0
        np.testing.assert_allclose(bands[1], 2.0 * bands[0], rtol=1e-6)  # its own error, and no other way's
    (subject / "subject.toml").write_text('code = "P08"\n', encoding="utf-8")
    refused = laboratory.biomech_id("run", str(subject), "-o", "nobody", "--recipe", "used.toml")
    assert refused.returncode == 1
    assert "hip-centres.csv has no L hip of 'P08'" in " ".join(refused.stderr.split())


def test_an_event_detector(tmp_path: Path, subject: Path) -> None:
    out = Laboratory(tmp_path, "An event detector").run(subject)
    (walk,) = json.loads((out / "summary.json").read_text(encoding="utf-8"))["trials"]
    strikes_s = {s: [e["time_s"] for e in walk["events"] if (e["side"], e["kind"]) == (s, EventKind.FOOT_STRIKE)] for s in "LR"}
    stored = bid.read_c3d(subject / "walk01.c3d").events
    for side in "LR":
        known_s = [event.time_s for event in stored if event.side == side and event.kind is EventKind.FOOT_STRIKE]
        assert len(strikes_s[side]) >= 2
        nearest_s = [min(abs(time_s - known) for known in known_s) for time_s in strikes_s[side]]
        assert 0.0 < max(nearest_s) < 0.1  # near the true ones, and not the stored ones


def test_a_foot_model(tmp_path: Path, subject: Path) -> None:
    out = Laboratory(tmp_path, "A foot model").run(subject)
    calibration = json.loads((out / "calibration.json").read_text(encoding="utf-8"))
    assert calibration["foot_models"]["line"]["standing_deg"].keys() == {"L", "R"}
    walk = bid.read_c3d(subject / "walk01.c3d")
    line = walk.markers["LTOE"] - walk.markers["LHEE"]
    pitch_deg = np.degrees(np.arctan2(line[:, 2], np.hypot(line[:, 0], line[:, 1])))
    shown = column(out / "trials/walk01.csv", "LFootLineAngles.X")
    assert shown == pytest.approx(pitch_deg - calibration["foot_models"]["line"]["standing_deg"]["L"], abs=1e-6)
    assert "FootLineAngles" in (out / "cycles.csv").read_text(encoding="utf-8")


def test_a_movement(tmp_path: Path) -> None:
    """A squat of the virtual subject, deep enough and not; its cycle ends where the pelvis does what is known of it."""
    laboratory = Laboratory(tmp_path, "A movement")
    person, folder = virtual_subject(upper_body=True, analog_ratio=5), tmp_path / "anna"
    folder.mkdir()
    write_c3d(person.static("static"), folder / "static.c3d")
    squat = person.squat()
    write_c3d(squat, folder / "squat.c3d")
    done = laboratory.biomech_id("run", str(folder), "-o", "out", "--warnings-ok")
    assert done.returncode == 0, done.stderr
    out = tmp_path / "out"
    (trial,) = json.loads((out / "summary.json").read_text(encoding="utf-8"))["trials"]
    assert trial["kind"] == "deep_squat"
    with (out / "spatiotemporal.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["parameter"], row["side"]) == ("deep_squat_time", "")  # and no cadence of what has no steps
    assert 1.0 < float(row["value"]) < 2.0  # down and up in a second each, within 5 % of standing at both ends
    with (out / "cycles.csv").open(encoding="utf-8", newline="") as file:
        rows = [r for r in csv.DictReader(file) if (r["side"], r["variable"], r["component"]) == ("L", "KneeAngles", "X")]
    knee_deg = [float(r["value"]) for r in rows]
    assert len(knee_deg) == 101
    assert 40 <= int(np.argmax(knee_deg)) <= 60
    (tmp_path / "german.toml").write_text('language = "de"\n', encoding="utf-8")
    for style, word in ((), "Deep squat"), (("--style", "german.toml"), "Tiefe Kniebeuge"):
        assert laboratory.biomech_id("report", "out", *style).returncode == 0
        assert word in printed(out)
    shallow = laboratory.files["lab_plugin.py"].replace("LEAST_DIP = 0.30", "LEAST_DIP = 0.90")
    (tmp_path / "lab_plugin.py").write_text(shallow, encoding="utf-8")
    out = laboratory.run(folder)
    (trial,) = json.loads((out / "summary.json").read_text(encoding="utf-8"))["trials"]
    assert trial["kind"] == "squat"


def test_a_measure_of_every_cycle(tmp_path: Path, subject: Path) -> None:
    laboratory = Laboratory(tmp_path, "A measure of every cycle")
    done = laboratory.biomech_id("run", str(subject), "-o", "out", "--warnings-ok")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "out" / "spatiotemporal.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["parameter"] == "heel_lift"]
    assert {row["side"] for row in rows} == {"L", "R"}
    markers = bid.read_c3d(subject / "walk01.c3d").markers
    most_m = {side: np.ptp(markers[f"{side}HEE"][:, 2]) for side in "LR"}
    # Markers are filtered before they are measured.
    assert all(0.5 * most_m[row["side"]] < float(row["value"]) < most_m[row["side"]] + 0.002 for row in rows)
    assert len({row["sd"] for row in rows}) == 1
    assert 0.0005 < float(rows[0]["sd"]) < 0.02  # millimetres of skin, and known
    assert "Lift of the heel" in printed(tmp_path / "out")
    (tmp_path / "german.toml").write_text('language = "de"\n', encoding="utf-8")
    assert laboratory.biomech_id("report", "out", "--style", "german.toml").returncode == 0
    assert "Hub der Ferse" in printed(tmp_path / "out")


def printed(out: Path) -> str:
    return " ".join(sheet.extract_text() for sheet in pypdf.PdfReader(out / "report.pdf").pages)


def test_a_way_to_fill_gaps(tmp_path: Path, subject: Path) -> None:
    laboratory = Laboratory(tmp_path, "A way to fill gaps")
    recording = ezc3d.c3d(str(subject / "walk01.c3d"))
    column_of = recording["parameters"]["POINT"]["LABELS"]["value"].index("LANK")
    recording["data"]["points"][:3, column_of, 40:45] = np.nan
    recording["data"]["meta_points"]["residuals"][0, column_of, 40:45] = -1.0
    recording.write(str(subject / "walk01.c3d"))
    out = laboratory.run(subject)
    with (out / "gaps.csv").open(encoding="utf-8", newline="") as file:
        (gap,) = csv.DictReader(file)
    assert (gap["marker"], gap["method"]) == ("LANK", "straight line")
    assert 0.0 < float(gap["error_mm"]) < 15.0  # found on gaps that were cut


def test_a_repair(tmp_path: Path, subject: Path, usual: Path) -> None:
    laboratory = Laboratory(tmp_path, "A repair")
    recording = ezc3d.c3d(str(subject / "walk01.c3d"))
    recording["data"]["points"][:3] /= 10.0
    recording.write(str(subject / "walk01.c3d"))
    out = laboratory.run(subject, "--review", "review.toml", "--review-page")
    repaired, known = (column(path, "LKneeAngles.X") for path in (out / "trials/walk01.csv", usual))
    assert np.nanmax(np.abs(repaired - known)) < 0.01  # deg: positions are float32
    (walk,) = json.loads((out / "summary.json").read_text(encoding="utf-8"))["trials"]
    assert walk["verdict"] == "warn"
    assert [finding["values"]["kind"] for finding in walk["findings"] if finding["rule"] == "repaired"] == ["scale"]
    assert "Marker mal {what}" in (out / "review.html").read_text(encoding="utf-8")
    (tmp_path / "review.toml").write_text(laboratory.files["review.toml"].replace("[10.0]", '["ten"]'), encoding="utf-8")
    refused = laboratory.biomech_id("run", str(subject), "-o", "nobody", "--review", "review.toml")
    assert refused.returncode == 1
    assert "not one number" in " ".join(refused.stderr.split())


def test_a_norm_in_another_form(tmp_path: Path) -> None:
    laboratory = Laboratory(tmp_path, "A norm in another form")
    about = {"n": 83, "age_min_y": 4, "age_max_y": 17, "model": "conventional", "source": "a paper"}
    curves = {"KneeAngles.X": [[20.0 + number, 2.5] for number in range(51)]}
    (tmp_path / "others.json").write_text(json.dumps({"about": about, "curves": curves}), encoding="utf-8")
    done = laboratory.biomech_id("norm", "--import", "others.json", "-o", "norm.csv")
    assert done.returncode in (0, 3), done.stderr
    mean, percent = column(tmp_path / "norm.csv", "mean"), column(tmp_path / "norm.csv", "percent")
    np.testing.assert_allclose(mean, 20.0 + percent / 2.0, atol=1e-6)
    nobody = Laboratory(tmp_path / "nobody").biomech_id("norm", "--import", str(tmp_path / "others.json"), "-o", "norm.csv")
    assert nobody.returncode == 1


def test_a_chart_of_the_laboratory(tmp_path: Path, subject: Path) -> None:
    laboratory = Laboratory(tmp_path, "A chart of the laboratory")
    out = laboratory.run(subject)
    done = laboratory.biomech_id("lab", str(out.parent / "out"), "--json")
    charts = {chart["chart"]: chart for chart in json.loads(done.stdout)["charts"]}
    cadence = [row["value"] for row in csv.DictReader((out / "spatiotemporal.csv").open()) if row["parameter"] == "cadence"]
    assert charts["cadence"]["value"] == pytest.approx([np.mean([float(value) for value in cadence])], rel=0.03)
    assert charts["cadence"]["unit"] == "1/min"
    drawn = laboratory.biomech_id("lab", str(out), "-o", "lab.pdf", "--warnings-ok")
    assert drawn.returncode == 0, drawn.stderr
    assert "Cadence, 1/min" in " ".join(sheet.extract_text() for sheet in pypdf.PdfReader(tmp_path / "lab.pdf").pages)


def test_a_plausibility_rule(tmp_path: Path, subject: Path) -> None:
    laboratory = Laboratory(tmp_path, "A plausibility rule")
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "ours.toml").write_text(laboratory.files["ours.toml"], encoding="utf-8")
    found = []
    for least_deg in ("30.0", "90.0"):
        text = laboratory.files["lab_plugin.py"].replace("LEAST_DEG = 30.0", f"LEAST_DEG = {least_deg}")
        (tmp_path / "lab_plugin.py").write_text(text, encoding="utf-8")
        out = laboratory.run(subject)
        (walk,) = json.loads((out / "summary.json").read_text(encoding="utf-8"))["trials"]
        found.append([finding["message"] for finding in walk["findings"] if finding["rule"] == "knee-straight"])
        shutil.rmtree(out)
    assert found[0] == []
    assert [re.sub(r"\d+", "N", message) for message in found[1]] == [
        f"The {side} knee of walkN never bends by more than N degrees." for side in "LR"
    ]


def test_a_file_format(tmp_path: Path, subject: Path, inside: bool, usual: Path) -> None:
    laboratory = Laboratory(tmp_path, "A file format", inside=inside)
    folder = tmp_path / "texts"
    folder.mkdir()
    for name in ("static", "walk01"):
        markers = bid.read_c3d(subject / f"{name}.c3d").markers
        lines = [f"rate {markers.rate_hz:g}", " ".join(markers.names)]
        lines += [" ".join(f"{x:.9g}" for x in frame.ravel() * 1000) for frame in markers.position_m]
        (folder / f"{name}.lab").write_text("\n".join(lines), encoding="utf-8")
    (folder / "subject.toml").write_text(_measurements(subject), encoding="utf-8")
    out = laboratory.run(folder)
    for name in ("LKneeAngles.X", "RHipAngles.Y", "LAnkleAngles.Z"):
        theirs, from_c3d = (column(path, name) for path in (out / "trials/walk01.csv", usual))
        assert np.nanmax(np.abs(theirs - from_c3d)) < 1e-4  # deg: float32 of the C3D file, printed with nine digits


def test_an_output_column(tmp_path: Path, subject: Path, inside: bool) -> None:
    out = Laboratory(tmp_path, "An output column", inside=inside).run(subject)
    angle_deg, rate = (column(out / "trials/walk01.csv", name) for name in ("LKneeAngles.X", "LKneeFlexionRate"))
    known = np.isfinite(rate)
    assert known.sum() > 100
    # Printed with nine digits: a difference of neighbours times 100 frames a second.
    np.testing.assert_allclose(rate[1:-1][known[1:-1]], (100.0 * (angle_deg[2:] - angle_deg[:-2]) / 2)[known[1:-1]], atol=1e-4)
    with (out / "cycles.csv").open(encoding="utf-8", newline="") as file:
        curves = [row for row in csv.DictReader(file) if row["variable"] == "KneeFlexionRate"]
    assert len(curves) % 101 == 0
    assert len(curves) >= 202
    with (out / "peaks.csv").open(encoding="utf-8", newline="") as file:
        assert {row["unit"] for row in csv.DictReader(file) if row["variable"] == "KneeFlexionRate"} <= {"deg/s"}


def test_a_report_page(tmp_path: Path, subject: Path, inside: bool) -> None:
    laboratory = Laboratory(tmp_path, "A report page", inside=inside)
    assert laboratory.biomech_id("run", str(subject), "-o", "out").returncode == 0
    pages = [sheet.extract_text() for sheet in pypdf.PdfReader(tmp_path / "out" / "report.pdf").pages]
    (mine,) = [number for number, text in enumerate(pages) if "steps are in the means" in text]
    assert mine == 2  # behind the first page and that of the session
    assert "Usable steps" in pages[mine]
    assert laboratory.biomech_id("report", "out", "--pages", "usable_steps").returncode == 0
    assert len(pypdf.PdfReader(tmp_path / "out" / "report.pdf").pages) == 1


def test_a_language(tmp_path: Path, subject: Path, inside: bool) -> None:
    laboratory = Laboratory(tmp_path, "A language", inside=inside)
    (tmp_path / "dutch.toml").write_text('language = "nl"\n', encoding="utf-8")
    assert laboratory.biomech_id("run", str(subject), "-o", "out", "--no-report").returncode == 0
    assert laboratory.biomech_id("report", "out", "--style", "dutch.toml").returncode == 0
    text = " ".join(sheet.extract_text() for sheet in pypdf.PdfReader(tmp_path / "out" / "report.pdf").pages)
    assert all(word in text for word in ("Gangbeeldanalyse", "Knieflexie", "Voorste scheenbeenspier", "Hip flexion", "72,0 kg"))
    assert laboratory.biomech_id("review", "out", "-o", "page.html", "--language", "nl").returncode == 0
    assert '<html lang="nl">' in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_an_angle_convention(tmp_path: Path, subject: Path, inside: bool, usual: Path) -> None:
    laboratory = Laboratory(tmp_path, "An angle convention", inside=inside)
    ours = laboratory.run(subject, "--model", "abduction-first")
    assert json.loads((ours / "summary.json").read_text(encoding="utf-8"))["model"] == "abduction-first"
    turned, straight = (
        np.radians(np.stack([column(path, f"LKneeAngles.{axis}") for axis in "XYZ"], axis=1))
        for path in (ours / "trials/walk01.csv", usual)
    )
    known = np.isfinite(turned).all(axis=1)
    assert known.sum() > 100
    # One attitude, two sequences: Rx Ry Rz of the one is Ry Rx Rz of the other (left side: both signs turned).
    flexion, abduction, turn = turned[known].T
    x_first = Rotation.from_euler("XYZ", np.stack([-abduction, flexion, -turn], axis=1))
    flexion, abduction, turn = straight[known].T
    y_first = Rotation.from_euler("YXZ", np.stack([flexion, -abduction, -turn], axis=1))
    assert (x_first.inv() * y_first).magnitude().max() < 1e-8  # rad, nine printed digits
    assert np.abs(turned[known] - straight[known]).max() > 0.01
    for name in ("LHipAngles.X", "LKneeMoment.X"):
        np.testing.assert_array_equal(*(column(path, name) for path in (ours / "trials/walk01.csv", usual)))


def test_an_analog_signal_and_its_page(tmp_path: Path, subject: Path, inside: bool) -> None:
    laboratory = Laboratory(tmp_path, "An analog signal and its page", inside=inside)
    recording = ezc3d.c3d(str(subject / "walk01.c3d"))
    analogs, analog = recording["data"]["analogs"], recording["parameters"]["ANALOG"]
    samples = analogs.shape[2]
    wave = 100.0 + 50.0 * np.sin(np.arange(samples) * 2 * np.pi / samples)
    recording["data"]["analogs"] = np.concatenate([analogs, wave[None, None]], axis=1)
    analog["LABELS"]["value"] = [*analog["LABELS"]["value"], "L insole"]
    analog["UNITS"]["value"] = [*analog["UNITS"]["value"], "kPa"]
    analog["SCALE"]["value"] = np.append(analog["SCALE"]["value"], 1.0)
    analog["OFFSET"]["value"] = np.append(analog["OFFSET"]["value"], 0)
    analog["USED"]["value"] = np.array([analogs.shape[1] + 1])
    recording.write(str(subject / "walk01.c3d"))
    assert laboratory.biomech_id("run", str(subject), "-o", "out").returncode == 0
    table = tmp_path / "out" / "trials" / "walk01.csv"
    per_frame = wave.reshape(len(column(table, "frame")), -1).mean(axis=1)
    np.testing.assert_allclose(column(table, "LInsole"), per_frame, atol=1e-4)  # kPa: float32 in the file
    assert np.isnan(column(table, "RInsole")).all()
    texts = [sheet.extract_text() for sheet in pypdf.PdfReader(tmp_path / "out" / "report.pdf").pages]
    assert any("Insole pressure" in text for text in texts)


def test_a_segment(tmp_path: Path, subject: Path, inside: bool) -> None:
    """The trunk's markers are laid on the pelvis, turned by known angles: these come out."""
    laboratory = Laboratory(tmp_path, "A segment", inside=inside)
    model = bid.conventional_model(bid.read_c3d(subject / "static.c3d"))
    lean = np.radians(12.0)
    for path in subject.glob("*.c3d"):
        pelvis = model.track(bid.read_c3d(path)).motions["", "pelvis"].frames
        R_lab_trunk = pelvis.R_lab_seg @ Rotation.from_euler("X", lean).as_matrix()
        points_m = {"LSHO": (0.0, 0.18, 0.40), "RSHO": (0.0, -0.18, 0.40), "C7": (0.0, 0.0, 0.45)}
        _add_points(path, {name: pelvis.origin_lab_m + R_lab_trunk @ np.array(place) for name, place in points_m.items()})
    out = laboratory.run(subject, "--model", "conventional-trunk")
    angles = np.stack([column(out / "trials/walk01.csv", f"LWaistAngles.{axis}") for axis in "XYZ"], axis=1)
    known = np.isfinite(angles).all(axis=1)
    assert known.sum() > 100
    np.testing.assert_allclose(angles[known], [[0.0, -12.0, 0.0]] * known.sum(), atol=0.01)  # deg: positions are float32
    np.testing.assert_allclose(column(out / "trials/walk01.csv", "RWaistAngles.Y")[known], 12.0, atol=0.01)


def _add_points(path: Path, paths_m: Mapping[str, np.ndarray]) -> None:
    """Write a recording again with further markers."""
    recording = ezc3d.c3d(str(path))
    points, labels = recording["data"]["points"], recording["parameters"]["POINT"]["LABELS"]["value"]
    more = np.ones((4, len(paths_m), points.shape[2]))
    for number, path_m in enumerate(paths_m.values()):
        more[:3, number] = 1000.0 * path_m.T
    recording["data"]["points"] = np.concatenate([points, more], axis=1)
    recording["data"]["meta_points"]["residuals"] = np.zeros((1, points.shape[1] + len(paths_m), points.shape[2]))
    recording["data"]["meta_points"]["camera_masks"] = np.zeros((7, points.shape[1] + len(paths_m), points.shape[2]), dtype=bool)
    recording["parameters"]["POINT"]["LABELS"]["value"] = [*labels, *paths_m]
    recording["parameters"]["POINT"]["DESCRIPTIONS"]["value"] = [""] * (len(labels) + len(paths_m))
    recording.write(str(path))


def test_a_body_model(tmp_path: Path, subject: Path, inside: bool) -> None:
    laboratory = Laboratory(tmp_path, "A body model", inside=inside)
    done = laboratory.biomech_id("run", str(subject), "-o", "out", "--model", "sticks", "--warnings-ok")
    assert done.returncode == 0, done.stderr
    table = tmp_path / "out" / "trials" / "walk01.csv"
    calibration = json.loads((tmp_path / "out" / "calibration.json").read_text(encoding="utf-8"))
    assert "length_mm" in calibration
    # Sticks between skin markers bend like the leg: swing flexes the knee by 40 degrees and more, and the foot on the plate
    # makes a plantarflexor moment.
    assert np.nanmax(column(table, "LKneeAngles.X")) - np.nanmin(column(table, "LKneeAngles.X")) > 40.0
    assert 0.5 < np.nanmax(column(table, "LAnkleMoment.X")) < 2.5
    assert (tmp_path / "out" / "report.pdf").stat().st_size > 50_000
    assert laboratory.biomech_id("opensim", str(subject), "-o", "opensim", "--model", "sticks").returncode in (0, 3)


def _measurements(subject: Path) -> str:
    """What the C3D file says of the subject, which a text file of markers does not."""
    from biomech_id.request.subject_file import subject_toml

    return subject_toml(bid.read_c3d(subject / "static.c3d").subject)


def touched(patch: Path) -> set[str]:
    return set(re.findall(r"^\+\+\+ b/(biomech_id/\S+)", patch.read_text(encoding="utf-8"), flags=re.MULTILINE))


def test_every_recipe_has_a_test_and_a_patch_where_it_names_files() -> None:
    titles = set(RECIPES)
    assert titles == {re.sub(r"^test_", "", name).replace("_", " ").capitalize() for name in TESTED}
    assert {patch_of(title) for title in titles if "Inside the library:" in RECIPES[title]} == set(PATCHES.glob("*.patch"))


def test_inside_the_library_a_recipe_touches_few_files() -> None:
    counts = {path.stem: len(touched(path)) for path in PATCHES.glob("*.patch")}
    assert max(counts.values()) <= MOST_FILES, counts
    assert statistics.median(counts.values()) <= MEDIAN_FILES, counts


TESTED = [name for name in dir() if name.startswith(("test_a_", "test_an_"))]
