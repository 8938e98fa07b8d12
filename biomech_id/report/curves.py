"""The report's panels as functions for researchers: ``bid.plot.kinematics(result)`` returns a matplotlib Figure.

Each function takes the value that `analyse` returns, or the tables read back from its folder, and draws one page of
the report without its header. The panels are ordinary matplotlib axes: add to them, or save the figure in any format.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Protocol, runtime_checkable

import matplotlib as mpl
from matplotlib.figure import Figure

from biomech_id.arguments import Kind, a, a_str, a_switch, or_none, takes
from biomech_id.errors import MissingInputError, OptionError
from biomech_id.report.layout.curve_panel import Drawing
from biomech_id.report.layout.fitted_scales import fitted
from biomech_id.report.layout.layer import Layer, layers_of
from biomech_id.report.layout.style import Style, load_style
from biomech_id.report.norm import Norm, NormSource, with_norm
from biomech_id.report.pages.budget import budget_page
from biomech_id.report.pages.emg import cycle_pages, envelope_pages
from biomech_id.report.pages.ground_reaction import ground_reaction_page
from biomech_id.report.pages.kinematics import kinematics_page
from biomech_id.report.pages.kinetics import kinetics_page
from biomech_id.report.pages.scores import scores_page
from biomech_id.report.pages.spatiotemporal import spatiotemporal_page
from biomech_id.report.pages.values import values_page
from biomech_id.results.tables.session_tables import SessionTables


@runtime_checkable
class HasTables(Protocol):
    """Anything that yields its tables: the value that `analyse` returns."""

    def tables(self) -> SessionTables:
        """Return the tables of the session."""


#: What is drawn:
#: the tables of a folder that was read, or anything that has them under ``tables``.
Result = SessionTables | HasTables
_DRAWS = {
    "result": Kind(
        "a session", lambda v: isinstance(v, SessionTables | HasTables), hint="analyse(folder) or read_tables(folder) returns one"
    ), "every_cycle": a_switch(),
    "kind": or_none(a_str()), "condition": or_none(a_str()), "style": or_none(a((Style, str, PathLike))),
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

    Returns
    -------
    Figure
        A landscape A4 figure; each axes' collections carry the name of what they show (``get_gid``).

    Raises
    ------
    OptionError
        No cycle of that kind and condition, or a style or norm that cannot be used.
    """
    return _drawn(_curves(kinematics_page, every_cycle), result, kind, condition, norm, style)


@takes("plot.kinetics", **_DRAWS)
def kinetics(
    result: Result,
    *,
    every_cycle: bool = False,
    kind: str | None = None,
    condition: str | None = None,
    norm: NormSource = None,
    style: Style | str | Path | None = None,
) -> Figure:
    """Draw internal moments (N m/kg), powers (W/kg) and ground reaction (%BW) over the gait cycle; see `kinematics`.

    Parameters
    ----------
    result : Result
        What `analyse` returns, or a session read back from its folder.
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
    """
    return _drawn(_curves(kinetics_page, every_cycle), result, kind, condition, norm, style)


@takes("plot.ground_reaction", **_DRAWS)
def ground_reaction(
    result: Result,
    *,
    every_cycle: bool = True,
    kind: str | None = None,
    condition: str | None = None,
    norm: NormSource = None,
    style: Style | str | Path | None = None,
) -> Figure:
    """Draw force components, butterfly diagrams, centre of pressure and free moment; see `kinematics`.

    Parameters
    ----------
    result : Result
        What `analyse` returns, or a session read back from its folder.
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
    """
    return _drawn(_curves(ground_reaction_page, every_cycle), result, kind, condition, norm, style)


@takes("plot.emg", **_DRAWS)
def emg(
    result: Result,
    *,
    every_cycle: bool = False,
    kind: str | None = None,
    condition: str | None = None,
    norm: NormSource = None,
    style: Style | str | Path | None = None,
) -> Figure:
    """Draw mean envelopes of muscle signals (percent of their peak) or the raw signals of every cycle; see `kinematics`.

    Parameters
    ----------
    result : Result
        What `analyse` returns, or a session read back from its folder.
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

    Raises
    ------
    MissingInputError
        The session has no muscle signals.
    """

    def page(layer: Layer, look: Style, reference: Norm | None) -> Figure:
        if layer.tables.channels is None:
            words = "The session has no muscle signals."
            raise MissingInputError(words, value="no channel of a muscle", expected="a recording with muscle signals", where="emg")
        return next(cycle_pages(layer, look) if every_cycle else envelope_pages([layer], look, reference))

    return _drawn(page, result, kind, condition, norm, style)


