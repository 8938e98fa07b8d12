"""The virtual subject above the pelvis: trunk, head and arms of rigid bones, their markers, and the whole body's momentum.

The trunk turns about L5, a point of the pelvis; the head about the seventh vertebra, the upper arms about the shoulders, the
forearms about an axis across the elbows; hands do not move in the forearm. Every angle is a sum of sines of the stride. Masses are
those of Dempster 1955 as tabled by Winter 2009 (table 4.1), each where that table has it. Markers lie where the conventional
model's construction takes them: those of the elbow slide over the skin as it bends, all others are fixed to a bone.

Frames are right-handed, x forward, y to the subject's LEFT on both sides, z proximal; of the arms x points backward and y to the
right, as of somebody whose palms look forward. Origins: the trunk a marker's radius behind the one on the sternal notch, the head
the root of the neck, the others their distal joint. Moments are gathered from the rates of momenta (``mechanics``): no recursion
and no acceleration formula is involved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import pi

import numpy as np

from biomech_id.conventions import GRAVITY_LAB_M_S2, SIDE_SIGN, SIDES
from biomech_id.sample.arrays import Array, FloatArray
from biomech_id.sample.body import Inertia, Person, rotation_y, rotation_z
from biomech_id.sample.jets import Jet, constant, matmul, rotate, sin_cos, stack
from biomech_id.sample.mechanics import JointWrench, Momentum, angular_velocity_of, momentum_of, segment_momentum, segment_poses
from biomech_id.sample.motion import Gait, Posture
from biomech_id.sample.path import left_of
from biomech_id.sample.pelvis import cardan_yxz
from biomech_id.sample.truth import TrueUpperBody
from biomech_id.values import dataclass, field

Part = tuple[str, str]
MASS_SHARE: Mapping[str, float] = {
    "pelvis": 0.142, "thorax": 0.355, "head": 0.081, "humerus": 0.028, "radius": 0.016, "hand": 0.006,
}  # fmt: skip
#: Centre of mass from the distal end, and radius of gyration about it, as shares of length; of the hand, twice that to its middle.
ARM_COM: Mapping[str, float] = {"humerus": 0.564, "radius": 0.57, "hand": 0.6205}
ARM_RADIUS: Mapping[str, float] = {"humerus": 0.322, "radius": 0.303, "hand": 0.297}
TRUNK_RADIUS, HEAD_RADIUS, TRUNK_COM_SHARE = 0.31, 0.495, 0.37
#: L5 and the pelvis' centre of mass above the middle of the hips, over their distance.
L5_SHARE, PELVIS_COM_SHARE = 0.925, 0.895 * 0.925
#: How far the markers of the head are tipped: what a static trial has to find.
HEAD_TIP_RAD = 0.12
#: Angles of a comfortable walk, rad: mean, and swing over the stride or half of it.
#: The trunk's: orders of harmonics, mean, and (cos, sin) of each. They keep the trunk from riding along with every surge and sway
#: of the pelvis, so that the floor's centre of pressure stays near the feet where it has to balance the whole body.
TRUNK_TILT: tuple[tuple[int, ...], float, tuple[float, ...]] = ((2, 4, 6), -0.05, (-0.149, 0.004, -0.019, -0.023, -0.0035, 0.0046))
TRUNK_LEAN: tuple[tuple[int, ...], float, tuple[float, ...]] = ((1, 3), 0.0, (0.025, -0.011, 0.006, -0.001))
TRUNK_TURN: tuple[tuple[int, ...], float, tuple[float, ...]] = ((1,), 0.0, (0.041, -0.044))
HEAD_NOD = 0.02
ARM_FLEXION, ARM_SWING, ARM_ABDUCTION, ELBOW_FLEXION, ELBOW_SWING = -0.05, 0.35, 0.10, 0.60, 0.15
#: Forearm turned so that the thumb looks forward.
PRONATION_RAD = 1.2
#: Joint -> segments distal and proximal to it, as loads run: arms to the trunk, and from the feet up to the head.
CHAIN: Mapping[str, tuple[str, str]] = {
    "wrist": ("hand", "radius"), "elbow": ("radius", "humerus"), "shoulder": ("humerus", "thorax"),
    "waist": ("pelvis", "thorax"), "neck": ("thorax", "head"),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class UpperPerson:
    """Constants above the pelvis, metres, each scaled with stature.

    Attributes
    ----------
    person : Person
        Constants of pelvis and legs.
    shoulder_offset_m : float
        From the acromion's marker base to the shoulder centre.
    elbow_width_m : float
        Across the elbow's axis.
    wrist_width_m : float
        Across the wrist, from side to side.
    hand_thickness_m : float
        Of the hand, back to palm.
    """

    person: Person
    shoulder_offset_m: float
    elbow_width_m: float
    wrist_width_m: float
    hand_thickness_m: float

    @property
    def lengths_m(self) -> Mapping[str, float]:
        """Upper arm, forearm, and wrist to the hand's middle."""
        h = self.person.height_m
        return {"humerus": 0.172 * h, "radius": 0.150 * h, "hand": 0.045 * h}

    @property
    def trunk_markers_m(self) -> dict[str, FloatArray]:
        """Marker -> place in trunk axes from its origin."""
        h, r = self.person.height_m, self.person.marker_radius_m
        front, back, apart, raised = r, -0.075 * h, 0.105 * h, 0.030 * h
        return {
            "CLAV": np.array([front, 0.0, 0.0]), "STRN": np.array([front, 0.0, -apart]),
            "C7": np.array([back, 0.0, raised]), "T10": np.array([back, 0.0, raised - apart]),
        }  # fmt: skip

    @property
    def neck_m(self) -> FloatArray:
        """Root of the neck in trunk axes: the marker on the seventh vertebra."""
        return self.trunk_markers_m["C7"]

    @property
    def l5_thorax_m(self) -> FloatArray:
        """L5 in trunk axes."""
        h = self.person.height_m
        return np.array([-0.055 * h, 0.0, -0.235 * h])

    def shoulder_m(self, side: str) -> FloatArray:
        """Shoulder centre.

        Parameters
        ----------
        side : str
            Whose shoulder, "L" or "R".

        Returns
        -------
        FloatArray
            (3,), trunk axes from the trunk's origin, m.
        """
        h = self.person.height_m
        return np.array([-0.030 * h, SIDE_SIGN[side] * 0.105 * h, 0.004 * h])

    @property
    def hips_m(self) -> FloatArray:
        """Middle of the hips in pelvis axes."""
        return self.person.middle_of_hips_m

    @property
    def hip_width_m(self) -> float:
        """Distance between the hip centres."""
        hips = self.person.hip_in_pelvis_m
        return float(np.linalg.norm(hips["L"] - hips["R"]))

    @property
    def head_markers_m(self) -> dict[str, FloatArray]:
        """Marker -> place in head axes from the root of the neck; all four tipped by `HEAD_TIP_RAD`."""
        h, tip = self.person.height_m, rotation_y(HEAD_TIP_RAD)
        middle = np.array([0.035 * h, 0.0, 0.095 * h])
        flat = {
            f"{s}{end}HD": np.array([x * h, SIDE_SIGN[s] * 0.040 * h, 0.0]) for s in SIDES for end, x in (("F", 0.05), ("B", -0.05))
        }
        return {name: middle + tip @ place for name, place in flat.items()}

    @property
    def head_com_m(self) -> FloatArray:
        """Centre of mass of the head in its axes from the root of the neck."""
        markers = self.head_markers_m
        front = (markers["LFHD"] + markers["RFHD"]) / 2
        length = 2 * (float(np.linalg.norm(markers["LFHD"] - markers["RFHD"])) - 2 * self.person.marker_radius_m)
        return front + length * np.array([-0.32, 0.0, -0.30])

    def inertia(self, name: str) -> Inertia:
        """Mass, centre of mass and tensor of a segment above the legs.

        Parameters
        ----------
        name : str
            "pelvis", "thorax", "head", "humerus", "radius" or "hand".

        Returns
        -------
        Inertia
            Centre from the segment's origin, tensor about it, segment axes.
        """
        mass, rod = MASS_SHARE[name] * self.person.mass_kg, np.diag([1.0, 1.0, 0.0])
        if name == "pelvis":
            com = self.hips_m + np.array([0.0, 0.0, PELVIS_COM_SHARE * self.hip_width_m])
            return Inertia(mass, com, mass * (TRUNK_RADIUS * L5_SHARE * self.hip_width_m) ** 2 * np.eye(3))
        if name == "thorax":
            com = TRUNK_COM_SHARE * self.neck_m + (1 - TRUNK_COM_SHARE) * self.l5_thorax_m
            return Inertia(mass, com, mass * (TRUNK_RADIUS * float(np.linalg.norm(self.neck_m - self.l5_thorax_m))) ** 2 * rod)
        if name == "head":
            com = self.head_com_m
            return Inertia(mass, com, mass * (HEAD_RADIUS * float(np.linalg.norm(com))) ** 2 * np.eye(3))
        length = self.lengths_m[name] * (2.0 if name == "hand" else 1.0)
        # The hand's origin is as far below its middle as that is below the wrist.
        return Inertia(mass, np.array([0.0, 0.0, ARM_COM[name] * length]), mass * (ARM_RADIUS[name] * length) ** 2 * rod)


