"""What is odd about the motion and the loads of a setup, in sentences that name file, coordinate or body.

What loads and motion leave unexplained at a root that slides is averaged over 0.15 s, so that the noise of differentiated positions
does not count: of the examples' walks no quarter of the frames exceeds 0.07 of the body weight or 0.63 N m/kg.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray, median_seen, percentiles_seen
from biomech_id.errors import some_of
from biomech_id.multibody.musculoskeletal import SURROUNDINGS, MusculoskeletalModel
from biomech_id.osim.dynamics.external_loads import BodyLoad
from biomech_id.osim.dynamics.inverse_dynamics import JointReaction
from biomech_id.osim.dynamics.recorded_motion import mirrored, tool_lowpass
from biomech_id.osim.place_remarks import LOADED, place_remarks
from biomech_id.osim.skeleton.skeleton import SkeletonPose
from biomech_id.signal.runs import runs

#: A number jumps out if its second difference is this share of the column's span, and so many times what nine in ten stay below.
OUT_OF_SPAN, OUT_OF_USUAL = 0.5, 24.0
#: Second differences below it are rounding, in the column's unit.
ROUNDING = 0.01
#: What loads leave at the root is averaged over so long.
AVERAGED_S = 0.15
#: What three quarters of the loaded frames may leave at the root, N/kg (0.12 of the weight) and N m/kg.
MOST_LEFT_N_KG, MOST_LEFT_NM_KG = 1.2, 0.75
#: Loads and motion are at one time to half a frame of 60 Hz, s: 4 ms in the examples. Seen in the root's impulses over so long, s.
MOST_LATE_S, IMPULSE_S = 0.01, 0.1
#: Steps of time differ by so much of their median at most: 0.06 where times have four digits.
UNEVEN = 0.15
#: Rows are no farther apart than it takes to hold movement of up to 6 Hz, s.
FARTHEST_ROWS_S = 1.0 / 12.0
#: And those of forces than a landing lasts, s.
FARTHEST_FORCES_S = 1.0 / 40.0
#: So many equal rows are a gap that was filled where the next step is so many times the one after it and the usual one: a pose
#: that was held is left from rest.
EQUAL_ROWS, LEFT_BY = 5, 2.0
#: Fewer rows per second show fast movement as noise.
FEWEST_ROWS_HZ = 50.0
#: Third differences of angles are noise, which is 0.2 degrees at most in the examples; angles keep to the ranges of their joints
#: there, and people and models differ by so much.
SHAKE_RAD, OUT_OF_RANGE_RAD = np.deg2rad(1.0), np.deg2rad(15.0)
#: What loads leave at the root says by which share, turn about the vertical (rad) and place (m) they are off: 0.06, 0.09 and 0.03
#: at most in the examples. A turn shows in forces across the vertical, N/kg; all three in so many means.
OFF_SHARE, OFF_TURN_RAD, OFF_PLACE_M, ACROSS_N_KG, FEWEST_MEANS = 0.08, 0.12, 0.05, 0.3, 4
#: Means with less of the weight are left aside there: another foot's force, which was not measured, may lack.
CARRIED = 0.8
#: Angles that are written in whole tenths of a degree, or thousandths of a radian, bring forces of inertia that nobody exerts; so
#: many rows and different numbers are no steps that were written by hand.
COARSE_DEG, COARSE_RAD, FEWEST_ROWS, FEWEST_ANGLES = 0.1, 0.001, 20, 10
#: A value that is held so many rows is left, or come to, by so much of the column's span where nobody moved so.
HELD_SHARE = 0.25
#: No foot leaves the ground with more than this share of its largest force within so long, s.
LEFT_SHARE, LEAVES_S = 0.4, 0.011
#: What a low-pass may take from an angle that moves by more than so much, rad (root mean squares): at 6 Hz 1.5 degrees at most in
#: 45 recordings of people who walk, run and land; at 3 Hz, 2 and more in most. Noise of smaller movements is for it to take.
TAKEN_RAD, MOVES_RAD = np.deg2rad(1.8), np.deg2rad(10.0)
#: A force's jump of so much of its span that another one takes back to so much of it is no landing, which nobody leaves as fast.
SHARE_OF_SPAN, SAME_JUMP = 0.5, 0.1
#: A low-pass below the steps' frequency takes walking away, one far above the movement's leaves its noise, Hz: 6 Hz are 38 rad/s.
CUTOFFS_HZ = (2.0, 30.0)


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
    yield from table_remarks(time_s, columns, file)
    if columns:
        yield from repetition_remarks(np.array(list(columns.values())).T, file)


def table_remarks(time_s: FloatArray, columns: Mapping[str, FloatArray], file: str, *, spikes_only: bool = False) -> Iterator[str]:
    """Describe times that are uneven or far apart, and columns that jump.

    Parameters
    ----------
    time_s : FloatArray
        (n,), s, rising.
    columns : Mapping[str, FloatArray]
        Name -> (n,), in the file's unit.
    file : str
        Name of the file, for the sentences.
    spikes_only : bool, optional
        Whether only a jump that returns is odd, as of forces, which a landing raises from one row to the next.

    Yields
    ------
    Iterator[str]
        A sentence for the times, and for each column that jumps.
    """
    if len(time_s) < 3:
        return
    steps = np.diff(time_s)
    usual = median_seen(steps)
    if np.abs(steps - usual).max() > UNEVEN * usual or usual > (FARTHEST_FORCES_S if spikes_only else FARTHEST_ROWS_S):
        yield (
            f"Rows of {file} are {steps.min():.4g} to {steps.max():.4g} s apart, most after {time_s[steps.argmax()]:.6g} s: look "
            "for rows that are missing, rounded times, or another unit of time."
        )
    for name, column in columns.items():
        values = column[np.isfinite(column)]
        if len(values) < 3:
            continue
        bend = np.abs(np.diff(values, 2))
        at = int(bend.argmax())
        out = bend[at] > max(ROUNDING, OUT_OF_SPAN * np.ptp(values), OUT_OF_USUAL * percentiles_seen(bend, (90.0,))[0])
        if (
            spikes_only
            and (fall := np.flatnonzero((values[:-1] > LEFT_SHARE * values.max()) & (values[1:] == 0.0) & (usual < LEAVES_S))).size
        ):
            yield (
                f"{file} falls from {values[fall[0]]:.0f} N to nothing in {name} after {time_s[fall[0]]:.6g} s: look for a "
                "gap that was filled, or a stance that was cut."
            )
        if not spikes_only and (count := _held(values)):
            yield f"{file} holds one value in {count} rows of {name} and jumps: look for a gap that was filled."
        if out and (not spikes_only or _returns(np.diff(values), at, float(np.ptp(values)))):
            after_s = time_s[np.isfinite(column)][at]
            turn = "" if spikes_only else ", or a whole turn"
            yield f"{file} jumps in {name} after {after_s:.6g} s: look for a wrong number{turn}."


def repetition_remarks(values: FloatArray, file: str) -> Iterator[str]:
    """Count how often a row is repeated where that is no rest: a jump follows, or the table ends in it though it moved just before.

    Parameters
    ----------
    values : FloatArray
        (n, m), NaN where nothing was measured.
    file : str
        Name of the file, for the sentence.

    Yields
    ------
    Iterator[str]
        A sentence for the longest repetition; none where it is shorter than `EQUAL_ROWS`.
    """
    step = np.linalg.norm(np.nan_to_num(np.diff(values, axis=0)), axis=1)
    held = [(first, end) for first, end in runs(step == 0.0) if end - first >= EQUAL_ROWS]
    usual = median_seen(step[step > 0.0]) if step.any() else np.inf
    counts = [0]
    for first, end in held:
        if end < len(step):
            odd = step[end] > LEFT_BY * max(usual, *step[end + 1 : end + 2])
        else:
            odd = len(held) == 1 and first > 0 and step[first - 1] > usual / LEFT_BY
        counts += [end - first] if odd else []
    if count := max(counts):
        yield f"{file} repeats one row {count} times: look for a gap that was filled."


def shaking(values: FloatArray, time_s: FloatArray) -> FloatArray:
    """Estimate the noise of columns from their third differences, which smooth movement hardly has.

    Parameters
    ----------
    values : FloatArray
        (n, ...), evenly spaced, NaN where nothing was measured.
    time_s : FloatArray
        (n,), s, rising.

    Returns
    -------
    FloatArray
        (...), one standard deviation, in the columns' unit; NaN for fewer than four rows, or fewer than 50 a second.
    """
    if len(time_s) < 4 or median_seen(np.diff(time_s)) * FEWEST_ROWS_HZ > 1.0 + UNEVEN:
        return np.full(values.shape[1:], np.nan)
    usual = median_seen(np.abs(np.diff(values, 3, axis=0)))
    noise: FloatArray = usual * (1.48 / np.sqrt(20.0))
    return noise


def _held(values: FloatArray) -> int:
    """In how many rows one value is held that the next ones, or those before, leave with a jump; 0 where none is."""
    step = np.abs(np.diff(values))
    least = max(LEFT_BY * median_seen(step[step > 0.0]), HELD_SHARE * np.ptp(values), ROUNDING) if step.any() else np.inf
    counts = [0]
    for first, end in runs(step == 0.0):
        before, after = step[max(first - 2, 0) : first][::-1], step[end : end + 2]
        jumps = [edge for edge in (before, after) if len(edge) > 1 and edge[0] > max(LEFT_BY * edge[1], least)]
        counts += [end - first + 1] if jumps and end - first >= EQUAL_ROWS else []
    return max(counts)


def _returns(steps: FloatArray, at: int, span: float) -> bool:
    """Whether a jump at a row is taken back: by half in the next one, or, of half the span and more, as a whole in any."""
    rise, fall = steps[at : at + 2]
    jump = max(rise, fall, key=abs)
    wide = abs(jump) > SHARE_OF_SPAN * span and bool((np.abs(steps + jump) < SAME_JUMP * abs(jump)).any())
    return wide or bool(-rise * fall > OUT_OF_SPAN * max(rise**2, fall**2))


def filter_remarks(
    model: MusculoskeletalModel,
    time_s: FloatArray,
    columns: Mapping[str, FloatArray],
    cutoff_hz: float,
    files: tuple[str, str],
    *,
    in_degrees: bool,
) -> Iterator[str]:
    """Describe angles that are rounded, shake or leave their range, and a filter that takes the movement or leaves its noise.

    Parameters
    ----------
    model : MusculoskeletalModel
        Whose motion it is.
    time_s : FloatArray
        (n,), s, rising.
    columns : Mapping[str, FloatArray]
        Rotational coordinates -> (n,), in the file's unit.
    cutoff_hz : float
        Of the low-pass; negative for none.
    files : tuple[str, str]
        Names of the setup and of the motion, for the sentences.
    in_degrees : bool
        Whether the angles are in degrees.

    Yields
    ------
    Iterator[str]
        A sentence for all angles that are odd in one way, one for the filter.
    """
    to_rad = np.deg2rad(1.0) if in_degrees else 1.0
    from_ground = {joint.name for joint in model.joints if joint.parent.body == SURROUNDINGS}
    ranges = {each.name: each.range for each in model.coordinates if each.joint not in from_ground}
    shaken = [name for name, values in columns.items() if shaking(to_rad * values, time_s) > SHAKE_RAD]
    if shaken:
        yield f"{files[1]} shakes from row to row by more than {np.rad2deg(SHAKE_RAD):g} degree in {some_of(shaken, 3)}."
    outside = [
        name for name, (low, high) in ranges.items()
        if name in columns and np.maximum(to_rad * columns[name] - high, low - to_rad * columns[name]).max() > OUT_OF_RANGE_RAD
    ]  # fmt: skip
    if outside:
        yield f"{files[1]} leaves the model's range of {some_of(outside, 3)} by more than {np.rad2deg(OUT_OF_RANGE_RAD):g} degrees."
    quantum = COARSE_DEG if in_degrees else COARSE_RAD
    tenths = np.array([values for values in columns.values() if np.ptp(values) > 0.0]) / quantum
    coarse = tenths.size and tenths.shape[1] >= FEWEST_ROWS and np.abs(tenths - np.round(tenths)).max() < 1e-6
    if coarse and len(np.unique(tenths)) > FEWEST_ANGLES:
        yield f"{files[1]} holds angles in whole steps of {quantum:g}: write more digits, as accelerations need them."
    if cutoff_hz > 0.0 and columns:
        rows = len(time_s) // 2
        grid_s, smooth = tool_lowpass(mirrored(time_s, rows), mirrored(np.array([*columns.values()]).T, rows), cutoff_hz)
        taken = [
            name for name, values, low in zip(columns, columns.values(), smooth.T, strict=True)
            if to_rad * np.std(values) > MOVES_RAD
            and shaking(to_rad * values, time_s) <= SHAKE_RAD
            and to_rad * np.sqrt(np.mean((np.interp(time_s, grid_s, low) - values) ** 2)) > TAKEN_RAD
        ]  # fmt: skip
        if taken:
            yield (
                f"The low-pass of {files[0]}, {cutoff_hz:.4g} Hz, takes more than {np.rad2deg(TAKEN_RAD):g} degrees (root mean "
                f"square) from {some_of(taken, 3)} of {files[1]}."
            )
    if cutoff_hz >= 0.0 and not CUTOFFS_HZ[0] <= cutoff_hz <= CUTOFFS_HZ[1]:
        yield (
            f"{files[0]} asks for a low-pass of {cutoff_hz:.4g} Hz, where movement needs {CUTOFFS_HZ[0]:g} to {CUTOFFS_HZ[1]:g}: "
            "compare the unit; -1 is no filter."
        )


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
        A sentence, or none where no more than a step lacks, of the table or of what is asked for.
    """
    first, last, start, end = time_s[0], time_s[-1], asked_s[0], asked_s[-1]
    step = max((last - first) / len(time_s), (end - start) / len(asked_s) if len(asked_s) > 2 else 0.0)
    if first - step > start > -np.inf or last + step < end < np.inf:
        yield f"{file} holds {first:g} to {last:g} s, and {start:g} to {end:g} s are asked for: nothing is known of the rest."


