"""Who walked, from the PROCESSING, SUBJECT and SUBJECTS groups; nothing is invented, and nothing inhuman is believed.

Vicon stores lengths in millimetres and angles of the calibration in radians (Nexus) or degrees (Workstation).
"""

from __future__ import annotations

from itertools import product
from math import degrees as degrees_of
from math import isfinite, radians
from typing import Any

from biomech_id.conventions import MM_PER_M, SIDES
from biomech_id.errors import Finding
from biomech_id.readers.c3d.file import C3DFile
from biomech_id.trial import Subject
from biomech_id.trial.subject import LIMITS

_BOTH = ("SUBJECT", "SUBJECTS")
#: Field, its name in a finding, the finding's rule, where files keep it, units (their ranges do not overlap), what is human.
SIZES = (
    ("mass_kg", "mass_kg", "mass-implausible", [("PROCESSING", "BODYMASS"), *product(_BOTH, ["WEIGHT", "MASS"])], (1,), (20, 250)),
    ("height_m", "height", "height-implausible", [*product(("PROCESSING", *_BOTH), ["HEIGHT"])], (0.001, 0.01, 1), (0.3, 2.5)),
)
#: Field -> name in PROCESSING without side, spaces and underscores; human limits in metres.
LENGTHS: dict[str, tuple[str, float, float]] = {
    "marker_diameter_m": ("markerdiameter", 0.001, 0.06),
    "inter_asis_distance_m": ("interasisdistance", 0.05, 0.6),
}
SIDE_LENGTHS: dict[str, tuple[str, float, float]] = {
    "leg_length_m": ("leglength", 0.15, 1.4),
    "knee_width_m": ("kneewidth", 0.02, 0.3),
    "ankle_width_m": ("anklewidth", 0.015, 0.2),
    "asis_trochanter_distance_m": ("asistrocanterdistance", 0.001, 0.3),
    "shoulder_offset_m": ("shoulderoffset", 0.005, 0.15),
    "elbow_width_m": ("elbowwidth", 0.02, 0.2),
    "wrist_width_m": ("wristwidth", 0.01, 0.15),
    "hand_thickness_m": ("handthickness", 0.005, 0.1),
}
#: May be zero or negative.
SIDE_OFFSETS: dict[str, tuple[str, float, float]] = {"sole_delta_m": ("soledelta", -0.1, 0.1)}
SIDE_ANGLES: dict[str, str] = {
    "tibial_torsion_rad": "tibialtorsion",
    "thigh_rotation_rad": "thighrotation",
    "shank_rotation_rad": "shankrotation",
    "ankle_abduction_rad": "ankleabadd",
    "static_plantar_flexion_rad": "staticplantflex",
    "static_rotation_offset_rad": "staticrotoff",
}
#: Never exactly zero once computed.
NEVER_ZERO = {"static_plantar_flexion_rad", "static_rotation_offset_rad"}
#: An offset of more than this many radians (57 deg) is impossible, so such a file stores degrees.
LARGEST_OFFSET_RAD = 1.0


def read_subject(file: C3DFile, prefix: str, session_date: str | None) -> tuple[Subject, tuple[Finding, ...]]:
    """Return the measurements the file holds.

    Parameters
    ----------
    file : C3DFile
        The file.
    prefix : str
        The chosen subject's label prefix, or "".
    session_date : str | None
        ISO date of the recording, or None.
    """
    findings: list[Finding] = []
    where = file.source.name
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    stored = _processing(file)
    _mass_and_height(file, values, sources, findings, where)
    for field, (name, low, high) in LENGTHS.items():
        if (found := _length(stored, name, low, high, findings, where)) is not None:
            values[field], sources[field] = found, f"PROCESSING:{stored[name][0]}"
    for field, (name, low, high) in (SIDE_LENGTHS | SIDE_OFFSETS).items():
        lengths = {side: _length(stored, side.lower() + name, low, high, findings, where) for side in SIDES}
        _keep_sides(field, lengths, name, stored, values, sources)
    degrees = _in_degrees(file, stored)
    for field, name in SIDE_ANGLES.items():
        angles = {side: _angle(stored, side.lower() + name, degrees, field in NEVER_ZERO) for side in SIDES}
        for side, angle in angles.items():
            if angle is not None and not LIMITS[field][0] <= angle <= LIMITS[field][1]:
                shown = {"file": where, "name": stored[side.lower() + name][0], "value_deg": degrees_of(angle), "limit_deg": 90.0}
                findings.append(Finding("offset-implausible", shown, where))
                angles[side] = None
        _keep_sides(field, angles, name, stored, values, sources)
    if "headoffset" in stored:
        label, offset = stored["headoffset"]
        offset = radians(offset) if degrees else offset
        if LIMITS["head_offset_rad"][0] <= offset <= LIMITS["head_offset_rad"][1]:
            values["head_offset_rad"], sources["head_offset_rad"] = offset, f"PROCESSING:{label}"
        else:
            shown = {"file": where, "name": label, "value_deg": degrees_of(offset), "limit_deg": 90.0}
            findings.append(Finding("offset-implausible", shown, where))
    sex = (file.parameters.text("SUBJECT", "SEX") or file.parameters.text("SUBJECT", "GENDER")).strip().lower()[:1]
    if sex in ("m", "f"):
        values["sex"], sources["sex"] = {"m": "male", "f": "female"}[sex], "SUBJECT:SEX"
    age = file.parameters.number("SUBJECT", "AGE")
    if age is not None and 0 < age < 120:
        values["age_years"], sources["age_years"] = age, "SUBJECT:AGE"
    if session_date:
        values["session_date"], sources["session_date"] = session_date, "file"
    return Subject(code=_code(file, prefix), sources=sources, **values), tuple(findings)


