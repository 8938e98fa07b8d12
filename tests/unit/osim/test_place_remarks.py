"""Where loads act: a foot that carries rests on floor or belt, and a force acts on its own body's side of a joint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.multibody.musculoskeletal import ModelBody, ModelJoint, OffsetFrame
from biomech_id.osim.dynamics.external_loads import BodyLoad
from biomech_id.osim.place_remarks import place_remarks
from biomech_id.osim.skeleton.skeleton import Skeleton
from tests.unit.osim.test_opensim_run import MODEL

TIME_S = np.arange(100) / 100.0
TOE_AT = np.array([0.2, 0.0, 0.0])
#: A foot, the root's body, with a toe.
FOOT = replace(
    MODEL,
    bodies=(
        ModelBody("pelvis", 2.0, np.array([0.1, 0.0, 0.0]), np.diag([0.001, 0.004, 0.004])),
        ModelBody("toe", 0.01, np.array([0.03, 0.0, 0.0]), 1e-5 * np.eye(3)),
    ),
    joints=(*MODEL.joints, ModelJoint("toes", "weld", OffsetFrame("pelvis", place_m=TOE_AT), OffsetFrame("toe"), ())),
    markers=(),
)
#: And with a trunk above it, which is most of the whole.
WHOLE = replace(
    FOOT,
    bodies=(*FOOT.bodies, ModelBody("trunk", 60.0, np.array([0.0, 1.0, 0.0]), np.eye(3))),
    joints=(*FOOT.joints, ModelJoint("up", "weld", OffsetFrame("pelvis"), OffsetFrame("trunk"), ())),
)


def remarks_of(q: FloatArray, point_m: FloatArray, force_N: FloatArray, body: str = "pelvis") -> list[str]:
    """What is said of a force (100, 3) at a point (100, 3) in the foot's axes."""
    skeleton = Skeleton(FOOT)
    pose = skeleton.pose(q)
    point = pose.origin_m[:, 1] + np.einsum("nij,nj->ni", pose.R_ground_body[:, 1], point_m)
    load = BodyLoad(body, force_N, np.cross(point, force_N), point)
    return list(place_remarks(pose, TIME_S, load, "loads.xml"))


STANDING = np.zeros((100, 6))
UNDER_FOOT = np.linspace([0.02, -0.02, 0.0], [0.18, -0.02, 0.0], 100)
#: A stance begins and ends.
FORCE_N = np.tile([1.0, 20.0, 0.5], (100, 1)) * ((np.arange(100) > 0) & (np.arange(100) < 99))[:, None]
#: Of the foot alone to that of the whole.
HEAVIER = 31.0


def test_a_foot_that_stands_while_its_force_moves_on_has_no_remark() -> None:
    assert remarks_of(STANDING, UNDER_FOOT, FORCE_N) == []


def sliding(foot_m: FloatArray, trunk_m: FloatArray, force_N: FloatArray) -> list[str]:
    """What is said of sliding where foot and trunk go forwards so, (n,) each."""
    pose, time_s = Skeleton(WHOLE).pose(STANDING[: len(foot_m)]), TIME_S[: len(foot_m)]
    ahead = np.array([1.0, 0.0, 0.0])
    paths_m = np.stack([0.0 * foot_m, foot_m, foot_m, trunk_m], axis=1)
    pose = replace(pose, origin_m=pose.origin_m + paths_m[..., None] * ahead)
    point = pose.origin_m[:, 1] + UNDER_FOOT[: len(foot_m)]
    load = BodyLoad("pelvis", force_N, np.cross(point, force_N), point)
    return [remark for remark in place_remarks(pose, time_s, load, "loads.xml") if "slides" in remark]


