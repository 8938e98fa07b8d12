"""Strikes and offs paired into stances, and where nobody can say whether a foot stands."""

import numpy as np

from biomech_id.feet.stance_intervals import frames_within, stance_intervals, unknown_frames
from biomech_id.trial import Event, EventKind

STRIKE, OFF = EventKind.FOOT_STRIKE, EventKind.FOOT_OFF


def test_whole_and_cut_stances():
    events = [Event(0.4, "L", OFF), Event(0.9, "L", STRIKE), Event(1.5, "L", OFF), Event(2.0, "L", STRIKE), Event(1.0, "R", STRIKE)]
    first, whole, last = stance_intervals(events, "L", 0.0, 2.5)
    assert np.isnan(first.start_s)
    assert (first.end_s, first.lower_s, first.upper_s) == (0.4, 0.0, 0.4)
    assert whole.complete
    assert (whole.start_s, whole.end_s) == (0.9, 1.5)
    assert np.isnan(last.end_s)
    assert (last.start_s, last.upper_s) == (2.0, 2.5)


def test_a_missing_event_leaves_a_stance_open_towards_its_neighbour():
    no_off, closing = stance_intervals([Event(0.5, "L", STRIKE), Event(1.5, "L", STRIKE), Event(2.0, "L", OFF)], "L", 0.0, 3.0)
    assert np.isnan(no_off.end_s)
    assert no_off.upper_s == 1.5
    assert closing.complete
    _, no_strike = stance_intervals([Event(0.5, "L", STRIKE), Event(1.0, "L", OFF), Event(2.0, "L", OFF)], "L", 0.0, 3.0)
    assert np.isnan(no_strike.start_s)
    assert no_strike.lower_s == 1.0


def test_a_stance_outside_the_trial_is_not_there():
    assert stance_intervals([Event(-2.0, "L", STRIKE, label="strike"), Event(-1.4, "L", OFF, label="off")], "L", 0.0, 3.0) == ()


def test_frames_of_a_closed_interval():
    assert frames_within(np.array([0.0, 0.1, 0.2, 0.3]), 0.1, 0.2).tolist() == [False, True, True, False]


def test_unknown_beyond_one_swing_from_the_nearest_event():
    t = np.arange(0.03, 6.0, 0.1)
    events = [Event(2.0, "L", STRIKE), Event(2.6, "L", OFF), Event(3.05, "L", STRIKE), Event(3.65, "L", OFF)]
    unknown = unknown_frames(events, "L", t)
    np.testing.assert_allclose(t[~unknown][[0, -1]], [1.63, 4.03])
    assert unknown_frames(events, "R", t).all()
