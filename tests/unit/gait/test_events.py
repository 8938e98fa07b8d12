"""Which events are used: the file's, completed by plates and markers; the plates' and the markers' where it has none."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from biomech_id.errors import MissingInputError, OptionError
from biomech_id.gait.assignment import assign_plates
from biomech_id.gait.events import event_agreement, find_events, learn_timing, search_events
from biomech_id.judgement.check.plates import inspect_events
from biomech_id.sample.subject import virtual_subject
from biomech_id.trial import Event, EventKind

STRIKE, OFF = EventKind.FOOT_STRIKE, EventKind.FOOT_OFF


def _as_stored(events):
    return tuple(Event(e.time_s, e.side, e.kind, "file", e.kind.value) for e in events)


@pytest.fixture
def walk(walker):
    return walker(first_frame=51)


@pytest.fixture
def plated(walk):
    """A walk over two plates, one for each foot, without stored events."""
    return walk.trial([walk.plate_under("R", 3), walk.plate_under("L", 3)])


def test_stored_events_lead(walk):
    stored = _as_stored(walk.events())
    assert find_events(walk.trial(events=stored)) == stored


def test_without_stored_events_plates_give_what_they_see_and_markers_the_rest(walk, plated):
    found = find_events(plated)
    by_plate = [e for e in found if e.source == "plate"]
    assert [(e.side, e.kind) for e in by_plate] == [("R", STRIKE), ("L", STRIKE), ("R", OFF), ("L", OFF)]
    # The force rises through the threshold within a hundredth of stance: 0.6 ms here.
    for event in by_plate:
        assert min(abs(event.time_s - t.time_s) for t in walk.events() if t.kind is event.kind) < 1e-3
    for side in "LR":
        kinds = [e.kind for e in found if e.side == side]
        assert all(a is not b for a, b in pairwise(kinds))


def test_markers_learn_their_delay_from_the_plates(walk, plated):
    """The walker's heel stops 60 ms before the strike by Zeni's rule; after learning nothing of the bias is left."""
    alone = find_events(plated, source="markers")
    taught = [e for e in find_events(plated) if e.source == "marker"]
    assert all(e.shifted_ms is not None for e in taught)
    error = lambda e: min((e.time_s - t.time_s for t in walk.events() if t.side == e.side and t.kind is e.kind), key=abs)  # noqa: E731
    assert np.median([abs(error(e)) for e in alone]) > 0.01
    assert max(abs(error(e)) for e in taught) < 0.002


def test_an_event_left_out_of_the_file_is_completed_and_named(walk):
    stored = _as_stored(walk.events())
    missing = next(e for e in stored if e.side == "L" and e.kind is OFF and e.time_s > 1.5)
    trial = walk.trial([walk.plate_under("R", 3), walk.plate_under("L", 3)], [e for e in stored if e is not missing])
    found = find_events(trial)
    (new,) = [e for e in found if e.source != "file"]
    assert (new.side, new.kind) == ("L", OFF)
    assert abs(new.time_s - missing.time_s) < 0.1


def test_outside_the_annotated_part_plates_and_markers_complete_the_trial(walk):
    stored = _as_stored(walk.events())
    middle = [e for e in stored if 1.0 < e.time_s < 2.6]
    trial = walk.trial([walk.plate_under("L", 4)], middle)
    found = find_events(trial)
    assert [e for e in found if e.source == "file"] == middle
    assert [e.kind for e in found if e.source == "plate"] == [STRIKE, OFF]
    for side in "LR":
        mine = [e for e in found if e.side == side]
        assert all(a.kind is not b.kind for a, b in pairwise(mine))
        seen = [e for e in find_events(replace(trial, events=())) if e.side == side]
        assert [e.kind for e in mine] == [e.kind for e in seen]
        assert all(e.sd_ms is not None for e in mine if e.source == "marker")


def one_a_side(events):
    """The strike in the middle of each side."""
    strikes = [[e for e in events if e.side == side and e.kind is STRIKE] for side in "LR"]
    return [mine[len(mine) // 2] for mine in strikes]


def test_one_stored_strike_of_each_foot_gives_every_cycle_without_the_bias_it_shows(walk):
    stored, late_s = _as_stored(walk.events()), 0.02
    anchors = [replace(e, time_s=e.time_s + late_s) for e in one_a_side(stored)]
    found = find_events(walk.trial(events=anchors))
    strikes = [e for e in found if e.kind is STRIKE and e.source == "marker"]
    assert len(strikes) >= 4
    truth = [e.time_s for e in stored if e.kind is STRIKE]
    for strike in strikes:
        assert min(abs(strike.time_s - late_s - true_s) for true_s in truth) < 0.003
        assert strike.shifted_ms
    # The markers' own error is taken twice: in the event, and in the one that shows the bias.
    alone = find_events(walk.trial(events=anchors), source="markers")
    assert min(e.sd_ms for e in strikes) > 1.4 * min(e.sd_ms for e in alone if e.kind is STRIKE)


def test_a_stored_event_far_from_the_markers_is_named_where_they_complete_it(walk):
    left, right = one_a_side(_as_stored(walk.events()))
    early = replace(left, time_s=left.time_s - 0.12)
    named = [f for f in search_events(walk.trial(events=[early, right])).findings if f.rule == "events-beside-markers"]
    assert [f.values["side"] for f in named] == ["L"]
    assert named[0].values["apart_ms"] > 40.0


def test_a_stored_event_out_of_place_is_not_completed_and_said(walk):
    """The left foot's strike stored for the right one: strikes and offs of that side would not alternate."""
    left = one_a_side(_as_stored(walk.events()))[0]
    wrong = replace(left, side="R")
    found = search_events(walk.trial(events=[wrong, left]))
    assert [e for e in found.events if e.side == "R"] == [wrong]
    assert len([e for e in found.events if e.side == "L"]) > 4
    assert [f.values["side"] for f in found.findings if f.rule == "events-not-completed"] == ["R"]


