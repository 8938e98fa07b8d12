"""Ranges and means of phases are what the curves hold between the events, and the norm has them for its subjects."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biomech_id.norms.from_sessions import norm_from_sessions
from biomech_id.session.tables.phase_values import PHASE_NAMES, named_values, phase_values
from biomech_id.session.values.norm import norm_note

REPORT = str(Path(__file__).parents[1] / "report")


@pytest.fixture(scope="module")
def sessions() -> Iterator[list]:
    sys.path.insert(0, REPORT)
    import importlib.util

    spec = importlib.util.spec_from_file_location("waves", Path(REPORT) / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    waves = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(waves)
    made = [waves.make_session(code=f"W{seed}", seed=seed) for seed in range(3)]
    # Three people have recordings of their own.
    yield [replace(each, manifest={**each.manifest, "inputs": {"w.c3d": f"{at}" * 64}}) for at, each in enumerate(made)]
    sys.path.remove(REPORT)


def test_each_mean_is_over_its_phase_and_the_range_over_the_cycle(sessions: list) -> None:
    """Opposite foot off is at 12 %, opposite strike at 50 %, foot off at 60 % left and 62 % right (see the waves)."""
    tables = sessions[0]
    keys = ["side", "cycle", "variable", "component", "name"]
    table = phase_values(tables, tables.cycle_list).set_index(keys).sort_index()["value"]
    for side, off in (("L", 60), ("R", 62)):
        curve = tables.curves(side, "KneeAngles", "X")[1]
        mine = table[side, 2, "KneeAngles", "X"]
        ends = [0, 12, 31, 50, off, 100]
        means = [curve[low : high + 1].mean() for low, high in pairwise(ends)]
        assert mine[list(PHASE_NAMES)].to_numpy() == pytest.approx([np.ptp(curve), *means])


def test_a_cycle_without_an_event_has_no_mean_beside_it(sessions: list) -> None:
    tables = sessions[0]
    cycles = tables.cycle_list.assign(opposite_off_percent=np.nan)
    assert set(phase_values(tables, cycles)["name"]) == {"range", "mean_pre_swing", "mean_swing"}


def test_the_norm_has_the_mean_and_sd_of_its_subjects_named_values_and_asymmetries(sessions: list) -> None:
    norm = norm_from_sessions(sessions, source="waves")
    assert (norm_note(norm) or {})["n"] == 3
    own, limbs = [], []
    for tables in sessions:
        used = tables.cycle_list[tables.cycle_list["used"]]
        values = named_values(tables, used)
        mine = values[(values["variable"] == "KneeAngles") & (values["component"] == "X") & (values["name"] == "mean_swing")]
        sides = mine.groupby("side")["value"].mean()
        own.append(sides.mean())
        limbs.extend(sides)
    (row,) = norm[(norm["variable"] == "mean_swing.KneeAngles") & (norm["component"] == "X")].to_dict("records")
    assert (row["mean"], row["sd"], row["n"]) == (pytest.approx(np.mean(own)), pytest.approx(np.std(limbs, ddof=1)), 3)
    # Left is 1.1, right 0.9 of the same speed, and each cycle 0.01 more: 100 (1.34 - 1.10) / 1.22.
    (asymmetry,) = norm[norm["variable"] == "asymmetry.speed"].to_dict("records")
    assert asymmetry["mean"] == pytest.approx(100.0 * 0.24 / 1.22)
    assert pd.isna(asymmetry["percent"])
