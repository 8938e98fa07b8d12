"""Inverse dynamics of your own arrays: an ankle wrench

Segment pose, joint centre, inertia and ground force as arrays go in; the wrench at the ankle comes out.
`method="block"` solves the matrix system instead of summing from the tip.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
static, walk = person.static().trial, person.walk().trial
model = bid.conventional_model(static)
motion = bid.assign_plates(model.track(walk))
loads = bid.solve(motion)
foot, ankle = motion.motions["R", "foot"].frames, motion.joint_centres_lab_m["R", "ankle"]
body, ground = motion.segments["R", "foot"], loads.contacts["R"]
ground_wrench = ground.force_lab_N, ground.moment_lab_Nm
mass_kg, com_m, inertia_kgm2 = body.mass_kg, body.com_m, body.inertia_kgm2

# %% Task
wrench = bid.inverse_dynamics(foot.R_lab_seg, foot.origin_lab_m, ankle, rate_hz=100.0, mass_kg=mass_kg, com_m=com_m,
                              inertia_kgm2=inertia_kgm2, forces=ground_wrench, method="block")
wrench["segment"].moment_Nm[walk.n_frames // 2]
