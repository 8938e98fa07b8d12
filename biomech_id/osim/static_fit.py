"""A generic model scaled to a subject who stands: joint centres of the static trial, the model's bones stretched to them.

The recording's marker set need not be the model's. The six-degrees-of-freedom model finds the joint centres and the segments' axes
of the static trial; thighs and shanks of the generic model take their lengths from there, the pelvis the distance of the hip
centres, the feet that of heel and toe markers, everything above the pelvis the mean of the legs. In the pose that fits joint
centres and axes best, the recording's markers are attached to the model's bodies, as OpenSim's scale tool does in its static pose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import Part
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion
from biomech_id.models.six_dof.axes import SIX_DOF_AXES
from biomech_id.movement.movement import CalibratedModel
from biomech_id.multibody.musculoskeletal import ModelMarker, MusculoskeletalModel
from biomech_id.osim.kinematics.inverse_kinematics import TrackingTasks, track_markers
from biomech_id.osim.scaling import scaled_model
from biomech_id.osim.skeletal_model import R_LAB_SURROUNDINGS, bodies_of_segments, joint_body
from biomech_id.osim.skeleton.tree import Tree
from biomech_id.trial import Trial

#: How far from a joint the points lie that stand for a segment's axes in the static pose, m.
ARM_M = 0.1
#: A joint centre counts this much more there than the end of an axis.
CENTRE_WEIGHT = 10.0
#: What draws a coordinate to its default in the static pose, where nothing else tells it (the trunk's, the toes'); m^2/rad^2.
PULL = 1e-5
#: Words in the name of a body that carries the trunk's markers.
TRUNK_WORDS = ("torso", "thorax", "trunk")
#: What these markers lie on.
TRUNK_ROLES = frozenset({"clavicle", "sternum", "c7", "t10", "shoulder"})


def scaled_to_static(
    osim: MusculoskeletalModel, reference: CalibratedModel, static: Trial, mass_kg: float | None
) -> tuple[MusculoskeletalModel, dict[str, float]]:
    """Scale a generic model to a static trial and attach the recording's markers to it.

    Parameters
    ----------
    osim : MusculoskeletalModel
        The generic model, with bodies of pelvis, legs and feet.
    reference : CalibratedModel
        The six-degrees-of-freedom model of the same subject.
    static : Trial
        The trial in which the subject stands, under that model's labels.
    mass_kg : float | None
        Of the subject; None leaves the model's.

    Returns
    -------
    tuple[MusculoskeletalModel, dict[str, float]]
        The model with the subject's bones, mass and markers, and the factor of each body by its name.
    """
    standing = reference.track(static)
    bodies = bodies_of_segments(osim)
    factors = _factors(osim, bodies, standing, static)
    scaled = replace(scaled_model(osim, factors, mass_kg=mass_kg), markers=())
    q = _standing_pose(scaled, bodies, standing)
    places = _mean_places(static)
    tree = Tree(scaled)
    at = tree.posture(q[None], rows=False).place[0]
    markers: dict[str, ModelMarker] = {}
    for name, body in _carriers(osim, bodies, reference, static).items():
        k = tree.skeleton.body_index(body)
        if name in places:
            markers[name] = ModelMarker(name, body, tuple(at[k, :3, :3].T @ (places[name] - at[k, :3, 3])))
    return replace(scaled, markers=tuple(markers.values())), factors


def _carriers(
    osim: MusculoskeletalModel, bodies: Mapping[Part, tuple[str, ...]], reference: CalibratedModel, static: Trial
) -> dict[str, str]:
    """Marker -> the body that it is attached to: clusters of pelvis and legs, and what lies on the trunk."""
    clusters = {name: bodies[part][0] for part, names in reference.marker_groups.items() if part in bodies for name in names}
    trunk = next((body.name for body in osim.bodies if any(word in body.name.lower() for word in TRUNK_WORDS)), None)
    on_trunk = [label for (_, role), label in static.markers.roles.items() if role in TRUNK_ROLES and trunk is not None]
    return {**{label: str(trunk) for label in on_trunk}, **clusters}


def _mean_places(static: Trial) -> dict[str, FloatArray]:
    """Marker -> its mean place (3,) in the axes of the model's surroundings, m; those that are never seen are left out."""
    markers = static.markers
    seen = [name for name in markers.names if markers.present(name)]
    return {name: np.nanmean(markers[name], axis=0) @ R_LAB_SURROUNDINGS for name in seen}


