"""Which pages a report has, in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from biomech_id.errors import OptionError
from biomech_id.files.text import did_you_mean
from biomech_id.report.layout.curve_panel import Drawing
from biomech_id.report.layout.layer import Layer, layers_of
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.norm import Norm
from biomech_id.report.pages.budget import budget_page
from biomech_id.report.pages.cover import cover_page
from biomech_id.report.pages.ground_reaction import ground_reaction_page
from biomech_id.report.pages.kinematics import kinematics_page
from biomech_id.report.pages.kinetics import kinetics_page
from biomech_id.report.pages.methods import methods_pages
from biomech_id.report.pages.quality import quality_pages
from biomech_id.report.pages.scores import scores_page
from biomech_id.report.pages.spatiotemporal import spatiotemporal_page
from biomech_id.report.pages.values import values_page
from biomech_id.report.parity import parity_page
from biomech_id.results.tables.session_tables import SessionTables

#: Pages in the order of the report; these are the names that ``--pages`` takes.
PAGES: tuple[str, ...] = (
    "cover", "quality", "spatiotemporal", "kinematics_cycles", "kinematics_mean", "kinetics_cycles", "kinetics_mean",
    "ground_reaction", "scores", "values", "budget", "other_movements", "methods",
    "parity",
)  # fmt: skip


@dataclass(frozen=True)
class Page:
    """One page ready to be written: the name it is asked for by, its title, its figure."""

    name: str
    title: str
    figure: Figure


def wanted_pages(pages: Iterable[str] | None) -> tuple[str, ...]:
    """Check page names, each alone or several in one text with commas between; None means all of them.

    Raises
    ------
    OptionError : a name that is no page, or no name at all.
    """
    if pages is None:
        return PAGES
    texts = [pages] if isinstance(pages, str) else pages
    asked = [name.strip().replace("-", "_") for text in texts for name in text.split(",") if name.strip()]
    unknown = [name for name in asked if name not in PAGES]
    if unknown or not asked:
        said = f"There is no report page {', '.join(unknown)}" if unknown else "No report page is named"
        raise OptionError(
            f"{said}; the pages are {', '.join(PAGES)}.{did_you_mean(unknown[0], PAGES) if unknown else ''}",
            value=unknown,
            expected=" | ".join(PAGES),
            where="pages",
        )
    return tuple(name for name in PAGES if name in asked)


def session_pages(tables: SessionTables, style: Style, norm: Norm | None, wanted: Sequence[str]) -> Iterator[Page]:
    """Draw the wanted pages of one session, one after the other."""
    layers = layers_of(tables)
    main = [layer for layer in layers if layer.kind == "straight"] or layers[:1]
    others = [layer for layer in layers if layer not in main]
    if "cover" in wanted:
        yield Page("cover", style.label("page.cover"), cover_page(tables, style, norm))
    if "quality" in wanted:
        yield from _numbered("quality", style, quality_pages(tables, style))
    for layer in main:
        yield from _main_pages(layer, style, norm, wanted, several=len(main) > 1)
    if not main:
        yield from _empty_pages(style, wanted)
    if "other_movements" in wanted:
        for layer in others:
            yield from _movement_pages(layer, style)
    if "methods" in wanted:
        yield from _numbered("methods", style, methods_pages(tables, style))
    # Not every session was compared; whoever asks for the page by name learns how.
    if "parity" in wanted and (tables.parity is not None or len(wanted) < len(PAGES)):
        yield Page("parity", style.label("page.parity"), parity_page(tables, style))


def _main_pages(layer: Layer, style: Style, norm: Norm | None, wanted: Sequence[str], *, several: bool) -> Iterator[Page]:
    every = Drawing([layer], style, norm, every_cycle=True)
    mean = Drawing([layer], style, norm)
    draw: dict[str, Callable[[], Figure]] = {
        "spatiotemporal": lambda: spatiotemporal_page(layer, style, norm),
        "kinematics_cycles": lambda: kinematics_page(every),
        "kinematics_mean": lambda: kinematics_page(mean),
        "kinetics_cycles": lambda: kinetics_page(every),
        "kinetics_mean": lambda: kinetics_page(mean),
        "ground_reaction": lambda: ground_reaction_page(every),
        "scores": lambda: scores_page(layer.tables, style, norm, condition=layer.condition),
        "values": lambda: values_page(layer, style, norm),
        "budget": lambda: budget_page(layer, style),
    }
    for name in draw:
        if name in wanted:
            title = style.label(f"page.{name}")
            said = [style.label(f"kind.{layer.kind}")] if layer.kind != "straight" else []
            said += [layer.condition] if several and layer.condition else []
            yield Page(name, style.label("movement.title", title=title, kind=", ".join(said)) if said else title, draw[name]())


def _movement_pages(layer: Layer, style: Style) -> Iterator[Page]:
    """Turns, runs and other movements: every cycle, outside all means, without a norm of straight walking."""
    drawing = Drawing([layer], style, None, every_cycle=True)
    kind = style.label(f"kind.{layer.kind}") + (f", {layer.condition}" if layer.condition else "")
    for title, draw in (("page.kinematics_cycles", kinematics_page), ("page.kinetics_cycles", kinetics_page)):
        yield Page("other_movements", style.label("movement.title", title=style.label(title), kind=kind), draw(drawing))


def _empty_pages(style: Style, wanted: Sequence[str]) -> Iterator[Page]:
    """A session without any cycle still has its pages, each saying so."""
    for name in PAGES[2 : PAGES.index("other_movements")]:
        if name in wanted:
            sheet = Sheet(style)
            sheet.text(12.0, 30.0, style.label("absent.no_trials"), size="heading")
            yield Page(name, style.label(f"page.{name}"), sheet.figure)


def _numbered(name: str, style: Style, figures: Iterable[Figure]) -> Iterator[Page]:
    title = style.label(f"page.{name}")
    for number, figure in enumerate(figures):
        yield Page(name, title if number == 0 else style.label("page.continued", title=title), figure)
