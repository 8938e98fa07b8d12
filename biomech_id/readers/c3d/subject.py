"""Who walked, from every group that holds measurements; nothing is invented, and nothing inhuman is believed.

Vicon stores lengths in millimetres and angles of the calibration in radians (Nexus) or degrees (Workstation): its own names in
PROCESSING come first. What they leave out is filled in by what other names mean (`biomech_id.readers.c3d.measurements`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
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
from biomech_id.values import dataclass, field

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
    known = _Known()
    _add_mass_and_height(file, known, findings)
    stored = _processing(file)
    _add_vendors_own(file, stored, known, findings)
    own = {label for key, (label, _) in stored.items() if key in _vendors_own()}
    others = [each for each in measurements(file.parameters) if not (each.group == "PROCESSING" and each.name in own)]
    _add_other_names(others, known, findings)
    for quantity, word in _aid_and_shoes(file).items():
        known.add(quantity, "", word, "file")
    examination = tuple(_examination(file.parameters))
    if examination:
        known.add("examination", "", examination, examination[0].source.partition(":")[0])
    if session_date:
        known.add("session_date", "", session_date, "file")
    code = prefix or next(filter(None, file.parameters.strings("SUBJECTS", "NAMES")), "")
    return Subject(code=code, sources=known.sources, **known.values)


@dataclass
class _Known:
    """What of a person is known so far.

    Attributes
    ----------
    values : dict[str, Any]
        Field of `Subject` -> its value, or side -> value.
    sources : dict[str, str]
        Field -> where it stands: "PROCESSING:LLegLength, RLegLength".
    """

    values: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)

    def value(self, quantity: str, side: str) -> float | str | None:
        """What is known of a quantity, of one side where it has two."""
        value = self.values.get(quantity)
        return value.get(side) if isinstance(value, dict) else value

    def add(self, quantity: str, side: str, value: object, source: str) -> None:
        """Add a value, of one side or of side ""; None and what is known already change nothing."""
        if value is None or self.value(quantity, side) is not None:
            return
        if side:
            self.values.setdefault(quantity, {})[side] = value
        else:
            self.values[quantity] = value
        before, (group, _, name) = self.sources.get(quantity), source.partition(":")
        added = name if before and before.startswith(f"{group}:") else source
        self.sources[quantity] = f"{before}, {added}" if before else source


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


def _add_vendors_own(file: C3DFile, stored: _Stored, known: _Known, findings: FileFindings) -> None:
    """Add lengths and angles that PROCESSING holds under Vicon's own names."""
    for quantity, (name, low, high) in LENGTHS.items():
        known.add(quantity, "", _length(stored, name, low, high, findings), _source(stored, name))
    for quantity, (name, low, high) in (SIDE_LENGTHS | SIDE_OFFSETS).items():
        for side in SIDES:
            own = side.lower() + name
            known.add(quantity, side, _length(stored, own, low, high, findings), _source(stored, own))
    degrees = _in_degrees(file, stored)
    for quantity, name in SIDE_ANGLES.items():
        for side in SIDES:
            own = side.lower() + name
            known.add(quantity, side, _angle(stored, own, quantity, degrees, findings), _source(stored, own))
    head_rad = _angle(stored, "headoffset", "head_offset_rad", degrees, findings)
    known.add("head_offset_rad", "", head_rad, _source(stored, "headoffset"))


def _source(stored: _Stored, name: str) -> str:
    return f"PROCESSING:{stored.get(name, ('',))[0]}"


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


def _angle(stored: _Stored, name: str, quantity: str, degrees: bool, findings: FileFindings) -> float | None:
    label, value = stored.get(name, ("", 0.0))
    if not label or (quantity in NEVER_ZERO and value == 0.0):
        return None
    angle, (low, high) = radians(value) if degrees else value, LIMITS[quantity]
    if low <= angle <= high:
        return angle
    findings.add("offset-implausible", name=label, value_deg=degrees_of(angle), limit_deg=90.0)
    return None


def _in_degrees(file: C3DFile, stored: _Stored) -> bool:
    angles = [stored[side.lower() + name][1] for name in SIDE_ANGLES.values() for side in SIDES if side.lower() + name in stored]
    workstation = "workstation" in file.parameters.text("MANUFACTURER", "SOFTWARE").lower()
    return workstation or any(abs(angle) > LARGEST_OFFSET_RAD for angle in angles)


def _add_mass_and_height(file: C3DFile, known: _Known, findings: FileFindings) -> None:
    for quantity, word, rule, name in SIZES:
        stored = file.parameters.number("PROCESSING", name)
        if stored is None:
            continue
        value, _ = in_si(quantity, stored, "")
        known.add(quantity, "", value, f"PROCESSING:{name.title()}")
        if value is None:
            findings.add(rule, **{word: stored}, parameter=f"PROCESSING:{name}")


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


def _add_other_names(read: list[NamedValue], known: _Known, findings: FileFindings) -> None:
    """Add what stands under other names; report what cannot be a person's, and two names that disagree."""
    for measurement in read:
        parameter = {"parameter": measurement.source, "stored": measurement.stored}
        if measurement.value is None:
            findings.add("measurement-unread", **parameter)
        elif measurement.unit and measurement.unit != measurement.taken:
            findings.add("measurement-unit", **parameter, unit=measurement.unit, taken=measurement.taken)
    for measurement in read:
        quantity, side, value = measurement.quantity, measurement.side, measurement.value
        used = known.value(quantity, side)
        # Two names of one group, one meaning: nobody can tell which is right.
        rivals = [other for other in read if _one_meaning(measurement, other) and differs(value, other.value)]
        disagree = partial(findings.add, "measurements-disagree", one=measurement.source, value=measurement.stored)
        if differs(used, value):
            disagree(other=known.sources[quantity], used=used)
        elif rivals:
            disagree(other=rivals[0].source, used="")
        else:
            known.add(quantity, side, value, measurement.source)


def _one_meaning(one: NamedValue, other: NamedValue) -> bool:
    return (one.group, one.quantity, one.side) == (other.group, other.quantity, other.side)


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
