"""The native engine beside OpenSim 4.6 itself, on the states, files and models that its own tools wrote."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from biomech_id.osim.document.model import read_osim
from biomech_id.osim.dynamics.inverse_dynamics import generalized_forces
from biomech_id.osim.skeleton.skeleton import Skeleton
from biomech_id.readers.opensim.storage import read_storage

#: Case -> model that its motions were made with.
CASES = {"gait2392": "scaled.osim", "gait10dof18musc": "subject01.osim", "arm26": "arm26.osim", "rajagopal_walk": "scaled.osim"}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, shared_dir: Path) -> Path:
    folder: Path = shared_dir / "opensim_refs" / str(request.param)
    return folder


@cache
def skeleton_of(case: Path) -> Skeleton:
    return Skeleton(read_osim(case / CASES[case.name]))


def test_markers_and_centres_of_mass_in_exact_states(case: Path) -> None:
    skeleton, states = skeleton_of(case), read_storage(case / "exact_q.sto")
    assert states.columns == skeleton.coordinates
    pose = skeleton.pose(states.values)
    markers = read_storage(case / "exact_markers.sto")
    names = [column.removesuffix("_x") for column in markers.columns[::3]]
    ours = pose.points(*skeleton.marker_places(names)).reshape(len(markers.values), -1)
    assert np.abs(ours - markers.values).max() < 1e-12
    centres = read_storage(case / "exact_body_com.sto")
    bodies = [skeleton.model.body(column.removesuffix("_x")) for column in centres.columns[::3]]
    ours = pose.points([skeleton.body_index(body.name) for body in bodies], np.array([body.com_m for body in bodies]))
    assert np.abs(ours.reshape(len(centres.values), -1) - centres.values).max() < 1e-12


def test_how_coordinates_move_markers_is_the_derivative_of_where_they_are(case: Path) -> None:
    skeleton = skeleton_of(case)
    q = read_storage(case / "exact_q.sto").values[:3].astype(np.complex128)
    body, place = skeleton.marker_places()
    pose = skeleton.pose(q.real)
    J = pose.point_jacobian(body, pose.points(body, place))
    for column in range(q.shape[1]):
        moved = q.copy()
        moved[:, column] += 1e-20j
        derivative = skeleton.pose(moved).points(body, place).imag / 1e-20
        np.testing.assert_allclose(J[..., column], derivative, atol=1e-14)


def test_generalised_forces_in_exact_states(case: Path) -> None:
    skeleton = skeleton_of(case)
    q, u, udot, tau = (read_storage(case / f"exact_{name}.sto").values for name in ("q", "u", "udot", "tau_noloads"))
    ours = generalized_forces(skeleton, q, u, udot, compat=True).tau
    assert np.abs(ours - tau).max() < 1e-9
    # Only the Rajagopal knee has joints in which OpenSim's velocity terms are not those of its positions.
    slip = np.abs(generalized_forces(skeleton, q, u, udot).tau - tau).max()
    assert (slip > 1.0) == (case.name == "rajagopal_walk")
    assert slip < 2.0