def test_single_sources(walk, plated):
    assert {e.source for e in find_events(plated, source="plates")} == {"plate"}
    assert {e.source for e in find_events(plated, source="markers")} == {"marker"}
    with pytest.raises(MissingInputError, match="stores no gait events"):
        find_events(plated, source="file")
    with pytest.raises(OptionError):
        find_events(plated, source="stars")


def test_stray_events_of_a_static_trial_are_left_aside(walker):
    still = walker(speed=0.0, stride_s=1.0, duty=0.999, lift_m=0.0).trial(events=_as_stored(walker().events()[:2]))
    found = search_events(still)
    assert found.events == ()
    assert [f.rule for f in found.findings] == ["events-without-gait"]


def test_a_trial_without_gait_says_why(walk):
    trial = walk.trial()
    backwards = replace(trial, markers=trial.markers.with_positions(trial.markers.position_m[::-1].copy()))
    found = search_events(backwards)
    assert found.events == ()
    assert [f.rule for f in found.findings] == ["no-gait"]
    assert "backwards" in found.findings[0].message


def test_a_run_over_plates_has_their_events_and_a_word_about_the_markers(walker):
    run = walker(speed=4.0, stride_s=0.8, duty=0.3, lift_m=0.3)
    trial = run.trial([run.plate_under("R", 3), run.plate_under("L", 3)])
    found = search_events(trial)
    assert [(e.side, e.kind) for e in found.events] == [("R", STRIKE), ("R", OFF), ("L", STRIKE), ("L", OFF)]
    (refused,) = found.findings
    assert refused.rule == "marker-events-refused"
    assert refused.text("en").startswith("Events cannot be found from markers here: ")
    assert "Events" not in refused.text("de")
    assert refused.text("de").endswith("Kraftmessplatten verwenden.")


