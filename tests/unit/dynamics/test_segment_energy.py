"""Energy of segments whose joints pass on all power, and of segments that lie about their bones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.anatomy import Part
from biomech_id.dynamics.body import BodyMotion, FootContact, Frames, Segment
from biomech_id.dynamics.loads import JointLoads
from biomech_id.dynamics.newton_euler import solve_body
from biomech_id.dynamics.segment_energy import energy_left_open_W, energy_sentences
from biomech_id.models.segment_motion import differentiate

RATE_HZ = 200.0
TIME_S = np.arange(200) / RATE_HZ
SEGMENTS = {name: Segment(name, mass, np.array([0.01, -0.1, 0.0]), np.diag([0.05, 0.01, 0.05])) for name, mass in
            (("thigh", 5.0), ("shank", 2.5), ("foot", 0.8))}  # fmt: skip


def turned(angle: np.ndarray) -> np.ndarray:
    c, s, zero, one = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    return np.stack([c, -s, zero, s, c, zero, zero, zero, one], axis=1).reshape(-1, 3, 3)


def leg(*, knee_slides: bool = False, shank_stretches: bool = False) -> BodyMotion:
    """A right leg below a pelvis that moves ahead; its knee may slide in the thigh, its shank change its length."""
    hip = np.stack([1.2 * TIME_S, 0.02 * np.sin(9 * TIME_S), 0.9 + 0.02 * np.cos(11 * TIME_S)], axis=1)
    R = {name: turned(0.5 * np.sin(6 * TIME_S + phase)) for name, phase in (("thigh", 0.0), ("shank", 0.7), ("foot", 1.5))}
    along = 0.01 * np.sin(6 * TIME_S) * knee_slides
    length = 0.4 + 0.01 * np.sin(6 * TIME_S) * shank_stretches
    knee = hip + np.einsum("nij,nj->ni", R["thigh"], np.stack([along, np.full(200, -0.4), 0 * along], axis=1))
    ankle = knee - length[:, None] * R["shank"][:, :, 1]
    centres = {"hip": hip, "knee": knee, "ankle": ankle}
    pelvis = differentiate(Frames(np.repeat(np.eye(3)[None], 200, axis=0), hip), hip, RATE_HZ)
    motions = {("", "pelvis"): pelvis}
    segments: dict[Part, Segment] = {}
    for name, joint in (("thigh", "hip"), ("shank", "knee"), ("foot", "ankle")):
        part = ("R", name)
        segments[part] = SEGMENTS[name]
        com = centres[joint] + R[name] @ SEGMENTS[name].com_m
        motions[part] = differentiate(Frames(R[name], centres[joint]), com, RATE_HZ, segment=SEGMENTS[name])
    slide = R["thigh"][:, :, 0] * (0.06 * np.cos(6 * TIME_S) * knee_slides)[:, None]
    joints = {("R", joint): path for joint, path in centres.items()}
    return BodyMotion("leg", RATE_HZ, 1, motions, segments, joints, {}, joint_slides_lab_m_s={("R", "knee"): slide})


def solved(motion: BodyMotion) -> JointLoads:
    force = np.stack([30 * np.sin(3 * TIME_S), 10 * np.cos(TIME_S), 400 + 50 * np.sin(8 * TIME_S)], axis=1)
    at = motion.motions["R", "foot"].com_lab_m
    return solve_body(motion, {"R": FootContact("R", force, np.cross(at, force), np.ones(200, bool))})


def largest(motion: BodyMotion) -> dict[str, float]:
    return {name: float(np.nanmax(np.abs(values))) for (_, name), values in energy_left_open_W(solved(motion)).items()}


@pytest.mark.parametrize("slides", [False, True])
def test_joints_that_pass_on_all_power_leave_nothing_open(slides: bool) -> None:
    assert max(largest(leg(knee_slides=slides)).values()) < 1e-3
    assert set(largest(leg())) == {"thigh", "shank", "foot"}


def test_a_slide_that_nobody_tells_is_open_energy_of_the_segment_above() -> None:
    left = largest(replace(leg(knee_slides=True), joint_slides_lab_m_s={}))
    assert left["thigh"] > 1.0
    assert max(left["shank"], left["foot"]) < 1e-3


def test_a_shank_that_changes_its_length_leaves_its_own_energy_open() -> None:
    left = largest(leg(shank_stretches=True))
    assert left["shank"] > 0.5
    assert max(left["thigh"], left["foot"]) < 1e-3


def test_both_sentences_are_said_where_there_is_something_to_say() -> None:
    stretched = replace(
        leg(shank_stretches=True), fit_residual_m={("R", "shank"): np.full(200, 0.004), ("", "pelvis"): np.full(200, np.nan)}
    )
    energy, markers = energy_sentences(solved(stretched), 50.0)
    said = {part["values"]["part"]: part["values"]["value"] for part in energy.to_dict()["values"]["parts"]}
    open_W = energy_left_open_W(solved(stretched))["R", "shank"]
    assert said["shank"] == pytest.approx(np.sqrt(np.nanmean(open_W**2)) / 50.0)
    assert markers.text() == "markers off the model (root mean square, mm): right shank 4.0"
    assert markers.text("de").endswith("mm): Unterschenkel rechts 4,0")
    assert not list(energy_sentences(solved(stretched), None))
    assert not list(energy_sentences(solve_body(stretched, {}), 50.0))
