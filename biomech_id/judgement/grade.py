"""The quality rules applied to one trial: each number measured, graded and kept; cycles that were measured badly are refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import LAYERS_OF_MEANS, MM_PER_M, SIDES, Aspect
from biomech_id.dynamics.body import BodyMotion
from biomech_id.errors import Finding
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.cycles import STRIDE_LIMITS_S
from biomech_id.gait.measures.residual import ResidualTest
from biomech_id.judgement.measures import OUTLINE_MARGIN_M, inside_percent, stance_pressures
from biomech_id.judgement.plausibility import PlausibilityRule, with_rules
from biomech_id.judgement.quality import BODY, BY_CYCLE, RULES, graded, graded_cycles, graded_sides
from biomech_id.judgement.stretches import Reading, Stretch, Watched, stretches
from biomech_id.languages import Sentence
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.movement.grades import Grade, QualityRow, together
from biomech_id.movement.movement import CalibratedModel
from biomech_id.movement.stance import Verdict
from biomech_id.plates.pressure_offset import heel_landings, pressure_offset_mm
from biomech_id.session.solved import Solved
from biomech_id.trial import EventKind, EventSource, Markers
from biomech_id.trial.plates import plate_baseline_N
from biomech_id.trial.worn import bears_weight

M = TypeVar("M")
_RULE = {rule.name: rule for rule in RULES}
#: Kinds in which feet land and push off on one level, as `pressure_offset_mm` takes for granted.
LEVEL = (TrialKind.STRAIGHT, TrialKind.TURN, TrialKind.TREADMILL, TrialKind.RUN)
#: Kinds without cycles and without measures of their own.
UNMEASURED = (TrialKind.STATIC, TrialKind.OTHER)
#: Share of the stances that have to begin on the heel for a walk's offset to be judged.
LEAST_HEEL_LANDINGS = 0.5
#: As many stances of one side, or on one plate, have to lie outside their feet before a side is refused: one may be a marker that
#: was hidden or a foot that slipped, and what a plate or a foot model has wrong is wrong in the next stance too.
FEWEST_OUTSIDE = 2
#: Side and begin (s) of each stance that presses outside its foot -> its plates, how far outside (mm, median), and what is said.
OutsideFoot = Mapping[tuple[str, float], tuple[tuple[str, ...], float, Sentence]]

#: Rule that judges each cycle by itself -> what measures it, and the sentence about a cycle that does not pass.
IN_CYCLES: Mapping[str, tuple[Callable[[Watched, Stretch], Reading], str]] = {
    "gap-largest": (Watched.largest_gap_ms, "marker-missing"),
    "gap-filled": (Watched.filled_percent, "samples-filled"),
    "frames-untracked": (Watched.untracked_percent, "angles-missing"),
    "marker-rigidity": (lambda watched, at: watched.rigidity_mm(at, _RULE["marker-rigidity"].warn), "segment-not-rigid"),
    "centre-drift": (Watched.drift_mm, "bone-length-changed"),
}


def _of_feet(result: Solved, measure: Callable[..., M], sides: Sequence[str] = SIDES, **how: bool) -> M:
    """A measure of where the force acts beside the feet, of a trial whose body mass is known."""
    ground = {"mass_kg": result.mass_kg, "floor_m": result.surfaces_m, "belts": result.belts}
    feet = {side: foot for side, foot in result.shown_contacts.items() if side in sides}
    return measure(result.motion, feet, **ground, **how)


def _pressure_offset_mm(result: Solved, sides: Sequence[str] = SIDES) -> float:
    if result.kind not in LEVEL or result.mass_kg is None:
        return float("nan")
    return _of_feet(result, pressure_offset_mm, sides, running=result.kind is TrialKind.RUN)


def _pressure_offset(result: Solved) -> tuple[float, Grade | None]:
    """The offset; not judged of a walker who does not land on the heels: where such feet press nobody has measured."""
    walks = result.kind in LEVEL and result.kind is not TrialKind.RUN and result.mass_kg is not None
    elsewhere = walks and _of_feet(result, heel_landings) < LEAST_HEEL_LANDINGS
    return _pressure_offset_mm(result), Grade.NOT_JUDGED if elsewhere else None


def _event_lag_ms(result: Solved, sides: Sequence[str]) -> float:
    """Median absolute lag between what cameras and plates say of the same events, ms; NaN where they share none."""
    shared = {"plate", "marker"}
    lags = [abs(row.median_s) for row in result.agreement if row.side in sides and {row.source, row.reference} == shared]
    return 1000.0 * float(np.median(lags)) if lags else float("nan")


def _baseline_N(result: Solved, sides: Sequence[str]) -> float:
    """What unloaded plates read, N: every plate of the trial, or those that one side stands on."""
    stances = result.assignment.stances if result.assignment and len(sides) < len(SIDES) else ()
    under = {plate for stance in stances if stance.side in sides and stance.verdict.accepted for plate in stance.plates}
    return plate_baseline_N(plate for plate in result.plates if len(sides) == len(SIDES) or plate.name in under)


def pressures(result: Solved, sides: Sequence[str] = SIDES) -> list[tuple[str, float, FloatArray]]:
    """Return how far beyond its foot each stance presses, as of `measures.stance_pressures`; nothing without a body mass.

    Parameters
    ----------
    result : Solved
        A trial with stances.
    sides : Sequence[str], optional
        Feet that are asked about.
    """
    return [] if result.mass_kg is None else list(_of_feet(result, stance_pressures, sides))


def _inside_percent(result: Solved, sides: Sequence[str]) -> float:
    return inside_percent([beyond_m for *_, beyond_m in pressures(result, sides)])


def _outside(result: Solved) -> OutsideFoot:
    """Accepted stances that press outside their foot; not those of a verdict set by hand."""
    outside, rule = {}, _RULE["cop-inside-foot"]
    for side, middle_s, beyond_m in pressures(result):
        percent = inside_percent([beyond_m])
        for stance in result.assignment.stances if result.assignment and rule.grade(percent) is Grade.REJECT else ():
            by_rules = stance.verdict.accepted and stance.verdict is not Verdict.OVERRIDE
            if by_rules and stance.side == side and stance.start_s <= middle_s < stance.end_s:
                why = Sentence("pressure-beside-foot", {"value": percent, "limit": rule.reject})
                outside_mm = MM_PER_M * float(np.median(beyond_m[beyond_m > OUTLINE_MARGIN_M]))
                outside[side, stance.start_s] = (stance.plates, outside_mm, why)
    return outside


def _of_stances(row: QualityRow, outside: OutsideFoot) -> QualityRow:
    """The row about the centre of pressure: a side is refused where stances outside repeat, and until then doubted."""
    places = [(side, place) for (side, _), (plates, *_) in outside.items() for place in (side, *plates)]
    number = Counter(place for _, place in places)
    again = {side for side, place in places if number[place] >= FEWEST_OUTSIDE}
    by = {
        (layer, side): grade if (side in again if grade is Grade.REJECT else side not in number) else Grade.WARN
        for (layer, side), grade in row.by.items()
    }
    return row if by == row.by else graded(row.trial, row.rule, row.value, together(by.values()), by)


#: Rule about plates that judges a side as a whole -> what measures it of some sides, and why a cycle then has no kinetics.
IN_SIDES: Mapping[str, tuple[Callable[[Solved, Sequence[str]], float], str]] = {
    "plate-baseline": (_baseline_N, "plate-not-unloaded"),
    "cop-inside-foot": (_inside_percent, "pressure-beside-foot"),
    "event-lag": (_event_lag_ms, "plate-clock-apart"),
}
#: The same of rules that both feet together are judged by.
OF_BOTH: Mapping[str, str] = {"cop-offset": "pressure-elsewhere"}


def _used(result: Solved) -> int:
    """Number of cycles in the means of the trial's kind of movement, of angles or of loads."""
    return sum(any(result.counts(cycle, layer) for layer in LAYERS_OF_MEANS) for cycle in result.cycles)


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
    "cycles-used": lambda result: (float(_used(result)), _of_straight(None, result)),
    "cycles-refused": lambda result: (float(len(result.cycles) - _used(result)), None),
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
    """Return the quality rules about the whole body's residual; none where it is not tracked on plates, or an aid bears a part.

    Parameters
    ----------
    result : Solved
        With its whole body.
    """
    whole = result.whole_body
    if whole is None or whole.ground is None or bears_weight(result.aid):
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
    rows = {rule: graded_cycles(result.name, rule, _by_side(readings[rule])) for rule in BY_CYCLE}
    values = {rule: {side: measure(result, (side,)) for side in SIDES} for rule, (measure, _) in IN_SIDES.items()}
    for rule, (measure, _) in IN_SIDES.items():
        own = {side: _RULE[rule].grade(value) for side, value in values[rule].items()}
        rows[rule] = graded_sides(result.name, rule, measure(result, SIDES), own)
    outside = _outside(result)
    inside = rows["cop-inside-foot"] = _of_stances(rows["cop-inside-foot"], outside)
    values["cop-offset"] = {side: _pressure_offset_mm(result, (side,)) for side in SIDES}
    rows |= {rule: graded(result.name, rule, *measure(result)) for rule, measure in IN_SOME.items()}
    rows["cop-offset"] = _of_one_foot(rows["cop-offset"], values["cop-offset"])
    rows |= residual_quality(result)
    implausible = tuple(with_rules(result))
    rows["plausibility"] = _plausibility(result.name, implausible)
    noticed = [
        *_no_strides(result),
        *(finding for _, finding in implausible),
        *(_of_side(side, inside, outside) for side in sorted({side for side, _ in outside})),
        *_doubts(result.name, readings),
        *_off_segment(result.name, watched, places, readings["marker-rigidity"]),
    ]
    result = _with_refused(result, readings, _of_plates(rows, values), outside)
    result = replace(result, findings=(*result.findings, *noticed))
    rows |= {rule: graded(result.name, rule, *count(result)) for rule, count in COUNTED.items()}
    return replace(result, quality=tuple(rows[rule.name] for rule in RULES if rule.name in rows))


