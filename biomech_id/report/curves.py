"""The report's panels as functions for researchers: ``bid.plot.kinematics(result)`` returns a matplotlib Figure.

Each function takes the value that ``analyse`` returns, or the tables read back from its folder, and draws one page of
the report without its header. The panels are ordinary matplotlib axes: add to them, or save the figure in any format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from biomech_id.arguments import Kind, a, a_str, a_switch, a_word, each, or_none, takes
from biomech_id.conventions import SignRow
from biomech_id.errors import MissingInputError, OptionError, UnknownNameError, did_you_mean
from biomech_id.report.layout.notebook import NotebookFigure
from biomech_id.report.layout.style import Style, load_style
from biomech_id.report.model_picture import marker_errors as marker_errors
from biomech_id.report.model_picture import model as model
from biomech_id.report.own_axes import A_PLACE, AxesOrFigure
from biomech_id.report.own_panels import (
    ANGLE_PANELS,
    GROUND_PANELS,
    LOAD_PANELS,
    draw_budgets,
    draw_curves,
    draw_muscles,
    draw_parameters,
    draw_scores,
    draw_values,
)
from biomech_id.report.pages.budget import budget_page
from biomech_id.report.pages.emg import cycle_pages, envelope_pages
from biomech_id.report.pages.ground_reaction import ground_reaction_page
from biomech_id.report.pages.kinematics import kinematics_page
from biomech_id.report.pages.kinetics import kinetics_page
from biomech_id.report.pages.scores import scores_page
from biomech_id.report.pages.spatiotemporal import spatiotemporal_page
from biomech_id.report.pages.values import values_pages
from biomech_id.report.panels.curve_panel import Drawing
from biomech_id.report.panels.fitted_scales import fitted
from biomech_id.report.panels.layer import ROWS, Layer, layers_of
from biomech_id.report.panels.norm import Norm, NormSource, with_norm
from biomech_id.report.trial_pictures import WIDTH_INCH
from biomech_id.report.trial_pictures import force as force
from biomech_id.report.trial_pictures import forces as forces
from biomech_id.report.trial_pictures import marker as marker
from biomech_id.report.trial_pictures import skeleton as skeleton
from biomech_id.session.session import Session
from biomech_id.session.tables.session_tables import Tables

#: What is drawn: a session, or its tables.
Result = Session | Tables
_DRAWS = {
    "result": Kind(
        "a session", lambda v: isinstance(v, Tables) or hasattr(v, "tables"),
        hint="analyse(folder) or read_folder(folder) returns one",
    ), "every_cycle": a_switch(), "loads": a_switch(),
    "kind": or_none(a_str()), "condition": or_none(a_str()), "style": or_none(a((Style, str, PathLike))), "ax": or_none(A_PLACE),
    "norm": or_none(Kind(
        "a table like norm.csv, or its path", lambda v: isinstance(v, str | PathLike) or hasattr(v, "columns"),
        hint="`biomech-id norm` makes one",
    )),
}  # fmt: skip


@takes("plot.kinematics", **_DRAWS)
def kinematics(
    result: Result,
    *,
    every_cycle: bool = False,
    kind: str | None = None,
    condition: str | None = None,
    norm: NormSource = None,
    style: Style | str | Path | None = None,
    ax: AxesOrFigure | None = None,
) -> Figure:
    """Draw joint angles over the gait cycle (deg).

    Parameters
    ----------
    result : Result
        An analysed session, or its tables.
    every_cycle : bool, optional
        One line per cycle instead of mean and standard deviation.
    kind, condition : str | None, optional
        Which movement ("straight", "turn", "run" ...), which condition; None takes the first, straight walks first.
    norm : NormSource, optional
        DataFrame as in ``norm.csv`` or its path; None takes the session's own.
    style : Style | str | Path | None, optional
        A `Style`, or a style file.
    ax : AxesOrFigure | None, optional
        Axes, or a figure, to draw the panels in, with letters of 8 points or more; None draws a page of the report.

    Returns
    -------
    Figure
        A landscape A4 figure; each axes' collections carry the name of what they show (``get_gid``).

    Raises
    ------
    OptionError
        No cycle of that kind and condition, or a style or norm that cannot be used.
    """
    asked = _asked(result, kind, condition, norm, style)
    return _curves(kinematics_page, ANGLE_PANELS, asked, every_cycle, ax)


@takes("plot.kinetics", **_DRAWS)
def kinetics(
    result: Result,
    *,
    every_cycle: bool = False,
    kind: str | None = None,
    condition: str | None = None,
    norm: NormSource = None,
    style: Style | str | Path | None = None,
    ax: AxesOrFigure | None = None,
) -> Figure:
    """Draw internal moments (N m/kg), powers (W/kg) and ground reaction (%BW) over the gait cycle; see `kinematics`.

    Parameters
    ----------
    result : Result
        What ``analyse`` returns, or a session read back from its folder.
    every_cycle : bool, optional
        Whether each cycle is drawn and not only means.
    kind : str | None, optional
        Only trials of this kind: "straight"; None takes all.
    condition : str | None, optional
        Only trials of this condition; None takes all.
    norm : NormSource, optional
        A norm table or its file; None for none.
    style : Style | str | Path | None, optional
        How the report looks, or a style file or one of the shipped styles by name; None is the default.
    ax : AxesOrFigure | None, optional
        Axes, or a figure, to draw the panels in, with letters of 8 points or more; None draws a page of the report.
    """
    asked = _asked(result, kind, condition, norm, style)
    return _curves(kinetics_page, LOAD_PANELS, asked, every_cycle, ax)


@takes("plot.ground_reaction", **_DRAWS)
def ground_reaction(
    result: Result,
    *,
    every_cycle: bool = True,
    kind: str | None = None,
    condition: str | None = None,
    norm: NormSource = None,
    style: Style | str | Path | None = None,
    ax: AxesOrFigure | None = None,
) -> Figure:
    """Draw force components, butterfly diagrams, centre of pressure and free moment; see `kinematics`.

    Parameters
    ----------
    result : Result
        What ``analyse`` returns, or a session read back from its folder.
    every_cycle : bool, optional
        Whether each cycle is drawn and not only means.
    kind : str | None, optional
        Only trials of this kind: "straight"; None takes all.
    condition : str | None, optional
        Only trials of this condition; None takes all.
    norm : NormSource, optional
        A norm table or its file; None for none.
    style : Style | str | Path | None, optional
        How the report looks, or a style file or one of the shipped styles by name; None is the default.
    ax : AxesOrFigure | None, optional
        Axes, or a figure, to draw the panels in, with letters of 8 points or more; None draws a page of the report.
    """
    asked = _asked(result, kind, condition, norm, style)
    return _curves(ground_reaction_page, GROUND_PANELS, asked, every_cycle, ax)


@takes("plot.emg", **_DRAWS)
def emg(
    result: Result,
    *,
    every_cycle: bool = False,
    kind: str | None = None,
    condition: str | None = None,
    norm: NormSource = None,
    style: Style | str | Path | None = None,
    ax: AxesOrFigure | None = None,
) -> Figure:
    """Draw mean envelopes of muscle signals (percent of their peak) or the raw signals of every cycle; see `kinematics`.

    Parameters
    ----------
    result : Result
        What ``analyse`` returns, or a session read back from its folder.
    every_cycle : bool, optional
        Whether the raw signal of each cycle is drawn and not the mean envelope.
    kind : str | None, optional
        Only trials of this kind: "straight"; None takes all.
    condition : str | None, optional
        Only trials of this condition; None takes all.
    norm : NormSource, optional
        A norm table or its file; None for none.
    style : Style | str | Path | None, optional
        How the report looks, or a style file or one of the shipped styles by name; None is the default.
    ax : AxesOrFigure | None, optional
        Axes, or a figure, to draw the panels in, with letters of 8 points or more; None draws a page of the report.

    Raises
    ------
    MissingInputError
        The session has no muscle signals.
    """
    layer, look, reference = _asked(result, kind, condition, norm, style)
    if layer.tables.channels is None:
        words = "The session has no muscle signals."
        raise MissingInputError(words, value="no channel of a muscle", expected="a recording with muscle signals", where="emg")
    with mpl.rc_context(look.rc):
        if ax is not None:
            return draw_muscles(ax, layer, look, reference, every_cycle=every_cycle)
        return next(cycle_pages(layer, look) if every_cycle else envelope_pages([layer], look, reference))


@takes("plot.spatiotemporal", **_DRAWS)
def spatiotemporal(
    result: Result,
    *,
    kind: str | None = None,
    condition: str | None = None,
    norm: NormSource = None,
    style: Style | str | Path | None = None,
    ax: AxesOrFigure | None = None,
) -> Figure:
    """Draw the table of time and distance parameters; see `kinematics`.

    Parameters
    ----------
    result : Result
        What ``analyse`` returns, or a session read back from its folder.
    kind : str | None, optional
        Only trials of this kind: "straight"; None takes all.
    condition : str | None, optional
        Only trials of this condition; None takes all.
    norm : NormSource, optional
        A norm table or its file; None for none.
    style : Style | str | Path | None, optional
        How the report looks, or a style file or one of the shipped styles by name; None is the default.
    ax : AxesOrFigure | None, optional
        One axes, or a figure, to write in, with letters of 8 points or more; None draws a page of the report.
    """
    layer, look, reference = _asked(result, kind, condition, norm, style)
    with mpl.rc_context(look.rc):
        return spatiotemporal_page(layer, look, reference) if ax is None else draw_parameters(ax, layer, look, reference)


@takes("plot.values", **_DRAWS)
def values(
    result: Result,
    *,
    kind: str | None = None,
    condition: str | None = None,
    loads: bool = False,
    norm: NormSource = None,
    style: Style | str | Path | None = None,
    ax: AxesOrFigure | None = None,
) -> Figure:
    """Draw the values of the curves: at contact, extrema, ranges, means of phases; see `kinematics`.

    Parameters
    ----------
    result : Result
        What ``analyse`` returns, or a session read back from its folder.
    kind : str | None, optional
        Only trials of this kind: "straight"; None takes all.
    condition : str | None, optional
        Only trials of this condition; None takes all.
    loads : bool, optional
        Moments, ground reaction and powers instead of angles.
    norm : NormSource, optional
        A norm table or its file; None for none.
    style : Style | str | Path | None, optional
        How the report looks, or a style file or one of the shipped styles by name; None is the default.
    ax : AxesOrFigure | None, optional
        One axes, or a figure, to write in, with letters of 8 points or more; None draws a page of the report.
    """
    layer, look, reference = _asked(result, kind, condition, norm, style)
    with mpl.rc_context(look.rc):
        if ax is not None:
            return draw_values(ax, layer, look, reference, loads=loads)
        first, *second = values_pages(layer, look, reference)
        return second[0] if loads and second else first


@takes("plot.scores", **_DRAWS)
def scores(
    result: Result,
    *,
    kind: str | None = None,
    condition: str | None = None,
    norm: NormSource = None,
    style: Style | str | Path | None = None,
    ax: AxesOrFigure | None = None,
) -> Figure:
    """Draw movement analysis profile and gait profile score; see `kinematics`.

    Parameters
    ----------
    result : Result
        What ``analyse`` returns, or a session read back from its folder.
    kind : str | None, optional
        Only trials of this kind: "straight"; None takes all.
    condition : str | None, optional
        Only trials of this condition; None takes all.
    norm : NormSource, optional
        A norm table or its file; None for none.
    style : Style | str | Path | None, optional
        How the report looks, or a style file or one of the shipped styles by name; None is the default.
    ax : AxesOrFigure | None, optional
        One axes, or a figure, to write in, with letters of 8 points or more; None draws a page of the report.
    """
    layer, look, reference = _asked(result, kind, condition, norm, style)
    with mpl.rc_context(look.rc):
        if ax is None:
            return scores_page(layer.tables, look, reference, condition=layer.condition)
        return draw_scores(ax, layer.tables.scores, layer.condition, look)


@takes("plot.budget", **_DRAWS)
def budget(
    result: Result,
    *,
    kind: str | None = None,
    condition: str | None = None,
    style: Style | str | Path | None = None,
    ax: AxesOrFigure | None = None,
) -> Figure:
    """Draw where the moments come from (N m/kg); see `kinematics`.

    Parameters
    ----------
    result : Result
        What ``analyse`` returns, or a session read back from its folder.
    kind : str | None, optional
        Only trials of this kind: "straight"; None takes all.
    condition : str | None, optional
        Only trials of this condition; None takes all.
    style : Style | str | Path | None, optional
        How the report looks, or a style file or one of the shipped styles by name; None is the default.
    ax : AxesOrFigure | None, optional
        Axes, or a figure, to draw the panels in, with letters of 8 points or more; None draws a page of the report.
    """
    layer, look, _ = _asked(result, kind, condition, None, style)
    with mpl.rc_context(look.rc):
        return budget_page(layer, look) if ax is None else draw_budgets(ax, layer, look)


def _curves(
    page: Callable[[Drawing], Figure], names: Iterable[tuple[str, str]], asked: tuple[Layer, Style, Norm | None], every_cycle: bool,
    ax: AxesOrFigure | None,
) -> Figure:  # fmt: skip
    """A page of the report, or its panels in axes of the user's own."""
    layer, look, reference = asked
    drawing = Drawing([layer], look, reference, every_cycle)
    with mpl.rc_context(look.rc):
        return page(drawing) if ax is None else draw_curves(ax, names, drawing)


