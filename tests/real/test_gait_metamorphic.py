"""What must not matter on recordings of seven laboratories: axes, sides, frame numbers, where a file is cut, its rate, short gaps.

Stored events are taken away, so that everything is found from forces and markers.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from biomech_id.feet.landmarks import find_landmarks
from biomech_id.feet.travel import describe_travel
from biomech_id.gait.assignment import assign_plates
from biomech_id.gait.cycles import cut_cycles
from biomech_id.gait.events import search_events
from biomech_id.gait.measures.spatiotemporal import gait_parameters
from biomech_id.readers import read_c3d
from biomech_id.trial import AnalogChannels, Event, Markers, Trial

RECORDINGS = (
    "children/HC002D/HC002D06", "children/HC002D/HC002D25", "children/HC030A/HC030A22", "children/HC031A/HC031A23",
    "children/HC032A/HC032A18", "children/HC033A/HC033A10", "children/HC036A/HC036A23", "opensim/walking2", "opensim/walking5",
    "plug_in_gait/PiG_Motion3_FF", "plug_in_gait/PiG_Motion-FlatFoot-One", "vendors/BTS", "vendors/Qualisys",
    "others/ADemo1_rewrite_c3d_pc_integer", "walking/bmc_gait",
)  # fmt: skip
OTHER = {"L": "R", "R": "L", "l": "r", "r": "l"}
#: Further than this from a trial's ends an event has all it needs on both sides (half a refinement window).
MARGIN_S = 0.15


@cache
def bare(path: Path) -> Trial:
    return replace(read_c3d(path, trust=True), events=(), model_outputs={}, analog=AnalogChannels())


@pytest.fixture(params=RECORDINGS, ids=lambda name: name.rsplit("/", 1)[1])
def trial(request, c3d_dir) -> Trial:
    return bare(c3d_dir / f"{request.param}.c3d")


def measured(trial: Trial) -> dict:
    """Everything that is said about a trial, times counted from its first frame."""
    events, landmarks = search_events(trial).events, find_landmarks(trial)
    travel, t0 = describe_travel(landmarks), trial.first_time_s
    assignment = assign_plates(trial, events=events)
    cycles = cut_cycles(trial, events, assignment, travel=travel, landmarks=landmarks)
    return {
        "kind": travel.kind,
        "events": [(e.side, e.kind, e.time_s - t0) for e in events],
        "stances": sorted((s.side, s.plates, s.verdict) for s in assignment.stances),
        "cycles": sorted((c.side, c.kinetics_valid, c.steady) for c in cycles),
        "parameters": {(p.side, p.cycle, p.parameter): p.value for p in gait_parameters(landmarks, events, cycles, travel=travel)},
    }


def agree(found: dict, expected: dict, *, atol: float) -> None:
    for name in ("kind", "stances", "cycles"):
        assert found[name] == expected[name], name
    assert [e[:2] for e in found["events"]] == [e[:2] for e in expected["events"]]
    np.testing.assert_allclose([e[2] for e in found["events"]], [e[2] for e in expected["events"]], rtol=0.0, atol=atol)
    assert found["parameters"].keys() == expected["parameters"].keys()
    for key, value in expected["parameters"].items():
        assert found["parameters"][key] == pytest.approx(value, abs=1e3 * atol), key


def moved(trial: Trial, R_new_lab: np.ndarray) -> Trial:
    """The trial in other axes; a reflection swaps the sides, and turns moments the other way."""
    handed = float(np.linalg.det(R_new_lab))
    names = trial.markers.names if handed > 0 else tuple(_swapped(name) for name in trial.markers.names)
    plates = tuple(
        replace(
            p, corners_m=p.corners_m @ R_new_lab.T, force_lab_N=p.force_lab_N @ R_new_lab.T,
            moment_lab_Nm=handed * p.moment_lab_Nm @ R_new_lab.T,
        )
        for p in trial.plates
    )  # fmt: skip
    return replace(trial, markers=Markers(names, trial.markers.position_m @ R_new_lab.T, trial.rate_hz), plates=plates)


def _swapped(name: str) -> str:
    """The other side's label: "LHEE" -> "RHEE", "r heel" -> "l heel"; names that begin with neither stay."""
    sided = name[:1] in "LR" or name[:2] in ("l ", "r ")
    return OTHER[name[0]] + name[1:] if name and sided else name


def cropped(trial: Trial, first: int, last: int) -> Trial:
    """Frames [first, n - last) of a trial, with their own numbers."""
    stop = trial.n_frames - last
    plates = []
    for p in trial.plates:
        ratio = round(p.rate_hz / trial.rate_hz)
        kept = slice(first * ratio, stop * ratio)
        plates.append(replace(p, force_lab_N=p.force_lab_N[kept], moment_lab_Nm=p.moment_lab_Nm[kept]))
    markers = Markers(trial.markers.names, trial.markers.position_m[first:stop], trial.rate_hz)
    return replace(trial, markers=markers, plates=tuple(plates), first_frame=trial.first_frame + first)


