"""How wide a text is, and how to break it so that it fits: exact font metrics without drawing anything."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal, TypedDict
from unicodedata import category

from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import FT2Font, LoadFlags

MM_PER_POINT = 25.4 / 72.0
_TRIAL_POINTS = 100.0


#: What stands for a character that the font does not have.
MISSING_GLYPH = "\u25a1"


@cache
def _font(family: str, weight: str) -> FT2Font:
    return get_font(findfont(FontProperties(family=family, weight=weight)))


@cache
def has_glyph(character: str, family: str) -> bool:
    """Return whether the font has a shape for a character, in both weights that pages use; line breaks count as shapes.

    Parameters
    ----------
    character : str
        One character of any script.
    family : str
        Name of the font.
    """
    return character == "\n" or all(_font(family, weight).get_char_index(ord(character)) for weight in ("normal", "bold"))


class TextLook(TypedDict, total=False):
    """How matplotlib sets a text, where it is not as usual."""

    ha: str
    va: str
    multialignment: Literal["left", "center", "right"]
    linespacing: float
    rotation_mode: Literal["default", "anchor"]
    weight: str
    rotation: float
    zorder: float
    bbox: Mapping[str, object]
    fontsize: float


def drawable(text: str, family: str) -> str:
    """Return the text with an empty square for each character that the font does not have.

    Parameters
    ----------
    text : str
        Text that may hold characters without a glyph.
    family : str
        Name of the font.
    """
    return "".join(character if has_glyph(character, family) else MISSING_GLYPH for character in text)


@cache
def _advance(character: str, family: str, weight: str) -> float:
    """Width of one character in units of the type size."""
    shown = character if has_glyph(character, family) else MISSING_GLYPH
    if category(character) == "Cc":
        shown = " "  # the end of a line, say, which has no width that could be asked for
    font = _font(family, weight)
    # Matplotlib draws with the same font object, at sizes of its own.
    font.set_size(_TRIAL_POINTS, 72)
    # linearHoriAdvance is in 16.16 fixed point pixels; at 72 dpi a pixel is a point.
    return float(font.load_char(ord(shown), flags=LoadFlags.NO_HINTING).linearHoriAdvance) / 65536.0 / _TRIAL_POINTS


def width_mm(text: str, points: float, *, family: str = "DejaVu Sans", weight: str = "normal") -> float:
    """Width of one line of text in millimetres.

    Parameters
    ----------
    text : str
        Text in one line, without markup.
    points : float
        Size of the type, points.
    family : str, optional
        Name of the font.
    weight : str, optional
        Weight of the type: "regular" or "bold".
    """
    return sum(_advance(character, family, weight) for character in text) * points * MM_PER_POINT


def wrapped(
    text: str, room_mm: float, points: float, *, family: str = "DejaVu Sans", weight: str = "normal", most: int | None = None
) -> list[str]:
    r"""Break text into lines no wider than ``room_mm``.

    Words are kept whole where they fit on a line of their own; ``\n`` always breaks. With ``most`` lines at most, the last one
    ends in an ellipsis where text had to be left out.

    Parameters
    ----------
    text : str
        Text, whose own line breaks stay.
    room_mm : float
        How wide or high at most; None for no limit.
    points : float
        Size of the type, points.
    family : str, optional
        Name of the font.
    weight : str, optional
        Weight of the type: "regular" or "bold".
    most : int | None, optional
        Lines at most; None for no limit.
    """
    lines: list[str] = []
    for part in text.split("\n"):
        line = ""
        for word in part.split(" "):
            longer = f"{line} {word}" if line else word
            if width_mm(longer, points, family=family, weight=weight) <= room_mm:
                line = longer
                continue
            if line:
                lines.append(line)
            *whole, line = _broken(word, room_mm, points, family, weight)
            lines += whole
        lines.append(line)
    if most is not None and len(lines) > most:
        lines = [*lines[: most - 1], _ended(f"{lines[most - 1]} {lines[most]}", room_mm, points, family, weight)]
    return lines


def _broken(word: str, room_mm: float, points: float, family: str, weight: str) -> list[str]:
    """Cut one word (a hash, a path, a long code) where the line is full."""
    pieces, piece = [], ""
    for character in word:
        if piece and width_mm(piece + character, points, family=family, weight=weight) > room_mm:
            pieces.append(piece)
            piece = ""
        piece += character
    return [*pieces, piece]


def shortened(text: str, room_mm: float, points: float, *, family: str = "DejaVu Sans", weight: str = "normal") -> str:
    """Return the text, or as much of its beginning as fits, with an ellipsis.

    Parameters
    ----------
    text : str
        Text in one line, without markup.
    room_mm : float
        How wide or high at most; None for no limit.
    points : float
        Size of the type, points.
    family : str, optional
        Name of the font.
    weight : str, optional
        Weight of the type: "regular" or "bold".
    """
    fits = width_mm(text, points, family=family, weight=weight) <= room_mm
    return text if fits else _ended(text, room_mm, points, family, weight)


def _ended(text: str, room_mm: float, points: float, family: str, weight: str) -> str:
    """As much of the beginning of a text as fits together with an ellipsis."""
    while text and width_mm(text + "…", points, family=family, weight=weight) > room_mm:
        text = text[:-1]
    return text.rstrip() + "…"
