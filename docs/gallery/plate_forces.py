"""Forces of the plates, plotted

What each force plate measured.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial

# %% Example
bid.plot.forces(walk)
