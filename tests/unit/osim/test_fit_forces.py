"""Masses, centres and motion fitted to loads: derivatives, what comes of a known person, and of a plate that stands off."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from leg_model import MODEL, walk

from biomech_id.errors import MissingInputError
from biomech_id.files.json_text import json_text
from biomech_id.osim.dynamics.external_loads import OuterForce
from biomech_id.osim.dynamics.inverse_dynamics import generalized_forces
from biomech_id.osim.fit import force_outputs, outputs
from biomech_id.osim.fit.findings import force_findings
from biomech_id.osim.fit.force_outputs import force_lines, force_record, forces_of_person, uncarried
from biomech_id.osim.fit.forces import CONTACT_SD_M, ContactPlace, ForceFit, _Balance, carried_motion, fit_forces
from biomech_id.osim.fit.person import FittedMotion
from biomech_id.osim.fit.root_wrench import RootState, RootWrench
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.signal.natural_spline import NaturalSpline

RATE_HZ, FRAMES = 100.0, 90
TIME_S = np.arange(FRAMES) / RATE_HZ
NOTHING = np.zeros(16)  # four kinds of segment


def true_free() -> np.ndarray:
    """The leg's free coordinates with their derivatives (3, N, F)."""
    q = walk(FRAMES, RATE_HZ)
    spline = NaturalSpline(TIME_S, q)
    return np.stack([spline(TIME_S, order) for order in range(3)])[..., :9]


def root(outer: tuple[OuterForce, ...] = ()) -> RootWrench:
    return RootWrench(MODEL, TIME_S, Skeleton(MODEL).default_q(), outer)


def loads(moved_m: float = 0.0) -> tuple[OuterForce, ...]:
    """The one load that the true motion needs, with its point on the floor, which may be moved sideways."""
    state = root().state(true_free(), NOTHING)
    force = state.needed[:, :3]
    point = state.centre_m * (1.0, 0.0, 1.0)
    free_moment = state.needed[:, 3:] - np.cross(point - state.centre_m, force)
    return (OuterForce("shank", TIME_S, force, free_moment, point + (0.0, 0.0, moved_m)),)


def recorded(wrong_rad: float = 0.0, shown: slice = slice(None)) -> FittedMotion:
    """The motion as markers have it: the pelvis tilts and the hip flexes otherwise than in truth."""
    q = Skeleton(MODEL).completed(walk(FRAMES, RATE_HZ))
    wave = np.sin(2 * np.pi * 2.3 * TIME_S)
    q[:, 0] += wrong_rad * wave
    q[:, 6] -= wrong_rad * wave
    q[np.setdiff1d(np.arange(FRAMES), np.arange(FRAMES)[shown])] = np.nan
    return FittedMotion("hop", TIME_S, q, np.full_like(q, np.deg2rad(2.0)), np.zeros((FRAMES, 0, 3)), np.zeros((FRAMES, 0)))


def solved(motion: FittedMotion, outer: tuple[OuterForce, ...]) -> ForceFit:
    carried = carried_motion(MODEL, motion, outer)
    assert carried is not None
    return fit_forces(MODEL, motion, carried, outer)


@pytest.fixture(scope="module")
def wrong() -> ForceFit:
    return solved(recorded(0.02), loads())


@pytest.fixture(scope="module")
def shifted() -> ForceFit:
    return solved(recorded(0.02), loads(0.06))


def test_what_is_left_over_is_the_root_joint_s_reaction() -> None:
    free, outer = true_free() + 0.01, loads()
    state = root(outer).state(free, NOTHING)
    q, rate, second, _ = root().tree.completed_motion(Skeleton(MODEL).default_q(), *free)
    reactions = generalized_forces(Skeleton(MODEL), q, rate, second, state.loads).reactions
    arm = reactions.point_m[:, 0] - state.centre_m
    np.testing.assert_allclose(state.left[:, :3], reactions.force_N[:, 0], atol=1e-9)
    np.testing.assert_allclose(state.left[:, 3:], reactions.moment_Nm[:, 0] + np.cross(arm, reactions.force_N[:, 0]), atol=1e-9)


