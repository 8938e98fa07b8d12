"""The clinical examination as values: range of motion, strength, selectivity, spasticity, rotation profile, by side.

``examinations.csv`` says what the keys of files mean, in which unit or scale, and what a positive value means. Where it does not
say that, the value is printed as it was written and never stands beside a curve.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from functools import cache
from math import nan
from pathlib import Path

from biomech_id.conventions import SIDES
from biomech_id.values import dataclass, fields

#: Words of a key that is about who a person is: such keys are never read.
PRIVATE = ("id", "name", "birth", "patient", "visit", "visite", "address", "dob")
#: What stands where nothing was examined.
NOT_EXAMINED = ("", "_", "-", "nan", "n/a")
#: What rows of ``examination.csv`` that hold a diagnosis are called; its keys in ``[clinic]``; what stands there of who has none.
DIAGNOSIS = "diagnosis"
_DIAGNOSIS_KEYS = ("diagnosis", "diagnoses", "diagnostic", "diagnose", "diagnosen")
_NO_DIAGNOSIS = (
    *("none", "no", "no diagnosis", "healthy", "normal", "norm", "control", "typically developing", "td", "unaffected"),
    *("keine", "kein", "ohne", "gesund", "kontrolle", "aucun", "aucune", "sain", "0"),
)
#: Diagnoses that rules ask for, by their names in ``diagnoses.csv``.
BILATERAL_SPASTIC, HEMIPLEGIA = "bilateral spastic cerebral palsy", "hemiplegia"
_SIDE_WORDS = {
    "left": "L", "links": "L", "linksseitig": "L", "linksseitige": "L", "gauche": "L",
    "right": "R", "rechts": "R", "rechtsseitig": "R", "rechtsseitige": "R", "droite": "R",
}  # fmt: skip
#: What parts words of a diagnosis.
_NO_WORD = re.compile(r"[-()\[\]]+")
_KEY = re.compile(r"C_([A-Za-z]+)_([A-Za-z0-9]+)_([LR])", re.IGNORECASE)
_GRADE = re.compile(r"(\d+(?:\.\d+)?)([-+]?)")
#: What a minus or a plus behind a grade is worth, for sorting.
_THIRD = {"-": -1 / 3, "+": 1 / 3, "": 0.0}


@dataclass(frozen=True)
class Examined:
    """One value of the examination.

    Attributes
    ----------
    joint : str, optional
        "hip", "knee", "ankle", "foot"; empty where none is meant or known.
    test : str, optional
        What was examined: "flexion", "strength", "spasticity"; of an unknown key, the key.
    muscle : str, optional
        Muscle or group of muscles.
    side : str, optional
        "L", "R", or empty.
    value : float, optional
        In the unit; of a grade a number to sort by; NaN where none was written.
    unit : str, optional
        "deg", "mm"; empty for grades.
    grade : str, optional
        As written: "5-", "1+".
    scale : str, optional
        Of the grade: "MRC 0 to 5".
    position : str, optional
        Of the body: "knee flexed".
    under : str, optional
        "awake", "anaesthesia"; empty where nobody says.
    examiner : str, optional
        Who examined; empty where nobody says.
    date : str, optional
        As ISO writes it; empty where nobody says.
    positive : str, optional
        What a positive value means; empty where nobody says.
    raw : str, optional
        As it was written.
    source : str, optional
        Where it was read.
    """

    joint: str = ""
    test: str = ""
    muscle: str = ""
    side: str = ""
    value: float = nan
    unit: str = ""
    grade: str = ""
    scale: str = ""
    position: str = ""
    under: str = ""
    examiner: str = ""
    date: str = ""
    positive: str = ""
    raw: str = ""
    source: str = ""

    @property
    def seen(self) -> bool:
        """Whether something was examined."""
        return self.raw.strip().lower() not in NOT_EXAMINED


#: What a laboratory writes by hand: the columns of ``examination.csv``, the keys of ``[[clinic.examination]]``.
EXAMINATION_COLUMNS: tuple[str, ...] = tuple(each.name for each in fields(Examined) if each.name not in ("raw", "source"))


@cache
def _known() -> dict[tuple[str, str], dict[str, str]]:
    """Kind and name, in lower case -> the vocabulary's row."""
    with Path(__file__).with_name("examinations.csv").open(encoding="utf-8") as lines:
        return {(row["kind"], row["name"]): row for row in csv.DictReader(lines)}


def diagnosis_of(examination: Iterable[str], clinic: Mapping[str, Mapping[str, str]]) -> str:
    """Return the diagnosis of a subject as it was written; empty where there is none, or nobody wrote one.

    Parameters
    ----------
    examination : Iterable[str]
        What rows of the test `DIAGNOSIS` say, as written.
    clinic : Mapping[str, Mapping[str, str]]
        Section -> key -> text, as of ``[clinic]``.

    Examples
    --------
    >>> from biomech_id.trial.examination import diagnosis_of
    >>> diagnosis_of([], {"": {"Diagnosis": "spastic diplegia"}}), diagnosis_of([], {"": {"Diagnosis": "healthy"}})
    ('spastic diplegia', '')
    """
    written = list(examination)
    for section, keys in clinic.items():
        written += [
            text
            for key, text in keys.items()
            if key.strip().lower() in _DIAGNOSIS_KEYS or section.strip().lower() in _DIAGNOSIS_KEYS
        ]
    texts = dict.fromkeys(text.strip() for text in written)
    none = (*NOT_EXAMINED, *_NO_DIAGNOSIS)
    return "; ".join(text for text in texts if text.lower().rstrip(".") not in none)


