"""A model in one frame: what is drawn is where the model and the recording have it, at one scale, with the sides where they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from leg_model import MODEL, NAMES, walk
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

import biomech_id as bid
from biomech_id.errors import BiomechError, MissingInputError, OptionError
from biomech_id.osim.skeleton.skeleton import Skeleton

SKELETON = Skeleton(MODEL)
Q = SKELETON.completed(walk())
FRAME = 7


def recording(off_m: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> bid.Trial:
    """The model's own markers in laboratory axes (Z up), T1 elsewhere by so much, S2 without a place in the frame."""
    places = SKELETON.markers(Q)
    places[:, NAMES.index("T1")] += off_m
    places[FRAME, NAMES.index("S2")] = np.nan
    lab = places[..., [0, 2, 1]] * [1.0, -1.0, 1.0]
    return bid.Trial.from_arrays({name: lab[:, k] for k, name in enumerate(NAMES)}, 50.0)


def points(own: Axes, label: str) -> np.ndarray:
    (line,) = [line for line in own.lines if line.get_label() == label]
    return np.column_stack([line.get_xdata(), line.get_ydata()])


def lines(own: Axes, *labels: str) -> np.ndarray:
    chosen = [each for each in own.collections if isinstance(each, LineCollection) and each.get_label() in labels]
    return np.concatenate([np.array(each.get_segments()) for each in chosen])


def test_bodies_joints_and_markers_are_where_the_model_has_them() -> None:
    figure = bid.plot.model(MODEL, Q, FRAME)
    pose, places = SKELETON.pose(Q[[FRAME]]), SKELETON.markers(Q[[FRAME]])[0]
    child = [SKELETON.body_index(joint.child.body) for joint in MODEL.joints]
    joints = pose.points(child, [joint.child.place_m for joint in MODEL.joints])[0]
    parents = [SKELETON.body_index(joint.parent.body) for joint in MODEL.joints]
    outer = pose.points(parents, [joint.parent.place_m for joint in MODEL.joints])[0]
    ends = pose.points([3, 4], [body.com_m for body in MODEL.bodies[2:]])[0]
    pelvis, hip, knee, cap = joints
    bones = [(pelvis, outer[1]), (outer[1], hip), (hip, outer[2]), (outer[2], knee), (hip, outer[3]), (outer[3], cap)]
    bones += [(knee, ends[0]), (cap, ends[1])]
    for own, across in zip(figure.axes, (0, 2), strict=True):
        np.testing.assert_allclose(points(own, "joint"), joints[:, [across, 1]], atol=1e-12)
        np.testing.assert_allclose(points(own, "marker of the model"), places[:, [across, 1]], atol=1e-12)
        np.testing.assert_allclose(lines(own, "middle"), np.array(bones)[..., [across, 1]], atol=1e-12)
        for k, name in enumerate("XYZ"):
            axes = lines(own, f"{name} of a body")
            np.testing.assert_allclose(axes[:, 0], pose.origin_m[0, 1:, [across, 1]].T, atol=1e-12)
            column = pose.R_ground_body[0, 1:, :, k][:, [across, 1]]
            length = np.linalg.norm(lines(figure.axes[0], "Y of a body")[0, 1] - lines(figure.axes[0], "Y of a body")[0, 0])
            share = length / np.linalg.norm(pose.R_ground_body[0, 1, [0, 1], 1])
            np.testing.assert_allclose(axes[:, 1] - axes[:, 0], share * column, atol=1e-12)


def test_errors_lead_from_the_models_markers_to_the_recorded_ones(tmp_path: Path) -> None:
    trial = recording((0.03, 0.0, 0.04))
    shown = [name != "S2" for name in NAMES]
    recorded = (trial.markers.position_m[FRAME] @ np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]))[shown]
    table = np.column_stack([np.arange(len(Q)) / 50.0, np.rad2deg(Q[:, :3]), Q[:, 3:6], np.rad2deg(Q[:, 6:9]), Q[:, 9:]])
    head = "\t".join(("time", *SKELETON.coordinates))
    rows = "\n".join("\t".join(f"{value:.12f}" for value in row) for row in table)
    (tmp_path / "walk.mot").write_text(f"walk\ninDegrees=yes\nendheader\n{head}\n{rows}\n", encoding="utf-8")
    tracked = bid.inverse_kinematics(MODEL, trial)
    for motion, own_trial in ((tracked, None), (tracked, trial), (tmp_path / "walk.mot", trial)):
        figure = bid.plot.model(MODEL, motion, FRAME, trial=own_trial)
        for own, across in zip(figure.axes, (0, 2), strict=True):
            drawn, off = points(own, "recorded marker"), lines(own, "error")
            np.testing.assert_allclose(drawn, recorded[:, [across, 1]], atol=1e-9)
            np.testing.assert_array_equal(off[:, 0], points(own, "marker of the model")[shown])
            np.testing.assert_array_equal(off[:, 1], drawn)
    (legend,) = figure.legends
    assert legend.get_title().get_text() == (
        f"leg, frame {FRAME}, 0.140 s\nmarker error {1000 * np.sqrt(0.0025 / 8):.0f} mm (RMS), the largest 50 mm (T1)"
    )