def test_derivatives_are_those_of_central_differences() -> None:
    balance, free = root(), true_free()[:, :20]
    balance.time_s = TIME_S[:20]
    pi = 0.02 * np.arange(16) / 16
    state = balance.state(free, pi)

    def about(other: RootState) -> np.ndarray:
        """Its wrench about the first state's centre of mass."""
        arm = other.centre_m - state.centre_m
        return np.concatenate([other.needed[:, :3], other.needed[:, 3:] + np.cross(arm, other.needed[:, :3])], axis=1)

    by_motion, by_inertia = balance.by_motion(state, free), balance.by_inertia(state, pi)
    for order, h in enumerate((1e-5, 1e-2, 1e-1)):
        for f in (0, 4, 8):
            step = np.zeros_like(free)
            step[order, :, f] = h
            slope = (about(balance.state(free + step, pi)) - about(balance.state(free - step, pi))) / (2 * h)
            # One-sided differences of 1e-6 rad and 1e-3 rad/s bend by that share of some 100 N.
            np.testing.assert_allclose(by_motion[order, :, :, f], slope, atol=5e-3)
    for k in range(16):
        step = 1e-4 * np.eye(16)[k]
        slope = (about(balance.state(free, pi + step)) - about(balance.state(free, pi - step))) / 2e-4
        np.testing.assert_allclose(by_inertia[..., k], slope, atol=0.02)


def test_loads_correct_the_motion(wrong: ForceFit) -> None:
    assert wrong.converged
    assert wrong.consistent
    assert force_findings(wrong) == ()
    assert wrong.after.rms_force_N < 0.2 * wrong.before.rms_force_N
    assert wrong.after.rms_moment_Nm < 0.2 * wrong.before.rms_moment_Nm
    # The first and the last frame too: nothing is left out at the ends.
    assert wrong.after.peak_force_share < 0.05
    true = walk(FRAMES, RATE_HZ)[np.searchsorted(TIME_S, wrong.time_s - 1e-6)]
    off = [np.sqrt(np.mean((q - true)[:, [0, 6]] ** 2)) for q in (recorded(0.02).q, wrong.q)]
    # Loads tell that the motion is off, and hardly which of its angles.
    assert off[1] < off[0]
    assert np.abs(np.log(wrong.mass_factor)).max() < 0.05
    assert all(np.abs(c.offset_m).max() < 0.015 for c in wrong.contacts)


def test_a_contact_that_stands_off_is_named_and_not_applied(wrong: ForceFit, shifted: ForceFit) -> None:
    (contact,) = shifted.contacts
    assert contact.stands_off
    assert abs(contact.offset_m[1] + 0.06) < 2 * contact.sd_m[1]
    assert not shifted.consistent
    assert [finding.rule for finding in force_findings(shifted)] == ["fit-contact-off", "fit-forces-left"]
    # The motion is not bent for the plate, and the load stays where it was recorded.
    changes = [np.linalg.norm(one.change_rms) for one in (wrong, shifted)]
    assert changes[1] < 1.2 * changes[0]
    assert shifted.if_moved.rms_moment_Nm < 0.3 * shifted.after.rms_moment_Nm


def test_only_the_stretch_that_loads_carry_is_looked_at() -> None:
    (load,) = loads()
    assert load.force_N is not None
    assert load.moment_Nm is not None
    on = (TIME_S > 0.25)[:, None]
    half = (replace(load, force_N=load.force_N * on, moment_Nm=load.moment_Nm * on),)
    carried = carried_motion(MODEL, recorded(), half)
    assert carried is not None
    assert 0.25 < carried.time_s[0] < 0.35
    assert carried.time_s[-1] == pytest.approx(TIME_S[-1])
    none = (replace(load, force_N=0.0 * load.force_N, moment_Nm=0.0 * load.moment_Nm),)
    assert carried_motion(MODEL, recorded(), none) is None
    assert carried_motion(MODEL, recorded(shown=slice(20)), (load,)) is None


def test_times_that_are_rounded_are_put_on_an_even_grid() -> None:
    uneven = replace(recorded(), time_s=np.round(TIME_S + 1e-3 * np.cos(np.arange(FRAMES)), 3))
    even = replace(recorded(), time_s=np.linspace(uneven.time_s[0], uneven.time_s[-1], FRAMES))
    seconds = [carried_motion(MODEL, motion, loads()) for motion in (uneven, even)]
    assert seconds[0] is not None
    assert seconds[1] is not None
    np.testing.assert_array_equal(seconds[0].second, seconds[1].second)


def test_record_and_lines_say_both_residuals_and_the_changes(shifted: ForceFit) -> None:
    record = json.loads(json_text(force_record(shifted)))
    assert record["dynamically_consistent"] is False
    assert record["contacts"][0]["stands_off"] is True
    assert set(record["masses"]) == {"pelvis", "thigh", "shank", "trunk"}
    assert record["after_if_contacts_were_moved"]["rms_moment_Nm"] < record["after"]["rms_moment_Nm"]
    assert force_lines(shifted)[-1].startswith("hop is not dynamically consistent")
    assert "not applied" in force_lines(shifted)[-2]


