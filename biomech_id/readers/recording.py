"""A recording: the trial, and what the file itself says before anything was done to it."""

from __future__ import annotations

from dataclasses import dataclass

from biomech_id.markersets import MarkerSet
from biomech_id.readers.c3d.plates import PlateFacts
from biomech_id.trial import Event, Markers, Trial


@dataclass(frozen=True)
class FileFacts:
    """What a C3D file says about itself.

    Attributes
    ----------
    processor : "PC", "DEC" or "SGI".
    number_format : "float" or "integer".
    frames, frames_promised : video frames in the file, and as header and parameters promise.
    rate_hz, analog_rate_hz : video frames and analog samples per second (0 without analog channels).
    first_frame : counted from 1.
    points : number of points, model outputs included.
    labels : all labels as stored, also those beyond the number of points.
    analog_channels : number of channels.
    units : POINT:UNITS as stored.
    vertical : the file's upward axis, "+Z".
    plates : one entry per plate, broken ones included.
    events : every event of the EVENT group or header, also those outside the recording.
    """

    processor: str
    number_format: str
    frames: int
    frames_promised: int
    rate_hz: float
    analog_rate_hz: float
    first_frame: int
    points: int
    labels: tuple[str, ...]
    analog_channels: int
    units: str
    vertical: str
    plates: tuple[PlateFacts, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Recording:
    """One file read: the trial to work with and the facts behind it."""

    trial: Trial
    facts: FileFacts


def with_marker_set(markers: Markers, markerset: MarkerSet) -> Markers:
    """Return a recording's markers under the set's own spelling of their labels, with the set's roles."""
    return markers.with_roles(markerset.roles, markerset.renamed(markers.names, markers.position_m))
