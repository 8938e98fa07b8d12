"""The sign table, the names and the units this package promises to other people's programs.

Laboratory axes are right-handed with Z up. Clinical components mirror left and right so that one word fits both legs, and carry the
same words and signs in every body model; the axes in which a model expresses them belong to the model.

``SIGN_TABLE`` is the single source: column names, units, axis words of every plot and ``docs/conventions.md`` are derived from
it, and ``tests/contract/test_sign_table.py`` moves a segment in each named direction and asserts the sign of every row.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Literal

from biomech_id.values import dataclass


class Side(StrEnum):
    """Which leg: the texts "L" and "R" themselves, and "" for what has no side."""

    LEFT = "L"
    RIGHT = "R"
    NONE = ""


SIDES: tuple[str, str] = ("L", "R")
#: +1 for the left side, -1 for the right: the mirroring factor s.
SIDE_SIGN: dict[str, float] = {"L": 1.0, "R": -1.0}


def method_name(method: str) -> str:
    """Name of the method by which a joint centre was found.

    Parameters
    ----------
    method : str
        "functional, SCoRE, Ehrig et al. 2006 (J Biomech 39:2798), residual 1.2 mm".

    Returns
    -------
    str
        Its words in ``calibration.json`` without source and residual.

    Examples
    --------
    >>> from biomech_id.conventions import method_name
    >>> method_name("functional, SCoRE, Ehrig et al. 2006 (J Biomech 39:2798), residual 1.2 mm")
    'functional, SCoRE, Ehrig et al. 2006'
    """
    return method.partition(", residual")[0].partition(" (")[0]


#: Magnitude of gravity, m/s2: the value the conventional model uses (9.80665 is measurably wrong against its outputs).
GRAVITY_M_S2 = 9.81
GRAVITY_LAB_M_S2: tuple[float, float, float] = (0.0, 0.0, -GRAVITY_M_S2)

MM_PER_M = 1000.0

#: Version of every table and JSON this package writes.
SCHEMA = 3
#: Versions that this package reads: within a schema columns and keys may be added, never renamed or moved.
READABLE_SCHEMAS: tuple[int, ...] = (1, 2, 3)

#: What kind of thing a variable is; it decides the unit.
Quantity = Literal["angle", "moment", "force", "power", "ground force", "ground moment", "point", "scalar"]
AXES: tuple[str, str, str] = ("X", "Y", "Z")

KINETIC: frozenset[str] = frozenset({"moment", "force", "power", "ground force", "ground moment"})
#: Joints whose loads are known without the ground's: nothing beyond them touches it.
FREE_JOINTS: frozenset[str] = frozenset({"shoulder", "elbow", "wrist"})
#: Quantity -> the unit of tables and plots; a scalar's row has its own.
UNITS: dict[str, str] = {
    "angle": "deg",
    "moment": "N m/kg",
    "force": "N/kg",
    "power": "W/kg",
    "ground force": "N/kg",
    "ground moment": "N m/kg",
    "point": "mm",
}


class Aspect(StrEnum):
    """Layers of what is measured, each judged by itself: what is wrong with a plate says nothing of an angle."""

    KINEMATICS = "kinematics"
    KINETICS = "kinetics"
    EMG = "emg"
    WHOLE_BODY = "whole_body"


class KineticsName(StrEnum):
    """Ways to compute joint loads, as recipes and the command line call them; a body model says which of them it has."""

    TEXTBOOK = "textbook"
    VICON = "vicon"


#: Those that a cycle in the means has at least one of.
LAYERS_OF_MEANS = (Aspect.KINEMATICS, Aspect.KINETICS)


@dataclass(frozen=True)
class SignRow:
    """One row of the sign table.

    Attributes
    ----------
    variable : str
        Output name without the side, ``HipAngles``.
    component : str
        "X", "Y", "Z", or "" for a scalar.
    title : str
        What a clinician calls it, "Hip flexion".
    positive : str
        Word for the positive end of the axis.
    negative : str
        Word for the negative end of the axis.
    quantity : Quantity
        What it is; `UNITS` gives its unit.
    joint : str
        "pelvis", "hip", "knee", "ankle", "foot" or "ground"; above the pelvis "thorax", "spine", "shoulder", ...
    expressed_in : str
        Frame of the components, in words; empty where the body model says it (`dynamics.joint_axes.ModelAxes`).
    own_unit : str, optional
        Unit of a quantity that `UNITS` does not know.
    scale : tuple[float, float, float] | None, optional
        Lowest and highest value of its panels and the distance of ticks, in its unit, where no style file has them.
    """

    variable: str
    component: str
    title: str
    positive: str
    negative: str
    quantity: Quantity
    joint: str
    expressed_in: str = ""
    own_unit: str = ""
    scale: tuple[float, float, float] | None = None

    @property
    def unit(self) -> str:
        """Unit of the component as written in tables and plots."""
        return UNITS.get(self.quantity, self.own_unit)

    @property
    def kinetic(self) -> bool:
        """Whether it exists only where the ground's force on the foot is known."""
        return self.joint == "ground" or (self.quantity in KINETIC and self.joint not in FREE_JOINTS)

    @property
    def aspect(self) -> Aspect:
        """The layer that it belongs to."""
        return Aspect.KINETICS if self.kinetic else Aspect.KINEMATICS

    def column(self, side: str) -> str:
        """Name of the column in ``trials/<stem>.csv``.

        Parameters
        ----------
        side : str
            "L", "R" or "" for what has no side.

        Returns
        -------
        str
            ``LHipAngles.X``; without an axis for a scalar.
        """
        return f"{side}{self.variable}" + (f".{self.component}" if self.component else "")


_LAB_ORIGIN = "laboratory axes, about its origin"

