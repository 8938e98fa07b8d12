"""Turns, runs and other movements: every cycle, outside all means."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from biomech_id.report.pages.kinematics import kinematics_page
from biomech_id.report.pages.kinetics import kinetics_page
from biomech_id.report.panels.page import Content, PageKind, Shows, register


def movement_pages(content: Content) -> Iterator[Figure]:
    """Draw the angles, then moments and powers, of one movement.

    Parameters
    ----------
    content : Content
        What pages are drawn from.
    """
    drawing = content.drawing(every_cycle=True)
    yield kinematics_page(drawing)
    yield kinetics_page(drawing)


register(
    PageKind(
        "other_movements",
        118,
        movement_pages,
        Shows.OTHER_MOVEMENT,
        titles=("page.kinematics_cycles", "page.kinetics_cycles"),
        sheets=0,
    )
)
