"""A recording: the trial, and what the file itself says before anything was done to it."""

from __future__ import annotations

from biomech_id.markersets import MarkerSet
from biomech_id.readers.c3d.plate_setup import PlateFacts
from biomech_id.trial import Event, Markers, Trial
from biomech_id.values import dataclass


@dataclass(frozen=True)
class FileFacts:
    """What a C3D file says about itself.

    Attributes
    ----------
    processor : str
        "PC", "DEC" or "SGI".
    number_format : str
        "float" or "integer": how points and analog samples are stored.
    frames : int
        Video frames that are in the file.
    frames_promised : int
        Video frames that header and parameters promise; more than ``frames`` in a file that was cut.
    rate_hz : float
        Video frames per second.
    analog_rate_hz : float
        Analog samples per second; 0 without analog channels.
    first_frame : int
        Number of the first frame in the file, counted from 1; later than 1 where the recording was trimmed.
    points : int
        Number of points, model outputs included.
    labels : tuple[str, ...]
        All labels as stored, also those beyond the number of points.
    analog_channels : int
        Number of analog channels, those of the force plates included.
    units : str
        Length unit of points and plates as stored in POINT:UNITS; may be empty.
    vertical : str
        The file's upward axis, "+Z".
    plates : tuple[PlateFacts, ...]
        One entry per plate, broken ones included.
    events : tuple[Event, ...]
        Every event of the EVENT group or header, also those outside the recording.
    rotations : tuple[str, ...], optional
        Segments whose poses the file holds.
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
    rotations: tuple[str, ...] = ()

    @classmethod
    def of_trial(cls, trial: Trial) -> FileFacts:
        """Return the facts of a file in a format without plates and parameters, as far as its trial shows them.

        Parameters
        ----------
        trial : Trial
            The recording as read.
        """
        return cls(
            processor="", number_format="text", frames=trial.n_frames, frames_promised=trial.n_frames, rate_hz=trial.rate_hz,
            analog_rate_hz=trial.analog.rate_hz, first_frame=trial.first_frame, points=len(trial.markers.names),
            labels=trial.markers.names, analog_channels=len(trial.analog.names), units="", vertical="+Z", plates=(),
            events=trial.events,
        )  # fmt: skip


@dataclass(frozen=True)
class Recording:
    """One file read: the trial to work with and the facts behind it.

    Attributes
    ----------
    trial : Trial
        What every computation starts from: SI units, laboratory axes.
    facts : FileFacts
        What the file itself says.
    """

    trial: Trial
    facts: FileFacts


def with_marker_set(markers: Markers, markerset: MarkerSet) -> Markers:
    """Return a recording's markers under a marker set's names.

    Parameters
    ----------
    markers : Markers
        Markers of the recording.
    markerset : MarkerSet
        Which label shows what.

    Returns
    -------
    Markers
        The same paths, with labels in the set's own spelling and with the set's roles.
    """
    return markers.with_roles(markerset.roles, markerset.renamed(markers.names, markers.position_m))
