"""The report's panels as functions for researchers: ``bid.plot.kinematics(result)`` returns a matplotlib Figure.

Each function takes the value that ``analyse`` returns, or the tables read back from its folder, and draws one page of
the report without its header. The panels are ordinary matplotlib axes: add to them, or save the figure in any format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from biomech_id.anatomy import JOINTS
from biomech_id.arguments import Kind, a, a_count, a_str, a_switch, a_word, each, or_none, takes
from biomech_id.conventions import AXES, SignRow
from biomech_id.dynamics.body import BodyMotion
from biomech_id.errors import MissingInputError, OptionError, UnknownNameError, did_you_mean
from biomech_id.report.layout.notebook import NotebookFigure
from biomech_id.report.layout.sheet import LEFT_MM, Sheet
from biomech_id.report.layout.style import Style, load_style
from biomech_id.report.pages.budget import budget_page
from biomech_id.report.pages.emg import cycle_pages, envelope_pages
from biomech_id.report.pages.ground_reaction import ground_reaction_page
from biomech_id.report.pages.kinematics import kinematics_page
from biomech_id.report.pages.kinetics import kinetics_page
from biomech_id.report.pages.scores import scores_page
from biomech_id.report.pages.spatiotemporal import spatiotemporal_page
from biomech_id.report.pages.values import values_pages
from biomech_id.report.panels.curve_panel import Drawing, draw_variable, session_colour
from biomech_id.report.panels.fitted_scales import fitted
from biomech_id.report.panels.layer import ROWS, Layer, layers_of
from biomech_id.report.panels.legend import draw_legend
from biomech_id.report.panels.norm import Norm, NormSource, with_norm
from biomech_id.session.session import Session
from biomech_id.session.tables.session_tables import Tables
from biomech_id.trial import Trial

#: What is drawn: a session, or its tables.
Result = Session | Tables
_DRAWS = {
    "result": Kind(
        "a session", lambda v: isinstance(v, Tables) or hasattr(v, "tables"),
        hint="analyse(folder) or read_folder(folder) returns one",
    ), "every_cycle": a_switch(), "loads": a_switch(),
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
        What ``analyse`` returns, or a session read back from its folder.
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
    loads: bool = False,
    norm: NormSource = None,
    style: Style | str | Path | None = None,
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
    """

    def sheet(layer: Layer, look: Style, behind: Norm | None) -> Figure:
        first, *second = values_pages(layer, look, behind)
        return second[0] if loads and second else first

    return _drawn(sheet, result, kind, condition, norm, style)


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
        What ``analyse`` returns, or a session read back from its folder.
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
        What ``analyse`` returns, or a session read back from its folder.
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

    Raises
    ------
    UnknownNameError
        There is no such variable; the nearest is proposed.
    """
    row = _row(variable)

    def page(layer: Layer, look: Style, reference: Norm | None) -> Figure:
        return _one_panel(Drawing([layer], look, reference, every_cycle, side), row)

    return _drawn(page, result, kind, condition, norm, style)


@takes("plot.compare", results=each(_DRAWS["result"]), variable=a_str(), names=or_none(each(a_str())), style=_DRAWS["style"])
def compare(
    results: Sequence[Result], variable: str, *, names: Sequence[str] | None = None, style: Style | str | Path | None = None
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
    with mpl.rc_context(look.rc):
        figure = _one_panel(Drawing(layers, look), row)
        for index, name in enumerate(called):
            figure.text(0.12 + 0.1 * index, 0.03, name, color=look.colour(session_colour(index)), fontsize=look.size("body"))
    return figure


@takes("plot.skeleton", x=a((BodyMotion, Trial), "read_c3d(path) or a model's track(trial) returns one"), frame=a_count(0))
def skeleton(x: BodyMotion | Trial, frame: int = 0) -> Figure:
    """Draw markers of a recording, or joint centres and segment axes of a motion, in one frame, seen from the side and the front.

    Parameters
    ----------
    x : BodyMotion | Trial
        What is drawn.
    frame : int, optional
        Which frame, from 0.

    Raises
    ------
    OptionError
        There are fewer frames.
    """
    if frame >= x.n_frames:
        words = f"plot.skeleton takes a frame below {x.n_frames}, not {frame}."
        raise OptionError(words, value=frame, expected=f"0 to {x.n_frames - 1}", where="frame")
    figure = NotebookFigure(figsize=(7.0, 4.5), layout="constrained")
    for number, (across, name) in enumerate(((0, "X"), (1, "Y")), start=1):
        axes = figure.add_subplot(1, 2, number, aspect="equal", xlabel=f"{name} (m)", ylabel="Z (m)")
        if isinstance(x, Trial):
            points = x.markers.position_m[frame]
            axes.plot(points[:, across], points[:, 2], ".", color="0.3")
        else:
            for side, colour in SIDE_COLOURS.items():
                chain = [x.joint_centres_lab_m[side, joint][frame] for joint in JOINTS if (side, joint) in x.joint_centres_lab_m]
                axes.plot([p[across] for p in chain], [p[2] for p in chain], "o-", color=colour, label=side)
            axes.legend(frameon=False)
    return figure


@takes("plot.forces", trial=a(Trial, "read_c3d(path) returns one"))
def forces(trial: Trial) -> Figure:
    """Draw the forces of each plate over time (N, laboratory axes).

    Parameters
    ----------
    trial : Trial
        The recording.

    Raises
    ------
    MissingInputError
        It has no force plates.
    """
    if not trial.plates:
        words = f"{trial.name} has no force plates to be drawn as forces of the trial."
        raise MissingInputError(words, value=0, expected="force plates", where=trial.name)
    figure = NotebookFigure(figsize=(7.0, 1.0 + 2.0 * len(trial.plates)), layout="constrained")
    for number, plate in enumerate(trial.plates, start=1):
        axes = figure.add_subplot(len(trial.plates), 1, number, title=plate.name, xlabel="time (s)", ylabel="force (N)")
        for component, name in zip(plate.force_lab_N.T, AXES, strict=True):
            axes.plot(plate.time_s, component, label=name)
        axes.legend(frameon=False, loc="upper right")
    return figure


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


def _one_panel(drawing: Drawing, row: SignRow) -> Figure:
    sheet = Sheet(drawing.style)
    if len(drawing.layers) == 1:
        draw_legend(sheet, drawing)
    draw_variable(sheet.panel(LEFT_MM + 18.0, 45.0, 235.0, 125.0), row, drawing, x_numbers=True)
    return sheet.figure


#: Colours of the sides in pictures that are no page of the report.
SIDE_COLOURS = {"L": "tab:red", "R": "tab:green"}
_OFFERED = (
    "budget", "compare", "curve", "emg", "forces", "ground_reaction", "kinematics", "kinetics", "scores", "skeleton",
    "spatiotemporal", "values",
)  # fmt: skip


def __dir__() -> list[str]:
    return [*_OFFERED, *(name for name in globals() if name.startswith("__"))]