def is_diagnosed(diagnosis: str, wanted: str) -> bool:
    """Return whether a diagnosis is a certain one, by its name in full; a side may stand in it, other words behind a comma.

    Parameters
    ----------
    diagnosis : str
        Diagnosis in words, as of `diagnosis_of`.
    wanted : str
        `BILATERAL_SPASTIC` or `HEMIPLEGIA`.

    Returns
    -------
    bool
        False also where a word denies it, as in "no hemiplegia".

    Examples
    --------
    >>> from biomech_id.trial.examination import BILATERAL_SPASTIC, HEMIPLEGIA, is_diagnosed
    >>> is_diagnosed("Bilateral spastic CP, GMFCS II", BILATERAL_SPASTIC), is_diagnosed("spastic hemiplegia", BILATERAL_SPASTIC)
    (True, False)
    >>> is_diagnosed("Left spastic hemiplegia", HEMIPLEGIA), is_diagnosed("no hemiplegia", HEMIPLEGIA), is_diagnosed("", HEMIPLEGIA)
    (True, False, False)
    """
    return diagnosed_sides(diagnosis, wanted) is not None


def diagnosed_sides(diagnosis: str, wanted: str) -> frozenset[str] | None:
    """Return the sides that a certain diagnosis names, as far as it names any; None where it is another diagnosis.

    Parameters
    ----------
    diagnosis, wanted : str
        As for `is_diagnosed`.

    Examples
    --------
    >>> from biomech_id.trial.examination import HEMIPLEGIA, diagnosed_sides
    >>> diagnosed_sides("Hemiparese (links)", HEMIPLEGIA), diagnosed_sides("hemiplegia", HEMIPLEGIA)
    (frozenset({'L'}), frozenset())
    """
    names = [_NO_WORD.sub(" ", name.casefold()).split() for part in diagnosis.split(";") for name in part.split(",")[:1]]
    of_it = [
        words for words in names if _diagnoses().get(" ".join(word for word in words if word not in _SIDE_WORDS)) == wanted
    ]  # fmt: skip
    return frozenset(_SIDE_WORDS[word] for words in of_it for word in words if word in _SIDE_WORDS) if of_it else None


@cache
def _diagnoses() -> dict[str, str]:
    """What a diagnosis is called, without hyphens -> the diagnosis."""
    with Path(__file__).with_name("diagnoses.csv").open(encoding="utf-8") as lines:
        return {row["name"]: row["diagnosis"] for row in csv.DictReader(lines)}


def _number(text: str) -> float:
    written = _GRADE.fullmatch(text.strip().lstrip("-").replace(",", "."))
    if written is None:
        return nan
    sign = -1.0 if text.strip().startswith("-") else 1.0
    return sign * (float(written[1]) + _THIRD[written[2]])


def examined(key: str, text: str, source: str) -> Examined | None:
    """Return what one field of a file says of the examination.

    Parameters
    ----------
    key : str
        Name of the field: "C_ROM_HipFlex_L", "GMFCS".
    text : str
        Its value, as written.
    source : str
        Where it was read.

    Returns
    -------
    Examined | None
        None for a field that is no part of an examination; a test that the vocabulary has not keeps its key.
    """
    raw, alone = text.strip(), _known().get(("alone", key.lower().replace("_", "").replace(" ", "")))
    if alone is not None:
        return Examined(test=alone["test"], scale=alone["scale"], raw=raw, source=source) if Examined(raw=raw).seen else None
    match = _KEY.fullmatch(key)
    if match is None or is_private(key):
        return None
    kind, name, side = match[1].lower(), match[2].lower(), match[3].upper()
    row = _known().get((kind, name))
    of_kind, muscle = _known().get((kind, "")), _known().get(("muscle", name))
    if row is None and of_kind is not None and muscle is not None:
        row = of_kind | {"joint": muscle["joint"], "muscle": muscle["muscle"]}
    if row is None:
        return Examined(test=f"{match[1]} {match[2]}", side=side, value=_number(raw), raw=raw, source=source)
    labels = {name: row[name] for name in ("joint", "test", "muscle", "position", "unit", "scale", "positive")}
    return Examined(**labels, side=side, value=_number(raw), grade=raw if row["scale"] else "", raw=raw, source=source)


def is_private(key: str) -> bool:
    """Whether a key is about who a person is.

    Parameters
    ----------
    key : str
        Of a file's field, or of a column.
    """
    return any(word.lower() in PRIVATE for word in re.split(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])", key))


def as_examined(row: Mapping[str, object], source: str) -> Examined:
    """Return a value that was written by hand, by the columns of the table.

    Parameters
    ----------
    row : Mapping[str, object]
        Column -> what is written there; other columns than `EXAMINATION_COLUMNS` and "raw" are not looked at.
    source : str
        Where it was read.

    Returns
    -------
    Examined
        NaN as value where none was written.
    """
    texts = {name: str(row.get(name) or "").strip() for name in EXAMINATION_COLUMNS if name != "value"}
    written = row.get("value")
    text = "" if written is None else f"{written:g}" if isinstance(written, float) else str(written).strip()
    sides = {"left": "L", "right": "R", **{side.lower(): side for side in SIDES}}
    texts["side"] = sides.get(texts["side"].lower(), texts["side"])
    grade = texts["grade"] or (text if texts["scale"] else "")
    raw = str(row.get("raw") or "").strip() or text or grade
    return Examined(**(texts | {"grade": grade}), value=_number(text or grade), raw=raw, source=source)
