"""Your own arrays

No file at all: markers and forces from a simulation, a mocap stream or another library go in as arrays, and wrenches come out as arrays.
"""

# %% What somebody has
# Marker paths in millimetres by name, plates as values, a body mass.
import numpy as np

import biomech_id as bid

person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial
paths = {name: 1000.0 * walk.markers[name] for name in walk.markers.names}
standing = {name: 1000.0 * static.markers[name] for name in static.markers.names}

# %% Arrays become trials
# Units are said, not guessed; values that look like another unit are refused.
trial = bid.Trial.from_arrays(paths, 100.0, unit="mm", name="walk", plates=walk.plates)
still = bid.Trial.from_arrays(standing, 100.0, unit="mm", name="static", subject=static.subject)
trial

# %% Step by step
# The stages of the main job are functions. Each returns a value that says what was done.
model = bid.conventional_model(still)
prepared = bid.prepare(trial, model)
motion = bid.assign_plates(model.track(prepared.trial))
loads = bid.solve(motion)
loads

# %% Look at it
# Where the model has put the joints, in the frame that is asked for.
bid.plot.skeleton(motion)

# %% Joint moments as arrays
# Wrenches know their point and their axes; `expressed_in` and `about` are the only ways to change them.
knee = loads["R", "knee"].expressed_in("shank")
middle = walk.n_frames // 2
np.round(knee.moment_Nm[middle], 3)

# %% Without any body model
# Poses, joint centres, inertia and forces of your own: two segments or one, the same equations.
foot, ankle = motion.motions["R", "foot"].frames, motion.joint_centres_lab_m["R", "ankle"]
body, ground = motion.segments["R", "foot"], loads.contacts["R"]
wrench = bid.inverse_dynamics(
    foot.R_lab_seg, foot.origin_lab_m, ankle, forces=(ground.force_lab_N, ground.moment_lab_Nm), rate_hz=100.0,
    mass_kg=body.mass_kg, com_m=body.com_m, inertia_kgm2=body.inertia_kgm2,
)
np.round(wrench["segment"].moment_Nm[middle], 3)
