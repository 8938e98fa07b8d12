"""Measurements under any name: what a parameter's words mean, in which unit, and whether a person can have the value.

``measurements.toml`` holds the words. A name is split at signs and case changes, glued words by the vocabulary; every word of it
must be known, and those that are neither side, unit nor filling must be one of a quantity's sets of notions. A unit in a name is no
proof: the range decides, and where the two disagree it is said. Names, addresses and birth dates hold words that the vocabulary has
not: they are never looked at.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from biomech_id.algebra.plain_text import without_accents
from biomech_id.readers.c3d.parameters import Parameter, Parameters
from biomech_id.values import dataclass, replace

_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_VALUE = re.compile(r"([-+]?\d+(?:[.,]\d+)?(?:e[-+]\d+)?)\s*([^\W\d]*)\.?")
_CODE = re.compile(r"(\d)\s*[:=]\s*([^\W\d]+)")
#: Shorter words are known only where they stand alone: glued ones would make words of any letters.
_SHORTEST_GLUED = 3
_UNITS_AT_END = ("mm", "cm", "kg")
#: Without a unit an angle beyond this (rad) is in degrees.
_LARGEST_RAD = 1.6


@dataclass(frozen=True)
class Meaning:
    """What a name says: a quantity, of which side, in which unit.

    Attributes
    ----------
    quantity : str
        Field of ``biomech_id.trial.Subject``, or "marker_radius_m".
    side : str
        "L", "R", or "" for what exists once.
    unit : str
        Key of the vocabulary's units; "" where the name has none.
    words : int
        How many words say the quantity.
    """

    quantity: str
    side: str
    unit: str
    words: int


@dataclass(frozen=True)
class NamedValue:
    """One value of one parameter.

    Attributes
    ----------
    quantity : str
        What is measured: a field of ``biomech_id.trial.Subject``.
    side : str
        "L", "R", or "" for what exists once.
    value : float | str | None
        In SI, or the sex; None where no unit makes it a person's.
    source : str
        Parameter it was read from, "SUBJECTS:A_BodyMass_kg".
    stored : str
        As the file has it.
    unit : str
        The unit that its name or value states; "" where none does.
    taken : str
        The unit it was taken in.
    """

    quantity: str
    side: str
    value: float | str | None
    source: str
    stored: str
    unit: str = ""
    taken: str = ""

    @property
    def group(self) -> str:
        """Group of the parameter."""
        return self.source.partition(":")[0]

    @property
    def name(self) -> str:
        """Name of the parameter in its group."""
        return self.source.partition(":")[2]


@cache
def vocabulary() -> dict[str, Any]:
    """Return ``measurements.toml``.

    Returns
    -------
    dict[str, Any]
        Its tables, by name.
    """
    return tomllib.loads(Path(__file__).with_name("measurements.toml").read_text(encoding="utf-8"))


@cache
def _known() -> dict[str, tuple[str, str]]:
    """Word -> what kind of word it is, and what it means."""
    words = vocabulary()
    known: dict[str, tuple[str, str]] = {}
    for kind in ("notions", "sides"):
        known |= {word: (kind, name) for name, spelt in words[kind].items() for word in spelt}
    for name, unit in words["units"].items():
        known |= {word: ("units", name) for word in unit["words"] if word not in known}
    return dict.fromkeys(words["filling"], ("filling", "")) | known


def in_plain_letters(text: str) -> str:
    """Return a text in lower case, without accents, with ss for a sharp s.

    Parameters
    ----------
    text : str
        Any text, in any language that Latin letters write.
    """
    return without_accents(text).lower()


def _split(name: str) -> list[str]:
    """A name's words, as it writes them: apart at signs and case changes, glued ones as one."""
    return [piece.lower() for piece in _PIECES.findall(without_accents(name))]


@cache
def _unglued(word: str, ends: tuple[bool, bool]) -> tuple[str, ...] | None:
    """The known words that a word is made of; a side's letter only where it begins or ends the name."""
    known, letters = _known(), vocabulary()["side_letters"]
    if word in known:
        return (word,)
    for length in range(len(word) - 1, 0, -1):
        head, tail = word[:length], word[length:]
        if not (head in known and length >= _SHORTEST_GLUED) and not (ends[0] and head in letters):
            continue
        if tail in _UNITS_AT_END or (ends[1] and tail in letters):
            return (head, tail)
        rest = _unglued(tail, (False, ends[1])) if len(tail) >= _SHORTEST_GLUED else None
        if rest is not None:
            return (head, *rest)
    return None


