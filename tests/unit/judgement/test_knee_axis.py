"""The walks judge the knee axis: a turned thigh marker is found and its angle named, a thrust is not (issue S, case 11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.conventions import SIDE_SIGN, SIDES
from biomech_id.errors import Severity
from biomech_id.feet.movements import TrialKind
from biomech_id.judgement.knee_axis import judge_knee_axes, knee_axis_findings, with_knee_axes
from biomech_id.sample.patterns import PATTERNS
from biomech_id.session.solved import Solved
from biomech_id.trial import Trial

#: Knees that bend like hinges: feet straight ahead, and no rotation about the shank.
HINGES = {"toe_out_rad": (0.0, 0.0), "pattern": replace(PATTERNS["walk"], knee_rotation_rad=0.0), "plates": ()}
THRUST_DEG = 8.0


@cache
def recorded(marker_deg: float, soft_tissue_m: float = 0.0) -> tuple[Trial, Trial]:
    """Standing and walking with both thigh markers turned backward about the thigh."""
    person = bid.virtual_subject(
        variant="violating", wand_offset_rad=float(np.deg2rad(marker_deg)), knee_width_error_m=0.0, ankle_roll_rad=0.0,
        soft_tissue_m=soft_tissue_m, **HINGES,
    )  # fmt: skip
    return person.static().trial, person.walk().trial


def analysed(static: Trial, walk: Trial, kind: TrialKind = TrialKind.STRAIGHT) -> Solved:
    motion = bid.conventional_model(static).track(walk)
    return Solved("walk", "walk.c3d", kind, "", motion, markers=walk.markers)


def judged(marker_deg: float, soft_tissue_m: float = 0.0) -> Mapping[str, Mapping[str, float]]:
    return judge_knee_axes([analysed(*recorded(marker_deg, soft_tissue_m))])


@pytest.mark.parametrize("marker_deg", [-15.0, -10.0, -5.0, 5.0, 10.0, 15.0])
def test_the_angle_of_a_turned_thigh_marker_is_named_within_two_degrees(marker_deg: float) -> None:
    assert [abs(judged(marker_deg)[side]["thigh_marker_turn_deg"] - marker_deg) < 2.0 for side in SIDES] == [True, True]


@pytest.mark.parametrize("marker_deg", [-15.0, 15.0])
def test_and_within_five_under_moving_skin(marker_deg: float) -> None:
    named = [judged(marker_deg, 0.03)[side]["thigh_marker_turn_deg"] for side in SIDES]
    assert max(abs(each - marker_deg) for each in named) < 5.0
    assert np.abs(np.subtract(named, [judged(marker_deg)[side]["thigh_marker_turn_deg"] for side in SIDES])).min() > 0.1


def test_a_marker_turned_far_is_a_finding_that_says_which_way() -> None:
    for marker_deg, sits in ((16.0, "back"), (-17.0, "forward")):
        found = list(knee_axis_findings(judged(marker_deg), "static"))
        assert [(each.rule, each.values["side"], each.values["sits"]) for each in found] == [
            ("knee-axis-turned", "L", sits), ("knee-axis-turned", "R", sits),
        ]  # fmt: skip
        assert abs(float(str(found[0].values["marker_deg"])) - abs(marker_deg)) < 2.0
        assert f"degrees about the thigh too far {sits}" in found[0].message
        assert "0.35" in found[0].message


def test_nothing_is_said_of_a_clean_placement() -> None:
    assert set(judged(0.0)) == {"L", "R"}
    assert not list(knee_axis_findings(judged(0.0), "static"))
    usual = bid.virtual_subject(plates=())
    default = judge_knee_axes([analysed(usual.static().trial, usual.walk().trial)])
    assert default["R"]["knee_varus_slope"] > 0.3  # knees over feet that are turned out: a healthy leg's varus, near the limit
    found = list(knee_axis_findings(default, "static"))
    assert [(each.rule, each.severity) for each in found] == [("knee-varus-follows", Severity.INFO)] * 2
    assert [each.values["other_slope"] for each in found] == [default[side]["knee_varus_slope"] for side in ("R", "L")]


def test_the_virtual_healthy_walk_has_the_reference_figures() -> None:
    """Range, slope, correlation, and turn with its error, of the left and the right knee, by a prototype outside the project."""
    usual = bid.virtual_subject(plates=())
    found = judge_knee_axes([analysed(usual.static().trial, usual.walk().trial)])
    for side, (range_deg, slope, correlation, turn_deg) in {"L": (15.7, 0.28, 0.89, 20.0), "R": (20.0, 0.34, 0.87, 24.6)}.items():
        limb = found[side]
        assert limb["knee_varus_range_deg"] == pytest.approx(range_deg, abs=0.3)
        assert limb["knee_varus_slope"] == pytest.approx(slope, abs=0.01)
        assert limb["knee_varus_correlation"] == pytest.approx(correlation, abs=0.01)
        assert limb["knee_axis_turn_deg"] == pytest.approx(turn_deg, abs=0.5)


def test_a_wide_varus_is_said_whatever_its_slope() -> None:
    result = analysed(*recorded(0.0))
    angles = dict(result.motion.joint_angles_rad)
    for side in SIDES:
        knee = np.array(angles[side, "knee"])
        knee[:, 1] += np.deg2rad(14.0) * np.sin(40.0 * np.arange(len(knee)) / result.motion.rate_hz)
        angles[side, "knee"] = knee
    found = list(
        knee_axis_findings(judge_knee_axes([replace(result, motion=replace(result.motion, joint_angles_rad=angles))]), "s")
    )
    assert [each.rule for each in found] == ["knee-varus-wide"] * 2
    assert "none of 38 legs" in found[0].message


@pytest.mark.parametrize("until_off", [False, True])
def test_a_true_varus_thrust_is_not_called_a_marker(until_off: bool) -> None:
    """Eight degrees of varus under load, by which shank and foot turn about the knee; gone by mid-stance or only at foot off."""
    static, walk = recorded(0.0)
    thrust = replace(walk, markers=walk.markers.with_positions(thrusting(static, walk, until_off=until_off)))
    before, after = (analysed(static, each) for each in (walk, thrust))
    for side in SIDES:
        grown = np.rad2deg(after.motion.joint_angles_rad[side, "knee"] - before.motion.joint_angles_rad[side, "knee"])[:, 1]
        assert 6.5 < np.nanmax(grown) < 9.5  # it is there
    found = judge_knee_axes([after])
    assert not list(knee_axis_findings(found, "static"))
    for side in SIDES:
        assert abs(found[side]["thigh_marker_turn_deg"]) < 5.0


def thrusting(static: Trial, walk: Trial, *, until_off: bool) -> np.ndarray:
    """(n, m, 3), the walk's markers with both knees in varus while loaded."""
    motion = bid.conventional_model(static).track(walk)
    position_m = walk.markers.position_m.copy()
    time_s = np.arange(walk.n_frames) / walk.rate_hz + (walk.first_frame - 1) / walk.rate_hz
    strikes = {side: [e.time_s for e in walk.events if (e.side, str(e.kind)) == (side, "Foot Strike")] for side in SIDES}
    offs = {side: [e.time_s for e in walk.events if (e.side, str(e.kind)) == (side, "Foot Off")] for side in SIDES}
    assert all(strikes.values())
    for side in SIDES:
        bump = np.zeros(len(time_s))
        for start_s in strikes[side]:
            ends_s = min([each for each in offs[side] if each > start_s], default=start_s + 0.6)
            share = np.clip((time_s - start_s) / ((ends_s - start_s) * (1.0 if until_off else 0.5)), 0.0, 1.0)
            bump = np.maximum(bump, np.sin(np.pi * share) ** 2)
        angle = SIDE_SIGN[side] * np.deg2rad(THRUST_DEG) * bump  # about the thigh's forward axis, the shank outward at the knee
        thigh, knee = motion.motions[side, "thigh"].frames.R_lab_seg, motion.joint_centres_lab_m[side, "knee"]
        axis = thigh[:, :, 0]
        for name in ("TIB", "ANK", "HEE", "TOE"):
            at = walk.markers.names.index(side + name)
            arm = position_m[:, at] - knee
            along = np.einsum("ij,ij->i", arm, axis)[:, None] * axis
            turned = along + np.cos(angle)[:, None] * (arm - along) + np.sin(-angle)[:, None] * np.cross(axis, arm)
            position_m[:, at] = knee + turned
    return position_m


