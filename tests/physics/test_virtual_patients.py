"""How patients walk: the virtual subject's patterns, their contacts and loads, known exactly."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.anatomy import JOINTS
from biomech_id.conventions import GRAVITY_M_S2, SIDES
from biomech_id.dynamics.body import FootContact
from biomech_id.errors import OptionError
from biomech_id.pipeline.demo import run_demo
from biomech_id.sample import SampleTrial, VirtualSubject, virtual_subject, write_c3d
from biomech_id.sample.jets import time_jet
from biomech_id.sample.patterns.patients import HEALTHY, PATIENTS
from biomech_id.sample.truth import Truth
from biomech_id.trial import EventKind

WALKS = {**PATIENTS, "healthy": HEALTHY}
#: N m/kg, root mean square per axis; frames left out at each end.
MOMENT_NM_KG, ENDS = 1e-3, 12
#: Which end of the foot touches the floor first, as the pattern's name says.
FIRST = {
    "toe walker": "toe", "drop foot": "heel", "steppage": "toe", "crouch": "both", "stiff knee": "heel", "shuffle": "both",
    "hemiplegic": "heel", "crutches": "heel", "walker": "heel", "healthy": "heel",
}  # fmt: skip
#: Whose right foot lands on its toes, and the left one on its heel.
RIGHT_TOES = ("drop foot", "hemiplegic")


@cache
def recorded(pattern: str) -> SampleTrial:
    return virtual_subject(pattern=pattern, plates="steps").walk()


def test_every_pattern_is_tried() -> None:
    assert set(FIRST) == set(WALKS)


@pytest.mark.parametrize("pattern", WALKS)
def test_joint_loads_with_the_true_reaction(pattern: str) -> None:
    """At 240 Hz: a foot that slaps down within 70 ms is too fast for 100."""
    person = virtual_subject(rate_hz=240.0)
    sample = person.walk(pattern=pattern, plates="none")
    truth = sample.truth
    motion = bid.conventional_model(person.static().trial, person.subject()).track(sample.trial)
    known = np.ones(len(truth.time_s), dtype=bool)
    contacts = {s: FootContact(s, truth.ground_force_lab_N[s], truth.ground_moment_lab_Nm[s], known) for s in SIDES}
    loads = bid.solve(motion, contacts)
    for key in ((side, joint) for side in SIDES for joint in JOINTS):
        error = (loads[key].expressed_in("distal").moment_Nm - truth.joint_moment_distal_Nm[key])[ENDS:-ENDS] / 72.0
        assert np.sqrt((error**2).mean(axis=0)).max() < MOMENT_NM_KG, key


@pytest.mark.parametrize("pattern", WALKS)
def test_a_foot_carries_from_strike_to_off_and_never_else(pattern: str) -> None:
    sample = recorded(pattern)
    plates = {plate.name: plate for plate in sample.trial.plates}
    truth, whole = sample.truth, 0
    for stance in truth.stances:
        inside = (truth.time_s > stance.strike_s) & (truth.time_s < stance.off_s)
        assert (truth.ground_force_lab_N[stance.side][inside, 2] > 0.0).all()
        if stance.strike_s < truth.time_s[0] + 0.05 or stance.off_s > truth.time_s[-1] - 0.05 or truth.aids:
            continue
        # The plate's own samples: 5 N within 3 ms of the strike and of the off.
        (name,) = stance.plates
        samples = np.flatnonzero(plates[name].force_lab_N[:, 2] > 5.0) / plates[name].rate_hz
        assert stance.strike_s < samples[0] < stance.strike_s + 0.0045
        assert stance.off_s > samples[-1] > stance.off_s - 0.0045
        whole += 1
    assert whole >= 3 or truth.aids
    for side in SIDES:
        standing = np.any(
            [(truth.time_s >= s.strike_s) & (truth.time_s <= s.off_s) for s in truth.stances if s.side == side], axis=0
        )
        assert not truth.ground_force_lab_N[side][~standing].any()


@pytest.mark.parametrize("pattern", WALKS)
def test_feet_and_aids_carry_the_body(pattern: str) -> None:
    truth, weight = recorded(pattern).truth, 72.0 * GRAVITY_M_S2
    feet = sum(force[:, 2] for force in truth.ground_force_lab_N.values())
    aids = sum((aid.force_lab_N[:, 2] for aid in truth.aids), start=np.zeros(len(truth.time_s)))
    swing = WALKS[pattern].load_swing
    assert np.abs((feet + aids) / weight - 1.0).max() == pytest.approx(swing, abs=0.01 + 0.1 * swing)
    assert bool(truth.aids) == (pattern in ("crutches", "walker"))
    assert not truth.aids or 0.15 < aids.max() / weight < 0.45


@pytest.mark.parametrize("pattern", ["crutches", "walker"])
def test_plates_carry_the_aids_too(pattern: str) -> None:
    """One floor of plate: what it measures is what feet and aids do together, about its middle."""
    spec = bid.sample.PlateSpec(size_m=(12.0, 3.0))
    sample = virtual_subject(pattern=pattern, plates=(spec,)).walk()
    (plate,), truth = sample.trial.plates, sample.truth
    every = plate.rate_hz / sample.trial.rate_hz
    ours = [(aid.force_lab_N, np.cross(np.nan_to_num(aid.point_lab_m), aid.force_lab_N)) for aid in truth.aids]
    feet = [(truth.ground_force_lab_N[s], truth.ground_moment_lab_Nm[s]) for s in SIDES]
    force, moment = (sum(part) for part in zip(*ours, *feet, strict=True))
    np.testing.assert_allclose(plate.force_lab_N[:: int(every)], force, atol=1e-9)
    np.testing.assert_allclose(plate.moment_lab_Nm[:: int(every)], moment, atol=1e-9)
    assert all(aid.plates == ("plate 1",) for aid in truth.aids)
    for aid in truth.aids:
        still = np.diff(aid.point_lab_m, axis=0)
        assert np.nanmin(np.linalg.norm(still, axis=1)) == 0.0
        standing = np.isfinite(still).all(axis=1)
        assert (np.linalg.norm(still[standing], axis=1) == 0.0).all()


def _ends(me: VirtualSubject, side: str, times_s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Height of the rounded heel's and the rounded toe's lowest point, and how fast the sole goes over the floor."""
    pose = me.gait.pose(time_jet(times_s, order=1))
    sole = pose.soles[side]
    heights = []
    for x, radius in ((me.sole.heel_x, me.sole.heel_radius), (me.sole.toe_x, me.sole.toe_radius)):
        heights.append((sole.origin_m.value + sole.R_lab_sole.value @ np.array([x, 0.0, radius]))[:, 2] - radius)
    return heights[0], heights[1], np.linalg.norm(sole.origin_m.derivative(1)[:, :2], axis=1)


