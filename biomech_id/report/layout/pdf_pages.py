"""Pages written to a PDF for less than matplotlib's own way costs, to the same bytes."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module

from matplotlib.backend_bases import GraphicsContextBase
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

#: A module of no types, as matplotlib's stubs leave it.
_PDF = import_module("matplotlib.backends.backend_pdf")
#: Ends the line that puts a text in its place; what follows does not know the place.
_PLACED = b"cm\n"


class TextsOnce(_PDF.RendererPdf):  # type: ignore[misc, name-defined]
    """Works out once how a text is written; two texts of three in a report stand in it again, elsewhere.

    Letters, kerns and fonts of a text are half of what writing a report costs.
    """

    #: Texts of a file so far, without their places.
    written: dict[tuple[object, ...], bytes]

    def draw_text(
        self, gc: GraphicsContextBase, x: float, y: float, s: str, prop: FontProperties, angle: float, **how: object
    ) -> None:
        """Write a text.

        Parameters
        ----------
        gc, x, y, s, prop, angle, how : object
            As matplotlib passes them.
        """
        own = vars(how["mtext"]) if how.get("mtext") else {}
        # A formula is made of several texts, a link is a place of the page, and letters may be asked for in another way.
        if how.get("ismath") or gc.get_url() is not None or own.get("_features") or own.get("_language"):
            super().draw_text(gc, x, y, s, prop, angle, **how)
            return
        alike = (
            s, angle, *prop.get_family(), prop.get_size_in_points(), prop.get_weight(), prop.get_style(), prop.get_variant(),
            prop.get_stretch(), prop.get_file(),
        )  # fmt: skip
        if alike in self.written:
            self.check_gc(gc, gc.get_rgb())
            turn = math.radians(angle)
            self.file.output(_PDF.Op.gsave)
            self.file.output(math.cos(turn), math.sin(turn), -math.sin(turn), math.cos(turn), x, y, _PDF.Op.concat_matrix)
            self.file.write(self.written[alike])
            return
        self.check_gc(gc, gc.get_rgb())
        page, self.file.currentstream = self.file.currentstream, io.BytesIO()
        try:
            super().draw_text(gc, x, y, s, prop, angle, **how)
        finally:
            taken, self.file.currentstream = self.file.currentstream.getvalue(), page
        self.file.write(taken)
        _, placed, rest = taken.partition(_PLACED)
        if placed:
            self.written[alike] = rest


def written_pages(content: io.BytesIO, figures: Iterable[Figure], metadata: Mapping[str, object]) -> Iterator[int]:
    """Write figures as pages of one PDF and yield each one's number, from 1, when it is written; the last step closes the file.

    Parameters
    ----------
    content : io.BytesIO
        Takes the PDF.
    figures : Iterable[Figure]
        In their order.
    metadata : Mapping[str, object]
        As for matplotlib's ``PdfPages``.
    """
    texts: dict[tuple[object, ...], bytes] = {}
    file = _PDF.PdfFile(content, metadata=metadata)
    try:
        for number, figure in enumerate(figures, 1):
            (width_in, height_in), dpi = figure.get_size_inches(), figure.dpi
            page = TextsOnce(file, dpi, height_in, width_in)
            page.written = texts
            figure.dpi = 72  # there are 72 points in an inch
            file.newPage(width_in, height_in)
            renderer = _PDF.MixedModeRenderer(figure, width_in, height_in, dpi, page)
            figure.draw(renderer)
            renderer.finalize()
            file.endStream()
            figure.dpi = dpi
            yield number
        file.finalize()
    finally:
        file.close()
