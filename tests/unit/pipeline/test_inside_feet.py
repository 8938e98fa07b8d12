"""Foot models in a whole session of the virtual subject: nobody wears one, somebody wears a part of one, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.cli.check import first_screen
from biomech_id.errors import Finding
from biomech_id.pipeline.folder_verdict import FolderVerdict
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.inside_foot import _options
from biomech_id.report.pages.methods import _sections
from biomech_id.sample import virtual_subject
from biomech_id.trial import Markers, Trial

PERSON = virtual_subject(duration_s=3.0)
STATIC, WALK = PERSON.static("static", duration_s=1.0).trial, PERSON.walk("walk").trial
#: Half of the markers that a foot model alone has: who puts them on meant it.
HALF = ("LP1M", "LP5M", "LD5M")


def files_of(trials: list[Trial], out: Path, **settings: object) -> dict[str, bytes]:
    """Every table and document of a session but the manifest, which has times."""
    bid.analyse(trials, **settings).write(out)  # type: ignore[arg-type]
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.suffix in (".csv", ".json")}


def with_half_a_foot(trial: Trial) -> Trial:
    toe = trial.markers["LTOE"]
    more = np.stack([toe + [0.0, 0.0, 0.01 * number] for number in range(1, 1 + len(HALF))], axis=1)
    position = np.concatenate([trial.markers.position_m, more], axis=1)
    return trial.after("half a foot", markers=Markers((*trial.markers.names, *HALF), position, trial.markers.rate_hz))


def test_who_wears_no_foot_model_has_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the foot models there are, and with none."""
    with_models = files_of([STATIC, WALK], tmp_path / "with")
    monkeypatch.setattr("biomech_id.models.foot_models.FOOT_MODELS", {})
    without = files_of([STATIC, WALK], tmp_path / "without")
    assert with_models.keys() == without.keys()
    assert [name for name in with_models if name != "manifest.json" and with_models[name] != without[name]] == []


def test_half_a_foot_set_is_one_sentence_and_the_leg_runs() -> None:
    whole, half = (bid.analyse(trials) for trials in ([STATIC, WALK], [with_half_a_foot(STATIC), with_half_a_foot(WALK)]))
    said = [finding for finding in half.summary["findings"] if finding["rule"].startswith("oxford-foot")]
    assert [finding["rule"] for finding in said] == ["oxford-foot-not-calibrated"]
    assert said[0]["message"].startswith("There is no foot model of the left foot: static lacks LLCA, LSTL, LCPG, LMMA, LPCA")
    assert said[0]["message"].endswith("the leg is computed without it.")
    shown, plain = (session.tables().frames["walk"] for session in (half, whole))
    # Columns of the foot are there, for the walks of another day may have it; they are empty.
    assert shown.drop(columns=plain.columns).isna().all(axis=None)
    legs = [name for name in plain.columns if "Angles" in name or "Moment" in name]
    assert len(legs) > 20
    np.testing.assert_array_equal(shown[legs].to_numpy(), plain[legs].to_numpy())
    pages = [_sections(session.tables(), load_style(language="en")) for session in (half, whole)]
    sizes = [[line for _, lines in page for line in lines if "Oxford foot" in line or "inside a foot" in line] for page in pages]
    assert [len(lines) for lines in sizes] == [3, 0]


def test_check_says_what_the_foot_model_is_where_its_markers_are() -> None:
    values = {"feet": "LR", "flat": True, "how": "assumed", "passes": 1}
    finding = Finding("oxford-foot", values, "foot model")
    bare = FolderVerdict("anna", "runs", "conventional", "static", (), "biomech-id run anna -o OUT")
    assert [line for line in first_screen(bare, []) if "oot model" in line] == []
    worn = replace(bare, findings=(finding, finding))
    line = "Foot model: both feet; static: flat (assumed); heel smoothed once. Verified on unimpaired feet only."
    assert [each for each in first_screen(worn, []) if "oot model" in each] == [f"  {line}"]
    assert [found["message"] for found in worn.to_dict()["findings"]] == [line, line]
    assert finding.text("de").startswith("Fußmodell: beide Füße; statisch: flach (angenommen)")


def test_the_page_says_its_options() -> None:
    record = {"heel_passes": 1, "widths": "mean", "sides": {"L": {"floor": False}, "R": {"floor": False}}}
    assert _options(record, load_style(language="en")) == (
        "Options: forefoot not put on the floor; heel smoothed once; widths of knee and ankle: mean of both sides. Flat: in the "
        "static trial; assumed where nothing stored shows it."
    )
    unlike = {"heel_passes": 3, "widths": "own", "sides": {"L": {"floor": True}, "R": {"floor": False}}}
    assert "one side; heel smoothed 3 times; widths of knee and ankle: each side's own" in _options(
        unlike, load_style(language="en")
    )
    stored = {"heel_passes": 0, "widths": "mean", "sides": {"L": {}}}
    german = _options(stored, load_style(language="de"))
    assert german.startswith("Optionen: Vorfuß auf dem Boden oder nicht, wie gespeichert; Ferse wie in den Dateien geglättet")
    notes = [load_style(language=language).label("inside_foot.note") for language in ("en", "de")]
    assert ["unimpaired feet only" in notes[0], "nur an Füßen ohne Befund" in notes[1]] == [True, True]


@pytest.mark.parametrize("model", ["conventional", "six-dof"])
def test_foot_pitch_is_0_with_the_sole_on_the_floor_and_known_after_a_flat_static_alone(model: str) -> None:
    """The rigid foot of the sample lies flat from 10 to 30 % of the cycle and leaves the floor over its toes."""
    person = virtual_subject(duration_s=3.0, clusters=True)
    trials = [person.static("static", duration_s=1.0).trial, person.walk("walk").trial]
    flat = bid.analyse(trials, model=model).tables()
    for side in ("L", "R"):
        pitch, own = (flat.curves(side, name, "X") for name in ("FootPitch", "FootProgressAngles"))
        np.testing.assert_allclose(pitch, own + 90.0, atol=1e-9)
        np.testing.assert_allclose(pitch[:, 12:30], 0.0, atol=1.0)
        assert (pitch[:, 62] > 30.0).all()
        assert (pitch[:, 0] < -3.0).all()
    bands = flat.uncertainty[flat.uncertainty["component"] == "X"].set_index("variable")["total"]
    np.testing.assert_array_equal(bands["FootPitch"], bands["FootProgressAngles"])
    tilted = bid.analyse(trials, model=model, foot_flat="no").tables()
    assert "FootPitch" not in set(tilted.cycles["variable"])
    assert "LFootPitch.X" not in tilted.frames["walk"].columns
