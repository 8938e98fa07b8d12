"""Cycles run from strike to strike at event times, say whether they have kinetics, and flag what must stay out of means."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from biomech_id.conventions import Aspect
from biomech_id.feet.landmarks import find_landmarks
from biomech_id.feet.movements import TrialKind
from biomech_id.feet.travel import describe_travel
from biomech_id.gait.assignment import assign_plates
from biomech_id.gait.cycles import cut_cycles, mean_cycle_times
from biomech_id.gait.measures.spatiotemporal import gait_parameters
from biomech_id.languages import Sentence
from biomech_id.movement.cycle import KineticsValid
from biomech_id.trial import Event, EventKind


@pytest.fixture
def walk(walker):
    return walker(first_frame=51)


def _cut(walk, trial, **options):
    landmarks = find_landmarks(trial)
    assignment = assign_plates(trial, events=trial.events)
    return cut_cycles(trial, trial.events, assignment, travel=describe_travel(landmarks), landmarks=landmarks, **options)


def test_cycles_lie_between_successive_strikes_with_their_events(walk):
    cycles = _cut(walk, walk.trial(events=walk.events()))
    for side in "LR":
        mine = [c for c in cycles if c.side == side]
        strikes = [e.time_s for e in walk.events() if e.side == side and e.kind is EventKind.FOOT_STRIKE]
        assert [(c.start_s, c.end_s) for c in mine] == list(pairwise(strikes))
        assert [c.number for c in mine] == list(range(1, len(mine) + 1))
        for c in mine:
            np.testing.assert_allclose([c.foot_off_s, c.opposite_off_s, c.opposite_strike_s], c.start_s + np.array([0.6, 0.1, 0.5]))
            assert c.kinetics_valid is KineticsValid.FALSE
            assert c.steady


def test_kinetics_where_the_stance_is_clean(walk):
    trial = walk.trial([walk.plate_under("R", 3), walk.plate_under("L", 3)], walk.events())
    valid = [(c.side, round(c.start_s, 9)) for c in _cut(walk, trial) if c.kinetics_valid is KineticsValid.TRUE]
    assert valid == [("L", pytest.approx(walk.strikes("L")[3] + 0.5)), ("R", pytest.approx(walk.strikes("R")[3] + 0.5))]


def test_refused_stances_say_why(walk):
    trial = walk.trial([walk.plate_under("R", 3, length=0.204, shift=0.011)], walk.events())
    (cycle,) = [c for c in _cut(walk, trial) if "outline" in c.reason]
    assert cycle.kinetics_valid is KineticsValid.FALSE


def test_clean_stance_whose_next_strike_is_cut_off_gives_its_stance(walker):
    walk = walker(duration_s=3.1)
    trial = walk.trial([walk.plate_under("R", 4)], walk.events())
    (cycle,) = [c for c in _cut(walk, trial) if c.kinetics_valid is KineticsValid.STANCE_ONLY]
    assert cycle.start_s == pytest.approx(2.2)
    assert cycle.end_s == pytest.approx(3.2), "the mean cycle time of its side"
    assert cycle.foot_off_s == pytest.approx(2.8)
    (other,) = [c for c in _cut(walk, trial, mean_cycle_s={"R": 1.1}) if c.kinetics_valid is KineticsValid.STANCE_ONLY]
    assert other.end_s == pytest.approx(3.3)


def test_one_cycle_of_another_length_is_flagged_not_hidden(walk):
    events = list(walk.events())
    late = next(e for e in events if e.side == "R" and e.kind is EventKind.FOOT_STRIKE and e.time_s > 2.5)
    events[events.index(late)] = replace(late, time_s=late.time_s + 0.25)
    cycles = [c for c in _cut(walk, walk.trial(events=events)) if c.side == "R"]
    assert [c.steady for c in cycles].count(False) == 2
    assert all("it lasts" in c.reason for c in cycles if not c.steady)


def test_cycles_of_a_turn_stay_out_of_means(walk):
    trial = walk.trial(events=walk.events())
    travel = replace(describe_travel(find_landmarks(trial)), kind=TrialKind.TURN, reason=Sentence("turns", {"turn_deg": 90.0}))
    cycles = cut_cycles(trial, trial.events, assign_plates(trial, events=trial.events), travel=travel)
    assert cycles
    assert not any(c.steady for c in cycles)
    assert mean_cycle_times(cycles) == {}


def test_a_slow_cycle_is_flagged_by_its_speed(walk):
    trial = walk.trial(events=walk.events())
    landmarks = find_landmarks(trial)
    pelvis = landmarks.pelvis_lab_m.copy()
    pelvis[:130, 0] = 0.6 * pelvis[:130, 0] + 0.4 * pelvis[130, 0]
    slow = replace(landmarks, pelvis_lab_m=pelvis)
    cycles = cut_cycles(trial, trial.events, None, travel=describe_travel(slow), landmarks=slow)
    flagged = [c for c in cycles if not c.steady]
    assert flagged
    assert all("its speed is" in c.reason and c.start_s - 0.5 < 1.0 for c in flagged)


def test_two_strikes_too_far_apart_are_no_cycle(walk):
    events = [
        Event(0.6, "L", EventKind.FOOT_STRIKE),
        Event(0.7, "L", EventKind.FOOT_STRIKE),
        Event(9.0, "L", EventKind.FOOT_STRIKE),
    ]
    trial = walk.trial()
    assert cut_cycles(trial, events) == ()


def test_mean_cycle_time_of_whole_steady_cycles(walk):
    assert mean_cycle_times(_cut(walk, walk.trial(events=walk.events()))) == pytest.approx({"L": 1.0, "R": 1.0})


def test_without_any_cycle_time_a_lone_stance_makes_no_cycle(walker):
    walk = walker(duration_s=1.1)
    trial = walk.trial([walk.plate_under("R", 2)], walk.events())
    assignment = assign_plates(trial, events=trial.events)
    assert [s.verdict.accepted for s in assignment.stances if s.plates] == [True]
    assert cut_cycles(trial, trial.events, assignment) == ()
    (cycle,) = cut_cycles(trial, trial.events, assignment, mean_cycle_s={"L": 0.9})
    assert cycle.kinetics_valid is KineticsValid.STANCE_ONLY
    assert cycle.duration_s == pytest.approx(0.9)


def test_a_swing_in_which_the_foot_may_have_touched_the_ground_has_no_kinetics(walk):
    strike = walk.strikes("R")[3] + 0.5
    stray = Event(float(strike) + 0.8, "R", EventKind.FOOT_OFF)
    trial = walk.trial([walk.plate_under("R", 3)], [*walk.events(), stray])
    (cycle,) = [c for c in _cut(walk, trial) if c.side == "R" and abs(c.start_s - strike) < 1e-6]
    assert cycle.kinetics_valid is KineticsValid.FALSE
    assert "in swing" in cycle.reason


def test_an_uncertain_strike_cuts_angles_and_nothing_else(walk):
    events = walk.events()
    strike = next(
        e for e in events if e.side == "R" and e.kind is EventKind.FOOT_STRIKE and abs(e.time_s - walk.strikes("R")[3] - 0.5) < 1e-6
    )
    plates = [walk.plate_under("R", 3), walk.plate_under("L", 3)]
    loose = [replace(e, sd_ms=41.0) if e is strike else e for e in events]
    sure = [replace(e, sd_ms=40.0) if e is strike else e for e in events]
    cycle, whole = (
        next(c for c in _cut(walk, walk.trial(plates, each)) if c.side == "R" and c.start_s == strike.time_s)
        for each in (loose, sure)
    )
    assert whole.kinetics_valid is KineticsValid.TRUE
    assert cycle.kinetics_valid is KineticsValid.FALSE
    assert cycle.has(Aspect.KINEMATICS)
    assert [why.rule for why in cycle.lacks(Aspect.KINETICS)] == ["event-uncertain"]
    assert not cycle.lacks(Aspect.KINEMATICS)
    trial = walk.trial(plates, loose)
    landmarks = find_landmarks(trial)
    rows = gait_parameters(landmarks, loose, [cycle, whole])
    assert {row.unit for row in rows} == {"m"}
    # The other side's cycle around it has no opposite strike.
    other = next(c for c in _cut(walk, trial) if c.side == "L" and c.start_s < strike.time_s < c.end_s)
    assert np.isnan(other.opposite_strike_s)