@cache
def meaning(name: str) -> Meaning | None:
    """Return what a parameter's name says.

    Parameters
    ----------
    name : str
        As stored: "A_Left_LegLength_mm", "LKneeWidth", "Beinlänge links".

    Returns
    -------
    Meaning | None
        None where a word is unknown, or the words are no quantity's.
    """
    pieces, words = _split(name), vocabulary()
    letters = words["side_letters"]
    whole: list[str] = []
    # A unit may stand behind the side: "KneeWidth_L_mm".
    last = len(pieces) - 1 - (len(pieces) > 2 and _known().get(pieces[-1], ("", ""))[0] == "units")
    for place, piece in enumerate(pieces):
        ends = (place == 0, place == last)
        if len(pieces) > 1 and piece in letters and any(ends):
            whole.append(piece)
            continue
        apart = _unglued(piece, ends)
        if apart is None:
            return None
        whole += apart
    at_end = {0, len(whole) - 1}
    if whole and _known().get(whole[-1], ("", ""))[0] == "units":
        at_end.add(len(whole) - 2)
    notions, sides, units = [], set(), set()
    for place, word in enumerate(whole):
        kind, what = _known().get(word, ("", ""))
        if word in letters and place in at_end and len(whole) > 1:
            if not set(letters[word].get("beside", whole)) & set(whole):
                return None
            sides.add(letters[word]["side"])
        elif kind == "notions":
            notions.append(what)
        elif kind == "sides":
            sides.add(what)
        elif kind == "units":
            units.add(what)
        elif kind != "filling":
            return None
    if len(sides) > 1 or len(units) > 1:
        return None
    unit = next(iter(units), "")
    for quantity, row in words["quantities"].items():
        if sorted(notions) in [sorted(names) for names in row["names"]] and bool(sides) == row.get("sided", False):
            fits = not unit or words["units"][unit]["of"] == row["of"]
            return Meaning(quantity, next(iter(sides), ""), unit, len(notions)) if fits else None
    return None


def in_si(quantity: str, number: float, unit: str) -> tuple[float | None, str]:
    """Return a number in SI, and the unit it was taken in: the one stated where the range allows it, else the only one it allows.

    Parameters
    ----------
    quantity : str
        A quantity of the vocabulary, as `NamedValue.quantity`.
    number : float
        The number as the file stores it, in whatever unit.
    unit : str
        As stated; "" where nothing states one.

    Returns
    -------
    tuple[float | None, str]
        None where no unit makes it a person's.
    """
    row, units = vocabulary()["quantities"][quantity], vocabulary()["units"]
    low, high = row["range"]
    of_kind = {name: entry["factor"] for name, entry in units.items() if entry["of"] == row["of"]}
    if unit in of_kind and low <= number * of_kind[unit] <= high:
        return number * of_kind[unit], unit
    if row["of"] == "length":
        others = [name for name in ("m", "cm", "mm") if low <= number * of_kind[name] <= high]
        return (number * of_kind[others[0]], others[0]) if others else (None, "")
    if unit:
        return None, ""
    default = {"mass": "kg", "time": "years", "angle": "deg" if abs(number) > _LARGEST_RAD else "rad" if number == 0.0 else ""}
    unit = default[row["of"]]
    # An angle between is a few degrees or a few tenths of a radian: nobody can tell.
    return (number * of_kind[unit], unit) if unit and low <= number * of_kind[unit] <= high else (None, "")


def _sex(text: str, unit: str) -> str | None:
    """Female or male; a number only where its unit says what it stands for."""
    codes = {code: in_plain_letters(word) for code, word in _CODE.findall(unit)}
    word = codes.get(text.strip().partition(".")[0], in_plain_letters(text.strip()))
    return next((sex for sex, words in vocabulary()["sexes"].items() if word in words), None)


def _measured(meant: Meaning, stored: str, unit: str, source: str) -> NamedValue | None:
    """The value of a text; None for what is written where nothing was measured."""
    if meant.quantity == "sex":
        sex = _sex(stored, unit)
        return NamedValue("sex", "", sex, source, stored) if sex else None
    written = _VALUE.fullmatch(stored.strip())
    if written is None:
        return None
    number = float(written[1].replace(",", "."))
    states = [in_plain_letters(word) for word in (written[2], unit) if word.strip()]
    known = _known()
    stated = [known[word][1] if known.get(word, ("", ""))[0] == "units" else None for word in states]
    stated += [meant.unit] * bool(meant.unit)
    # How programs write that nothing was measured.
    if meant.quantity != "tibial_torsion_rad" and (number == 0.0 or (number == 1.0 and not stated)):
        return None
    if None in stated or len(set(stated)) > 1:
        return NamedValue(meant.quantity, meant.side, None, source, stored, " ".join(states))
    named = str(stated[0]) if stated else ""
    value, taken = in_si(meant.quantity, number, named)
    read = NamedValue(meant.quantity, meant.side, value, source, stored, named, taken)
    if meant.quantity != "marker_radius_m":
        return read
    return replace(read, quantity="marker_diameter_m", value=None if value is None else 2.0 * value)


