"""What stored outputs imply of the offsets and the marker diameter they were computed with, against the reference table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.models.conventional.implied_calibration import implied_calibration, other_thigh_rotations

pytestmark = pytest.mark.real
TUNED = "labs_abroad/device_tuned_rotation"
#: Recording -> left and right thigh rotation, shank rotation, torsion (deg), and the markers' diameter (mm).
REFERENCE = {
    f"{TUNED}/walk03": ((1.989, 2.605), (2.787, 2.180), (-18.682, -20.736), 14.0),
    f"{TUNED}/walk05": ((1.989, 2.605), (2.787, 2.180), (-18.682, -20.736), 14.0),
    "knee_device/kad/PiGKad_Motion": ((8.959, -10.048), (13.873, 15.364), (0.0, 0.0), 14.0),
    "knee_device/kad_medial/PiGKadMed_Motion": ((8.959, -10.048), (3.909, 0.554), (-12.003, -17.735), 14.0),
    "norm_subjects/NP1002/walkNorm_NP1002a07": ((12.596, 4.880), (3.188, 4.892), (-20.0, -30.0), 9.5),
    "norm_subjects/NP1027/walkNorm_NP1027a18": ((-2.002, -26.553), (-16.598, -16.969), (-20.0, -20.0), 9.5),
    "oxford_foot/flat/static_processed": ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), 14.0),
    "children/HC002D/HC002D06": ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), 10.0),
}  # fmt: skip


@pytest.mark.parametrize("recording", REFERENCE)
def test_walks_imply_what_they_were_computed_with(recording: str, c3d_dir: Path) -> None:
    thighs, shanks, torsions, diameter_mm = REFERENCE[recording]
    legs = implied_calibration(bid.read_c3d(c3d_dir / f"{recording}.c3d"))
    for side, thigh, shank, torsion in zip("LR", thighs, shanks, torsions, strict=True):
        assert legs[side].thigh_rotation_deg == pytest.approx(thigh, abs=0.002)
        assert legs[side].shank_rotation_deg == pytest.approx(shank, abs=0.002)
        assert legs[side].tibial_torsion_deg == pytest.approx(torsion, abs=0.002)
        assert legs[side].knee_diameter_mm == pytest.approx(diameter_mm, abs=0.01)
        assert legs[side].diameter_mm == pytest.approx(diameter_mm, abs=0.01)


def test_a_static_trial_with_a_device_implies_its_stored_means(c3d_dir: Path) -> None:
    trial = bid.read_c3d(c3d_dir / TUNED / "static.c3d")
    legs = implied_calibration(trial, static=True)
    assert [legs[side].thigh_rotation_deg for side in "LR"] == pytest.approx([-1.064, -1.007], abs=0.002)
    assert [legs[side].shank_rotation_deg for side in "LR"] == pytest.approx([4.285, 3.462], abs=0.002)
    assert [legs[side].tibial_torsion_deg for side in "LR"] == pytest.approx([0.0, 0.0], abs=0.002)
    assert [legs[side].ankle_diameter_mm for side in "LR"] == pytest.approx([14.0, 14.0], abs=0.01)


def test_only_the_walks_that_somebody_tuned_are_said(c3d_dir: Path) -> None:
    pairs = {
        TUNED: ("static", "walk03"), "knee_device/kad": ("PiGKad_Calibration", "PiGKad_Motion"),
        "knee_device/kad_medial": ("PiGKadMed_Calibration", "PiGKadMed_Motion"), "children/HC002D": ("HC002D02", "HC002D06"),
        "children/HC030A": ("HC030A01", "HC030A05"), "swaying_static": ("PiG_Calibration4", "PiG_Motion4_noFF_noHO"),
    }  # fmt: skip
    named = []
    for home, (static, walk) in pairs.items():
        stood, walked = (bid.read_c3d(c3d_dir / home / f"{name}.c3d") for name in (static, walk))
        if other_thigh_rotations(implied_calibration(stood, static=True), {walk: implied_calibration(walked)}):
            named.append(home)
    assert named == [TUNED]


def test_the_session_says_it_once_and_keeps_the_evidence(c3d_dir: Path) -> None:
    session = bid.analyse(c3d_dir / TUNED, uncertainty=False)
    (said,) = (each for each in session.computed.findings if each.rule == "offsets-of-trials-differ")
    assert [side for side, *_ in said.values["legs"]] == ["L", "R"]
    for (_, *degrees), expected in zip(said.values["legs"], ((-1.064, 1.989), (-1.007, 2.605)), strict=True):
        assert degrees == pytest.approx(expected, abs=0.002)
    assert list(said.values["trials"]) == ["walk03", "walk05"]
    evidence = session.computed.calibration["trials"]
    assert set(evidence) == {"static", "walk03", "walk05"}
    assert evidence["walk05"]["R"]["knee_diameter_mm"] == pytest.approx(14.0, abs=0.01)


def test_with_the_offsets_of_its_trials_the_session_is_what_was_stored(c3d_dir: Path) -> None:
    """Angles as stored to a hundredth of a degree; with the static trial's offsets hip rotation is 5 degrees off."""
    largest = {}
    for offsets in ("static", "trial"):
        session = bid.analyse(c3d_dir / TUNED, kinetics="vicon", offsets=offsets, uncertainty=False)
        trials = {trial.name: trial for trial in session.computed.trials}
        for name in ("walk03", "walk05"):
            stored = bid.read_c3d(c3d_dir / TUNED / f"{name}.c3d").model_outputs
            for side, joint in ((side, joint) for side in "LR" for joint in ("hip", "knee", "ankle")):
                ours = np.rad2deg(trials[name].motion.joint_angles_rad[side, joint])
                theirs = stored[f"{side}{joint.capitalize()}Angles"]
                shown = np.abs(theirs).sum(axis=1) > 0.0
                apart = np.nanmax(np.abs(np.abs(ours[shown]) - np.abs(theirs[shown])))
                largest[offsets] = max(largest.get(offsets, 0.0), float(apart))
    assert largest["trial"] < 0.01
    assert largest["static"] > 1.0
