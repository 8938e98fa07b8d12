"""What somebody walked with, an aid and what was on the feet, by the words of files, folders and fields that ``worn.csv`` holds."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path

from biomech_id.algebra.plain_text import without_accents

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
#: Name of a field, letters alone -> what its value is about.
FIELDS: Mapping[str, str] = {
    **dict.fromkeys(("shoes", "footwear", "schuhe", "schuhwerk", "chaussures", "calzado", "scarpe"), "footwear"),
    **dict.fromkeys(("prothesisorthosis", "orthosis", "orthoses", "orthese", "orthesen", "ortesis"), "orthosis"),
    **dict.fromkeys(("externalaid", "personalaid", "aid", "aids", "walkingaid", "assistivedevice"), "aid"),
    **dict.fromkeys(("hilfsmittel", "gehhilfe", "aidetechnique"), "aid"),
}  # fmt: skip


class Aid(StrEnum):
    """What bears a part of the body besides the feet."""

    NONE = "none"
    WALKER = "walker"
    CRUTCHES = "crutches"
    HAND_HELD = "hand held"
    RAIL = "rail"


class Footwear(StrEnum):
    """What is on the feet."""

    BAREFOOT = "barefoot"
    SHOD = "shod"
    ORTHOSIS = "orthosis"
    ORTHOSIS_LEFT = "orthosis left"
    ORTHOSIS_RIGHT = "orthosis right"


class Amputation(StrEnum):
    """Where a leg was taken off."""

    PARTIAL_FOOT = "partial foot"
    ANKLE = "ankle disarticulation"
    TRANSTIBIAL = "transtibial"
    KNEE = "knee disarticulation"
    TRANSFEMORAL = "transfemoral"
    HIP = "hip disarticulation"


#: What stands where nobody says.
NOT_STATED = "not stated"


@cache
def _phrases() -> tuple[tuple[tuple[str, ...], str, str, bool], ...]:
    """Words, kind, value and whether a file's own name must say them; longer phrases first."""
    with Path(__file__).with_name("worn.csv").open(encoding="utf-8") as lines:
        rows = [(tuple(row["words"].split()), row["kind"], row["value"], bool(row["file_only"])) for row in csv.DictReader(lines)]
    return tuple(sorted(rows, key=lambda row: -len(row[0])))


def _phrases_in(text: str, *, folder: bool = False) -> Iterator[tuple[str, str]]:
    """Kind and value of every phrase in a text; a word counts in the longest phrase that it is in."""
    words = [word.lower() for word in _WORDS.findall(without_accents(text))]
    sides = {"left": " left", "links": " left", "gauche": " left", "right": " right", "rechts": " right", "droite": " right"}
    side = {sides[word] for word in words if word in sides}
    for phrase, kind, value, file_only in () if not words else _phrases():
        for at in range(len(words) - len(phrase) + 1):
            if tuple(words[at : at + len(phrase)]) == phrase and not (file_only and folder):
                words[at : at + len(phrase)] = [""] * len(phrase)
                own = value == Footwear.ORTHOSIS and len(side) == 1
                yield kind, value + next(iter(side)) if own else value


def stated_in(text: str, *, folder: bool = False) -> dict[str, str]:
    """Return what a text says of aid and footwear: "aid", "footwear" -> one of `Aid`, `Footwear`; nothing where it says two.

    Parameters
    ----------
    text : str
        Name of a file or folder, a condition, the value of a field.
    folder : bool, optional
        Whether it is a folder's name, in which people's names are met.

    Returns
    -------
    dict[str, str]
        One value for each kind that it says once.

    Examples
    --------
    >>> from biomech_id.trial.worn import stated_in
    >>> stated_in("walk03_barefoot_rollator"), stated_in("Schuhe 2"), stated_in("barefoot or shoes")
    ({'aid': 'walker', 'footwear': 'barefoot'}, {'footwear': 'shod'}, {})
    """
    by_kind: dict[str, set[str]] = {"aid": set(), "footwear": set()}
    for kind, value in _phrases_in(text, folder=folder):
        by_kind[kind] |= {value} - {""}
    # An orthosis is worn in a shoe.
    if any(value.startswith("orthosis") for value in by_kind["footwear"]):
        by_kind["footwear"].discard("shod")
    return {kind: next(iter(values)) for kind, values in by_kind.items() if len(values) == 1}


def stated_in_fields(fields: Mapping[str, str]) -> dict[str, str]:
    """Return what the fields of a file say of aid and footwear.

    Parameters
    ----------
    fields : Mapping[str, str]
        Name of the field -> its text.

    Returns
    -------
    dict[str, str]
        "aid", "footwear" -> one value each, where the fields agree.
    """
    stated: dict[str, list[str]] = {"aid": [], "footwear": [], "orthosis": []}
    for name, text in fields.items():
        kind = FIELDS.get("".join(_WORDS.findall(without_accents(name))).lower())
        if kind is not None:
            stated[kind].append(stated_in(text).get("aid" if kind == "aid" else "footwear", ""))
    aids = {value for value in stated["aid"] if value not in ("", Aid.NONE)}
    footwear = [value for value in stated["orthosis"] if value.startswith("orthosis")] or [
        value for value in stated["footwear"] if value
    ]
    aid = next(iter(aids)) if len(aids) == 1 else Aid.NONE if stated["aid"] and set(stated["aid"]) == {Aid.NONE} else ""
    agreed = {"aid": str(aid), "footwear": footwear[0] if len(set(footwear)) == 1 else ""}
    return {kind: value for kind, value in agreed.items() if value}


def bears_weight(aid: str) -> bool:
    """Whether an aid may bear a part of the body.

    Parameters
    ----------
    aid : str
        One of `Aid`, or what stands where nobody says.
    """
    return aid not in (Aid.NONE, NOT_STATED, "")


def unlike(one: str, other: str) -> bool:
    """Whether one of two is barefoot and the other is not; what nobody says is unlike nothing.

    Parameters
    ----------
    one, other : str
        Of `Footwear`, or what stands where nobody says.
    """
    known = one not in (NOT_STATED, "") and other not in (NOT_STATED, "")
    return known and (one == Footwear.BAREFOOT) != (other == Footwear.BAREFOOT)
