"""Who walked, from every group that holds measurements, and when; nothing is invented, and nothing inhuman is believed.

Vicon stores lengths in millimetres and angles of the calibration in radians (Nexus) or degrees (Workstation): its own names in
PROCESSING come first. What they leave out is filled in by what other names mean (`biomech_id.readers.c3d.measurements`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import product
from math import degrees as degrees_of
from math import isfinite, radians
from typing import Any

from biomech_id.conventions import MM_PER_M, SIDES
from biomech_id.readers.c3d.file import C3DFile
from biomech_id.readers.c3d.measurements import NamedValue, in_si, is_about_person, measurements, rows_as_text
from biomech_id.readers.c3d.parameters import Parameters
from biomech_id.readers.source import FileFindings
from biomech_id.trial import Subject
from biomech_id.trial.examination import Examined, examined
from biomech_id.trial.subject import LIMITS
from biomech_id.trial.worn import stated_in, stated_in_fields

#: Field, its name in a finding, the finding's rule, Vicon's name in PROCESSING.
SIZES = (
    ("mass_kg", "mass_kg", "mass-implausible", "BODYMASS"),
    ("height_m", "height", "height-implausible", "HEIGHT"),
)
#: Two sources of one measurement disagree beyond this share of it.
LARGEST_DISAGREEMENT = 0.01
#: Field -> name in PROCESSING without side, spaces and underscores; human limits in metres.
LENGTHS: dict[str, tuple[str, float, float]] = {
    "marker_diameter_m": ("markerdiameter", 0.002, 0.06),
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


def read_subject(file: C3DFile, prefix: str, session_date: str | None, findings: FileFindings) -> Subject:
    """Return the measurements the file holds.

    Parameters
    ----------
    file : C3DFile
        The file, opened by `open_c3d`.
    prefix : str
        The chosen subject's label prefix, or "".
    session_date : str | None
        ISO date of the recording, or None.
    findings : FileFindings
        Takes values that are not believed.

    Returns
    -------
    Subject
        kg, m and rad, each with the parameter it comes from; what is missing or inhuman is left out.
    """
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    stored = _processing(file)
    _mass_and_height(file, values, sources, findings)
    for field, (name, low, high) in LENGTHS.items():
        _keep_one(field, _length(stored, name, low, high, findings), name, stored, values, sources)
    for field, (name, low, high) in (SIDE_LENGTHS | SIDE_OFFSETS).items():
        lengths = {side: _length(stored, side.lower() + name, low, high, findings) for side in SIDES}
        _keep_sides(field, lengths, name, stored, values, sources)
    degrees = _in_degrees(file, stored)
    for field, name in SIDE_ANGLES.items():
        angles = {side: _angle(stored, side.lower() + name, field, degrees, findings) for side in SIDES}
        _keep_sides(field, angles, name, stored, values, sources)
    head = _angle(stored, "headoffset", "head_offset_rad", degrees, findings)
    _keep_one("head_offset_rad", head, "headoffset", stored, values, sources)
    own = {label for key, (label, _) in stored.items() if key in _vendors_own()}
    read = [one for one in measurements(file.parameters) if not (one.group == "PROCESSING" and one.name in own)]
    _other_names(read, values, sources, findings)
    aid_and_shoes = _aid_and_shoes(file)
    values |= aid_and_shoes
    sources |= dict.fromkeys(aid_and_shoes, "file")
    examination = tuple(_examination(file.parameters))
    if examination:
        values["examination"], sources["examination"] = examination, examination[0].source.partition(":")[0]
    if session_date:
        values["session_date"], sources["session_date"] = session_date, "file"
    code = prefix or next(filter(None, file.parameters.strings("SUBJECTS", "NAMES")), "")
    return Subject(code=code, sources=sources, **values)


#: Simplified name of a number of the PROCESSING group -> its name as stored, and its value.
_Stored = dict[str, tuple[str, float]]


def _processing(file: C3DFile) -> _Stored:
    """Numbers of the PROCESSING group; `Marker Diameter` and MarkerDiameter are one."""
    group = file.parameters.groups.get("PROCESSING")
    stored: _Stored = {}
    for parameter in group.parameters.values() if group else ():
        value, name = parameter.numbers, parameter.record.name
        if value.size and isfinite(float(value.flat[0])):
            stored.setdefault(name.lower().replace(" ", "").replace("_", ""), (name, float(value.flat[0])))
    return stored


def stored_numbers(file: C3DFile) -> dict[str, float]:
    """Return the numbers that a vendor's software keeps for its models.

    Parameters
    ----------
    file : C3DFile
        The file, opened by `open_c3d`.

    Returns
    -------
    dict[str, float]
        Name in PROCESSING as stored -> its first number, in the software's own unit.
    """
    return dict(_processing(file).values())


def _keep_one(field: str, value: float | None, name: str, stored: _Stored, values: dict[str, Any], sources: dict[str, str]) -> None:
    if value is not None:
        values[field], sources[field] = value, f"PROCESSING:{stored[name][0]}"


def _keep_sides(
    field: str, both: dict[str, float | None], name: str, stored: _Stored, values: dict[str, Any], sources: dict[str, str]
) -> None:
    present = {side: value for side, value in both.items() if value is not None}
    if present:
        names = (stored[side.lower() + name][0] for side in present)
        values[field], sources[field] = present, f"PROCESSING:{', '.join(names)}"


def _length(stored: _Stored, name: str, low: float, high: float, findings: FileFindings) -> float | None:
    if name not in stored:
        return None
    label, value_mm = stored[name]
    value_m = value_mm / MM_PER_M
    if low <= value_m <= high:
        return value_m
    # Zero is how a vendor writes "not measured".
    if value_mm != 0.0:
        limits_mm = {"low_mm": low * MM_PER_M, "high_mm": high * MM_PER_M}
        findings.add("measurement-implausible", name=label, value_mm=value_mm, **limits_mm)
    return None


def _angle(stored: _Stored, name: str, field: str, degrees: bool, findings: FileFindings) -> float | None:
    label, value = stored.get(name, ("", 0.0))
    if not label or (field in NEVER_ZERO and value == 0.0):
        return None
    angle, (low, high) = radians(value) if degrees else value, LIMITS[field]
    if low <= angle <= high:
        return angle
    findings.add("offset-implausible", name=label, value_deg=degrees_of(angle), limit_deg=90.0)
    return None


def _in_degrees(file: C3DFile, stored: _Stored) -> bool:
    angles = [stored[side.lower() + name][1] for name in SIDE_ANGLES.values() for side in SIDES if side.lower() + name in stored]
    workstation = "workstation" in file.parameters.text("MANUFACTURER", "SOFTWARE").lower()
    return workstation or any(abs(angle) > LARGEST_OFFSET_RAD for angle in angles)


def _mass_and_height(file: C3DFile, values: dict[str, Any], sources: dict[str, str], findings: FileFindings) -> None:
    for field, word, rule, name in SIZES:
        value = file.parameters.number("PROCESSING", name)
        if value is None:
            continue
        fitting = in_si(field, value, "")[0]
        if fitting is not None:
            values[field], sources[field] = fitting, f"PROCESSING:{name.title()}"
        else:
            findings.add(rule, **{word: value}, parameter=f"PROCESSING:{name}")


def _aid_and_shoes(file: C3DFile) -> dict[str, str]:
    """Aid and footwear: what the file's fields say, else the words of its name, else of its folder's."""
    held = file.parameters.groups.items()
    rows = {
        parameter.record.name: parameter.strings[0]
        for group, own in held if is_about_person(group)
        for parameter in own.parameters.values() if len(parameter.strings) == 1
    }  # fmt: skip
    path = file.source.path
    return stated_in(path.parent.name, folder=True) | stated_in(path.stem) | stated_in_fields(rows)


def _examination(parameters: Parameters) -> Iterator[Examined]:
    """The values of a clinical examination that the groups about a person hold, as text or number."""
    for group, held in parameters.groups.items():
        for parameter in held.parameters.values() if is_about_person(group) else ():
            name, texts = parameter.record.name, rows_as_text(parameter)
            value = examined(name, texts[0], f"{group}:{name}") if len(texts) == 1 else None
            yield from (value,) if value else ()


def _vendors_own() -> set[str]:
    """Names in PROCESSING that are read as Vicon writes them."""
    sided = [name for name, *_ in (SIDE_LENGTHS | SIDE_OFFSETS).values()] + list(SIDE_ANGLES.values())
    both = {side.lower() + name for name in sided for side in SIDES}
    return both | {name for name, *_ in LENGTHS.values()} | {name.lower() for *_, name in SIZES} | {"headoffset"}


def _other_names(read: list[NamedValue], values: dict[str, Any], sources: dict[str, str], findings: FileFindings) -> None:
    """Fill in what other names hold; what cannot be a person's, or contradicts what another name holds, is said."""
    for one in read:
        if one.value is None:
            findings.add("measurement-unread", parameter=one.source, stored=one.stored)
        elif one.unit and one.unit != one.taken:
            findings.add("measurement-unit", parameter=one.source, stored=one.stored, unit=one.unit, taken=one.taken)
    for one in read:
        if one.value is None or _contradicted(one, values, sources, findings):
            continue
        rivals = [other for other in read if _same(one, other) and other.group == one.group and differs(one.value, other.value)]
        if rivals:
            # Two names of one group, one meaning: nobody can tell which is right.
            findings.add("measurements-disagree", one=one.source, value=one.stored, other=rivals[0].source, used="")
        elif not one.side:
            values.setdefault(one.quantity, one.value)
            sources.setdefault(one.quantity, one.source)
        elif one.side not in values.get(one.quantity, {}):
            values[one.quantity] = {**values.get(one.quantity, {}), one.side: one.value}
            before = sources.get(one.quantity, "")
            more = one.name if one.group == before.partition(":")[0] else one.source
            sources[one.quantity] = f"{before}, {more}" if before else more


