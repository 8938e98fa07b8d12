"""Events from markers alone: every step found once, each method's rule on a signal whose answer is known, a run refused."""

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.errors import InvalidValueError, OptionError
from biomech_id.feet.landmarks import find_landmarks
from biomech_id.feet.travel import describe_travel
from biomech_id.gait.event_estimates import (
    Estimate,
    completed,
    consensus,
    falls_below,
    highest_vertex,
    rises_above,
    second_difference,
)
from biomech_id.gait.marker_events import LARGEST_SD_S, METHODS, MarkerTiming, _peaks, marker_events
from biomech_id.trial import Event, EventKind, EventSource, Markers


def _found(walk, method="consensus"):
    landmarks = find_landmarks(walk.trial())
    return marker_events(landmarks, describe_travel(landmarks), method=method)


@pytest.mark.parametrize(
    "options", [{}, {"heading_rad": 2.0}, {"belt": True}, {"rate_hz": 250.0}, {"first_frame": 301}, {"speed": 0.7}]
)
def test_every_step_is_found_once_wherever_the_walk_goes(walker, options):
    walk = walker(**options)
    found = _found(walk)
    for true in walk.events():
        same = [e for e in found if e.side == true.side and e.kind is true.kind and abs(e.time_s - true.time_s) < 0.12]
        inside = 0.2 < true.time_s - (walk.first_frame - 1) / walk.rate_hz < walk.duration_s - 0.2
        assert len(same) == 1 or (not inside and not same), true
    # Nothing is invented between two true events.
    assert all(any(abs(e.time_s - t.time_s) < 0.12 for t in _wider(walk) if t.side == e.side and t.kind is e.kind) for e in found)


def _wider(walk):
    """True events just outside the trial too."""
    offset = (walk.first_frame - 1) / walk.rate_hz
    return [
        Event(float(strike + later + offset), side, kind, label="truth")
        for side in "LR"
        for strike in walk.strikes(side)
        for kind, later in ((EventKind.FOOT_STRIKE, 0.0), (EventKind.FOOT_OFF, walk.duty * walk.stride_s))
    ]


@pytest.mark.parametrize("method", METHODS)
def test_each_method_names_itself_and_sees_the_same_steps(walker, method):
    walk = walker()
    found = _found(walk, method)
    assert {(e.source, e.method) for e in found} == {("marker", method)}
    assert [(e.side, e.kind) for e in found] == [(e.side, e.kind) for e in _found(walk, "zeni")]


def test_the_consensus_lies_among_its_signs_and_is_none_of_them(walker):
    """Every sign moves it: it equals none, and lies within what they say once each is freed of its usual lag."""
    walk = walker(rate_hz=200.0)
    by_method = {method: _found(walk, method) for method in METHODS}
    for i, event in enumerate(by_method["consensus"]):
        others = [by_method[m][i] for m in METHODS if m != "consensus"]
        assert min(abs(e.time_s - event.time_s) for e in others) > 1e-5
        assert min(e.time_s for e in others) - 0.03 < event.time_s < max(e.time_s for e in others) + 0.05
        assert 1.0 < event.sd_ms < 1e3 * LARGEST_SD_S


def _signs(*frames: float, sd_s: float = 0.01) -> dict[str, Estimate]:
    return {str(i): Estimate(frame, 0.0, sd_s) for i, frame in enumerate(frames)}


def test_consensus_by_hand():
    """Signs with their scatters as weights; a far one counts less; disagreement and rate add to the standard deviation."""
    frame, _ = consensus({"a": Estimate(10.0, 0.02, 0.01), "b": Estimate(14.0, 0.0, 0.02)}, EventKind.FOOT_STRIKE, 100.0)
    assert frame == pytest.approx((4 * 8.0 + 14.0) / 5, abs=0.4)
    agreed, far = (
        consensus(_signs(50.0, 50.0, 50.0), EventKind.FOOT_OFF, 100.0),
        consensus(_signs(50.0, 50.0, 70.0), EventKind.FOOT_OFF, 100.0),
    )
    assert agreed[0] == 50.0
    assert 50.0 < far[0] < 50.0 + 20.0 / 3 - 1.0
    assert far[1] > 3 * agreed[1]
    slow = consensus(_signs(25.0, 25.0, 25.0), EventKind.FOOT_OFF, 50.0)
    assert slow[1] ** 2 - agreed[1] ** 2 == pytest.approx((0.02**2 - 0.01**2) / 12)


