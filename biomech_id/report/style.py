"""How pages look: colours, dashes, type sizes, fixed scales, the language's labels and the laboratory's name, all as data.

The shipped ``style.toml``, ``scales.toml`` and ``labels_<language>.toml`` are the defaults; a laboratory's style file overrides
single rows of them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

from biomech_id.conventions import GRAVITY_M_S2, SignRow
from biomech_id.errors import OptionError
from biomech_id.handwritten import did_you_mean, read_text, why_unreadable

LANGUAGES: tuple[str, ...] = ("en", "de")
SIDE_COLOUR: dict[str, str] = {"L": "left", "R": "right"}
#: What is plotted instead of the tables' unit: quantity -> (unit, factor). Percent of body weight is N/kg over gravity.
PLOTTED_UNIT: dict[str, tuple[str, float]] = {"ground force": ("%BW", 100.0 / GRAVITY_M_S2)}


@dataclass(frozen=True)
class Scale:
    """A fixed vertical scale: ``low`` to ``high`` with a tick every ``step``, in the plotted unit."""

    low: float
    high: float
    step: float

    @property
    def ticks(self) -> tuple[float, ...]:
        """Tick positions that lie on the scale, multiples of ``step``, lowest first."""
        first = -(-self.low // self.step)
        last = self.high // self.step
        return tuple(round(k * self.step, 9) for k in range(int(first), int(last) + 1))


@dataclass(frozen=True)
class Style:
    """Everything that decides how a page looks.

    Attributes
    ----------
    settings : the merged style file: ``laboratory``, ``colours``, ``lines``, ``text``.
    scales, run_scales : ``"HipAngles.X"`` -> `Scale`; ``run_scales`` beats ``scales`` on pages of running trials.
    labels : key -> text in the chosen language; keys of single words of the sign table are the English words themselves.
    language : ``en`` or ``de``.
    """

    settings: Mapping[str, Mapping[str, Any]]
    scales: Mapping[str, Scale]
    run_scales: Mapping[str, Scale]
    labels: Mapping[str, str]
    language: str

    def label(self, key: str, **values: object) -> str:
        """Text of a label in the chosen language, with ``{names}`` filled in; a key without a label is made readable."""
        text = self.labels.get(key)
        if text is None:
            text = key.rpartition(".")[2].replace("_", " ").replace("-", " ")
            text = text[:1].upper() + text[1:]
        return text.format(**values) if values else text

    def word(self, english: str) -> str:
        """A title or axis word of the sign table in the chosen language."""
        return self.labels.get(english, english)

    def colour(self, name: str) -> str:
        """Colour by its name in the style file, or of a side ("L", "R")."""
        return str(self.settings["colours"][SIDE_COLOUR.get(name, name)])

    def dashes(self, side: str) -> tuple[float, tuple[float, ...] | None]:
        """Line style of a side, as matplotlib writes it: (offset, lengths of ink and gap), or (0, None) for solid."""
        lengths = tuple(float(x) for x in self.settings["lines"][f"{SIDE_COLOUR[side]}_dashes"])
        return (0.0, lengths or None)

    def size(self, name: str) -> float:
        """Type size in points."""
        return float(self.settings["text"][name])

    def width(self, name: str) -> float:
        """Line width in points, ``"cycle"`` or ``"mean"``."""
        return float(self.settings["lines"][f"{name}_width"])

    def scale(self, row: SignRow, *, run: bool = False) -> Scale:
        """Fixed scale of a variable in the plotted unit."""
        name = f"{row.variable}.{row.component}" if row.component else row.variable
        return self.run_scales[name] if run and name in self.run_scales else self.scales[name]

    def unit(self, row: SignRow) -> str:
        """Unit in which a variable is plotted."""
        return PLOTTED_UNIT.get(row.quantity, (row.unit, 1.0))[0]

    @staticmethod
    def factor(row: SignRow) -> float:
        """Plotted value = factor times the value in the tables."""
        return PLOTTED_UNIT.get(row.quantity, ("", 1.0))[1]

    @cached_property
    def rc(self) -> Any:
        """Settings of matplotlib while pages are made and written, whatever the user's own are."""
        return {
            "font.family": self.settings["text"]["family"],
            "font.size": self.size("body"),
            "text.color": self.colour("ink"),
            "text.usetex": False,
            # Letters keep their own widths in page images too, as they do in the PDF.
            "text.hinting": "none",
            "axes.unicode_minus": True,
            "pdf.fonttype": 42,
            "pdf.use14corefonts": False,
            "pdf.compression": 6,
            # Curves are written point by point: what is in the PDF is what is in the tables.
            "path.simplify": False,
            "figure.dpi": 100.0,
            "savefig.bbox": None,
            "savefig.dpi": "figure",
        }


