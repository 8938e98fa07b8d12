"""Muscle signals of a session: read with the recipe's settings, cut into the cycles that were found, and what is worth saying."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from biomech_id.conventions import Aspect
from biomech_id.emg.channels import find_inputs
from biomech_id.emg.cycles import EmgCycle, TrialEmg, stored_cycles
from biomech_id.emg.findings import record_findings, session_findings
from biomech_id.emg.record import EmgRecord, EmgSettings, read_emg, with_strikes
from biomech_id.errors import Finding, OptionError
from biomech_id.feet.feet import classify
from biomech_id.feet.movements import TrialKind
from biomech_id.files.kept_values import KeptValues, made_once
from biomech_id.movement.cycle import KineticsValid
from biomech_id.request.recipe import Recipe
from biomech_id.session.solved import Solved
from biomech_id.session.values.emg import SessionEmg, session_emg
from biomech_id.trial import EventKind, Trial

#: Kinds of a recording of maximal contractions, markers or not.
_NO_MOVEMENT = frozenset({TrialKind.STATIC, TrialKind.OTHER, TrialKind.NOT_JUDGED})


def emg_settings(recipe: Recipe) -> EmgSettings:
    """Return how a recipe has muscle signals processed.

    Parameters
    ----------
    recipe : Recipe
        Settings of the main job.
    """
    return EmgSettings(
        channels=dict(recipe.channels), low_hz=recipe.emg_highpass_hz, envelope_hz=recipe.emg_envelope_hz, notch=recipe.emg_notch,
        delay_s=recipe.emg_delay_ms / 1000.0, noise_factor=recipe.emg_noise_factor, relative_share=recipe.emg_relative_share,
        gain=recipe.emg_gain,
    )  # fmt: skip


def analyse_emg(trials: Sequence[Trial], results: Sequence[Solved], recipe: Recipe, kept: KeptValues | None = None) -> SessionEmg:
    """Return a session's muscle signals, those of trials without markers or without gait too.

    Parameters
    ----------
    trials : Sequence[Trial]
        Every recording that was read.
    results : Sequence[Solved]
        Those that were analysed, with their cycles.
    recipe : Recipe
        Settings of the main job.
    kept : KeptValues | None, optional
        Where signals lie that another run has judged and filtered, and those of this one are kept.

    Raises
    ------
    OptionError
        The recipe names a muscle that nobody knows, or a reference recording that is not there.
    """
    reference = _reference(trials, recipe)
    settings, by_name = emg_settings(recipe), {result.name: result for result in results}
    with_signals = [
        _trial_emg(trial, by_name.get(trial.name), settings, kept)
        for trial in trials
        if any(plate is None for plate in trial.analog.plates)
    ]
    return session_emg(
        tuple(sorted(with_signals, key=lambda one: one.trial not in by_name)), gain=recipe.emg_gain, reference=reference
    )


def _reference(trials: Sequence[Trial], recipe: Recipe) -> str:
    wanted = recipe.emg_reference
    if not wanted:
        return ""
    names = [trial.name for trial in trials]
    if Path(wanted).stem not in names:
        raise OptionError(
            f"[emg] emg_reference is {wanted}; no such recording was read.",
            value=wanted, expected=f"one of {', '.join(names)}", where="emg_reference",
        )  # fmt: skip
    return Path(wanted).stem


def is_emg_reference_alone(trial: Trial, recipe: Recipe) -> bool:
    """Whether a trial is the recording that the recipe divides amplitudes by, and shows no movement that could be analysed as well.

    Parameters
    ----------
    trial : Trial
        The recording, with or without markers.
    recipe : Recipe
        Settings of the main job.
    """
    named = bool(recipe.emg_reference) and trial.name == Path(recipe.emg_reference).stem
    return named and classify(trial) in _NO_MOVEMENT


def _trial_emg(trial: Trial, result: Solved | None, settings: EmgSettings, kept: KeptValues | None) -> TrialEmg:
    read = partial(read_emg, trial.analog, settings, first_time_s=trial.first_time_s)
    given = trial.analog, settings, trial.first_time_s
    if result is None:
        # Without a movement to look at, events that the recording holds still cut cycles.
        record = made_once(kept, read, "emg", *given)
        return TrialEmg(trial.name, record, () if trial.markers.names else tuple(stored_cycles(trial)))
    cycles = tuple(_cycles(result))
    strikes = [event.time_s for event in result.events if event.kind is EventKind.FOOT_STRIKE]
    stride_s = float(np.mean([cycle.end_s - cycle.start_s for cycle in cycles])) if cycles else float("nan")
    record = made_once(kept, lambda: with_strikes(read(), strikes, stride_s), "emg", *given, strikes, stride_s)
    return TrialEmg(trial.name, record, cycles, result.condition)


def _cycles(result: Solved) -> Iterator[EmgCycle]:
    """The trial's cycles that end where a foot strikes, and not where it probably would have."""
    straight = result.kind is TrialKind.STRAIGHT
    for cycle in result.cycles:
        if cycle.kinetics_valid is not KineticsValid.STANCE_ONLY:
            off = 100.0 * (cycle.foot_off_s - cycle.start_s) / (cycle.end_s - cycle.start_s)
            yield EmgCycle(cycle.side, cycle.number, cycle.start_s, cycle.end_s, off, straight and result.counts(cycle, Aspect.EMG))


def muscles_alone(trials: Sequence[Trial], recipe: Recipe) -> bool:
    """Whether recordings show no movement at all, but muscle signals: a session of its own kind, over time instead of cycles.

    Parameters
    ----------
    trials : Sequence[Trial]
        Every recording that was read.
    recipe : Recipe
        Settings of the main job.
    """
    if any(trial.markers.names for trial in trials):
        return False
    return any(channel.refusal is None for trial in trials for channel in find_inputs(trial.analog, recipe.channels))


def emg_findings(emg: SessionEmg, results: Sequence[Solved]) -> tuple[list[Solved], tuple[Finding, ...]]:
    """Return the trials with what their muscle signals tell, and what those of the whole session tell together.

    Parameters
    ----------
    emg : SessionEmg
        Muscle signals of the whole session.
    results : Sequence[Solved]
        Trials as analysed, some with muscle signals.
    """
    by_trial = {one.trial: tuple(record_findings(one.record, one.trial)) for one in emg.trials}
    walks = [replace(result, findings=(*result.findings, *by_trial.get(result.name, ()))) for result in results]
    records: list[EmgRecord] = [one.record for one in emg.trials]
    return walks, tuple(session_findings(records, emg.evidence, gain=emg.gain))
