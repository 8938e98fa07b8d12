"""Loads are found by a threshold that fits the plate and the person, at the instant the force crosses it."""

import numpy as np
import pytest

from biomech_id.feet.contacts import (
    centre_of_pressure_m,
    contact_threshold_N,
    estimated_mass_kg,
    find_contacts,
    plate_at_rest,
    surface_normal,
)
from biomech_id.trial import ForcePlate, Markers, Subject, Trial

CORNERS = np.array([[0.6, 0.4, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.0], [0.6, 0.0, 0.0]])
RATE_HZ = 1000.0


def _trial(vertical_N, mass_kg=None, moment=None):
    force = np.zeros((len(vertical_N), 3))
    force[:, 2] = vertical_N
    plate = ForcePlate("plate 1", 2, CORNERS, force, np.zeros_like(force) if moment is None else moment, RATE_HZ)
    markers = Markers(("A",), np.zeros((len(vertical_N) // 10, 1, 3)), 100.0)
    return Trial("t", markers, (plate,), subject=Subject(mass_kg=mass_kg), first_frame=51)


def _bump(n=1000, start=300, end=800, height=500.0, ramp=50):
    i = np.arange(n, dtype=float)
    return height * np.clip(np.minimum(i - start, end - i) / ramp, 0.0, 1.0)


def test_times_are_where_a_linear_ramp_crosses_the_threshold():
    (contact,) = find_contacts(_trial(_bump(), mass_kg=50.0))
    threshold = 0.02 * 50.0 * 9.81
    assert contact.threshold_N == pytest.approx(threshold)
    # The ramp climbs 10 N per sample from sample 300, the trial begins at 0.5 s.
    assert contact.start_s == pytest.approx(0.5 + (300 + threshold / 10.0) / RATE_HZ, abs=1e-9)
    assert contact.end_s == pytest.approx(0.5 + (800 - threshold / 10.0) / RATE_HZ, abs=1e-9)
    assert contact.peak_N == pytest.approx(500.0)


def test_threshold_is_the_larger_of_noise_and_weight():
    noisy = _bump() + 3.0 * np.random.default_rng(1).standard_normal(1000)
    rest = plate_at_rest(_trial(noisy).plates[0])
    assert rest.noise_N == pytest.approx(3.0, rel=0.15)
    assert contact_threshold_N(rest, 30.0) == pytest.approx(6.0 * rest.noise_N)
    quiet = plate_at_rest(_trial(_bump()).plates[0])
    assert contact_threshold_N(quiet, 30.0) == pytest.approx(0.02 * 30.0 * 9.81)
    assert contact_threshold_N(quiet, None) > 0.0


def test_a_baseline_left_in_the_plate_moves_the_threshold_with_it():
    (clean,) = find_contacts(_trial(_bump(), mass_kg=50.0))
    (offset,) = find_contacts(_trial(_bump() + 25.0, mass_kg=50.0))
    assert offset.start_s == pytest.approx(clean.start_s, abs=1e-9)
    assert offset.end_s == pytest.approx(clean.end_s, abs=1e-9)


def test_noise_is_measured_beside_the_offset_that_carries_it():
    noisy = _bump() + 15.0 + 3.0 * np.random.default_rng(1).standard_normal(1000)
    rest = plate_at_rest(_trial(noisy).plates[0])
    assert rest.offset_N == pytest.approx(15.0, abs=0.5)
    assert rest.noise_N == pytest.approx(3.0, rel=0.15)


def test_a_threshold_given_by_hand_is_used():
    (contact,) = find_contacts(_trial(_bump(), mass_kg=50.0), threshold_N=20.0)
    assert contact.start_s == pytest.approx(0.5 + 302.0 / RATE_HZ, abs=1e-9)


def test_chatter_is_one_load_and_a_brush_is_none():
    chattering = _bump()
    chattering[500:510] = 0.0
    brushed = _bump(height=15.0)
    assert len(find_contacts(_trial(chattering, mass_kg=50.0))) == 1
    assert find_contacts(_trial(brushed, mass_kg=50.0)) == ()


def test_two_steps_on_one_plate_are_two_loads():
    assert len(find_contacts(_trial(_bump(end=500) + _bump(start=600, end=900), mass_kg=50.0))) == 2


def test_a_load_cut_by_the_trial_has_no_event_there():
    (contact,) = find_contacts(_trial(_bump(start=-100, end=700), mass_kg=50.0))
    assert np.isnan(contact.start_s)
    assert np.isfinite(contact.end_s)


def test_a_plate_that_is_stood_on_all_the_time_never_rests():
    rest = plate_at_rest(_trial(np.full(1000, 500.0)).plates[0])
    assert not rest.seen
    assert rest.offset_N == 0.0


def test_mass_is_estimated_from_the_impulse_only_when_nobody_says_it():
    # A stance of 0.6 of the stride that carries body weight / 1.2 on average: both feet together carry it all.
    weight = 70.0 * 9.81
    trial = _trial(_bump(height=weight / 1.2, ramp=1))
    assert estimated_mass_kg(trial) == pytest.approx(70.0, rel=0.02)


def test_centre_of_pressure_by_hand():
    plate = _trial(_bump()).plates[0]
    point, force = np.array([0.45, 0.1, 0.0]), np.array([[30.0, -20.0, 400.0]])
    free = np.array([0.0, 0.0, 7.0])
    moment = np.cross(point - plate.centre_m, force[0]) + free
    np.testing.assert_allclose(centre_of_pressure_m(plate, force, moment[None]), [point], atol=1e-12)
    assert np.isnan(centre_of_pressure_m(plate, np.zeros((1, 3)), np.zeros((1, 3)))).all()
    np.testing.assert_allclose(surface_normal(plate), [0.0, 0.0, 1.0])


@pytest.mark.parametrize(("samples", "n_contacts"), [(25, 0), (40, 1)])
def test_a_load_shorter_than_chatter_is_no_contact(samples, n_contacts):
    assert len(find_contacts(_trial(_bump(start=300, end=300 + samples, ramp=1), mass_kg=50.0))) == n_contacts
