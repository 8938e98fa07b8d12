"""A frame with fixed scales, drawn with a handful of artists.

Matplotlib's own ticks are objects with two lines and two labels each and cost more than all curves of a page. A panel is an
ordinary ``Axes`` (``plot``, ``set_xlim`` and the rest work) whose grid is one line collection and whose numbers are written only
where they are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation, Transform
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray
from biomech_id.report.layout.numbers import digits
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.typography import TextLook, drawable, width_mm, wrapped
from biomech_id.report.layout.words import PanelXAxis, PanelYAxis, Words
from biomech_id.signal.runs import runs

MM_PER_INCH = 25.4
#: Between the words at the two ends of an axis.
_WORD_GAP_MM = 2.0
#: Strokes of a hatched band, points.
_HATCH_WIDTH = 0.5


class Hundredths(Transform):
    """Places on the page rounded to hundredths of a point (0.004 mm), at the very end: the tables' numbers stay in the figure.

    A PDF holds each coordinate as text; six decimals of a point that no printer resolves are two thirds of it.
    """

    input_dims = 2
    output_dims = 2

    def transform_non_affine(self, values: Any) -> FloatArray:
        """Round places (n, 2).

        Parameters
        ----------
        values : Any
            Places (n, 2).
        """
        rounded: FloatArray = np.round(values, 2)
        return rounded


class Panel(Axes):
    """One plot of a page.

    Parameters
    ----------
    figure : Figure
        The page that it stands on.
    place : tuple[float, float, float, float]
        Left, bottom, width, height as fractions of the page.
    size_mm : tuple[float, float]
        Width and height of the frame.
    style : Style
        Colours and type of the page.
    """

    def __init__(
        self, figure: Figure, place: tuple[float, float, float, float], *, size_mm: tuple[float, float], style: Style
    ) -> None:
        super().__init__(figure, place)
        self.set_axis_off()
        self.size_mm = size_mm
        self.style = style

    def _init_axis(self) -> None:
        """Give both axes ticks that are made when somebody asks for them: no page does, and they cost more than its curves."""
        self.xaxis, self.yaxis = PanelXAxis(self, clear=False), PanelYAxis(self, clear=False)
        for axis, ends in ((self.xaxis, ("bottom", "top")), (self.yaxis, ("left", "right"))):
            for end in ends:
                self.spines[end].register_axis(axis)

    def frame(self, x: Scale, y: Scale, *, x_numbers: bool, y_numbers: bool = True) -> None:
        """Set both scales and draw grid, zero line and numbers.

        Parameters
        ----------
        x, y : Scale
            Scale of the axis.
        x_numbers : bool
            Whether numbers stand at the axis.
        y_numbers : bool, optional
            Whether numbers stand at the axis.
        """
        self.set_xlim(x.low, x.high)
        self.set_ylim(y.low, y.high)
        grid = [[(x.low, tick), (x.high, tick)] for tick in y.ticks] + [[(tick, y.low), (tick, y.high)] for tick in x.ticks]
        border = [(x.low, y.low), (x.high, y.low), (x.high, y.high), (x.low, y.high), (x.low, y.low)]
        strong = [border, [(x.low, 0.0), (x.high, 0.0)]] if y.low < 0 < y.high else [border]
        colours = [self.style.colour("grid")] * len(grid) + [self.style.colour("zero")] * len(strong)
        widths = [0.5] * (len(grid) + 1) + [0.7] * (len(strong) - 1)
        self.add_collection(
            LineCollection([*grid, *strong], colors=colours, linewidths=widths, zorder=0.5, clip_on=False), autolim=False
        )
        if x_numbers:
            for tick in x.ticks:
                self.mark(tick, y.low, digits(tick, "g", self.style.decimal_mark), below_mm=1.5, ha="center", va="top")
        if y_numbers:
            for tick in y.ticks:
                self.mark(
                    x.low,
                    tick,
                    digits(tick, "g", self.style.decimal_mark),
                    below_mm=0.0,
                    right_mm=-1.0,
                    ha="right",
                    va="center_baseline",
                )

    def polylines(
        self,
        paths: Sequence[ArrayLike] | FloatArray,
        *,
        colour: str,
        width: float,
        dashes: tuple[float, tuple[float, ...] | None] = (0.0, None),
        zorder: float = 3.0,
        opacity: float = 1.0,
        gid: str | None = None,
    ) -> LineCollection:
        """Draw any number of polylines as one artist; each path is (n, 2) in data coordinates, NaN leaves a gap.

        Parameters
        ----------
        paths : Sequence[ArrayLike] | FloatArray
            Each (n, 2), data coordinates.
        colour : str
            A colour as matplotlib takes it.
        width : float
            Of the line, points.
        dashes : tuple[float, tuple[float, ...] | None], optional
            As matplotlib takes them; solid without.
        zorder : float, optional
            What is higher lies above.
        opacity : float, optional
            From 0 to 1.
        gid : str | None, optional
            Name in the SVG, for tests.
        """
        drawn = LineCollection(
            list(paths),
            colors=self.style.colour(colour),
            linewidths=width,
            linestyles=[dashes],
            zorder=zorder,
            alpha=opacity,
            capstyle="butt",
            joinstyle="round",
        )
        drawn.set_gid(gid)
        drawn.set_transform(self.transData + Hundredths())
        self.add_collection(drawn, autolim=False)
        return drawn

    def band(
        self,
        x: FloatArray,
        low: FloatArray,
        high: FloatArray,
        *,
        colour: str,
        opacity: float,
        zorder: float,
        gid: str | None,
        hatch: str = "",
    ) -> None:
        """Fill between two curves wherever both are known.

        Parameters
        ----------
        x, low, high : FloatArray
            (n,), in data coordinates of the panel.
        colour : str
            A colour as matplotlib takes it.
        opacity : float
            From 0 to 1.
        zorder : float
            What is higher lies above.
        gid : str | None
            Name in the SVG, for tests.
        hatch : str, optional
            Pattern as matplotlib names it, instead of a filling; "" fills.
        """
        polygons = []
        for run in (slice(*ends) for ends in runs(np.isfinite(low) & np.isfinite(high)) if ends[1] - ends[0] > 1):
            outline = np.concatenate([low[run], high[run][::-1]])
            polygons.append(np.column_stack([np.concatenate([x[run], x[run][::-1]]), outline]))
        if polygons:
            shade = self.style.colour(colour)
            with rc_context({"hatch.linewidth": _HATCH_WIDTH}):
                filled = PolyCollection(polygons, facecolors="none" if hatch else shade, linewidths=0, alpha=opacity, zorder=zorder)
            if hatch:
                filled.set(hatch=hatch, edgecolor=shade)
            filled.set_gid(gid)
            filled.set_transform(self.transData + Hundredths())
            self.add_collection(filled, autolim=False)

    def mark(
        self,
        x: float,
        y: float,
        text: str,
        *,
        below_mm: float = 0.0,
        right_mm: float = 0.0,
        size: str = "tiny",
        colour: str = "quiet",
        **how: Unpack[TextLook],
    ) -> None:
        """Write at a place in data coordinates, moved by millimetres.

        Parameters
        ----------
        x, y : float
            Place, in data coordinates of the panel.
        text : str
            Words that are written there.
        below_mm : float, optional
            How far below the place, millimetres.
        right_mm : float, optional
            How far to the right.
        size : str, optional
            Name of a type size in the style.
        colour : str, optional
            A colour as matplotlib takes it.
        how : Unpack[TextLook]
            As matplotlib takes it.
        """
        shift = ScaledTranslation(right_mm / MM_PER_INCH, -below_mm / MM_PER_INCH, self.figure.dpi_scale_trans)
        self.add_artist(Words(
            x, y, drawable(text, self.style.family),
            transform=self.transData + shift,
            fontsize=self.style.size(size), color=self.style.colour(colour), parse_math=False, clip_on=False, **how,
        ))  # fmt: skip

    def outside(
        self, right_mm: float, up_mm: float, text: str, *, size: str = "body", colour: str = "ink", **how: Unpack[TextLook]
    ) -> None:
        """Write at a distance in millimetres from the frame's lower left corner.

        Parameters
        ----------
        right_mm : float
            How far to the right.
        up_mm : float
            How far above the frame's lower edge, millimetres.
        text : str
            Words that are written there.
        size : str, optional
            Name of a type size in the style.
        colour : str, optional
            A colour as matplotlib takes it.
        how : Unpack[TextLook]
            As matplotlib takes it.
        """
        look: TextLook = {"fontsize": self.style.size(size), **how}
        self.add_artist(Words(
            right_mm / self.size_mm[0], up_mm / self.size_mm[1], drawable(text, self.style.family),
            transform=self.transAxes,
            color=self.style.colour(colour), parse_math=False, clip_on=False, **look,
        ))  # fmt: skip

    def end_words(self, positive: str, negative: str, *, left_mm: float) -> None:
        """Write what up and down mean along the vertical axis, ``left_mm`` to the left of the frame.

        Parameters
        ----------
        positive, negative : str
            Words at the two ends of the axis.
        left_mm : float
            How far left of the frame, millimetres.
        """
        size, height = self.style.size("tiny"), self.size_mm[1]
        words = [positive, negative]
        if sum(width_mm(word, size) for word in words) > height - _WORD_GAP_MM:
            words = [word.replace(" ", "\n") for word in words]
        length = sum(max(width_mm(line, size) for line in word.split("\n")) for word in words)
        # Long single words are written smaller rather than over one another.
        size *= min(1.0, (height - _WORD_GAP_MM) / length)
        ends: tuple[tuple[str, float, Literal["right", "left"]], ...] = ((words[0], height, "right"), (words[1], 0.0, "left"))
        for word, up, anchor in ends:
            self.outside(
                -left_mm, up, word, fontsize=size,
                rotation=90, rotation_mode="anchor", ha=anchor, va="bottom", multialignment=anchor, linespacing=0.95,
            )  # fmt: skip

    def notice(self, text: str, *, up_mm: float | None = None) -> None:
        """Say in words, inside the frame, why something is not drawn.

        Parameters
        ----------
        text : str
            Words that are written in the panel.
        up_mm : float | None, optional
            How far above the frame's lower edge, millimetres; None takes the middle.
        """
        size = self.style.size("small")
        lines = wrapped(text, self.size_mm[0] - 6.0, size, most=6)
        height = self.size_mm[1] / 2 if up_mm is None else up_mm
        self.outside(
            self.size_mm[0] / 2, height, "\n".join(lines), size="small", ha="center", va="center" if up_mm is None else "bottom",
            zorder=6, linespacing=1.15, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.2, "alpha": 0.85},
        )  # fmt: skip
