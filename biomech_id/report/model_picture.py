"""A model of OpenSim in one frame, for notebooks: bodies from joint to joint, their axes, markers and how far these are off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure, SubFigure
from numpy.typing import ArrayLike

from biomech_id.algebra.arrays import FloatArray, over_seen
from biomech_id.anatomy import side_of_body
from biomech_id.arguments import Kind, a, a_count, a_switch, an_array, or_none, takes
from biomech_id.conventions import AXES
from biomech_id.errors import MissingInputError, OptionError
from biomech_id.multibody.musculoskeletal import SURROUNDINGS, MusculoskeletalModel, OffsetFrame
from biomech_id.osim.document.model import read_osim
from biomech_id.osim.kinematics.inverse_kinematics import R_lab_model, TrackedPose
from biomech_id.osim.run import angles_in_degrees, coordinates_in
from biomech_id.osim.skeleton.skeleton import Skeleton, SkeletonPose
from biomech_id.readers.opensim.storage import read_storage
from biomech_id.report.own_axes import A_PLACE, LETTERS_PT, AxesOrFigure, figure_of
from biomech_id.report.trial_pictures import BODY_INCH, SIDE_COLOURS, axes_for, finished, name_points
from biomech_id.trial import Trial

#: What says where the bodies of a model are.
DrawnMotion = TrackedPose | ArrayLike | str | PathLike[str] | None
_A_MOTION = Kind(
    "coordinates (frames, coordinates), what inverse_kinematics returns, or a file",
    lambda v: isinstance(v, TrackedPose | str | PathLike) or an_array().of_type(v),
)
#: Colours of bones in the middle and how much of their colour bones show; colours of the axes of bodies.
_MIDDLE, _PALE, _AXIS_COLOURS = "0.35", 0.4, ("tab:red", "tab:green", "tab:blue")
#: Colours of the model's markers, of recorded ones, and of the lines between them.
_MODEL_MARKER, _RECORDED, _ERROR = "deeppink", "tab:blue", "0.1"
_SIDES = {"L": "left", "R": "right", "": "middle"}
#: Length of the axes of bodies, as a share of the model's height or width.
_AXIS_SHARE = 0.045
#: How many markers, those farthest off, bear their names.
_NAMED = 3
#: Within it (m) markers of one model are: files of models round.
_SAME_PLACE_M = 1e-4


@takes(
    "plot.model", model=a((MusculoskeletalModel, str, PathLike), "bid.osim.read_osim(path) reads one"), motion=or_none(_A_MOTION),
    frame=a_count(0), trial=or_none(a(Trial, "bid.read(path) returns one")), labels=a_switch(), ax=or_none(A_PLACE),
)  # fmt: skip
def model(
    model: MusculoskeletalModel | str | PathLike[str],
    motion: DrawnMotion = None,
    frame: int = 0,
    *,
    trial: Trial | None = None,
    labels: bool = False,
    ax: AxesOrFigure | None = None,
) -> Figure:
    """Draw a model of OpenSim in one frame from the side and from behind, in the model's own axes (m).

    Lines lead from joint to joint, and in a body that bears no other to its mass centre; a short line shows each axis of a body.
    Beside the model's markers stand the recorded ones of their names, and between the two a line, the marker's error.

    Parameters
    ----------
    model : MusculoskeletalModel | str | PathLike[str]
        The model, or its ``.osim`` file.
    motion : DrawnMotion, optional
        What ``inverse_kinematics`` returns, which knows its recorded markers; coordinates (n_frames, nq) in rad and m; a ``.mot``
        or ``.sto`` file; None for the default pose.
    frame : int, optional
        Which frame of the motion, from 0.
    trial : Trial | None, optional
        Recording with the markers: of a file's motion the frame nearest in time, else the frame of that number.
    labels : bool, optional
        Whether names stand beside the markers, or beside the bodies' origins if the model has no markers.
    ax : AxesOrFigure | None, optional
        Two axes, or a figure, to draw in; None makes a figure.

    Returns
    -------
    Figure
        Both views at one scale.

    Raises
    ------
    OptionError
        There are fewer frames, or the motion was tracked with another model.
    MissingInputError
        The frame has no pose: inverse kinematics had no marker there.
    """
    known = model if isinstance(model, MusculoskeletalModel) else read_osim(Path(model))
    skeleton = Skeleton(known)
    time_s, q = _coordinates(skeleton, motion)
    if frame >= len(q):
        words = f"plot.model takes a frame below {len(q)}, not {frame}."
        raise OptionError(words, value=frame, expected=f"0 to {len(q) - 1}", where="frame")
    if not np.isfinite(q[frame]).all():
        words = f"The motion of {known.name} has no pose in frame {frame}."
        raise MissingInputError(words, value=frame, expected="a frame with markers", where="frame")
    if isinstance(motion, TrackedPose):
        _refuse_other_model(skeleton, motion, frame)
    pose = skeleton.pose(q[[frame]])
    markers = pose.points(*skeleton.marker_places())[0]
    when_s = None if time_s is None else float(time_s[frame])
    recorded = _of_tracking(known, markers, motion, frame) if trial is None else _of_trial(known, trial, frame, when_s)
    axes = axes_for(ax, 2, across=not labels, height=1.2 * BODY_INCH)
    _draw(axes, pose, markers, recorded, labels=labels)
    heading = known.name if motion is None else f"{known.name}, frame {frame}" + ("" if when_s is None else f", {when_s:.3f} s")
    _explain(axes, f"{heading}{_errors(known, recorded - markers)}", whole=ax is None or isinstance(ax, Figure | SubFigure))
    return figure_of(axes[0])


@takes(
    "plot.marker_errors", tracked=a(TrackedPose, "bid.inverse_kinematics(model, trial) returns one"), ax=or_none(A_PLACE)
)  # fmt: skip
def marker_errors(tracked: TrackedPose, *, ax: AxesOrFigure | None = None) -> Figure:
    """Draw how far a model's markers are from the recorded ones, frame by frame (mm).

    Root mean square over the markers of each frame, and every marker's own error; the three that are farthest off bear their names.

    Parameters
    ----------
    tracked : TrackedPose
        What ``inverse_kinematics`` returns.
    ax : AxesOrFigure | None, optional
        Axes, or a figure, to draw in; None makes a figure 600 pixels wide.

    Returns
    -------
    Figure
        One panel; a marker's line has a gap where it was not recorded.
    """
    off_mm = 1e3 * np.linalg.norm(tracked.residual_m, axis=2)
    farthest = np.argsort(-np.nan_to_num(tracked.residual_rms_m), kind="stable")[:_NAMED]
    (own,) = axes_for(ax, 1)
    own.plot(off_mm, color="0.8", linewidth=0.6)
    for k in farthest:
        own.plot(off_mm[:, k], linewidth=1.0, label=f"{tracked.markers[k]} ({1e3 * tracked.residual_rms_m[k]:.0f} mm RMS)")
    rms_mm = np.sqrt(over_seen(np.nanmean, off_mm**2, axis=1))
    own.plot(rms_mm, color="0.1", linewidth=2.0, label="RMS of all markers")
    own.set(xlabel="frame", ylabel="marker error (mm)", xlim=(0, max(len(off_mm) - 1, 1)))
    # Room for the names.
    own.set_ylim(0.0, 1.8 * own.get_ylim()[1])
    own.set_title(f"{len(tracked.markers)} markers, {np.sqrt(np.nanmean(off_mm**2)):.0f} mm (RMS)", fontsize=LETTERS_PT["heading"])
    return finished(own, legend=True)


def _refuse_other_model(skeleton: Skeleton, motion: TrackedPose, frame: int) -> None:
    """Refuse a motion that was tracked with a model of other coordinates, or whose followed markers are elsewhere in the frame."""
    own, known = motion.problem[0].skeleton, skeleton.model
    same = own.coordinates == skeleton.coordinates and {marker.name for marker in known.markers} >= set(motion.markers)
    if same:
        here, there = (each.markers(motion.q[[frame]], motion.markers) for each in (own, skeleton))
        same = np.allclose(here, there, rtol=0.0, atol=_SAME_PLACE_M)
    if not same:
        raise OptionError(
            f"The motion was tracked with another model than {known.name}: its coordinates or markers differ.",
            value=known.name, expected="the model that inverse_kinematics was given", where="model",
        )  # fmt: skip


def _of_tracking(known: MusculoskeletalModel, markers: FloatArray, motion: DrawnMotion, frame: int) -> FloatArray:
    """Recorded places (n, 3) of the model's markers that inverse kinematics followed, NaN for the others."""
    recorded = np.full_like(markers, np.nan)
    if isinstance(motion, TrackedPose):
        number = {marker.name: k for k, marker in enumerate(known.markers)}
        rows = [number[name] for name in motion.markers]
        recorded[rows] = markers[rows] - motion.residual_m[frame]
    return recorded


