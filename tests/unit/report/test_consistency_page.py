"""Cycles that stand apart are named; those that scatter as cycles do are not."""

from __future__ import annotations

import numpy as np

from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.consistency import consistency_page, distances
from biomech_id.report.panels.layer import layers_of
from biomech_id.session.tables.session_tables import Tables


def bent(build, by_deg: float) -> Tables:
    """A session of scattered cycles, of which the second left one of the first trial bends the knee further."""
    session = build(cycles=8)
    rng = np.random.default_rng(4)
    table = session.cycles
    first = table["trial"].iloc[0]
    for (variable, side, trial, cycle), rows in table.groupby(["variable", "side", "trial", "cycle"]).groups.items():
        if variable == "KneeAngles":
            table.loc[rows, "value"] += rng.normal(0.0, 1.0) + (by_deg if (trial, side, cycle) == (first, "L", 2) else 0.0)
    return session


def test_a_cycle_that_stands_apart_is_named(build) -> None:
    layer = layers_of(bent(build, 25.0))[0]
    apart = {(each.side, each.cycle, each.joint) for each in distances(layer) if each.apart}
    assert apart == {("L", 2, "knee")}
    said = [text.get_text() for text in consistency_page(layer, load_style()).texts]
    assert "L 2" in said


def test_cycles_that_scatter_are_not(build) -> None:
    assert not any(each.apart for each in distances(layers_of(bent(build, 0.0))[0]))


def test_few_cycles_are_not_judged(build) -> None:
    layer = layers_of(bent(build, 25.0))[0]
    few = type(layer)(layer.tables, layer.kind, layer.condition)
    few.__dict__["cycles"] = layer.cycles.groupby("side").head(3)
    assert not any(each.apart for each in distances(few))
    assert "Fewer than 4 cycles a side: not judged." in [text.get_text() for text in consistency_page(few, load_style()).texts]