def _of_side(side: str, inside: QualityRow, outside: OutsideFoot) -> Finding:
    """What is said of the stances of one side that press outside its foot."""
    stances = [(start_s, plates[0], outside_mm) for (of, start_s), (plates, outside_mm, _) in outside.items() if of == side]
    refused = inside.by[Aspect.KINETICS, side] is Grade.REJECT
    return Finding("pressure-outside-foot", {"side": side, "stances": stances, "refused": refused}, inside.trial)


def _no_strides(result: Solved) -> Iterator[Finding]:
    """Strikes of one side so near or far that no cycle is cut between them."""
    least_s, most_s = STRIDE_LIMITS_S
    for side in SIDES:
        strikes_s = [event.time_s for event in result.events if event.side == side and event.kind is EventKind.FOOT_STRIKE]
        for start_s, end_s in pairwise(strikes_s):
            if not least_s <= end_s - start_s <= most_s:
                values = {"side": side, "start_s": start_s, "end_s": end_s, "least_s": least_s, "most_s": most_s}
                yield Finding("stride-not-cut", values, result.name)


def _refused(rule: str, reading: Reading) -> bool:
    return _RULE[rule].grade(reading.value) is Grade.REJECT


def _by_side(readings: Sequence[Reading]) -> dict[str, list[float]]:
    """Side -> values of its stretches; a whole trial's is both sides'."""
    return {side: [reading.value for reading in readings if side in reading.stretch.sides] for side in SIDES}


