"""Recordings of muscle signals alone: a session of its own kind, over time."""

from __future__ import annotations

from pathlib import Path

from pypdf import PdfReader

from biomech_id.pipeline.run import run_job
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.session.folder.read_write import read_tables


def test_a_recording_without_markers_has_tables_and_pages_over_time(c3d_dir: Path, tmp_path: Path) -> None:
    recipe = Recipe(channels={"EMG 14": "R tibialis_anterior"})
    outcome = run_job(Job((c3d_dir / "emg" / "clinical_emg.c3d",), recipe=recipe), tmp_path / "out")
    assert outcome.complaints == ()
    assert "not judged" in outcome.headline
    tables = read_tables(tmp_path / "out")
    channels, activity = tables.channels, tables.emg_activity
    assert channels is not None
    assert activity is not None
    verdicts = channels.set_index("label")["verdict"]
    assert verdicts["EMG 14"] == "live"
    assert verdicts["Sync"] == "not_emg"
    assert (verdicts.drop(["EMG 12", "EMG 14", "Sync"]) == "hum").all()
    spans = activity[activity["label"] == "EMG 14"]
    assert len(spans) == 3, "three voluntary contractions"
    assert (spans["cycle"] == 0).all()
    text = " ".join(page.extract_text() for page in PdfReader(tmp_path / "out" / "report.pdf").pages)
    assert "Right Tibialis anterior" in text
    assert "Kinematics" not in text
