"""The tree of the body: one order, one parent, one spelling."""

from __future__ import annotations

from biomech_id.anatomy import (
    ARM_JOINTS,
    ARM_SEGMENTS,
    BODY_PARTS,
    DISTAL_SEGMENT,
    JOINTS,
    LEG_SEGMENTS,
    PROXIMAL_SEGMENT,
    SEGMENTS,
    limb,
    part_words,
    proximal_part,
)


def test_a_leg_runs_from_the_foot_to_where_the_sides_meet() -> None:
    assert LEG_SEGMENTS == ("foot", "shank", "thigh")
    assert JOINTS == ("ankle", "knee", "hip")
    assert limb("pelvis") == ()


def test_an_arm_runs_from_the_hand_to_where_the_sides_meet() -> None:
    assert ARM_SEGMENTS == ("hand", "radius", "humerus")
    assert ARM_JOINTS == ("wrist", "elbow", "shoulder")
    assert proximal_part("L", "shoulder") == ("", "thorax")
    assert len(BODY_PARTS) == 3 + 2 * 6


def test_every_joint_lies_between_two_segments_and_every_segment_follows_its_parent() -> None:
    assert {joint: (PROXIMAL_SEGMENT[joint], DISTAL_SEGMENT[joint]) for joint in JOINTS} == {
        "ankle": ("shank", "foot"), "knee": ("thigh", "shank"), "hip": ("pelvis", "thigh"),
    }  # fmt: skip
    names = [segment.name for segment in SEGMENTS]
    assert all(names.index(segment.proximal) < names.index(segment.name) for segment in SEGMENTS if segment.proximal)


def test_a_part_has_one_spelling() -> None:
    assert proximal_part("L", "hip") == proximal_part("R", "hip") == ("", "pelvis")
    assert proximal_part("L", "knee") == ("L", "thigh")
    assert [part_words(part) for part in (("R", "shank"), ("", "pelvis"))] == ["right shank", "pelvis"]
