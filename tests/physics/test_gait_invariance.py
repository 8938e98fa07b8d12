"""What must not matter, does not: where the laboratory's axes point, which side is which, the first frame's number, the rate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomech_id.feet.landmarks import find_landmarks
from biomech_id.feet.travel import describe_travel
from biomech_id.gait.assignment import assign_plates
from biomech_id.gait.cycles import cut_cycles
from biomech_id.gait.events import find_events
from biomech_id.gait.measures.spatiotemporal import gait_parameters
from biomech_id.sample import virtual_subject
from biomech_id.trial import Markers, Trial

WALKS = {
    "straight": replace(virtual_subject(body="child").walk().trial, events=()),
    "turn": replace(virtual_subject(direction="turn").walk().trial, events=()),
    "belt": replace(virtual_subject(body="child", belt=True, plates="belt").walk().trial, events=()),
}
OTHER = {"L": "R", "R": "L"}


def measured(trial: Trial) -> dict:
    """Everything this room says about a trial, times counted from its first frame."""
    events = find_events(trial)
    landmarks = find_landmarks(trial)
    travel = describe_travel(landmarks)
    assignment = assign_plates(trial, events=events)
    cycles = cut_cycles(trial, events, assignment, travel=travel, landmarks=landmarks)
    t0 = trial.first_time_s
    return {
        "kind": travel.kind,
        "turn": travel.turn_rad,
        "events": {(e.side, e.kind, i): e.time_s - t0 for i, e in enumerate(events)},
        "stances": [(s.side, s.plates, s.verdict) for s in assignment.stances],
        "known": {side: contact.known for side, contact in assignment.contacts.items()},
        "vertical": {side: contact.force_lab_N[:, 2] for side, contact in assignment.contacts.items()},
        "cycles": [(c.side, c.number, c.kinetics_valid, c.steady) for c in cycles],
        "parameters": {
            (p.side, p.cycle, p.parameter): p.value
            for p in gait_parameters(landmarks, events, cycles, travel=travel, leg_length_m=0.7)
        },
    }


def agree(a: dict, b: dict, *, atol: float) -> None:
    for name in ("kind", "stances", "cycles"):
        assert a[name] == b[name], name
    for name in ("events", "parameters"):
        assert a[name].keys() == b[name].keys(), name
        for key, value in a[name].items():
            assert b[name][key] == pytest.approx(value, abs=atol), (name, key)
    for side in "LR":
        np.testing.assert_array_equal(a["known"][side], b["known"][side])
        np.testing.assert_allclose(a["vertical"][side], b["vertical"][side], atol=1e-6)
    assert b["turn"] == pytest.approx(a["turn"], abs=1e-9)


def moved(trial: Trial, R_new_lab: np.ndarray, names: dict[str, str] | None = None) -> Trial:
    """The trial in other axes. A reflection turns moments the other way, as it does every axial vector."""
    handed = float(np.linalg.det(R_new_lab))
    names = names or {n: n for n in trial.markers.names}
    markers = Markers(tuple(names[n] for n in trial.markers.names), trial.markers.position_m @ R_new_lab.T, trial.rate_hz)
    plates = tuple(
        replace(
            p,
            corners_m=p.corners_m @ R_new_lab.T,
            force_lab_N=p.force_lab_N @ R_new_lab.T,
            moment_lab_Nm=handed * p.moment_lab_Nm @ R_new_lab.T,
        )
        for p in trial.plates
    )
    return replace(trial, markers=markers, plates=plates)


@pytest.mark.parametrize("name", WALKS)
@given(angle_rad=st.one_of(st.just(np.pi), st.just(np.pi / 2), st.floats(-np.pi, np.pi)))
@settings(max_examples=6, deadline=None, derandomize=True)
def test_the_laboratory_rotated_about_the_vertical(name, angle_rad):
    c, s = np.cos(angle_rad), np.sin(angle_rad)
    rotated = moved(WALKS[name], np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))
    agree(measured(WALKS[name]), measured(rotated), atol=1e-9)


@pytest.mark.parametrize("name", WALKS)
def test_left_and_right_mirrored(name):
    trial = WALKS[name]
    swapped = {n: OTHER[n[0]] + n[1:] if n[0] in OTHER else n for n in trial.markers.names}
    mirrored = measured(moved(trial, np.diag([1.0, -1.0, 1.0]), swapped))
    plain = measured(trial)
    expected = dict(plain)
    expected["turn"] = -plain["turn"]
    expected["stances"] = [(OTHER[s], p, v) for s, p, v in plain["stances"]]
    expected["cycles"] = sorted([(OTHER[s], *rest) for s, *rest in plain["cycles"]])
    mirrored["cycles"] = sorted(mirrored["cycles"])
    for group in ("events", "parameters"):
        expected[group] = {(OTHER[key[0]], *key[1:]): value for key, value in plain[group].items()}
    for group in ("known", "vertical"):
        expected[group] = {OTHER[side]: value for side, value in plain[group].items()}
    # Rounding alone: the mirrored markers are the same numbers with other signs, in another order of summation.
    agree(expected, mirrored, atol=1e-9)


@pytest.mark.parametrize("name", WALKS)
@pytest.mark.parametrize("first_frame", [2, 301, 100_001])
def test_the_first_frame_shifted(name, first_frame):
    shifted = replace(WALKS[name], first_frame=first_frame)
    # 1e-8: seconds counted from a thousand of them keep fewer digits.
    agree(measured(WALKS[name]), measured(shifted), atol=1e-8)


@pytest.mark.parametrize("rate_hz", [50.0, 120.0, 250.0])
def test_another_sampling_rate(rate_hz):
    """Events move by less than half of the slower rate's frame, lengths by less than 0.1 mm, and no verdict changes.

    Only what lies 0.2 s or more from the trial's ends is compared: at the ends a slower rate sees less.
    """
    a, b = (virtual_subject(body="child", rate_hz=rate, duration_s=3.0).walk() for rate in (100.0, rate_hz))
    slow, other = measured(replace(a.trial, events=())), measured(replace(b.trial, events=()))
    assert other["kind"] is slow["kind"]
    assert [s for s in other["stances"] if s[1]] == [s for s in slow["stances"] if s[1]]
    frame_s = 1.0 / min(rate_hz, 100.0)
    # Both recordings are of one walk; their clocks differ by where its middle falls between frames.
    clocks_s = (b.clock_zero_s - b.trial.first_time_s) - (a.clock_zero_s - a.trial.first_time_s)
    compared = 0
    for (side, kind, _), time_s in slow["events"].items():
        if 0.2 < time_s < 2.8:
            same = [t - clocks_s for (s, k, _), t in other["events"].items() if s == side and k is kind]
            assert min(abs(t - time_s) for t in same) < 0.5 * frame_s, (side, kind)
            compared += 1
    assert compared >= 9
    for side in "LR":
        for name, atol in (("stride_length", 1e-4), ("step_length", 1e-4), ("step_width", 1e-4), ("stride_time", 0.5 * frame_s)):
            mine, others = ([v for (s, _, n), v in m["parameters"].items() if (s, n) == (side, name)] for m in (slow, other))
            assert np.median(others) == pytest.approx(np.median(mine), abs=atol), (side, name)