def _asked(
    result: Result, kind: str | None, condition: str | None, norm: NormSource, style: Style | str | Path | None
) -> tuple[Layer, Style, Norm | None]:
    tables = result if isinstance(result, Tables) else result.tables()
    look = style if isinstance(style, Style) else load_style(style)
    tables, reference = with_norm(norm, tables)
    layers = layers_of(tables)
    fitting = [x for x in layers if kind in (None, x.kind) and condition in (None, x.condition)]
    if not fitting:
        there = ", ".join(f"{x.kind} {x.condition}".strip() for x in layers) or "none at all"
        raise OptionError(
            f"There are no gait cycles of kind {kind!r} and condition {condition!r}; there are: {there}.",
            value=(kind, condition),
            expected=there,
            where="kind, condition",
        )
    alike = [layer for layer in layers if layer.kind == fitting[0].kind]
    return fitting[0], fitted(look, alike, reference), reference


@takes("plot.curve", variable=a_str(), side=a_word(("", "L", "R")), **_DRAWS)
def curve(
    result: Result,
    variable: str,
    *,
    side: str = "",
    every_cycle: bool = False,
    kind: str | None = None,
    condition: str | None = None,
    norm: NormSource = None,
    style: Style | str | Path | None = None,
    ax: AxesOrFigure | None = None,
) -> Figure:
    """Draw one variable over the gait cycle, both sides: ``plot.curve(result, "KneeMoment.X")``.

    Parameters
    ----------
    result : Result
        What ``analyse`` returns, or a session read back from its folder.
    variable : str
        Name and component, without the side: "KneeMoment.X", "AnklePower".
    side : str, optional
        "L" or "R" alone; both where empty.
    every_cycle : bool, optional
        Whether each cycle is drawn and not the mean with its standard deviation.
    kind : str | None, optional
        Only trials of this kind: "straight"; None takes all.
    condition : str | None, optional
        Only trials of this condition; None takes all.
    norm : NormSource, optional
        A norm table or its file; None for none.
    style : Style | str | Path | None, optional
        How the report looks, or a style file or one of the shipped styles by name; None is the default.
    ax : AxesOrFigure | None, optional
        Axes, or a figure, to draw in; None makes a figure 600 pixels wide.

    Raises
    ------
    UnknownNameError
        There is no such variable; the nearest is proposed.
    """
    row = _row(variable)

    layer, look, reference = _asked(result, kind, condition, norm, style)
    return _one_panel(Drawing([layer], look, reference, every_cycle, side), row, ax)


