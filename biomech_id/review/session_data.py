"""What the page shows of one session, from its folder alone: words and numbers as JSON, curves and positions as blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.conventions import FOOT_PITCH, FOOT_TABLE, SIGN_TABLE, UPPER_BODY_TABLE, Aspect, cycle_rows
from biomech_id.emg.doctor import ChannelVerdict
from biomech_id.emg.timing import normal_bands
from biomech_id.interpretation.criteria import RULES_PITCH
from biomech_id.languages import LANGUAGES, worded
from biomech_id.movement.feet import TrialKind
from biomech_id.review.packing import AXIS_STEP, ERROR_ROUNDING, FORCE_STEP_N, POSITION_STEP_M, Block, Blocks
from biomech_id.session.bands.uncertainty import TOTAL
from biomech_id.session.folder.replay import Replay, read_replay
from biomech_id.session.tables.session_tables import CURVE_POINTS, Table, Tables
from biomech_id.session.values.norm import movement_of
from biomech_id.session.values.step import begin

#: Values of a finding that say when it happens (s), and in which frame (the recording's own number), the surest first.
_TIMES = ("time_s", "start_s", "strike_s", "at_s")
_FRAMES = ("frame", "first_frame", "worst_frame")
#: Values that list frames: the first number of the first entry.
_FRAME_LISTS = ("frames", "gaps", "stretches")


def session_data(out: Path, tables: Tables, blocks: Blocks, *, called: str, norm: Table | None = None) -> dict[str, Any]:
    """Return what the page knows of one session; its arrays go into the blocks.

    Parameters
    ----------
    out : Path
        Folder of the results, for what its trials looked like.
    tables : Tables
        Tables as read from that folder.
    blocks : Blocks
        Arrays of the whole page, to which the session's are added.
    called : str
        What the page calls the folder.
    norm : Table | None, optional
        As in ``norm.csv``, made for this person; None for none.

    Raises
    ------
    FileRefusedError
        A replay is damaged.
    """
    summary = tables.summary
    return {
        "folder": called,
        "subject": {name: summary["subject"].get(name) for name in ("code", "session_date", "age_years", "sex", "mass_kg")},
        "model": summary["model"],
        "kinetics": summary["kinetics"],
        "verdict": summary["verdict"],
        "version": summary["version"],
        "findings": [_finding(finding, {}) for finding in summary["findings"]],
        "failed": [{"file": each["file"], "error": each["error"]} for each in summary["failed"]],
        "decisions": list((summary.get("review") or {}).get("decisions", ())),
        "norm": None if norm is None else _norm(norm, blocks),
        "trials": [
            _trial(trial, tables, read_replay(out, trial["name"]), blocks) for trial in summary["trials"] or _muscles_alone(tables)
        ],
    }


def _trial(trial: Mapping[str, Any], tables: Tables, replay: Replay | None, blocks: Blocks) -> dict[str, Any]:
    name = begin(trial["name"])
    block = Block()
    kept = ("name", "kind", "condition", "rate_hz", "first_frame", "n_frames", "verdict", "progression", "events")
    cycle_keys = ("side", "cycle", "start_s", "end_s", "foot_off_s", "kinetics_valid", "used", "used_by_rules", *Aspect)
    frames = tables.frames.get(name)
    data = {key: trial.get(key) for key in kept}
    data |= {
        "cycles": [
            {**{key: cycle.get(key) for key in cycle_keys}, "reasons": [_in_all_languages(why) for why in cycle["reasons"]]}
            for cycle in tables.cycle_list[tables.cycle_list["trial"] == name].to_dict("records")
        ],
        "stances": [_stance(row, trial["cycles"]) for row in _rows(tables.stances, name)],
        "gaps": _rows(tables.gaps, name),
        "findings": [_finding(finding, trial) for finding in trial["findings"]],
        "columns": [] if frames is None else _frame_curves(frames, block),
        "curves": _cycle_curves(tables, name, block),
        "emg": _envelopes(tables.emg, name, block),
        "raw": _raw(tables, trial, block),
        "shape": None if replay is None or frames is None else _shape(replay, frames, block),
    }
    begin(f"{name} packed")
    data["block"], data["arrays"] = blocks.add(block), block.notes
    return data


def _muscles_alone(tables: Tables) -> list[dict[str, Any]]:
    """Recordings of which no movement is computed, over the time of their muscle signals."""
    trials: list[dict[str, Any]] = []
    for name, raw in () if tables.emg_raw is None else tables.emg_raw.groupby("trial", sort=False):
        times_s = np.unique(raw["time_s"])
        rate_hz = round(1.0 / float(np.median(np.diff(times_s))), 6) if len(times_s) > 1 else 1.0
        trials.append({
            "name": str(name), "kind": "muscles", "condition": "", "rate_hz": rate_hz, "verdict": tables.summary["verdict"],
            "first_frame": round(float(times_s[0]) * rate_hz) + 1, "n_frames": round(float(np.ptp(times_s)) * rate_hz) + 1,
            "progression": None, "events": [], "cycles": [], "findings": [],
        })  # fmt: skip
    return trials


def _rows(table: Table, trial: str) -> list[dict[str, Any]]:
    of_trial = table[table["trial"] == trial].drop(columns="trial")
    return [{str(key): None if value != value else value for key, value in row.items()} for row in of_trial.to_dict("records")]


def _stance(row: dict[str, Any], cycles: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """A stance with its reason in every language, by the values of its cycle's reason or those that the row implies.

    Where these do not give the English words of the table, its words stand in every language.
    """
    english, rule, start_s = row["reason"], row["rule"], row["start_s"]
    seen = "off" if start_s is not None else "strike" if row["end_s"] is not None else "both"
    implied = {"plates": str(row["plate"]).split(" + "), "missing": seen}
    own = (why for cycle in cycles if (cycle["side"], cycle["start_s"]) == (row["side"], start_s) for why in cycle["reasons"])
    values = next((why["values"] for why in own if why["rule"] == rule and "values" in why), implied)
    same = worded(rule, values) == english
    return {**row, "reason": {language: worded(rule, values, language) if same else english for language in LANGUAGES}}


def _in_all_languages(why: Mapping[str, Any]) -> dict[str, str]:
    return {language: worded(why["rule"], why.get("values", {}), language) for language in LANGUAGES}


def _finding(finding: Mapping[str, Any], trial: Mapping[str, Any]) -> dict[str, Any]:
    values = finding.get("values")
    texts = {
        language: worded(finding["rule"], values, language) if values is not None else finding["message"] for language in LANGUAGES
    }
    hints = {language: worded(finding["rule"], values or {}, language, "hint") for language in LANGUAGES}
    return {
        "rule": finding["rule"], "severity": finding["severity"], "text": texts, "hint": hints, "where": finding["where"],
        "time_s": moment_of(values or {}, trial),
    }  # fmt: skip


def moment_of(values: Mapping[str, Any], trial: Mapping[str, Any]) -> float | None:
    """Return when what a finding says happens, absolute seconds, by the values it is said with; None where it means no moment.

    Parameters
    ----------
    values : Mapping[str, Any]
        Values of the finding, or of one of the sentences in it.
    trial : Mapping[str, Any]
        As in ``summary.json``, for its rate and cycles.

    Examples
    --------
    >>> from biomech_id.review.session_data import moment_of
    >>> moment_of({"frames": [[26, 30]], "limit": 5}, {"rate_hz": 100.0, "cycles": []})
    0.25
    """
    time_s: Any = next((values[name] for name in _TIMES if isinstance(values.get(name), float | int)), None)
    if time_s is not None or "rate_hz" not in trial:
        return None if time_s is None else float(time_s)
    frame = next((values[name] for name in _FRAMES if isinstance(values.get(name), int)), None)
    for name in _FRAME_LISTS:
        entry = next(iter(values.get(name) or ()), ()) if isinstance(values.get(name), list | tuple) else ()
        numbers = [number for number in (entry if isinstance(entry, list | tuple) else [entry]) if isinstance(number, int)]
        frame = numbers[0] if frame is None and numbers else frame
    if frame is not None:
        return (int(frame) - 1) / float(trial["rate_hz"])
    nested = (
        sentence["values"]
        for value in values.values()
        if isinstance(value, list | tuple)
        for sentence in value
        if _is_said(sentence)
    )
    moments = [moment for sentence in nested if (moment := moment_of(sentence, trial)) is not None]
    if moments:
        return moments[0]
    cycles = [c for c in trial["cycles"] if c["cycle"] == values.get("cycle") and values.get("side", c["side"]) == c["side"]]
    return float(cycles[0]["start_s"]) if cycles else None


def _is_said(value: object) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("values"), Mapping)


def _frame_curves(frames: Table, block: Block) -> list[str]:
    """Columns of the sign tables that hold anything, as one array (k, n)."""
    rows = (*SIGN_TABLE, *UPPER_BODY_TABLE, *cycle_rows())
    names = [row.column(side) for row in rows for side in ("L", "R", "") if row.column(side) in frames.columns]
    known = [name for name in dict.fromkeys(names) if np.isfinite(frames[name].to_numpy()).any()]
    block.curves("frames", frames[known].to_numpy().T if known else np.empty((0, len(frames))))
    return known


def _cycle_curves(tables: Tables, trial: str, block: Block) -> list[list[Any]]:
    """Curves of cycles as one array (k, 101); of each its side, cycle, variable and component, and where its error is, or -1."""
    errors, keys = _errors(tables.uncertainty, trial)
    block.curves("errors", errors, ERROR_ROUNDING)
    where = {key: number for number, key in enumerate(keys)}
    of_trial = tables.cycles[tables.cycles["trial"] == trial]
    heads = of_trial.iloc[::CURVE_POINTS]
    block.curves("cycles", of_trial["value"].to_numpy().reshape(-1, CURVE_POINTS))
    return [[*key, where.get(key, -1)] for key in _keys(heads)]


def _keys(heads: Table) -> list[tuple[str, int, str, str]]:
    columns = (heads[name] for name in ("side", "cycle", "variable", "component"))
    return [(str(side), int(cycle), str(variable), str(part)) for side, cycle, variable, part in zip(*columns, strict=True)]


def _errors(table: Table | None, trial: str) -> tuple[FloatArray, list[tuple[str, int, str, str]]]:
    if table is None or not len(table):
        return np.empty((0, CURVE_POINTS)), []
    of_trial = table[table["trial"] == trial]
    return of_trial[TOTAL].to_numpy().reshape(-1, CURVE_POINTS), _keys(of_trial.iloc[::CURVE_POINTS])


def _envelopes(table: Table | None, trial: str, block: Block) -> list[dict[str, Any]]:
    """Envelopes of muscles as one array (k, 101), each by channel, side and cycle."""
    if table is None or not len(table):
        return []
    of_trial = table[table["trial"] == trial]
    block.curves("emg", of_trial["value"].to_numpy().reshape(-1, CURVE_POINTS))
    heads = of_trial.iloc[::CURVE_POINTS]
    kept = ("label", "muscle", "side", "cycle", "unit", "verdict")
    return [{str(name): value for name, value in row.items()} for row in heads[list(kept)].to_dict("records")]


def _raw(tables: Tables, trial: Mapping[str, Any], block: Block) -> list[dict[str, Any]]:
    """Raw signals as the pages draw them: of each channel its lowest and highest in every 5 ms, one array (2, n) a channel.

    With when it is on, and when healthy adults usually have its muscle on, seconds.
    """
    table, name = tables.emg_raw, trial["name"]
    if table is None or not len(table):
        return []
    of_trial, signals = table[table["trial"] == name], []
    known = {} if tables.channels is None else {row["label"]: row for row in _rows(tables.channels, name)}
    activity = [] if tables.emg_activity is None else _rows(tables.emg_activity, name)
    for number, (label, rows) in enumerate(of_trial.groupby("label", sort=False)):
        times = rows["time_s"].to_numpy()
        step = float(np.median(np.diff(times))) if len(times) > 1 else 0.005
        block.curves(f"raw{number}", rows[["lowest", "highest"]].to_numpy().T)
        about = known.get(str(label), {})
        signals.append({
            "label": str(label), "muscle": about.get("muscle", ""), "side": about.get("side", ""), "unit": about.get("unit", ""),
            "verdict": about.get("verdict", ""), "first_s": float(times[0]), "step_s": step,
            "on": [[row["on_s"], row["off_s"]] for row in activity if row["label"] == label and not row["cycle"]],
            "usual": _usually_on_s(trial, about) if about.get("verdict") == ChannelVerdict.LIVE else [],
        })  # fmt: skip
    return signals


def _usually_on_s(trial: Mapping[str, Any], channel: Mapping[str, Any]) -> list[list[float]]:
    """When healthy adults have a channel's muscle on in whole cycles of its side, by each one's own foot off; of level walks."""
    spans: list[list[float]] = []
    for cycle in trial["cycles"] if trial["kind"] in (TrialKind.STRAIGHT, TrialKind.TREADMILL) else ():
        if cycle["side"] != channel["side"] or cycle["kinetics_valid"] == "stance_only":
            continue
        start_s, foot_off_s = cycle["start_s"], cycle["foot_off_s"]
        length_s = cycle["end_s"] - start_s
        foot_off_percent = float("nan") if foot_off_s is None else 100.0 * (foot_off_s - start_s) / length_s
        bands = normal_bands(channel["muscle"], foot_off_percent)
        spans += [[start_s + length_s * percent / 100.0 for percent in band] for band in bands]
    return spans


def _shape(replay: Replay, frames: Table, block: Block) -> dict[str, Any]:
    """What is drawn in three dimensions, and the names of its parts."""
    outline: dict[str, list[str]] = {
        side: [name[:-2] for name in frames.columns if name.startswith(side) and name.endswith("Outline.X")] for side in ("L", "R")
    }
    columns = [f"{name}.{axis}" for names in outline.values() for name in names for axis in "XYZ"]
    metres = frames[columns].to_numpy().reshape(len(frames), -1, 3) / 1000.0 if columns else np.empty((len(frames), 0, 3))
    for name in ("marker_lab_m", "segment_origin_lab_m", "joint_centre_lab_m", "plate_pressure_lab_m"):
        block.steps(name, getattr(replay, name), POSITION_STEP_M)
    block.steps("outline_lab_m", metres, POSITION_STEP_M)
    block.steps("plate_force_lab_N", replay.plate_force_lab_N, FORCE_STEP_N)
    # The third axis follows from the first two.
    block.steps("segment_axes", np.swapaxes(replay.R_lab_segment[..., :2], 2, 3), AXIS_STEP)
    return {
        "markers": list(replay.marker_names), "segments": list(replay.segment_names), "joints": list(replay.joint_names),
        "plates": [
            {"name": name, "corners_m": np.round(corners.astype(float), 4).tolist()}
            for name, corners in zip(replay.plate_names, replay.plate_corners_lab_m, strict=True)
        ],
        "outline": {side: len(names) for side, names in outline.items()},
        **_model(replay, block),
    }  # fmt: skip


def _model(replay: Replay, block: Block) -> dict[str, Any]:
    """An OpenSim model over the markers, by the numbers of what it follows and of what bears what."""
    if not replay.model_side_names:
        return {}
    for name in ("model_marker_lab_m", "model_joint_lab_m"):
        block.steps(name, getattr(replay, name), POSITION_STEP_M)
    bearers = replay.model_bearers.tolist()
    return {"model": {"markers": replay.model_marker_labels.tolist(), "sides": list(replay.model_side_names), "bearers": bearers}}


def _norm(table: Table, blocks: Blocks) -> dict[str, Any]:
    """Means and standard deviations of the norm's curves, one array (2, k, 101)."""
    curves: list[tuple[str, str, FloatArray, FloatArray]] = []
    for (variable, component), rows in table.groupby(["variable", "component"], sort=False, dropna=False):
        if len(rows) == CURVE_POINTS:
            ordered = rows.sort_values("percent", kind="stable")
            curves.append((str(variable), str(component), ordered["mean"].to_numpy(), ordered["sd"].to_numpy()))
    block = Block()
    block.curves("norm", np.array([[mean for *_, mean, _ in curves], [sd for *_, sd in curves]]).reshape(2, -1, CURVE_POINTS))
    return {
        "movement": movement_of(table),
        "curves": [[variable, component] for variable, component, *_ in curves],
        "block": blocks.add(block),
        "arrays": block.notes,
    }


def variables(*, inside_foot: bool = False) -> Iterable[dict[str, Any]]:
    """Rows of the sign tables as the page needs them, those of cycles and of frames; those of the foot where asked for."""
    of_cycles = [(row, "percent") for row in cycle_rows() if inside_foot or row not in FOOT_TABLE]
    of_frames = [(row, "time") for row in (*SIGN_TABLE, *UPPER_BODY_TABLE, *(FOOT_TABLE if inside_foot else ()), FOOT_PITCH)]
    # There is one foot pitch, that from the floor.
    for row, along in (each for each in (*of_cycles, *of_frames) if (each[0].variable, each[0].component) != RULES_PITCH):
        yield {
            "variable": row.variable, "component": row.component, "title": row.title, "positive": row.positive,
            "negative": row.negative, "unit": row.unit, "quantity": row.quantity, "joint": row.joint, "along": along,
        }  # fmt: skip
