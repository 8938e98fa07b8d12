"""A recording value by value

Markers, plates, channels and poses are plain values that check themselves.
"""

# %% What you have
import biomech_id as bid
from biomech_id.trial import AnalogChannels, Markers, Rotations
import numpy as np
corners_m = np.array([[0.6, 0.4, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.0], [0.6, 0.0, 0.0]])

# %% Example
markers = Markers(("LHEE", "RHEE"), np.zeros((50, 2, 3)), 100.0)
plate = bid.ForcePlate("plate 1", 2, corners_m, np.zeros((500, 3)), np.zeros((500, 3)), 1000.0)
channels = AnalogChannels(("soleus",), ("V",), 1000.0, np.zeros((500, 1)))
poses = Rotations(("pelvis",), np.tile(np.eye(3), (50, 1, 1, 1)), np.zeros((50, 1, 3)), 100.0)
bid.Trial("walk", markers, (plate,), analog=channels, rotations=poses)
