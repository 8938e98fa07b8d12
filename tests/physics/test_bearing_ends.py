"""Loads in the first and last frames of a recording that begins or ends within a stance, against those of the whole recording."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.anatomy import JOINTS
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import FootContact
from biomech_id.dynamics.newton_euler import bearing_ends, with_bearing_ends
from biomech_id.models.model import CalibratedModel
from biomech_id.pipeline.prepare import prepare
from biomech_id.request.recipe import Recipe
from biomech_id.sample import SampleTrial, virtual_subject
from biomech_id.session.tables.frame_table import frame_table
from biomech_id.signal.derivatives import END_FRAMES
from biomech_id.trial import Markers, Trial

PERSON = virtual_subject()
MASS_KG = PERSON.true_body.mass_kg
RAW = Recipe().replaced(marker_filter="never")


@cache
def model() -> CalibratedModel:
    static = PERSON.static().trial
    return bid.conventional_model(static, static.subject)


@cache
def walk(rate_hz: float, noise_m: float = 0.0) -> SampleTrial:
    return PERSON.walk(rate_hz=rate_hz, noise_m=noise_m, plates=(), duration_s=3.3)


def true_contacts(sample: SampleTrial, frames: slice) -> dict[str, FootContact]:
    truth = sample.truth
    everywhere = np.ones(sample.trial.n_frames, dtype=bool)[frames]
    force_N, moment_Nm = truth.ground_force_lab_N, truth.ground_moment_lab_Nm
    return {s: FootContact(s, force_N[s][frames], moment_Nm[s][frames], everywhere, to_the_ends=True) for s in SIDES}


def cropped(trial: Trial, frames: slice) -> Trial:
    markers = Markers(trial.markers.names, trial.markers.position_m[frames], trial.rate_hz)
    return replace(trial, markers=markers, events=(), first_frame=trial.first_frame + frames.start)


def errors_Nm_kg(rate_hz: float, noise_m: float, recipe: Recipe) -> dict[str, np.ndarray]:
    """Joint -> (crops, END_FRAMES), from the very end inwards, of legs that stand there; NaN where the leg swings."""
    sample, whole = walk(rate_hz, noise_m), slice(0, walk(rate_hz).trial.n_frames)
    true = bid.solve(model().track(walk(rate_hz).trial), true_contacts(sample, whole))
    found: dict[str, list[np.ndarray]] = {joint: [] for joint in JOINTS}
    for first in np.linspace(8, whole.stop - round(1.3 * rate_hz) - 8, 12).astype(int):
        frames = slice(int(first), int(first) + round(1.3 * rate_hz))
        contacts = true_contacts(sample, frames)
        loads = bid.solve(model().track(prepare(cropped(sample.trial, frames), model(), recipe).trial), contacts)
        for side in SIDES:
            for joint in JOINTS:
                ours, theirs = loads[side, joint].wrench.moment_Nm, true[side, joint].wrench.moment_Nm[frames]
                apart = np.linalg.norm(ours - theirs, axis=1) / MASS_KG
                found[joint] += [apart[:END_FRAMES], apart[::-1][:END_FRAMES]]
    return {joint: np.array(rows) for joint, rows in found.items()}


# Root mean square over crops, N m/kg, of the very last frame and of the one before; a walk's hip moment spans 1.5 N m/kg.
@pytest.mark.parametrize(("rate_hz", "last", "before"), [(60.0, 0.10, 0.012), (100.0, 0.05, 0.006), (200.0, 0.03, 0.004)])
def test_a_bearing_leg_is_solved_to_the_recordings_end(rate_hz: float, last: float, before: float) -> None:
    for joint, apart in errors_Nm_kg(rate_hz, 0.0, RAW).items():
        bearing = apart[np.isfinite(apart).any(axis=1)]
        # Legs that swing there, a third to a half of them, have no loads in these frames.
        assert 0.4 < len(bearing) / len(apart) < 0.9
        rms = np.sqrt(np.nanmean(bearing**2, axis=0))
        share = {"ankle": 0.05, "knee": 0.3, "hip": 1.0}[joint]
        assert rms[0] < share * last
        assert rms[1:].max() < share * before


def test_filtered_markers_cost_more_there() -> None:
    """0.1 mm of noise and a filter of 6 Hz, which itself is at its end: twice what it costs everywhere else (0.10 at the hip)."""
    for joint, apart in errors_Nm_kg(100.0, 1e-4, Recipe().replaced(marker_filter="always", cutoff_hz=6.0)).items():
        assert np.sqrt(np.nanmean(apart**2, axis=0)).max() < {"ankle": 0.015, "knee": 0.06, "hip": 0.25}[joint]


def test_only_what_bears_a_known_force_is_touched() -> None:
    sample = walk(100.0)
    contacts = true_contacts(sample, slice(0, None))
    motion = model().track(sample.trial)
    unknown = {side: replace(contact, known=np.zeros_like(contact.known)) for side, contact in contacts.items()}
    assert with_bearing_ends(motion, unknown) is motion
    unwanted = {side: replace(contact, to_the_ends=False) for side, contact in contacts.items()}
    assert with_bearing_ends(motion, unwanted) is motion
    ends = {side: bearing_ends(contact) for side, contact in contacts.items()}
    assert any(frames.any() for frames in ends.values())
    loads = bid.solve(motion, contacts)
    for side in SIDES:
        inner = np.zeros(motion.n_frames, dtype=bool)
        inner[END_FRAMES:-END_FRAMES] = True
        np.testing.assert_array_equal(loads[side, "hip"].known, inner | ends[side])
    vendor = model().track(sample.trial, kinetics="vicon")
    assert with_bearing_ends(vendor, contacts) is vendor


def test_the_table_marks_them() -> None:
    sample = walk(100.0)
    contacts = true_contacts(sample, slice(0, None))
    motion = model().track(sample.trial)
    table = frame_table(motion, bid.solve(motion, contacts), contacts, mass_kg=MASS_KG)
    for side in SIDES:
        valid, ends = table[f"{side}KineticsValid"], bearing_ends(contacts[side])
        assert set(valid[END_FRAMES:-END_FRAMES]) == {1.0}
        np.testing.assert_array_equal(valid == 0.5, ends)
        np.testing.assert_array_equal(valid > 0.0, np.isfinite(table[f"{side}HipMoment.X"]))
