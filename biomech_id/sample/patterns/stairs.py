"""How stairs are climbed and descended: the foot comes down flat, it is lifted before it goes on, and lowered after.

Timing by Riener, Rabuffetti and Frigo 2002 (Gait Posture 15:32: stance 60 to 64 % of the cycle, knee flexion up to 90 to 100
degrees); the rest keeps the feet clear of the treads, within the reach of legs of rigid bones.
"""

from __future__ import annotations

from dataclasses import replace

from biomech_id.sample.pattern import WALK

_FLAT = replace(
    WALK, froude_speed=0.14, heel_pitch_rad=0.0, toe_pitch_rad=0.50, toe_rise=(0.42, 0.80), toe_fall=(0.58, 0.90),
    height=(-0.008, 0.0, 0.0, 0.0, 0.0, 0.0), surge=(0.010, 0.004, 0.0, 0.0, 0.0, 0.0), least_knee_flexion_rad=0.22,
    load_swing=0.10, deep_knees=True,
)  # fmt: skip
STAIRS_UP = replace(_FLAT, swing=(0.66, 1.02), swing_ramps=(0.45, 0.40), climb=(0.60, 0.84))
STAIRS_DOWN = replace(_FLAT, swing=(0.60, 0.90), swing_ramps=(0.35, 0.40), drop=(0.70, 1.0))