#: Every variable, component by component: title, words for both directions, unit; and axes, where they are no model's.
SIGN_TABLE: tuple[SignRow, ...] = (
    SignRow("PelvisAngles", "X", "Pelvic tilt", "Anterior", "Posterior", "angle", "pelvis"),
    SignRow("PelvisAngles", "Y", "Pelvic obliquity", "Up", "Down", "angle", "pelvis"),
    SignRow("PelvisAngles", "Z", "Pelvic rotation", "Internal", "External", "angle", "pelvis"),
    SignRow("HipAngles", "X", "Hip flexion", "Flexion", "Extension", "angle", "hip"),
    SignRow("HipAngles", "Y", "Hip adduction", "Adduction", "Abduction", "angle", "hip"),
    SignRow("HipAngles", "Z", "Hip rotation", "Internal", "External", "angle", "hip"),
    SignRow("KneeAngles", "X", "Knee flexion", "Flexion", "Extension", "angle", "knee"),
    SignRow("KneeAngles", "Y", "Knee varus", "Varus", "Valgus", "angle", "knee"),
    SignRow("KneeAngles", "Z", "Knee rotation", "Internal", "External", "angle", "knee"),
    SignRow("AnkleAngles", "X", "Ankle dorsiflexion", "Dorsiflexion", "Plantarflexion", "angle", "ankle"),
    SignRow("AnkleAngles", "Y", "Ankle eversion", "Eversion", "Inversion", "angle", "ankle"),
    SignRow("AnkleAngles", "Z", "Ankle rotation", "Internal", "External", "angle", "ankle"),
    SignRow("FootProgressAngles", "X", "Foot pitch", "Toes down", "Toes up", "angle", "foot"),
    SignRow("FootProgressAngles", "Y", "Foot roll", "Inversion", "Eversion", "angle", "foot"),
    SignRow("FootProgressAngles", "Z", "Foot progression", "Internal", "External", "angle", "foot"),
    SignRow("HipMoment", "X", "Hip sagittal moment", "Extensor", "Flexor", "moment", "hip"),
    SignRow("HipMoment", "Y", "Hip frontal moment", "Abductor", "Adductor", "moment", "hip"),
    SignRow("HipMoment", "Z", "Hip transverse moment", "External rotator", "Internal rotator", "moment", "hip"),
    SignRow("KneeMoment", "X", "Knee sagittal moment", "Extensor", "Flexor", "moment", "knee"),
    SignRow("KneeMoment", "Y", "Knee frontal moment", "Valgus", "Varus", "moment", "knee"),
    SignRow("KneeMoment", "Z", "Knee transverse moment", "External rotator", "Internal rotator", "moment", "knee"),
    SignRow("AnkleMoment", "X", "Ankle sagittal moment", "Plantarflexor", "Dorsiflexor", "moment", "ankle"),
    SignRow("AnkleMoment", "Y", "Ankle frontal moment", "Evertor", "Invertor", "moment", "ankle"),
    SignRow("AnkleMoment", "Z", "Ankle transverse moment", "External rotator", "Internal rotator", "moment", "ankle"),
    SignRow("HipForce", "X", "Hip shear force", "Anterior", "Posterior", "force", "hip"),
    SignRow("HipForce", "Y", "Hip lateral force", "To the left", "To the right", "force", "hip"),
    SignRow("HipForce", "Z", "Hip axial force", "Proximal", "Distal", "force", "hip"),
    SignRow("KneeForce", "X", "Knee shear force", "Anterior", "Posterior", "force", "knee"),
    SignRow("KneeForce", "Y", "Knee lateral force", "To the left", "To the right", "force", "knee"),
    SignRow("KneeForce", "Z", "Knee axial force", "Proximal", "Distal", "force", "knee"),
    SignRow("AnkleForce", "X", "Ankle axial force", "Plantar", "Dorsal", "force", "ankle"),
    SignRow("AnkleForce", "Y", "Ankle lateral force", "To the left", "To the right", "force", "ankle"),
    SignRow("AnkleForce", "Z", "Ankle shear force", "Towards the toes", "Towards the heel", "force", "ankle"),
    SignRow("HipPower", "", "Hip power", "Generation", "Absorption", "power", "hip", "scalar"),
    SignRow("KneePower", "", "Knee power", "Generation", "Absorption", "power", "knee", "scalar"),
    SignRow("AnklePower", "", "Ankle power", "Generation", "Absorption", "power", "ankle", "scalar"),
    SignRow("HipPowerTranslational", "", "Hip translational power", "Generation", "Absorption", "power", "hip", "scalar"),
    SignRow("KneePowerTranslational", "", "Knee translational power", "Generation", "Absorption", "power", "knee", "scalar"),
    SignRow("AnklePowerTranslational", "", "Ankle translational power", "Generation", "Absorption", "power", "ankle", "scalar"),
    SignRow("GroundReactionForce", "X", "Ground reaction X", "+X", "-X", "ground force", "ground", "laboratory axes"),
    SignRow("GroundReactionForce", "Y", "Ground reaction Y", "+Y", "-Y", "ground force", "ground", "laboratory axes"),
    SignRow("GroundReactionForce", "Z", "Ground reaction Z", "Up", "Down", "ground force", "ground", "laboratory axes"),
    SignRow("GroundReactionMoment", "X", "Ground moment X", "+X", "-X", "ground moment", "ground", _LAB_ORIGIN),
    SignRow("GroundReactionMoment", "Y", "Ground moment Y", "+Y", "-Y", "ground moment", "ground", _LAB_ORIGIN),
    SignRow("GroundReactionMoment", "Z", "Ground moment Z", "+Z", "-Z", "ground moment", "ground", _LAB_ORIGIN),
)  # fmt: skip

_PROGRESSION = "progression axes: X forward, Y towards the other foot, Z up"
_VERTICAL = "about the vertical at the centre of pressure"
_FOOT_FLAT = "axes of the foot while it is flat, on the floor"
#: What ``cycles.csv`` holds beyond the angles, moments, forces and powers of the sign table: the ground's action in axes that turn
#: with the walker, so that one word fits both feet and every walking direction.
CYCLE_TABLE: tuple[SignRow, ...] = (
    SignRow("GroundReactionForce", "X", "Fore-aft reaction", "Propulsive", "Braking", "ground force", "ground", _PROGRESSION),
    SignRow("GroundReactionForce", "Y", "Mediolateral reaction", "Medial", "Lateral", "ground force", "ground", _PROGRESSION),
    SignRow("GroundReactionForce", "Z", "Vertical reaction", "Up", "Down", "ground force", "ground", _PROGRESSION),
    SignRow("FreeMoment", "Z", "Free moment", "Toes inward", "Toes outward", "ground moment", "ground", _VERTICAL),
    SignRow("FootCentreOfPressure", "X", "CoP along the foot", "Toe", "Heel", "point", "ground", _FOOT_FLAT),
    SignRow("FootCentreOfPressure", "Y", "CoP across the foot", "Medial", "Lateral", "point", "ground", _FOOT_FLAT),
)  # fmt: skip

