"""OpenSim, in and out

Who works with OpenSim gets everything it needs from a session of C3D files: a scaled model, markers, forces, setup files. And a folder of
OpenSim's files is analysed as a folder of C3D files would be.
"""

# %% A session of C3D files
# The virtual subject lends its recordings; `session` may be a folder of your own.
import tempfile
from pathlib import Path

import biomech_id as bid
from biomech_id.request.job import Job
from biomech_id.pipeline.opensim import hand_over
from biomech_id.sample.write import write_subject

session = Path(tempfile.mkdtemp()) / "anna"
write_subject(session)
sorted(path.name for path in session.glob("*.c3d"))

# %% Out
# In a terminal this is `biomech-id opensim anna -o opensim`. Markers are TRC files, forces MOT files with the ExternalLoads that say which force
# acts on which foot; axes are OpenSim's, Y up.
folder = session.parent / "opensim"
hand_over(Job((session,), exclude=("turn*", "walk0[23]*")), folder)
sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix in (".osim", ".trc", ".mot", ".xml"))[:12]

# %% In
# The same folder, read back: markers and forces come from OpenSim's files now.
handed = bid.analyse(folder, report=False, uncertainty=False)
handed.verdict

# %% The same walk?
# Text files have fewer digits than memory. The two curves lie on each other.
recorded = bid.analyse(session, exclude=("turn*", "walk0[23]*"), report=False, uncertainty=False)
bid.plot.compare([recorded, handed], "KneeMoment.X", names=["C3D", "OpenSim's files"])

# %% Single files
# `write` and `read` take TRC files by their ending. With OpenSim's own Python package installed, `biomech_id.exports.opensim.memory.to_opensim(trial)` gives its tables in
# memory, which its wheel cannot make from C3D files.
walk = bid.read_c3d(session / "walk01.c3d")
bid.write(walk, session.parent / "walk01.trc")
bid.read(session.parent / "walk01.trc").markers.names[:4]
