"""People who walk without a gait disorder, each in a way of their own: a norm of virtual walkers, and whoever is asked against it.

Pace, timing, the rockers of the foot, the knee's bend, the pelvis, the foot's turn, body height and where an examiner put the thigh
wand are drawn anew for each. How far people differ is set so that limbs scatter as those of healthy people do; it measures nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from biomech_id.sample.pattern import GaitPattern
from biomech_id.sample.patterns.patients import HEALTHY
from biomech_id.sample.subject import BODIES, VirtualSubject, virtual_subject

#: Field of the pattern -> one SD between people, as a share of its value; nobody differs by more than two.
_SHARES = {
    "froude_speed": 0.08, "heel_pitch_rad": 0.10, "toe_pitch_rad": 0.05, "tilt_rad": 0.30, "tilt_swing_rad": 0.15,
    "obliquity_rad": 0.22, "rotation_rad": 0.30, "knee_rotation_rad": 0.25, "least_knee_flexion_rad": 0.30,
}  # fmt: skip
_MOST_SDS = 2.0
#: SD of body height (share), of the foot's turn and of the thigh wand (rad).
_HEIGHT, _TOE_OUT_RAD, _WAND_RAD = 0.05, 0.06, 0.05
#: SD of the foot off and of how far the right one differs from the left, and of the right foot's strike: shares of the cycle.
_FOOT_OFF, _FOOT_OFF_APART, _STRIKE = 0.010, 0.007, 0.006


def walkers(
    count: int, *, seed: int = 1, body: Literal["adult", "child"] = "adult", speeds: Sequence[float] = (1.0,)
) -> list[VirtualSubject]:
    """Return people who walk without a gait disorder, a plate under every footstep.

    Parameters
    ----------
    count : int
        How many people are made.
    seed : int, optional
        Equal seeds give equal people.
    body : str, optional
        Whose proportions they have: "adult" or "child".
    speeds : Sequence[float], optional
        How fast they walk, of a comfortable speed, one after the other.

    Returns
    -------
    list[VirtualSubject]
        ``count`` people, each with a body of its own.
    """
    rng = np.random.default_rng(seed)

    def drawn(sd: float) -> float:
        return float(sd * np.clip(rng.standard_normal(), -_MOST_SDS, _MOST_SDS))

    people = []
    for number in range(count):
        shares = {name: 1.0 + drawn(sd) for name, sd in _SHARES.items()}
        shares["froude_speed"] *= speeds[number % len(speeds)]
        mass_kg, height_m, age_years = BODIES[body]
        taller, turned = 1.0 + drawn(_HEIGHT), drawn(_TOE_OUT_RAD)
        left = _leaving_later(
            replace(HEALTHY, **{name: getattr(HEALTHY, name) * share for name, share in shares.items()}), drawn(_FOOT_OFF)
        )
        pattern = replace(left, right=_leaving_later(left, drawn(_FOOT_OFF_APART)), right_strike=0.5 + drawn(_STRIKE))
        people.append(virtual_subject(
            body=body, pattern=pattern, plates="steps", code=f"walker {number + 1:02d}", seed=number,
            mass_kg=mass_kg * taller**3, height_m=height_m * taller, age_years=age_years,
            toe_out_rad=(0.105 + turned, 0.140 + turned + drawn(_TOE_OUT_RAD / 2.0)),
            variant="violating", knee_width_error_m=0.0, ankle_roll_rad=0.0, wand_offset_rad=drawn(_WAND_RAD),
        ))  # fmt: skip
    return people


def _leaving_later(pattern: GaitPattern, share: float) -> GaitPattern:
    """The same steps with a stance that is longer by a share of the cycle, and a swing that is shorter by it."""
    began = ("toe_rise", "toe_fall", "swing", "lift", "ankle_turn_rise")
    spans: dict[str, Any] = {name: (getattr(pattern, name)[0] + share, getattr(pattern, name)[1]) for name in began}
    return replace(pattern, foot_off=pattern.foot_off + share, **spans)
