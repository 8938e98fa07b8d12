"""Two overground walks without stored events, and a sprint over eight plates."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from biomech_id.errors import InvalidValueError
from biomech_id.feet.landmarks import find_landmarks
from biomech_id.feet.movements import TrialKind
from biomech_id.feet.travel import describe_travel
from biomech_id.gait.assignment import assign_plates
from biomech_id.gait.by_hand import StanceVerdict
from biomech_id.gait.cycles import cut_cycles
from biomech_id.gait.events import find_events, search_events
from biomech_id.gait.marker_events import marker_events
from biomech_id.gait.measures.spatiotemporal import gait_parameters
from biomech_id.movement.stance import Verdict
from biomech_id.readers import read_c3d
from biomech_id.trial import EventKind

STRIKE, OFF = EventKind.FOOT_STRIKE, EventKind.FOOT_OFF


@pytest.fixture(scope="module", params=["walking2", "walking5"])
def walk(request, c3d_dir):
    return read_c3d(c3d_dir / "opensim" / f"{request.param}.c3d", trust=True)


def crossings_s(trial, level_N=20.0):
    """Times at which a plate's vertical force rises above, or falls below, a level for longer than 0.1 s."""
    found = {STRIKE: [], OFF: []}
    for plate in trial.plates:
        above = plate.force_lab_N[:, 2] > level_N
        edges = np.flatnonzero(np.diff(above.astype(int)))
        for a, b in zip(edges[::2], edges[1::2], strict=True):
            if b - a > 0.1 * plate.rate_hz:
                found[STRIKE].append(trial.first_time_s + a / plate.rate_hz)
                found[OFF].append(trial.first_time_s + b / plate.rate_hz)
    return found


def test_walks_are_straight_and_their_direction_is_found(walk):
    travel = describe_travel(find_landmarks(walk))
    assert travel.kind is TrialKind.STRAIGHT
    assert travel.speed_m_s == pytest.approx(1.6, abs=0.1)
    assert travel.direction_lab[0] == pytest.approx(1.0 if walk.name == "walking2" else -1.0, abs=0.01)


def test_plate_events_lie_within_two_frames_of_a_20_N_crossing(walk):
    crossings = crossings_s(walk)
    events = find_events(walk, source="plates")
    assert sorted((e.side, e.kind) for e in events) == [("L", OFF), ("L", STRIKE), ("R", OFF), ("R", STRIKE)]
    for event in events:
        assert min(abs(event.time_s - t) for t in crossings[event.kind]) * walk.rate_hz <= 2.0


def test_strikes_and_offs_alternate(walk):
    events = find_events(walk)
    for side in "LR":
        kinds = [e.kind for e in events if e.side == side]
        assert len(kinds) >= 3
        assert all(a is not b for a, b in pairwise(kinds))
    # In a walk the feet take turns too: between two strikes of either foot lies one off.
    assert all(a.kind is not b.kind for a, b in pairwise(events))


def test_a_load_that_begins_late_neither_gives_nor_teaches_a_strike(walk):
    """The left heel lands in front of its plate, so that the force begins some 70 ms late.

    Taken as a strike it would make the steps of a man who walks evenly differ by 100 to 150 ms.
    """
    found = search_events(walk)
    late = [e for e in found.by_source["plate"] if e.side == "L"]
    assert [e.kind for e in late] == [STRIKE, OFF]
    for event in late:
        used = min((e for e in found.events if (e.side, e.kind) == ("L", event.kind)), key=lambda e: abs(e.time_s - event.time_s))
        assert (used.source, used.method) == ("marker", "consensus")
        assert used.shifted_ms is not None
    assert sorted((e.side, e.kind) for e in found.events if e.source == "plate") == [("R", OFF), ("R", STRIKE)]
    assert {f.rule for f in found.findings} == {"plate-event-distrusted"}
    # Nobody's feet land to the millisecond: healthy step times scatter by 10 to 20 ms, and each strike has its standard deviation.
    strikes = [e for e in found.events if e.kind is STRIKE]
    sd_s = 1e-3 * max(e.sd_ms for e in strikes if e.sd_ms is not None)
    assert sd_s < 0.012
    assert np.ptp(np.diff([e.time_s for e in strikes])) < 0.02 + 2 * np.sqrt(2) * sd_s


def test_double_support_is_alike_on_both_sides_and_that_of_a_walk(walk):
    events = find_events(walk)
    landmarks = find_landmarks(walk)
    cycles = cut_cycles(walk, events, None, travel=describe_travel(landmarks), landmarks=landmarks)
    support = {p.side: p.value for p in gait_parameters(landmarks, events, cycles) if p.parameter == "double_support"}
    # Perry 1992: 20 % of the cycle at a free speed, less when walking faster.
    assert all(15.0 < value < 26.0 for value in support.values()), support
    assert support["L"] == pytest.approx(support["R"], abs=2.0)


