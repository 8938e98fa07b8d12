"""Two sessions or conditions laid over one another, and the differences of their values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import matplotlib as mpl

from biomech_id.errors import MissingInputError
from biomech_id.files.atomic import check_writable
from biomech_id.report.book import page_kinds, wanted_pages
from biomech_id.report.layout.fitted_scales import fitted
from biomech_id.report.layout.layer import Layer, layers_of
from biomech_id.report.layout.style import Style, load_style
from biomech_id.report.norm import Norm, NormSource, with_norm
from biomech_id.report.page import Content, Page
from biomech_id.report.pages.cover import session_line
from biomech_id.report.pdf import Progress, made_with, no_collector, stamp, subject_code, write_pdf
from biomech_id.results.norms.fingerprint import fingerprint_of, refuse_mixture
from biomech_id.results.tables.session_tables import SessionTables


def compare_report(
    tables_a: SessionTables,
    tables_b: SessionTables,
    path: str | Path,
    *,
    names: tuple[str, str] | None = None,
    norm: NormSource = None,
    pages: Iterable[str] | None = None,
    style: Style | str | Path | None = None,
    conditions: tuple[str | None, str | None] = (None, None),
    mix: Collection[str] = (),
    progress: Progress | None = None,
) -> Path:
    """Draw two sessions over one another: A solid, B dashed, the same pages, and B minus A in the tables.

    Parameters
    ----------
    tables_a, tables_b : SessionTables
        The sessions.
    path : str | Path
        PDF to write; it appears whole or not at all.
    names : tuple[str, str] | None, optional
        What the legend calls them; None takes code, session date, condition and whatever else tells them apart.
    norm : NormSource, optional
        As for `draw_report`; the norm must fit both sessions.
    pages : Iterable[str] | None, optional
        As for `draw_report`; the norm must fit both sessions.
    style : Style | str | Path | None, optional
        As for `draw_report`; the norm must fit both sessions.
    conditions : tuple[str | None, str | None], optional
        Which condition of each session; None takes one that both have, and of one session with itself its first two.
    mix : Collection[str], optional
        In what the two sessions, and the norm, may differ (`results.norms.fingerprint.FINGERPRINT`): "model", say.
    progress : Progress | None, optional
        As for `draw_report`; the norm must fit both sessions.

    Returns
    -------
    Path
        The path.

    Raises
    ------
    MissingInputError
        One of the sessions has no gait cycle to compare, or none of the condition asked for.
    OptionError, ShapeError, OutputError
        As for `draw_report`.
    """
    check_writable(Path(path))
    wanted = wanted_pages(pages)
    look = style if isinstance(style, Style) else load_style(style)
    own = (f"session A ({subject_code(tables_a, look)})", f"session B ({subject_code(tables_b, look)})")
    refuse_mixture(fingerprint_of(tables_a.summary), fingerprint_of(tables_b.summary), own, mix=mix)
    norm = tables_a.norm if norm is None else norm
    tables_a, reference = with_norm(norm, tables_a, mix=mix)
    tables_b, _ = with_norm(norm, tables_b, mix=mix)
    layers = _named(_chosen(tables_a, tables_b, conditions, look), names, look)
    look = fitted(look, layers, reference)
    codes = list(dict.fromkeys(subject_code(tables, look) for tables in (tables_a, tables_b)))
    sessions = list(dict.fromkeys(session_line(tables, look) for tables in (tables_a, tables_b)))
    with mpl.rc_context(look.rc), no_collector():
        made = list(_pages(layers, look, reference, wanted))
        stamp(made, look, code=" / ".join(codes), session=" / ".join(sessions), version=made_with(tables_b))
        return write_pdf(made, Path(path), look, title=f"{look.label('compare.title')}: {' / '.join(codes)}", progress=progress)


def _chosen(a: SessionTables, b: SessionTables, conditions: tuple[str | None, str | None], style: Style) -> tuple[Layer, Layer]:
    """Which movement and condition of each session: the first that both have, else each one's first."""
    first, second = _candidates("A", a, conditions[0], style), _candidates("B", b, conditions[1], style)
    if conditions == (None, None) and a.summary == b.summary and len(second) > 1:
        return first[0], second[1]
    alike = [(x, y) for x in first for y in second if (x.kind, x.condition) == (y.kind, y.condition)]
    return alike[0] if alike else (first[0], second[0])


def _candidates(letter: str, tables: SessionTables, condition: str | None, style: Style) -> list[Layer]:
    found = layers_of(tables)
    code, where = subject_code(tables, style), f"session {letter}"
    if not found:
        raise MissingInputError(
            f"Session {letter} ({code}) has no gait cycle, so there is nothing to compare.",
            value=0, expected="at least one gait cycle in each session", where=where,
        )  # fmt: skip
    wanted = [layer for layer in found if condition in (None, layer.condition)]
    if not wanted:
        there = ", ".join(dict.fromkeys(repr(layer.condition) for layer in found))
        raise MissingInputError(
            f"Session {letter} ({code}) has no gait cycle of the condition {condition!r}; it has {there}.",
            value=condition, expected=there, where=where,
        )  # fmt: skip
    return wanted


def _named(layers: tuple[Layer, Layer], names: tuple[str, str] | None, style: Style) -> list[Layer]:
    """Both with the name that legends and titles use: code, date and condition, and what else differs between the two."""
    differing = [key for key in ("model", "kinetics") if len({str(layer.tables.summary.get(key)) for layer in layers}) > 1]
    kinds = len({layer.kind for layer in layers}) > 1
    named = []
    for number, layer in enumerate(layers):
        summary = layer.tables.summary
        told = [subject_code(layer.tables, style), summary.get("subject", {}).get("session_date"), layer.condition]
        told += [style.label(f"choice.{summary.get(key)}") for key in differing] + [style.label(f"kind.{layer.kind}")] * kinds
        name = names[number] if names else ", ".join(str(text) for text in told if text)
        named.append(Layer(layer.tables, layer.kind, layer.condition, name))
    return named


def _pages(layers: Sequence[Layer], style: Style, norm: Norm | None, wanted: Sequence[str]) -> Iterator[Page]:
    content = Content(layers[0].tables, layers, style, norm)
    for kind in page_kinds():
        if kind.name in wanted and kind.compare is not None:
            yield from (Page(kind.name, title, figure) for title, figure in kind.compare(kind, content))
