"""Who walked: body measurements and where each of them comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from biomech_id.algebra.compact_repr import compact_repr


@compact_repr
@dataclass(frozen=True)
class Subject:
    """Measurements of one person; ``None`` means not recorded, and nothing is ever invented.

    Lengths in metres, mass in kilograms, angles in radians. Fields that exist once per leg are mappings with the
    keys "L" and "R" (either may be absent). ``sources`` says for each field that is set where it was read
    ("PROCESSING:Bodymass", "subject.toml", "option --mass").
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
    tibial_torsion_rad: Mapping[str, float] = field(default_factory=dict)
    thigh_rotation_rad: Mapping[str, float] = field(default_factory=dict)
    shank_rotation_rad: Mapping[str, float] = field(default_factory=dict)
    ankle_abduction_rad: Mapping[str, float] = field(default_factory=dict)
    sole_delta_m: Mapping[str, float] = field(default_factory=dict)
    static_plantar_flexion_rad: Mapping[str, float] = field(default_factory=dict)
    static_rotation_offset_rad: Mapping[str, float] = field(default_factory=dict)
    foot_flat: bool | None = None
    sources: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in self.__dict__.items():
            if isinstance(value, dict):
                object.__setattr__(self, name, MappingProxyType(dict(value)))

    def __reduce__(self) -> tuple[object, ...]:
        # A mappingproxy cannot be pickled, and subjects cross process boundaries.
        plain = {k: dict(v) if isinstance(v, MappingProxyType) else v for k, v in self.__dict__.items()}
        return (_rebuild, (plain,))

    def with_values(self, source: str, **values: Any) -> Subject:
        """Return the subject with some fields replaced, recording ``source`` as where they come from."""
        sources = dict(self.sources) | dict.fromkeys(values, source)
        return replace(self, **values, sources=sources)


def _rebuild(fields: dict[str, Any]) -> Subject:
    return Subject(**fields)
