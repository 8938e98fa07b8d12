"""What was recorded, from files: C3D as it really is, and everything noticed on the way.

`readers.formats.read` is the door; `readers.formats` says which files have one. Behind that of a C3D file, in this order:
`readers.source` (the bytes), `c3d.parameters` and `c3d.header` (what the file says), `c3d.layout` (what of that is true),
`c3d.file` (its numbers), `c3d.interpret` (what they mean).
"""

from biomech_id.readers.c3d.read import read_c3d, read_recording
from biomech_id.readers.formats import Format, read, register
from biomech_id.readers.opensim.trial import read_opensim_trial
from biomech_id.readers.recording import FileFacts, Recording

__all__ = ["FileFacts", "Format", "Recording", "read", "read_c3d", "read_opensim_trial", "read_recording", "register"]
