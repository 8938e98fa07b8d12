"""Events from markers alone: every step found once, each method's rule on a signal whose answer is known, a run refused."""

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.errors import InvalidValueError, OptionError
from biomech_id.gait.landmarks import find_landmarks
from biomech_id.gait.marker_events import METHODS, MarkerTiming, _extremum, _falls_below, _peaks, marker_events
from biomech_id.gait.travel import describe_travel
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
        Event(float(strike + later + offset), side, kind)
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


def test_consensus_is_the_later_landing_and_the_median_departure(walker):
    """A foot has landed once it has stopped going forward and coming down; for its departure each method may go astray."""
    walk = walker()
    by_method = {method: _found(walk, method) for method in METHODS}
    for i, event in enumerate(by_method["consensus"]):
        zeni, oconnor, velocity = (by_method[m][i].time_s for m in ("zeni", "oconnor", "velocity"))
        strike = event.kind is EventKind.FOOT_STRIKE
        expected = max(oconnor, velocity) if strike else sorted([zeni, oconnor, velocity])[1]
        assert event.time_s == pytest.approx(expected, abs=1e-12)
    strikes = [
        {m: by_method[m][i].time_s for m in METHODS} for i, e in enumerate(by_method["consensus"]) if "Strike" in e.kind.value
    ]
    assert any(s["zeni"] < s["consensus"] for s in strikes)


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
    with pytest.raises(InvalidValueError, match="made for walking"):
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
    assert _extremum(values, 1, 5) == pytest.approx(2.0 + 0.5 * (1.0 - 2.0) / (1.0 - 6.0 + 2.0))
    assert np.isnan(_extremum(values, 3, 5))
    assert _falls_below(values, 2.5, 0, 5) == pytest.approx(2.5)
    assert np.isnan(_falls_below(values, -1.0, 0, 7))
