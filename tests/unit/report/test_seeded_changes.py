"""Five changes put into one virtual walk are seen on the pages, each where it was put, and nothing else is (issue S, case 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import biomech_id as bid
from biomech_id.report.book import page_kinds
from biomech_id.report.layout.style import load_style
from biomech_id.report.panels.fitted_scales import fitted
from biomech_id.report.panels.layer import Layer
from biomech_id.report.panels.page import Content
from biomech_id.session.tables.session_tables import Tables

ROOT = Path(__file__).resolve().parents[3]
#: (side, variable, component) -> first and last percent, and by how much (deg, N m/kg, W/kg): a knee that stays stiff in swing, a
#: foot that drops, a hip that does not extend, a weak push-off, a knee that gives under load.
CHANGES = {
    ("L", "KneeAngles", "X"): (64, 84, -24.0),
    ("R", "AnkleAngles", "X"): (70, 94, -18.0),
    ("R", "HipAngles", "X"): (38, 58, 18.0),
    ("L", "AnkleMoment", "X"): (36, 54, -0.8),
    ("L", "KneeMoment", "Y"): (10, 30, 0.5),
}
#: Pages of curves.
CURVES = ("kinematics_mean", "kinetics_mean")


@pytest.fixture(scope="module")
def virtual() -> Tables:
    files = [ROOT / "data" / f"{name}.c3d" for name in ("static", "walk01", "walk02", "walk03")]
    return bid.analyse(files, uncertainty=False).tables()


def scattered(tables: Tables, seed: int) -> pd.DataFrame:
    """The cycles with a little of every variable's own range added, one offset and one slow wave a cycle."""
    rng = np.random.default_rng(seed)
    rows = tables.cycles
    by_curve = rows.groupby(["trial", "side", "cycle", "variable", "component"], sort=False)["value"]
    shape, size = rng.normal(size=(2, by_curve.ngroups)), by_curve.transform(np.ptp)
    number = by_curve.ngroup().to_numpy()
    wave = shape[0][number] + shape[1][number] * np.sin(2 * np.pi * rows["percent"].to_numpy() / 100.0)
    return rows.assign(value=rows["value"] + 0.01 * size * wave)


def before_and_after(tables: Tables, changes: dict[tuple[str, str, str], tuple[int, int, float]]) -> list[Tables]:
    """Two visits of one walk; the second with the changes."""
    after = scattered(tables, 2)
    for (side, variable, component), (first, last, by) in changes.items():
        mine = (after["side"] == side) & (after["variable"] == variable) & (after["component"] == component)
        inside = np.clip((after["percent"] - first) / (last - first), 0.0, 1.0)
        after["value"] += mine * by * np.sin(np.pi * inside) ** 2
    dates = ("2024-05-17", "2025-05-17")
    summaries = [{**tables.summary, "subject": {**tables.summary["subject"], "session_date": date}} for date in dates]
    cycles = (scattered(tables, 1), after)
    return [replace(tables, cycles=each, summary=said) for each, said in zip(cycles, summaries, strict=True)]


def bars(sessions: list[Tables], pages: tuple[str, ...] = ()) -> Iterator[tuple[str, str, str, tuple[float, float]]]:
    """Page, side, column and span of every bar that says "changed", on every page of a comparison, or some."""
    layers = [Layer(each, "straight", "", name) for name, each in zip("AB", sessions, strict=True)]
    content = Content(sessions[0], layers, fitted(load_style(), layers, None), None)
    for kind in page_kinds():
        if kind.compare is None or kind.lacks(content) or (pages and kind.name not in pages):
            continue
        for _, figure in kind.compare(kind, content):
            for axes in figure.axes:
                for drawn in axes.collections:
                    if str(drawn.get_gid()).endswith("|changed"):
                        _, side, column, _ = str(drawn.get_gid()).split("|")
                        points = np.concatenate([path.vertices for path in drawn.get_paths()])
                        high = points[points[:, 1] > points[:, 1].min(), 0]
                        yield kind.name, side, column, (float(high.min()), float(high.max()))


def test_five_changes_are_seen_where_they_were_put_and_nothing_else(virtual: Tables) -> None:
    found = list(bars(before_and_after(virtual, CHANGES)))
    assert {(side, *column.split(".")) for _, side, column, _ in found} == {(s, v, c) for s, v, c in CHANGES}
    for page in CURVES:
        assert [name for name, *_ in found if name == page]
    for _, side, column, (start, end) in found:
        first, last, _ = CHANGES[side, *column.split(".")]
        assert first <= start < end <= last
        assert start < 0.5 * (first + last) < end


def test_the_same_walk_twice_shows_no_bar(virtual: Tables) -> None:
    assert list(bars(before_and_after(virtual, {}), CURVES)) == []


def test_changes_that_markers_could_have_made_show_no_bar(virtual: Tables) -> None:
    """A tenth of each: clear against the cycles' scatter, not against markers placed anew."""
    small = {name: (first, last, 0.1 * by) for name, (first, last, by) in CHANGES.items()}
    assert list(bars(before_and_after(virtual, small), CURVES)) == []