#: Variables above the pelvis, in tables whose trials show a thorax or a head. Words of the arms' axes are those of a person who
#: stands upright with the palms forward; loads of waist and neck are the action of what is above on what is below.
UPPER_BODY_TABLE: tuple[SignRow, ...] = (
    SignRow("HeadAngles", "X", "Head tilt", "Backward", "Forward", "angle", "head", "axes of the trunk's progression"),
    SignRow("HeadAngles", "Y", "Head lean", "Away", "To this side", "angle", "head", "axes of the trunk's progression"),
    SignRow("HeadAngles", "Z", "Head rotation", "Internal", "External", "angle", "head", "axes of the trunk's progression"),
    SignRow("ThoraxAngles", "X", "Trunk tilt", "Forward", "Backward", "angle", "thorax", "axes of the trunk's progression"),
    SignRow("ThoraxAngles", "Y", "Trunk lean", "Away", "To this side", "angle", "thorax", "axes of the trunk's progression"),
    SignRow("ThoraxAngles", "Z", "Trunk rotation", "Internal", "External", "angle", "thorax", "axes of the trunk's progression"),
    SignRow("NeckAngles", "X", "Neck flexion", "Flexion", "Extension", "angle", "neck", "thorax in head axes"),
    SignRow("NeckAngles", "Y", "Neck lean", "To this side", "Away", "angle", "neck", "thorax in head axes"),
    SignRow("NeckAngles", "Z", "Neck rotation", "To this side", "Away", "angle", "neck", "thorax in head axes"),
    SignRow("SpineAngles", "X", "Spine flexion", "Flexion", "Extension", "angle", "spine", "pelvis in thorax axes"),
    SignRow("SpineAngles", "Y", "Spine lean", "To this side", "Away", "angle", "spine", "pelvis in thorax axes"),
    SignRow("SpineAngles", "Z", "Spine rotation", "To this side", "Away", "angle", "spine", "pelvis in thorax axes"),
    SignRow("ShoulderAngles", "X", "Shoulder flexion", "Flexion", "Extension", "angle", "shoulder", "in the thorax' axes"),
    SignRow("ShoulderAngles", "Y", "Shoulder abduction", "Abduction", "Adduction", "angle", "shoulder", "in the thorax' axes"),
    SignRow("ShoulderAngles", "Z", "Shoulder rotation", "Internal", "External", "angle", "shoulder", "in the thorax' axes"),
    SignRow("ElbowAngles", "X", "Elbow flexion", "Flexion", "Extension", "angle", "elbow", "in the humerus' axes"),
    SignRow("WristAngles", "X", "Wrist flexion", "Flexion", "Extension", "angle", "wrist", "in the radius' axes"),
    SignRow("WristAngles", "Y", "Wrist deviation", "Radial", "Ulnar", "angle", "wrist", "in the radius' axes"),
    SignRow("WristAngles", "Z", "Wrist rotation", "Pronation", "Supination", "angle", "wrist", "in the radius' axes"),
    SignRow("ShoulderMoment", "X", "Shoulder sagittal moment", "Extensor", "Flexor", "moment", "shoulder", "humerus"),
    SignRow("ShoulderMoment", "Y", "Shoulder frontal moment", "Abductor", "Adductor", "moment", "shoulder", "humerus"),
    SignRow("ShoulderMoment", "Z", "Shoulder axial moment", "Internal rotator", "External rotator", "moment", "shoulder"),
    SignRow("ElbowMoment", "X", "Elbow sagittal moment", "Extensor", "Flexor", "moment", "elbow", "radius' axes"),
    SignRow("ElbowMoment", "Y", "Elbow frontal moment", "Valgus", "Varus", "moment", "elbow", "radius' axes"),
    SignRow("ElbowMoment", "Z", "Elbow transverse moment", "Pronator", "Supinator", "moment", "elbow", "radius' axes"),
    SignRow("WristMoment", "X", "Wrist sagittal moment", "Extensor", "Flexor", "moment", "wrist", "hand's axes"),
    SignRow("WristMoment", "Y", "Wrist frontal moment", "Radial", "Ulnar", "moment", "wrist", "hand's axes"),
    SignRow("WristMoment", "Z", "Wrist transverse moment", "Pronator", "Supinator", "moment", "wrist", "hand's axes"),
    SignRow("WaistMoment", "X", "Waist sagittal moment", "Extensor", "Flexor", "moment", "waist", "pelvis' axes"),
    SignRow("WaistMoment", "Y", "Waist frontal moment", "To this side", "Away", "moment", "waist", "pelvis' axes"),
    SignRow("WaistMoment", "Z", "Waist transverse moment", "To this side", "Away", "moment", "waist", "pelvis' axes"),
    SignRow("NeckMoment", "X", "Neck sagittal moment", "Extensor", "Flexor", "moment", "neck", "thorax' axes"),
    SignRow("NeckMoment", "Y", "Neck frontal moment", "To this side", "Away", "moment", "neck", "thorax' axes"),
    SignRow("NeckMoment", "Z", "Neck transverse moment", "To this side", "Away", "moment", "neck", "thorax' axes"),
    SignRow("ShoulderForce", "X", "Shoulder shear force", "Posterior", "Anterior", "force", "shoulder", "humerus axes"),
    SignRow("ShoulderForce", "Y", "Shoulder lateral force", "To the right", "To the left", "force", "shoulder", "humerus axes"),
    SignRow("ShoulderForce", "Z", "Shoulder axial force", "Proximal", "Distal", "force", "shoulder", "humerus axes"),
    SignRow("ElbowForce", "X", "Elbow shear force", "Posterior", "Anterior", "force", "elbow", "radius' axes"),
    SignRow("ElbowForce", "Y", "Elbow lateral force", "To the right", "To the left", "force", "elbow", "radius' axes"),
    SignRow("ElbowForce", "Z", "Elbow axial force", "Proximal", "Distal", "force", "elbow", "radius' axes"),
    SignRow("WristForce", "X", "Wrist shear force", "Posterior", "Anterior", "force", "wrist", "hand's axes"),
    SignRow("WristForce", "Y", "Wrist lateral force", "To the right", "To the left", "force", "wrist", "hand's axes"),
    SignRow("WristForce", "Z", "Wrist axial force", "Proximal", "Distal", "force", "wrist", "hand's axes"),
    SignRow("WaistForce", "X", "Waist shear force", "Anterior", "Posterior", "force", "waist", "pelvis' axes"),
    SignRow("WaistForce", "Y", "Waist lateral force", "To the left", "To the right", "force", "waist", "pelvis' axes"),
    SignRow("WaistForce", "Z", "Waist axial force", "Upwards", "Downwards", "force", "waist", "pelvis' axes"),
    SignRow("NeckForce", "X", "Neck shear force", "Anterior", "Posterior", "force", "neck", "thorax' axes"),
    SignRow("NeckForce", "Y", "Neck lateral force", "To the left", "To the right", "force", "neck", "thorax' axes"),
    SignRow("NeckForce", "Z", "Neck axial force", "Upwards", "Downwards", "force", "neck", "thorax' axes"),
    SignRow("ShoulderPower", "", "Shoulder power", "Generation", "Absorption", "power", "shoulder", "scalar"),
    SignRow("ElbowPower", "", "Elbow power", "Generation", "Absorption", "power", "elbow", "scalar"),
    SignRow("WristPower", "", "Wrist power", "Generation", "Absorption", "power", "wrist", "scalar"),
    SignRow("WaistPower", "", "Waist power", "Generation", "Absorption", "power", "waist", "scalar"),
    SignRow("NeckPower", "", "Neck power", "Generation", "Absorption", "power", "neck", "scalar"),
)  # fmt: skip
#: The muscles that a gait clinic asks about -> what it calls them, of body models that have muscles.
CLINIC_MUSCLES: dict[str, str] = {
    "psoas": "Psoas", "medial_hamstrings": "Medial hamstrings", "lateral_hamstrings": "Lateral hamstrings",
    "rectus_femoris": "Rectus femoris", "medial_gastrocnemius": "Medial gastrocnemius",
    "lateral_gastrocnemius": "Lateral gastrocnemius", "soleus": "Soleus",
}  # fmt: skip


