"""To OpenSim tables and back

OpenSim's own TimeSeriesTables in memory; its wheel has no reader of C3D files, this is one.
"""

# %% What you have
import biomech_id as bid
from biomech_id.exports.opensim.memory import from_opensim, to_opensim
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial

# %% Task
tables = to_opensim(walk)
again = from_opensim(tables["markers"])
again.markers.names[:3]