def _centres(standing: BodyMotion) -> dict[Part, FloatArray]:
    return {part: np.nanmean(path, axis=0) @ R_LAB_SURROUNDINGS for part, path in standing.joint_centres_lab_m.items()}


def _factors(
    osim: MusculoskeletalModel, bodies: Mapping[Part, tuple[str, ...]], standing: BodyMotion, static: Trial
) -> dict[str, float]:
    """Body -> by how much it grows, the same along all of its axes."""
    tree, centre = Tree(osim), _centres(standing)
    place = tree.default_place[:, :3, 3]
    own = {part: place[joint_body(tree, bodies[part], part[1])] for part in bodies}

    def ratio(a: Part, b: Part, first: Part, second: Part) -> float:
        return float(np.linalg.norm(centre[a] - centre[b]) / np.linalg.norm(own[first] - own[second]))

    of: dict[Part, float] = {("", "pelvis"): ratio(("L", "hip"), ("R", "hip"), ("L", "thigh"), ("R", "thigh"))}
    for side in SIDES:
        of[side, "thigh"] = ratio((side, "hip"), (side, "knee"), (side, "thigh"), (side, "shank"))
        of[side, "shank"] = ratio((side, "knee"), (side, "ankle"), (side, "shank"), (side, "foot"))
        of[side, "foot"] = _foot_ratio(tree, bodies[side, "foot"], place, static, side) or of[side, "shank"]
    above = float(np.mean([of[side, segment] for side in SIDES for segment in ("thigh", "shank")]))
    by_body = {name: of[part] for part, names in bodies.items() for name in names}
    return {body.name: by_body.get(body.name, above) for body in osim.bodies}


def _foot_ratio(tree: Tree, names: tuple[str, ...], place: FloatArray, static: Trial, side: str) -> float | None:
    """Heel to toe marker over the model's heel to the root of its toes; None without either."""
    toes = next((name for name in names if "toes" in name.lower()), None)
    roles, seen = static.markers.roles, _mean_places(static)
    heel, toe = (seen.get(roles.get((side, role), "")) for role in ("heel", "toe"))
    if toes is None or heel is None or toe is None:
        return None
    at = [place[tree.skeleton.body_index(name)] for name in (names[0], toes)]
    return float(np.linalg.norm(toe - heel) / np.linalg.norm(at[1] - at[0]))


def _standing_pose(scaled: MusculoskeletalModel, bodies: Mapping[Part, tuple[str, ...]], standing: BodyMotion) -> FloatArray:
    """Coordinates (nq,) in which the model's joint centres and axes lie nearest the subject's."""
    centre, axes = _centres(standing), standing.axes or SIX_DOF_AXES
    tree = Tree(scaled)
    place = tree.default_place
    joint = {part: place[joint_body(tree, bodies[part], part[1]), :3, 3] for part in bodies}
    joint["", "pelvis"] = (joint["L", "thigh"] + joint["R", "thigh"]) / 2
    above = {"thigh": "hip", "shank": "knee", "foot": "ankle"}
    wanted: dict[str, FloatArray] = {}
    weights: dict[str, float] = {}
    points = []
    for part, names in bodies.items():
        k = tree.skeleton.body_index(names[0])
        local = place[k, :3, :3].T @ (joint[part] - place[k, :3, 3])
        at = centre[part[0], above[part[1]]] if part[0] else (centre["L", "hip"] + centre["R", "hip"]) / 2
        R_ground_isb = R_LAB_SURROUNDINGS.T @ _mean_turn(standing.motions[part].frames.R_lab_seg @ axes.R_seg_isb[part[1]])
        for n, axis in enumerate(np.vstack([np.zeros(3), ARM_M * np.eye(3)])):
            name = f"{part[0]} {part[1]} {n}"
            points.append(ModelMarker(name, names[0], local + axis))
            wanted[name], weights[name] = at + R_ground_isb @ axis, CENTRE_WEIGHT if n == 0 else 1.0
    pulls = {coordinate.name: PULL for coordinate in scaled.coordinates if coordinate.motion == "rotational"}
    pose = track_markers(
        replace(scaled, markers=tuple(points)), tuple(wanted), np.stack(list(wanted.values()))[None], TrackingTasks(weights, pulls)
    )
    return np.asarray(pose.q[0])


def _mean_turn(R: FloatArray) -> FloatArray:
    """The rotation nearest to the mean of (n, 3, 3) rotations."""
    u, _, vt = np.linalg.svd(np.nanmean(R, axis=0))
    turn = u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))]) @ vt
    return np.asarray(turn)