@pytest.mark.parametrize("pattern", WALKS)
def test_what_touches_first(pattern: str) -> None:
    """No end of a sole is ever below the floor; at the strike the end that the pattern says is nearest to it, and comes to rest."""
    me = virtual_subject(pattern=pattern)
    for side, first in ((s, "toe" if pattern in RIGHT_TOES and s == "R" else FIRST[pattern]) for s in SIDES):
        strike_s = float(me.gait.plan.steps[side].strike_s[1])
        cycle = np.linspace(strike_s, strike_s + me.gait.plan.cycle_s, 2000)
        heel, toe, speed = _ends(me, side, cycle)
        assert min(heel.min(), toe.min()) > -1e-9
        assert min(heel[0], toe[0]) < 0.004
        # The soft sole has given way, and the foot has stopped, within 50 ms.
        later = int(np.searchsorted(cycle, strike_s + 0.05))
        assert min(heel[later], toe[later]) < 2e-4
        assert speed[0] < 0.35
        assert speed[later] < 0.12
        assert {"heel": heel[0] < toe[0] - 0.002, "toe": toe[0] < heel[0] - 0.002, "both": abs(heel[0] - toe[0]) < 1e-6}[first]
        # Mid-swing clears the floor.
        off = WALKS[pattern].of(side).foot_off
        swing = (cycle - strike_s) / me.gait.plan.cycle_s
        clear = np.minimum(heel, toe)[(swing > off + 0.5 * (1 - off)) & (swing < off + 0.7 * (1 - off))]
        assert clear.min() > 0.004