def test_masses_that_nobody_has_are_named_and_refused(wrong: ForceFit) -> None:
    whole = replace(wrong, weighed_kg=wrong.mass_kg / 1.05)
    thigh = replace(wrong, mass_factor=np.where(np.array(wrong.kinds) == "thigh", 1.5, 1.0))
    for off in (whole, thigh):
        assert not off.consistent
        assert [finding.rule for finding in force_findings(off)] == ["fit-mass-off"]
    (finding,) = force_findings(thigh)
    assert (finding.values["segment"], finding.values["percent"]) == ("thigh", pytest.approx(50.0))
    assert "Oberschenkel" in finding.text("de")


def test_contacts_that_stand_off_together_are_named_and_refused(wrong: ForceFit) -> None:
    places = [ContactPlace("shank", 0.0, 0.5, np.array([0.01 * k, 0.07]), np.array([0.05, 0.05])) for k in range(2)]
    off = replace(wrong, contacts=tuple(places))
    assert not off.consistent
    assert [finding.rule for finding in force_findings(off)] == ["fit-loads-elsewhere"]
    assert replace(wrong, contacts=(places[0], replace(places[1], offset_m=np.array([0.0, -0.07])))).consistent


def test_the_axis_named_is_the_one_that_is_off(wrong: ForceFit) -> None:
    contact = ContactPlace("shank", 0.0, 0.5, np.array([0.012, 0.040]), np.array([0.003, 0.015]))
    (finding,) = force_findings(replace(wrong, contacts=(contact,)))
    assert (finding.values["axis"], finding.values["offset_mm"]) == ("Z", pytest.approx(40.0))


def test_steps_that_help_nowhere_are_no_end_and_are_said(wrong: ForceFit, monkeypatch: pytest.MonkeyPatch) -> None:
    outer = loads()
    carried = carried_motion(MODEL, recorded(0.02), outer)
    assert carried is not None
    balance = _Balance(MODEL, carried, outer)
    start = balance.filtered()
    monkeypatch.setattr(balance, "_at", lambda *_: replace(start, cost=2.0 * start.cost))
    assert not balance.solved(start, contacts=False).converged
    assert [finding.rule for finding in force_findings(replace(wrong, converged=False))] == ["fit-forces-unfinished"]


@pytest.mark.parametrize(("contacts", "limit"), [(1, 5.99), (3, 12.59)])
def test_chance_is_that_of_all_contacts(contacts: int, limit: float) -> None:
    told = 1e-9 * np.eye(2 * contacts)
    point = SimpleNamespace(offset_m=np.zeros(2 * contacts), covariance=told)
    assert _Balance.chance(None, point) == pytest.approx(limit, abs=0.01)  # type: ignore[arg-type]
    half = SimpleNamespace(offset_m=np.zeros(2 * contacts), covariance=0.5 * CONTACT_SD_M**2 * np.eye(2 * contacts))
    assert _Balance.chance(None, half) == pytest.approx(0.5 * limit, abs=0.01)  # type: ignore[arg-type]


def test_loads_that_carry_nobody_are_told_with_both_weights() -> None:
    (load,) = loads()
    assert load.force_N is not None
    light = (replace(load, force_N=0.5 * load.force_N),)
    person = SimpleNamespace(model=MODEL, motions=(recorded(),))
    assert forces_of_person(person, light) is None  # type: ignore[arg-type]
    values = uncarried(MODEL, light).values
    weight_N = 9.80665 * sum(body.mass_kg for body in MODEL.bodies)
    assert values["weight_N"] == pytest.approx(weight_N, rel=1e-3)
    assert values["load_N"] == pytest.approx(0.5 * weight_N, rel=0.1)


def test_the_trial_is_the_one_with_least_left_over(wrong: ForceFit, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = replace(recorded(), name="other", q=recorded().q + 0.3 * np.eye(recorded().q.shape[1])[3])
    short = replace(recorded(shown=slice(60)), name="hop")
    monkeypatch.setattr(force_outputs, "fit_forces", lambda model, motion, *_: replace(wrong, name=motion.name))
    fit = forces_of_person(SimpleNamespace(model=MODEL, motions=(short, elsewhere)), loads())  # type: ignore[arg-type]
    assert fit is not None
    assert fit.name == "hop"
    assert fit.left_in_trials_Nm["hop"] < fit.left_in_trials_Nm["other"]
    assert "N m in other" in force_lines(fit)[0]
    assert force_record(fit)["moment_left_in_trials_Nm"] == fit.left_in_trials_Nm


def test_loads_without_a_force_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "outer_forces", lambda _: ())
    with pytest.raises(MissingInputError, match="names no force"):
        outputs.fit_files(tmp_path / "m.osim", [tmp_path / "a.trc"], tmp_path / "out", loads=tmp_path / "loads.xml")