def upper_person(person: Person) -> UpperPerson:
    """What an examiner measures above the pelvis of a person.

    Parameters
    ----------
    person : Person
        Constants of pelvis and legs.

    Returns
    -------
    UpperPerson
        Rounded to millimetres, as written in a file.
    """
    h = person.height_m
    return UpperPerson(person, round(0.024 * h, 3), round(0.040 * h, 3), round(0.032 * h, 3), round(0.014 * h, 3))


@dataclass(frozen=True, eq=False)
class UpperPose:
    """Everything above the legs at some instants.

    Attributes
    ----------
    poses : Mapping[Part, tuple[Jet, Jet]]
        (side, segment) -> (n, 3, 3) axes and (n, 3) origin, laboratory.
    joints_m : Mapping[Part, Jet]
        (side, joint) -> (n, 3), laboratory axes.
    """

    poses: Mapping[Part, tuple[Jet, Jet]]
    joints_m: Mapping[Part, Jet] = field(default_factory=dict)


def stride_of(gait: Gait | None) -> float | None:
    """Time of a walk's stride, which begins with the left foot's strike.

    Parameters
    ----------
    gait : Gait | None
        The way of moving.

    Returns
    -------
    float | None
        Seconds; None for who stands.
    """
    return None if gait is None else gait.plan.cycle_s


