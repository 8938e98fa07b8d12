"""How somebody walks who steps over a curb: slower, the foot is lifted at once, and lowered at the very end."""

from __future__ import annotations

from dataclasses import replace

from biomech_id.sample.pattern import WALK

CURB = replace(
    WALK, froude_speed=0.36, toe_pitch_rad=1.3, swing=(0.586, 1.0), swing_ramps=(0.453, 0.45), climb=(0.60, 0.74), drop=(0.82, 1.0),
    least_knee_flexion_rad=0.30, deep_knees=True,
)  # fmt: skip
