"""What is odd about where loads act: on which body, how far from it, and whether a foot rests on the ground while they carry it.

Ground that does not give way does no work: the point of a foot that a force acts on stands still against the floor or the belt. In
the examples, and in 42 recordings of people who walk, run on a belt or land from a jump, it moves by less than 0.14 m/s on average,
weighed by the force, or by less than 0.022 of the foot's largest speed; and it is as far below the foot at all times, to 0.021 m.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, median_seen, percentiles_seen
from biomech_id.multibody.musculoskeletal import SURROUNDINGS
from biomech_id.osim.dynamics.external_loads import BodyLoad
from biomech_id.osim.skeleton.skeleton import SkeletonPose
from biomech_id.signal.runs import runs

#: A body is loaded in frames with more than this share of its largest force.
LOADED = 0.2
#: How far from its body's mass centre and joints a force acts at most, m and as a share of their span, in so many of the frames.
FARTHEST_M, OF_SPAN, NEAR = 0.055, 0.3, 0.93
#: And so much farther where nothing hangs on the body.
OF_FOREFOOT_M = 0.12
#: By how much another body's mass centre is nearer to a force at most, on average, m: toes are so by 0.013 in the examples, and the
#: foot is nearer to the ground's force than the shank by more than 0.2.
NEARER_M = 0.1
#: A foot swings where it is faster than this against what its force passes over, m/s and as a share of its largest speed: plates
#: hold a few N then, under 0.01 of the weight. Half of the swing's frames may have more than this, N/kg.
SWINGS_M_S, OF_FASTEST, OF_EMPTY_PLATE_N_KG = 1.0, 0.6, 0.2
#: A foot's joints and mass centre lie no deeper than this below the force that carries it, m, where a foot is no higher than so
#: much above the lowest body; it does not stand on end, with so much of its span upright.
BELOW_FORCE_M, FOOT_M, ON_END = 0.03, 0.1, 0.75
#: A stance carries more than this share of the weight.
CARRIES = 0.5
#: The whole body moves along an axis by more than this, m.
MOVES_M = 0.01
#: A foot that carries slides no faster on average, m/s and as a share of its largest speed.
SLIDES_M_S, OF_SPEED = 0.15, 0.035
#: With more than this share of its largest force it is down; where all forces then act at one height, m, its sole is at one, m.
DOWN, LEVEL_M, SOLE_M = 0.5, 0.02, 0.04
#: A force that acts this far beyond its body's joint, m, in so many of the loaded frames is on the other body of the joint. A heel
#: strikes 0.05 behind the ankle.
BEYOND_M, MOST_BEYOND = 0.06, 0.25
#: Divisors of what may be zero, m/s2 and m.
NO_GRAVITY, NO_LENGTH_M = 1e-2, 1e-9
#: Axes across the vertical have less of it than this.
ACROSS_VERTICAL = 0.5


def place_remarks(pose: SkeletonPose, time_s: FloatArray, load: BodyLoad, file: str, *, covered: bool = True) -> Iterator[str]:
    """Describe a load that acts away from its body, nearer to another one, or on one that swings, sinks or slides.

    Parameters
    ----------
    pose : SkeletonPose
        The bodies in N frames.
    time_s : FloatArray
        (N,), s, rising.
    load : BodyLoad
        What acts on one of them, axes of the surroundings.
    file : str
        Name of the loads' document.
    covered : bool, optional
        Whether motion and loads are known at all of these times; else it is not asked whether the body rests.

    Yields
    ------
    Iterator[str]
        A sentence for each of these.
    """
    if load.segment == SURROUNDINGS:
        yield f"{file} has a force on {SURROUNDINGS}, which moves no body: name the body that it acts on."
        return
    model = pose.skeleton.model
    number, size = pose.skeleton.body_index(load.segment), np.linalg.norm(load.force_N, axis=1)
    loaded = size > LOADED * size.max()
    point = np.asarray(load.point_m)[:, None]
    joints = [joint.parent.place_m for joint in model.joints if joint.parent.body == load.segment]
    places = np.array([np.zeros(3), model.bodies[number - 1].com_m, *joints])
    away_m = np.linalg.norm(pose.points([number] * len(places), places) - point, axis=2).min(axis=1)
    far_m = percentiles_seen(away_m * loaded, (100 * NEAR,))[0]
    # The end of a body that nothing hangs on is not known: a foot without toes reaches a forefoot's length beyond its middle.
    if far_m > FARTHEST_M + OF_SPAN * np.ptp(places) + (0.0 if joints else OF_FOREFOOT_M):
        yield f"{file} has forces on {load.segment} {far_m:.2f} m from its joints: compare body, points, times and motion."
    if not loaded.any() or len(time_s) < 2:
        return
    up = _upwards(pose)
    coms = pose.points(range(1, len(model.bodies) + 1), np.array([body.com_m for body in model.bodies]))
    off_m = np.linalg.norm(coms - point, axis=2)[loaded].mean(axis=0)
    if off_m[number - 1] > off_m.min() + NEARER_M:
        nearest = model.bodies[int(off_m.argmin())].name
        yield f"{file} has forces on {load.segment} that act nearer to {nearest}: compare body and points."
    speed = np.gradient(pose.origin_m[:, number], time_s, axis=0)
    # Of a belt, its speed: that of the body while it carries.
    speed_m_s = np.linalg.norm(speed - np.average(speed, axis=0, weights=size), axis=1)
    heights_m = (coms[loaded] @ up).mean(axis=0)
    is_foot = heights_m[number - 1] < heights_m.min() + FOOT_M
    if is_foot:
        above_m = (pose.points([number] * len(places), places)[loaded] - point[loaded]) @ up
        below_m, upright_m = -median_seen(above_m.min(axis=1)), median_seen(np.ptp(above_m, axis=1))
        if below_m > BELOW_FORCE_M:
            yield f"{file} has forces {below_m:.2f} m above the lowest point of {load.segment}: compare points, motion and lengths."
        if joints and upright_m > ON_END * np.linalg.norm(np.ptp(places, axis=0)):
            yield f"{file} loads {load.segment} while it stands on end: compare body, motion and axes."
    swing = speed_m_s > max(SWINGS_M_S, OF_FASTEST * speed_m_s.max())
    if swing.any() and median_seen(size[swing]) > OF_EMPTY_PLATE_N_KG * model.mass_kg:
        yield (
            f"{file} has {median_seen(size[swing]):.0f} N on {load.segment} while it swings: compare body and times, and whether "
            "plates were zeroed."
        )
    carried = _carried(pose, size)
    if covered and carried.any():
        yield from _side_remarks(pose, load, carried, file)
        if is_foot:
            yield from _axes_remarks(pose, load, carried, coms, file)
            yield from _rest_remarks(pose, time_s, load, carried, coms, file)


def _upwards(pose: SkeletonPose) -> FloatArray:
    """Unit vector against gravity, (3,)."""
    down = np.asarray(pose.skeleton.model.gravity_m_s2)
    return np.asarray(-down / max(np.linalg.norm(down), NO_GRAVITY))


def _in_body_m(pose: SkeletonPose, load: BodyLoad, number: int) -> FloatArray:
    """Where a load acts in its body's frame, (N, 3)."""
    from_origin_m = np.asarray(load.point_m) - pose.origin_m[:, number]
    return np.asarray((from_origin_m[:, None] @ pose.R_ground_body[:, number])[:, 0])