def upper_pose(upper: UpperPerson, pose: Posture, time: Jet, cycle_s: float | None) -> UpperPose:
    """Pose of pelvis, trunk, head and arms.

    Parameters
    ----------
    upper : UpperPerson
        Constants of the person.
    pose : Posture
        Of pelvis and legs at the same instants.
    time : Jet
        Times at which to evaluate, seconds.
    cycle_s : float | None
        Time of a stride; None stands still.

    Returns
    -------
    UpperPose
        Axes, origins and joint centres, laboratory.
    """
    still = constant(0.0, time)
    sine, cosine = (still, still) if cycle_s is None else sin_cos(time * (2 * pi / cycle_s))
    twice = still if cycle_s is None else cosine * cosine - sine * sine
    ahead = pose.pelvis.heading
    R_way = stack([ahead, left_of(ahead), constant(np.array([0.0, 0.0, 1.0]), time)])
    tilt, lean, turn = (
        (still if cycle_s is None else _waves(time, cycle_s, *each)) for each in (TRUNK_TILT, TRUNK_LEAN, TRUNK_TURN)
    )
    R_thorax = matmul(R_way, cardan_yxz(tilt, lean, turn))
    R_head = matmul(R_way, cardan_yxz(twice * HEAD_NOD, still, still))
    R_pelvis, pelvis = pose.pelvis.R_lab_pelvis, pose.pelvis.origin_m
    waist = pelvis + rotate(R_pelvis, upper.hips_m + np.array([0.0, 0.0, L5_SHARE * upper.hip_width_m]))
    thorax = waist - rotate(R_thorax, upper.l5_thorax_m)
    neck = thorax + rotate(R_thorax, upper.neck_m)
    poses: dict[Part, tuple[Jet, Jet]] = {
        ("", "pelvis"): (R_pelvis, pelvis), ("", "thorax"): (R_thorax, thorax), ("", "head"): (R_head, neck),
    }  # fmt: skip
    joints: dict[Part, Jet] = {("", "waist"): waist, ("", "neck"): neck}
    for side in SIDES:
        shoulder = thorax + rotate(R_thorax, upper.shoulder_m(side))
        # The left arm swings forward with the right foot's strike, half a stride after its own.
        phase = -cosine if side == "L" else cosine
        arms = _arm(upper, side, R_thorax, shoulder, phase)
        poses |= arms.poses
        joints |= arms.joints_m
    return UpperPose(poses, joints)


