"""`biomech-id run` as a laboratory types it, on every subject folder of a hospital's recordings, and on folders it must refuse.

Folders are found by path; nothing here knows a subject. Add your own with BIOMECH_ID_SUBJECTS (folders separated by the system's
path separator).
"""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import numpy as np
import pypdf
import pytest
from sessions import Sessions, own_subjects
from typer.testing import CliRunner

import biomech_id as bid
from biomech_id.cli.app import app
from biomech_id.conventions import UPPER_BODY_TABLE
from biomech_id.session.folder.read_write import damaged_outputs

SHARED = Path(os.environ.get("BIOMECH_ID_SHARED", Path(__file__).resolve().parents[3] / "shared"))
SUBJECTS = sorted(p for p in (SHARED / "c3d" / "children").glob("*") if p.is_dir())
SUBJECTS += own_subjects()
runner = CliRunner()

#: Stored moments are reached within this by the first version; the parity tests hold them to 2e-4.
MOMENT_NM_KG = 0.05
QUICK = "[output]\nreport = false\nbudget = false\n"


@pytest.fixture(autouse=True)
def _recordings(shared_dir: Path) -> None:
    assert SUBJECTS, f"no subject folders in {shared_dir}"


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recipe") / "quick.toml"
    path.write_text(QUICK, encoding="utf-8")
    return path


def table(path: Path) -> dict[str, np.ndarray]:
    with path.open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    values = np.array([[float(cell) if cell else np.nan for cell in row] for row in rows[1:]])
    return {name: values[:, i] for i, name in enumerate(rows[0])}


def implied_plates(trial: bid.Trial, side: str) -> list[tuple[float, float, str]]:
    """Stretches in which the file stores a ground reaction of this side, and the plate whose mean force it equals."""
    stored = next((v for k, v in trial.model_outputs.items() if k.startswith(f"{side}GroundReactionForce")), None)
    if stored is None:
        return []
    weight = trial.subject.mass_kg
    loaded = np.nan_to_num(np.linalg.norm(stored, axis=1)) > 2.0
    edges = np.flatnonzero(np.diff(np.concatenate([[0], loaded.astype(int), [0]])))
    found = []
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        means = {p.name: p.force_lab_N.reshape(trial.n_frames, -1, 3).mean(axis=1)[start:stop] / weight for p in trial.plates}
        distance = {name: np.abs(mean - stored[start:stop]).mean() for name, mean in means.items()}
        found.append(
            (trial.first_time_s + start / trial.rate_hz, trial.first_time_s + stop / trial.rate_hz, min(distance, key=distance.get))
        )
    return found


@pytest.mark.parametrize("folder", SUBJECTS, ids=lambda p: p.name)
def test_run_without_options(folder: Path, sessions: Sessions) -> None:
    session = sessions[f"{'own' if folder in own_subjects() else 'children'}/{folder.name}"]
    assert session.exit_code in (0, 3), session.said
    summary = session.tables.summary
    # The static trial is the one in which the pelvis goes nowhere.
    extent = {}
    for path in folder.glob("*.c3d"):
        pelvis = bid.read_c3d(path, trust=True).markers["LASI"][:, :2]
        extent[path.name] = float(np.linalg.norm(np.nanmax(pelvis, axis=0) - np.nanmin(pelvis, axis=0)))
    assert summary["static"]["file"] == min(extent, key=extent.get)
    assert {trial["file"] for trial in summary["trials"]} == set(extent) - {summary["static"]["file"]}
    assert summary["failed"] == []
    assert session.report.stat().st_size > 50_000
    _check_stances(folder, session.out)