def _of_one_foot(row: QualityRow, values: Mapping[str, float]) -> QualityRow:
    """An offset of both feet together is one foot's where that foot alone has it, along the way, and the other has not."""
    own = {side: _RULE[row.rule].grade(value) for side, value in values.items()}
    if row.verdict is not Grade.REJECT or Grade.REJECT not in own.values():
        return row
    return graded_sides(row.trial, row.rule, row.value, own)


def _plausibility(trial: str, implausible: Sequence[tuple[PlausibilityRule, Finding]]) -> QualityRow:
    """The rule that counts what plates and markers are suspected of, by the layer and the side that each finding is about."""
    number = Counter[tuple[Aspect, str]]()
    for rule, finding in implausible:
        own = finding.values.get("side") or str(finding.values.get("variable", ""))[:1]
        number.update((layer, side) for layer in rule.layers for side in SIDES if own not in SIDES or own == side)
    by = {
        (layer, side): _RULE["plausibility"].grade(number[layer, side]) for layer in _RULE["plausibility"].layers for side in SIDES
    }
    return graded(trial, "plausibility", float(len(implausible)), by=by)


def _of_plates(rows: Mapping[str, QualityRow], values: Mapping[str, Mapping[str, float]]) -> dict[str, list[Sentence]]:
    """Side -> why its plates are not to be used."""
    why: dict[str, list[Sentence]] = {side: [] for side in SIDES}
    for rule, sentence in (*((name, sentence) for name, (_, sentence) in IN_SIDES.items()), *OF_BOTH.items()):
        for side in SIDES:
            if rows[rule].by[Aspect.KINETICS, side] is Grade.REJECT:
                value = values[rule][side] if rule in values else rows[rule].value
                why[side].append(Sentence(sentence, {"value": value, "limit": _RULE[rule].reject}))
    return why


