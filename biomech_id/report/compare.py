"""Two to six sessions or conditions laid over one another, and what changed from the first to the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl

from biomech_id.errors import MissingInputError, OptionError
from biomech_id.files.atomic import check_writable
from biomech_id.interpretation.rules import pattern_rules
from biomech_id.report.book import page_kinds, page_names, wanted_pages
from biomech_id.report.comparison.book import comparisons_of, standard_pages
from biomech_id.report.comparison.facts import Comparison
from biomech_id.report.comparison.page import write_changes
from biomech_id.report.layout.change_table import LETTERS
from biomech_id.report.layout.style import Style, load_style
from biomech_id.report.pages.cover import recorded
from biomech_id.report.panels.fitted_scales import fitted
from biomech_id.report.panels.layer import Layer, layers_of
from biomech_id.report.panels.norm import Norm, NormSource, load_norm, with_norm
from biomech_id.report.panels.page import Content, Page
from biomech_id.report.pdf import made_with, no_collector, stamp, subject_code, write_pdf
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.fingerprint import fingerprint_of, refuse_mixture, thigh_rotation_source
from biomech_id.session.values.norm import NORM_CHOICES
from biomech_id.session.values.step import Progress

#: How many sessions or conditions can be told apart on one page.
MOST_SESSIONS = len(LETTERS)


def compare_report(
    sessions: Sequence[Tables],
    path: str | Path,
    *,
    names: Sequence[str] | None = None,
    norm: NormSource = None,
    pages: Iterable[str] | None = None,
    style: Style | str | Path | None = None,
    conditions: Sequence[str | None] | None = None,
    mix: Collection[str] = (),
    patterns: str | Path = "",
    progress: Progress | None = None,
) -> Path:
    """Draw two to six sessions or conditions over one another: a colour each, a page a side, and what changed from the first.

    Parameters
    ----------
    sessions : Sequence[Tables]
        The sessions, the first of them the one that others are compared with; a single one stands for all its conditions.
    path : str | Path
        PDF to write; it appears whole or not at all.
    names : Sequence[str] | None, optional
        What the legend calls them; None takes code, session date, condition and whatever else tells them apart.
    norm : NormSource, optional
        As for `draw_report`; the norm must fit every session.
    pages : Iterable[str] | None, optional
        As for `draw_report`.
    style : Style | str | Path | None, optional
        As for `draw_report`.
    conditions : Sequence[str | None] | None, optional
        Which condition of each session; None takes one that all have, and of one session with itself one after the other.
    mix : Collection[str], optional
        In what the sessions, and the norm, may differ (`session.values.fingerprint.FINGERPRINT`): "model", say.
    patterns : str | Path, optional
        As for `draw_report`.
    progress : Progress | None, optional
        As for `draw_report`.

    Returns
    -------
    Path
        The path.

    Raises
    ------
    MissingInputError
        One of the sessions has no gait cycle to compare, or none of the condition asked for.
    OptionError
        Fewer than two or more than six; otherwise as for `draw_report`.
    ShapeError, OutputError
        As for `draw_report`.
    """
    check_writable(Path(path))
    wanted, rules = wanted_pages(pages), pattern_rules(patterns or None)
    look = style if isinstance(style, Style) else load_style(style)
    sessions = _several(sessions, conditions)
    for letter, other in zip(LETTERS[1:], sessions[1:], strict=False):
        own = (f"session A ({subject_code(sessions[0], look)})", f"session {letter} ({subject_code(other, look)})")
        computed = [fingerprint_of(each.summary) | thigh_rotation_source(each.summary) for each in (sessions[0], other)]
        refuse_mixture(computed[0], computed[1], own, mix=mix)
    norm = sessions[0].norm if norm is None else norm
    # One norm for all of them, that of the first: a norm that moved with the speed would be a change of nobody's.
    reference = load_norm(norm, sessions[0], mix=mix, also=sessions[1:])
    if norm is not None and reference is None:  # nobody but this person is in it: there is nothing to compare with
        norm, sessions = None, [replace(each, norm=None) for each in sessions]
    shared = norm if reference is None else reference.table
    scored = {id(each): with_norm(shared, each, mix=mix, norm_for=NORM_CHOICES[0]) for each in sessions}
    layers = _named(_chosen([scored[id(each)][0] for each in sessions], conditions, look), names, look)
    if reference is not None and not all(reference.behind(layer.kind) for layer in layers):
        reference = None
    look = fitted(look, layers, reference)
    codes = list(dict.fromkeys(subject_code(layer.tables, look) for layer in layers))
    dates = dict.fromkeys(recorded(layer.tables.summary.get("subject", {}).get("session_date"), look) for layer in layers)
    told = look.label("common.session_date", date=" / ".join(dates))
    with mpl.rc_context(look.rc), no_collector():
        compared = comparisons_of(layers, look, reference, rules)
        made = list(_pages(layers, look, reference, wanted, compared))
        stamp(made, look, code=" / ".join(codes), session=told, version=made_with(layers[-1].tables))
        written = write_pdf(made, Path(path), look, title=f"{look.label('compare.title')}: {' / '.join(codes)}", progress=progress)
    if compared:
        write_changes(compared, written.with_suffix(".changes.csv"))
    return written


def _several(sessions: Sequence[Tables], conditions: Sequence[str | None] | None) -> list[Tables]:
    """The sessions, a single one as often as conditions are asked for, or as it has some; refuse one, and too many."""
    tables = list(sessions)
    if len(tables) == 1:
        layers = layers_of(tables[0])
        tables *= len(conditions or {layer.condition for layer in layers if layer.kind == layers[0].kind})
    if not 2 <= len(tables) <= MOST_SESSIONS or (conditions and len(conditions) != len(tables)):
        named = f", with {len(conditions)} conditions named" if conditions and len(conditions) != len(tables) else ""
        raise OptionError(
            f"{len(tables)} sessions or conditions cannot be compared{named}.",
            value=len(tables), expected=f"2 to {MOST_SESSIONS}, and one condition for each", where="compare",
        )  # fmt: skip
    return tables


def _chosen(sessions: Sequence[Tables], conditions: Sequence[str | None] | None, style: Style) -> list[Layer]:
    """Which movement and condition of each session: the first that all have, else each one's first."""
    asked = conditions or [None] * len(sessions)
    candidates = [
        _candidates(letter, tables, condition, style) for letter, tables, condition in zip(LETTERS, sessions, asked, strict=False)
    ]
    alone = all(tables.summary == sessions[0].summary for tables in sessions)
    same_kind = [layer for layer in candidates[0] if layer.kind == candidates[0][0].kind]
    if alone and not conditions and len(same_kind) >= len(sessions):
        return same_kind[: len(sessions)]
    for first in candidates[0]:
        alike = [[x for x in layers if (x.kind, x.condition) == (first.kind, first.condition)] for layers in candidates]
        if all(alike):
            return [layers[0] for layers in alike]
    return [layers[0] for layers in candidates]


