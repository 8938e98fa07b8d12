"""Lengths of the clinic's muscles over the gait cycle and how fast they change, of body models that have muscles."""

from __future__ import annotations

from matplotlib.figure import Figure

from biomech_id.conventions import MUSCLE_VARIABLES, muscle_variable
from biomech_id.report.pages.upper_body import Grid, grid_page
from biomech_id.report.panels.page import Content, PageKind, overlaid, register

_ABOVE_THE_KNEE = ("psoas", "rectus_femoris", "medial_hamstrings", "lateral_hamstrings")
_BELOW_THE_KNEE = ("medial_gastrocnemius", "lateral_gastrocnemius", "soleus")
#: Below each length how fast it changes.
MUSCLE_GRID: Grid = tuple(
    tuple((muscle_variable(muscle, measure), "") for muscle in muscles)
    for muscles in (_ABOVE_THE_KNEE, _BELOW_THE_KNEE)
    for measure in ("Length", "Velocity")
)


def _draw(content: Content) -> list[Figure]:
    return [grid_page(content.drawing(), MUSCLE_GRID, "muscles.note")]


register(PageKind("muscles", 68, _draw, compare=overlaid, sheets=1, variables=tuple(sorted(MUSCLE_VARIABLES))))
