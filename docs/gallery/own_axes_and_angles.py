"""Own axes and their angles

Frames of three markers each, and the angles between them in any order of rotations.
"""

# %% What you have
import biomech_id as bid
person = bid.virtual_subject()
markers = person.walk().trial.markers
knee, ankle, toe, wand = (markers["R" + name] for name in ("KNE", "ANK", "TOE", "TIB"))
side = bid.Side.RIGHT

# %% Task
shank = bid.frame_from_points(ankle, knee, wand, order="zx").R_lab_seg
foot = bid.frame_from_points(ankle, toe, knee, order="xz").R_lab_seg
bid.joint_angles(shank, foot, sequence="YXZ")[0]
