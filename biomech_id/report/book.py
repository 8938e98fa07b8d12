"""A report put together: the pages that are wanted, in their order, for the session and for each of its movements."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from functools import cache
from importlib import import_module
from itertools import groupby, islice

from matplotlib.figure import Figure

from biomech_id.errors import OptionError, did_you_mean
from biomech_id.report import pages as pages_folder
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.style import NO_STRIDES, Style, own_words
from biomech_id.report.panels.fitted_scales import fitted
from biomech_id.report.panels.layer import Layer, layers_of
from biomech_id.report.panels.norm import Norm
from biomech_id.report.panels.page import PAGE_KINDS, Content, Page, PageKind, Shows
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.step import begin
from biomech_id.values import dataclass, replace

#: Names that pages had, for commands written then.
_MOVED = {"cover": "session"}
#: Sheets of a page in the standard report of a session that has no other.
MOST_ALONE = 12


class ReportPart(Enum):
    """What of a report is drawn: all of it, what everybody reads, or the rest with numbers of its own."""

    WHOLE = "whole"
    STANDARD = "standard"
    APPENDIX = "appendix"


@cache
def _load_pages() -> None:
    """Let every module of `report.pages` register what it has."""
    for module in pkgutil.iter_modules(pages_folder.__path__):
        import_module(f"{pages_folder.__name__}.{module.name}")


def page_kinds() -> list[PageKind]:
    """Return every page a report may have, in the order of the report."""
    _load_pages()
    return sorted(PAGE_KINDS.values(), key=lambda kind: kind.order)


def page_names() -> tuple[str, ...]:
    """Return the names that ``--pages`` takes, in the order of the report."""
    return tuple(kind.name for kind in page_kinds())


def wanted_pages(pages: Iterable[str] | None) -> tuple[str, ...]:
    """Check page names, each alone or several in one text with commas between; None means all of them.

    Parameters
    ----------
    pages : Iterable[str] | None
        Names of pages, each alone or several with commas between; None for all.

    Raises
    ------
    OptionError
        A name that is no page, or no name at all.
    """
    known = page_names()
    if pages is None:
        return known
    texts = [pages] if isinstance(pages, str) else pages
    asked = [name.strip().replace("-", "_") for text in texts for name in text.split(",") if name.strip()]
    asked = [_MOVED.get(name, name) for name in asked]
    unknown = [name for name in asked if name not in known]
    if unknown or not asked:
        sentence = f"There is no report page {', '.join(unknown)}" if unknown else "No report page is named"
        sentence += f"; the pages are {', '.join(known)}.{did_you_mean(unknown[0], known) if unknown else ''}"
        raise OptionError(sentence, value=unknown, expected=" | ".join(known), where="pages")
    return tuple(name for name in known if name in asked)


def _kinds_of_trials(tables: Tables) -> set[str]:
    return {str(trial["kind"]) for trial in tables.summary.get("trials", ())}


def session_style(tables: Tables, style: Style) -> Style:
    """Return a style with the words of a session's movements: of runs alone those of running, of walks and others those of neither.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    """
    kinds = _kinds_of_trials(tables)
    several = "several" if any(map(own_words, kinds)) else ""
    return style.of_movement(next(iter(kinds)) if len(kinds) == 1 else several)


