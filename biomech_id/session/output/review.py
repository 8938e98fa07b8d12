"""Finished tables after somebody put cycles into the means or took them out; the recordings are not needed for that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from biomech_id.errors import OptionError
from biomech_id.feet.movements import TrialKind
from biomech_id.gait.review import Comment, CycleChoice, Review, decision_records, meant_start_s
from biomech_id.session.tables.session_tables import Tables, finding_records

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
        What was decided.

    Raises
    ------
    OptionError
        It names a trial or a cycle that is not there.
    """
    names = [trial["name"] for trial in tables.summary["trials"]]
    decided: tuple[CycleChoice | Comment, ...] = (*review.cycles, *review.comments)
    for said in decided:
        if said.trial not in names:
            raise OptionError(
                f"The review says something of {said.trial}, and the session has {', '.join(names)}.",
                value=said.trial, expected=", ".join(names), where=review.file,
            )  # fmt: skip
    trials = [_trial(trial, review.of_trial(trial["name"])) for trial in tables.summary["trials"]]
    kept = [said for said in (tables.summary.get("review") or {}).get("decisions", ()) if said["decision"] in ("verdict", "event")]
    followed = {"file": review.file, "decisions": [*kept, *decision_records(decided)]}
    return replace(tables, summary={**tables.summary, "trials": trials, "review": followed}, emg=_emg(tables, trials))


def _trial(trial: Mapping[str, Any], review: Review) -> dict[str, Any]:
    cycles = [_forgotten(cycle) for cycle in trial["cycles"]]
    for choice in review.cycles:
        mine = {cycle["start_s"]: number for number, cycle in enumerate(cycles) if cycle["side"] == choice.side}
        number = mine[meant_start_s(choice, list(mine))]
        cycles[number] = _chosen(cycles[number], choice, straight=trial["kind"] == TrialKind.STRAIGHT)
    found = [finding for finding in trial["findings"] if finding["rule"] != "comment-by-hand"]
    return {**trial, "cycles": cycles, "findings": [*found, *finding_records(said.finding for said in review.comments)]}


def _forgotten(cycle: Mapping[str, Any]) -> dict[str, Any]:
    reasons = [why for why in cycle.get("reasons", ()) if why["rule"] not in _BY_HAND]
    by_rules = {name: cycle.get(f"{name}_by_rules", cycle[name]) for name in ("used", "sound") if name in cycle}
    return {**cycle, **by_rules, **{f"{name}_by_rules": value for name, value in by_rules.items()}, "reasons": reasons}


def _chosen(cycle: Mapping[str, Any], choice: CycleChoice, *, straight: bool) -> dict[str, Any]:
    reasons = [*cycle["reasons"], choice.said.to_dict()]
    return {**cycle, "used": choice.use and straight, "sound": choice.use, "reasons": reasons}


def _emg(tables: Tables, trials: Iterable[Mapping[str, Any]]) -> Any:
    """Envelopes of cycles that left or entered the means do so too, where their channel was live."""
    if tables.emg is None:
        return None
    before = {(trial["name"], cycle["side"], cycle["cycle"]): cycle["used"]
              for trial in tables.summary["trials"] for cycle in trial["cycles"]}  # fmt: skip
    table = tables.emg.copy()
    for trial in trials:
        for cycle in trial["cycles"]:
            if cycle["used"] != before[trial["name"], cycle["side"], cycle["cycle"]]:
                mine = (table["trial"] == trial["name"]) & (table["side"] == cycle["side"]) & (table["cycle"] == cycle["cycle"])
                table.loc[mine & (table["verdict"] == "live"), "used"] = str(cycle["used"]).lower()
    return table
