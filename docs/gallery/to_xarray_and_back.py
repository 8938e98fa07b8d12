"""To xarray and back

Markers as a Dataset with named dimensions, and a trial of it again.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial

# %% Task
data = bid.to_xarray(walk)
again = bid.from_xarray(data.sel(marker=["LHEE", "RHEE"]))
again.markers.names
