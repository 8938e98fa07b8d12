"""Texts and axes that cost less than matplotlib's own and look the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib as mpl
from matplotlib.axis import XAxis, YAxis
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Text

#: Layouts that are kept; a report has some thousand different texts.
_MOST_KEPT = 20_000
_KEPT: dict[tuple[object, ...], object] = {}
_IN_PAIRS = mpl.__version_info__ >= (3, 11)


class Words(Text):
    """A text whose layout (where its lines lie around its place) is worked out once for all texts that are alike.

    Numbers at axes, headers, units and words come back on every page, and their layout is a third of what writing them costs.
    A line that begins at its place needs none at all. Where matplotlib no longer asks for a layout by this name, texts are
    written as ever.
    """

    _is_drawn = False

    def draw(self, renderer: RendererBase) -> None:
        """Draw this text.

        Parameters
        ----------
        renderer : RendererBase
            Matplotlib's.
        """
        self._is_drawn = True
        try:
            super().draw(renderer)
        finally:
            self._is_drawn = False

    def _get_layout(self, renderer: RendererBase) -> object:
        text, place = self.get_text(), (self.get_horizontalalignment(), self.get_verticalalignment(), self.get_rotation())
        if self.get_wrap() or self.get_parse_math() or self.get_usetex():  # depends on the room, or on much more than these
            return super()._get_layout(renderer)  # type: ignore[misc]
        if self._is_drawn and place == ("left", "baseline", 0.0) and "\n" not in text and self.get_bbox_patch() is None:
            # Up to matplotlib 3.10 a line's two coordinates stand one by one.
            return None, [(text, (0.0, 0.0, 0.0), (0.0, 0.0)) if _IN_PAIRS else (text, (0.0, 0.0), 0.0, 0.0)], None
        figure = self.get_figure(root=True)
        # Whoever measures: one class stands before the writers of PDF and SVG, which round widths differently.
        writer = type(renderer.get_text_width_height_descent.__self__)  # type: ignore[attr-defined]
        alike = (
            writer, figure.dpi if figure else None, text, *place, tuple(self.get_fontfamily()), self.get_fontsize(),
            self.get_fontweight(), self.get_fontstyle(), self.get_rotation_mode(),
            vars(self).get("_multialignment"), vars(self).get("_linespacing"),
        )  # fmt: skip
        if alike not in _KEPT:
            if len(_KEPT) >= _MOST_KEPT:
                _KEPT.clear()
            _KEPT[alike] = super()._get_layout(renderer)  # type: ignore[misc]
        return _KEPT[alike]


class _TicksWhenAsked:
    """Of an axis that nobody has asked for its ticks, none is made to be told how it would look."""

    @contextmanager
    def _without_new_ticks(self) -> Iterator[None]:
        unmade = [name for name in ("majorTicks", "minorTicks") if name not in vars(self)]
        for name in unmade:
            setattr(self, name, [])
        try:
            yield
        finally:
            for name in unmade:
                delattr(self, name)

    def set_clip_path(self, path: object, transform: object = None) -> None:
        """Clip the axis and the ticks that it has.

        Parameters
        ----------
        path, transform : object
            As matplotlib takes them.
        """
        with self._without_new_ticks():
            super().set_clip_path(path, transform)  # type: ignore[misc]

    def set_tick_params(self, which: object = "major", reset: bool = False, **how: object) -> None:
        """Say how ticks look.

        Parameters
        ----------
        which, reset, how : object
            As matplotlib takes them.
        """
        if reset:
            super().set_tick_params(which, reset, **how)  # type: ignore[misc]
            return
        with self._without_new_ticks():
            super().set_tick_params(which, reset, **how)  # type: ignore[misc]


class PanelXAxis(_TicksWhenAsked, XAxis):
    """The horizontal axis of a panel, which draws its own grid and numbers."""


class PanelYAxis(_TicksWhenAsked, YAxis):
    """The vertical axis of a panel, which draws its own grid and numbers."""
