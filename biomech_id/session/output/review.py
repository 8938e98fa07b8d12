"""Finished tables after somebody put cycles into the means or took them out; the recordings are not needed for that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from biomech_id.conventions import Aspect
from biomech_id.errors import OptionError
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.review import Comment, CycleChoice, Review, decision_records, meant_start_s
from biomech_id.session.tables.session_tables import Tables, cycle_layers, finding_records, in_means

#: Reasons of a cycle that somebody gave.
_BY_HAND = frozenset({"cycle-in-by-hand", "cycle-out-by-hand"})


def reviewed_tables(tables: Tables, review: Review) -> Tables:
    """Return tables whose means hold the cycles that a review wants, and whose pages print its comments.

    What an earlier review said of cycles is forgotten: a review is the whole of what was decided. Events, stances and plates stay
    as they were computed.

    Parameters
    ----------
    tables : Tables
        As read from their folder.
    review : Review
        Everything that was decided by hand.

    Raises
    ------
    OptionError
        It names a trial or a cycle that is not there.
    """
    names = [trial["name"] for trial in tables.summary["trials"]]
    decided: tuple[CycleChoice | Comment, ...] = (*review.cycles, *review.comments)
    for decision in decided:
        if decision.trial not in names:
            raise OptionError(
                f"The review says something of {decision.trial}, and the session has {', '.join(names)}.",
                value=decision.trial, expected=", ".join(names), where=review.file,
            )  # fmt: skip
    trials = [_trial(trial, review.of_trial(trial["name"])) for trial in tables.summary["trials"]]
    kept = [
        decision
        for decision in (tables.summary.get("review") or {}).get("decisions", ())
        if decision["decision"] in ("verdict", "event", "repair", "placement")
    ]
    followed = {"file": review.file, "decisions": [*kept, *decision_records(decided)]}
    after = replace(tables, summary={**tables.summary, "trials": trials, "review": followed})
    return replace(after, emg=_emg(tables, after))


def _trial(trial: Mapping[str, Any], review: Review) -> dict[str, Any]:
    cycles = [_forgotten(cycle, trial["kind"]) for cycle in trial["cycles"]]
    for choice in review.cycles:
        numbers = {cycle["start_s"]: number for number, cycle in enumerate(cycles) if cycle["side"] == choice.side}
        number = numbers[meant_start_s(choice, list(numbers))]
        cycles[number] = _chosen(cycles[number], choice, straight=trial["kind"] == TrialKind.STRAIGHT)
    findings = [finding for finding in trial["findings"] if finding["rule"] != "comment-by-hand"]
    return {**trial, "cycles": cycles, "findings": [*findings, *finding_records(comment.finding for comment in review.comments)]}


def _forgotten(cycle: Mapping[str, Any], kind: str) -> dict[str, Any]:
    reasons = [why for why in cycle.get("reasons", ()) if why["rule"] not in _BY_HAND]
    sound = cycle.get("sound_by_rules", cycle.get("sound", True))
    layers = {layer: {**one, "counts": one["by_rules"]} for layer, one in cycle_layers(cycle, kind).items()}
    return {**cycle, **layers, **in_means(layers, straight=kind == TrialKind.STRAIGHT), "sound": sound, "reasons": reasons}


def _chosen(cycle: Mapping[str, Any], choice: CycleChoice, *, straight: bool) -> dict[str, Any]:
    reasons = [*cycle["reasons"], choice.said.to_dict()]
    layers = {str(layer): {**cycle[layer], "counts": choice.use and cycle[layer]["has"]} for layer in Aspect}
    return {**cycle, **layers, **in_means(layers, straight=straight), "sound": choice.use, "reasons": reasons}


def _emg(tables: Tables, after: Tables) -> Any:
    """Envelopes of cycles that left or entered the means do so too, where their channel was live."""
    if tables.emg is None:
        return None
    keys = ["trial", "side", "cycle"]
    straight = after.cycle_list[after.cycle_list["kind"] == TrialKind.STRAIGHT]
    counts = dict(zip(zip(*(straight[key] for key in keys), strict=True), straight[Aspect.EMG], strict=True))
    before = tables.cycle_list.set_index(keys)[Aspect.EMG]
    table = tables.emg.copy()
    for (trial, side, cycle), now in counts.items():
        if now != before[trial, side, cycle]:
            of_cycle = (table["trial"] == trial) & (table["side"] == side) & (table["cycle"] == cycle)
            table.loc[of_cycle & (table["verdict"] == "live"), "used"] = str(now).lower()
    return table
