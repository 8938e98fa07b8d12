"""A figure that shows itself: as the last line of a notebook's cell it is a picture, whatever has been imported before."""

from __future__ import annotations

import io

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

#: Dots per inch of the picture in a notebook.
NOTEBOOK_DPI = 80


class NotebookFigure(Figure):
    """A matplotlib figure with a picture of its own, in a fresh kernel too."""

    def _repr_png_(self) -> bytes:
        FigureCanvasAgg(self)
        picture = io.BytesIO()
        self.savefig(picture, format="png", dpi=NOTEBOOK_DPI)
        return picture.getvalue()
