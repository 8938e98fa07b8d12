"""A model of OpenSim

Scaled to a person, following markers, fitted, and the muscle force of least effort that its motion needs.
"""

# %% What you have
import biomech_id as bid
from pathlib import Path
import numpy as np
import tempfile
place = "<socket_parent_frame>/bodyset/tibia_r</socket_parent_frame><location>{}</location>"
spots = {"A": "0 -0.1 0.05", "B": "0.05 -0.2 0", "C": "0 -0.4 0.05", "D": "-0.05 -0.3 -0.05", "E": "0 -0.4 -0.05",
         "F": "0 0 0.05"}
marks = "".join(f'<Marker name="{name}">{place.format(spot)}</Marker>' for name, spot in spots.items())
path = Path(tempfile.mkdtemp()) / "shank.osim"
path.write_text(f"""<OpenSimDocument Version="40000"><Model name="shank"><BodySet><objects><Body name="tibia_r"><mass>4</mass>
<mass_center>0 -0.2 0</mass_center><inertia>0.06 0.01 0.06 0 0 0</inertia></Body></objects></BodySet><JointSet><objects>
<PinJoint name="knee"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/tibia_r</socket_child_frame>
<coordinates><Coordinate name="knee_angle_r"/></coordinates></PinJoint></objects></JointSet><ForceSet><objects>
<Thelen2003Muscle name="vasti"><max_isometric_force>2000</max_isometric_force><optimal_fiber_length>0.1</optimal_fiber_length>
<tendon_slack_length>0.2</tendon_slack_length><GeometryPath><PathPointSet><objects><PathPoint name="p">
<socket_parent_frame>/ground</socket_parent_frame><location>0.02 0.25 0</location></PathPoint><PathPoint name="q">
{place.format("0.05 -0.05 0")}</PathPoint></objects></PathPointSet></GeometryPath></Thelen2003Muscle></objects></ForceSet>
<MarkerSet><objects>{marks}</objects></MarkerSet></Model></OpenSimDocument>""", encoding="utf-8")
time_s = np.arange(60) / 60.0
angle = {"knee_angle_r": 0.3 * np.sin(4.0 * time_s) - 0.2}
# Markers of somebody whose shank is a tenth longer; laboratory axes have Z up, the model's Y.
longer = bid.osim.Skeleton(bid.scale(path, {"tibia_r": 1.1})).markers(angle["knee_angle_r"][:, None])
walk = bid.Trial.from_arrays({name: longer[:, k][:, [0, 2, 1]] * [1, -1, 1] for k, name in enumerate(spots)}, 60.0)

# %% Example
poses = bid.inverse_kinematics(bid.scale(path, {"tibia_r": 1.1}), walk)
person = bid.fit(path, [walk])
actuated = bid.osim.read_actuated(path).with_reserves(1.0, 50.0)
motion = bid.osim.analysed_motion(actuated.model, time_s, angle, in_degrees=False)
forces = bid.static_optimisation(actuated, motion)
contact = bid.joint_reactions(forces)
person.factors, float(np.abs(contact.force_N).max())