def test_other_movements_and_stiff_knees_are_not_judged_and_other_models_are() -> None:
    static, walk = recorded(16.0)
    assert judge_knee_axes([analysed(static, walk, TrialKind.TURN)]) == {}
    result = analysed(static, walk)
    six_dof = judge_knee_axes([replace(result, motion=replace(result.motion, model="six-dof"))])
    assert [limb["knee_axis_evidence"] for limb in six_dof.values()] == ["turned", "turned"]
    assert not any("thigh_marker_turn_deg" in limb for limb in six_dof.values())
    angles = {key: values * (0.3 if key[1] == "knee" else 1.0) for key, values in result.motion.joint_angles_rad.items()}
    stiff = judge_knee_axes([replace(result, motion=replace(result.motion, joint_angles_rad=angles))])
    assert stiff == {side: {"knee_axis_evidence": "could not run"} for side in SIDES}
    assert not list(knee_axis_findings(stiff, "static"))


def test_without_a_thigh_marker_the_axis_is_judged_and_no_marker_named() -> None:
    result = analysed(*recorded(17.0))
    found = judge_knee_axes([replace(result, markers=None)])
    assert "thigh_marker_turn_deg" not in found["L"]
    said = [each.message for each in knee_axis_findings(found, "static")]
    assert len(said) == 2
    assert "The knee's axis is likely turned." in said[0]


def test_what_was_judged_stands_in_the_calibration() -> None:
    calibration = {"model": "conventional", "sides": {"L": {"a": 1.0}, "R": {"a": 2.0}}}
    made = with_knee_axes(calibration, {"R": {"knee_varus_slope": 0.1}})
    assert made["sides"] == {"L": {"a": 1.0}, "R": {"a": 2.0, "knee_varus_slope": 0.1}}
    assert calibration["sides"]["R"] == {"a": 2.0}
