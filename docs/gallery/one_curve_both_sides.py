"""Plot one curve of both sides: the knee moment

The internal knee moment over the gait cycle, left and right, as a picture.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial
result = bid.analyse([static, walk], report=False, uncertainty=False)

# %% Task
bid.plot.curve(result, "KneeMoment.X")