def _through_cycle(truth: Truth, side: str, joint: str = "ankle") -> np.ndarray:
    """Flexion at 0 to 100 % of the first whole cycle, degrees."""
    strikes_s = [stance.strike_s for stance in truth.stances if stance.side == side and stance.strike_s >= truth.time_s[0]]
    times_s = np.linspace(*strikes_s[:2], 101)
    return np.interp(times_s, truth.time_s, np.rad2deg(truth.joint_angles_rad[side, joint][:, 0]))


def test_patterns_are_what_they_are_called() -> None:
    truths = {pattern: recorded(pattern).truth for pattern in WALKS}
    knee = {p: np.rad2deg(t.joint_angles_rad["R", "knee"][:, 0]) for p, t in truths.items()}
    ankle = {p: np.rad2deg(t.joint_angles_rad["R", "ankle"][:, 0]) for p, t in truths.items()}
    assert knee["crouch"].min() > 30.0
    # Schwartz et al. 2008, free speed: 59 (SD 6) degrees at 72 % of the cycle.
    for side in SIDES:
        swing_deg = _through_cycle(truths["healthy"], side, "knee")
        assert np.argmax(swing_deg) == pytest.approx(72, abs=1)
        assert swing_deg.max() == pytest.approx(59.0, abs=2.0)
    assert knee["stiff knee"].max() < 42.0 < knee["toe walker"].max()
    assert ankle["steppage"].min() < -15.0
    assert truths["shuffle"].spatiotemporal["speed_m_s"] == pytest.approx(0.4, abs=0.01)
    # The dropped foot hangs 10 degrees and more below the other one through swing and at its strike; in stance both are alike.
    swing = {side: _through_cycle(truths["drop foot"], side)[82:] for side in SIDES}
    stance = {side: _through_cycle(truths["drop foot"], side)[5:55] for side in SIDES}
    assert (swing["L"] - swing["R"]).min() > 10.0
    assert np.abs(stance["L"] - stance["R"]).max() < 3.0
    # A toe walker's heel marker never comes near where it is when the foot is flat.
    flat = float(virtual_subject().static().trial.markers["RHEE"][:, 2].mean())
    assert recorded("toe walker").trial.markers["RHEE"][:, 2].min() > flat + 0.06
    said = truths["hemiplegic"].spatiotemporal
    assert "foot_off_percent" not in said
    assert said["foot_off_L_percent"] == pytest.approx(71.0)
    assert said["foot_off_R_percent"] == pytest.approx(61.0)
    assert said["double_support_percent"] == pytest.approx(32.0)
    assert abs(said["step_length_L_m"] - said["step_length_R_m"]) > 0.03


@pytest.mark.parametrize("pattern", ["walk", "hemiplegic", "shuffle"])
def test_steps_are_as_long_as_they_are_said_to_be(pattern: str) -> None:
    truth = virtual_subject(pattern=pattern, duration_s=6.0).walk().truth
    steps = sorted((s.heel_m[0], s.side) for s in truth.stances)
    assert len(steps) >= 8
    for (before, _), (ahead, side) in pairwise(steps):
        assert ahead - before == pytest.approx(truth.spatiotemporal[f"step_length_{side}_m"], abs=1e-12)


