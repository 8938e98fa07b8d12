"""The laboratory's Snakemake workflow, run as a laboratory copies it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from biomech_id.sample import virtual_subject, write_c3d

pytest.importorskip("snakemake")

PIPELINE = Path(__file__).resolve().parents[2] / "pipelines" / "lab"


def record(folder: Path, **options: object) -> None:
    folder.mkdir(parents=True)
    person = virtual_subject(**options)  # type: ignore[arg-type]
    write_c3d(person.static("static"), folder / "static.c3d")
    write_c3d(person.walk("walk01"), folder / "walk01.c3d")


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A laboratory with two healthy people and one patient, whose names hold what names hold, and a broken file."""
    place = Path(shutil.copytree(PIPELINE, tmp_path / "lab"))
    # The virtual child's markers count as unsmoothed and the adults' do not: a norm of these for that one has to be asked for.
    recipe = place / "lab.toml"
    recipe.write_text(recipe.read_text(encoding="utf-8").replace("[output]\n", '[output]\nmix = ["bandwidth"]\n'), encoding="utf-8")
    record(place / "recordings/healthy/h1", code="H1")
    record(place / "recordings/healthy/h2", code="H2", mass_kg=60.0)
    patient = place / "recordings/patients/Анна Иванова/before"
    record(patient, code="P1", body="child")
    (patient / "walk01.c3d").rename(patient / "walk 01.C3D")
    (patient / "walk02.c3d").write_bytes(b"no recording" * 100)
    return place


def snakemake(lab: Path, *options: str) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    words = [sys.executable, "-m", "snakemake", "--cores", "2", "--keep-going", "--nocolor", *options]
    ran = subprocess.run(words, cwd=lab, env=os.environ | {"PATH": path}, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-3000:]
    return ran.stdout + ran.stderr


def test_a_day_at_the_laboratory(lab: Path) -> None:
    session = "Анна Иванова/before"
    snakemake(lab)
    results = lab / "results"
    checked = [json.loads(line) for line in (results / f"checks/patients/{session}.jsonl").read_text("utf-8").splitlines()]
    files = [line for line in checked if "path" in line]
    assert [Path(file["path"]).name for file in files if not file["readable"]] == ["walk02.c3d"]
    assert (results / "norm.csv").is_file()
    report = (results / f"reports/{session}.pdf").read_bytes()
    assert report.startswith(b"%PDF")
    manifest = json.loads((results / f"patients/{session}/manifest.json").read_text(encoding="utf-8"))
    assert set(manifest["inputs"]) == {"static.c3d", "walk 01.C3D", "walk02.c3d", "norm.csv"}
    # A score is a distance from the norm, so that the norm was there when the tables were made.
    assert len((results / f"patients/{session}/scores.csv").read_text(encoding="utf-8").splitlines()) > 1

    # A second start has nothing to do; a new recording concerns its own session alone.
    assert "Nothing to be done" in snakemake(lab)
    finished = {p: p.stat().st_mtime_ns for p in (results / "healthy").rglob("*.csv")}
    write_c3d(virtual_subject(body="child", code="P1", lead="L").walk("w"), lab / f"recordings/patients/{session}/walk02.c3d")
    snakemake(lab)
    assert (results / f"patients/{session}/trials/walk02.csv").is_file()
    assert (results / f"reports/{session}.pdf").read_bytes() != report
    assert {p: p.stat().st_mtime_ns for p in (results / "healthy").rglob("*.csv")} == finished


def test_without_healthy_people_reports_have_no_norm(lab: Path) -> None:
    shutil.rmtree(lab / "recordings" / "healthy")
    planned = snakemake(lab, "--dry-run", "--printshellcmds")
    assert "biomech-id report" in planned
    assert "--norm" not in planned
