"""What the body's own movement says of plates: every rule is silent about a walk as it is, and speaks of its fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import biomech_id as bid
from benchmarks.studies.designed_faults import FAULTS, Recording, gain, plates
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.review import Repair
from biomech_id.judgement.body_limits import angle_findings, sliding_findings
from biomech_id.judgement.foot_forces import force_directions
from biomech_id.judgement.plate_signals import mean_lean_findings
from biomech_id.judgement.plausibility import FORE_AFT_SLOPE, movement_limits, plausibility_findings
from biomech_id.judgement.request_findings import static_findings
from biomech_id.languages import worded
from biomech_id.pipeline.repairs import repaired
from biomech_id.sample import virtual_subject
from biomech_id.sample.patterns.patients import PATIENTS
from biomech_id.session.solved import Solved
from biomech_id.session.trial_tables import frames

pytestmark = pytest.mark.usefixtures("no_mirror_is_tried")


def computed(recording: Recording) -> Solved:
    given = [recording.static, recording.walk]
    found = bid.analyse(given, mass_kg=recording.mass_kg, uncertainty=False, budget=False)
    return found.computed.trials[0]


@pytest.fixture(scope="module")
def recording() -> Recording:
    person = bid.virtual_subject(plates="steps", noise_m=0.0003)
    return Recording("virtual", person.static().trial, person.walk().trial)


#: Fault of the study -> the rule that says it.
SAID = {
    "sign of Fx and Fy": "force-slope", "gain of Fx doubled": "force-slope", "Fx dead": "force-slope",
    "sign of Fy": "plates-sideways-turned",
    "gain of Fz 1.3": "force-unlike-weight", "gain of Mz tenfold": "free-moment-large",
    "plates 100 mm too high": "foot-above-plate",
    "plates 100 mm too low": "foot-above-plate", "force clipped at 85 %": "force-clipped",
    "plates 150 ms late": "kinetics-expected",
    "sides of events exchanged": "events-unlike-feet", "strikes and offs exchanged": "events-unlike-feet",
    "knee marker 30 mm off, 20 frames": "marker-jumps", "leg length 1400 mm": "measure-unlike-markers",
    "height 40 % too large": "measure-unlike-markers",
    "Fy dead": "impulse-sideways", "sign of Mz": "free-moment-turned", "marker slides by 50 mm": "angle-drifts",
    "marker frozen for 20 frames": "marker-stands-still", "ghost of one frame, 60 mm": "marker-jumps",
    "drift of 80 N": "kinetics-expected", "strikes 100 ms early": "kinetics-expected",
    "Mx dead": "plate-channel-lost", "My dead": "plate-channel-lost", "Mz dead": "plate-channel-lost",
    "crosstalk of 10 %": "force-leans", "hum of 40 N sideways": "plate-reads-unloaded", "spike of 5 ms": "force-beyond-friction",
    "laboratory mirrored": "angle-beyond-joint", "another axis is vertical": "angle-beyond-joint",
    "marker shakes by 5 mm": "marker-shakes", "feet smoothed to 1.5 Hz": "foot-slides",
    "each second frame repeated": "frames-repeated", "ankle and heel are one path": "markers-one-path",
}  # fmt: skip


@pytest.mark.parametrize("fault", SAID)
def test_a_fault_is_said(recording: Recording, fault: str) -> None:
    changed = FAULTS[fault](recording, np.random.default_rng(3))
    given = [changed.static, changed.walk]
    session = bid.analyse(given, mass_kg=changed.mass_kg, uncertainty=False, budget=False).computed
    findings = [*session.findings, *session.trials[0].findings]
    mine = [finding for finding in findings if finding.rule == SAID[fault]]
    assert mine, [finding.rule for finding in findings]
    for language in ("en", "de"):
        text = worded(mine[0].rule, mine[0].values, language)
        assert text.endswith(".")
        assert "None" not in text
        assert "{" not in text
        assert worded(mine[0].rule, mine[0].values, language, "hint")


@pytest.mark.parametrize(("like", "way"), [("", "polynomial"), ("LKNE", "marker")])
def test_a_path_that_was_filled_where_it_was_recorded_is_said(recording: Recording, like: str, way: str) -> None:
    """Half a second of a thigh's marker, as a line or as the knee's path at a distance."""
    first, stop = 120, 170
    position_m = recording.walk.markers.position_m.copy()
    thigh, knee = (recording.walk.markers.names.index(name) for name in ("LTHI", like or "LTHI"))
    share = np.linspace(0.0, 1.0, stop - first + 2)[1:-1, None]
    guide = position_m[first - 1 : stop + 1, knee] if like else np.zeros((stop - first + 2, 3))
    ends = [position_m[first - 1, thigh] - guide[0], position_m[stop, thigh] - guide[-1]]
    position_m[first:stop, thigh] = guide[1:-1] + (1.0 - share) * ends[0] + share * ends[1]
    walk = replace(recording.walk, markers=recording.walk.markers.with_positions(position_m))
    (finding,) = [one for one in computed(replace(recording, walk=walk)).findings if one.rule == "path-filled"]
    assert finding.values["way"] == way
    assert {finding.values["marker"], finding.values["like"]} == {"LTHI", like}
    n = recording.walk.first_frame
    assert (finding.values["first"], finding.values["last"]) == (first + n, stop - 1 + n)
    for language, word in (("en", "not measured"), ("de", "nicht gemessen")):
        text = worded(finding.rule, finding.values, language)
        assert word in text
        assert "{" not in text
    assert not [one for one in computed(recording).findings if one.rule == "path-filled"]


@pytest.mark.parametrize(("held_ms", "n_found"), [(15, 0), (60, 1)])
def test_a_loaded_plate_that_repeats_a_sample_is_said(recording: Recording, held_ms: int, n_found: int) -> None:
    plate = max(recording.walk.plates, key=lambda each: each.force_lab_N[:, 2].max())
    first = int(np.argmax(plate.force_lab_N[:, 2]))
    rows = slice(first, first + round(0.001 * held_ms * plate.rate_hz))
    force, moment = plate.force_lab_N.copy(), plate.moment_lab_Nm.copy()
    force[rows], moment[rows] = force[first], moment[first]
    held = replace(plate, force_lab_N=force, moment_lab_Nm=moment)
    walk = replace(recording.walk, plates=tuple(held if each is plate else each for each in recording.walk.plates))
    found = [one for one in computed(replace(recording, walk=walk)).findings if one.rule == "plate-holds-value"]
    assert len(found) == n_found
    for finding in found:
        assert finding.values["plate"] == plate.name
        assert finding.values["ms"] == pytest.approx(held_ms)
        assert finding.values["time_s"] == pytest.approx(plate.first_time_s + first / plate.rate_hz)
        assert "60 ms" in worded(finding.rule, finding.values, "en")
        assert "60 ms" in worded(finding.rule, finding.values, "de")


def test_forces_of_few_digits_are_not_called_held(recording: Recording) -> None:
    """Somebody who hardly moves for a tenth of a second on a plate whose forces are written in whole newtons."""
    plates = []
    for plate in recording.walk.plates:
        force = plate.force_lab_N.copy()
        first = int(np.argmax(force[:, 2]))
        rows = slice(first, first + round(0.1 * plate.rate_hz))
        force[rows] = np.linspace(force[first], force[first] + 3.0, len(force[rows]))
        moment = plate.moment_lab_Nm.copy()
        moment[rows] = moment[first]
        plates.append(replace(plate, force_lab_N=np.round(force, -1), moment_lab_Nm=np.round(moment, -1)))
    written = replace(recording, walk=replace(recording.walk, plates=tuple(plates)))
    assert not [one for one in computed(written).findings if one.rule == "plate-holds-value"]


@pytest.mark.parametrize(("measure", "least_mm"), [("leg_length_m", 40.0), ("knee_width_m", 15.0), ("ankle_width_m", 15.0)])
def test_sides_that_were_typed_apart_are_said_with_and_without_a_static(measure: str, least_mm: float) -> None:
    subject = virtual_subject().subject()
    right_m = getattr(subject, measure)["R"]
    for apart_mm, said in ((least_mm - 1.0, False), (least_mm + 1.0, True)):
        typed = replace(subject, **{measure: {"L": right_m - apart_mm / 1000.0, "R": right_m}})
        findings = [finding for finding in static_findings(None, typed) if finding.rule == "measure-sides-apart"]
        assert [finding.values["measure"] for finding in findings] == [measure] * said
        for finding, language in zip(findings * 2, ("en", "de"), strict=False):
            assert f"{1000.0 * right_m:.0f} mm" in worded(finding.rule, finding.values, language)


def test_a_walk_as_it_is_has_no_finding_and_its_force_turns_with_the_body(recording: Recording) -> None:
    result = computed(recording)
    assert list(plausibility_findings(result)) == []
    row = next(row for row in result.quality if row.rule == "plausibility")
    assert (row.value, row.verdict) == (0.0, "accept")
    seen = list(force_directions(result))
    assert len(seen) >= 5
    assert all(FORE_AFT_SLOPE[0] + 0.1 < each.slope < FORE_AFT_SLOPE[1] - 0.1 for each in seen)


def test_a_doubted_force_grades_the_trial(recording: Recording) -> None:
    result = computed(FAULTS["sign of Fx and Fy"](recording, np.random.default_rng(3)))
    row = next(row for row in result.quality if row.rule == "plausibility")
    assert row.value >= 1
    assert row.verdict == "warn"
    assert result.verdict.doubted


@pytest.mark.parametrize("pattern", PATIENTS)
def test_nobody_is_doubted_for_how_they_walk(pattern: str) -> None:
    """On crutches the plates bear more than feet, and no stance has kinetics: but what they bear aims at the body."""
    person = bid.virtual_subject(pattern=pattern, plates="steps", seed=3, noise_m=0.0003)
    assert list(plausibility_findings(computed(Recording(pattern, person.static().trial, person.walk().trial)))) == []


def test_a_crutch_is_told_from_a_channel_that_is_turned() -> None:
    """Both put the force beside the foot; only the crutch's load aims at the body."""
    person = bid.virtual_subject(pattern="crutches", plates="steps", seed=3, noise_m=0.0003)
    crutches = Recording("crutches", person.static().trial, person.walk().trial)
    beside = {stance.reason.rule for stance in computed(crutches).assignment.stances}
    assert "force-beside-foot" in beside
    for fault in ("sign of My", "Mx and My exchanged", "sign of Fx and Fy"):
        found = list(plausibility_findings(computed(FAULTS[fault](crutches, np.random.default_rng(3)))))
        assert "kinetics-expected" in {finding.rule for finding in found}, fault


