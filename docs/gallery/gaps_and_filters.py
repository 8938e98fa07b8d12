"""Gaps and filters

A gap that is filled from the marker's neighbours in time, and a path that is smoothed.
"""

# %% What you have
import biomech_id as bid
import numpy as np
walk = bid.virtual_subject().walk().trial
position = walk.markers["RHEE"].copy()
position[60:66] = np.nan
trial = bid.Trial.from_arrays({"RHEE": position}, walk.rate_hz)

# %% Task
filled = bid.fill_gaps(trial)
smooth = bid.lowpass(filled.markers["RHEE"], walk.rate_hz, 6.0)
float(np.linalg.norm(smooth - walk.markers["RHEE"], axis=1).max())
