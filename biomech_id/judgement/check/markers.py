"""What the doctor looks for in the markers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from itertools import product

import numpy as np
from numpy.typing import NDArray

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import SIDES
from biomech_id.errors import Finding
from biomech_id.judgement.check.sides import POSTERIOR, both_sides, inspect_sides
from biomech_id.models.conventional.needs import LEG_ROLES
from biomech_id.models.landmarks import with_roles
from biomech_id.signal.gaps import find_gaps
from biomech_id.signal.marker_exchange import find_exchanges
from biomech_id.trial import Markers, Trial

LONG_GAP_S = 0.2
SHORT_TRIAL_S = 0.5
LOWEST_RATE_HZ = 50.0
#: No marker on a body accelerates or moves like this, impacts included.
LARGEST_ACCELERATION_M_S2 = 1000.0
LARGEST_SPEED_M_S = 30.0
#: Below this a spike is noise, however fast the cameras are.
SMALLEST_SPIKE_M = 0.02
FLOOR_TOLERANCE_M = 0.05
#: Ends of axes that software computed keep length and right angle to this, which no marker on skin does, and turn by more than this
#: share of their length.
AXIS_LENGTH_M, AXIS_TURN = 2e-4, 0.05
#: Height of the anterior iliac spines as a share of stature, with room for children, posture and bent knees.
PELVIS_SHARE = (0.40, 0.66)
#: Roles of a leg, each well above the other while somebody stands, walks or lands, and how far the wrong way round they lie (m).
LEG_ORDER = (
    ("asis", "lateral_epicondyle"), ("lateral_epicondyle", "lateral_malleolus"), ("lateral_epicondyle", "heel"),
    ("lateral_epicondyle", "toe"),
)  # fmt: skip
UPSIDE_DOWN_M = 0.1


def inspect_markers(trial: Trial) -> Iterator[Finding]:
    """Yield what is wrong with the markers of a trial.

    Parameters
    ----------
    trial : Trial
        The recording as read, before anything is filled or filtered.
    """
    for look in (
        _duration,
        _gaps,
        _leaps,
        _exchanged,
        _stuck,
        _floor,
        inspect_sides,
        _leg_order,
        _pelvis_height,
        _conventional_set,
    ):
        yield from look(trial)


def _duration(trial: Trial) -> Iterator[Finding]:
    if trial.n_frames == 1:
        yield Finding("frame-single", {"trial": trial.name}, trial.name)
    elif trial.n_frames / trial.rate_hz < SHORT_TRIAL_S:
        yield Finding("trial-short", {"trial": trial.name, "duration_s": trial.n_frames / trial.rate_hz}, trial.name)
    if trial.rate_hz < LOWEST_RATE_HZ:
        yield Finding("rate-low", {"trial": trial.name, "rate_hz": trial.rate_hz}, trial.name)


def _gaps(trial: Trial) -> Iterator[Finding]:
    markers = trial.markers
    last = trial.first_frame + trial.n_frames - 1
    gaps = find_gaps(markers.position_m, markers.names, first_frame=trial.first_frame)
    inner = [gap for gap in gaps if gap.first_frame > trial.first_frame and gap.last_frame < last]
    long = sorted((gap for gap in inner if gap.frames > LONG_GAP_S * trial.rate_hz), key=lambda gap: -gap.frames)
    if long:
        longest = [(gap.marker, gap.first_frame, gap.last_frame) for gap in long]
        yield Finding("gap-long", {"n": len(long), "limit_s": LONG_GAP_S, "gaps": longest}, trial.name)


def _leaps(trial: Trial) -> Iterator[Finding]:
    """Single frames off the path, and steps that no body makes."""
    position, dt = trial.markers.position_m, 1.0 / trial.rate_hz
    if len(position) < 3:
        return
    off_path = np.linalg.norm(position[1:-1] - 0.5 * (position[:-2] + position[2:]), axis=2)
    with np.errstate(invalid="ignore"):
        bridge = np.linalg.norm(position[2:] - position[:-2], axis=2)
        # A spike returns: the neighbours are closer to each other than the frame is to both.
        spike = (off_path > max(SMALLEST_SPIKE_M, 0.5 * LARGEST_ACCELERATION_M_S2 * dt**2)) & (bridge < off_path)
        leap = np.linalg.norm(np.diff(position, axis=0), axis=2) > max(SMALLEST_SPIKE_M, LARGEST_SPEED_M_S * dt)
    leap[:-1] &= ~spike
    leap[1:] &= ~spike
    for frames_off, rule in ((spike, "marker-spike"), (leap, "marker-jump")):
        frames, columns = np.nonzero(frames_off)
        if len(frames):
            first, frame = trial.markers.names[columns[0]], int(frames[0]) + 1 + trial.first_frame
            names = sorted({trial.markers.names[column] for column in columns})
            yield Finding(rule, {"marker": first, "frame": frame, "n": len(frames), "markers": names}, trial.name)


def _exchanged(trial: Trial) -> Iterator[Finding]:
    for exchange in find_exchanges(trial.markers.position_m, trial.markers.names, first_frame=trial.first_frame):
        yield Finding("markers-exchanged", asdict(exchange), trial.name)


def _stuck(trial: Trial) -> Iterator[Finding]:
    position = trial.markers.position_m
    seen: BoolArray = np.asarray(np.isfinite(position).all(axis=2))
    enough = seen.sum(axis=0) > max(2, 0.1 * len(position))
    if not enough.any():
        return
    columns = np.flatnonzero(enough)
    extent = np.array([np.ptp(position[seen[:, column], column], axis=0).max() for column in columns])
    frozen = [trial.markers.names[column] for column, size in zip(columns, extent, strict=True) if size == 0.0]
    if frozen and np.median(extent) > 0.01:
        yield Finding("marker-frozen", {"markers": frozen}, trial.name)
    twins = _twins(trial.markers, columns)
    if twins:
        yield Finding("markers-coincide", {"pairs": twins}, trial.name)


def _twins(markers: Markers, columns: NDArray[np.intp]) -> list[tuple[str, str]]:
    """Pairs of markers with equal paths."""
    by_path: dict[bytes, str] = {}
    twins = []
    for column in columns:
        name, path = markers.names[column], markers.position_m[:, column].tobytes()
        if path in by_path:
            twins.append((by_path[path], name))
        by_path.setdefault(path, name)
    return twins


def _floor_height(trial: Trial) -> float:
    """Height of the floor, metres: that of the plates, or else 0."""
    return min((float(plate.corners_m[:, 2].min()) for plate in trial.plates), default=0.0)


def _floor(trial: Trial) -> Iterator[Finding]:
    height = trial.markers.position_m[..., 2] - _floor_height(trial)
    with np.errstate(invalid="ignore"):
        below = height < -FLOOR_TOLERANCE_M
    ends = [i for i in range(below.shape[1]) if np.any(below[:, i]) and _ends_an_axis(trial.markers.position_m, i)]
    height[:, ends], below[:, ends] = np.nan, False
    if below.any():
        frame, column = (int(i) for i in np.unravel_index(np.nanargmin(height), height.shape))
        depth_cm, name = -100 * float(height[frame, column]), trial.markers.names[column]
        values = {"marker": name, "depth_cm": depth_cm, "frame": frame + trial.first_frame}
        yield Finding("markers-below-floor", values, trial.name)


def _ends_an_axis(position_m: FloatArray, column: int) -> bool:
    """Whether a point P is the end of an axis that software computed, and no marker on skin.

    With two other points, an origin O and the end Q of another axis, it then keeps ::

        |OP| = constant,  |OQ| = constant,  OP . OQ = 0,  while OP turns
    """
    seen_m = position_m[np.isfinite(position_m[:, column]).all(axis=1)]
    for origin in range(seen_m.shape[1]):
        arms_m = seen_m - seen_m[:, [origin]]
        axis_m = arms_m[:, column]
        lengths_m = np.linalg.norm(arms_m, axis=2)
        axis_length_m = lengths_m[0, column]
        rigid = np.ptp(lengths_m, axis=0) < AXIS_LENGTH_M
        products_m2 = np.einsum("fmi,fi->fm", arms_m, axis_m)
        perpendicular = (np.abs(products_m2).max(axis=0) < AXIS_LENGTH_M * axis_length_m) & (lengths_m[0] > AXIS_LENGTH_M)
        turns = np.linalg.norm(np.ptp(axis_m, axis=0)) > AXIS_TURN * axis_length_m
        if turns and rigid[column] and np.any(rigid & perpendicular):
            return True
    return False


def _leg_order(trial: Trial) -> Iterator[Finding]:
    """Labels of one leg that are exchanged, an upper and a lower one.

    With heights h of its two markers, and h' of the same markers of the other leg ::

        h_lower - h_upper > UPSIDE_DOWN_M,  |h_lower - h'_upper| and |h_upper - h'_lower| < (h'_upper - h'_lower) / 2
    """
    markers, height_m = with_roles(trial.markers), _leg_heights_m(trial)
    for (side, opposite), (upper, lower) in product((SIDES, SIDES[::-1]), LEG_ORDER):
        four = ((side, upper), (side, lower), (opposite, upper), (opposite, lower))
        if not height_m.keys() >= set(four):
            continue
        upper_m, lower_m, opposite_upper_m, opposite_lower_m = (height_m[marker] for marker in four)
        upside_down = lower_m - upper_m > UPSIDE_DOWN_M
        difference_m = max(abs(lower_m - opposite_upper_m), abs(upper_m - opposite_lower_m))
        if upside_down and difference_m < 0.5 * (opposite_upper_m - opposite_lower_m):
            values = {"first": markers.label(side, upper), "second": markers.label(side, lower), "trial": trial.name}
            yield Finding("leg-labels-exchanged", {**values, "first_mm": 1e3 * upper_m, "second_mm": 1e3 * lower_m}, trial.name)


def _leg_heights_m(trial: Trial) -> dict[tuple[str, str], float]:
    """(side, role) of the markers of `LEG_ORDER` that are seen -> median height over the floor, metres."""
    markers, floor_m = with_roles(trial.markers), _floor_height(trial)
    heights_m = {}
    for marker in product(SIDES, {role for pair in LEG_ORDER for role in pair}):
        if markers.shows(*marker) and np.isfinite(markers.on(*marker)).any():
            heights_m[marker] = float(np.nanmedian(markers.on(*marker)[:, 2])) - floor_m
    return heights_m


def _pelvis_height(trial: Trial) -> Iterator[Finding]:
    front = both_sides(with_roles(trial.markers), "asis")
    if front is None:
        return
    middle = 0.5 * (front[0] + front[1])
    height_m, stature_m = middle[:, 2] - _floor_height(trial), trial.subject.height_m
    if stature_m and np.isfinite(height_m).any():
        share = float(np.nanmedian(height_m)) / stature_m
        if not PELVIS_SHARE[0] <= share <= PELVIS_SHARE[1]:
            values = {"trial": trial.name, "percent": 100 * share, "height_m": stature_m}
            yield Finding("height-unlike-markers", values, trial.name)


def _by_device(markers: Markers, side: str, role: str) -> bool:
    """Whether a knee alignment device shows the knee, as it does in a static trial."""
    return role == "lateral_epicondyle" and markers.shows(side, "knee_device_axis")


def _conventional_set(trial: Trial) -> Iterator[Finding]:
    markers = with_roles(trial.markers)
    wanted = [(side, role) for side in SIDES for role in ("asis", *LEG_ROLES)]
    missing = [markers.label(*key) for key in wanted if not markers.shows(*key) and not _by_device(markers, *key)]
    if not any(markers.shows(*key) for key in POSTERIOR):
        sacrum, left, right = (markers.label(*key) for key in POSTERIOR)
        missing.append(f"{sacrum} (or {left} and {right})")
    if missing and len(missing) <= len(wanted) // 2:
        yield Finding("markerset-incomplete", {"trial": trial.name, "markers": missing}, trial.name)
