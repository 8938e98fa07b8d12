"""A laboratory's style file, checked line by line: whatever is wrong is said in one sentence before anything is drawn."""

from __future__ import annotations

import math
import string
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from biomech_id.errors import OptionError
from biomech_id.files.text import did_you_mean, read_problem, read_text
from biomech_id.report.layout.scale import Scale

#: Section -> what its numbers may be. Type below 5 points cannot be read on paper, above 24 it no longer fits its place.
NUMBERS: dict[str, tuple[float, float, str]] = {"text": (5.0, 24.0, "points"), "lines": (0.05, 6.0, "points")}
OPACITY = (0.0, 1.0, "of full ink")
#: More ticks are no longer a scale but a grey area.
MOST_TICKS = 50


def read_style_file(path: Path) -> dict[str, Any]:
    """Read a style file.

    Raises
    ------
    OptionError : it is not there, or is not TOML.
    """
    try:
        return tomllib.loads(read_text(path))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise OptionError(
            f"The style file {path} cannot be read: {read_problem(error)}. It must be TOML, like the shipped style.toml.",
            value=str(path),
            expected="a readable TOML file",
            where=str(path),
        ) from error


def refuse_unknown(found: Mapping[str, Any], known: set[str], *, where: str, inside: str) -> None:
    """Refuse keys that nobody reads.

    Raises
    ------
    OptionError : names the first of them, and the nearest known one.
    """
    for key in found:
        if key not in known:
            raise OptionError(
                f"{where}: {inside}{key} is not something a style file can set.{did_you_mean(key, known)}",
                value=key,
                expected=" | ".join(sorted(known)[:40]),
                where=where,
            )


def checked_settings(base: Mapping[str, Mapping[str, Any]], own: Mapping[str, Any], where: str) -> dict[str, dict[str, Any]]:
    """Return the shipped sections with a laboratory's own lines in them.

    Parameters
    ----------
    base : the shipped sections ``laboratory``, ``colours``, ``lines`` and ``text``.
    own : the style file.
    where : what messages call it.

    Raises
    ------
    OptionError : a line of the wrong kind, a number out of its range, no colour, a font that is not there, or sides drawn alike.
    """
    settings = {name: _merged(name, base[name], own.get(name, {}), where) for name in base}
    _check_colours(settings["colours"], where)
    _check_family(str(settings["text"]["family"]), where)
    _check_sides(settings, where)
    return settings


def _merged(section: str, base: Mapping[str, Any], own: Any, where: str) -> dict[str, Any]:
    own = _table(section, own, where)
    refuse_unknown(own, set(base), where=where, inside=f"{section}.")
    for key, value in own.items():
        if isinstance(base[key], float):
            low, high, unit = OPACITY if key.endswith("opacity") else NUMBERS[section]
            good, expected = _is_number(value) and low <= value <= high, f"a number from {low:g} to {high:g} {unit}"
        elif isinstance(base[key], list):
            good = isinstance(value, list) and len(value) % 2 == 0 and all(_is_number(x) and x > 0 for x in value)
            expected = "a list of lengths of ink and gap in turn such as [4.0, 1.4], or [] for a solid line"
        else:
            good, expected = isinstance(value, str), "a text"
        if not good:
            raise OptionError(
                f"{where}: {section}.{key} is {value!r}; it must be {expected}.", value=value, expected=expected, where=where
            )
    return {**base, **own}


def _table(section: str, own: Any, where: str) -> Mapping[str, Any]:
    if isinstance(own, Mapping):
        return own
    raise OptionError(
        f"{where}: [{section}] must be a table of settings, not {own!r}.", value=own, expected="a TOML table", where=where
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _check_colours(colours: Mapping[str, Any], where: str) -> None:
    from matplotlib.colors import is_color_like

    for name, colour in colours.items():
        if not is_color_like(colour):
            raise OptionError(
                f"{where}: colours.{name} is {colour!r}, which is not a colour; write it like '#b5121b'.",
                value=colour,
                expected="#rrggbb",
                where=where,
            )


def _check_family(family: str, where: str) -> None:
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    if family not in installed:
        raise OptionError(
            f"{where}: text.family is {family!r}, and no font of that name is installed here.{did_you_mean(family, installed)}",
            value=family,
            expected="the name of an installed font",
            where=where,
        )


def _check_sides(settings: Mapping[str, Mapping[str, Any]], where: str) -> None:
    colours, lines = settings["colours"], settings["lines"]
    if colours["left"] == colours["right"] and lines["left_dashes"] == lines["right_dashes"]:
        raise OptionError(
            f"{where}: left and right are drawn alike ({colours['left']}); give them different colours or dashes.",
            value=colours["left"],
            expected="sides that can be told apart",
            where=where,
        )


def checked_scales(
    section: str, shipped: Mapping[str, Any], own: Mapping[str, Any], where: str, *, known: Mapping[str, Any] | None = None
) -> dict[str, Scale]:
    """Return the scales of ``[scales]`` or ``[run_scales]``, with a laboratory's own rows in place of shipped ones.

    Raises
    ------
    OptionError : an unknown variable, or a row that is no scale.
    """
    rows = _table(section, own.get(section, {}), where)
    refuse_unknown(rows, set(known or shipped), where=where, inside=f"{section}.")
    return {name: _scale(name, row, where) for name, row in {**shipped, **rows}.items()}


def _scale(name: str, row: Any, where: str) -> Scale:
    numbers = isinstance(row, list) and len(row) == 3 and all(_is_number(x) for x in row)
    if not numbers or not row[0] < row[1] or not 0 < row[2] <= row[1] - row[0] <= MOST_TICKS * row[2]:
        raise OptionError(
            f"{where}: the scale of {name} is {row!r}; it must be [lowest, highest, distance between ticks], "
            f"with at most {MOST_TICKS} ticks.",
            value=row,
            expected="[lowest, highest, step] with lowest < highest and 0 < step",
            where=where,
        )
    return Scale(*(float(x) for x in row))


def checked_labels(own: Any, known: Mapping[str, str], where: str) -> dict[str, str]:
    """Return a laboratory's own labels.

    Raises
    ------
    OptionError : an unknown label, one that is no text, or one with a ``{blank}`` that the shipped label does not have.
    """
    own = _table("labels", own, where)
    refuse_unknown(own, set(known), where=where, inside="labels.")
    for key, text in own.items():
        wanted = _blanks(known[key])
        found = _blanks(text) if isinstance(text, str) else None
        if found is None or not found <= (wanted or set()):
            blanks = ", ".join(f"{{{name}}}" for name in sorted(wanted or ())) or "no {blanks}"
            raise OptionError(
                f"{where}: the label {key} is {text!r}; it must be a text with {blanks} as in {known[key]!r}.",
                value=text,
                expected=known[key],
                where=where,
            )
    return dict(own)


def _blanks(text: str) -> set[str] | None:
    """Names in braces; None where braces do not close, or say more than a name."""
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError:
        return None
    return None if any(form or change for _, _, form, change in parts) else {name for _, name, _, _ in parts if name is not None}
