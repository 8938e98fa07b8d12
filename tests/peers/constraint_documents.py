"""Documents of a chain whose bodies constraints tie to each other, kept in one pose: asked by tests of constraints, and no peer."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

from biomech_id.algebra.arrays import FloatArray
from biomech_id.multibody.musculoskeletal import MusculoskeletalModel
from biomech_id.osim.document.model import model_in
from biomech_id.osim.skeleton.closing import Closing
from biomech_id.osim.skeleton.skeleton import Skeleton
from tests.peers.chain_documents import chain_document, numbers

CHAIN = ["Gimbal", "Custom", "Universal", "Pin", "Universal"]
#: Coordinates of the chain, and its last body.
COUNT, LAST = 11, "b4"
#: A point of the last body, of the first one, and a direction in that.
TIP, ROOT, ALONG = np.array([0.1, 0.2, -0.15]), np.array([0.3, 0.1, 0.2]), np.array([0.3, -0.5, 0.8])
KINDS = ("point", "line", "distance", "weld", "polynomial", "linear")
COUPLED, BY = "q3_0", ("q0_1", "q2_0")
#: Coordinates without a drive, so that all that a tie carries is determined.
UNDRIVEN = {
    "point": ("q2_0", "q2_1", "q3_0"),
    "line": ("q2_1", "q3_0"),
    "distance": ("q3_0",),
    "weld": ("q1_0", "q1_1", "q1_2", "q2_0", "q2_1", "q3_0"),
}
ID_SETUP = """<OpenSimDocument Version="40500"><InverseDynamicsTool name="id"><results_directory>.</results_directory>
<model_file>model.osim</model_file><time_range>0 1</time_range><forces_to_exclude>Muscles</forces_to_exclude>
<coordinates_file>motion.sto</coordinates_file><output_gen_force_file>id.sto</output_gen_force_file></InverseDynamicsTool>
</OpenSimDocument>"""


def words(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


def model_of(text: str) -> MusculoskeletalModel:
    return model_in(ElementTree.fromstring(text), "chain.osim")


def chain_with_markers(seed: int) -> str:
    rng = np.random.default_rng(seed + 100)
    markers = "".join(
        f'<Marker name="n{body}{k}"><socket_parent_frame>/bodyset/b{body}</socket_parent_frame><location>{numbers(rng, 3, 0.3)}'
        "</location></Marker>"
        for body in range(len(CHAIN))
        for k in range(3)
    )
    return chain_document(CHAIN, seed).replace("</objects></MarkerSet>", f"{markers}</objects></MarkerSet>")


def tied_pose(seed: int) -> FloatArray:
    """The pose in which every constraint of the chain holds (nq,)."""
    return np.random.default_rng(seed + 5).uniform(-0.5, 0.5, COUNT)


def constraint_block(kind: str, seed: int, *, more: str = "") -> str:
    """A constraint of this kind between the last body and the first, or among three coordinates."""
    skeleton, q = Skeleton(model_of(chain_document(CHAIN, seed))), tied_pose(seed)
    pose = skeleton.pose(q[None])
    (R_root, R_tip), (origin, end) = (values[0, [1, len(CHAIN)]] for values in (pose.R_ground_body, pose.origin_m))
    at = R_root.T @ (end + R_tip @ TIP - origin)
    both = f"<socket_body_1>/bodyset/{LAST}</socket_body_1><socket_body_2>/bodyset/b0</socket_body_2>"
    if kind == "point":
        places = f"<location_body_1>{words(TIP)}</location_body_1><location_body_2>{words(at)}</location_body_2>"
        return f'<PointConstraint name="tie">{more}{both}{places}</PointConstraint>'
    if kind == "line":
        return (
            f'<PointOnLineConstraint name="tie">{more}<socket_line_body>/bodyset/b0</socket_line_body><socket_follower_body>'
            f"/bodyset/{LAST}</socket_follower_body><line_direction_vec>{words(ALONG)}</line_direction_vec><point_on_line>"
            f"{words(at + 0.2 * ALONG)}</point_on_line><point_on_follower>{words(TIP)}</point_on_follower></PointOnLineConstraint>"
        )
    if kind == "distance":
        places = f"<location_body_1>{words(TIP)}</location_body_1><location_body_2>{words(ROOT)}</location_body_2>"
        length = f"<constant_distance>{words([np.linalg.norm(at - ROOT)])}</constant_distance>"
        return f'<ConstantDistanceConstraint name="tie">{more}{both}{places}{length}</ConstantDistanceConstraint>'
    if kind == "weld":
        angles = np.array([0.3, -0.2, 0.4])
        R = R_root.T @ R_tip @ Rotation.from_euler("XYZ", angles).as_matrix()
        ends = (("one", LAST, TIP, angles), ("two", "b0", at, Rotation.from_matrix(R).as_euler("XYZ")))
        frames = "".join(
            f'<PhysicalOffsetFrame name="{name}"><socket_parent>/bodyset/{body}</socket_parent><translation>{words(place)}'
            f"</translation><orientation>{words(turn)}</orientation></PhysicalOffsetFrame>"
            for name, body, place, turn in ends
        )
        sockets = "<socket_frame1>one</socket_frame1><socket_frame2>two</socket_frame2>"
        return f'<WeldConstraint name="tie">{more}{sockets}<frames>{frames}</frames></WeldConstraint>'
    x, y = q[[skeleton.model.index(name) for name in BY]]
    rest = q[skeleton.model.index(COUPLED)] / 0.8 - 0.5 * x - 0.7 * y
    linear = f"<LinearFunction><coefficients>0.5 0.7 {words([rest])}</coefficients></LinearFunction>"
    polynomial = (
        f"<MultivariatePolynomialFunction><coefficients>{words([rest - 0.3 * x * y - 0.2 * x**2])} 0.7 0 0.5 0.3 0.2</coefficients>"
        "<dimension>2</dimension><order>2</order></MultivariatePolynomialFunction>"
    )
    return (
        f'<CoordinateCouplerConstraint name="tie">{more}<coupled_coordinates_function>'
        f"{linear if kind == 'linear' else polynomial}</coupled_coordinates_function><independent_coordinate_names>{' '.join(BY)}"
        f"</independent_coordinate_names><dependent_coordinate_name>{COUPLED}</dependent_coordinate_name><scale_factor>0.8"
        "</scale_factor></CoordinateCouplerConstraint>"
    )


def tied_document(kind: str, seed: int = 3, *, more: str = "") -> str:
    """A chain with a constraint, and three markers on each body beside its own."""
    block = f"<ConstraintSet><objects>{constraint_block(kind, seed, more=more)}</objects></ConstraintSet>"
    return chain_with_markers(seed).replace("</Model>", f"{block}</Model>")


def tied_motion(model: MusculoskeletalModel, time_s: FloatArray, seed: int = 3) -> FloatArray:
    """Coordinates (N, nq) that keep the constraints, about the pose in which they hold."""
    rng, n = np.random.default_rng(seed), len(model.coordinates)
    swing = np.sin(2 * np.pi * time_s[:, None] * rng.uniform(0.5, 1.5, n) + rng.uniform(0, 6, n))
    limits = np.full(n, np.inf)
    q, closed = Closing(Skeleton(model), range(n)).closed(tied_pose(seed) + 0.1 * swing, -limits, limits)
    assert closed.all()
    return q


def write_motion(path: Path, names: tuple[str, ...], time_s: FloatArray, q: FloatArray) -> None:
    rows = "\n".join("\t".join(map(repr, row)) for row in np.column_stack([time_s, q]).tolist())
    head = f"motion\nversion=1\nnRows={len(q)}\nnColumns={len(names) + 1}\ninDegrees=no\nendheader\n"
    path.write_text(head + "\t".join(("time", *names)) + f"\n{rows}\n", encoding="utf-8")
