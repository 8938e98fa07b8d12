"""Inside the foot, over the gait cycle: hindfoot, forefoot, hallux and arch of both sides, and how they stood in the static trial.

The hallux' second and third angle are not drawn: one marker cannot define them. The ankle of the leg's model stands beside the
hindfoot's dorsiflexion, because a foot of one piece hides what the midfoot does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypedDict

from matplotlib.figure import Figure

from biomech_id.conventions import AXES, SIDES
from biomech_id.report.layout.numbers import written
from biomech_id.report.layout.sheet import LEFT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import TableColumn, TextTable
from biomech_id.report.pages.upper_body import Grid, grid_page
from biomech_id.report.panels.layer import ROWS
from biomech_id.report.panels.page import Content, PageKind, overlaid, register
from biomech_id.session.tables.session_tables import Tables

FOOT_GRID: Grid = (
    (("HindfootTibiaAngles", "X"), ("HindfootTibiaAngles", "Y"), ("HindfootTibiaAngles", "Z"), ("AnkleAngles", "X")),
    (
        ("ForefootHindfootAngles", "X"),
        ("ForefootHindfootAngles", "Y"),
        ("ForefootHindfootAngles", "Z"),
        ("HalluxForefootAngles", "X"),
    ),
    (("ForefootTibiaAngles", "X"), ("ForefootTibiaAngles", "Y"), ("ForefootTibiaAngles", "Z"), ("ArchHeightIndex", "")),
)
_TABLE_TOP_MM, _NUMBER_MM, _NAME_MM, _BELOW_TABLE_MM = 158.0, 31.0, 30.0, 2.0
#: Variables of the table, in its order.
_STATIC = ("HindfootTibiaAngles", "ForefootHindfootAngles", "ForefootTibiaAngles")


class FeetRecord(TypedDict):
    """The foot model as ``calibration.json`` holds it, as far as this page reads its options."""

    heel_passes: int
    widths: str
    sides: Mapping[str, Mapping[str, object]]


def draw(content: Content) -> Iterator[Figure]:
    """Yield the page: curves above, the static trial's alignment and the options below.

    Parameters
    ----------
    content : Content
        What pages are drawn from.
    """
    drawing = content.drawing(every_cycle=len(content.layers) == 1)
    figure = grid_page(drawing, FOOT_GRID, "inside_foot.note")
    if len(content.layers) == 1:
        _static(Sheet(content.style, figure), content.tables, content.style)
    yield figure


def _static(sheet: Sheet, tables: Tables, style: Style) -> None:
    record = tables.calibration.get("foot_models", {}).get("oxford", {"sides": {}})
    names = [(variable, i) for variable in _STATIC for i in range(len(AXES))]
    heads = [TableColumn(style.word(ROWS[variable, AXES[i]].title), _NUMBER_MM - 3.5, "right") for variable, i in names]
    columns = (TableColumn(style.label("inside_foot.static"), _NAME_MM - 4.0), *heads)
    rows = []
    for side in SIDES:
        foot = record["sides"].get(side)
        if foot is None:
            continue
        shown = foot.get("static_deg", {})
        values = [shown[variable][i] if variable in shown else None for variable, i in names]
        flat, known = (style.label(f"inside_foot.{key}") for key in (f"flat_{foot['flat']}".lower(), foot["flat_known"]))
        name = f"{style.label(f'side.{side}')}: {flat}, {known}"
        rows.append([name, *(written(value, 1, style.decimal_mark) for value in values)])
    if rows:
        bottom_mm, _ = TextTable(columns, rows, size="tiny").draw(sheet, LEFT_MM, _TABLE_TOP_MM)
        sheet.note(_options(record, style), bottom_mm + _BELOW_TABLE_MM, most=2)


def _options(record: FeetRecord, style: Style) -> str:
    """What was decided of the model, in one line; whether the sole was flat stands in the table."""
    floors, passes = {str(foot.get("floor")).lower() for foot in record["sides"].values()}, record["heel_passes"]
    words = {
        "floor": style.label(f"inside_foot.floor_{floors.pop() if len(floors) == 1 else 'unlike'}"),
        "passes": style.label(f"inside_foot.passes_{passes if passes in (0, 1) else 'more'}", n=passes),
        "widths": style.label(f"inside_foot.widths_{record['widths']}"),
    }
    return style.label("inside_foot.options", **words)


register(
    PageKind(
        "inside_foot", 66, draw, compare=overlaid, sheets=0,
        variables=("HindfootTibiaAngles", "ForefootHindfootAngles", "HalluxForefootAngles"),
    )
)  # fmt: skip
