"""What the clinic found, as the laboratory wrote it into ``[clinic]`` of ``subject.toml``: section by section, and by joint."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from biomech_id.conventions import SIDES
from biomech_id.report.layout.sheet import BOTTOM_MM, LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import TableColumn, TextTable
from biomech_id.report.panels.clinic import Findings, clinic_of_session, examined_words
from biomech_id.report.panels.page import Content, PageKind, Shows, of_each, register
from biomech_id.session.tables.session_tables import Tables
from biomech_id.trial.examination import Examined

_COLUMNS, _GUTTER_MM, _TOP_MM = 2, 9.0, 26.0


def clinic_pages(clinic: Findings, style: Style) -> Iterator[Figure]:
    """Draw the sections as tables, in two columns, on as many sheets as it takes.

    Parameters
    ----------
    clinic : Findings
        As in ``summary.json``.
    style : Style
        Colours, words, scales and units of the report.
    """
    width = (RIGHT_MM - LEFT_MM - _GUTTER_MM * (_COLUMNS - 1)) / _COLUMNS
    columns = (TableColumn(style.label("clinic.key"), width * 0.55), TableColumn(style.label("clinic.found"), width * 0.45))
    left = [(name, TextTable(columns, [[key, text] for key, text in keys.items()])) for name, keys in clinic.items()]
    while True:
        sheet = Sheet(style)
        if not clinic:
            sheet.text(LEFT_MM, 30.0, style.label("clinic.none"), size="heading")
        for column in range(_COLUMNS):
            x, y = LEFT_MM + column * (width + _GUTTER_MM), _TOP_MM
            while left and y < BOTTOM_MM - 24.0:
                name, table = left.pop(0)
                sheet.heading(x, y, _title(name, style), to_mm=x + width)
                y, rest = table.draw(sheet, x, y + 1.6, room_mm=BOTTOM_MM - 8.0 - y)
                y += 9.0
                if rest is not None:
                    left.insert(0, (name, rest))
                    break
        yield sheet.figure
        if not left:
            return


def _title(section: str, style: Style) -> str:
    return section[:1].upper() + section[1:].replace("_", " ") if section else style.label("clinic.general")


def _draw(content: Content) -> Iterator[Figure]:
    return clinic_pages(clinic_of_session(content.tables), content.style)


def examination_sections(tables: Tables, style: Style) -> Findings:
    """Return the values of the examination as a page prints them: by joint, grades by what they grade, each as it was written.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
    sections: dict[str, dict[str, str]] = {}
    for row in () if tables.examination is None else tables.examination.to_dict("records"):
        if not Examined(raw=row["raw"]).seen:
            continue
        graded = row["scale"] and row["muscle"]
        named = (row["muscle"],) if graded else (row["test"], row["muscle"])
        side = style.label(f"side.{row['side']}").lower() if row["side"] in SIDES else ""
        key = examined_words(style, *named, row["position"], row["under"], row["date"], side)
        section = examined_words(style, row["test"] if graded else row["joint"])
        scale = f"({examined_words(style, row['scale'])})" if row["scale"] else ""
        sections.setdefault(section, {})[key] = " ".join(filter(None, (row["raw"], style.word(row["unit"]), scale)))
    return sections


def _draw_examination(content: Content) -> Iterator[Figure]:
    values, typed = examination_sections(content.tables, content.style), clinic_of_session(content.tables)
    sections = {name: {**values.get(name, {}), **typed.get(name, {})} for name in (*values, *typed)}
    return clinic_pages(sections, content.style)


def _in_examination(content: Content) -> bool:
    """Whether the page of the examination holds what was typed as well."""
    return content.tables.examination is not None and len(content.tables.examination) > 0


register(PageKind("clinic", 80, _draw, shows=Shows.SESSION, needs=("clinic",), compare=of_each, sheets=1, spared=_in_examination))
register(PageKind("examination", 81, _draw_examination, shows=Shows.SESSION, needs=("examination",), compare=of_each, sheets=1))
