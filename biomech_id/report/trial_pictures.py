"""Pictures of what was recorded, for notebooks: markers over time and in space, forces of plates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import JOINTS
from biomech_id.arguments import a, a_count, a_str, a_switch, or_none, takes
from biomech_id.conventions import AXES
from biomech_id.dynamics.body import BodyMotion
from biomech_id.errors import MissingInputError, OptionError
from biomech_id.report.layout.notebook import NotebookFigure
from biomech_id.report.own_axes import A_PLACE, LETTERS_PT, AxesOrFigure, figure_of, given_axes
from biomech_id.trial import ForcePlate, Trial

#: Colours of the sides in pictures that are no page of the report.
SIDE_COLOURS = {"L": "tab:red", "R": "tab:green"}
#: 600 pixels (inches), and the heights of a panel over time and of two views of a body.
WIDTH_INCH, PANEL_INCH, BODY_INCH = 6.25, 2.3, 4.5
_A_TRIAL = a(Trial, "read_c3d(path) returns one")
_LETTERS = LETTERS_PT["small"]


@takes("plot.marker", trial=_A_TRIAL, name=a_str(), ax=or_none(A_PLACE))
def marker(trial: Trial, name: str, *, ax: AxesOrFigure | None = None) -> Figure:
    """Draw the path of one marker over time (m, laboratory axes); gaps stay gaps.

    Parameters
    ----------
    trial : Trial
        Recording that holds the marker.
    name : str
        Label of the marker: "LHEE".
    ax : AxesOrFigure | None, optional
        Axes, or a figure, to draw in; None makes a figure 600 pixels wide.

    Raises
    ------
    MissingInputError
        There is no such marker; the nearest is proposed.
    """
    path = trial.markers[name]
    (own,) = axes_for(ax, 1)
    return _over_time(own, trial.time_s, path, f"{trial.name}: {name}", "position (m)")


@takes("plot.force", trial=_A_TRIAL, plate=a_count(1), ax=or_none(A_PLACE))
def force(trial: Trial, plate: int = 1, *, ax: AxesOrFigure | None = None) -> Figure:
    """Draw the force of one plate over time (N, laboratory axes).

    Parameters
    ----------
    trial : Trial
        Recording that holds the plate.
    plate : int, optional
        Which plate, from 1 as in the file.
    ax : AxesOrFigure | None, optional
        Axes, or a figure, to draw in; None makes a figure 600 pixels wide.

    Raises
    ------
    OptionError
        There are fewer plates.
    """
    if plate > len(trial.plates):
        words = f"plot.force takes a plate from 1 to {len(trial.plates)} of {trial.name}, not {plate}."
        raise OptionError(words, value=plate, expected=f"1 to {len(trial.plates)}", where=trial.name)
    (own,) = axes_for(ax, 1)
    return _of_plate(own, trial.plates[plate - 1])


@takes("plot.forces", trial=_A_TRIAL, ax=or_none(A_PLACE))
def forces(trial: Trial, *, ax: AxesOrFigure | None = None) -> Figure:
    """Draw the forces of each plate over time (N, laboratory axes).

    Parameters
    ----------
    trial : Trial
        Recording whose plates are drawn.
    ax : AxesOrFigure | None, optional
        As many axes as there are plates, or a figure, to draw in; None makes a figure 600 pixels wide.

    Raises
    ------
    MissingInputError
        It has no force plates.
    """
    if not trial.plates:
        words = f"{trial.name} has no force plates to be drawn as forces of the trial."
        raise MissingInputError(words, value=0, expected="force plates", where=trial.name)
    axes = axes_for(ax, len(trial.plates))
    for own, plate in zip(axes, trial.plates, strict=False):
        figure = _of_plate(own, plate)
    return figure


@takes(
    "plot.skeleton", x=a((BodyMotion, Trial), "read_c3d(path) or a model's track(trial) returns one"), frame=a_count(0),
    labels=a_switch(), ax=or_none(A_PLACE),
)  # fmt: skip
def skeleton(x: BodyMotion | Trial, frame: int = 0, *, labels: bool = False, ax: AxesOrFigure | None = None) -> Figure:
    """Draw markers of a recording, or joint centres of a motion, in one frame, seen from the side and the front.

    Parameters
    ----------
    x : BodyMotion | Trial
        A tracked body, or a recording whose markers are drawn.
    frame : int, optional
        Which frame, from 0.
    labels : bool, optional
        Whether names of markers, or of joints, stand beside the points.
    ax : AxesOrFigure | None, optional
        Two axes, or a figure, to draw in; None makes a figure 600 pixels wide.

    Raises
    ------
    OptionError
        There are fewer frames.
    """
    if frame >= x.n_frames:
        words = f"plot.skeleton takes a frame below {x.n_frames}, not {frame}."
        raise OptionError(words, value=frame, expected=f"0 to {x.n_frames - 1}", where="frame")
    height = BODY_INCH * (2.0 if labels and isinstance(x, Trial) else 1.0)
    axes = axes_for(ax, 2, across=True, height=height)
    for own, across in zip(axes, (0, 1), strict=False):
        own.set(aspect="equal", xlabel=f"{AXES[across]} (m)", ylabel="Z (m)")
        chains = [(x.markers.names, x.markers.position_m[frame], ".", "0.3", "")] if isinstance(x, Trial) else _legs(x, frame)
        for names, points, look, colour, side in chains:
            own.plot(points[:, across], points[:, 2], look, color=colour, label=side)
            if labels:
                own.margins(0.25, 0.05)
                name_points(own, names, points[:, [across, 2]], colour)
        finished(own, legend=not isinstance(x, Trial))
    return figure_of(axes[0])


def _legs(motion: BodyMotion, frame: int) -> Iterable[tuple[Sequence[str], FloatArray, str, str, str]]:
    """Joints of each leg in a frame, their centres (n, 3), and how they are drawn."""
    for side, colour in SIDE_COLOURS.items():
        joints = [joint for joint in JOINTS if (side, joint) in motion.joint_centres_lab_m]
        if joints:
            yield joints, np.stack([motion.joint_centres_lab_m[side, joint][frame] for joint in joints]), "o-", colour, side


def name_points(own: Axes, names: Sequence[str], points: FloatArray, colour: str) -> None:
    """Write a name beside each point that is seen; names of points at one height go to both sides in turn.

    Parameters
    ----------
    own : Axes
        Where the points are drawn.
    names : Sequence[str]
        A name for each point.
    points : FloatArray
        (n, 2), in the axes' data; NaN for one that is not seen.
    colour : str
        Of the letters.
    """
    seen = np.flatnonzero(np.isfinite(points).all(axis=1))
    for number, index in enumerate(seen[np.argsort(points[seen, 1], kind="stable")]):
        right = number % 2 == 0
        own.annotate(
            names[index], tuple(points[index]), xytext=(4 if right else -4, 0), textcoords="offset points", fontsize=_LETTERS,
            ha="left" if right else "right", va="center", color=colour, parse_math=False,
        )  # fmt: skip


def axes_for(place: AxesOrFigure | None, number: int, *, across: bool = False, height: float = PANEL_INCH) -> list[Axes]:
    """Return the axes that were given, those of the figure that was given, or of one that is made; none fewer than asked for.

    Parameters
    ----------
    place : AxesOrFigure | None
        What the user gave.
    number : int
        How many panels there are to draw.
    across : bool, optional
        Whether they stand side by side.
    height : float, optional
        Of a row in a figure that is made, inch.
    """
    if place is None:
        place = NotebookFigure(figsize=(WIDTH_INCH, height * (1 if across else number)), layout="constrained")
    if isinstance(place, Figure | SubFigure):
        shape = (1, number) if across else (number, 1)
        return list(place.subplots(*shape, squeeze=False).ravel())
    return given_axes(place, number)


def _of_plate(own: Axes, plate: ForcePlate) -> Figure:
    return _over_time(own, plate.time_s, plate.force_lab_N, plate.name, "force (N)")


def _over_time(own: Axes, times_s: FloatArray, components: FloatArray, title: str, quantity: str) -> Figure:
    for component, name in zip(components.T, AXES, strict=True):
        own.plot(times_s, component, label=name)
    own.set(xlabel="time (s)", ylabel=quantity)
    own.set_title(title, fontsize=LETTERS_PT["heading"], parse_math=False)
    return finished(own, legend=True)


def finished(own: Axes, *, legend: bool) -> Figure:
    """Give letters one size, and return the figure that the axes stand in.

    Parameters
    ----------
    own : Axes
        Whose labels and ticks they are.
    legend : bool
        Whether there is a legend within the axes.
    """
    for text in (own.xaxis.label, own.yaxis.label):
        text.set_fontsize(_LETTERS)
    own.tick_params(labelsize=_LETTERS)
    if legend:
        own.legend(frameon=False, fontsize=_LETTERS, loc="upper right")
    return figure_of(own)