def test_signs_that_contradict_each_other_give_no_event(walker, monkeypatch):
    walk = walker()
    assert _found(walk)
    monkeypatch.setattr("biomech_id.gait.marker_events.LARGEST_SD_S", 0.0)
    assert _found(walk) == ()
    assert consensus(_signs(40.0, 60.0, sd_s=0.005), EventKind.FOOT_STRIKE, 100.0)[1] > LARGEST_SD_S


def test_a_sign_that_one_step_does_not_show_is_taken_from_the_others():
    seen = {"zeni": Estimate(10.0, 0.0, 0.01), "swing": Estimate(12.5, 0.0, 0.01)}
    unseen = {"zeni": Estimate(110.0, 0.0, 0.01), "swing": Estimate(float("nan"), 0.0, 0.01)}
    assert completed([seen, unseen])[1]["swing"].frame == pytest.approx(112.5)
    assert np.isnan(completed([unseen])[0]["swing"].frame)


@pytest.mark.parametrize("standing_s", [1.0, 4.0])
def test_who_stands_before_and_after_the_walk_makes_no_steps(walker, standing_s):
    """Noise and sway of the pelvis give the feet extrema ahead of it and behind it; none of them swings."""
    walk = walker()
    trial, n = walk.trial(), round(standing_s * 100.0)
    t, noise = np.arange(n) / 100.0, np.random.default_rng(3).standard_normal((2 * n, len(trial.markers.names), 3))
    sway = 0.015 * np.sin(2.2 * t)[:, None, None] * np.array([1.0, 0.4, 0.0])
    pelvis = np.array([name.endswith("ASI") for name in trial.markers.names])[:, None]
    before, after = (
        trial.markers.position_m[i] + sway * pelvis + 3e-4 * part for i, part in zip((0, -1), np.split(noise, 2), strict=True)
    )
    position = np.concatenate([before, trial.markers.position_m, after])
    landmarks = find_landmarks(replace(trial, markers=Markers(trial.markers.names, position, 100.0)))
    found = marker_events(landmarks, describe_travel(landmarks))
    # A foot that is held in mid-air before the walk goes on has left the floor somewhere in the quarter of a second before.
    early_or_late = [e for e in found if not standing_s - 0.3 < e.time_s < standing_s + walk.duration_s + 0.3]
    assert early_or_late == []
    expected = [e for e in _found(walk) if 0.15 < e.time_s < walk.duration_s - 0.15]
    for event in expected:
        same = [abs(e.time_s - standing_s - event.time_s) for e in found if (e.side, e.kind) == (event.side, event.kind)]
        assert min(same) < 0.01, event


def test_velocity_rule_is_the_instant_the_foot_reaches_half_of_walking_speed(walker):
    """The walker's heel swings as 10 u^3 - 15 u^4 + 6 u^5; its mean speed over +-20 ms is solved here, not by the code."""
    walk = walker(rate_hz=200.0)
    swing = (1.0 - walk.duty) * walk.stride_s
    before = np.linspace(0.2, 0.0, 200001)

    def way(seconds_before):
        u = np.clip(1.0 - seconds_before / swing, 0.0, 1.0)
        return walk.stride_m * (10 * u**3 - 15 * u**4 + 6 * u**5)

    speed = (way(before - 0.02) - way(before + 0.02)) / 0.04
    lead = before[np.argmax(speed < 0.5 * walk.speed)]
    strikes = [e.time_s for e in _found(walk, "velocity") if e.kind is EventKind.FOOT_STRIKE and e.side == "R"]
    true = np.array([e.time_s for e in walk.events() if e.kind is EventKind.FOOT_STRIKE and e.side == "R"])
    near = [(true - lead)[np.argmin(np.abs(true - lead - s))] for s in strikes]
    # Linear interpolation between frames of 5 ms.
    np.testing.assert_allclose(strikes, near, atol=2e-4)