def same_steps(found: tuple[Event, ...], expected: tuple[Event, ...], inside_s: tuple[float, float], within_s: float) -> int:
    """Check that within a span of time nothing is missed, nothing invented, and nothing moved by more; return how many compared."""
    compared = 0
    for mine, others in ((found, expected), (expected, found)):
        for event in mine:
            if inside_s[0] < event.time_s < inside_s[1]:
                same = [abs(e.time_s - event.time_s) for e in others if (e.side, e.kind) == (event.side, event.kind)]
                assert min(same, default=np.inf) < within_s, event
                compared += 1
    return compared


@pytest.mark.parametrize("degrees", [90.0, 180.0])
def test_the_laboratory_rotated(trial, degrees):
    c, s = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    agree(measured(moved(trial, np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))), measured(trial), atol=1e-9)


def test_left_and_right_mirrored(trial):
    found, plain = measured(moved(trial, np.diag([1.0, -1.0, 1.0]))), measured(trial)
    expected = {"kind": plain["kind"]}
    expected["events"] = [(OTHER[side], kind, t) for side, kind, t in plain["events"]]
    expected["stances"] = sorted((OTHER[side], *rest) for side, *rest in plain["stances"])
    expected["cycles"] = sorted((OTHER[side], *rest) for side, *rest in plain["cycles"])
    expected["parameters"] = {(OTHER[side], *rest): value for (side, *rest), value in plain["parameters"].items()}
    agree(found, expected, atol=1e-9)


def test_frames_numbered_from_anywhere(trial):
    # Seconds counted from a thousand of them keep fewer digits.
    agree(measured(replace(trial, first_frame=100_001)), measured(trial), atol=1e-8)


def test_a_film_shown_backwards_is_no_walk(trial):
    """Its strikes would be offs, and its offs strikes."""
    backwards = replace(trial, markers=trial.markers.with_positions(trial.markers.position_m[::-1].copy()), plates=())
    found = search_events(backwards)
    assert found.events == ()
    assert [f.rule for f in found.findings] == ["no-gait"]


@pytest.mark.parametrize(("first", "last"), [(30, 0), (0, 30), (15, 15)])
def test_a_file_that_is_cut_shorter(trial, first, last):
    """15 ms: with a contact cut, the plates may teach another delay, as they scatter."""
    whole, part = search_events(trial).events, search_events(cropped(trial, first, last)).events
    begin_s = trial.first_time_s + first / trial.rate_hz
    end_s = trial.first_time_s + (trial.n_frames - 1 - last) / trial.rate_hz
    assert same_steps(part, whole, (begin_s + MARGIN_S, end_s - MARGIN_S), 0.015) >= 4


def test_every_other_frame(trial):
    """Two frames of the slower rate: velocities are taken over whole frames."""
    n = (trial.n_frames + 1) // 2
    plates = []
    for p in trial.plates:
        # A slower video with the same plates: its last frame may need one sample group more than there is.
        missing = max(0, 2 * n * round(p.rate_hz / trial.rate_hz) - p.n_samples)
        force, moment = (np.pad(a, ((0, missing), (0, 0)), mode="edge") for a in (p.force_lab_N, p.moment_lab_Nm))
        plates.append(replace(p, force_lab_N=force, moment_lab_Nm=moment))
    markers = Markers(trial.markers.names, trial.markers.position_m[::2], trial.rate_hz / 2.0)
    slow = search_events(replace(trial, markers=markers, plates=tuple(plates), first_frame=1)).events
    fast = tuple(replace(e, time_s=e.time_s - trial.first_time_s) for e in search_events(trial).events)
    end_s = (trial.n_frames - 1) / trial.rate_hz
    assert same_steps(slow, fast, (MARGIN_S, end_s - MARGIN_S), 4.0 / trial.rate_hz) >= 4


@pytest.mark.parametrize("foot", ["heel", "toe"])
@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
def test_a_marker_of_one_foot_lost_for_twenty_frames(trial, foot, share):
    """No step is missed or invented and a walk stays a walk; where the gap hides the event itself it may move by 80 ms."""
    landmarks = find_landmarks(trial)
    wanted = (landmarks.heel_lab_m if foot == "heel" else landmarks.toe_lab_m)["L"]
    column = int(np.nanargmin(np.nanmean(np.abs(trial.markers.position_m - wanted[:, None]).sum(axis=2), axis=0)))
    seen = np.flatnonzero(np.isfinite(trial.markers.position_m[:, column]).all(axis=1))
    first = int(seen[int(share * len(seen))])
    position_m = trial.markers.position_m.copy()
    position_m[first : first + 20, column] = np.nan
    gappy = replace(trial, markers=Markers(trial.markers.names, position_m, trial.rate_hz))
    assert describe_travel(find_landmarks(gappy)).kind is describe_travel(landmarks).kind
    inside_s = (-np.inf, np.inf)
    assert same_steps(search_events(gappy).events, search_events(trial).events, inside_s, 0.08) >= 8