def _with_refused(
    result: Solved,
    readings: Mapping[str, Sequence[Reading]],
    of_plates: Mapping[str, Sequence[Sentence]],
    outside: OutsideFoot,
) -> Solved:
    """The trial with what some rule rejects of every cycle refused, and why: by side, and by the stance that opens the cycle."""
    of_markers: dict[tuple[str, int], list[Sentence]] = {}
    for rule, measured in readings.items():
        for reading in measured:
            cycle = reading.stretch.cycle
            if cycle is not None and _refused(rule, reading):
                of_markers.setdefault((cycle.side, cycle.number), []).append(_sentence(rule, reading))
    by_hand = {
        (stance.side, stance.start_s)
        for stance in (result.assignment.stances if result.assignment else ())
        if stance.verdict is Verdict.OVERRIDE
    }
    cycles = []
    for cycle in result.cycles:
        why = of_markers.get((cycle.side, cycle.number), [])
        here = (cycle.side, cycle.start_s)
        side = of_plates[cycle.side] if cycle.has(Aspect.KINETICS) and here not in by_hand else []
        plates = side or ([outside[here][-1]] if cycle.has(Aspect.KINETICS) and here in outside else [])
        # A stance whose next strike lies outside has nothing but its kinetics.
        if plates and not cycle.has(Aspect.KINEMATICS):
            continue
        layers = (*(_of_markers(result, cycle) if why else ()), *((Aspect.KINETICS,) if side and not why else ()))
        valid = KineticsValid.FALSE if plates else cycle.kinetics_valid
        cycles.append(replace(cycle, refused=layers, kinetics_valid=valid, reasons=(*cycle.reasons, *plates, *why)))
    return replace(result, cycles=tuple(cycles))


def _of_markers(result: Solved, cycle: Cycle) -> tuple[Aspect, ...]:
    """What a cycle loses whose markers are refused: muscle signals too, where these markers say when it begins and ends."""
    seen = any(
        event.side == cycle.side and event.source is EventSource.MARKER and event.time_s in (cycle.start_s, cycle.end_s)
        for event in result.events
    )
    return (*BODY, Aspect.EMG) if seen else BODY


def _sentence(rule: str, reading: Reading) -> Sentence:
    """What was measured where, of a reading that does not pass its rule."""
    limit = _RULE[rule].limit(_RULE[rule].grade(reading.value))
    values = {"value": reading.value, "limit": limit, "place": reading.place, "markers": reading.markers, "frames": reading.frames}
    return Sentence(IN_CYCLES[rule][1], values)


