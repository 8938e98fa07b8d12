"""Hips and knees from a laboratory's functional trials (12 Hz), a file for each joint: two methods, both legs alike, near the
regressions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.conventions import SIDES
from biomech_id.models.six_dof.model import SixDofModel, six_dof_model

#: The laboratory's own markers on thigh and shank, and its medial ones.
MARKER_SET = """
schema = 1
title = "Functional trials with markers of a laboratory's own"
models = ["six-dof"]

[landmarks]
asis = "{s}ASI"
psis = "{s}PSI"
lateral_epicondyle = "{s}KNE"
medial_epicondyle = "{s}KNEM"
lateral_malleolus = "{s}ANK"
medial_malleolus = "{s}ANKM"
heel = "{s}HEE"
toe = "{s}TOE"

[tracking]
pelvis = ["LASI", "RASI", "LPSI", "RPSI"]
thigh = ["{s}THI", "{s}THIB", "{s}THID"]
shank = ["{s}TIB", "{s}TIBF", "{s}TIBD"]
foot = ["{s}HEE", "{s}TOE", "{s}TOE5"]
"""


@pytest.fixture(scope="module")
def models(c3d_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, SixDofModel]:
    ours = tmp_path_factory.mktemp("set") / "ours.toml"
    ours.write_text(MARKER_SET, encoding="utf-8")
    trials = {
        name: bid.read_c3d(c3d_dir / "functional" / f"Test_func_{name}.c3d", trust=True)
        for name in ("anat", "lhip", "rhip", "lknee", "rknee")
    }
    static = trials.pop("anat")
    subject = replace(static.subject, mass_kg=70.0)
    found = {}
    for hip in ("score", "sphere", "harrington"):
        found[hip] = six_dof_model(static, subject, markerset=str(ours), functional=tuple(trials.values()), hip=hip)
    return found


@pytest.mark.parametrize("method", ["score", "sphere"])
def test_both_hips_lie_near_the_regression(models: dict[str, SixDofModel], method: str) -> None:
    calibration = models[method].calibration
    assert not [finding.rule for finding in models[method].findings if finding.rule.startswith("functional-")]
    for side in SIDES:
        found = calibration.templates["", "pelvis"].points_m[f"{side} hip_centre"]
        assert 1e3 * np.linalg.norm(found - calibration.hip_candidates_m[side]["harrington"]) < 15.0
        assert 1e3 * np.linalg.norm(found - calibration.hip_candidates_m[side]["davis"]) > 1.0  # a centre of its own


def test_knees_bend_about_a_line_near_that_of_the_epicondyles(models: dict[str, SixDofModel]) -> None:
    methods = models["score"].calibration.methods
    assert all("SARA" in methods[side, "knee"] for side in SIDES)
    static = models["score"].static
    assert static is not None
    motion = models["score"].track(static)
    for side in SIDES:
        line = static.markers[f"{side}KNE"] - static.markers[f"{side}KNEM"]
        across = motion.motions[side, "thigh"].frames.R_lab_seg[:, :, 2]
        cosine = np.abs((across * line).sum(axis=1) / np.linalg.norm(line, axis=1))
        assert np.rad2deg(np.arccos(np.nanmedian(cosine))) < 20.0
