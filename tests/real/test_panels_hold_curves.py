"""Every peak of every healthy walk lies inside its panel, and every panel of whole reports holds its curves (issue S, case 1)."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.conventions import FORCE_VARIABLE
from biomech_id.report import curves
from biomech_id.report.layout.scale import EDGE
from biomech_id.report.layout.style import load_style
from biomech_id.report.panels.fitted_scales import fitted
from biomech_id.report.panels.layer import ROWS, layers_of
from tests.real.sessions import Computed, Sessions
from tests.unit.report.test_fitted_scales import lines

pytestmark = pytest.mark.real


def peaks_off_their_panel(session: Computed) -> list[str]:
    """Peaks of sound cycles that the scales of the session's own report cut."""
    tables = session.tables
    layers, off = layers_of(tables), []
    for layer in layers:
        style = fitted(load_style(), [other for other in layers if other.kind == layer.kind])
        sound = layer.cycles[layer.cycles["sound"].astype(bool)]
        mine = tables.peaks.merge(sound[["trial", "side", "cycle"]], on=["trial", "side", "cycle"])
        for (variable, component), rows in mine.groupby(["variable", "component"]):
            row = ROWS.get((str(variable), str(component)))
            if row is None or rows["name"].str.endswith("_share").all():
                continue
            values = rows.loc[rows["unit"] != "%", "value"].to_numpy(float) * style.factor(row)
            scale = style.scale(row, run=layer.run)
            edge = EDGE * (scale.high - scale.low)
            if np.nanmax(values, initial=scale.low) > scale.high + edge or np.nanmin(values, initial=scale.high) < scale.low - edge:
                off.append(f"{session.name} {variable}.{component}")
    return off


def test_every_peak_of_every_session_lies_in_its_panel(sessions: Sessions) -> None:
    found = [off for session in sessions.with_results() for off in peaks_off_their_panel(session)]
    assert found == []


@pytest.mark.parametrize("every_cycle", [True, False])
def test_every_panel_of_a_childs_pages_holds_its_curves(sessions: Sessions, every_cycle: bool) -> None:
    names = [name for name in sessions if name.startswith("children/")]
    assert names
    for name in names[:2]:
        tables = sessions[name].tables
        drawn = [
            *lines(curves.kinetics(tables, every_cycle=every_cycle)),
            *lines(curves.kinematics(tables, every_cycle=every_cycle)),
        ]
        assert drawn
        off = [each for each, (low, high), lowest, highest in drawn if lowest < low or highest > high]
        assert off == []


def test_forces_at_the_joints_of_children_fit_the_scales_that_everybody_has(sessions: Sessions) -> None:
    """A scale that is as wide as it should be and points the other way holds its curves only by widening."""
    names = [name for name in sessions if name.startswith("children/")]
    assert names
    style, off = load_style(), []
    for name in names[:3]:
        (layer, *_) = layers_of(sessions[name].tables)
        reached = layer.tables.extremes(layer.cycles[layer.cycles["sound"].astype(bool)])
        for (variable, component), ends in reached.items():
            if variable in FORCE_VARIABLE.values() and style.scale(ROWS[variable, component]).holding(*ends).widened:
                off.append(f"{name} {variable}.{component} {ends}")
    assert off == []
