"""How far time-distance parameters can be off: in the unit of each, and empty where nobody knows it."""

from __future__ import annotations

import numpy as np
import pytest

from biomech_id.gait.measures.spatiotemporal import GaitParameter
from biomech_id.movement.cycle import Cycle, KineticsValid
from biomech_id.session.bands.band_values import parameter_sd
from biomech_id.uncertainty.sizes import error_sizes

#: A stride of 1.25 s; strikes are off by 8 ms, offs by 13 ms.
CYCLE = Cycle("walk", "L", 1, 1.0, 2.25, 1.75, 1.125, 1.625, KineticsValid.TRUE)
EVENT_SD_S = {"start_s": 0.008, "end_s": 0.008, "foot_off_s": 0.013, "opposite_off_s": 0.013, "opposite_strike_s": 0.008}
LEG_M, G = 0.8, 9.80665


def sd(name: str, value: float, unit: str, scale: float | None = None) -> float:
    """Of a parameter, or of its dimensionless form, made by dividing by a scale."""
    plain = GaitParameter("walk", "L", 1, name, value, unit)
    asked = plain if scale is None else GaitParameter("walk", "L", 1, f"{name}_dimensionless", value / scale, "1")
    return parameter_sd(asked, plain, CYCLE, EVENT_SD_S, error_sizes())


@pytest.mark.parametrize(
    ("name", "value", "unit", "scale"),
    [
        ("step_length", 0.6, "m", LEG_M), ("step_width", 0.1, "m", LEG_M), ("speed", 1.0, "m/s", np.sqrt(G * LEG_M)),
        ("stride_time", 1.25, "s", np.sqrt(LEG_M / G)), ("cadence", 96.0, "1/min", 60.0 * np.sqrt(G / LEG_M)),
    ],
)  # fmt: skip
def test_a_dimensionless_form_is_as_sure_as_what_it_was_made_of(name: str, value: float, unit: str, scale: float) -> None:
    plain = sd(name, value, unit)
    assert plain > 0.0
    assert sd(name, value, unit, scale) == pytest.approx(plain / scale, rel=1e-12)


def test_the_speed_is_as_sure_as_its_stride_s_duration() -> None:
    assert sd("stride_time", 1.25, "s") == pytest.approx(0.008 * np.sqrt(2.0))
    assert sd("speed", 1.0, "m/s") == pytest.approx(0.008 * np.sqrt(2.0) / 1.25)


def test_a_step_is_as_sure_as_two_heels() -> None:
    sizes = error_sizes()
    for name, way in (("step_length", "forward"), ("step_width", "side")):
        of_heel_m = 1e-3 * np.hypot(sizes[f"heel_{way}_mm"], sizes["tissue_heel_mm"])
        assert sd(name, 0.5, "m") == pytest.approx(np.sqrt(2.0) * of_heel_m)


def test_a_stride_is_as_sure_as_the_skin_over_its_heel_at_either_end() -> None:
    skin_m = 1e-3 * error_sizes()["tissue_heel_mm"]
    assert sd("stride_length", 1.25, "m") == pytest.approx(np.sqrt(2.0) * skin_m)
    assert sd("stride_length", 1.25, "m", LEG_M) == pytest.approx(np.sqrt(2.0) * skin_m / LEG_M)


def test_a_flight_is_as_sure_as_its_two_events() -> None:
    assert sd("flight_time", 0.1, "s") == pytest.approx(np.hypot(0.008, 0.013))
    assert 0.0 < sd("duty_factor", 60.0, "%") < 100.0 * 0.03 / 1.25


@pytest.mark.parametrize(
    ("of_run", "of_walk", "value", "unit"), [("contact_time", "stance_time", 0.75, "s"), ("step_rate", "cadence", 96.0, "1/min")]
)
def test_of_a_run_the_same_is_as_sure_under_its_other_name(of_run: str, of_walk: str, value: float, unit: str) -> None:
    assert sd(of_run, value, unit) == sd(of_walk, value, unit) > 0.0


def test_nothing_is_said_where_nobody_knows() -> None:
    assert np.isnan(sd("energy_recovery", 60.0, "%"))
    assert np.isnan(sd("step_width", 0.0, "m", LEG_M))
