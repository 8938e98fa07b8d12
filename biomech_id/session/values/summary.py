"""``summary.json``: who walked, with which model, what became of every trial and every cycle, and why."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from biomech_id._version import __version__
from biomech_id.conventions import MM_PER_M, SCHEMA, SIDES, Aspect
from biomech_id.dynamics.body import BodyMotion
from biomech_id.errors import Severity
from biomech_id.feet.floor import NO_BELTS, Belts
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.events import Agreement
from biomech_id.gait.review import decision_records
from biomech_id.languages import WRITTEN, Sentence, worded
from biomech_id.models.registry import body_model
from biomech_id.movement.cycle import Cycle
from biomech_id.movement.grades import Grade, rule_sentence
from biomech_id.session.session import Session
from biomech_id.session.solved import Solved
from biomech_id.session.tables.clinical import MOMENT_AXES
from biomech_id.session.tables.cycle_table import planted_foot, walked_direction
from biomech_id.session.tables.extrema import event_percents
from biomech_id.session.tables.session_tables import finding_records, in_means
from biomech_id.session.values.norm import norm_note
from biomech_id.session.values.verdicts import Verdicts, session_verdicts, trial_verdicts
from biomech_id.trial import Event, ForcePlate, Subject
from biomech_id.trial.plates import plate_baseline_N

#: What a cover or a methods page says of the subject; calibration measurements are in ``calibration.json``.
SUBJECT_FIELDS = (
    "code", "session_date", "birth_date", "age_years", "sex", "condition", "mass_kg", "height_m", "leg_length_m", "knee_width_m",
    "ankle_width_m", "marker_diameter_m", "foot_flat",
)  # fmt: skip


def session_summary(session: Session) -> dict[str, Any]:
    """Return ``summary.json`` (its keys are listed in `Tables`).

    Parameters
    ----------
    session : Session
        The session after judging, before it is written.
    """
    moment_axes = body_model(session.model).axes.moment_axes
    return {
        "schema": SCHEMA,
        "version": __version__,
        "subject": subject_record(session.person),
        "model": session.model,
        "kinetics": session.kinetics,
        "fingerprint": session.fingerprint,
        "recipe": dict(session.recipe),
        "error_sizes": dict(session.error_sizes) or None,
        "axes": str(moment_axes),
        "moment_axes": MOMENT_AXES[moment_axes],
        "static": {"file": session.static_file, "name": session.static_name, "frames": session.static_frames},
        "verdict": str(session.grade),
        "verdicts": _verdicts(session_verdicts(session)),
        "sentence": verdict_sentence(session),
        "complaints": list(complaints_of(session)),
        "conditions": list(dict.fromkeys(trial.condition for trial in session.movements)),
        "norm": norm_note(session.fitted_norm.table, session.fitted_norm.people) if session.fitted_norm is not None else None,
        "clinic": {name: dict(keys) for name, keys in session.clinic.items()} or None,
        "review": {"file": session.review.file, "decisions": decision_records(session.review)} if any(session.review) else None,
        "plates": dict(session.plates) or None,
        "trials": [trial_summary(trial, trial_verdicts(trial, session.muscle_signals)) for trial in session.movements],
        "failed": [{"file": failure.file, "error": failure.sentence} for failure in session.failures],
        "findings": finding_records(session.session_findings),
    }


def verdict_sentence(session: Session, language: str = WRITTEN) -> str:
    """Return the verdict of the whole session in one line, naming every trial that is not simply accepted.

    Parameters
    ----------
    session : Session
        The session after judging, with its failures.
    language : str, optional
        Language of the words: one of `languages.LANGUAGES`.
    """
    if not session.movements and session.muscle_signals.present:
        return worded("session-of-muscles", {"trials": [one.trial for one in session.muscle_signals.trials]}, language)
    if not session.movements:
        return worded("session-of-nothing", {}, language)
    named = {
        str(grade).replace(" ", "_"): [trial.name for trial in session.movements if trial.verdict is grade]
        for grade in (Grade.WARN, Grade.REJECT, Grade.NOT_MEASURED, Grade.NOT_JUDGED)
    }
    named |= {"failed": [failure.file for failure in session.failures]}
    named |= {"bare": [trial.name for trial in session.movements if not trial.has_kinetics]}
    count = len(session.movements)
    values = {"trials": count, "accepted": sum(trial.verdict is Grade.ACCEPT for trial in session.movements)}
    values |= {f"n_{name}": len(names) for name, names in named.items()}
    return worded("session-verdict", {**values, **named, "every_bare": len(named["bare"]) == count}, language)


def complaints_of(session: Session, language: str = WRITTEN) -> tuple[str, ...]:
    """Return one sentence for each thing that somebody should look at: the run then ends with exit code 3.

    Parameters
    ----------
    session : Session
        The session after judging, with its failures.
    language : str, optional
        Language of the words: one of `languages.LANGUAGES`; why a file was refused is said in English.
    """
    complaints = [failure.sentence if failure.names_file else f"{failure.file}: {failure.sentence}" for failure in session.failures]
    if not session.movements and session.static_file:
        complaints.append(worded("session-of-static", {"file": session.static_file}, language))
    for where, findings in (("", session.session_findings), *((t.name + ": ", t.findings) for t in session.movements)):
        complaints += [where + finding.text(language) for finding in findings if finding.severity is not Severity.INFO]
    for trial in session.movements:
        # Of a cycle that did not pass, and of the whole body, a finding says more.
        rows = [row for row in trial.quality if not row.explained_by_findings]
        complaints += [f"{trial.name}: {sentence}." for row in rows if (sentence := rule_sentence(row, language))]
    return tuple(complaints)


def _verdicts(verdicts: Verdicts) -> dict[str, Any]:
    return {str(layer): {side: one.to_dict() for side, one in sides.items()} for layer, sides in verdicts.items()}


def trial_summary(trial: Solved, verdicts: Verdicts) -> dict[str, Any]:
    """Return what ``summary.json`` says of one trial.

    Parameters
    ----------
    trial : Solved
        The trial as it was analysed and judged.
    verdicts : Verdicts
        Verdicts on its layers and sides, as of `trial_verdicts`.
    """
    motion = trial.motion
    return {
        "name": trial.name,
        "file": trial.file,
        "kind": str(trial.kind),
        "condition": trial.condition,
        "aid": trial.aid,
        "footwear": trial.footwear,
        "static": trial.static,
        "rate_hz": motion.rate_hz,
        "first_frame": motion.first_frame,
        "n_frames": motion.n_frames,
        "bandwidth": trial.bandwidth,
        "verdict": str(trial.verdict),
        "verdicts": _verdicts(verdicts),
        "kinetics": trial.has_kinetics,
        "reasons": [sentence for sentence in map(rule_sentence, trial.quality) if sentence],
        "progression": _progression(motion, trial.belts),
        "belts": {
            side: {"time_s": belt.time_s, "velocity_m_s": belt.velocity_lab_m_s} for side, belt in sorted(trial.belts.items())
        },
        "events": [_event(event) for event in trial.events],
        "cycles": [cycle_summary(cycle, trial) for cycle in trial.cycles],
        "event_agreement": [_agreement(row) for row in trial.agreement],
        "residual": _residual(trial),
        "residuals": {name: dict(values) for name, values in trial.residuals.items()},
        "plates": [_plate(plate) for plate in trial.plates],
        "foot_outline_mm": foot_outlines_mm(motion, trial.cycles, trial.belts),
        **_history(trial.history),
        "findings": finding_records(trial.findings),
    }


def cycle_summary(cycle: Cycle, trial: Solved) -> dict[str, Any]:
    """Return what ``summary.json`` says of one cycle.

    Parameters
    ----------
    cycle : Cycle
        A cycle of the trial.
    trial : Solved
        The trial as it was analysed and judged.
    """
    layers = {str(layer): _counted(cycle, trial, layer) for layer in Aspect}
    return {
        "side": cycle.side,
        "cycle": cycle.number,
        "start_s": cycle.start_s,
        "end_s": cycle.end_s,
        "foot_off_s": cycle.foot_off_s,
        "opposite_off_s": cycle.opposite_off_s,
        "opposite_strike_s": cycle.opposite_strike_s,
        **event_percents(cycle),
        "kinetics_valid": str(cycle.kinetics_valid),
        **layers,
        **in_means(layers, straight=trial.kind is TrialKind.STRAIGHT),
        "sound": Aspect.KINEMATICS not in cycle.refused if cycle.chosen is None else cycle.chosen,
        "sound_by_rules": Aspect.KINEMATICS not in cycle.refused,
        "reason": cycle.reason,
        "reasons": [reason.to_dict() for reason in cycle.reasons],
    }


def _counted(cycle: Cycle, trial: Solved, layer: Aspect) -> dict[str, Any]:
    """Whether one layer of a cycle is in the means, and the rules that say why not."""
    counts = trial.counts(cycle, layer)
    why = [] if counts else list(dict.fromkeys(reason.rule for reason in cycle.lacks(layer)))
    return {"counts": counts, "by_rules": trial.counts(cycle, layer, by_rules=True), "has": cycle.has(layer), "reasons": why}


def foot_outlines_mm(motion: BodyMotion, cycles: Iterable[Cycle], belts: Belts = NO_BELTS) -> dict[str, Any]:
    """Return side -> names and points (mm) of the foot's outline in the axes of ``FootCentreOfPressure``, averaged over cycles.

    Parameters
    ----------
    motion : BodyMotion
        Poses of the tracked body, with the feet's outlines.
    cycles : Iterable[Cycle]
        Cycles of the trial.
    belts : Belts, optional
        Side -> belt under that foot; empty over ground.
    """
    of_sides: dict[str, list[Any]] = {side: [] for side in SIDES}
    for cycle in cycles:
        planted = planted_foot(motion, cycle, belts)
        if planted is not None:
            of_sides[cycle.side].append(planted.outline_m)
    names = list(motion.foot_outline_names)
    return {
        side: {"names": names, "points": np.mean(outlines, axis=0) * MM_PER_M} for side, outlines in of_sides.items() if outlines
    }


def subject_record(subject: Subject) -> dict[str, Any]:
    """Return what ``summary.json`` says of the subject.

    Parameters
    ----------
    subject : Subject
        Person with measurements, SI units, and their sources.
    """
    values = {name: getattr(subject, name) for name in SUBJECT_FIELDS}
    plain = {name: dict(value) if isinstance(value, Mapping) else value for name, value in values.items()}
    return {**plain, "sources": {name: subject.sources[name] for name in SUBJECT_FIELDS if name in subject.sources}}


def _progression(motion: BodyMotion, belts: Belts) -> list[float] | None:
    direction = walked_direction(motion, belts)
    return None if direction is None else [float(direction[0]), float(direction[1])]


def _event(event: Event) -> dict[str, Any]:
    return {
        "time_s": event.time_s, "side": event.side, "kind": str(event.kind), "source": str(event.origin),
        "source_kind": str(event.source), "method": event.method, "shifted_ms": event.shifted_ms, "sd_ms": event.sd_ms,
    }  # fmt: skip


def _agreement(row: Agreement) -> dict[str, Any]:
    return {
        "side": row.side, "kind": str(row.kind), "source": row.source, "reference": row.reference, "n": row.n,
        "median_ms": 1000.0 * row.median_s, "worst_ms": 1000.0 * row.worst_s,
    }  # fmt: skip


def _residual(trial: Solved) -> list[dict[str, Any]]:
    test = trial.whole_body.test if trial.whole_body else None
    return [dataclasses.asdict(phase) for phase in test.phases.values()] if test else []


def _plate(plate: ForcePlate) -> dict[str, Any]:
    return {
        "name": plate.name, "kind": plate.kind, "corners_mm": MM_PER_M * plate.corners_m, "sign": plate.sign,
        "baseline_N": plate_baseline_N([plate]), **_history(plate.history),
    }  # fmt: skip


def _history(steps: Iterable[Sentence | str]) -> dict[str, Any]:
    """What was done, in words and by rules; a plain line is a note of whoever wrote it."""
    sentences = [Sentence("note", {"text": step}) if isinstance(step, str) else step for step in steps]
    return {"history": list(map(str, sentences)), "steps": [step.to_dict() for step in sentences]}