def test_a_plate_under_a_stance_that_the_recording_cuts_is_held_against_the_body(recording: Recording) -> None:
    """The first foot is seen for a fifth of a second: too short for a slope, and never alone for long."""
    turned = [f for f in plausibility_findings(computed(faulty(recording, gain(-1, -1, 1)))) if f.rule == "force-points-elsewhere"]
    assert [(f.values["side"], bool(np.isnan(f.values["start_s"]))) for f in turned] == [("L", True)]
    assert turned[0].values["turned"]
    heavy = faulty(recording, gain(1.5, 1.5, 1.5, moment=(1.5, 1.5, 1.5)))
    found = [f for f in plausibility_findings(computed(heavy)) if f.rule == "force-unlike-weight"]
    assert [(f.values["side"], f.values["one"]) for f in found] == [("L", False)]


@pytest.mark.parametrize("moment", [False, True])
def test_sideways_forces_of_the_wrong_sign_are_one_finding_whose_repair_puts_them_back(recording: Recording, moment: bool) -> None:
    change = gain(1, -1, 1, moment=(1, 1, -1) if moment else (1, 1, 1))
    wrong = plates(change)(recording, np.random.default_rng(3))
    (said,) = plausibility_findings(computed(wrong))
    assert said.rule == "plates-sideways-turned"
    assert said.values["moment"] is moment
    repairs = [Repair("plate", what) for what in said.values["plates"]]  # type: ignore[attr-defined]
    # All plates with a foot alone on them; the first and the last stance are cut.
    assert [repair.what[0] for repair in repairs] == [2, 3, 4, 5, 6, 7]
    (back,) = repaired([wrong.walk], repairs)
    for number in range(1, 7):
        plate, was = back.plates[number], recording.walk.plates[number]
        np.testing.assert_allclose(plate.force_lab_N, was.force_lab_N, atol=1e-6)
        np.testing.assert_allclose(plate.moment_lab_Nm[:, 2], was.moment_lab_Nm[:, 2], atol=1e-6)


