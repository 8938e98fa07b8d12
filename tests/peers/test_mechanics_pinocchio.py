"""Trees of bodies beside pinocchio: inverse dynamics and mass matrix of random trees, revolute and prismatic, with branches.

Tolerance 1e-10 N m relative to the largest value: both are double precision.
"""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.algebra.rotation import rotation_about
from biomech_id.dynamics.body import Segment
from biomech_id.dynamics.chain import BASE
from biomech_id.multibody.tree import TableBody, Tree

pin = pytest.importorskip("pinocchio")

GRAVITY = np.array([0.4, -0.2, -9.81])
TABLE = ("gamma_rad", "b_m", "alpha_rad", "d_m", "theta_rad", "r_m")


def random_tree(rng: np.random.Generator) -> tuple[Tree, object]:
    """The same tree twice. Pinocchio's joint follows all of the table's constants, since theta and r lie along its own axis."""
    model, bodies = pin.Model(), []
    model.gravity.linear = GRAVITY
    for j in range(int(rng.integers(2, 9))):
        box, turn = rng.uniform(0.01, 0.1, 3), np.linalg.qr(rng.normal(size=(3, 3)))[0]
        tensor = turn @ np.diag([box[1] + box[2], box[0] + box[2], box[0] + box[1]]) @ turn.T
        segment = Segment(f"b{j}", rng.uniform(0.5, 3), rng.normal(0, 0.2, 3), (tensor + tensor.T) / 2)
        gamma, b, alpha, d, theta, r = row = rng.normal(0, 0.7, 6)
        # A branch leaves from the last body's way to the base: pinocchio's mass matrix wants subtrees numbered in one piece.
        way = [BASE, *Tree(bodies).path(j - 1)] if j else [BASE]
        parent, slides = way[int(rng.integers(len(way)))], rng.uniform() < 0.3
        bodies.append(TableBody(segment, parent, "prismatic" if slides else "revolute", **dict(zip(TABLE, row, strict=True))))
        first = pin.SE3(rotation_about(2, np.array(gamma)), np.array([0, 0, b]))
        second = pin.SE3(rotation_about(0, np.array(alpha)), np.zeros(3)) * pin.SE3(np.eye(3), np.array([d, 0, 0]))
        third = pin.SE3(rotation_about(2, np.array(theta)), np.array([0, 0, r]))
        joint = pin.JointModelPZ() if slides else pin.JointModelRZ()
        index = model.addJoint(parent + 1, joint, first * second * third, f"j{j}")
        model.appendBodyToJoint(index, pin.Inertia(segment.mass_kg, np.array(segment.com_m), tensor), pin.SE3.Identity())
    return Tree(bodies), model


@pytest.mark.parametrize("seed", range(60))
def test_random_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree, model = random_tree(rng)
    q, u, a = rng.normal(size=(3, 4, len(tree)))
    tau = tree.inverse(q, u, a, gravity_lab_m_s2=GRAVITY)
    M = tree.equations(q, u)[0]
    data = model.createData()  # type: ignore[attr-defined]
    for f in range(len(q)):
        theirs = np.asarray(pin.rnea(model, data, q[f], u[f], a[f]))
        np.testing.assert_allclose(tau[f], theirs, rtol=0, atol=1e-10 * max(1.0, np.abs(theirs).max()))
        upper = np.triu(np.asarray(pin.crba(model, data, q[f])))
        np.testing.assert_allclose(np.triu(M[f]), upper, rtol=0, atol=1e-12 * np.abs(upper).max())
