"""The study that holds activations against muscle signals, on curves whose agreement is known, and what its table may claim."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks.studies.muscle_signals import DELAY_S, TABLE, WHOLE, agreements, line

PERCENT = np.arange(WHOLE)


def rows(muscle: str, column: str, values: np.ndarray) -> pd.DataFrame:
    known = {"trial": "walk", "side": "L", "cycle": 1, "percent": PERCENT[: len(values)]}
    return pd.DataFrame({**known, "muscle": muscle, "verdict": "live", column: values})


def burst(middle: float) -> np.ndarray:
    return 0.05 + np.exp(-(((PERCENT - middle) / 12.0) ** 2))


def test_a_signal_before_its_force_agrees_once_it_is_moved() -> None:
    early = 100 * DELAY_S / 0.8
    forces = pd.concat([
        rows("med_gas_l", "activation", burst(45.0)), rows("vas_lat_l", "activation", np.full(WHOLE, 0.01)),
        rows("soleus_l", "activation", burst(45.0)[:90]),
    ])  # fmt: skip
    signals = pd.concat([
        rows("gastrocnemius", "value", burst(45.0 - early)), rows("vastus_lateralis", "value", burst(10.0)),
        rows("soleus", "value", burst(45.0)), rows("deltoid", "value", burst(45.0)),
    ])  # fmt: skip
    cycles = pd.DataFrame({"trial": ["walk"], "side": ["L"], "cycle": [1], "start_s": [0.2], "end_s": [1.0]})
    calf, vastus = agreements("x", forces, signals, cycles)
    assert calf.muscle == "gastrocnemius"
    assert calf.r < 0.95
    assert calf.later == pytest.approx(1.0, abs=1e-3)
    # A cycle of which a part is unknown counts for nothing; a muscle at its least control has no correlation.
    assert vastus.muscle == "vastus_lateralis"
    assert np.isnan(vastus.r)
    assert "| none | none | 0.01 | yes |" in line(vastus)


def test_the_table_claims_the_calf_of_children_alone() -> None:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    cells = [each.strip("| ").split(" | ") for each in lines if each.startswith(("| child", "| adult"))]
    calf = {row[0]: float(row[4]) for row in cells if row[1].startswith("gastrocnemius")}
    children = [r for who, r in calf.items() if who.startswith("child")]
    assert len(children) == 6
    assert (min(children), max(children)) == (0.60, 0.95)
    assert calf["adult"] == 0.09
    assert len(cells) == 32
