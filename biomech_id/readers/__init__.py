"""What was recorded, from files: C3D as it really is, and everything noticed on the way.

`read` is the door; `formats` says which files have one. Behind that of a C3D file, in this order: `source` (the bytes), in `c3d`,
`parameters` and `header` (what the file says), `layout` (what of that is true), `file` (its numbers), `interpret` (what they mean).
"""

from biomech_id.readers.c3d.read import read_c3d, read_recording
from biomech_id.readers.formats import Format, read, register
from biomech_id.readers.opensim.trial import read_opensim_trial
from biomech_id.readers.recording import FileFacts, Recording

__all__ = ["FileFacts", "Format", "Recording", "read", "read_c3d", "read_opensim_trial", "read_recording", "register"]
