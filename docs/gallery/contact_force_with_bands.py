"""A joint's contact force with both of its bands

What a knee carries while the shank is held up: what errors make of it, and what nearly the same effort allows; a model's estimate.
"""

# %% What you have
import biomech_id as bid
from pathlib import Path
import matplotlib.pyplot as plt
import numpy as np
import tempfile
place = "<socket_parent_frame>/{}</socket_parent_frame><location>{}</location>".format
lines = {"vasti": (1500, 0.13, "0.03 0.3 0", "0.05 -0.05 0"), "rect_fem": (600, 0.23, "0.05 0.4 0", "0.055 -0.05 0"),
         "hamstrings": (1200, 0.27, "-0.03 0.35 0", "-0.04 -0.06 0")}
muscles = "".join(
    f'<Thelen2003Muscle name="{name}"><max_isometric_force>{force}</max_isometric_force><optimal_fiber_length>0.15</optimal_fiber_length>'
    f'<tendon_slack_length>{slack}</tendon_slack_length><GeometryPath><PathPointSet><objects><PathPoint name="a">{place("ground", above)}'
    f'</PathPoint><PathPoint name="b">{place("bodyset/tibia", below)}</PathPoint></objects></PathPointSet></GeometryPath>'
    "</Thelen2003Muscle>" for name, (force, slack, above, below) in lines.items())  # fmt: skip
path = Path(tempfile.mkdtemp()) / "shank.osim"
path.write_text(f"""<OpenSimDocument Version="40000"><Model name="shank"><BodySet><objects><Body name="tibia"><mass>4</mass>
<mass_center>0 -0.2 0</mass_center><inertia>0.06 0.01 0.06 0 0 0</inertia></Body></objects></BodySet><JointSet><objects>
<PinJoint name="knee"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/tibia</socket_child_frame>
<coordinates><Coordinate name="angle"/></coordinates></PinJoint></objects></JointSet><ForceSet><objects>{muscles}</objects></ForceSet>
</Model></OpenSimDocument>""", encoding="utf-8")
time_s = np.arange(120) / 100.0
actuated = bid.osim.read_actuated(path).with_reserves(1.0, 50.0)
motion = bid.osim.analysed_motion(actuated.model, time_s, {"angle": 1.2 + 0.3 * np.sin(6.0 * time_s)}, in_degrees=False)

# %% Example
bands = bid.osim.force_bands(bid.static_optimisation(actuated, motion), joints=["knee"])
force, sd = bands.contact.value[:, 0], bands.contact.sd[:, 0]
figure, ax = plt.subplots()
ax.fill_between(motion.time_s, bands.contact.least[:, 0], bands.contact.most[:, 0], hatch="....", facecolor="none", label="5 % effort")
ax.fill_between(motion.time_s, force - 2 * sd, force + 2 * sd, hatch="////", facecolor="none", edgecolor="C3", label="errors, 95 %")
ax.plot(motion.time_s, force, "k", label="contact force of the knee (N)")
ax.legend()