def _check_stances(folder: Path, out: Path) -> None:
    """Every clean stance lies on the plate that the file's own outputs imply."""
    with (out / "stances.csv").open(encoding="utf-8") as file:
        stances = list(csv.DictReader(file))
    checked = 0
    for path in folder.glob("*.c3d"):
        trial = bid.read_c3d(path, trust=True)
        for stance in stances:
            if stance["trial"] != path.stem or stance["verdict"] != "clean":
                continue
            middle = 0.5 * (float(stance["start_s"]) + float(stance["end_s"]))
            implied = [plate for start, stop, plate in implied_plates(trial, stance["side"]) if start <= middle <= stop]
            if implied:
                assert implied == [stance["plate"]], stance
                checked += 1
    assert checked >= 2


@pytest.mark.parametrize("folder", SUBJECTS, ids=lambda p: p.name)
def test_vicon_moments_of_straight_walks_are_the_stored_ones(folder: Path, tmp_path: Path, recipe: Path) -> None:
    out = tmp_path / "out"
    words = ["run", str(folder), "-o", str(out), "--kinetics", "vicon", "--recipe", str(recipe)]
    assert runner.invoke(app, words).exit_code in (0, 3)
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    compared = 0
    for entry in summary["trials"]:
        if entry["kind"] != "straight":
            continue
        ours = table(out / "trials" / f"{entry['name']}.csv")
        trial = bid.read_c3d(folder / entry["file"], trust=True)
        for side in "LR":
            ground = trial.model_outputs[f"{side}GroundReactionForce"]
            stance = np.nan_to_num(np.linalg.norm(ground, axis=1)) > 0
            for joint in ("Hip", "Knee", "Ankle"):
                stored = trial.model_outputs[f"{side}{joint}Moment"] / 1000.0
                mine = np.stack([ours[f"{side}{joint}Moment.{axis}"] for axis in "XYZ"], axis=1)
                both = stance & np.isfinite(stored).all(axis=1) & np.isfinite(mine).all(axis=1)
                if both.sum() > 20:
                    rmse = np.sqrt(((mine - stored)[both] ** 2).mean(axis=0)).max()
                    assert rmse < MOMENT_NM_KG, (entry["name"], side, joint)
                    compared += 1
    assert compared >= 3
    shown = runner.invoke(app, ["parity", str(out), str(folder), "--csv", str(tmp_path / "parity.csv"), "--report"])
    assert shown.exit_code in (0, 3), shown.output
    with (tmp_path / "parity.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert sum(row["equal"] == "true" for row in rows) > 100
    # Of arms and head tests/real/test_upper_body_parity.py says which walks the vendor's own rules do not reproduce.
    differing = {row["variable"] for row in rows if row["equal"] == "false"}
    assert differing <= {row.variable for row in UPPER_BODY_TABLE} | {"SJC", "EJC", "WJC", "CentreOfMass"}
    assert (shown.exit_code == 3) is bool(differing)
    # The folder now holds the table and is whole; the report says it on its last page.
    assert (out / "parity.csv").read_bytes() == (tmp_path / "parity.csv").read_bytes()
    assert damaged_outputs(out) == ()
    last = " ".join(pypdf.PdfReader(out / "report.pdf").pages[-1].extract_text().split())
    compared_rows = sum(row["equal"] != "" for row in rows)
    equal_rows = sum(row["equal"] == "true" for row in rows)
    head = "Not equal" if differing else "Equal"
    assert f"{head} to the stored outputs {equal_rows} of {compared_rows} compared curves" in last


@pytest.mark.parametrize(
    ("place", "lacking"),
    [
        ("walking", ["static trial", "LTIB", "leg lengths", "knee widths"]),
        ("opensim", ["static trial", "LTHI", "LKNE", "leg lengths"]),
    ],
)
def test_a_folder_the_conventional_model_cannot_use_is_one_sentence(
    place: str, lacking: list[str], c3d_dir: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    result = runner.invoke(app, ["run", str(c3d_dir / place), "-o", str(out), "--model", "conventional"])
    assert result.exit_code == 1
    sentence = result.stderr.strip().splitlines()[-1]
    for words in lacking:
        assert words in sentence
    assert list(tmp_path.iterdir()) == []