def _candidates(letter: str, tables: Tables, condition: str | None, style: Style) -> list[Layer]:
    layers = layers_of(tables)
    code, where = subject_code(tables, style), f"session {letter}"
    if not layers:
        raise MissingInputError(
            f"Session {letter} ({code}) has no gait cycle, so there is nothing to compare.",
            value=0, expected="at least one gait cycle in each session", where=where,
        )  # fmt: skip
    wanted = [layer for layer in layers if condition in (None, layer.condition)]
    if not wanted:
        there = ", ".join(dict.fromkeys(repr(layer.condition) for layer in layers))
        raise MissingInputError(
            f"Session {letter} ({code}) has no gait cycle of the condition {condition!r}; it has {there}.",
            value=condition, expected=there, where=where,
        )  # fmt: skip
    return wanted


def _named(layers: Sequence[Layer], names: Sequence[str] | None, style: Style) -> list[Layer]:
    """All with the name that legends and titles use: code, date and condition, and what else differs between them."""
    differing = [key for key in ("model", "kinetics") if len({str(layer.tables.summary.get(key)) for layer in layers}) > 1]
    kinds = len({layer.kind for layer in layers}) > 1
    parts = []
    for layer in layers:
        summary = layer.tables.summary
        words = [subject_code(layer.tables, style), summary.get("subject", {}).get("session_date"), layer.condition]
        words += [style.label(f"choice.{summary.get(key)}") for key in differing] + [style.label(f"kind.{layer.kind}")] * kinds
        parts.append([str(text or "") for text in words])
    # Six names share a line: what they have in common tells nobody apart.
    apart = [len(set(column)) > 1 for column in zip(*parts, strict=True)]
    keep = apart if len(layers) > 2 and any(apart) else [True] * len(apart)
    made = [", ".join(text for text, kept in zip(words, keep, strict=True) if kept and text) for words in parts]
    return [Layer(x.tables, x.kind, x.condition, name) for x, name in zip(layers, names or made, strict=True)]


def _pages(
    layers: Sequence[Layer], style: Style, norm: Norm | None, wanted: Sequence[str], compared: Sequence[Comparison]
) -> Iterator[Page]:
    content = Content(layers[0].tables, layers, style, norm)
    if len(wanted) == len(page_names()):
        yield from standard_pages(compared, content)
        return
    for kind in page_kinds():
        if kind.name in wanted and kind.compare is not None:
            yield from (Page(kind.name, title, figure) for title, figure in kind.compare(kind, content))
