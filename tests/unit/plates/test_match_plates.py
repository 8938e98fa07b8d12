"""Plates for the joint loads get the markers' bandwidth, where markers were smoothed and plates hold what these have lost."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.errors import OptionError
from biomech_id.gait.assignment import assign_plates
from biomech_id.request.recipe import Recipe, recipe_toml
from biomech_id.signal.filters import lowpass, spline_lowpass
from biomech_id.signal.resample import local_quadratic
from biomech_id.trial import Trial

CAMERAS_HZ = 6.5


@cache
def model() -> Any:
    return bid.conventional_model(bid.virtual_subject().static().trial)


@cache
def walk(smoothed: bool = True, impact: bool = True) -> Trial:
    """A walk as a laboratory stores it: markers shake as people's do (accelerations fall as f^-0.8 from 10 m/s^2 a square root of a
    sample), the cameras smooth them, and the plates hold an impact of three hundredths of a second."""
    trial = bid.virtual_subject().walk().trial
    frequency_hz = np.maximum(np.fft.rfftfreq(trial.n_frames, 1.0 / trial.rate_hz), 3.0)
    rough = np.fft.rfft(np.random.default_rng(7).normal(size=trial.markers.position_m.shape), axis=0)
    fall = 10.0 * (4.0 / frequency_hz) ** 0.8 / (2 * np.pi * frequency_hz) ** 2
    shaken_m = np.fft.irfft(rough * fall[:, None, None], n=trial.n_frames, axis=0)
    position_m = trial.markers.position_m + shaken_m
    if smoothed:
        position_m = spline_lowpass(position_m, trial.rate_hz, CAMERAS_HZ)
    plates = []
    for plate in trial.plates:
        begins = int(np.argmax(plate.force_lab_N[:, 2] > 20.0))
        bump = np.zeros_like(plate.force_lab_N)
        bump[begins : begins + 30, 2] = 300.0 * np.hanning(30) * impact
        plates.append(replace(plate, force_lab_N=plate.force_lab_N + bump))
    return replace(trial, markers=trial.markers.with_positions(position_m), plates=tuple(plates))


def prepared(trial: Trial, **settings: Any) -> tuple[Trial, dict[str, Any]]:
    found = bid.prepare(trial, model(), **settings).trial
    (said,) = (finding for finding in found.findings if finding.rule == "plate-bandwidth")
    assert said.message
    assert "{" not in said.message
    return found, dict(said.values)


def test_smooth_markers_and_an_impact_give_matched_plates() -> None:
    trial, said = prepared(walk())
    assert said["done"] == "matched"
    half_hz = said["half_amplitude_hz"]
    assert half_hz == pytest.approx(CAMERAS_HZ, rel=0.12)
    assert said["held_percent"] > 20.0
    assert trial.wrench_plates is not None
    for recorded, filtered in zip(trial.plates, trial.wrench_plates, strict=True):
        np.testing.assert_array_equal(filtered.force_lab_N, spline_lowpass(recorded.force_lab_N, recorded.rate_hz, half_hz))
        np.testing.assert_array_equal(filtered.moment_lab_Nm, spline_lowpass(recorded.moment_lab_Nm, recorded.rate_hz, half_hz))
        np.testing.assert_array_equal(filtered.centre_m, recorded.centre_m)
        assert "like the markers" in str(filtered.history[-1])
    np.testing.assert_array_equal(trial.plates[0].force_lab_N, walk().plates[0].force_lab_N)


@pytest.mark.parametrize(("trial", "settings", "done", "why"), [
    (bid.virtual_subject().walk().trial, {}, "recorded", "nothing"),
    (walk(), {"plate_cutoff_hz": "raw"}, "recorded", "asked"),
    (walk(), {"kinetics": "vicon"}, "recorded", "vendor"),
    (bid.virtual_subject(duration_s=0.9).walk().trial, {}, "recorded", "unmeasured"),
], ids=["no impact", "raw", "vicon", "too short"])  # fmt: skip
def test_plates_are_left_alone_and_it_is_said_why(trial: Trial, settings: Any, done: str, why: str) -> None:
    found, said = prepared(trial, **settings)
    assert (said["done"], said["why"]) == (done, why)
    assert found.wrench_plates == found.plates


def test_unsmoothed_markers_leave_the_plates_alone() -> None:
    found, said = prepared(walk(smoothed=False), marker_filter="never")
    assert (said["done"], said["why"]) == ("recorded", "unsmoothed")
    assert found.wrench_plates == found.plates


def test_markers_smoothed_here_take_the_plates_with_them_as_before() -> None:
    for setting in ("auto", "raw"):
        trial, said = prepared(walk(), marker_filter="always", plate_cutoff_hz=setting)
        assert said["done"] == "markers"
        assert trial.wrench_plates is not None
        plate, filtered = trial.plates[0], trial.wrench_plates[0]
        np.testing.assert_array_equal(filtered.force_lab_N, lowpass(plate.force_lab_N, plate.rate_hz, 8.0))
        assert filtered.spread_s == 0.0


def test_a_number_is_the_cut_off_of_the_recipes_filter() -> None:
    for settings in ({}, {"kinetics": "vicon"}, {"marker_filter": "always"}):
        trial, said = prepared(walk(), plate_cutoff_hz=20.0, **settings)
        assert (said["done"], said["cutoff_hz"]) == ("fixed", 20.0)
        assert trial.wrench_plates is not None
        plate, filtered = trial.plates[0], trial.wrench_plates[0]
        np.testing.assert_array_equal(filtered.force_lab_N, lowpass(plate.force_lab_N, plate.rate_hz, 20.0))


@pytest.mark.parametrize("wrong", ["never", 0, -5.0, float("nan"), True])
def test_other_settings_are_refused(wrong: Any) -> None:
    with pytest.raises(OptionError, match="plate_cutoff_hz"):
        Recipe(plate_cutoff_hz=wrong)


def test_the_default_recipe_explains_it() -> None:
    assert 'plate_cutoff_hz = "auto"' in recipe_toml()


def test_events_and_verdicts_come_from_the_plates_as_recorded() -> None:
    matched, raw = prepared(walk())[0], prepared(walk(), plate_cutoff_hz="raw")[0]
    motion = model().track(matched)
    ours, before = assign_plates(matched, motion), assign_plates(raw, motion)
    assert list(map(str, ours.stances)) == list(map(str, before.stances))
    for side, contact in before.contacts.items():
        np.testing.assert_array_equal(ours.recorded[side].force_lab_N, contact.force_lab_N)
        np.testing.assert_array_equal(ours.recorded[side].moment_lab_Nm, contact.moment_lab_Nm)
        np.testing.assert_array_equal(ours.contacts[side].known, contact.known)
        assert np.abs(ours.contacts[side].force_lab_N - contact.force_lab_N).max() > 100.0


def test_a_filtered_load_keeps_what_lies_before_its_strike_and_after_its_off() -> None:
    """Cut at the strike, the step that the filter took away would be back."""
    trial, said = prepared(walk())
    motion = model().track(trial)
    assert trial.wrench_plates is not None
    for side, contact in assign_plates(trial, motion).contacts.items():
        lit = np.flatnonzero(np.abs(contact.force_lab_N).max(axis=1) > 0.0)
        (plate,) = (
            each for each in trial.wrench_plates
            if np.allclose(local_quadratic(each.force_lab_N, trial.n_frames, 10)[lit], contact.force_lab_N[lit])
        )  # fmt: skip
        whole = local_quadratic(plate.force_lab_N, trial.n_frames, 10)
        assert np.abs(whole - contact.force_lab_N).max() < 0.01 * whole.max(), side
        struck = int(np.argmax(contact.force_lab_N[:, 2] > 50.0))
        assert contact.force_lab_N[:struck, 2].min() < -1.0, "the edge swings below zero"
        assert struck - lit[0] >= round(1.0 / said["half_amplitude_hz"] * trial.rate_hz)


def test_two_loads_on_one_plate_share_it_half_way() -> None:
    """A plate that carries a foot twice hands each load its own half of what the filter spread between them."""
    trial = prepared(walk())[0]
    plate = trial.plates[0]
    later = np.roll(plate.force_lab_N, round(1.0 * plate.rate_hz), axis=0)
    twice = replace(plate, force_lab_N=plate.force_lab_N + later, spread_s=0.4)
    carries = local_quadratic(twice.force_lab_N, trial.n_frames, 10)[:, 2] > 30.0
    alone = replace(trial, plates=(replace(twice, spread_s=0.0),), wrench_plates=(twice,))
    from biomech_id.feet.contacts import find_contacts
    from biomech_id.feet.feet_on_plates import load_at_video_rate
    from biomech_id.gait.assignment import VideoPlates, ground_wrench

    loads = [load_at_video_rate(alone, contact) for contact in find_contacts(alone)]
    assert len(loads) == 2
    forces = [ground_wrench(VideoPlates(alone, [twice], "textbook"), [load], others=loads)[0] for load in loads]
    both = (np.abs(forces[0]).max(axis=1) > 0) & (np.abs(forces[1]).max(axis=1) > 0)
    assert not both.any()
    np.testing.assert_allclose((forces[0] + forces[1])[carries], local_quadratic(twice.force_lab_N, trial.n_frames, 10)[carries])
