"""What is odd about a model's masses, tensors, lengths and gravity: what no person has, by the numbers of the document alone.

Radii of gyration, sqrt(I/m), lengths and distances of mass centres say whether units fit each other. In the thirteen models of the
examples, bodies of more than a hundredth of the mass have radii up to 0.28 m, and of 0.26 to 0.47 of the distance between their
joints; mass centres and joints are up to 0.46 m from their body's origin, and a limb's mass centre lies at 0.41 to 0.86 of the way
to what hangs on it. Left and right differ by 0.004 m and not in mass, no mass centre is nearer to its joint than 0.07 m, and about
the line from there a body has at most 0.76 of its mean moment of inertia.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.errors import some_of
from biomech_id.multibody.functions import PiecewisePolynomial, ScaledFunction
from biomech_id.multibody.musculoskeletal import SURROUNDINGS, ModelBody, ModelJoint
from biomech_id.osim.skeleton.skeleton import Skeleton

#: Weight on earth with Y up, m/s2, and by how much it differs from place to place and by rounding.
ON_EARTH_M_S2, GRAVITY_OFF = (0.0, -9.80665, 0.0), 0.1
#: The heaviest people, kg.
MOST_KG = 300.0
#: Lighter bodies, as a share of the whole, may have the tensors that models give to patellae and toes to be done with them.
OF_WHOLE = 0.01
#: Half of what a rod has that ends at its joints, and what a standing person has about the middle, m.
LEAST_OF_SPAN, MOST_GYRATION_M = 0.13, 0.55
#: Functions of a joint's angle are known within it, rad.
WHOLE_TURN = 2.0 * np.pi
#: A body with joints this far apart has the shape of a limb, m.
LIMB_M = 0.15
#: No mass centre and no joint is farther from the origin of its body, m.
MOST_LENGTH_M = 1.0
#: Mass centres lie this far along a limb.
ALONG_LIMB = (-0.1, 1.1)
#: Rounding of tensors, as a share.
ROUNDED = 1e-3
#: Left and right bodies differ by less, in mass as a share and in radii of gyration and distances of mass centre and joints, m.
UNLIKE_SHARE, UNLIKE_M = 0.25, 0.035
#: A mass centre so near to its joint is one that nobody wrote, and one so far off says which way the body is long, m.
AT_JOINT_M, ALONG_M = 0.005, 0.1
#: About that line a body has less of its mean moment of inertia.
MOST_ALONG = 1.1


def model_remarks(skeleton: Skeleton, file: str) -> Iterator[str]:
    """Describe masses, tensors, lengths and a gravity that no person on earth has.

    Parameters
    ----------
    skeleton : Skeleton
        Of a person, or a part of one; the bodies hang on each other as in its default pose.
    file : str
        Name of the model's document, for the sentences.

    Yields
    ------
    Iterator[str]
        A sentence for gravity, one for the mass, one for all bodies that have the same oddity.
    """
    model = skeleton.model
    gravity_m_s2 = np.asarray(model.gravity_m_s2, dtype=float)
    if np.abs(gravity_m_s2 - ON_EARTH_M_S2).max() > GRAVITY_OFF:
        numbers = ", ".join(f"{value:.6g}" for value in gravity_m_s2.tolist())
        yield f"The gravity of {file} is ({numbers}) m/s2; with Y up it is (0, -9.80665, 0) on earth."
    if model.mass_kg > MOST_KG:
        yield f"The bodies of {file} weigh {model.mass_kg:.4g} kg: compare the unit of its masses."
    odd: dict[str, list[str]] = {}
    shapes: dict[str, tuple[float, FloatArray]] = {}
    hung = {joint.child.body: joint for joint in model.joints}
    pose = skeleton.pose(skeleton.default_q()[None])
    for number, body in enumerate(model.bodies, start=1):
        # By name, so that left and right have one order.
        children = sorted(joint.child.body for joint in model.joints if joint.parent.body == body.name)
        hanging = [number, *map(skeleton.body_index, children)]
        places = (pose.origin_m[0, hanging] - pose.origin_m[0, number]) @ pose.R_ground_body[0, number]
        joint, counts = hung[body.name], body.mass_kg > OF_WHOLE * model.mass_kg
        for oddity in (*_oddities(body, places, counts), *(_at_joint(body, joint) if counts else ())):
            odd.setdefault(oddity, []).append(body.name)
        radii_m = np.sqrt(np.maximum(np.linalg.eigvalsh(np.asarray(body.inertia_kgm2)), 0.0) / max(body.mass_kg, ROUNDED))
        shapes[body.name] = body.mass_kg, np.array([*radii_m, *np.linalg.norm(places - body.com_m, axis=1)])
    if unlike := list(_unlike(shapes, OF_WHOLE * model.mass_kg)):
        odd["masses, inertias or lengths that its other side does not have"] = unlike
    turning = {each.name for each in model.coordinates if each.motion == "rotational"}
    for joint in model.joints:
        of_angles = [each.function for each in (*joint.rotations, *joint.translations) if each.coordinate in turning]
        functions = [each.inner if isinstance(each, ScaledFunction) else each for each in of_angles]
        if any(isinstance(each, PiecewisePolynomial) and np.abs(each.breaks).max() > WHOLE_TURN for each in functions):
            odd.setdefault("functions of angles beyond a whole turn, as degrees would have", []).append(joint.name)
    for oddity, names in odd.items():
        yield f"{file} has {oddity}: {some_of(names, 3)}. Compare units and signs."


def _unlike(shapes: Mapping[str, tuple[float, FloatArray]], least_kg: float) -> Iterator[str]:
    """Pairs of left and right whose masses, or radii of gyration and distances from mass centre to joints, differ much."""
    for name, (mass_kg, lengths_m) in shapes.items():
        other = re.sub(r"(^|_)r(_|$)", r"\1l\2", name)
        other_kg, other_m = shapes.get(other, (mass_kg, lengths_m))
        if max(mass_kg, other_kg) > least_kg and len(lengths_m) == len(other_m):
            heavier = abs(mass_kg - other_kg) > UNLIKE_SHARE * min(mass_kg, other_kg)
            if heavier or np.abs(lengths_m - other_m).max() > UNLIKE_M:
                yield f"{name}, {other}"


def _at_joint(body: ModelBody, joint: ModelJoint) -> Iterator[str]:
    """What is odd about a body's mass centre and tensor, seen from the joint that it hangs in."""
    from_joint_m, inertia_kgm2 = np.subtract(body.com_m, joint.child.place_m), np.asarray(body.inertia_kgm2)
    far_m = float(np.linalg.norm(from_joint_m))
    if far_m < AT_JOINT_M and joint.parent.body != SURROUNDINGS:
        yield "a mass centre at its joint"
    about = from_joint_m @ inertia_kgm2 @ from_joint_m
    if far_m > ALONG_M and about > MOST_ALONG * far_m**2 * np.trace(inertia_kgm2) / 3.0:
        yield "inertia that is large about the line from joint to mass centre"


