"""What is odd about poses that inverse kinematics found, in sentences that name the coordinate and count the frames."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray, median_seen, over_seen
from biomech_id.errors import some_of
from biomech_id.multibody.musculoskeletal import ModelCoordinate, MusculoskeletalModel
from biomech_id.osim.input_remarks import repetition_remarks, shaking
from biomech_id.osim.kinematics.inverse_kinematics import TrackedPose
from biomech_id.osim.skeleton.closing import Closing
from biomech_id.signal.runs import runs

#: A coordinate is outside its range from here on, rad or m: far above rounding, far below what a marker shows.
OUTSIDE = 1e-6
#: The letter of a side in a marker's name, and that of the other one.
SIDE, OTHER = re.compile(r"^[RL](?=[._A-Z])|^[rl](?=[._])|(?<=[._])[RLrl]$"), {"R": "L", "L": "R", "r": "l", "l": "r"}
#: To the right, in the axes of models whose vertical is another one.
RIGHT = np.array([0.0, 0.0, 1.0])
#: A constraint is open from here on, m and rad: filters and files leave less.
MOST_OPEN_M, MOST_OPEN_RAD = 1e-3, np.deg2rad(0.5)
#: Names that a sentence lists; of the rest it gives the number.
MOST_NAMES = 12
#: Markers that differ less in height have none, m2.
NO_EXTENT_M2 = 1e-12
#: Of the lean from which a body lies: 60 degrees.
LEANING_COSINE = 0.5
#: How far from its place on the model a marker lies at most, m: shoulders of a body without arms are 0.11 m off.
MARKER_FARTHEST_M = 0.15
#: By how much a marker's distances from the others of its body differ from the model's at least, m: skin and placing make 0.02.
OUT_OF_PLACE_M = 0.05
#: Frames that say whether a marker stands still, and how far the others go meanwhile, m.
STANDS_FRAMES, OTHERS_GO_M = 10, 0.01
#: Frames in which a marker is at one place, and what it makes up of the others' way when it leaves: a foot leaves from rest.
SAME_FRAMES, MADE_UP = 5, 0.25
#: How much markers shake from frame to frame at most, m: 0.001 in the examples.
SHAKE_M = 0.005
#: How far markers are from their places on the model at most, all taken together as they count, m: 0.018 in the examples, and 0.036
#: where a model cannot follow in all directions, or where markers that stand are not placed on it yet.
OFF_M, OFF_UNFOLLOWED_M = 0.03, 0.04
#: All markers jump together where half of them leave their paths so many times as far as in the five frames before and behind, and
#: farther than so, m, and than five usual steps along an axis, which may be of rounding: 5 times is the most of 150 files.
JUMPS_OUT, JUMPS_M, NEARBY = 12.0, 5e-4, 5
#: Left and right markers of one body are as even in their distances from the others as on the model, m: 0.017 in the examples.
UNEVEN_M = 0.05
#: Who leans aside by so much in half of the frames, with the pelvis and with all markers, is not upright: nobody of 45 recordings
#: leans by more than 6 degrees, who runs, and forwards.
ASIDE_RAD = np.deg2rad(9.0)
#: Coordinates of a joint that moves freely.
FREE = 6


def pose_remarks(model: MusculoskeletalModel, pose: TrackedPose) -> tuple[str, ...]:
    """Describe coordinates that are undetermined, outside their range, or jump.

    Parameters
    ----------
    model : MusculoskeletalModel
        The model whose pose it is.
    pose : TrackedPose
        Coordinates (N, nq) of `track_markers`.

    Returns
    -------
    tuple[str, ...]
        One sentence for all coordinates that no frame determines, one for each that some frames do not, that leaves its range
        or that jumps by more than 180 degrees; empty where nothing is odd.
    """
    frames, remarks = np.isfinite(pose.cost), list[str]()
    n = int(frames.sum())
    q, undetermined = pose.q[frames], pose.undetermined[frames].sum(axis=0)
    never = [name for name, count in zip(pose.coordinates, undetermined.tolist(), strict=True) if n and count == n]
    if never:
        remarks.append(
            f"No marker determines {some_of(never, MOST_NAMES)} ({len(never)} of {len(pose.coordinates)} coordinates): "
            "they are at their default, or as near it as the markers allow."
        )
    closing = pose.problem[0].closing
    if closing is not None:
        remarks += constraint_remarks(closing, q, "The pose")
    for k, coordinate in enumerate(model.coordinates):
        if 0 < undetermined[k] < n:
            remarks.append(f"The markers of {int(undetermined[k])} of {n} frames do not determine {coordinate.name}.")
        remarks += _outside(coordinate, q[:, k], n)
        jumps = int((np.abs(np.diff(pose.q[:, k])) > np.pi).sum()) if coordinate.motion == "rotational" else 0
        if jumps:
            remarks.append(f"The coordinate {coordinate.name} jumps by more than 180 degrees {jumps} times from frame to frame.")
    return tuple(remarks)


def constraint_remarks(closing: Closing, q: FloatArray, file: str) -> Iterator[str]:
    """Name constraints that a motion does not keep.

    Parameters
    ----------
    closing : Closing
        The model's constraints.
    q : FloatArray
        (N, nq), all coordinates, rad or m; NaN in a frame without a pose.
    file : str
        Name of what holds the motion, for the sentences.

    Yields
    ------
    Iterator[str]
        A sentence for each constraint that is open by more than a millimetre or half a degree in some frame.
    """
    q = q[np.isfinite(q).all(axis=1)]
    for each in closing.openings(q) if len(q) else ():
        turn = each.gap if each.in_angle else each.turn_rad
        gap = np.zeros_like(turn) if each.in_angle else each.gap
        count = int(((gap > MOST_OPEN_M) | (turn > MOST_OPEN_RAD)).sum())
        if count:
            sizes = {f"{1e3 * gap.max():.3g} mm": gap.max(), f"{np.rad2deg(turn.max()):.3g} degrees": turn.max()}
            most = " and ".join(words for words, size in sizes.items() if size > 0)
            yield f"{file} does not keep the constraint {each.name} in {count} of {len(q)} frames: open by up to {most}."


def lying_remarks(model: MusculoskeletalModel, pose: TrackedPose) -> tuple[str, ...]:
    """Say that a recording and a model differ about where is up, if they seem to.

    Parameters
    ----------
    model : MusculoskeletalModel
        The model whose pose it is; its gravity says where is up.
    pose : TrackedPose
        Coordinates (N, nq) of `track_markers`.

    Returns
    -------
    tuple[str, ...]
        One sentence where the body that most markers are on is turned from its default by more than 60 degrees against the
        vertical in more than half of the frames; else empty.
    """
    tree, wanted = pose.problem
    frames = np.isfinite(pose.cost)
    down = np.asarray(model.gravity_m_s2, dtype=float)
    if not (frames.any() and down.any()):
        return ()
    # The body nearest the root leans as the whole does.
    body = int(wanted.body.min())
    up = tree.default_place[body, :3, :3].T @ (-down / np.linalg.norm(down))
    turned = tree.posture(pose.q[frames], rows=False).place[:, body, :3, :3] @ up
    cosine = turned @ (-down / np.linalg.norm(down))
    name = tree.skeleton.body_names[body]
    if (cosine < LEANING_COSINE).mean() <= 0.5:
        aside_rad = _aside_rad(pose, -down / np.linalg.norm(down), body)
        if aside_rad <= ASIDE_RAD:
            return ()
        return (
            f"The body {name} and all markers lean aside by {np.rad2deg(aside_rad):.0f} degrees in half of the frames, or more: "
            "unless the subject does, the recording's vertical is not that of its floor.",
        )
    lean = np.rad2deg(np.arccos(np.clip(np.median(cosine), -1, 1)))
    axis, own = ("XYZ"[int(np.argmax(np.abs(vector)))] for vector in (np.median(turned, axis=0), down))
    return (
        f"The body {name} leans by {lean:.0f} degrees from its default: unless the subject lies, the recording has the vertical "
        f"along {axis}, where the model has it along {own}. "
        "Turn the recording, or read it as a trial and use inverse_kinematics(model, trial), which turns it.",
    )


def _aside_rad(pose: TrackedPose, upwards: FloatArray, body: int) -> float:
    """How far a body, from its default, and all markers lean to the same side in half of the frames; 0 where not to one."""
    (tree, wanted), frames = pose.problem, np.isfinite(pose.cost)
    R_default = tree.posture(pose.q[frames], rows=False).place[:, body, :3, :3] @ tree.default_place[body, :3, :3].T
    aside = R_default @ RIGHT
    aside -= np.outer(aside @ upwards, upwards)
    measured_m = np.where(wanted.weight[frames, :, None] > 0, wanted.measured_m[frames], np.nan)
    from_middle_m = measured_m - np.asarray(over_seen(np.nanmean, measured_m, axis=1))[:, None]
    heights_m = from_middle_m @ upwards
    extent_m2 = np.maximum(np.nansum(heights_m**2, axis=1), NO_EXTENT_M2)[:, None]
    slopes = np.nansum(heights_m[..., None] * from_middle_m, axis=1) / extent_m2
    leans = [np.median((each * aside).sum(axis=1)) for each in (R_default @ upwards, slopes)]
    return float(np.arctan(np.abs(leans).min())) if leans[0] * leans[1] > 0.0 else 0.0


def marker_remarks(pose: TrackedPose, file: str) -> list[str]:
    """Name markers that lie far from their places on the model, or that are nowhere.

    Parameters
    ----------
    pose : TrackedPose
        Coordinates and distances of the markers (N, K, 3) of `track_markers`.
    file : str
        Name of the recording, for the sentence.

    Returns
    -------
    list[str]
        One sentence for markers that are far off, or for all together; none where all markers are near their places.
    """
    apart_m = np.linalg.norm(pose.residual_m, axis=2)
    off_m = np.nan_to_num(apart_m, nan=-1.0).max(axis=0)
    named = np.array(pose.markers)[(off_m < 0) | (off_m > MARKER_FARTHEST_M)]
    if named.size:
        names = some_of(named.tolist(), MOST_NAMES)
        return [f"Far from their places on the model in a frame, or in none of those asked for of {file}: {names}."]
    # Some setups weigh a few markers a thousand times as much: by these alone the others could be anywhere.
    weight = pose.problem[1].weight
    weight = np.minimum(weight, median_seen(weight[weight > 0]))
    whole_m = np.sqrt(np.nansum(weight * apart_m**2) / max(weight.sum(), np.finfo(float).tiny))
    joints = Counter(each.joint for each in pose.problem[0].skeleton.model.coordinates)
    if whole_m <= (OFF_M if len(apart_m) > 1 and max(joints.values(), default=0) >= FREE else OFF_UNFOLLOWED_M):
        return []
    return [
        f"Markers of {file} are {1e3 * whole_m:.0f} mm from their places on the model (root mean square): compare the model's size "
        "and its markers with the person's."
    ]


def recording_remarks(pose: TrackedPose, file: str) -> list[str]:
    """Name markers that never move while others do, and those that are at no distance from their body's others that the model has.

    Parameters
    ----------
    pose : TrackedPose
        What was tracked in N frames of a movement.
    file : str
        Name of the recording, for the sentences.

    Returns
    -------
    list[str]
        One sentence for each of the two, one for frames that are repeated; empty where all markers move with their bodies.
    """
    wanted = pose.problem[1]
    n, names = len(wanted.weight), np.array(pose.markers)
    measured_m = np.where(wanted.weight[..., None] > 0, wanted.measured_m, np.nan)
    still = [str(names[k]) for k in range(len(names)) if n >= STANDS_FRAMES and _stands_still(measured_m, k)]
    some_m = measured_m[:: 1 + n // 50]
    apart_m = median_seen(np.linalg.norm(some_m[:, :, None] - some_m[:, None], axis=3))
    off_m = np.abs(apart_m - np.linalg.norm(wanted.place_m[:, None] - wanted.place_m, axis=2))
    beside = (wanted.body[:, None] == wanted.body) & ~np.eye(len(names), dtype=bool) & np.isfinite(off_m)
    least_m = np.where(beside, off_m, np.inf).min(axis=1)
    moved = names[(beside.sum(axis=1) > 1) & (least_m > OUT_OF_PLACE_M)]
    remarks = [f"Markers of {file} stand still while others move: {some_of(still, MOST_NAMES)}."] if still else []
    remarks += repetition_remarks(measured_m.reshape(n, -1), file)
    if len(moved):
        remarks.append(f"Markers of {file} are not where the model has them among those of their body: {', '.join(moved)}.")
    return remarks


def uneven_remarks(pose: TrackedPose, file: str) -> list[str]:
    """Name a left and a right marker of one body that are not as far from its other markers as on the model, one against the other.

    Parameters
    ----------
    pose : TrackedPose
        What was tracked.
    file : str
        Name of the recording, for the sentence.

    Returns
    -------
    list[str]
        One sentence, or none. Markers of limbs are left aside: those of thighs and shanks are uneven on purpose.
    """
    wanted, names = pose.problem[1], list(pose.markers)
    sided = {name: SIDE.sub(lambda m: OTHER[m[0]], name) for name in names if SIDE.search(name)}
    mirrored = [names.index(sided[name]) if sided.get(name) in names else k for k, name in enumerate(names)]
    alone = np.array([name in sided and sided[name] not in names for name in names])
    measured_m = np.where(wanted.weight[..., None] > 0, wanted.measured_m, np.nan)[:: 1 + len(wanted.weight) // 50]
    apart_m = median_seen(np.linalg.norm(measured_m[:, :, None] - measured_m[:, None], axis=3))
    off_m = apart_m - np.linalg.norm(wanted.place_m[:, None] - wanted.place_m, axis=2)
    uneven_m = np.abs(off_m - off_m[mirrored][:, mirrored]) * (wanted.body[:, None] == wanted.body)
    uneven_m[(wanted.body != wanted.body[mirrored]) | (np.array(mirrored) == np.arange(len(names)))] = 0.0
    uneven_m[:, alone] = 0.0
    one, _ = np.unravel_index(int(np.nan_to_num(uneven_m).argmax()), uneven_m.shape)
    if np.nan_to_num(uneven_m).max() <= UNEVEN_M:
        return []
    return [
        f"Markers of {file} are uneven by {1e3 * np.nanmax(uneven_m):.0f} mm against the model, which has {names[one]} and "
        f"{names[mirrored[one]]} of one body otherwise: look at both, and at the others of that body."
    ]


def together_remarks(position_m: FloatArray, time_s: FloatArray, file: str) -> Iterator[str]:
    """Say that all markers of a recording jump at one time.

    Parameters
    ----------
    position_m : FloatArray
        (N, K, 3), of the whole recording, NaN where a marker was not seen.
    time_s : FloatArray
        (N,), s, rising.
    file : str
        Name of the recording, for the sentence.

    Yields
    ------
    Iterator[str]
        One sentence, or none.
    """
    if len(position_m) < STANDS_FRAMES:
        return
    steps_m = np.abs(np.diff(position_m, axis=0))
    bends_m = np.nan_to_num(median_seen(np.linalg.norm(np.diff(position_m, 2, axis=0), axis=2).T))
    at = int(bends_m.argmax())
    nearby_m = np.concatenate((bends_m[max(at - 1 - NEARBY, 0) : max(at - 1, 0)], bends_m[at + 2 : at + 2 + NEARBY]))
    least_m = max(JUMPS_M, NEARBY * float(median_seen(steps_m[steps_m > 0.0])))
    if bends_m[at] > max(least_m, JUMPS_OUT * nearby_m.max(initial=0.0)):
        yield f"All markers of {file} jump together after {time_s[at]:.6g} s: look for parts put together, or frames that lack."


def _stands_still(position_m: FloatArray, k: int) -> bool:
    """Whether a marker of (N, K, 3) keeps its place while most others go on, and is there or gone with a jump."""
    own_m, others_m = position_m[:, k], np.delete(position_m, k, axis=1)
    step_m = np.linalg.norm(np.diff(own_m, axis=0), axis=1)
    for first, end in runs(step_m == 0.0):
        if end - first < SAME_FRAMES:
            continue
        went_m = float(median_seen(np.linalg.norm(others_m[end] - others_m[first], axis=1)))
        left_m, came_m = step_m[end : end + 1], step_m[max(first - 1, 0) : first] * (end - first)
        way_m = next((each[0] for each in (left_m, came_m) if np.isfinite(each).any()), np.inf)
        if went_m > OTHERS_GO_M and way_m > MADE_UP * went_m:
            return True
    return False


def shaking_remarks(names: Sequence[str], position_m: FloatArray, time_s: FloatArray, file: str) -> Iterator[str]:
    """Name markers that shake from frame to frame.

    Parameters
    ----------
    names : Sequence[str]
        Of K markers.
    position_m : FloatArray
        (N, K, 3), NaN where a marker was not seen.
    time_s : FloatArray
        (N,), s, rising.
    file : str
        Name of the recording, for the sentence.

    Yields
    ------
    Iterator[str]
        One sentence, or none.
    """
    if len(position_m) <= STANDS_FRAMES:
        return
    shaken = np.array(names)[(shaking(position_m, time_s) > SHAKE_M).any(axis=1)].tolist()
    if shaken:
        yield f"Markers of {file} shake by more than {1e3 * SHAKE_M:g} mm from frame to frame: {some_of(shaken, MOST_NAMES)}."


def _outside(coordinate: ModelCoordinate, q: FloatArray, n: int) -> list[str]:
    low, high = coordinate.range
    beyond = np.maximum(q - high, low - q)
    count = int((beyond > OUTSIDE).sum())
    if not count:
        return []
    scale, unit = (np.rad2deg(1.0), "degrees") if coordinate.motion == "rotational" else (1.0, "m")
    scale, unit = (1.0, "in its own unit") if coordinate.motion == "coupled" else (scale, unit)
    return [
        f"The coordinate {coordinate.name} is outside its range of {scale * low:.4g} to {scale * high:.4g} {unit} in {count} "
        f"of {n} frames, by up to {scale * float(beyond.max()):.3g}: no pose within the range was found to fit the markers as well."
    ]
