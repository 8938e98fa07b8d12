"""``subject.toml``: what a laboratory knows about a person and the files do not say, or say wrongly.

Lengths are in millimetres, angles in degrees and mass in kilograms, as on the measuring sheet. What the file says beats what
the recordings say; an option beats both; every value remembers where it came from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from biomech_id.errors import OptionError
from biomech_id.files.text import did_you_mean
from biomech_id.pipeline.recipe import read_toml
from biomech_id.trial import Subject

_MM, _DEG = 1e-3, math.pi / 180

#: key -> (field of Subject, factor to SI, least, most) for one number.
NUMBERS: dict[str, tuple[str, float, float, float]] = {
    "mass_kg": ("mass_kg", 1.0, 2.0, 400.0),
    "height_mm": ("height_m", _MM, 300.0, 2600.0),
    "age_years": ("age_years", 1.0, 0.0, 130.0),
    "marker_diameter_mm": ("marker_diameter_m", _MM, 1.0, 60.0),
    "inter_asis_distance_mm": ("inter_asis_distance_m", _MM, 50.0, 600.0),
}
#: key -> (field, factor, least, most) for one number per leg, or one for both.
LEG_NUMBERS: dict[str, tuple[str, float, float, float]] = {
    "leg_length_mm": ("leg_length_m", _MM, 150.0, 1500.0),
    "knee_width_mm": ("knee_width_m", _MM, 20.0, 300.0),
    "ankle_width_mm": ("ankle_width_m", _MM, 15.0, 200.0),
    "asis_trochanter_distance_mm": ("asis_trochanter_distance_m", _MM, 0.0, 300.0),
    "tibial_torsion_deg": ("tibial_torsion_rad", _DEG, -90.0, 90.0),
    "thigh_rotation_deg": ("thigh_rotation_rad", _DEG, -90.0, 90.0),
    "shank_rotation_deg": ("shank_rotation_rad", _DEG, -90.0, 90.0),
    "ankle_abduction_deg": ("ankle_abduction_rad", _DEG, -90.0, 90.0),
    "sole_delta_mm": ("sole_delta_m", _MM, -200.0, 200.0),
}
WORDS = {"code": "code", "session_date": "session_date", "birth_date": "birth_date", "sex": "sex"}
DATES = ("session_date", "birth_date")
#: Keys that concern the session and not the body; read by `condition_of`.
SESSION_KEYS = {"condition", "conditions"}


def apply_subject_file(subject: Subject, path: str | Path) -> Subject:
    """Return ``subject`` with what ``path`` says laid over it.

    Raises
    ------
    OptionError : an unknown key, a value of the wrong type or outside what a person can measure; the message names both.
    """
    where = Path(path).name
    changes: dict[str, Any] = {}
    for key, value in read_toml(path).items():
        if key in SESSION_KEYS:
            continue
        name, converted = _converted(key, value, where)
        changes[name] = converted
    return subject.with_values(where, **changes) if changes else subject


def _converted(key: str, value: Any, where: str) -> tuple[str, Any]:
    if key in DATES:
        return key, _date(key, value, where)
    if key in WORDS:
        return WORDS[key], str(value)
    if key == "foot_flat":
        if not isinstance(value, bool):
            raise OptionError(f"{where}: foot_flat is {value!r}.", value=value, expected="true or false", where=where)
        return key, value
    if key in NUMBERS:
        name, factor, least, most = NUMBERS[key]
        return name, _number(key, value, least, most, where) * factor
    if key in LEG_NUMBERS:
        name, factor, least, most = LEG_NUMBERS[key]
        sides = _per_side(key, value, where)
        return name, {side: _number(key, v, least, most, where) * factor for side, v in sides.items()}
    known = sorted([*WORDS, "foot_flat", *NUMBERS, *LEG_NUMBERS, *SESSION_KEYS])
    raise OptionError(
        f"{where}: there is no subject value called {key}.{did_you_mean(key, known)} Known are {', '.join(known)}.",
        value=key, expected=", ".join(known), where=where,
    )  # fmt: skip


def _date(key: str, value: Any, where: str) -> str:
    """A day as YYYY-MM-DD, written as text or as TOML's own date."""
    try:
        return date.fromisoformat(str(value)).isoformat()
    except ValueError:
        raise OptionError(
            f"{where}: {key} is {str(value)!r}; it must be a day like 2019-05-31.",
            value=value, expected="year-month-day", where=where,
        ) from None  # fmt: skip


def _per_side(key: str, value: Any, where: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        if set(value) <= {"left", "right"} and value:
            return {"L" if side == "left" else "R": v for side, v in value.items()}
        raise OptionError(f"{where}: {key} is {value!r}.", value=value, expected="{ left = ..., right = ... }", where=where)
    return {"L": value, "R": value}


def _number(key: str, value: Any, least: float, most: float, where: str) -> float:
    numeric = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not numeric or not least <= value <= most:
        raise OptionError(
            f"{where}: {key} is {value!r}; it must be a number from {least:g} to {most:g}.",
            value=value, expected=f"{least:g} to {most:g}", where=where,
        )  # fmt: skip
    return float(value)


def condition_of(path: str | Path | None) -> Callable[[str], str]:
    """Return a function from a trial's name to its condition, as ``subject.toml`` says.

    ``condition = "barefoot"`` holds for the folder; ``[conditions]`` with ``"walk3" = "shod"`` for single files.
    """
    if path is None or not Path(path).is_file():
        return lambda _trial: ""
    content = read_toml(path)
    everywhere, single = content.get("condition", ""), content.get("conditions", {})
    if not isinstance(everywhere, str):
        raise OptionError(
            f"{Path(path).name}: condition is {everywhere!r}; single files are written in a section [conditions].",
            value=everywhere, expected='one text such as "barefoot"', where=Path(path).name,
        )  # fmt: skip
    if not isinstance(single, Mapping):
        raise OptionError(
            f"{Path(path).name}: conditions is {single!r}.",
            value=single, expected='a section [conditions] of "file stem" = "condition"', where=Path(path).name,
        )  # fmt: skip
    return lambda trial: str(single.get(trial, everywhere))


def subject_toml(subject: Subject, *, condition: str = "") -> str:
    """Return a ``subject.toml`` for a person to complete: what is known is filled in, what is not is commented out."""
    lines = ["# What biomech-id should know about this person. Lengths in mm, angles in degrees, mass in kg."]
    lines += ["# Remove the # in front of a line to use it. What stands here beats what the recordings say.", ""]
    for key, name in WORDS.items():
        lines.append(_line(key, getattr(subject, name), _quoted))
    lines.append(_line("condition", condition or None, _quoted))
    for key, (name, factor, *_) in NUMBERS.items():
        value = getattr(subject, name)
        lines.append(_line(key, None if value is None else value / factor, "{:.9g}".format))
    for key, (name, factor, *_) in LEG_NUMBERS.items():
        sides = {side: value / factor for side, value in getattr(subject, name).items()}
        lines.append(_line(key, sides or None, _sides_toml))
    lines.append(_line("foot_flat", subject.foot_flat, lambda v: str(v).lower()))
    return "\n".join(lines) + "\n"


def _line(key: str, value: Any, written: Callable[[Any], str]) -> str:
    return f"# {key} =" if value in (None, "") else f"{key} = {written(value)}"


def _quoted(value: Any) -> str:
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _sides_toml(sides: Mapping[str, float]) -> str:
    words = {"L": "left", "R": "right"}
    return "{ " + ", ".join(f"{words[side]} = {value:.9g}" for side, value in sorted(sides.items())) + " }"