def session_pages(
    tables: Tables, style: Style, norm: Norm | None, wanted: Sequence[str], part: ReportPart = ReportPart.WHOLE
) -> Iterator[Page]:
    """Draw the wanted pages of one session, one after the other.

    The standard report shows the first condition of the walks, and of each page as many sheets as it has there (`PageKind.sheets`);
    the appendix shows the rest.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    style : Style
        Colours, words, scales and units of the report.
    norm : Norm | None
        The norm to be shown; None for none.
    wanted : Sequence[str]
        Names of the pages.
    part : ReportPart, optional
        What of a whole report is drawn.
    """
    layers = layers_of(tables)
    kinds_of_trials = _kinds_of_trials(tables)
    only = next(iter(kinds_of_trials)) if len(kinds_of_trials) == 1 else ""
    style = session_style(tables, style)
    whole = len(wanted) == len(page_names())
    # From one landing to the next is no stride: what jumps, squats and rises show stands on their own pages.
    strides = [layer for layer in layers if not (whole and layer.kind in NO_STRIDES)]
    main = [layer for layer in strides if layer.kind == "straight"] or strides[:1]
    others = [layer for layer in strides if layer not in main]
    content = Content(tables, layers, style, norm)
    drawn = [kind for kind in page_kinds() if kind.name in wanted and not (whole and _left_out(kind, content, only))]
    room = _Room(part, kinds_of_trials, alone=not layers)
    for shows, kinds in groupby(drawn, key=lambda kind: kind.shows):
        if shows is Shows.SESSION:
            for kind in kinds:
                yield from _titled(kind, content, room)
        elif shows is Shows.OTHER_MOVEMENT:
            running = content if content.norm is not None and content.norm.behind("run") else replace(content, norm=None)
            yield from _movements(list(kinds), others, running, whole, room, several=True)
        elif (not layers and tables.channels is not None) or (whole and kinds_of_trials and kinds_of_trials <= NO_STRIDES):
            continue  # muscle signals without any movement, jumps alone: their pages are of the session
        elif main:
            # Of several conditions the standard report shows the first; the appendix has the others whole.
            pages, several = list(kinds), len(main) > 1
            yield from _movements(pages, main[:1], content, whole, room, several=several)
            yield from _movements(pages, main[1:], content, whole, room.of_further_conditions, several=several)
        elif not whole:
            # A session without any cycle has the pages that are asked for, each saying so; no whole report holds such a page.
            why = "no_cycles" if kinds_of_trials else "no_trials"
            yield from (Page(kind.name, kind.title(0, style), _empty(style, why)) for kind in kinds)


def _left_out(kind: PageKind, content: Content, only: str) -> bool:
    """Whether a whole report lacks a page: it has nothing to show, or is of walking, and all trials are runs or jumps (`only`)."""
    nothing = kind.shows is Shows.SESSION and kind.spared is not None and kind.spared(content)
    return kind.lacks(content) or nothing or (bool(own_words(only)) and kind.walks)


def _movements(
    kinds: Sequence[PageKind], layers: Sequence[Layer], content: Content, whole: bool, room: _Room, *, several: bool
) -> Iterator[Page]:
    """The pages of each movement in turn; a norm of straight walking says nothing of turns and runs, one of runs only of runs.

    All pages of one kind of movement have the same scales, whatever the condition.
    """
    norms = {layer.kind: content.norm and content.norm.behind(layer.kind) for layer in layers}
    styles = {kind: fitted(content.style, [x for x in content.layers if x.kind == kind], norm) for kind, norm in norms.items()}
    for layer in layers:
        for kind in kinds:
            words = [content.style.label(f"kind.{layer.kind}")] if layer.kind != "straight" else []
            words += [layer.condition] if several and layer.condition else []
            own = replace(content, layers=[layer], style=styles[layer.kind].of_movement(layer.kind), norm=norms[layer.kind])
            if content.norm is not None and own.norm is None:  # what was compared with that norm are other cycles
                own = replace(own, tables=replace(content.tables, statistics=None))
            if not (whole and kind.spared is not None and kind.spared(own)):
                yield from _titled(kind, own, room, ", ".join(words))


@dataclass(frozen=True)
class _Room:
    """Which sheets of a page have room in a part of the report."""

    part: ReportPart
    kinds_of_trials: Collection[str]
    alone: bool
    further: bool = False

    @property
    def of_further_conditions(self) -> _Room:
        return replace(self, further=True)

    def sheets(self, kind: PageKind) -> tuple[int, int | None]:
        """First sheet of a page in this part, and the one behind the last; None for no end."""
        if self.part is ReportPart.WHOLE:
            return 0, None
        only_own_kinds = bool(kind.own) and set(self.kinds_of_trials) <= kind.own
        standard = MOST_ALONE if self.alone or only_own_kinds else kind.sheets
        if self.further:
            standard = 0
        if self.part is ReportPart.STANDARD:
            return 0, standard
        return (sys.maxsize if standard is None else standard), None


def _titled(kind: PageKind, content: Content, room: _Room, movement: str = "") -> Iterator[Page]:
    first, end = room.sheets(kind)
    if end == 0 or first == sys.maxsize:
        return
    begin(kind.title(first, content.style))
    for number, figure in islice(enumerate(kind.draw(content)), first, end):
        title = kind.title(number, content.style)
        yield Page(kind.name, content.style.label("movement.title", title=title, kind=movement) if movement else title, figure)


def _empty(style: Style, why: str) -> Figure:
    sheet = Sheet(style)
    sheet.text(12.0, 30.0, style.label(f"absent.{why}"), size="heading")
    return sheet.figure