def load_style(path: str | Path | None = None, *, language: str | None = None) -> Style:
    """Load the shipped style, changed by a laboratory's own style file.

    Parameters
    ----------
    path : TOML file with the lines to change, or None.
    language : beats the file's own choice.

    Raises
    ------
    OptionError : the file cannot be read as TOML, names something unknown, or holds a value of the wrong kind; the message names
        the line's key and the nearest known one.
    """
    own = _read_toml(Path(path)) if path is not None else {}
    where = str(path) if path is not None else "the shipped style"
    base = _shipped("style.toml")
    sections = {"scales", "run_scales", "labels", *base}
    _refuse_unknown(own, sections, where=where, inside="")
    language = language or str(own.get("language", base["language"]))
    if language not in LANGUAGES:
        raise OptionError(
            f"There are no labels in the language {language!r}; there are {', '.join(LANGUAGES)}. "
            "Single labels can be replaced under [labels] in a style file.",
            value=language,
            expected=" | ".join(LANGUAGES),
            where=where,
        )
    settings = {name: _merged(name, base[name], own.get(name, {}), where) for name in base if name != "language"}
    _check_colours(settings["colours"], where)
    logo = settings["laboratory"]["logo"]
    if logo and path is not None:
        settings["laboratory"]["logo"] = str(Path(path).parent / logo)
    shipped = _shipped("scales.toml")
    labels = _shipped(f"labels_{language}.toml")
    flat = {
        key if section == "words" else f"{section}.{key}": str(text)
        for section, texts in labels.items()
        for key, text in texts.items()
    }
    return Style(
        settings=MappingProxyType({name: MappingProxyType(values) for name, values in settings.items()}),
        scales=_scales(shipped["scales"], own.get("scales", {}), where),
        run_scales=_scales(shipped["run_scales"], own.get("run_scales", {}), where, known=shipped["scales"]),
        labels=MappingProxyType(flat | _own_labels(own.get("labels", {}), flat, where)),
        language=language,
    )


@cache
def _shipped(name: str) -> dict[str, Any]:
    return tomllib.loads((resources.files("biomech_id.report") / name).read_text(encoding="utf-8"))


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise OptionError(
            f"The style file {path} cannot be read: {why_unreadable(error)}. It must be TOML, like the shipped style.toml.",
            value=str(path),
            expected="a readable TOML file",
            where=str(path),
        ) from error


def _refuse_unknown(found: Mapping[str, Any], known: set[str], *, where: str, inside: str) -> None:
    for key in found:
        if key not in known:
            raise OptionError(
                f"{where}: {inside}{key} is not something a style file can set.{did_you_mean(key, known)}",
                value=key,
                expected=" | ".join(sorted(known)[:40]),
                where=where,
            )


def _merged(section: str, base: Mapping[str, Any], own: Any, where: str) -> dict[str, Any]:
    if not isinstance(own, Mapping):
        raise OptionError(
            f"{where}: [{section}] must be a table of settings, not {own!r}.", value=own, expected="a TOML table", where=where
        )
    _refuse_unknown(own, set(base), where=where, inside=f"{section}.")
    for key, value in own.items():
        number = isinstance(base[key], float) and isinstance(value, (int, float)) and not isinstance(value, bool)
        if not (number or type(value) is type(base[key])):
            kind = type(base[key]).__name__
            raise OptionError(
                f"{where}: {section}.{key} is {value!r}; it must be a {kind} such as {base[key]!r}.",
                value=value,
                expected=kind,
                where=where,
            )
    return {**base, **own}


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


def _scales(
    shipped: Mapping[str, Any], own: Mapping[str, Any], where: str, *, known: Mapping[str, Any] | None = None
) -> Mapping[str, Scale]:
    _refuse_unknown(own, set(known or shipped), where=where, inside="scales.")
    made = {}
    for name, row in {**shipped, **own}.items():
        numbers = isinstance(row, list) and len(row) == 3 and all(isinstance(x, (int, float)) for x in row)
        if not numbers or not row[0] < row[1] or not 0 < row[2] <= row[1] - row[0]:
            raise OptionError(
                f"{where}: the scale of {name} is {row!r}; it must be [lowest, highest, distance between ticks].",
                value=row,
                expected="[lowest, highest, step] with lowest < highest and 0 < step",
                where=where,
            )
        made[name] = Scale(*(float(x) for x in row))
    return MappingProxyType(made)


def _own_labels(own: Mapping[str, Any], known: Mapping[str, str], where: str) -> dict[str, str]:
    _refuse_unknown(own, set(known), where=where, inside="labels.")
    return {key: str(text) for key, text in own.items()}