@takes("plot.compare", results=each(_DRAWS["result"]), variable=a_str(), names=or_none(each(a_str())), **_DRAWS)
def compare(
    results: Sequence[Result],
    variable: str,
    *,
    names: Sequence[str] | None = None,
    style: Style | str | Path | None = None,
    ax: AxesOrFigure | None = None,
) -> Figure:
    """Draw one variable of two to six sessions over each other; bars show where a session differs from the first.

    Parameters
    ----------
    results : Sequence[Result]
        Sessions: before and after, barefoot and with shoes.
    variable : str
        Name and component, without the side: "KneeMoment.X".
    names : Sequence[str] | None, optional
        What the sessions are called; letters unless given.
    style : Style | str | Path | None, optional
        As for `curve`.
    ax : AxesOrFigure | None, optional
        Axes, or a figure, to draw in; None makes a figure 600 pixels wide.

    Raises
    ------
    OptionError
        Fewer than two sessions or more than six, or another number of names.
    """
    row, called = _row(variable), tuple(names or "ABCDEF"[: len(results)])
    if not 2 <= len(results) <= len("ABCDEF") or len(called) != len(results):
        words = f"plot.compare takes two to six results, and as many names: these are {len(results)} and {len(called)}."
        raise OptionError(words, value=(len(results), len(called)), expected="two to six", where="results")
    asked = [_asked(result, None, None, None, style) for result in results]
    look = asked[0][1]
    layers = [replace(layer, name=name) for (layer, _, _), name in zip(asked, called, strict=True)]
    return _one_panel(Drawing(layers, look), row, ax)


