"""What the doctor looks for in force plates, events and body mass."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.conventions import GRAVITY_M_S2, SIDES
from biomech_id.errors import Finding
from biomech_id.feet.feet import classify
from biomech_id.feet.movements import TrialKind
from biomech_id.trial import EventKind, ForcePlate, Trial
from biomech_id.trial.worn import bears_weight

CERTAINLY_LOADED_N = 50.0
#: Whose markers go no farther than this has not made two steps, m.
LEAST_WAY_M = 0.5
#: Measured on good files: the centre of pressure is inside for 94 % of the samples and 8 to 78 mm from a foot marker.
PRESSURE_INSIDE_SHARE = 0.94
FARTHEST_FOOT_M = 0.15
#: Markers below this height above the plate are on feet.
FOOT_HEIGHT_M = 0.25
CLIPPED_SAMPLES = 5
SIDE_LIMITS_M = (0.15, 3.0)
LEVEL_COSINE = np.cos(np.radians(3.0))
#: Standing is quiet when the plates together vary by no more than this share, and mass is doubtful beyond that one.
#: A single sample off its course by this share of the peak (and this much at least) is no foot: at a rate that resolves impacts,
#: and at a lower one, where an impact may fill a single sample.
FAST_HZ = 500.0
SPIKE_FAST = (0.2, 100.0)
SPIKE_SLOW = (0.6, 500.0)
SPIKE_LEVER_M = 0.4
STANDING_WEIGHT_SPREAD = 0.03
MASS_TOLERANCE = 0.10


def inspect_plates(trial: Trial) -> Iterator[Finding]:
    """Yield what is wrong with each force plate of a trial.

    Parameters
    ----------
    trial : Trial
        The recording as read, with its plates.
    """
    for plate in trial.plates:
        yield from _geometry(plate)
        yield from _spikes(trial, plate)
        vertical = plate.force_lab_N[:, 2]
        with np.errstate(invalid="ignore"):
            loaded = vertical > CERTAINLY_LOADED_N
        if not loaded.any():
            continue
        if loaded.all() and trial.n_frames > 1:
            values = {"plate": plate.name, "trial": trial.name, "least_N": float(vertical.min())}
            yield Finding("plate-always-loaded", values, plate.name)
        yield from _centre_of_pressure(trial, plate, loaded)
        yield from _clipping(trial, plate)
    for one, other in combinations(trial.plates, 2):
        if _overlap_share(one, other) > 0.1:
            yield Finding("plates-overlap", {"plate": one.name, "other": other.name, "trial": trial.name}, one.name)


def _geometry(plate: ForcePlate) -> Iterator[Finding]:
    c = plate.corners_m
    sides = [float(np.linalg.norm(c[0] - c[1])), float(np.linalg.norm(c[0] - c[3]))]
    if min(sides) < SIDE_LIMITS_M[0] or max(sides) > SIDE_LIMITS_M[1]:
        yield Finding("plate-size", {"plate": plate.name, "length_m": sides[0], "width_m": sides[1]}, plate.name)
    normal = np.cross(c[0] - c[1], c[0] - c[3])
    if abs(normal[2]) < LEVEL_COSINE * np.linalg.norm(normal):
        angle_deg = np.degrees(np.arccos(abs(normal[2]) / np.linalg.norm(normal)))
        yield Finding("plate-tilted", {"plate": plate.name, "angle_deg": float(angle_deg)}, plate.name)


def _centre_of_pressure(trial: Trial, plate: ForcePlate, loaded: BoolArray) -> Iterator[Finding]:
    x, y, normal = _axes(plate)
    force, moment = plate.force_lab_N[loaded], plate.moment_lab_Nm[loaded]
    with np.errstate(divide="ignore", invalid="ignore"):
        arm = np.cross(normal, moment) / (force @ normal)[:, None]
    half = 0.5 * np.array([np.linalg.norm(plate.corners_m[0] - plate.corners_m[k]) for k in (1, 3)])
    across = np.abs(np.stack([arm @ x, arm @ y], axis=1))
    inside = float((across <= half).all(axis=1).mean())
    if inside < PRESSURE_INSIDE_SHARE:
        values = {"plate": plate.name, "trial": trial.name, "percent": 100 * inside}
        yield Finding("plate-cop-outside", values, plate.name)
    distance_m = _to_nearest_foot(trial, plate, loaded, plate.centre_m + arm)
    if distance_m > FARTHEST_FOOT_M:
        values = {"plate": plate.name, "trial": trial.name, "distance_cm": 100 * distance_m}
        yield Finding("plate-far-from-feet", values, plate.name)


def _axes(plate: ForcePlate) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Unit vectors along the plate's sides and upwards, laboratory axes."""
    c = plate.corners_m
    x, z = c[0] - c[1], np.cross(c[0] - c[1], c[0] - c[3])
    z = z if z[2] > 0 else -z
    y = np.cross(z, x)
    return x / np.linalg.norm(x), y / np.linalg.norm(y), z / np.linalg.norm(z)


def _to_nearest_foot(trial: Trial, plate: ForcePlate, loaded: BoolArray, cop_m: FloatArray) -> float:
    """Median horizontal distance from the centre of pressure to the nearest low marker, metres; NaN without low markers."""
    frame = np.flatnonzero(loaded) // (plate.n_samples // trial.n_frames)
    _, first = np.unique(frame, return_index=True)
    position = trial.markers.position_m[frame[first]]
    with np.errstate(invalid="ignore"):
        low = position[..., 2] - plate.centre_m[2] < FOOT_HEIGHT_M
        distance = np.linalg.norm(position[..., :2] - cop_m[first, None, :2], axis=2)
    distance = np.where(low & np.isfinite(distance), distance, np.inf).min(axis=1, initial=np.inf)
    known = distance[np.isfinite(distance)]
    # With most frames without a marker near the floor there are no foot markers to compare with.
    return float(np.median(known)) if len(known) > 0.5 * len(distance) else float("nan")


