"""How patients walk, each way with one thing about it that finders of events go wrong on; what lands first is the first of it.

The foot comes down faster than in `WALK`, as a foot does, and its soft sole gives way by a few millimetres from the strike on:
the clearance ends a little after the strike. At the strike the foot still goes on at some 5 % of its speed in swing, at the off
its toes already at some 25 %: the means of 90 recorded strikes and 100 offs of a dozen laboratories. Speeds, timing and angles
lie in the ranges of Perry and Burnfield 2010 (Gait Analysis, 2nd ed., Slack), of Olney and Richards 1996 (Gait Posture 4:136,
hemiplegia) and of Morris et al. 1994 (Brain 117:1169, shuffling); rigid soles and bones bound them.
"""

from __future__ import annotations

from dataclasses import replace

from biomech_id.sample.pattern import WALK, AidTip

#: Landing and leaving as feet do it: see the file's first lines.
_STEP = replace(WALK, lift=(0.61, 1.022), lift_smoothness=3, lift_height=0.030, swing=(0.555, 1.040), swing_ramps=(0.40, 0.36))

#: Nobody's disorder: a step as above, the knee's bend in swing of the size and at the time of Schwartz et al. 2008. No patient, but
#: the walk that the virtual walkers vary and that patients can be held against.
HEALTHY = replace(
    _STEP, heel_pitch_rad=0.463, heel_fall=(0.901, 1.058), toe_pitch_rad=1.5465, toe_rise=(0.3053, 0.8383),
    toe_fall=(0.5427, 0.9515), swing=(0.5585, 1.0338), swing_ramps=(0.4138, 0.4056), lift_height=0.0225,
    least_knee_flexion_rad=0.0928,
    height=(-0.0141, -0.0005, -0.0025, 0.0015, -0.0004, 0.0003), surge=(0.0181, 0.0075, 0.0031, 0.0036, 0.0008, -0.0009),
)  # fmt: skip
#: Never on the heels: the forefoot lands and carries; stance is on the toes, the knees a little bent.
TOE_WALKER = replace(
    _STEP, froude_speed=0.34, equinus_rad=0.42, heel_pitch_rad=0.0, toe_pitch_rad=0.75, toe_rise=(0.36, 0.80),
    toe_fall=(0.60, 0.97), least_knee_flexion_rad=0.30, place=0.20, cop_travel=(-0.40, -0.08),
    height=(-0.0100, 0.0, 0.0, 0.0, 0.0, 0.0),
)  # fmt: skip
#: Weak dorsiflexors on the right: the foot hangs through swing, hip and knee lift it over the floor, and the forefoot lands first.
_DROPPED = replace(
    _STEP, heel_pitch_rad=0.0, toe_pitch_rad=1.25, toe_rise=(0.308, 0.78), toe_fall=(0.57, 1.12), swing=(0.555, 1.036),
    cop_travel=(-0.30, -0.04),
)  # fmt: skip
DROP_FOOT = replace(WALK, froude_speed=0.32, swing=(0.555, 1.0305), right=_DROPPED)
#: Worse, and on both sides: a high step, the toes land first and the heel comes down after them.
STEPPAGE = replace(
    _STEP, froude_speed=0.30, heel_pitch_rad=0.0, toe_fall=(0.62, 1.115), toe_pitch_rad=1.2, lift_height=0.080,
    least_knee_flexion_rad=0.22, cop_travel=(-0.30, -0.04),
)  # fmt: skip
#: Knees and hips bent all the time, the foot comes down flat.
CROUCH = replace(
    _STEP, froude_speed=0.30, stride=1.20, heel_pitch_rad=0.0, toe_pitch_rad=0.90, toe_rise=(0.34, 0.80), toe_fall=(0.60, 0.96),
    least_knee_flexion_rad=0.62, deep_knees=True, height=(-0.0080, 0.0, 0.0, 0.0, 0.0, 0.0), cop_travel=(-0.12, 0.30),
)  # fmt: skip
#: The knees bend too little in swing, and the foot clears the floor by millimetres.
STIFF_KNEE = replace(
    _STEP, swing=(0.555, 1.030), froude_speed=0.26, stride=1.10, heel_pitch_rad=0.20, toe_pitch_rad=0.62, toe_rise=(0.36, 0.76),
    toe_fall=(0.56, 0.92), lift_height=0.012, least_knee_flexion_rad=0.12, height=(-0.0110, 0.0, 0.0, 0.0, 0.0, 0.0),
)  # fmt: skip
#: Flat feet that hardly leave the floor, at 0.4 m/s.
SHUFFLE = replace(
    _STEP, froude_speed=0.1326, stride=0.62, foot_off=0.68, heel_pitch_rad=0.0, toe_pitch_rad=0.22, toe_rise=(0.44, 0.80),
    toe_fall=(0.66, 0.95), swing=(0.628, 1.030), swing_ramps=(0.38, 0.34), lift=(0.67, 1.018), lift_height=0.014, place=0.28,
    least_knee_flexion_rad=0.30, height=(-0.0030, 0.0, 0.0, 0.0, 0.0, 0.0), surge=(0.004, 0.002, 0.0, 0.0, 0.0, 0.0),
    tilt_rad=0.25, rotation_rad=0.03, obliquity_rad=0.02, load_swing=0.05, cop_travel=(-0.12, 0.34),
)  # fmt: skip
#: The right side is paretic: a stiff knee, a foot that lands on its forefoot, a short stance; the left leg hurries past it.
_SOUND = replace(
    _STEP, froude_speed=0.21, stride=1.00, foot_off=0.71, toe_rise=(0.42, 0.86), toe_fall=(0.68, 0.965), toe_pitch_rad=1.0,
    heel_pitch_rad=0.30, swing=(0.661, 1.024), swing_ramps=(0.38, 0.36), lift=(0.70, 1.018), place=0.28, cop_travel=(-0.05, 0.42),
    least_knee_flexion_rad=0.20, height=(-0.0060, 0.0, 0.0, 0.0, 0.0, 0.0), surge=(0.010, 0.004, 0.0, 0.0, 0.0, 0.0),
    load_swing=0.08,
)  # fmt: skip
_PARETIC = replace(
    _SOUND, foot_off=0.61, heel_pitch_rad=0.0, toe_pitch_rad=0.42, toe_rise=(0.36, 0.72), toe_fall=(0.62, 1.115), lift_height=0.022,
    swing=(0.547, 1.046), swing_ramps=(0.36, 0.38), lift=(0.60, 1.020), place=0.27, cop_travel=(-0.30, -0.03),
    knee_rotation_rad=0.02,
)  # fmt: skip
HEMIPLEGIC = replace(_SOUND, right=_PARETIC, right_strike=0.56)

