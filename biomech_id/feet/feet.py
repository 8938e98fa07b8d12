"""The feet of one trial, worked out once: where they are, what plates carry under them, and how they travel."""

from __future__ import annotations

from biomech_id.dynamics.body import BodyMotion
from biomech_id.errors import MissingInputError
from biomech_id.feet.contacts import find_contacts
from biomech_id.feet.feet_on_plates import load_at_video_rate
from biomech_id.feet.landmarks import find_landmarks
from biomech_id.feet.movements import TrialKind
from biomech_id.feet.support import floor_support
from biomech_id.feet.travel import describe_travel
from biomech_id.movement.feet import Feet as Feet
from biomech_id.trial import Trial


def find_feet(trial: Trial, motion: BodyMotion | None = None, *, body_mass_kg: float | None = None, contact_N: float = 0.0) -> Feet:
    """Work out the feet of a trial; everything that asks about feet takes what this returns.

    Parameters
    ----------
    trial : Trial
        The recording; its plates, where it has any, give the contacts.
    motion : BodyMotion | None, optional
        The trial, tracked, for the feet's outlines; None takes the markers alone.
    body_mass_kg : float | None, optional
        For the contact threshold; the trial's subject's unless given.
    contact_N : float, optional
        Contact threshold of every plate, N; 0 derives it from the plate's noise and the body's weight.

    Returns
    -------
    Feet
        All frames of the trial.

    Raises
    ------
    MissingInputError
        Neither foot has both a heel and a toe.
    """
    landmarks = find_landmarks(trial, motion)
    contacts = find_contacts(trial, body_mass_kg, threshold_N=contact_N)
    loads = tuple(load_at_video_rate(trial, contact) for contact in contacts)
    support = floor_support(landmarks, loads)
    return Feet(landmarks, loads, support, describe_travel(landmarks, support), body_mass_kg)


def classify(trial: Trial, motion: BodyMotion | None = None) -> TrialKind:
    """Return the kind of a trial (``find_feet(trial).travel.reason`` says why).

    Parameters
    ----------
    trial : Trial
        The recording, with markers; plates help where it has them.
    motion : BodyMotion | None, optional
        The trial, tracked; None takes the markers alone.

    Returns
    -------
    TrialKind
        ``TrialKind.NOT_JUDGED`` where its feet are not seen.
    """
    try:
        return find_feet(trial, motion).travel.kind
    except MissingInputError:
        return TrialKind.NOT_JUDGED
