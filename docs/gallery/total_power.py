"""Total power of the legs

Rotational and translational power of every joint of both legs, added up frame by frame.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial
model = bid.conventional_model(static)
motion = bid.assign_plates(model.track(walk))
loads = bid.solve(motion)
import numpy as np

# %% Task
total_W = np.sum([load.power_W for load in loads.values()], axis=0)
float(np.nanmax(total_W))
