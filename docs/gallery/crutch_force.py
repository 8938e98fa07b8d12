"""The force of a crutch, brace or exoskeleton

A measured crutch pushes at the hand; here a brace pushes at the shank, which the model follows. Further forces act on
the joints above them.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial
import numpy as np
n = walk.n_frames
force, moment, point = np.tile([0.0, 0.0, 50.0], (n, 1)), np.zeros((n, 3)), np.tile([0.2, 0.1, 0.4], (n, 1))

# %% Task
brace = bid.External("R shank", bid.Wrench(force, moment, point))
result = bid.analyse([static, walk], extra={"walk": brace}, report=False, uncertainty=False)
result.trials["walk"].frames["RKneeMoment.X"]