def test_agreement_counts_pairs_and_signs_the_later_source():
    file = [Event(1.0, "L", STRIKE), Event(2.0, "L", STRIKE), Event(1.6, "L", OFF), Event(3.0, "L", STRIKE)]
    plate = [Event(1.01, "L", STRIKE, "plate"), Event(2.03, "L", STRIKE, "plate"), Event(1.6, "R", OFF, "plate")]
    (row,) = event_agreement({"file": file, "plate": plate})
    assert (row.side, row.kind, row.source, row.reference, row.n) == ("L", STRIKE, "plate", "file", 2)
    assert row.median_s == pytest.approx(0.02)
    assert row.worst_s == pytest.approx(0.03)


def test_timing_is_learnt_per_side_and_lent_to_a_side_no_plate_saw():
    markers = [Event(1.0, "L", STRIKE), Event(1.5, "R", STRIKE), Event(1.7, "L", OFF), Event(2.0, "L", STRIKE)]
    plates = [Event(1.02, "L", STRIKE), Event(2.04, "L", STRIKE), Event(1.69, "L", OFF)]
    timing = learn_timing(plates, markers)
    assert timing.delay_s["L", STRIKE] == pytest.approx(0.03)
    assert timing.delay_s["R", STRIKE] == pytest.approx(0.03)
    assert timing.delay_s["R", OFF] == pytest.approx(-0.01)
    assert learn_timing([], markers).delay_s == {}


def test_events_that_do_not_alternate_are_named(walk):
    stored = [e for e in _as_stored(walk.events()) if not (e.side == "R" and e.kind is OFF and 1.0 < e.time_s < 2.5)]
    trial = walk.trial(events=stored)
    findings = search_events(trial, source="file").findings
    assert [f.rule for f in findings] == ["events-out-of-order"]


def test_an_event_stored_twice_is_one_event(walk):
    stored = _as_stored(walk.events())
    twice = [*stored, replace(stored[3], time_s=stored[3].time_s + 0.01)]
    assert find_events(walk.trial(events=twice)) == stored


def test_a_stored_event_far_from_the_force_is_named(walk):
    stored = list(_as_stored(walk.events()))
    plates = [walk.plate_under("R", 3)]
    assert search_events(walk.trial(plates, stored)).findings == ()
    strike = next(i for i, e in enumerate(stored) if e.side == "R" and e.kind is STRIKE and abs(e.time_s - 1.7) < 0.01)
    stored[strike] = replace(stored[strike], time_s=stored[strike].time_s - 0.08)
    (finding,) = search_events(walk.trial(plates, stored)).findings
    assert finding.rule == "events-disagree"
    assert "80 ms from the force" in finding.message


@pytest.mark.parametrize(("late_ms", "n_found"), [(40, 1), (-40, 1), (15, 0), (-15, 0)])
def test_stored_events_that_are_late_as_a_whole_are_named(walk, late_ms: int, n_found: int):
    stored = [replace(e, time_s=e.time_s + 0.001 * late_ms) for e in _as_stored(walk.events())]
    plates = [walk.plate_under("R", 3), walk.plate_under("L", 3)]
    found = search_events(walk.trial(plates, stored)).findings
    assert [f.rule for f in found] == ["events-late"] * n_found
    for finding in found:
        assert finding.values["n"] == 4
        assert finding.values["late"] == (late_ms > 0)
        assert finding.values["ms"] == pytest.approx(abs(late_ms), abs=5)
    one_step = search_events(walk.trial(plates[:1], stored)).findings
    assert not one_step
    for source in ("plates", "markers"):  # what is stored is not used
        assert "events-late" not in [f.rule for f in search_events(walk.trial(plates, stored), source=source).findings]


@pytest.mark.parametrize("off_ms", [130, -130])
def test_one_stored_event_that_is_misplaced_shifts_no_others(walk, off_ms: int):
    plates = [walk.plate_under("R", 3), walk.plate_under("L", 3)]
    exact = _as_stored(walk.events())
    for kind in (STRIKE, OFF):
        moved = [replace(e, time_s=e.time_s + 0.001 * off_ms) if e.kind is kind and e.side == "R" else e for e in exact]
        rules = [f.rule for f in search_events(walk.trial(plates, moved)).findings]
        assert "events-disagree" in rules
        assert "events-late" not in rules