def rows_as_text(parameter: Parameter) -> list[str]:
    """Return what a parameter holds as texts, one a row; empty for numbers that are none.

    Parameters
    ----------
    parameter : Parameter
        A parameter of the file: characters or numbers.

    Returns
    -------
    list[str]
        Blanks at the ends removed; numbers as Python writes them.
    """
    if parameter.record.kind == -1:
        return [text.strip() for text in parameter.strings]
    return [repr(float(number)) if isfinite(float(number)) else "" for number in parameter.numbers.ravel()]


def is_about_person(group: str) -> bool:
    """Whether a group's name says that it is about a person.

    Parameters
    ----------
    group : str
        Name of the group.

    Returns
    -------
    bool
        By its words, whatever else it is called.
    """
    return any(word in vocabulary()["about_the_person"] for word in _split(group))


def _believed(group: str, meant: Meaning) -> bool:
    """Whether a group of this name may hold a person's measurement that is called so."""
    words = vocabulary()
    if group.upper() in words["settings"]:
        return False
    return is_about_person(group) or bool(meant.side) or (meant.words > 1 and meant.quantity in words["believed_anywhere"])


def measurements(parameters: Parameters) -> list[NamedValue]:
    """Return every measurement that a file's parameters hold, in the file's order.

    Parameters
    ----------
    parameters : Parameters
        All of the file's.

    Returns
    -------
    list[NamedValue]
        In SI where a unit fits.
    """
    return [one for group in parameters.groups for one in _of_group(group, parameters)]


def _of_group(name: str, parameters: Parameters) -> Iterator[NamedValue]:
    group = parameters.groups[name]
    for parameter in group.parameters.values():
        meant = meaning(parameter.record.name)
        texts = rows_as_text(parameter) if meant else []
        if meant and len(texts) == 1 and _believed(name, meant):
            read = _measured(meant, texts[0], "", f"{name}:{parameter.record.name}")
            yield from (read,) if read else ()
    for label in ("LABELS", "NAMES"):
        yield from _of_list(name, label, parameters)


def _of_list(group: str, names: str, parameters: Parameters) -> Iterator[NamedValue]:
    """Measurements of a list of names beside one of values; of unlike lengths only by the one shift that fits."""
    stored = parameters.find(group, "VALUES")
    labels, units = parameters.strings(group, names), parameters.strings(group, "UNITS")
    values = rows_as_text(stored) if stored else []
    sides = parameters.strings(group, "CONTEXTS")
    meant = [_in_context(label, sides[row] if row < len(sides) else "") for row, label in enumerate(labels)]
    if not values or not any(one and _believed(group, one) for one in meant):
        return
    units = units if len(units) == len(labels) else ("",) * len(labels)
    shifts = range(min(0, len(values) - len(labels)), max(0, len(values) - len(labels)) + 1)
    readings = [_shifted(meant, values, units, shift, f"{group}:{names}") for shift in shifts]
    if len(readings) > 1:
        fitting = [rows for rows in readings if all(row.value is not None and row.unit in ("", row.taken) for row in rows)]
        # No shift, or several: each value is asked for.
        readings = fitting if len(fitting) == 1 else [[replace(row, value=None) for row in readings[0]]]
    yield from readings[0]


def _in_context(label: str, context: str) -> Meaning | None:
    """What a row's label means; its side may stand in the row's context."""
    return meaning(label) or (meaning(f"{context} {label}") if in_plain_letters(context) in ("left", "right") else None)


def _shifted(
    meant: Sequence[Meaning | None], values: Sequence[str], units: Sequence[str], shift: int, source: str
) -> list[NamedValue]:
    """The measurements of a list whose values begin ``shift`` rows later than its names."""
    read = []
    for row, one in enumerate(meant):
        if one is None:
            continue
        stored = values[row + shift] if 0 <= row + shift < len(values) else ""
        value = _measured(one, stored, units[row], f"{source}[{row + 1}]")
        if value is not None:
            read.append(value)
        elif len(values) != len(meant):
            read.append(NamedValue(one.quantity, one.side, None, f"{source}[{row + 1}]", stored))
    return read
