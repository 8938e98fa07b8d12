"""Compare two conditions

Two sessions over each other; bars at the foot of the panel show where the second has changed.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial
result = bid.analyse([static, walk], report=False, uncertainty=False)
slow = bid.virtual_subject(speed_m_s=1.0)
slower = bid.analyse([slow.static().trial, slow.walk().trial], report=False, uncertainty=False)

# %% Task
bid.plot.compare([result, slower], "AnklePower", names=["usual", "slow"])