def muscle_variable(muscle: str, measure: str) -> str:
    """Name the variable of one of `CLINIC_MUSCLES`.

    Parameters
    ----------
    muscle : str
        One of `CLINIC_MUSCLES`, "medial_hamstrings".
    measure : str
        "Length" or "Velocity", what is measured of it.

    Returns
    -------
    str
        Its name in the sign table and in every table of results.

    Examples
    --------
    >>> from biomech_id.conventions import muscle_variable
    >>> muscle_variable("medial_hamstrings", "Length")
    'MedialHamstringsLength'
    """
    return muscle.title().replace("_", "") + measure


#: Lengths of these muscles with their tendons over that in standing, and how fast these change, in tables of models with muscles.
MUSCLE_TABLE: tuple[SignRow, ...] = tuple(
    SignRow(muscle_variable(muscle, measure), "", f"{title} {measure.lower()}", up, down, "scalar", "muscle", "", unit, scale)
    for measure, up, down, unit, scale in (
        ("Length", "Longer", "Shorter", "", (0.8, 1.2, 0.1)),
        ("Velocity", "Lengthening", "Shortening", "1/s", (-1.5, 1.5, 0.5)),
    )
    for muscle, title in CLINIC_MUSCLES.items()
)
_FLEXION = ("Dorsiflexion", "Plantarflexion")
#: Angles inside the foot (Oxford foot model) -> title and words of each component.
_FOOT_ANGLES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "HindfootTibiaAngles": (
        ("Hindfoot dorsiflexion", *_FLEXION), ("Hindfoot rotation", "Internal", "External"),
        ("Hindfoot inversion", "Inversion", "Eversion"),
    ),
    "ForefootHindfootAngles": (
        ("Midfoot dorsiflexion", *_FLEXION), ("Forefoot adduction", "Adduction", "Abduction"),
        ("Forefoot supination", "Supination", "Pronation"),
    ),
    "ForefootTibiaAngles": (
        ("Forefoot flexion to tibia", *_FLEXION), ("Forefoot adduction to tibia", "Adduction", "Abduction"),
        ("Forefoot supination to tibia", "Supination", "Pronation"),
    ),
    "HalluxForefootAngles": (
        ("Hallux dorsiflexion", *_FLEXION), ("Hallux adduction", "Adduction", "Abduction"),
        ("Hallux rotation", "Internal", "External"),
    ),
    "HindfootLabAngles": (
        ("Hindfoot pitch", "Toes up", "Toes down"), ("Hindfoot progression", "External", "Internal"),
        ("Hindfoot roll", "Inversion", "Eversion"),
    ),
    "TibiaLabAngles": (
        ("Tibial tilt", "Forward", "Backward"), ("Tibial lean", "Away", "To this side"),
        ("Tibial rotation", "Internal", "External"),
    ),
    "FemurTibiaAngles": (
        ("Foot model's knee flexion", "Flexion", "Extension"), ("Foot model's knee varus", "Varus", "Valgus"),
        ("Foot model's knee rotation", "Internal", "External"),
    ),
}  # fmt: skip
#: Inside the foot, in tables whose trials show it. Of the hallux one marker defines the first angle alone.
FOOT_TABLE: tuple[SignRow, ...] = (
    *(SignRow(variable, axis, *words, "angle", "foot", scale=(-30, 30, 15))
      for variable, rows in _FOOT_ANGLES.items() for axis, words in zip(AXES, rows, strict=True)),
    SignRow("ArchHeightIndex", "", "Arch height index", "Higher", "Lower", "scalar", "foot", "", "%", (0, 40, 10)),
)  # fmt: skip
#: What the vendor's plug-in calls them in C3D files.
STORED_FOOT: dict[str, str] = {
    "HindfootTibiaAngles": "HFTBA", "ForefootHindfootAngles": "FFHFA", "ForefootTibiaAngles": "FFTBA",
    "HalluxForefootAngles": "HXFFA", "HindfootLabAngles": "HFTFL", "TibiaLabAngles": "TIBA", "FemurTibiaAngles": "FETBA",
}  # fmt: skip
#: Of those the ones that a straight walk alone defines.
FOOT_IN_LABORATORY: frozenset[str] = frozenset({"HindfootLabAngles", "TibiaLabAngles"})
#: What ``FootProgressAngles.X`` is of a foot whose sole lies on the floor, in a model whose static trial stood flat.
FLAT_PITCH_DEG = -90.0
#: Foot pitch with its zero on the floor, in tables of sessions whose static trial stood flat: of no other is the sole known.
FOOT_PITCH = SignRow("FootPitch", "X", "Foot pitch", "Toes down", "Toes up", "angle", "foot", "the floor")
#: Joints above the pelvis.
UPPER_JOINTS: frozenset[str] = frozenset(row.joint for row in UPPER_BODY_TABLE)
#: What is measured above the pelvis: few laboratories need it, and many have no markers for it.
UPPER_VARIABLES: frozenset[str] = frozenset(row.variable for row in UPPER_BODY_TABLE)
#: The same of muscles, which few models have.
MUSCLE_VARIABLES: frozenset[str] = frozenset(row.variable for row in MUSCLE_TABLE)
#: Points of the arms, as those of `POINT_VARIABLES`; and the centre of mass, which has no side.
ARM_POINTS: dict[str, str] = {"shoulder": "SJC", "elbow": "EJC", "wrist": "WJC"}
CENTRE_OF_MASS = "CentreOfMass"

#: Points written per side, in mm, laboratory axes; foot outline points are added by the model with the suffix ``Outline``.
POINT_VARIABLES: tuple[str, ...] = ("CentreOfPressure", "HJC", "KJC", "AJC")

#: Suffix of the column that says how well a segment's cluster fitted in each frame, in mm: ``PelvisResidual``, ``LThighResidual``.
RESIDUAL_SUFFIX = "Residual"
#: Column of a side that says frame by frame whether its joint loads are known: 1, 0, or ``AT_THE_END`` where they are but lean on
#: the end condition of the spline, in the first and last frames of a recording.
KINETICS_VALID = "KineticsValid"
AT_THE_END = 0.5

ANGLE_VARIABLE: dict[str, str] = {
    "pelvis": "PelvisAngles",
    "hip": "HipAngles",
    "knee": "KneeAngles",
    "ankle": "AnkleAngles",
    "foot_progress": "FootProgressAngles",
}
MOMENT_VARIABLE: dict[str, str] = {"hip": "HipMoment", "knee": "KneeMoment", "ankle": "AnkleMoment"}
FORCE_VARIABLE: dict[str, str] = {"hip": "HipForce", "knee": "KneeForce", "ankle": "AnkleForce"}
POWER_VARIABLE: dict[str, str] = {"hip": "HipPower", "knee": "KneePower", "ankle": "AnklePower"}
CENTRE_VARIABLE: dict[str, str] = {"hip": "HJC", "knee": "KJC", "ankle": "AJC"}


#: Variable of a norm that holds a muscle's mean envelope, percent of its peak.
EMG_VARIABLE = "EMG.{muscle}"

