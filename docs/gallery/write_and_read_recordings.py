"""Read and write a recording as a C3D file, TRC, MOT

C3D, TRC and MOT by the name's ending.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial
import tempfile
folder = tempfile.mkdtemp()

# %% Example
path = bid.write(walk, f"{folder}/walk.c3d")
again = bid.read(path)
bid.read_c3d(path).n_frames == again.n_frames