def load_remarks(
    pose: SkeletonPose,
    time_s: FloatArray,
    loads: Sequence[BodyLoad],
    reactions: JointReaction,
    file: str,
    *,
    covered: bool = True,
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
    covered : bool, optional
        Whether motion and loads are known at all of these times; what goes on beyond a table rests nowhere.

    Yields
    ------
    Iterator[str]
        A sentence for each load that acts far from its body, and for what loads leave at the root; none where motion and loads fit.
    """
    if not loads:
        yield f"{file} has no force that is switched on: nothing acts from outside."
        return
    model, n = pose.skeleton.model, 1 + int(AVERAGED_S * len(time_s) / (np.ptp(time_s) + AVERAGED_S))
    for load in loads:
        yield from place_remarks(pose, time_s, load, file, covered=covered)
    up = -np.asarray(model.gravity_m_s2) / max(np.linalg.norm(model.gravity_m_s2), ROUNDING)
    force_N = np.sum([load.force_N for load in loads], axis=0)
    for number, root in enumerate(pose.skeleton.joints):
        motions = [each.motion for each in model.coordinates if each.joint == root.name]
        if "translational" in motions and root.parent.body == SURROUNDINGS:
            left = reactions.force_N[:, number], reactions.moment_Nm[:, number]
            means = np.add.reduceat(np.hstack((force_N, *left)), np.arange(0, len(time_s), n)) / (n * model.mass_kg)
            sizes = np.linalg.norm(means.reshape(-1, 3, 3), axis=2).T
            loaded, whole = sizes[0] >= LOADED * sizes[0].max(), sizes[0] >= CARRIED * np.linalg.norm(model.gravity_m_s2)
            force_N_kg, moment_Nm_kg = percentiles_seen(sizes[1:, loaded].T, (75.0,))[0]
            if force_N_kg > MOST_LEFT_N_KG or moment_Nm_kg > MOST_LEFT_NM_KG:
                yield (
                    f"Loads of {file} leave {force_N_kg:.2f} N/kg and {moment_Nm_kg:.2f} N m/kg at {root.name}, or more, in a "
                    "quarter of the loaded frames: compare units, signs, axes, times of loads and motion, and the model's masses, "
                    "or look for a foot whose force was not measured."
                )
                continue  # what lacks a foot has no other fault that could be told
            if whole.sum() >= FEWEST_MEANS and (off := ", ".join(_mismatch(means.reshape(-1, 3, 3)[whole], up))):
                yield (
                    f"By what they leave at {root.name}, loads of {file} are {off}: compare units, axes and places of the loads, "
                    "the model's masses and the motion of its heavy parts, or look for a foot whose force was not measured."
                )
            late_s = _lateness_s(time_s, force_N, left[0])
            if abs(late_s) > MOST_LATE_S:
                yield (
                    f"Loads of {file} come {1e3 * abs(late_s):.0f} ms {'after' if late_s > 0 else 'before'} the motion, by what "
                    f"they leave at {root.name} where they change: compare the times of both."
                )


def _mismatch(means: FloatArray, up: FloatArray) -> Iterator[str]:
    """By what loads are off, as their mean forces and what they leave at the root say: (n, 3, 3) N/kg, N/kg, N m/kg."""
    force, left, moment = means.transpose(1, 0, 2)
    across = np.cross(up, force)
    share, turn = ((unit * left).sum() / max((unit**2).sum(), ROUNDING) for unit in (force, across))
    if abs(share) > OFF_SHARE:
        yield f"{100.0 * abs(share):.0f} % too {'small' if share > 0.0 else 'large'}"
    if abs(turn) > OFF_TURN_RAD and np.sqrt((across**2).sum(axis=1).mean()) > ACROSS_N_KG:
        yield f"turned by {np.rad2deg(abs(turn)):.0f} degrees about the vertical"
    sideways = np.linalg.svd(up[None])[2][1:]
    arms = np.cross(sideways[:, None], force).reshape(2, -1)
    place_m = np.linalg.norm(np.linalg.lstsq(arms.T, moment.ravel(), rcond=None)[0])
    if place_m > OFF_PLACE_M:
        yield f"{place_m:.2f} m beside where they act"


def _lateness_s(time_s: FloatArray, force_N: FloatArray, left_N: FloatArray) -> float:
    """How long after the motion its loads come: a delay leaves impulses of the root that are it times the loads' change."""
    n = 1 + int(IMPULSE_S * len(time_s) / (np.ptp(time_s) + IMPULSE_S))
    if len(time_s) <= 2 * n:
        return 0.0
    impulse = np.cumsum(left_N * np.gradient(time_s)[:, None], axis=0)
    change, left = force_N[n:] - force_N[:-n], impulse[n:] - impulse[:-n]
    return float((change * left).sum() / max((change**2).sum(), ROUNDING))
