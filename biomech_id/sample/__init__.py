"""The virtual subject: a walking person about whom everything is known exactly.

Closed-form motion, exact derivatives, joint loads from the rate of change of momentum. This room shares no code with what it
checks: it imports errors, conventions and the values of a trial, nothing else of the package.
"""

from biomech_id.sample.c3d import write_c3d
from biomech_id.sample.floor_plates import PlateSpec
from biomech_id.sample.recording import SampleTrial
from biomech_id.sample.subject import VirtualSubject, virtual_subject
from biomech_id.sample.truth import TrueAid, TrueStance, Truth
from biomech_id.sample.write import write_subject

__all__ = [
    "PlateSpec",
    "SampleTrial",
    "TrueAid",
    "TrueStance",
    "Truth",
    "VirtualSubject",
    "virtual_subject",
    "write_c3d",
    "write_subject",
]