def _waves(time: Jet, cycle_s: float, orders: tuple[int, ...], mean: float, shares: tuple[float, ...]) -> Jet:
    """A mean and harmonics of the stride: cosine and sine of each order."""
    waves = (wave for k in orders for wave in sin_cos(time * (2 * pi * k / cycle_s))[::-1])
    return sum((wave * share for wave, share in zip(waves, shares, strict=True)), constant(mean, time))


def _arm(upper: UpperPerson, side: str, R_thorax: Jet, shoulder: Jet, phase: Jet) -> UpperPose:
    """Flexion swings with ``phase``, the elbow bends more in front."""
    s, lengths = SIDE_SIGN[side], upper.lengths_m
    flexion, bend = phase * ARM_SWING + ARM_FLEXION, phase * ELBOW_SWING + ELBOW_FLEXION
    still = constant(0.0, phase)
    hanging = constant(rotation_z(pi), phase)
    R_humerus = matmul(matmul(R_thorax, cardan_yxz(-flexion, constant(s * ARM_ABDUCTION, phase), still)), hanging)
    R_radius = matmul(R_humerus, cardan_yxz(bend, still, still))
    R_hand = matmul(R_radius, constant(rotation_z(-s * PRONATION_RAD), phase))
    elbow = shoulder - R_humerus[..., 2] * lengths["humerus"]
    wrist = elbow - R_radius[..., 2] * lengths["radius"]
    tip = wrist - R_hand[..., 2] * (2 * lengths["hand"])
    poses = {(side, "humerus"): (R_humerus, elbow), (side, "radius"): (R_radius, wrist), (side, "hand"): (R_hand, tip)}
    return UpperPose(poses, {(side, "shoulder"): shoulder, (side, "elbow"): elbow, (side, "wrist"): wrist})


def upper_marker_paths(upper: UpperPerson, pose: UpperPose) -> dict[str, Array]:
    """Paths of the markers above the pelvis.

    Parameters
    ----------
    upper : UpperPerson
        Constants of the person.
    pose : UpperPose
        Of the same instants.

    Returns
    -------
    dict[str, Array]
        Marker -> (n, 3), laboratory axes, m.
    """
    paths: dict[str, Array] = {}
    for name, markers in (("thorax", upper.trunk_markers_m), ("head", upper.head_markers_m)):
        R, origin = (part.value for part in pose.poses["", name])
        paths |= {label: origin + (R * place).sum(axis=-1) for label, place in markers.items()}
    for side in SIDES:
        paths |= _arm_markers(upper, pose, side)
    return paths