def _same(one: NamedValue, other: NamedValue) -> bool:
    return (one.quantity, one.side) == (other.quantity, other.side) and one is not other


def differs(one: float | str | None, other: float | str | None) -> bool:
    """Whether two values of one measurement disagree beyond rounding.

    Parameters
    ----------
    one, other : float | str | None
        In SI; None agrees with everything.

    Returns
    -------
    bool
        False where one of the two is not known.
    """
    if one is None or other is None:
        return False
    if isinstance(one, str) or isinstance(other, str):
        return one != other
    return abs(one - other) > LARGEST_DISAGREEMENT * max(abs(one), abs(other))


def _contradicted(one: NamedValue, values: dict[str, Any], sources: dict[str, str], findings: FileFindings) -> bool:
    """Whether a value that is known already is another one, which is said."""
    known = values.get(one.quantity)
    known = known.get(one.side) if isinstance(known, dict) else known
    if not differs(known, one.value):
        return False
    findings.add("measurements-disagree", one=one.source, value=one.stored, other=sources[one.quantity], used=known)
    return True


PLACES = (*product(["TRIAL"], ["DATE", "DATE_TIME", "DATETIME"]), *product(["SESSION", "SUBJECT", "ANALYSIS"], ["DATE"]))


def session_date(parameters: Parameters) -> str | None:
    """Return the date of the recording.

    Parameters
    ----------
    parameters : Parameters
        Of any file; TRIAL, SESSION, SUBJECT and ANALYSIS are asked, in this order.

    Returns
    -------
    str | None
        ISO date; None when the file does not say or can be read in two ways (3/4/2008).
    """
    for group, name in PLACES:
        numbers = parameters.numbers(group, name).ravel()
        day = _iso(*map(int, numbers[:3])) if numbers.size >= 3 else _from_text(parameters.text(group, name))
        if day:
            return day
    return None


def _from_text(text: str) -> str | None:
    parts = re.findall(r"\d+", text)[:3]
    if len(parts) < 3:
        return None
    if len(parts[0]) == 4:
        return _iso(*(int(part) for part in parts))
    first, second, year = (int(part) for part in parts)
    if len(parts[2]) != 4 or (first <= 12 and second <= 12 and first != second):
        return None
    day, month = (second, first) if second > 12 else (first, second)
    return _iso(year, month, day)


def _iso(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat() if 1970 <= year <= 2200 else None
    except ValueError:
        return None