def _clipping(trial: Trial, plate: ForcePlate) -> Iterator[Finding]:
    vertical = plate.force_lab_N[:, 2]
    top = float(np.nanmax(vertical))
    at_top = np.flatnonzero(vertical >= top - 1e-9 * top)
    with np.errstate(invalid="ignore"):
        # A force that hardly ever differs from its largest value is constant, not clipped.
        constant = len(at_top) > 0.5 * int((vertical > CERTAINLY_LOADED_N).sum())
    if len(at_top) >= CLIPPED_SAMPLES and not constant and bool((np.diff(at_top[:CLIPPED_SAMPLES]) == 1).all()):
        values = {"plate": plate.name, "trial": trial.name, "force_N": top, "samples": len(at_top)}
        yield Finding("plate-clipped", values, plate.name)


def _spikes(trial: Trial, plate: ForcePlate) -> Iterator[Finding]:
    vertical = np.abs(plate.force_lab_N[:, 2])
    if plate.n_samples < 3 or not np.isfinite(vertical).any():
        return
    share, least_N = SPIKE_FAST if plate.rate_hz >= FAST_HZ else SPIKE_SLOW
    # The 99th percentile is the peak of the course; the largest value may be the spike itself.
    limit_N = max(share * float(np.nanpercentile(vertical, 99)), least_N)
    spike = _off_course(plate.force_lab_N, limit_N) | _off_course(plate.moment_lab_Nm, limit_N * SPIKE_LEVER_M)
    if spike.any():
        time_s = trial.first_time_s + (int(np.argmax(spike)) + 1) / plate.rate_hz
        values = {"plate": plate.name, "trial": trial.name, "n": int(spike.sum()), "time_s": time_s}
        yield Finding("plate-spike", values, plate.name)


def _off_course(values: FloatArray, limit: float) -> BoolArray:
    """Samples (the first and the last left out) far from the middle of their neighbours, which are close to each other."""
    off = np.linalg.norm(values[1:-1] - 0.5 * (values[:-2] + values[2:]), axis=1)
    bridge = np.linalg.norm(values[2:] - values[:-2], axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray((off > limit) & (bridge < 0.5 * off))


def _overlap_share(one: ForcePlate, other: ForcePlate) -> float:
    """Overlap of the plates' bounding rectangles on the floor, as a share of the smaller; 0 for plates at different heights."""
    if abs(one.centre_m[2] - other.centre_m[2]) > 0.05:
        return 0.0
    low = np.maximum(one.corners_m[:, :2].min(axis=0), other.corners_m[:, :2].min(axis=0))
    high = np.minimum(one.corners_m[:, :2].max(axis=0), other.corners_m[:, :2].max(axis=0))
    areas = [float(np.prod(np.ptp(plate.corners_m[:, :2], axis=0))) for plate in (one, other)]
    return float(np.prod(np.maximum(high - low, 0.0))) / max(min(areas), 1e-9)


def inspect_mass(trial: Trial) -> Iterator[Finding]:
    """Yield what is wrong with the stored body mass.

    Parameters
    ----------
    trial : Trial
        The recording as read, with its subject.
    """
    mass_kg = trial.subject.mass_kg
    if mass_kg is None:
        yield Finding("mass-missing", {"trial": trial.name}, trial.name)
        return
    if not trial.plates or len({plate.n_samples for plate in trial.plates}) > 1:
        return
    weight = np.sum([plate.force_lab_N[:, 2] for plate in trial.plates], axis=0)
    mean = float(weight.mean())
    standing = mean > 2 * CERTAINLY_LOADED_N and float(weight.std()) < STANDING_WEIGHT_SPREAD * mean and trial.n_frames > 1
    apart = abs(mean / GRAVITY_M_S2 - mass_kg) > MASS_TOLERANCE * mass_kg
    if standing and apart and not bears_weight(trial.subject.aid or ""):
        values = {"trial": trial.name, "mass_kg": mass_kg, "standing_kg": mean / GRAVITY_M_S2}
        yield Finding("mass-unlike-weight", values, trial.name)


def inspect_events(trial: Trial) -> Iterator[Finding]:
    """Yield what is wrong with the stored events; marks in a trial in which nobody steps, of a calibration, are no steps.

    Parameters
    ----------
    trial : Trial
        The recording as read, with its stored events.
    """
    if not trial.events:
        yield Finding("events-none", {"trial": trial.name}, trial.name)
    for side in SIDES:
        steps = [event for event in trial.events if event.side == side and event.kind != EventKind.OTHER]
        for before, after in pairwise(steps):
            if before.kind == after.kind and _may_step(trial):
                values = {"kind": after.kind, "side": side, "first_s": before.time_s, "second_s": after.time_s}
                yield Finding("events-order", values, trial.name)
                break


def _may_step(trial: Trial) -> bool:
    """Whether somebody steps; where no foot is seen, whether the markers that are go somewhere."""
    kind = classify(trial)
    if kind is not TrialKind.NOT_JUDGED:
        return kind.stepping
    paths_m = (path[np.isfinite(path).all(axis=1)] for path in trial.markers.position_m.swapaxes(0, 1))
    ways_m = [np.ptp(path, axis=0).max() for path in paths_m if len(path)]
    return not ways_m or float(np.median(ways_m)) > LEAST_WAY_M
