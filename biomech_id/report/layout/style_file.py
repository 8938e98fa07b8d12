"""What a laboratory's style file may say; whatever is wrong is said in one sentence before anything is drawn."""

from __future__ import annotations

import math
import string
from collections.abc import Iterable, Mapping
from typing import Any

from matplotlib.colors import is_color_like
from matplotlib.font_manager import fontManager

from biomech_id.errors import did_you_mean
from biomech_id.files.settings import ANYTHING, Section, Setting, Spot, a_number, a_text, is_number, one_of
from biomech_id.languages import LANGUAGES

#: Section -> what its numbers may be. Type below 5 points cannot be read on paper, above 24 it no longer fits its place.
_SIZES: dict[str, Setting] = {"text": a_number(5.0, 24.0, "points"), "lines": a_number(0.05, 6.0, "points")}
#: How a page draws what a mean is off by because of the measurement.
MEASUREMENT = ("bars", "band")
#: What the grey band of a norm is.
NORM_BANDS = ("sd", "percentiles")
_OPACITY = a_number(0.0, 1.0, "of full ink")
#: More ticks are no longer a scale but a grey area.
_MOST_TICKS = 50


def _is_colour(value: object) -> bool:
    return isinstance(value, str) and is_color_like(value)


def _fonts() -> list[str]:
    return fontManager.get_font_names()


def _are_numbers(row: object) -> bool:
    return isinstance(row, list) and all(is_number(x) and math.isfinite(x) for x in row)


def _is_scale(row: list[float]) -> bool:
    return _are_numbers(row) and len(row) == 3 and row[0] < row[1] and 0 < row[2] <= row[1] - row[0] <= _MOST_TICKS * row[2]


def _blanks(label: object) -> set[str] | None:
    """Names in braces; None for what is no text, or where braces do not close or say more than a name."""
    try:
        parts = list(string.Formatter().parse(label)) if isinstance(label, str) else [("", "", "?", None)]
    except ValueError:
        return None
    return None if any(form or change for _, _, form, change in parts) else {name for _, name, _, _ in parts if name is not None}


def _label(shipped: str) -> Setting:
    wanted = _blanks(shipped) or set()
    words = f"a text with {', '.join(f'{{{name}}}' for name in sorted(wanted)) or 'no {blanks}'} as in {shipped!r}"
    return Setting(words, lambda v: (blanks := _blanks(v)) is not None and blanks <= wanted, called="the label {key}")


def _unknown(at: Spot) -> str:
    return f"{at.where}: {at.dotted} is not something a style file can set.{at.near}"


LANGUAGE = Setting("a language with tables of words", lambda v: v in LANGUAGES, said=lambda at: (
    f"There are no labels in the language {at.value!r}; there are {', '.join(LANGUAGES)}. "
    "Single labels can be replaced under [labels] in a style file."
))  # fmt: skip
_COLOUR = Setting("#rrggbb", _is_colour, said=lambda at: (
    f"{at.where}: {at.dotted} is {at.value!r}, which is not a colour; write it like '#b5121b'."
))  # fmt: skip
_FONT = Setting("the name of an installed font", lambda v: v in _fonts(), said=lambda at: (
    f"{at.where}: {at.dotted} is {at.value!r}, and no font of that name is installed here.{did_you_mean(str(at.value), _fonts())}"
))  # fmt: skip
_DASHES = Setting(
    "a list of lengths of ink and gap in turn such as [4.0, 1.4], or [] for a solid line",
    lambda v: _are_numbers(v) and len(v) % 2 == 0 and all(x > 0 for x in v),
)
_SCALE = Setting(
    f"[lowest, highest, distance between ticks], with at most {_MOST_TICKS} ticks", _is_scale, called="the scale of {key}"
)


def _drawn(style: Any, side: str) -> tuple[str, list[float]]:
    return style["colours"][side], style["lines"][f"{side}_dashes"]


_DIFFERENT_SIDES = Setting(
    "sides that can be told apart",
    lambda v: _drawn(v, "left") != _drawn(v, "right"),
    said=lambda at: (
        f"{at.where}: left and right are drawn alike ({_drawn(at.value, 'left')[0]}); give them different colours or dashes."
    ),
)


def _kind(section: str, key: str, shipped: object) -> Setting:
    if section == "colours" or key == "family":
        return _FONT if key == "family" else _COLOUR
    if key == "measurement":
        return one_of(MEASUREMENT)
    if (section, key) == ("lines", "norm"):
        return one_of(NORM_BANDS)
    if isinstance(shipped, float):
        return _OPACITY if key.endswith("opacity") else _SIZES[section]
    return _DASHES if isinstance(shipped, list) else a_text()


def style_table(shipped: Mapping[str, Any], scales: Iterable[str], labels: Mapping[str, str]) -> Section:
    """Return what a style file may say.

    Parameters
    ----------
    shipped : Mapping[str, Any]
        The shipped style file; a laboratory's own has values of the same kinds.
    scales : Iterable[str]
        Variables that have a scale.
    labels : Mapping[str, str]
        Labels of the language, as shipped; a label keeps its ``{blanks}``.
    """
    kinds = {
        name: {key: _kind(name, key, value) for key, value in own.items()} for name, own in shipped.items() if name != "language"
    }
    kinds |= dict.fromkeys(("scales", "run_scales"), dict.fromkeys(scales, _SCALE))
    kinds["labels"] = {key: _label(label) for key, label in labels.items()}
    sections = {name: Section(entries, unknown=_unknown) for name, entries in kinds.items()}
    return Section({"language": ANYTHING, **sections}, unknown=_unknown, rules=(_DIFFERENT_SIDES,))
