"""The whole body of a trial: momentum, residual, stability, energy, trunk and arms, where trunk, head and arms are tracked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.algebra.vectors import matvec
from biomech_id.anatomy import Part
from biomech_id.conventions import SIDES
from biomech_id.dynamics.momentum import BodyMomentum, body_momentum, ground_of
from biomech_id.errors import Finding
from biomech_id.feet.floor import Belts
from biomech_id.feet.landmarks import Landmarks
from biomech_id.feet.movements import TrialKind
from biomech_id.feet.travel import Travel
from biomech_id.gait.measures.energy import energy_parameters, mechanical_energy
from biomech_id.gait.measures.residual import PROGRESSION_AXES, RESIDUAL_CUTOFF_HZ, ResidualTest, judge_residual
from biomech_id.gait.measures.spatiotemporal import GaitParameter
from biomech_id.gait.measures.stability import Stability, margins_of_stability, stability_parameters
from biomech_id.gait.measures.trunk_and_arms import (
    angular_momentum_parameters,
    arm_swing_parameters,
    excursion_parameters,
    trunk_parameters,
)
from biomech_id.languages import Sentence
from biomech_id.plates.steps import told_by_steps
from biomech_id.session.solved import Solved
from biomech_id.session.values.whole_body import WholeBodyResult
from biomech_id.signal.filters import lowpass
from biomech_id.trial.worn import bears_weight

#: Movements whose margins of stability mean something: on one level, straight ahead.
STRAIGHT_AHEAD = (TrialKind.STRAIGHT, TrialKind.TREADMILL)
#: Slower than this nobody's angular momentum is divided by the speed, m/s.
LEAST_SPEED_M_S = 0.2
#: Markers on the edges of a foot: edge of `gait.measures.stability.EDGES` -> its role.
_EDGE_ROLES = {"ankle": "lateral_malleolus", "metatarsal_5": "metatarsal_5"}


def with_whole_body(result: Solved, landmarks: Landmarks, travel: Travel) -> Solved:
    """Return a trial with what its whole body says; as it is where part of the body has no mass.

    Parameters
    ----------
    result : Solved
        Solved and cut into cycles.
    landmarks : Landmarks
        Its pelvis and feet.
    travel : Travel
        How it moves through the laboratory.
    """
    motion = result.motion
    if motion.whole is None or motion.rate_hz <= 2 * RESIDUAL_CUTOFF_HZ or result.mass_kg is None:
        return result
    body = body_momentum(motion.whole.segments, motion.whole.motions)
    ground = ground_of(result.contacts).with_further(result.extra) if set(result.contacts) == set(SIDES) else None
    test = None
    if ground is not None and result.kind.walking:
        test = judge_residual(body, ground, result.feet_on_floor, motion.progression_R_lab, motion.rate_hz)
    velocity = lowpass(body.com_velocity_lab_m_s, motion.rate_hz, RESIDUAL_CUTOFF_HZ)
    height = body.com_lab_m[:, 2] - result.floor_m
    over_floor = velocity - _mean_belt(result.belts)
    energy = mechanical_energy(height, over_floor, motion.progression_R_lab, result.contacts, result.mass_kg)
    stability = _stability(result, body, velocity, landmarks, travel) if _stands_on_feet(result, test) else None
    whole = WholeBodyResult(motion.rate_hz, motion.progression_R_lab, body, energy, ground, test, stability)
    parameters = tuple(_parameters(result, whole, travel.speed_m_s))
    # What an aid bears is no fault of mass, plates or clocks.
    findings = tuple(residual_findings(None if bears_weight(result.aid) else test, result.mass_kg, result.name))
    return replace(result, whole_body=whole, parameters=(*result.parameters, *parameters), findings=(*result.findings, *findings))


def _mean_belt(belts: Belts) -> FloatArray:
    """Mean velocity (3,) of the belts, m/s, laboratory axes; zero over ground."""
    if not belts:
        return np.zeros(3)
    return np.append(np.mean([belt.mean_lab_m_s for belt in belts.values()], axis=0), 0.0)


def _stands_on_feet(result: Solved, test: ResidualTest | None) -> bool:
    """Whether margins of stability are those of somebody who walks straight ahead and leans on nothing, as far as plates tell."""
    leans = test is not None and "weight" in test.causes and test.single.mean_percent[2] < 0
    stances = result.assignment.stances if result.assignment else ()
    leans |= any(stance.reason.rule == "force-beside-foot" for stance in stances)
    leans |= any(finding.rule == "stance-light" for finding in result.findings) or bool(result.extra) or bears_weight(result.aid)
    return result.kind in STRAIGHT_AHEAD and not leans


def _stability(
    result: Solved, body: BodyMomentum, velocity_lab_m_s: FloatArray, landmarks: Landmarks, travel: Travel
) -> Stability | None:
    """Margins to the edges that are marked; None where no ankle marker says how long the pendulum is."""
    markers, roles = result.markers, result.motion.roles
    if markers is None or not np.isfinite(travel.direction_lab).all():
        return None
    edges = {
        (side, edge): markers[roles[side, role]]
        for side in SIDES
        for edge, role in _EDGE_ROLES.items()
        if roles.get((side, role)) in markers.names
    }
    if not any(edge == "ankle" for _, edge in edges):
        return None
    edges |= {(side, "toe"): landmarks.toe_lab_m[side] for side in landmarks.sides}
    return margins_of_stability(
        body.com_lab_m, velocity_lab_m_s, edges, travel.direction_lab, belts=result.belts, time_s=result.motion.time_s
    )


def _parameters(result: Solved, whole: WholeBodyResult, speed_m_s: float) -> Iterator[GaitParameter]:
    cycles, time_s = result.cycles, result.motion.time_s
    if whole.stability is not None:
        yield from stability_parameters(whole.stability, cycles, time_s)
    if result.kind in STRAIGHT_AHEAD:
        yield from excursion_parameters(matvec(whole.R_progression_lab, whole.momentum.com_lab_m), cycles, time_s)
        if speed_m_s > LEAST_SPEED_M_S:
            yield from angular_momentum_parameters(whole.spin_m2_s / (speed_m_s * whole.mean_height_m), cycles, time_s)
    if result.kind.walking:
        of_energy = energy_parameters(whole.energy, cycles, time_s)
        # On a turn no axis of the laboratory is forward, and on stairs energy is not exchanged but spent.
        yield from (row for row in of_energy if result.kind in STRAIGHT_AHEAD or row.parameter != "energy_recovery")


def with_trunk_and_arms(result: Solved) -> Solved:
    """Return a trial with lean and sway of its trunk and the swing of its arms, as far as they are tracked.

    Parameters
    ----------
    result : Solved
        The trial, cut into cycles.
    """
    angles, time_s = result.motion.joint_angles_rad, result.motion.time_s
    # The thorax' own angle leans away from the side it is named for, the spine's towards it.
    # Against the laboratory it is measured across its axis of progression, which a turn leaves.
    straight = result.kind in STRAIGHT_AHEAD
    lean = {(side, "laboratory"): -angles[side, "thorax"][:, 1] for side in SIDES if straight and (side, "thorax") in angles}
    lean |= {(side, "pelvis"): angles[side, "spine"][:, 1] for side in SIDES if (side, "spine") in angles}
    swing = {side: angles[side, "shoulder"][:, 0] for side in SIDES if (side, "shoulder") in angles}
    if not (lean or swing) or not result.kind.walking:
        return result
    trunk, arms = trunk_parameters(lean, result.cycles, time_s), arm_swing_parameters(swing, result.cycles, time_s)
    return replace(result, parameters=(*result.parameters, *trunk, *arms))


def with_plate_steps(result: Solved, landmarks: Landmarks, travel: Travel) -> Solved:
    """Return a trial with the steps that tell where its plates stand; as it is where a foot lacks a heel or a toe marker.

    Parameters
    ----------
    result : Solved
        With its whole body, if that is tracked.
    landmarks : Landmarks
        Its pelvis and feet.
    travel : Travel
        How it moves through the laboratory.
    """
    roles = result.motion.roles
    if result.assignment is None or not all((side, role) in roles for side in landmarks.sides for role in ("heel", "toe")):
        return result
    whole = None if result.whole_body is None else (result.whole_body.momentum, result.contacts)
    steps, silent = told_by_steps(result.name, landmarks, travel, result.assignment.stances, result.plates, whole=whole)
    return replace(result, plate_steps=tuple(steps), plates_silent=tuple(silent))


#: First word of a cause of `ResidualTest` -> the rule that says it.
_SAYS = {"weight": "residual-weight", "sign": "residual-sign", "clock": "residual-clock", "size": "residual-size"}


def residual_findings(test: ResidualTest | None, body_mass_kg: float, trial: str) -> Iterator[Finding]:
    """What the residual accuses, each with its numbers.

    Parameters
    ----------
    test : ResidualTest | None
        What the residual says; None where it was not judged.
    body_mass_kg : float
        That of the subject.
    trial : str
        Name of the trial in the findings.
    """
    for cause in test.causes if test else ():
        assert test is not None
        vertical = test.single.mean_percent[2]
        kind, _, axis = cause.partition("-")
        slope = test.slope[PROGRESSION_AXES.index(axis)] if axis else float("nan")
        fitting_kg = body_mass_kg * (1.0 + vertical / 100.0)
        numbers = {
            "percent": abs(vertical), "size_percent": test.single.size_percent, "mass_kg": body_mass_kg, "fitting_kg": fitting_kg,
            "frames": test.single.frames, "axis": axis, "slope": slope, "lag_ms": 1000.0 * test.lag_s,
            "more": "more" if vertical > 0 else "less", "late": "late" if test.lag_s > 0 else "early",
        }  # fmt: skip
        yield Finding(_SAYS[kind], numbers, trial)


def whole_body_findings(results: Sequence[Solved]) -> tuple[Finding, ...]:
    """Say once what part of the body is left out, so that nothing is computed of the whole of it.

    Parameters
    ----------
    results : Sequence[Solved]
        The trials of a session.
    """
    by_lack: dict[tuple[str, ...], list[str]] = {}
    for result in results:
        if result.motion.whole is None:
            by_lack.setdefault(parts_left_out(result.motion.motions), []).append(result.name)
    return tuple(
        Finding(
            "no-whole-body", {"parts": tuple(map(_left_out, parts)), "trials": () if len(names) == len(results) else tuple(names)}
        )
        for parts, names in by_lack.items()
    )


_LEFT_OUT = {"trunk": "left-out-trunk", "head": "left-out-head", "arms": "left-out-arms"}


def _left_out(part: str) -> Sentence:
    return Sentence("left-out-arm", {"side": part}) if part in SIDES else Sentence(_LEFT_OUT[part])


def parts_left_out(tracked: Iterable[Part]) -> tuple[str, ...]:
    """Return which parts above the hips are not tracked: "trunk", "head", "arms", or the side of a single arm.

    Parameters
    ----------
    tracked : Iterable[Part]
        Parts that are tracked.

    Examples
    --------
    >>> from biomech_id.pipeline.whole_body import parts_left_out
    >>> arm = [("L", name) for name in ("humerus", "radius", "hand")]
    >>> parts_left_out([("", "thorax"), *arm])
    ('head', 'R')
    """
    seen = set(tracked)
    arms = [side for side in SIDES if not {(side, name) for name in ("humerus", "radius", "hand")} <= seen]
    middle = [word for word, name in (("trunk", "thorax"), ("head", "head")) if ("", name) not in seen]
    return (*middle, *(("arms",) if len(arms) == len(SIDES) else arms))
