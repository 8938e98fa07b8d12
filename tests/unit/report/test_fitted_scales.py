"""Scales hold what is drawn: wider by whole steps, the same for both sides and every page, and said."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest
from matplotlib.figure import Figure

from biomech_id.report import curves
from biomech_id.report.layout.scale import EDGE, Scale
from biomech_id.report.layout.style import load_style
from biomech_id.report.panels.fitted_scales import fitted
from biomech_id.report.panels.layer import ROWS, layers_of
from biomech_id.session.tables.session_tables import Tables

POWER = ROWS["AnklePower", ""]


@pytest.mark.parametrize(
    ("scale", "values", "wider"),
    [
        (Scale(-2, 5, 1), (-2.0, 5.0), Scale(-2, 5, 1)),
        (Scale(-2, 5, 1), (-2.1, 4.0), Scale(-3, 5, 1, widened=True)),
        (Scale(-2, 5, 1), (0.0, 9.5), Scale(-2, 10, 2, widened=True)),
        (Scale(-0.4, 0.4, 0.2), (-0.41, 0.55), Scale(-0.6, 0.6, 0.2, widened=True)),
        (Scale(0, 150, 50), (float("nan"), float("nan")), Scale(0, 150, 50)),
        (Scale(0, 150, 50), (-1.2, 151.4), Scale(0, 150, 50)),
    ],
)
def test_a_scale_widens_by_whole_steps_and_no_further(scale: Scale, values: tuple[float, float], wider: Scale) -> None:
    found = scale.holding(*values)
    assert dataclasses.astuple(found) == pytest.approx(dataclasses.astuple(wider), abs=1e-9)
    assert len(found.ticks) <= 10


def stronger(tables: Tables, factor: float, **cycle: object) -> Tables:
    """The session with ankle powers of the left side multiplied, and every cycle's entries changed."""
    values = tables.cycles.copy()
    values.loc[(values["side"] == "L") & (values["variable"] == "AnklePower"), "value"] *= factor
    trials = [{**t, "cycles": [{**each, **cycle} for each in t["cycles"]]} for t in tables.summary["trials"]]
    return dataclasses.replace(tables, cycles=values, summary={**tables.summary, "trials": trials})


def lines(figure: Figure) -> Iterator[tuple[str, tuple[float, float], float, float]]:
    """Every curve that is drawn: its name, its panel's ends, its lowest and highest value."""
    for axes in figure.axes:
        for drawn in axes.collections:
            name = str(drawn.get_gid())
            if name.endswith(("|cycles", "|mean", "|unused")):
                heights = np.concatenate([path.vertices[:, 1] for path in drawn.get_paths()])
                edge = EDGE * np.ptp(axes.get_ylim())
                yield name, axes.get_ylim(), float(np.nanmin(heights)) + edge, float(np.nanmax(heights)) - edge


@pytest.mark.parametrize("every_cycle", [True, False])
def test_no_curve_leaves_its_panel(session: Tables, every_cycle: bool) -> None:
    strong = stronger(session, 8.0)
    drawn = [*lines(curves.kinetics(strong, every_cycle=every_cycle)), *lines(curves.kinematics(strong, every_cycle=every_cycle))]
    assert {name.split("|")[1] for name, *_ in drawn} == {"L", "R"}
    assert [name for name, (low, high), lowest, highest in drawn if lowest < low or highest > high] == []
    (ends,) = {ends for name, ends, *_ in drawn if "AnklePower" in name}
    assert ends[1] > load_style().scale(POWER).high, "both sides share the wider scale"


def test_the_page_says_that_a_scale_is_wider(session: Tables) -> None:
    said = ("W/kg", "W/kg, wider scale")

    def words(drawn: Tables) -> list[str]:
        return [text.get_text() for axes in curves.kinetics(drawn).axes for text in axes.texts if text.get_text() in said]

    assert words(session) == ["W/kg"] * 3
    assert words(stronger(session, 8.0)) == ["W/kg", "W/kg", "W/kg, wider scale"]


def test_a_refused_cycle_does_not_flatten_the_others(session: Tables) -> None:
    refused = stronger(session, 100.0, sound=False, used=False)
    assert fitted(load_style(), layers_of(refused)).scale(POWER) == load_style().scale(POWER)


def test_scales_of_joint_forces_point_where_body_weight_presses() -> None:
    """A trunk presses the thigh down on the knee: at ankle, knee and hip the larger end is the one of the ground's push."""
    style = load_style()
    ends = {name: style.scale(ROWS[name]) for name in (("HipForce", "Z"), ("KneeForce", "Z"), ("AnkleForce", "X"))}
    # Internal forces on the distal segment: along the thigh and the shank they point distally, in the foot towards the sole.
    assert [-scale.low > scale.high for scale in ends.values()] == [True, True, False]
    assert all(scale.high - scale.low >= 15.0 for scale in ends.values())
