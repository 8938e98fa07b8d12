"""Joint centres in space

Hips, knees and ankles of a tracked trial.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial
model = bid.conventional_model(static)
motion = bid.assign_plates(model.track(walk))
loads = bid.solve(motion)

# %% Example
bid.plot.skeleton(motion, 100)