def test_a_belt_moves_below_who_gets_nowhere_and_a_floor_does_not() -> None:
    """A foot goes back at one speed while it carries, and forward with the swing."""
    back_m = np.concatenate((-1.2 * TIME_S[:60], -0.72 + 1.8 * (TIME_S[60:] - TIME_S[59])))
    force = HEAVIER * FORCE_N * (np.arange(100) < 58)[:, None]
    assert sliding(back_m, 0.0 * TIME_S, force) == []
    (remark,) = sliding(back_m, 1.5 * TIME_S, force)
    assert "slides over the ground by 1.20 m/s" in remark
    assert sliding(0.0 * TIME_S, 1.5 * TIME_S, force) == []
    # A part of a stance, or a finger's load, says nothing of the ground.
    assert sliding(back_m[10:], 1.5 * TIME_S[10:], force[10:]) == []
    assert sliding(back_m, 1.5 * TIME_S, 0.3 * force) == []


@pytest.mark.parametrize(("speed_m_s", "told"), [(0.1, False), (0.4, True)])
def test_a_foot_that_slides_to_and_fro_under_its_force_is_said(speed_m_s: float, told: bool) -> None:
    q = STANDING.copy()
    q[:, 5] = speed_m_s / (8.0 * np.pi) * np.sin(8.0 * np.pi * TIME_S)
    remarks = remarks_of(q, UNDER_FOOT, FORCE_N)
    assert [True for remark in remarks if "slides over the ground by 0.25 m/s" in remark] == [True] * told
    assert len(remarks) == told


def test_what_goes_on_beyond_a_table_rests_nowhere() -> None:
    q = STANDING.copy()
    q[:, 5] = 0.4 / (8.0 * np.pi) * np.sin(8.0 * np.pi * TIME_S)
    pose = Skeleton(FOOT).pose(q)
    point = pose.origin_m[:, 1] + UNDER_FOOT
    load = BodyLoad("pelvis", FORCE_N, np.cross(point, FORCE_N), point)
    (remark,) = place_remarks(pose, TIME_S, load, "loads.xml")
    assert "slides" in remark
    assert list(place_remarks(pose, TIME_S, load, "loads.xml", covered=False)) == []


@pytest.mark.parametrize(("sinks_m", "told"), [(0.02, False), (0.08, True)])
def test_a_foot_that_sinks_below_its_force_is_said(sinks_m: float, told: bool) -> None:
    point = UNDER_FOOT + np.outer(np.linspace(0.0, sinks_m, 100), [0.0, 1.0, 0.0])
    q = STANDING.copy()
    q[:, 4] = -np.linspace(0.0, sinks_m, 100)
    remarks = [remark for remark in remarks_of(q, point, FORCE_N) if "depths that differ" in remark]
    assert len(remarks) == told
    assert all("differ by 0.07 m" in remark for remark in remarks)


def test_stairs_are_no_sinking() -> None:
    """The force is higher where the ground is."""
    point = UNDER_FOOT + np.outer(np.linspace(0.0, 0.08, 100), [0.0, 1.0, 0.0])
    assert not any("depths" in remark for remark in remarks_of(STANDING, point, FORCE_N))


@pytest.mark.parametrize(("body", "told"), [("pelvis", False), ("toe", True)])
def test_a_force_beyond_the_joint_of_its_body_is_said(body: str, told: bool) -> None:
    remarks = [remark for remark in remarks_of(STANDING, UNDER_FOOT, FORCE_N, body) if "beyond toes, on pelvis" in remark]
    assert len(remarks) == told


@pytest.mark.parametrize(("moves_m", "told"), [(0.0, False), (0.005, False), (0.05, True)])
def test_no_force_along_an_axis_is_said_where_something_moves_along_it(moves_m: float, told: bool) -> None:
    q = STANDING.copy()
    q[:, 3] = 0.01 * TIME_S
    q[:, 5] = moves_m * TIME_S
    remarks = [remark for remark in remarks_of(q, UNDER_FOOT, FORCE_N * [1.0, 1.0, 0.0]) if "no force along Z on pelvis" in remark]
    assert len(remarks) == told
