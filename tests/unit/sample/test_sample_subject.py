"""Options of the virtual subject do what they say."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from biomech_id.errors import BiomechError
from biomech_id.sample import PlateSpec, SampleTrial, VirtualSubject, virtual_subject
from biomech_id.sample.floors.stairs import Stairs
from biomech_id.sample.patterns.stairs import STAIRS_UP
from biomech_id.trial import EventKind


@pytest.fixture(scope="module")
def person() -> VirtualSubject:
    return virtual_subject()


@pytest.fixture(scope="module")
def walk(person: VirtualSubject) -> SampleTrial:
    return person.walk()


def test_a_walk_looks_like_a_recording(walk: SampleTrial) -> None:
    trial, truth = walk.trial, walk.truth
    assert trial.rate_hz == 100.0
    assert np.isfinite(trial.markers.position_m).all()
    assert {"LASI", "RASI", "LPSI", "RPSI", "LTHI", "RKNE", "LTIB", "RANK", "LHEE", "RTOE"} <= set(trial.markers.names)
    assert [plate.kind for plate in trial.plates] == [2, 2]
    assert trial.events == truth.events
    kinds = [e.kind for e in trial.events if e.side == "L"]
    assert kinds[::2] == [kinds[0]] * len(kinds[::2])
    assert set(kinds) == {EventKind.FOOT_STRIKE, EventKind.FOOT_OFF}
    assert truth.time_s[0] == trial.first_time_s


def test_each_plate_carries_one_foot(walk: SampleTrial) -> None:
    carried = {s.side: s.plates for s in walk.truth.stances if s.plates}
    assert carried == {"R": ("plate 1",), "L": ("plate 2",)}
    assert [s.side for s in walk.truth.stances] == ["R", "L"] * 4 or [s.side for s in walk.truth.stances] == ["L", "R"] * 4


@pytest.mark.parametrize("options", [{}, {"belt": True, "plates": "belt"}, {"direction": "turn", "body": "child"}], ids=str)
def test_plates_hold_the_ground_reaction_of_the_truth(options: dict[str, Any]) -> None:
    """Where only one foot is on a plate, plate and truth are the same wrench."""
    walk = virtual_subject(**options).walk()
    times = walk.truth.time_s
    carried = [stance for stance in walk.truth.stances if stance.plates]
    assert len(carried) >= (6 if "belt" in options else 2)
    for stance in carried:
        plate = walk.trial.plates[int(stance.plates[0].removeprefix("plate ")) - 1]
        during = np.flatnonzero((times > stance.strike_s) & (times < stance.off_s))
        at_frames = slice(None, None, round(plate.rate_hz / walk.trial.rate_hz))
        force = plate.force_lab_N[at_frames][during]
        moment = plate.moment_lab_Nm[at_frames][during] + np.cross(plate.centre_m, force)
        np.testing.assert_allclose(force, walk.truth.ground_force_lab_N[stance.side][during], atol=1e-9)
        np.testing.assert_allclose(moment, walk.truth.ground_moment_lab_Nm[stance.side][during], atol=1e-9)


def test_an_unloaded_plate_measures_exactly_nothing(walk: SampleTrial) -> None:
    plate = walk.trial.plates[0]
    stance = next(s for s in walk.truth.stances if s.plates == ("plate 1",))
    times = np.arange(plate.n_samples) / plate.rate_hz
    assert not plate.force_lab_N[(times < stance.strike_s) | (times > stance.off_s)].any()


def test_quiet_standing_carries_body_weight(person: VirtualSubject) -> None:
    static = person.static()
    total = sum(plate.force_lab_N for plate in static.trial.plates)
    np.testing.assert_allclose(total, np.tile([0.0, 0.0, 72.0 * 9.81], (len(total), 1)), atol=1e-9)
    moved = np.ptp(static.trial.markers.position_m, axis=0)
    assert moved.max() < 0.010
    assert moved.max() > 0.001
    assert static.truth.events == ()


@pytest.mark.parametrize(("direction", "axis", "sign"), [("+X", 0, 1), ("-X", 0, -1), ("+Y", 1, 1), ("-Y", 1, -1)])
def test_directions(person: VirtualSubject, walk: SampleTrial, direction: str, axis: int, sign: int) -> None:
    other = person.walk(direction=direction)
    net = other.trial.markers["LASI"][-1] - other.trial.markers["LASI"][0]
    assert np.argmax(np.abs(net)) == axis
    assert np.sign(net[axis]) == sign
    for key, angle in walk.truth.joint_angles_rad.items():
        np.testing.assert_allclose(other.truth.joint_angles_rad[key], angle, atol=1e-9)
    assert any(s.plates for s in other.truth.stances)


def test_a_turn_turns_by_a_right_angle(person: VirtualSubject) -> None:
    turn = person.walk(direction="turn", duration_s=6.0)
    forward = turn.truth.R_lab_seg["", "pelvis"][..., 0]
    assert forward[:20, 0].mean() > 0.95 * np.linalg.norm(forward[:20, :2], axis=1).mean()
    assert forward[-20:, 1].mean() > 0.95 * np.linalg.norm(forward[-20:, :2], axis=1).mean()
    assert turn.truth.spatiotemporal == {}


def test_a_belt_moves_the_floor_and_nothing_else(person: VirtualSubject, walk: SampleTrial) -> None:
    belt = person.walk(belt=True, plates="belt")
    centre = belt.trial.markers["LASI"][:, 0]
    assert np.ptp(centre) < 0.15
    planted = belt.truth.centre_of_pressure_lab_m["L"][:, 0]
    assert np.nanmin(np.diff(planted)) < -0.8 * belt.truth.spatiotemporal["belt_m_s"] / belt.trial.rate_hz
    for key, moment in walk.truth.joint_moment_lab_Nm.items():
        np.testing.assert_allclose(belt.truth.joint_moment_lab_Nm[key], moment, atol=1e-8)


@pytest.mark.parametrize(("plates", "expected"), [
    ("none", {}),
    ("shared", {"R": ("plate 1",), "L": ("plate 1",)}),
    ("split", {"L": ("plate 1", "plate 2")}),
])  # fmt: skip
def test_plate_layouts(person: VirtualSubject, plates: str, expected: dict[str, tuple[str, ...]]) -> None:
    sample = person.walk(plates=plates)
    assert {s.side: s.plates for s in sample.truth.stances if s.plates} == expected


def test_two_plates_under_one_foot_measure_it_together(person: VirtualSubject) -> None:
    sample = person.walk(plates="split")
    stance = next(s for s in sample.truth.stances if len(s.plates) == 2)
    times = sample.truth.time_s
    during = np.flatnonzero((times > stance.strike_s) & (times < stance.off_s))
    during = during[(times[during] > stance.strike_s + 0.15)]  # the other foot has left by then
    every = slice(None, None, sample_ratio(sample))
    force = sum(p.force_lab_N[every][during] for p in sample.trial.plates)
    moment = sum(p.moment_lab_Nm[every][during] + np.cross(p.centre_m, p.force_lab_N[every][during]) for p in sample.trial.plates)
    np.testing.assert_allclose(force, sample.truth.ground_force_lab_N["L"][during], atol=1e-9)
    np.testing.assert_allclose(moment, sample.truth.ground_moment_lab_Nm["L"][during], atol=1e-9)
    assert all(np.abs(p.force_lab_N[every][during]).max() > 100 for p in sample.trial.plates)


def sample_ratio(sample: SampleTrial) -> int:
    return round(sample.trial.plates[0].rate_hz / sample.trial.rate_hz)


def test_baseline_and_noise_are_added_to_every_plate(person: VirtualSubject) -> None:
    quiet = person.walk()
    sample = person.walk(plate_baseline_N=(1.0, -2.0, 9.0), plate_noise_N=0.5)
    for clean, dirty in zip(quiet.trial.plates, sample.trial.plates, strict=True):
        difference = dirty.force_lab_N - clean.force_lab_N
        np.testing.assert_allclose(difference.mean(0), [1.0, -2.0, 9.0], atol=0.05)
        np.testing.assert_allclose(difference.std(0), 0.5, rtol=0.05)


def test_marker_noise_gaps_and_soft_tissue(person: VirtualSubject, walk: SampleTrial) -> None:
    noisy = person.walk(noise_m=0.0005, gaps=(("LKNE", 11, 20),), first_frame=1)
    difference = noisy.trial.markers.position_m - walk.trial.markers.position_m
    assert np.nanstd(difference) == pytest.approx(0.0005, rel=0.02)
    missing = np.isnan(noisy.trial.markers["LKNE"]).all(axis=1)
    assert np.array_equal(np.flatnonzero(missing), np.arange(10, 20))
    assert not np.isnan(noisy.trial.markers["RKNE"]).any()
    soft = person.walk(soft_tissue_m=0.01)
    shift = np.linalg.norm(soft.trial.markers["LTHI"] - walk.trial.markers["LTHI"], axis=1)
    flexion = walk.truth.joint_angles_rad["L", "knee"][:, 0]
    assert np.corrcoef(shift, 1 - np.cos(flexion))[0, 1] > 0.99
    np.testing.assert_array_equal(soft.trial.markers["LKNE"], walk.trial.markers["LKNE"])


def test_the_same_seed_gives_the_same_noise(person: VirtualSubject) -> None:
    first, again, other = (person.walk(noise_m=0.001, seed=s).trial.markers.position_m for s in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_clusters_are_rigid_in_their_segments() -> None:
    sample = virtual_subject(clusters=True).walk()
    markers, truth = sample.trial.markers, sample.truth
    for name, segment in (("LTH1", "thigh"), ("LTH4", "thigh"), ("LTB2", "shank"), ("LKNM", "thigh"), ("LANM", "shank")):
        arm = markers[name] - truth.origin_lab_m["L", segment]
        local = np.einsum("nji,nj->ni", truth.R_lab_seg["L", segment], arm)
        assert np.ptp(local, axis=0).max() < 1e-12
    middle = (markers["LKNE"] + markers["LKNM"]) / 2
    np.testing.assert_allclose(middle, truth.joint_centres_lab_m["L", "knee"], atol=1e-12)


def test_frames_are_numbered_as_asked_and_time_follows(person: VirtualSubject, walk: SampleTrial) -> None:
    late = person.walk(first_frame=287)
    assert late.trial.first_time_s == pytest.approx(2.86)
    np.testing.assert_allclose(late.trial.markers.position_m, walk.trial.markers.position_m, atol=1e-12)
    for ours, theirs in zip(late.truth.events, walk.truth.events, strict=True):
        assert ours.time_s - theirs.time_s == pytest.approx(2.86)


def test_rates_sample_one_and_the_same_motion(person: VirtualSubject, walk: SampleTrial) -> None:
    fast = person.walk(rate_hz=200.0, analog_ratio=5)
    np.testing.assert_allclose(fast.trial.markers.position_m[::2], walk.trial.markers.position_m, atol=1e-12)
    assert fast.trial.plates[0].rate_hz == 1000.0


def test_steps_are_as_long_and_wide_as_they_are_said_to_be(walk: SampleTrial) -> None:
    heels = {side: [s.heel_m for s in walk.truth.stances if s.side == side] for side in "LR"}
    said = walk.truth.spatiotemporal
    assert heels["L"][1][0] - heels["L"][0][0] == pytest.approx(said["stride_length_m"], abs=1e-12)
    both = sorted([(h[0], side, h) for side in "LR" for h in heels[side]], key=lambda item: item[0])
    for (_, _, before), (_, side, ahead) in pairwise(both):
        assert ahead[0] - before[0] == pytest.approx(said[f"step_length_{side}_m"], abs=1e-12)
        assert abs(ahead[1] - before[1]) == pytest.approx(said["step_width_m"], abs=1e-12)
    speed = (walk.trial.markers["LASI"][101] - walk.trial.markers["LASI"][0])[0] / (101 / 100)
    assert speed == pytest.approx(said["speed_m_s"], abs=0.02)


def test_heel_marker_stands_where_it_is_said_to_stand(walk: SampleTrial) -> None:
    times = walk.truth.time_s
    for stance in walk.truth.stances:
        length = stance.off_s - stance.strike_s
        flat = (times > stance.strike_s + 0.2 * length) & (times < stance.strike_s + 0.45 * length)
        heel = walk.trial.markers[f"{stance.side}HEE"][flat]
        if len(heel):
            assert np.abs(heel - stance.heel_m).max() < 1e-4


def test_left_and_right_differ_enough_to_be_told_apart(person: VirtualSubject, walk: SampleTrial) -> None:
    shifted = {s: walk.truth.joint_angles_rad[s, "foot_progress"][:, 2] for s in "LR"}
    assert abs(np.median(shifted["L"]) - np.median(shifted["R"])) > 0.02
    assert person.true_body.knee_width_m["L"] != person.true_body.knee_width_m["R"]


@pytest.mark.parametrize("options", [
    {"direction": "north"}, {"plates": "three"}, {"body": "giant"}, {"rate_hz": 0.0}, {"first_frame": 0}, {"colour": "red"},
    {"gaps": (("NOSE", 1, 2),)}, {"floor": "ladder"}, {"pattern": "hop"}, {"floor": "stairs up", "direction": "turn"},
    {"floor": "ramp up", "belt": True},
])  # fmt: skip
def test_impossible_options_are_named(options: dict[str, Any]) -> None:
    with pytest.raises(BiomechError) as caught:
        virtual_subject(**options).walk()
    named = str(next(iter(options.values()))) if "colour" not in options else "colour"
    assert named.strip("()'").split("'")[0] in caught.value.message
    assert caught.value.expected


def test_own_plates(person: VirtualSubject) -> None:
    spec = PlateSpec(kind=4, centre_m=(0.3, 0.0), size_m=(0.6, 0.4), turned=True)
    plate = person.walk(plates=(spec,)).trial.plates[0]
    assert plate.kind == 4
    np.testing.assert_allclose(plate.centre_m, [0.3, 0.0, 0.0], atol=1e-15)


def test_a_star_arc_moves_hip_and_knee_as_far_as_it_says_and_stands_on_the_other_leg() -> None:
    trial = virtual_subject(clusters=True).star_arc()
    for side in "LR":
        hip, knee = (np.degrees(trial.truth.joint_angles_rad[side, j]) for j in ("hip", "knee"))
        assert hip[:, 0].max() == pytest.approx(30.0, abs=0.2)
        assert (-hip[:, 1]).max() == pytest.approx(30.0, abs=0.2)
        assert knee[:, 0].max() == pytest.approx(60.0, abs=0.2)
        moving = (np.abs(hip[:, :2]) > 0.5).any(axis=1) | (knee[:, 0] > 0.5)
        assert not trial.truth.ground_force_lab_N[side][moving].any()
        assert trial.trial.markers[f"{side}TOE"][:, 2].min() > 0.0
    total = sum(plate.force_lab_N for plate in trial.trial.plates)
    np.testing.assert_allclose(total[:, 2], 72.0 * 9.81, rtol=1e-12)


def test_a_run_flies_and_carries_body_weight_on_average(person: VirtualSubject) -> None:
    run = person.walk(run=True)
    force = sum(run.truth.ground_force_lab_N.values())[:, 2]
    assert (force == 0.0).mean() > 0.2
    assert 2.0 < force.max() / (72.0 * 9.81) < 3.2
    assert run.truth.spatiotemporal["double_support_percent"] == 0.0
    assert run.truth.spatiotemporal["speed_m_s"] > 2.5
    knee = np.degrees(run.truth.joint_angles_rad["L", "knee"][:, 0])
    assert knee.max() > 70


def test_a_floor_and_a_pattern_of_ones_own(person: VirtualSubject) -> None:
    """What a further floor or way of moving needs: one object each, and no name."""
    low = person.walk(floor=Stairs(0.10, 0.32), pattern=replace(STAIRS_UP, lift_height=0.05))
    heights = [plate.centre_m[2] for plate in low.trial.plates]
    np.testing.assert_allclose(np.diff(heights), 0.10, atol=1e-12)
    np.testing.assert_allclose(np.diff([plate.centre_m[0] for plate in low.trial.plates]), 0.32, atol=0.01)
    assert low.truth.spatiotemporal["stride_length_m"] == pytest.approx(0.64)


def test_plates_under_every_step_carry_one_foot_each(person: VirtualSubject) -> None:
    for floor in ("level", "stairs down", "ramp up", "curb up"):
        stances = person.walk(floor=floor, plates="steps").truth.stances
        assert [stance.plates for stance in stances] == [(f"plate {i}",) for i in range(1, len(stances) + 1)]


@pytest.mark.parametrize("direction", ["-X", "+Y", "-Y"])
def test_a_ramp_rises_in_the_direction_of_the_way(person: VirtualSubject, direction: str) -> None:
    """Both the plates and the way that the pelvis goes."""
    walk = person.walk(floor="ramp up", direction=direction)
    assert walk.trial.markers["LASI"][-1, 2] - walk.trial.markers["LASI"][0, 2] > 0.4
    for stance, plate in zip(walk.truth.stances, walk.trial.plates, strict=True):
        corners = plate.corners_m
        normal = np.cross(corners[0] - corners[1], corners[0] - corners[3])
        heel_up = (stance.heel_m - plate.centre_m) @ normal / np.linalg.norm(normal)
        assert abs(heel_up) == pytest.approx(person.true_body.feet[stance.side].markers_m["HEE"][2], abs=0.002)
