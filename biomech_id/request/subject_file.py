"""``subject.toml``: what a laboratory knows about a person and the files do not say, or say wrongly.

Lengths are in millimetres, angles in degrees and mass in kilograms, as on the measuring sheet. What the file says beats what
the recordings say; an option beats both; every value remembers where it came from.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from biomech_id.errors import OptionError
from biomech_id.files.settings import (
    ListOf,
    Section,
    Setting,
    a_number,
    must_fit,
    one_of,
    read_written,
    template,
    toml_of,
    yes_or_no,
)
from biomech_id.files.text import read_text
from biomech_id.trial import Subject, Trial
from biomech_id.trial.examination import EXAMINATION_COLUMNS, Examined, as_examined
from biomech_id.trial.subject import LIMITS
from biomech_id.trial.worn import NOT_STATED, Aid, Amputation, Footwear, stated_in

#: End of a key -> end of the field of `Subject` that it fills, and factor to SI.
_SI: dict[str, tuple[str, float]] = {"_mm": ("_m", 1e-3), "_deg": ("_rad", math.pi / 180.0)}
#: Sides as people write them.
LEGS: dict[str, str] = {"left": "L", "right": "R"}


def _is_day(value: object) -> bool:
    try:
        return bool(date.fromisoformat(str(value)))
    except ValueError:
        return False


def _word(explained: str) -> Setting:
    return Setting("a text", lambda v: not isinstance(v, dict | list), explained, read=str)


def _day(explained: str) -> Setting:
    return Setting("a day like 2019-05-31", _is_day, explained, read=lambda v: date.fromisoformat(str(v)).isoformat())


def _field_of(key: str) -> tuple[str, float]:
    """Field of `Subject` that a key fills, and the factor to SI."""
    for end, (si, factor) in _SI.items():
        if key.endswith(end):
            return key.removesuffix(end) + si, factor
    return key, 1.0


def _measured(key: str, explained: str) -> Setting:
    """A measurement, within the limits of the field that it fills."""
    field, factor = _field_of(key)
    least, most = LIMITS[field]
    return a_number(least / factor, most / factor, explained=explained)


def _of_legs(key: str, explained: str) -> Setting:
    return replace(_measured(key, explained), per=tuple(LEGS))


def _entries(kind: Callable[[str, str], Setting], explained: Mapping[str, str]) -> dict[str, Setting]:
    return {key: kind(key, words) for key, words in explained.items()}


def _is_said(value: object) -> bool:
    return isinstance(value, str | bool | int | float)


def _is_noted(value: object) -> bool:
    """A value of the clinic, or a section of them."""
    return _is_said(value) or (isinstance(value, dict) and all(map(_is_said, value.values())))


#: Name of the sections, with a number behind, in which `clinic_of` keeps treatments.
TREATMENT_SECTION = "treatment"
#: One value of the clinical examination.
EXAMINATION = Section(
    {
        name: Setting("a text, a number or a day", lambda v: not isinstance(v, dict | list), "", read=str)
        for name in (*EXAMINATION_COLUMNS, "raw")
    },
    required=("test",),
    unknown=lambda at: f"{at.where}: an examination has no {at.key}.{at.near} Known are {', '.join(sorted(at.known))}.",
)
#: One treatment, which a comparison names under what else differs, and nobody interprets.
TREATMENT = Section(
    {
        "date": _day("When."),
        "kind": _word("Which: botulinum toxin, derotation osteotomy, orthosis."),
        "side": one_of((*LEGS, "both"), "Of which side."),
        "level": _word("Where: calf, femur."),
    },
    required=("kind",),
    unknown=lambda at: f"{at.where}: a treatment has no {at.key}.{at.near} Known are {', '.join(sorted(at.known))}.",
)
#: What a subject file may say.
SUBJECT = Section(
    {
        "code": _word("What the person is called in tables and report."),
        "session_date": _day("Day of the recordings."),
        "birth_date": _day("With the day of the recordings it gives the age."),
        "sex": _word("female or male; some inertial tables differ."),
        "condition": Setting("a text", lambda v: isinstance(v, str), "Of every trial: barefoot, shod.",
            said=lambda at: f"{at.where}: condition is {at.value!r}; single files are written in a section [conditions]."),
        **_entries(_measured, {
            "mass_kg": "Body mass (kg).",
            "height_mm": "Body height (mm).",
            "age_years": "Age (years).",
            "marker_diameter_mm": "Diameter of the markers (mm).",
            "inter_asis_distance_mm": "Between the anterior superior iliac spines (mm).",
            "head_offset_deg": "Tip of the head's markers (deg); left out, the static trial shows it.",
        }),
        **_entries(_of_legs, {
            "leg_length_mm": "Spine of the pelvis to medial malleolus (mm); one, or { left = ..., right = ... }.",
            "knee_width_mm": "Between the epicondyles (mm).",
            "ankle_width_mm": "Between the malleoli (mm).",
            "asis_trochanter_distance_mm": "Anterior superior iliac spine to greater trochanter, front to back (mm).",
            "shoulder_offset_mm": "Acromion marker's base to the shoulder's centre, downwards (mm).",
            "elbow_width_mm": "Between the humeral epicondyles (mm).",
            "wrist_width_mm": "Thickness of the wrist (mm).",
            "hand_thickness_mm": "Of the hand at the finger marker (mm).",
            "tibial_torsion_deg": "Tibial torsion (deg).",
            "thigh_rotation_deg": "Offset of the thigh wand (deg).",
            "shank_rotation_deg": "Offset of the shank wand (deg).",
            "ankle_abduction_deg": "Offset of the ankle's axis (deg).",
            "sole_delta_mm": "How much higher the heel marker is than the toe marker when the foot is flat (mm).",
        }),
        "aid": one_of(tuple(Aid), "What bore a part of the body in every trial; single files are named in [conditions]."),
        "footwear": one_of(tuple(Footwear), "What was on the feet in every trial; single files are named in [conditions]."),
        "amputation": Section(dict.fromkeys(LEGS, one_of(tuple(Amputation), "Where that leg was taken off.")),
            no_table=lambda at: at.must_be('a section [amputation] of left or right = "where that leg was taken off"')),
        "static_as_walked": yes_or_no("Static trial and walks in unlike footwear belong together all the same."),
        "foot_flat": yes_or_no("Whether the feet stand flat in the static trial."),
        "medial_markers": yes_or_no(
            "Conventional model: the static trial's medial markers (knees, ankles, or both) show the joints' axes."
        ),
        "same_placement": yes_or_no(
            "Without a static trial: no marker was placed anew between the days of these recordings; one set of offsets holds."
        ),
        "conditions": Section({}, rest=_word(""),
            no_table=lambda at: at.must_be('a section [conditions] of "file stem" = "condition"')),
        "statics": Section({}, rest=_word(""),
            no_table=lambda at: at.must_be('a section [statics] of "condition" = "file stem of its static trial"')),
        "clinic": Section({"examination": ListOf(EXAMINATION), "treatment": ListOf(TREATMENT)},
            rest=Setting("a text, a number, true or false, or a section of them", _is_noted),
            no_table=lambda at: at.must_be("a section [clinic]")),
    },
    unknown=lambda at: f"{at.where}: there is no subject value called {at.key}.{at.near} Known are {', '.join(sorted(at.known))}.",
)  # fmt: skip


#: The single values.
VALUES: dict[str, Setting] = {key: entry for key, entry in SUBJECT.entries.items() if isinstance(entry, Setting)}


def _read(path: str | Path) -> dict[str, Any]:
    content = read_written(path, toml_of)
    must_fit(SUBJECT, content, Path(path).name)
    return content


def apply_subject_file(subject: Subject, path: str | Path) -> Subject:
    """Return ``subject`` with what ``path`` says laid over it.

    Parameters
    ----------
    subject : Subject
        Who was measured, as the recordings say.
    path : str | Path
        The TOML file; what it says beats the recordings.

    Raises
    ------
    OptionError
        An unknown key, a value of the wrong type or outside what a person can measure; the message names both.
    """
    content = _read(path)
    stated = {key: value for key, value in content.items() if key in VALUES and key not in ("condition", "static_as_walked")}
    changes = {_field_of(key)[0]: _in_si(key, value) for key, value in stated.items()}
    if lost := content.get("amputation"):
        changes["amputation"] = {LEGS[leg]: level for leg, level in lost.items()}
    written = [as_examined(row, Path(path).name) for row in content.get("clinic", {}).get("examination", ())]
    subject = subject.with_examination(written, Path(path).name)
    return subject.with_values(Path(path).name, **changes) if changes else subject


def examination_of(path: Path) -> tuple[Examined, ...]:
    """Return the clinical examination that a table holds; only the columns of `EXAMINATION_COLUMNS` are looked at.

    Parameters
    ----------
    path : Path
        The file ``examination.csv``, one row a value.

    Raises
    ------
    OptionError
        It has no column "test".
    """
    rows = list(csv.DictReader(read_text(path).splitlines()))
    if rows and "test" not in rows[0]:
        words = f"{path.name} has no column test; its columns are {', '.join(EXAMINATION_COLUMNS)}."
        raise OptionError(words, value=list(rows[0]), expected="a column test", where=str(path))
    return tuple(as_examined(row, path.name) for row in rows if (row["test"] or "").strip())


def _in_si(key: str, value: Any) -> Any:
    kind, factor = VALUES[key], _field_of(key)[1]
    if kind.per:
        sides = value if isinstance(value, Mapping) else dict.fromkeys(LEGS, value)
        return {LEGS[leg]: float(one) * factor for leg, one in sides.items()}
    return kind.read(value) if factor == 1.0 else float(value) * factor


def condition_of(path: str | Path | None, *, own: bool = False) -> Callable[[str], str]:
    """Return a function from a trial's name to its condition, as ``subject.toml`` says.

    ``condition = "barefoot"`` holds for the folder; ``[conditions]`` with ``"walk3" = "shod"`` for single files.

    Parameters
    ----------
    path : str | Path | None
        The ``subject.toml``; None for none.
    own : bool, optional
        Whether only what is said of single files counts.
    """
    content = _read(path) if path is not None and Path(path).is_file() else {}
    return lambda trial: str(content.get("conditions", {}).get(trial, "" if own else content.get("condition", "")))


def worn_in(trial: Trial, subject: Subject, condition: str) -> tuple[str, str]:
    """Return aid and footwear of one trial: of its condition by hand, else of the subject file, else of the recording itself.

    Parameters
    ----------
    trial : Trial
        The recording, with what its file says.
    subject : Subject
        Who was measured, with what the subject file says.
    condition : str
        Of the trial, as the subject file says it.
    """
    by_hand = stated_in(condition)
    aid = by_hand.get("aid") or subject.aid or trial.subject.aid or NOT_STATED
    return aid, by_hand.get("footwear") or subject.footwear or trial.subject.footwear or NOT_STATED


def statics_of(path: str | Path | None) -> dict[str, str]:
    """Return condition -> name of its own static trial, as ``[statics]`` says it: markers were placed anew for it.

    Parameters
    ----------
    path : str | Path | None
        The ``subject.toml``; None for none.
    """
    content = _read(path) if path is not None and Path(path).is_file() else {}
    return {str(condition): str(static) for condition, static in content.get("statics", {}).items()}


def static_as_walked(path: str | Path | None) -> bool:
    """Return whether somebody answered that static trial and walks in unlike footwear belong together.

    Parameters
    ----------
    path : str | Path | None
        The ``subject.toml``; None for none.
    """
    return path is not None and Path(path).is_file() and bool(_read(path).get("static_as_walked"))


def clinic_of(path: str | Path | None) -> dict[str, dict[str, str]]:
    """Return what ``[clinic]`` says: section -> key -> text, as it is written; "" is the section of keys outside any.

    Parameters
    ----------
    path : str | Path | None
        The ``subject.toml``; None for none.
    """
    stated = _read(path).get("clinic", {}) if path is not None and Path(path).is_file() else {}
    sections = {"": {key: value for key, value in stated.items() if _is_said(value)}}
    sections |= {key: value for key, value in stated.items() if isinstance(value, dict)}
    for number, treatment in enumerate(stated.get("treatment", ()), 1):
        sections[f"{TREATMENT_SECTION} {number}"] = treatment
    return {name: {key: _as_said(value) for key, value in keys.items()} for name, keys in sections.items() if keys}


def _as_said(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def subject_toml(subject: Subject, *, condition: str = "") -> str:
    """Return a ``subject.toml`` for a person to complete: what is known is filled in, what is not is commented out.

    Parameters
    ----------
    subject : Subject
        Who was measured, with what is known.
    condition : str, optional
        Of the trials: "barefoot".
    """
    known = {key: _as_written(getattr(subject, _field_of(key)[0], None), _field_of(key)[1]) for key in VALUES}
    head = (
        "# What biomech-id should know about this person. Lengths in mm, angles in degrees, mass in kg.\n"
        "# Remove the # in front of a key and write its value behind it. What stands here beats what the recordings say.\n\n"
    )
    text = head + template(SUBJECT, known | {"condition": condition or None})
    lost, levels = {leg: subject.amputation.get(side) for leg, side in LEGS.items()}, SUBJECT.entries["amputation"]
    # A section ends with the file: what stands behind it would be its own.
    return text + f"\n[amputation]\n{template(levels, lost)}" if subject.amputation and isinstance(levels, Section) else text


def _as_written(value: Any, factor: float) -> object:
    if isinstance(value, Mapping):
        return {leg: float(value[side] / factor) for leg, side in LEGS.items() if side in value} or None
    return (value or None) if isinstance(value, str) else value if value is None or factor == 1.0 else float(value / factor)
