"""What the doctor looks for in force plates, events and body mass."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray
from biomech_id.anatomy import SIDE_WORDS
from biomech_id.check import rules
from biomech_id.conventions import GRAVITY_M_S2, SIDES
from biomech_id.errors import Finding
from biomech_id.trial import EventKind, ForcePlate, Trial

CERTAINLY_LOADED_N = 50.0
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
    """Yield what is wrong with each force plate of a trial."""
    for plate in trial.plates:
        yield from _geometry(plate)
        yield from _spikes(trial, plate)
        vertical = plate.force_lab_N[:, 2]
        with np.errstate(invalid="ignore"):
            loaded = vertical > CERTAINLY_LOADED_N
        if not loaded.any():
            continue
        if loaded.all() and trial.n_frames > 1:
            message = f"{plate.name} of {trial.name} is never unloaded (at least {vertical.min():.0f} N)."
            yield rules.PLATE_ALWAYS_LOADED.finding(message, plate.name)
        yield from _centre_of_pressure(trial, plate, loaded)
        yield from _clipping(trial, plate)
    for one, other in combinations(trial.plates, 2):
        if _overlap_share(one, other) > 0.1:
            yield rules.PLATES_OVERLAP.finding(f"{one.name} and {other.name} of {trial.name} overlap.", one.name)


def _geometry(plate: ForcePlate) -> Iterator[Finding]:
    c = plate.corners_m
    sides = [float(np.linalg.norm(c[0] - c[1])), float(np.linalg.norm(c[0] - c[3]))]
    if min(sides) < SIDE_LIMITS_M[0] or max(sides) > SIDE_LIMITS_M[1]:
        yield rules.PLATE_SIZE.finding(f"{plate.name} measures {sides[0]:.2f} x {sides[1]:.2f} m.", plate.name)
    normal = np.cross(c[0] - c[1], c[0] - c[3])
    if abs(normal[2]) < LEVEL_COSINE * np.linalg.norm(normal):
        angle_deg = np.degrees(np.arccos(abs(normal[2]) / np.linalg.norm(normal)))
        yield rules.PLATE_TILTED.finding(f"{plate.name} is tilted by {angle_deg:.0f} deg.", plate.name)


def _centre_of_pressure(trial: Trial, plate: ForcePlate, loaded: BoolArray) -> Iterator[Finding]:
    x, y, normal = _axes(plate)
    force, moment = plate.force_lab_N[loaded], plate.moment_lab_Nm[loaded]
    with np.errstate(divide="ignore", invalid="ignore"):
        arm = np.cross(normal, moment) / (force @ normal)[:, None]
    half = 0.5 * np.array([np.linalg.norm(plate.corners_m[0] - plate.corners_m[k]) for k in (1, 3)])
    across = np.abs(np.stack([arm @ x, arm @ y], axis=1))
    inside = float((across <= half).all(axis=1).mean())
    if inside < PRESSURE_INSIDE_SHARE:
        share = f"on the plate in only {100 * inside:.0f} % of the loaded samples"
        message = f"The centre of pressure of {plate.name} of {trial.name} is {share}."
        yield rules.PLATE_COP_OUTSIDE.finding(message, plate.name)
    distance_m = _to_nearest_foot(trial, plate, loaded, plate.centre_m + arm)
    if distance_m > FARTHEST_FOOT_M:
        distance = f"{100 * distance_m:.0f} cm from the nearest marker near the floor"
        message = f"The centre of pressure of {plate.name} of {trial.name} is {distance}."
        yield rules.PLATE_FAR_FROM_FEET.finding(message, plate.name)


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
        held = f"stays at its largest value, {top:.0f} N, for {len(at_top)} samples"
        message = f"The vertical force of {plate.name} of {trial.name} {held}."
        yield rules.PLATE_CLIPPED.finding(message, plate.name)


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
        message = f"{plate.name} of {trial.name} leaves its course in {int(spike.sum())} single samples, first at {time_s:.3f} s."
        yield rules.PLATE_SPIKE.finding(message, plate.name)


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
    """Yield what is wrong with the stored body mass."""
    mass_kg = trial.subject.mass_kg
    if mass_kg is None:
        yield rules.MASS_MISSING.finding(f"{trial.name} stores no body mass.", trial.name)
        return
    if not trial.plates or len({plate.n_samples for plate in trial.plates}) > 1:
        return
    weight = np.sum([plate.force_lab_N[:, 2] for plate in trial.plates], axis=0)
    mean = float(weight.mean())
    standing = mean > 2 * CERTAINLY_LOADED_N and float(weight.std()) < STANDING_WEIGHT_SPREAD * mean and trial.n_frames > 1
    if standing and abs(mean / GRAVITY_M_S2 - mass_kg) > MASS_TOLERANCE * mass_kg:
        message = f"{trial.name} stores {mass_kg:.1f} kg, but {mean / GRAVITY_M_S2:.1f} kg stand on the plates."
        yield rules.MASS_UNLIKE_WEIGHT.finding(message, trial.name)


def inspect_events(trial: Trial) -> Iterator[Finding]:
    """Yield what is wrong with the stored events."""
    if not trial.events:
        yield rules.EVENTS_NONE.finding(f"{trial.name} stores no events.", trial.name)
    for side in SIDES:
        steps = [event for event in trial.events if event.side == side and event.kind != EventKind.OTHER]
        for before, after in pairwise(steps):
            if before.kind == after.kind:
                times = f"{before.time_s:.2f} and {after.time_s:.2f} s"
                message = f"Two events {after.kind} of the {SIDE_WORDS[side]} side follow each other at {times}."
                yield rules.EVENTS_ORDER.finding(message, trial.name)
                break