def _doubts(trial: str, readings: Mapping[str, Sequence[Reading]]) -> Iterator[Finding]:
    """One finding for each rule that some cycle does not pass: the worst place, and every cycle that is refused for it."""
    for rule, measured in readings.items():
        doubted = [reading for reading in measured if _RULE[rule].grade(reading.value).doubted]
        if doubted:
            worst = max(doubted, key=lambda reading: reading.value)
            refused = tuple(reading.stretch.name for reading in measured if reading.stretch.cycle and _refused(rule, reading))
            values = {"said": _sentence(rule, worst), "cycle": worst.stretch.name, "refused": refused}
            yield Finding("cycles-doubted", values, trial)


def _off_segment(trial: str, watched: Watched, places: Sequence[Stretch], rigidity: Sequence[Reading]) -> Iterator[Finding]:
    """Frames too few to refuse their cycle in which a marker is not where it was put."""
    rule = _RULE["marker-rigidity"]
    for place, reading in zip(places, rigidity, strict=True):
        if place.cycle is None or _refused(rule.name, reading):
            continue
        for off in watched.off_segment(place, rule.reject):
            values = {"cycle": place.name, "value_mm": off.value, "place": off.place, "markers": off.markers, "frames": off.frames}
            yield Finding("marker-off-segment", values, trial)


def without_too_short(trials: Sequence[Solved]) -> list[Solved]:
    """The trials, those too short to hold a stride not judged by the number of their cycles, if the session has cycles elsewhere.

    From any moment on two strides' time holds a whole one: what is shorter than two of the session's own (median) need not.

    Parameters
    ----------
    trials : Sequence[Solved]
        The trials of the session, with their rules applied.
    """
    whole = {trial.name: [cycle for cycle in trial.cycles if cycle.has(Aspect.KINEMATICS)] for trial in trials}
    strides_s = [cycle.duration_s for cycles in whole.values() for cycle in cycles]
    least_s = 2.0 * float(np.median(strides_s)) if strides_s else 0.0
    judged = list(trials)
    for at, trial in enumerate(trials):
        if not whole[trial.name] and np.ptp(trial.motion.time_s) < least_s:
            row = graded(trial.name, "cycles-used", 0.0, Grade.NOT_JUDGED)
            judged[at] = replace(trial, quality=tuple(row if each.rule == row.rule else each for each in trial.quality))
    return judged


def kinetics_finding(trials: Sequence[Solved]) -> tuple[Finding, ...]:
    """What a session that has plates and ends without kinetics is warned of; nothing for any other.

    Parameters
    ----------
    trials : Sequence[Solved]
        The trials of the session, with their rules applied.
    """
    if not any(trial.plates for trial in trials) or any(trial.has_kinetics for trial in trials):
        return ()
    stances = [stance for trial in trials if trial.assignment for stance in trial.assignment.stances]
    if stances and all(trial.mass_kg is None for trial in trials):
        why = Sentence("no-body-mass")
    elif stances:
        refused = [stance.reason for stance in stances if not stance.verdict.accepted]
        of_cycles = [reason for trial in trials for cycle in trial.cycles for reason in cycle.lacks(Aspect.KINETICS)]
        # Where stances were accepted, a rule took their loads, and the cycles say which.
        reasons = of_cycles if len(refused) < len(stances) or not refused else refused
        commonest = Counter(reason.rule for reason in reasons).most_common(1)
        why = next((reason for reason in reasons if commonest and reason.rule == commonest[0][0]), Sentence("no-stance"))
    else:
        why = Sentence("nobody-steps")
    return (Finding("session-without-kinetics", {"stances": len(stances), "why": why}),)


def movement_finding(trials: Sequence[Solved]) -> tuple[Finding, ...]:
    """What a session is warned of in which no movement that is measured by cycles is recognised; nothing for any other.

    Parameters
    ----------
    trials : Sequence[Solved]
        The trials of the session.
    """
    if not trials or any(trial.kind not in UNMEASURED for trial in trials):
        return ()
    return (Finding("session-without-movement", {"trials": len(trials)}),)
