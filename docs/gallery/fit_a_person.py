"""Fit a person

Lengths of a leg from markers alone, with bands: the person's true lengths, which nobody measured, lie in them.
"""

# %% What you have
import biomech_id as bid
from pathlib import Path
import numpy as np
import tempfile
# Body -> the body above, where its joint lies there, the joint, and its markers in front of, behind and beside the bone.
chain = {"pelvis": ("", "0 0 0", "Free"), "femur_r": ("pelvis", "-0.07 -0.07 0.08", "Pin"),
         "tibia_r": ("femur_r", "0 -0.40 0", "Pin"), "talus_r": ("tibia_r", "0 -0.43 0", "Pin")}
turns = {"femur_r": "hip_flexion_r", "tibia_r": "knee_angle_r", "talus_r": "ankle_angle_r"}
spots = {"pelvis": "0.02 0.03 0.13,0.02 0.03 -0.13,-0.16 0.03 0.05,-0.16 0.03 -0.05", "femur_r": "0 -0.40 0.05,0 -0.40 -0.05,0.07 -0.2 0.02",
         "tibia_r": "0 -0.42 0.04,0 -0.41 -0.04,0.04 -0.2 0.02", "talus_r": "-0.06 -0.03 0,0.14 -0.03 0.04,0.14 -0.03 -0.05"}
frame = "<PhysicalOffsetFrame name='a'><socket_parent>{}</socket_parent><translation>{}</translation></PhysicalOffsetFrame>"
bodies = "".join(f"<Body name='{name}'><mass>4</mass><mass_center>0 -0.1 0</mass_center><inertia>.1 .1 .1 0 0 0</inertia></Body>"
                 for name in chain)
joints = "".join(f"<{kind}Joint name='to_{name}'><socket_parent_frame>a</socket_parent_frame><socket_child_frame>/bodyset/{name}"
                 f"</socket_child_frame><frames>{frame.format(f'/bodyset/{above}' if above else '/ground', at)}</frames><coordinates>"
                 + "".join(f"<Coordinate name='{turns.get(name, f'root_{k}')}'/>" for k in range(1 if kind == "Pin" else 6))
                 + f"</coordinates></{kind}Joint>" for name, (above, at, kind) in chain.items())
markers = "".join(f"<Marker name='{name}_{k}'><socket_parent_frame>/bodyset/{name}</socket_parent_frame><location>{spot}</location>"
                  f"<fixed>{str(k != 2).lower()}</fixed></Marker>" for name, own in spots.items() for k, spot in enumerate(own.split(",")))
generic = Path(tempfile.mkdtemp()) / "leg.osim"
generic.write_text(f"<OpenSimDocument Version='40000'><Model name='leg'><BodySet><objects>{bodies}</objects></BodySet><JointSet><objects>"
                   f"{joints}</objects></JointSet><MarkerSet><objects>{markers}</objects></MarkerSet></Model></OpenSimDocument>",
                   encoding="utf-8")
# A step of somebody whose thigh is 8 % longer and whose shank is 3 % shorter; laboratory axes have Z up, the model's Y.
person = bid.osim.Skeleton(bid.scale(generic, {"femur_r": 1.08, "tibia_r": 0.97}))
phase = np.linspace(0.0, 2.0 * np.pi, 60)
angle = dict(zip(turns.values(), (0.5 * np.sin(phase), -0.5 + 0.4 * np.cos(phase), 0.2 * np.sin(2.0 * phase)), strict=True))
q = np.stack([angle.get(name, np.zeros(60)) for name in person.coordinates], axis=1)
places = person.markers(q)[..., [0, 2, 1]] * [1, -1, 1] + np.random.default_rng(1).normal(scale=0.002, size=(60, 13, 3))
names = [marker.name for marker in person.model.markers]
step = bid.Trial.from_arrays({name: places[:, k] for k, name in enumerate(names)}, 60.0)

# %% Example
fitted = bid.fit(generic, [step])
true_mm = {"thigh_r": 1.08 * 400, "shank_r": 0.97 * 430}
for name, (length_m, sd_m) in fitted.lengths_m.items():
    print(f"{name}: {1e3 * length_m:.0f} ± {1.96 * 1e3 * sd_m:.0f} mm (95 %), in truth {true_mm[name]:.0f} mm")
for body, factor, shown in zip(fitted.bodies, fitted.factors, fitted.data_share > 0.3, strict=True):
    print(body, [f"{x:.2f}" if known else "people's mean" for x, known in zip(factor, shown, strict=True)])