_SLOW = replace(
    _STEP, froude_speed=0.19, stride=0.95, foot_off=0.67, toe_rise=(0.40, 0.84), toe_fall=(0.65, 0.96), toe_pitch_rad=0.9,
    heel_pitch_rad=0.22, swing=(0.615, 1.026), swing_ramps=(0.38, 0.36), lift=(0.66, 1.018), place=0.27, cop_travel=(-0.05, 0.38),
    least_knee_flexion_rad=0.20, height=(-0.0060, 0.0, 0.0, 0.0, 0.0, 0.0), surge=(0.008, 0.004, 0.0, 0.0, 0.0, 0.0),
    load_swing=0.08,
)  # fmt: skip
#: Two crutches, each set down with the foot of the other side.
CRUTCHES = replace(_SLOW, aids=(
    AidTip("left crutch", (0.46, 1.12), ahead=0.06, aside=0.32, share=0.20),
    AidTip("right crutch", (-0.04, 0.62), ahead=0.06, aside=-0.32, share=0.20),
))  # fmt: skip
#: A walker that is lifted ahead once a stride, while both feet stand.
WALKER = replace(_SLOW, froude_speed=0.13, stride=0.70, aids=tuple(
    AidTip(f"{side} {end} tip", (-0.30, 0.52), ahead=ahead, aside=aside, share=share)
    for side, aside in (("left", 0.33), ("right", -0.33)) for end, ahead, share in (("front", 0.55, 0.09), ("rear", 0.05, 0.06))
))  # fmt: skip

PATIENTS = {
    "toe walker": TOE_WALKER, "drop foot": DROP_FOOT, "steppage": STEPPAGE, "crouch": CROUCH, "stiff knee": STIFF_KNEE,
    "shuffle": SHUFFLE, "hemiplegic": HEMIPLEGIC, "crutches": CRUTCHES, "walker": WALKER,
}  # fmt: skip
