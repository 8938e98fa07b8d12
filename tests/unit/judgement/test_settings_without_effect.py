"""A setting that was given and changes nothing is named, whatever it waits for."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.errors import Finding, Severity
from biomech_id.judgement.request_findings import settings_without_effect
from biomech_id.request.recipe import Recipe, Run, idle_settings

DATA = Path(__file__).resolve().parents[3] / "data"
#: Settings that act in every run.
ALWAYS = {
    "extra_forces",
    "model", "kinetics", "foot_flat", "marker_set", "marker_filter", "longest_gap_frames", "longest_repair_s", "event_source",
    "budget", "uncertainty", "report", "lab", "diagnose", "keep_clinic", "keep_comments", "keep_conditions",
}  # fmt: skip
OTHER: dict[str, Any] = {
    "inertia_table": "dumas2007", "hip_centre": "hara", "knee_axis": "walk", "offsets": "trial",
    "smooth_below_mm": 0.2, "cutoff_hz": 1.0,
    "lowpass": "critical",
    "stance_verdicts": ("walk L 1 = none",), "contact_N": 30.0, "emg_gain": 500.0, "channels": {"EMG 1": "none"},
    "mix": ("bandwidth",), "plate_cutoff_hz": 12.0,
    "foot_hindfoot_flat": "no", "foot_forefoot_floor": "yes", "foot_heel_passes": 2, "foot_widths": "own",
    "foot_calibration": "static",
    "error_sizes": ("hip_centre_mm = 6",), "write_c3d": True, "review_page": True, "large_tables": "whole",
    "muscle_forces": True, "muscle_exponent": 3.0, "muscle_reserve_Nm": 0.0, "muscle_strength": "model",
    "muscle_knee_cost": 0.4,
}  # fmt: skip


def given(name: str) -> Recipe:
    recipe = Recipe()
    object.__setattr__(recipe, name, OTHER[name])  # past checks that are none of this test's business
    return recipe


def test_every_setting_says_what_it_waits_for() -> None:
    muscles = {setting.name for setting in dataclasses.fields(Recipe) if setting.metadata["section"] == "emg"}
    waiting = {setting.name for setting in dataclasses.fields(Recipe) if setting.metadata["acts"]} | muscles
    assert {setting.name for setting in dataclasses.fields(Recipe)} == waiting | ALWAYS
    assert waiting >= set(OTHER)
    assert {setting.metadata["acts"] for setting in dataclasses.fields(Recipe)} - {""} <= set(Run.__dataclass_fields__)


@pytest.mark.parametrize("name", OTHER)
def test_it_is_named_where_it_waits_in_vain_and_only_there(name: str) -> None:
    nothing = Run(frozenset(), *[False] * (len(dataclasses.fields(Run)) - 1))
    everything = Run(frozenset(OTHER))
    assert [name] in idle_settings(given(name), nothing).values()
    assert idle_settings(given(name), everything) == {}
    assert idle_settings(Recipe(), nothing) == {}


def trial(*, mode: str = "auto", filtered: bool = False, plates: bool = True) -> Any:
    finding = Finding("marker-filter", {"mode": mode, "filtered": filtered}, "walk")
    return SimpleNamespace(findings=(finding,), plates=("plate 1",) if plates else ())


def test_what_is_said() -> None:
    recipe = Recipe(cutoff_hz=1.0, contact_N=30.0, smooth_below_mm=0.2)
    (said,) = settings_without_effect(recipe, [trial()], written=True)
    assert said.severity is Severity.WARNING
    assert said.message == "cutoff_hz had no effect: no recording was filtered (marker_filter is auto, kinetics textbook)."
    assert list(settings_without_effect(recipe, [trial(), trial(filtered=True)], written=True)) == []
    without = [finding.message for finding in settings_without_effect(recipe, [trial(filtered=True, plates=False)], written=True)]
    assert without == ["contact_N had no effect: no recording has force plates."]
    both = Recipe(marker_filter="always", smooth_below_mm=0.2, write_c3d=True)
    named = [finding.values["settings"] for finding in settings_without_effect(both, [trial(mode="always")], written=False)]
    assert named == [("smooth_below_mm",), ("write_c3d",)]


def test_settings_of_feet_that_nobody_wears_are_one_sentence() -> None:
    """A laboratory's recipe serves everybody: no warning, and nothing of a recipe that says nothing of feet."""
    recipe = Recipe(foot_hindfoot_flat="no", foot_heel_passes=2)
    (said,) = settings_without_effect(recipe, [trial(filtered=True)], written=True, feet=False)
    assert said.severity is Severity.INFO
    shown = "no recording shows the markers of a foot model"
    assert said.message == f"foot_hindfoot_flat and foot_heel_passes had no effect: {shown}."
    assert said.text("de").startswith("foot_hindfoot_flat und foot_heel_passes hat nichts bewirkt: Keine Aufnahme zeigt")
    assert list(settings_without_effect(recipe, [trial(filtered=True)], written=True, feet=True)) == []
    assert list(settings_without_effect(Recipe(), [trial(filtered=True)], written=True, feet=False)) == []


def test_a_cutoff_that_changes_nothing_is_named_by_analyse() -> None:
    files = [DATA / "static.c3d", DATA / "walk01.c3d"]
    quick: dict[str, Any] = {"uncertainty": False, "budget": False}
    plain, given_it = bid.analyse(files, **quick).computed, bid.analyse(files, cutoff_hz=1.0, **quick).computed
    knees = [session.trials[0].loads["R", "knee"].wrench.moment_Nm for session in (plain, given_it)]  # type: ignore[index]
    np.testing.assert_array_equal(*knees)
    rules = [[finding.rule for finding in session.findings] for session in (plain, given_it)]
    assert "setting-without-effect" not in rules[0]
    assert "setting-without-effect" in rules[1]
