"""The quality rules applied to one trial: each number measured, graded and kept; cycles that were measured badly are refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion
from biomech_id.errors import Finding
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.cycles import STRIDE_LIMITS_S
from biomech_id.gait.measures.residual import ResidualTest
from biomech_id.judgement.measures import pressure_inside_percent
from biomech_id.judgement.plausibility import plausibility_findings
from biomech_id.judgement.quality import BY_CYCLE, RULES, graded, graded_cycles
from biomech_id.judgement.stretches import Reading, Stretch, Watched, stretches
from biomech_id.languages import Sentence
from biomech_id.movement.grades import Grade, QualityRow
from biomech_id.movement.movement import CalibratedModel
from biomech_id.plates.pressure_offset import heel_landings, pressure_offset_mm
from biomech_id.session.solved import Solved
from biomech_id.trial import EventKind, Markers
from biomech_id.trial.plates import plate_baseline_N

_RULE = {rule.name: rule for rule in RULES}
#: Kinds in which feet land and push off on one level, as `pressure_offset_mm` takes for granted.
LEVEL = (TrialKind.STRAIGHT, TrialKind.TURN, TrialKind.TREADMILL, TrialKind.RUN)
#: Share of the stances that have to begin on the heel for a walk's offset to be judged.
LEAST_HEEL_LANDINGS = 0.5

#: Rule that judges each cycle by itself -> what measures it, and the sentence about a cycle that does not pass.
IN_CYCLES: Mapping[str, tuple[Callable[[Watched, Stretch], Reading], str]] = {
    "gap-largest": (Watched.largest_gap_ms, "marker-missing"),
    "gap-filled": (Watched.filled_percent, "samples-filled"),
    "frames-untracked": (Watched.untracked_percent, "angles-missing"),
    "marker-rigidity": (lambda watched, at: watched.rigidity_mm(at, _RULE["marker-rigidity"].warn), "segment-not-rigid"),
    "centre-drift": (Watched.drift_mm, "bone-length-changed"),
}


def _of_feet(result: Solved, measure: Callable[..., float], **how: bool) -> float:
    """A measure of where the force acts beside the feet."""
    if result.mass_kg is None:
        return float("nan")
    ground = {"mass_kg": result.mass_kg, "floor_m": result.surfaces_m, "belts": result.belts}
    return measure(result.motion, result.shown_contacts, **ground, **how)


def _pressure_offset_mm(result: Solved) -> float:
    if result.kind not in LEVEL:
        return float("nan")
    return _of_feet(result, pressure_offset_mm, running=result.kind is TrialKind.RUN)


def _pressure_offset(result: Solved) -> tuple[float, Grade | None]:
    """The offset; not judged of a walker who does not land on the heels: where such feet press nobody has measured."""
    walks = result.kind in LEVEL and result.kind is not TrialKind.RUN
    elsewhere = walks and _of_feet(result, heel_landings) < LEAST_HEEL_LANDINGS
    return _pressure_offset_mm(result), Grade.NOT_JUDGED if elsewhere else None


def _event_lag_ms(result: Solved) -> float:
    """Median absolute lag between what cameras and plates say of the same events, ms; NaN where they share none."""
    lags = [abs(row.median_s) for row in result.agreement if {row.source, row.reference} == {"plate", "marker"}]
    return 1000.0 * float(np.median(lags)) if lags else float("nan")


#: Rule that judges a trial as a whole -> what measures it.
IN_TRIALS: Mapping[str, Callable[[Solved], float]] = {
    "plate-baseline": lambda result: plate_baseline_N(result.plates),
    "cop-inside-foot": lambda result: _of_feet(result, pressure_inside_percent),
    "event-lag": _event_lag_ms,
}


def _of_straight(grade: Grade | None, result: Solved) -> Grade | None:
    """A turn's or a run's cycles have pages of their own: only a straight walk must hold some for the means."""
    return grade if result.kind is TrialKind.STRAIGHT else Grade.NOT_JUDGED


def _stances(result: Solved) -> tuple[float, Grade | None]:
    stances = result.assignment.stances if result.assignment else ()
    accepted = sum(stance.verdict.accepted for stance in stances)
    if result.assignment is None:
        return float("nan"), None
    return float(accepted), None if accepted else Grade.NOT_MEASURED


#: Rule that does not hold for everybody's feet -> value, and its grade where that does not follow from it.
IN_SOME: Mapping[str, Callable[[Solved], tuple[float, Grade | None]]] = {"cop-offset": _pressure_offset}
#: Rule that counts what the others left -> number, and its grade where that does not follow from the number.
COUNTED: Mapping[str, Callable[[Solved], tuple[float, Grade | None]]] = {
    "cycles-used": lambda result: (float(sum(map(result.used, result.cycles))), _of_straight(None, result)),
    "cycles-refused": lambda result: (float(sum(not result.used(cycle) for cycle in result.cycles)), None),
    "stances-on-plate": _stances,
}


def _of_single(axis: int) -> Callable[[ResidualTest], float]:
    return lambda test: test.single.rms_percent[axis]


#: Quality rule about the residual -> what measures it.
OF_RESIDUAL: Mapping[str, Callable[[ResidualTest], float]] = {
    "residual-single": lambda test: test.single.size_percent,
    "residual-double": lambda test: test.phases["double"].size_percent if "double" in test.phases else float("nan"),
    "residual-fore-aft": _of_single(0),
    "residual-sideways": _of_single(1),
    "residual-vertical": _of_single(2),
    "residual-weight": lambda test: abs(test.single.mean_percent[2]),
    "residual-moment": lambda test: float(np.linalg.norm(test.single.moment_Nm_kg)),
    "residual-slope-fore-aft": lambda test: test.slope[0],
    "residual-slope-sideways": lambda test: test.slope[1],
    "residual-lag": lambda test: abs(1000.0 * test.lag_s),
}


def residual_quality(result: Solved) -> dict[str, QualityRow]:
    """Return the quality rules about the whole body's residual; none where the whole body is not tracked on plates.

    Parameters
    ----------
    result : Solved
        With its whole body.
    """
    whole = result.whole_body
    if whole is None or whole.ground is None:
        return {}
    test = whole.test
    return {
        rule: graded(result.name, rule, float("nan") if test is None else measure(test)) for rule, measure in OF_RESIDUAL.items()
    }


def grade_trial(result: Solved, measured: Markers, model: CalibratedModel, static_motion: BodyMotion | None) -> Solved:
    """Apply every rule of `judgement.quality.RULES` to a trial; return it with its grades, its bad cycles refused.

    Parameters
    ----------
    result : Solved
        The trial's results, cycles included.
    measured : Markers
        Its markers, with what was filled marked.
    model : CalibratedModel
        The calibrated model, and its static trial, which the distances are compared with.
    static_motion : BodyMotion | None
        The static trial as tracked; None without one.
    """
    static = None if model.static is None else model.static.markers
    watched = Watched(measured, result.motion, model.marker_groups, tuple(model.marker_names), static, static_motion)
    places = stretches(result.motion, result.cycles)
    readings = {rule: [measure(watched, place) for place in places] for rule, (measure, _) in IN_CYCLES.items()}
    rows = {rule: graded_cycles(result.name, rule, [reading.value for reading in readings[rule]]) for rule in BY_CYCLE}
    rows |= {rule: graded(result.name, rule, measure(result)) for rule, measure in IN_TRIALS.items()}
    rows |= {rule: graded(result.name, rule, *measure(result)) for rule, measure in IN_SOME.items()}
    rows |= residual_quality(result)
    implausible = tuple(plausibility_findings(result))
    rows["plausibility"] = graded(result.name, "plausibility", float(len(implausible)))
    noticed = [
        *_no_strides(result),
        *implausible,
        *_doubts(result.name, readings),
        *_off_segment(result.name, watched, places, readings["marker-rigidity"]),
    ]
    result = replace(_with_refused(result, readings), findings=(*result.findings, *noticed), quality=tuple(rows.values()))
    rows |= {rule: graded(result.name, rule, *count(result)) for rule, count in COUNTED.items()}
    return replace(result, quality=tuple(rows[rule.name] for rule in RULES if rule.name in rows))


def _no_strides(result: Solved) -> Iterator[Finding]:
    """Strikes of one side so near or far that no cycle is cut between them."""
    least_s, most_s = STRIDE_LIMITS_S
    for side in SIDES:
        strikes_s = [event.time_s for event in result.events if event.side == side and event.kind is EventKind.FOOT_STRIKE]
        for start_s, end_s in pairwise(strikes_s):
            if not least_s <= end_s - start_s <= most_s:
                said = {"side": side, "start_s": start_s, "end_s": end_s, "least_s": least_s, "most_s": most_s}
                yield Finding("stride-not-cut", said, result.name)


def _refused(rule: str, reading: Reading) -> bool:
    return _RULE[rule].grade(reading.value) is Grade.REJECT


def _with_refused(result: Solved, readings: Mapping[str, Sequence[Reading]]) -> Solved:
    """The trial with every cycle refused that some rule rejects, and why."""
    why: dict[tuple[str, int], list[Sentence]] = {}
    for rule, measured in readings.items():
        for reading in measured:
            cycle = reading.stretch.cycle
            if cycle is not None and _refused(rule, reading):
                why.setdefault((cycle.side, cycle.number), []).append(_sentence(rule, reading))
    cycles = tuple(
        replace(cycle, refused=True, reasons=(*cycle.reasons, *why[key])) if (key := (cycle.side, cycle.number)) in why else cycle
        for cycle in result.cycles
    )
    return replace(result, cycles=cycles)


def _sentence(rule: str, reading: Reading) -> Sentence:
    """What was measured where, of a reading that does not pass its rule."""
    limit = _RULE[rule].limit(_RULE[rule].grade(reading.value))
    said = {"value": reading.value, "limit": limit, "place": reading.place, "markers": reading.markers, "frames": reading.frames}
    return Sentence(IN_CYCLES[rule][1], said)


def _doubts(trial: str, readings: Mapping[str, Sequence[Reading]]) -> Iterator[Finding]:
    """One finding for each rule that some cycle does not pass: the worst place, and every cycle that is refused for it."""
    for rule, measured in readings.items():
        doubted = [reading for reading in measured if _RULE[rule].grade(reading.value).doubted]
        if doubted:
            worst = max(doubted, key=lambda reading: reading.value)
            refused = tuple(reading.stretch.name for reading in measured if reading.stretch.cycle and _refused(rule, reading))
            said = {"said": _sentence(rule, worst), "cycle": worst.stretch.name, "refused": refused}
            yield Finding("cycles-doubted", said, trial)


def _off_segment(trial: str, watched: Watched, places: Sequence[Stretch], rigidity: Sequence[Reading]) -> Iterator[Finding]:
    """Frames too few to refuse their cycle in which a marker is not where it was put."""
    rule = _RULE["marker-rigidity"]
    for place, reading in zip(places, rigidity, strict=True):
        if place.cycle is None or _refused(rule.name, reading):
            continue
        for off in watched.off_segment(place, rule.reject):
            said = {"cycle": place.name, "value_mm": off.value, "place": off.place, "markers": off.markers, "frames": off.frames}
            yield Finding("marker-off-segment", said, trial)


def kinetics_finding(trials: Sequence[Solved]) -> tuple[Finding, ...]:
    """What a session that has plates and ends without kinetics is warned of; nothing for any other.

    Parameters
    ----------
    trials : Sequence[Solved]
        Analysed and graded.
    """
    if not any(trial.plates for trial in trials) or any(trial.has_kinetics for trial in trials):
        return ()
    stances = [stance for trial in trials if trial.assignment for stance in trial.assignment.stances]
    if stances and all(trial.mass_kg is None for trial in trials):
        why = Sentence("no-body-mass")
    elif stances:
        refused = [stance.reason for stance in stances if not stance.verdict.accepted]
        reasons = refused or [reason for trial in trials for cycle in trial.cycles for reason in cycle.reasons]
        commonest = Counter(reason.rule for reason in reasons).most_common(1)
        why = next((reason for reason in reasons if commonest and reason.rule == commonest[0][0]), Sentence("no-stance"))
    else:
        why = Sentence("nobody-steps")
    return (Finding("session-without-kinetics", {"stances": len(stances), "why": why}),)
