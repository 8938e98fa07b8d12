"""When a force plate is loaded, and where on it.

The threshold follows the plate and the person: the larger of ``NOISE_FACTOR`` times the plate's own noise and
``WEIGHT_SHARE`` of body weight. A fixed 20 N is too high for a child and too low for a noisy plate. Times are where the vertical
force crosses it, interpolated between analog samples.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.arguments import a_quantity
from biomech_id.conventions import GRAVITY_M_S2
from biomech_id.movement.feet import PlateContact as PlateContact
from biomech_id.signal.runs import runs
from biomech_id.trial import ForcePlate, Trial
from biomech_id.values import dataclass

#: Contact threshold as an argument of functions; 0 finds it.
CONTACT = a_quantity(0.0, 2000.0, "N")
#: Contact threshold in standard deviations of the unloaded plate, and as a share of body weight.
NOISE_FACTOR = 6.0
WEIGHT_SHARE = 0.02
#: Threshold when neither noise nor body weight gives one (zero-filled plate, unknown mass): below any real contact.
LEAST_THRESHOLD_N = 2.0
#: A plate that carries less than this share of body weight at its peak was brushed, not stepped on.
LEAST_CONTACT_SHARE = 0.05
#: Load that vanishes or appears for less than this is chatter of the signal, not a step.
CHATTER_S = 0.03
#: An unloaded plate reads no more than this after its baseline was looked after; beyond, somebody may stand on it.
LARGEST_OFFSET_N = 40.0


@dataclass(frozen=True)
class PlateRest:
    """What a plate reads while nobody is on it: vertical offset and standard deviation, N; ``seen``: whether it ever rests.

    Attributes
    ----------
    offset_N : float
        Vertical force of the unloaded plate.
    noise_N : float
        Standard deviation of that vertical force, N.
    seen : bool
        Whether the plate is ever at rest.
    """

    offset_N: float
    noise_N: float
    seen: bool


def plate_at_rest(plate: ForcePlate) -> PlateRest:
    """Offset and noise of the unloaded plate's vertical force, from the densest cluster of its small readings.

    Robust (median, and median absolute deviation x 1.4826), so that the edges of contacts do not count.

    Parameters
    ----------
    plate : ForcePlate
        The plate with all its samples, loaded and unloaded.

    Returns
    -------
    PlateRest
        Median and standard deviation of the unloaded vertical force, N; both 0 and ``seen`` false for a plate that never rests.
    """
    vertical = plate.force_lab_N[:, 2]
    small = vertical[np.abs(vertical) < LARGEST_OFFSET_N]
    if small.size < max(20, 0.02 * vertical.size):
        return PlateRest(0.0, 0.0, False)
    offset = float(np.median(small))
    near = small[np.abs(small - offset) < 10.0]
    noise = 1.4826 * float(np.median(np.abs(near - np.median(near)))) if near.size else 0.0
    return PlateRest(offset, noise, True)


def contact_threshold_N(rest: PlateRest, body_mass_kg: float | None) -> float:
    """Vertical force above which the plate counts as loaded, N, over its resting offset.

    Parameters
    ----------
    rest : PlateRest
        What the plate reads while nobody is on it.
    body_mass_kg : float | None
        Kilograms; None where it is not known.

    Returns
    -------
    float
        N, over the plate's resting offset.

    Examples
    --------
    >>> from biomech_id.feet.contacts import PlateRest, contact_threshold_N
    >>> quiet = PlateRest(offset_N=0.0, noise_N=0.5, seen=True)
    >>> round(contact_threshold_N(quiet, 70.0), 1)
    13.7
    """
    weight_N = 0.0 if body_mass_kg is None else body_mass_kg * GRAVITY_M_S2
    return max(NOISE_FACTOR * rest.noise_N, WEIGHT_SHARE * weight_N, LEAST_THRESHOLD_N)


def find_contacts(trial: Trial, body_mass_kg: float | None = None, *, threshold_N: float = 0.0) -> tuple[PlateContact, ...]:
    """Find every load on every plate, in order of time.

    Parameters
    ----------
    trial : Trial
        The recording; plates hold the reaction on the subject, vertical up positive.
    body_mass_kg : float | None, optional
        For the threshold and for what is too light to be a step; default is the trial's subject, else an estimate from the impulse
        of the contacts themselves (`estimated_mass_kg`).
    threshold_N : float, optional
        Contact threshold for every plate; 0 derives it from the plate's noise and the body's weight.

    Returns
    -------
    tuple[PlateContact, ...]
        Loads of all plates; one that the recording cuts has no start, or no end (NaN).
    """
    mass = mass_or_estimate_kg(trial, body_mass_kg)
    contacts = [c for i, plate in enumerate(trial.plates) for c in _contacts_of(plate, i, trial.first_time_s, mass, threshold_N)]
    return tuple(sorted(contacts, key=lambda c: (c.first / trial.plates[c.plate].rate_hz, c.plate)))


def mass_or_estimate_kg(trial: Trial, body_mass_kg: float | None = None) -> float | None:
    """The mass asked for, or the subject's, or an estimate from the plates; None when there is nothing to go by.

    Parameters
    ----------
    trial : Trial
        The recording: its subject's mass, and the plates for an estimate.
    body_mass_kg : float | None, optional
        Kilograms; None where it is not known.

    Returns
    -------
    float | None
        Kilograms; None without a mass and without plates.
    """
    if body_mass_kg is not None:
        return body_mass_kg
    return trial.subject.mass_kg if trial.subject.mass_kg is not None else estimated_mass_kg(trial)


def estimated_mass_kg(trial: Trial) -> float | None:
    """Rough body mass from the plates, good to some ten per cent: for thresholds only, never for results.

    Over a stride both feet together carry body weight, so the mean force of one stance is near body weight x stride time /
    (2 x stance time), which is 0.83 of it in walking (stance 60 % of the stride).

    Parameters
    ----------
    trial : Trial
        The recording with plates that somebody stands or walks on.

    Returns
    -------
    float | None
        Kilograms; None without plates or load.
    """
    means = []
    for index, plate in enumerate(trial.plates):
        vertical = plate.force_lab_N[:, 2]
        means += [float(vertical[c.first : c.last].mean()) for c in _contacts_of(plate, index, 0.0, None) if c.peak_N > 100.0]
    return float(np.median(means)) / 0.83 / GRAVITY_M_S2 if means else None


def centre_of_pressure_m(plate: ForcePlate, force_N: FloatArray, moment_Nm: FloatArray) -> FloatArray:
    """Centre of pressure on the plate's surface, (m, 3), metres, laboratory axes.

    p = C + n x M / (n . F) with C the surface centre, M the moment about it and n the surface normal; NaN where the plate carries
    nothing along its normal. Only to be shown or to check a foot: the dynamics never divide by a force.

    Parameters
    ----------
    plate : ForcePlate
        The plate whose surface the pressure lies on.
    force_N : FloatArray
        (m, 3), of the plate on the subject, laboratory axes, N.
    moment_Nm : FloatArray
        (m, 3), about the centre of the plate's surface, laboratory axes, N m.

    Returns
    -------
    FloatArray
        (m, 3), metres, laboratory axes, on the plate's surface.
    """
    normal = surface_normal(plate)
    with np.errstate(invalid="ignore", divide="ignore"):
        along = force_N @ normal
        point: FloatArray = plate.centre_m + np.cross(normal, moment_Nm) / np.where(np.abs(along) > 1e-9, along, np.nan)[:, None]
    return point


def surface_normal(plate: ForcePlate) -> FloatArray:
    """Upward unit normal of the plate's surface, (3,), laboratory axes.

    Parameters
    ----------
    plate : ForcePlate
        The plate, with its corners in laboratory axes.

    Returns
    -------
    FloatArray
        (3,), unit length, laboratory axes, with Z up.
    """
    corners = plate.corners_m
    normal = np.cross(corners[0] - corners[1], corners[0] - corners[3])
    unit: FloatArray = normal / np.linalg.norm(normal)
    return unit if unit[2] >= 0 else -unit


def _contacts_of(
    plate: ForcePlate, index: int, first_time_s: float, mass_kg: float | None, threshold_N: float = 0.0
) -> list[PlateContact]:
    rest = plate_at_rest(plate)
    vertical = plate.force_lab_N[:, 2] - rest.offset_N
    threshold = threshold_N or contact_threshold_N(rest, mass_kg)
    least_peak_N = max(2.0 * threshold, LEAST_CONTACT_SHARE * (mass_kg or 0.0) * GRAVITY_M_S2)
    chatter = round(CHATTER_S * plate.rate_hz)
    contacts = []
    for first, last in _closed(runs(vertical > threshold), chatter):
        peak_N = float(vertical[first:last].max())
        if peak_N < least_peak_N or last - first < chatter:
            continue
        start = float(_crossing(vertical, first - 1, threshold) / plate.rate_hz + first_time_s)
        end = float(_crossing(vertical, last - 1, threshold) / plate.rate_hz + first_time_s)
        contacts.append(PlateContact(index, start, end, peak_N, threshold, first, last))
    return contacts


def _closed(loads: Sequence[tuple[int, int]], gap: int) -> list[tuple[int, int]]:
    """Join loads that are less than ``gap`` samples apart."""
    joined: list[tuple[int, int]] = []
    for first, last in loads:
        if joined and first - joined[-1][1] < gap:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return joined


def _crossing(values: FloatArray, before: int, level: float) -> float:
    """Sample number at which ``values`` crosses ``level`` between ``before`` and the next one; NaN outside the record."""
    if before < 0 or before + 1 >= len(values):
        return float("nan")
    a, b = values[before], values[before + 1]
    return before + float((level - a) / (b - a))