def _of_trial(known: MusculoskeletalModel, trial: Trial, frame: int, when_s: float | None) -> FloatArray:
    """Places (n, 3) of the model's markers in a recording, axes of the surroundings, NaN for those that it has not."""
    if when_s is not None:
        frame = int(np.argmin(np.abs(trial.time_s - when_s)))
    there = when_s is None or abs(trial.time_s[frame] - when_s) <= 0.5 / trial.rate_hz
    if frame >= trial.n_frames or not there:
        words = f"{trial.name} has no frame at {when_s:g} s" if when_s is not None else f"{trial.name} has no frame {frame}"
        raise OptionError(f"{words}.", value=frame, expected=f"0 to {trial.n_frames - 1}", where="frame")
    number = {name: k for k, name in enumerate(trial.markers.names)}
    recorded = np.full((len(known.markers), 3), np.nan)
    for k, marker in enumerate(known.markers):
        if marker.name in number:
            recorded[k] = trial.markers.position_m[frame, number[marker.name]] @ R_lab_model(known)
    return recorded


def _coordinates(skeleton: Skeleton, motion: DrawnMotion) -> tuple[FloatArray | None, FloatArray]:
    """Times (n,) of a motion, where it has some, and coordinates (n, nq), rad or m."""
    if motion is None:
        return None, skeleton.default_q()[None]
    if isinstance(motion, TrackedPose):
        return None, motion.q
    if not isinstance(motion, str | PathLike):
        return None, skeleton.checked(motion)
    known, path = skeleton.model, Path(motion)
    table = read_storage(path)
    columns = coordinates_in(table, known)
    in_degrees = angles_in_degrees(table, columns, known, path)
    q = np.tile(skeleton.default_q(), (len(table.time_s), 1))
    for name, values in columns.items():
        turns = in_degrees and known.coordinates[known.index(name)].motion == "rotational"
        q[:, known.index(name)] = np.deg2rad(values) if turns else values
    return table.time_s, skeleton.completed(q)


