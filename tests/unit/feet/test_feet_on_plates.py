"""Geometry of feet over plates, by hand, and which foot a load's ends belong to."""

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.feet.contacts import PlateContact, find_contacts
from biomech_id.feet.feet_on_plates import PlateLoad, depth_inside, distance_to_foot, load_at_video_rate, nearest_foot
from biomech_id.feet.landmarks import Landmarks, find_landmarks
from biomech_id.gait.assignment import assign_plates
from biomech_id.gait.events import search_events
from biomech_id.gait.plate_events import edge_feet, plate_events
from biomech_id.movement.stance import Verdict
from biomech_id.trial import EventKind, ForcePlate

CORNERS = np.array([[0.6, 0.4, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.0], [0.6, 0.0, 0.0]])


def _plate(corners):
    return ForcePlate("p", 2, corners, np.zeros((10, 3)), np.zeros((10, 3)), 1000.0)


@pytest.mark.parametrize(
    "corners", [CORNERS, CORNERS[::-1], np.roll(CORNERS, 1, axis=0)], ids=["as is", "other way round", "rolled"]
)
def test_depth_inside_a_rectangle(corners):
    points = np.array([[0.3, 0.1, 0.5], [0.55, 0.2, 0.0], [0.7, 0.2, 0.0], [-0.1, -0.2, 0.0]])
    # Outside a corner the distance is that to the worse of the two edges' lines.
    np.testing.assert_allclose(depth_inside(_plate(corners), points), [0.1, 0.05, -0.1, -0.2], atol=1e-12)


def _standing(n=4):
    heel = {"L": np.tile([0.0, 0.1, 0.05], (n, 1)), "R": np.tile([0.0, -0.1, 0.05], (n, 1))}
    toe = {side: path + [0.2, 0.0, 0.0] for side, path in heel.items()}
    return Landmarks(100.0, 0.0, np.zeros((n, 3)), np.tile([1.0, 0.0], (n, 1)), heel, toe)


def test_distance_to_the_line_between_heel_and_toe():
    points = np.array([[0.1, 0.13, 0.0], [0.2, 0.1, 9.0], [0.23, 0.14, 0.0], [-0.3, 0.1, 0.0]])
    np.testing.assert_allclose(distance_to_foot(_standing(), "L", points), [0.03, 0.0, 0.05, 0.3], atol=1e-12)


def test_a_wild_centre_of_pressure_under_a_light_load_does_not_decide():
    cop = np.array([[0.1, 0.09, 0.0], [0.1, 0.09, 0.0], [0.1, 0.09, 0.0], [5.0, -40.0, 0.0]])
    load = PlateLoad(PlateContact(0, 0.0, 0.03, 700.0, 5.0, 0, 40), np.array([500.0, 700.0, 400.0, 0.01]), cop)
    side, distance_m = nearest_foot(_standing(), load, np.ones(4, dtype=bool))
    assert side == "L"
    assert distance_m == pytest.approx(0.01, abs=1e-3)


def test_no_foot_is_nearest_where_none_is_seen():
    load = PlateLoad(PlateContact(0, 0.0, 0.03, 700.0, 5.0, 0, 40), np.full(4, 500.0), np.full((4, 3), np.nan))
    side, distance_m = nearest_foot(_standing(), load, np.ones(4, dtype=bool))
    assert side == ""
    assert np.isnan(distance_m)


def test_a_load_at_the_video_rate_is_zero_outside_it(walker):
    walk = walker()
    trial = walk.trial([walk.plate_under("R", 3)])
    (contact,) = find_contacts(trial)
    load = load_at_video_rate(trial, contact)
    # Only its own frames are held, however long the recording.
    assert len(load.loaded) < 0.7 * walk.rate_hz < 0.2 * trial.n_frames
    t = (load.first + np.arange(len(load.loaded))) / walk.rate_hz
    strike = walk.strikes("R")[3]
    np.testing.assert_array_equal(load.loaded[(t < strike - 0.01) | (t > strike + 0.61)], False)
    inside = (t > strike + 0.02) & (t < strike + 0.58)
    np.testing.assert_allclose(load.vertical_N[inside], walk.load_N("R", t)[inside], rtol=1e-9)
    u = (t[inside] - strike) / 0.6
    np.testing.assert_allclose(load.cop_lab_m[inside, 0], walk.place(strike) + 0.22 * (0.1 + 0.9 * u), atol=1e-9)


def test_a_plate_under_both_feet_gives_the_first_its_strike_and_the_second_its_off(walker):
    walk = walker()
    trial = walk.trial([walk.plate_under("R", 3, length=1.0, width=0.8, shift=0.3)])
    landmarks = find_landmarks(trial)
    (contact,) = find_contacts(trial)
    assert edge_feet(landmarks, load_at_video_rate(trial, contact)) == ("R", "L")
    events = plate_events(trial, landmarks, [load_at_video_rate(trial, contact)], walk.events())
    assert [(e.side, e.kind) for e in events] == [("R", EventKind.FOOT_STRIKE), ("L", EventKind.FOOT_OFF)]
    assert plate_events(trial, landmarks, [load_at_video_rate(trial, contact)]) == (), (
        "without markers' word nothing is said about two feet"
    )


def test_a_load_that_ends_in_mid_stance_has_no_off(walker):
    walk = walker()
    trial = walk.trial([walk.plate_under("R", 3, length=0.4, shift=-0.22)])
    (contact,) = find_contacts(trial)
    events = plate_events(trial, find_landmarks(trial), [load_at_video_rate(trial, contact)], walk.events())
    assert [(e.side, e.kind) for e in events] == [("R", EventKind.FOOT_STRIKE)]


@pytest.mark.parametrize("marker", ["RHEE", "RTOE"])
def test_a_foot_whose_marker_is_hidden_when_it_strikes_is_told_by_its_plate(walker, marker):
    """From 0.3 s before the strike to 0.1 s after it, too long to be bridged; the foot is seen flat on its plate later on."""
    walk = walker()
    trial = walk.trial([walk.plate_under("R", 3)])
    strike_s = float(walk.strikes("R")[3])
    position = trial.markers.position_m.copy()
    t = np.arange(trial.n_frames) / walk.rate_hz
    position[(t > strike_s - 0.3) & (t < strike_s + 0.1), trial.markers.names.index(marker)] = np.nan
    hidden = replace(trial, markers=trial.markers.with_positions(position))
    found = search_events(hidden)
    strikes = [e for e in found.by_source["marker"] if e.side == "R" and e.kind is EventKind.FOOT_STRIKE]
    # The heel alone tells a strike; without it the markers have none.
    assert any(abs(e.time_s - strike_s) < 0.2 for e in strikes) is (marker == "RTOE")
    (strike,) = [e for e in found.events if e.side == "R" and "Strike" in e.kind.value and abs(e.time_s - strike_s) < 0.2]
    assert strike.source == "plate"
    assert strike.time_s == pytest.approx(strike_s, abs=1e-3)
    assert Verdict.CLEAN in [s.verdict for s in assign_plates(hidden).stances if s.side == "R"]
