"""What was recorded: markers, force plates, analog channels, events and the subject. Values only, no input or output.

Everything is SI (m, N, N m, s, kg) in the laboratory's axes with Z up, arrays are frames-first and read-only,
and missing data is NaN and only NaN.
"""

from biomech_id.trial.analog import AnalogChannels, PlateChannel
from biomech_id.trial.events import Event, EventKind, EventSource
from biomech_id.trial.markers import Markers
from biomech_id.trial.plates import ForcePlate
from biomech_id.trial.rotations import Rotations
from biomech_id.trial.subject import Subject
from biomech_id.trial.trial import Trial

__all__ = [
    "AnalogChannels", "Event", "EventKind", "EventSource", "ForcePlate", "Markers", "PlateChannel", "Rotations", "Subject", "Trial",
]  # fmt: skip
