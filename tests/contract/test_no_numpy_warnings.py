"""Damaged recordings are refused or computed, and NumPy has nothing to say on the terminal about either."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.algebra.arrays import over_seen
from biomech_id.errors import BiomechError
from biomech_id.pipeline.one_trial import cut_and_grade, solve_trial
from biomech_id.request.recipe import Recipe
from biomech_id.session.trial_tables import curves
from biomech_id.trial import ForcePlate, Markers, Trial


@pytest.fixture(scope="module")
def person() -> tuple[Trial, Trial]:
    subject = bid.virtual_subject()
    return subject.static().trial, subject.walk().trial


def lost(markers: Markers, rng: np.random.Generator) -> Markers:
    """A marker gone, a stretch gone, or a share of everything gone."""
    position = markers.position_m.copy()
    n_frames, n_markers = position.shape[:2]
    kind, first = rng.integers(4), rng.integers(n_frames)
    if kind == 0:
        position[:, rng.integers(n_markers)] = np.nan
    elif kind == 1:
        position[first : first + rng.integers(1, n_frames)] = np.nan
    elif kind == 2:
        position[rng.random((n_frames, n_markers)) < rng.random()] = np.nan
    else:
        position[:, rng.random(n_markers) < 0.3] = np.nan
    return markers.with_positions(position)


def dead(plate: ForcePlate, rng: np.random.Generator) -> ForcePlate:
    force, moment = plate.force_lab_N.copy(), plate.moment_lab_Nm.copy()
    first = rng.integers(len(force)) if rng.random() < 0.5 else 0
    force[first:], moment[first:] = np.nan, np.nan
    return replace(plate, force_lab_N=force, moment_lab_Nm=moment)


@pytest.mark.parametrize("seed", range(8))
def test_damage_makes_no_warning(person: tuple[Trial, Trial], seed: int) -> None:
    static, walk = person
    rng = np.random.default_rng(seed)
    hurt = replace(walk, markers=lost(walk.markers, rng), plates=tuple(dead(plate, rng) for plate in walk.plates))
    model = bid.conventional_model(static)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for attempt in (
            lambda: curves(cut_and_grade(solve_trial(hurt, model, model.subject, Recipe()), model, None, {})),
            lambda: bid.conventional_model(replace(static, markers=lost(static.markers, rng))).errors,
        ):
            with suppress(BiomechError):
                attempt()


def test_a_marker_that_a_static_trial_never_shows(person: tuple[Trial, Trial]) -> None:
    """One that no model uses: it was averaged over no frame."""
    static, _ = person
    names = (*static.markers.names, "EXTRA")
    never = np.full((static.n_frames, 1, 3), np.nan)
    markers = Markers(names, np.concatenate([static.markers.position_m, never], axis=1), static.rate_hz)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bid.conventional_model(replace(static, markers=markers)).errors is not None


def test_what_is_seen_nowhere_is_missing_without_a_word() -> None:
    values = np.array([[1.0, np.nan], [3.0, np.nan]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(over_seen(np.nanmedian, values, axis=0), [2.0, np.nan])
        np.testing.assert_array_equal(over_seen(np.nanmean, values, axis=1), [1.0, 3.0])
        assert np.isnan(over_seen(np.nanmean, values[:, 1]))
        assert np.isnan(over_seen(np.nanmean, []))
