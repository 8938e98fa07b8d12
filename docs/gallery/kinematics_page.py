"""The kinematics page

Twelve joint angles, both sides, as the report draws them.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial
result = bid.analyse([static, walk], report=False, uncertainty=False)

# %% Example
bid.plot.kinematics(result)