def _arm_markers(upper: UpperPerson, pose: UpperPose, side: str) -> Iterator[tuple[str, Array]]:
    s, r = SIDE_SIGN[side], upper.person.marker_radius_m
    R_thorax = pose.poses["", "thorax"][0].value
    shoulder, elbow, wrist = (pose.joints_m[side, joint].value for joint in ("shoulder", "elbow", "wrist"))
    yield side + "SHO", shoulder + (R_thorax * _above_shoulder(upper.shoulder_m(side), upper.shoulder_offset_m + r)).sum(axis=-1)
    R_hand = pose.poses[side, "hand"][0].value
    # The wrist's markers lie along the hand's y axis, its centre palmwards of their middle, square to the forearm seen from there.
    q, z = s * R_hand[..., 1], R_hand[..., 2]
    half = upper.wrist_width_m / 2 + r
    sine = s * half / upper.lengths_m["radius"]
    normal = np.sqrt(1 - sine**2) * np.cross(q, z) + sine * z
    middle = wrist + s * half * normal
    apart = 0.018 * upper.person.height_m
    yield side + "WRA", middle - apart * q
    yield side + "WRB", middle + apart * q
    centre = wrist - upper.lengths_m["hand"] * z
    yield side + "FIN", centre + s * (upper.hand_thickness_m / 2 + r) * np.cross(q, z)
    yield side + "ELB", elbow + _elbow_marker(shoulder - elbow, middle - elbow, pose.poses[side, "humerus"][0].value, s, upper)


def _above_shoulder(shoulder_m: FloatArray, offset_m: float) -> FloatArray:
    """Where the acromion's marker lies from the shoulder's centre (3,), trunk axes.

    Square to the line a from the trunk's origin, in the plane of both and of the normal on the marker's line and on x, which wants
    x . n = offset (x . a) / a^2 of its direction n.
    """
    size = float(np.linalg.norm(shoulder_m))
    along = shoulder_m / size
    square = np.array([1.0, 0.0, 0.0]) - along[0] * along
    first = square / np.linalg.norm(square)
    second = np.cross(along, first)
    cosine = offset_m * shoulder_m[0] / (size**2 * float(np.linalg.norm(square)))
    place: FloatArray = offset_m * (cosine * first + np.sqrt(1 - cosine**2) * second * np.sign(second[2]))
    return place


def _elbow_marker(upward: Array, forearm: Array, R_humerus: Array, s: float, upper: UpperPerson) -> Array:
    """Where the marker lies from the elbow's centre: square to the upper arm, at half the elbow's width, on the model's plane.

    With U from elbow to shoulder and V to the middle of the wrist's markers that plane wants e . V = d^2 (1 - U . V / U^2).
    """
    d = upper.elbow_width_m / 2 + upper.person.marker_radius_m
    length_2 = (upward**2).sum(axis=-1)
    want = d**2 * (1 - (upward * forearm).sum(axis=-1) / length_2)
    x, y = R_humerus[..., 0], R_humerus[..., 1]
    vx, vy = (forearm * x).sum(axis=-1), (forearm * y).sum(axis=-1)
    size_2 = vx**2 + vy**2
    along, aside = want / (d * size_2), np.sqrt(size_2 - (want / d) ** 2) / size_2
    # Of the two places the lateral one: y points to the right on both sides.
    turn = s * np.sign(vx)
    ex, ey = along * vx + turn * aside * vy, along * vy - turn * aside * vx
    marker: Array = d * (ex[:, None] * x + ey[:, None] * y)
    return marker


def momenta(upper: UpperPerson, pose: Posture, above: UpperPose) -> dict[Part, Momentum]:
    """Momentum of every segment of the body.

    Parameters
    ----------
    upper : UpperPerson
        Constants of the person.
    pose : Posture
        Pose of pelvis and legs.
    above : UpperPose
        The rest, at the same instants.

    Returns
    -------
    dict[Part, Momentum]
        (side, segment) -> momentum about the laboratory's origin.
    """
    momentum_of_part = {part: momentum_of(upper.inertia(part[1]), R, origin) for part, (R, origin) in above.poses.items()}
    for side in SIDES:
        for name, (R, origin) in segment_poses(pose, side).items():
            momentum_of_part[side, name] = segment_momentum(upper.person, side, name, R, origin)
    return momentum_of_part


def needed_wrench(parts: Mapping[Part, Momentum]) -> tuple[Array, Array]:
    """Force and moment from outside that the momenta's rates ask for.

    Parameters
    ----------
    parts : Mapping[Part, Momentum]
        (side, segment) -> momentum, of the whole body.

    Returns
    -------
    tuple[Array, Array]
        Force (n, 3), N, and moment (n, 3), N m, about the laboratory's origin.
    """
    return _needed(parts, parts)


