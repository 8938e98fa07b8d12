"""A double pendulum

Equations of motion, a simulation and small swings about hanging still, of a mechanism that is written down in a line.
"""

# %% What you have
import biomech_id as bid
import numpy as np
pendulum = bid.mechanics.n_pendulum([1.0, 1.0], [0.5, 0.5], gravity_m_s2=9.81)

# %% Example
assert isinstance(pendulum, bid.System)
run = bid.simulate(pendulum, np.array([0.5, 0.2]), np.zeros(2), np.linspace(0.0, 2.0, 41))
swings = bid.linearise(pendulum, np.zeros(2), np.zeros(2), np.zeros(2))
terms = bid.equations(pendulum, ("M1", "g1"))
run.q[-1], np.linalg.eigvals(swings.A).imag
