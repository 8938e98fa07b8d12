"""Ways of moving by name. A further one is a file with a `GaitPattern` beside this one, and its line here."""

from __future__ import annotations

from collections.abc import Mapping

from biomech_id.sample.pattern import RUN, WALK, GaitPattern
from biomech_id.sample.patterns.curb import CURB
from biomech_id.sample.patterns.patients import HEALTHY, PATIENTS
from biomech_id.sample.patterns.ramp import RAMP
from biomech_id.sample.patterns.stairs import STAIRS_DOWN, STAIRS_UP

PATTERNS: Mapping[str, GaitPattern] = {
    "walk": WALK, "healthy": HEALTHY, "run": RUN, "stairs up": STAIRS_UP, "stairs down": STAIRS_DOWN, "ramp": RAMP,
    "curb": CURB, **PATIENTS,
}  # fmt: skip
