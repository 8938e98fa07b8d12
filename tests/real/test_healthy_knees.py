"""A sample of ``benchmarks.studies.healthy_knees``, whose table lies beside it: knee axes of healthy legs (issue S, case 11)."""

from __future__ import annotations

import re

import pytest
from sessions import Sessions

from benchmarks.studies.healthy_knees import SHARE, TABLE, Leg, limit
from biomech_id.models.joint_centres.knee_axis_walk import HEALTHY_SLOPE, beyond_healthy

pytestmark = pytest.mark.real


def legs() -> dict[tuple[str, str], Leg]:
    """The legs of the committed table."""
    rows = re.findall(r"^\| (\w+) \| ([LR]) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$", TABLE.read_text(encoding="utf-8"), re.M)
    return {(who, side): Leg(who, side, *map(float, numbers)) for who, side, *numbers in rows}


def test_the_limit_is_what_the_committed_legs_say() -> None:
    every = list(legs().values())
    assert len(every) >= 24
    assert limit(every) <= HEALTHY_SLOPE < limit(every) + 0.01
    silent = [not beyond_healthy(leg.slope, leg.correlation) for leg in every]
    assert sum(silent) / len(silent) >= SHARE
    assert sum(leg.varus_range_deg > 10.0 for leg in every) > 0.5 * len(every)  # healthy knees do show varus


@pytest.mark.parametrize("who", ["HC030A", "HC033A"])
def test_a_child_walks_as_the_table_says(sessions: Sessions, who: str) -> None:
    sides = sessions[f"children/{who}"].tables.calibration["sides"]
    for side, said in sides.items():
        leg = legs()[who, side]
        assert said["knee_varus_slope"] == pytest.approx(leg.slope, abs=2e-3)
        assert said["knee_varus_correlation"] == pytest.approx(leg.correlation, abs=2e-2)
        assert said["knee_varus_range_deg"] == pytest.approx(leg.varus_range_deg, abs=0.2)


def test_no_healthy_child_is_told_of_a_turned_axis(sessions: Sessions) -> None:
    named = [
        f"{name} {finding.values['side']}"
        for name in sessions
        if name.startswith("children/") and sessions[name].ran
        for finding in sessions[name].result.findings
        if finding.rule == "knee-axis-turned"
    ]
    assert named == []