def _carried(pose: SkeletonPose, size: FloatArray) -> BoolArray:
    """Frames of stances that begin and end in these times and carry half the weight, (N,): a part of one may look like anything."""
    model, carried = pose.skeleton.model, np.zeros(len(size), dtype=bool)
    weight_N = model.mass_kg * max(float(np.linalg.norm(model.gravity_m_s2)), NO_GRAVITY)
    for first, end in runs(size > LOADED * size.max()):
        carried[first:end] = first > 0 and end < len(size) and size[first:end].max() > CARRIES * weight_N
    return carried


def _side_remarks(pose: SkeletonPose, load: BodyLoad, carried: BoolArray, file: str) -> Iterator[str]:
    """Whether a load acts on its body's side of the joint."""
    model, number = pose.skeleton.model, pose.skeleton.body_index(load.segment)
    hung = next(joint for joint in model.joints if joint.child.body == load.segment)
    if hung.parent.body == SURROUNDINGS:
        return
    joint_m = np.asarray(hung.child.place_m, dtype=float)
    along_m = model.bodies[number - 1].com_m - joint_m
    from_joint_m = _in_body_m(pose, load, number)[carried] - joint_m
    beyond_m = -from_joint_m @ along_m / max(float(np.linalg.norm(along_m)), NO_LENGTH_M)
    if (beyond_m > BEYOND_M).mean() > MOST_BEYOND:
        yield f"{file} has forces on {load.segment} that act beyond {hung.name}, on {hung.parent.body}: compare body and points."


