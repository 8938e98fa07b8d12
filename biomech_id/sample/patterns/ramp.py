"""How somebody walks on a ramp: as on level ground, with the knees a little more bent.

A leg of rigid bones that is nearly straight moves its knee in no time; recorded at 100 pictures a second that would be lost.
"""

from __future__ import annotations

from dataclasses import replace

from biomech_id.sample.pattern import WALK

RAMP = replace(WALK, least_knee_flexion_rad=0.18)
