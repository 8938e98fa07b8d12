"""A wrench about another point

Force and moment at the knee, moved to the ankle and expressed in the axes of the shank.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial
model = bid.conventional_model(static)
motion = bid.assign_plates(model.track(walk))
loads = bid.solve(motion)

# %% Task
ankle = motion.joint_centres_lab_m["R", "ankle"]
about_ankle = loads["R", "knee"].wrench.about(ankle)
about_ankle.expressed_in("shank", motion.motions["R", "shank"].frames.R_lab_seg).moment_Nm