@pytest.mark.parametrize("rate_hz", [50.0, 60.0, 120.0, 240.0])
def test_contacts_do_not_depend_on_the_frame_rate(rate_hz: float) -> None:
    slow = recorded("drop foot")
    other = virtual_subject(pattern="drop foot", plates="steps", rate_hz=rate_hz).walk()
    apart = other.clock_zero_s - slow.clock_zero_s
    ours = [(e.time_s - apart, e.side, e.kind) for e in other.truth.events]
    theirs = [(e.time_s, e.side, e.kind) for e in slow.truth.events]
    assert len(ours) == len(theirs) >= 6
    for mine, true in zip(ours, theirs, strict=True):
        assert mine[0] == pytest.approx(true[0], abs=1e-9)
        assert mine[1:] == true[1:]
    assert any(kind is EventKind.FOOT_OFF for _, _, kind in ours)


def test_a_walking_aid_on_stairs_is_refused() -> None:
    with pytest.raises(OptionError, match="walking aid"):
        virtual_subject(pattern="crutches", floor="stairs up")


@pytest.mark.parametrize("body", ["adult", "child"])
@pytest.mark.parametrize("pattern", ["crutches", "walker"])
def test_no_stance_whose_plate_carries_an_aid_has_kinetics(pattern: str, body: str) -> None:
    """Plates a metre wide under every footstep: crutches stand on all of them; an adult's stand beside two narrow ones."""
    person = virtual_subject(body=body, pattern=pattern, plates="steps")
    wide = tuple(replace(spec, size_m=(spec.size_m[0], 1.0)) for spec in person.plate_specs())
    narrow = virtual_subject(body=body, pattern=pattern, plates="two")
    model = bid.conventional_model(person.static().trial, person.subject())
    refused = []
    for sample, aided in ((person.walk(plates=wide), True), (narrow.walk(), False)):
        trial, truth = replace(sample.trial, events=()), sample.truth
        weight_N = person.subject().mass_kg * GRAVITY_M_S2
        corners = {plate.name: plate.corners_m for plate in trial.plates}
        stances = bid.assign_plates(model.track(trial)).assignment.stances
        for stance in (s for s in stances if s.verdict.accepted):
            during = (truth.time_s > stance.start_s) & (truth.time_s < stance.end_s)
            for aid in truth.aids:
                low, high = corners[stance.plates[0]].min(axis=0), corners[stance.plates[0]].max(axis=0)
                on = ((aid.point_lab_m > low - 1e-9) & (aid.point_lab_m < high + 1e-9))[:, :2].all(axis=1)
                assert aid.force_lab_N[during & on, 2].max(initial=0.0) < 0.02 * weight_N, stance
        refused.append([s for s in stances if s.reason.rule == "force-beside-foot"])
        # A child's crutches stand nearer to its feet, on the narrow plates too.
        assert aided or body == "child" or sum(s.verdict.accepted for s in stances) == 2
    assert not refused[1] or body == "child"
    assert len(refused[0]) >= (6 if pattern == "crutches" else 0)
    for stance in refused[0]:
        assert stance.verdict.value == "beside_foot"
        assert "crutch" in stance.reason.text()
        assert 90.0 < stance.reason.values["beside_mm"] < 400.0


@pytest.mark.parametrize(("pattern", "judged"), [("toe walker", False), ("shuffle", False), ("drop foot", True)])
def test_rules_made_for_heel_landings_judge_no_other(pattern: str, judged: bool, tmp_path: Path) -> None:
    """Plates and markers agree exactly; where feet press that land otherwise is no fault of theirs, and is not judged."""
    person = virtual_subject(pattern=pattern, plates="steps")
    for sample in (person.static(), person.walk()):
        write_c3d(sample, tmp_path / f"{sample.trial.name}.c3d")
    (trial,) = bid.analyse(tmp_path, uncertainty=False).computed.trials
    rows = {row.rule: row for row in trial.quality}
    assert rows["cop-offset"].verdict == ("accept" if judged else "not judged")
    assert {row.verdict for row in rows.values()} <= {"accept", "not judged", "not measured"}
    assert rows["cycles-used"].value >= 2


def test_an_unknown_pattern_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="moonwalk") as refusal:
        run_demo(tmp_path / "demo", pattern="moonwalk")
    assert all(pattern in str(refusal.value.expected) for pattern in WALKS)
    assert not (tmp_path / "demo").exists()
