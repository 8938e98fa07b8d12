"""What the pages of the report hold, panel by panel and row by row, for axes of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from matplotlib.artist import Artist
from matplotlib.figure import Figure

from biomech_id.anatomy import JOINTS
from biomech_id.conventions import BUDGET_PARTS, MOMENT_VARIABLE, POWER_VARIABLE, SIDES
from biomech_id.report.layout.numbers import written
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.style import Style
from biomech_id.report.layout.text_table import Cell
from biomech_id.report.own_axes import WORDS_MM, AxesOrFigure, area, fill, legible, line, write_table
from biomech_id.report.pages.budget import COMPONENTS, draw_budget
from biomech_id.report.pages.emg import draw_cycles, draw_envelopes, muscle_view
from biomech_id.report.pages.ground_reaction import CURVES
from biomech_id.report.pages.kinematics import ANGLE_GRID
from biomech_id.report.pages.kinetics import KINETIC_GRID
from biomech_id.report.pages.spatiotemporal import parameter_rows
from biomech_id.report.pages.values import value_rows
from biomech_id.report.panels.curve_panel import SESSION_DASHES, Drawing, draw_variable, session_colour
from biomech_id.report.panels.layer import ROWS, Layer
from biomech_id.report.panels.norm import Norm
from biomech_id.report.panels.peak_letters import draw_peaks
from biomech_id.session.tables.session_tables import Table

#: (variable, component) of each panel.
ANGLE_PANELS = tuple(name for names in ANGLE_GRID for name in names)
LOAD_PANELS = tuple(name for names in KINETIC_GRID for name in names)
GROUND_PANELS = CURVES


def draw_curves(place: AxesOrFigure, names: Iterable[tuple[str, str]], drawing: Drawing) -> Figure:
    """Draw variables over the gait cycle, a panel each.

    Parameters
    ----------
    place : AxesOrFigure
        Axes or a figure.
    names : Iterable[tuple[str, str]]
        Variable and component of each.
    drawing : Drawing
        Layers, norm and style that every panel takes.
    """
    own = Drawing(drawing.layers, legible(drawing.style), drawing.norm, drawing.every_cycle, drawing.side)
    drawers = [partial(_draw_curve, name=name, drawing=own) for name in names]
    return fill(place, drawers, own.style, _legend(own), in_axes=len(own.layers) > 1)


def _draw_curve(panel: Panel, name: tuple[str, str], drawing: Drawing) -> None:
    draw_variable(panel, ROWS[name], drawing, x_numbers=True, words_left_mm=WORDS_MM)
    if name[0] in POWER_VARIABLE.values() and len(drawing.layers) == 1 and not drawing.every_cycle and not drawing.side:
        draw_peaks(panel, name[0], drawing.layers[0])


def _legend(drawing: Drawing) -> list[Artist]:
    style = drawing.style
    if len(drawing.layers) > 1:
        return [line(layer.name, session_colour(index), style, SESSION_DASHES[index]) for index, layer in enumerate(drawing.layers)]
    sides = [line(style.label(f"side.{side}"), side, style, style.dashes(side)) for side in drawing.sides]
    behind = [area(style.label("common.norm_named", n=drawing.norm.n), "norm", style)] if drawing.norm is not None else []
    return sides + behind


def draw_muscles(place: AxesOrFigure, layer: Layer, style: Style, norm: Norm | None, *, every_cycle: bool) -> Figure:
    """Draw envelopes of both sides' muscles, a panel each, or the raw signals of every cycle, a panel for each muscle and side.

    Parameters
    ----------
    place : AxesOrFigure
        Axes or a figure.
    layer : Layer
        Cycles of one movement and one condition.
    style : Style
        Colours, sizes and language of the report.
    norm : Norm | None
        What stands behind envelopes, or None.
    every_cycle : bool
        Whether raw signals are drawn.
    """
    own = legible(style)
    view, rows = muscle_view(layer)
    drawers: list[Callable[[Panel], object]] = [
        partial(draw_cycles, view=view, layer=layer, row=row, side=side, x_numbers=True) for row in rows for side in SIDES
    ] if every_cycle else [partial(draw_envelopes, layer=layer, view=view, row=row, norm=norm) for row in rows]  # fmt: skip
    return fill(place, drawers, own, _legend(Drawing([layer], own)))


def draw_budgets(place: AxesOrFigure, layer: Layer, style: Style) -> Figure:
    """Draw where the moments of ankle, knee and hip come from, a panel for each component and side.

    Parameters
    ----------
    place : AxesOrFigure
        Axes or a figure.
    layer : Layer
        Cycles of one movement and one condition.
    style : Style
        Colours, sizes and language of the report.
    """
    own = legible(style)
    drawers = [
        partial(
            draw_budget, layer=layer, side=side, variable=MOMENT_VARIABLE[joint], component=component, x_numbers=True,
            words_left_mm=WORDS_MM,
        )
        for joint in JOINTS for component in COMPONENTS for side in SIDES
    ]  # fmt: skip
    return fill(place, drawers, own, [area(own.label(f"budget.{part}"), part, own, 1.0) for part in BUDGET_PARTS])


def _heads(style: Style, *, unit: bool, norm: bool) -> list[str]:
    heads = ["", *[style.label("parameter.unit")] * unit, *(style.label(f"side.{side}") for side in SIDES)]
    return heads + [style.label("parameter.norm")] * norm


def draw_parameters(place: AxesOrFigure, layer: Layer, style: Style, norm: Norm | None) -> Figure:
    """Write time and distance parameters of both sides, and of the norm.

    Parameters
    ----------
    place : AxesOrFigure
        Axes or a figure.
    layer : Layer
        Cycles of one movement and one condition.
    style : Style
        Colours, sizes and language of the report.
    norm : Norm | None
        Means and SDs that are written beside; None leaves them out.
    """
    own = legible(style)
    columns = (0, 1, 2, 4, 6) if norm is not None else (0, 1, 2, 4)
    rows = [[row[column] for column in columns] for row in parameter_rows(layer, own, norm)]
    return write_table(place, [_heads(own, unit=True, norm=norm is not None), *rows], own)


def draw_values(place: AxesOrFigure, layer: Layer, style: Style, norm: Norm | None, *, loads: bool) -> Figure:
    """Write named values of the curves of both sides, and of the norm.

    Parameters
    ----------
    place : AxesOrFigure
        Axes or a figure.
    layer : Layer
        Cycles of one movement and one condition.
    style : Style
        Colours, sizes and language of the report.
    norm : Norm | None
        Means and SDs that are written beside; None leaves them out.
    loads : bool
        Moments and ground reaction instead of angles.
    """
    own = legible(style)
    rows: list[Sequence[Cell | str]] = [_heads(own, unit=False, norm=True)]
    for title, lines in value_rows(layer, own, norm, loads=loads):
        rows += [[Cell(title, bold=True), "", "", ""], *lines]
    return write_table(place, rows, own)


def draw_scores(place: AxesOrFigure, scores: Table, condition: str, style: Style) -> Figure:
    """Write the movement analysis profile and the gait profile score of both sides, and of the norm (deg).

    Parameters
    ----------
    place : AxesOrFigure
        Axes or a figure.
    scores : Table
        Rows of ``scores.csv``, deg.
    condition : str
        Whose rows are written.
    style : Style
        Colours, sizes and language of the report.
    """
    own = legible(style)
    rows: list[Sequence[Cell | str]] = [_heads(own, unit=False, norm=True)]
    chosen = scores[scores["condition"] == condition] if len(scores) else scores
    for _, of_variable in chosen.groupby(["variable", "component"], sort=False) if len(chosen) else ():
        # The overall score has a norm of its own, which is neither side's.
        of_side, first = of_variable[of_variable["side"].isin(SIDES)].set_index("side"), of_variable.iloc[0]
        row = ROWS.get((str(first["variable"]), str(first["component"])))
        title = own.label("scores.gps") if row is None else own.word(row.title)
        sides = [written(float(of_side["value"].get(side, float("nan"))), 1, own.decimal_mark) for side in SIDES]
        norm = " ± ".join(written(float(of_side[name].mean()), 1, own.decimal_mark) for name in ("norm_mean", "norm_sd"))
        rows.append([title, *sides, norm])
    if len(rows) == 1:
        rows = [[own.label("absent.no_scores")]]
    return write_table(place, rows, own)
