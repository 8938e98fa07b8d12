"""How pages look: colours, dashes, type sizes, fixed scales, the language's labels and the laboratory's name, all as data.

The shipped ``style.toml``, ``scales.toml`` and the ``report.toml`` of a language are the defaults; a laboratory's style file
overrides single rows of them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

from biomech_id.conventions import GRAVITY_M_S2, SignRow
from biomech_id.feet.movements import ADDED_MOVEMENTS
from biomech_id.files.settings import laid_over, must_fit, read_written, toml_of
from biomech_id.languages import terms_of
from biomech_id.movement.feet import NO_STRIDES as NO_STRIDES
from biomech_id.movement.feet import TrialKind
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.style_file import LANGUAGE, style_table
from biomech_id.values import dataclass, replace

_UNREADABLE = "The style file {path} cannot be read: {why}. It must be TOML, like the shipped style.toml.{comma}"
SIDE_COLOUR: dict[str, str] = {"L": "left", "R": "right"}
#: What is plotted instead of the tables' unit: quantity -> (unit, factor). Percent of body weight is N/kg over gravity.
PLOTTED_UNIT: dict[str, tuple[str, float]] = {"ground force": ("%BW", 100.0 / GRAVITY_M_S2)}
#: Kind of a movement that is no walk -> sections of labels that stand in the place of those they name; the last counts.
OWN_WORDS: dict[str, tuple[str, ...]] = {
    "run": ("running",), "jump": ("running", "jumping"), "squat": ("running", "jumping", "squatting"),
    "rise": ("running", "jumping", "rising"), "other": ("several",), "several": ("several",),
}  # fmt: skip


def own_words(kind: str) -> tuple[str, ...]:
    """Return the sections of labels of a movement that is no walk; none for walking.

    Parameters
    ----------
    kind : str
        As in ``summary.json``. One from outside the library may have a section that is called like it.
    """
    if kind not in ADDED_MOVEMENTS or TrialKind(kind).walking:
        return OWN_WORDS.get(kind, ())
    return (*(("running", "jumping") if kind in NO_STRIDES else ()), "several", kind)


@dataclass(frozen=True)
class Style:
    """Everything that decides how a page looks.

    Attributes
    ----------
    settings : Mapping[str, Mapping[str, Any]]
        The merged style file: ``laboratory``, ``colours``, ``lines``, ``text``.
    scales : Mapping[str, Scale]
        ``"HipAngles.X"`` -> `Scale`; ``run_scales`` beats ``scales`` on pages of running trials.
    run_scales : Mapping[str, Scale]
        ``"HipAngles.X"`` -> `Scale`; ``run_scales`` beats ``scales`` on pages of running trials.
    labels : Mapping[str, str]
        Key -> text in the chosen language; keys of single words of the sign table are the English words themselves.
    language : str
        One of `languages.LANGUAGES`.
    """

    settings: Mapping[str, Mapping[str, Any]]
    scales: Mapping[str, Scale]
    run_scales: Mapping[str, Scale]
    labels: Mapping[str, str]
    language: str

    def label(self, key: str, **values: object) -> str:
        """Text of a label in the chosen language, with ``{names}`` filled in; a key without a label is made readable.

        Parameters
        ----------
        key : str
            Name of the label.
        values : object
            Name -> what takes its place.
        """
        text = self.labels.get(key)
        if text is None:
            text = key.rpartition(".")[2].replace("_", " ").replace("-", " ")
            text = text[:1].upper() + text[1:]
        return text.format(**values) if values else text

    def of_movement(self, kind: str) -> Style:
        """The style of a movement other than walking: its own labels in the place of those with words for walking.

        Parameters
        ----------
        kind : str
            As in ``summary.json``; one without labels of its own changes nothing.
        """
        labels = dict(self.labels)
        for section in own_words(kind):
            own = {key.removeprefix(f"{section}."): text for key, text in self.labels.items() if key.startswith(f"{section}.")}
            labels |= {key: text for key, text in own.items() if "." in key}
        return replace(self, labels=MappingProxyType(labels))

    @property
    def decimal_mark(self) -> str:
        """What stands between a number's whole part and its decimals in the language."""
        return str(terms_of(self.language, "language").get("decimal_mark", "."))

    def word(self, english: str) -> str:
        """A title or axis word of the sign table in the chosen language.

        Parameters
        ----------
        english : str
            As in the sign table.
        """
        return self.labels.get(english, english)

    def colour(self, name: str) -> str:
        """Colour by its name in the style file, or of a side ("L", "R").

        Parameters
        ----------
        name : str
            As in the style file.
        """
        return str(self.settings["colours"][SIDE_COLOUR.get(name, name)])

    def dashes(self, side: str) -> tuple[float, tuple[float, ...] | None]:
        """Line style of a side, as matplotlib writes it: (offset, lengths of ink and gap), or (0, None) for solid.

        Parameters
        ----------
        side : str
            Side whose lines are drawn: "L" or "R".
        """
        lengths = tuple(float(x) for x in self.settings["lines"][f"{SIDE_COLOUR[side]}_dashes"])
        return (0.0, lengths or None)

    def size(self, name: str) -> float:
        """Type size in points.

        Parameters
        ----------
        name : str
            As in the style file.
        """
        return float(self.settings["text"][name])

    @property
    def family(self) -> str:
        """Name of the font."""
        return str(self.settings["text"]["family"])

    def width(self, name: str) -> float:
        """Line width in points, ``"cycle"`` or ``"mean"``.

        Parameters
        ----------
        name : str
            As in the style file.
        """
        return float(self.settings["lines"][f"{name}_width"])

    @property
    def measured_as_band(self) -> bool:
        """Whether the 95 % of the measurement are a light band and the SD of the cycles a pair of lines."""
        return bool(self.settings["lines"]["measurement"] == "band")

    @property
    def norm_as_percentiles(self) -> bool:
        """Whether the grey band goes from 5 to 95 % of a norm's people, where there are enough of them."""
        return bool(self.settings["lines"]["norm"] == "percentiles")

    def scale(self, row: SignRow, *, run: bool = False) -> Scale:
        """Fixed scale of a variable in the plotted unit.

        Parameters
        ----------
        row : SignRow
            The variable's row of the sign table.
        run : bool, optional
            Whether it is the scale for running.
        """
        name = f"{row.variable}.{row.component}" if row.component else row.variable
        if row.scale and name not in self.scales:
            return Scale(*row.scale)
        return self.run_scales[name] if run and name in self.run_scales else self.scales[name]

    def unit(self, row: SignRow) -> str:
        """Unit in which a variable is plotted.

        Parameters
        ----------
        row : SignRow
            The variable's row of the sign table.
        """
        return PLOTTED_UNIT.get(row.quantity, (row.unit, 1.0))[0]

    @staticmethod
    def factor(row: SignRow) -> float:
        """Plotted value = factor times the value in the tables.

        Parameters
        ----------
        row : SignRow
            The variable's row of the sign table.
        """
        return PLOTTED_UNIT.get(row.quantity, ("", 1.0))[1]

    @cached_property
    def rc(self) -> Any:
        """Settings of matplotlib while pages are made and written, whatever the user's own are."""
        return {
            "font.family": self.family,
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
    path : str | Path | None, optional
        TOML file with the lines to change, or None.
    language : str | None, optional
        Beats the file's own choice.

    Raises
    ------
    OptionError
        The file cannot be read as TOML, names something unknown, or holds a value of the wrong kind; the message names the line's
        key and the nearest known one.
    """
    own = read_written(path, toml_of, unreadable=_UNREADABLE) if path is not None else {}
    where = str(path) if path is not None else "the shipped style"
    base, scales = _shipped("style.toml"), _shipped("scales.toml")
    language = language or str(own.get("language", base["language"]))
    must_fit(LANGUAGE, language, where)
    texts = {key: str(text) for key, text in terms_of(language, "report").items()}
    merged = laid_over({**base, **scales, "labels": {}}, own)
    must_fit(style_table(base, scales["scales"], texts), merged, where)
    settings = {name: dict(merged[name]) for name in base if name != "language"}
    logo = settings["laboratory"]["logo"]
    if logo and path is not None:
        settings["laboratory"]["logo"] = str(Path(path).parent / logo)
    return Style(
        settings=MappingProxyType({name: MappingProxyType(values) for name, values in settings.items()}),
        scales=_scales(merged["scales"]),
        run_scales=_scales(merged["run_scales"]),
        labels=MappingProxyType(texts | merged["labels"]),
        language=language,
    )


def _scales(rows: Mapping[str, Sequence[float]]) -> Mapping[str, Scale]:
    return MappingProxyType({name: Scale(float(low), float(high), float(step)) for name, (low, high, step) in rows.items()})


@cache
def _shipped(name: str) -> dict[str, Any]:
    return tomllib.loads((resources.files("biomech_id.report.layout") / name).read_text(encoding="utf-8"))
