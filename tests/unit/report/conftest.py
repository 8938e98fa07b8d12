"""Sessions made of waves: every curve differs from every other, so that a swapped side, variable or cycle cannot go unnoticed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from biomech_id.conventions import BUDGET_PARTS, SIDES, SignRow, cycle_rows, table_columns
from biomech_id.report.book import page_names
from biomech_id.report.layout.sheet import Sheet
from biomech_id.report.panels import page
from biomech_id.session.tables.session_tables import CURVE_POINTS, Tables, tidy_table

# What tests of other rooms share is imported by its name.
sys.path.insert(0, str(Path(__file__).parent))

PERCENT = np.arange(CURVE_POINTS)
RATE_HZ = 100.0
#: Sizes of the waves: inside the fixed scales, so that nothing is off scale by accident.
AMPLITUDE = {
    "angle": 8.0,
    "moment": 0.3,
    "force": 2.0,
    "power": 0.8,
    "ground force": 0.6,
    "ground moment": 0.05,
    "point": 20.0,
    "scalar": 5.0,
}

KINETIC = {"moment", "force", "power", "ground force", "ground moment", "point"}


@cache
def _numbers() -> dict[str, int]:
    return {row.column(""): number for number, row in reversed(list(enumerate(cycle_rows())))}


def wave(row: SignRow, side: str, cycle: int, seed: int) -> np.ndarray:
    """A smooth curve (101,) that belongs to one variable, side, cycle and session."""
    number = _numbers()[row.column("")]
    phase = 0.37 * number + (1.1 if side == "R" else 0.0) + 0.09 * cycle + 0.5 * seed
    level = 0.5 if row.component == "Z" and row.quantity == "ground force" else 0.0
    return AMPLITUDE[row.quantity] * (level + np.sin(2 * np.pi * PERCENT / 100 + phase))


def _summary_trial(
    name: str, kind: str, condition: str, cycles: list[dict[str, Any]], *, plates: bool, outline: bool
) -> dict[str, Any]:
    plate = {"name": "plate 1", "kind": "2", "corners_mm": [], "sign": "reaction", "baseline_N": 0.2, "history": ["kept as read"]}
    points = [[-20, -25], [60, -45], [200, -40], [230, 0], [200, 40], [60, 35], [-20, 25]]
    return {
        "name": name,
        "file": f"{name}.c3d",
        "kind": kind,
        "condition": condition,
        "rate_hz": RATE_HZ,
        "first_frame": 1,
        "n_frames": 400,
        "verdict": "accept",
        "reasons": [],
        "progression": [1.0, 0.0] if kind == "straight" else None,
        "events": [],
        "cycles": cycles,
        "event_agreement": [],
        "plates": [plate] if plates else [],
        "history": ["read 400 frames"],
        "findings": [],
        "foot_outline_mm": {s: {"names": list("abcdefg"), "points": points} for s in SIDES} if outline else {},
    }


def _cycles(sides: str, count: int, kinetics: bool, used: bool) -> list[dict[str, Any]]:
    return [
        {
            "side": side,
            "cycle": number,
            "start_s": 0.1 + 1.1 * number,
            "end_s": 1.2 + 1.1 * number,
            "foot_off_s": 0.1 + 1.1 * number + 0.66,
            "opposite_off_s": 0.23 + 1.1 * number,
            "opposite_strike_s": 0.65 + 1.1 * number,
            "foot_off_percent": 60.0 + (2.0 if side == "R" else 0.0),
            "opposite_off_percent": 12.0,
            "opposite_strike_percent": 50.0,
            "kinetics_valid": "true" if kinetics else "false",
            "used": used,
            "reason": "" if kinetics else "the other foot touched the plate",
        }
        for side in sides
        for number in range(1, count + 1)
    ]


def _curves(trial: str, cycles: list[dict[str, Any]], seed: int) -> list[tuple[str, str, int, str, SignRow, np.ndarray]]:
    return [
        (trial, c["side"], c["cycle"], c["kinetics_valid"], row, wave(row, c["side"], c["cycle"], seed))
        for c in cycles
        for row in cycle_rows()
        if row.joint != "muscle" and (row.quantity not in KINETIC or c["kinetics_valid"] != "false")
    ]


def _long(curves: Sequence[tuple[str, str, int, str, SignRow, np.ndarray]], parts: Sequence[str] | None = None) -> pd.DataFrame:
    def column(pick: Callable[[Any], Any]) -> np.ndarray:
        return np.repeat(np.array([pick(c) for c in curves], dtype=object), CURVE_POINTS)

    table = pd.DataFrame(
        {
            "trial": column(lambda c: c[0]),
            "side": column(lambda c: c[1]),
            "cycle": column(lambda c: c[2]).astype("int64"),
            "kinetics_valid": column(lambda c: c[3]),
            "percent": np.tile(PERCENT, len(curves)),
            "variable": column(lambda c: c[4].variable),
            "component": column(lambda c: c[4].component),
            "value": np.concatenate([c[5] for c in curves]) if curves else np.empty(0),
        }
    )
    if parts is not None:
        table.insert(7, "part", np.repeat(np.array(parts, dtype=object), CURVE_POINTS))
    return table.astype(dict.fromkeys(("trial", "side", "kinetics_valid", "variable", "component"), "str"))


def _budget(curves: Sequence[tuple[str, str, int, str, SignRow, np.ndarray]]) -> pd.DataFrame:
    shares = dict(zip(BUDGET_PARTS, (0.7, -0.2, 0.4, 0.15, -0.05), strict=True))
    made, parts = [], []
    for trial, side, cycle, valid, row, values in curves:
        if row.quantity == "moment":
            for part, share in shares.items():
                made.append((trial, side, cycle, valid, row, share * values))
                parts.append(part)
    return _long(made, parts)


def _frames(trial: str, cycles: list[dict[str, Any]]) -> pd.DataFrame:
    time_s = np.arange(400) / RATE_HZ
    columns: dict[str, np.ndarray] = {"frame": np.arange(1, 401), "time": time_s}
    for side in SIDES:
        force, pressure = np.full((400, 3), np.nan), np.full((400, 3), np.nan)
        for c in cycles:
            if c["side"] == side and c["kinetics_valid"] != "false":
                inside = (time_s >= c["start_s"]) & (time_s <= c["foot_off_s"])
                share = (time_s[inside] - c["start_s"]) / (c["foot_off_s"] - c["start_s"])
                force[inside] = np.column_stack([-1.5 * np.cos(np.pi * share), 0.3 * share, 10.0 * np.sin(np.pi * share)])
                pressure[inside] = np.column_stack([1000.0 + 220.0 * share, 80.0 + 0 * share, 0 * share])
        for i, axis in enumerate("XYZ"):
            columns[f"{side}GroundReactionForce.{axis}"] = force[:, i]
            columns[f"{side}CentreOfPressure.{axis}"] = pressure[:, i]
    return pd.DataFrame(columns)


def _peaks(curves: Sequence[tuple[str, str, int, str, SignRow, np.ndarray]]) -> pd.DataFrame:
    names = {"HipPower": ("H1", "H3"), "KneePower": ("K1", "K2"), "AnklePower": ("A1", "A2")}
    rows = []
    for trial, side, cycle, _, row, values in curves:
        picked = [("value_contact", 0), ("max_stance", int(values[:61].argmax())), ("min_stance", int(values[:61].argmin()))]
        if row.variable in names:
            low, high = names[row.variable]
            picked += [(low, int(values.argmin())), (high, int(values.argmax()))]
        rows += [
            {
                "trial": trial,
                "side": side,
                "cycle": cycle,
                "name": name,
                "variable": row.variable,
                "component": row.component,
                "phase": "stance",
                "percent": float(at),
                "time_s": 1.0,
                "value": float(values[at]),
                "unit": row.unit,
            }
            for name, at in picked
        ]
    return tidy_table("peaks", rows)


def _spatiotemporal(trial: str, cycles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "trial": trial,
            "side": c["side"],
            "cycle": c["cycle"],
            "parameter": name,
            "unit": unit,
            "value": base * (1.1 if c["side"] == "L" else 0.9) + 0.01 * c["cycle"],
        }
        for c in cycles
        for name, base, unit in (("speed", 1.2, "m/s"), ("stride_length", 1.3, "m"), ("foot_off", 60.0, "%"))
    ]


def _scores() -> pd.DataFrame:
    """A score for every side of three variables, and of the whole."""
    rows = [
        ("GVS", v, c, side, 3.0 + i + 4 * (side == "R"))
        for i, (v, c) in enumerate((("PelvisAngles", "X"), ("HipAngles", "Y"), ("KneeAngles", "X")))
        for side in SIDES
    ]
    rows += [("GPS", "", "", "L", 6.1), ("GPS", "", "", "R", 9.2), ("GPS", "", "", "", 7.7)]
    fixed = {"condition": "barefoot", "unit": "deg", "norm_mean": 5.0, "norm_sd": 1.0, "cycles": "used"}
    return tidy_table(
        "scores", [dict(zip(("score", "variable", "component", "side", "value"), row, strict=True)) | fixed for row in rows]
    )


def make_session(
    *,
    code: str = "WAVE-01",
    sides: str = "LR",
    cycles: int = 3,
    kinetics: bool = True,
    plates: bool = True,
    turn: bool = False,
    seed: int = 0,
    budget: bool = True,
    scores: bool = False,
    date: str | None = "2024-05-17",
) -> Tables:
    """Build a session of straight walks, and of a turn if asked for."""
    kinds = [("walk1", "straight"), ("turn1", "turn")] if turn else [("walk1", "straight")]
    trials, curves, spatiotemporal, frames = [], [], [], {}
    for name, kind in kinds:
        listed = _cycles(sides, cycles, kinetics, kind == "straight")
        trials.append(_summary_trial(name, kind, "barefoot", listed, plates=plates, outline=kinetics))
        curves += _curves(name, listed, seed)
        spatiotemporal += _spatiotemporal(name, listed)
        frames[name] = _frames(name, listed)
    subject = {
        "code": code,
        "session_date": date,
        "age_years": 9.0,
        "birth_date": None,
        "sex": "female",
        "condition": "barefoot",
        "mass_kg": 30.0,
        "height_m": 1.4,
        "leg_length_m": {"L": 0.75, "R": 0.76},
        "knee_width_m": {},
        "ankle_width_m": {},
        "marker_diameter_m": 0.014,
        "foot_flat": True,
        "sources": {"mass_kg": "subject.toml"},
    }
    finding = {"rule": "baseline", "severity": "warning", "message": "Plate 1 drifts.", "hint": "Zero it.", "where": "walk1"}
    summary = {
        "schema": 1,
        "version": "0.1.0",
        "subject": subject,
        "model": "conventional",
        "kinetics": "textbook",
        "fingerprint": {"hip_centre": "davis", "bandwidth": "like the markers"},
        "static": {"file": "static.c3d", "name": "static", "frames": 100},
        "verdict": "accept",
        "sentence": "All trials accepted.",
        "conditions": ["barefoot"],
        "norm": None,
        "trials": trials,
        "failed": [],
        "findings": [finding],
    }
    quality = [
        {"trial": t["name"], "rule": "gap-largest", "value": 120.0, "unit": "ms", "limit": 100.0, "verdict": "warn"} for t in trials
    ]
    return Tables(
        frames=frames,
        cycles=_long(curves),
        budget=_budget(curves) if budget else tidy_table("budget"),
        spatiotemporal=tidy_table("spatiotemporal", spatiotemporal),
        peaks=_peaks(curves),
        scores=_scores() if scores else tidy_table("scores"),
        stances=tidy_table("stances"),
        gaps=tidy_table("gaps"),
        quality=tidy_table("quality", quality),
        calibration={"schema": 1, "sides": {"L": {"knee_mm": 51.0}, "R": {"knee_mm": 52.0}}},
        summary=summary,
        manifest={
            "schema": 1,
            "version": "0.1.0",
            "command": "biomech-id run .",
            "recipe": {"model": {"model": "conventional"}},
            "inputs": {"walk1.c3d": "ab" * 32},
            "dependencies": {"numpy": "2.0"},
            "python": "3.11",
            "outputs": {},
        },
    )


def make_norm(*, model: str = "conventional", n: int = 24) -> pd.DataFrame:
    """Build a norm: a flat mean that differs per variable, SD half of it."""
    rows = []
    for number, row in enumerate(r for r in cycle_rows() if r.quantity != "point" and r.joint != "muscle"):
        mean = AMPLITUDE[row.quantity] * (0.2 + 0.001 * number)
        rows += [(row.variable, row.component, float(p), mean, mean / 2, n) for p in PERCENT]
    rows += [(name, "", np.nan, mean, mean / 20, n) for name, mean in (("speed", 1.2), ("foot_off", 61.0))]
    norm = pd.DataFrame(rows, columns=["variable", "component", "percent", "mean", "sd", "n"])
    said = {
        "age_min_y": 6.0,
        "age_max_y": 12.0,
        "speed_min": 0.3,
        "speed_max": 0.5,
        "model": model,
        "kinetics": "textbook",
        "hip_centre": "davis",
        "bandwidth": "like the markers",
        "source": "waves",
    }
    # Only what a norm of an older version has not: how far whole curves reach, and percentiles.
    unknown = dict.fromkeys((c.name for c in table_columns("norm") if c.name not in {*norm, *said}), np.nan)
    norm = norm.assign(**said, **unknown)[[c.name for c in table_columns("norm")]]
    return norm.astype(dict.fromkeys(("variable", "component", "model", "kinetics", "source", "hip_centre", "bandwidth"), "str"))


@pytest.fixture(scope="session")
def session() -> Tables:
    """Three straight cycles a side with kinetics."""
    return make_session()


@pytest.fixture
def build() -> Callable[..., Tables]:
    """The session builder itself."""
    return make_session


@pytest.fixture
def build_norm() -> Callable[..., pd.DataFrame]:
    """The norm builder itself."""
    return make_norm


@pytest.fixture
def drawing_only(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Leaves all pages but those named as blank sheets: which pages a report has does not hang on what stands on the others."""

    def leave(*names: str) -> None:
        for name in set(page_names()) - set(names):
            blank = replace(page.PAGE_KINDS[name], draw=lambda content: [Sheet(content.style).figure])
            monkeypatch.setitem(page.PAGE_KINDS, name, blank)

    return leave