def test_errors_of_every_frame_are_those_of_the_tracking() -> None:
    tracked = bid.inverse_kinematics(MODEL, recording((0.03, 0.0, 0.04)))
    (own,) = bid.plot.marker_errors(tracked).axes
    off_mm = 1e3 * np.linalg.norm(tracked.residual_m, axis=2)
    drawn = np.column_stack([line.get_ydata() for line in own.lines])
    np.testing.assert_array_equal(drawn[:, : len(NAMES)], off_mm)
    assert np.isnan(drawn[FRAME, NAMES.index("S2")])
    np.testing.assert_allclose(drawn[:, -1], np.sqrt(np.nansum(off_mm**2, axis=1) / np.isfinite(off_mm).sum(axis=1)))
    named = [text.get_text() for text in own.get_legend().get_texts()]
    assert len(named) == 4
    assert named[0] == f"T1 ({np.sqrt(np.mean(off_mm[:, NAMES.index('T1')] ** 2)):.0f} mm RMS)"
    np.testing.assert_array_equal(drawn[:, len(NAMES)], off_mm[:, NAMES.index("T1")])


@pytest.mark.parametrize(
    ("gravity", "labels", "viewers", "backwards"),
    [
        ((0, -9.8, 0), [("X (m)", "Y, up (m)"), ("Z (m)", "Y, up (m)")], ["+Z", "−X"], [(False, False)] * 2),
        ((0, 0, -9.8), [("X (m)", "Z, up (m)"), ("Y (m)", "Z, up (m)")], ["−Y", "−X"], [(False, False), (True, False)]),
        ((0, 9.8, 0), [("X (m)", "Y, up (m)"), ("Z (m)", "Y, up (m)")], ["−Z", "−X"], [(False, True), (True, True)]),
    ],
)  # fmt: skip
def test_up_is_up_and_the_right_is_on_the_right(
    gravity: tuple[float, float, float], labels: list[tuple[str, str]], viewers: list[str], backwards: list[tuple[bool, bool]]
) -> None:
    figure = bid.plot.model(replace(MODEL, gravity_m_s2=gravity))
    figure.draw_without_rendering()
    assert [(own.get_xlabel(), own.get_ylabel()) for own in figure.axes] == labels
    assert [own.get_title() for own in figure.axes] == [f"seen from {viewer}" for viewer in viewers]
    assert [(own.xaxis_inverted(), own.yaxis_inverted()) for own in figure.axes] == backwards
    for own in figure.axes:
        places = np.concatenate(
            [points(own, "marker of the model"), *lines(own, "middle", "X of a body", "Y of a body", "Z of a body")]
        )
        for column, limits in zip(places.T, (own.get_xlim(), own.get_ylim()), strict=True):
            assert min(limits) < column.min() < column.max() < max(limits)
    # One scale along both axes of both views.
    scales = [
        extent / abs(limits[1] - limits[0])
        for own in figure.axes
        for extent, limits in ((own.bbox.width, own.get_xlim()), (own.bbox.height, own.get_ylim()))
    ]
    np.testing.assert_allclose(scales, scales[0], rtol=1e-6)


def test_a_side_has_its_colour() -> None:
    def renamed(body: str) -> str:
        return {"thigh": "thigh_r", "shank": "shank_l"}.get(body, body)

    sided = replace(
        MODEL,
        bodies=tuple(replace(body, name=renamed(body.name)) for body in MODEL.bodies),
        joints=tuple(
            replace(
                joint,
                parent=replace(joint.parent, body=renamed(joint.parent.body)),
                child=replace(joint.child, body=renamed(joint.child.body)),
            )
            for joint in MODEL.joints
        ),
        markers=(),
    )
    own = bid.plot.model(sided, labels=True).axes[0]
    assert [len(lines(own, side)) for side in ("left", "right", "middle")] == [2, 3, 3]
    assert {text.get_text() for text in own.texts} == {"pelvis", "thigh_r", "shank_l", "cap"}


def test_what_cannot_be_drawn_is_refused() -> None:
    trial = recording()
    with pytest.raises(OptionError, match="frame below 40, not 40"):
        bid.plot.model(MODEL, Q, 40)
    lost = Q.copy()
    lost[3, 0] = np.nan
    with pytest.raises(MissingInputError, match="no pose in frame 3"):
        bid.plot.model(MODEL, lost, 3)
    with pytest.raises(OptionError, match="has no frame 40"):
        bid.plot.model(MODEL, np.concatenate([Q, Q]), 40, trial=trial)
    with pytest.raises(BiomechError):
        bid.plot.model(MODEL, Q[:, :3])
    tracked = bid.inverse_kinematics(MODEL, trial)
    first = MODEL.markers[0]
    (x, y, z), others = first.place_m, MODEL.markers[1:]
    for marker in (replace(first, name="other"), replace(first, place_m=(x, y + 0.01, z))):
        with pytest.raises(OptionError, match="tracked with another model than leg"):
            bid.plot.model(replace(MODEL, markers=(marker, *others)), tracked, FRAME, trial=trial)
