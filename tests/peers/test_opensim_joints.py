"""Every kind of joint, with random offsets, functions and inertias: markers and generalised forces beside OpenSim's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biomech_id.algebra.arrays import FloatArray
from biomech_id.osim.document.model import read_osim
from biomech_id.osim.dynamics.inverse_dynamics import generalized_forces
from biomech_id.osim.skeleton.skeleton import Skeleton
from tests.peers.chain_documents import chain_document

osim: Any = pytest.importorskip("opensim", reason="needs the opensim wheel: pip install 'biomech-id[peers]'")
osim.Logger.setLevelString("error")


def of_opensim(path: Path, q: FloatArray, u: FloatArray, udot: FloatArray) -> tuple[FloatArray, FloatArray, list[str]]:
    """Markers, generalised forces and names of the coordinates, of one state of a chain."""
    model = osim.Model(str(path))
    state = model.initSystem()
    coordinates = [model.getCoordinateSet().get(i) for i in range(model.getNumCoordinates())]
    for coordinate, value, speed in zip(coordinates, q, u, strict=True):
        coordinate.setValue(state, float(value), False)
        coordinate.setSpeedValue(state, float(speed))
    model.realizeVelocity(state)
    # The tree of a chain has its joints in their order.
    tau = osim.InverseDynamicsSolver(model).solve(state, osim.Vector(udot.tolist()))
    places = [model.getMarkerSet().get(i).getLocationInGround(state) for i in range(model.getMarkerSet().getSize())]
    markers = np.array([[place.get(i) for i in range(3)] for place in places])
    return markers, np.array([tau.get(i) for i in range(len(q))]), [coordinate.getName() for coordinate in coordinates]


CHAINS = [
    ["Custom", "Pin", "Slider"], ["Custom", "Custom"], ["Universal", "Gimbal", "Custom"], ["Planar", "Weld", "Pin"],
    ["Ball", "Pin"], ["Free", "Ball"], ["Ellipsoid", "Pin"], ["Pin", "Ellipsoid", "Slider"], ["Weld", "Free", "Custom"],
    ["Slider", "Planar", "Universal"],
]  # fmt: skip


@pytest.mark.parametrize("kinds", CHAINS, ids="-".join)
@pytest.mark.parametrize("seed", range(3))
def test_a_chain_of_any_joints_is_opensims(kinds: list[str], seed: int, tmp_path: Path) -> None:
    path = tmp_path / "chain.osim"
    path.write_text(chain_document(kinds, seed), encoding="utf-8")
    skeleton = Skeleton(read_osim(path))
    q, u, udot = np.random.default_rng(seed).uniform(-0.8, 0.8, (3, 1, len(skeleton.coordinates)))
    markers, tau, names = of_opensim(path, q[0], u[0], udot[0])
    assert names == list(skeleton.coordinates)
    np.testing.assert_allclose(skeleton.markers(q)[0], markers, atol=1e-12)
    found = generalized_forces(skeleton, q, u, udot, compat=True).tau[0]
    np.testing.assert_allclose(found, tau, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_joints_that_lead_towards_the_ground_are_opensims(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "chain.osim"
    away = "<socket_parent_frame>{}</socket_parent_frame><socket_child_frame>{}</socket_child_frame>"
    text = chain_document(["Pin", "Gimbal", "Slider", "Weld", "Universal"], seed).replace(
        away.format("F", "M"), away.format("M", "F")
    )
    path.write_text(text, encoding="utf-8")
    skeleton = Skeleton(read_osim(path))
    q, u, udot = np.random.default_rng(seed).uniform(-0.8, 0.8, (3, 1, len(skeleton.coordinates)))
    markers, tau, names = of_opensim(path, q[0], u[0], udot[0])
    assert names == list(skeleton.coordinates)
    np.testing.assert_allclose(skeleton.markers(q)[0], markers, atol=1e-12)
    np.testing.assert_allclose(generalized_forces(skeleton, q, u, udot, compat=True).tau[0], tau, atol=1e-9)


@pytest.mark.parametrize("reverse", ["true", "false"])
def test_a_joint_in_reverse_of_an_old_document_is_opensims(reverse: str, tmp_path: Path) -> None:
    inertia = "".join(
        f"<inertia_{axes}>{1 if axes[0] == axes[1] else 0}</inertia_{axes}>" for axes in ("xx", "yy", "zz", "xy", "xz", "yz")
    )
    joint = (
        "<parent_body>ground</parent_body><location_in_parent>0.1 0.2 0.3</location_in_parent><orientation_in_parent>0.1 0.2 0.3"
        f"</orientation_in_parent><location>0 0.1 0</location><orientation>0 0 0.2</orientation><reverse>{reverse}</reverse>"
        '<CoordinateSet><objects><Coordinate name="q"><range>-9 9</range></Coordinate></objects></CoordinateSet>'
    )
    body = f'<mass>1</mass><mass_center>0.1 0 0</mass_center>{inertia}<Joint><PinJoint name="j">{joint}</PinJoint></Joint>'
    path = tmp_path / "old.osim"
    path.write_text(
        '<OpenSimDocument Version="30000"><Model name="m"><BodySet><objects><Body name="ground"><mass>0</mass></Body>'
        f'<Body name="b">{body}</Body></objects></BodySet><MarkerSet><objects><Marker name="m"><body>b</body>'
        "<location>0.1 0.2 0.3</location></Marker></objects></MarkerSet></Model></OpenSimDocument>",
        encoding="utf-8",
    )
    skeleton, (q, u, udot) = Skeleton(read_osim(path)), np.array([[[0.4]], [[0.7]], [[-0.2]]])
    markers, tau, _ = of_opensim(path, q[0], u[0], udot[0])
    np.testing.assert_allclose(skeleton.markers(q)[0], markers, atol=1e-12)
    np.testing.assert_allclose(generalized_forces(skeleton, q, u, udot).tau[0], tau, atol=1e-9)
