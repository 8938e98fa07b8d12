"""Contact forces of hip, knee and ankle, and large muscles, of a model's estimate: every force with both of its bands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.conventions import SIDES, Aspect
from biomech_id.report.layout.numbers import digits
from biomech_id.report.layout.panel import Panel
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.sheet import LEFT_MM, RIGHT_MM, Sheet
from biomech_id.report.layout.style import Style
from biomech_id.report.pages.emg import muscle_view, used_envelopes
from biomech_id.report.panels.curve_panel import CYCLE, PERCENT
from biomech_id.report.panels.emg_rows import muscle_title, row_heading
from biomech_id.report.panels.layer import Layer
from biomech_id.report.panels.page import Content, PageKind, register
from biomech_id.report.panels.uncertainty_bars import COVERAGE
from biomech_id.session.tables.means import counted
from biomech_id.values import dataclass

#: What a signal is called -> names of its largest part in models, without the side; names of other channels that show it as well.
LARGE_MUSCLES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "gluteus_maximus": (("glut_max", "glut_max2", "glmax2"), ("gluteus",)),
    "gluteus_medius": (("glut_med", "glut_med1", "glmed1"), ()),
    "rectus_femoris": (("rect_fem", "recfem"), ()),
    "vastus_lateralis": (("vasti", "vas_lat", "vaslat"), ("vastus_medialis", "quadriceps")),
    "hamstrings": (("hamstrings", "bifemlh", "bflh"), ("hamstrings_lateral", "biceps_femoris")),
    "gastrocnemius": (("gastroc", "med_gas", "gasmed"), ("gastrocnemius_lateralis", "gastrocnemius_medialis")),
    "soleus": (("soleus",), ()),
    "tibialis_anterior": (("tib_ant", "tibant"), ()),
}
#: Whose signals may be held against activations: the large extensors, in which both agreed in the walks that were looked at.
JUDGED = ("gluteus_maximus", "vastus_lateralis", "gastrocnemius", "soleus")
_BODY_WEIGHTS, _ACTIVATION, _FORCE_N = Scale(0.0, 6.0, 1.0), Scale(0.0, 1.0, 0.5), Scale(0.0, 400.0, 200.0)
_TOP_MM, _BOTTOM_MM, _MARGIN_MM, _GUTTER_MM, _GAP_MM = 36.0, 183.0, 9.0, 14.0, 13.0
#: Each band has its own hatching, for who sees no colours and for copies.
ERROR_HATCH, RANGE_HATCH = "//////", "...."
_Curves = Mapping[str, FloatArray]


def mean_forces(layer: Layer, name: str, side: str, of: str) -> _Curves:
    """Average the curves of one joint or muscle over the cycles in the means of loads.

    Parameters
    ----------
    layer : Layer
        Cycles of one movement and one condition.
    name : str
        "joint_contact" or "muscle_forces".
    side : str
        "L" or "R".
    of : str
        The joint, or the model's name of the muscle.

    Returns
    -------
    Mapping[str, FloatArray]
        Column -> mean (101,), in the unit of the column; empty where there is no such cycle.
    """
    table = getattr(layer.tables, name)
    own = table[(table[name.partition("_")[0]] == of) & (table["side"] == side)]
    shown = own.merge(counted(layer.cycles, Aspect.KINETICS)[["trial", "side", "cycle"]], on=["trial", "side", "cycle"])
    numbers = shown.select_dtypes("float64")
    if not len(shown):
        return {}
    return {str(column): over_seen(np.nanmean, numbers[column].to_numpy().reshape(-1, len(PERCENT)), axis=0) for column in numbers}


def _banded(panel: Panel, curves: _Curves, side: str, factor: FloatArray | float = 1.0) -> None:
    """A force with its error band and, hatched otherwise, its near-optimal range."""
    force, sd = curves["force_N"] * factor, curves["sd_N"] * factor
    ends = ((curves["least_N"] * factor, curves["most_N"] * factor), (force - COVERAGE * sd, force + COVERAGE * sd))
    panel.band(PERCENT, *ends[0], colour=side, opacity=0.15, zorder=1.8, gid=None)
    for (low, high), hatch, name in zip(ends, (RANGE_HATCH, ERROR_HATCH), ("range", "error"), strict=True):
        panel.band(PERCENT, low, high, colour=side, opacity=0.7, zorder=2.0, gid=f"{name}|{side}", hatch=hatch)
    panel.polylines([np.column_stack([PERCENT, force])], colour=side, width=panel.style.width("mean"), gid=f"force|{side}")


def _grid(rows: int, columns: int) -> Iterator[tuple[float, float, float, float]]:
    """Left, top, width and height of panels, mm, row by row."""
    width = (RIGHT_MM - LEFT_MM - _MARGIN_MM - (columns - 1) * _GUTTER_MM) / columns
    pitch = (_BOTTOM_MM - _TOP_MM + _GAP_MM) / rows
    for row in range(rows):
        for column in range(columns):
            yield LEFT_MM + _MARGIN_MM + column * (width + _GUTTER_MM), _TOP_MM + row * pitch, width, pitch - _GAP_MM


def _sheet(content: Content, note: str) -> Sheet:
    sheet, style = Sheet(content.style), content.style
    chosen = content.tables.manifest.get("recipe", {}).get("muscles", {})
    exponent, weight = (
        digits(float(chosen.get(name, usual)), "g", style.decimal_mark)
        for name, usual in (("muscle_exponent", 2), ("muscle_knee_cost", 0))
    )
    if (exponent, weight) != ("2", "0") and note != "activation_note":
        note = f"{note}_without_bands"
    knee = "" if weight == "0" else style.label("muscle_forces.knee_cost", weight=weight)
    sheet.text(LEFT_MM, 23.0, style.label("muscle_forces.estimate"), weight="bold")
    sheet.note(style.label(f"muscle_forces.{note}", exponent=exponent, knee=knee), 191.0, most=3)
    return sheet


def _contact(content: Content) -> Figure:
    sheet, style, layer = _sheet(content, "contact_note"), content.style, content.layers[0]
    places = [(side, joint) for side in SIDES for joint in ("hip", "knee", "ankle")]
    all_curves = {place: mean_forces(layer, "joint_contact", *place) for place in places}
    weights = {place: curves["body_weights"] / curves["force_N"] for place, curves in all_curves.items() if curves}
    scale = _holding(_BODY_WEIGHTS, [_top(all_curves[place]) * weight for place, weight in weights.items()])
    for place, (side, joint) in zip(_grid(2, 3), places, strict=True):
        panel, curves = sheet.panel(*place), all_curves[side, joint]
        panel.frame(CYCLE, scale, x_numbers=True)
        row_heading(panel, f"{style.label(f'side.{side}')} {style.label(f'joint.{joint}')}", [style.label("muscle_forces.weights")])
        if not curves:
            panel.notice(style.label("muscle_forces.none"))
            continue
        panel.outside(panel.size_mm[0] / 2, -6.2, style.label("common.percent_cycle"), size="tiny", colour="quiet", ha="center")
        weight = weights[side, joint]
        _banded(panel, curves, side, weight)
        plain = np.column_stack([PERCENT, curves["intersegmental_N"] * weight])
        panel.polylines([plain], colour="ink", width=0.9, dashes=(0.0, (1.0, 1.2)), gid=f"intersegmental|{side}")
    return sheet.figure


def _top(curves: _Curves) -> FloatArray:
    """The highest that is drawn of a force; without bands, of another exponent than 2, the force itself."""
    return np.asarray(np.fmax.reduce([curves["force_N"], curves["force_N"] + COVERAGE * curves["sd_N"], curves["most_N"]]))


def _holding(scale: Scale, curves: Sequence[FloatArray]) -> Scale:
    highest = [float(np.nanmax(curve)) for curve in curves if np.isfinite(curve).any()]
    return scale.holding(0.0, max(highest, default=0.0))


@dataclass(frozen=True)
class _Muscle:
    """One of the large muscles of one side, with its mean curves; none where the model lacks it, or loads are not known."""

    name: str
    side: str
    curves: _Curves


def _large_muscles(layer: Layer) -> list[_Muscle]:
    """In the order of panels: four muscles left, the same right, the other four."""
    assert layer.tables.muscle_forces is not None
    there = set(layer.tables.muscle_forces["muscle"])
    muscles = []
    for name, side in ((name, side) for half in (0, 4) for side in SIDES for name in list(LARGE_MUSCLES)[half : half + 4]):
        own = next((each for stem in LARGE_MUSCLES[name][0] if (each := f"{stem}_{side.lower()}") in there), "")
        muscles.append(_Muscle(name, side, mean_forces(layer, "muscle_forces", side, own)))
    return muscles


def _forces(content: Content, muscles: Sequence[_Muscle]) -> Figure:
    sheet = _sheet(content, "force_note")
    scale = _holding(_FORCE_N, [_top(muscle.curves) for muscle in muscles if muscle.curves])
    for place, muscle in zip(_grid(4, 4), muscles, strict=True):
        panel = _framed(sheet, place, muscle, scale, ["N"])
        if muscle.curves:
            _banded(panel, muscle.curves, muscle.side)
    return sheet.figure


def _activations(content: Content, muscles: Sequence[_Muscle]) -> Figure:
    sheet, style, layer = _sheet(content, "activation_note"), content.style, content.layers[0]
    for place, muscle in zip(_grid(4, 4), muscles, strict=True):
        envelope = _envelope(layer, muscle, style) if muscle.curves else None
        words = []
        if envelope is not None and muscle.name in JUDGED:
            both = np.isfinite(envelope) & np.isfinite(muscle.curves["activation"])
            r = float(np.corrcoef(envelope[both], muscle.curves["activation"][both])[0, 1])
            words.append(f"r = {digits(r, '.2f', style.decimal_mark)}")
        panel = _framed(sheet, place, muscle, _ACTIVATION, words)
        if envelope is not None:
            panel.polylines([np.column_stack([PERCENT, envelope])], colour="quiet", width=1.2, gid=f"signal|{muscle.side}")
        if muscle.curves:
            line = np.column_stack([PERCENT, muscle.curves["activation"]])
            panel.polylines([line], colour=muscle.side, width=style.width("mean"), gid=f"activation|{muscle.side}")
    return sheet.figure


def _framed(sheet: Sheet, place: tuple[float, float, float, float], muscle: _Muscle, scale: Scale, words: Sequence[str]) -> Panel:
    panel, style = sheet.panel(*place), sheet.style
    panel.frame(CYCLE, scale, x_numbers=True)
    row_heading(panel, f"{muscle.side} {muscle_title(muscle.name, style)}", words)
    if not muscle.curves:
        panel.notice(style.label("muscle_forces.none"))
    return panel


def _envelope(layer: Layer, muscle: _Muscle, style: Style) -> FloatArray | None:
    """Mean envelope (101,) of a muscle's signal over its peak; None without a channel that shows it."""
    if layer.tables.channels is None:
        return None
    view, rows = muscle_view(layer)
    labels = {row.name: row.labels.get(muscle.side) for row in rows}
    shown = (labels[name] for name in (muscle.name, *LARGE_MUSCLES[muscle.name][1]) if labels.get(name))
    live = (used_envelopes(layer, label) for label in shown if label is not None and not view.refusal(label, style))
    signal = next((each for each in live if len(each)), None)
    return None if signal is None else np.asarray(over_seen(np.nanmean, signal, axis=0) / 100)


def _draw(content: Content) -> Iterator[Figure]:
    if content.tables.joint_contact is None or content.tables.muscle_forces is None:
        sheet = Sheet(content.style)
        sheet.text(LEFT_MM, 30.0, content.style.label("muscle_forces.not_asked"), size="heading")
        yield sheet.figure
        return
    muscles = _large_muscles(content.layers[0])
    yield _contact(content)
    yield _forces(content, muscles)
    yield _activations(content, muscles)


register(
    PageKind(
        "muscle_forces", 118, _draw, needs=("joint_contact",), sheets=0,
        titles=("page.muscle_forces", "muscle_forces.force", "muscle_forces.activation"),
    )
)  # fmt: skip