def test_a_walk_without_the_heel_of_one_foot_goes_on_with_the_other_and_says_so(walk):
    plates = [walk.plate_under("R", 3), walk.plate_under("L", 3)]
    trial = walk.trial(plates, _as_stored(walk.events()))
    kept = [i for i, name in enumerate(trial.markers.names) if name != "LHEE"]
    names = tuple(trial.markers.names[i] for i in kept)
    markers = replace(trial.markers, names=names, position_m=trial.markers.position_m[:, kept], filled=None)
    found = search_events(replace(trial, markers=markers))
    assert [f.rule for f in found.findings] == ["foot-not-seen"]
    assert found.findings[0].message.startswith("The left foot")
    judged = assign_plates(replace(trial, markers=markers), events=found.events)
    whole = assign_plates(trial, events=search_events(trial).events)
    assert [s for s in judged.stances if s.side == "R"] == [s for s in whole.stances if s.side == "R"]
    assert {(s.plates, s.reason.rule) for s in judged.stances if s.side == "L"} == {((), "foot-unseen")}


def test_plates_alone_that_show_no_step_of_a_foot_say_so(walk):
    trial = walk.trial([walk.plate_under("R", 3), walk.plate_under("L", 3)])
    loaded, silent = trial.plates
    silent = replace(silent, force_lab_N=np.zeros_like(silent.force_lab_N), moment_lab_Nm=np.zeros_like(silent.moment_lab_Nm))
    found = search_events(replace(trial, plates=(loaded, silent)), source="plates")
    assert {e.side for e in found.events} == {"R"}
    assert [(f.rule, f.values["side"]) for f in found.findings if f.rule == "plates-show-no-step"] == [("plates-show-no-step", "L")]


def test_marks_of_a_calibration_are_no_missing_events(walker):
    strikes = [Event(0.2, "R", STRIKE), Event(0.9, "R", STRIKE)]
    still = walker(speed=0.0, stride_s=1.0, duty=0.999, lift_m=0.0).trial(events=strikes)
    assert [f.rule for f in inspect_events(still)] == []
    assert [f.rule for f in inspect_events(walker().trial(events=strikes))] == ["events-order"]


@pytest.mark.parametrize("feet", [True, False])
def test_nor_those_of_somebody_who_stands_or_swings_a_leg(feet):
    """Marks say where a calibration begins and ends; whether somebody steps is asked of the markers where no foot is seen."""
    person = virtual_subject(duration_s=2.0)
    marks = (Event(0.2, "L", STRIKE), Event(0.8, "L", STRIKE))
    said = {}
    for sample in (person.static("static", duration_s=1.0), person.star_arc("functional"), person.walk("walk")):
        position = sample.trial.markers.position_m.copy()
        if not feet:
            position[:, [name[1:] in ("HEE", "TOE", "ANK") for name in sample.trial.markers.names]] = np.nan
        trial = replace(sample.trial, events=marks, markers=sample.trial.markers.with_positions(position))
        said[trial.name] = [f.rule for f in inspect_events(trial)]
    assert said == {"static": [], "functional": [], "walk": ["events-order"]}


@pytest.mark.parametrize(("way_m", "rules"), [(0.3, []), (0.8, ["events-order"])])
def test_whose_markers_go_two_steps_may_step_where_no_foot_is_seen(way_m, rules):
    walk = virtual_subject(duration_s=2.0).walk("walk").trial
    position = walk.markers.position_m.copy()
    position[:, [name[1:] in ("HEE", "TOE", "ANK") for name in walk.markers.names]] = np.nan
    position[:, :, 0] *= way_m / np.nanmax(np.ptp(position[:, :, 0], axis=0))
    position[:, :, 1:] = position[:1, :, 1:]
    marks = (Event(0.2, "L", STRIKE), Event(0.8, "L", STRIKE))
    trial = replace(walk, events=marks, markers=walk.markers.with_positions(position))
    assert [f.rule for f in inspect_events(trial)] == rules
