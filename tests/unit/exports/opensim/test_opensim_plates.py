"""The plates' own tables: what each plate pushed while somebody stood on it, at the video rate and at its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biomech_id.exports.opensim.folder import write_opensim
from biomech_id.exports.opensim.joints import R_ground_lab
from biomech_id.pipeline.analyse import analyse_job
from biomech_id.readers.opensim.storage import StorageTable, even_rate_hz, read_storage
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe
from biomech_id.session.solved import Solved

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def handed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Solved]:
    folder = tmp_path_factory.mktemp("plates")
    quick = Recipe().replaced(report=False, budget=False)
    session = analyse_job(Job((ROOT / "data",), recipe=quick, exclude=("walk0[13]*", "turn*")))
    write_opensim(session, folder, analog=True)
    return folder, session.movements[0]


def wrench(table: StorageTable, label: str) -> tuple[np.ndarray, np.ndarray]:
    """Force, and moment about the ground's origin, of one foot or plate."""
    F, p, T = (table.vector(stem) for stem in (f"ground_force_{label}_v", f"ground_force_{label}_p", f"ground_torque_{label}_"))
    return F, T + np.cross(p, F)


@pytest.mark.parametrize(("plate", "foot"), [("1", "l"), ("2", "r")])
def test_a_plate_pushes_as_the_foot_on_it_is_pushed(handed: tuple[Path, Solved], plate: str, foot: str) -> None:
    folder, _ = handed
    F, M = wrench(read_storage(folder / "walk02_plates.mot"), plate)
    F_foot, M_foot = wrench(read_storage(folder / "walk02_grf.mot"), foot)
    # where a load begins and ends, feet and plates are cut at thresholds of their own, a few newtons
    firm = F[:, 1] > 50.0
    assert firm.sum() > 50
    np.testing.assert_allclose(F[firm], F_foot[firm], rtol=0, atol=1e-6)  # N
    np.testing.assert_allclose(M[firm], M_foot[firm], rtol=0, atol=1e-6)  # N m
    assert (F[F_foot[:, 1] == 0.0, 1] < 50.0).all()


def test_the_plates_at_their_own_rate_are_the_recording_while_loaded_and_zero_otherwise(handed: tuple[Path, Solved]) -> None:
    folder, trial = handed
    table = read_storage(folder / "walk02_plates_analog.mot")
    assert even_rate_hz(table.time_s, "analog") == trial.plates[0].rate_hz == 1000.0
    assert table.time_s[0] == pytest.approx((trial.motion.first_frame - 1) / trial.motion.rate_hz, abs=1e-12)
    for number, plate in enumerate(trial.plates, start=1):
        written = table.vector(f"ground_force_{number}_v")
        recorded = plate.force_lab_N @ R_ground_lab(trial.motion).T
        loaded = plate.force_lab_N[:, 2] > 30.0
        quiet = plate.force_lab_N[:, 2] < 1.0
        assert loaded.sum() > 400
        assert quiet.sum() > 400
        np.testing.assert_array_equal(written[loaded], recorded[loaded])
        np.testing.assert_array_equal(written[quiet], 0.0)
