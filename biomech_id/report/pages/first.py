"""The first page of a session, registered: see `report.first`."""

from __future__ import annotations

from biomech_id.report.first.page import first_page, walking_layer
from biomech_id.report.panels.page import PageKind, Shows, register

register(
    PageKind(
        "first",
        0,
        lambda content: [first_page(content)],
        Shows.SESSION,
        spared=lambda content: walking_layer(content) is None,
        sheets=1,
    )
)
