"""Only the contacts of stances that would be accepted say when a foot struck or left, and teach the markers."""

from dataclasses import replace

import pytest

from biomech_id.gait.events import search_events
from biomech_id.trial import Event, EventKind

STRIKE, OFF = EventKind.FOOT_STRIKE, EventKind.FOOT_OFF


def _late(walk):
    """Corners of a plate whose edge lies under the rear of the left foot: its load begins 70 ms after the strike."""
    return walk.plate_under("L", 3, length=0.4, shift=0.135)


def _error_s(walk, event):
    return min((event.time_s - t.time_s for t in walk.events() if (t.side, t.kind) == (event.side, event.kind)), key=abs)


def _used(found):
    return {(e.side, e.kind) for e in found.events if e.source == "plate"}


@pytest.fixture
def walk(walker):
    return walker(first_frame=51)


def test_a_foot_half_beside_its_plate_gives_and_teaches_nothing(walk):
    found = search_events(walk.trial([walk.plate_under("R", 3), _late(walk)]))
    (late,) = [e for e in found.by_source["plate"] if (e.side, e.kind) == ("L", STRIKE)]
    assert _error_s(walk, late) == pytest.approx(0.070, abs=0.003)
    assert _used(found) == {("R", STRIKE), ("R", OFF)}
    # The right foot's whole contact teaches the left one too: nothing is left of 70 ms, nor of the markers' own bias.
    assert max(abs(_error_s(walk, e)) for e in found.events) < 0.002
    assert found.timing.delay_s["L", STRIKE] == found.timing.delay_s["R", STRIKE]
    assert found.rejected == tuple(e for e in found.by_source["plate"] if e.side == "L")
    assert "beyond plate 2" in found.findings[0].message
    assert {f.rule for f in found.findings} == {"plate-event-distrusted", "events-beside-markers"}  # these markers lag by 60 ms


def test_a_late_load_alone_leaves_the_markers_as_they_are(walk):
    found = search_events(walk.trial([_late(walk)]))
    assert found.timing.delay_s == {}
    assert {(e.source, e.method) for e in found.events} == {("marker", "consensus")}


def test_what_disagrees_with_the_markers_is_only_counted_on_contacts_that_are_trusted(walk):
    found = search_events(walk.trial([walk.plate_under("R", 3), _late(walk)]))
    assert {(r.side, r.reference) for r in found.agreement} == {("R", "plate")}


def test_two_feet_on_one_plate(walk):
    found = search_events(walk.trial([walk.plate_under("R", 3, length=1.0, width=0.8, shift=0.3)]))
    assert {(e.side, e.kind) for e in found.by_source["plate"]} == {("R", STRIKE), ("L", OFF)}
    assert _used(found) == set()
    assert "foot is on plate 1 too" in found.findings[0].message


def test_a_foot_that_leaves_its_plate(walk):
    found = search_events(walk.trial([walk.plate_under("R", 3, length=0.4, shift=-0.22)]))
    assert {(e.side, e.kind) for e in found.by_source["plate"]} == {("R", STRIKE)}
    assert _used(found) == set()


def test_a_foot_that_is_light_for_one_that_is_wholly_on_its_plate_is_measured_all_the_same(walk):
    """How hard a patient treads is not the measurement's fault; the stance is warned of (`stance-light`, `gait.verdict`)."""
    trial = walk.trial([walk.plate_under("R", 3)])
    (plate,) = trial.plates
    light = replace(plate, force_lab_N=0.7 * plate.force_lab_N, moment_lab_Nm=0.7 * plate.moment_lab_Nm)
    for plates in ((plate,), (light,)):
        assert _used(search_events(replace(trial, plates=plates))) == {("R", STRIKE), ("R", OFF)}


def test_one_foot_on_two_plates_is_trusted(walk):
    halves = [walk.plate_under("R", 3, length=0.3, shift=s) for s in (-0.15, 0.15)]
    found = search_events(walk.trial(halves))
    assert _used(found) == {("R", STRIKE), ("R", OFF)}
    for event in found.events:
        if event.source == "plate":
            assert abs(_error_s(walk, event)) < 1e-3


@pytest.mark.parametrize(("shift", "used"), [(0.0, {("R", STRIKE)}), (0.135, set())])
def test_of_a_stance_that_the_trials_end_cuts_what_is_seen_decides(walker, shift, used):
    walk = walker(duration_s=3.5)
    found = search_events(walk.trial([walk.plate_under("R", 5, length=0.4, shift=shift)]))
    assert {(e.side, e.kind) for e in found.by_source["plate"]} == {("R", STRIKE)}
    assert _used(found) == used


def test_of_a_stance_that_the_trials_begin_cuts_what_is_seen_decides(walker):
    walk = walker()
    assert _used(search_events(walk.trial([walk.plate_under("L", 1, length=0.4)]))) == {("L", OFF)}
    beyond = search_events(walk.trial([walk.plate_under("L", 1, length=0.4, shift=-0.16)]))
    assert _used(beyond) == set()


def test_in_a_run_a_doubtful_time_is_better_than_a_step_that_vanishes(walker):
    run = walker(speed=4.0, stride_s=0.8, duty=0.3, lift_m=0.3)
    found = search_events(run.trial([run.plate_under("R", 3), run.plate_under("L", 3, length=0.4, shift=0.14)]))
    assert _used(found) == {(side, kind) for side in "LR" for kind in (STRIKE, OFF)}


def test_stored_events_are_completed_by_markers_where_the_plate_is_not_trusted(walk):
    stored = [Event(e.time_s, e.side, e.kind, "file", e.kind.value) for e in walk.events()]
    strike_s = walk.strikes("L")[3] + (walk.first_frame - 1) / walk.rate_hz
    missing = next(e for e in stored if (e.side, e.kind) == ("L", STRIKE) and abs(e.time_s - strike_s) < 1e-9)
    found = search_events(walk.trial([_late(walk)], [e for e in stored if e is not missing]))
    (new,) = [e for e in found.events if e.source != "file"]
    assert new.source == "marker"
    # The markers' own bias on this walker, whose heels stop before they strike.
    assert abs(new.time_s - missing.time_s) < 0.06