def faulty(recording: Recording, change: Callable[..., tuple[np.ndarray, np.ndarray]]) -> Recording:
    """The recording with its first plate changed."""
    return plates(change, which=(0,))(recording, np.random.default_rng(3))


def test_an_offset_of_a_plate_is_said_from_ten_newtons_on(recording: Recording) -> None:
    """Under the second plate's axes the third component points down: so many newtons are read while nobody is on it."""
    for size_N, said in ((6.0, []), (15.0, ["plate 1"]), (70.0, ["plate 1"]), (-28.0, ["plate 1"])):
        result = computed(faulty(recording, lambda f, m, rate, size_N=size_N: (f + [0.0, 0.0, size_N], m)))
        found = [each for each in plausibility_findings(result) if each.rule == "plate-reads-unloaded"]
        assert [each.values["plate"] for each in found] == said
        assert all(each.values["force_N"] == pytest.approx(abs(size_N), abs=0.5) for each in found)


def test_a_lean_that_the_body_speeds_up_with_is_none(recording: Recording) -> None:
    """4 % of weight forward: nothing where the hips gain 0.4 m/s each second, a finding where they go on as they were."""
    result = computed(recording)
    seen = [replace(each, force=each.force + [0.04, 0.0]) for each in force_directions(result)]
    assert [each.rule for each in mean_lean_findings(result, seen)] == ["force-leans"]
    assert list(mean_lean_findings(result, list(force_directions(result)))) == []
    hips, time_s = result.motion.joint_centres_lab_m, result.motion.time_s[:, None]
    gaining = {key: path + 0.5 * 0.04 * 9.81 * time_s**2 * [1.0, 0.0, 0.0] for key, path in hips.items()}
    faster = replace(result, motion=replace(result.motion, joint_centres_lab_m=gaining))
    assert list(mean_lean_findings(faster, seen)) == []
    assert list(mean_lean_findings(result, [each for each in seen if each.stance.side == "L"])) == []


