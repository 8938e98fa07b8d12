"""Feet and pelvis are found under the names laboratories give them, and gaps are bridged only when short."""

from types import SimpleNamespace

import numpy as np
import pytest

from biomech_id.errors import MissingInputError
from biomech_id.feet.landmarks import bridge, find_landmarks, horizontal_unit
from biomech_id.trial import Markers, Trial


def _renamed(trial, names):
    return Trial(trial.name, Markers(tuple(names[n] for n in trial.markers.names), trial.markers.position_m, trial.rate_hz))


@pytest.mark.parametrize(
    "style",
    [lambda n: f"{n[0]}.{n[1:].title()}", lambda n: f"{n[0].lower()} {n[1:].lower()}", lambda n: n.replace("HEE", "CAL")],
    ids=["R.Hee", "r hee", "RCAL"],
)
def test_names_of_other_laboratories(walker, style):
    trial = walker().trial()
    plain, other = find_landmarks(trial), find_landmarks(_renamed(trial, {n: style(n) for n in trial.markers.names}))
    for side in "LR":
        np.testing.assert_array_equal(plain.heel_lab_m[side], other.heel_lab_m[side])
        np.testing.assert_array_equal(plain.toe_lab_m[side], other.toe_lab_m[side])


def test_without_feet_the_sentence_says_what_is_needed(walker):
    trial = walker().trial()
    with pytest.raises(MissingInputError, match="heel and a toe marker"):
        find_landmarks(_renamed(trial, {n: n.replace("TOE", "KNE") for n in trial.markers.names}))


def test_pelvis_faces_where_the_walk_goes(walker):
    heading = np.deg2rad(70.0)
    landmarks = find_landmarks(walker(heading_rad=heading).trial())
    np.testing.assert_allclose(
        landmarks.facing_lab, np.tile([np.cos(heading), np.sin(heading)], (landmarks.n_frames, 1)), atol=1e-12
    )


def test_without_a_pelvis_the_feet_stand_in(walker):
    trial = walker(heading_rad=0.3).trial()
    keep = [i for i, n in enumerate(trial.markers.names) if "ASI" not in n]
    bare = Trial("bare", Markers(tuple(trial.markers.names[i] for i in keep), trial.markers.position_m[:, keep], trial.rate_hz))
    landmarks = find_landmarks(bare)
    np.testing.assert_allclose(landmarks.facing_lab, np.tile([np.cos(0.3), np.sin(0.3)], (landmarks.n_frames, 1)), atol=1e-12)
    middle = np.mean([0.5 * (landmarks.heel_lab_m[s] + landmarks.toe_lab_m[s]) for s in "LR"], axis=0)
    np.testing.assert_array_equal(landmarks.pelvis_lab_m, middle)


def test_drawn_outline_holds_the_foot_and_is_mirrored(walker):
    landmarks = find_landmarks(walker(width=0.2).trial())
    left, right = landmarks.outline_lab_m["L"][0], landmarks.outline_lab_m["R"][0]
    for outline, side in ((left, "L"), (right, "R")):
        heel, toe = landmarks.heel_lab_m[side][0], landmarks.toe_lab_m[side][0]
        assert outline[:, 0].min() < heel[0] < toe[0] < outline[:, 0].max()
        assert outline[:, 1].min() < heel[1] < outline[:, 1].max()
    # Walking along +x: what lies to the left of the left foot lies to the right of the right one.
    of_left = left[:, 1] - landmarks.heel_lab_m["L"][0, 1]
    of_right = right[:, 1] - landmarks.heel_lab_m["R"][0, 1]
    np.testing.assert_allclose(of_left, -of_right, atol=1e-12)


def test_bridge_closes_short_gaps_smoothly_and_leaves_long_ones():
    t = np.arange(50.0)
    path = np.stack([t, 0.002 * t**3 - t, np.ones(50)], axis=1)
    holed = path.copy()
    holed[0], holed[10:15], holed[25:46] = np.nan, np.nan, np.nan
    bridged = bridge(holed, 100.0, longest_s=0.05)
    # A cubic spline is exact on a cubic.
    np.testing.assert_allclose(bridged[10:15], path[10:15], atol=1e-9)
    assert np.isnan(bridged[25:46]).all()
    assert np.isnan(bridged[0]).all()


def test_horizontal_unit_of_a_vertical_vector_is_missing():
    assert np.isnan(horizontal_unit(np.array([[0.0, 0.0, 1.0]]))).all()
    np.testing.assert_allclose(horizontal_unit(np.array([[3.0, 4.0, 9.0]])), [[0.6, 0.8]])


def _tracked(landmarks, shift=0.0, hole=slice(0, 0)):
    outlines = {side: landmarks.outline_lab_m[side] + shift for side in "LR"}
    for outline in outlines.values():
        outline[hole] = np.nan
    names = ("HeelOutline", *(f"P{i}Outline" for i in range(1, 5)), "ToeOutline", "P6Outline", "P7Outline", "P8Outline")
    return SimpleNamespace(window=None, foot_outline_lab_m=outlines, foot_outline_names=names, roles={})


def test_the_tracked_outline_is_preferred_unless_it_misses_frames_the_markers_see(walker):
    trial = walker().trial()
    drawn = find_landmarks(trial)
    whole = find_landmarks(trial, _tracked(drawn, shift=0.01))
    np.testing.assert_allclose(whole.outline_lab_m["L"], drawn.outline_lab_m["L"] + 0.01)
    holed = find_landmarks(trial, _tracked(drawn, shift=0.01, hole=slice(40, 60)))
    np.testing.assert_array_equal(holed.outline_lab_m["L"], drawn.outline_lab_m["L"])


def test_heel_and_toe_of_a_tracked_foot_stand_in_for_markers_that_are_not_there(walker):
    trial = walker().trial()
    drawn = find_landmarks(trial)
    keep = [i for i, n in enumerate(trial.markers.names) if "TOE" not in n]
    toeless = Trial("t", Markers(tuple(trial.markers.names[i] for i in keep), trial.markers.position_m[:, keep], trial.rate_hz))
    found = find_landmarks(toeless, _tracked(drawn))
    np.testing.assert_array_equal(found.toe_lab_m["R"], drawn.outline_lab_m["R"][:, 5])
    np.testing.assert_array_equal(found.heel_lab_m["R"], drawn.heel_lab_m["R"])


def test_a_foot_with_exchanged_labels_is_drawn_where_it_stands(walker):
    trial = walker(width=0.2).trial()
    swapped = find_landmarks(_renamed(trial, {n: {"RHEE": "RTOE", "RTOE": "RHEE"}.get(n, n) for n in trial.markers.names}))
    plain = find_landmarks(trial)
    np.testing.assert_array_equal(swapped.outline_lab_m["R"], plain.outline_lab_m["R"])
    np.testing.assert_array_equal(swapped.outline_lab_m["L"], plain.outline_lab_m["L"])
    np.testing.assert_array_equal(swapped.heel_lab_m["R"], plain.toe_lab_m["R"])