def _code(file: C3DFile, prefix: str) -> str:
    names = [name for name in file.parameters.strings("SUBJECTS", "NAMES") if name]
    return prefix or (names[0] if names else "")


def _processing(file: C3DFile) -> dict[str, tuple[str, float]]:
    """Numbers of the PROCESSING group: simplified name -> (name as stored, value). `Marker Diameter` and MarkerDiameter are one."""
    group = file.parameters.groups.get("PROCESSING")
    found: dict[str, tuple[str, float]] = {}
    for parameter in group.parameters.values() if group else ():
        value = parameter.numbers
        if value.size and isfinite(float(value.flat[0])):
            found.setdefault(
                parameter.record.name.lower().replace(" ", "").replace("_", ""), (parameter.record.name, float(value.flat[0]))
            )
    return found


def _keep_sides(
    field: str, both: dict[str, float | None], name: str, stored: dict[str, tuple[str, float]],
    values: dict[str, Any], sources: dict[str, str],
) -> None:  # fmt: skip
    present = {side: value for side, value in both.items() if value is not None}
    if present:
        values[field] = present
        sources[field] = "PROCESSING:" + ", ".join(stored[side.lower() + name][0] for side in present)


def _length(
    stored: dict[str, tuple[str, float]], name: str, low: float, high: float, findings: list[Finding], where: str
) -> float | None:
    if name not in stored:
        return None
    label, value_mm = stored[name]
    value_m = value_mm / MM_PER_M
    if low <= value_m <= high:
        return value_m
    # Zero is how a vendor writes "not measured".
    if value_mm != 0.0:
        values = {"file": where, "name": label, "value_mm": value_mm, "low_mm": low * MM_PER_M, "high_mm": high * MM_PER_M}
        findings.append(Finding("measurement-implausible", values, where))
    return None


def _angle(stored: dict[str, tuple[str, float]], name: str, degrees: bool, never_zero: bool) -> float | None:
    if name not in stored:
        return None
    value = stored[name][1]
    if never_zero and value == 0.0:
        return None
    return radians(value) if degrees else value


def _in_degrees(file: C3DFile, stored: dict[str, tuple[str, float]]) -> bool:
    angles = [stored[side.lower() + name][1] for name in SIDE_ANGLES.values() for side in SIDES if side.lower() + name in stored]
    workstation = "workstation" in file.parameters.text("MANUFACTURER", "SOFTWARE").lower()
    return workstation or any(abs(angle) > LARGEST_OFFSET_RAD for angle in angles)


def _mass_and_height(file: C3DFile, values: dict[str, Any], sources: dict[str, str], findings: list[Finding], where: str) -> None:
    for field, word, rule, places, units, (low, high) in SIZES:
        for group, name in places:
            found = file.parameters.number(group, name)
            if found is None or field in values:
                continue
            fitting = [found * unit for unit in units if low <= found * unit <= high]
            if fitting:
                values[field], sources[field] = fitting[0], f"{group}:{name.title()}"
            else:
                findings.append(Finding(rule, {"file": where, word: found, "parameter": f"{group}:{name}"}, where))
