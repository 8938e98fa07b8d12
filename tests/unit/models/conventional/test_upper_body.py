"""Arms and head: what calibration takes them from, which software stored what, and what is said of a part that lacks something."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.models.conventional.upper_body.calibration import calibrate_upper_body
from biomech_id.models.conventional.upper_body.inertia import VendorMass
from biomech_id.models.conventional.upper_body.track import upper_body_findings, vendor_mass
from biomech_id.models.landmarks import with_roles
from biomech_id.request.subject_file import apply_subject_file
from biomech_id.signal.smoothing_spline import smoothed, smoothed_together
from biomech_id.trial import Markers, Subject


@pytest.mark.parametrize(
    ("software", "generation"),
    [
        ("Vicon Nexus 1.8.5.61009h", VendorMass.BEFORE_2_5), ("Vicon Nexus 2.2.3.84509h", VendorMass.BEFORE_2_5),
        ("Vicon Nexus 2.5.0.93422h", VendorMass.FROM_2_5), ("Vicon Nexus 2.12.1", VendorMass.FROM_2_5), ("", VendorMass.FROM_2_5),
    ],
)  # fmt: skip
def test_the_version_says_which_generation_stored_a_centre_of_mass(software: str, generation: VendorMass) -> None:
    assert vendor_mass(software) is generation


def test_the_heads_offset_is_taken_by_hand_then_from_the_static_trial_then_as_stored() -> None:
    static = bid.virtual_subject(upper_body=True).static().trial.markers
    roles = with_roles(static)
    stored = Subject().with_values("PROCESSING:HeadOffset", head_offset_rad=0.3)
    written = Subject().with_values("subject.toml", head_offset_rad=0.2)
    assert calibrate_upper_body(roles, written, 0.007).head_offset_rad == 0.2
    seen = calibrate_upper_body(roles, stored, 0.007)
    assert seen.head_offset_rad == pytest.approx(-0.12, abs=1e-9)
    assert (seen.head_offset_in("textbook"), seen.head_offset_in("vicon")) == (seen.head_offset_rad, 0.3)
    assert calibrate_upper_body(None, stored, 0.007).head_offset_rad == 0.3
    assert calibrate_upper_body(None, Subject(), 0.007).head_offset_rad == 0.0


def test_measurements_of_the_arms_can_be_written_by_hand(tmp_path: Path) -> None:
    (tmp_path / "subject.toml").write_text(
        "shoulder_offset_mm = 40\nelbow_width_mm = { left = 70, right = 72 }\nwrist_width_mm = 50\nhand_thickness_mm = 25\n"
        "head_offset_deg = 5.0\n",
        encoding="utf-8",
    )
    subject = apply_subject_file(Subject(), tmp_path / "subject.toml")
    assert dict(subject.elbow_width_m) == pytest.approx({"L": 0.07, "R": 0.072})
    assert subject.head_offset_rad == pytest.approx(np.deg2rad(5.0))
    learnt = calibrate_upper_body(None, subject, 0.007)
    assert learnt.lacks == {"L": (), "R": ()}
    assert learnt.arms["R"].elbow_m == pytest.approx(0.036 + 0.007)


def test_a_part_that_lacks_something_is_named_with_it_and_bare_legs_are_not() -> None:
    person = bid.virtual_subject(upper_body=True)
    static, walk = person.static().trial, person.walk(duration_s=0.5).trial
    markers = walk.markers
    kept = [name for name in markers.names if name not in ("T10", "LFHD")]
    less = Markers(tuple(kept), np.stack([markers[name] for name in kept], axis=1), markers.rate_hz)
    model = bid.conventional_model(static)
    motion = model.track(walk.after("taken off", markers=less))
    said = {finding.values["part"]: finding.values["lacks"] for finding in upper_body_findings(motion, with_roles(less), "walk")}
    assert said == {"trunk": ("T10",), "head": ("LFHD",), "left arm": ("T10",), "right arm": ("T10",)}
    assert motion.whole is None
    bare = bid.virtual_subject()
    legs = bare.walk(duration_s=0.5).trial
    assert upper_body_findings(bid.conventional_model(bare.static().trial).track(legs), with_roles(legs.markers), "walk") == ()


def test_an_arm_that_nobody_measured_is_left_out_and_the_measurements_are_named() -> None:
    person = bid.virtual_subject(upper_body=True)
    static = person.static().trial
    subject = static.subject.with_values("test", elbow_width_m={"R": 0.07})
    motion = bid.conventional_model(static, subject).track(person.walk(duration_s=0.5).trial)
    assert motion.lacks == dict.fromkeys([("L", name) for name in ("humerus", "radius", "hand")], ("LElbowWidth",))
    assert ("R", "hand") in motion.motions


@pytest.mark.parametrize("table", ["auto", "de-leva-1996", "dumas-2007"])
def test_whatever_table_the_legs_have_the_body_weighs_what_it_weighs(table: str) -> None:
    person = bid.virtual_subject(upper_body=True)
    static, walk = person.static().trial, person.walk(duration_s=0.5).trial
    subject = static.subject.with_values("test", sex="male")
    motion = bid.conventional_model(static, subject, inertia=table).track(walk)
    assert motion.whole is not None
    assert motion.whole.mass_kg == pytest.approx(72.0, rel=1e-12)
    assert (motion.segments["L", "thigh"].mass_kg == pytest.approx(7.2)) == (table == "auto")


def test_paths_that_are_smoothed_together_are_smoothed_as_they_are_alone() -> None:
    draw = np.random.default_rng(5)
    true = np.sin(np.arange(150) / 20.0)[:, None, None] * np.ones((1, 4, 3))
    noisy = true + np.array([0.0, 1e-4, 1e-3, 1e-2])[None, :, None] * draw.normal(size=true.shape)
    together = smoothed_together(noisy)
    for i in range(4):
        np.testing.assert_allclose(together[:, i], smoothed(noisy[:, i]), atol=1e-10)
    assert np.abs(together[:, 3] - true[:, 3]).std() < np.abs(noisy[:, 3] - true[:, 3]).std()
    np.testing.assert_array_equal(smoothed_together(true), true)
    noisy[40:43, 1] = np.nan
    np.testing.assert_array_equal(smoothed_together(noisy)[:, 1], smoothed(noisy[:, 1]))