def _row(variable: str) -> SignRow:
    """The row of the sign table that a name with its component says.

    Raises
    ------
    UnknownNameError
        There is none.
    """
    name, _, component = variable.partition(".")
    if (name, component) in ROWS:
        return ROWS[name, component]
    known = {".".join(filter(None, key)) for key in ROWS}
    sideless = variable[1:] if variable[:1] in "LR" and any(word.startswith(variable[1:]) for word in known) else variable
    words = f"There is no variable {variable!r} that could be drawn.{did_you_mean(sideless, known)}"
    raise UnknownNameError(words, value=variable, expected="a name of the sign table: KneeMoment.X", where="variable")


def _one_panel(drawing: Drawing, row: SignRow, ax: AxesOrFigure | None) -> Figure:
    place = NotebookFigure(figsize=(WIDTH_INCH, _ONE_PANEL_INCH)) if ax is None else ax
    with mpl.rc_context(drawing.style.rc):
        return draw_curves(place, [(row.variable, row.component)], drawing)


#: Height of a figure with one panel.
_ONE_PANEL_INCH = 3.6
__all__ = [
    "budget", "compare", "curve", "emg", "force", "forces", "ground_reaction", "kinematics", "kinetics", "marker",
    "marker_errors", "model", "scores", "skeleton", "spatiotemporal", "values",
]  # fmt: skip


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
