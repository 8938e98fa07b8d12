"""How far peaks can be off because events are: where a curve is steep, and where its phase ends."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.session.bands.band_values import with_peak_sd
from biomech_id.session.bands.bands import CycleBand
from biomech_id.session.tables.cycle_table import CurveName, Curves

#: A stride of 1 s, foot off at 60 %: a hundredth of a second is a percent.
CYCLE = Cycle("walk", "L", 1, 1.0, 2.0, 1.6, 1.1, 1.5, KineticsValid.TRUE)
NAME = ("KneeAngles", "X")
PERCENT = np.arange(101.0)
#: Rises by 2 degrees a percent up to 70 %, then falls.
ROOF = np.where(PERCENT <= 70.0, 2.0 * PERCENT, 280.0 - 2.0 * PERCENT)


def peak_sd(name: str, percent: float, curve: np.ndarray, **event_sd_s: float) -> float:
    band = CycleBand(CYCLE, (NAME,), ("pelvis",), np.zeros((1, 1, 101)), np.zeros((1, 101)), np.full((1, 101), np.nan), event_sd_s)
    curves = Curves((CurveName("walk", "L", 1, "true", *NAME),), curve[None])
    row = {"side": "L", "cycle": 1, "variable": NAME[0], "component": NAME[1], "name": name, "percent": percent}
    ((found),) = with_peak_sd([row], [band], curves)
    sd = found["sd"]
    assert isinstance(sd, float)
    return sd


def test_without_errors_of_events_there_is_none() -> None:
    assert peak_sd("max_stance", 60.0, ROOF) == 0.0


@pytest.mark.parametrize("off_s", [0.004, 0.013])
def test_a_maximum_at_the_foot_off_moves_with_it(off_s: float) -> None:
    assert peak_sd("max_stance", 60.0, ROOF, foot_off_s=off_s) == pytest.approx(200.0 * off_s, rel=0.02)


def test_a_maximum_inside_its_phase_does_not() -> None:
    assert peak_sd("max_swing", 70.0, ROOF, foot_off_s=0.013) == pytest.approx(0.0, abs=1e-12)


def test_the_value_at_contact_moves_with_the_strike() -> None:
    assert peak_sd("value_contact", 0.0, ROOF, start_s=0.008) == pytest.approx(200.0 * 0.008, rel=1e-12)