def _errors(known: MusculoskeletalModel, off_m: FloatArray) -> str:
    """A line about the errors (n, 3) of markers; "" where none was recorded."""
    off_mm = 1e3 * np.linalg.norm(off_m, axis=1)
    if not np.isfinite(off_mm).any():
        return ""
    worst = int(np.nanargmax(off_mm))
    name = known.markers[worst].name
    return f"\nmarker error {np.sqrt(np.nanmean(off_mm**2)):.0f} mm (RMS), the largest {off_mm[worst]:.0f} mm ({name})"


def _bones(pose: SkeletonPose) -> dict[str, FloatArray]:
    """Lines (n, 2, 3) of the left, the right and the middle: in each body from the joint that carries it to those that it bears.

    A body that bears none has a line to its mass centre; where a joint slides, a line leads over its gap.
    """
    joints = pose.skeleton.joints
    inner, outer = (_points(pose, frames) for frames in ([joint.child for joint in joints], [joint.parent for joint in joints]))
    carries = {joint.child.body: k for k, joint in enumerate(joints)}
    lines: dict[str, list[FloatArray]] = {"L": [], "": [], "R": []}
    for k, joint in enumerate(joints):
        parent = joint.parent.body
        if parent != SURROUNDINGS:
            lines[side_of_body(parent)].append(np.stack([inner[carries[parent]], outer[k]]))
            lines[side_of_body(joint.child.body)].append(np.stack([outer[k], inner[k]]))
    bearing = {joint.parent.body for joint in joints}
    for body in pose.skeleton.model.bodies:
        if body.name not in bearing:
            (centre,) = _points(pose, [OffsetFrame(body.name, body.com_m)])
            lines[side_of_body(body.name)].append(np.stack([inner[carries[body.name]], centre]))
    return {side: np.array(each).reshape(-1, 2, 3) for side, each in lines.items()}


def _points(pose: SkeletonPose, frames: Sequence[OffsetFrame]) -> FloatArray:
    """Origins (n, 3) of frames of bodies."""
    numbers = [pose.skeleton.body_index(frame.body) for frame in frames]
    return np.asarray(pose.points(numbers, [np.asarray(frame.place_m) for frame in frames])[0])


