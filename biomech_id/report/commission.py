"""What a laboratory reads before it switches: who answers what, our numbers beside its own software's, and its own error sizes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl

from biomech_id._version import __version__
from biomech_id.conventions import CYCLE_ROWS
from biomech_id.judgement.commissioning import Commissioned
from biomech_id.languages import worded
from biomech_id.report.layout.numbers import digits
from biomech_id.report.layout.sheet import BOTTOM_MM, LEFT_MM, Sheet
from biomech_id.report.layout.style import Style, load_style
from biomech_id.report.layout.text_table import Cell, TableColumn, TextTable
from biomech_id.report.pages.cover import draw_banner
from biomech_id.report.pages.parity import parity_pages
from biomech_id.report.panels.page import Page
from biomech_id.report.pdf import no_collector, stamp, write_pdf

_ROLE_MM, _COUNT_MM, _NAMES_MM, _TEXT_MM = 22.0, 23.0, 43.0, 185.0
#: Sessions that a row names.
_MOST_NAMED = 4


def draw_commission(lab: Commissioned, path: Path, style: Style | str | Path | None = None) -> Path:
    """Draw what was found about a laboratory's sessions, and return the file.

    Parameters
    ----------
    lab : Commissioned
        Of `pipeline.commission.commissioned`.
    path : Path
        PDF to write.
    style : Style | str | Path | None, optional
        A `Style`, or a laboratory's style file.

    Raises
    ------
    OutputError
        The PDF cannot be written.
    """
    look = style if isinstance(style, Style) else load_style(style)
    with mpl.rc_context(look.rc), no_collector():
        pages = [*_question_pages(lab, look), *_parity_pages(lab, look), _error_page(lab, look)]
        stamp(pages, look, code="", session="", version=__version__)
        return write_pdf(pages, path, look, title=look.label("commission.title"))


def _question_pages(lab: Commissioned, style: Style) -> Iterator[Page]:
    sheet, n = Sheet(style), len(lab.analysed)
    counts = {"n": n, "stored": n - len(lab.silent), "failed": len(lab.failed), "asked": len(lab.questions)}
    colour = "warn" if lab.failed or lab.silent or lab.unread else "accept"
    y = draw_banner(sheet, 22.0, style.label("commission.head", **counts), style.label("commission.how", **counts), colour=colour)
    heads = (
        ("commission.who", _ROLE_MM),
        ("commission.sessions", _COUNT_MM),
        ("commission.in", _NAMES_MM),
        ("commission.what", _TEXT_MM),
    )
    rows: list[tuple[Cell | str, ...]] = [("–", "–", name, style.label("commission.silent")) for name in lab.silent]
    rows += [("–", "–", name, sentence) for name, sentence in {**lab.failed, **lab.unread}.items()]
    for each in lab.questions:
        names = [*each.sessions[:_MOST_NAMED], *["…"][: len(each.sessions) > _MOST_NAMED]]
        counted = style.label("parity.of", equal=len(each.sessions), n=n)
        words = worded(each.rule, each.example["values"], style.language)
        rows.append((Cell(style.label(f"commission.{each.answers}"), bold=True), counted, ", ".join(names), words))
    rest: TextTable | None = TextTable(tuple(TableColumn(style.label(head), width) for head, width in heads), rows)
    while rest is not None:
        rest = rest.draw(sheet, LEFT_MM, y, room_mm=BOTTOM_MM - y)[1] if rows else None
        yield Page("questions", style.label("commission.questions"), sheet.figure)
        sheet, y = Sheet(style), 24.0


def _parity_pages(lab: Commissioned, style: Style) -> Iterator[Page]:
    for figure in parity_pages(lab.compared, style) if lab.compared is not None else ():
        yield Page("parity", style.label("commission.parity"), figure)


def _error_page(lab: Commissioned, style: Style) -> Page:
    sheet, own = Sheet(style), lab.errors
    if own is None:
        draw_banner(sheet, 22.0, style.label("commission.no_errors"), style.label("commission.no_errors_how"), colour="quiet")
        return Page("errors", style.label("commission.errors"), sheet.figure)
    mark, about = style.decimal_mark, {"people": own.people, "sessions": own.sessions}
    head = style.label("commission.factor", factor=digits(own.factor, ".2f", mark), **about)
    y = draw_banner(sheet, 22.0, head, style.label("commission.errors_how"), colour="accept")
    columns = (TableColumn(style.label("commission.curve"), 52.0), TableColumn(style.label("commission.own"), 26.0, "right"),
               TableColumn(style.label("commission.assumed"), 26.0, "right"))  # fmt: skip
    rows = [
        (f"{style.word(row.title)}, {style.word(row.unit)}", digits(sd, ".2g", mark), digits(usual, ".2g", mark))
        for variable, axis, sd, usual in own.rows
        for row in [CYCLE_ROWS[variable, axis]]
    ]
    half = -(-len(rows) // 2)
    for column, part in enumerate((rows[:half], rows[half:])):
        TextTable(columns, part, size="tiny", padding_mm=0.7).draw(sheet, LEFT_MM + 108.0 * column, y)
    lines = [style.label("commission.recipe"), "[output]", "error_sizes = [", *(f'  "{line}",' for line in own.error_sizes), "]"]
    sheet.paragraph(LEFT_MM + 218.0, y, lines, size="tiny")
    return Page("errors", style.label("commission.errors"), sheet.figure)
