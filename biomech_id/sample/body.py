"""The virtual subject's body: bones, markers and masses, all rigid and all known.

Lengths scale with stature (proportions after Drillis and Contini 1966, as tabled by Winter 2009, fig. 4.1; foot and marker
positions are those of an ordinary placement). The base body obeys the conventional gait model's own constraints, so that the
model can find it exactly: the hip centre is where the regression puts it (Davis et al. 1991), knee and ankle markers lie on
the joint axes at half the joint's width plus the marker's radius, and the wands lie in the frontal plane of their segment.

Frames, all right-handed, x anterior, y to the subject's LEFT on both sides, z proximal: the pelvis at the middle of the two
anterior superior iliac spines, the thigh at the knee centre, the shank at the ankle centre, and the *sole* frame of the foot on
the floor below the ankle centre of a foot that stands flat (z up, x along the foot). Lateral is s y with s = +1 left, -1 right.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import atan2, cos, sin

import numpy as np

from biomech_id.conventions import SIDE_SIGN, SIDES
from biomech_id.sample.arrays import FloatArray
from biomech_id.values import dataclass

#: Regression of the hip centre, Davis et al. 1991 (Hum Mov Sci 10, 575): angles in radians, lengths in metres.
HIP_THETA_RAD, HIP_BETA_RAD = 0.5, 0.314
HIP_C_PER_LEG_LENGTH, HIP_C_OFFSET_M = 0.115, -0.0153
ASIS_TROCHANTER_PER_LEG_LENGTH, ASIS_TROCHANTER_OFFSET_M = 0.1288, -0.04856

#: Mass as a share of the body's; centre of mass from the proximal end and radius of gyration about it as shares of length
#: (Dempster 1955 in Winter 2009, table 4.1). The long axis carries no inertia in the conventional model.
SEGMENT_MASS_SHARE: Mapping[str, float] = {"foot": 0.0145, "shank": 0.0465, "thigh": 0.100}
COM_SHARE: Mapping[str, float] = {"foot": 0.5, "shank": 0.433, "thigh": 0.433}
RADIUS_SHARE: Mapping[str, float] = {"foot": 0.475, "shank": 0.302, "thigh": 0.323}


@dataclass(frozen=True, eq=False)
class Inertia:
    """One rigid segment: mass (kg), centre of mass (3,) from the segment's origin and central tensor (3, 3), in segment axes.

    Attributes
    ----------
    mass_kg : float
        Mass of the segment.
    com_m : FloatArray
        (3,), centre of mass from the segment's origin, segment axes.
    tensor_kgm2 : FloatArray
        (3, 3), about the centre of mass, segment axes.
    """

    mass_kg: float
    com_m: FloatArray
    tensor_kgm2: FloatArray


@dataclass(frozen=True, eq=False)
class Foot:
    """The rigid foot of one side; every vector in sole axes from the sole's origin unless its name says otherwise.

    Attributes
    ----------
    ankle_m : FloatArray
        (3,), ankle centre, sole axes.
    markers_m : Mapping[str, FloatArray]
        HEE, TOE and, for other marker sets, MT1 and MT5.
    R_sole_uncorrected : FloatArray
        Conventional foot axes before the static offsets: z from TOE to the ankle, y nearest the sole's y.
    R_sole_foot : FloatArray
        Conventional foot axes: turned by the static offsets so that z runs from toe to heel.
    plantar_flexion_offset_rad : float
        Static offset in plantar flexion, rad.
    rotation_offset_rad : float
        Static offset in rotation, rad.
    length_m : float
        Distance TOE to HEE less one marker radius.
    """

    ankle_m: FloatArray
    markers_m: Mapping[str, FloatArray]
    R_sole_uncorrected: FloatArray
    R_sole_foot: FloatArray
    plantar_flexion_offset_rad: float
    rotation_offset_rad: float
    length_m: float


@dataclass(frozen=True, eq=False)
class Person:
    """All constants of one virtual person.

    Attributes
    ----------
    mass_kg : float
        Mass of the whole body.
    height_m : float
        Stature without shoes, in metres.
    age_years : float
        Age on the day of the session.
    marker_radius_m : float
        Radius of every marker's ball.
    inter_asis_m : float
        Between the two anterior superior iliac spines.
    leg_length_m : Mapping[str, float]
        Side -> distance from ASIS to medial malleolus as an examiner measures it, m.
    knee_width_m : Mapping[str, float]
        Side -> distance between the femoral condyles, m.
    ankle_width_m : Mapping[str, float]
        Side -> distance between the malleoli, m.
    asis_trochanter_m : Mapping[str, float]
        Side -> distance from ASIS to trochanter along the sagittal plane, m.
    thigh_m : Mapping[str, float]
        Side -> distance from hip to knee centre, m.
    shank_m : Mapping[str, float]
        Side -> distance from knee to ankle centre, m.
    hip_in_pelvis_m : Mapping[str, FloatArray]
        Side -> (3,) hip centre in pelvis axes.
    pelvis_markers_m : Mapping[str, FloatArray]
        Marker -> (3,), pelvis axes, m; names with their side.
    thigh_markers_m : Mapping[tuple[str, str], FloatArray]
        (side, marker) -> (3,), thigh axes, m.
    shank_markers_m : Mapping[tuple[str, str], FloatArray]
        (side, marker) -> (3,), shank axes, m.
    feet : Mapping[str, Foot]
        Side -> constants of the foot.
    """

    mass_kg: float
    height_m: float
    age_years: float
    marker_radius_m: float
    inter_asis_m: float
    leg_length_m: Mapping[str, float]
    knee_width_m: Mapping[str, float]
    ankle_width_m: Mapping[str, float]
    asis_trochanter_m: Mapping[str, float]
    thigh_m: Mapping[str, float]
    shank_m: Mapping[str, float]
    hip_in_pelvis_m: Mapping[str, FloatArray]
    pelvis_markers_m: Mapping[str, FloatArray]
    thigh_markers_m: Mapping[tuple[str, str], FloatArray]
    shank_markers_m: Mapping[tuple[str, str], FloatArray]
    feet: Mapping[str, Foot]

    def bones_m(self, side: str) -> tuple[float, float]:
        """Return the lengths of one leg's bones.

        Parameters
        ----------
        side : str
            Whose leg, "L" or "R".

        Returns
        -------
        tuple[float, float]
            From hip to knee centre, and from knee to ankle centre, m.
        """
        return self.thigh_m[side], self.shank_m[side]

    @property
    def middle_of_hips_m(self) -> FloatArray:
        """Middle of the hip centres (3,), pelvis axes, m."""
        return (self.hip_in_pelvis_m["L"] + self.hip_in_pelvis_m["R"]) / 2

    def inertia(self, side: str, segment: str) -> Inertia:
        """Mass, centre of mass and tensor of a leg's segment.

        The foot's origin is the ankle centre, the shank's too, the thigh's is the knee centre: the distal end of a long bone.

        Parameters
        ----------
        side : str
            Whose leg, "L" or "R".
        segment : str
            "foot", "shank" or "thigh".

        Returns
        -------
        Inertia
            Tensor about the centre of mass, segment axes.
        """
        length = {"foot": self.feet[side].length_m, "shank": self.shank_m[side], "thigh": self.thigh_m[side]}[segment]
        mass = SEGMENT_MASS_SHARE[segment] * self.mass_kg
        along = -COM_SHARE["foot"] if segment == "foot" else 1.0 - COM_SHARE[segment]
        central = mass * (RADIUS_SHARE[segment] * length) ** 2
        return Inertia(mass, np.array([0.0, 0.0, along * length]), np.diag([central, central, 0.0]))


def build_body(
    *, mass_kg: float, height_m: float, age_years: float, marker_diameter_m: float, foot_flat: bool, sacrum: bool, clusters: bool
) -> Person:
    """Build the body of a person of given mass and stature.

    Parameters
    ----------
    mass_kg : float
        Mass of the whole body.
    height_m : float
        Stature, which every length is scaled with.
    age_years : float
        On the day of the session.
    marker_diameter_m : float
        Diameter of every marker's ball.
    foot_flat : bool
        Static offsets computed with the heel marker lowered to the toe marker's height.
    sacrum : bool
        One sacral marker instead of the two posterior superior iliac spines.
    clusters : bool
        Add four-marker clusters on thigh and shank, medial knee and ankle markers, and metatarsal heads 1 and 5.

    Returns
    -------
    Person
        All lengths in m, from stature; the legs differ by a few millimetres.
    """
    h, r = height_m, marker_diameter_m / 2
    # A few millimetres of difference between the legs, so that sides cannot be swapped unseen.
    leg = {"L": round(0.5280 * h, 3), "R": round(0.5280 * h, 3)}
    knee = {"L": round(0.0610 * h, 3), "R": round(0.0620 * h, 3)}
    ankle = {"L": round(0.0400 * h, 3), "R": round(0.0410 * h, 3)}
    asis = round(0.1350 * h, 3)
    trochanter = {s: ASIS_TROCHANTER_PER_LEG_LENGTH * leg[s] + ASIS_TROCHANTER_OFFSET_M for s in SIDES}
    thigh, shank = {"L": 0.245 * h, "R": 0.2445 * h}, {"L": 0.246 * h, "R": 0.2465 * h}
    knee_m = {s: knee[s] / 2 + r for s in SIDES}
    ankle_m = {s: ankle[s] / 2 + r for s in SIDES}
    return Person(
        mass_kg=mass_kg, height_m=h, age_years=age_years, marker_radius_m=r, inter_asis_m=asis,
        leg_length_m=leg, knee_width_m=knee, ankle_width_m=ankle, asis_trochanter_m=trochanter, thigh_m=thigh, shank_m=shank,
        hip_in_pelvis_m={s: _hip_centre(s, leg, asis, trochanter[s] + r) for s in SIDES},
        pelvis_markers_m=_pelvis_markers(h, asis, sacrum=sacrum),
        thigh_markers_m=_long_bone_markers(("KNE", "KNM", "THI", "TH"), thigh, knee_m, wand=(0.42, 0.047 * h), clusters=clusters),
        shank_markers_m=_long_bone_markers(("ANK", "ANM", "TIB", "TB"), shank, ankle_m, wand=(0.46, 0.042 * h), clusters=clusters),
        feet={s: _foot(s, h, r, foot_flat=foot_flat, clusters=clusters) for s in SIDES},
    )  # fmt: skip


def _hip_centre(side: str, leg_m: Mapping[str, float], asis_m: float, t: float) -> FloatArray:
    c = HIP_C_PER_LEG_LENGTH * (leg_m["L"] + leg_m["R"]) / 2 + HIP_C_OFFSET_M
    return np.array([
        c * cos(HIP_THETA_RAD) * sin(HIP_BETA_RAD) - t * cos(HIP_BETA_RAD),
        SIDE_SIGN[side] * (asis_m / 2 - c * sin(HIP_THETA_RAD)),
        -c * cos(HIP_THETA_RAD) * cos(HIP_BETA_RAD) - t * sin(HIP_BETA_RAD),
    ])  # fmt: skip


def _pelvis_markers(h: float, asis_m: float, *, sacrum: bool) -> dict[str, FloatArray]:
    depth = 0.088 * h
    front = {f"{s}ASI": np.array([0.0, SIDE_SIGN[s] * asis_m / 2, 0.0]) for s in SIDES}
    if sacrum:
        return front | {"SACR": np.array([-depth, 0.0, 0.0])}
    return front | {f"{s}PSI": np.array([-depth, SIDE_SIGN[s] * 0.026 * h, 0.0]) for s in SIDES}


def _long_bone_markers(
    names: tuple[str, str, str, str], length_m: Mapping[str, float], half_width_m: Mapping[str, float],
    *, wand: tuple[float, float], clusters: bool,
) -> dict[tuple[str, str], FloatArray]:  # fmt: skip
    """Markers of a thigh or shank in its own axes, origin at the distal joint centre; names are lateral, medial, wand, cluster."""
    lateral_name, medial_name, wand_name, prefix = names
    markers: dict[tuple[str, str], FloatArray] = {}
    for side in SIDES:
        s, length = SIDE_SIGN[side], length_m[side]
        markers[side, lateral_name] = np.array([0.0, s * half_width_m[side], 0.0])
        markers[side, wand_name] = np.array([0.0, s * wand[1], wand[0] * length])
        if clusters:
            markers[side, medial_name] = np.array([0.0, -s * half_width_m[side], 0.0])
            corners = ((0.06, 0.55), (-0.05, 0.60), (0.055, 0.33), (-0.045, 0.28))
            for i, (x, z) in enumerate(corners, start=1):
                markers[side, f"{prefix}{i}"] = np.array([x, s * (0.07 + 0.01 * (i % 2)), z * length])
    return markers


def _foot(side: str, h: float, r: float, *, foot_flat: bool, clusters: bool) -> Foot:
    s = SIDE_SIGN[side]
    ankle = np.array([0.0, 0.0, 0.039 * h])
    heel = np.array([-0.036 * h - r, s * 0.004, 0.023 * h + (0.003 if side == "L" else 0.0)])
    toe = np.array([0.068 * h, s * 0.002, 0.017 * h + r])
    markers = {"HEE": heel, "TOE": toe}
    if clusters:
        markers |= {
            "MT1": np.array([0.070 * h, -s * 0.021 * h, 0.012 * h + r]),
            "MT5": np.array([0.052 * h, s * 0.029 * h, 0.008 * h + r]),
        }
    z = (ankle - toe) / np.linalg.norm(ankle - toe)
    x = np.cross(np.array([0.0, 1.0, 0.0]), z)
    x /= np.linalg.norm(x)
    uncorrected = np.column_stack([x, np.cross(z, x), z])
    seen_heel = np.array([heel[0], heel[1], toe[2]]) if foot_flat else heel
    v = uncorrected.T @ (seen_heel - toe)
    v /= np.linalg.norm(v)
    p, q = atan2(-v[0], v[2]), float(np.arcsin(s * v[1]))
    turned = uncorrected @ rotation_y(-p) @ rotation_x(-s * q)
    return Foot(ankle, markers, uncorrected, turned, p, q, float(np.linalg.norm(toe - heel)) - r)


def rotation_x(angle_rad: float) -> FloatArray:
    """Rotation about x.

    Parameters
    ----------
    angle_rad : float
        Angle by the right-hand rule, rad.

    Returns
    -------
    FloatArray
        (3, 3), turned components to those before.
    """
    c, s = cos(angle_rad), sin(angle_rad)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def rotation_y(angle_rad: float) -> FloatArray:
    """Rotation about y.

    Parameters
    ----------
    angle_rad : float
        Angle by the right-hand rule, rad.

    Returns
    -------
    FloatArray
        (3, 3), turned components to those before.
    """
    c, s = cos(angle_rad), sin(angle_rad)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def rotation_z(angle_rad: float) -> FloatArray:
    """Rotation about z.

    Parameters
    ----------
    angle_rad : float
        Angle by the right-hand rule, rad.

    Returns
    -------
    FloatArray
        (3, 3), turned components to those before.
    """
    c, s = cos(angle_rad), sin(angle_rad)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