def _draw(axes: Sequence[Axes], pose: SkeletonPose, markers: FloatArray, recorded: FloatArray, *, labels: bool) -> None:
    bones, origin = _bones(pose), pose.origin_m[0, 1:]
    drawn = np.concatenate([origin, *(lines.reshape(-1, 3) for lines in bones.values()), markers, recorded])
    low, high = np.nanmin(drawn, axis=0), np.nanmax(drawn, axis=0)
    length = _AXIS_SHARE * (high - low).max()
    tips = origin[:, None] + length * np.swapaxes(pose.R_ground_body[0, 1:], 1, 2)
    forward, left, up = R_lab_model(pose.skeleton.model)
    across, along, high_up = 0.5 * np.abs(np.array([forward, left, up]) @ (high - low)) + 2.0 * length
    wide = max(across, along) * (1.8 if labels else 1.0)
    for own, rightwards, seen_from in zip(axes, (forward, -left), (-left, -forward), strict=False):
        chosen = [int(np.argmax(np.abs(axis))) for axis in (rightwards, up)]
        _draw_bodies(own, {side: lines[..., chosen] for side, lines in bones.items()}, origin[:, chosen], tips[..., chosen])
        joints = [joint.child for joint in pose.skeleton.joints if joint.kind != "weld"]
        own.plot(*_points(pose, joints)[:, chosen].T, "o", color="0.3", markersize=3.0, label="joint")
        _draw_markers(own, markers[:, chosen], recorded[:, chosen])
        middle = 0.5 * (low + high)[chosen]
        limits = np.stack([middle - (wide, high_up), middle + (wide, high_up)], axis=1)
        own.set(
            aspect="equal", xlabel=f"{AXES[chosen[0]]} (m)", ylabel=f"{AXES[chosen[1]]}, up (m)",
            xlim=limits[0][:: int(rightwards.sum())], ylim=limits[1][:: int(up.sum())],
        )  # fmt: skip
        viewer = f"{'+' if seen_from.sum() > 0 else '−'}{AXES[int(np.argmax(np.abs(seen_from)))]}"
        own.set_title(f"seen from {viewer}", fontsize=LETTERS_PT["heading"])
        own.grid(color="0.92", linewidth=0.6)
        own.set_axisbelow(True)
        finished(own, legend=False)
        if labels:
            parts = pose.skeleton.model.markers or pose.skeleton.model.bodies
            name_points(own, [part.name for part in parts], (markers if len(markers) else origin)[:, chosen], "0.1")


def _draw_bodies(own: Axes, bones: Mapping[str, FloatArray], origin: FloatArray, tips: FloatArray) -> None:
    """Bones (n, 2, 2) of each side, and axes from the bodies' origins (B, 2) to their tips (B, 3, 2)."""
    for side, lines in bones.items():
        if len(lines):
            colour = _PALE * np.array(to_rgb(SIDE_COLOURS.get(side, _MIDDLE))) + 1.0 - _PALE
            own.add_collection(LineCollection(list(lines), colors=[colour], linewidths=4.0, label=_SIDES[side]))
    for k, (name, colour_of_axis) in enumerate(zip(AXES, _AXIS_COLOURS, strict=True)):
        lines = np.stack([origin, tips[:, k]], axis=1)
        own.add_collection(LineCollection(list(lines), colors=colour_of_axis, linewidths=1.2, label=f"{name} of a body"))


def _draw_markers(own: Axes, markers: FloatArray, recorded: FloatArray) -> None:
    """Markers (n, 2) of the model, recorded ones, and the lines between them."""
    if len(markers):
        own.plot(*markers.T, "o", color=_MODEL_MARKER, fillstyle="none", markersize=4.5, label="marker of the model")
    seen = np.isfinite(recorded).all(axis=1)
    if seen.any():
        lines = np.stack([markers, recorded], axis=1)[seen]
        own.add_collection(LineCollection(list(lines), colors=_ERROR, linewidths=1.0, label="error"))
        own.plot(*recorded[seen].T, ".", color=_RECORDED, markersize=4.5, label="recorded marker")


def _explain(axes: Sequence[Axes], heading: str, *, whole: bool) -> None:
    """A legend under the heading: below both views where the whole figure is there for them, else beside the second."""
    small, (handles, names) = LETTERS_PT["small"], axes[1].get_legend_handles_labels()
    if whole:
        place = axes[0].figure
        legend = place.legend(handles, names, loc="outside lower center", ncols=4, fontsize=small, frameon=False, title=heading)
    else:
        legend = axes[1].legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), fontsize=small, frameon=False, title=heading)
    legend.get_title().set_fontsize(small)
    legend.get_title().set_parse_math(False)