def _axes_remarks(pose: SkeletonPose, load: BodyLoad, carried: BoolArray, coms: FloatArray, file: str) -> Iterator[str]:
    """Whether a foot is loaded along all level axes along which the body moves."""
    whole_m = _whole_m(pose, coms)
    for name, axis in zip("XYZ", np.eye(3), strict=True):
        level = axis @ _upwards(pose) < ACROSS_VERTICAL
        if level and np.ptp(whole_m @ axis) > MOVES_M and not (load.force_N[carried] @ axis).any():
            yield f"{file} has no force along {name} on {load.segment}, though the body moves along it: look for a column of zeros."


def _whole_m(pose: SkeletonPose, coms: FloatArray) -> FloatArray:
    """Mass centre of the whole body, (N, 3)."""
    model = pose.skeleton.model
    return np.asarray(np.array([body.mass_kg for body in model.bodies]) @ coms / model.mass_kg)


def _rest_remarks(
    pose: SkeletonPose, time_s: FloatArray, load: BodyLoad, carried: BoolArray, coms: FloatArray, file: str
) -> Iterator[str]:
    """Whether a foot rests on the ground while it carries: its sole is at one depth, and does not slide."""
    number, size = pose.skeleton.body_index(load.segment), np.linalg.norm(load.force_N, axis=1) * carried
    up, R, in_body_m = _upwards(pose), pose.R_ground_body[:, number], _in_body_m(pose, load, number)
    down = size > DOWN * size.max()
    depths_m = in_body_m[down] @ (up @ R[down]).mean(axis=0)
    spread_m, of_ground_m = (
        np.ptp(percentiles_seen(each, (5.0, 95.0))) for each in (depths_m, np.asarray(load.point_m)[down] @ up)
    )
    if spread_m > SOLE_M and of_ground_m < LEVEL_M:
        yield (
            f"{file} has forces on {load.segment} at depths that differ by {spread_m:.2f} m below it, on level ground: compare "
            "angles, heights, sides and lengths of motion and model."
        )
    speed = np.gradient(pose.origin_m[:, number], time_s, axis=0)
    slip = speed + (np.gradient(R, time_s, axis=0) @ in_body_m[..., None])[..., 0]
    onwards, ground = (np.average(each, axis=0, weights=size) for each in (np.gradient(_whole_m(pose, coms), time_s, axis=0), slip))
    # Who walks on a belt does not get on; else the ground rests.
    belt = ground if np.linalg.norm(ground) > np.linalg.norm(onwards) else np.zeros(3)
    slides_m_s = np.average(np.linalg.norm(slip - belt, axis=1), weights=size)
    fastest_m_s = np.linalg.norm(speed - np.average(speed, axis=0, weights=size), axis=1).max()
    if slides_m_s > max(SLIDES_M_S, OF_SPEED * fastest_m_s):
        yield (
            f"{file} has forces on {load.segment} while it slides over the ground by {slides_m_s:.2f} m/s on average: compare "
            "angles, their digits, times, sides and signs, the model's lengths, the low-pass, and the times of the loads."
        )