@takes("plot.spatiotemporal", **_DRAWS)
def spatiotemporal(
    result: Result,
    *,
    kind: str | None = None,
    condition: str | None = None,
    norm: NormSource = None,
    style: Style | str | Path | None = None,
) -> Figure:
    """Draw the table of time and distance parameters; see `kinematics`.

    Parameters
    ----------
    result : Result
        What `analyse` returns, or a session read back from its folder.
    kind : str | None, optional
        Only trials of this kind: "straight"; None takes all.
    condition : str | None, optional
        Only trials of this condition; None takes all.
    norm : NormSource, optional
        A norm table or its file; None for none.
    style : Style | str | Path | None, optional
        How the report looks, or a style file or one of the shipped styles by name; None is the default.
    """
    return _drawn(spatiotemporal_page, result, kind, condition, norm, style)


@takes("plot.values", **_DRAWS)
def values(
    result: Result,
    *,
    kind: str | None = None,
    condition: str | None = None,
    norm: NormSource = None,
    style: Style | str | Path | None = None,
) -> Figure:
    """Draw the tables of values at contact, extrema and peaks; see `kinematics`.

    Parameters
    ----------
    result : Result
        What `analyse` returns, or a session read back from its folder.
    kind : str | None, optional
        Only trials of this kind: "straight"; None takes all.
    condition : str | None, optional
        Only trials of this condition; None takes all.
    norm : NormSource, optional
        A norm table or its file; None for none.
    style : Style | str | Path | None, optional
        How the report looks, or a style file or one of the shipped styles by name; None is the default.
    """
    return _drawn(values_page, result, kind, condition, norm, style)


@takes("plot.scores", **_DRAWS)
def scores(
    result: Result,
    *,
    kind: str | None = None,
    condition: str | None = None,
    norm: NormSource = None,
    style: Style | str | Path | None = None,
) -> Figure:
    """Draw movement analysis profile and gait profile score; see `kinematics`.

    Parameters
    ----------
    result : Result
        What `analyse` returns, or a session read back from its folder.
    kind : str | None, optional
        Only trials of this kind: "straight"; None takes all.
    condition : str | None, optional
        Only trials of this condition; None takes all.
    norm : NormSource, optional
        A norm table or its file; None for none.
    style : Style | str | Path | None, optional
        How the report looks, or a style file or one of the shipped styles by name; None is the default.
    """

    def page(layer: Layer, look: Style, reference: Norm | None) -> Figure:
        return scores_page(layer.tables, look, reference, condition=layer.condition)

    return _drawn(page, result, kind, condition, norm, style)


@takes("plot.budget", **_DRAWS)
def budget(
    result: Result, *, kind: str | None = None, condition: str | None = None, style: Style | str | Path | None = None
) -> Figure:
    """Draw where the moments come from (N m/kg); see `kinematics`.

    Parameters
    ----------
    result : Result
        What `analyse` returns, or a session read back from its folder.
    kind : str | None, optional
        Only trials of this kind: "straight"; None takes all.
    condition : str | None, optional
        Only trials of this condition; None takes all.
    style : Style | str | Path | None, optional
        How the report looks, or a style file or one of the shipped styles by name; None is the default.
    """
    return _drawn(lambda layer, look, _: budget_page(layer, look), result, kind, condition, None, style)


def _curves(page: Callable[[Drawing], Figure], every_cycle: bool) -> Callable[[Layer, Style, Norm | None], Figure]:
    return lambda layer, look, norm: page(Drawing([layer], look, norm, every_cycle))


def _drawn(
    page: Callable[[Layer, Style, Norm | None], Figure],
    result: Result,
    kind: str | None,
    condition: str | None,
    norm: NormSource,
    style: Style | str | Path | None,
) -> Figure:
    layer, look, reference = _asked(result, kind, condition, norm, style)
    with mpl.rc_context(look.rc):
        return page(layer, look, reference)


def _asked(
    result: Result, kind: str | None, condition: str | None, norm: NormSource, style: Style | str | Path | None
) -> tuple[Layer, Style, Norm | None]:
    tables = result if isinstance(result, SessionTables) else result.tables()
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