def _oddities(body: ModelBody, joints: FloatArray, counts: bool) -> Iterator[str]:
    """What is odd about a body on which others hang at these places (k, 3) in it, its own origin the first."""
    moments = np.linalg.eigvalsh(np.asarray(body.inertia_kgm2))
    centre_m = np.linalg.norm(body.com_m)
    if counts and centre_m > ALONG_M and len(joints) > 1 and np.linalg.norm(joints, axis=1).max() < AT_JOINT_M:
        yield "no length, though its mass centre is off its joints"
    span = np.linalg.norm(np.ptp(joints, axis=0))
    if max(np.abs(joints).max(), np.abs(body.com_m).max()) > MOST_LENGTH_M:
        yield "mass centres or joints more than a metre from their body's origin"
    if body.mass_kg == 0.0 and moments[2] > 0.0:
        yield "inertia without mass"
    if not counts:
        return
    if moments[2] > (1.0 + ROUNDED) * (moments[0] + moments[1]):
        yield "inertia that no body has, one moment negative or larger than the two others together"
    radius_m = np.sqrt(max(moments[2], 0.0) / body.mass_kg)
    if radius_m > MOST_GYRATION_M or (span > LIMB_M and radius_m < LEAST_OF_SPAN * span):
        yield "mass and inertia that do not fit each other or the length of their body"
    limb = joints[1:].sum(axis=0) / max(1, len(joints) - 1)
    apart = np.linalg.norm(joints[1:] - limb, axis=1).max(initial=0.0)
    if (
        np.linalg.norm(limb) > max(LIMB_M, 2.0 * apart)
        and not ALONG_LIMB[0] <= np.dot(body.com_m, limb) / np.dot(limb, limb) <= ALONG_LIMB[1]
    ):
        yield "a mass centre beyond the joints of its body"
