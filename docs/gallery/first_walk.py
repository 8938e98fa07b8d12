"""A first walk, step by step

From a static trial to joint loads: model, gaps and filter, tracking, plates, loads.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial

# %% Example
model = bid.conventional_model(static)
prepared = bid.prepare(walk, model).trial
motion = bid.assign_plates(model.track(prepared))
loads = bid.solve(motion)
loads
