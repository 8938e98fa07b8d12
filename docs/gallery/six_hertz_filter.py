"""Filter markers and plates at six hertz

A recipe setting by name; a function of your own in its place works too.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial

# %% Task
result = bid.analyse([static, walk], cutoff_hz=6.0, marker_filter="always", report=False, uncertainty=False)
result.trials["walk"].frames["RKneeAngles.X"]
