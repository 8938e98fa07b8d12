"""A recording that ezc3d holds in memory

Changed in memory by ezc3d, read by the rules of files.
"""

# %% What you have
import biomech_id as bid
from biomech_id.readers.c3d.from_ezc3d import from_ezc3d
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial
import ezc3d, tempfile
path = bid.write(walk, tempfile.mkdtemp() + "/walk.c3d")

# %% Example
c = ezc3d.c3d(str(path))
from_ezc3d(c)
