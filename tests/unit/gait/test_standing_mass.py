"""Weight from quiet standing: only where somebody stands still, long enough, with both feet on plates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomech_id.gait.standing_mass import standing_mass_kg
from biomech_id.sample import virtual_subject
from biomech_id.trial import ForcePlate, Markers, Trial


@pytest.fixture(scope="module")
def standing() -> Trial:
    return virtual_subject().static().trial


def loaded(trial: Trial, factor: np.ndarray) -> Trial:
    """The trial with every plate's force scaled sample by sample, (n_samples,)."""
    return replace(trial, plates=tuple(replace(p, force_lab_N=p.force_lab_N * factor[:, None]) for p in trial.plates))


def samples(trial: Trial) -> int:
    return len(trial.plates[0].force_lab_N)


def cut(trial: Trial, frames: int) -> Trial:
    """The first frames only."""
    ratio = samples(trial) // trial.n_frames

    def short(plate: ForcePlate) -> ForcePlate:
        end = frames * ratio
        return replace(plate, force_lab_N=plate.force_lab_N[:end], moment_lab_Nm=plate.moment_lab_Nm[:end])

    markers = Markers(trial.markers.names, trial.markers.position_m[:frames], trial.rate_hz)
    return Trial("short", markers, tuple(map(short, trial.plates)), first_frame=trial.first_frame)


def test_the_plates_weigh_who_stands_on_them(standing: Trial) -> None:
    # The virtual subject weighs 72 kg and stands still.
    assert standing_mass_kg(standing) == pytest.approx(72.0, abs=1e-6)


def test_half_the_load_is_half_the_mass(standing: Trial) -> None:
    assert standing_mass_kg(loaded(standing, np.full(samples(standing), 0.5))) == pytest.approx(36.0, abs=1e-6)


def test_a_load_that_rocks_is_nobody_standing_still(standing: Trial) -> None:
    rocking = 1.0 + 0.2 * np.sin(np.linspace(0.0, 20.0, samples(standing)))
    assert standing_mass_kg(loaded(standing, rocking)) is None


def test_a_quarter_of_a_second_is_enough_and_less_is_not(standing: Trial) -> None:
    assert standing.rate_hz == 100.0
    assert standing_mass_kg(cut(standing, 25)) == pytest.approx(72.0, abs=1e-6)
    assert standing_mass_kg(cut(standing, 24)) is None


def test_feet_beside_the_plates_weigh_nothing(standing: Trial) -> None:
    """The same forces from plates half a metre further on: whoever loads them, it is not this subject's two feet."""
    moved = replace(standing, plates=tuple(replace(p, corners_m=p.corners_m + [0.5, 0.0, 0.0]) for p in standing.plates))
    assert standing_mass_kg(moved) is None


def test_without_plates_or_without_load_there_is_no_mass(standing: Trial) -> None:
    assert standing_mass_kg(replace(standing, plates=())) is None
    assert standing_mass_kg(loaded(standing, np.zeros(samples(standing)))) is None
