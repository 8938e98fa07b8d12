"""What is odd about the motion and the loads of a setup, in sentences that name file, coordinate or body.

What loads and motion leave unexplained at a root that slides is averaged over 0.15 s, so that the noise of differentiated positions
does not count: of the examples' walks no quarter of the frames exceeds 0.07 of the body weight or 0.63 N m/kg.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.multibody.musculoskeletal import SURROUNDINGS, MusculoskeletalModel
from biomech_id.osim.dynamics.external_loads import BodyLoad
from biomech_id.osim.dynamics.inverse_dynamics import JointReaction
from biomech_id.osim.skeleton.skeleton import SkeletonPose

#: A number jumps out if its second difference is this share of the column's span, and so many times what nine in ten stay below.
OUT_OF_SPAN, OUT_OF_USUAL = 0.5, 24.0
#: Second differences below it are rounding, in the column's unit.
ROUNDING = 0.01
#: What loads leave at the root is averaged over so long.
AVERAGED_S = 0.15
#: A body is loaded in frames with more than this share of its largest force.
LOADED = 0.2
#: What three quarters of the loaded frames may leave at the root, N/kg (0.12 of the weight) and N m/kg.
MOST_LEFT_N_KG, MOST_LEFT_NM_KG = 1.2, 0.75
#: How far from its body's mass centre and joints a force acts at most, m and as a share of their span, in so many of the frames.
FARTHEST_M, OF_SPAN, NEAR = 0.055, 0.3, 0.93
#: And so much farther where nothing hangs on the body.
OF_FOREFOOT_M = 0.12


def motion_remarks(
    model: MusculoskeletalModel,
    time_s: FloatArray,
    columns: Mapping[str, FloatArray],
    asked_s: Sequence[float] | FloatArray,
    file: str,
) -> Iterator[str]:
    """Describe a motion that lacks coordinates, does not cover what is asked for, or jumps.

    Parameters
    ----------
    model : MusculoskeletalModel
        Whose motion it is.
    time_s : FloatArray
        (n,), s, as written.
    columns : Mapping[str, FloatArray]
        Coordinate -> (n,), in the file's unit.
    asked_s : Sequence[float] | FloatArray
        (m,), times that are asked for, first and last or all, s; infinite for all there is.
    file : str
        Name of the file, for the sentences.

    Yields
    ------
    Iterator[str]
        A sentence for all coordinates without a column, for times, and for each column that jumps.
    """
    absent = [each.name for each in model.coordinates if not (each.name in columns or each.locked or each.motion == "coupled")]
    if absent:
        yield f"{file} has no column for {', '.join(absent)}: they stay at their default."
    yield from range_remarks(time_s, asked_s, file)
    for name, values in columns.items():
        bend = np.abs(np.diff(values, 2))
        if bend.max() > max(ROUNDING, OUT_OF_SPAN * np.ptp(values), OUT_OF_USUAL * np.quantile(bend, 0.9)):
            yield f"{file} jumps in {name} after row {bend.argmax()}: look for a wrong number, or a whole turn."


def range_remarks(time_s: FloatArray, asked_s: Sequence[float] | FloatArray, file: str) -> Iterator[str]:
    """Say that a table does not cover the times that are asked for.

    Parameters
    ----------
    time_s : FloatArray
        (n,), s, rising.
    asked_s : Sequence[float] | FloatArray
        (m,), times that are asked for, first and last or all, s; infinite for all there is.
    file : str
        Name of the file, for the sentence.

    Yields
    ------
    Iterator[str]
        A sentence, or none where no more than a step lacks.
    """
    first, last, start, end = time_s[0], time_s[-1], asked_s[0], asked_s[-1]
    step = (last - first) / len(time_s)
    if first - step > start > -np.inf or last + step < end < np.inf:
        yield f"{file} holds {first:g} to {last:g} s, and {start:g} to {end:g} s are asked for: nothing is known of the rest."


def load_remarks(
    pose: SkeletonPose, time_s: FloatArray, loads: Sequence[BodyLoad], reactions: JointReaction, file: str
) -> Iterator[str]:
    """Describe loads that do not fit a motion.

    Parameters
    ----------
    pose : SkeletonPose
        The bodies in N frames.
    time_s : FloatArray
        (N,), s, rising.
    loads : Sequence[BodyLoad]
        What acts in these frames, axes of the surroundings.
    reactions : JointReaction
        What the joints carry in them.
    file : str
        Name of the loads' document.

    Yields
    ------
    Iterator[str]
        A sentence for each load that acts far from its body, and for what loads leave at the root; none where motion and loads fit.
    """
    model, n = pose.skeleton.model, 1 + int(AVERAGED_S * len(time_s) / (np.ptp(time_s) + AVERAGED_S))
    for load in loads:
        number, size = pose.skeleton.body_index(load.segment), np.linalg.norm(load.force_N, axis=1)
        # Of the surroundings, whose number is 0, every load is far.
        joints = [joint.parent.place_m for joint in model.joints if joint.parent.body == load.segment]
        places = np.array([np.zeros(3), model.bodies[number - 1].com_m, *joints])
        away_m = np.linalg.norm(pose.points([number] * len(places), places) - np.asarray(load.point_m)[:, None], axis=2).min(axis=1)
        far_m = np.quantile(away_m * (size > LOADED * size.max()), NEAR)
        # The end of a body that nothing hangs on is not known: a foot without toes reaches a forefoot's length beyond its middle.
        if far_m > FARTHEST_M + OF_SPAN * np.ptp(places) + (0.0 if joints else OF_FOREFOOT_M):
            yield f"{file} has forces on {load.segment} {far_m:.2f} m from its joints: compare body, points, times and motion."
    for number, root in enumerate(pose.skeleton.joints):
        motions = [each.motion for each in model.coordinates if each.joint == root.name]
        if "translational" in motions and root.parent.body == SURROUNDINGS:
            forces = sum(load.force_N for load in loads), reactions.force_N[:, number], reactions.moment_Nm[:, number]
            means = np.add.reduceat(np.hstack(forces), np.arange(0, len(time_s), n)) / (n * model.mass_kg)
            sizes = np.linalg.norm(means.reshape(-1, 3, 3), axis=2).T
            loaded = sizes[0] >= LOADED * sizes[0].max()
            force_N_kg, moment_Nm_kg = np.quantile(sizes[1:, loaded], 0.75, axis=1)
            if force_N_kg > MOST_LEFT_N_KG or moment_Nm_kg > MOST_LEFT_NM_KG:
                yield (
                    f"Loads of {file} leave {force_N_kg:.2f} N/kg and {moment_Nm_kg:.2f} N m/kg at {root.name}, or more, in a "
                    "quarter of the loaded frames: compare units, signs, axes, times of loads and motion, and the model's masses."
                )
