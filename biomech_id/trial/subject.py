"""Who walked: body measurements and where each of them comes from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.arguments import Kind, a, a_day, a_quantity, a_str, a_switch, a_word, by, each, holds, or_none, takes
from biomech_id.conventions import SIDES
from biomech_id.trial.examination import Examined
from biomech_id.trial.worn import Aid, Amputation, Footwear
from biomech_id.values import dataclass, field, replace

#: Field -> what a person can measure, in the field's unit; what people write in millimetres and degrees has the same limits.
LIMITS: dict[str, tuple[float, float]] = {
    "mass_kg": (2.0, 400.0),
    "height_m": (0.3, 2.6),
    "age_years": (0.0, 130.0),
    "marker_diameter_m": (0.001, 0.06),
    "inter_asis_distance_m": (0.05, 0.6),
    "leg_length_m": (0.15, 1.5),
    "knee_width_m": (0.02, 0.3),
    "ankle_width_m": (0.015, 0.2),
    "asis_trochanter_distance_m": (0.0, 0.3),
    "shoulder_offset_m": (0.005, 0.15),
    "elbow_width_m": (0.02, 0.2),
    "wrist_width_m": (0.01, 0.15),
    "hand_thickness_m": (0.005, 0.1),
    "head_offset_rad": (-math.pi / 2, math.pi / 2),
    "tibial_torsion_rad": (-math.pi / 2, math.pi / 2),
    "thigh_rotation_rad": (-math.pi / 2, math.pi / 2),
    "shank_rotation_rad": (-math.pi / 2, math.pi / 2),
    "ankle_abduction_rad": (-math.pi / 2, math.pi / 2),
    "sole_delta_m": (-0.2, 0.2),
    "static_plantar_flexion_rad": (-math.pi / 2, math.pi / 2),
    "static_rotation_offset_rad": (-math.pi / 2, math.pi / 2),
}
#: Body mass as an argument of functions.
BODY_MASS = a_quantity(*LIMITS["mass_kg"], "kg")
#: Of those, what exists once.
WHOLE_BODY = ("mass_kg", "height_m", "age_years", "marker_diameter_m", "inter_asis_distance_m", "head_offset_rad")


def _measured(name: str) -> Kind:
    quantity = a_quantity(*LIMITS[name], name.rpartition("_")[2])
    return or_none(quantity) if name in WHOLE_BODY else by(SIDES, quantity)


@holds(
    code=a_str(), birth_date=or_none(a_day()), sex=or_none(a_str()), condition=or_none(a_str()), session_date=or_none(a_day()),
    foot_flat=or_none(a_switch()), medial_markers=or_none(a_switch()), same_placement=or_none(a_switch()),
    aid=or_none(a_word(Aid)), footwear=or_none(a_word(Footwear)), amputation=by(SIDES, a_word(Amputation)),
    examination=each(a(Examined)), sources=a(Mapping), **{name: _measured(name) for name in LIMITS},
)  # fmt: skip
@compact_repr
@dataclass(frozen=True)
class Subject:
    """Measurements of one person; ``None`` means not recorded, and nothing is ever invented.

    Lengths in metres, mass in kilograms, angles in radians. Fields that exist once per leg are mappings with the
    keys "L" and "R" (either may be absent). ``sources`` says for each field that is set where it was read
    ("PROCESSING:Bodymass", "subject.toml", "option --mass").

    Attributes
    ----------
    code : str, optional
        Pseudonym or name, as the file has it.
    mass_kg : float | None, optional
        Body mass on the day of the session.
    height_m : float | None, optional
        Body height on the day of the session.
    age_years : float | None, optional
        On the day of the session.
    birth_date : str | None, optional
        As ISO writes it, "2012-05-17".
    sex : str | None, optional
        As recorded: "female", "m", ...
    condition : str | None, optional
        What is compared: "barefoot", "orthosis".
    session_date : str | None, optional
        As ISO writes it, "2024-03-01".
    marker_diameter_m : float | None, optional
        Of the markers, without their base.
    inter_asis_distance_m : float | None, optional
        Between the two anterior superior iliac spines.
    leg_length_m : Mapping[str, float], optional
        Side -> from the anterior superior iliac spine to the medial malleolus.
    knee_width_m : Mapping[str, float], optional
        Side -> over the femoral epicondyles.
    ankle_width_m : Mapping[str, float], optional
        Side -> over the malleoli.
    asis_trochanter_distance_m : Mapping[str, float], optional
        Side -> horizontally from the anterior superior iliac spine to the greater trochanter.
    shoulder_offset_m : Mapping[str, float], optional
        Side -> from the acromion marker's base down to the shoulder's centre.
    elbow_width_m : Mapping[str, float], optional
        Side -> over the humeral epicondyles.
    wrist_width_m : Mapping[str, float], optional
        Side -> thickness of the wrist.
    hand_thickness_m : Mapping[str, float], optional
        Side -> of the hand at the finger marker.
    head_offset_rad : float | None, optional
        By how much the static trial shows the head markers to be tipped.
    tibial_torsion_rad : Mapping[str, float], optional
        Side -> from the knee axis to the ankle axis, as the file has it.
    thigh_rotation_rad : Mapping[str, float], optional
        Side -> of the thigh wand about the thigh.
    shank_rotation_rad : Mapping[str, float], optional
        Side -> of the shank wand about the shank.
    ankle_abduction_rad : Mapping[str, float], optional
        Side -> of the ankle, from the static trial.
    sole_delta_m : Mapping[str, float], optional
        Side -> thickness of the shoe sole at the heel less that at the toe.
    static_plantar_flexion_rad : Mapping[str, float], optional
        Side -> offset of the foot's axis in plantar flexion, from the static trial.
    static_rotation_offset_rad : Mapping[str, float], optional
        Side -> offset of the foot's axis in rotation, from the static trial.
    foot_flat : bool | None, optional
        Whether the static trial was recorded with the sole flat on the floor.
    medial_markers : bool | None, optional
        Whether medial markers of the static trial show the conventional model the axes of knees and ankles.
    same_placement : bool | None, optional
        Whether no marker was placed anew between the days of the recordings.
    sources : Mapping[str, str], optional
        Field -> where it was read.
    examination : tuple[Examined, ...], optional
        Values of the clinical examination.
    aid : str | None, optional
        What bore a part of the body: one of `biomech_id.trial.worn.Aid`.
    footwear : str | None, optional
        What was on the feet: one of `biomech_id.trial.worn.Footwear`.
    amputation : Mapping[str, str], optional
        Side -> where that leg was taken off: one of `biomech_id.trial.worn.Amputation`.

    Raises
    ------
    WrongTypeError
        A bare number where each leg has one, a text for a number.
    InvalidValueError
        A measurement that no person has in the field's unit (`LIMITS`): most often millimetres or centimetres for metres.
    """

    code: str = ""
    mass_kg: float | None = None
    height_m: float | None = None
    age_years: float | None = None
    birth_date: str | None = None
    sex: str | None = None
    condition: str | None = None
    session_date: str | None = None
    marker_diameter_m: float | None = None
    inter_asis_distance_m: float | None = None
    leg_length_m: Mapping[str, float] = field(default_factory=dict)
    knee_width_m: Mapping[str, float] = field(default_factory=dict)
    ankle_width_m: Mapping[str, float] = field(default_factory=dict)
    asis_trochanter_distance_m: Mapping[str, float] = field(default_factory=dict)
    shoulder_offset_m: Mapping[str, float] = field(default_factory=dict)
    elbow_width_m: Mapping[str, float] = field(default_factory=dict)
    wrist_width_m: Mapping[str, float] = field(default_factory=dict)
    hand_thickness_m: Mapping[str, float] = field(default_factory=dict)
    head_offset_rad: float | None = None
    tibial_torsion_rad: Mapping[str, float] = field(default_factory=dict)
    thigh_rotation_rad: Mapping[str, float] = field(default_factory=dict)
    shank_rotation_rad: Mapping[str, float] = field(default_factory=dict)
    ankle_abduction_rad: Mapping[str, float] = field(default_factory=dict)
    sole_delta_m: Mapping[str, float] = field(default_factory=dict)
    static_plantar_flexion_rad: Mapping[str, float] = field(default_factory=dict)
    static_rotation_offset_rad: Mapping[str, float] = field(default_factory=dict)
    foot_flat: bool | None = None
    medial_markers: bool | None = None
    same_placement: bool | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    examination: tuple[Examined, ...] = ()
    aid: str | None = None
    footwear: str | None = None
    amputation: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in self.__dict__.items():
            if isinstance(value, dict):
                object.__setattr__(self, name, MappingProxyType(dict(value)))

    def __reduce__(self) -> tuple[object, ...]:
        # A mappingproxy cannot be pickled, and subjects cross process boundaries.
        plain = {k: dict(v) if isinstance(v, MappingProxyType) else v for k, v in self.__dict__.items()}
        return (_rebuild, (plain,))

    @takes(source=a_str())
    def with_values(self, source: str, **values: Any) -> Subject:
        """Replace some fields and record where they come from.

        Parameters
        ----------
        source : str
            Where the new values come from.
        values : Any
            Fields and their new values.

        Returns
        -------
        Subject
            With ``source`` as the source of each of these fields.

        Examples
        --------
        >>> from biomech_id.trial.subject import Subject
        >>> anna = Subject(code="anna").with_values("option --mass", mass_kg=31.5)
        >>> anna.mass_kg, anna.sources["mass_kg"]
        (31.5, 'option --mass')
        """
        sources = dict(self.sources) | dict.fromkeys(values, source)
        return replace(self, **values, sources=sources)

    def with_examination(self, more: Sequence[Examined], source: str) -> Subject:
        """Return the subject with further values of the examination; what is known of the same test is replaced.

        Parameters
        ----------
        more : Sequence[Examined]
            Values to add; one of a test that is known replaces it.
        source : str
            Where they were read.

        Returns
        -------
        Subject
            The same one where there is nothing to add.
        """
        replaced = {_test_of(one) for one in more}
        kept = tuple(one for one in self.examination if _test_of(one) not in replaced)
        return self.with_values(source, examination=(*kept, *more)) if more else self


def _test_of(one: Examined) -> tuple[str, ...]:
    """What tells two values of an examination apart besides the value."""
    return (one.joint, one.test, one.muscle, one.side, one.scale, one.position, one.under, one.date)


def _rebuild(fields: dict[str, Any]) -> Subject:
    return Subject(**fields)