def test_zeni_strike_is_where_the_heel_moves_as_fast_as_the_pelvis(walker):
    walk = walker(rate_hz=200.0)
    swing = (1.0 - walk.duty) * walk.stride_s
    u = np.linspace(0.5, 1.0, 200001)
    relative = 30.0 * u**2 * (1.0 - u) ** 2 * walk.stride_m / swing - walk.speed
    before_strike = (1.0 - u[np.argmax(relative < 0.0)]) * swing
    strikes = [e.time_s for e in _found(walk, "zeni") if e.kind is EventKind.FOOT_STRIKE and e.side == "L"]
    true = np.array([e.time_s for e in walk.events() if e.kind is EventKind.FOOT_STRIKE and e.side == "L"])
    near = [(true - before_strike)[np.argmin(np.abs(true - before_strike - s))] for s in strikes]
    np.testing.assert_allclose(strikes, near, atol=0.0005)


def test_a_run_is_refused_with_the_reason(walker):
    walk = walker(speed=4.0, stride_s=0.8)
    with pytest.raises(InvalidValueError, match="made for one foot on the floor"):
        _found(walk)


def test_unknown_method(walker):
    with pytest.raises(OptionError, match="guess"):
        _found(walker(), "guess")


def test_timing_shifts_and_says_so():
    event = Event(1.0, "L", EventKind.FOOT_STRIKE, EventSource.MARKER, method="consensus")
    timing = MarkerTiming({("L", EventKind.FOOT_STRIKE): 0.015})
    assert timing.corrected(event).time_s == pytest.approx(1.015)
    assert str(timing.corrected(event).origin) == "marker: consensus, shifted +15 ms"
    other = Event(1.0, "R", EventKind.FOOT_STRIKE, EventSource.MARKER, method="consensus")
    assert timing.corrected(other) is other


def test_peak_between_frames_and_none_at_the_ends():
    t = np.arange(400) / 100.0
    values = np.cos(2 * np.pi * (t - 0.503))
    peaks = np.array(_peaks(values, 100.0)) / 100.0
    # A parabola through three samples of a cosine misses its top by less than 0.01 frame.
    np.testing.assert_allclose(peaks, [0.503, 1.503, 2.503, 3.503], atol=1e-4)
    assert _peaks(np.full(100, np.nan), 100.0) == []


def test_extremum_and_crossing_by_hand():
    values = np.array([0.0, 1.0, 3.0, 2.0, 1.0, 5.0, 0.0])
    assert highest_vertex(values, 1, 4) == pytest.approx(2.0 + 0.5 * (1.0 - 2.0) / (1.0 - 6.0 + 2.0))
    assert np.isnan(highest_vertex(values, 3, 4))
    assert falls_below(values, 2.5, 0, 5) == pytest.approx(2.5)
    assert np.isnan(falls_below(values, -1.0, 0, 7))
    # The last time, counted backwards.
    assert rises_above(values, 2.0, 0, 7) == pytest.approx(4.25)
    assert np.isnan(rises_above(values, 9.0, 0, 7))


def test_a_parabola_bends_by_twice_its_coefficient_wherever_it_lies():
    time_s = np.arange(50) / 100.0
    bent = second_difference(0.9 + 3.0 * time_s**2, 100.0)
    assert bent[2:-2] == pytest.approx(6.0)
    assert np.isnan(bent[[0, 1, -2, -1]]).all()
