"""What a page of the report is, and the list of them: each page registers itself with its name, its place and what it needs.

Every module in `report.pages` is loaded when a report is drawn, so a page of our own is one file there; one of a laboratory's own
is registered before::

    register(PageKind("sway", 65, draw_sway))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from enum import Enum

from matplotlib.figure import Figure

from biomech_id.conventions import SIDES
from biomech_id.plugins import Registry
from biomech_id.report.layout.style import Style
from biomech_id.report.panels.curve_panel import Drawing
from biomech_id.report.panels.layer import Layer
from biomech_id.report.panels.norm import Norm
from biomech_id.session.tables.session_tables import Tables
from biomech_id.session.values.step import begin
from biomech_id.values import dataclass, replace


@dataclass(frozen=True)
class Page:
    """One page ready to be written: the name it is asked for by, its title, its figure.

    Attributes
    ----------
    name : str
        The name it is asked for by.
    title : str
        The page's title.
    figure : Figure
        What is drawn on it.
    """

    name: str
    title: str
    figure: Figure


@dataclass(frozen=True)
class Content:
    """What a page is drawn from.

    Attributes
    ----------
    tables : Tables
        The session; of several that are compared the first.
    layers : Sequence[Layer]
        The movement a page shows; several where sessions are compared; all of the session on a page of a session.
    style : Style
        How pages look, and their language.
    norm : Norm | None
        Stands behind curves and numbers; None for nothing.
    side : str, optional
        The only one that is drawn, where sessions are compared.
    """

    tables: Tables
    layers: Sequence[Layer]
    style: Style
    norm: Norm | None
    side: str = ""

    def drawing(self, *, every_cycle: bool = False) -> Drawing:
        """Return what the panels of a page are drawn from.

        Parameters
        ----------
        every_cycle : bool, optional
            Whether each cycle is drawn and not only means.
        """
        return Drawing(self.layers, self.style, self.norm, every_cycle, self.side)


class Shows(Enum):
    """What one copy of a page shows: the session, one movement out of those in its means, or one of the others."""

    SESSION = "session"
    MOVEMENT = "movement"
    OTHER_MOVEMENT = "other movement"


@dataclass(frozen=True)
class PageKind:
    """A page that a report may have.

    Attributes
    ----------
    name : str
        By which ``--pages`` asks for it; its title is the label ``page.<name>``.
    order : float
        Place among the others: the cover is 0, the next ones 10, 20 and so on.
    draw : Callable[[Content], Iterable[Figure]]
        Content -> figures, one for each sheet of paper.
    shows : Shows
        What it is drawn once for.
    needs : tuple[str, ...], optional
        Tables of the session (`Tables` fields), keys of its summary, or "norm", without which a whole report leaves it out; who
        asks for the page by its name gets it, and there it says what is missing.
    compare : Callable[[PageKind, Content], Iterable[tuple[str, Figure]]] | None, optional
        (this kind, content with the layers of all sessions) -> titles and figures where sessions are compared; None leaves it
        out there.
    titles : tuple[str, ...], optional
        Labels of the titles of its sheets, where these are not the page's and "continued".
    variables : tuple[str, ...], optional
        Of which some cycle must hold one; as for ``needs``. Empty asks for none.
    walks : bool, optional
        Whether it says something of walking alone: a whole report of runs leaves it out.
    spared : Callable[[Content], bool] | None, optional
        Whether a whole report leaves it out of a movement, because another page shows the same; None for never.
    sheets : int | None, optional
        How many of its sheets, from the first, stand in the standard report; the others stand in the appendix. None for all.
    own : Set[str], optional
        Kinds of movement that are its own subject, jumps say: of a session without other kinds all its sheets stand in the standard
        report, whatever ``sheets`` says.
    """

    name: str
    order: float
    draw: Callable[[Content], Iterable[Figure]]
    shows: Shows = Shows.MOVEMENT
    needs: tuple[str, ...] = ()
    compare: Callable[[PageKind, Content], Iterable[tuple[str, Figure]]] | None = None
    titles: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    spared: Callable[[Content], bool] | None = None
    walks: bool = False
    sheets: int | None = None
    own: Set[str] = frozenset()

    def title(self, sheet: int, style: Style) -> str:
        """Return the title of a sheet, counted from 0.

        Parameters
        ----------
        sheet : int
            Index of the sheet, from 0.
        style : Style
            Colours, words, scales and units of the report.
        """
        if self.titles:
            return style.label(self.titles[sheet])
        title = style.label(f"page.{self.name}")
        return title if sheet == 0 else style.label("page.continued", title=title)

    def lacks(self, content: Content) -> bool:
        """Whether something it needs is not there.

        Parameters
        ----------
        content : Content
            What pages are drawn from.
        """
        if self.variables and not content.tables.cycles["variable"].isin(self.variables).any():
            return True
        needed = [content.norm if need == "norm" else _table_of(content.tables, need) for need in self.needs]
        return any(value is None or (hasattr(value, "__len__") and not len(value)) for value in needed)


def _table_of(tables: Tables, name: str) -> object:
    return tables.further[name] if name in tables.further else getattr(tables, name, tables.summary.get(name))


#: Name -> page; `page_kinds` returns them in their order.
PAGE_KINDS: Registry[str, PageKind] = Registry("report page")


def register(kind: PageKind) -> None:
    """Add a page.

    Parameters
    ----------
    kind : PageKind
        Kind of page.

    Raises
    ------
    OptionError
        There is a page of that name.
    """
    PAGE_KINDS.add(kind.name, kind)


def overlaid(kind: PageKind, content: Content) -> Iterator[tuple[str, Figure]]:
    """Compare on a page for each side that shows all.

    Parameters
    ----------
    kind : PageKind
        Kind of page.
    content : Content
        What pages are drawn from.
    """
    for side in SIDES:
        title = _of_side(content.style.label(f"compare.{kind.name}"), side, content.style)
        begin(title)
        for figure in kind.draw(replace(content, side=side)):
            yield title, figure


def _of_side(title: str, side: str, style: Style) -> str:
    return style.label("movement.title", title=title, kind=style.label(f"side.{side}"))


def of_each(kind: PageKind, content: Content) -> Iterator[tuple[str, Figure]]:
    """Compare by a page of each, its name in the title; what is of a whole session is drawn once where all are the same one.

    Parameters
    ----------
    kind : PageKind
        Kind of page.
    content : Content
        What pages are drawn from.
    """
    once = kind.shows is Shows.SESSION and all(layer.tables.summary == content.tables.summary for layer in content.layers)
    for layer in content.layers[:1] if once else content.layers:
        title = content.style.label("movement.title", title=kind.title(0, content.style), kind=layer.name)
        for figure in kind.draw(replace(content, tables=layer.tables, layers=[layer])):
            yield title, figure