#: Parts of the moment budget, in the order they are stacked.
BUDGET_PARTS: tuple[str, ...] = ("ground_reaction", "gravity", "linear_inertia", "angular_inertia", "gyroscopic")

#: Sources of error of joint moments and powers -> what is wrong, in the order of ``uncertainty.csv``.
ERROR_SOURCES: dict[str, str] = {
    "hip_centre": "a hip centre misplaced in pelvis and thigh",
    "knee_centre": "the knee's marker beside its epicondyle, and the knee's width",
    "ankle_centre": "the ankle's marker beside its malleolus, and the ankle's width",
    "segment_axes": "markers of thigh, shank and foot beside their places, which turn the axes; a fitted model's sizes and marker "
    "places",
    "inertia": "masses, centres of mass and tensors of the segments",
    "force_plates": "place, size and direction of the ground's force",
    "marker_noise": "noise of the marker paths",
    "pelvis": "the pelvis' markers beside their places",
    "soft_tissue": "skin that moves over the bones in walking",
}
#: Those that the first ``uncertainty.csv`` did not know.
_ADDED_SOURCES = ("pelvis", "soft_tissue")
#: Those that are drawn anew in every frame. The others are one draw for all frames and cycles: a bias, which no mean gets rid of.
NOISE_SOURCES: tuple[str, ...] = ("marker_noise",)


def rows_of(variable: str) -> tuple[SignRow, ...]:
    """Rows of the sign table for one variable.

    Parameters
    ----------
    variable : str
        As in the columns of the tables, without its side: "HipAngles".

    Returns
    -------
    tuple[SignRow, ...]
        In component order; empty if the variable is not in the table.

    Examples
    --------
    >>> from biomech_id.conventions import rows_of
    >>> [(row.component, row.positive) for row in rows_of("KneeAngles")]
    [('X', 'Flexion'), ('Y', 'Varus'), ('Z', 'Internal')]
    """
    return tuple(row for row in (*SIGN_TABLE, *UPPER_BODY_TABLE, *MUSCLE_TABLE, *FOOT_TABLE) if row.variable == variable)


def frame_columns() -> Iterator[tuple[str, SignRow]]:
    """Name the sign-table columns of ``trials/<stem>.csv``, left side first.

    Yields
    ------
    column : str
        Its name, ``LHipAngles.X``.
    row : SignRow
        The row of the sign table it belongs to.
    """
    for side in SIDES:
        for row in SIGN_TABLE:
            yield row.column(side), row


#: (variable, component) -> the row of every curve of ``cycles.csv``, in the order they are written for each cycle; those of
#: variables that a laboratory adds come last (`session.tables.variables`).
CYCLE_ROWS: dict[tuple[str, str], SignRow] = {
    (row.variable, row.component): row
    for row in (
        *(row for row in SIGN_TABLE if row.joint != "ground"),
        *CYCLE_TABLE, *UPPER_BODY_TABLE, *MUSCLE_TABLE, *FOOT_TABLE, FOOT_PITCH,
    )
}  # fmt: skip


def cycle_rows() -> tuple[SignRow, ...]:
    """Rows of every variable in ``cycles.csv``.

    Returns
    -------
    tuple[SignRow, ...]
        In the order they are written for each cycle.
    """
    return tuple(CYCLE_ROWS.values())


#: What the cells of a column are.
ColumnKind = Literal["text", "integer", "number"]


@dataclass(frozen=True)
class Column:
    """One column of a table this package writes.

    Attributes
    ----------
    name : str
        As in the header.
    kind : ColumnKind
        How a reader parses it; "integer" and "number" cells may be empty (missing), "text" cells may be empty text.
    meaning : str
        One sentence for the data dictionary.
    unit : str, optional
        Unit of every cell, or "" where the row says it or there is none.
    added : bool, optional
        Whether the first tables had no such column; it is then read as empty.
    """

    name: str
    kind: ColumnKind
    meaning: str
    unit: str = ""
    added: bool = False


@dataclass(frozen=True)
class TableRow:
    """One tidy table: its name (``<name>.csv``), what one row is, and its columns in order.

    Attributes
    ----------
    name : str
        Of the table, without ``.csv``.
    row : str
        What one row is, in words.
    columns : tuple[Column, ...]
        The columns, in file order.
    """

    name: str
    row: str
    columns: tuple[Column, ...]


_TRIAL = Column("trial", "text", "name of the trial: the C3D file's stem")
_SIDE = Column("side", "text", "L or R; empty for what belongs to no side")
_CYCLE = Column("cycle", "integer", "number of the cycle on that side of that trial, counted from 1; 0 for the whole trial")
_VALID = Column("kinetics_valid", "text", "true, false, or stance_only (kinetics from 0 % to foot off only)")
_PERCENT = Column("percent", "integer", "0 at a foot strike, 100 at the next strike of that side", "%")
_VARIABLE = Column("variable", "text", "name in the sign table, without the side")
_COMPONENT = Column("component", "text", "X, Y or Z; empty for a scalar")
_UNIT = Column("unit", "text", "unit of the value")
_LABEL = Column("label", "text", "the channel's label in the recording")
_MUSCLE = Column("muscle", "text", "the muscle: rectus_femoris; empty where nobody says")

