"""The methods page speaks in words: no key of a file reaches it, and every number has its unit."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

import biomech_id as bid
from biomech_id.languages import LANGUAGES
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.methods import history_lines, processing
from biomech_id.report.panels.labelled_values import calibration_lines, parted, segment_lines, setting_lines, source_lines
from biomech_id.request.recipe import Recipe
from biomech_id.trial import Subject

DATA = Path(__file__).parents[3] / "data"
STYLE = load_style()


@pytest.fixture(scope="module", params=["conventional", "six-dof"])
def calibration(request) -> dict:
    static = bid.read_c3d(DATA / "static.c3d")
    model = bid.conventional_model(static) if request.param == "conventional" else bid.six_dof_model(static)
    return {"schema": 1, "model": request.param, "static_file": "static.c3d", **model.calibration.to_dict()}


def labels_of(calibration: dict) -> set[str]:
    """Every key that holds a measurement."""
    legs = calibration["sides"]["L"]
    keys = {*calibration, *(calibration.get("pelvis") or ()), *legs, *legs["segments"]["foot"]}
    told = {"schema", "model", "kinetics", "static", "pelvis", "sides", "segments", "hip_centre"}
    return {f"calibration.{parted(key)[0]}" for key in keys - told}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_key_of_a_calibration_has_words(calibration, language):
    known = load_style(language=language).labels
    assert labels_of(calibration) <= set(known), labels_of(calibration) - set(known)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_setting_its_choices_and_every_measurement_have_words(language):
    known = load_style(language=language).labels
    settings = dataclasses.fields(Recipe)
    asked = {f"setting.{parted(setting.name)[0]}" for setting in settings}
    asked |= {f"choice.{choice}" for setting in settings for choice in setting.metadata["kind"].choices}
    asked |= {f"measure.{parted(field.name)[0]}" for field in dataclasses.fields(Subject) if field.name != "sources"}
    assert asked <= set(known), asked - set(known)


def test_no_line_holds_a_key_and_every_measurement_its_unit(calibration):
    recipe = Recipe(model=calibration["model"]).as_dict()
    lines = [*calibration_lines(calibration, STYLE), *segment_lines(calibration, STYLE), *setting_lines(recipe, STYLE)]
    assert len(lines) > 40
    keys = re.compile(r"\b[a-z]+_[a-z_]+\b")
    assert not [line for line in lines if keys.search(line)]
    assert "Marker diameter: 14.0 mm" in lines
    assert "Marker filter cut-off: 8 Hz" in lines
    assert any(re.fullmatch(r"Shank, mass: \d\.\d{3} kg", line) for line in lines)
    assert any(re.fullmatch(r"Shank, inertia about it \(xx, yy, zz\): .* kg m²", line) for line in lines)
    assert sum("masses and inertia from" in line for line in lines) == 1


def test_sides_that_differ_are_both_told_and_tensors_by_their_products():
    foot = {
        "length_mm": 180.0,
        "inertia_about_com_kgm2": [[0.01, 0.002, 0.0], [0.002, 0.02, 0.0], [0.0, 0.0, 0.03]],
        "source": "A.",
    }
    sides = {
        "L": {"tibial_torsion_deg": 10.0, "segments": {"foot": foot}},
        "R": {"tibial_torsion_deg": 12.5, "segments": {"foot": foot}},
    }
    calibration = {"axes": "mine", "sides": sides}
    assert list(calibration_lines(calibration, STYLE)) == ["Axes: mine", "Tibial torsion: L 10.0; R 12.5 deg"]
    assert list(segment_lines(calibration, STYLE)) == [
        "Foot, length: 180.0 mm",
        "Foot, inertia about it (xx, yy, zz): 0.01000, 0.02000, 0.03000, 0.00200, 0.00000, 0.00000 kg m²",
        "Foot: masses and inertia from A.",
    ]


def test_sources_are_named():
    assert list(source_lines({"mass_kg": "option --mass", "knee_width_m": "subject.toml"}, STYLE)) == [
        "Mass: option --mass",
        "Knee width: subject.toml",
    ]


def test_what_was_done_to_every_trial_is_told_once():
    histories = {"a": ["read a.c3d", "filled", "2 passed"], "b": ["read b.c3d", "2 passed", "turned"]}
    assert list(processing(histories, STYLE)) == [
        ("What was done to every trial", ["2 passed"]),
        ("What was done to single trials", ["read a.c3d", "a: filled", "read b.c3d", "b: turned"]),
    ]
    assert list(processing({}, STYLE)) == [("What was done to every trial", []), ("What was done to single trials", [])]


CHECKS = ["read 9 frames", "self-check: a: passed", "self-check: b: passed", "self-check: c 3 N (limit 1e-9): failed"]


def test_self_checks_that_passed_are_counted_and_others_written_out():
    checks = [{"name": name, "value": 1.0, "unit": "N", "limit": 2.0, "verdict": verdict} for name, verdict in (
        ("a", "passed"), ("b", "passed"), ("c", "failed"),
    )]  # fmt: skip
    steps = [{"rule": "", "values": {}}, *({"rule": "self-check", "values": check} for check in checks)]
    lines = history_lines(CHECKS, steps, STYLE)
    assert len(lines) == 3
    assert "failed" in lines[1]
    assert lines[2] == "2 self-checks of the equations passed"


def test_self_checks_of_the_first_version_are_told_by_their_words():
    assert history_lines(CHECKS, [], STYLE) == [CHECKS[0], CHECKS[3], "2 self-checks of the equations passed"]
