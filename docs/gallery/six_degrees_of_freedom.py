"""The model of six degrees of freedom

The other model: clusters follow each segment, joints are free.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial

# %% Example
model = bid.six_dof_model(static)
model.track(walk)
