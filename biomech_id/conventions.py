"""The sign table, the names and the units this package promises to other people's programs.

Laboratory axes are right-handed with Z up. Conventional-model segment axes are x anterior, y to the subject's LEFT on both
sides, z proximal. Clinical components mirror left and right so that one word fits both legs.

``SIGN_TABLE`` is the single source: column names, units, axis words of every plot and ``docs/conventions.md`` are derived from
it, and ``tests/contract/test_sign_table.py`` moves a segment in each named direction and asserts the sign of every row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

SIDES: tuple[str, str] = ("L", "R")
SIDE_WORDS: dict[str, str] = {"L": "left", "R": "right", "": ""}
#: +1 for the left side, -1 for the right: the mirroring factor s of the conventional model.
SIDE_SIGN: dict[str, float] = {"L": 1.0, "R": -1.0}

#: One leg, distal to proximal: the order of the block system's rows.
LEG_SEGMENTS: tuple[str, str, str] = ("foot", "shank", "thigh")
JOINTS: tuple[str, str, str] = ("ankle", "knee", "hip")
DISTAL_SEGMENT: dict[str, str] = {"ankle": "foot", "knee": "shank", "hip": "thigh"}
PROXIMAL_SEGMENT: dict[str, str] = {"ankle": "shank", "knee": "thigh", "hip": "pelvis"}

#: Magnitude of gravity, m/s2: the value the conventional model uses (9.80665 is measurably wrong against its outputs).
GRAVITY_M_S2 = 9.81
GRAVITY_LAB_M_S2: tuple[float, float, float] = (0.0, 0.0, -GRAVITY_M_S2)

MM_PER_M = 1000.0

#: Version of every table and JSON this package writes.
SCHEMA = 1

Quantity = Literal["angle", "moment", "force", "power", "ground force", "ground moment", "point", "scalar"]
AXES: tuple[str, str, str] = ("X", "Y", "Z")

UNITS: dict[str, str] = {
    "angle": "deg",
    "moment": "N m/kg",
    "force": "N/kg",
    "power": "W/kg",
    "ground force": "N/kg",
    "ground moment": "N m/kg",
    "point": "mm",
}


@dataclass(frozen=True)
class SignRow:
    """One row of the sign table.

    Attributes
    ----------
    variable : output name without the side, ``HipAngles``.
    component : "X", "Y", "Z", or "" for a scalar.
    title : what a clinician calls it, "Hip flexion".
    positive, negative : words for the two ends of the axis.
    quantity : what it is; `UNITS` gives its unit.
    joint : "pelvis", "hip", "knee", "ankle", "foot" or "ground".
    expressed_in : frame of the components, in words.
    """

    variable: str
    component: str
    title: str
    positive: str
    negative: str
    quantity: Quantity
    joint: str
    expressed_in: str

    @property
    def unit(self) -> str:
        """Unit of the component as written in tables and plots."""
        return UNITS[self.quantity]

    def column(self, side: str) -> str:
        """Column name in ``trials/<stem>.csv``: ``LHipAngles.X``."""
        return f"{side}{self.variable}" + (f".{self.component}" if self.component else "")


_ANGLE = "Cardan sequence Y-X-Z of the conventional model"
_LAB_ANGLE = "progression axes to segment, Cardan sequence Y-X-Z"

SIGN_TABLE: tuple[SignRow, ...] = (
    SignRow("PelvisAngles", "X", "Pelvic tilt", "Anterior", "Posterior", "angle", "pelvis", _LAB_ANGLE),
    SignRow("PelvisAngles", "Y", "Pelvic obliquity", "Up", "Down", "angle", "pelvis", _LAB_ANGLE),
    SignRow("PelvisAngles", "Z", "Pelvic rotation", "Internal", "External", "angle", "pelvis", _LAB_ANGLE),
    SignRow("HipAngles", "X", "Hip flexion", "Flexion", "Extension", "angle", "hip", _ANGLE),
    SignRow("HipAngles", "Y", "Hip adduction", "Adduction", "Abduction", "angle", "hip", _ANGLE),
    SignRow("HipAngles", "Z", "Hip rotation", "Internal", "External", "angle", "hip", _ANGLE),
    SignRow("KneeAngles", "X", "Knee flexion", "Flexion", "Extension", "angle", "knee", _ANGLE),
    SignRow("KneeAngles", "Y", "Knee varus", "Varus", "Valgus", "angle", "knee", _ANGLE),
    SignRow("KneeAngles", "Z", "Knee rotation", "Internal", "External", "angle", "knee", _ANGLE),
    SignRow("AnkleAngles", "X", "Ankle dorsiflexion", "Dorsiflexion", "Plantarflexion", "angle", "ankle", _ANGLE),
    SignRow("AnkleAngles", "Y", "Ankle eversion", "Eversion", "Inversion", "angle", "ankle", _ANGLE),
    SignRow("AnkleAngles", "Z", "Ankle rotation", "Internal", "External", "angle", "ankle", _ANGLE),
    SignRow("FootProgressAngles", "X", "Foot pitch", "Toes down", "Toes up", "angle", "foot", _LAB_ANGLE),
    SignRow("FootProgressAngles", "Y", "Foot roll", "Inversion", "Eversion", "angle", "foot", _LAB_ANGLE),
    SignRow("FootProgressAngles", "Z", "Foot progression", "Internal", "External", "angle", "foot", _LAB_ANGLE),
    SignRow("HipMoment", "X", "Hip sagittal moment", "Extensor", "Flexor", "moment", "hip", "thigh axes"),
    SignRow("HipMoment", "Y", "Hip frontal moment", "Abductor", "Adductor", "moment", "hip", "thigh axes"),
    SignRow("HipMoment", "Z", "Hip transverse moment", "External rotator", "Internal rotator", "moment", "hip", "thigh axes"),
    SignRow("KneeMoment", "X", "Knee sagittal moment", "Extensor", "Flexor", "moment", "knee", "shank axes"),
    SignRow("KneeMoment", "Y", "Knee frontal moment", "Valgus", "Varus", "moment", "knee", "shank axes"),
    SignRow("KneeMoment", "Z", "Knee transverse moment", "External rotator", "Internal rotator", "moment", "knee", "shank axes"),
    SignRow("AnkleMoment", "X", "Ankle sagittal moment", "Plantarflexor", "Dorsiflexor", "moment", "ankle", "foot axes"),
    SignRow("AnkleMoment", "Y", "Ankle frontal moment", "Evertor", "Invertor", "moment", "ankle", "foot axes"),
    SignRow("AnkleMoment", "Z", "Ankle transverse moment", "External rotator", "Internal rotator", "moment", "ankle", "foot axes"),
    SignRow("HipForce", "X", "Hip shear force", "Anterior", "Posterior", "force", "hip", "thigh axes"),
    SignRow("HipForce", "Y", "Hip lateral force", "To the left", "To the right", "force", "hip", "thigh axes"),
    SignRow("HipForce", "Z", "Hip axial force", "Proximal", "Distal", "force", "hip", "thigh axes"),
    SignRow("KneeForce", "X", "Knee shear force", "Anterior", "Posterior", "force", "knee", "shank axes"),
    SignRow("KneeForce", "Y", "Knee lateral force", "To the left", "To the right", "force", "knee", "shank axes"),
    SignRow("KneeForce", "Z", "Knee axial force", "Proximal", "Distal", "force", "knee", "shank axes"),
    SignRow("AnkleForce", "X", "Ankle axial force", "Plantar", "Dorsal", "force", "ankle", "foot axes"),
    SignRow("AnkleForce", "Y", "Ankle lateral force", "To the left", "To the right", "force", "ankle", "foot axes"),
    SignRow("AnkleForce", "Z", "Ankle shear force", "Towards the toes", "Towards the heel", "force", "ankle", "foot axes"),
    SignRow("HipPower", "", "Hip power", "Generation", "Absorption", "power", "hip", "scalar"),
    SignRow("KneePower", "", "Knee power", "Generation", "Absorption", "power", "knee", "scalar"),
    SignRow("AnklePower", "", "Ankle power", "Generation", "Absorption", "power", "ankle", "scalar"),
    SignRow("HipPowerTranslational", "", "Hip translational power", "Generation", "Absorption", "power", "hip", "scalar"),
    SignRow("KneePowerTranslational", "", "Knee translational power", "Generation", "Absorption", "power", "knee", "scalar"),
    SignRow("AnklePowerTranslational", "", "Ankle translational power", "Generation", "Absorption", "power", "ankle", "scalar"),
    SignRow("GroundReactionForce", "X", "Ground reaction X", "+X", "-X", "ground force", "ground", "laboratory axes"),
    SignRow("GroundReactionForce", "Y", "Ground reaction Y", "+Y", "-Y", "ground force", "ground", "laboratory axes"),
    SignRow("GroundReactionForce", "Z", "Ground reaction Z", "Up", "Down", "ground force", "ground", "laboratory axes"),
    SignRow("GroundReactionMoment", "X", "Ground moment X", "+X", "-X", "ground moment", "ground", "laboratory axes, about its origin"),
    SignRow("GroundReactionMoment", "Y", "Ground moment Y", "+Y", "-Y", "ground moment", "ground", "laboratory axes, about its origin"),
    SignRow("GroundReactionMoment", "Z", "Ground moment Z", "+Z", "-Z", "ground moment", "ground", "laboratory axes, about its origin"),
)  # fmt: skip

#: Points written per side, in mm, laboratory axes; foot outline points are added by the model with the suffix ``Outline``.
POINT_VARIABLES: tuple[str, ...] = ("CentreOfPressure", "HJC", "KJC", "AJC")

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

#: Clinical moment and force components from components in the axes of the segment distal to the joint (conventional frames):
#: for X, Y, Z the index of the segment axis, its factor, and whether the factor is mirrored (times `SIDE_SIGN`).
ComponentRule = tuple[int, float, bool]
MOMENT_RULES: dict[str, tuple[ComponentRule, ComponentRule, ComponentRule]] = {
    "ankle": ((1, 1.0, False), (2, -1.0, True), (0, 1.0, True)),
    "knee": ((1, -1.0, False), (0, 1.0, True), (2, 1.0, True)),
    "hip": ((1, 1.0, False), (0, 1.0, True), (2, 1.0, True)),
}
FORCE_RULES: dict[str, tuple[ComponentRule, ComponentRule, ComponentRule]] = {
    "ankle": ((0, -1.0, False), (1, 1.0, False), (2, -1.0, False)),
    "knee": ((0, 1.0, False), (1, 1.0, False), (2, 1.0, False)),
    "hip": ((0, 1.0, False), (1, 1.0, False), (2, 1.0, False)),
}

#: Parts of the moment budget, in the order they are stacked.
BUDGET_PARTS: tuple[str, ...] = ("ground_reaction", "gravity", "linear_inertia", "angular_inertia", "gyroscopic")


def rows_of(variable: str) -> tuple[SignRow, ...]:
    """Rows of the sign table for one variable, in component order; empty if the variable is not in the table."""
    return tuple(row for row in SIGN_TABLE if row.variable == variable)


def frame_columns() -> Iterator[tuple[str, SignRow]]:
    """Yield (column, row) for every sign-table column of ``trials/<stem>.csv``, left side first."""
    for side in SIDES:
        for row in SIGN_TABLE:
            yield row.column(side), row