def _needed(parts: Mapping[Part, Momentum], chosen: Mapping[Part, Momentum] | tuple[Part, ...]) -> tuple[Array, Array]:
    gravity = np.array(GRAVITY_LAB_M_S2)
    force: Array = np.zeros(3)
    moment: Array = np.zeros(3)
    for each in chosen:
        part = parts[each]
        weight = part.mass_kg * gravity
        force = force + part.linear.derivative(1) - weight
        moment = moment + part.angular.derivative(1) - np.cross(part.centre_m.value, weight)
    return force, moment


def true_upper_body(
    upper: UpperPerson, pose: Posture, above: UpperPose, ground: Mapping[str, tuple[Array, Array]]
) -> TrueUpperBody:
    """Everything known above the legs, and of the body as a whole.

    Parameters
    ----------
    upper : UpperPerson
        Constants of the person.
    pose : Posture
        Pose of pelvis and legs.
    above : UpperPose
        The rest, at the same instants.
    ground : Mapping[str, tuple[Array, Array]]
        Side -> the floor's force on that foot and its moment about the laboratory's origin, (n, 3) each.

    Returns
    -------
    TrueUpperBody
        Exact values at every instant of the poses.
    """
    parts = momenta(upper, pose, above)
    wrenches: dict[Part, JointWrench] = {}
    for side in SIDES:
        beyond: tuple[Part, ...] = ()
        for joint in ("wrist", "elbow", "shoulder"):
            beyond = (*beyond, (side, CHAIN[joint][0]))
            wrenches[side, joint] = _about(_needed(parts, beyond), above.joints_m[side, joint].value)
    floor_N, floor_Nm = (np.asarray(sum(each[i] for each in ground.values())) for i in (0, 1))
    below: tuple[Part, ...] = (("", "pelvis"), *((side, name) for side in SIDES for name in ("thigh", "shank", "foot")))
    arms = tuple((side, name) for side in SIDES for name in ("humerus", "radius", "hand"))
    for joint, carried in (("waist", below), ("neck", (*below, ("", "thorax"), *arms))):
        force, moment = _needed(parts, carried)
        wrenches["", joint] = _about((force - floor_N, moment - floor_Nm), above.joints_m["", joint].value)
    mass = sum(part.mass_kg for part in parts.values())
    com = np.asarray(sum(part.mass_kg / mass * part.centre_m.value for part in parts.values()))
    linear = np.asarray(sum(part.linear.value for part in parts.values()))
    angular = np.asarray(sum(part.angular.value for part in parts.values()))
    force, moment = needed_wrench(parts)
    inertia = {part: upper.inertia(part[1]) for part in above.poses}
    return TrueUpperBody(
        joint_centres_lab_m={key: point.value for key, point in above.joints_m.items()},
        R_lab_seg={key: R.value for key, (R, _) in above.poses.items()},
        omega_lab_rad_s={key: angular_velocity_of(R).value for key, (R, _) in above.poses.items()},
        joint_force_lab_N={key: wrench.force_N for key, wrench in wrenches.items()},
        joint_moment_lab_Nm={key: wrench.moment_Nm for key, wrench in wrenches.items()},
        segment_mass_kg={key: each.mass_kg for key, each in inertia.items()},
        segment_inertia_kgm2={key: each.tensor_kgm2 for key, each in inertia.items()},
        head_offset_rad=-HEAD_TIP_RAD,
        com_lab_m=com,
        momentum_lab_kg_m_s=linear,
        angular_momentum_lab_kgm2_s=angular - np.cross(com, linear),
        residual_force_lab_N=floor_N - force,
        residual_moment_lab_Nm=floor_Nm - moment - np.cross(com, floor_N - force),
    )


def _about(wrench: tuple[Array, Array], point: Array) -> JointWrench:
    force, moment = wrench
    return JointWrench(force, moment - np.cross(point, force))