#: Data dictionary of the tidy tables: column order here is column order in the files.
TABLES: tuple[TableRow, ...] = (
    TableRow("cycles", "one variable at one percent of one cycle; 101 rows make a curve, a curve without any value is left out", (
        _TRIAL, _SIDE, _CYCLE, _VALID, _PERCENT, _VARIABLE, _COMPONENT,
        Column("value", "number", "the variable, in the unit of the sign table; ground reaction in progression axes"),
    )),
    TableRow("budget", "one part of one joint moment at one percent of one cycle; the parts add up to the moment", (
        _TRIAL, _SIDE, _CYCLE, _VALID, _PERCENT, _VARIABLE, _COMPONENT,
        Column("part", "text", "ground_reaction, gravity, linear_inertia, angular_inertia or gyroscopic"),
        Column("value", "number", "the part, signed as the moment itself", "N m/kg"),
    )),
    TableRow("uncertainty", "how far one variable can be off at one percent of one cycle, one standard deviation, if markers are "
             "placed as trained examiners do", (
        _TRIAL, _SIDE, _CYCLE, _VALID, _PERCENT, _VARIABLE, _COMPONENT,
        *(Column(source, "number", f"because of {meaning}") for source, meaning in ERROR_SOURCES.items()
          if source not in _ADDED_SOURCES),
        Column("total", "number", "because of all of them: root of the sum of squares, in the unit of the variable itself"),
        *(Column(source, "number", f"because of {ERROR_SOURCES[source]}; part of the total", added=True)
          for source in _ADDED_SOURCES),
        Column("events", "number", "because of the times of foot strikes; no part of the total", added=True),
        Column("hip_centre_shift", "number", "what would be added to the variable if the hip centres were not placed by the "
               "regression of Davis et al. but where others place them; empty for other hip centres", added=True),
    )),
    TableRow("spatiotemporal", "one parameter of one cycle, or of the trial (cycle 0)", (
        _TRIAL, _SIDE, _CYCLE, Column("parameter", "text", "name of the parameter, lower case with underscores"),
        Column("value", "number", "the parameter"), _UNIT,
        Column("sd", "number", "how far it can be off, one standard deviation, at the leg length given; empty where not known",
               added=True),
    )),
    TableRow("peaks", "one value picked from one curve of one cycle", (
        _TRIAL, _SIDE, _CYCLE,
        Column("name", "text", "A1 A2 K1-K4 H1-H3, <burst>_sagittal_share (%); value_contact, max_stance, min_swing ...; "
               "work_positive_stance, work_negative_swing ...: what a joint generates and absorbs in a phase, J/kg"),
        _VARIABLE, _COMPONENT, Column("phase", "text", "contact, stance, swing or cycle: where it was looked for"),
        Column("percent", "number", "where in the cycle it was found; empty for work", "%"),
        Column("time_s", "number", "absolute time on the recording's clock; empty for work", "s"),
        Column("value", "number", "the value"), _UNIT,
        Column("sd", "number", "how far the value can be off, one standard deviation; empty where not known", added=True),
        Column("sd_percent", "number", "how far its place in the cycle can be off, likewise", "%", added=True),
    )),
    TableRow("scores", "one score of one side under one condition, from the mean of its steady straight cycles", (
        Column("condition", "text", "condition of the trials averaged"), _SIDE,
        Column("score", "text", "GVS (one variable) or GPS (one side, or overall where the side is empty)"),
        _VARIABLE, _COMPONENT,
        Column("value", "number", "root mean square distance from the norm's mean over the cycle", "deg"), _UNIT,
        Column("norm_mean", "number", "mean of the same score among the norm's own subjects", "deg"),
        Column("norm_sd", "number", "its standard deviation", "deg"),
        Column("cycles", "text", "used: those in the means; all: before somebody put cycles in or out; empty in older tables",
               added=True),
        Column("low", "number", "lower end of the 95 % band, if markers are placed as trained examiners do", "deg", added=True),
        Column("high", "number", "upper end; scores are never negative, and errors make them larger on average", "deg", added=True),
        Column("sd", "number", "standard deviation, errors one at a time", "deg", added=True),
    )),
    TableRow("stances", "one foot on the floor", (
        _TRIAL, _SIDE, Column("start_s", "number", "foot strike; empty if the trial begins in the stance", "s"),
        Column("end_s", "number", "foot off; empty if the trial ends in the stance", "s"),
        Column("plate", "text", "names of the plates that carry it, joined by ' + '; empty if none"),
        Column("verdict", "text", "clean two_plates override: kinetics; part: kinetics where the force is certain; "
               "other_foot left_plate beside_foot outline light cut no_plate: none"),
        Column("reason", "text", "one sentence a technician can act on"),
        Column("rule", "text", "what decided, whatever the sentence's words; empty in older tables", added=True),
    )),
    TableRow("gaps", "one stretch of frames in which a marker was not measured", (
        _TRIAL, Column("marker", "text", "the marker's label"),
        Column("first_frame", "integer", "first missing frame, numbered as in the C3D file"),
        Column("last_frame", "integer", "last missing frame"),
        Column("method", "text", "how it was filled: spline, rigid body, segment mates or principal movements; "
               "left open if it was not"),
        Column("error_mm", "number", "root mean square error that the fill stays below in about 19 of 20 gaps like it, found by "
               "filling such gaps cut where the marker was seen; empty if left open or not known", "mm", added=True),
    )),
    TableRow("quality", "one rule applied to one trial", (
        _TRIAL, Column("rule", "text", "stable identifier of the rule"),
        Column("value", "number", "what was found; empty if the rule does not apply"), _UNIT,
        Column("limit", "number", "the limit that decided the verdict", ""),
        Column("verdict", "text", "accept, warn, reject, not measured or not judged"),
        Column("layer", "text", "what the rule judges: kinematics, kinetics, emg, whole_body; several with a space between",
               added=True),
    )),
    TableRow("norm", "one variable of the norm at one percent, or one scalar", (
        Column("variable", "text", "of the sign table; of a scalar: a spatiotemporal parameter, asymmetry.<parameter> (%), "
               "GVS.<variable>, GPS, GPS.overall, or <name>.<variable>: max_stance, range, mean_loading, A2, percent_of_A2 ..."),
        _COMPONENT,
        Column("percent", "integer", "percent of the cycle; empty for a scalar (spatiotemporal parameter, GVS, GPS)", "%"),
        Column("mean", "number", "mean over the norm's subjects"), Column("sd", "number", "standard deviation between subjects"),
        Column("n", "integer", "number of subjects"),
        Column("age_min_y", "number", "youngest subject", "years"), Column("age_max_y", "number", "oldest subject", "years"),
        Column("speed_min", "number", "slowest subject, dimensionless (Hof 1996)"),
        Column("speed_max", "number", "fastest subject, dimensionless"),
        Column("model", "text", "body model it was made with"), Column("kinetics", "text", "kinetics mode it was made with"),
        Column("source", "text", "who made it, from what"),
        Column("hip_centre", "text", "hip centre method it was made with; empty if nobody recorded it", added=True),
        Column("bandwidth", "text", "bandwidth of the plates it was made with; of a norm of several that of this row, empty "
               "in rows that hang on none; empty if nobody recorded it", added=True),
        Column("whole_curve_sd", "number", "how many standard deviations from the mean 95 % of whole curves of new people stay "
               "within (random field theory); empty for a scalar, below 5 subjects and in older norms", added=True),
        Column("movement", "text", "walk or run: what its cycles are of; empty in older norms, which are of walks", added=True),
        Column("name", "text", "what the norm is called; empty in older norms", added=True),
        Column("version", "text", "its version; empty where nobody gave one", added=True),
        Column("date", "text", "day it was made, as ISO writes it; empty in older norms", added=True),
        *(Column(f"percentile_{rank}", "number", f"{rank} % of the subjects are below; empty below 40 subjects", added=True)
          for rank in (5, 50, 95)),
        Column("contributors", "text", "the value of each subject, separated by semicolons, in one order; empty in older norms. "
               "Rows contributor.<age_years, sex, mass_kg, ...> and contributor.<side>.<variable> have nothing else", added=True),
    )),
    TableRow("statistics", "one variable of one side, or one number, against the norm: would its population have this?", (
        Column("condition", "text", "condition of the trials averaged"), _SIDE, _VARIABLE, _COMPONENT,
        Column("test", "text", "whole curve (random field theory over the cycle) or one number (Crawford and Howell 1998)"),
        Column("n", "integer", "number of subjects of the norm"),
        Column("t", "number", "distance from the norm's mean in SDs times sqrt(1 + 1/n); of a curve the largest"),
        Column("limit", "number", "what 95 % of the norm's population stay within"),
        Column("percent", "number", "where the curve is farthest; empty for a number", "%"),
        Column("outside_percent", "number", "part of the cycle outside the band; empty for a number", "%"),
        Column("p", "number", "part of the norm's population that is as far from its mean or farther, either way"),
        Column("outside", "text", "true if p is below 0.05, else false; one test among many: of 20 variables of a healthy person "
               "one is outside"),
    )),
    TableRow("deviations", "one rule of gait patterns that one side meets, marked or not; without a norm there is no such table", (
        Column("condition", "text", "condition of the trials averaged"),
        Column("side", "text", "L or R; empty for what belongs to the whole walk"),
        Column("pattern", "text", "id of the rule: CRS ASWS2 ..."),
        Column("value", "number", "what the rule shows, of the mean cycle"),
        _UNIT, Column("norm_mean", "number", "mean of the norm's limbs, in the same unit"),
        Column("norm_sd", "number", "their standard deviation, not widened"), Column("norm_n", "integer", "people who tell"),
        Column("band", "number", "what 95 % of the session's own errors stay within: markers placed anew, and the cycles' scatter"),
        Column("cycles_shown", "integer", "cycles that meet the rule"), Column("cycles", "integer", "cycles that could be judged"),
        Column("artefact", "text", "what could make it without it being there, ids separated by semicolons"),
        Column("within_error", "text", "true where value and norm_mean are no farther apart than band, else false"),
        Column("size", "number", "|value - norm_mean| / sqrt((w norm_sd)^2 + (band / 1.96)^2); w = t(norm_n - 1, 97.7 %) "
               "sqrt(1 + 1 / norm_n) / 2"),
        Column("least_sayable", "number", "how far from norm_mean a value must lie to be said, in the same unit"),
        Column("marked", "text", "true where it is said in words: beyond error, size 2.5 and more, three cycles and more, a tested "
               "rule, outside the sagittal plane no turned knee axis; else false"),
        Column("covered_by", "text", "the pattern in whose sentence it stands; empty where it stands alone"),
    )),
    TableRow("changes", "one pattern of one side that is said of one of two sessions; written beside a comparison's PDF", (
        Column("session", "text", "which one is compared with the first, A: B to F"),
        Column("side", "text", "L or R; empty for what belongs to the whole walk"),
        Column("pattern", "text", "id of the rule: CRS ASWS2 ..."),
        Column("before", "number", "what the rule shows of session A, of the mean cycle"),
        Column("after", "number", "the same of the other"), Column("change", "number", "after less before"),
        Column("band", "number", "what 95 % of changes stay within where nothing changed: both placements, and the cycles' "
               "scatter by t of their number"),
        Column("direction", "text", "towards norm, away from norm, past the norm, or within error"), _UNIT,
        Column("marked_before", "text", "true where the pattern is said in words of session A, else false"),
        Column("marked_after", "text", "the same of the other"),
        Column("covered_by", "text", "the pattern in whose sentence it stands; empty where it stands alone"),
    )),
    TableRow("channels", "one analog channel that no force plate uses: muscle, verdict and the numbers behind it", (
        _TRIAL, _LABEL, _MUSCLE, _SIDE, Column("unit", "text", "of the signal in every table: uV at the skin, or as stored"),
        Column("verdict", "text", "live quiet dead hum railed artefact intermittent not_emg; only live is shown as a muscle"),
        Column("also", "text", "what else was seen: hum artefact railed rectified heart strikes crosstalk"),
        Column("reason", "text", "the number that decided, in one sentence"), Column("rule", "text", "what decided"),
        Column("by_cycle", "text", "for each cycle its number, verdict and RMS in the channel's unit"),
        Column("cycles_averaged", "integer", "cycles that enter the mean envelope"),
        Column("sd", "number", "standard deviation of the band-passed signal, in the channel's unit"),
        Column("burst_ratio", "number", "95th over 10th percentile of the RMS in 50 ms windows"),
        Column("span_ratio", "number", "99th over 10th percentile of the same"),
        Column("slope", "number", "power density at 30-120 Hz over that of the band's upper part, without lines; 1 is white noise"),
        Column("kurtosis", "number", "of the band-passed signal; 3 for noise"),
        Column("line_hz", "number", "strongest narrow line", "Hz"), Column("line_percent", "number", "power in narrow lines", "%"),
        Column("low_percent", "number", "power below 20 Hz", "%"), Column("rail_percent", "number", "samples at a limit", "%"),
        Column("noise", "number", "RMS of the quietest stretches, in the channel's unit"),
        Column("threshold", "number", "RMS above which the muscle is on, in the channel's unit"),
        Column("highpass_hz", "number", "lower design frequency of the band-pass", "Hz"),
        Column("notch_hz", "number", "line that was taken out with its harmonics; empty for none", "Hz"),
        Column("peak", "number", "what 100 % of percent_peak is, in the channel's unit: the session's own, or the reference's"),
        Column("alike", "text", "channels that carry much the same signal, with the correlation"),
        Column("side_ratio", "number", "log ratio of fitting the own foot's cycles and the other's; below -0.4 perhaps exchanged"),
    )),
    TableRow("emg", "the envelope of one live channel at one percent of one cycle of its side; 101 rows make a curve", (
        _TRIAL, _LABEL, _MUSCLE, _SIDE, _CYCLE, _PERCENT, Column("value", "number", "the envelope"), _UNIT,
        Column("percent_peak", "number", "in percent of channels.csv's peak: not comparable between sessions or sides", "%"),
        Column("verdict", "text", "what the channel holds in this cycle"),
        Column("used", "text", "true if the cycle enters the mean envelope, else false"),
    )),
    TableRow("emg_activity", "one stretch in which a live channel is on, of the trial (cycle 0) or of one cycle of its side", (
        _TRIAL, _LABEL, _MUSCLE, _SIDE, _CYCLE, Column("on_s", "number", "beginning, on the recording's clock", "s"),
        Column("off_s", "number", "end", "s"), Column("on_percent", "number", "beginning in the cycle", "%"),
        Column("off_percent", "number", "end in the cycle", "%"),
    )),
    TableRow("emg_pairs", "how much two muscles that pull a joint opposite ways are on together in one cycle", (
        _TRIAL, _SIDE, _CYCLE, Column("joint", "text", "the joint"), Column("first", "text", "one muscle"),
        Column("second", "text", "the other"),
        Column("value", "number", "twice the common area over the sum of both, envelopes in percent of their peak", "%"),
    )),
    TableRow("emg_raw", "the lowest and highest raw value of one channel in 5 ms, as pages draw it", (
        _TRIAL, _LABEL, Column("time_s", "number", "beginning of the 5 ms, on the recording's clock", "s"),
        Column("lowest", "number", "in the channel's unit"), Column("highest", "number", "in the channel's unit"),
    )),
    TableRow("examination", "one value of the clinical examination, as files, subject.toml or a table examination.csv hold it", (
        Column("joint", "text", "hip, knee, ankle or foot; empty where none is meant or known"),
        Column("test", "text", "what was examined: flexion, strength, spasticity, ...; of an unknown test the file's key"),
        Column("muscle", "text", "muscle or group of muscles"), _SIDE,
        Column("value", "number", "in the unit; of a grade a number to sort by (5- is 4.67)"), _UNIT,
        Column("grade", "text", "as written: 5-, 1+"), Column("scale", "text", "of the grade: MRC 0 to 5"),
        Column("position", "text", "of the body: knee flexed"),
        Column("under", "text", "awake or anaesthesia; empty where nobody says"),
        Column("examiner", "text", "who examined; empty under a code"), Column("date", "text", "ISO date; empty where nobody says"),
        Column("positive", "text", "what a positive value means; empty where nobody says: then it never stands beside a curve"),
        Column("raw", "text", "as it was written"), Column("source", "text", "where it was read"),
    )),
    TableRow("muscles", "one muscle and one angle at one percent of one cycle", (
        _TRIAL, _SIDE, _CYCLE, _PERCENT, Column("muscle", "text", "psoas, medial_hamstrings, ..., soleus: one of the clinic's"),
        Column("path", "text", "what the model calls it"),
        Column("standing_mm", "number", "its length with tendons in standing", "mm"),
        Column("standing", "text", "static: mean of the static trial; default: the model's default pose, without a static trial"),
        Column("length_normal", "number", "its length over that"),
        Column("length_sd", "number", "one standard deviation of that: soft tissue below the markers, through the pose"),
        Column("velocity", "number", "rate of length_normal, positive where it lengthens", "1/s"),
        Column("coordinate", "text", "an angle of the model that it acts on"),
        Column("moment_arm_mm", "number", "minus the derivative of its length by that angle", "mm"),
    )),
    TableRow("muscle_forces", "one muscle of a leg at one percent of one cycle: an estimate of least effort", (
        _TRIAL, _SIDE, _CYCLE, _PERCENT, Column("muscle", "text", "what the model calls it"),
        Column("activation", "number", "its control, 0 to 1"),
        Column("force_N", "number", "along its tendon; empty where the leg's loads are not known, or no forces balance them", "N"),
        Column("sd_N", "number", "one standard deviation of that by linear response: strengths 10 %, moment arms 5 %, moments "
               "3 % of their largest, assumed; empty for another exponent than 2", "N"),
        Column("least_N", "number", "how small it may be at 5 % more effort of the leg's muscles: no confidence interval", "N"),
        Column("most_N", "number", "how large it may be", "N"),
        Column("at_limit", "text", "true where its activation is at its largest, else false"),
    )),
    TableRow("joint_contact", "what one joint carries at one percent of one cycle: an estimate of least effort", (
        _TRIAL, _SIDE, _CYCLE, _PERCENT, Column("joint", "text", "hip, knee or ankle"),
        Column("force_N", "number", "size of the contact force on the bone below; empty as in muscle_forces.csv", "N"),
        Column("body_weights", "number", "the same over the model's weight"),
        Column("sd_N", "number", "one standard deviation of that, as in muscle_forces.csv", "N"),
        Column("least_N", "number", "how small it may be along its direction at 5 % more effort of the leg's muscles", "N"),
        Column("most_N", "number", "how large it may be", "N"),
        Column("anterior_N", "number", "force ON the bone below along its own axis X", "N"),
        Column("proximal_N", "number", "along Y", "N"), Column("to_the_right_N", "number", "along Z", "N"),
        Column("intersegmental_N", "number", "size of the force of inverse dynamics, without muscles: no contact force", "N"),
        Column("reserve_share", "number", "largest part that reserves carry of a moment, over its largest in the trial"),
        Column("residual_N", "number", "force that nothing explains at the root; empty where a foot's load is not known", "N"),
    )),
    TableRow("whole_body", "one number of the whole body at one video frame; what is missing has no row", (
        _TRIAL, Column("time_s", "number", "absolute time on the recording's clock", "s"),
        Column("variable", "text", "CentreOfMass ResidualForce LLegPower ...: the table of the whole body's variables"), _COMPONENT,
        Column("value", "number", "the variable"), _UNIT,
    )),
    TableRow("verdicts", "one subject's folder of a study", (
        Column("subject", "text", "the folder, relative to the study"),
        Column("verdict", "text", "done, warnings or failed"),
        Column("trials", "integer", "number of trials analysed"),
        Column("sentence", "text", "what was complained about; empty if nothing was"),
    )),
    TableRow("left_out", "one cycle, trial or subject of a study that no mean holds, or no mean of kinetics", (
        Column("subject", "text", "the folder, relative to the study"),
        Column("trial", "text", "name of the trial, or the file that could not be analysed; empty: the whole subject"),
        Column("side", "text", "L or R; empty: the whole trial"),
        Column("cycle", "integer", "number of the cycle on that side; 0: the whole trial"),
        Column("of", "text", "means, or kinetics where only those are missing"),
        Column("rule", "text", "stable identifier of the reason"), Column("reason", "text", "why, in words"),
    )),
    TableRow("parity", "one variable and axis of one trial and side, ours minus what the vendor's software stored", (
        _TRIAL, _SIDE, _VARIABLE, Column("axis", "text", "X, Y or Z; empty for a scalar"), _UNIT,
        Column("rmse", "number", "root mean square difference"), Column("largest", "number", "largest absolute difference"),
        Column("correlation", "number", "of both curves; empty when one of them is constant"),
        Column("frames", "integer", "frames compared"),
        Column("worst_frame", "integer", "the recording's own number of the frame with the largest difference; 0 without one"),
        Column("left_out", "text", "how many frames were not compared, and why"),
        Column("equal", "text", "true if no more than the rounding of an equal model, else false; empty: nothing was compared"),
        Column("turning", "integer", "frames left out: foot progression on a turning walk", added=True),
        Column("ground_not_stored", "integer", "frames left out: without a stored ground reaction", added=True),
        Column("in_swing", "integer", "frames left out: ground reaction in swing", added=True),
        Column("not_stored", "integer", "frames left out: the file stores nothing there", added=True),
        Column("not_computed", "integer", "frames left out: nothing was computed there", added=True),
        Column("heel_passes", "integer", "frames left out: the file's software smoothed the foot's heel again", added=True),
    )),
)  # fmt: skip
#: Tables in the folder of every session, in the order they are written.
SESSION_TABLES: tuple[str, ...] = ("cycles", "budget", "spatiotemporal", "peaks", "scores", "stances", "gaps", "quality")


def table_columns(name: str) -> tuple[Column, ...]:
    """Columns of one tidy table.

    Parameters
    ----------
    name : str
        Of the table, without ``.csv``.

    Returns
    -------
    tuple[Column, ...]
        In file order.

    Examples
    --------
    >>> from biomech_id.conventions import table_columns
    >>> [column.name for column in table_columns("cycles")]
    ['trial', 'side', 'cycle', 'kinetics_valid', 'percent', 'variable', 'component', 'value']
    """
    return next(table.columns for table in TABLES if table.name == name)