def test_feet_of_a_fast_recording_that_nobody_filters_do_not_slide() -> None:
    """Half a millimetre of noise is 0.2 m/s between frames of 250 Hz."""
    person = bid.virtual_subject(plates="steps", noise_m=0.0005, rate_hz=250.0)
    given = [person.static().trial, person.walk().trial]
    (result,) = bid.analyse(given, marker_filter="never", uncertainty=False, budget=False).computed.trials
    assert len([stance for stance in result.assignment.stances if np.isfinite([stance.start_s, stance.end_s]).all()]) >= 4
    assert list(sliding_findings(result)) == []


def test_a_joint_at_its_end_is_no_finding_and_beyond_it_is(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    result = computed(recording)
    assert list(angle_findings(result)) == []
    table = frames(result)
    bent = {name: np.asarray(table[name]).copy() for name in table.columns if "Angles" in name}
    monkeypatch.setattr("biomech_id.judgement.body_limits.frames", lambda trial: Columns(bent))
    for value, said in ((169.0, []), (171.0, [("LKneeAngles.X", 41)])):
        bent["LKneeAngles.X"][40] = value
        assert [(each.values["variable"], each.values["frame"]) for each in angle_findings(result)] == said


class Columns(dict[str, np.ndarray]):
    """Columns by name, as a table of frames has them."""

    columns = property(tuple)


def test_a_pressure_that_races_is_said(recording: Recording) -> None:
    """A moment that shakes at 8 Hz moves the centre of pressure as no foot rolls."""

    def shaken(force: np.ndarray, moment: np.ndarray, rate_hz: float) -> tuple[np.ndarray, np.ndarray]:
        shake = 60.0 * np.sin(2 * np.pi * 8.0 * np.arange(len(force)) / rate_hz)
        return force, moment + shake[:, None] * [0.0, 1.0, 0.0] * (np.abs(force[:, 2:]) > 50.0)

    result = computed(plates(shaken)(recording, np.random.default_rng(3)))
    assert any(finding.rule == "pressure-fast" for finding in plausibility_findings(result))


def test_a_whole_body_that_is_pushed_too_hard_sideways_is_said(recording: Recording) -> None:
    result = computed(recording)
    for slope, said in ((1.1, []), (1.6, ["force-unlike-acceleration"])):
        whole = SimpleNamespace(test=SimpleNamespace(slope=(1.0, slope, 1.0)))
        assert [finding.rule for finding in plausibility_findings(replace(result, whole_body=whole))] == said


def test_a_sprint_is_told_from_a_run_by_its_speed() -> None:
    """A run at 3 m/s has the limits of runs; the same curves at 9 m/s have those of sprints, and at raw bandwidth wider ones."""
    person = bid.virtual_subject(pattern="run", plates="steps", noise_m=0.0003)
    run = computed(Recording("run", person.static().trial, person.walk().trial))
    assert run.kind is TrialKind.RUN
    assert movement_limits(run) == (6.0, 45.0)
    fast = replace(run, parameters=tuple(replace(p, value=9.0) if p.parameter == "speed" else p for p in run.parameters))
    assert movement_limits(fast) == (9.0, 120.0)
    assert movement_limits(replace(run, bandwidth="as recorded")) > movement_limits(run)
    assert movement_limits(replace(run, parameters=())) == (6.0, 45.0)
    table = frames(run)
    largest = max(float(np.nanmax(np.abs(table[name]))) for name in table.columns if "Moment.X" in name and "G" not in name)
    hard = replace(run, mass_kg=(run.mass_kg or 0.0) * largest / 7.5)
    assert any(finding.rule == "beyond-movement" for finding in plausibility_findings(hard))
    harder = replace(hard, parameters=fast.parameters)
    assert not any(finding.rule == "beyond-movement" for finding in plausibility_findings(harder))


def test_a_moment_beyond_its_movement_is_said_and_kept(recording: Recording) -> None:
    result = computed(recording)
    heavy = replace(result, mass_kg=0.3 * (result.mass_kg or 0.0))
    found = [finding for finding in plausibility_findings(heavy) if finding.rule == "beyond-movement"]
    assert found
    assert found[0].values["value"] > found[0].values["limit"]
    name = str(found[0].values["variable"])
    assert np.nanmax(np.abs(frames(heavy)[name])) == pytest.approx(found[0].values["value"])