def test_both_feet_are_on_their_plates_and_the_one_that_is_only_partly_there_says_so(walk):
    """The left foot lands with its heel 15 cm in front of its plate: the force starts 70 ms late, at the plate's edge, and its
    impulse is a quarter short of the right foot's (docs/decisions/feet-on-plates.md)."""
    on_plate = {s.side: s for s in assign_plates(walk).stances if s.plates}
    left, right = ("plate 2", "plate 1") if walk.name == "walking2" else ("plate 1", "plate 2")
    assert on_plate["L"].plates == (left,)
    assert on_plate["R"].plates == (right,)
    assert on_plate["R"].verdict is Verdict.CLEAN
    assert on_plate["L"].verdict is Verdict.OUTLINE
    assert "part of its load is not measured" in str(on_plate["L"].reason)


def test_that_the_left_stance_is_partial_is_seen_in_the_force_alone(walk):
    """Independent of any outline: over level walking both feet carry about the same impulse, here they do not."""
    plates = {p.name: p for p in walk.plates}
    impulse = {}
    for stance in assign_plates(walk).stances:
        if stance.plates:
            plate = plates[stance.plates[0]]
            impulse[stance.side] = float(np.clip(plate.force_lab_N[:, 2], 0.0, None).sum() / plate.rate_hz)
    assert impulse["L"] < 0.8 * impulse["R"]


def test_a_verdict_can_be_overruled(walk):
    stances = [s for s in assign_plates(walk).stances if s.side == "L"]
    number = next(i for i, s in enumerate(stances, 1) if s.plates)
    forced = assign_plates(walk, verdicts=[StanceVerdict(walk.name, "L", stances[number - 1].plates, number)])
    assert forced.contacts["L"].force_lab_N[:, 2].max() > 700.0


def test_speed_by_the_feet_agrees_with_the_pelvis(walk):
    events, landmarks = find_events(walk), find_landmarks(walk)
    travel = describe_travel(landmarks)
    cycles = cut_cycles(walk, events, None, travel=travel, landmarks=landmarks)
    speeds = [p.value for p in gait_parameters(landmarks, events, cycles, travel=travel) if p.parameter == "speed"]
    assert speeds
    assert np.mean(speeds) == pytest.approx(travel.speed_m_s, rel=0.03)


@pytest.fixture(scope="module")
def sprint(c3d_dir):
    return read_c3d(c3d_dir / "nimble" / "JA1Gait35.c3d", trust=True)


def test_a_sprint_is_a_run_and_walking_methods_refuse_it(sprint):
    landmarks = find_landmarks(sprint)
    travel = describe_travel(landmarks)
    assert travel.kind is TrialKind.RUN
    assert travel.speed_m_s == pytest.approx(9.5, abs=0.2)
    with pytest.raises(InvalidValueError, match="made for one foot on the floor"):
        marker_events(landmarks, travel)


def test_contacts_of_the_sprint(sprint):
    """Right, left, right, left on plates 2, 4, 7 and 8; from the file's own events, and from the plates alone."""
    for events in (None, find_events(sprint, source="plates")):
        stances = [s for s in assign_plates(sprint, events=events).stances if s.plates]
        assert [(s.side, s.plates) for s in stances] == [
            ("R", ("plate 2",)), ("L", ("plate 4",)), ("R", ("plate 7",)), ("L", ("plate 8",)),
        ]  # fmt: skip
        assert {s.verdict for s in stances} == {Verdict.CLEAN}
        # No double support: every foot is off before the other strikes.
        assert all(a.end_s < b.start_s for a, b in pairwise(stances))


def test_stored_events_of_the_sprint_agree_with_the_plates(sprint):
    rows = search_events(sprint).agreement
    assert {(r.source, r.reference) for r in rows} == {("plate", "file")}
    assert sum(r.n for r in rows) == 8
    assert all(abs(r.worst_s) * sprint.rate_hz < 2.0 for r in rows)


def test_double_support_is_left_out_of_a_run(sprint):
    events, landmarks = find_events(sprint), find_landmarks(sprint)
    cycles = cut_cycles(sprint, events, None, travel=describe_travel(landmarks), landmarks=landmarks)
    assert cycles
    assert not any(c.steady for c in cycles)
    names = {p.parameter for p in gait_parameters(landmarks, events, cycles)}
    assert "stride_time" in names
    assert not names & {"double_support", "double_support_time"}


def test_a_shot_on_the_spot_is_no_walk(c3d_dir):
    """An ice-hockey shot: both feet step and turn by 126 degrees, and the pelvis comes no further than 0.3 m."""
    shot = read_c3d(c3d_dir / "others" / "zoo_ti003.c3d", trust=True)
    assert describe_travel(find_landmarks(shot)).kind is TrialKind.OTHER
    assert find_events(shot) == ()
